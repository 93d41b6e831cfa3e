//! What is committed: events, the order of their commits, and the log and cursor that tell of them.

use super::delay::{Delay, Span};
use crate::model::ids::{Coordinate, Key};
use crate::model::words::words;

/// The source and its events.
#[derive(Clone, PartialEq, Debug)]
pub struct Source {
    /// Every event that may be committed, in commit order. The payload universe.
    pub events: Vec<Event>,
    /// Names of the keys.
    pub keys: Vec<String>,
    /// What source and sink hold of each key before any event (the base map b).
    pub base: Vec<Option<i64>>,
    /// Which keys are owed (K); by default all.
    pub scope: Vec<bool>,
    /// Which of them are committed.
    pub commits: Commits,
    /// What the durable cursor is.
    pub cursor: CursorIs,
    /// The last coordinate of the run (fin): no recovery acts on a frontier past it.
    pub fin: Coordinate,
    /// How long until the next event is ready, in a timed run.
    pub every: Delay,
    /// How long one act of a program takes, in a timed run.
    pub act: Delay,
    /// Spans of a timed run in which the source commits nothing and cannot be read.
    pub outages: Vec<Span>,
    /// The entries that the source may drop from its log during an outage (the floor rises over them), or none.
    pub retention: Option<Retention>,
}

/// What had happened before the run: the first events are committed, and of those the first are delivered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Beginning {
    /// So many events are committed.
    pub committed: u32,
    /// So many of them are on the record, and in the sink's contents.
    pub delivered: u32,
    /// Whether the delivering process has crashed, and nobody healed.
    pub crashed: bool,
}

/// One event of the source: an insert, update or delete of a key at a coordinate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// How reports call the payload, such as `order-1`; printable, short, unique within the scenario.
    pub label: String,
    /// Where it stands in the source's order; not descending along the list.
    pub coordinate: Coordinate,
    /// What it does to its key.
    pub kind: EventKind,
    /// The key it sets.
    pub key: Key,
    /// The value it sets, or none for a delete.
    pub value: Option<i64>,
}

/// What an event does to its key. An insert and an update that set the same are two different payloads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EventKind {
    /// It adds the key.
    Insert,
    /// It changes the key.
    Update,
    /// It removes the key.
    Delete,
}

words! {
    /// In which status of the delivering process retention may drop entries.
    RetentionWhile {
        /// In any: a log is also purged past a relay that merely lags.
        Any = "any",
        /// While it runs.
        Running = "running",
        /// While it is down, from the crash to the resume.
        Down = "down",
    }

    /// Which events are committed, out of those that a file lists.
    Commits {
        /// All of them, in order.
        All = "all",
        /// Any that the schedule picks, in order; the others are passed over. A timed run commits all.
        Any = "any",
    }

    /// What a cursor points with.
    CursorIs {
        /// A count of events in commit order.
        Count = "count",
        /// A coordinate: what becomes visible at or below it afterwards is never fetched.
        Coordinate = "coordinate",
    }
}

/// The floor may rise over the oldest entries of the live log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retention {
    /// The floor rises to this many dropped entries, at most.
    pub drops: u32,
    /// In which status of the delivering process it may rise.
    pub during: RetentionWhile,
    /// When, in a timed run: this many ticks after the entry was committed, or, while only `down`, after the crash.
    pub after: u64,
}
