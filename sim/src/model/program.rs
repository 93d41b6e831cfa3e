//! Producers and recoverers are programs over durable acts. The adversary may strike between any two steps; a step
//! is one act, or several inside one `atomic`. A sound discipline and its refuted near miss differ by the order of
//! two acts here, in a file that a user can edit.

use crate::model::words::words;

words! {
    /// What a recoverer may declare that it reads. Nothing else is reachable from a batch rule: that is what every
    /// bound quantifies over (an observation, §2 of the paper).
    Surface {
        /// The source's live committed log, as far as it can be replayed.
        History = "history",
        /// The committed log above the retention floor.
        RetainedHistory = "retained_history",
        /// The durable progress checkpoint.
        Cursor = "cursor",
        /// The durable outbox rows.
        Outbox = "outbox",
        /// The acknowledgements that the sender heard.
        Acks = "acks",
        /// The recovery incarnation counter.
        Generation = "generation",
        /// The sink's acceptance threshold.
        Fence = "fence",
        /// The incarnation table.
        Incarnations = "incarnations",
        /// The newest spawned generation.
        HighWaterMark = "high_water_mark",
        /// The retention floor.
        Floor = "floor",
        /// Running, crashed or recovered.
        Status = "status",
        /// Everything that was ever committed.
        Journal = "journal",
        /// How much was ever committed, not what.
        JournalLength = "journal_length",
        /// Everything that was ever sent.
        SentLedger = "sent_ledger",
        /// The sink's own record of what it accepted.
        AcceptedRecord = "accepted_record",
        /// What the sink currently holds.
        Contents = "contents",
        /// The crashed process's memory of enqueued, unsent work (a control).
        Pending = "pending",
        /// The highest coordinate that the sink stored with an effect.
        StoredCoordinate = "stored_coordinate",
        /// The keys that the sink's dedup memory holds.
        DedupKeys = "dedup_keys",
        /// What is in flight (an omniscient control).
        Wire = "wire",
        /// The live log with what retention dropped (a control).
        LiveHistory = "live_history",
    }
}

impl Surface {
    /// Whether it shows a set of payloads; the others show a number, or how far a log goes.
    pub fn shows_payloads(self) -> bool {
        matches!(
            self,
            Surface::Outbox
                | Surface::Acks
                | Surface::SentLedger
                | Surface::AcceptedRecord
                | Surface::Contents
                | Surface::Pending
                | Surface::DedupKeys
                | Surface::Wire
        )
    }

    /// Whether it is a committed log.
    pub fn is_committed_log(self) -> bool {
        matches!(self, Surface::History | Surface::RetainedHistory | Surface::LiveHistory | Surface::Journal)
    }

    /// Whether the surface is a log of the source's, or a ledger beside it, that obligations can be taken from.
    pub fn is_a_log(self) -> bool {
        matches!(
            self,
            Surface::History
                | Surface::RetainedHistory
                | Surface::LiveHistory
                | Surface::Journal
                | Surface::Outbox
                | Surface::SentLedger
        )
    }

    /// Whether the surface lies on the sink's side, so that the sink of the scenario decides if it can be read.
    pub fn is_the_sinks(self) -> bool {
        matches!(
            self,
            Surface::AcceptedRecord | Surface::Contents | Surface::StoredCoordinate | Surface::DedupKeys
        )
    }
}

/// A set of surfaces: the observation that a policy factors through.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Surfaces(u32);

impl Surfaces {
    /// No surface at all.
    pub const NONE: Surfaces = Surfaces(0);

    /// The set with one more surface.
    #[must_use]
    pub const fn with(self, surface: Surface) -> Surfaces {
        Surfaces(self.0 | 1 << surface as u8)
    }

    /// The union of two sets.
    #[must_use]
    pub const fn and(self, other: Surfaces) -> Surfaces {
        Surfaces(self.0 | other.0)
    }

    /// Whether the set holds `surface`.
    pub const fn has(self, surface: Surface) -> bool {
        self.0 & 1 << surface as u8 != 0
    }

    /// Whether every surface of `other` is in this set.
    pub const fn covers(self, other: Surfaces) -> bool {
        other.0 & !self.0 == 0
    }

    /// Whether no surface is in this set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The surfaces in the order of [`Surface::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Surface> {
        Surface::ALL.into_iter().filter(move |s| self.has(*s))
    }
}

impl FromIterator<Surface> for Surfaces {
    fn from_iter<I: IntoIterator<Item = Surface>>(surfaces: I) -> Surfaces {
        surfaces.into_iter().fold(Surfaces::NONE, Surfaces::with)
    }
}

