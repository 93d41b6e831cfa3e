//! What is expanded between two looks at the limits, and which thread expands which piece of it.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::seen;
use crate::engine::world::Words;

/// States that a thread expands before it asks for more.
const CHUNK: usize = 256;
/// Chunks that a thread expands before the successors are merged: few enough for these to stay in the cache.
const AT_ONCE: usize = 64;

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
        self.of <= shards || seen::part(seen::hash(words.get()), self.of) == self.at
    }
}

/// The states of a level that are expanded between two looks at the limits, in chunks.
pub(super) struct Round<'a> {
    /// The places of the level, by shard.
    pub(super) level: &'a [Range<usize>],
    pub(super) slice: Slice,
    chunks: usize,
    /// How many of them were expanded.
    done: usize,
    /// Successors so far.
    pub(super) successors: AtomicU64,
}

impl<'a> Round<'a> {
    pub(super) fn new(level: &'a [Range<usize>], slice: Slice, most: usize) -> Round<'a> {
        let states = level.iter().map(Range::len).sum::<usize>() / slice.of;
        let chunks = states.div_ceil((most / 8).clamp(1, CHUNK)).max(1);
        Round { level, slice, chunks, done: 0, successors: AtomicU64::new(0) }
    }

    /// The next chunks, for so many threads; none where all were expanded.
    pub(super) fn next_work(&mut self, threads: usize) -> Option<Work> {
        let chunks = self.done..self.chunks.min(self.done + AT_ONCE * threads);
        self.done = chunks.end;
        (!chunks.is_empty()).then(|| Work::new(chunks, threads))
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

/// Chunks that are expanded before their successors are merged.
pub(super) struct Work {
    /// Those that no thread has taken yet, a run of them for each thread: neighbours stay with one thread, which drops
    /// what they have in common, and come out side by side.
    left: Vec<(AtomicUsize, usize)>,
}

impl Work {
    fn new(chunks: Range<usize>, threads: usize) -> Work {
        let threads = threads.clamp(1, chunks.len());
        let cut = |thread: usize| chunks.start + chunks.len() * thread / threads;
        let left = (0..threads).map(|thread| (AtomicUsize::new(cut(thread)), cut(thread + 1)));
        Work { left: left.collect() }
    }

    /// How many threads it is for.
    pub(super) fn threads(&self) -> usize {
        self.left.len()
    }

    /// A chunk for this thread alone: of this thread's own, or else of what another has not come to.
    pub(super) fn take(&self, thread: usize) -> Option<usize> {
        let (others, own) = self.left.split_at(thread);
        own.iter().chain(others).find_map(|(next, end)| {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            (chunk < *end).then_some(chunk)
        })
    }
}
