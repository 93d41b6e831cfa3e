//! An independent reading of the micro-model, in as few words as it takes: the smallest world in which the recovery
//! policies differ. It shares no code with dwsim, so that an engine that agrees with it agrees by meaning.
//!
//! `events` payloads, at most `crashes` crashes. The producer commits, enqueues, sends and checkpoints each event in
//! turn. Whatever is on the wire may arrive or be lost, in any status; an arrival is accepted iff the fence is at
//! most its generation, and dropped otherwise. A crash may strike while the run is running and has not ended.
//! Recovery is one step: its batch lands on the accepted record at once, the generation rises, and producer and
//! cursor go on after the last committed event. A run has ended when it is running, the producer is done and the wire
//! is empty; a crashed run has not ended, even with nothing left to send.

use std::collections::{BTreeMap, BTreeSet};

/// The acts of a producer that delivers, then checkpoints, in order.
const ACTS: [&str; 4] = ["commit", "enqueue", "send", "persist"];
const SEND: usize = 2;

/// What recovery sends again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The committed events past the durable cursor.
    Cursor,
    /// The committed events that are not on the accepted record.
    SinkDelta,
    /// The same, and the fence rises above every generation that sent before.
    Fenced,
}

/// The bounds and the policy: with them, everything that can happen.
#[derive(Clone, Copy, Debug)]
pub struct Micro {
    pub events: usize,
    pub crashes: usize,
    pub policy: Policy,
}

/// One enabled step. An event is sent at most once, so it names its emission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Label {
    /// The producer's next act.
    Act(&'static str),
    Arrive(usize),
    Lose(usize),
    Crash,
    Recover,
}

/// A state, already projected onto what the counts are over: the cursor and what is committed follow from the
/// position, the fence from policy and generation, and the number of crashes from generation and status.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct State {
    /// Acts done, of `4 * events`; a crash keeps it.
    pub position: usize,
    pub crashed: bool,
    pub generation: usize,
    /// In flight: event, and the generation that sent it.
    pub wire: BTreeMap<usize, usize>,
    /// The accepted record as a multiset of events; who sent what was accepted is not part of it.
    pub accepted: BTreeMap<usize, usize>,
    /// How many arrivals the fence turned away.
    pub dropped: usize,
}

impl State {
    /// The first `committed` events are in the source's history.
    fn committed(&self) -> usize {
        self.position.div_ceil(ACTS.len())
    }

    /// The first `cursor` events were checkpointed.
    fn cursor(&self) -> usize {
        self.position / ACTS.len()
    }

    fn accept(&mut self, event: usize) {
        *self.accepted.entry(event).or_insert(0) += 1;
    }
}

/// What a walk over every reachable state counts. A transition is an enabled label of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counts {
    pub states: usize,
    pub transitions: usize,
    /// Steps of the shortest path to the state that is furthest away.
    pub depth: usize,
}

/// Exact probabilities of a run that draws each step uniformly from the enabled labels.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Rates {
    /// Some event is accepted twice or more.
    pub duplicate: f64,
    /// Some event is never accepted.
    pub lost: f64,
    /// The expected number of steps.
    pub steps: f64,
}

impl Micro {
    pub fn ended(&self, state: &State) -> bool {
        !state.crashed && state.position == ACTS.len() * self.events && state.wire.is_empty()
    }

    pub fn duplicate(&self, state: &State) -> bool {
        state.accepted.values().any(|&times| times > 1)
    }

    pub fn lost(&self, state: &State) -> bool {
        state.accepted.len() < self.events
    }

    pub fn labels(&self, state: &State) -> Vec<Label> {
        let mut labels = Vec::new();
        if !state.crashed && state.position < ACTS.len() * self.events {
            labels.push(Label::Act(ACTS[state.position % ACTS.len()]));
        }
        labels.extend(state.wire.keys().map(|&event| Label::Arrive(event)));
        labels.extend(state.wire.keys().map(|&event| Label::Lose(event)));
        if state.crashed {
            labels.push(Label::Recover);
        } else if state.generation < self.crashes && !self.ended(state) {
            labels.push(Label::Crash);
        }
        labels
    }

    /// The state after a label that `labels` offered.
    pub fn step(&self, state: &State, label: Label) -> State {
        let mut next = state.clone();
        match label {
            Label::Act(_) => {
                if state.position % ACTS.len() == SEND {
                    next.wire.insert(state.position / ACTS.len(), state.generation);
                }
                next.position += 1;
            }
            Label::Arrive(event) => {
                let fence = if self.policy == Policy::Fenced { state.generation } else { 0 };
                if next.wire.remove(&event).is_some_and(|sent_by| fence <= sent_by) {
                    next.accept(event);
                } else {
                    next.dropped += 1;
                }
            }
            Label::Lose(event) => {
                next.wire.remove(&event);
            }
            Label::Crash => next.crashed = true,
            Label::Recover => {
                for event in 0..state.committed() {
                    let resend = match self.policy {
                        Policy::Cursor => event >= state.cursor(),
                        Policy::SinkDelta | Policy::Fenced => !state.accepted.contains_key(&event),
                    };
                    if resend {
                        next.accept(event);
                    }
                }
                next.generation += 1;
                next.position = ACTS.len() * state.committed();
                next.crashed = false;
            }
        }
        next
    }

    /// Breadth first over every reachable state.
    pub fn walk(&self) -> Counts {
        let mut counts = Counts::default();
        let mut seen = BTreeSet::from([State::default()]);
        let mut level: Vec<State> = seen.iter().cloned().collect();
        loop {
            let mut next_level = Vec::new();
            for state in &level {
                for label in self.labels(state) {
                    counts.transitions += 1;
                    let next = self.step(state, label);
                    if seen.insert(next.clone()) {
                        next_level.push(next);
                    }
                }
            }
            if next_level.is_empty() {
                counts.states = seen.len();
                return counts;
            }
            counts.depth += 1;
            level = next_level;
        }
    }

    /// Moves probability along the steps, all runs at once; every run ends, so it runs out.
    pub fn rates(&self) -> Rates {
        let mut rates = Rates::default();
        let mut level = BTreeMap::from([(State::default(), 1.0)]);
        while !level.is_empty() {
            let mut next_level = BTreeMap::new();
            for (state, probability) in level {
                let labels = self.labels(&state);
                if labels.is_empty() {
                    rates.duplicate += probability * f64::from(self.duplicate(&state));
                    rates.lost += probability * f64::from(self.lost(&state));
                    continue;
                }
                rates.steps += probability;
                for &label in &labels {
                    *next_level.entry(self.step(&state, label)).or_insert(0.0) +=
                        probability / labels.len() as f64;
                }
            }
            level = next_level;
        }
        rates
    }
}
