//! `uniform`: one stream of draws for each run, and each step uniform over what is enabled.

use crate::engine::machine::Machine;
use crate::engine::rng::{Draw, Stream, Subsystem};
use crate::engine::world::{Words, World};
use crate::model::action::Action;
use crate::schedulers::Driver;

/// Uniform over the enabled actions until nothing but faults is enabled.
pub struct Uniform {
    draws: Stream,
}

impl Uniform {
    /// The run of a seed.
    #[inline]
    pub fn new(choices: &Subsystem, seed: u64) -> Uniform {
        Uniform { draws: choices.stream(seed) }
    }

    /// One of the numbers below `n`, all equally likely.
    #[inline]
    pub(super) fn below(&mut self, n: u32) -> u32 {
        self.draws.below(n)
    }

    /// The subsystem whose draws decide.
    pub fn subsystem() -> Subsystem {
        Subsystem::new("uniform.choice")
    }
}

impl Driver for Uniform {
    #[inline]
    fn next<W: Words>(&mut self, machine: &Machine, world: &World<W>) -> Option<Action> {
        machine.choose(world, |n| self.below(n))
    }
}
