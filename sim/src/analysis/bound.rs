//! What no policy could do. Every reachable state in which a recovery decision is due is grouped with those that look
//! the same through given surfaces; a policy that reads only these does the same in all of a group. Where no one batch
//! is right in all of them, every such policy is wrong in one; where one is, it is a rule to use.
//!
//! [`right`] says what a right batch is, [`survey`] collects the states, [`groups`] compares them, [`lattice`] asks
//! which surfaces would do, [`regret`] whose fault a design's failure is, and [`triage`] what a deployment must see to.

mod batches;
mod groups;
mod lattice;
mod question;
pub mod regret;
mod right;
mod survey;
pub mod table;
pub mod triage;

use std::sync::atomic::Ordering;

use crate::engine::machine::CompileError;
use crate::model::decision::{Earlier, MOST_BATCHED_EVENTS, Redriven};
use crate::model::program::{Act, FenceTo, Surfaces};
use crate::model::scenario::{Dedup, DedupKey, DedupOrder, DedupScope, Durability, FenceCheck, Keeps, Stage};
use crate::model::view::Rules;
use crate::search::explore::Watched;
use groups::Groups;
pub use lattice::Price;
pub use question::{Confusable, Fails, Failure, Fork, Member, Question};
use survey::Survey;
use table::Table;

impl Redriven {
    /// Whether a stage's sink checks what this re-drive raises.
    pub fn is_supported_by(self, stage: &Stage) -> bool {
        match self {
            Redriven::Unfenced => true,
            Redriven::Fenced => stage.sink.fence == FenceCheck::Arrival,
            Redriven::Claim => matches!(stage.sink.fence, FenceCheck::Arrival | FenceCheck::Fire),
        }
    }

    /// How a stage's own policy lands its batches.
    pub fn of(stage: &Stage) -> Redriven {
        let mut fences = stage.policy.acts().filter_map(|act| match act {
            Act::Fence(to) => Some(*to),
            _ => None,
        });
        match fences.next() {
            None => Redriven::Unfenced,
            Some(FenceTo::Successor) => Redriven::Fenced,
            Some(FenceTo::Own | FenceTo::PastOwn) => Redriven::Claim,
        }
    }
}

/// What was found out.
#[derive(Clone, Debug)]
pub struct Bound {
    /// What the recoverer reads.
    pub reads: Surfaces,
    /// How the batch lands.
    pub redriven: Redriven,
    /// Who made the recoveries before.
    pub earlier: Earlier,
    /// The labels of the payloads, by index: what batches are made of.
    pub payloads: Vec<String>,
    /// How many states were looked at.
    pub states: u64,
    /// Whether they were all.
    pub complete: bool,
    /// How many of them are decisions that can still come out right.
    pub decisions: u64,
    /// How many different sights these surfaces show at them.
    pub groups: u64,
    /// The answer.
    pub answer: Answer,
    /// The cheapest sets of surfaces that suffice under this re-drive, cheapest first; none where not even all of them
    /// together do.
    pub sufficient: Vec<Surfaces>,
    /// What the same surfaces are good for when acceptance changes.
    pub acceptance: Vec<Acceptance>,
}

/// The same question under another acceptance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Acceptance {
    /// What the sink does.
    pub change: Change,
    /// Whether the sink of the scenario does that already.
    pub supported: bool,
    /// Whether some policy is right then; none where it could not be told.
    pub decidable: Option<bool>,
}

/// What a sink can do about a message that it should not accept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// Check a fence, raised as this re-drive does.
    Redriven(Redriven),
    /// Remember by coordinate, for ever, what it accepted, and refuse it a second time.
    Dedup,
}

/// Whether some policy is always right.
#[derive(Clone, Debug)]
pub enum Answer {
    /// None is: these states look the same, and each batch fails in one of them.
    Undecidable(Box<Confusable>),
    /// This rule is, and so are the named ones.
    Decidable {
        /// A batch for each sight.
        rule: Table,
        /// Which of the known rules are right too.
        same: Vec<String>,
    },
    /// It could not be told, for this reason.
    Inconclusive(String),
}