words! {
    /// Which obligations a batch starts from.
    Obligations {
        /// The live committed log, as far as it can be replayed.
        History = Surface::History.name(),
        /// The committed log above the retention floor.
        RetainedHistory = Surface::RetainedHistory.name(),
        /// The live committed log, whatever retention dropped.
        LiveHistory = Surface::LiveHistory.name(),
        /// The journal.
        Journal = Surface::Journal.name(),
        /// The outbox rows.
        Outbox = Surface::Outbox.name(),
        /// What was ever sent.
        SentLedger = Surface::SentLedger.name(),
    }
}

impl Obligations {
    /// The surface that must have been read.
    pub fn surface(self) -> Surface {
        match self {
            Obligations::History => Surface::History,
            Obligations::RetainedHistory => Surface::RetainedHistory,
            Obligations::LiveHistory => Surface::LiveHistory,
            Obligations::Journal => Surface::Journal,
            Obligations::Outbox => Surface::Outbox,
            Obligations::SentLedger => Surface::SentLedger,
        }
    }
}

/// A re-drive policy's batch rule: what to send again, computed from surfaces that were read and nothing else.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BatchRule {
    /// Nothing.
    Nothing,
    /// All obligations.
    All(Obligations),
    /// The obligations past the durable cursor.
    PastCursor(Obligations),
    /// The obligations past the coordinate that the sink stored with its effects.
    PastStoredCoordinate(Obligations),
    /// The obligations that were never acknowledged to the sender.
    Unacknowledged(Obligations),
    /// The obligations that are not on the accepted record: the sink delta of §5.
    NotAccepted(Obligations),
    /// The obligations that the sink's contents do not hold, as a list.
    NotHeld(Obligations),
    /// The obligations whose value is not the one that the sink currently holds for their key: a diff of maps.
    ValueDiffers(Obligations),
    /// The obligations whose key (source coordinate) is not on the accepted record or in the dedup memory.
    KeyUnknown(Obligations),
    /// The obligations whose content (key and value, whatever the coordinate) was not accepted.
    ContentUnknown(Obligations),
    /// The obligations that were never sent.
    NotSent(Obligations),
    /// Of the obligations, the latest of each key: a snapshot taken again. What it overwrites is not sent.
    Latest(Obligations),
    /// The obligations without their first m, for whichever m the schedule picks: the reconcile index of §3, open.
    AnySuffix(Obligations),
    /// All obligations, each first taken back, newest first, and then sent again: the same batch whatever was accepted.
    Compensate(Obligations),
    /// Any of the payloads, whichever the schedule picks: every batch there is, for scenarios of a few events.
    Any,
    /// A rule written in Rust, by the name under which it was registered with [`crate::model::view::Rules`].
    Custom(String),
}

words! {
    /// Which fence value a recoverer asks for.
    FenceTo {
        /// Crash-time generation + 1 (§6).
        Successor = "successor",
        /// The recoverer's own generation (§7); refused when the fence is already above it or the run no longer crashed.
        Own = "own",
        /// Past the recoverer's own generation: what a claim over a batch that was armed before it amounts to (§7).
        PastOwn = "past_own",
    }

    /// Where the rows of a snapshot come from. Each is told as its key's value at the coordinate of the event at hand.
    Rows {
        /// What the log up to that coordinate makes of them.
        AtEvent = "at_event",
        /// A replica that has not seen the newest entry of the log.
        Replica = "replica",
        /// What the whole log makes of them now, whatever was committed past that coordinate.
        Now = "now",
    }

    /// How an armed batch leaves the recoverer.
    Fire {
        /// All of it in one step, landing on the sink at once; the fence is checked at this point.
        All = "fire",
        /// One entry a step, each landing at once.
        Each = "fire_each",
        /// One entry a step, each travelling over the wire.
        Wire = "fire_wire",
        /// All of it put on the wire in one step.
        WireAll = "fire_wire_all",
    }
}

