//! The crash-window map: for each act of the producer and of a recoverer, what can come of a run in which the process
//! dies directly before it. Every schedule with exactly that death is covered, whatever else happens.

use std::collections::BTreeSet;

use super::graph::levels::{Levels, Visitor, visit_levels};
use super::limits::{Limits, Watched};
use crate::engine::by_size::{BySize, by_size};
use crate::engine::machine::Machine;
use crate::engine::rules::Successors;
use crate::engine::world::{Words, World};
use crate::model::action::Action;
use crate::model::ids::Slot;
use crate::model::scenario::{Injected, When};
use crate::model::verdict::{Verdict, Verdicts};
use crate::schedulers::schedule::step_text;

/// A place at which a process can die.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window {
    /// Who dies: `producer`, `relay` or `recoverer-1`.
    pub who: String,
    /// The act that comes next, or none after the last one.
    pub before: Option<String>,
    /// The verdicts that can come of it, in the order of [`Verdict::ALL`].
    pub verdicts: Vec<Verdict>,
    /// Whether every schedule was looked at.
    pub complete: bool,
}

/// Every place at which a crash or a recoverer's death can strike, in the order of the acts. The limits are those of all
/// places together: what comes after the states are used up is marked as not complete.
pub fn windows(machine: &Machine, limits: Limits, watched: &Watched) -> Vec<Window> {
    by_size(machine, Windows { machine, limits, watched })
}

struct Windows<'a> {
    machine: &'a Machine,
    limits: Limits,
    watched: &'a Watched,
}

impl BySize for Windows<'_> {
    type Output = Vec<Window>;

    fn run<W: Words>(mut self) -> Vec<Window> {
        let crashes =
            self.struck::<W>(|a| matches!(a, Action::Crash(_) | Action::Fault(Injected::Truncate(_))));
        let deaths = self.struck::<W>(|a| matches!(a, Action::Fault(Injected::Die(_))));
        crashes.into_iter().chain(deaths).collect()
    }
}

impl Windows<'_> {
    /// The windows of one kind of strike, which happens once and not again.
    fn struck<W: Words>(&mut self, strikes: fn(Action) -> bool) -> Vec<Window> {
        let machine = self.machine;
        let before = self.visit([machine.start::<W>()], strikes);
        let mut places: BTreeSet<(Slot, u32)> = BTreeSet::new();
        each_strike(machine, &before, strikes, |place, _| {
            places.insert(place);
        });
        // What was found before the strikes is kept meanwhile.
        self.limits.memory = self.limits.memory.saturating_sub(before.states.memory());
        let windows = places.into_iter().map(|(who, pc)| {
            let mut first = BTreeSet::new();
            each_strike(machine, &before, strikes, |place, after| {
                if place == (who, pc) {
                    first.insert(after.clone());
                }
            });
            let after = self.visit(first, strikes);
            let step = (pc as usize).checked_sub(1).and_then(|pc| machine.program(who).steps.get(pc));
            Window {
                who: machine.slot_name(who),
                before: step.map(step_text),
                verdicts: after.notes.iter().collect(),
                complete: before.ended.is_complete() && after.ended.is_complete(),
            }
        });
        let windows = windows.collect();
        self.limits.memory += before.states.memory();
        windows
    }

    /// Everything that can be reached without a strike, and the verdicts there. It takes its states from the limit.
    fn visit<W: Words>(
        &mut self,
        first: impl IntoIterator<Item = World<W>>,
        strikes: fn(Action) -> bool,
    ) -> Levels<W, Verdicts> {
        let visitor = Spared { machine: self.machine, strikes };
        let levels = visit_levels(self.machine, first, self.limits, self.watched, &visitor);
        self.limits.states = self.limits.states.saturating_sub(levels.states.len());
        levels
    }
}

/// Calls `f` with each strike that could have been: whom it hits and where, and the state after it.
fn each_strike<W: Words, N>(
    machine: &Machine,
    before: &Levels<W, N>,
    strikes: fn(Action) -> bool,
    mut f: impl FnMut((Slot, u32), &World<W>),
) {
    let (mut w, mut after) = (machine.start(), machine.start());
    for words in before.states.all() {
        w.set_words(words);
        machine.each_enabled(&w, |action| {
            if strikes(action) {
                let who =
                    if let Action::Fault(Injected::Die(slot)) = action { slot } else { machine.deliverer };
                after.copy_from(&w);
                machine.apply(&mut after, action, &mut ());
                f((who, w.get(machine.slot(who).pc)), &after);
            }
        });
    }
}

/// Follows every step but the strikes.
struct Spared<'a> {
    machine: &'a Machine,
    strikes: fn(Action) -> bool,
}

impl<W: Words> Visitor<W> for Spared<'_> {
    type Notes = Verdicts;

    fn no_notes(&self) -> Verdicts {
        Verdicts::NONE
    }

    fn visit(
        &self,
        w: &World<W>,
        _depth: usize,
        _known: &Verdicts,
        successors: &mut Successors<W>,
        notes: &mut Verdicts,
    ) {
        let machine = self.machine;
        let mut ended = true;
        machine.each_enabled(w, |action| {
            if !(self.strikes)(action) {
                ended &= action.is_fault() || machine.is_suspicion(w, action) || machine.is_by_paused(action);
                machine.add_successor(w, action, successors);
            }
        });
        let was_judged = machine.was_judged(w);
        if !was_judged {
            for judgement in successors.iter().filter_map(|after| machine.judge_recovered(after)) {
                *notes = notes.or(judgement.verdicts());
            }
        }
        let reached = match ended && !was_judged {
            true => machine.judge(w, When::Quiescent).verdicts(),
            false => machine.hazards(w),
        };
        *notes = notes.or(reached);
    }

    fn merge(&self, known: &mut Verdicts, notes: &Verdicts) {
        *known = known.or(*notes);
    }
}
