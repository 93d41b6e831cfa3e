//! The one place where the size of a machine's state becomes a type. What runs for each state or step is compiled for
//! each of these sizes, so there are as few as speed allows.

use super::machine::Machine;
use super::world::Words;

/// Work on states of whatever size.
pub(crate) trait BySize {
    /// What comes of it.
    type Output;

    /// Does it on states of this size.
    fn run<W: Words + 'static>(self) -> Self::Output;
}

/// Does some work on states of the size that a machine needs.
pub(crate) fn by_size<T: BySize>(machine: &Machine, work: T) -> T::Output {
    match machine.words() {
        0 | 1 => work.run::<[u64; 1]>(),
        2 => work.run::<[u64; 2]>(),
        3 | 4 => work.run::<[u64; 4]>(),
        _ => work.run::<Vec<u64>>(),
    }
}
