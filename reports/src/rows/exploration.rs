//! What came of exploring every schedule: a row for each design of a case, with the shortest way to each failure.

use dwsim_sim::analysis::bound::regret::Regret;
use dwsim_sim::model::record::Record;
use dwsim_sim::model::verdict::{Column, Verdict};
use dwsim_sim::search::crash_map::Window;
use dwsim_sim::search::explore::{Ended, Exploration, Reach, Stopped, Timing};

use super::check::CheckLine;
use super::head::Head;
use crate::text;

/// All cases.
#[derive(Clone, PartialEq, Debug)]
pub struct ExplorationReport {
    /// The seed epoch of this version.
    pub seed_epoch: u32,
    /// Whether it was interrupted before every design was explored.
    pub partial: bool,
    /// A scenario or a twin each.
    pub cases: Vec<Case>,
}

/// One scenario or twin.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// What it is called and what it is about.
    pub head: Head,
    /// One for each design.
    pub rows: Vec<Row>,
    /// What the file has `explore` judge and what did not come out so.
    pub unmet: Vec<CheckLine>,
}

/// One design.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The design's name.
    pub design: String,
    /// The policy's name.
    pub policy: String,
    /// The bounds, in a sentence.
    pub bounds: String,
    /// What was found, or why it cannot run here.
    pub found: Result<Found, String>,
}

/// What was found of one design.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// The counts.
    pub exploration: Exploration,
    /// Whether somebody asked to stop before it was done.
    pub interrupted: bool,
    /// For each failure that was reached, a shortest way to it.
    pub shortest: Vec<Shortest>,
    /// What comes of a death at each place, where it was asked for.
    pub map: Vec<Window>,
    /// Whose fault the failures are, where there are any.
    pub regret: Option<Regret>,
}

/// A shortest schedule to a verdict.
#[derive(Clone, PartialEq, Debug)]
pub struct Shortest {
    /// Which verdict.
    pub verdict: Verdict,
    /// The run.
    pub record: Record,
    /// The steps (from 1) that only a clock brings about.
    pub needs: Vec<(usize, Timing)>,
    /// The line to paste that replays it.
    pub replay: String,
}

/// How an exploration ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// No failure can come about within the bounds.
    Proved,
    /// Some failure can.
    Counterexample,
    /// None was found, and not everything was looked at.
    Inconclusive,
}

impl Ending {
    /// As a word of the JSON.
    pub fn word(self) -> &'static str {
        match self {
            Ending::Proved => "proved",
            Ending::Counterexample => "counterexample",
            Ending::Inconclusive => "inconclusive",
        }
    }
}

impl Found {
    /// How it ended.
    pub fn ending(&self) -> Ending {
        let reached = |verdict: &Verdict| self.exploration.reach(*verdict) == Reach::Reachable;
        if Verdict::FAILURES.iter().any(reached) {
            Ending::Counterexample
        } else if self.exploration.is_complete() {
            Ending::Proved
        } else {
            Ending::Inconclusive
        }
    }

    /// What it ended with and how much was covered, as a sentence without its full stop.
    pub fn in_words(&self) -> String {
        let e = &self.exploration;
        let covered = format!(
            "{}, {}, depth {}",
            text::counted(e.states, "distinct state"),
            text::counted(e.transitions, "transition"),
            e.depth
        );
        match (self.ending(), e.is_complete()) {
            (Ending::Proved, _) => format!("proved within bounds: {covered}"),
            (Ending::Counterexample, true) => {
                let failures: Vec<String> = self
                    .shortest
                    .iter()
                    .map(|s| {
                        let steps = text::counted(s.record.moments.len() as u64, "step");
                        format!("{} in {steps}", text::verdict(s.verdict))
                    })
                    .collect();
                format!("counterexample: {}; {covered}", text::list(&failures))
            }
            (Ending::Counterexample, false) => {
                format!("counterexample, found before the search was complete: {covered}")
            }
            (Ending::Inconclusive, _) => {
                let why = match () {
                    () if self.interrupted => "interrupted",
                    () if e.ended == Ended::Stopped(Stopped::Memory) => "stopped by the memory limit",
                    () => "stopped by the limit of states",
                };
                let bytes = e.states.saturating_mul(e.bytes_per_state);
                format!("inconclusive: {why} after {covered}, about {} MB", text::count(bytes >> 20))
            }
        }
    }
}

impl Shortest {
    /// What the schedule needs of a clock, a clause for each step that only time brings about.
    pub fn needs_in_words(&self) -> Vec<String> {
        let clause = |(step, timing): &(usize, Timing)| match timing {
            Timing::Expiry => format!("the memory expires between steps {} and {}", step - 1, step + 1),
            Timing::Abort => format!("the preparation expires between steps {} and {}", step - 1, step + 1),
            Timing::Timeout => format!("the sender times out between steps {} and {}", step - 1, step + 1),
            Timing::Suspicion => format!("a second recoverer starts at step {step} while the first lives"),
        };
        self.needs.iter().map(clause).collect()
    }
}

impl ExplorationReport {
    /// The failures that are columns: those that some design can show.
    pub fn columns(&self) -> Vec<Verdict> {
        let found = || self.cases.iter().flat_map(|c| &c.rows).filter_map(|r| r.found.as_ref().ok());
        let always = |v: &Verdict| v.spec().column == Column::Always;
        let shown = |v: &Verdict| always(v) || found().any(|f| f.exploration.witness(*v).is_some());
        Verdict::ALL.into_iter().filter(shown).collect()
    }
}
