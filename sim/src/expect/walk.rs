//! Every schedule within the bounds, breadth first, one state at a time: slow and plain.

use std::collections::BTreeSet;

use crate::action::Action;
use crate::campaign::Tally;
use crate::expect::Fault;
use crate::machine::Machine;
use crate::rules::Judgement;
use crate::scenario::{Verdict, When};
use crate::world::World;

/// What a walk over every reachable state saw.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Different states.
    pub states: usize,
    /// Whether every one of them was reached; else the limit was.
    pub complete: bool,
    /// The ends of runs, counted like runs: each state in which nothing but a fault can still happen, once. A first
    /// "seed" is the place of an end in [`Walk::labels_to`].
    pub ends: Tally,
    steps: Vec<(usize, Option<Action>)>,
}

/// Judgement of the first recovery, where the scenario asks for that one; part of what tells two histories apart.
type Early = Option<Judgement>;

/// Walks until every state is known, or `most` are.
pub fn walk(machine: &Machine, most: usize) -> Walk {
    let start: World<Vec<u64>> = machine.start();
    let mut seen: BTreeSet<(World<Vec<u64>>, Early)> = BTreeSet::from([(start.clone(), None)]);
    let mut level = vec![(start, None, 0)];
    let mut found = Walk { states: 1, complete: true, ends: Tally::new(), steps: vec![(0, None)] };
    let early = machine.stage.judge.when == When::Recovered;
    while !level.is_empty() {
        let mut next_level = Vec::new();
        for (w, judged, place) in level {
            if machine.is_quiescent(&w) {
                found.ends.count_run(place as u64, Judgement::of_run(judged, machine.judge(&w, false)));
            }
            for action in (0..machine.enabled(&w)).filter_map(|k| machine.nth(&w, k)) {
                found.note(machine, &w, action);
                let mut next = w.clone();
                machine.apply(&mut next, action, &mut ());
                let recovered = early && machine.is_down(&w) && !machine.is_down(&next);
                let judged = judged.or_else(|| recovered.then(|| machine.judge(&next, true)));
                if seen.contains(&(next.clone(), judged)) {
                    continue;
                }
                if found.states == most {
                    found.complete = false;
                    return found;
                }
                seen.insert((next.clone(), judged));
                next_level.push((next, judged, found.steps.len()));
                found.steps.push((place, Some(action)));
                found.states += 1;
            }
        }
        level = next_level;
    }
    found
}

impl Walk {
    /// The shortest schedule to the first end that shows a verdict, by its labels.
    pub fn labels_to(&self, machine: &Machine, verdict: Verdict) -> Option<Vec<String>> {
        let mut place = usize::try_from(self.ends.first_seed(verdict)?).ok()?;
        let mut labels = Vec::new();
        while let (before, Some(action)) = self.steps[place] {
            labels.push(machine.label(action));
            place = before;
        }
        labels.reverse();
        Some(labels)
    }

    fn note(&mut self, machine: &Machine, w: &World<Vec<u64>>, action: Action) {
        let in_flight = matches!(action, Action::Crash(_)) && machine.in_flight(w) > 0;
        let late = matches!(action, Action::Arrive(e) if machine.is_superseded(w, e.generation));
        let second = machine.starts_a_second(w, action);
        let told = [
            (Fault::InFlightAtCrash, in_flight),
            (Fault::LateArrival, late),
            (Fault::SecondRecoverer, second),
        ];
        for fault in
            Fault::of(action).into_iter().chain(told.into_iter().filter_map(|(f, yes)| yes.then_some(f)))
        {
            self.ends.strike(fault, 1);
        }
    }
}
