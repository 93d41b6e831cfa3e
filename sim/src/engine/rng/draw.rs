//! What is drawn from a generator: whole numbers, chances and delays, by fixed integer rules. The ranges of `rand`
//! are not used, because which value they give for which word may change between its minor releases.

use super::table::{HALF_LIFE, wait_within_half_life};
use crate::model::ratio::Ratio;
use crate::model::scenario::Delay;
use rand::Rng;

/// Samplers with fixed results, for every generator.
pub trait Draw: Rng {
    /// One of the `n` numbers below `n`, all equally likely; 0 when `n` is 0. Widening multiplication of one 32-bit
    /// word, which is drawn again where the product would favour a number (Lemire, 2019).
    #[inline]
    fn below(&mut self, n: u32) -> u32 {
        let mut product = u64::from(self.next_u32()) * u64::from(n);
        if (product as u32) < n {
            let unfair = n.wrapping_neg() % n;
            while (product as u32) < unfair {
                product = u64::from(self.next_u32()) * u64::from(n);
            }
        }
        (product >> 32) as u32
    }

    /// The same for a large `n`, from 64-bit words.
    #[inline]
    fn below_u64(&mut self, n: u64) -> u64 {
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        if (product as u64) < n {
            let unfair = n.wrapping_neg() % n;
            while (product as u64) < unfair {
                product = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// One of the numbers from `low` to `high`, both included; `low` when the range is empty. Always from 64-bit
    /// words.
    #[inline]
    fn range_inclusive(&mut self, low: u64, high: u64) -> u64 {
        match high.saturating_sub(low).checked_add(1) {
            Some(numbers) => low + self.below_u64(numbers),
            None => self.next_u64(),
        }
    }

    /// Whether something with this chance happens, exactly: one of the denominator's equally likely numbers is below
    /// the numerator. A word is drawn even where the outcome is certain, so that a changed chance shifts no other
    /// draw. A denominator below 2^32 takes a 32-bit word.
    #[inline]
    fn chance(&mut self, chance: Ratio) -> bool {
        match u32::try_from(chance.den()) {
            Ok(den) => u64::from(self.below(den)) < chance.num(),
            Err(_) => self.below_u64(chance.den()) < chance.num(),
        }
    }

    /// How long to wait, in ticks.
    ///
    /// An exponential wait is drawn from 32-bit words: every leading zero bit of the first is one half-life survived
    /// (a word of zeros is 32 of them, and the next word goes on counting), and one more says where within the next
    /// half-life the wait ends. Being memoryless, it needs a table of one half-life only, and has no longest wait.
    #[inline]
    fn delay(&mut self, delay: Delay) -> u64 {
        match delay {
            Delay::Constant(ticks) => ticks,
            Delay::Uniform(low, high) => self.range_inclusive(low, high),
            Delay::Exponential(mean) => {
                let mut survived = 0_u64;
                let mut word = self.next_u32();
                while word == 0 {
                    survived += 32;
                    word = self.next_u32();
                }
                survived += u64::from(word.leading_zeros());
                let wait =
                    survived * u64::from(HALF_LIFE) + u64::from(wait_within_half_life(self.next_u32()));
                let ticks = (u128::from(mean) * u128::from(wait) + (1 << 31)) >> 32;
                u64::try_from(ticks).unwrap_or(u64::MAX)
            }
        }
    }
}

impl<R: Rng + ?Sized> Draw for R {}

#[cfg(test)]
mod tests {
    use super::super::Subsystem;
    use super::*;
    use proptest::prelude::*;
    use rand::TryRng;
    use std::convert::Infallible;

    /// Gives the words it was made with, then panics: shows how many a sampler takes.
    struct Words(Vec<u64>);

    impl TryRng for Words {
        type Error = Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            Ok(u32::try_from(self.0.remove(0)).expect("a 32-bit word was drawn"))
        }

        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            Ok(self.0.remove(0))
        }

        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
            unreachable!("no sampler draws bytes")
        }
    }

    #[test]
    fn a_word_that_would_favour_a_number_is_drawn_again() {
        // 2^32 mod 3 is 1: of 2^32 words one is too many, and it is word 0.
        let mut words = Words(vec![0, 1, 0xFFFF_FFFF]);
        assert_eq!((words.below(3), words.below(3)), (0, 2));
        let mut words = Words(vec![0, 1, u64::MAX]);
        assert_eq!((words.below_u64(3), words.below_u64(3)), (0, 2));
        assert!(words.0.is_empty());
    }

