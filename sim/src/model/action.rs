//! Everything that can happen, as one enum. A run is a sequence of actions; a schedule is the same sequence written
//! down; replaying it reproduces the state byte for byte.

use crate::model::ids::{Generation, Payload, Slot};
use crate::model::scenario::CrashKind;

/// A message: a payload sent by a generation. Two emissions that are equal here are interchangeable for everything
/// that can still happen, so they share one label.
///
/// The paper stamps an emission with the length of the journal at the send. Since the journal only grows, what the
/// stamp decides is fixed at that moment: whether the payload was among the first `stamp` entries. That one bit is
/// kept, the number is not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Emission {
    /// What is sent.
    pub payload: Payload,
    /// Under which generation, which is all that a fence sees.
    pub generation: Generation,
    /// Whether the journal held the payload when it was sent.
    pub justified: bool,
    /// Which process sent it, and in which attempt, where the sink can tell these apart, as one number: processes in
    /// the order of their starts, each with all of its attempts. Else 0.
    pub sender: u8,
}

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
    /// The transport makes a second copy of a message in flight.
    Copy(Emission),
    /// The delivering process crashes.
    Crash(CrashKind),
    /// The delivering process crashes, and the source's live log is cut to its oldest so many entries. The journal
    /// keeps what it held.
    Truncate(u32),
    /// The orchestrator starts a recoverer.
    Start(Slot),
    /// A recoverer dies between two of its steps.
    Die(Slot),
    /// The sink's reply for a payload is heard by the sender.
    Ack(Payload),
    /// The sink's reply for a payload is lost.
    LoseAck(Payload),
    /// A sender that waits for a reply gives up waiting and sends again.
    Timeout(Slot),
    /// The sink writes the oldest acknowledged, unpersisted acceptance to its durable record.
    SinkPersist,
    /// The sink does the second half of what it began: has the effect of a key that it remembered first, or remembers
    /// the key of an effect that it had first.
    FinishEffect(Emission),
    /// The sink crashes: what it acknowledged and did not persist goes.
    SinkCrash,
    /// The sink's dedup memory forgets its oldest key.
    Evict,
    /// A preparation of the sink expires before it was committed.
    Expire(Emission),
    /// The source drops the oldest entry of its live log: the floor rises by one.
    Retain,
    /// The durable cursor is harmed, in the way that the scenario names.
    HarmCursor,
}

impl Action {
    /// The action as one number, the same on every platform: what a fingerprint is made of.
    pub fn code(self) -> u64 {
        let emission = |kind: u64, e: Emission| {
            kind << 56
                | u64::from(e.sender & 0x7f) << 49
                | u64::from(e.sender >> 7) << 47
                | u64::from(e.justified) << 48
                | u64::from(e.generation.0) << 32
                | u64::from(e.payload.0)
        };
        let slot = |kind: u64, slot: Slot| kind << 56 | u64::from(slot.0);
        let payload = |kind: u64, p: Payload| kind << 56 | u64::from(p.0);
        match self {
            Action::Step { who, pc, item } => {
                1 << 56 | u64::from(who.0) << 48 | u64::from(pc) << 32 | u64::from(item)
            }
            Action::Interval(who) => slot(2, who),
            Action::Arrive(e) => emission(3, e),
            Action::Lose(e) => emission(4, e),
            Action::Copy(e) => emission(5, e),
            Action::Crash(kind) => 6 << 56 | kind as u64,
            Action::Start(who) => slot(7, who),
            Action::Die(who) => slot(8, who),
            Action::Ack(p) => payload(9, p),
            Action::LoseAck(p) => payload(10, p),
            Action::Timeout(who) => slot(11, who),
            Action::SinkPersist => 12 << 56,
            Action::FinishEffect(e) => emission(13, e),
            Action::SinkCrash => 14 << 56,
            Action::Evict => 15 << 56,
            Action::Expire(e) => emission(16, e),
            Action::Retain => 17 << 56,
            Action::HarmCursor => 18 << 56,
            Action::Truncate(keeps) => 19 << 56 | u64::from(keeps),
        }
    }
}
