//! The micro-model in stateright: its random simulation and its two exhaustive searches.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use stateright::{Checker, Model, Property, UniformChooser};

use crate::model::{Counts, Label, Micro, State, Tally};

/// The model, and what the runs that ended amount to. The checkers hand out no final states, so the one property
/// that keeps them going also counts; it is evaluated once for each state of a simulated run.
struct Checked {
    micro: Micro,
    runs: AtomicU64,
    duplicate: AtomicU64,
    lost: AtomicU64,
}

impl Checked {
    fn new(micro: Micro) -> Self {
        Self { micro, runs: AtomicU64::new(0), duplicate: AtomicU64::new(0), lost: AtomicU64::new(0) }
    }

    fn tally(&self) -> Tally {
        Tally {
            runs: self.runs.load(Relaxed),
            duplicate: self.duplicate.load(Relaxed),
            lost: self.lost.load(Relaxed),
        }
    }

    /// Holds in every state, so that no checker stops early.
    fn judge(&self, state: &State) -> bool {
        if self.micro.ended(state) {
            self.runs.fetch_add(1, Relaxed);
            self.duplicate.fetch_add(u64::from(self.micro.duplicate(state)), Relaxed);
            self.lost.fetch_add(u64::from(self.micro.lost(state)), Relaxed);
        }
        true
    }
}

impl Model for Checked {
    type State = State;
    type Action = Label;

    fn init_states(&self) -> Vec<State> {
        vec![State::default()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Label>) {
        self.micro.labels(state, actions);
    }

    fn next_state(&self, state: &State, label: Label) -> Option<State> {
        Some(self.micro.step(*state, label))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("judged", Self::judge)]
    }
}

/// Random runs, until they have come past `states` states: stateright counts those, not runs.
pub fn simulate(micro: Micro, states: usize, seed: u64, threads: usize) -> Tally {
    let checker = Checked::new(micro).checker().threads(threads).target_state_count(states);
    checker.spawn_simulation(seed, UniformChooser).join().model().tally()
}

/// Depth first, stateright's fastest search.
pub fn depth_first(micro: Micro, threads: usize) -> Counts {
    counts(&Checked::new(micro).checker().threads(threads).spawn_dfs().join())
}

/// Breadth first: shortest counterexamples, as dwsim's search finds them.
pub fn breadth_first(micro: Micro, threads: usize) -> Counts {
    counts(&Checked::new(micro).checker().threads(threads).spawn_bfs().join())
}

fn counts(checker: &impl Checker<Checked>) -> Counts {
    // The initial state is generated too, but by no transition.
    Counts { states: checker.unique_state_count() as u64, transitions: checker.state_count() as u64 - 1 }
}
