//! How far a search may go, how far it got, and who watches it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Stop when more distinct states than this were found.
    pub states: u64,
    /// Stop before the states, their tables and the successors that wait to be merged take more bytes than this.
    pub memory: u64,
    /// How many threads; at least one.
    pub jobs: usize,
}

/// The bytes that a search may take by default; the same on every machine, as its result is.
pub const MEMORY: u64 = 4 << 30;

impl Default for Limits {
    fn default() -> Limits {
        Limits { states: 100_000_000, memory: MEMORY, jobs: 1 }
    }
}

impl Limits {
    /// For a graph that is known to be small.
    pub(crate) const NONE: Limits = Limits { states: u64::MAX, memory: u64::MAX, jobs: 1 };

    /// At most this many states, on one thread.
    pub(crate) fn of_states(states: u64) -> Limits {
        Limits { states, ..Limits::default() }
    }
}

/// How a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Every state was visited.
    Complete,
    /// It found what it looked for.
    Found,
    /// It had to stop.
    Stopped(Stopped),
}

impl Ended {
    /// Whether every state was visited.
    pub fn is_complete(self) -> bool {
        self == Ended::Complete
    }
}

/// Why a search had to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// There are more states than the limit.
    States,
    /// There was no memory for more.
    Memory,
    /// The user asked it to stop.
    Interrupted,
}

/// Shared with the thread that shows how far a search is, and may stop it.
#[derive(Default, Debug)]
pub struct Watched {
    /// Distinct states so far.
    pub states: AtomicU64,
    /// Set to stop.
    pub stop: AtomicBool,
}

impl Watched {
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn note(&self, states: u64) {
        self.states.store(states, Ordering::Relaxed);
    }
}
