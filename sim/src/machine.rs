//! A delivery stage, compiled: programs as flat steps, and a place in the packed state for everything that this
//! stage can tell apart. [`crate::rules`] runs it.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::action::Emission;
use crate::asides::Asides;
use crate::ids::{Coordinate, Generation, Payload, Slot};
use crate::program::{
    Act, BatchRule, Cadence, Else, FenceTo, Fire, Obligations, Policy, Producer, Rows, Stamps, Step, Surface,
    Surfaces,
};
use crate::scenario::{
    Acceptance, Acknowledges, BatchAcceptance, Commits, CrashKind, CursorFaultKind, DedupKey, DedupOrder,
    DedupScope, Frontier, Heal, Keeps, Stage, Start, Window,
};
use crate::view::Rules;
use crate::world::{Counts, Field, Layout, Seq};

/// A compiled stage. It never changes; one machine serves every thread and every driver.
pub struct Machine {
    /// What it was compiled from.
    pub stage: Stage,
    pub(crate) layout: Layout,
    pub(crate) f: Fields,
    pub(crate) slots: Vec<Incarnation>,
    /// By slot.
    pub(crate) turns: Vec<Turn>,
    pub(crate) programs: [Program; 3],
    pub(crate) payloads: Vec<PayloadInfo>,
    /// Requests that carry several events: from the first up to, not including, the second. They are numbered after
    /// the events, as payloads of messages that are no events.
    pub(crate) requests: Vec<(u32, u32)>,
    /// What messages carry that is no delivery; they are numbered after the requests.
    pub(crate) asides: Asides,
    /// For each request, the first one with the same content.
    pub(crate) request_contents: Vec<u32>,
    /// The highest coordinate among the first so many events.
    pub(crate) highest: Vec<Coordinate>,
    /// Whether some step leaves a choice to the schedule.
    pub(crate) has_choices: bool,
    /// Index of the process that crashes: the relay where there is one.
    pub(crate) deliverer: Slot,
    pub(crate) sections: Vec<Section>,
    /// Whether they are those that most stages have.
    pub(crate) is_plain: bool,
    /// Whether acceptance is all that an arrival can bring about: nothing is deduplicated, buffered, prepared,
    /// rejected, replied to or kept in order.
    pub(crate) sink_is_plain: bool,
    /// By index on the wire.
    emissions: Vec<Emission>,
    pub(crate) generations: u32,
    pub(crate) attempts: u32,
    pub(crate) can_be_early: bool,
    pub(crate) crash_windows: Windows,
    pub(crate) death_windows: Windows,
    pub(crate) rules: Rules,
    /// What the states hold for somebody to read.
    pub(crate) reads: Surfaces,
    /// Whether somebody looks at the states as a recoverer would, and lands batches of their own in them.
    pub(crate) is_probed: bool,
    /// Whether the contents are kept, so that `dirty` can be judged.
    pub judges_contents: bool,
    /// Whether one payload can be committed twice: two events with the same coordinate, key and value.
    pub(crate) has_instances: bool,
    /// Whether the source commits past the end of the run, where no recovery acts.
    pub(crate) outruns_its_end: bool,
    /// At how many places a crash can strike an undisturbed run, once somebody asked: see
    /// [`crate::drive::crash_places`].
    pub(crate) crash_places: OnceLock<u32>,
}

/// Places in the packed state. What a stage cannot tell apart has no place.
#[derive(Default)]
pub(crate) struct Fields {
    pub status: Field,
    /// γ: the generation of the producing incarnation, or of the one that crashed.
    pub generation: Field,
    /// The newest spawned generation.
    pub high_water: Field,
    /// φ.
    pub fence: Field,
    /// How many events the live log and the journal hold, where they hold the same and skip none.
    pub committed: Field,
    /// How often the journal holds each event, where log and journal can part.
    pub journal: Counts,
    /// Which events the live log holds, where log and journal can part.
    pub live: Counts,
    /// How many entries the journal has, where log and journal can part.
    pub journal_length: Field,
    pub truncations: Field,
    /// The durable cursor, as a count of events; one more than there are events where it is gone.
    pub cursor: Field,
    /// How many of the oldest entries retention dropped.
    pub floor: Field,
    /// Whether the contents were healed since the crash.
    pub healed: Field,
    pub crashes: Field,
    pub deaths: Field,
    pub sink_crashes: Field,
    pub starts: Field,
    pub losses: Field,
    pub copies: Field,
    pub lost_acks: Field,
    pub harmed: Field,
    /// How many messages the fence refused.
    pub dropped: Field,
    /// How many judged obligations are committed and not on the record.
    pub owed: Field,
    pub duplicate: Field,
    pub premature: Field,
    /// In flight, by emission.
    pub wire: Counts,
    /// In flight in the order of the sends, where messages cannot overtake each other.
    pub queue: Seq,
    /// The accepted record A, by payload.
    pub accepted: Counts,
    /// How often a delivery was taken back, by payload.
    pub reversed: Counts,
    /// How often a payload counts where each reversal takes back the newest delivery before it, or is void.
    pub matched: Counts,
    /// A in order, where a read can be stale, paged or windowed.
    pub record: Seq,
    /// A in order with the generations, by emission, where a claim asks.
    pub order: Seq,
    /// Everything ever sent, S.
    pub sent: Counts,
    pub outbox: Counts,
    pub pending: Counts,
    pub acked: Counts,
    pub replies: Counts,
    /// D: the payloads that the sink currently holds.
    pub held: Counts,
    /// The highest coordinate stored with an effect, as a count of events.
    pub stored: Field,
    /// Keys that the dedup memory holds, oldest first.
    pub memory: Seq,
    /// Keys that the dedup memory holds for ever.
    pub remembered: Counts,
    /// Accepted and acknowledged, not yet persisted; oldest first.
    pub tail: Seq,
    /// Accepted provisionally, by payload.
    pub prepared: Counts,
    /// Effects whose key is not remembered yet, or keys whose effect is still to come.
    pub half_done: Counts,
    pub slots: Vec<SlotFields>,
}

