//! The places in the packed state: what a stage cannot tell apart has none.

use super::fields::{Fields, Memory, PerFault, SlotFields};
use super::{Incarnation, Kind, Machine, Op, Program, Role, Rule};
use crate::engine::faults::spec;
use crate::engine::world::{Counts, Layout, Seq};
use crate::model::ids::Slot;
use crate::model::program::{Act, FenceTo, Fire, Obligations, Stamps, Surface};
use crate::model::scenario::{
    Acceptance, Acknowledges, Commits, DedupKey, DedupOrder, DedupScope, Durability, Fault, Heal, Keeps,
    Stage, Start, StoredCoordinate,
};
use crate::model::verdict::Verdict;

/// A dedup memory of more keys than this also keeps how often it holds each.
const LONG_MEMORY: u32 = 256;

/// Counts on a record or a wire stop here; a verdict needs to know "twice", a reader "15 or more".
const MANY: u64 = 15;

/// A list in the state is no longer, and a dedup memory neither; ten messages for each event of the longest source.
pub(super) const LONGEST_LIST: u64 = 1 << 20;

impl Machine {
    pub(super) fn lay_out(&self, layout: &mut Layout, events: u32, crashes: u32) -> Fields {
        let stage = &self.stage;
        let (wire, sink, recovery) = (&stage.wire, &stage.sink, &stage.recovery);
        let reads = self.reads;
        let acts: Vec<&Act> = stage.policy.acts().collect();
        // What recoverers send: a program may fire more than once.
        let fired = acts.iter().filter(|act| matches!(act, Act::Fire(_))).count().max(1) as u64;
        let redriven = u64::from(crashes) * u64::from(starts_per_crash(stage)) * fired;
        let retry = u64::from(self.programs[self.deliverer.0 as usize].retry);
        let by_programs: u64 = self.programs[..2].iter().map(Program::sends_per_event).sum();
        // What a life of the deliverer leaves behind when it only seemed to end waits for its reply anew.
        let patience = retry * (1 + u64::from(self.has_zombies()));
        let sends = by_programs.max(self.non_deliveries.equal()) * (1 + patience);
        let copies = wire.copies.map_or(0, |c| u64::from(c.times.unwrap_or(1)));
        let travels = acts.iter().any(|a| matches!(a, Act::Fire(Fire::Wire | Fire::WireAll)));
        // Lives of the deliverer under one generation, each of which sends anew. A run that is down is resumed once, so
        // there is a life for each crash, and the first. Each is under a generation of its own, since a resume takes one
        // that is newer than any before; a release keeps the one that crashed.
        let releases = acts.iter().any(|a| matches!(a, Act::Release));
        let apart = recovery.bumps_generation && !releases;
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
        let stores_by_record =
            reads.has(Surface::StoredCoordinate) && sink.stored_coordinate == StoredCoordinate::Record;
        let ordered_reads = sink.read != Default::default()
            || sink.record_keeps.is_some() && (reads.has(Surface::AcceptedRecord) || stores_by_record);
        let keys = self.dedup_keys();
        let parted = self.log_can_part();
        // Wide arrays first: what follows then packs without gaps.
        Fields {
            wire: layout.counts(emissions, in_flight),
            accepted: layout.counts(events, (sends + copies + redriven + once(self.has_zombies())).min(MANY)),
            reversed: layout.counts(if self.non_deliveries.reversals { events } else { 0 }, MANY),
            matched: layout.counts(if self.non_deliveries.reversals { events } else { 0 }, MANY),
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
                // More than ever comes in need not be kept.
                Some(Keeps::Last(w)) => layout.seq(w.min(list(received)), u64::from(keys)),
                Some(Keeps::For { .. }) => layout.seq(keys, u64::from(keys)),
                Some(Keeps::Forever) | None => Seq::default(),
            },
            remembered: match sink.dedup.map(|d| d.keeps) {
                Some(Keeps::Forever) => layout.counts(keys, 1),
                // To search a long list for each message would take too long.
                Some(Keeps::Last(w)) if w.min(list(received)) > LONG_MEMORY => {
                    layout.counts(keys, u64::from(w.min(list(received))))
                }
                Some(Keeps::For { .. }) if keys > LONG_MEMORY => layout.counts(keys, 1),
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
            slots: self.slots().map(|(slot, _)| self.lay_out_slot(layout, slot, events)).collect(),
            status: layout.field(2),
            generation: layout.field(u64::from(self.generations) - 1),
            high_water: layout.field(if self.separate_starts() {
                u64::from(self.generations) - 1
            } else {
                0
            }),
            // One more than a generation can be: a claim over a batch that was armed before it fences out its own.
            fence: layout.field(if fences { u64::from(self.generations) + 1 } else { 0 }),
            fenced_by: layout.field(if fences && starts_per_crash(stage) > 1 {
                u64::from(self.generations) - 1
            } else {
                0
            }),
            committed: layout.field(if parted { 0 } else { n }),
            journal: layout.counts(if parted { events } else { 0 }, 3),
            live: layout.counts(if parted { events } else { 0 }, 1),
            journal_length: layout.field(if parted { 3 * n } else { 0 }),
            cursor: layout.field(if self.keeps_a_cursor() { n + 1 } else { 0 }),
            floor: layout.field(if self.floor_can_rise() { n } else { 0 }),
            healed: layout.field(once(recovery.heal == Heal::Once)),
            struck: {
                let mut struck = PerFault::default();
                for fault in Fault::ALL {
                    struck[fault] = layout.field((spec(fault).counter)(stage));
                }
                struck
            },
            starts: layout.field(if self.separate_starts() { u64::from(recovery.attempts) } else { 0 }),
            processes: layout.field(u64::from(self.processes) - 1),
            dropped: layout.field(if fences {
                (u64::from(emissions) * in_flight).min(u64::from(u32::MAX))
            } else {
                0
            }),
            owed: layout.field(n),
            hazards: Verdict::ALL.map(|verdict| layout.field(once(self.keeps_hazard(verdict)))),
            stored: layout.field(if reads.has(Surface::StoredCoordinate) { n } else { 0 }),
        }
    }

