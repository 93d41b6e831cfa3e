//! Who recovers, when, and from where.

use super::delay::Delay;
use crate::model::ids::Coordinate;
use crate::model::words::words;

/// Who recovers, and when.
#[derive(Clone, PartialEq, Debug)]
pub struct Recovery {
    /// How long after a crash a recoverer starts, in a timed run.
    pub detect: Delay,
    /// At most so many recoverers alive at once; a second one is a false suspicion or a lapsed lease.
    pub recoverers: u8,
    /// At most so many recoverers started after one crash.
    pub attempts: u16,
    /// When a second recoverer starts although the first still lives, in a timed run: so many ticks after it.
    pub lease: Option<u64>,
    /// How long one act of a recoverer takes, in a timed run.
    pub act: Delay,
    /// Whether the start of a recoverer is a step of its own or fused with its first step.
    pub start: Start,
    /// The frontier at which recovery acts.
    pub frontier: Frontier,
    /// Whether the contents can be healed once for each crash (the paper's setting) or freely.
    pub heal: Heal,
    /// Where recovery starts when the cursor is gone or points below the floor.
    pub reset: CursorReset,
    /// Whether `resume` and `start` bump the generation. Where not, a fence cannot tell incarnations apart.
    pub bumps_generation: bool,
}

words! {
    /// Whether starting a recoverer is a step.
    Start {
        /// A labelled step.
        Step = "step",
        /// Fused with the recoverer's first step.
        Fused = "fused",
    }
}

/// A frontier: up to which coordinate obligations count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frontier {
    /// Everything that is committed when it is asked.
    Last,
    /// Up to this coordinate.
    At(Coordinate),
}

words! {
    /// How often the contents can be healed.
    Heal {
        /// Once for each crash; a second heal is not enabled.
        Once = "once",
        /// By every recoverer.
        Free = "free",
    }

    /// Where to start when the cursor points nowhere.
    CursorReset {
        /// At the first event ever.
        Earliest = "earliest",
        /// After the last event.
        Latest = "latest",
        /// At the oldest that retention kept.
        OldestRetained = "oldest_retained",
        /// Nowhere: stop and say so.
        Fail = "fail",
    }
}
