//! The state of the world, packed into words. Rules reach it through the handles that [`Layout`] gives out, so that
//! this file alone knows where a bit lives.
//!
//! Packing is what makes a state cheap to copy, hash and compare: the explorer keeps millions of them, a random run
//! fits into two registers. A field exists only where a scenario can tell its values apart; a machine without losses
//! has no count of losses.

use std::hash::Hash;

/// Words of a state, to look at.
pub trait Bits {
    /// The words.
    fn get(&self) -> &[u64];
    /// The word at a place below the length.
    #[inline(always)]
    fn word(&self, at: usize) -> u64 {
        self.get()[at]
    }
}

/// Words of a state, to change.
pub trait BitsMut: Bits {
    /// The words, to change.
    fn get_mut(&mut self) -> &mut [u64];
    /// The word at a place below the length, to change.
    #[inline(always)]
    fn word_mut(&mut self, at: usize) -> &mut u64 {
        &mut self.get_mut()[at]
    }
}

/// Words that hold one state: an array where the size is known at compile time, else a vector.
pub trait Words: BitsMut + Clone + Eq + Ord + Hash + Send + Sync {
    /// All zero, `len` words long.
    fn zeroed(len: usize) -> Self;
}

/// A state of any size, to look at. Rules that few steps need take this, so that they are compiled once and not for each
/// size.
pub type AnyState<'a> = World<&'a [u64]>;

/// A state of any size, to change.
pub type AnyStateMut<'a> = World<&'a mut [u64]>;

/// Where word `at` of `N` is: itself. Said so that no check is compiled where the size is a power of two; a state of
/// one word is then read without asking where.
#[inline(always)]
fn within<const N: usize>(at: usize) -> usize {
    debug_assert!(at < N, "word {at} of {N}");
    if N.is_power_of_two() { at % N } else { at }
}

impl<const N: usize> Bits for [u64; N] {
    #[inline(always)]
    fn get(&self) -> &[u64] {
        self
    }
    #[inline(always)]
    fn word(&self, at: usize) -> u64 {
        self[within::<N>(at)]
    }
}

impl<const N: usize> BitsMut for [u64; N] {
    #[inline(always)]
    fn get_mut(&mut self) -> &mut [u64] {
        self
    }
    #[inline(always)]
    fn word_mut(&mut self, at: usize) -> &mut u64 {
        &mut self[within::<N>(at)]
    }
}

impl<const N: usize> Words for [u64; N] {
    fn zeroed(len: usize) -> Self {
        debug_assert!(len <= N, "a layout of {len} words in {N}");
        [0; N]
    }
}

impl Bits for Vec<u64> {
    #[inline(always)]
    fn get(&self) -> &[u64] {
        self
    }
}

impl BitsMut for Vec<u64> {
    #[inline(always)]
    fn get_mut(&mut self) -> &mut [u64] {
        self
    }
}

impl Words for Vec<u64> {
    fn zeroed(len: usize) -> Self {
        vec![0; len]
    }
}

impl Bits for &[u64] {
    #[inline(always)]
    fn get(&self) -> &[u64] {
        self
    }
}

impl Bits for &mut [u64] {
    #[inline(always)]
    fn get(&self) -> &[u64] {
        self
    }
}

impl BitsMut for &mut [u64] {
    #[inline(always)]
    fn get_mut(&mut self) -> &mut [u64] {
        self
    }
}

/// One number. A field of width 0 is not kept: it reads 0, and writing it is nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Field {
    word: u32,
    shift: u8,
    /// The greatest number of its width, which is at most 32 bits.
    mask: u32,
}

impl Field {
    /// Whether the field is kept at all.
    pub fn is_kept(self) -> bool {
        self.mask > 0
    }
}

/// Many small numbers of one width, each at an index. An empty one reads 0 everywhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// First bit, a multiple of the width, so that no number straddles two words.
    base: u32,
    len: u32,
    /// 1, 2, 4, 8, 16 or 32; 0 where the counts are not kept.
    width: u8,
    /// log2 of `width`, so that an index becomes a bit position by a shift.
    log: u8,
    /// What a long array keeps about itself.
    summary: Option<Summary>,
    /// The lowest bit of each number where all lie in one word, as they do in a small scenario; else 0. With it, that
    /// word is searched and counted without a loop.
    lanes: u64,
}

