//! What lies between sender and sink: how long messages travel, and what may become of them.

use super::delay::{Delay, Span};
use crate::model::ratio::Ratio;

/// What lies between sender and sink.
#[derive(Clone, PartialEq, Debug)]
pub struct Wire {
    /// How long a message travels, in a timed run. Any order is possible in the other drivers.
    pub latency: Delay,
    /// Whether a send lands on the sink at once, so that there is nothing in flight: the machines of §2 to §5 and §7.
    pub instant: bool,
    /// Whether messages may overtake each other. Where not, a message arrives only when none sent before it is
    /// still in flight.
    pub reorders: bool,
    /// A message may be lost.
    pub loss: Option<Chance>,
    /// A message may take much longer, in a timed run.
    pub straggler: Option<Straggler>,
    /// The transport may deliver a second copy: same generation, same bytes.
    pub copies: Option<Chance>,
    /// Whether what is in flight outlives a crash of the sender. It does in reality; `false` is a control.
    pub survives_crash: bool,
    /// The reply path, where the sender waits for one.
    pub reply: Reply,
    /// At most so many requests in flight at once; 0 means no limit.
    pub at_once: u32,
    /// Spans of a timed run in which nothing arrives; what would have arrives at their end.
    pub outages: Vec<Span>,
}

/// The sink's replies to the sender.
#[derive(Clone, PartialEq, Debug)]
pub struct Reply {
    /// How long a reply travels, in a timed run.
    pub latency: Delay,
    /// A reply may be lost.
    pub loss: Option<Chance>,
}

/// A fault with a chance (in timed runs) and a bound (in every driver).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chance {
    /// How likely, each time it could strike, in a timed run.
    pub chance: Ratio,
    /// At most so often in a run; none means without bound.
    pub times: Option<u32>,
}

/// A message that takes much longer than the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Straggler {
    /// How likely.
    pub chance: Ratio,
    /// How much longer.
    pub delay: Delay,
}
