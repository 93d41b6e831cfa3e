//! Level by level, on several threads.
//!
//! States are kept exactly, packed as the world packs them. A level is expanded in parallel into buckets by hash, one
//! for each shard, then each bucket is merged into its shard; what is found does not depend on the number of threads.
//! Predecessors are not stored: since the levels are kept, a path is found again from its end, level by level.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::round::{Round, Slice, Work};
use super::seen::{self, Seen, Shards};
use crate::engine::machine::Machine;
use crate::engine::rules::Successors;
use crate::engine::world::{Words, World};
use crate::search::limits::{Ended, Limits, Stopped, Watched};
use crate::search::threads::in_parallel;

/// What a search does with each state. It is asked by several threads at once and about each state once; its notes are
/// merged afterwards, in any order.
pub(crate) trait Visitor<W: Words>: Sync {
    /// What is written down about the states.
    type Notes: Clone + Send + Sync;

    /// Nothing yet.
    fn no_notes(&self) -> Self::Notes;

    /// Adds the states that come after one of this depth, and notes what there is to note. `known` holds the notes of
    /// all threads, but for what was found since the last merge.
    fn visit(
        &self,
        w: &World<W>,
        depth: usize,
        known: &Self::Notes,
        successors: &mut Successors<W>,
        notes: &mut Self::Notes,
    );

    /// Adds the notes of a thread to those of all.
    fn merge(&self, known: &mut Self::Notes, notes: &Self::Notes);

    /// Whether the levels so far were enough.
    fn is_enough(&self, _known: &Self::Notes) -> bool {
        false
    }
}

/// What a search found.
pub(crate) struct Levels<W, N> {
    pub states: Shards<W>,
    pub transitions: u64,
    /// The number of steps to the state that is farthest from the start.
    pub depth: usize,
    pub ended: Ended,
    pub notes: N,
}

/// Visits every state that can be reached from the first ones.
pub(crate) fn visit_levels<W: Words, V: Visitor<W>>(
    machine: &Machine,
    first: impl IntoIterator<Item = World<W>>,
    limits: Limits,
    watched: &Watched,
    visitor: &V,
) -> Levels<W, V::Notes> {
    let mut search = Search::new(machine, limits, watched, visitor);
    first.into_iter().for_each(|w| search.levels.states.insert_one(w.into_words()));
    search.run();
    search.levels
}

struct Search<'a, W, V: Visitor<W>>
where
    W: Words,
{
    machine: &'a Machine,
    limits: Limits,
    watched: &'a Watched,
    visitor: &'a V,
    levels: Levels<W, V::Notes>,
    /// The bytes of one state.
    bytes: u64,
    /// The most successors of one state so far.
    widest: usize,
    /// Buffers that were merged, by thread: memory that was touched before is cheaper than new memory, and a thread has
    /// in its cache what it touched last.
    spare: Vec<Mutex<Option<Buckets<W>>>>,
}

/// The successors that one thread found while it expanded states of one level.
struct Buckets<W> {
    /// By shard.
    buckets: Vec<Vec<W>>,
    /// By hash, the successor that came last: most states are reached from several states of one level, and one that
    /// was just added need not be looked for among all that are known.
    latest: Vec<W>,
    transitions: u64,
    /// The most successors of one state.
    widest: usize,
    /// Whether there was no room for all successors.
    full: bool,
}

/// What a thread gives back: successors to merge, and notes.
type Expanded<W, N> = (Buckets<W>, N);

/// More shards than this cost each thread more than they give.
const MOST_SHARDS: u64 = 256;
/// Successors that a thread remembers at first, and the bytes of the most that it comes to remember; they fit the cache.
const LATEST: usize = 1 << 10;
const LATEST_BYTES: u64 = 1 << 19;
/// States of a level that are expanded between two looks at the limits. Fewer, where their successors would take too
/// much.
const ROUND: usize = 1 << 20;
/// The part of the memory that successors may take before they are merged. Half of it is planned for, since a state
/// may have more of them than any had before.
const IN_FLIGHT: u64 = 8;
/// Successors that are worth a merge by several threads.
const WORTH_THREADS: usize = 1 << 14;

