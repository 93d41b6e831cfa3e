//! The reference of the micro-model says what four independent tools said of it: its counts and its exact rates.

#[path = "common/micro.rs"]
mod micro;

use micro::{Micro, Policy};

const POLICIES: [Policy; 3] = [Policy::Cursor, Policy::SinkDelta, Policy::Fenced];

#[test]
fn counts_every_state_and_transition() {
    let expected = [
        (2, 1, [(135, 290), (123, 254), (122, 254)]),
        (2, 2, [(306, 754), (251, 574), (248, 573)]),
        (3, 1, [(522, 1474), (453, 1220), (438, 1204)]),
    ];
    for (events, crashes, by_policy) in expected {
        for (policy, (states, transitions)) in POLICIES.into_iter().zip(by_policy) {
            let counts = Micro { events, crashes, policy }.walk();
            assert_eq!(
                (counts.states, counts.transitions),
                (states, transitions),
                "{policy:?}, {events} events, {crashes} crashes"
            );
        }
    }
}

#[test]
fn the_exact_rates_are_these_fractions() {
    let lost_by_delta = 100_237.0 / 163_840.0;
    let expected =
        [(17.0 / 512.0, 649.0 / 1024.0), (13_591.0 / 1_843_200.0, lost_by_delta), (0.0, lost_by_delta)];
    for (policy, (duplicate, lost)) in POLICIES.into_iter().zip(expected) {
        let rates = Micro { events: 2, crashes: 1, policy }.rates();
        assert!((rates.duplicate - duplicate).abs() < 1e-12, "{policy:?}: duplicate {}", rates.duplicate);
        assert!((rates.lost - lost).abs() < 1e-12, "{policy:?}: lost {}", rates.lost);
    }
}

#[test]
fn a_crashed_run_with_nothing_in_flight_has_not_ended() {
    let micro = Micro { events: 1, crashes: 1, policy: Policy::Cursor };
    let crashed = micro::State { position: 4, crashed: true, ..micro::State::default() };
    assert!(!micro.ended(&crashed));
    assert_eq!(micro.labels(&crashed), [micro::Label::Recover]);
}

/// Half a minute when optimised: `cargo test --release --test micro_reference -- --ignored`.
#[test]
#[ignore = "1.3 million states in a plain search"]
fn counts_the_large_one() {
    let counts = Micro { events: 8, crashes: 2, policy: Policy::Cursor }.walk();
    assert_eq!((counts.states, counts.transitions), (1_335_705, 9_060_116));
}
