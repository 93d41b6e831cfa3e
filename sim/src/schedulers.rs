//! Who decides what happens next: a script, a seed under a clock, a seed without one, or a place for one crash. All
//! of them choose among what [`crate::engine::machine::Machine`] offers and change the world through its one mutator.

mod costs;
mod pct;
mod placement;
mod record;
pub mod schedule;
mod script;
mod swarm;
mod timed;
mod uniform;
mod walked;

use crate::analysis::campaign::Tally;
use crate::engine::machine::Machine;
use crate::engine::rules::Judgement;
use crate::engine::watch::Watch;
use crate::engine::world::{Words, World};
use crate::model::action::Action;
use crate::model::ids::Tick;
use crate::model::scenario::When;

pub use costs::Costs;
pub use pct::Pct;
pub use placement::{crash_places, run_with_crash_at, tally_crash_places};
pub use record::{record_seed, record_with};
pub use script::{
    Script, check_line, end_of_batch, end_of_script, follow_script, recovered_with, run_script, tally_script,
};
pub use swarm::Swarm;
pub use timed::Timed;
pub use uniform::Uniform;
pub use walked::Walked;

/// Chooses the next action. The world is clockless; a driver that keeps a clock says what time it is.
pub trait Driver {
    /// The next action, which is enabled, or none where the run is over.
    fn next<W: Words>(&mut self, machine: &Machine, world: &World<W>) -> Option<Action>;

    /// The virtual time of the action that was given last.
    fn now(&self) -> Option<Tick> {
        None
    }

    /// Applies an action; a driver that schedules what follows from it listens here.
    fn apply<W: Words, O: Watch>(
        &mut self,
        machine: &Machine,
        world: &mut World<W>,
        action: Action,
        watch: &mut O,
    ) {
        machine.apply(world, action, watch);
    }
}

/// How a run is driven from a seed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strategy {
    /// A discrete-event clock: latencies, rates, outages and fault times from the seed.
    #[default]
    Timed,
    /// Uniform over the enabled actions, step by step.
    Uniform,
    /// Priorities with so many change points.
    Pct(u8),
    /// Uniform, but each seed draws which of the named faults can strike at all.
    Swarm,
}

/// The name on the command line and in reports, which reads back.
impl std::fmt::Display for Strategy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Strategy::Timed => f.write_str("timed"),
            Strategy::Uniform => f.write_str("uniform"),
            Strategy::Pct(changes) => write!(f, "pct:{changes}"),
            Strategy::Swarm => f.write_str("swarm"),
        }
    }
}

impl std::str::FromStr for Strategy {
    type Err = String;

    fn from_str(text: &str) -> Result<Strategy, String> {
        match text.split_once(':') {
            None if text == "timed" => Ok(Strategy::Timed),
            None if text == "uniform" => Ok(Strategy::Uniform),
            None if text == "swarm" => Ok(Strategy::Swarm),
            None if text == "pct" => Err("pct needs its number of change points: write pct:3".to_owned()),
            Some(("pct", changes)) => changes.parse().map(Strategy::Pct).map_err(|_| {
                format!("`{changes}` is no number of change points; write one up to 255, as in pct:3")
            }),
            _ => Err(format!("there is no strategy `{text}`; there are timed, uniform, pct:3 and swarm")),
        }
    }
}

/// A run may take this many steps, and some for each event; one that takes more is unfinished. A stage whose bounds
/// are finite never gets there.
pub(crate) fn step_limit(machine: &Machine) -> u64 {
    100_000 + 1_000 * u64::from(machine.events())
}

/// Runs from the start to the end, and judges.
pub fn run<W: Words, D: Driver, O: Watch>(
    machine: &Machine,
    world: &mut World<W>,
    driver: &mut D,
    watch: &mut O,
) -> Judgement {
    machine.reset(world);
    run_from(machine, world, driver, watch, step_limit(machine))
}

/// Runs from a state on, at most so many steps, and judges.
#[inline]
fn run_from<W: Words, D: Driver, O: Watch>(
    machine: &Machine,
    world: &mut World<W>,
    driver: &mut D,
    watch: &mut O,
    most: u64,
) -> Judgement {
    let early = machine.stage.judge.when == When::Recovered;
    let mut recovered = None;
    for _ in 0..most {
        let Some(action) = driver.next(machine, world) else { break };
        watch.about_to(action, driver.now());
        driver.apply(machine, world, action, watch);
        if early && recovered.is_none() {
            recovered = machine.judge_recovered(world);
        }
    }
    Judgement::of_run(recovered, machine.judge(world, When::Quiescent))
}

/// Runs once and counts the run, under a number that stands for its seed.
fn count<D: Driver>(machine: &Machine, seed: u64, driver: &mut D, tally: &mut Tally) {
    let mut world: World<Vec<u64>> = machine.start();
    let mut costs = Costs::new(machine.events());
    let judgement = run(machine, &mut world, driver, &mut costs);
    costs.add_to(tally);
    tally.count_run(seed, judgement);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strategy_reads_back_what_it_shows() {
        for strategy in
            [Strategy::Timed, Strategy::Uniform, Strategy::Pct(0), Strategy::Pct(255), Strategy::Swarm]
        {
            assert_eq!(strategy.to_string().parse(), Ok(strategy));
        }
    }

    #[test]
    fn what_is_no_strategy_says_what_to_write() {
        for text in ["", "pct", "pct:", "pct:256", "pct:x", "swarm:2", "Timed", "random"] {
            let why = text.parse::<Strategy>().expect_err(text);
            assert!(why.contains("pct:3"), "{text}: {why}");
        }
    }
}
