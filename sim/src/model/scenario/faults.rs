//! What may go wrong, where, and how often.

use super::delay::Delay;
use crate::model::ratio::Ratio;

/// What may go wrong.
#[derive(Clone, PartialEq, Debug)]
pub struct Faults {
    /// The delivering process crashes.
    pub crash: Option<Crash>,
    /// A crash that cuts the source's live log to a prefix; the journal keeps what it held.
    pub truncation: Option<Strike>,
    /// A recoverer dies between two of its steps.
    pub recoverer_dies: Option<Strike>,
    /// The sink crashes: what it acknowledged and did not persist goes, and its volatile dedup memory.
    pub sink_crash: Option<Strike>,
    /// The durable cursor is harmed.
    pub cursor: Option<CursorFault>,
}

/// Crashes of the delivering process.
#[derive(Clone, PartialEq, Debug)]
pub struct Crash {
    /// At most so many in a run.
    pub times: u8,
    /// Where in the program it may strike.
    pub at: Window,
    /// In a timed run, how likely a run has a crash at all; the place is drawn uniformly over the steps.
    pub chance: Ratio,
    /// What happens to the process.
    pub kind: CrashKind,
    /// How long a process that only seemed to crash sleeps, in a timed run.
    pub pause: Delay,
    /// Whether it may strike after the run has ended (all sent, nothing in flight).
    pub after_end: bool,
}

/// What a crash does to the process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CrashKind {
    /// It is gone, and its memory with it.
    Kill,
    /// It only seems gone: it stays able to act on what it holds, the zombie.
    Pause,
}

/// Where in a program something may strike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Window {
    /// Before any step, and after the last.
    Anywhere,
    /// Directly before a step that holds an act of this name, such as `persist`.
    Before(String),
    /// Directly after a step that holds an act of this name, such as `send`.
    After(String),
}

/// A fault that strikes at most so often.
#[derive(Clone, PartialEq, Debug)]
pub struct Strike {
    /// At most so many in a run.
    pub times: u8,
    /// Where in the recoverer's program; `Anywhere` for the sink.
    pub at: Window,
    /// In a timed run, how likely it strikes at all.
    pub chance: Ratio,
}

/// What happens to the durable cursor while the process is down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CursorFault {
    /// What happens to it.
    pub kind: CursorFaultKind,
    /// In a timed run, how likely.
    pub chance: Ratio,
}

/// How a cursor fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CursorFaultKind {
    /// It is gone.
    Expires,
    /// It goes back by so many events: an older checkpoint, a restored backup.
    RollsBack(u32),
    /// It cannot be written.
    NotWritable,
}
