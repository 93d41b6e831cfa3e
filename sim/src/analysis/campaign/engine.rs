//! Runs seeds on every core. A seed runs under every design before the next one starts, so that designs are compared
//! pair by pair; blocks of seeds go to whichever thread is free, and counts merge whatever the order.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::analysis::campaign::{CaseResult, DesignResult, Flips, Origin};
use crate::analysis::tally::{Tally, earliest};
use crate::engine::by_size::{BySize, by_size};
use crate::engine::faults::{self, Head};
use crate::engine::fingerprint::Fingerprint;
use crate::engine::machine::{CompileError, Machine};
use crate::engine::rng::Subsystem;
use crate::engine::rules::Judgement;
use crate::engine::watch::Watch;
use crate::engine::world::{Words, World};
use crate::model::scenario::{Case, Design, NotApplicable, Verdict};
use crate::model::strategy::Strategy;
use crate::model::view::Rules;
use crate::schedulers::{self, Costs, Pct, StepCache, Swarm, Timed, Uniform};
use crate::search::threads::in_parallel;

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Orders {
    /// How a seed drives a run.
    pub strategy: Strategy,
    /// The first seed.
    pub first: u64,
    /// How many seeds; they wrap around at 2^64.
    pub seeds: u64,
    /// How many threads; at least one.
    pub jobs: usize,
}

/// Shared with whoever watches a campaign and may stop it.
#[derive(Default, Debug)]
pub struct Progress {
    /// Seeds done, of all designs.
    pub done: AtomicU64,
    /// Set to stop after the blocks that are under way.
    pub stop: AtomicBool,
}

/// Two runs of one seed differed: dwsim itself is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nondeterminism {
    /// The design.
    pub design: String,
    /// The seed.
    pub seed: u64,
    /// The first step, from 1, at which the two runs differ.
    pub step: usize,
}

impl std::fmt::Display for Nondeterminism {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "two runs of seed {} under {} differ from step {} on; this is a bug in dwsim, please report it",
            self.seed, self.design, self.step
        )
    }
}

impl std::error::Error for Nondeterminism {}

/// Seeds in a block: enough to make handing them out cheap, few enough to keep every thread busy to the end.
const BLOCK: u64 = 256;
/// One seed in so many is run twice and compared.
const TWICE: u64 = 100;

/// Compiles every design of a case that can run on its sink.
///
/// # Errors
/// When a program names a batch rule that `rules` does not hold.
pub fn compile_case(case: &Case, rules: &Rules) -> Result<Vec<Result<Machine, NotApplicable>>, CompileError> {
    let compile = |design: &Design| match &design.stage {
        Ok(stage) => Machine::compile(stage, rules).map(Ok),
        Err(why) => Ok(Err(why.clone())),
    };
    case.designs.iter().map(compile).collect()
}

/// Runs a case, and says whether every seed was run.
///
/// # Errors
/// When one of the seeds that are run twice did not come out the same.
pub fn run_case(
    origin: Origin<'_>,
    case: &Case,
    machines: &[Result<Machine, NotApplicable>],
    orders: Orders,
    progress: &Progress,
) -> Result<(CaseResult, bool), Nondeterminism> {
    let running: Vec<&Machine> = machines.iter().filter_map(|m| m.as_ref().ok()).collect();
    let next = AtomicU64::new(0);
    let work = || {
        let mut counts = Counts::new(running.len());
        let mut runners: Vec<Pair<'_>> = running.iter().map(|m| Pair::new(m, orders.strategy)).collect();
        while !progress.stop.load(Ordering::Relaxed) {
            let from = next.fetch_add(BLOCK, Ordering::Relaxed);
            if from >= orders.seeds {
                break;
            }
            let block = from..orders.seeds.min(from + BLOCK);
            let size = block.end - block.start;
            for offset in block {
                counts.run(&mut runners, orders.first.wrapping_add(offset))?;
            }
            progress.done.fetch_add(size, Ordering::Relaxed);
        }
        Ok(counts)
    };
    let mut total = Counts::new(running.len());
    in_parallel(orders.jobs, |_| work())
        .into_iter()
        .try_for_each(|counts| counts.map(|c| total.merge(&c)))
        .map_err(|(index, seed)| nondeterminism(case, machines, orders.strategy, index, seed))?;
    let complete = total.seeds == orders.seeds;
    Ok((total.into_result(origin, case, machines, orders), complete))
}

/// The counts of one thread, or of all.
struct Counts {
    seeds: u64,
    tallies: Vec<Tally>,
    flips: Vec<Flips>,
    exact: Vec<bool>,
}

