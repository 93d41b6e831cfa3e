//! The micro-model in dwsim: its shipped scenario file, with other bounds put in where other bounds are asked for.

use dwsim_policies::Shipped;
use dwsim_sim::analysis::campaign::{Orders, Origin, Progress, compile_case, run_case};
use dwsim_sim::load;
use dwsim_sim::model::scenario::{Case, Verdict};
use dwsim_sim::model::strategy::Strategy;
use dwsim_sim::model::view::Rules;
use dwsim_sim::search::explore::{Limits, Watched, explore};
use dwsim_sim::text::file::Options;

use crate::model::{Counts, Micro, Policy, Tally};

const FILE: &str = include_str!("../../../scenarios/bench/zombie-micro-2-1.ron");

/// The micro-model with bounds that need not be those of [`Micro`], which has room for eight events.
#[derive(Clone, Debug)]
pub struct Scenario {
    case: Case,
}

impl Scenario {
    /// A wire that may deliver at any time, which is what the exact rates are of.
    pub fn new(events: u32, crashes: u32, policy: Policy) -> Self {
        Self::of(events, crashes, policy, "loss: ")
    }

    /// A wire with latencies, for runs under a clock.
    pub fn with_latencies(events: u32, crashes: u32, policy: Policy) -> Self {
        Self::of(events, crashes, policy, "latency: uniform(\"1ms\", \"20ms\"), loss: ")
    }

    fn of(events: u32, crashes: u32, policy: Policy, wire: &str) -> Self {
        let text = put(FILE, "events: 2", &format!("events: {events}"));
        let text = put(&text, "times: 1", &format!("times: {crashes}"));
        let text = put(&text, "loss: ", wire);
        let mut scenario = load("micro.ron", &text, &Shipped, &Options { policies: &[] })
            .unwrap_or_else(|wrong| panic!("{wrong:?}"));
        let mut case = scenario.cases.remove(0);
        let name = match policy {
            Policy::Cursor => "cursor",
            Policy::Fenced => "fenced",
        };
        case.designs.retain(|design| design.name == name);
        Self { case }
    }

    /// Random runs, one for each of `seeds`.
    pub fn simulate(&self, strategy: Strategy, seeds: std::ops::Range<u64>, jobs: usize) -> Tally {
        let machines = compile_case(&self.case, &Rules::new()).expect("it names no rule of Rust");
        let orders = Orders { strategy, first: seeds.start, seeds: seeds.end - seeds.start, jobs };
        let (result, _) = run_case(Origin::default(), &self.case, &machines, orders, &Progress::default())
            .expect("it is deterministic");
        let tally = result.designs[0].tally.as_ref().expect("the design runs");
        let of = |verdict| tally.counts[verdict as usize];
        Tally { runs: tally.runs, duplicate: of(Verdict::Duplicate), lost: of(Verdict::Lost) }
    }

    /// Every reachable state.
    pub fn search(&self, jobs: usize) -> Counts {
        let machines = compile_case(&self.case, &Rules::new()).expect("it names no rule of Rust");
        let machine = machines[0].as_ref().expect("the design runs");
        let found = explore(machine, Limits { jobs, ..Limits::default() }, &Watched::default());
        Counts { states: found.states, transitions: found.transitions }
    }
}

impl From<Micro> for Scenario {
    fn from(micro: Micro) -> Self {
        Self::new(micro.events.into(), micro.crashes.into(), micro.policy)
    }
}

fn put(text: &str, old: &str, new: &str) -> String {
    assert_eq!(text.matches(old).count(), 1, "{old:?} stands once in the file");
    text.replace(old, new)
}

/// Random runs, each step uniform over what is enabled.
pub fn simulate(micro: Micro, seeds: std::ops::Range<u64>, jobs: usize) -> Tally {
    Scenario::from(micro).simulate(Strategy::Uniform, seeds, jobs)
}

/// Every reachable state, breadth first, with what a shortest counterexample takes.
pub fn search(micro: Micro, jobs: usize) -> Counts {
    Scenario::from(micro).search(jobs)
}
