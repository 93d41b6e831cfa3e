//! What every contender must have found before its time is printed: a faster answer to another question is no answer.

use crate::model::{Counts, Micro, Policy, Tally};
use crate::reference;

/// How far a rate may be from the exact one, in standard errors. A right contender fails once in a million times.
const TOLERANCE: f64 = 5.0;

/// The bounds of the exhaustive work.
pub const LARGE: Micro = Micro { events: 8, crashes: 2, policy: Policy::Cursor };
/// The bounds of the random work.
pub const SMALL: Micro = Micro { events: 2, crashes: 1, policy: Policy::Fenced };

/// What the exhaustive work must count. The reference finds the same, in half a minute (an ignored test of dwsim).
pub const LARGE_COUNTS: Counts = Counts { states: 1_335_705, transitions: 9_060_116 };

/// Whether a search found what it should.
pub fn check_counts(found: Counts, expected: Counts) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("found {found:?}, there are {expected:?}")) }
}

/// Whether the rates agree with the exact ones, up to noise.
pub fn check_tally(micro: Micro, tally: Tally) -> Result<(), String> {
    let exact = reference_of(micro).rates();
    check_rate("duplicate", tally.duplicate, tally.runs, exact.duplicate)?;
    check_rate("lost", tally.lost, tally.runs, exact.lost)
}

fn check_rate(verdict: &str, found: u64, runs: u64, exact: f64) -> Result<(), String> {
    let rate = found as f64 / runs as f64;
    let standard_error = (exact * (1.0 - exact) / runs as f64).sqrt();
    if (rate - exact).abs() <= TOLERANCE * standard_error {
        Ok(())
    } else {
        Err(format!("{verdict} in {rate} of {runs} runs, exactly it is {exact}"))
    }
}

fn reference_of(micro: Micro) -> reference::Micro {
    reference::Micro {
        events: micro.events.into(),
        crashes: micro.crashes.into(),
        policy: match micro.policy {
            Policy::Cursor => reference::Policy::Cursor,
            Policy::Fenced => reference::Policy::Fenced,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{in_desru, in_dwsim, in_stateright, limit};

    #[test]
    fn every_search_counts_what_the_reference_counts() {
        for policy in [Policy::Cursor, Policy::Fenced] {
            for (events, crashes) in [(1, 0), (2, 1), (2, 2), (3, 1), (3, 2)] {
                let micro = Micro { events, crashes, policy };
                let walked = reference_of(micro).walk();
                let expected =
                    Counts { states: walked.states as u64, transitions: walked.transitions as u64 };
                assert_eq!(limit::search(micro, walked.states), expected, "limit, {micro:?}");
                assert_eq!(in_dwsim::search(micro, 1), expected, "dwsim, {micro:?}");
                assert_eq!(
                    in_stateright::depth_first(micro, 1),
                    expected,
                    "stateright depth first, {micro:?}"
                );
                assert_eq!(
                    in_stateright::breadth_first(micro, 2),
                    expected,
                    "stateright breadth first, {micro:?}"
                );
            }
        }
    }

    #[test]
    fn every_simulation_has_the_exact_rates() {
        for policy in [Policy::Cursor, Policy::Fenced] {
            let micro = Micro { events: 2, crashes: 1, policy };
            check_tally(micro, limit::simulate(micro, 0..1_000_000)).unwrap();
            check_tally(micro, in_dwsim::simulate(micro, 0..1_000_000, 1)).unwrap();
            check_tally(micro, in_desru::simulate(micro, 0..200_000)).unwrap();
            check_tally(micro, in_stateright::simulate(micro, 2_000_000, 0, 1)).unwrap();
        }
    }

    #[test]
    fn another_model_is_found_out() {
        let cursor = Micro { policy: Policy::Cursor, ..SMALL };
        assert!(check_tally(SMALL, limit::simulate(cursor, 0..10_000)).is_err());
        assert!(check_counts(limit::search(SMALL, 200), LARGE_COUNTS).is_err());
    }
}
