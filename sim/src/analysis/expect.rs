//! What each expectation of a scenario ends as, given the runs or the exploration that it is judged by. Pure: whoever
//! judges brings the counts. `never` that did not occur is proved only where every schedule was covered; and what the
//! runs could not have exercised is vacuous, not met.

mod fault;

use crate::analysis::stats::count;
use crate::analysis::tally::Tally;
use crate::engine::faults::spec;
use crate::model::scenario::{Often, Stage, Verdict};
use crate::search::explore::{Exploration, Reach};

pub(crate) use fault::asked_for;

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
pub enum Sample {
    /// By seeds: more of them might show more.
    Seeds,
    /// A crash at every place of an otherwise undisturbed run; there are no more.
    CrashAtEveryStep,
    /// The one schedule that somebody wrote down.
    Script,
}

/// An expectation's end, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// What came of it.
    pub outcome: Outcome,
    /// Why, as a clause.
    pub why: String,
}

fn ended(outcome: Outcome, why: impl Into<String>) -> Ending {
    Ending { outcome, why: why.into() }
}

/// What an expectation ends as over counted runs of one design on `stage`.
pub fn over_runs(verdict: Verdict, often: Often, sample: Sample, stage: &Stage, tally: &Tally) -> Ending {
    let (seen, runs) = (tally.count(verdict), tally.runs);
    let counted = match seen {
        0 if runs == 1 => "not seen in the one run".to_owned(),
        0 => format!("not seen in {} runs", count(runs)),
        1 if runs == 1 => "seen in the one run".to_owned(),
        _ => format!("seen in {} of {} runs", count(seen), count(runs)),
    };
    if runs == 0 {
        return ended(Outcome::Inconclusive, "no run was judged");
    }
    let as_expected = match often {
        Often::Sometimes if seen == 0 && sample == Sample::Seeds => {
            return ended(Outcome::Inconclusive, counted);
        }
        Often::Sometimes => seen > 0,
        Often::Never => seen == 0,
        Often::Always => seen == runs,
        Often::Exactly(n) => seen == n,
    };
    if !as_expected {
        return ended(Outcome::Failed, counted);
    }
    // What was seen was exercised. That nothing went wrong needs something that could have made it go wrong.
    let nothing_went_wrong = seen == 0 || verdict == Verdict::ExactlyOnce && seen == runs;
    match asked_for(stage, sample).find(|fault| nothing_went_wrong && !tally.struck(*fault)) {
        Some(fault) => ended(Outcome::Vacuous, spec(fault).never_struck),
        None => ended(Outcome::Met, counted),
    }
}

/// What an expectation ends as by an exploration, which covers every schedule within the bounds or says that it did
/// not. It knows what can come about, not how often.
pub fn over_exploration(verdict: Verdict, often: Often, found: &Exploration) -> Ending {
    let states = found.states;
    let proved = |yes: bool, why: &str| {
        let outcome = if yes { Outcome::Met } else { Outcome::Failed };
        ended(outcome, format!("{why}, over all {states} states within the bounds"))
    };
    let open = || {
        ended(Outcome::Inconclusive, format!("not decided by the {states} states that there was room for"))
    };
    match (often, found.reach(verdict)) {
        (Often::Sometimes, Reach::Reachable) => ended(Outcome::Met, "reached"),
        (Often::Sometimes, Reach::Unreachable) => proved(false, "not reached"),
        (Often::Never | Often::Exactly(0), Reach::Reachable) => ended(Outcome::Failed, "reached"),
        (Often::Never | Often::Exactly(0), Reach::Unreachable) => proved(true, "proved"),
        (Often::Always, _) => match exception(verdict, found) {
            Some((other, Reach::Reachable)) => {
                ended(Outcome::Failed, format!("{} is reached instead", other.name()))
            }
            Some((_, Reach::Unreachable)) => proved(true, "proved"),
            Some((_, Reach::Unknown)) => open(),
            None => ended(
                Outcome::Inconclusive,
                "an exploration tells what can happen, not what must; judge this by runs",
            ),
        },
        (Often::Exactly(_), _) => {
            ended(Outcome::Inconclusive, "an exploration counts no runs; judge this by runs")
        }
        (_, Reach::Unknown) => open(),
    }
}

/// Where an expectation fails: the verdict whose first run, or whose shortest schedule, shows it. None where no one
/// verdict does.
pub fn culprit(verdict: Verdict, often: Often, occurred: impl Fn(Verdict) -> bool) -> Option<Verdict> {
    match often {
        Often::Always if verdict == Verdict::ExactlyOnce => {
            Verdict::against_exactly_once().find(|v| occurred(*v))
        }
        Often::Never | Often::Exactly(_) => occurred(verdict).then_some(verdict),
        Often::Always | Often::Sometimes => None,
    }
}

/// What a run shows that lacks a verdict, and whether it can come about; none where nothing in particular does.
fn exception(verdict: Verdict, found: &Exploration) -> Option<(Verdict, Reach)> {
    (verdict == Verdict::ExactlyOnce).then_some(())?;
    let reaches = || Verdict::against_exactly_once().map(|v| (v, found.reach(v)));
    let first = |reach| reaches().find(|(_, r)| *r == reach);
    first(Reach::Reachable).or_else(|| first(Reach::Unknown)).or_else(|| first(Reach::Unreachable))
}
