//! Does the same work with every contender, in turns, and prints how they compare with the hand-written limit.
//!
//! Machines differ, and one machine differs from minute to minute. So each round gives every contender a turn, a
//! ratio is taken within a round, and the table shows the median round. Nothing is printed for a contender whose
//! work was not the same work.

use std::hint::black_box;
use std::process::{Command, ExitCode};
use std::time::Instant;

use dwsim_peers::expected::{LARGE, LARGE_COUNTS, SMALL, check_counts, check_tally};
use dwsim_peers::in_dwsim::{self, Scenario};
use dwsim_peers::model::{Counts, Tally};
use dwsim_peers::{in_desru, in_stateright, limit};
use dwsim_sim::model::strategy::Strategy;

/// Rounds that count, after one that warms up.
const ROUNDS: usize = 7;

/// The mean number of states that a run of the random work passes, by which stateright counts.
const STATES_PER_RUN: f64 = 11.466;

/// Someone who can do some work, and how much of it fills a turn.
struct Contender<R> {
    name: &'static str,
    /// Does one turn; the number makes the draws of each round its own.
    turn: fn(round: u64) -> R,
}

/// What a turn comes back with.
trait Outcome: Sized {
    /// Runs, or states.
    fn units(&self) -> u64;
    /// Whether all turns together did the work that was asked.
    fn check(turns: &[Self]) -> Result<(), String>;
}

impl Outcome for Tally {
    fn units(&self) -> u64 {
        self.runs
    }

    fn check(turns: &[Self]) -> Result<(), String> {
        let total = turns.iter().fold(Tally::default(), |sum, turn| sum + *turn);
        check_tally(SMALL, total)
    }
}

impl Outcome for Counts {
    fn units(&self) -> u64 {
        self.states
    }

    fn check(turns: &[Self]) -> Result<(), String> {
        turns.iter().try_for_each(|turn| check_counts(*turn, LARGE_COUNTS))
    }
}

/// Runs under a clock.
struct Clocked(Tally);

impl Outcome for Clocked {
    fn units(&self) -> u64 {
        self.0.runs
    }

    /// No crash of the fenced design ends in a duplicate, whatever the latencies; and half of what is sent is lost.
    fn check(turns: &[Self]) -> Result<(), String> {
        match turns.iter().find(|turn| turn.0.duplicate > 0 || turn.0.lost == 0) {
            None => Ok(()),
            Some(turn) => Err(format!("found {:?}", turn.0)),
        }
    }
}

const RANDOM: &[Contender<Tally>] = &[
    Contender { name: "limit", turn: |round| limit::simulate(SMALL, seeds(round, 1_000_000)) },
    Contender { name: "limit, 2 threads", turn: |round| on_two_threads(seeds(round, 2_000_000)) },
    Contender { name: "dwsim", turn: |round| in_dwsim::simulate(SMALL, seeds(round, 1_000_000), 1) },
    Contender {
        name: "dwsim, 2 threads",
        turn: |round| in_dwsim::simulate(SMALL, seeds(round, 2_000_000), 2),
    },
    Contender { name: "desru", turn: |round| in_desru::simulate(SMALL, seeds(round, 200_000)) },
    Contender { name: "stateright simulation", turn: |round| stateright_simulation(round, 100_000, 1) },
    Contender {
        name: "stateright simulation, 2 threads",
        turn: |round| stateright_simulation(round, 200_000, 2),
    },
];

/// Under a clock the rates are others, and nobody has computed them; the limit is here as a yardstick only.
const TIMED: &[Contender<Clocked>] = &[
    Contender {
        name: "limit, without a clock",
        turn: |round| Clocked(limit::simulate(SMALL, seeds(round, 1_000_000))),
    },
    Contender { name: "dwsim", turn: |round| Clocked(timed(seeds(round, 500_000), 1)) },
    Contender { name: "dwsim, 2 threads", turn: |round| Clocked(timed(seeds(round, 1_000_000), 2)) },
];

const EXHAUSTIVE: &[Contender<Counts>] = &[
    Contender { name: "limit", turn: |_| limit::search(LARGE, LARGE_COUNTS.states as usize) },
    Contender { name: "dwsim", turn: |_| in_dwsim::search(LARGE, 1) },
    Contender { name: "dwsim, 2 threads", turn: |_| in_dwsim::search(LARGE, 2) },
    Contender { name: "stateright depth first", turn: |_| in_stateright::depth_first(LARGE, 1) },
    Contender { name: "stateright depth first, 2 threads", turn: |_| in_stateright::depth_first(LARGE, 2) },
    Contender { name: "stateright breadth first", turn: |_| in_stateright::breadth_first(LARGE, 1) },
];

fn seeds(round: u64, runs: u64) -> std::ops::Range<u64> {
    round * runs..(round + 1) * runs
}

