//! Who decides what happens next: a script, a seed under a clock, a seed without one, or a place for one crash. All
//! of them choose among what [`crate::engine::machine::Machine`] offers and change the world through its `apply`.

mod costs;
mod pct;
mod placement;
mod record;
pub mod schedule;
mod script;
mod step_cache;
mod swarm;
mod timed;
mod uniform;

use crate::engine::machine::Machine;
use crate::engine::rules::Judgement;
use crate::engine::watch::Watch;
use crate::engine::world::{Words, World};
use crate::model::action::Action;
use crate::model::ids::Tick;
use crate::model::scenario::When;

pub use costs::Costs;
pub use pct::Pct;
pub use placement::{crash_at_every_place, crash_places};
pub use record::{record_seed, record_with, run_with_crash_at};
pub use script::{
    Script, check_lines, end_of_batch, end_of_script, follow_script, judge_script, recovered_with, run_script,
};
pub use step_cache::StepCache;
pub use swarm::Swarm;
pub use timed::Timed;
pub use uniform::Uniform;

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

/// Runs once from the start: what came of it, and what it cost.
fn run_once<D: Driver>(machine: &Machine, driver: &mut D) -> (Judgement, Costs) {
    let mut world: World<Vec<u64>> = machine.start();
    let mut costs = Costs::new(machine.events());
    let judgement = run(machine, &mut world, driver, &mut costs);
    (judgement, costs)
}
