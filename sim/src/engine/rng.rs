//! Random streams that depend on nothing but the seed epoch, the subsystem's name and the seed.
//!
//! The words behind every draw are fixed, on every platform, by this specification:
//!
//! - **Key.** A subsystem's key is 32 bytes: the XXH3-128 hash of the epoch (4 bytes, little-endian), a zero byte and
//!   the name, then the same with a one byte; each hash in little-endian.
//! - **Stream.** [`Subsystem::stream`] is ChaCha8 under that key with the seed as its 64-bit stream and a 64-bit block
//!   counter from 0; 64-bit draws take two words, the low one first.
//! - **Identity.** [`Subsystem::of`] is SplitMix64 from a starting state that hashes seed and identity under the key.
//!   A 32-bit draw takes the upper half of a 64-bit one.
//! - **Samplers.** [`Draw`] turns words into numbers, chances and delays.
//!
//! One subsystem per purpose: then a new draw in one place shifts no draw in another. Within a subsystem, draws that
//! belong to an emission go by its identity and not by call order, so that one more send shifts nothing either and
//! designs that are compared under one seed stay paired.

mod chacha8;
mod draw;
mod table;

pub use draw::Draw;

use chacha8::WORDS;
use rand::TryRng;
use rand::rand_core::utils;
use std::array;
use std::convert::Infallible;
use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128};

/// Says which draws a seed stands for. Raised when draws change on purpose; every report names it.
pub const SEED_EPOCH: u32 = 2;

/// A purpose that randomness is drawn for, such as `wire.latency`. Its key is hashed once, here; what it opens for
/// each run is cheap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subsystem {
    key: [u32; 8],
}

impl Subsystem {
    /// The subsystem with this name, in the current [`SEED_EPOCH`].
    pub fn new(name: &str) -> Self {
        Self::in_epoch(SEED_EPOCH, name)
    }

    fn in_epoch(epoch: u32, name: &str) -> Self {
        let half = |number: u8| {
            let text = [&epoch.to_le_bytes(), [number].as_slice(), name.as_bytes()].concat();
            xxh3_128(&text)
        };
        let halves = [half(0), half(1)];
        Self { key: array::from_fn(|word| (halves[word / 4] >> (word % 4 * 32)) as u32) }
    }

    /// This subsystem's draws for a seed, in call order. Costs nothing until the first draw.
    #[inline]
    pub fn stream(&self, seed: u64) -> Stream {
        Stream { key: self.key, seed, blocks: 0, block: [0; WORDS], next: WORDS }
    }

    /// This subsystem's draws for one thing under a seed, whatever else was drawn before. An emission's identity is
    /// the place of its payload in the source's order, its attempt and its generation.
    ///
    /// The starting state is the XXH3-64 hash of the seed and the three numbers, each in little-endian, with the first
    /// eight bytes of the key as the hash's seed.
    #[inline]
    pub fn of(&self, seed: u64, identity: [u32; 3]) -> Identified {
        let [place, attempt, generation] = identity.map(u32::to_le_bytes);
        let mut text = [0; 20];
        text[..8].copy_from_slice(&seed.to_le_bytes());
        text[8..12].copy_from_slice(&place);
        text[12..16].copy_from_slice(&attempt);
        text[16..].copy_from_slice(&generation);
        let key = u64::from(self.key[1]) << 32 | u64::from(self.key[0]);
        Identified { state: xxh3_64_with_seed(&text, key) }
    }
}

/// A subsystem's draws for a seed, in call order.
#[derive(Clone, Debug)]
pub struct Stream {
    key: [u32; 8],
    seed: u64,
    /// How many blocks were made.
    blocks: u64,
    block: [u32; WORDS],
    /// The next word of the block; when past its end, a new one is made.
    next: usize,
}

impl Stream {
    #[inline]
    fn word(&mut self) -> u32 {
        if self.next >= WORDS {
            self.refill();
        }
        let word = self.block[self.next % WORDS];
        self.next += 1;
        word
    }

    #[cold]
    fn refill(&mut self) {
        self.block = chacha8::block(&self.key, self.seed, self.blocks);
        self.blocks += 1;
        self.next = 0;
    }
}

impl TryRng for Stream {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.word())
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        utils::next_u64_via_u32(self)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        utils::fill_bytes_via_next_word(bytes, || self.try_next_u32())
    }
}

/// A subsystem's draws for one thing under a seed: few, and cheap to begin.
#[derive(Clone, Debug)]
pub struct Identified {
    state: u64,
}

