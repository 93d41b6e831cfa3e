//! The graph of all states, visited breadth first, each state once. There are two ways through it, over the same table
//! of seen states:
//!
//! - [`visit`] takes one thread, numbers the states in the order in which they are found and remembers the step to each,
//!   so that a schedule to any of them is at hand. It follows the steps that its caller wants.
//! - [`levels`] takes many threads and remembers nothing but the states, packed. It is for graphs of millions of states.

pub(crate) mod levels;
mod round;
pub(crate) mod seen;

use std::ops::ControlFlow;

use super::limits::{Ended, Limits, Stopped, Watched};
use crate::engine::machine::Machine;
use crate::engine::world::{Words, World};
use crate::model::action::Action;
use seen::Seen;

/// A state that was found, by its number: one that is farther from the start has a greater one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Place(u32);

/// How each state was first reached: the state before it, and the step between.
pub(crate) struct Paths<S> {
    from: Vec<(Place, S)>,
}

impl<S: Copy> Paths<S> {
    /// How many states were found.
    pub fn len(&self) -> u64 {
        self.from.len() as u64 + 1
    }

    /// The steps of a shortest way to a state.
    pub fn to(&self, mut place: Place) -> Vec<S> {
        let mut steps = Vec::new();
        while place.0 > 0 {
            let (before, step) = self.from[place.0 as usize - 1];
            steps.push(step);
            place = before;
        }
        steps.reverse();
        steps
    }
}

/// The states that a visit has found, and those among them that it has yet to come to.
pub(crate) struct Frontier<W, S> {
    seen: Seen<W>,
    paths: Paths<S>,
    /// The state whose steps are being followed.
    at: Place,
    /// How many states may be found.
    most: u64,
}

impl<W: Words, S> Frontier<W, S> {
    /// Adds the state that a step leads to from the one that is being visited.
    pub fn add(&mut self, step: S, to: &W) {
        if !self.is_full() && self.seen.insert(to) {
            self.paths.from.push((self.at, step));
        }
    }

    fn is_full(&self) -> bool {
        self.seen.states().len() as u64 > self.most
    }
}

/// What a visit came to.
pub(crate) struct Visited<S> {
    pub paths: Paths<S>,
    pub ended: Ended,
}

/// Visits what can be reached from a start: `expand` looks at each node and adds those that come after it, and breaks
/// when it has seen enough. A node is whatever words hold: a state, or two side by side.
pub(crate) fn visit<W: Words, S>(
    start: &W,
    limits: Limits,
    watched: &Watched,
    mut expand: impl FnMut(Place, &W, &mut Frontier<W, S>) -> ControlFlow<()>,
) -> Visited<S> {
    // Two for an array that grows, and what its table and the way to it take.
    let fit = limits.memory / (2 * seen::bytes(start) + 64);
    let mut frontier = Frontier {
        seen: Seen::new(),
        paths: Paths { from: Vec::new() },
        at: Place(0),
        most: limits.states.min(fit),
    };
    frontier.seen.insert(start);
    let mut node = start.clone();
    let ended = loop {
        if frontier.is_full() {
            let limit = if fit < limits.states { Stopped::Memory } else { Stopped::States };
            break Ended::Stopped(limit);
        }
        if watched.is_stopped() {
            break Ended::Stopped(Stopped::Interrupted);
        }
        let Some(next) = frontier.seen.states().get(frontier.at.0 as usize) else { break Ended::Complete };
        node.get_mut().copy_from_slice(next.get());
        if expand(frontier.at, &node, &mut frontier).is_break() {
            break Ended::Found;
        }
        frontier.at.0 += 1;
        watched.note(u64::from(frontier.at.0));
    };
    Visited { paths: frontier.paths, ended }
}

/// Visits the states that can be reached from `start` along actions that `follows` admits, until `look` has seen enough.
pub(crate) fn visit_states<W: Words>(
    machine: &Machine,
    start: World<W>,
    limits: Limits,
    watched: &Watched,
    follows: impl Fn(Action) -> bool,
    mut look: impl FnMut(Place, &World<W>) -> ControlFlow<()>,
) -> Visited<Action> {
    let (mut w, mut after) = (start.clone(), start.clone());
    visit(start.words(), limits, watched, |place, words, frontier| {
        w.set_words(words);
        look(place, &w)?;
        machine.each_enabled(&w, |action| {
            if follows(action) {
                after.copy_from(&w);
                machine.apply(&mut after, action, &mut ());
                frontier.add(action, after.words());
            }
        });
        ControlFlow::Continue(())
    })
}

/// What came of looking for a state.
pub struct Sought {
    /// Distinct states that were found on the way.
    pub states: u64,
    /// A shortest schedule to one that was looked for; how the search ended otherwise.
    pub schedule: Result<Vec<Action>, Absent>,
}

/// Why no state was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Absent {
    /// There is none.
    Unreachable,
    /// None was found before the search had to stop.
    Unknown(Stopped),
}

/// Looks for a nearest state that a test admits, along actions that `follows` admits.
pub(crate) fn find<W: Words>(
    machine: &Machine,
    start: World<W>,
    limits: Limits,
    follows: impl Fn(Action) -> bool,
    mut test: impl FnMut(&World<W>) -> bool,
) -> Sought {
    let mut found = None;
    let visited = visit_states(machine, start, limits, &Watched::default(), follows, |place, w| {
        if test(w) {
            found = Some(place);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    let schedule = match (found, visited.ended) {
        (Some(place), _) => Ok(visited.paths.to(place)),
        (None, Ended::Stopped(why)) => Err(Absent::Unknown(why)),
        (None, Ended::Complete | Ended::Found) => Err(Absent::Unreachable),
    };
    Sought { states: visited.paths.len(), schedule }
}
