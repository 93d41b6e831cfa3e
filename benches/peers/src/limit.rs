//! The micro-model written out by hand, and nothing but the micro-model: how fast this work can be in safe Rust. A
//! state is one word; every step is a few additions to it.
#![allow(clippy::precedence, reason = "shifts and masks read as fields of a word")]

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::model::{self, Counts, MOST_EVENTS, Micro, Policy, Tally};

/// A packed state. From the low bits: for each of eight events two bits of wire (0, or 1 + the sending generation)
/// and two bits of accepted record (how often), then position, generation, status and how many were dropped.
type Word = u64;

const WIRE: u32 = 0;
const ACCEPTED: u32 = 16;
const POSITION: u32 = 32;
const GENERATION: u32 = 40;
const CRASHED: u32 = 44;
const DROPPED: u32 = 48;
/// Bits of an emission in a list: where its event's pair starts, and the sending generation above.
const EMISSION: u32 = 6;
/// The lower bit of each event's pair.
const PAIRS: u64 = 0x5555;

const ACTS: u64 = model::ACTS as u64;
const SEND: u64 = model::SEND as u64;

const _: () = assert!(2 * MOST_EVENTS == 16);

/// The fields that decide what is enabled.
struct Enabled {
    acts: bool,
    crash: bool,
    recover: bool,
    /// The lower bit of the pair of each event in flight.
    in_flight: u64,
}

impl Enabled {
    fn count(&self) -> u32 {
        let others = u32::from(self.acts) + u32::from(self.crash) + u32::from(self.recover);
        others + 2 * self.in_flight.count_ones()
    }
}

/// A model with its policy known when compiled, so that no step asks for it.
#[derive(Clone, Copy)]
struct Packed<const FENCED: bool> {
    end: u64,
    crashes: u64,
    /// The lower bit of each event's pair, for the events there are.
    owed: u64,
}

fn position(word: Word) -> u64 {
    word >> POSITION & 0xff
}

fn generation(word: Word) -> u64 {
    word >> GENERATION & 0xf
}

fn accepted(word: Word) -> u64 {
    word >> ACCEPTED & 0xffff
}

/// Where the pair of the event that the producer is at starts.
fn event_pair(position: u64) -> u64 {
    2 * (position / ACTS)
}

/// The lower bit of the pair of each of the first `events` events.
fn first_pairs(events: u64) -> u64 {
    PAIRS & ((1 << (2 * events)) - 1)
}

/// The lower bit of each pair that is not zero.
fn occupied(pairs: u64) -> u64 {
    (pairs | pairs >> 1) & PAIRS
}

impl<const FENCED: bool> Packed<FENCED> {
    fn new(micro: Micro) -> Self {
        assert!(
            usize::from(micro.events) <= MOST_EVENTS && micro.crashes <= 2,
            "the word has no room for more"
        );
        Self {
            end: ACTS * u64::from(micro.events),
            crashes: u64::from(micro.crashes),
            owed: first_pairs(u64::from(micro.events)),
        }
    }

    fn enabled(self, word: Word) -> Enabled {
        let in_flight = occupied(word >> WIRE & 0xffff);
        let recover = word >> CRASHED & 1 == 1;
        let acts = !recover && position(word) < self.end;
        let crash = !recover && generation(word) < self.crashes && (acts || in_flight != 0);
        Enabled { acts, crash, recover, in_flight }
    }

    fn act(word: Word) -> Word {
        let position = position(word);
        let sends = u64::from(position % ACTS == SEND);
        word + (1 << POSITION) + (sends * (1 + generation(word)) << event_pair(position))
    }

    /// Without the emission whose pair starts at `pair`.
    fn lose(word: Word, pair: u32) -> Word {
        word & !(0b11 << pair)
    }

    fn arrive(word: Word, pair: u32) -> Word {
        let sent_by = (word >> pair & 0b11) - 1;
        let passes = !FENCED || generation(word) <= sent_by;
        Self::lose(word, pair) + if passes { 1 << (ACCEPTED + pair) } else { 1 << DROPPED }
    }

    fn crash(word: Word) -> Word {
        word + (1 << CRASHED)
    }

    fn recover(word: Word) -> Word {
        let position = position(word);
        let skipped = position.next_multiple_of(ACTS) - position;
        let batch = Self::batch(position, accepted(word));
        word - (1 << CRASHED) + (skipped << POSITION) + (1 << GENERATION) + (batch << ACCEPTED)
    }

    /// What recovery sends again: the lower bit of each event's pair.
    fn batch(position: u64, accepted: u64) -> u64 {
        let committed = first_pairs(position.div_ceil(ACTS));
        if FENCED { committed & !occupied(accepted) } else { committed & !first_pairs(position / ACTS) }
    }

    fn simulate(self, seeds: std::ops::Range<u64>) -> Tally {
        let mut rng = ChaCha8Rng::from_seed([0; 32]);
        let mut tally = Tally::default();
        for seed in seeds {
            // In this order: with words left in its buffer, `set_stream` would fill it only to have it thrown away.
            rng.set_word_pos(0);
            rng.set_stream(seed);
            let accepted = self.run(&mut rng);
            tally.count(accepted & PAIRS << 1 != 0, occupied(accepted) != self.owed);
        }
        tally
    }

