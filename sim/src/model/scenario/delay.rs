//! Times of a timed run: spans, and how long something takes.

/// A span of virtual time: from its start, inclusive, to its end, exclusive, in ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// First tick.
    pub from: u64,
    /// First tick after it.
    pub to: u64,
}

/// A time to wait, in ticks of a timed run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Delay {
    /// Always the same.
    Constant(u64),
    /// Every whole tick between the two, both included, is equally likely.
    Uniform(u64, u64),
    /// Memoryless with this mean, from a table: no float decides anything.
    Exponential(u64),
}
