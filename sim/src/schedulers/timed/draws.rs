//! What a timed run draws: delays and chances by an identity, and where a fault strikes.

use crate::engine::faults::AFTER_CRASH;
use crate::engine::rng::{Draw, Subsystem};
use crate::model::ratio::Ratio;
use crate::model::scenario::Delay;

/// The documented subsystems that a timed run draws from.
#[derive(Clone)]
pub(super) struct Subsystems {
    pub arrivals: Subsystem,
    pub acts: Subsystem,
    pub latency: Subsystem,
    pub loss: Subsystem,
    pub straggler: Subsystem,
    pub copies: Subsystem,
    pub reply: Subsystem,
    pub reply_loss: Subsystem,
    pub crash: Subsystem,
    pub truncation: Subsystem,
    pub death: Subsystem,
    pub sink: Subsystem,
    /// By the faults of [`AFTER_CRASH`].
    pub after_crash: [Subsystem; AFTER_CRASH.len()],
    pub detect: Subsystem,
    pub wakes: Subsystem,
    pub choice: Subsystem,
    pub flush: Subsystem,
    pub stop: Subsystem,
}

impl Subsystems {
    pub(super) fn new() -> Subsystems {
        Subsystems {
            arrivals: Subsystem::new("source.arrivals"),
            acts: Subsystem::new("program.acts"),
            latency: Subsystem::new("wire.latency"),
            loss: Subsystem::new("wire.loss"),
            straggler: Subsystem::new("wire.straggler"),
            copies: Subsystem::new("wire.copies"),
            reply: Subsystem::new("reply.latency"),
            reply_loss: Subsystem::new("reply.loss"),
            crash: Subsystem::new("fault.crash"),
            truncation: Subsystem::new("fault.truncation"),
            death: Subsystem::new("fault.recoverer-dies"),
            sink: Subsystem::new("fault.sink-crash"),
            after_crash: AFTER_CRASH.map(|(_, stream)| Subsystem::new(stream)),
            detect: Subsystem::new("recovery.detect"),
            wakes: Subsystem::new("fault.crash.wakes"),
            choice: Subsystem::new("recovery.choice"),
            flush: Subsystem::new("sink.flush"),
            stop: Subsystem::new("fault.stop-while-waiting"),
        }
    }
}

/// A fault that strikes at one of so many places, drawn before the run, over the places and not over time.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Strike {
    /// Strike at this place, counted from 0 over the places seen so far; none where it does not strike (again).
    pub at: Option<u32>,
    pub seen: u32,
    /// How often it struck, which indexes the draw.
    pub struck: u32,
}

/// A place at which a fault could strike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// One of several.
    Step,
    /// The last that there is: a fault whose place lies further on strikes here.
    Last,
}

impl Strike {
    /// Whether this place is the one; counts it.
    #[inline]
    pub(super) fn is_here(&mut self, place: Place) -> bool {
        let here = self.would_be_here(place);
        self.seen += 1;
        self.struck += u32::from(here);
        here
    }

    /// Whether the place that comes next is the one.
    #[inline]
    pub(super) fn would_be_here(&self, place: Place) -> bool {
        match place {
            Place::Step => self.at == Some(self.seen),
            Place::Last => self.at.is_some_and(|at| at >= self.seen),
        }
    }

    /// Counts the place that comes next, where the fault strikes before it.
    pub(super) fn strikes(&mut self) {
        self.seen += 1;
        self.struck += 1;
    }
}

impl Subsystem {
    /// A delay, drawn by an identity; a constant one draws nothing.
    #[inline]
    pub(super) fn draw(&self, delay: Delay, seed: u64, identity: [u32; 3]) -> u64 {
        match delay {
            Delay::Constant(ticks) => ticks,
            drawn => self.of(seed, identity).delay(drawn),
        }
    }

    /// The place of the next strike, uniform over `places`, or none by chance.
    #[inline]
    pub(super) fn strike(&self, seed: u64, struck: u32, chance: Ratio, places: u32) -> Strike {
        if chance == Ratio::NEVER {
            return Strike { at: None, seen: 0, struck };
        }
        let mut draws = self.of(seed, [struck, 0, 0]);
        let at = (places > 0 && draws.chance(chance)).then(|| draws.below(places));
        Strike { at, seen: 0, struck }
    }
}