/// What is there in a long array, kept so that asking does not take longer in a longer run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Summary {
    /// The first of as many bits as the array has words, each set where the word is not zero.
    bits: u32,
    /// How many of the numbers are not 0.
    distinct: Field,
}

impl Counts {
    /// How many numbers there are.
    pub fn len(self) -> u32 {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Whether they are kept at all.
    pub fn is_kept(self) -> bool {
        self.width > 0
    }

    /// The greatest number that one of them can hold.
    pub fn max(self) -> u64 {
        (1 << self.width) - 1
    }

    fn words(self) -> std::ops::Range<usize> {
        let end = self.base + (self.len << self.log);
        (self.base / 64) as usize..end.div_ceil(64) as usize
    }

    /// The lowest bit of each number that lies in word `w` of the state.
    fn lanes_in(self, w: usize) -> u64 {
        let first = if w as u32 == self.base / 64 { self.base % 64 } else { 0 };
        let end = self.base + (self.len << self.log);
        let last = if w as u32 == end / 64 { end % 64 } else { 64 };
        let ones = match self.log {
            0 => u64::MAX,
            1 => 0x5555_5555_5555_5555,
            2 => 0x1111_1111_1111_1111,
            3 => 0x0101_0101_0101_0101,
            4 => 0x0001_0001_0001_0001,
            _ => 0x0000_0001_0000_0001,
        };
        let upto = if last == 64 { u64::MAX } else { (1 << last) - 1 };
        ones & upto & (u64::MAX << first)
    }

    /// Each bit of `word`, joined with those above it that belong to the same number if it is a number's lowest.
    #[inline(always)]
    fn joined(self, word: u64) -> u64 {
        let mut any = word;
        for step in 0..self.log {
            any |= any >> (1 << step);
        }
        any
    }

    /// Of the numbers in `word` (which is word `w` of the state), the lowest bit of each that is not 0.
    fn nonzero(self, w: usize, word: u64) -> u64 {
        self.joined(word) & self.lanes_in(w)
    }

    #[inline(always)]
    fn index(self, w: usize, bit: u32) -> u32 {
        (w as u32 * 64 + bit - self.base) >> self.log
    }
}

/// An ordered list of small numbers with a greatest length: the newest entry is the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Seq {
    len: Field,
    items: Counts,
}

impl Seq {
    /// Whether it is kept at all.
    pub fn is_kept(self) -> bool {
        self.items.is_kept()
    }

    /// The greatest length.
    pub fn capacity(self) -> u32 {
        self.items.len
    }
}

/// Hands out places in the words.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    bits: u32,
}

impl Layout {
    /// How many words a state takes.
    pub fn words(&self) -> usize {
        (self.bits.div_ceil(64) as usize).max(1)
    }

    /// How many bits are in use.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// A place for one number from 0 to `max`.
    pub fn field(&mut self, max: u64) -> Field {
        let width = 64 - max.leading_zeros();
        if width == 0 {
            return Field::default();
        }
        assert!(width <= 32, "no field of the world counts further than 2^32");
        if self.bits % 64 + width > 64 {
            self.bits = self.bits.next_multiple_of(64);
        }
        let field =
            Field { word: self.bits / 64, shift: (self.bits % 64) as u8, mask: u32::MAX >> (32 - width) };
        self.bits += width;
        field
    }

    /// Places for `len` numbers from 0 to `max`.
    pub fn counts(&mut self, len: u32, max: u64) -> Counts {
        if len == 0 || max == 0 {
            return Counts::default();
        }
        let width = (64 - max.leading_zeros()).next_power_of_two();
        assert!(width <= 32, "no count of the world goes further than 2^32");
        self.bits = self.bits.next_multiple_of(width);
        let mut counts = Counts {
            base: self.bits,
            len,
            width: width as u8,
            log: width.trailing_zeros() as u8,
            summary: None,
            lanes: 0,
        };
        self.bits += len * width;
        let words = counts.words().len() as u32;
        if words == 1 {
            counts.lanes = counts.lanes_in(counts.words().start);
        }
        if words > 1 {
            let distinct = self.field(u64::from(len));
            counts.summary = Some(Summary { bits: self.bits, distinct });
            self.bits += words;
        }
        counts
    }

