//! What each expectation of a scenario ends as, given the runs that were judged. Pure: whoever judges brings the
//! counts. `never` that did not occur is proved only where every schedule was walked; and what the runs could not have
//! exercised is vacuous, not met.

mod fault;
mod walk;

use crate::campaign::Tally;
use crate::scenario::{Often, Stage, Verdict};

pub use fault::Fault;
pub use walk::{Walk, walk};

/// What came of an expectation, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outcome {
    /// As expected.
    Met,
    /// As expected, but nothing could have made it otherwise.
    Vacuous,
    /// Not seen, which proves nothing.
    Inconclusive,
    /// Not as expected.
    Failed,
}

impl Outcome {
    /// As a word.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Met => "met",
            Outcome::Vacuous => "vacuous",
            Outcome::Inconclusive => "inconclusive",
            Outcome::Failed => "failed",
        }
    }
}

/// How the judged runs were chosen, which decides what their counts can say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// A sample of the schedules, by seeds.
    Sample,
    /// A crash at every place of an otherwise undisturbed run.
    CrashAtEveryStep,
    /// The one schedule that somebody wrote down.
    Script,
    /// All schedules within the bounds, or as many as there was room for; what is counted are ends of runs.
    Walk {
        /// Whether no schedule was left out.
        complete: bool,
    },
}

/// An expectation's end, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// What came of it.
    pub outcome: Outcome,
    /// Why, as a sentence without a full stop; empty where there is nothing to say.
    pub why: String,
}

/// What an expectation ends as over the runs of `tally`, which were those of one design on `stage`.
pub fn ending(verdict: Verdict, often: Often, way: Way, stage: &Stage, tally: &Tally) -> Ending {
    let (seen, runs) = (tally.count(verdict), tally.runs);
    let ended = |outcome, why: String| Ending { outcome, why };
    if runs == 0 {
        return ended(Outcome::Inconclusive, "no run was judged".to_owned());
    }
    let unit = if matches!(way, Way::Walk { .. }) { "ends" } else { "runs" };
    let violated = match often {
        Often::Sometimes => seen == 0 && way.leaves_nothing_out(),
        Often::Never => seen > 0,
        Often::Always => seen < runs,
        // More than are expected stay more, whatever was left out.
        Often::Exactly(n) => seen > n || seen < n && way != (Way::Walk { complete: false }),
    };
    if violated {
        return ended(Outcome::Failed, format!("it occurred in {seen} of {runs} {unit}"));
    }
    if often == Often::Sometimes {
        return match (seen, way) {
            (0, Way::Walk { .. }) => {
                ended(Outcome::Inconclusive, "not seen before the limit of states".to_owned())
            }
            (0, _) => ended(Outcome::Inconclusive, format!("not seen in {runs} runs")),
            _ => ended(Outcome::Met, format!("it occurred in {seen} of {runs} {unit}")),
        };
    }
    if way == (Way::Walk { complete: false }) {
        return ended(
            Outcome::Inconclusive,
            "the limit of states was reached, so some schedules were not judged".to_owned(),
        );
    }
    // What was seen was exercised. What was expected not to be seen needs something that could have brought it about.
    let absence = match often {
        Often::Never | Often::Exactly(0) => true,
        Often::Always => verdict == Verdict::ExactlyOnce,
        Often::Sometimes | Often::Exactly(_) => false,
    };
    let missing = Fault::named_by(stage, way).find(|fault| !tally.struck(*fault));
    match (missing.filter(|_| absence), way) {
        (Some(fault), _) => ended(Outcome::Vacuous, fault.never_struck().to_owned()),
        (None, Way::Walk { .. }) => ended(Outcome::Met, format!("proved within bounds: {runs} ends of runs")),
        (None, _) if seen == 0 => ended(Outcome::Met, format!("not seen in {runs} runs")),
        (None, _) => ended(Outcome::Met, format!("it occurred in {seen} of {runs} runs")),
    }
}

impl Way {
    /// Whether judging again, with more seeds or more room, could not see more.
    fn leaves_nothing_out(self) -> bool {
        match self {
            Way::Sample | Way::Walk { complete: false } => false,
            Way::CrashAtEveryStep | Way::Script | Way::Walk { complete: true } => true,
        }
    }
}
