//! What the register says of each fault, and what most entries share.

use crate::engine::offers::Rare;
use crate::model::ratio::Ratio;
use crate::model::scenario::{Chance, Stage};

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
    /// The dedup memory forgets a key.
    Expiry,
    /// A preparation expires.
    Abort,
    /// A sender gives up waiting for a reply.
    Timeout,
    /// A second recoverer starts while the first lives.
    Suspicion,
}

impl Spec {
    /// A fault that is no action, is not counted and has nothing to switch: what most entries differ from in little.
    pub(super) const PLAIN: Spec = Spec {
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

/// What most heads say of a fault with a chance and a bound.
pub(super) fn with_chance(name: &str, chance: Option<Chance>, head: Head) -> Option<String> {
    let chance = chance.filter(|c| c.times != Some(0))?;
    let bound = chance.times.map_or(String::new(), |t| format!(", at most {t}"));
    Some(if head.is_timed { format!("{name} {}{bound}", chance.chance) } else { format!("{name}{bound}") })
}

/// A chance that may strike once less often.
pub(super) fn one_chance_less(chance: &mut Option<Chance>) {
    if let Some(chance) = chance {
        chance.times = Some(chance.times.map_or(1, |times| times.saturating_sub(1).max(1)));
    }
}

/// One less, but not none.
pub(super) fn one_less(times: &mut u8) {
    *times = (*times - 1).max(1);
}

/// How likely a fault is that a file gives no chance.
pub(super) fn usual_chance() -> Ratio {
    Ratio::new(9, 10).unwrap_or(Ratio::ALWAYS)
}