fn on_two_threads(seeds: std::ops::Range<u64>) -> Tally {
    let middle = seeds.start.midpoint(seeds.end);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| limit::simulate(SMALL, seeds.start..middle));
        let second = limit::simulate(SMALL, middle..seeds.end);
        first.join().expect("a simulation does not panic") + second
    })
}

fn timed(seeds: std::ops::Range<u64>, jobs: usize) -> Tally {
    Scenario::with_latencies(SMALL.events.into(), SMALL.crashes.into(), SMALL.policy).simulate(
        Strategy::Timed,
        seeds,
        jobs,
    )
}

fn stateright_simulation(round: u64, runs: u64, threads: usize) -> Tally {
    // Thread t starts at seed + t.
    in_stateright::simulate(SMALL, (runs as f64 * STATES_PER_RUN) as usize, round << 8, threads)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => compare_all(),
        ["--memory-of", name] => memory_of(name),
        _ => {
            eprintln!("usage: compare");
            ExitCode::from(2)
        }
    }
}

fn compare_all() -> ExitCode {
    println!("Random runs: 2 events, 1 crash, fenced, each step uniform over what is enabled\n");
    let mut same = compare("run", RANDOM);
    println!(
        "\nThe same under a clock: latencies, loss, a crash at a drawn place, the whole oracle, costs counted\n"
    );
    same &= compare("run", TIMED);
    println!("\nExhaustive search: 8 events, 2 crashes, cursor, every reachable state\n");
    same &= compare("state", EXHAUSTIVE);
    println!("\nMemory of the search, in bytes a state\n");
    for contender in EXHAUSTIVE {
        let bytes = bytes_a_state(contender.name).map_or("not known here".into(), |bytes| bytes.to_string());
        println!("- {}: {bytes}", contender.name);
    }
    if same { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the table of one kind of work, and says whether every contender did it.
fn compare<R: Outcome>(unit: &str, contenders: &[Contender<R>]) -> bool {
    let mut nanos = vec![Vec::new(); contenders.len()];
    let mut outcomes: Vec<Vec<R>> = contenders.iter().map(|_| Vec::new()).collect();
    for round in 0..=ROUNDS {
        eprintln!("round {round} of {ROUNDS}{}", if round == 0 { ", to warm up" } else { "" });
        for (index, contender) in contenders.iter().enumerate() {
            let start = Instant::now();
            let outcome = black_box((contender.turn)(black_box(round as u64)));
            let elapsed = start.elapsed().as_nanos() as f64;
            if round > 0 {
                nanos[index].push(elapsed / outcome.units() as f64);
                outcomes[index].push(outcome);
            }
        }
    }

    let (time, rate) = (format!("ns a {unit}"), format!("M {unit}s/s"));
    println!("| {:33} | {time:>10} | {rate:>10} | of the limit (worst to best) |", "who");
    println!("|{:-<35}|{:->12}|{:->12}|{:->30}|", "", ":", ":", ":");
    let mut same = true;
    for (index, contender) in contenders.iter().enumerate() {
        if let Err(difference) = R::check(&outcomes[index]) {
            println!("| {:33} | other work: {difference} |", contender.name);
            same = false;
            continue;
        }
        let mut ratios: Vec<f64> =
            nanos[0].iter().zip(&nanos[index]).map(|(limit, own)| limit / own).collect();
        ratios.sort_by(f64::total_cmp);
        let time = median(&mut nanos[index].clone());
        println!(
            "| {:33} | {time:>10.1} | {:>10.3} | {:>28} |",
            contender.name,
            1e3 / time,
            format!("{:.3} ({:.3} to {:.3})", median(&mut ratios), ratios[0], ratios[ratios.len() - 1]),
        );
    }
    same
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// What a search adds to the memory of a process of its own; nothing where the system does not tell.
fn bytes_a_state(name: &str) -> Option<u64> {
    let output = Command::new(std::env::current_exe().ok()?).args(["--memory-of", name]).output().ok()?;
    let bytes: u64 = String::from_utf8(output.stdout).ok()?.trim().parse().ok()?;
    Some(bytes / LARGE_COUNTS.states)
}

fn memory_of(name: &str) -> ExitCode {
    let Some(contender) = EXHAUSTIVE.iter().find(|contender| contender.name == name) else {
        eprintln!("no contender is called {name}");
        return ExitCode::from(2);
    };
    let before = most_memory();
    black_box((contender.turn)(0));
    match before.zip(most_memory()) {
        Some((before, after)) => {
            println!("{}", after - before);
            ExitCode::SUCCESS
        }
        None => ExitCode::FAILURE,
    }
}

/// The most memory this process has had resident so far, in bytes, as Linux tells it.
fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(1024 * line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?)
}
