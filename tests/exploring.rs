//! What an exploration says against a plain search that shares nothing with it but the machine.

mod common;

use std::collections::BTreeSet;

use dwsim_sim::engine::machine::Machine;
use dwsim_sim::engine::world::World;
use dwsim_sim::model::scenario::{CheckBy, Often, Verdict, When};
use dwsim_sim::model::verdict::Verdicts;
use dwsim_sim::model::view::Rules;
use dwsim_sim::schedulers::{Driver, Pct, Swarm, Timed, Uniform};
use dwsim_sim::search::crash_map;
use dwsim_sim::search::explore::{Ended, Exploration, Limits, Reach, Stopped, Watched, explore};

/// Larger stages are left to the command.
const MOST: u64 = 20_000;
/// So many random runs of each strategy.
const SEEDS: u64 = 40;

fn explored(machine: &Machine, jobs: usize) -> Exploration {
    explore(machine, Limits { states: MOST, jobs, ..Limits::default() }, &Watched::default())
}

/// Runs that are judged as soon as they have recovered: where the source goes on meanwhile, where some never crash and
/// some never recover, where there is a second crash.
const JUDGED_AT_RECOVERY: [&str; 4] = [
    r#"Scenario(
        relay: "relay-after-send",
        faults: (crash: anywhere(times: 1)),
        judge: (when: recovered),
        designs: ["cursor", "sink-delta", "fenced"],
    )"#,
    r#"Scenario(
        source: (events: 1),
        wire: (loss: (one_in: 3)),
        recovery: (attempts: 1),
        faults: (crash: anywhere(times: 1), recoverer_dies: anywhere(times: 1)),
        judge: (when: recovered),
        designs: ["sink-delta-stepwise", "fenced"],
    )"#,
    r#"Scenario(
        faults: (crash: anywhere(times: 2)),
        judge: (when: recovered),
        designs: ["skip", "cursor"],
    )"#,
    r#"Scenario(
        start: (committed: 1, status: crashed),
        faults: (crash: anywhere(times: 1)),
        judge: (when: recovered),
        designs: ["skip", "cursor"],
    )"#,
];

fn small_machines() -> Vec<(String, Machine)> {
    let mut all = Vec::new();
    for path in common::shipped() {
        let text = std::fs::read_to_string(&path).expect("text");
        all.extend(common::machines(&common::scenario(&path.to_string_lossy(), &text)));
    }
    for text in JUDGED_AT_RECOVERY {
        all.extend(common::machines(&common::scenario("judged at recovery", text)));
    }
    all.retain(|(_, machine)| explored(machine, 1).is_complete());
    for when in [When::Quiescent, When::Recovered] {
        let small = all.iter().filter(|(_, machine)| machine.stage.judge.when == when).count();
        assert!(small > 5, "{small} small stages are judged when {when:?}");
    }
    all
}

type State = World<Vec<u64>>;

/// The states of each distance from the start, level by level.
fn levels(machine: &Machine) -> Vec<BTreeSet<State>> {
    let mut levels: Vec<BTreeSet<State>> = vec![BTreeSet::from([machine.start()])];
    let mut seen = levels[0].clone();
    loop {
        let mut next = BTreeSet::new();
        for w in levels.last().expect("a level") {
            for k in 0..machine.enabled(w) {
                let mut after = w.clone();
                machine.apply(&mut after, machine.nth(w, k).expect("enabled"), &mut ());
                if seen.insert(after.clone()) {
                    next.insert(after);
                }
            }
        }
        if next.is_empty() {
            return levels;
        }
        levels.push(next);
    }
}

/// The least number of steps to each verdict: hazards count where they are first seen, the others where a run rests or,
/// where the stage asks for that, where its first recovery has finished.
fn shortest(machine: &Machine) -> [Option<usize>; Verdict::ALL.len()] {
    let early = machine.stage.judge.when == When::Recovered;
    let mut found = [None; Verdict::ALL.len()];
    let mut note = |depth: usize, verdicts: Verdicts| {
        for verdict in verdicts.iter() {
            found[verdict as usize].get_or_insert(depth);
        }
    };
    // A state, and whether the run was judged before it got there.
    let mut level = BTreeSet::from([(machine.start(), false)]);
    let mut seen: BTreeSet<(State, bool)> = level.clone();
    for depth in 0.. {
        for (w, was_judged) in &level {
            let rests = machine.is_quiescent(w) && !was_judged;
            note(
                depth,
                if rests { machine.judge(w, When::Quiescent).verdicts() } else { machine.hazards(w) },
            );
        }
        let mut next = BTreeSet::new();
        for (w, was_judged) in &level {
            for k in 0..machine.enabled(w) {
                let mut after: State = w.clone();
                machine.apply(&mut after, machine.nth(w, k).expect("enabled"), &mut ());
                let recovers = early && !was_judged && machine.is_down(w) && !machine.is_down(&after);
                if recovers {
                    note(depth + 1, machine.judge(&after, When::Recovered).verdicts());
                }
                next.insert((after, *was_judged || recovers));
            }
        }
        next.retain(|state| seen.insert(state.clone()));
        if next.is_empty() {
            break;
        }
        level = next;
    }
    found
}

#[test]
fn a_counterexample_is_a_shortest_one() {
    for (name, machine) in small_machines() {
        let found = explored(&machine, 1);
        let lengths = Verdict::ALL.map(|v| found.witness(v).map(<[_]>::len));
        assert_eq!(lengths, shortest(&machine), "{name}");
    }
}