impl<'a, W: Words, V: Visitor<W>> Search<'a, W, V> {
    fn new(machine: &'a Machine, limits: Limits, watched: &'a Watched, visitor: &'a V) -> Search<'a, W, V> {
        let bytes = seen::bytes(machine.start::<W>().words());
        // A shard for each thread to merge into; more where one could hold more states than a slot can name.
        let most = limits.states.min(limits.memory / bytes);
        let shards = (limits.jobs as u64).max(most / seen::MOST).clamp(1, MOST_SHARDS).next_power_of_two();
        Search {
            machine,
            limits,
            watched,
            visitor,
            levels: Levels {
                states: Shards::new(shards as usize),
                transitions: 0,
                depth: 0,
                ended: Ended::Complete,
                notes: visitor.no_notes(),
            },
            bytes,
            widest: 1,
            spare: (0..limits.jobs.max(1)).map(|_| Mutex::default()).collect(),
        }
    }

    /// Expands level after level, until one is empty.
    fn run(&mut self) {
        let mut depth = 0;
        while self.levels.states.close_level() > 0 {
            self.levels.depth = depth;
            if let Err(stopped) = self.expand_level(depth) {
                self.levels.ended = Ended::Stopped(stopped);
                return;
            }
            if self.visitor.is_enough(&self.levels.notes) {
                self.levels.ended = Ended::Found;
                return;
            }
            depth += 1;
        }
    }

    /// Expands the newest level.
    fn expand_level(&mut self, depth: usize) -> Result<(), Stopped> {
        let level = self.levels.states.newest_level();
        let states: usize = level.iter().map(Range::len).sum();
        let rounds = states.div_ceil(self.round()).next_power_of_two();
        for at in 0..rounds {
            let mut round = Round::new(&level, Slice { of: rounds, at }, self.round());
            let before = (self.levels.states.lens(), self.levels.transitions, self.levels.notes.clone());
            while let Some(work) = round.next_work(self.limits.jobs) {
                let expanded = self.expand(&round, &work, depth);
                if expanded.iter().any(|(buckets, _)| buckets.full) {
                    // How much of the round was merged depends on the threads; what is reported does not.
                    self.levels.states.truncate(&before.0);
                    (self.levels.transitions, self.levels.notes) = (before.1, before.2);
                    return Err(Stopped::Memory);
                }
                self.merge(expanded);
                if self.watched.is_stopped() {
                    return Err(Stopped::Interrupted);
                }
            }
            self.watched.note(self.levels.states.len());
            if self.levels.states.memory() > self.limits.memory - self.limits.memory / IN_FLIGHT * 2 {
                return Err(Stopped::Memory);
            }
            if self.levels.states.len() > self.limits.states {
                return Err(Stopped::States);
            }
        }
        Ok(())
    }

    /// How many successors may wait to be merged. An array that grows may take twice what is in it.
    fn most_in_flight(&self) -> u64 {
        self.limits.memory / IN_FLIGHT / (2 * self.bytes)
    }

    /// How many states are expanded between two looks at the limits. It does not depend on the threads, so that neither
    /// does what was covered when a limit was hit.
    fn round(&self) -> usize {
        (self.most_in_flight() as usize / (2 * self.widest)).clamp(1, ROUND)
    }

    /// The successors of the next states of a round, and what the visitor notes of them.
    fn expand(&self, round: &Round<'_>, work: &Work, depth: usize) -> Vec<Expanded<W, V::Notes>> {
        let most = self.most_in_flight();
        in_parallel(work.threads(), |thread| {
            let (mut buckets, mut notes) = (self.take_spare(thread), self.visitor.no_notes());
            let mut world = self.machine.start();
            let mut successors = Successors::new(usize::try_from(most).unwrap_or(usize::MAX));
            while let Some(chunk) = work.take(thread) {
                let before = buckets.transitions;
                for words in round.pieces(chunk).flat_map(|(shard, piece)| {
                    let is_in = |w: &&W| round.slice.holds(*w, round.level.len());
                    self.levels.states.states(shard, piece).iter().filter(is_in)
                }) {
                    world.set_words(words);
                    self.visitor.visit(&world, depth, &self.levels.notes, &mut successors, &mut notes);
                    buckets.add(&mut successors);
                    buckets.full |= buckets.transitions - before > most;
                    if buckets.full {
                        return (buckets, notes);
                    }
                }
                let added = buckets.transitions - before;
                buckets.full = round.successors.fetch_add(added, Ordering::Relaxed) + added > most;
                if buckets.full || self.watched.is_stopped() {
                    break;
                }
            }
            (buckets, notes)
        })
    }

    /// Buckets for a thread to fill.
    fn take_spare(&self, thread: usize) -> Buckets<W> {
        let mut spare = self.spare[thread].lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        spare.take().unwrap_or_else(|| {
            // A state that is known: a successor that is like it need not be merged.
            let known = self.levels.states.first().cloned();
            Buckets::new(
                self.levels.states.count(),
                known.unwrap_or_else(|| self.machine.start().into_words()),
            )
        })
    }

    fn merge(&mut self, expanded: Vec<Expanded<W, V::Notes>>) {
        for (buckets, notes) in &expanded {
            self.levels.transitions += buckets.transitions;
            self.widest = self.widest.max(buckets.widest);
            self.visitor.merge(&mut self.levels.notes, notes);
        }
        // Threads cost more than they save where there is little to merge.
        let successors: usize = expanded.iter().flat_map(|(b, _)| &b.buckets).map(Vec::len).sum();
        let jobs = if successors < WORTH_THREADS { 1 } else { self.limits.jobs };
        let shards: Vec<Mutex<&mut Seen<W>>> = self.levels.states.all_mut().map(Mutex::new).collect();
        let next = AtomicUsize::new(0);
        in_parallel(jobs, |_| {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(shard) = shards.get(index) else { return };
                let mut shard = shard.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                for (buckets, _) in &expanded {
                    shard.insert_all(&buckets.buckets[index]);
                }
            }
        });
        for (spare, (mut buckets, _)) in self.spare.iter_mut().zip(expanded) {
            buckets.clear();
            *spare = Mutex::new(Some(buckets));
        }
    }
}