impl Counts {
    fn new(designs: usize) -> Counts {
        let pairs = (0..designs).flat_map(|a| (a + 1..designs).map(move |b| (a, b)));
        Counts {
            seeds: 0,
            tallies: vec![Tally::new(); designs],
            flips: pairs
                .map(|(a, b)| Flips { a, b, only_a: 0, only_b: 0, first_seeds: (None, None) })
                .collect(),
            exact: vec![false; designs],
        }
    }

    /// One seed under every design. An error names the design (by its index among those that run) and the seed.
    fn run(&mut self, runners: &mut [Pair<'_>], seed: u64) -> Result<(), (usize, u64)> {
        self.seeds += 1;
        for (i, pair) in runners.iter_mut().enumerate() {
            let judgement = if seed.is_multiple_of(TWICE) {
                pair.run_twice(seed).ok_or((i, seed))?
            } else {
                pair.runner.run(seed, &mut None)
            };
            self.tallies[i].count_run(seed, judgement, pair.runner.costs());
            self.exact[i] = judgement.is(Verdict::ExactlyOnce);
        }
        for flip in &mut self.flips {
            match (self.exact[flip.a], self.exact[flip.b]) {
                (true, false) => {
                    flip.only_a += 1;
                    flip.first_seeds.0 = earliest(flip.first_seeds.0, Some(seed));
                }
                (false, true) => {
                    flip.only_b += 1;
                    flip.first_seeds.1 = earliest(flip.first_seeds.1, Some(seed));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &Counts) {
        self.seeds += other.seeds;
        for (mine, theirs) in self.tallies.iter_mut().zip(&other.tallies) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.flips.iter_mut().zip(&other.flips) {
            mine.only_a += theirs.only_a;
            mine.only_b += theirs.only_b;
            mine.first_seeds.0 = earliest(mine.first_seeds.0, theirs.first_seeds.0);
            mine.first_seeds.1 = earliest(mine.first_seeds.1, theirs.first_seeds.1);
        }
    }

    fn into_result(
        self,
        origin: Origin<'_>,
        case: &Case,
        machines: &[Result<Machine, NotApplicable>],
        orders: Orders,
    ) -> CaseResult {
        let mut tallies = self.tallies.into_iter();
        let mut places = Vec::new();
        let designs = case.designs.iter().zip(machines).enumerate().map(|(i, (design, machine))| {
            let tally = match machine {
                Ok(_) => {
                    places.push(i);
                    Ok(tallies.next().unwrap_or_default())
                }
                Err(why) => Err(why.clone()),
            };
            let policy = design.stage.as_ref().map_or(String::new(), |s| s.policy.name.clone());
            DesignResult { name: design.name.clone(), policy, tally }
        });
        let designs = designs.collect();
        let flips = self.flips.into_iter().map(|f| Flips { a: places[f.a], b: places[f.b], ..f }).collect();
        let faults = machines
            .iter()
            .find_map(|m| m.as_ref().ok())
            .map_or(String::new(), |m| m.faults_sentence(orders.strategy));
        CaseResult {
            path: origin.path.to_owned(),
            scenario: origin.scenario.to_owned(),
            twin: case.twin.clone(),
            about: origin.about.to_owned(),
            faults,
            seeds: (orders.first, self.seeds),
            designs,
            flips,
        }
    }
}

/// What runs every seed of a design, and what runs those again that are run twice. They have memory of two histories:
/// one ran every seed and looks up what it has walked before, one runs these alone and works everything out.
struct Pair<'a> {
    machine: &'a Machine,
    runner: Box<dyn Runner + 'a>,
    /// Made when it is needed first: a campaign of few seeds may not need it.
    second: Option<Box<dyn Runner + 'a>>,
    strategy: Strategy,
}

impl<'a> Pair<'a> {
    fn new(machine: &'a Machine, strategy: Strategy) -> Pair<'a> {
        Pair { machine, runner: runner(machine, strategy, Memory::StepCache), second: None, strategy }
    }

    /// What a run came to; none where the second time differs.
    fn run_twice(&mut self, seed: u64) -> Option<Judgement> {
        let (machine, strategy) = (self.machine, self.strategy);
        let second = self.second.get_or_insert_with(|| runner(machine, strategy, Memory::None));
        let (once, again) = (run_logged(&mut *self.runner, seed), run_logged(&mut **second, seed));
        (once == again && self.runner.costs() == second.costs()).then_some(once.0)
    }
}

/// Runs a seed, and says what it came to and the fingerprint of its whole event log.
fn run_logged(runner: &mut dyn Runner, seed: u64) -> (Judgement, Option<u128>) {
    let mut log = Some(Fingerprint::new());
    let judgement = runner.run(seed, &mut log);
    (judgement, log.map(|log| log.finish()))
}

/// Runs seed after seed of one design in the same memory.
trait Runner {
    /// Runs a seed, writes its log where one is given, and judges.
    fn run(&mut self, seed: u64, log: &mut Option<Fingerprint>) -> Judgement;

    /// What the last run cost.
    fn costs(&self) -> &Costs;
}

/// Whether a runner may look up what it has walked before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    StepCache,
    None,
}

/// A runner with a state of the size that the machine needs.
fn runner(machine: &Machine, strategy: Strategy, memory: Memory) -> Box<dyn Runner + '_> {
    by_size(machine, NewRunner { machine, strategy, memory })
}

struct NewRunner<'a> {
    machine: &'a Machine,
    strategy: Strategy,
    memory: Memory,
}

impl<'a> BySize for NewRunner<'a> {
    type Output = Box<dyn Runner + 'a>;

