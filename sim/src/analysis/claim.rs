//! What a scenario claims beyond how often a verdict occurs: that two schedules look alike and no batch is right after
//! both, that some state can be reached, that a law holds in every state or at the end of a schedule, that a step is
//! refused there, that no policy with these reads can be right, or that some is. Each is judged by running it.
//!
//! [`choices`] asks what comes of every batch under
//! every schedule, [`strategy`] of every way to decide step by step, [`alike`] of all pairs of states at once.

mod alike;
mod choices;
mod judged;
mod strategy;

use crate::analysis::bound::{Answer, Question, decide};
use crate::analysis::expect::{Ending, Outcome};
use crate::engine::machine::{CompileError, Machine};
use crate::engine::rules::Judgement;
use crate::engine::world::World;
use crate::model::action::Action;
use crate::model::claim::{Batches, Claim, Decision, Pair, Predicate, Says};
use crate::model::decision::Redriven;
use crate::model::ids::Payload;
use crate::model::program::Surface;
use crate::model::scenario::{Stage, When};
use crate::model::verdict::Verdict;
use crate::model::view::Rules;
use crate::schedulers::schedule::ScheduleError;
use crate::schedulers::{Script, end_of_batch, end_of_script, recovered_with};
use crate::search::explore::seek;
use crate::search::graph::{Absent, Sought, find};
use crate::search::limits::{Limits, Watched};
pub use judged::Judged;
use judged::{failed, met, open};

impl Claim {
    /// Judges it on one design's stage.
    ///
    /// # Errors
    /// As [`Machine::compile`].
    pub fn judge(&self, stage: &Stage, rules: &Rules, limits: Limits) -> Result<Judged, CompileError> {
        let mut stage = stage.clone();
        if self.predicate().is_some_and(Predicate::looks_at_contents) {
            stage.judge.ask_for(Verdict::Dirty);
        }
        stage.judge.order |= self.predicate().is_some_and(Predicate::looks_at_order);
        Machine::compile_probed(&stage, rules, self.observes()).map(|machine| self.judge_on(&machine, limits))
    }

    fn judge_on(&self, machine: &Machine, limits: Limits) -> Judged {
        self.judge_from(machine, limits).unwrap_or_else(|wrong| failed(wrong.to_string()).into())
    }

    fn judge_from(&self, machine: &Machine, limits: Limits) -> Result<Judged, ScheduleError> {
        let script = |labels| Script { labels, then_run_on: false };
        let there = || end_of_script(machine, script(&self.from));
        Ok(match &self.says {
            Says::Pair(pair) => pair.judge(machine)?.into(),
            Says::Decision(decision) => match decision.judge(&machine.stage, &machine.rules, limits) {
                Ok(ending) => ending.into(),
                Err(wrong) => failed(wrong.to_string()).into(),
            },
            Says::Holds(p) => match p.holds(machine, &there()?) {
                true => met("so it is"),
                false => failed("it does not hold there"),
            }
            .into(),
            Says::Enabled(label, enabled) => judge_step(machine, &there()?, label, *enabled).into(),
            Says::Choices(batches) => choices::judge(machine, there()?, *batches, limits).into(),
            Says::Determined { among, by, what, decides } => {
                alike::judge(machine, there()?, limits, among, (*by, *what), *decides)
            }
            Says::Reachable(p) => {
                let Sought { states, schedule } = self.seek(machine, limits, p)?;
                match schedule {
                    Ok(found) => met(format!("reached in {} steps", found.len())),
                    Err(Absent::Unreachable) => failed(format!("not reached in any of {states} states")),
                    Err(Absent::Unknown(_)) => open(states),
                }
                .into()
            }
            Says::Always(p) => {
                let not = Predicate::Not(Box::new(p.clone()));
                let Sought { states, schedule } = self.seek(machine, limits, &not)?;
                let ending = match &schedule {
                    Ok(found) => failed(format!("false after {} steps", found.len())),
                    Err(Absent::Unreachable) => {
                        met(format!("proved, over all {states} states within the bounds"))
                    }
                    Err(Absent::Unknown(_)) => open(states),
                };
                let label = |action: Action| machine.label(action);
                let against = schedule
                    .ok()
                    .map(|found| self.from.iter().cloned().chain(found.into_iter().map(label)).collect());
                Judged { ending, against }
            }
        })
    }

    /// Looks for a state in which something holds, through all that can be reached from where looking begins.
    fn seek(&self, machine: &Machine, limits: Limits, p: &Predicate) -> Result<Sought, ScheduleError> {
        if self.from.is_empty() {
            return Ok(seek(machine, limits, &Watched::default(), p));
        }
        let start = end_of_script(machine, Script { labels: &self.from, then_run_on: false })?;
        Ok(find(machine, start, limits, |_| true, |w| p.holds(machine, w)))
    }
}

fn judge_step(machine: &Machine, w: &World<Vec<u64>>, label: &str, enabled: bool) -> Ending {
    match machine.parse_label(w, label) {
        Err(why) => failed(format!("`{label}`: {why}")),
        Ok(action) => match (machine.is_enabled(w, action) && !machine.gives_way(w, action), enabled) {
            (true, true) | (false, false) => met(if enabled { "it is enabled" } else { "it is refused" }),
            (true, false) => failed(format!("`{label}` is enabled there")),
            (false, true) => {
                let there = machine.enabled_labels(w).join(" | ");
                failed(format!("`{label}` is not enabled there; enabled there: {there}"))
            }
        },
    }
}