    /// One random run, and its accepted record. Labels come in the order arrivals, losses, act, crash or recover. The
    /// wire is a list here, so that the emission with a drawn index is a shift away.
    fn run(self, rng: &mut ChaCha8Rng) -> u64 {
        let (mut position, mut generation, mut crashed, mut accepted) = (0, 0, false, 0);
        let (mut wire, mut in_flight): (u64, u32) = (0, 0);
        loop {
            let acts = !crashed && position < self.end;
            let strikes = !crashed && generation < self.crashes && (acts || in_flight > 0);
            let drawn = match 2 * in_flight + u32::from(acts) + u32::from(strikes) + u32::from(crashed) {
                0 => return accepted,
                // What must happen needs no draw.
                1 => 0,
                enabled => below(rng, enabled),
            };
            if drawn < 2 * in_flight {
                // Arithmetic, not branches, where a processor could only guess.
                let arrives = drawn < in_flight;
                let at = EMISSION * if arrives { drawn } else { drawn - in_flight };
                let emission = wire >> at & ((1 << EMISSION) - 1);
                let before = (1 << at) - 1;
                wire = wire & before | wire >> EMISSION & !before;
                in_flight -= 1;
                let passes = !FENCED || generation <= emission >> 4;
                accepted += u64::from(arrives & passes) << (emission & 0xf);
            } else if crashed {
                accepted += Self::batch(position, accepted);
                position = position.next_multiple_of(ACTS);
                generation += 1;
                crashed = false;
            } else if acts && drawn == 2 * in_flight {
                if position % ACTS == SEND {
                    wire |= (generation << 4 | event_pair(position)) << (EMISSION * in_flight);
                    in_flight += 1;
                }
                position += 1;
            } else {
                crashed = true;
            }
        }
    }

    /// Breadth first. The states in the order they were found are the queue, so its levels are all that rebuilding a
    /// path would take.
    fn search(self, expected_states: usize) -> Counts {
        let mut seen = Seen::with_room_for(expected_states);
        let mut found: Vec<Word> = Vec::with_capacity(expected_states);
        let mut transitions = 0;
        seen.insert(0);
        found.push(0);
        let mut next = 0;
        while next < found.len() {
            let word = found[next];
            next += 1;
            let enabled = self.enabled(word);
            transitions += u64::from(enabled.count());
            let mut reach = |word| {
                if seen.insert(word) {
                    found.push(word);
                }
            };
            if enabled.acts {
                reach(Self::act(word));
            }
            if enabled.crash {
                reach(Self::crash(word));
            }
            if enabled.recover {
                reach(Self::recover(word));
            }
            let mut pairs = enabled.in_flight;
            while pairs != 0 {
                let pair = pairs.trailing_zeros();
                pairs &= pairs - 1;
                reach(Self::arrive(word, pair));
                reach(Self::lose(word, pair));
            }
        }
        Counts { states: found.len() as u64, transitions }
    }
}

/// A set of words by open addressing, at most half full, with a size that is fixed: first touch of memory is dear,
/// and so is moving what was touched.
struct Seen {
    slots: Vec<Word>,
    mask: usize,
}

impl Seen {
    fn with_room_for(states: usize) -> Self {
        let slots = (2 * states).next_power_of_two();
        Self { slots: vec![0; slots], mask: slots - 1 }
    }

    /// Whether the word is new.
    fn insert(&mut self, word: Word) -> bool {
        // No word is the mark of an empty slot.
        let key = word + 1;
        let mut slot = fold(key) as usize & self.mask;
        loop {
            let here = self.slots[slot];
            if here == 0 {
                self.slots[slot] = key;
                return true;
            }
            if here == key {
                return false;
            }
            slot = (slot + 1) & self.mask;
        }
    }
}

/// Both halves of a 128-bit product: packed states differ in few bits, and high bits of the lower half alone cluster.
fn fold(word: Word) -> u64 {
    let product = u128::from(word) * u128::from(0x9e37_79b9_7f4a_7c15_u64);
    product as u64 ^ (product >> 64) as u64
}

/// A number below `bound`, each as likely: the upper half of a product, drawn again where that would favour some.
fn below(rng: &mut ChaCha8Rng, bound: u32) -> u32 {
    loop {
        let product = u64::from(rng.next_u32()) * u64::from(bound);
        if product as u32 >= bound || product as u32 >= bound.wrapping_neg() % bound {
            return (product >> 32) as u32;
        }
    }
}

/// Random runs, one for each of `seeds`.
pub fn simulate(micro: Micro, seeds: std::ops::Range<u64>) -> Tally {
    match micro.policy {
        Policy::Cursor => Packed::<false>::new(micro).simulate(seeds),
        Policy::Fenced => Packed::<true>::new(micro).simulate(seeds),
    }
}

/// Every reachable state, with memory for `expected_states` of them.
pub fn search(micro: Micro, expected_states: usize) -> Counts {
    match micro.policy {
        Policy::Cursor => Packed::<false>::new(micro).search(expected_states),
        Policy::Fenced => Packed::<true>::new(micro).search(expected_states),
    }
}
