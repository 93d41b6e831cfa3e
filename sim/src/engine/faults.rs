//! The register of faults: everything that a scenario can name as going wrong has an entry here and a file in this folder.
//! The file says what switches the fault on, how often it may strike, what it offers and does, its label and its column,
//! what it is called in the head of a report, when an expectation over runs that never met it says nothing, what to write
//! then, and what a simpler scenario does with it.
//!
//! A new fault is a variant of [`Fault`] (and of [`Injected`], where it is an action of its own), a setting that a file can
//! write, a file here, and its line in [`spec`], [`strike`] and [`IN_ORDER`].

mod copies;
mod count_window;
mod crash;
mod cursor;
mod death;
mod eviction;
mod expiry;
mod in_flight;
mod loss;
mod lost_reply;
mod outage;
mod retention;
mod second_recoverer;
mod sink_crash;
mod spec;
mod stale_read;
mod straggler;
mod timeout;
mod truncation;

use crate::engine::machine::Machine;
use crate::engine::watch::Watch;
use crate::engine::world::AnyStateMut;
use crate::model::action::{Action, Section};
use crate::model::scenario::{Fault, Injected, Stage};

pub use spec::{Head, Spec, Timing};

/// The faults that a clock lets strike while the run is down, each with the name of the random stream that decides.
pub(crate) const AFTER_CRASH: [(Fault, &str); 1] = [(Fault::CursorHarm, "fault.cursor")];

/// The faults that are actions, in the total order of the actions of a state.
pub(crate) const IN_ORDER: [Fault; 12] = [
    Fault::Loss,
    Fault::Copy,
    Fault::Crash,
    Fault::Truncation,
    Fault::SecondRecoverer,
    Fault::Death,
    Fault::LostReply,
    Fault::SinkCrash,
    Fault::Eviction,
    Fault::Expiry,
    Fault::Retention,
    Fault::CursorHarm,
];

/// The entry of a fault.
pub fn spec(fault: Fault) -> &'static Spec {
    match fault {
        Fault::Crash => &crash::SPEC,
        Fault::Truncation => &truncation::SPEC,
        Fault::InFlightAtCrash => &in_flight::SPEC,
        Fault::LateArrival => &straggler::SPEC,
        Fault::Loss => &loss::SPEC,
        Fault::Copy => &copies::SPEC,
        Fault::LostReply => &lost_reply::SPEC,
        Fault::Timeout => &timeout::SPEC,
        Fault::Death => &death::SPEC,
        Fault::SecondRecoverer => &second_recoverer::SPEC,
        Fault::SinkCrash => &sink_crash::SPEC,
        Fault::CursorHarm => &cursor::SPEC,
        Fault::Eviction => &eviction::SPEC,
        Fault::CountWindow => &count_window::SPEC,
        Fault::Expiry => &expiry::SPEC,
        Fault::Retention => &retention::SPEC,
        Fault::StaleRead => &stale_read::SPEC,
        Fault::Outage => &outage::SPEC,
    }
}

/// Lets a fault strike that few stages have.
pub(crate) fn strike(m: &Machine, w: &mut AnyStateMut<'_>, injected: Injected, watch: &mut dyn Watch) {
    match injected {
        Injected::Copy(e) => copies::strike(m, w, e, watch),
        Injected::Truncate(keeps) => truncation::strike(m, w, keeps, watch),
        Injected::Die(slot) => death::strike(m, w, slot),
        Injected::LoseAck(p) => lost_reply::strike(m, w, p, watch),
        Injected::SinkCrash => sink_crash::strike(m, w, watch),
        Injected::Evict => eviction::strike(m, w, watch),
        Injected::Expire(e) => expiry::strike(m, w, e, watch),
        Injected::Retain => retention::strike(m, w, watch),
        Injected::HarmCursor => cursor::strike(m, w, watch),
    }
}

/// What may strike in a stage, in a sentence for the head of a report.
pub fn headline(stage: &Stage, head: Head) -> String {
    let parts: Vec<String> =
        Fault::ALL.into_iter().filter_map(|fault| (spec(fault).headline)(stage, head)).collect();
    if parts.is_empty() { "no faults".to_owned() } else { parts.join("; ") }
}

/// The fault that an action is, where the action alone tells.
#[inline]
pub fn fault_of(action: Action) -> Option<Fault> {
    match action.section() {
        Section::Fault(fault) => Some(fault),
        Section::Timeout => Some(Fault::Timeout),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::engine::steps;

    #[test]
    fn each_fault_that_is_an_action_has_a_place_in_the_order() {
        let with_a_step = Fault::ALL.into_iter().filter(|fault| spec(*fault).step.is_some());
        // A sender that gives up waiting goes on: it is counted among the steps.
        let faults: BTreeSet<Fault> = with_a_step.filter(|fault| *fault != Fault::Timeout).collect();
        assert_eq!(faults, BTreeSet::from(IN_ORDER));
    }

    #[test]
    fn each_fault_says_when_it_never_struck_and_what_to_write() {
        for fault in Fault::ALL {
            let Spec { never_struck, remedy, .. } = spec(fault);
            assert!(!never_struck.is_empty(), "{fault:?}");
            assert!(remedy.starts_with("write ") && remedy.contains('`'), "{fault:?}: {remedy}");
        }
    }

    #[test]
    fn no_two_actions_share_a_label_or_a_code() {
        let labels: Vec<&str> = steps::labels().map(|(label, _)| label).collect();
        assert_eq!(labels.iter().collect::<BTreeSet<_>>().len(), labels.len(), "{labels:?}");
        let codes: Vec<u64> = steps::labels().map(|(_, action)| action.code()).collect();
        assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len(), "{codes:?}");
    }
}
