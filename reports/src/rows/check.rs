//! What came of a scenario's own expectations: the rows of `dwsim check`.

use dwsim_sim::model::scenario::{Often, Verdict};

pub use dwsim_sim::analysis::expect::Outcome;

use crate::text;

/// What `dwsim check` found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CheckReport {
    /// The seed epoch under which the seeds mean what they mean.
    pub seed_epoch: u32,
    /// Whether it was interrupted before everything was judged.
    pub partial: bool,
    /// One for each expectation and way of judging it, those of a scenario together.
    pub cases: Vec<CheckLine>,
    /// What a reader should know that belongs to no expectation.
    pub warnings: Vec<String>,
}

/// What a file expects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expects {
    /// A verdict, so often.
    Verdict(Verdict, Often),
    /// What the claim of this name says.
    Claim(String),
}

impl Expects {
    /// `duplicate`, or `claim`.
    pub fn kind(&self) -> &str {
        match self {
            Expects::Verdict(verdict, _) => verdict.name(),
            Expects::Claim(_) => "claim",
        }
    }

    /// `sometimes`, or the claim's name.
    pub fn expected(&self) -> String {
        match self {
            Expects::Verdict(_, how_often) => often(*how_often),
            Expects::Claim(name) => name.clone(),
        }
    }
}

/// One expectation, judged one way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckLine {
    /// The scenario's name.
    pub scenario: String,
    /// The path of its file, as the user typed it.
    pub path: String,
    /// The twin's name, or empty.
    pub twin: String,
    /// The design's name.
    pub design: String,
    /// What is expected.
    pub expects: Expects,
    /// How it was judged: `10000 seeds, timed`.
    pub by: String,
    /// What came of it.
    pub outcome: Outcome,
    /// Why, as a sentence; empty where there is nothing to say.
    pub detail: String,
    /// The line to paste that shows it again.
    pub reproduce: Option<String>,
}

/// Of which design something is expected.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The scenario's name.
    pub scenario: &'a str,
    /// The path of its file, as the user typed it.
    pub path: &'a str,
    /// The twin's name, or empty.
    pub twin: &'a str,
    /// The design's name.
    pub design: &'a str,
}

impl Subject<'_> {
    /// A line: what is expected, how it was judged, what came of it and why, and the line to paste that shows it again.
    pub fn line(
        self,
        expects: Expects,
        by: impl Into<String>,
        (outcome, detail): (Outcome, String),
        reproduce: Option<String>,
    ) -> CheckLine {
        CheckLine {
            scenario: self.scenario.to_owned(),
            path: self.path.to_owned(),
            twin: self.twin.to_owned(),
            design: self.design.to_owned(),
            expects,
            by: by.into(),
            outcome,
            detail,
            reproduce,
        }
    }
}

/// The expectations of one scenario with all its twins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScenarioLines<'a> {
    /// The scenario's name.
    pub name: &'a str,
    /// Its lines.
    pub lines: &'a [CheckLine],
}

impl CheckReport {
    /// The lines by scenario, in their order.
    pub fn scenarios(&self) -> Vec<ScenarioLines<'_>> {
        let same = |a: &CheckLine, b: &CheckLine| (&a.scenario, &a.path) == (&b.scenario, &b.path);
        self.cases.chunk_by(same).map(|lines| ScenarioLines { name: &lines[0].scenario, lines }).collect()
    }

    /// How many expectations came out so.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.cases.iter().filter(|line| line.outcome == outcome).count()
    }

    /// `31 expectations of 6 scenarios: 30 met, 1 failed`.
    pub fn in_words(&self) -> String {
        let scenarios = text::counted(self.scenarios().len() as u64, "scenario");
        format!(
            "{} of {scenarios}: {}",
            text::counted(self.cases.len() as u64, "expectation"),
            tally(&self.cases)
        )
    }
}

impl ScenarioLines<'_> {
    /// The worst that came of any of them.
    pub fn outcome(&self) -> Outcome {
        self.lines.iter().map(|line| line.outcome).max().unwrap_or(Outcome::Met)
    }

    /// `8 met, 1 failed`.
    pub fn in_words(&self) -> String {
        tally(self.lines)
    }
}

impl CheckLine {
    /// `sink-delta, duplicate sometimes (10000 seeds, timed)`, with the twin where there is one.
    pub fn what(&self) -> String {
        let twin = if self.twin.is_empty() { String::new() } else { format!(" in twin \"{}\"", self.twin) };
        let (design, kind) = (text::name(&self.design), self.expects.kind());
        let expected = match &self.expects {
            Expects::Verdict(..) => self.expects.expected(),
            Expects::Claim(name) => format!("\"{name}\""),
        };
        format!("{design}{twin}, {kind} {expected} ({})", self.by)
    }
}

/// How often, as a file writes it.
pub fn often(often: Often) -> String {
    match often {
        Often::Sometimes => "sometimes".to_owned(),
        Often::Never => "never".to_owned(),
        Often::Always => "always".to_owned(),
        Often::Exactly(n) => format!("exactly({n})"),
    }
}

fn tally(lines: &[CheckLine]) -> String {
    let count = |outcome: Outcome| lines.iter().filter(|line| line.outcome == outcome).count();
    let parts: Vec<String> = [Outcome::Met, Outcome::Failed, Outcome::Inconclusive, Outcome::Vacuous]
        .into_iter()
        .filter(|outcome| count(*outcome) > 0)
        .map(|outcome| format!("{} {}", text::count(count(outcome) as u64), outcome.word()))
        .collect();
    if parts.is_empty() {
        "nothing was expected; write `expect` or `claims`".to_owned()
    } else {
        parts.join(", ")
    }
}