impl<W: Words> Buckets<W> {
    fn new(shards: usize, known: W) -> Buckets<W> {
        Buckets {
            buckets: (0..shards).map(|_| Vec::new()).collect(),
            latest: {
                let most = (LATEST_BYTES / seen::bytes(&known)).clamp(1, LATEST as u64);
                vec![known; 1 << most.ilog2()]
            },
            transitions: 0,
            widest: 0,
            full: false,
        }
    }

    /// Adds the successors that are not among those that came last. Whether one is cannot be guessed, so that nothing
    /// waits for the answer: all are told apart before any is put into its bucket.
    #[inline(always)]
    fn add(&mut self, successors: &mut Successors<W>) {
        self.full |= successors.full;
        self.transitions += successors.len() as u64;
        self.widest = self.widest.max(successors.len());
        let last = self.latest.len() - 1;
        successors.retain(|successor| {
            let latest = &mut self.latest[seen::hash(successor.words().get()) as usize & last];
            let is_new = latest != successor.words();
            latest.clone_from(successor.words());
            is_new
        });
        if let [bucket] = &mut self.buckets[..] {
            bucket.extend(successors.drain().map(World::into_words));
            return;
        }
        for successor in successors.drain() {
            let hash = seen::hash(successor.words().get());
            let shard = seen::part(hash, self.buckets.len());
            self.buckets[shard].push(successor.into_words());
        }
    }

    fn clear(&mut self) {
        // Where there is little to find, even to make room for more would take longer than it saves.
        let remembered = self.latest.len() as u64;
        if self.transitions > 4 * remembered && 2 * remembered * seen::bytes(&self.latest[0]) <= LATEST_BYTES
        {
            self.latest.extend_from_within(..);
        }
        self.buckets.iter_mut().for_each(Vec::clear);
        self.transitions = 0;
    }
}
