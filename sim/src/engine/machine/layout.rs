//! The places in the packed state: what a stage cannot tell apart has none.

use super::compile::starts_per_crash;
use super::{Incarnation, Kind, Machine, Op, Program, Role};
use crate::engine::world::{Counts, Field, Layout, Seq};
use crate::model::program::{Act, FenceTo, Fire, Surface};
use crate::model::scenario::{
    Acceptance, Acknowledges, Commits, CursorFaultKind, DedupKey, DedupOrder, DedupScope, Durability, Heal,
    Keeps, Start,
};

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

/// Counts on a record or a wire stop here; a verdict needs to know "twice", a reader "15 or more".
const MANY: u64 = 15;

/// A list in the state is no longer; ten messages for each event of the longest source.
const LONGEST_LIST: u64 = 1 << 20;

impl Machine {
    pub(super) fn lay_out(&self, layout: &mut Layout, events: u32, crashes: u32) -> Fields {
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
            || sink.dedup.is_some_and(|d| d.survives == Durability::Rebuilt);
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
    fn separate_starts(&self) -> bool {
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

    fn has_zombies(&self) -> bool {
        self.slots.iter().any(|s| matches!(s.role, Role::Zombie(_)))
    }

    fn keeps_a_cursor(&self) -> bool {
        self.reads.has(Surface::Cursor)
            || self.stage.relay.is_some()
            || self.programs.iter().any(|p| p.interval.is_some())
            || self.stage.faults.cursor.is_some()
            || matches!(self.stage.sink.acceptance, Acceptance::Provisional { .. })
    }

    /// Whether the live log can hold something else than the journal, or skip an event.
    #[inline]
    pub(crate) fn log_can_part(&self) -> bool {
        self.stage.faults.truncation.is_some() || self.stage.source.commits == Commits::Any
    }

    /// Whether a surface shows a set of payloads here; a log that never parts from the journal is told by its length.
    #[inline]
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
}
