//! A validated scenario: what [`crate::file`] makes of a `.ron` file and [`crate::machine`] compiles. Nothing here
//! can be wrong any more; every error was reported with its place in the file.

use crate::claim::Claim;
use crate::ids::{Coordinate, Key};
use crate::program::{Policy, Producer, Surface, Surfaces};
use crate::ratio::Ratio;

/// A scenario file: a story, its designs, and its twins.
#[derive(Clone, PartialEq, Debug)]
pub struct Scenario {
    /// The file's stem, such as `zombie`.
    pub name: String,
    /// The story, in a sentence.
    pub about: String,
    /// The scenario itself, then each twin in the order of the file.
    pub cases: Vec<Case>,
}

/// The scenario itself or one twin: the same scenario with some of its fields replaced and its own expectations.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// Empty for the scenario itself, else the twin's name.
    pub twin: String,
    /// The rows of the shootout, in the order of the file.
    pub designs: Vec<Design>,
    /// How `check` judges the case.
    pub check_by: Vec<CheckBy>,
    /// What the file claims beyond what it expects of each design.
    pub claims: Vec<Claim>,
}

/// A row of a shootout: a policy, with optional overrides of producer, sink and recovery.
#[derive(Clone, PartialEq, Debug)]
pub struct Design {
    /// The row's name.
    pub name: String,
    /// What runs, or why this design cannot be built on this scenario's sink.
    pub stage: Result<Box<Stage>, NotApplicable>,
    /// What the file expects of it.
    pub expect: Expect,
}

/// Why a design has no row of numbers, as a sentence that follows `n/a: `.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotApplicable(pub String);

/// A delivery stage, whole: everything that one design runs under.
#[derive(Clone, PartialEq, Debug)]
pub struct Stage {
    /// What is committed.
    pub source: Source,
    /// What had happened before the run.
    pub start: Beginning,
    /// What the producer does. With a relay, only the commits.
    pub producer: Producer,
    /// A relay that runs as a process of its own: then a crash strikes the relay and commits go on.
    pub relay: Option<Producer>,
    /// What lies between.
    pub wire: Wire,
    /// What accepts.
    pub sink: Sink,
    /// Who recovers, when.
    pub recovery: Recovery,
    /// What a recoverer does.
    pub policy: Policy,
    /// What may go wrong, and how often. Bounds are guards of the world and bind every driver.
    pub faults: Faults,
    /// Where and when completeness is judged.
    pub judge: Judge,
}

/// The source and its events.
#[derive(Clone, PartialEq, Debug)]
pub struct Source {
    /// Every event that may be committed, in commit order. The payload universe.
    pub events: Vec<Event>,
    /// Names of the keys.
    pub keys: Vec<String>,
    /// What source and sink hold of each key before any event (the base map b).
    pub base: Vec<Option<i64>>,
    /// Which keys are owed (K); by default all.
    pub scope: Vec<bool>,
    /// Which of them are committed.
    pub commits: Commits,
    /// What the durable cursor is.
    pub cursor: CursorIs,
    /// The last coordinate of the run (fin): no recovery acts on a frontier past it.
    pub fin: Coordinate,
    /// How long until the next event is ready, in a timed run.
    pub every: Delay,
    /// How long one act of a program takes, in a timed run.
    pub act: Delay,
    /// Spans of a timed run in which the source commits nothing and cannot be read.
    pub outages: Vec<Span>,
    /// The entries that the source may drop from its log during an outage (the floor rises over them), or none.
    pub retention: Option<Retention>,
}

/// What had happened before the run: the first events are committed, and of those the first are delivered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Beginning {
    /// So many events are committed.
    pub committed: u32,
    /// So many of them are on the record, and in the sink's contents.
    pub delivered: u32,
    /// Whether the delivering process has crashed, and nobody healed.
    pub crashed: bool,
}

/// One event of the source: an insert, update or delete of a key at a coordinate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// How reports call the payload, such as `order-1`; printable, short, unique within the scenario.
    pub label: String,
    /// Where it stands in the source's order; not descending along the list.
    pub coordinate: Coordinate,
    /// The key it sets.
    pub key: Key,
    /// The value it sets, or none for a delete.
    pub value: Option<i64>,
}

/// Which events are committed, out of those that a file lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Commits {
    /// All of them, in order.
    All,
    /// Any that the schedule picks, in order; the others are passed over. A timed run commits all.
    Any,
}

