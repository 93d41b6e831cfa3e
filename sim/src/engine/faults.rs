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
mod stale_read;
mod straggler;
mod timeout;
mod truncation;

use crate::engine::machine::Machine;
use crate::engine::offers::Rare;
use crate::engine::watch::Watch;
use crate::engine::world::AnyStateMut;
use crate::model::action::{Action, Section};
use crate::model::ratio::Ratio;
use crate::model::scenario::{Chance, Fault, Injected, Stage};

/// What there is to say of a fault.
pub struct Spec {
    /// Its action, where it has one.
    pub(crate) step: Option<Rare>,
    /// How often it may strike in a run of a stage, where the state counts that: the greatest number of its counter.
    pub(crate) counter: fn(&Stage) -> u64,
    /// When a clock lets it strike after a crash, for one that strikes while the run is down.
    pub(crate) after_crash: fn(&Stage) -> Option<AfterCrash>,
    /// What it needs of a clock, if it is that which brings it about.
    pub timing: Option<Timing>,
    /// Whether a stage asks for it, so that an expectation over runs in which it never struck says nothing.
    pub is_asked_for: fn(&Stage) -> bool,
    /// What the head of a report says of it; none where a stage does not have it.
    pub headline: fn(&Stage, Head) -> Option<String>,
    /// That it never struck, as a clause.
    pub never_struck: &'static str,
    /// What to write so that it strikes.
    pub remedy: &'static str,
    /// Switches it off.
    pub switch_off: fn(&mut Stage),
    /// Lets it strike once less often.
    pub once_less: fn(&mut Stage),
    /// Sets what only a clock needs to what a file means by saying nothing.
    pub usual_clock: fn(&mut Stage),
}

/// A fault that a clock lets strike while the run is down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AfterCrash {
    /// How likely after each crash.
    pub chance: Ratio,
    /// How many ticks after it.
    pub after: u64,
}

/// The faults that a clock lets strike while the run is down, each with the name of the random stream that decides.
pub(crate) const AFTER_CRASH: [(Fault, &str); 1] = [(Fault::CursorHarm, "fault.cursor")];

/// What the head of a report knows besides the stage.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// Whether the runs have a clock, which draws when a fault strikes.
    pub is_timed: bool,
    /// At how many places a crash can strike an undisturbed run.
    pub crash_places: u32,
}

/// A step that only a clock brings about; a counterexample that takes one says so, and it can be switched off.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Timing {
    /// The dedup memory forgets a key, or a preparation expires.
    Expiry,
    /// A sender gives up waiting for a reply.
    Timeout,
    /// A second recoverer starts while the first lives.
    Suspicion,
}

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

impl Spec {
    /// A fault that is no action, is not counted and has nothing to switch: what most entries differ from in little.
    const PLAIN: Spec = Spec {
        step: None,
        counter: |_| 0,
        after_crash: |_| None,
        timing: None,
        is_asked_for: |_| false,
        headline: |_, _| None,
        never_struck: "",
        remedy: "",
        switch_off: |_| {},
        once_less: |_| {},
        usual_clock: |_| {},
    };
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

/// What most heads say of a fault with a chance and a bound.
fn with_chance(name: &str, chance: Option<Chance>, head: Head) -> Option<String> {
    let chance = chance.filter(|c| c.times != Some(0))?;
    let bound = chance.times.map_or(String::new(), |t| format!(", at most {t}"));
    Some(if head.is_timed { format!("{name} {}{bound}", chance.chance) } else { format!("{name}{bound}") })
}

/// A chance that may strike once less often.
fn one_chance_less(chance: &mut Option<Chance>) {
    if let Some(chance) = chance {
        chance.times = Some(chance.times.map_or(1, |times| times.saturating_sub(1).max(1)));
    }
}

/// One less, but not none.
fn one_less(times: &mut u8) {
    *times = (*times - 1).max(1);
}

/// How likely a fault is that a file gives no chance.
fn usual_chance() -> Ratio {
    Ratio::new(9, 10).unwrap_or(Ratio::ALWAYS)
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
