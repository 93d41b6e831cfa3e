//! Every reachable state with a shortest schedule to it.

use std::sync::atomic::Ordering;

use crate::action::Action;
use crate::explore::Watched;
use crate::explore::shard::Shard;
use crate::machine::Machine;
use crate::world::{Words, World};

/// How each state was first reached: the state before it, and the step between.
pub(super) struct Paths {
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

/// Visits the reachable states breadth first, each once under a number that grows with its distance from the start,
/// until `most` were found or somebody asks to stop.
pub(super) fn reach<W: Words>(
    machine: &Machine,
    most: u64,
    watched: &Watched,
    mut visit: impl FnMut(u32, &World<W>),
) -> Paths {
    let mut seen = Shard::new();
    let mut from = Vec::new();
    let mut w: World<W> = machine.start();
    let mut next = machine.start();
    seen.insert(w.words());
    let mut place = 0;
    while let Some(words) = seen.states().get(place) {
        let found = seen.states().len() as u64;
        watched.states.store(found, Ordering::Relaxed);
        if found > most || watched.stop.load(Ordering::Relaxed) {
            return Paths { from, complete: false };
        }
        w.set_words(words);
        visit(place as u32, &w);
        machine.each_enabled(&w, |action| {
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
