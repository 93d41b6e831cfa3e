//! A program as a machine runs it: flat steps of acts that are resolved.

use crate::model::program::{ActKind, Else, FenceTo, Fire, Obligations, Rows, Stamps, Surface};
use crate::model::scenario::{FenceCheck, Stage};

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
    /// What it awaits the reply to, where that is a request of several events: those of this section.
    pub awaits: Option<Scope>,
    /// Whether it fetches: where there was nothing to fetch, it stays where it is.
    pub fetches: bool,
    /// Whether some act of it can be not enabled in this stage; most cannot, and need no look at the state.
    pub can_refuse: bool,
    /// Whether it is all or nothing: where an act of it that lands at once is refused, none of its acts has happened.
    pub binds: bool,
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
        let mut sent = None;
        for step in &mut self.steps {
            for op in &step.acts {
                match op {
                    Op::Send => sent = None,
                    Op::SendBatch => sent = Some(step.scope),
                    Op::AwaitAck => step.awaits = sent,
                    _ => {}
                }
            }
        }
    }

    /// Settles which steps are all or nothing: an atom, an act with an `else` of its own, and whatever a producer does.
    /// A recoverer's single act without one is the fire of the paper's machines: what is refused is gone, and it goes on.
    pub(super) fn bind(&mut self, stage: &Stage, fence_can_rise: bool) {
        let (kind, stamps) = (self.kind, self.stamps);
        for step in &mut self.steps {
            let stands_alone = kind == Kind::Once && step.acts.len() == 1 && step.otherwise == Else::Wait;
            let is_open =
                step.acts.iter().any(|op| matches!(op, Op::Arm { rule: Rule::Any | Rule::AnySuffix, .. }));
            let can_be_turned_away = |op: &Op| op.can_be_turned_away(stage, kind, stamps, fence_can_rise);
            step.binds = !stands_alone && !is_open && step.acts.iter().any(can_be_turned_away);
            step.can_refuse |= step.binds;
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
            awaits: None,
            fetches: acts.iter().any(|op| matches!(op, Op::Fetch(_))),
            can_refuse: acts.iter().any(|op| op.can_refuse(stage)),
            acts,
            otherwise,
            scope,
            binds: false,
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
        self.kind().name()
    }

    /// Which act it is.
    pub(crate) fn kind(&self) -> ActKind {
        match self {
            Op::Commit => ActKind::Commit,
            Op::Enqueue => ActKind::Enqueue,
            Op::Fetch(_) => ActKind::Fetch,
            Op::Send => ActKind::Send,
            Op::SendBatch => ActKind::SendBatch,
            Op::Snapshot(_) => ActKind::Snapshot,
            Op::AwaitAck => ActKind::AwaitAck,
            Op::Persist => ActKind::Persist,
            Op::Discard => ActKind::Discard,
            Op::Read { .. } => ActKind::Read,
            Op::Arm { .. } => ActKind::Arm,
            Op::Heal => ActKind::Heal,
            Op::Recover => ActKind::Recover,
            Op::Fence(_) => ActKind::Fence,
            Op::Fire(_) => ActKind::Fire,
            Op::Release => ActKind::Release,
            Op::Resume => ActKind::Resume,
        }
    }

    /// Whether the act can land at once and be refused by the sink or the cursor store.
    fn can_be_turned_away(self, stage: &Stage, kind: Kind, stamps: Stamps, fence_can_rise: bool) -> bool {
        let fence = stage.sink.fence;
        let rejects = !stage.sink.rejects.is_empty();
        let at_arrival = fence_can_rise && fence == FenceCheck::Arrival;
        match self {
            Op::Send | Op::SendBatch => stage.wire.instant && (at_arrival || rejects),
            Op::Snapshot(_) => stage.wire.instant && at_arrival,
            Op::Fire(Fire::Wire | Fire::WireAll) => stage.wire.instant && (at_arrival || rejects),
            Op::Fire(Fire::All | Fire::Each) => {
                let is_gated = stamps == Stamps::Own
                    && fence_can_rise
                    && matches!(fence, FenceCheck::Arrival | FenceCheck::Fire);
                is_gated || rejects
            }
            Op::Persist => {
                kind != Kind::Once
                    && fence_can_rise
                    && matches!(fence, FenceCheck::CursorStore | FenceCheck::Completion)
            }
            _ => false,
        }
    }

    /// Whether the act works on one event at a time.
    pub(super) fn is_per_item(self) -> bool {
        matches!(self, Op::Commit | Op::Enqueue | Op::Send | Op::Snapshot(_) | Op::AwaitAck)
    }
}
