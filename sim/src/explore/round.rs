//! What is expanded before somebody looks whether a limit was hit, and who expands which piece of it.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::shard;
use crate::world::Words;

/// States that a thread expands before it asks for more.
const CHUNK: usize = 256;

/// One of several equal parts of all states, told by their hash: where a state stands in its shard depends on the
/// threads, its hash does not.
#[derive(Clone, Copy)]
pub(super) struct Slice {
    /// How many parts there are; as the shards, a power of two.
    pub(super) of: usize,
    pub(super) at: usize,
}

impl Slice {
    /// The shards that it has states in.
    fn shards(self, count: usize) -> Range<usize> {
        let first = self.at * count / self.of;
        first..((self.at + 1) * count / self.of).max(first + 1)
    }

    /// Whether a state of these shards is in it.
    pub(super) fn holds<W: Words>(self, words: &W, shards: usize) -> bool {
        self.of <= shards || shard::part(shard::hash(words.get()), self.of) == self.at
    }
}

/// The states of a level that are expanded before somebody looks whether a limit was hit, in chunks for whichever
/// thread is free.
pub(super) struct Round<'a> {
    /// The places of the level, by shard.
    pub(super) level: &'a [Range<usize>],
    pub(super) slice: Slice,
    pub(super) chunks: usize,
    /// The next chunk that nobody took.
    pub(super) next: AtomicUsize,
    /// Successors so far.
    pub(super) successors: AtomicU64,
}

impl Round<'_> {
    pub(super) fn new(level: &[Range<usize>], slice: Slice, most: usize) -> Round<'_> {
        let states = level.iter().map(Range::len).sum::<usize>() / slice.of;
        let chunks = states.div_ceil((most / 8).clamp(1, CHUNK)).max(1);
        Round { level, slice, chunks, next: AtomicUsize::new(0), successors: AtomicU64::new(0) }
    }

    pub(super) fn is_over(&self) -> bool {
        self.next.load(Ordering::Relaxed) >= self.chunks
    }

    /// A chunk below `upto` that nobody else has.
    pub(super) fn take(&self, upto: usize) -> Option<usize> {
        self.next
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| (next < upto).then_some(next + 1))
            .ok()
    }

    /// The places of a chunk: a piece of every shard. States that were found side by side have successors in common, and
    /// are expanded side by side.
    pub(super) fn pieces(&self, chunk: usize) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        self.slice.shards(self.level.len()).map(move |shard| {
            let (from, len) = (self.level[shard].start, self.level[shard].len());
            (shard, from + len * chunk / self.chunks..from + len * (chunk + 1) / self.chunks)
        })
    }
}
