//! What is asked of a run, in which state, and how often it must be so.

use super::recovery::Frontier;
use crate::model::verdict::{Verdict, Verdicts};

/// Where and when completeness is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Judge {
    /// At which frontier.
    pub frontier: Frontier,
    /// In which state.
    pub when: When,
    /// Against which authority.
    pub grade: Grade,
    /// What counts as one: a payload, however often it was committed, or each commit of it.
    pub count: Counted,
    /// The verdicts that are judged because something asks for them, of those that are not judged otherwise.
    pub asked: Verdicts,
    /// Whether the accepted record is kept in order, with generations (some claim asks for them).
    pub order: bool,
}

impl Judge {
    /// Judges a verdict, where that takes asking for.
    pub fn ask_for(&mut self, verdict: Verdict) {
        if verdict.must_be_asked_for() {
            self.asked = self.asked.with(verdict);
        }
    }
}

/// In which state completeness is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// When nothing but a fault can still happen.
    Quiescent,
    /// As soon as a recovery has finished.
    Recovered,
}

/// Against which authority obligations are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grade {
    /// The journal: everything ever committed.
    Journal,
    /// What retention kept.
    Retained,
}

/// What is counted once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// A payload: committed twice, it is owed once, and accepted twice it is a duplicate.
    Payload,
    /// Each committed instance: a payload is owed as often as it was committed.
    Instance,
}

/// What a file expects of one design. A verdict that is not named is not judged.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expect {
    /// Each named verdict with how often it must occur.
    pub verdicts: Vec<(Verdict, Often)>,
}

/// How often a verdict must occur over the runs that were judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Often {
    /// At least once.
    Sometimes,
    /// Not at all.
    Never,
    /// In every run.
    Always,
    /// In so many runs.
    Exactly(u64),
}

/// One way in which `check` judges a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CheckBy {
    /// So many seeds, under `timed` and `uniform` both.
    Seeds(u64),
    /// Every schedule within the bounds.
    Explore,
    /// One run for each place at which a single crash can strike an otherwise undisturbed run.
    CrashAtEveryStep,
    /// The steps of one schedule, by their labels, then on to quiescence unless it says `stop`.
    Script {
        /// The labels.
        labels: Vec<String>,
        /// Whether the run goes on to quiescence after the last label.
        then_run_on: bool,
    },
}