/// One durable act.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Act {
    /// Producer: append the next event to the source's committed log.
    Commit,
    /// Producer: append the current payload to the outbox and to the pending window.
    Enqueue,
    /// Relay: take up to this many committed payloads past what was fetched before.
    Fetch(u16),
    /// Send the current payload to the sink, over the wire.
    Send,
    /// Send everything that was fetched as one request of several entries.
    SendBatch,
    /// Send what each key was at the coordinate of the current event: the materialised prefix, key by key.
    Snapshot(Rows),
    /// Wait until the sink's reply to the current payload was heard.
    AwaitAck,
    /// Write the durable cursor. A producer: one more event. A relay: all that it fetched. A recoverer: all that it
    /// judged at its frontier.
    Persist,
    /// Tell the source that everything up to the relay's position may be discarded.
    Discard,
    /// Recoverer: read a surface into memory.
    Read(Surface),
    /// Recoverer: compute a batch from what was read, stamped with the journal's length now.
    Arm(BatchRule),
    /// Recoverer: reconcile the sink's contents to the committed image at the frontier.
    Heal,
    /// Recoverer: let a crashed run pass for recovered. What a killed process had not sent is forgotten; the contents stay.
    Recover,
    /// Recoverer: raise the fence.
    Fence(FenceTo),
    /// Recoverer: send the armed batch.
    Fire(Fire),
    /// Recoverer: stop recovering without restarting the producer: the run stays down.
    Release,
    /// Recoverer: restart the producer in the next generation. Skipped when the run already runs.
    Resume,
}

words! {
    /// The acts that a program can hold, those of producers and relays first.
    ActKind {
        /// Producer: append the next event to the source's committed log.
        Commit = "commit",
        /// Producer: append the current payload to the outbox.
        Enqueue = "enqueue",
        /// Relay: take committed payloads past those fetched before: fetch(10).
        Fetch = "fetch",
        /// Send the current payload to the sink, over the wire.
        Send = "send",
        /// Send everything that was fetched as one request.
        SendBatch = "send_batch",
        /// Send what each key was at the current event's coordinate; snapshot_from(replica), snapshot_from(now).
        Snapshot = "snapshot",
        /// Wait until the sink's reply to the current payload was heard.
        AwaitAck = "await_ack",
        /// Write the durable cursor.
        Persist = "persist",
        /// Tell the source that everything up to the relay's position may go.
        Discard = "discard",
        /// Recoverer: read a surface: read(accepted_record).
        Read = "read",
        /// Recoverer: compute the batch to send again by a rule, from what was read: arm(minus(accepted_record)).
        Arm = "arm",
        /// Recoverer: reconcile the sink's contents to the committed image.
        Heal = "heal",
        /// Recoverer: let a crashed run pass for recovered, and repair nothing.
        Recover = "recover",
        /// Recoverer: raise the fence, so that older senders are refused: fence(successor).
        Fence = "fence",
        /// Recoverer: send the armed batch, landing at once; fire_each, fire_wire, fire_wire_all.
        Fire = "fire",
        /// Recoverer: stop recovering without restarting the producer.
        Release = "release",
        /// Recoverer: restart the producer in the next generation.
        Resume = "resume",
    }
}

impl ActKind {
    /// Whether a recoverer does it.
    pub fn is_a_recoverers(self) -> bool {
        self == ActKind::Persist || !self.is_a_producers()
    }

    /// Whether a producer or a relay does it.
    pub fn is_a_producers(self) -> bool {
        use ActKind::{AwaitAck, Commit, Discard, Enqueue, Fetch, Persist, Send, SendBatch, Snapshot};
        matches!(self, Commit | Enqueue | Fetch | Send | SendBatch | Snapshot | AwaitAck | Persist | Discard)
    }
}

impl Act {
    /// Which act it is, without what it acts on.
    pub fn kind(&self) -> ActKind {
        match self {
            Act::Commit => ActKind::Commit,
            Act::Enqueue => ActKind::Enqueue,
            Act::Fetch(_) => ActKind::Fetch,
            Act::Send => ActKind::Send,
            Act::SendBatch => ActKind::SendBatch,
            Act::Snapshot(_) => ActKind::Snapshot,
            Act::AwaitAck => ActKind::AwaitAck,
            Act::Persist => ActKind::Persist,
            Act::Discard => ActKind::Discard,
            Act::Read(_) => ActKind::Read,
            Act::Arm(_) => ActKind::Arm,
            Act::Heal => ActKind::Heal,
            Act::Recover => ActKind::Recover,
            Act::Fence(_) => ActKind::Fence,
            Act::Fire(_) => ActKind::Fire,
            Act::Release => ActKind::Release,
            Act::Resume => ActKind::Resume,
        }
    }

    /// Its name in files, without what it acts on.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }
}

words! {
    /// What happens when the next act of an incarnation is not enabled.
    #[derive(Default)]
    Else {
        /// It waits until the act is enabled; the paper's reading.
        #[default]
        Wait = "wait",
        /// It goes on with the next step.
        Skip = "skip",
        /// It ends.
        Stop = "stop",
    }
}