/// What a cursor points with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CursorIs {
    /// A count of events in commit order.
    Count,
    /// A coordinate: what becomes visible at or below it afterwards is never fetched.
    Coordinate,
}

/// The floor may rise over the oldest entries of the live log while a recovery is due.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retention {
    /// The floor rises to this many dropped entries, at most.
    pub drops: u32,
    /// When, in a timed run: so many ticks after the crash.
    pub after: u64,
}

/// What lies between sender and sink.
#[derive(Clone, PartialEq, Debug)]
pub struct Wire {
    /// How long a message travels, in a timed run. Any order is possible in the other drivers.
    pub latency: Delay,
    /// Whether a send lands on the sink at once, so that there is nothing in flight: the machines of §2 to §5 and §7.
    pub instant: bool,
    /// Whether messages may overtake each other. Where not, a message arrives only when none sent before it is
    /// still in flight.
    pub reorders: bool,
    /// A message may be lost.
    pub loss: Option<Chance>,
    /// A message may take much longer, in a timed run.
    pub straggler: Option<Straggler>,
    /// The transport may deliver a second copy: same generation, same bytes.
    pub copies: Option<Chance>,
    /// Whether what is in flight outlives a crash of the sender. It does in reality; `false` is a control.
    pub survives_crash: bool,
    /// The reply path, where the sender waits for one.
    pub reply: Reply,
    /// At most so many requests in flight at once; 0 means no limit.
    pub at_once: u32,
    /// Spans of a timed run in which nothing arrives; what would have arrives at their end.
    pub outages: Vec<Span>,
}

/// The sink's replies to the sender.
#[derive(Clone, PartialEq, Debug)]
pub struct Reply {
    /// How long a reply travels, in a timed run.
    pub latency: Delay,
    /// A reply may be lost.
    pub loss: Option<Chance>,
}

/// A fault with a chance (in timed runs) and a bound (in every driver).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chance {
    /// How likely, each time it could strike, in a timed run.
    pub chance: Ratio,
    /// At most so often in a run; none means without bound.
    pub times: Option<u32>,
}

/// A message that takes much longer than the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Straggler {
    /// How likely.
    pub chance: Ratio,
    /// How much longer.
    pub delay: Delay,
}

/// A span of virtual time: from its start, inclusive, to its end, exclusive, in ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// First tick.
    pub from: u64,
    /// First tick after it.
    pub to: u64,
}

/// A time to wait, in ticks of a timed run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Delay {
    /// Always the same.
    Constant(u64),
    /// Every whole tick between the two, both included, is equally likely.
    Uniform(u64, u64),
    /// Memoryless with this mean, from a table: no float decides anything.
    Exponential(u64),
}

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
    /// Payloads that it refuses for ever.
    pub rejects: Vec<crate::ids::Payload>,
    /// Spans of a timed run in which it accepts nothing and cannot be read.
    pub outages: Vec<Span>,
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

/// Where the fence is checked. Everywhere but at acceptance, a check can be passed by one who is superseded before
/// the effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FenceCheck {
    /// Nowhere: the sink knows no generations.
    Nowhere,
    /// When a message arrives or a batch fires: at acceptance itself.
    Arrival,
    /// When a batch fires, but not when a message arrives.
    Fire,
    /// When the work is reported complete, after the effect.
    Completion,
    /// When the cursor is written.
    CursorStore,
    /// When the lock is taken, before the work.
    LockStore,
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

/// What a dedup key is derived from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DedupKey {
    /// The source coordinate: stable identity.
    Coordinate,
    /// Key and value: merges legitimate equal payloads.
    Content,
    /// The attempt: a retry is new work.
    Attempt,
    /// The coordinate and the sender's generation: a re-drive is new work.
    Incarnation,
}

/// Who shares a dedup memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DedupScope {
    /// All senders.
    Sink,
    /// Each sender generation has its own.
    Producer,
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

/// In which order the sink checks its memory, has the effect, and remembers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DedupOrder {
    /// All three in one step.
    Atomic,
    /// Check, effect, then remember in a step of its own: a copy can slip in between.
    EffectFirst,
    /// Check and remember, then the effect in a step of its own: a crash between the two loses it.
    RememberFirst,
}

