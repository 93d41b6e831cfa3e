//! The micro-model for tools that ask for a state, its labels and a step: a small value that is copied, hashed and
//! compared without allocating, so that what is measured is the tool. What the steps mean is said once, in
//! `tests/common/micro.rs`.

/// The most events a state has room for.
pub const MOST_EVENTS: usize = 8;

/// Acts of the producer for each event: commit, enqueue, send, persist.
pub(crate) const ACTS: u8 = 4;
pub(crate) const SEND: u8 = 2;

/// What recovery sends again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The committed events past the durable cursor.
    Cursor,
    /// The committed events that are not on the accepted record, and the fence rises past older generations.
    Fenced,
}

/// The bounds and the policy: with them, everything that can happen.
#[derive(Clone, Copy, Debug)]
pub struct Micro {
    /// How many events the producer delivers, at most [`MOST_EVENTS`].
    pub events: u8,
    /// How many crashes may strike, at most 2.
    pub crashes: u8,
    /// What recovery sends again.
    pub policy: Policy,
}

/// What can happen next. An event is sent at most once, so it names its emission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// The producer's next act.
    Act,
    /// The emission of this event reaches the sink.
    Arrive(u8),
    /// The emission of this event is never seen again.
    Lose(u8),
    /// The process dies.
    Crash,
    /// The batch lands, and the producer runs on.
    Recover,
}

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct State {
    position: u8,
    crashed: bool,
    generation: u8,
    dropped: u8,
    /// For each event: 1 + the generation that sent it while it is in flight, else 0.
    wire: [u8; MOST_EVENTS],
    /// For each event: how often it is on the accepted record.
    accepted: [u8; MOST_EVENTS],
}

/// What became of some runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Tally {
    /// How many ended.
    pub runs: u64,
    /// How many accepted an event twice.
    pub duplicate: u64,
    /// How many never accepted an event.
    pub lost: u64,
}

impl Tally {
    /// Counts one more run.
    pub fn count(&mut self, duplicate: bool, lost: bool) {
        self.runs += 1;
        self.duplicate += u64::from(duplicate);
        self.lost += u64::from(lost);
    }
}

impl std::ops::Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            runs: self.runs + other.runs,
            duplicate: self.duplicate + other.duplicate,
            lost: self.lost + other.lost,
        }
    }
}

/// What an exhaustive search came across.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Distinct states.
    pub states: u64,
    /// Enabled labels, summed over the states.
    pub transitions: u64,
}

impl Micro {
    /// Nothing can happen any more.
    pub fn ended(&self, state: &State) -> bool {
        !state.crashed && state.position == ACTS * self.events && state.wire == [0; MOST_EVENTS]
    }

    /// Some event was accepted twice.
    pub fn duplicate(&self, state: &State) -> bool {
        state.accepted.iter().any(|&times| times > 1)
    }

    /// Some event was not accepted.
    pub fn lost(&self, state: &State) -> bool {
        state.accepted[..usize::from(self.events)].contains(&0)
    }

    /// Appends what is enabled.
    pub fn labels(&self, state: &State, labels: &mut Vec<Label>) {
        if !state.crashed && state.position < ACTS * self.events {
            labels.push(Label::Act);
        }
        for event in 0..self.events {
            if state.wire[usize::from(event)] > 0 {
                labels.extend([Label::Arrive(event), Label::Lose(event)]);
            }
        }
        if state.crashed {
            labels.push(Label::Recover);
        } else if state.generation < self.crashes && !self.ended(state) {
            labels.push(Label::Crash);
        }
    }

    /// The state after an enabled label.
    pub fn step(&self, mut state: State, label: Label) -> State {
        match label {
            Label::Act => {
                if state.position % ACTS == SEND {
                    state.wire[usize::from(state.position / ACTS)] = 1 + state.generation;
                }
                state.position += 1;
            }
            Label::Arrive(event) => {
                let event = usize::from(event);
                let fence = if self.policy == Policy::Fenced { state.generation } else { 0 };
                if fence < state.wire[event] {
                    state.accepted[event] += 1;
                } else {
                    state.dropped += 1;
                }
                state.wire[event] = 0;
            }
            Label::Lose(event) => state.wire[usize::from(event)] = 0,
            Label::Crash => state.crashed = true,
            Label::Recover => {
                let committed = state.position.div_ceil(ACTS);
                let first = if self.policy == Policy::Cursor { state.position / ACTS } else { 0 };
                for times in &mut state.accepted[usize::from(first)..usize::from(committed)] {
                    if self.policy == Policy::Cursor || *times == 0 {
                        *times += 1;
                    }
                }
                state.generation += 1;
                state.position = ACTS * committed;
                state.crashed = false;
            }
        }
        state
    }
}