/// The state of one incarnation.
#[derive(Default)]
pub(crate) struct SlotFields {
    /// One more than the next step; 0 where nobody is.
    pub pc: Field,
    pub generation: Field,
    /// The event or entry that it works on.
    pub item: Field,
    /// A relay's batch: from `low` up to, not including, `high`. For a recoverer, `high` is where the log ended that it
    /// read, where it writes the cursor in a later step.
    pub low: Field,
    pub high: Field,
    /// Sends again of the current payload.
    pub tries: Field,
    pub batch: Counts,
    pub memory: Memory,
}

/// What a recoverer remembers of what it read, by surface. A surface has a place only where something can come
/// between the read and the `arm` that uses it.
#[derive(Default, Clone, Copy)]
pub(crate) struct Memory {
    /// Whether any surface has a place.
    pub is_kept: bool,
    /// For a surface that shows payloads: which ones it showed.
    pub sets: [Counts; Surface::ALL.len()],
    /// For a surface that shows a number: which; for a log, how many entries it had.
    pub numbers: [Field; Surface::ALL.len()],
}

/// Who runs in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    Producer,
    Relay,
    Recoverer(u8),
    /// An incarnation that only seemed to crash.
    Zombie(u8),
}

pub(crate) struct Incarnation {
    pub role: Role,
    /// One of [`Machine::programs`]; each has it at hand, since every step begins with it.
    pub program: Program,
}

/// What tells at a glance whether an incarnation can take its next step.
pub(crate) struct Turn {
    pub pc: Field,
    /// The program counters, a bit each, at which a step comes next that nothing refuses.
    pub open: u64,
    /// Those at which there is more to ask; a place past the 64th is among them.
    pub asks: u64,
}

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

impl Compiled {
    fn new(acts: Vec<Op>, otherwise: Else, scope: Scope, stage: &Stage) -> Compiled {
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
    pub(crate) fn refuses(&self) -> bool {
        self.can_refuse && self.otherwise == Else::Wait
    }
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

/// A kind of action, in the total order in which a state's actions are counted and indexed. Those from
/// [`Section::Lose`] on are faults: a state in which nothing else is enabled is quiescent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Section {
    Steps,
    Intervals,
    FirstStart,
    Arrive,
    Ack,
    Timeout,
    SinkPersist,
    FinishEffect,
    Lose,
    Copy,
    Crash,
    Truncate,
    Suspect,
    Die,
    LoseAck,
    SinkCrash,
    Evict,
    Expire,
    Retain,
    HarmCursor,
}

/// Where in a program something may strike: for each step, whether directly before it.
pub(crate) struct Windows {
    /// Indexed by one more than the step that comes next; the last entry is after the program's end.
    pub before: Vec<bool>,
    /// Strikes directly after these steps.
    pub after: Vec<bool>,
    pub anywhere: bool,
}

/// What the rules and the oracle need to know of a payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PayloadInfo {
    pub coordinate: Coordinate,
    pub key: u32,
    /// Payloads of one class have the same key and value.
    pub content: u32,
    /// The first payload at this coordinate.
    pub identity: u32,
    /// The first event with the same coordinate, key and value: committed twice, it is one payload.
    pub payload: u32,
    /// Whether its key is in scope.
    pub in_scope: bool,
    /// Whether recovery acts on it: in scope, at or below the recovery frontier.
    pub recovered: bool,
    /// Whether completeness counts it: in scope, at or below the judge's frontier.
    pub judged: bool,
    pub rejected: bool,
}

/// Why a stage cannot be compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompileError(pub String);

impl std::fmt::Display for CompileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CompileError {}

/// Counts on a record or a wire stop here; a verdict needs to know "twice", a reader "15 or more".
const MANY: u64 = 15;
/// A list in the state is no longer; ten messages for each event of the longest source.
const LONGEST_LIST: u64 = 1 << 20;

impl Machine {
    /// Compiles a stage. `rules` holds the batch rules written in Rust that its policy may name.
    ///
    /// # Errors
    /// When the policy names a rule that is not registered, or one that reads what the program does not.
    pub fn compile(stage: &Stage, rules: &Rules) -> Result<Machine, CompileError> {
        Machine::compile_for(stage, rules, None)
    }

    /// Compiles a stage whose states also hold what the given surfaces show, and can take any batch with or without a
    /// fence: for an analysis that asks what else a recoverer could have read or sent.
    ///
    /// # Errors
    /// As for [`Machine::compile`].
    pub fn compile_probed(stage: &Stage, rules: &Rules, shown: Surfaces) -> Result<Machine, CompileError> {
        Machine::compile_for(stage, rules, Some(shown))
    }

