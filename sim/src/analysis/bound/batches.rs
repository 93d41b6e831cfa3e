//! Sets of batches, a batch being a set of payloads as bits of a number.

/// A set of batches over so many payloads.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Batches(Vec<u64>);

impl Batches {
    /// The batches over `events` payloads that satisfy `test`.
    pub fn of(events: u32, mut test: impl FnMut(u32) -> bool) -> Batches {
        let mut words = vec![0; (1_usize << events).div_ceil(64)];
        for batch in (0..1 << events).filter(|batch| test(*batch)) {
            words[batch as usize / 64] |= 1 << (batch % 64);
        }
        Batches(words)
    }

    pub fn has(&self, batch: u32) -> bool {
        self.0[batch as usize / 64] >> (batch % 64) & 1 == 1
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// Keeps what is in both.
    pub fn intersect(&mut self, other: &Batches) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine &= theirs);
    }

    /// Whether no batch is in all of the sets.
    pub fn are_disjoint<'a>(mut sets: impl Iterator<Item = &'a Batches>) -> bool {
        let Some(mut common) = sets.next().cloned() else { return false };
        sets.for_each(|set| common.intersect(set));
        common.is_empty()
    }

    /// The batch with the fewest payloads, of those the one with the oldest.
    pub fn smallest(&self) -> Option<u32> {
        (0..self.0.len() as u32 * 64).filter(|batch| self.has(*batch)).min_by_key(|b| (b.count_ones(), *b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_batches_intersect() {
        for events in [1, 3, 6, 8] {
            let with_first = Batches::of(events, |b| b & 1 == 1);
            let without = Batches::of(events, |b| b & 1 == 0);
            let all = Batches::of(events, |_| true);
            assert!(Batches::are_disjoint([&with_first, &all, &without].into_iter()));
            assert!(!Batches::are_disjoint([&with_first, &all].into_iter()));
            assert!(!Batches::are_disjoint(std::iter::empty()));
            assert_eq!((with_first.smallest(), without.smallest()), (Some(1), Some(0)));
            assert_eq!(Batches::of(events, |_| false).smallest(), None);
        }
    }
}
