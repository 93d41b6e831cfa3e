//! The crash-window map: for each act of the producer and of a recoverer, what can come of a run in which the process
//! dies directly before it. Every schedule with exactly that death is covered, whatever else happens.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use super::{Limits, Watched, shard};
use crate::engine::machine::Machine;
use crate::engine::world::World;
use crate::model::action::Action;
use crate::model::ids::Slot;
use crate::model::scenario::When;
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

/// Every place at which a crash or a recoverer's death can strike, in the order of the acts. The limits are those of
/// each place, and it ends early when somebody asks to stop.
pub fn windows(machine: &Machine, limits: Limits, watched: &Watched) -> Vec<Window> {
    // A state is kept in what was seen, in what is left to do, and where a strike leads to it.
    let state = shard::bytes(machine.start::<Vec<u64>>().words());
    let most = limits.states.min(limits.memory / (4 * state)) as usize;
    let crash: fn(Action) -> bool = |a| matches!(a, Action::Crash(_) | Action::Truncate(_));
    let death: fn(Action) -> bool = |a| matches!(a, Action::Die(_));
    [crash, death].into_iter().flat_map(|strikes| struck(machine, strikes, most, watched)).collect()
}

type State = World<Vec<u64>>;

/// The windows of one kind of strike, which happens once and not again.
fn struck(machine: &Machine, strikes: fn(Action) -> bool, most: usize, watched: &Watched) -> Vec<Window> {
    let mut struck: BTreeMap<(Slot, u32), BTreeSet<State>> = BTreeMap::new();
    let start = BTreeSet::from([machine.start()]);
    let (_, complete) = reach(machine, start, most, strikes, watched, |before, action, after| {
        let who = if let Action::Die(slot) = action { slot } else { machine.deliverer };
        struck.entry((who, before.get(machine.slot(who).pc))).or_default().insert(after.clone())
    });
    let windows = struck.into_iter().map(|((who, pc), states)| {
        let (verdicts, all) = reach(machine, states, most, strikes, watched, |_, _, _| false);
        let step = (pc as usize).checked_sub(1).and_then(|pc| machine.program(who).steps.get(pc));
        Window {
            who: machine.slot_name(who),
            before: step.map(step_text),
            verdicts: verdicts.iter().collect(),
            complete: complete && all,
        }
    });
    windows.collect()
}

/// Everything that can be reached without a strike, and the verdicts there. Tells `meets` of each strike that could
/// have been, which says whether it keeps the state after it.
fn reach(
    machine: &Machine,
    from: BTreeSet<State>,
    most: usize,
    strikes: fn(Action) -> bool,
    watched: &Watched,
    mut meets: impl FnMut(&State, Action, &State) -> bool,
) -> (Verdicts, bool) {
    let mut verdicts = Verdicts::NONE;
    let mut todo: Vec<State> = from.iter().cloned().collect();
    let mut seen = from;
    let mut struck = 0;
    while let Some(w) = todo.pop() {
        let mut ended = true;
        machine.each_enabled(&w, |action| {
            if seen.len() + struck > most {
                return;
            }
            let mut after = w.clone();
            machine.apply(&mut after, action, &mut ());
            if strikes(action) {
                struck += usize::from(meets(&w, action, &after));
                return;
            }
            ended &= action.is_fault() || machine.is_suspicion(&w, action);
            if !machine.was_judged(&w)
                && let Some(judgement) = machine.judge_recovered(&after)
            {
                verdicts = verdicts.or(judgement.verdicts());
            }
            if !seen.contains(&after) {
                seen.insert(after.clone());
                todo.push(after);
            }
        });
        let rests = ended && !machine.was_judged(&w);
        verdicts = verdicts.or(if rests {
            machine.judge(&w, When::Quiescent).verdicts()
        } else {
            machine.hazards(&w)
        });
        watched.states.fetch_add(1, Ordering::Relaxed);
        if seen.len() + struck > most || watched.stop.load(Ordering::Relaxed) {
            return (verdicts, false);
        }
    }
    (verdicts, true)
}