    fn compile_for(stage: &Stage, rules: &Rules, probed: Option<Surfaces>) -> Result<Machine, CompileError> {
        let stage = stage.clone();
        let events = stage.source.events.len() as u32;
        let policy = compile_policy(&stage.policy, rules, &stage)?;
        let producer = compile_producer(&stage.producer, Kind::Events, &stage);
        let relay = stage.relay.as_ref().map(|r| compile_producer(r, Kind::Relay, &stage));
        let deliverer = Slot(u8::from(relay.is_some()));
        let crashes = stage.faults.crash.as_ref().map_or(0, |c| u32::from(c.times))
            + stage.faults.truncation.as_ref().map_or(0, |t| u32::from(t.times))
            + u32::from(stage.start.crashed);
        let generations =
            1 + if stage.recovery.bumps_generation { crashes * starts_per_crash(&stage) } else { 0 };
        let mut programs = [producer, relay.unwrap_or_else(Program::empty), policy];
        programs.iter_mut().for_each(Program::link);
        let slots = incarnations(&stage, &programs);
        let attempts = match stage.sink.dedup {
            Some(d) if d.key == DedupKey::Attempt => 2 + u32::from(programs[deliverer.0 as usize].retry),
            _ => 1,
        };
        let requests = requests(&stage, &programs)?;
        let asides = Asides::of(&stage, &programs)?;
        let can_be_early = probed.is_some() || asides.len() > 0 || can_be_early(&programs[0], &programs[2]);
        let opens_batch = programs[2].has(|op| matches!(op, Op::Arm { rule: Rule::Any, .. }));
        if opens_batch && events > MOST_IN_ANY_BATCH {
            return Err(CompileError(format!(
                "`arm(any)` tries every batch, and {events} events make too many; use at most {MOST_IN_ANY_BATCH}"
            )));
        }
        let opens_suffix = programs[2].has(|op| matches!(op, Op::Arm { rule: Rule::AnySuffix, .. }));
        let mut layout = Layout::default();
        let mut machine = Machine {
            highest: highest_coordinates(&stage),
            request_contents: request_contents(&stage, &requests),
            requests,
            asides,
            payloads: payload_infos(&stage),
            judges_contents: stage.judge.contents,
            has_instances: false,
            outruns_its_end: outruns_its_end(&stage),
            crash_places: OnceLock::new(),
            f: Fields::default(),
            sections: Vec::new(),
            is_plain: false,
            sink_is_plain: false,
            emissions: Vec::new(),
            crash_windows: Windows::new(
                stage.faults.crash.as_ref().map_or(&Window::Anywhere, |c| &c.at),
                &programs[deliverer.0 as usize],
            ),
            death_windows: Windows::new(
                stage.faults.recoverer_dies.as_ref().map_or(&Window::Anywhere, |d| &d.at),
                &programs[2],
            ),
            layout: Layout::default(),
            turns: Vec::new(),
            slots,
            programs,
            deliverer,
            generations,
            attempts,
            can_be_early,
            has_choices: stage.source.commits == Commits::Any || opens_batch || opens_suffix,
            rules: rules.clone(),
            reads: stage.policy.reads().and(probed.unwrap_or_default()),
            is_probed: probed.is_some(),
            stage,
        };
        machine.has_instances =
            machine.payloads.iter().enumerate().any(|(p, info)| info.payload as usize != p);
        machine.emissions = machine.all_emissions();
        machine.f = machine.lay_out(&mut layout, events, crashes);
        machine.layout = layout;
        machine.sink_is_plain = machine.sink_is_plain();
        machine.turns = machine.slots.iter().zip(&machine.f.slots).map(|(i, f)| Turn::of(i, f)).collect();
        machine.set_sections(machine.sections_in_use());
        Ok(machine)
    }

    /// How many words one state takes.
    pub fn words(&self) -> usize {
        self.layout.words()
    }

    /// How many bits of them are in use.
    pub fn bits(&self) -> u32 {
        self.layout.bits()
    }

    /// How many events the source may commit.
    pub fn events(&self) -> u32 {
        self.payloads.len() as u32
    }

    /// The label of a payload; of a request of several, that of its first and its last.
    pub fn payload_label(&self, payload: Payload) -> String {
        if let Some(aside) = self.aside(payload) {
            return self.aside_label(aside);
        }
        let entries = self.entries(payload);
        let label = |p: u32| &self.stage.source.events[p as usize].label;
        if entries.len() == 1 {
            label(entries.start).clone()
        } else {
            format!("{}..{}", label(entries.start), label(entries.end - 1))
        }
    }

    /// How many different things a message can carry: an event, a request of several, or what is no delivery.
    pub fn messages(&self) -> u32 {
        (self.payloads.len() + self.requests.len()) as u32 + self.asides.len()
    }

    /// The events that a message carries; none where it is no delivery.
    #[inline]
    pub fn entries(&self, payload: Payload) -> std::ops::Range<u32> {
        match (payload.0 as usize).checked_sub(self.payloads.len()) {
            None => payload.0..payload.0 + 1,
            Some(request) => self.requests.get(request).map_or(0..0, |r| r.0..r.1),
        }
    }

    /// The payload of a message that carries these events, where there is one.
    pub(crate) fn message_of(&self, entries: std::ops::Range<u32>) -> Option<Payload> {
        if entries.len() == 1 {
            return Some(Payload(entries.start));
        }
        let at = self.requests.iter().position(|r| (r.0, r.1) == (entries.start, entries.end))?;
        Some(Payload((self.payloads.len() + at) as u32))
    }

    pub(crate) fn program(&self, slot: Slot) -> &Program {
        &self.slots[slot.0 as usize].program
    }

    pub(crate) fn slot(&self, slot: Slot) -> &SlotFields {
        &self.f.slots[slot.0 as usize]
    }

