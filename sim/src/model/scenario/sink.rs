//! What accepts: what it lets others read, what it remembers, and what makes an acceptance final.

use super::delay::{Delay, Span};
use crate::model::ids::Payload;
use crate::model::program::{Surface, Surfaces};
use crate::model::words::words;

/// The accepting side.
#[derive(Clone, PartialEq, Debug)]
pub struct Sink {
    /// What it lets recovery read.
    pub readable: Surfaces,
    /// How fresh and how whole such a read is.
    pub read: SinkRead,
    /// Where it checks a fence.
    pub fence: FenceCheck,
    /// Its deduplication memory.
    pub dedup: Option<Dedup>,
    /// When it acknowledges.
    pub acknowledges: Acknowledges,
    /// Whether acceptance is final at once.
    pub acceptance: Acceptance,
    /// What an accepted payload does to the contents.
    pub writes: Writes,
    /// When the contents advance.
    pub contents_advance: Advance,
    /// How a request of several entries is judged.
    pub batch: BatchAcceptance,
    /// How much of its accepted record it keeps readable; what it drops, it still accepted.
    pub record_keeps: Option<u32>,
    /// What the coordinate that it stores is derived from.
    pub stored_coordinate: StoredCoordinate,
    /// Payloads that it refuses for ever.
    pub rejects: Vec<Payload>,
    /// Spans of a timed run in which it accepts nothing and cannot be read.
    pub outages: Vec<Span>,
}

impl Sink {
    /// Whether recovery may read `surface` under this sink. What is not the sink's is not the sink's to refuse.
    pub fn lets_read(&self, surface: Surface) -> bool {
        !surface.is_the_sinks() || self.readable.has(surface)
    }
}

/// How a read of the sink falls short of the whole, current truth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SinkRead {
    /// The newest so many acceptances are not visible yet.
    pub stale_by: u32,
    /// Only the oldest so many entries are returned; 0 means all.
    pub page: u32,
    /// Only the newest so many entries are returned; 0 means all.
    pub window: u32,
}

words! {
    /// What a sink derives the coordinate from that it shows as stored. It goes with that.
    StoredCoordinate {
        /// It is written with each effect, and stays when old entries of the record are dropped.
        Effect = "effect",
        /// It is the highest coordinate on the part of the record that is kept, so that `record_keeps` takes it along.
        Record = "record",
    }

    /// Where the fence is checked. Everywhere but at acceptance, a check can be passed by one who is superseded before
    /// the effect.
    FenceCheck {
        /// Nowhere: the sink knows no generations.
        Nowhere = "nowhere",
        /// When a message arrives or a batch fires: at acceptance itself.
        Arrival = "arrival",
        /// When a batch fires, but not when a message arrives.
        Fire = "fire",
        /// When the work is reported complete, after the effect.
        Completion = "completion",
        /// When the cursor is written.
        CursorStore = "cursor_store",
        /// When the lock is taken, before the work.
        LockStore = "lock_store",
    }
}

/// The sink's memory of what it processed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dedup {
    /// What makes two requests the same.
    pub key: DedupKey,
    /// Whether senders share the memory.
    pub scope: DedupScope,
    /// How long a key is kept.
    pub keeps: Keeps,
    /// The order of check, effect and remember.
    pub order: DedupOrder,
    /// Whether a key that was remembered first is released when the effect fails.
    pub release_on_failure: bool,
    /// What a crash of the sink does to the memory.
    pub survives: Durability,
}

words! {
    /// What a dedup key is derived from.
    DedupKey {
        /// The source coordinate: stable identity.
        Coordinate = "coordinate",
        /// Key and value: merges legitimate equal payloads.
        Content = "content",
        /// The attempt: a retry is new work.
        Attempt = "attempt",
        /// The coordinate and the sender's generation: a re-drive is new work.
        Incarnation = "incarnation",
    }

    /// Who shares a dedup memory.
    DedupScope {
        /// All senders.
        Sink = "sink",
        /// Each sender generation has its own.
        Producer = "producer",
    }
}

/// How long a dedup key is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keeps {
    /// For ever.
    Forever,
    /// The last so many received requests, absorbed ones included.
    Last(u32),
    /// For so many ticks; the clock counts from the first acceptance, or from the last time the key was seen.
    For {
        /// Time to live, in ticks of a timed run; at any time in the others.
        ticks: u64,
        /// Whether seeing the key again starts the clock anew.
        since_last_seen: bool,
    },
}

words! {
    /// In which order the sink checks its memory, has the effect, and remembers.
    DedupOrder {
        /// All three in one step.
        Atomic = "atomic",
        /// Check, effect, then remember in a step of its own: a copy can slip in between.
        EffectFirst = "effect_first",
        /// Check and remember, then the effect in a step of its own: a crash between the two loses it.
        RememberFirst = "remember_first",
    }

    /// What a sink crash does to something the sink holds.
    Durability {
        /// It survives.
        Durable = "durable",
        /// It is gone.
        Volatile = "volatile",
        /// It is rebuilt from the contents that are left.
        Rebuilt = "rebuilt",
    }
}

/// When the sink acknowledges a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Acknowledges {
    /// After the acceptance is durable.
    AfterPersist,
    /// From a volatile tail, persisted in a later step: a sink crash in between loses what was acknowledged.
    BeforePersist {
        /// How long until the tail is persisted, in a timed run.
        flush: Delay,
    },
}

/// Whether acceptance is final.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Acceptance {
    /// At once.
    Final,
    /// Prepared first; a commit of the sender's makes it final, and a preparation may expire after so many ticks.
    Provisional {
        /// Time until a preparation expires, in ticks of a timed run; at any time in the others.
        expires: u64,
    },
}

words! {
    /// What an accepted payload does to the contents of the sink.
    Writes {
        /// Appends: every accepted payload is held.
        Append = "append",
        /// Overwrites the whole object: only the last accepted payload is held.
        Overwrite = "overwrite",
        /// The last write to a key wins, in order of acceptance.
        Register = "register",
        /// A write wins only over a lower coordinate of its key; deletes leave tombstones.
        VersionGuarded = "version_guarded",
    }

    /// When the contents advance.
    Advance {
        /// At acceptance.
        Acceptance = "acceptance",
        /// At the send: the paper's machines.
        Send = "send",
    }

    /// How a request of several entries is judged.
    BatchAcceptance {
        /// Entry by entry.
        EachEntry = "each_entry",
        /// If one entry is a duplicate, all are taken for duplicates; if one is refused, all are.
        AllOrNothing = "all_or_nothing",
        /// The request as a whole is what the dedup memory knows: the same entries in another request are new.
        AsOne = "as_one",
    }
}
