//! Strategies that decide step by step: before each step they look again, and what they see is all they go by. Where two
//! worlds keep looking the same, the same steps follow in both.

use std::ops::ControlFlow;

use crate::engine::machine::Machine;
use crate::engine::world::World;
use crate::model::action::Action;
use crate::model::program::Surfaces;
use crate::search::graph::visit;
use crate::search::limits::{Ended, Limits, Watched};

type State = World<Vec<u64>>;

/// Whether some strategy that goes by these surfaces ends well in both worlds, judged as soon as the run goes on.
pub(super) fn escapes(machine: &Machine, left: &State, right: &State, sees: Surfaces) -> bool {
    // A node is the two states side by side.
    let words = left.words().len();
    let both = |left: &State, right: &State| [left.words().as_slice(), right.words()].concat();
    let none = Watched::default();
    let visited = visit(&both(left, right), Limits::NONE, &none, |_, pair: &Vec<u64>, frontier| {
        let one: State = World::from_words(pair[..words].to_vec());
        let other: State = World::from_words(pair[words..].to_vec());
        if sees.iter().any(|s| machine.what_is_shown(&one, s) != machine.what_is_shown(&other, s)) {
            // Told apart, each goes its own way from here.
            return found_if(ends_well(machine, &one) && ends_well(machine, &other));
        }
        match (is_over(machine, &one), is_over(machine, &other)) {
            (true, true) => return found_if(is_right(machine, &one) && is_right(machine, &other)),
            (false, false) => {
                for action in own_steps(machine, &one) {
                    if machine.is_enabled(&other, action) {
                        let next = (after(machine, &one, action), after(machine, &other, action));
                        frontier.add((), &both(&next.0, &next.1));
                    }
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    });
    visited.ended == Ended::Found
}

fn found_if(found: bool) -> ControlFlow<()> {
    if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
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
    let mut w = start.clone();
    let none = Watched::default();
    let visited = visit(start.words(), Limits::NONE, &none, |_, words, frontier| {
        w.set_words(words);
        if is_over(machine, &w) {
            return found_if(is_right(machine, &w));
        }
        for action in own_steps(machine, &w) {
            frontier.add((), after(machine, &w, action).words());
        }
        ControlFlow::Continue(())
    });
    visited.ended == Ended::Found
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