    fn run<W: Words + 'static>(self) -> Box<dyn Runner + 'a> {
        let NewRunner { machine, strategy, memory } = self;
        // A state of many words is seldom met again.
        let remembers = memory == Memory::StepCache && strategy == Strategy::Uniform && machine.words() <= 4;
        Box::new(RunnerOf::<W> {
            machine,
            world: machine.start(),
            cache: if remembers { StepCache::new(machine) } else { None },
            driver: match strategy {
                Strategy::Timed => Reusable::Timed(Box::new(Timed::new(machine, 0))),
                Strategy::Uniform => Reusable::Uniform(Uniform::subsystem()),
                Strategy::Pct(changes) => Reusable::Pct(Box::new(Pct::new(machine, changes, 0))),
                Strategy::Swarm => Reusable::Swarm(Swarm::subsystem()),
            },
            costs: Costs::new(machine.events()),
        })
    }
}

struct RunnerOf<'a, W> {
    machine: &'a Machine,
    world: World<W>,
    cache: Option<StepCache<W>>,
    driver: Reusable,
    costs: Costs,
}

enum Reusable {
    Timed(Box<Timed>),
    Uniform(Subsystem),
    Pct(Box<Pct>),
    Swarm(Subsystem),
}

impl<W: Words> Runner for RunnerOf<'_, W> {
    fn run(&mut self, seed: u64, log: &mut Option<Fingerprint>) -> Judgement {
        self.costs.clear();
        let mut watch = (&mut self.costs, log);
        run_in(self.machine, &mut self.world, self.cache.as_mut(), &mut self.driver, &mut watch, seed)
    }

    fn costs(&self) -> &Costs {
        &self.costs
    }
}

fn run_in<W: Words, O: Watch>(
    machine: &Machine,
    world: &mut World<W>,
    walked: Option<&mut StepCache<W>>,
    driver: &mut Reusable,
    watch: &mut O,
    seed: u64,
) -> Judgement {
    match driver {
        Reusable::Timed(timed) => {
            timed.restart(machine, seed);
            schedulers::run(machine, world, timed.as_mut(), watch)
        }
        Reusable::Uniform(choices) => {
            let mut driver = Uniform::new(choices, seed);
            match walked {
                Some(walked) => walked.run(machine, world, &mut driver, watch),
                None => schedulers::run(machine, world, &mut driver, watch),
            }
        }
        Reusable::Pct(pct) => {
            pct.restart(seed);
            schedulers::run(machine, world, pct.as_mut(), watch)
        }
        Reusable::Swarm(choices) => {
            schedulers::run(machine, world, &mut Swarm::new(machine, choices, seed), watch)
        }
    }
}

fn nondeterminism(
    case: &Case,
    machines: &[Result<Machine, NotApplicable>],
    strategy: Strategy,
    index: usize,
    seed: u64,
) -> Nondeterminism {
    let running: Vec<(&str, &Machine)> = case
        .designs
        .iter()
        .zip(machines)
        .filter_map(|(d, m)| Some((d.name.as_str(), m.as_ref().ok()?)))
        .collect();
    let (design, machine) = running[index];
    let (a, b) =
        (schedulers::record_seed(machine, strategy, seed), schedulers::record_seed(machine, strategy, seed));
    let step = a.moments.iter().zip(&b.moments).take_while(|(a, b)| a == b).count() + 1;
    Nondeterminism { design: design.to_owned(), seed, step }
}

impl Machine {
    /// What may strike, in a sentence for the head of a report.
    pub fn faults_sentence(&self, strategy: Strategy) -> String {
        let head =
            Head { is_timed: strategy == Strategy::Timed, crash_places: schedulers::crash_places(self) };
        faults::headline(&self.stage, head)
    }
}