/// Answers a question about a stage.
///
/// # Errors
/// When the stage cannot be compiled.
pub fn bound(
    stage: &Stage,
    rules: &Rules,
    question: &Question,
    watched: &Watched,
) -> Result<Bound, CompileError> {
    if let Some(why) = too_many(stage) {
        return Ok(Bound::without_a_look(stage, question, Answer::Inconclusive(why)));
    }
    let survey = Survey::of(stage, rules, question, watched)?;
    let redriven = question.redriven;
    let groups = survey.groups(question.reads);
    let answer = answer(&survey, &groups, question, watched);
    let mut acceptance: Vec<Acceptance> = Vec::new();
    for redriven in Redriven::ALL {
        let supported = redriven.is_supported_by(stage);
        let decidable = match supported {
            true => survey.is_decidable(&groups, redriven),
            false => {
                let mut changed = stage.clone();
                changed.sink.fence = FenceCheck::Arrival;
                changes(&changed, rules, question, redriven, watched)?
            }
        };
        acceptance.push(Acceptance { change: Change::Redriven(redriven), supported, decidable });
    }
    let mut changed = stage.clone();
    let supported = changed.sink.dedup.is_some_and(|d| d == FOR_EVER);
    changed.sink.dedup = Some(FOR_EVER);
    let decidable = changes(&changed, rules, question, Redriven::Unfenced, watched)?;
    acceptance.push(Acceptance { change: Change::Dedup, supported, decidable });
    Ok(Bound {
        reads: question.reads,
        redriven,
        earlier: question.earlier,
        payloads: stage.source.events.iter().map(|e| e.label.clone()).collect(),
        states: survey.states(),
        complete: survey.complete(),
        decisions: survey.decisions(),
        groups: groups.len() as u64,
        answer,
        sufficient: if survey.complete() { survey.cheapest(redriven) } else { Vec::new() },
        acceptance,
    })
}

/// Answers a question about a stage without asking what else would do.
///
/// # Errors
/// When the stage cannot be compiled.
pub fn decide(
    stage: &Stage,
    rules: &Rules,
    question: &Question,
    watched: &Watched,
) -> Result<Answer, CompileError> {
    if let Some(why) = too_many(stage) {
        return Ok(Answer::Inconclusive(why));
    }
    let survey = Survey::narrow(stage, rules, question, watched)?;
    Ok(answer(&survey, &survey.groups(question.reads), question, watched))
}

fn answer(survey: &Survey, groups: &Groups, question: &Question, watched: &Watched) -> Answer {
    match survey.confusable(groups, question.redriven) {
        Some(members) => Answer::Undecidable(Box::new(survey.explain(&members, question))),
        None if survey.complete() => {
            let same = survey.same(groups, question);
            Answer::Decidable { rule: survey.table(groups, question), same }
        }
        None if watched.stop.load(Ordering::Relaxed) => Answer::Inconclusive(format!(
            "interrupted at {} states, with no contradiction among these",
            survey.states()
        )),
        None => Answer::Inconclusive(format!(
            "there are more than {} states, and no contradiction among these",
            question.states.min(survey.states().saturating_sub(1))
        )),
    }
}

/// A memory that knows every coordinate for ever.
const FOR_EVER: Dedup = Dedup {
    key: DedupKey::Coordinate,
    scope: DedupScope::Sink,
    keeps: Keeps::Forever,
    order: DedupOrder::Atomic,
    release_on_failure: false,
    survives: Durability::Durable,
};

/// Whether a changed stage is decidable by the same surfaces.
fn changes(
    stage: &Stage,
    rules: &Rules,
    question: &Question,
    redriven: Redriven,
    watched: &Watched,
) -> Result<Option<bool>, CompileError> {
    let question = Question { redriven, known: Vec::new(), ..question.clone() };
    let survey = Survey::of(stage, rules, &question, watched)?;
    Ok(survey.is_decidable(&survey.groups(question.reads), redriven))
}

/// Why no batches are tried, where there are too many.
fn too_many(stage: &Stage) -> Option<String> {
    let events = stage.source.events.len();
    (events > MOST_BATCHED_EVENTS).then(|| {
        format!("{events} events make more batches than can be tried; use at most {MOST_BATCHED_EVENTS}")
    })
}

impl Bound {
    fn without_a_look(stage: &Stage, question: &Question, answer: Answer) -> Bound {
        Bound {
            reads: question.reads,
            redriven: question.redriven,
            earlier: question.earlier,
            payloads: stage.source.events.iter().map(|e| e.label.clone()).collect(),
            states: 0,
            complete: false,
            decisions: 0,
            groups: 0,
            answer,
            sufficient: Vec::new(),
            acceptance: Vec::new(),
        }
    }
}
