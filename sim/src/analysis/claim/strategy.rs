//! Strategies that decide step by step: before each step they look again, and what they see is all they go by. Where two
//! worlds keep looking the same, the same steps follow in both.

use std::collections::BTreeSet;

use crate::engine::machine::Machine;
use crate::engine::world::World;
use crate::model::action::Action;
use crate::model::program::Surfaces;

type State = World<Vec<u64>>;

/// Whether some strategy that goes by these surfaces ends well in both worlds, judged as soon as the run goes on.
pub(super) fn escapes(machine: &Machine, left: &State, right: &State, sees: Surfaces) -> bool {
    let mut tried = BTreeSet::new();
    let mut open = vec![(left.clone(), right.clone())];
    while let Some((left, right)) = open.pop() {
        if !tried.insert((left.clone(), right.clone())) {
            continue;
        }
        if sees.iter().any(|s| machine.what_is_shown(&left, s) != machine.what_is_shown(&right, s)) {
            // Told apart, each goes its own way from here.
            if ends_well(machine, &left) && ends_well(machine, &right) {
                return true;
            }
            continue;
        }
        match (is_over(machine, &left), is_over(machine, &right)) {
            (true, true) if is_right(machine, &left) && is_right(machine, &right) => return true,
            (false, false) => {
                for action in own_steps(machine, &left) {
                    if machine.is_enabled(&right, action) {
                        open.push((after(machine, &left, action), after(machine, &right, action)));
                    }
                }
            }
            _ => {}
        }
    }
    false
}

/// What came of it, in words.
pub(super) fn of(escapes: bool, sees: Surfaces) -> String {
    let sees: Vec<&str> = sees.iter().map(|surface| surface.name()).collect();
    let sees = if sees.is_empty() { "nothing".to_owned() } else { sees.join(", ") };
    match escapes {
        true => format!("some strategy that looks at {sees} before each step ends well in both"),
        false => format!("no strategy that looks at {sees} before each step ends well in both"),
    }
}

/// Whether some way to go on ends well in one world that is known.
fn ends_well(machine: &Machine, start: &State) -> bool {
    let (mut tried, mut open) = (BTreeSet::new(), vec![start.clone()]);
    while let Some(w) = open.pop() {
        if !tried.insert(w.clone()) {
            continue;
        }
        if is_over(machine, &w) {
            if is_right(machine, &w) {
                return true;
            }
            continue;
        }
        open.extend(own_steps(machine, &w).into_iter().map(|action| after(machine, &w, action)));
    }
    false
}

/// The steps of recoverers, and their starts.
fn own_steps(machine: &Machine, w: &State) -> Vec<Action> {
    let mut steps = Vec::new();
    machine.each_enabled(w, |action| {
        let recovers = matches!(action, Action::Step { who, .. } if machine.is_recoverer(who));
        if recovers || machine.starts_recoverer(action) {
            steps.push(action);
        }
    });
    steps
}

fn is_over(machine: &Machine, w: &State) -> bool {
    !machine.is_down(w)
}

fn is_right(machine: &Machine, w: &State) -> bool {
    !machine.is_unsafe(w) && machine.owed(w).next().is_none()
}

fn after(machine: &Machine, w: &State, action: Action) -> State {
    let mut after = w.clone();
    machine.apply(&mut after, action, &mut ());
    after
}
