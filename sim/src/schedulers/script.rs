//! `script`: the labels of a schedule, one by one, then on to quiescence if asked.

use crate::engine::machine::{CompileError, Machine};
use crate::engine::rules::Judgement;
use crate::engine::world::{Words, World};
use crate::model::action::Action;
use crate::model::ids::Slot;
use crate::model::record::Record;
use crate::model::scenario::Stage;
use crate::model::suggest::Misnamed;
use crate::model::view::Rules;
use crate::schedulers::schedule::ScheduleError;
use crate::schedulers::{Costs, Driver};

/// A schedule as a scenario writes it. `go 7` stands for seven steps of the process that delivers; `relay until send
/// order-2` for as many steps of the relay as it takes until that one is done, so that designs whose programs differ can
/// share a script.
#[derive(Clone, Copy, Debug)]
pub struct Script<'a> {
    /// The labels, in order.
    pub labels: &'a [String],
    /// Whether the run goes on after the last one, without faults, until nothing but faults is enabled.
    pub then_run_on: bool,
}

struct Scripted<'a> {
    script: Script<'a>,
    at: usize,
    /// Steps left of a `go`.
    go: u32,
    /// Whose steps go on until which one is done.
    until: Option<(Slot, &'a str)>,
    failed: Option<ScheduleError>,
    /// Which batch an open `arm` picks after the last label.
    batch: Option<u32>,
    /// Whether one did.
    picked: bool,
    /// Whether the run ends as soon as it is no longer down after that.
    until_up: bool,
}

impl Driver for Scripted<'_> {
    fn next<W: Words>(&mut self, machine: &Machine, w: &World<W>) -> Option<Action> {
        if self.go == 0 && self.until.is_none() {
            if self.at == self.script.labels.len() {
                return self.run_on(machine, w).filter(|_| self.script.then_run_on);
            }
            let label = &self.script.labels[self.at];
            self.at += 1;
            match Line::read(machine, label) {
                Ok(Line::Go(steps)) => self.go = steps,
                Ok(Line::Until(who, step)) => self.until = Some((who, step)),
                Ok(Line::Label) => {
                    return match machine.parse_label(w, label) {
                        Ok(action) if machine.is_enabled(w, action) => Some(action),
                        Ok(_) => self.stop(machine, w, "not enabled here".to_owned(), true),
                        Err(wrong) => self.stop(machine, w, wrong.to_string(), wrong.is_step),
                    };
                }
                Err(wrong) => return self.stop(machine, w, wrong.to_string(), wrong.is_step),
            }
        }
        let who = self.until.map_or(machine.deliverer, |(who, _)| who);
        let step = machine.step_of(w, who);
        if !machine.is_enabled(w, step) {
            let why = format!("the {} has no step to take", machine.slot_name(who));
            return self.stop(machine, w, why, true);
        }
        match self.until {
            Some((_, last)) if machine.parse_step(w, who, last) == Ok(step) => self.until = None,
            Some(_) => {}
            None => self.go -= 1,
        }
        Some(step)
    }
}

impl<'a> Scripted<'a> {
    fn new(script: Script<'a>) -> Scripted<'a> {
        Scripted {
            script,
            at: 0,
            go: 0,
            until: None,
            failed: None,
            batch: None,
            picked: false,
            until_up: false,
        }
    }

    /// The first thing that is no fault; of an open batch, the one that was asked for.
    fn run_on<W: Words>(&mut self, machine: &Machine, w: &World<W>) -> Option<Action> {
        if self.until_up && self.picked && !machine.is_down(w) {
            return None;
        }
        let next = machine.nth(w, 0).filter(|_| machine.progress(w) > 0)?;
        match (next, self.batch) {
            (Action::Step { who, .. }, Some(batch)) if machine.picks_batch(w, who) => {
                self.picked = true;
                Some(machine.step_with(w, who, batch))
            }
            _ => Some(next),
        }
    }

    fn stop<W: Words>(
        &mut self,
        machine: &Machine,
        w: &World<W>,
        why: String,
        is_misfit: bool,
    ) -> Option<Action> {
        let label = self.script.labels[self.at - 1].clone();
        let enabled = machine.enabled_labels(w);
        self.failed = Some(ScheduleError { at: self.at, label, why, is_misfit, enabled });
        None
    }
}

/// A line of a script.
enum Line<'a> {
    /// So many steps of the process that delivers.
    Go(u32),
    /// Steps of one until this one is done.
    Until(Slot, &'a str),
    /// One action.
    Label,
}

impl Line<'_> {
    fn read<'a>(machine: &Machine, line: &'a str) -> Result<Line<'a>, Misnamed> {
        if let Some((name, step)) = line.split_once(" until ") {
            let who = machine.parse_slot(name)?;
            machine.find_step(who, step)?;
            return Ok(Line::Until(who, step));
        }
        let Some(steps) = line.strip_prefix("go ") else { return Ok(Line::Label) };
        let wrong = || Misnamed::new(format!("`{steps}` is no number of steps"), "write `go 7`");
        steps.trim().parse().ok().filter(|n| *n > 0).map(Line::Go).ok_or_else(wrong)
    }
}