impl TryRng for Identified {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.try_next_u64().map(|word| (word >> 32) as u32)
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        // SplitMix64 (Steele, Lea and Flood, 2014).
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.state;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Ok(word ^ (word >> 31))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        utils::fill_bytes_via_next_word(bytes, || self.try_next_u64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::scenario::Delay;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn reference(key: [u32; 8], seed: u64) -> ChaCha8Rng {
        let mut bytes = [0; 32];
        for (four, word) in bytes.chunks_exact_mut(4).zip(key) {
            four.copy_from_slice(&word.to_le_bytes());
        }
        let mut reference = ChaCha8Rng::from_seed(bytes);
        reference.set_stream(seed);
        reference
    }

    #[test]
    fn a_stream_is_word_for_word_chacha8_of_rand_chacha() {
        for name in
            ["", "crash", "wire.latency", "wire.loss", "a name longer than one stripe of the hash has bytes"]
        {
            for seed in [0, 1, 2, 0x0123_4567_89AB_CDEF, 1 << 32, u64::MAX] {
                let subsystem = Subsystem::new(name);
                let mut stream = subsystem.stream(seed);
                let mut reference = reference(subsystem.key, seed);
                for word in 0..10_000 {
                    assert_eq!(stream.next_u32(), reference.next_u32(), "{name:?}, seed {seed}, word {word}");
                }
            }
        }
    }

    #[test]
    fn draws_of_mixed_widths_straddle_blocks_as_in_rand_chacha() {
        let subsystem = Subsystem::new("mixed");
        let mut stream = subsystem.stream(9);
        let mut reference = reference(subsystem.key, 9);
        for round in 0..500 {
            assert_eq!(stream.next_u32(), reference.next_u32());
            assert_eq!(stream.next_u64(), reference.next_u64());
            let (mut ours, mut theirs) = ([0; 13], [0; 13]);
            stream.fill_bytes(&mut ours[..round % 14]);
            reference.fill_bytes(&mut theirs[..round % 14]);
            assert_eq!(ours, theirs);
        }
    }

    #[test]
    fn the_block_counter_carries_into_its_upper_word() {
        let key = Subsystem::new("far").key;
        let mut reference = reference(key, 5);
        let counter = (1 << 32) - 1;
        reference.set_word_pos(u128::from(counter) * WORDS as u128);
        for word in chacha8::block(&key, 5, counter).into_iter().chain(chacha8::block(&key, 5, counter + 1)) {
            assert_eq!(word, reference.next_u32());
        }
    }

    #[test]
    fn epoch_name_and_seed_each_change_the_draws() {
        let first = |epoch, name, seed| Subsystem::in_epoch(epoch, name).stream(seed).next_u64();
        let base = first(1, "wire.loss", 1);
        assert_ne!(base, first(2, "wire.loss", 1));
        assert_ne!(base, first(1, "wire.latency", 1));
        assert_ne!(base, first(1, "wire.loss", 2));
        assert_eq!(base, first(1, "wire.loss", 1));
    }

    #[test]
    fn each_part_of_an_identity_changes_the_draws_and_call_order_does_not() {
        let subsystem = Subsystem::new("wire.loss");
        let draw = |seed, identity| subsystem.of(seed, identity).next_u64();
        let base = draw(1, [3, 0, 0]);
        for (seed, identity) in
            [(2, [3, 0, 0]), (1, [4, 0, 0]), (1, [3, 1, 0]), (1, [3, 0, 1]), (1, [0, 3, 0])]
        {
            assert_ne!(base, draw(seed, identity));
        }
        assert_ne!(base, Subsystem::new("wire.copy").of(1, [3, 0, 0]).next_u64());
        assert_eq!(base, draw(1, [3, 0, 0]));
    }

    #[test]
    fn neighbouring_identities_draw_independently() {
        let subsystem = Subsystem::new("wire.loss");
        let mut pairs = [[0_i64; 4]; 4];
        let mut before = 0;
        for attempt in 0..160_000 {
            let now = subsystem.of(7, [1, attempt, 0]).below(4) as usize;
            pairs[before][now] += 1;
            before = now;
        }
        assert!(pairs.iter().flatten().all(|&times| (times - 10_000).abs() < 500), "{pairs:?}");
    }

    /// Golden values, computed by a second implementation of the specification above. A change here changes what every
    /// seed stands for, and takes a new [`SEED_EPOCH`].
    #[test]
    fn the_draws_of_this_epoch_are_these() {
        let subsystem = Subsystem::new("wire.latency");
        let key = [
            618_579_556,
            1_875_336_822,
            139_124_672,
            3_757_491_120,
            204_978_505,
            3_652_655_443,
            2_246_779_387,
            2_583_230_131,
        ];
        assert_eq!(subsystem.key, key);
        let mut stream = subsystem.stream(1);
        let words = array::from_fn(|_| stream.next_u32());
        assert_eq!(words, [1_369_864_975, 872_834_172, 3_169_227_738, 2_468_219_309]);
        assert_eq!(subsystem.stream(u64::MAX).next_u64(), 4_816_233_987_767_497_295);
        let mut identified = subsystem.of(1, [2, 3, 4]);
        let words = array::from_fn(|_| identified.next_u64());
        assert_eq!(words, [14_621_661_020_773_724_967, 9_918_708_660_568_734_041]);
        let mut stream = subsystem.stream(42);
        assert_eq!(array::from_fn(|_| stream.below(1000)), [107, 124, 482, 890, 51, 13]);
        let ranges = array::from_fn(|_| stream.range_inclusive(1_000, 20_000));
        assert_eq!(ranges, [7_577, 13_613, 8_474, 4_445]);
        let waits = array::from_fn(|_| stream.delay(Delay::Exponential(30_000_000)));
        assert_eq!(waits, [30_307_639, 53_455_665, 28_353_897, 55_521_794]);
    }
}
