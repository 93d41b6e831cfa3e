//! From a run that went wrong to the smallest scenario that goes wrong in the same way: delta debugging over the steps
//! of the schedule, then over the events, faults, bounds and recoverers of the stage, until nothing more can go.
//!
//! A schedule with a step left out is followed as far as it goes: what is not enabled any more is left out too. For a
//! verdict that is true from one step on (duplicate, premature) the schedule ends there; for one of completeness the
//! run goes on, without further faults, until it has come to rest. What comes out is minimal: leaving out any one step
//! changes the verdict.

mod follow;
mod simpler;

use crate::engine::machine::{CompileError, Machine};
use crate::model::action::Action;
use crate::model::scenario::{Stage, Verdict};
use crate::model::verdict::Verdicts;
use crate::model::view::Rules;

use follow::{Outcome, follow, translate};

/// The smallest scenario found.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// What it runs under.
    pub stage: Stage,
    /// The verdict that it shows.
    pub verdict: Verdict,
    /// The steps, each of which is needed.
    pub steps: Vec<Needed>,
    /// Whether the run goes on to rest after them.
    pub then_run_on: bool,
}

/// A step of a smallest schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Needed {
    /// What happens.
    pub action: Action,
    /// Its label.
    pub label: String,
    /// The verdicts of the run that has all the others and goes on to rest.
    pub without: Vec<Verdict>,
}

/// Shrinks a run of `machine` that shows `verdict`; none if it does not show it. `rules` are those that the machine
/// was compiled with.
///
/// # Errors
/// When a smaller stage does not compile, which the machine's own stage did.
pub fn shrink(
    machine: &Machine,
    rules: &Rules,
    schedule: &[Action],
    verdict: Verdict,
) -> Result<Option<Shrunk>, CompileError> {
    let mut stage = machine.stage.clone();
    stage.judge.asked = Verdicts::NONE;
    stage.judge.ask_for(verdict);
    let mut search = Search {
        machine: Machine::compile(&stage, rules)?,
        rules,
        verdict,
        then_run_on: !verdict.is_hazard(),
        schedule: Vec::new(),
    };
    if !search.accept(schedule) {
        return Ok(None);
    }
    loop {
        let before = (search.schedule.len(), search.machine.stage.clone());
        search.drop_events()?;
        search.drop_steps();
        search.simplify_stage()?;
        if before == (search.schedule.len(), search.machine.stage.clone()) {
            return Ok(Some(search.finish()));
        }
    }
}

struct Search<'a> {
    machine: Machine,
    rules: &'a Rules,
    verdict: Verdict,
    then_run_on: bool,
    /// The smallest schedule so far; every step of it is enabled in its turn.
    schedule: Vec<Action>,
}

impl Search<'_> {
    fn outcome(&self, schedule: impl IntoIterator<Item = Action>) -> Outcome {
        follow(&self.machine, schedule, self.then_run_on)
    }

    /// Takes a schedule, as far as it can be followed, if it shows the verdict.
    fn accept(&mut self, schedule: &[Action]) -> bool {
        let outcome = self.outcome(schedule.iter().copied());
        let shows = outcome.judgement.is(self.verdict);
        if shows {
            self.schedule = outcome.followed;
        }
        shows
    }

    /// Leaves out runs of steps, long ones first, until no single step can go.
    fn drop_steps(&mut self) {
        let mut size = self.schedule.len().div_ceil(2);
        while size > 0 {
            let before = self.schedule.len();
            let mut end = self.schedule.len();
            while end > 0 {
                let start = end.saturating_sub(size);
                let rest = [&self.schedule[..start], &self.schedule[end..]].concat();
                self.accept(&rest);
                end = start.min(self.schedule.len());
            }
            if size > 1 || self.schedule.len() == before {
                size /= 2;
            }
        }
    }

    /// Leaves out runs of events, long ones first. A stage whose labels hold choices among its events keeps them.
    fn drop_events(&mut self) -> Result<(), CompileError> {
        if self.machine.has_choices {
            return Ok(());
        }
        let mut size = self.machine.events().div_ceil(2) as usize;
        while size > 0 {
            let mut end = self.machine.events() as usize;
            while end > 0 {
                let start = end.saturating_sub(size);
                if let Some(stage) = simpler::without_events(&self.machine.stage, start..end) {
                    let new = |old: u32| match old as usize {
                        old if old < start => u32::try_from(old).ok(),
                        old if old >= end => u32::try_from(old - (end - start)).ok(),
                        _ => None,
                    };
                    self.accept_stage(&stage, &new)?;
                }
                end = start.min(self.machine.events() as usize);
            }
            size /= 2;
        }
        Ok(())
    }

    fn simplify_stage(&mut self) -> Result<(), CompileError> {
        'simplify: loop {
            for stage in simpler::simpler(&self.machine.stage) {
                if self.accept_stage(&stage, &Some)? {
                    continue 'simplify;
                }
            }
            return Ok(());
        }
    }

    /// Takes a stage if the schedule, told in its events and slots, shows the verdict there.
    fn accept_stage(
        &mut self,
        stage: &Stage,
        events: &dyn Fn(u32) -> Option<u32>,
    ) -> Result<bool, CompileError> {
        let machine = Machine::compile(stage, self.rules)?;
        let told = |action: &Action| translate(&self.machine, &machine, *action, events);
        let outcome = follow(&machine, self.schedule.iter().filter_map(told), self.then_run_on);
        let shows = outcome.judgement.is(self.verdict);
        if shows {
            self.machine = machine;
            self.schedule = outcome.followed;
        }
        Ok(shows)
    }

    fn finish(self) -> Shrunk {
        let steps = self.schedule.iter().enumerate().map(|(i, action)| {
            let rest = self.schedule.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, a)| *a);
            let judgement = follow(&self.machine, rest, true).judgement;
            Needed {
                action: *action,
                label: self.machine.label(*action),
                without: judgement.verdicts().iter().collect(),
            }
        });
        let steps = steps.collect();
        Shrunk { steps, stage: self.machine.stage, verdict: self.verdict, then_run_on: self.then_run_on }
    }
}
