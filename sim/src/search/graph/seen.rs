//! The states that were seen: an arena in order of discovery and a table of places in it, or several of these by hash.

use std::ops::Range;

use crate::engine::world::Words;

/// Every state that was seen, by hash, so that each shard can be filled by a thread of its own.
pub struct Shards<W> {
    shards: Vec<Seen<W>>,
}

/// States that were seen, and the place of each.
pub struct Seen<W> {
    /// In order of discovery.
    states: Vec<W>,
    /// Where each closed level begins.
    levels: Vec<usize>,
    /// Where the level that is being filled begins.
    closed: usize,
    /// Open addressing by linear probing, as long as [`slots`] says. A slot is [`EMPTY`] or holds a place in `states`;
    /// the bits that places in a table of this length do not need hold a piece of the state's hash, so that most states
    /// that are not the one sought need not be read.
    table: Vec<u32>,
}

const EMPTY: u32 = u32::MAX;
/// States that a shard is meant to hold at most, with room for shards that are a little uneven.
pub const MOST: u64 = 1 << 30;
/// Bytes of a slot.
const SLOT: u64 = size_of::<u32>() as u64;

/// How long the table of so many states is: at most three quarters full, so that [`EMPTY`] is no place in it.
fn slots(states: u64) -> u64 {
    (states * 4).div_ceil(3).next_power_of_two().max(64)
}
/// How many states are looked for at the same time.
const SIDE_BY_SIDE: usize = 32;

impl<W: Words> Shards<W> {
    pub fn new(count: usize) -> Shards<W> {
        Shards { shards: (0..count).map(|_| Seen::new()).collect() }
    }

    /// How many shards there are.
    pub fn count(&self) -> usize {
        self.shards.len()
    }

    pub fn len(&self) -> u64 {
        self.shards.iter().map(|s| s.states.len() as u64).sum()
    }

    /// How many states each shard holds.
    pub fn lens(&self) -> Vec<usize> {
        self.shards.iter().map(|s| s.states.len()).collect()
    }

    /// Leaves the states that came first, so many in each shard. Nothing can be added any more.
    pub fn truncate(&mut self, lens: &[usize]) {
        for (shard, len) in self.shards.iter_mut().zip(lens) {
            shard.states.truncate(*len);
            shard.table = Vec::new();
        }
    }

    /// Bytes in use, as if all states were in one shard: what is reported does not depend on how many there are.
    pub fn bytes(&self) -> u64 {
        self.len() * self.first().map_or(0, |w| size_of_val(w.get())) as u64 + slots(self.len()) * SLOT
    }

    /// The most bytes that can be taken, all that arrays keep for more states included. What they keep depends on how
    /// they grew.
    pub fn memory(&self) -> u64 {
        self.len() * (self.first().map_or(0, bytes) + size_of::<W>() as u64 + 3 * SLOT)
    }

    /// A state that was seen, if there is one.
    pub fn first(&self) -> Option<&W> {
        self.shards.iter().find_map(|s| s.states.first())
    }

    pub fn insert_one(&mut self, words: W) {
        let shard = part(hash(words.get()), self.count());
        self.shards[shard].insert_all(&[words]);
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
    pub fn newest_level(&self) -> Vec<Range<usize>> {
        self.shards.iter().map(|s| s.levels.last().map_or(0, |from| *from)..s.closed).collect()
    }

    pub fn states(&self, shard: usize, range: Range<usize>) -> &[W] {
        &self.shards[shard].states[range]
    }

    /// All states.
    pub fn all(&self) -> impl Iterator<Item = &W> {
        self.shards.iter().flat_map(|shard| &shard.states)
    }

    pub fn states_of_level(&self, shard: usize, level: usize) -> &[W] {
        let s = &self.shards[shard];
        let from = s.levels.get(level).copied().unwrap_or(s.states.len());
        let to = s.levels.get(level + 1).copied().unwrap_or(s.closed);
        &s.states[from..to]
    }

    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut Seen<W>> {
        self.shards.iter_mut()
    }
}

impl<W: Words> Seen<W> {
    pub fn new() -> Seen<W> {
        Seen { states: Vec::new(), levels: Vec::new(), closed: 0, table: vec![EMPTY; slots(0) as usize] }
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

    /// Whether one of the two slots that are looked at first holds this state; asks nothing that the processor would have
    /// to guess.
    #[inline(always)]
    fn stands_first(&self, words: &W) -> bool {
        let hash = hash(words.get());
        let places = self.places();
        let slot = |at: usize| self.table[at & places as usize];
        let (first, second) = (slot(hash as usize), slot(hash as usize + 1));
        let is_candidate = |slot: u32| slot != EMPTY && slot & !places == piece(hash, places);
        let place = if is_candidate(second) { second & places } else { 0 };
        let place = if is_candidate(first) { first & places } else { place };
        self.states[place as usize] == *words
    }

    /// Adds a state, and says whether it was not seen before.
    #[inline]
    pub fn insert(&mut self, words: &W) -> bool {
        let (hash, places) = (hash(words.get()), self.places());
        let piece = piece(hash, places);
        let mut at = hash as usize & places as usize;
        loop {
            match self.table[at] {
                EMPTY => {
                    self.table[at] = piece | self.states.len() as u32;
                    self.states.push(words.clone());
                    if self.states.len() * 4 > self.table.len() * 3 {
                        self.grow();
                    }
                    return true;
                }
                slot if slot & !places == piece && self.states[(slot & places) as usize] == *words => {
                    return false;
                }
                _ => at = (at + 1) & places as usize,
            }
        }
    }

    /// The bits of a slot that hold a place.
    fn places(&self) -> u32 {
        (self.table.len() - 1) as u32
    }

    /// The states in the order in which they were added.
    pub fn states(&self) -> &[W] {
        &self.states
    }

    fn grow(&mut self) {
        self.table = vec![EMPTY; slots(self.states.len() as u64) as usize];
        let places = self.places();
        for (place, words) in (0..).zip(&self.states) {
            let hash = hash(words.get());
            let mut at = hash as usize & places as usize;
            while self.table[at] != EMPTY {
                at = (at + 1) & places as usize;
            }
            self.table[at] = piece(hash, places) | place;
        }
    }
}

/// The piece of a hash that goes into the bits of a slot that hold no place.
#[inline(always)]
fn piece(hash: u64, places: u32) -> u32 {
    (hash >> 32) as u32 & !places
}

/// Bytes of a state, with what an allocator adds to one of any length.
pub fn bytes<W: Words>(words: &W) -> u64 {
    let elsewhere = if std::mem::needs_drop::<W>() { size_of_val(words.get()) + 16 } else { 0 };
    (size_of::<W>() + elsewhere) as u64
}

/// Which of so many equal parts of all states one with this hash belongs to; told by its first bits, where tables are
/// told by the last.
#[inline(always)]
pub fn part(hash: u64, of: usize) -> usize {
    ((u128::from(hash) * of as u128) >> 64) as usize
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
