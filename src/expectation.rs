//! Judges what a file expects of a design by the runs of seeds that were counted.

use dwsim_reports::check::Outcome;
use dwsim_reports::text;
use dwsim_sim::campaign::Tally;
use dwsim_sim::scenario::{Often, Stage, Verdict};

/// An expectation, judged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judged {
    /// What came of it.
    pub outcome: Outcome,
    /// Why, as a sentence.
    pub detail: String,
    /// The seed that shows it.
    pub seed: Option<u64>,
}

/// Judges one expectation. That something never happens is met only by runs in which it could have.
pub fn judge(verdict: Verdict, expected: Often, tally: &Tally, stage: &Stage) -> Judged {
    let (count, runs) = (tally.count(verdict), tally.runs);
    let seen =
        format!("{} in {} of {}", text::verdict(verdict), text::count(count), text::counted(runs, "run"));
    let judged = |outcome, detail| Judged { outcome, detail, seed: tally.first_seed(verdict) };
    let as_expected = |met: bool| if met { Outcome::Met } else { Outcome::Failed };
    match expected {
        Often::Sometimes if count == 0 => {
            judged(Outcome::Inconclusive, format!("{seen}; more seeds may show it"))
        }
        Often::Sometimes => judged(Outcome::Met, format!("{seen}.")),
        Often::Never if count == 0 => match never_exercised(tally, stage) {
            Some(why) => judged(Outcome::Vacuous, why),
            None => judged(Outcome::Met, format!("{seen}.")),
        },
        Often::Never => judged(Outcome::Failed, format!("{seen}.")),
        Often::Always => judged(as_expected(count == runs), format!("{seen}.")),
        Often::Exactly(n) => judged(as_expected(count == n), format!("{seen}.")),
    }
}

/// Why no run put the design to the test, where none did.
fn never_exercised(tally: &Tally, stage: &Stage) -> Option<String> {
    let names_a_crash = stage.faults.crash.as_ref().is_some_and(|crash| crash.times > 0);
    (names_a_crash && tally.crashes == 0).then(|| {
        format!("no crash struck in {}, so nothing was put to the test.", text::counted(tally.runs, "run"))
    })
}
