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
