//! The states that were seen, in shards by hash: each an arena in order of discovery, and a table of places in it.
//! Small tables stay in the cache while a bucket of successors is merged.

use crate::world::Words;

/// How many shards: enough for every thread, and for tables that fit a cache.
pub const SHARDS: usize = 64;

/// Every state that was seen.
pub struct Shards<W> {
    shards: Vec<Shard<W>>,
}

/// The states of one shard.
pub struct Shard<W> {
    /// In order of discovery.
    states: Vec<W>,
    /// Where each closed level begins.
    levels: Vec<usize>,
    /// Where the level that is being filled begins.
    closed: usize,
    /// Open addressing by linear probing: a place in `states`, or [`EMPTY`]. At most half full.
    table: Vec<u32>,
}

const EMPTY: u32 = u32::MAX;
/// How many states are looked for at the same time.
const SIDE_BY_SIDE: usize = 32;

impl<W: Words> Shards<W> {
    pub fn new() -> Shards<W> {
        Shards { shards: (0..SHARDS).map(|_| Shard::new()).collect() }
    }

    pub fn len(&self) -> u64 {
        self.shards.iter().map(|s| s.states.len() as u64).sum()
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        let words = self.shards.iter().find_map(|s| s.states.first()).map_or(0, |w| w.get().len());
        let of = |s: &Shard<W>| s.states.len() * words * 8 + s.table.len() * 4;
        self.shards.iter().map(|s| of(s) as u64).sum()
    }

    /// Bytes that are taken, all that arrays keep for more states included. What they keep depends on how they grew;
    /// the most that it can be is counted.
    pub fn memory(&self) -> u64 {
        let state = self.shards.iter().find_map(|s| s.states.first()).map_or(0, bytes);
        let of =
            |s: &Shard<W>| s.states.len() as u64 * (state + size_of::<W>() as u64) + s.table.len() as u64 * 4;
        self.shards.iter().map(of).sum()
    }

    pub fn insert_one(&mut self, words: W) {
        self.shards[Shard::of(&words)].insert_all(&[words]);
    }

    /// Ends the level that is being filled, and says how many states it has.
    pub fn close_level(&mut self) -> usize {
        self.shards
            .iter_mut()
            .map(|s| {
                s.levels.push(s.closed);
                s.states.len() - std::mem::replace(&mut s.closed, s.states.len())
            })
            .sum()
    }

    /// The places of the newest closed level, by shard.
    pub fn newest_level(&self) -> Vec<(usize, std::ops::Range<usize>)> {
        let of = |s: &Shard<W>| s.levels.last().map_or(0, |from| *from)..s.closed;
        self.shards.iter().map(of).enumerate().filter(|(_, range)| !range.is_empty()).collect()
    }

    pub fn states(&self, shard: usize, range: std::ops::Range<usize>) -> &[W] {
        &self.shards[shard].states[range]
    }

    pub fn states_of_level(&self, shard: usize, level: usize) -> &[W] {
        let s = &self.shards[shard];
        let from = s.levels.get(level).copied().unwrap_or(s.states.len());
        let to = s.levels.get(level + 1).copied().unwrap_or(s.closed);
        &s.states[from..to]
    }

    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut Shard<W>> {
        self.shards.iter_mut()
    }
}

impl<W: Words> Shard<W> {
    pub fn new() -> Shard<W> {
        Shard { states: Vec::new(), levels: Vec::new(), closed: 0, table: vec![EMPTY; 64] }
    }

    /// Which shard a state belongs to.
    #[inline]
    pub fn of(words: &W) -> usize {
        Self::of_hash(hash(words.get()))
    }

    /// Which shard a state with this hash belongs to.
    #[inline]
    pub fn of_hash(hash: u64) -> usize {
        (hash >> 58) as usize
    }

    /// Adds the states that were not seen before. Most were, and stand where they are looked for first: this is asked
    /// of several states side by side, so that what one waits for from memory comes while the next one is asked.
    pub fn insert_all(&mut self, bucket: &[W]) {
        for group in bucket.chunks(SIDE_BY_SIDE) {
            let mut known = [false; SIDE_BY_SIDE];
            if !self.states.is_empty() {
                for (words, known) in group.iter().zip(&mut known) {
                    *known = self.stands_first(words);
                }
            }
            for (words, _) in group.iter().zip(known).filter(|(_, known)| !known) {
                self.insert(words);
            }
        }
    }

    /// Whether the place that is looked at first holds this state; asks nothing that the processor would have to guess.
    #[inline(always)]
    fn stands_first(&self, words: &W) -> bool {
        let place = self.table[hash(words.get()) as usize & (self.table.len() - 1)];
        // An empty place stands for the last state: if that is the one, it is known too.
        self.states[(place as usize).min(self.states.len() - 1)] == *words
    }

    /// Adds a state, and says whether it was not seen before.
    #[inline]
    pub fn insert(&mut self, words: &W) -> bool {
        let mask = self.table.len() - 1;
        let mut at = hash(words.get()) as usize & mask;
        loop {
            match self.table[at] {
                EMPTY => {
                    self.table[at] = self.states.len() as u32;
                    self.states.push(words.clone());
                    if self.states.len() * 2 > self.table.len() {
                        self.grow();
                    }
                    return true;
                }
                place if self.states[place as usize] == *words => return false,
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// The states in the order in which they were added.
    pub fn states(&self) -> &[W] {
        &self.states
    }

    fn grow(&mut self) {
        let mask = self.table.len() * 2 - 1;
        let mut table = vec![EMPTY; mask + 1];
        for (place, words) in self.states.iter().enumerate() {
            let mut at = hash(words.get()) as usize & mask;
            while table[at] != EMPTY {
                at = (at + 1) & mask;
            }
            table[at] = place as u32;
        }
        self.table = table;
    }
}

/// Bytes of a state, with what an allocator adds to one of any length.
pub fn bytes<W: Words>(words: &W) -> u64 {
    let elsewhere = if std::mem::needs_drop::<W>() { size_of_val(words.get()) + 16 } else { 0 };
    (size_of::<W>() + elsewhere) as u64
}

/// A multiply whose two halves are folded together, word by word. A multiply and shift alone clusters on packed
/// states, which differ in few bits.
#[inline]
pub fn hash(words: &[u64]) -> u64 {
    words.iter().fold(0x9e37_79b9_7f4a_7c15, |h, word| {
        let wide = u128::from(h ^ word) * 0xd6e8_feb8_6659_fd93_u128;
        (wide as u64) ^ ((wide >> 64) as u64)
    })
}