    fn lay_out_slot(&self, layout: &mut Layout, slot: Slot, events: u32) -> SlotFields {
        let n = u64::from(events);
        let once = |yes: bool| u64::from(yes);
        let Incarnation { ref program, role } = self.slots[slot.0 as usize];
        let relays = program.kind == Kind::Relay;
        let recovers = program.kind == Kind::Once;
        let own = match role {
            Role::Producer | Role::Relay => false, // it acts under the current generation
            Role::Recoverer(_) => self.separate_starts(),
            Role::Zombie(_) => true,
        };
        let commits_only = role == Role::Producer && self.stage.relay.is_some();
        let outlives_a_resume = recovers && self.uses_crash_generation() && {
            let several = self.stage.recovery.recoverers > 1;
            several || goes_on_after_resume(program)
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
            batch: layout.counts(if recovers { events } else { 0 }, 1 + once(self.arms_early())),
            memory,
            pc: layout.field(u64::from(self.pc_values(slot)) - 1),
            generation: layout.field(if own { u64::from(self.generations) - 1 } else { 0 }),
            crashed: layout.field(if outlives_a_resume { u64::from(self.generations) - 1 } else { 0 }),
            process: layout.field(if commits_only { 0 } else { u64::from(self.processes) - 1 }),
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
        let policy = &self.programs[2];
        recovery.start == Start::Step
            || policy.steps.len() > 1
            || recovery.recoverers > 1
            || goes_on_after_resume(policy)
    }

    /// Whether some act of a recoverer's asks which generation crashed before it started.
    fn uses_crash_generation(&self) -> bool {
        let policy = &self.programs[2];
        policy.has(|op| *op == Op::Fence(FenceTo::Successor))
            || policy.stamps == Stamps::CrashTime && policy.has(|op| matches!(op, Op::Fire(_)))
    }

    /// Whether a recoverer writes the cursor in a later step than it read the log: commits may go on in between, and the
    /// cursor must not pass over what was not read.
    fn cursor_trails_the_read(&self, program: &Program) -> bool {
        let first = |test: &dyn Fn(&Op) -> bool| program.steps.iter().position(|s| s.acts.iter().any(test));
        let log = |op: &Op| matches!(op, Op::Read { surface, .. } if surface.is_a_log());
        let (read, persist) = (first(&log), first(&|op| *op == Op::Persist));
        self.keeps_a_cursor() && matches!((read, persist), (Some(read), Some(persist)) if read < persist)
    }

    /// Whether a recoverer can arm a payload that is not committed yet: then a batch tells such an entry from others.
    fn arms_early(&self) -> bool {
        let policy = &self.programs[2];
        let arms = |op: &Op| {
            matches!(
                op,
                Op::Arm { rule: Rule::Any | Rule::Custom(_), .. } | Op::Arm { of: Obligations::Outbox, .. }
            )
        };
        self.can_be_early && (self.is_probed || policy.has(arms))
    }

    fn has_zombies(&self) -> bool {
        self.slots.iter().any(|s| matches!(s.role, Role::Zombie(_)))
    }

    fn keeps_a_cursor(&self) -> bool {
        self.reads.has(Surface::Cursor)
            || self.stage.relay.is_some()
            || self.programs.iter().any(|p| p.interval.is_some())
            || self.stage.faults.cursor.is_some()
            || self.is_judged_by_its_cursor()
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
        let by_sender = if dedup.scope == DedupScope::Producer { self.processes } else { 1 };
        self.messages()
            * match dedup.key {
                DedupKey::Coordinate | DedupKey::Content => by_sender,
                DedupKey::Incarnation => self.processes,
                DedupKey::Attempt => self.senders(),
            }
    }
}

/// Whether a recoverer acts after it has resumed or released the run, when the current generation is not the one that
/// it found any more.
fn goes_on_after_resume(policy: &Program) -> bool {
    let acts: Vec<&Op> = policy.steps.iter().flat_map(|step| &step.acts).collect();
    let resumed = acts.iter().position(|op| matches!(op, Op::Resume | Op::Release));
    resumed.is_some_and(|at| at + 1 < acts.len())
}

/// How many generations each start of a recoverer uses up: its own, and the one that it raises the fence to where that
/// lies past its own.
pub(super) fn numbers_per_start(stage: &Stage) -> u32 {
    1 + u32::from(stage.policy.acts().any(|act| *act == Act::Fence(FenceTo::PastOwn)))
}

pub(super) fn starts_per_crash(stage: &Stage) -> u32 {
    u32::from(stage.recovery.attempts).max(u32::from(stage.recovery.recoverers)).max(1)
}