    /// A place for a list of at most `capacity` numbers from 0 to `max`.
    pub fn seq(&mut self, capacity: u32, max: u64) -> Seq {
        Seq { items: self.counts(capacity, max.max(1)), len: self.field(u64::from(capacity)) }
    }
}

/// One state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct World<W> {
    words: W,
}

impl<W: Words> World<W> {
    /// All zero.
    pub fn new(layout: &Layout) -> World<W> {
        World { words: W::zeroed(layout.words()) }
    }
}

impl<W> World<W> {
    /// A state from words that [`World::words`] gave.
    pub fn from_words(words: W) -> World<W> {
        World { words }
    }

    /// The packed words: equal states have equal words.
    #[inline(always)]
    pub fn words(&self) -> &W {
        &self.words
    }

    /// Nothing but the packed words.
    #[inline(always)]
    pub fn into_words(self) -> W {
        self.words
    }
}

impl<W: BitsMut> World<W> {
    /// The state, whatever its size, to change.
    #[inline(always)]
    pub fn any_mut(&mut self) -> AnyStateMut<'_> {
        World { words: self.words.get_mut() }
    }

    /// Back to all zero, keeping the memory.
    pub fn clear(&mut self) {
        self.words.get_mut().fill(0);
    }

    /// Becomes the state of these words, keeping the memory.
    #[inline(always)]
    pub fn set_words(&mut self, words: &W) {
        self.words.get_mut().copy_from_slice(words.get());
    }

    /// Becomes a copy of `other`, keeping the memory.
    pub fn copy_from(&mut self, other: &World<W>) {
        self.words.get_mut().copy_from_slice(other.words.get());
    }

    /// Writes a number into a field that holds it.
    #[inline(always)]
    pub fn set(&mut self, field: Field, value: u32) {
        let mask = u64::from(field.mask);
        if mask == 0 {
            return;
        }
        debug_assert!(u64::from(value) <= mask, "{value} does not fit {field:?}");
        let word = self.words.word_mut(field.word as usize);
        *word = *word & !(mask << field.shift) | (u64::from(value) & mask) << field.shift;
    }

    /// Adds to a field, stopping at its greatest value.
    #[inline(always)]
    pub fn add(&mut self, field: Field, more: u32) {
        self.set(field, self.get(field).saturating_add(more).min(field.mask));
    }

    /// Writes the number at an index; one that is greater than fits becomes the greatest that fits.
    #[inline(always)]
    pub fn put(&mut self, counts: Counts, index: u32, value: u32) {
        if counts.width == 0 {
            return;
        }
        debug_assert!(index < counts.len, "{index} of {}", counts.len);
        let bit = counts.base + (index << counts.log);
        let (at, shift) = ((bit / 64) as usize, bit % 64);
        let value = u64::from(value).min(counts.max());
        let word = self.words.word_mut(at);
        let was = *word >> shift & counts.max();
        *word = *word & !(counts.max() << shift) | value << shift;
        if let Some(summary) = counts.summary
            && (was > 0) != (value > 0)
        {
            self.summarise(counts, summary, at, value > 0);
        }
    }

    /// One more at an index, where it is known that one more fits.
    #[inline(always)]
    pub fn more(&mut self, counts: Counts, index: u32) {
        debug_assert!(u64::from(self.count(counts, index)) < counts.max(), "one too many at {index}");
        let bit = counts.base + (index << counts.log);
        *self.words.word_mut((bit / 64) as usize) += 1 << (bit % 64);
        if let Some(summary) = counts.summary
            && self.count(counts, index) == 1
        {
            self.summarise(counts, summary, (bit / 64) as usize, true);
        }
    }

    /// One fewer at an index, where it is known that there is one.
    #[inline(always)]
    pub fn fewer(&mut self, counts: Counts, index: u32) {
        debug_assert!(self.count(counts, index) > 0, "none at {index}");
        let bit = counts.base + (index << counts.log);
        *self.words.word_mut((bit / 64) as usize) -= 1 << (bit % 64);
        if let Some(summary) = counts.summary
            && self.count(counts, index) == 0
        {
            self.summarise(counts, summary, (bit / 64) as usize, false);
        }
    }

    /// Notes that a number in word `at` of the state was 0 and is not any more, or the other way round.
    #[inline(never)]
    fn summarise(&mut self, counts: Counts, summary: Summary, at: usize, is_there: bool) {
        let distinct = self.get(summary.distinct);
        self.set(summary.distinct, if is_there { distinct + 1 } else { distinct - 1 });
        let bit = summary.bits + at as u32 - counts.base / 64;
        let (place, mask) = ((bit / 64) as usize, 1 << (bit % 64));
        let words = self.words.get_mut();
        if is_there {
            words[place] |= mask;
        } else if counts.nonzero(at, words[at]) == 0 {
            words[place] &= !mask;
        }
    }

    /// Sets every number to 0.
    #[inline]
    pub fn wipe(&mut self, counts: Counts) {
        if counts.lanes != 0 {
            *self.words.word_mut((counts.base / 64) as usize) &= !(counts.lanes * counts.max());
        } else if counts.is_kept() {
            self.wipe_words(counts);
        }
    }

    #[inline(never)]
    fn wipe_words(&mut self, counts: Counts) {
        let mut at = 0;
        while let Some(index) = self.next_in_words(counts, at) {
            self.put(counts, index, 0);
            at = index + 1;
        }
    }

    /// Appends to a list; a full one forgets its oldest entry, which is returned.
    pub fn seq_push(&mut self, seq: Seq, value: u32) -> Option<u32> {
        if !seq.is_kept() {
            return None;
        }
        let forgotten = (self.seq_len(seq) == seq.capacity()).then(|| self.seq_remove(seq, 0));
        let len = self.seq_len(seq);
        self.put(seq.items, len, value);
        self.set(seq.len, len + 1);
        forgotten
    }

    /// Takes the entry at a place out of a list.
    pub fn seq_remove(&mut self, seq: Seq, place: u32) -> u32 {
        let (taken, len) = (self.seq_get(seq, place), self.seq_len(seq));
        for i in place + 1..len {
            let next = self.seq_get(seq, i);
            self.put(seq.items, i - 1, next);
        }
        self.put(seq.items, len - 1, 0);
        self.set(seq.len, len - 1);
        taken
    }

    /// Empties a list.
    pub fn seq_clear(&mut self, seq: Seq) {
        while self.seq_len(seq) > 0 {
            self.seq_remove(seq, self.seq_len(seq) - 1);
        }
    }
}