    /// Every slot of the incarnation table with its role, in the order of their steps.
    pub(crate) fn slots(&self) -> impl Iterator<Item = (Slot, Role)> + '_ {
        self.slots.iter().enumerate().map(|(i, s)| (Slot(i as u8), s.role))
    }

    /// The index of an emission on the wire.
    #[inline]
    pub(crate) fn emission_index(&self, e: Emission) -> u32 {
        let who = e.payload.0 * self.generations + u32::from(e.generation.0);
        let early = if self.can_be_early { who * 2 + u32::from(!e.justified) } else { who };
        early * self.attempts + u32::from(e.attempt)
    }

    /// The emission at an index.
    #[inline]
    pub(crate) fn emission_at(&self, index: u32) -> Emission {
        self.emissions[index as usize]
    }

    /// Every emission, in the order of [`Machine::emission_index`]: looking one up takes no division.
    fn all_emissions(&self) -> Vec<Emission> {
        let justified: &[bool] = if self.can_be_early { &[true, false] } else { &[true] };
        let mut all = Vec::new();
        for payload in (0..self.messages()).map(Payload) {
            for generation in (0..self.generations).map(|g| Generation(g as u16)) {
                for &justified in justified {
                    let of = |attempt| Emission { payload, generation, justified, attempt: attempt as u8 };
                    all.extend((0..self.attempts).map(of));
                }
            }
        }
        all
    }

    fn lay_out(&self, layout: &mut Layout, events: u32, crashes: u32) -> Fields {
        let stage = &self.stage;
        let (wire, sink, recovery, faults) = (&stage.wire, &stage.sink, &stage.recovery, &stage.faults);
        let reads = self.reads;
        let acts: Vec<&Act> = stage.policy.acts().collect();
        // What recoverers send: a program may fire more than once.
        let fired = acts.iter().filter(|act| matches!(act, Act::Fire(_))).count().max(1) as u64;
        let redriven = u64::from(crashes) * u64::from(starts_per_crash(stage)) * fired;
        let retry = u64::from(self.programs[self.deliverer.0 as usize].retry);
        let by_programs: u64 = self.programs[..2].iter().map(Program::sends_per_event).sum();
        // What a life of the deliverer leaves behind when it only seemed to end waits for its reply anew.
        let patience = retry * (1 + u64::from(self.has_zombies()));
        let sends = by_programs.max(self.asides.equal()) * (1 + patience);
        let copies = wire.copies.map_or(0, |c| u64::from(c.times.unwrap_or(1)));
        let travels = acts.iter().any(|a| matches!(a, Act::Fire(Fire::Wire | Fire::WireAll)));
        // Lives of the deliverer under one generation, each of which sends anew. A run that is down is resumed once, so
        // there is a life for each crash, and the first. Each is under a generation of its own where every resume takes
        // one that nobody had: not where a recoverer that started before another resumes after it, which keeps the newer
        // generation; nor after a release, which keeps it too; nor where a fence past a recoverer's own generation uses up
        // two for each start, so that the last generation there is has to do for several.
        let shares = acts.iter().any(|a| matches!(a, Act::Release | Act::Fence(FenceTo::PastOwn)));
        let apart = recovery.bumps_generation && recovery.recoverers <= 1 && !shares;
        let lives = if apart { 1 } else { 1 + u64::from(crashes) };
        let fires = if travels { redriven.max(1) } else { 0 };
        // Equal messages in flight, at most; every bound that a file may name fits.
        let in_flight = lives * sends + fires + copies;
        // Messages of one content in a whole run, whoever sent them; and acceptances, with what landed at once.
        let travelling = (1 + u64::from(crashes)) * sends + fires + copies;
        let received = travelling + redriven;
        let list = |each: u64| (u64::from(self.messages()) * each).min(LONGEST_LIST) as u32;
        let emissions = self.emissions.len() as u32;
        let once = |yes: bool| u64::from(yes);
        let n = u64::from(events);
        let fences = self.is_probed || acts.iter().any(|a| matches!(a, Act::Fence(_)));
        let contents = self.judges_contents
            || reads.has(Surface::Contents)
            || sink.dedup.is_some_and(|d| d.survives == crate::scenario::Durability::Rebuilt);
        let heard = reads.has(Surface::Acks)
            || [&self.programs[0], &self.programs[1]].iter().any(|p| p.has(|op| *op == Op::AwaitAck));
        let ordered_reads = sink.read != Default::default()
            || sink.record_keeps.is_some() && reads.has(Surface::AcceptedRecord);
        let keys = self.dedup_keys();
        let parted = self.log_can_part();
        // Wide arrays first: what follows then packs without gaps.
        Fields {
            wire: layout.counts(emissions, in_flight),
            accepted: layout.counts(events, (sends + copies + redriven + once(self.has_zombies())).min(MANY)),
            reversed: layout.counts(if self.asides.reversals { events } else { 0 }, MANY),
            matched: layout.counts(if self.asides.reversals { events } else { 0 }, MANY),
            queue: if wire.reorders {
                Seq::default()
            } else {
                layout.seq(list(travelling), u64::from(emissions))
            },
            record: if ordered_reads { layout.seq(list(received), n) } else { Seq::default() },
            order: if stage.judge.order {
                layout.seq(list(received), u64::from(emissions))
            } else {
                Seq::default()
            },
            memory: match sink.dedup.map(|d| d.keeps) {
                Some(Keeps::Last(w)) => layout.seq(w.min(4096), u64::from(keys)),
                Some(Keeps::For { .. }) => layout.seq(keys.min(4096), u64::from(keys)),
                Some(Keeps::Forever) | None => Seq::default(),
            },
            remembered: match sink.dedup.map(|d| d.keeps) {
                Some(Keeps::Forever) => layout.counts(keys, 1),
                _ => Counts::default(),
            },
            tail: match sink.acknowledges {
                Acknowledges::BeforePersist { .. } => layout.seq(list(received), u64::from(emissions)),
                Acknowledges::AfterPersist => Seq::default(),
            },
            half_done: match sink.dedup.map(|d| d.order) {
                Some(DedupOrder::EffectFirst | DedupOrder::RememberFirst) => {
                    layout.counts(emissions, in_flight + redriven)
                }
                _ => Counts::default(),
            },
            prepared: match sink.acceptance {
                Acceptance::Provisional { .. } => layout.counts(emissions, in_flight + redriven),
                Acceptance::Final => Counts::default(),
            },
            held: layout.counts(if contents { events } else { 0 }, 1),
            sent: layout.counts(if reads.has(Surface::SentLedger) { events } else { 0 }, 1),
            outbox: layout.counts(if reads.has(Surface::Outbox) { events } else { 0 }, 1),
            pending: layout.counts(if reads.has(Surface::Pending) { events } else { 0 }, 1),
            acked: layout.counts(if heard { events } else { 0 }, 1),
            replies: layout.counts(if heard { events } else { 0 }, 1),
            slots: self.slots.iter().map(|slot| self.lay_out_slot(layout, slot, events)).collect(),
            status: layout.field(2),
            generation: layout.field(u64::from(self.generations) - 1),
            high_water: layout.field(if self.separate_starts() {
                u64::from(self.generations) - 1
            } else {
                0
            }),
            // One more than a generation can be: a claim over a batch that was armed before it fences out its own.
            fence: layout.field(if fences { u64::from(self.generations) + 1 } else { 0 }),
            committed: layout.field(if parted { 0 } else { n }),
            journal: layout.counts(if parted { events } else { 0 }, 3),
            live: layout.counts(if parted { events } else { 0 }, 1),
            journal_length: layout.field(if parted { 3 * n } else { 0 }),
            truncations: layout.field(faults.truncation.as_ref().map_or(0, |t| u64::from(t.times))),
            cursor: layout.field(if self.keeps_a_cursor() { n + 1 } else { 0 }),
            floor: layout.field(if self.floor_can_rise() { n } else { 0 }),
            healed: layout.field(once(recovery.heal == Heal::Once)),
            crashes: layout.field(faults.crash.as_ref().map_or(0, |c| u64::from(c.times))),
            deaths: layout.field(faults.recoverer_dies.as_ref().map_or(0, |d| u64::from(d.times))),
            sink_crashes: layout.field(faults.sink_crash.as_ref().map_or(0, |d| u64::from(d.times))),
            starts: layout.field(if self.separate_starts() { u64::from(recovery.attempts) } else { 0 }),
            losses: layout.field(wire.loss.and_then(|l| l.times).map_or(0, u64::from)),
            copies: layout.field(copies),
            lost_acks: layout.field(wire.reply.loss.and_then(|l| l.times).map_or(0, u64::from)),
            harmed: layout.field(once(faults.cursor.is_some_and(|c| c.kind != CursorFaultKind::NotWritable))),
            dropped: layout.field(if fences {
                (u64::from(emissions) * in_flight).min(u64::from(u32::MAX))
            } else {
                0
            }),
            owed: layout.field(n),
            duplicate: layout.field(1),
            premature: layout.field(once(self.can_be_early)),
            stored: layout.field(if reads.has(Surface::StoredCoordinate) { n } else { 0 }),
        }
    }

    fn lay_out_slot(&self, layout: &mut Layout, slot: &Incarnation, events: u32) -> SlotFields {
        let n = u64::from(events);
        let program = &slot.program;
        let relays = program.kind == Kind::Relay;
        let recovers = program.kind == Kind::Once;
        let own = match slot.role {
            Role::Producer | Role::Relay => false, // it acts under the current generation
            Role::Recoverer(_) => self.separate_starts(),
            Role::Zombie(_) => true,
        };
        let mut memory = Memory::default();
        for surface in Surface::ALL.into_iter().filter(|s| recovers && program.keeps(*s)) {
            let i = surface as usize;
            memory.is_kept = true;
            if self.shows_payloads(surface) {
                memory.sets[i] = layout.counts(events, 1);
            } else {
                memory.numbers[i] = layout.field((n + 1).max(u64::from(self.generations) + 1));
            }
            if matches!(surface, Surface::History | Surface::RetainedHistory) && self.floor_can_rise() {
                memory.numbers[Surface::Floor as usize] = layout.field(n);
            }
        }
        SlotFields {
            batch: layout.counts(if recovers { events } else { 0 }, 1),
            memory,
            pc: layout.field(program.steps.len() as u64 + 1),
            generation: layout.field(if own { u64::from(self.generations) - 1 } else { 0 }),
            item: layout.field(if recovers { 0 } else { n }),
            low: layout.field(if relays { n } else { 0 }),
            high: layout.field(if relays || recovers && self.cursor_trails_the_read(program) {
                n
            } else {
                0
            }),
            tries: layout.field(u64::from(program.retry)),
        }
    }

    /// Whether a recoverer can stand between two of its steps, so that it needs a generation of its own in the state.
    pub(crate) fn separate_starts(&self) -> bool {
        let recovery = &self.stage.recovery;
        recovery.start == Start::Step || self.programs[2].steps.len() > 1 || recovery.recoverers > 1
    }

    /// Whether a recoverer writes the cursor in a later step than it read the log: commits may go on in between, and the
    /// cursor must not pass over what was not read.
    fn cursor_trails_the_read(&self, program: &Program) -> bool {
        let first = |test: &dyn Fn(&Op) -> bool| program.steps.iter().position(|s| s.acts.iter().any(test));
        let log = |op: &Op| matches!(op, Op::Read { surface, .. } if surface.is_a_log());
        let (read, persist) = (first(&log), first(&|op| *op == Op::Persist));
        self.keeps_a_cursor() && matches!((read, persist), (Some(read), Some(persist)) if read < persist)
    }

    pub(crate) fn has_zombies(&self) -> bool {
        self.slots.iter().any(|s| matches!(s.role, Role::Zombie(_)))
    }

    pub(crate) fn keeps_a_cursor(&self) -> bool {
        self.reads.has(Surface::Cursor)
            || self.stage.relay.is_some()
            || self.programs.iter().any(|p| p.interval.is_some())
            || self.stage.faults.cursor.is_some()
            || matches!(self.stage.sink.acceptance, Acceptance::Provisional { .. })
    }

    /// Whether the live log can hold something else than the journal, or skip an event.
    pub(crate) fn log_can_part(&self) -> bool {
        self.stage.faults.truncation.is_some() || self.stage.source.commits == Commits::Any
    }

    /// Whether a surface shows a set of payloads here; a log that never parts from the journal is told by its length.
    pub(crate) fn shows_payloads(&self, surface: Surface) -> bool {
        surface.shows_payloads() || surface.is_committed_log() && self.log_can_part()
    }

    fn floor_can_rise(&self) -> bool {
        self.stage.source.retention.is_some() || self.programs.iter().any(|p| p.has(|op| *op == Op::Discard))
    }

    /// How many dedup keys there are.
    pub(crate) fn dedup_keys(&self) -> u32 {
        let Some(dedup) = self.stage.sink.dedup else { return 0 };
        let senders = if dedup.scope == DedupScope::Producer { self.generations } else { 1 };
        self.messages()
            * match dedup.key {
                DedupKey::Coordinate | DedupKey::Content => senders,
                DedupKey::Incarnation => self.generations,
                DedupKey::Attempt => self.generations * self.attempts,
            }
    }

    /// Settles what can happen at all.
    pub(crate) fn set_sections(&mut self, sections: Vec<Section>) {
        self.sections = sections;
        self.is_plain = self.is_plain();
        self.crash_places = OnceLock::new();
    }

    fn sink_is_plain(&self) -> bool {
        let sink = &self.stage.sink;
        let f = &self.f;
        let lists = [f.record, f.order, f.tail].map(Seq::is_kept);
        sink.dedup.is_none()
            && sink.rejects.is_empty()
            && self.requests.is_empty()
            && self.asides.len() == 0
            && !lists.contains(&true)
            && !f.prepared.is_kept()
            && !f.stored.is_kept()
            && !f.held.is_kept()
            && !f.replies.is_kept()
    }

    fn sections_in_use(&self) -> Vec<Section> {
        let stage = &self.stage;
        let (wire, sink, faults, recovery) = (&stage.wire, &stage.sink, &stage.faults, &stage.recovery);
        let crashes = faults.crash.as_ref().is_some_and(|c| c.times > 0)
            || self.f.truncations.is_kept()
            || stage.start.crashed;
        let uses = [
            (Section::Steps, true),
            (Section::Intervals, self.programs.iter().any(|p| p.interval.is_some())),
            (Section::FirstStart, crashes),
            (Section::Arrive, true),
            (Section::Ack, self.f.replies.is_kept()),
            (Section::Timeout, self.programs.iter().any(|p| p.retry > 0)),
            (Section::SinkPersist, self.f.tail.is_kept()),
            (Section::FinishEffect, self.f.half_done.is_kept() || self.f.prepared.is_kept()),
            (Section::Lose, wire.loss.is_some_and(|l| l.times != Some(0))),
            (Section::Copy, wire.copies.is_some_and(|c| c.times != Some(0))),
            (Section::Crash, faults.crash.as_ref().is_some_and(|c| c.times > 0)),
            (Section::Truncate, self.f.truncations.is_kept()),
            (Section::Suspect, crashes && recovery.recoverers > 1),
            (Section::Die, faults.recoverer_dies.as_ref().is_some_and(|d| d.times > 0)),
            (
                Section::LoseAck,
                self.f.replies.is_kept() && wire.reply.loss.is_some_and(|l| l.times != Some(0)),
            ),
            (Section::SinkCrash, faults.sink_crash.as_ref().is_some_and(|c| c.times > 0)),
            (Section::Evict, matches!(sink.dedup.map(|d| d.keeps), Some(Keeps::For { .. }))),
            (Section::Expire, matches!(sink.acceptance, Acceptance::Provisional { .. })),
            (Section::Retain, stage.source.retention.is_some()),
            (Section::HarmCursor, self.f.harmed.is_kept()),
        ];
        uses.into_iter().filter_map(|(section, used)| used.then_some(section)).collect()
    }
}

