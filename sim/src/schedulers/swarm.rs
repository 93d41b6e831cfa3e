//! `swarm`: each seed draws its own subset of the named faults and is uniform over what is left. Where many faults
//! are possible, uniform runs have a little of each; a run without most of them shows what one alone can do.

use crate::engine::machine::{Machine, Section};
use crate::engine::rng::{Draw, Stream, Subsystem};
use crate::engine::world::{Words, World};
use crate::model::action::Action;
use crate::schedulers::Driver;

/// Uniform over the enabled actions that are no faults and the faults that this seed has.
pub struct Swarm {
    draws: Stream,
    /// One bit for each [`Section`] that may strike.
    strikes: u32,
}

impl Swarm {
    /// The run of a seed. Whether a fault is in is the toss of a fair coin.
    pub fn new(machine: &Machine, choices: &Subsystem, seed: u64) -> Swarm {
        let mut draws = choices.stream(seed);
        let faults = machine.sections.iter().filter(|s| **s >= Section::Lose);
        let strikes = faults.fold(0, |strikes, fault| strikes | draws.below(2) << *fault as u32);
        Swarm { draws, strikes }
    }

    /// The subsystem whose draws decide.
    pub fn subsystem() -> Subsystem {
        Subsystem::new("swarm.choice")
    }
}

impl Driver for Swarm {
    #[inline]
    fn next<W: Words>(&mut self, machine: &Machine, world: &World<W>) -> Option<Action> {
        let strikes = self.strikes;
        let may_strike = |fault: Section| strikes >> fault as u32 & 1 == 1;
        machine.choose_among(world, may_strike, |n| self.draws.below(n))
    }
}
