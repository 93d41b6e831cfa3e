//! `swarm`: each seed draws its own subset of the named faults and is uniform over what is left. Where many faults
//! are possible, uniform runs have a little of each; a run without most of them shows what one alone can do.

use crate::engine::machine::Machine;
use crate::engine::rng::{Draw, Stream, Subsystem};
use crate::engine::world::{Words, World};
use crate::model::action::{Action, Section};
use crate::model::scenario::Fault;
use crate::schedulers::Driver;

/// Uniform over the enabled actions that are no faults and the faults that this seed has.
pub struct Swarm {
    draws: Stream,
    /// One bit for each [`Fault`] that may strike.
    strikes: u32,
}

impl Swarm {
    /// The run of a seed. Whether a fault is in is the toss of a fair coin.
    pub fn new(machine: &Machine, choices: &Subsystem, seed: u64) -> Swarm {
        let mut draws = choices.stream(seed);
        let faults = machine.sections.iter().filter_map(fault_of);
        let strikes = faults.fold(0, |strikes, fault| strikes | draws.below(2) << fault as u32);
        Swarm { draws, strikes }
    }

    /// The subsystem whose draws decide.
    pub fn subsystem() -> Subsystem {
        Subsystem::new("swarm.choice")
    }
}

fn fault_of(section: &Section) -> Option<Fault> {
    if let Section::Fault(fault) = section { Some(*fault) } else { None }
}

impl Driver for Swarm {
    #[inline]
    fn next<W: Words>(&mut self, machine: &Machine, world: &World<W>) -> Option<Action> {
        let strikes = self.strikes;
        let may_strike = |section: Section| match section {
            // Whether it wakes is drawn step by step.
            Section::Paused => true,
            section => fault_of(&section).is_some_and(|fault| strikes >> fault as u32 & 1 == 1),
        };
        machine.choose_among(world, may_strike, |n| self.draws.below(n))
    }
}