impl Program {
    fn empty() -> Program {
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
    fn link(&mut self) {
        for at in 1..self.steps.len() {
            let always_due = self.kind == Kind::Once || !matches!(self.steps[at].scope, Scope::Every(_));
            self.steps[at - 1].leads_on = always_due && self.kind != Kind::Relay;
        }
    }

    /// Whether what some read of `surface` shows is remembered.
    pub(crate) fn keeps(&self, surface: Surface) -> bool {
        self.has(|op| matches!(op, Op::Read { surface: s, kept: true } if *s == surface))
    }

    /// How often one incarnation sends an event, retries aside.
    fn sends_per_event(&self) -> u64 {
        let acts = self.steps.iter().flat_map(|step| &step.acts);
        acts.filter(|op| matches!(op, Op::Send | Op::SendBatch)).count() as u64
    }

    /// Whether some act satisfies `test`.
    pub(crate) fn has(&self, test: impl Fn(&Op) -> bool) -> bool {
        self.steps.iter().chain(&self.interval).flat_map(|s| &s.acts).any(test)
    }
}

impl Turn {
    fn of(incarnation: &Incarnation, fields: &SlotFields) -> Turn {
        let steps = &incarnation.program.steps;
        let at = |refuses: bool| {
            let one = |(i, step): (usize, &Compiled)| match step.refuses() == refuses {
                true => 1_u64.checked_shl(i as u32 + 1).unwrap_or(0),
                false => 0,
            };
            steps.iter().enumerate().map(one).fold(0, |all, bit| all | bit)
        };
        Turn { pc: fields.pc, open: at(false), asks: at(true) }
    }
}

impl Windows {
    fn new(window: &Window, program: &Program) -> Windows {
        let names = |name: &str| -> Vec<bool> {
            program
                .steps
                .iter()
                .map(|s| s.acts.iter().any(|op| op.name() == name.replace('-', "_")))
                .collect()
        };
        match window {
            Window::Anywhere => Windows { before: Vec::new(), after: Vec::new(), anywhere: true },
            Window::Before(name) => Windows { before: names(name), after: Vec::new(), anywhere: false },
            Window::After(name) => Windows { before: Vec::new(), after: names(name), anywhere: false },
        }
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
    fn is_per_item(self) -> bool {
        matches!(self, Op::Commit | Op::Enqueue | Op::Send | Op::Snapshot(_) | Op::AwaitAck)
    }
}

pub(crate) fn starts_per_crash(stage: &Stage) -> u32 {
    u32::from(stage.recovery.attempts).max(u32::from(stage.recovery.recoverers)).max(1)
}

fn incarnations(stage: &Stage, [producer, relay, policy]: &[Program; 3]) -> Vec<Incarnation> {
    let runs = |role, program: &Program| Incarnation { role, program: program.clone() };
    let mut slots = vec![runs(Role::Producer, producer)];
    let mut deliverer = producer;
    if stage.relay.is_some() {
        slots.push(runs(Role::Relay, relay));
        deliverer = relay;
    }
    slots.extend((0..stage.recovery.recoverers).map(|k| runs(Role::Recoverer(k), policy)));
    if let Some(crash) = stage.faults.crash.as_ref().filter(|c| c.kind == CrashKind::Pause) {
        slots.extend((0..crash.times).map(|k| runs(Role::Zombie(k), deliverer)));
    }
    slots
}

fn payload_infos(stage: &Stage) -> Vec<PayloadInfo> {
    let upto = |frontier: Frontier, coordinate: Coordinate| match frontier {
        Frontier::Last => true,
        Frontier::At(c) => coordinate <= c,
    };
    let (mut contents, mut identities, mut payloads) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    stage
        .source
        .events
        .iter()
        .zip(0..)
        .map(|(event, i)| {
            let in_scope = stage.source.scope.get(event.key.0 as usize).copied().unwrap_or(true);
            PayloadInfo {
                coordinate: event.coordinate,
                key: event.key.0,
                // Each is named by the first event that has it.
                content: *contents.entry((event.key, event.value)).or_insert(i),
                identity: *identities.entry(event.coordinate).or_insert(i),
                payload: *payloads.entry((event.coordinate, event.key, event.value)).or_insert(i),
                in_scope,
                recovered: in_scope && upto(stage.recovery.frontier, event.coordinate),
                judged: in_scope && upto(stage.judge.frontier, event.coordinate),
                rejected: stage.sink.rejects.contains(&Payload(i)),
            }
        })
        .collect()
}

/// Whether some event lies past the end of the run, and recovery asks for all that is committed.
pub(crate) fn outruns_its_end(stage: &Stage) -> bool {
    stage.recovery.frontier == Frontier::Last
        && stage.source.events.iter().any(|event| event.coordinate > stage.source.fin)
}

fn highest_coordinates(stage: &Stage) -> Vec<Coordinate> {
    let running = stage.source.events.iter().scan(Coordinate(0), |highest, event| {
        *highest = (*highest).max(event.coordinate);
        Some(*highest)
    });
    std::iter::once(Coordinate(0)).chain(running).collect()
}

/// Two to the power of this many batches are tried where a batch is open.
const MOST_IN_ANY_BATCH: u32 = 12;

/// More requests than this are not told apart, nor more entries of snapshots.
pub(crate) const MOST_REQUESTS: usize = 1 << 16;

/// Every request of several events that some program can make.
fn requests(stage: &Stage, programs: &[Program; 3]) -> Result<Vec<(u32, u32)>, CompileError> {
    let events = stage.source.events.len() as u32;
    let sends = |p: &Program| p.has(|op| *op == Op::SendBatch);
    let fetches = |p: &Program| {
        p.steps
            .iter()
            .flat_map(|s| &s.acts)
            .filter_map(|op| if let Op::Fetch(n) = op { Some(u32::from(*n)) } else { None })
            .max()
    };
    let rounds = |p: &Program| {
        p.steps
            .iter()
            .filter_map(|s| if let Scope::Every(n) = s.scope { Some(u32::from(n)) } else { None })
            .max()
    };
    let fires =
        stage.sink.batch == BatchAcceptance::AsOne && programs[2].has(|op| *op == Op::Fire(Fire::All));
    let longest = [
        if sends(&programs[0]) { rounds(&programs[0]) } else { None },
        if sends(&programs[1]) { fetches(&programs[1]) } else { None },
        fires.then_some(events),
    ];
    let longest = longest.into_iter().flatten().max().unwrap_or(0).min(events);
    let count = (2..=longest as usize).map(|len| events as usize + 1 - len).sum::<usize>();
    if count > MOST_REQUESTS {
        return Err(CompileError(format!(
            "{events} events in requests of up to {longest} make {count} different requests, and no more than \
             {MOST_REQUESTS} can be told apart; use fewer events or smaller batches"
        )));
    }
    Ok((2..=longest).flat_map(|len| (0..=events - len).map(move |low| (low, low + len))).collect())
}

fn request_contents(stage: &Stage, requests: &[(u32, u32)]) -> Vec<u32> {
    let content = |(low, high): &(u32, u32)| -> Vec<(u32, Option<i64>)> {
        stage.source.events[*low as usize..*high as usize].iter().map(|e| (e.key.0, e.value)).collect()
    };
    let contents: Vec<_> = requests.iter().map(content).collect();
    let mut first = BTreeMap::new();
    contents.into_iter().enumerate().map(|(i, c)| *first.entry(c).or_insert(i as u32)).collect()
}

/// Whether some payload can be sent before it is committed: by the producer's program, or in a batch that starts from
/// something else than a log.
fn can_be_early(producer: &Program, policy: &Program) -> bool {
    let acts: Vec<Op> = producer.steps.iter().flat_map(|s| s.acts.iter().copied()).collect();
    let before_commit = |test: fn(&Op) -> bool| {
        let commit = acts.iter().position(|op| *op == Op::Commit);
        matches!((commit, acts.iter().position(test)), (Some(c), Some(s)) if s < c)
    };
    before_commit(|op| matches!(op, Op::Send | Op::SendBatch))
        || policy.has(|op| matches!(op, Op::Arm { rule: Rule::Any | Rule::Custom(_), .. }))
        || policy.has(|op| matches!(op, Op::Arm { of: Obligations::Outbox, .. }))
            && before_commit(|op| *op == Op::Enqueue)
}

fn compile_producer(producer: &Producer, kind: Kind, stage: &Stage) -> Program {
    let mut steps = Vec::new();
    let mut interval = None;
    for (cadence, section) in &producer.sections {
        let compiled: Vec<(Vec<Op>, Else)> =
            section.iter().map(|s| (s.acts.iter().map(plain_op).collect(), s.otherwise)).collect();
        match cadence {
            Cadence::EachInterval(_) => {
                let acts = compiled.into_iter().flat_map(|(acts, _)| acts).collect();
                interval = Some(Compiled::new(acts, Else::Skip, Scope::Once, stage));
            }
            Cadence::EachEvent => {
                let scope =
                    Scope::Item { first: steps.len() as u16, end: (steps.len() + compiled.len()) as u16 };
                steps.extend(
                    compiled
                        .into_iter()
                        .map(|(acts, otherwise)| Compiled::new(acts, otherwise, scope, stage)),
                );
            }
            Cadence::EachBatch(n) if kind == Kind::Events => {
                let scope = Scope::Every(*n);
                steps.extend(
                    compiled
                        .into_iter()
                        .map(|(acts, otherwise)| Compiled::new(acts, otherwise, scope, stage)),
                );
            }
            Cadence::EachBatch(_) => group_items(&mut steps, compiled, stage),
        }
    }
    let last_send =
        steps.iter().rposition(|s| s.acts.iter().any(|op| matches!(op, Op::Send | Op::SendBatch)));
    Program {
        kind,
        steps,
        interval,
        last_send: last_send.map(|i| i as u16),
        retry: producer.retry.map_or(0, |r| r.times),
        stamps: Stamps::Own,
        compensates: false,
    }
}

/// In a relay's batch, neighbouring steps that work on one event at a time run for one event before the next.
fn group_items(steps: &mut Vec<Compiled>, section: Vec<(Vec<Op>, Else)>, stage: &Stage) {
    let per_item: Vec<bool> =
        section.iter().map(|(acts, _)| acts.iter().any(|op| op.is_per_item())).collect();
    let base = steps.len();
    for (i, (acts, otherwise)) in section.into_iter().enumerate() {
        let scope = if per_item[i] {
            let first = per_item[..i].iter().rposition(|item| !item).map_or(0, |p| p + 1);
            let end = per_item[i..].iter().position(|item| !item).map_or(per_item.len(), |p| i + p);
            Scope::Item { first: (base + first) as u16, end: (base + end) as u16 }
        } else {
            Scope::Once
        };
        steps.push(Compiled::new(acts, otherwise, scope, stage));
    }
}

/// An act that needs no context to be resolved.
fn plain_op(act: &Act) -> Op {
    match act {
        Act::Commit => Op::Commit,
        Act::Enqueue => Op::Enqueue,
        Act::Fetch(n) => Op::Fetch(*n),
        Act::Send => Op::Send,
        Act::SendBatch => Op::SendBatch,
        Act::Snapshot(rows) => Op::Snapshot(*rows),
        Act::AwaitAck => Op::AwaitAck,
        Act::Persist => Op::Persist,
        Act::Discard => Op::Discard,
        Act::Read(surface) => Op::Read { surface: *surface, kept: true },
        Act::Arm(_) => Op::Arm { rule: Rule::Nothing, of: Obligations::History },
        Act::Heal => Op::Heal,
        Act::Recover => Op::Recover,
        Act::Fence(to) => Op::Fence(*to),
        Act::Fire(how) => Op::Fire(*how),
        Act::Release => Op::Release,
        Act::Resume => Op::Resume,
    }
}

fn compile_policy(policy: &Policy, rules: &Rules, stage: &Stage) -> Result<Program, CompileError> {
    let mut read = Surfaces::NONE;
    let mut steps = Vec::new();
    for (at, step) in policy.steps.iter().enumerate() {
        let mut acts = Vec::new();
        for (i, act) in step.acts.iter().enumerate() {
            acts.push(match act {
                Act::Read(surface) => {
                    read = read.with(*surface);
                    Op::Read { surface: *surface, kept: is_kept(policy, at, i, *surface, rules) }
                }
                Act::Arm(rule) => resolve(rule, read, rules)?,
                other => plain_op(other),
            });
        }
        steps.push(Compiled::new(acts, step.otherwise, Scope::Once, stage));
    }
    Ok(Program {
        kind: Kind::Once,
        steps,
        interval: None,
        last_send: None,
        retry: 0,
        stamps: policy.stamps,
        compensates: policy.acts().any(|act| matches!(act, Act::Arm(BatchRule::Compensate(_)))),
    })
}

/// Whether what the read at (`step`, `act`) shows must be remembered: unless every `arm` that uses it stands in the
/// same step with nothing but reads between, where the world cannot have changed.
fn is_kept(policy: &Policy, step: usize, act: usize, surface: Surface, rules: &Rules) -> bool {
    let uses = |a: &Act| match a {
        Act::Arm(BatchRule::Custom(name)) => rules.find(name).is_some_and(|(_, r)| r.reads().has(surface)),
        Act::Arm(rule) => rule.needs().has(surface),
        _ => false,
    };
    let rest: Vec<(usize, &Act)> = policy
        .steps
        .iter()
        .enumerate()
        .flat_map(|(s, st): (usize, &Step)| st.acts.iter().enumerate().map(move |(a, act)| (s, a, act)))
        .filter(|(s, a, _)| (*s, *a) > (step, act))
        .map(|(s, _, act)| (s, act))
        .collect();
    let again = rest.iter().position(|(_, a)| **a == Act::Read(surface)).unwrap_or(rest.len());
    let mut undisturbed = true;
    for (s, a) in &rest[..again] {
        undisturbed &= *s == step;
        if uses(a) && !undisturbed {
            return true;
        }
        undisturbed &= matches!(a, Act::Read(_) | Act::Arm(_));
    }
    false
}

pub(crate) fn resolve(rule: &BatchRule, read: Surfaces, rules: &Rules) -> Result<Op, CompileError> {
    let (rule, of) = match rule {
        BatchRule::Nothing => (Rule::Nothing, Obligations::History),
        BatchRule::All(of) => (Rule::All, *of),
        BatchRule::PastCursor(of) => (Rule::PastCursor, *of),
        BatchRule::PastStoredCoordinate(of) => (Rule::PastStored, *of),
        BatchRule::Unacknowledged(of) => (Rule::Unacknowledged, *of),
        BatchRule::NotAccepted(of) => (Rule::NotAccepted, *of),
        BatchRule::NotHeld(of) => (Rule::NotHeld, *of),
        BatchRule::ValueDiffers(of) => (Rule::ValueDiffers, *of),
        BatchRule::KeyUnknown(of) => (Rule::KeyUnknown, *of),
        BatchRule::ContentUnknown(of) => (Rule::ContentUnknown, *of),
        BatchRule::NotSent(of) => (Rule::NotSent, *of),
        BatchRule::Latest(of) => (Rule::Latest, *of),
        BatchRule::Compensate(of) => (Rule::Compensate, *of),
        BatchRule::AnySuffix(of) => (Rule::AnySuffix, *of),
        BatchRule::Any => (Rule::Any, Obligations::History),
        BatchRule::Custom(name) => {
            let Some((index, custom)) = rules.find(name) else {
                return Err(CompileError(format!(
                    "the batch rule `{name}` is not registered; a rule written in Rust is registered with Rules::with"
                )));
            };
            if let Some(missing) = custom.reads().iter().find(|s| !read.has(*s)) {
                return Err(CompileError(format!(
                    "the batch rule `{name}` reads {missing}, but the program has no `read({missing})` before this `arm`"
                )));
            }
            (Rule::Custom(index as u16), Obligations::History)
        }
    };
    Ok(Op::Arm { rule, of })
}