impl<W: Bits> World<W> {
    /// The state, whatever its size, to look at.
    #[inline(always)]
    pub fn any(&self) -> AnyState<'_> {
        World { words: self.words.get() }
    }

    /// A copy of its own.
    pub fn to_vec(&self) -> World<Vec<u64>> {
        World { words: self.words.get().to_vec() }
    }

    /// The number in a field.
    #[inline(always)]
    pub fn get(&self, field: Field) -> u32 {
        (self.words.word(field.word as usize) >> field.shift) as u32 & field.mask
    }

    /// The number at an index.
    #[inline(always)]
    pub fn count(&self, counts: Counts, index: u32) -> u32 {
        if counts.width == 0 {
            return 0;
        }
        debug_assert!(index < counts.len, "{index} of {}", counts.len);
        let bit = counts.base + (index << counts.log);
        (self.words.word((bit / 64) as usize) >> (bit % 64) & counts.max()) as u32
    }

    /// Where all numbers lie in one word: the lowest bit of each that is not 0.
    #[inline(always)]
    fn in_one_word(&self, counts: Counts) -> u64 {
        counts.joined(self.words.word((counts.base / 64) as usize)) & counts.lanes
    }

    /// How many of the numbers are not 0.
    #[inline]
    pub fn distinct(&self, counts: Counts) -> u32 {
        if counts.lanes != 0 {
            self.in_one_word(counts).count_ones()
        } else if let Some(summary) = counts.summary {
            self.get(summary.distinct)
        } else if counts.is_kept() {
            self.distinct_in_words(counts)
        } else {
            0
        }
    }

    #[inline(never)]
    fn distinct_in_words(&self, counts: Counts) -> u32 {
        let words = self.words.get();
        counts.words().map(|at| counts.nonzero(at, words[at]).count_ones()).sum()
    }

    /// The index of the `k`-th number (from 0) that is not 0.
    #[inline]
    pub fn nth_nonzero(&self, counts: Counts, k: u32) -> Option<u32> {
        if counts.lanes != 0 {
            let bits = without_lowest(self.in_one_word(counts), k);
            (bits != 0).then(|| counts.index((counts.base / 64) as usize, bits.trailing_zeros()))
        } else if counts.is_kept() {
            self.nth_in_words(counts, k)
        } else {
            None
        }
    }

    #[inline(never)]
    fn nth_in_words(&self, counts: Counts, k: u32) -> Option<u32> {
        let (words, mut left, mut found) = (self.words.get(), k, None);
        self.each_word(counts, |at| {
            let bits = counts.nonzero(at, words[at]);
            let here = bits.count_ones();
            if left >= here {
                left -= here;
                return false;
            }
            found = Some(counts.index(at, without_lowest(bits, left).trailing_zeros()));
            true
        });
        found
    }

    /// Calls `f` with the index of each number that is not 0, in order.
    #[inline(always)]
    pub fn each_nonzero(&self, counts: Counts, mut f: impl FnMut(u32)) {
        if counts.lanes != 0 {
            let mut bits = self.in_one_word(counts);
            while bits != 0 {
                f(counts.index((counts.base / 64) as usize, bits.trailing_zeros()));
                bits = without_lowest(bits, 1);
            }
        } else if counts.is_kept() {
            let mut next = self.next_in_words(counts, 0);
            while let Some(index) = next {
                f(index);
                next = self.next_nonzero(counts, index + 1);
            }
        }
    }

    /// Whether none of the numbers is greater than it is in another state.
    pub fn is_within(&self, counts: Counts, other: &World<W>) -> bool {
        let mut is_within = true;
        self.each_nonzero(counts, |i| is_within &= self.count(counts, i) <= other.count(counts, i));
        is_within
    }

    /// The least index from `from` on whose number is not 0.
    #[inline]
    pub fn next_nonzero(&self, counts: Counts, from: u32) -> Option<u32> {
        if from >= counts.len {
            None
        } else if counts.lanes != 0 {
            let first = counts.base + (from << counts.log);
            let bits = self.in_one_word(counts) & u64::MAX << (first % 64);
            (bits != 0).then(|| counts.index((counts.base / 64) as usize, bits.trailing_zeros()))
        } else {
            self.next_in_words(counts, from)
        }
    }

    #[inline(never)]
    fn next_in_words(&self, counts: Counts, from: u32) -> Option<u32> {
        let (words, mut found) = (self.words.get(), None);
        let first = counts.base + (from << counts.log);
        self.each_word(counts, |at| {
            let mut bits = counts.nonzero(at, words[at]);
            match (at as u32).cmp(&(first / 64)) {
                std::cmp::Ordering::Less => return false,
                std::cmp::Ordering::Equal => bits &= u64::MAX << (first % 64),
                std::cmp::Ordering::Greater => {}
            }
            if bits == 0 {
                return false;
            }
            found = Some(counts.index(at, bits.trailing_zeros()));
            true
        });
        found
    }

    /// Calls `f` with each word of `counts` that may be not zero, in order, until it returns true.
    #[inline(always)]
    fn each_word(&self, counts: Counts, mut f: impl FnMut(usize) -> bool) {
        let span = counts.words();
        let Some(summary) = counts.summary else {
            for at in span {
                if f(at) {
                    return;
                }
            }
            return;
        };
        let (words, first, len) = (self.words.get(), summary.bits, span.len() as u32);
        let mut bit = first;
        while bit < first + len {
            let bits = words[(bit / 64) as usize] >> (bit % 64);
            if bits == 0 {
                bit = (bit / 64 + 1) * 64;
                continue;
            }
            bit += bits.trailing_zeros();
            if bit >= first + len || f(span.start + (bit - first) as usize) {
                return;
            }
            bit += 1;
        }
    }

    /// How long a list is.
    #[inline(always)]
    pub fn seq_len(&self, seq: Seq) -> u32 {
        self.get(seq.len)
    }

    /// The entry at a place of a list, the oldest at 0.
    #[inline]
    pub fn seq_get(&self, seq: Seq, place: u32) -> u32 {
        self.count(seq.items, place)
    }

    /// The place of the first entry with this value.
    pub fn seq_find(&self, seq: Seq, value: u32) -> Option<u32> {
        (0..self.seq_len(seq)).find(|i| self.seq_get(seq, *i) == value)
    }
}

