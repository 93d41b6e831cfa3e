//! Whose fault is it? A design that failed could have known better, or nobody who reads what it reads could have.

use super::question::Question;
use super::right::{obligations, settle, settles};
use super::survey::Survey;
use crate::engine::machine::{CompileError, Machine};
use crate::engine::world::World;
use crate::model::action::Action;
use crate::model::decision::{Earlier, MOST_BATCHED_EVENTS, Redriven};
use crate::model::scenario::Stage;
use crate::model::view::Rules;
use crate::search::explore::Watched;

/// Why a design fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Regret {
    /// Some batch is right in every state that looks like the one in which it failed: another rule on the same reads,
    /// landed in one step, would have done.
    YourPolicy,
    /// No batch is: whoever reads only this fails.
    YourInterface,
    /// It was not found out, or the failure is none of a decision's.
    NotKnown,
}

impl Regret {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Regret::YourPolicy => "your_policy",
            Regret::YourInterface => "your_interface",
            Regret::NotKnown => "not_known",
        }
    }
}

/// Says why a design that fails does so: looks for the decisions that its own program gets wrong although nothing is
/// lost and nobody crashes after them, and asks whether any batch would have been right there. Looks at no more than
/// `states` states.
///
/// # Errors
/// When the stage cannot be compiled.
pub fn regret(stage: &Stage, rules: &Rules, states: u64, watched: &Watched) -> Result<Regret, CompileError> {
    if stage.source.events.len() > MOST_BATCHED_EVENTS {
        return Ok(Regret::NotKnown);
    }
    let redriven = Redriven::of(stage);
    let question = Question {
        reads: stage.policy.reads(),
        earlier: Earlier::Design,
        redriven,
        states,
        known: Vec::new(),
    };
    let survey = Survey::narrow(stage, rules, &question, watched)?;
    let mut regret = Regret::NotKnown;
    for rows in survey.groups(question.reads).values() {
        let fails = rows.iter().any(|row| {
            let w: World<Vec<u64>> = survey.machine.follow(&survey.schedule(*row));
            goes_wrong(&survey.machine, &w)
        });
        if fails && survey.are_disjoint(rows, redriven) {
            return Ok(Regret::YourInterface);
        }
        if fails && survey.complete() {
            regret = Regret::YourPolicy;
        }
    }
    Ok(regret)
}

/// Whether the design's own program goes wrong from a decision, with nothing between its steps but arrivals.
fn goes_wrong(machine: &Machine, w: &World<Vec<u64>>) -> bool {
    let recoverer = machine.first_recoverer();
    let goes_on = |action: Action| match action {
        Action::Start(slot) | Action::Step { who: slot, .. } if slot == recoverer => true,
        other => settles(machine, other),
    };
    settle(machine, w.clone(), obligations(machine, w), goes_on).is_some()
}
