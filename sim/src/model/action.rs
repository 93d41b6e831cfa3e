//! Everything that can happen, as one enum. A run is a sequence of actions; a schedule is the same sequence written
//! down; replaying it reproduces the state byte for byte.

use crate::model::ids::{Payload, Slot, Target};
use crate::model::scenario::{CrashKind, Fault, Injected};

pub use crate::model::ids::Emission;

/// A labelled step of the world.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Action {
    /// The next step of an incarnation's program. The label names the step and the item it works on, so that it is
    /// refused, not reinterpreted, where the incarnation stands elsewhere.
    Step {
        /// Whose program.
        who: Slot,
        /// Which step of it.
        pc: u16,
        /// Which event (producer, relay) or entry (per-entry fire) the step works on, or which choice it makes where
        /// the schedule picks (an open reconcile index, an open batch as a set of bits); 0 where there is none.
        item: u32,
    },
    /// The steps of an `each(interval)` section run.
    Interval(Slot),
    /// A message in flight reaches the sink.
    Arrive(Emission),
    /// A message in flight is lost.
    Lose(Emission),
    /// The delivering process crashes.
    Crash(CrashKind),
    /// The orchestrator starts a recoverer.
    Start(Slot),
    /// The sink's reply for a payload is heard by the sender.
    Ack(Payload),
    /// A sender that waits for a reply gives up waiting and sends again.
    Timeout(Slot),
    /// The sink writes the oldest acknowledged, unpersisted acceptance to its durable record.
    SinkPersist,
    /// The sink does the second half of what it began: has the effect of a key that it remembered first, or remembers
    /// the key of an effect that it had first.
    FinishEffect(Emission),
    /// A fault that few stages have. A loss and a crash, which most have, stand apart.
    Fault(Injected),
}

impl Action {
    /// Whether it is a fault: something that may happen, not something that will. The start of a recoverer beside
    /// another one is a fault too, which the action alone does not tell.
    pub fn is_fault(self) -> bool {
        self.section().is_fault()
    }

    /// Its kind. The start of a recoverer is told as the first one; whether it is a suspicion depends on the state.
    pub fn section(self) -> Section {
        match self {
            Action::Step { .. } => Section::Steps,
            Action::Interval(_) => Section::Intervals,
            Action::Arrive(_) => Section::Arrive,
            Action::Lose(_) => Section::Fault(Fault::Loss),
            Action::Crash(_) => Section::Fault(Fault::Crash),
            Action::Start(_) => Section::FirstStart,
            Action::Ack(_) => Section::Ack,
            Action::Timeout(_) => Section::Timeout,
            Action::SinkPersist => Section::SinkPersist,
            Action::FinishEffect(_) => Section::FinishEffect,
            Action::Fault(fault) => Section::Fault(fault.fault()),
        }
    }

    /// What it happens to. A step of a program names its incarnation and its place itself.
    pub fn target(self) -> Target {
        match self {
            Action::Step { .. } | Action::Crash(_) | Action::SinkPersist => Target::None,
            Action::Interval(who) | Action::Start(who) | Action::Timeout(who) => Target::Slot(who),
            Action::Arrive(e) | Action::Lose(e) | Action::FinishEffect(e) => Target::Message(e),
            Action::Ack(p) => Target::Payload(p),
            Action::Fault(fault) => fault.target(),
        }
    }

    /// The same happening to something else of the same kind.
    #[must_use]
    pub fn with_target(self, target: Target) -> Action {
        match (self, target) {
            (Action::Interval(_), Target::Slot(who)) => Action::Interval(who),
            (Action::Start(_), Target::Slot(who)) => Action::Start(who),
            (Action::Timeout(_), Target::Slot(who)) => Action::Timeout(who),
            (Action::Arrive(_), Target::Message(e)) => Action::Arrive(e),
            (Action::Lose(_), Target::Message(e)) => Action::Lose(e),
            (Action::FinishEffect(_), Target::Message(e)) => Action::FinishEffect(e),
            (Action::Ack(_), Target::Payload(p)) => Action::Ack(p),
            (Action::Fault(fault), target) => Action::Fault(fault.with_target(target)),
            (same, _) => same,
        }
    }

    /// The action as one number, the same on every platform: what a fingerprint is made of.
    pub fn code(self) -> u64 {
        let kind = match self {
            Action::Step { who, pc, item } => {
                return 1 << 56 | u64::from(who.0) << 48 | u64::from(pc) << 32 | u64::from(item);
            }
            Action::Crash(kind) => return 6 << 56 | kind as u64,
            Action::Interval(_) => 2,
            Action::Arrive(_) => 3,
            Action::Lose(_) => 4,
            Action::Start(_) => 7,
            Action::Ack(_) => 9,
            Action::Timeout(_) => 11,
            Action::SinkPersist => 12,
            Action::FinishEffect(_) => 13,
            Action::Fault(fault) => fault.code(),
        };
        kind << 56 | self.target().code()
    }
}

/// A kind of action: a section of the total order in which the actions of a state are counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Section {
    /// Steps of programs.
    Steps,
    /// Turns of `each(interval)` sections.
    Intervals,
    /// The start of a recoverer while none is alive.
    FirstStart,
    /// Arrivals.
    Arrive,
    /// Replies that are heard.
    Ack,
    /// Senders that give up waiting.
    Timeout,
    /// Acceptances that become durable.
    SinkPersist,
    /// Second halves of what the sink began.
    FinishEffect,
    /// What may happen, and not what will: a state in which nothing else is enabled is quiescent.
    Fault(Fault),
    /// What a process that only seemed to crash does. It may, and need not: like a fault, it keeps no run from its end.
    Paused,
}

impl Section {
    /// The sections that are no faults, in the total order. The faults follow.
    pub const STEPS: [Section; 8] = [
        Section::Steps,
        Section::Intervals,
        Section::FirstStart,
        Section::Arrive,
        Section::Ack,
        Section::Timeout,
        Section::SinkPersist,
        Section::FinishEffect,
    ];

    /// Whether it holds what may happen and need not: faults, and the steps of paused processes.
    pub fn is_fault(self) -> bool {
        matches!(self, Section::Fault(_) | Section::Paused)
    }
}
