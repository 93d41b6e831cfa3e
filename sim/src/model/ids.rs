//! The numbers of the model, each a type of its own: a coordinate is not a generation, and neither is a time.

use std::fmt;

/// A source coordinate: where a payload stands in the source's own order. Frontiers are coordinates too; never a
/// time, an offset of the sink or a sequence number of the wire (§2 of the paper).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Coordinate(pub u32);

/// A recovery incarnation, γ in the paper: 0 before the first recovery. Known elsewhere as epoch, term, incarnation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Generation(pub u16);

/// A key whose value the events of the source set; index into [`crate::model::scenario::Source::keys`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Key(pub u32);

/// A payload: one event of the source at its coordinate; index into [`crate::model::scenario::Source::events`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Payload(pub u32);

/// A place in the incarnation table. The producer stands at [`Slot::PRODUCER`], a relay at [`Slot::RELAY`], then
/// the recoverers, then incarnations that were suspected while merely paused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Slot(pub u8);

/// Virtual time of a random `timed` run, in microseconds since the start of the run. The world has no clock: only
/// that driver knows ticks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Tick(pub u64);

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "g{}", self.0)
    }
}

/// A message: a payload sent by a generation. Two emissions that are equal here are interchangeable for everything
/// that can still happen, so they share one label.
///
/// The paper stamps an emission with the length of the journal at the send. Since the journal only grows, what the
/// stamp decides is fixed at that moment: whether the payload was among the first `stamp` entries. That one bit is
/// kept, the number is not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Emission {
    /// What is sent.
    pub payload: Payload,
    /// Under which generation, which is all that a fence sees.
    pub generation: Generation,
    /// Whether the journal held the payload when it was sent.
    pub justified: bool,
    /// Which process sent it, and in which attempt, where the sink can tell these apart, as one number: processes in
    /// the order of their starts, each with all of its attempts. Else 0.
    pub sender: u8,
}

/// What an action happens to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The world as a whole, or the one thing of its kind.
    None,
    /// An incarnation.
    Slot(Slot),
    /// A payload.
    Payload(Payload),
    /// A message.
    Message(Emission),
    /// A number of entries.
    Entries(u32),
}

impl Target {
    /// The target in the lower bits of an action's code.
    pub fn code(self) -> u64 {
        match self {
            Target::None => 0,
            Target::Slot(slot) => u64::from(slot.0),
            Target::Payload(p) => u64::from(p.0),
            Target::Message(e) => {
                u64::from(e.sender & 0x7f) << 49
                    | u64::from(e.sender >> 7) << 47
                    | u64::from(e.justified) << 48
                    | u64::from(e.generation.0) << 32
                    | u64::from(e.payload.0)
            }
            Target::Entries(n) => u64::from(n),
        }
    }
}
