//! A run's fingerprint: the XXH3-128 hash over its event log, one number for "the same events in the same order". The
//! hash is fixed by its specification, so that a fingerprint can be committed and compared across platforms.

use crate::engine::watch::Watch;
use crate::model::action::Action;
use crate::model::ids::Tick;
use std::fmt;
use xxhash_rust::xxh3::Xxh3;

/// Hashes an event log as it is written; allocates nothing, however long the log.
#[derive(Clone)]
pub struct Fingerprint(Xxh3);

impl Fingerprint {
    /// The fingerprint of an empty log.
    pub fn new() -> Self {
        Self(Xxh3::new())
    }

    /// Appends a word to the log, as eight bytes in little-endian.
    #[inline]
    pub fn push(&mut self, word: u64) {
        self.0.update(&word.to_le_bytes());
    }

    /// The hash over all words so far.
    pub fn finish(&self) -> u128 {
        self.0.digest128()
    }
}

/// Writes each action and its time to the log.
impl Watch for Fingerprint {
    #[inline]
    fn about_to(&mut self, action: Action, at: Option<Tick>) {
        self.push(action.code());
        self.push(at.map_or(0, |t| t.0));
    }
}

/// Of many runs, only some are logged.
impl Watch for Option<Fingerprint> {
    #[inline]
    fn about_to(&mut self, action: Action, at: Option<Tick>) {
        if let Some(log) = self {
            log.about_to(action, at);
        }
    }
}

impl Default for Fingerprint {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({:032x})", self.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use xxhash_rust::xxh3::xxh3_128;

    fn fingerprint(words: impl IntoIterator<Item = u64>) -> u128 {
        let mut fingerprint = Fingerprint::new();
        words.into_iter().for_each(|word| fingerprint.push(word));
        fingerprint.finish()
    }

    /// Golden values, computed by the reference implementation in C.
    #[test]
    fn it_is_the_specified_hash() {
        assert_eq!(fingerprint([]), 0x99aa_06d3_0147_98d8_6001_c324_468d_497f);
        assert_eq!(fingerprint([1]), 0xbdc9_4bce_2eda_264d_bc08_dc21_994d_f8a2);
        assert_eq!(fingerprint([1, 2, 3]), 0xd0d6_6ae2_837a_0117_026f_21f9_c50d_cf1f);
        assert_eq!(fingerprint(0..1000), 0x5b70_cd73_7fec_0b69_2946_2356_e2d9_061a);
    }

    #[test]
    fn finishing_does_not_end_it() {
        let mut fingerprint = Fingerprint::new();
        fingerprint.push(1);
        let early = fingerprint.finish();
        fingerprint.push(2);
        assert_ne!(fingerprint.finish(), early);
    }

    proptest! {
        #[test]
        fn a_streamed_log_hashes_like_its_bytes(words: Vec<u64>) {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            prop_assert_eq!(fingerprint(words), xxh3_128(&bytes));
        }
    }
}