/// What a sink crash does to something the sink holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durability {
    /// It survives.
    Durable,
    /// It is gone.
    Volatile,
    /// It is rebuilt from the contents that are left.
    Rebuilt,
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

/// What an accepted payload does to the contents of the sink.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Writes {
    /// Appends: every accepted payload is held.
    Append,
    /// Overwrites the whole object: only the last accepted payload is held.
    Overwrite,
    /// The last write to a key wins, in order of acceptance.
    Register,
    /// A write wins only over a lower coordinate of its key; deletes leave tombstones.
    VersionGuarded,
}

/// When the contents advance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Advance {
    /// At acceptance.
    Acceptance,
    /// At the send: the paper's machines.
    Send,
}

/// How a request of several entries is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BatchAcceptance {
    /// Entry by entry.
    EachEntry,
    /// If one entry is a duplicate, all are taken for duplicates; if one is refused, all are.
    AllOrNothing,
    /// The request as a whole is what the dedup memory knows: the same entries in another request are new.
    AsOne,
}

/// Who recovers, and when.
#[derive(Clone, PartialEq, Debug)]
pub struct Recovery {
    /// How long after a crash a recoverer starts, in a timed run.
    pub detect: Delay,
    /// At most so many recoverers alive at once; a second one is a false suspicion or a lapsed lease.
    pub recoverers: u8,
    /// At most so many recoverers started after one crash.
    pub attempts: u16,
    /// When a second recoverer starts although the first still lives, in a timed run: so many ticks after it.
    pub lease: Option<u64>,
    /// How long one act of a recoverer takes, in a timed run.
    pub act: Delay,
    /// Whether the start of a recoverer is a step of its own or fused with its first step.
    pub start: Start,
    /// The frontier at which recovery acts.
    pub frontier: Frontier,
    /// Whether the contents can be healed once for each crash (the paper's setting) or freely.
    pub heal: Heal,
    /// Where recovery starts when the cursor is gone or points below the floor.
    pub reset: CursorReset,
    /// Whether `resume` and `start` bump the generation. Where not, a fence cannot tell incarnations apart.
    pub bumps_generation: bool,
}

/// Whether starting a recoverer is a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// A labelled step.
    Step,
    /// Fused with the recoverer's first step.
    Fused,
}

/// A frontier: up to which coordinate obligations count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frontier {
    /// Everything that is committed when it is asked.
    Last,
    /// Up to this coordinate.
    At(Coordinate),
}

/// How often the contents can be healed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heal {
    /// Once for each crash; a second heal is not enabled.
    Once,
    /// By every recoverer.
    Free,
}

/// What may go wrong.
#[derive(Clone, PartialEq, Debug)]
pub struct Faults {
    /// The delivering process crashes.
    pub crash: Option<Crash>,
    /// A crash that cuts the source's live log to a prefix; the journal keeps what it held.
    pub truncation: Option<Strike>,
    /// A recoverer dies between two of its steps.
    pub recoverer_dies: Option<Strike>,
    /// The sink crashes: what it acknowledged and did not persist goes, and its volatile dedup memory.
    pub sink_crash: Option<Strike>,
    /// The durable cursor is harmed.
    pub cursor: Option<CursorFault>,
}

/// Crashes of the delivering process.
#[derive(Clone, PartialEq, Debug)]
pub struct Crash {
    /// At most so many in a run.
    pub times: u8,
    /// Where in the program it may strike.
    pub at: Window,
    /// In a timed run, how likely a run has a crash at all; the place is drawn uniformly over the steps.
    pub chance: Ratio,
    /// What happens to the process.
    pub kind: CrashKind,
    /// How long a process that only seemed to crash sleeps, in a timed run.
    pub pause: Delay,
    /// Whether it may strike after the run has ended (all sent, nothing in flight).
    pub after_end: bool,
}

/// What a crash does to the process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CrashKind {
    /// It is gone, and its memory with it.
    Kill,
    /// It only seems gone: it stays able to act on what it holds, the zombie.
    Pause,
}

/// Where in a program something may strike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Window {
    /// Before any step, and after the last.
    Anywhere,
    /// Directly before a step that holds an act of this name, such as `persist`.
    Before(String),
    /// Directly after a step that holds an act of this name, such as `send`.
    After(String),
}