/// Which lines of a script name nothing that a stage has, line by line. Whether a line is enabled when its turn comes is
/// for the run to tell.
///
/// # Errors
/// When the stage cannot be compiled.
pub fn check_lines(stage: &Stage, lines: &[&str]) -> Result<Vec<Option<Misnamed>>, CompileError> {
    let machine = Machine::compile(stage, &Rules::new())?;
    let check = |line: &&str| match Line::read(&machine, line)? {
        Line::Label => machine.check_label(line),
        Line::Go(_) | Line::Until(..) => Ok(()),
    };
    Ok(lines.iter().map(|line| check(line).err()).collect())
}

/// Follows a script and writes the run down.
///
/// # Errors
/// When a label is not understood or what it names is not enabled: which one, and what is enabled there.
pub fn run_script(machine: &Machine, script: Script<'_>) -> Result<Record, ScheduleError> {
    let (record, stopped) = follow_script(machine, script);
    stopped.map_or(Ok(record), Err)
}

/// Follows a script as far as it goes and writes the run down; and says why it went no further.
pub fn follow_script(machine: &Machine, script: Script<'_>) -> (Record, Option<ScheduleError>) {
    let mut driver = Scripted::new(script);
    let record = super::record_with(machine, &mut driver);
    (record, driver.failed)
}

/// What comes of a script's one run, and what it cost.
///
/// # Errors
/// As [`run_script`].
pub fn judge_script(machine: &Machine, script: Script<'_>) -> Result<(Judgement, Costs), ScheduleError> {
    let mut driver = Scripted::new(script);
    let outcome = super::run_once(machine, &mut driver);
    driver.failed.map_or(Ok(outcome), Err)
}

/// The state in which a script ends.
///
/// # Errors
/// As [`run_script`].
pub fn end_of_script(machine: &Machine, script: Script<'_>) -> Result<World<Vec<u64>>, ScheduleError> {
    let mut driver = Scripted::new(script);
    let mut world = machine.start();
    super::run(machine, &mut world, &mut driver, &mut ());
    driver.failed.map_or(Ok(world), Err)
}

/// The state at rest after a script and what follows with one batch, a set of bits, wherever an `arm` is open. None where
/// none is.
///
/// # Errors
/// As [`run_script`].
pub fn end_of_batch(
    machine: &Machine,
    script: Script<'_>,
    batch: u32,
) -> Result<Option<World<Vec<u64>>>, ScheduleError> {
    run_with_batch(machine, script, batch, false)
}

/// The state in which the run goes on after a script and a recovery with one batch, as in [`end_of_batch`].
///
/// # Errors
/// As [`run_script`].
pub fn recovered_with(
    machine: &Machine,
    script: Script<'_>,
    batch: u32,
) -> Result<Option<World<Vec<u64>>>, ScheduleError> {
    run_with_batch(machine, script, batch, true)
}

fn run_with_batch(
    machine: &Machine,
    script: Script<'_>,
    batch: u32,
    until_up: bool,
) -> Result<Option<World<Vec<u64>>>, ScheduleError> {
    let script = Script { then_run_on: true, ..script };
    let mut driver = Scripted { batch: Some(batch), until_up, ..Scripted::new(script) };
    let mut world: World<Vec<u64>> = machine.start();
    super::run(machine, &mut world, &mut driver, &mut ());
    driver.failed.map_or_else(|| Ok(driver.picked.then_some(world)), Err)
}
