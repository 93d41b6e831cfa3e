//! What is asked of a run, in which state, and how often it must be so.

use super::recovery::Frontier;
use crate::model::strategy::Strategy;

/// Where and when completeness is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Judge {
    /// At which frontier.
    pub frontier: Frontier,
    /// In which state.
    pub when: When,
    /// Against which authority.
    pub grade: Grade,
    /// Whether the sink's contents are judged too (some expectation names `dirty`).
    pub contents: bool,
    /// Whether the accepted record is kept in order, with generations (some claim asks for them).
    pub order: bool,
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

/// What a file expects of one design. A verdict that is not named is not judged.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expect {
    /// Each named verdict with how often it must occur.
    pub verdicts: Vec<(Verdict, Often)>,
}

/// What the oracle can say of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// Not unsafe, complete, and finished.
    ExactlyOnce,
    /// Some payload is on the accepted record more than once.
    Duplicate,
    /// Some accepted emission is not justified by the journal.
    Premature,
    /// Some obligation at the frontier is not on the accepted record.
    Lost,
    /// The run ended before it was quiescent, or nobody is left to recover it.
    Unfinished,
    /// On some key in scope, the sink's contents differ from the committed image.
    Dirty,
    /// Something accepted was committed and is no longer in the source's live log.
    Phantom,
    /// Exactly-once against what retention kept, and yet lost against the journal.
    GradeGap,
}

impl Verdict {
    /// Every verdict, in the order of the report's columns.
    pub const ALL: [Verdict; 8] = [
        Verdict::ExactlyOnce,
        Verdict::Duplicate,
        Verdict::Premature,
        Verdict::Lost,
        Verdict::Unfinished,
        Verdict::Dirty,
        Verdict::Phantom,
        Verdict::GradeGap,
    ];

    /// The name in files and JSON, in snake case.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::ExactlyOnce => "exactly_once",
            Verdict::Duplicate => "duplicate",
            Verdict::Premature => "premature",
            Verdict::Lost => "lost",
            Verdict::Unfinished => "unfinished",
            Verdict::Dirty => "dirty",
            Verdict::Phantom => "phantom",
            Verdict::GradeGap => "grade_gap",
        }
    }
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