/// That each step is enabled, which is all that can be said of stages that are too large, is a law: see `laws.rs`.
#[test]
fn a_random_run_stays_among_the_states_of_the_exploration() {
    for (name, machine) in small_machines() {
        let all: BTreeSet<State> = levels(&machine).into_iter().flatten().collect();
        assert_eq!(all.len() as u64, explored(&machine, 1).states, "{name}");
        let (choices, faults) = (Uniform::subsystem(), Swarm::subsystem());
        for seed in 0..SEEDS {
            let mut timed = Timed::new(&machine, seed);
            run_among(&all, &machine, &mut timed, &format!("{name}, timed seed {seed}"));
            run_among(
                &all,
                &machine,
                &mut Uniform::new(&choices, seed),
                &format!("{name}, uniform seed {seed}"),
            );
            run_among(
                &all,
                &machine,
                &mut Pct::new(&machine, 3, seed),
                &format!("{name}, pct:3 seed {seed}"),
            );
            let mut swarm = Swarm::new(&machine, &faults, seed);
            run_among(&all, &machine, &mut swarm, &format!("{name}, swarm seed {seed}"));
        }
    }
}

fn run_among(all: &BTreeSet<State>, machine: &Machine, driver: &mut impl Driver, name: &str) {
    let mut w: State = machine.start();
    while let Some(action) = driver.next(machine, &w) {
        driver.apply(machine, &mut w, action, &mut ());
        assert!(all.contains(&w), "{name}: {} leads out", machine.label(action));
    }
}

/// Too large for a test that is not optimised; `dwsim explore` proves it in two seconds.
const TOO_LARGE: &str = "zombie-micro-8-2";

/// Whether seeds or explorations are to judge it.
#[test]
fn what_must_never_happen_is_proved_within_the_bounds() {
    let mut open = BTreeSet::new();
    let mut proved = 0;
    for path in common::shipped() {
        let text = std::fs::read_to_string(&path).expect("text");
        let scenario = common::scenario(&path.to_string_lossy(), &text);
        for case in scenario.cases.iter().filter(|_| scenario.name != TOO_LARGE) {
            let of_all = |by: &CheckBy| matches!(by, CheckBy::Seeds { .. } | CheckBy::Explore);
            if !case.check_by.iter().any(of_all) {
                continue;
            }
            for design in &case.designs {
                let Ok(stage) = &design.stage else { continue };
                let never = design.expect.verdicts.iter().filter(|(_, often)| *often == Often::Never);
                let never: Vec<Verdict> = never.map(|(verdict, _)| *verdict).collect();
                if never.is_empty() {
                    continue;
                }
                let machine = Machine::compile(stage, &Rules::new()).expect("it compiles");
                let found = explore(
                    &machine,
                    Limits { states: 300_000, jobs: 2, ..Limits::default() },
                    &Watched::default(),
                );
                for verdict in never {
                    match found.reach(verdict) {
                        Reach::Unreachable => proved += 1,
                        other => drop(open.insert(format!(
                            "{} / {} / {}: {} {other:?}",
                            scenario.name,
                            case.twin,
                            design.name,
                            verdict.name()
                        ))),
                    }
                }
            }
        }
    }
    assert_eq!(open, BTreeSet::new());
    assert!(proved > 100, "{proved} proofs");
}

#[test]
fn a_counterexample_replays_to_its_verdict() {
    for (name, machine) in small_machines() {
        let found = explored(&machine, 1);
        for verdict in Verdict::ALL {
            let Some(schedule) = found.witness(verdict) else { continue };
            let record = machine.record_schedule(schedule, verdict);
            assert!(record.verdicts.contains(&verdict), "{name}: {verdict:?} in {:?}", record.verdicts);
            let unfinished = record.verdicts.contains(&Verdict::Unfinished);
            assert_eq!(unfinished, verdict == Verdict::Unfinished, "{name}: it stops at {verdict:?}");
        }
    }
}

#[test]
fn what_is_found_does_not_depend_on_the_number_of_threads() {
    for (name, machine) in small_machines() {
        assert_eq!(explored(&machine, 1), explored(&machine, 3), "{name}");
    }
}

#[test]
fn what_was_covered_when_memory_ran_out_does_not_depend_on_the_number_of_threads() {
    let path = "scenarios/bench/zombie-micro-8-2.ron";
    let text = std::fs::read_to_string(path).expect("text");
    let (name, machine) = common::machines(&common::scenario(path, &text)).remove(0);
    for memory in [1 << 20, 1 << 22, 1 << 24] {
        let [one, many] = [1, 5]
            .map(|jobs| explore(&machine, Limits { memory, jobs, ..Limits::default() }, &Watched::default()));
        assert!(one.ended == Ended::Stopped(Stopped::Memory), "{name}: {} states fit", one.states);
        assert_eq!(one, many, "{name}, {memory} bytes");
    }
}

#[test]
fn a_verdict_of_the_crash_window_map_is_reachable() {
    for (name, machine) in small_machines() {
        let found = explored(&machine, 1);
        for window in
            crash_map::windows(&machine, Limits { states: MOST, ..Limits::default() }, &Watched::default())
        {
            // A run that recovered from how it started was judged before it crashed.
            let judged_before = machine.stage.judge.when == When::Recovered && machine.stage.start.crashed;
            assert!(judged_before || !window.verdicts.is_empty(), "{name}: {window:?}");
            for verdict in &window.verdicts {
                assert!(found.witness(*verdict).is_some(), "{name}: {window:?}");
            }
        }
    }
}
