//! One run, written down for a reader: what [`crate::schedulers`] leaves when it is asked to replay. Labels are already
//! text, so that a report needs nothing else.

use crate::model::action::Action;
use crate::model::ids::Tick;
use crate::model::program::Surface;
use crate::model::scenario::Verdict;

/// A run, step by step, with its verdicts.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// The steps in order.
    pub moments: Vec<Moment>,
    /// What the oracle says of the run as a whole.
    pub findings: Vec<Finding>,
    /// The verdicts that hold, in the order of [`Verdict::ALL`].
    pub verdicts: Vec<Verdict>,
    /// A 128-bit hash over the whole event log.
    pub fingerprint: u128,
}

/// Who acts in a step; a column of a drawing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Lane {
    /// The source and its producer or relay.
    Source,
    /// What is in flight.
    Wire,
    /// The accepting side.
    Sink,
    /// The recoverer with this number, from 1.
    Recoverer(u8),
    /// What nobody in the system decides: crashes, the orchestrator.
    World,
}

/// One step of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Moment {
    /// When, in a timed run.
    pub at: Option<Tick>,
    /// What happened.
    pub action: Action,
    /// Its label, as a schedule writes it: `producer: send order-1`.
    pub label: String,
    /// Whose column it belongs to.
    pub lane: Lane,
    /// What it changed, in order.
    pub effects: Vec<Effect>,
    /// The verdicts that became true in this step.
    pub became: Vec<Verdict>,
}

/// Something that a step changed. Payloads are named by their labels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// An event is now on the committed log.
    Committed(String),
    /// A payload is now in the outbox.
    Enqueued(String),
    /// A relay fetched so many rows.
    Fetched(u32),
    /// A payload went onto the wire, by this generation; `again` if it was sent before.
    Sent {
        /// Which payload.
        payload: String,
        /// By which generation.
        generation: u16,
        /// Whether it had been sent before.
        again: bool,
    },
    /// The sink accepted a payload.
    Accepted {
        /// Which payload.
        payload: String,
        /// Sent by which generation.
        generation: u16,
        /// How often it is on the accepted record now.
        times: u32,
        /// Whether the journal held it when it was sent.
        justified: bool,
    },
    /// The fence refused a payload.
    Dropped {
        /// Which payload.
        payload: String,
        /// Sent by which generation.
        generation: u16,
        /// Whether the payload is not on the record yet: the fence turned away a rescue.
        rescue: bool,
    },
    /// The sink's dedup memory took a payload for one that it knows.
    Absorbed(String),
    /// A message was lost.
    LostInTransit(String),
    /// The sender heard a reply.
    Acknowledged(String),
    /// The durable cursor stands at this count of events.
    CursorAt(u32),
    /// A surface was read.
    Read {
        /// Which surface.
        surface: Surface,
        /// What it showed.
        shows: Shown,
    },
    /// A batch was armed.
    Armed(Vec<String>),
    /// The contents were reconciled to the committed image.
    Healed,
    /// The fence stands at this generation.
    FenceAt(u16),
    /// The process crashed.
    Crashed,
    /// The run goes on in this generation.
    Resumed(u16),
    /// A second copy of a message is in flight.
    Copied(String),
    /// The record took an entry that is no delivery.
    Entered(String),
    /// The sink took a payload in and has not made it durable.
    Buffered(String),
    /// The sink prepared a payload: it counts once the sink completes it.
    Prepared(String),
    /// The preparation of a payload expired.
    PreparationExpired(String),
    /// The sink refuses a payload for ever.
    Rejected(String),
    /// The reply to a payload was lost.
    ReplyLost(String),
    /// The durable cursor no longer exists.
    CursorGone,
    /// A process met an act that is not enabled, and its `else` decided.
    GaveWay {
        /// Which process.
        who: String,
        /// Whether it stops, or skips a step.
        stops: bool,
        /// Whether an act was refused, so that none of its atom has happened; else it was not enabled.
        refused: bool,
    },
    /// The dedup memory dropped its oldest key.
    KeyForgotten,
    /// Retention dropped this many of the source's oldest entries.
    Retained(u32),
    /// The source's log was cut to this many of its oldest entries.
    LogCut(u32),
    /// The sink crashed.
    SinkCrashed,
}

/// What a surface showed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shown {
    /// These payloads, by their labels.
    Payloads(Vec<String>),
    /// A number.
    Number(u32),
}

/// What the oracle found: which payload, how often, and from which step on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Which verdict.
    pub verdict: Verdict,
    /// Which payload, by its label; empty for a verdict about the run as a whole.
    pub payload: String,
    /// How often the payload is on the accepted record.
    pub times: u32,
    /// The first step (counted from 1) after which it was true; the last one for a verdict of completeness.
    pub step: usize,
}