/// One step of a program: acts that happen together, and what to do when they cannot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// One act, or those of an `atomic`, in order; never empty.
    pub acts: Vec<Act>,
    /// What happens when they are not enabled.
    pub otherwise: Else,
}

/// When a section of a producer or relay program runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cadence {
    /// Once for each event.
    EachEvent,
    /// Once after every n events, and after the last one; a relay fetches at most n at a time.
    EachBatch(u16),
    /// Every so many ticks in a timed run; at any time while there is something to do in the others.
    EachInterval(u64),
}

/// What a producer or a relay does, for as long as there are events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Producer {
    /// The name under which it is known.
    pub name: String,
    /// What it is, in a sentence.
    pub about: String,
    /// Its sections, in the order in which they run within one round.
    pub sections: Vec<(Cadence, Vec<Step>)>,
    /// How often a send whose reply is awaited is tried again, and after how many ticks.
    pub retry: Option<Retry>,
}

/// Sending again when no reply was heard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retry {
    /// At most this many sends again for each payload.
    pub times: u16,
    /// The timeout, in ticks of a timed run.
    pub after: u64,
}

words! {
    /// Which generation a recoverer's batch is stamped with.
    #[derive(Default)]
    Stamps {
        /// The generation of the incarnation that crashed: the discipline of §6.
        #[default]
        CrashTime = "crash_time",
        /// The recoverer's own: the discipline of §7.
        Own = "own",
    }
}

/// A re-drive policy: the program that a recoverer runs once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Policy {
    /// The name under which it is known.
    pub name: String,
    /// What it is, in a sentence.
    pub about: String,
    /// Which generation its batch carries.
    pub stamps: Stamps,
    /// Its steps.
    pub steps: Vec<Step>,
}

impl Policy {
    /// Every surface that some step reads: the observation that the policy factors through.
    pub fn reads(&self) -> Surfaces {
        self.acts().filter_map(|act| if let Act::Read(s) = act { Some(*s) } else { None }).collect()
    }

    /// Every act, in order, whatever the step that holds it.
    pub fn acts(&self) -> impl Iterator<Item = &Act> {
        self.steps.iter().flat_map(|step| &step.acts)
    }
}

impl BatchRule {
    /// What `arm` can compute: a rule as a program writes it, and which of what was committed it sends again.
    pub const REGISTER: [(&'static str, &'static str); 14] = [
        ("nothing", "nothing"),
        ("all", "everything that was committed"),
        ("past(cursor)", "what lies past the durable cursor"),
        ("past(stored_coordinate)", "what lies past the coordinate that the sink stored with its effects"),
        ("minus(accepted_record)", "what the accepted record lacks"),
        ("minus(contents)", "what the sink's contents do not hold"),
        ("minus(dedup_keys)", "what the sink's dedup keys do not know"),
        ("minus(sent_ledger)", "what was never sent"),
        (
            "values_differ(contents)",
            "what sets a key to another value than the one that the sink holds for it",
        ),
        ("content_not_in(accepted_record)", "what was not accepted by content, whatever its coordinate"),
        ("unacknowledged", "what was never acknowledged to the sender"),
        ("latest", "the newest of each key: the snapshot again"),
        ("compensate", "everything, each first taken back, newest first, and then sent again"),
        (
            "of(outbox, all)",
            "any of these, computed from the outbox, the journal or what retention kept, not the log",
        ),
    ];

    /// What must have been read before this rule can be armed. A [`BatchRule::Custom`] rule declares its own reads
    /// where it is registered.
    pub fn needs(&self) -> Surfaces {
        let (of, minus) = match self {
            BatchRule::Nothing | BatchRule::Any | BatchRule::Custom(_) => return Surfaces::NONE,
            BatchRule::All(of)
            | BatchRule::Latest(of)
            | BatchRule::AnySuffix(of)
            | BatchRule::Compensate(of) => {
                return Surfaces::NONE.with(of.surface());
            }
            BatchRule::PastCursor(of) => (of, Surface::Cursor),
            BatchRule::PastStoredCoordinate(of) => (of, Surface::StoredCoordinate),
            BatchRule::Unacknowledged(of) => (of, Surface::Acks),
            BatchRule::NotAccepted(of) | BatchRule::ContentUnknown(of) => (of, Surface::AcceptedRecord),
            BatchRule::NotHeld(of) | BatchRule::ValueDiffers(of) => (of, Surface::Contents),
            BatchRule::KeyUnknown(of) => (of, Surface::DedupKeys),
            BatchRule::NotSent(of) => (of, Surface::SentLedger),
        };
        Surfaces::NONE.with(of.surface()).with(minus)
    }
}
