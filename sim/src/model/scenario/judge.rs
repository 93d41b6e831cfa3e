//! What is asked of a run, in which state, and how often it must be so.

use super::recovery::Frontier;
use crate::model::strategy::Strategy;
use crate::model::verdict::{Verdict, Verdicts};
use crate::model::words::words;

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

words! {
    /// In which state completeness is judged.
    When {
        /// When nothing but a fault can still happen.
        Quiescent = "quiescent",
        /// As soon as a recovery has finished.
        Recovered = "recovered",
    }

    /// What is counted once.
    Counted {
        /// A payload: committed twice, it is owed once, and accepted twice it is a duplicate.
        Payload = "payload",
        /// Each committed instance: a payload is owed as often as it was committed.
        Instance = "instance",
    }

    /// Against which authority obligations are counted.
    Grade {
        /// The journal: everything ever committed.
        Journal = "journal",
        /// What retention kept.
        Retained = "retained",
    }
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

/// How seeds drive the runs that `check` judges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Under {
    /// By the clock, and in any order.
    Both,
    /// By the clock alone: for an answer that depends on how long things take.
    Timed,
    /// In any order alone: for one that must not.
    Uniform,
}

impl Under {
    /// The strategies that it stands for.
    pub fn strategies(self) -> &'static [Strategy] {
        match self {
            Under::Both => &[Strategy::Timed, Strategy::Uniform],
            Under::Timed => &[Strategy::Timed],
            Under::Uniform => &[Strategy::Uniform],
        }
    }
}

/// One way in which `check` judges a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CheckBy {
    /// Seeds.
    Seeds {
        /// How many.
        count: u64,
        /// How they drive the runs.
        under: Under,
    },
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