/// Without the lowest `k` of the bits that are set.
#[inline(always)]
fn without_lowest(mut bits: u64, k: u32) -> u64 {
    for _ in 0..k {
        bits &= bits.wrapping_sub(1);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_disturb_their_neighbours() {
        let mut layout = Layout::default();
        let fields: Vec<Field> =
            [1, 7, 1000, 0, 3, 1 << 30, 1 << 30, 255].map(|max| layout.field(max)).to_vec();
        let mut w = World::<Vec<u64>>::new(&layout);
        for (i, f) in fields.iter().enumerate() {
            w.set(*f, f.is_kept().into());
            assert_eq!(w.get(*f), f.is_kept().into(), "field {i}");
        }
        w.set(fields[2], 0);
        let read: Vec<u32> = fields.iter().map(|f| w.get(*f)).collect();
        assert_eq!(read, [1, 1, 0, 0, 1, 1, 1, 1]);
    }

    #[test]
    fn counts_find_what_is_there_in_short_and_long_arrays_at_every_width() {
        for (len, max) in [(5, 1), (70, 1), (40, 3), (300, 15), (2000, 1), (1000, 200), (9, 70_000)] {
            let mut layout = Layout::default();
            layout.field(5); // so that the array starts in the middle of a word
            let counts = layout.counts(len, max);
            layout.field(1000);
            let mut w = World::<Vec<u64>>::new(&layout);
            let there: Vec<u32> = (0..len).filter(|i| i % 7 == 3 || *i == len - 1).collect();
            for i in &there {
                w.put(counts, *i, max as u32);
            }
            assert_eq!(w.distinct(counts), there.len() as u32);
            for (k, i) in there.iter().enumerate() {
                assert_eq!(w.nth_nonzero(counts, k as u32), Some(*i));
                assert_eq!(w.next_nonzero(counts, *i), Some(*i));
                assert_eq!(w.count(counts, *i), max as u32);
            }
            assert_eq!(w.nth_nonzero(counts, there.len() as u32), None);
            assert_eq!(w.next_nonzero(counts, 4), there.iter().copied().find(|i| *i >= 4));
            w.wipe(counts);
            assert_eq!(w, World::new(&layout), "an emptied array leaves no trace");
        }
    }

    #[test]
    fn a_full_list_forgets_its_oldest_entry() {
        let mut layout = Layout::default();
        let seq = layout.seq(3, 9);
        let mut w = World::<[u64; 2]>::new(&layout);
        assert_eq!([4, 5, 6].map(|v| w.seq_push(seq, v)), [None; 3]);
        assert_eq!(w.seq_push(seq, 7), Some(4));
        assert_eq!(w.seq_find(seq, 6), Some(1));
        assert_eq!(w.seq_remove(seq, 1), 6);
        assert_eq!((w.seq_len(seq), w.seq_get(seq, 0), w.seq_get(seq, 1)), (2, 5, 7));
        w.seq_clear(seq);
        assert_eq!(w, World::new(&layout));
    }
}
