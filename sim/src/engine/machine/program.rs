//! A program as a machine runs it: flat steps of acts that are resolved.

use crate::model::program::{Else, FenceTo, Fire, Obligations, Rows, Stamps, Surface};
use crate::model::scenario::Stage;

/// How a program moves from step to step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Over the events, committing each.
    Events,
    /// Over batches that it fetches.
    Relay,
    /// Once from start to end.
    Once,
}

#[derive(Clone)]
pub(crate) struct Program {
    pub kind: Kind,
    pub steps: Vec<Compiled>,
    /// Steps of `each(interval)` sections: one step of their own, outside the loop.
    pub interval: Option<Compiled>,
    /// The last step that sends, if any.
    pub last_send: Option<u16>,
    pub retry: u16,
    pub stamps: Stamps,
    /// Whether its batch takes back what it sends, before it sends it.
    pub compensates: bool,
}

/// One step.
#[derive(Clone)]
pub(crate) struct Compiled {
    pub acts: Vec<Op>,
    pub otherwise: Else,
    pub scope: Scope,
    /// Whether it fires entry by entry, and stays where it is until its batch is empty.
    pub by_entry: bool,
    /// Whether some act of it can be not enabled in this stage; most cannot, and need no look at the state.
    pub can_refuse: bool,
    /// Whether the step written next always follows: no batch is counted, no item ends here.
    pub leads_on: bool,
}

/// When, within its loop, a step runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// For each item; the steps from `first` up to, not including, `end` run for one item before the next.
    Item { first: u16, end: u16 },
    /// After every so many events, and after the last.
    Every(u16),
    /// Once for each batch, or once.
    Once,
}

/// An act, resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    Commit,
    Enqueue,
    Fetch(u16),
    Send,
    SendBatch,
    Snapshot(Rows),
    AwaitAck,
    Persist,
    Discard,
    /// `kept`: into memory; else the `arm` of the same step looks at the world itself.
    Read {
        surface: Surface,
        kept: bool,
    },
    Arm {
        rule: Rule,
        of: Obligations,
    },
    Heal,
    Recover,
    Fence(FenceTo),
    Fire(Fire),
    Release,
    Resume,
}

/// What a batch rule leaves out of the obligations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    Nothing,
    All,
    PastCursor,
    PastStored,
    Unacknowledged,
    NotAccepted,
    NotHeld,
    ValueDiffers,
    KeyUnknown,
    ContentUnknown,
    NotSent,
    Latest,
    Compensate,
    AnySuffix,
    Any,
    /// Index into [`Rules`].
    Custom(u16),
}

impl Program {
    pub(super) fn empty() -> Program {
        Program {
            kind: Kind::Once,
            steps: Vec::new(),
            interval: None,
            last_send: None,
            retry: 0,
            stamps: Stamps::CrashTime,
            compensates: false,
        }
    }

    /// Settles after which steps the next one follows in any case.
    pub(super) fn link(&mut self) {
        for at in 1..self.steps.len() {
            let always_due = self.kind == Kind::Once || !matches!(self.steps[at].scope, Scope::Every(_));
            self.steps[at - 1].leads_on = always_due && self.kind != Kind::Relay;
        }
    }

    /// Whether what some read of `surface` shows is remembered.
    pub(crate) fn keeps(&self, surface: Surface) -> bool {
        self.has(|op| matches!(op, Op::Read { surface: s, kept: true } if *s == surface))
    }

    /// How often one incarnation sends an event, retries non_delivery.
    pub(super) fn sends_per_event(&self) -> u64 {
        let acts = self.steps.iter().flat_map(|step| &step.acts);
        acts.filter(|op| matches!(op, Op::Send | Op::SendBatch)).count() as u64
    }

    /// Whether some act satisfies `test`.
    pub(crate) fn has(&self, test: impl Fn(&Op) -> bool) -> bool {
        self.steps.iter().chain(&self.interval).flat_map(|s| &s.acts).any(test)
    }
}

impl Compiled {
    pub(super) fn new(acts: Vec<Op>, otherwise: Else, scope: Scope, stage: &Stage) -> Compiled {
        Compiled {
            by_entry: acts.iter().any(|op| matches!(op, Op::Fire(Fire::Each | Fire::Wire))),
            can_refuse: acts.iter().any(|op| op.can_refuse(stage)),
            acts,
            otherwise,
            scope,
            leads_on: false,
        }
    }

    /// Whether the step can be not enabled, and then waits.
    #[inline]
    pub(crate) fn refuses(&self) -> bool {
        self.can_refuse && self.otherwise == Else::Wait
    }
}

impl Op {
    /// The act's name in program files.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Op::Commit => "commit",
            Op::Enqueue => "enqueue",
            Op::Fetch(_) => "fetch",
            Op::Send => "send",
            Op::SendBatch => "send_batch",
            Op::Snapshot(_) => "snapshot",
            Op::AwaitAck => "await_ack",
            Op::Persist => "persist",
            Op::Discard => "discard",
            Op::Read { .. } => "read",
            Op::Arm { .. } => "arm",
            Op::Heal => "heal",
            Op::Recover => "recover",
            Op::Fence(_) => "fence",
            Op::Fire(_) => "fire",
            Op::Release => "release",
            Op::Resume => "resume",
        }
    }

    /// Whether the act works on one event at a time.
    pub(super) fn is_per_item(self) -> bool {
        matches!(self, Op::Commit | Op::Enqueue | Op::Send | Op::Snapshot(_) | Op::AwaitAck)
    }
}