    #[test]
    fn the_ends_of_a_range_are_in_it() {
        assert_eq!(Words(vec![1]).range_inclusive(10, 12), 10);
        assert_eq!(Words(vec![u64::MAX]).range_inclusive(10, 12), 12);
        assert_eq!(Words(vec![7]).range_inclusive(0, u64::MAX), 7);
        assert_eq!(Words(vec![7]).range_inclusive(5, 5), 5);
        assert_eq!(Words(vec![7]).range_inclusive(5, 4), 5);
        assert_eq!((Words(vec![7]).below(0), Words(vec![7]).below_u64(0)), (0, 0));
    }

    #[test]
    fn what_is_certain_still_draws_a_word() {
        let mut words = Words(vec![0, 0xFFFF_FFFF]);
        assert!(!words.chance(Ratio::NEVER));
        assert!(words.chance(Ratio::ALWAYS));
        assert!(words.0.is_empty());
    }

    #[test]
    fn a_chance_is_met_as_often_as_it_says() {
        for (num, den) in [(1, 10), (3, 40), (1_u64 << 40, 3 << 40), (5, 1 << 35)] {
            let chance = Ratio::new(num, den).expect("a chance");
            let mut stream = Subsystem::new("test").stream(1);
            let met = (0..200_000).filter(|_| stream.chance(chance)).count() as f64;
            let expected = 200_000.0 * num as f64 / den as f64;
            assert!((met - expected).abs() <= 4.0 * expected.sqrt() + 0.5, "{chance}: {met}, not {expected}");
        }
    }

    #[test]
    fn numbers_below_a_bound_are_equally_likely() {
        let mut stream = Subsystem::new("test").stream(2);
        let mut seen = [[0_i64; 7]; 2];
        for _ in 0..70_000 {
            seen[0][stream.below(7) as usize] += 1;
            seen[1][stream.below_u64(7) as usize] += 1;
        }
        assert!(seen.iter().flatten().all(|&times| (times - 10_000).abs() < 400), "{seen:?}");
    }

    #[test]
    fn an_exponential_wait_has_its_mean_its_median_and_its_tail() {
        const SAMPLES: u32 = 1_000_000;
        let mean = 30_000_000;
        let mut stream = Subsystem::new("test").stream(3);
        let (mut sum, mut late, mut very_late) = (0.0, 0, 0);
        for _ in 0..SAMPLES {
            let wait = stream.delay(Delay::Exponential(mean));
            sum += wait as f64;
            late += u32::from(wait > 20_794_415);
            very_late += u32::from(wait > 5 * mean);
        }
        let near = |value: f64, expected: f64, part: f64| (value / expected - 1.0).abs() < part;
        assert!(near(sum / f64::from(SAMPLES), mean as f64, 0.005), "mean {sum}");
        assert!(near(f64::from(late), 500_000.0, 0.005), "median {late}");
        assert!(near(f64::from(very_late), 6_737.9, 0.05), "e^-5 of them wait over five means: {very_late}");
    }

    #[test]
    fn an_exponential_wait_ends_at_zero_has_no_longest_and_never_overflows() {
        assert_eq!(Words(vec![0xFFFF_FFFF, 0]).delay(Delay::Exponential(1_000_000)), 0);
        assert_eq!(Words(vec![0x7FFF_FFFF, 0]).delay(Delay::Exponential(1_000_000)), 693_147);
        assert_eq!(Words(vec![0, 0, 0x8000_0000, 0]).delay(Delay::Exponential(1_000_000)), 44_361_420);
        assert_eq!(Words(vec![0, 1, 0]).delay(Delay::Exponential(u64::MAX)), u64::MAX);
        assert_eq!(Words(vec![1, 1]).delay(Delay::Exponential(0)), 0);
        assert_eq!(Words(vec![]).delay(Delay::Constant(7)), 7);
    }

    proptest! {
        #[test]
        fn a_uniform_delay_is_within_its_ends(a: u64, b: u64, seed: u64) {
            let (low, high) = (a.min(b), a.max(b));
            let ticks = Subsystem::new("test").stream(seed).delay(Delay::Uniform(low, high));
            prop_assert!((low..=high).contains(&ticks));
        }
    }
}