/// A fault that strikes at most so often.
#[derive(Clone, PartialEq, Debug)]
pub struct Strike {
    /// At most so many in a run.
    pub times: u8,
    /// Where in the recoverer's program; `Anywhere` for the sink.
    pub at: Window,
    /// In a timed run, how likely it strikes at all.
    pub chance: Ratio,
}

/// What happens to the durable cursor while the process is down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CursorFault {
    /// What happens to it.
    pub kind: CursorFaultKind,
    /// In a timed run, how likely.
    pub chance: Ratio,
}

/// How a cursor fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CursorFaultKind {
    /// It is gone.
    Expires,
    /// It goes back by so many events: an older checkpoint, a restored backup.
    RollsBack(u32),
    /// It cannot be written.
    NotWritable,
}

/// Where to start when the cursor points nowhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CursorReset {
    /// At the first event ever.
    Earliest,
    /// After the last event.
    Latest,
    /// At the oldest that retention kept.
    OldestRetained,
    /// Nowhere: stop and say so.
    Fail,
}

/// Where and when completeness is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Judge {
    /// At which frontier.
    pub frontier: Frontier,
    /// In which state.
    pub when: When,
    /// Against which authority.
    pub grade: Grade,
    /// Whether the sink's contents are judged too (some expectation names `dirty`).
    pub contents: bool,
    /// Whether the accepted record is kept in order, with generations (some claim asks for them).
    pub order: bool,
}

/// In which state completeness is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// When nothing but a fault can still happen.
    Quiescent,
    /// As soon as a recovery has finished.
    Recovered,
}

/// Against which authority obligations are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grade {
    /// The journal: everything ever committed.
    Journal,
    /// What retention kept.
    Retained,
}

/// What a file expects of one design. A verdict that is not named is not judged.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expect {
    /// Each named verdict with how often it must occur.
    pub verdicts: Vec<(Verdict, Often)>,
}

/// What the oracle can say of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// Not unsafe, complete, and finished.
    ExactlyOnce,
    /// Some payload is on the accepted record more than once.
    Duplicate,
    /// Some accepted emission is not justified by the journal.
    Premature,
    /// Some obligation at the frontier is not on the accepted record.
    Lost,
    /// The run ended before it was quiescent, or nobody is left to recover it.
    Unfinished,
    /// On some key in scope, the sink's contents differ from the committed image.
    Dirty,
    /// Something accepted was committed and is no longer in the source's live log.
    Phantom,
    /// Exactly-once against what retention kept, and yet lost against the journal.
    GradeGap,
}

impl Verdict {
    /// Every verdict, in the order of the report's columns.
    pub const ALL: [Verdict; 8] = [
        Verdict::ExactlyOnce,
        Verdict::Duplicate,
        Verdict::Premature,
        Verdict::Lost,
        Verdict::Unfinished,
        Verdict::Dirty,
        Verdict::Phantom,
        Verdict::GradeGap,
    ];

    /// The name in files and JSON, in snake case.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::ExactlyOnce => "exactly_once",
            Verdict::Duplicate => "duplicate",
            Verdict::Premature => "premature",
            Verdict::Lost => "lost",
            Verdict::Unfinished => "unfinished",
            Verdict::Dirty => "dirty",
            Verdict::Phantom => "phantom",
            Verdict::GradeGap => "grade_gap",
        }
    }
}

/// How often a verdict must occur over the runs that were judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Often {
    /// At least once.
    Sometimes,
    /// Not at all.
    Never,
    /// In every run.
    Always,
    /// In so many runs.
    Exactly(u64),
}

/// One way in which `check` judges a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CheckBy {
    /// So many seeds, under `timed` and `uniform` both.
    Seeds(u64),
    /// Every schedule within the bounds.
    Explore,
    /// One run for each place at which a single crash can strike an otherwise undisturbed run.
    CrashAtEveryStep,
    /// The steps of one schedule, by their labels, then on to quiescence unless it says `stop`.
    Script {
        /// The labels.
        labels: Vec<String>,
        /// Whether the run goes on to quiescence after the last label.
        then_run_on: bool,
    },
}

impl Sink {
    /// Whether recovery may read `surface` under this sink. What is not the sink's is not the sink's to refuse.
    pub fn lets_read(&self, surface: Surface) -> bool {
        !surface.is_the_sinks() || self.readable.has(surface)
    }
}