impl Decision {
    fn judge(&self, stage: &Stage, rules: &Rules, limits: Limits) -> Result<Ending, CompileError> {
        let redriven = self.redriven.unwrap_or_else(|| Redriven::of(stage));
        if !redriven.is_supported_by(stage) {
            return Ok(failed(format!(
                "a {} re-drive needs a sink that checks a fence; write sink: (fence: arrival)",
                redriven.name()
            )));
        }
        let question = Question {
            reads: self.reads.unwrap_or_else(|| stage.policy.reads()),
            earlier: self.earlier,
            redriven,
            states: limits.states,
            known: Vec::new(),
        };
        Ok(match decide(stage, rules, &question, &Watched::default())? {
            Answer::Inconclusive(why) => Ending { outcome: Outcome::Inconclusive, why },
            Answer::Undecidable(group) => {
                let why = match group.members.len() {
                    1 => format!("none of {} batches is right in one state", group.failures.len()),
                    n => format!(
                        "{n} states look the same, and each of {} batches fails in one of them",
                        group.failures.len()
                    ),
                };
                if self.is_decidable { failed(why) } else { met(why) }
            }
            Answer::Decidable { rule, .. } => {
                let why = format!("one batch is right at each of {} sights", rule.len());
                if self.is_decidable { met(why) } else { failed(why) }
            }
        })
    }
}

impl Pair {
    fn judge(&self, machine: &Machine) -> Result<Ending, ScheduleError> {
        let script = |labels| Script { labels, then_run_on: false };
        let left = end_of_script(machine, script(&self.left))?;
        let right = end_of_script(machine, script(&self.right))?;
        let shows = |surface, w: &World<Vec<u64>>| machine.what_is_shown(w, surface);
        let apart = |surface: &Surface| shows(*surface, &left) != shows(*surface, &right);
        if let Some(surface) = self.equal.iter().find(apart) {
            return Ok(failed(format!("{surface} tells the two apart")));
        }
        if let Some(surface) = self.differ.iter().find(|s| !apart(s)) {
            return Ok(failed(format!("{surface} shows the same in both")));
        }
        let (asked, sees) = self.strategies;
        if asked != Batches::Unasked {
            let escapes = strategy::escapes(machine, &left, &right, sees);
            if escapes == (asked == Batches::EachFails) {
                return Ok(failed(strategy::of(escapes, sees)));
            } else if self.batches == Batches::Unasked {
                return Ok(met(strategy::of(escapes, sees)));
            }
        }
        if self.batches == Batches::Unasked {
            return Ok(met("the two look alike and differ where they should"));
        }
        let wrong = |w: &World<Vec<u64>>| match self.view {
            Some(count) => !machine.is_exact_by(w, count),
            None => {
                let j: Judgement = machine.judge(w, When::Quiescent);
                j.is_unsafe() || j.owed > 0
            }
        };
        if matches!(self.batches, Batches::OwnIsRight | Batches::OwnFails) {
            let ends = |labels| end_of_script(machine, Script { labels, then_run_on: true });
            let (left, right) = (wrong(&ends(&self.left)?), wrong(&ends(&self.right)?));
            let why = match (left, right) {
                (false, false) => "the batch is right after both schedules",
                (true, false) => "the batch fails after the left schedule",
                (false, true) => "the batch fails after the right schedule",
                (true, true) => "the batch fails after both schedules",
            };
            let is_met = (left || right) == (self.batches == Batches::OwnFails);
            return Ok(if is_met { met(why) } else { failed(why) });
        }
        let mut counts = [0; 3];
        for batch in 0..1 << machine.events() {
            let left = end_of_batch(machine, script(&self.left), batch)?;
            let right = end_of_batch(machine, script(&self.right), batch)?;
            let (Some(left), Some(right)) = (left, right) else {
                return Ok(failed("no `arm(any)` comes after the two schedules"));
            };
            if let Some(p) = &self.after_batch {
                for side in [&self.left, &self.right] {
                    let after = recovered_with(machine, script(side), batch)?;
                    if !after.is_some_and(|w| p.holds(machine, &w)) {
                        let sent = (0..machine.events()).filter(|p| batch >> p & 1 == 1);
                        let sent: Vec<String> = sent.map(|p| machine.payload_label(Payload(p))).collect();
                        return Ok(failed(format!("false after the batch [{}]", sent.join(", "))));
                    }
                }
            }
            counts[match (wrong(&left), wrong(&right)) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => 2,
            }] += 1;
        }
        let [on_left, on_right, right_twice] = counts;
        let why = format!(
            "of {} batches, {on_left} fail after the left schedule, {on_right} after the right one, and \
             {right_twice} after neither",
            1 << machine.events()
        );
        Ok(if (right_twice == 0) == (self.batches == Batches::EachFails) { met(why) } else { failed(why) })
    }
}
