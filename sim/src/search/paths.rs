//! Every state that can be reached from one, with a shortest schedule to it.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use crate::engine::machine::Machine;
use crate::engine::world::{Words, World};
use crate::model::action::Action;
use crate::search::explore::shard::{self, Shard};
use crate::search::explore::{MEMORY, Watched};

/// How each state was first reached: the state before it, and the step between.
pub(crate) struct Paths {
    from: Vec<(u32, Action)>,
    /// Whether every reachable state was visited.
    pub complete: bool,
}

impl Paths {
    /// How many states were found.
    pub fn len(&self) -> u64 {
        self.from.len() as u64 + 1
    }

    /// A shortest schedule to the state with this number.
    pub fn schedule(&self, mut place: u32) -> Vec<Action> {
        let mut schedule = Vec::new();
        while place > 0 {
            let (before, action) = self.from[place as usize - 1];
            schedule.push(action);
            place = before;
        }
        schedule.reverse();
        schedule
    }
}

/// Visits the states that can be reached from the start, each once, until `most` were found or somebody asks to stop.
pub(crate) fn reach<W: Words>(
    machine: &Machine,
    most: u64,
    watched: &Watched,
    mut visit: impl FnMut(u32, &World<W>),
) -> Paths {
    let is_stopped = || watched.stop.load(Ordering::Relaxed);
    let all = |place, w: &World<W>| {
        visit(place, w);
        watched.states.store(u64::from(place) + 1, Ordering::Relaxed);
        if is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut paths = reach_from(machine, machine.start(), most, |_| true, all);
    paths.complete &= !is_stopped();
    paths
}

/// Looks for a state along actions that `goes_on` admits, and gives the number of a nearest one that the test admits.
pub(crate) fn find_from<W: Words>(
    machine: &Machine,
    start: World<W>,
    most: u64,
    goes_on: impl Fn(Action) -> bool,
    mut test: impl FnMut(&World<W>) -> bool,
) -> (Option<u32>, Paths) {
    let mut found = None;
    let paths = reach_from(machine, start, most, goes_on, |place, w| match test(w) {
        true => {
            found = Some(place);
            ControlFlow::Break(())
        }
        false => ControlFlow::Continue(()),
    });
    (found, paths)
}

/// Visits the states that can be reached from `start` along actions that `goes_on` admits, breadth first, each once
/// under a number that grows with its distance from the start, until `most` were found, there is no memory for more or
/// a visit says that it has seen enough.
pub(crate) fn reach_from<W: Words>(
    machine: &Machine,
    start: World<W>,
    most: u64,
    goes_on: impl Fn(Action) -> bool,
    mut visit: impl FnMut(u32, &World<W>) -> ControlFlow<()>,
) -> Paths {
    let mut seen = Shard::new();
    let mut from = Vec::new();
    // Two for an array that grows, and what its table and the way to it take.
    let most = most.min(MEMORY / (2 * shard::bytes(start.words()) + 64));
    let mut w = start;
    let mut next = w.clone();
    seen.insert(w.words());
    let mut place = 0;
    while let Some(words) = seen.states().get(place) {
        if seen.states().len() as u64 > most {
            return Paths { from, complete: false };
        }
        w.set_words(words);
        if visit(place as u32, &w).is_break() {
            break;
        }
        machine.each_enabled(&w, |action| {
            if !goes_on(action) || seen.states().len() as u64 > most {
                return;
            }
            next.copy_from(&w);
            machine.apply(&mut next, action, &mut ());
            if seen.insert(next.words()) {
                from.push((place as u32, action));
            }
        });
        place += 1;
    }
    Paths { from, complete: true }
}
