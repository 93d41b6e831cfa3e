//! How the judging of a claim ends.

use crate::analysis::expect::{Ending, Outcome};

/// What came of a claim, with the schedule that shows it where one does.
pub struct Judged {
    /// How it ended.
    pub ending: Ending,
    /// The labels of a schedule to a state that refutes the claim.
    pub against: Option<Vec<String>>,
}

impl From<Ending> for Judged {
    fn from(ending: Ending) -> Judged {
        Judged { ending, against: None }
    }
}

pub(super) fn met(why: impl Into<String>) -> Ending {
    Ending { outcome: Outcome::Met, why: why.into() }
}

pub(super) fn failed(why: impl Into<String>) -> Ending {
    Ending { outcome: Outcome::Failed, why: why.into() }
}

pub(super) fn open(states: u64) -> Ending {
    Ending {
        outcome: Outcome::Inconclusive,
        why: format!("not decided by the {states} states that there was room for"),
    }
}
