//! What a recoverer reads, remembers and arms: the one place where a batch rule meets what the surfaces showed.

use crate::engine::machine::{Machine, Op, Role, Rule, resolve};
use crate::engine::world::{AnyStateMut, Bits, BitsMut, Words, World};
use crate::model::ids::{Payload, Slot};
use crate::model::program::{BatchRule, Obligations, Surface, Surfaces};
use crate::model::scenario::{CursorIs, StoredCoordinate};
use crate::model::view::View;

/// What a batch keeps of a payload in it: that it was committed when it was armed, or that it was not.
const ARMED: u32 = 1;
pub(super) const ARMED_EARLY: u32 = 2;

impl Machine {
    /// Reads a surface into the recoverer's memory.
    pub(super) fn remember<W: BitsMut>(&self, w: &mut World<W>, slot: Slot, surface: Surface) {
        let memory = &self.slot(slot).memory;
        let i = surface as usize;
        if self.shows_payloads(surface) {
            for p in 0..self.events() {
                let shown = self.shows_now(w, surface, p);
                w.put(memory.sets[i], p, u32::from(shown));
            }
        } else {
            w.set(memory.numbers[i], self.number_now(w, surface));
            if matches!(surface, Surface::History | Surface::RetainedHistory) {
                w.set(memory.numbers[Surface::Floor as usize], w.get(self.f.floor));
            }
        }
    }

    /// Everything that was read is forgotten.
    pub(super) fn forget<W: BitsMut>(&self, w: &mut World<W>, slot: Slot) {
        let memory = &self.slot(slot).memory;
        if !memory.is_kept {
            return;
        }
        for set in memory.sets {
            w.wipe(set);
        }
        for number in memory.numbers {
            w.set(number, 0);
        }
    }

    /// Whether a rule can be armed: not from a cursor that points nowhere, where the scenario says to fail then.
    pub(super) fn can_arm<W: Bits>(&self, w: &World<W>, slot: Slot, rule: Rule) -> bool {
        rule != Rule::PastCursor || self.cursor_start(w, self.number(w, slot, Surface::Cursor)).is_some()
    }

    /// Computes a batch from what was read, and forgets what no later `arm` uses.
    pub(super) fn arm(&self, w: &mut AnyStateMut<'_>, slot: Slot, rule: Rule, of: Obligations, choice: u32) {
        let batch = self.slot(slot).batch;
        w.wipe(batch);
        if let Rule::Custom(index) = rule {
            self.arm_custom(w, slot, index);
        } else {
            let from = match rule {
                Rule::PastCursor => self.cursor_start(w, self.number(w, slot, Surface::Cursor)).unwrap_or(0),
                _ => 0,
            };
            let mut left_out = if rule == Rule::AnySuffix { choice } else { 0 };
            for p in from..self.events() {
                if rule == Rule::Any {
                    if choice >> p & 1 == 1 {
                        self.put_in_batch(w, slot, p);
                    }
                } else if self.is_obligation(w, slot, of, p) && self.includes(w, slot, rule, of, p) {
                    if left_out > 0 {
                        left_out -= 1;
                        continue;
                    }
                    self.put_in_batch(w, slot, p);
                }
            }
        }
        if !self.arms_later(w, slot) {
            self.forget(w, slot);
        }
    }

    /// Takes a payload into a batch. The emission that it becomes is stamped now: what was committed only afterwards
    /// does not justify it.
    pub(super) fn put_in_batch<W: BitsMut>(&self, w: &mut World<W>, slot: Slot, p: u32) {
        let batch = self.slot(slot).batch;
        let early = batch.max() > 1 && !self.was_committed(w, p);
        w.put(batch, p, if early { ARMED_EARLY } else { ARMED });
    }

    fn arms_later<W: Bits>(&self, w: &World<W>, slot: Slot) -> bool {
        let pc = w.get(self.slot(slot).pc) as usize;
        self.program(slot).steps[pc..].iter().any(|s| s.acts.iter().any(|op| matches!(op, Op::Arm { .. })))
    }

    /// Whether a rule takes an obligation into its batch.
    fn includes<W: Bits>(&self, w: &World<W>, slot: Slot, rule: Rule, of: Obligations, p: u32) -> bool {
        match rule {
            Rule::Nothing | Rule::Any | Rule::Custom(_) => false,
            Rule::PastStored => {
                self.payloads[p as usize].rank > self.number(w, slot, Surface::StoredCoordinate)
            }
            Rule::All | Rule::AnySuffix | Rule::Compensate => true,
            Rule::PastCursor => match self.stage.source.cursor {
                CursorIs::Count => true,
                CursorIs::Coordinate => {
                    let from = self.cursor_start(w, self.number(w, slot, Surface::Cursor)).unwrap_or(0);
                    self.payloads[p as usize].coordinate > self.highest[from as usize]
                }
            },
            Rule::Unacknowledged => !self.shows(w, slot, Surface::Acks, p),
            Rule::NotAccepted => !self.shows(w, slot, Surface::AcceptedRecord, p),
            Rule::NotHeld => !self.shows(w, slot, Surface::Contents, p),
            Rule::Latest => {
                let key = self.payloads[p as usize].key;
                !(p + 1..self.events())
                    .any(|q| self.payloads[q as usize].key == key && self.is_obligation(w, slot, of, q))
            }
            Rule::NotSent => !self.shows(w, slot, Surface::SentLedger, p),
            Rule::KeyUnknown => !self.shows(w, slot, Surface::DedupKeys, p),
            Rule::ContentUnknown => {
                let content = self.payloads[p as usize].content;
                !(0..self.events()).any(|q| {
                    self.payloads[q as usize].content == content
                        && self.shows(w, slot, Surface::AcceptedRecord, q)
                })
            }
            Rule::ValueDiffers => {
                let PayloadAt { key, content, .. } = self.payload_at(p);
                let held = (0..self.events())
                    .filter(|q| self.payload_at(*q).key == key && self.shows(w, slot, Surface::Contents, *q))
                    .max_by_key(|q| (self.payload_at(*q).coordinate, *q));
                held.map_or_else(|| !self.is_base_value(p), |q| self.payload_at(q).content != content)
            }
        }
    }

    fn payload_at(&self, p: u32) -> PayloadAt {
        let info = self.payloads[p as usize];
        PayloadAt { key: info.key, content: info.content, coordinate: info.coordinate.0 }
    }

    /// Whether an event sets its key to what it was before any event.
    fn is_base_value(&self, p: u32) -> bool {
        let event = &self.stage.source.events[p as usize];
        let base = self.stage.source.base[event.key.0 as usize];
        base.is_some() && base == event.value
    }

    fn arm_custom(&self, w: &mut AnyStateMut<'_>, slot: Slot, index: u16) {
        let rule = self.rules.get(index as usize);
        let before = w.to_vec();
        let view = View {
            reads: rule.reads(),
            source: &self.stage.source,
            shows: &|surface, p| self.view_shows(&before, slot, surface, p),
            number: &|surface| self.number_shown(&before, slot, surface),
        };
        let events = self.events();
        rule.batch(&view, &mut |Payload(p)| {
            if p < events {
                self.put_in_batch(w, slot, p);
            }
        });
    }

    /// Looks at a state as a recoverer would that reads these surfaces now.
    pub(crate) fn look<W: Words, T>(
        &self,
        w: &World<W>,
        reads: Surfaces,
        at: impl FnOnce(&View<'_>) -> T,
    ) -> T {
        let slot = self.first_recoverer();
        let mut w = w.clone();
        reads.iter().for_each(|surface| self.remember(&mut w, slot, surface));
        at(&View {
            reads,
            source: &self.stage.source,
            shows: &|surface, p| self.view_shows(&w, slot, surface, p),
            number: &|surface| self.number_shown(&w, slot, surface),
        })
    }

    /// The batch, as a set of bits, that a rule computes in a state; none where it cannot be armed there.
    pub(crate) fn batch_of<W: Words>(&self, w: &World<W>, op: Op) -> Option<u32> {
        let Op::Arm { rule, of } = op else { return None };
        let slot = self.first_recoverer();
        let mut w = w.clone();
        Surface::ALL.into_iter().for_each(|surface| self.remember(&mut w, slot, surface));
        self.can_arm(&w, slot, rule).then(|| {
            self.arm(&mut w.any_mut(), slot, rule, of, 0);
            (0..self.events())
                .fold(0, |batch, p| batch | u32::from(w.count(self.slot(slot).batch, p) > 0) << p)
        })
    }

    /// The batch, as a set of bits, that a rule of programs computes in a state; none where it cannot be armed there, or
    /// is open.
    pub(crate) fn batch_by<W: Words>(&self, w: &World<W>, rule: &BatchRule) -> Option<u32> {
        let op = resolve(rule, Surface::ALL.into_iter().collect(), &self.rules).ok()?;
        self.batch_of(w, op)
    }

    /// What a sink delta would send in a state: the obligations of recovery that the record lacks, computed by the rule
    /// that policies use.
    pub fn sink_delta<W: Words>(&self, w: &World<W>) -> Vec<Payload> {
        let batch = self.batch_by(w, &BatchRule::NotAccepted(Obligations::History)).unwrap_or(0);
        (0..self.events()).filter(|p| batch >> p & 1 == 1).map(Payload).collect()
    }

    fn view_shows<W: Bits>(&self, w: &World<W>, slot: Slot, surface: Surface, p: u32) -> bool {
        match surface {
            Surface::History => self.is_obligation(w, slot, Obligations::History, p),
            Surface::RetainedHistory => self.is_obligation(w, slot, Obligations::RetainedHistory, p),
            Surface::LiveHistory => self.is_obligation(w, slot, Obligations::LiveHistory, p),
            Surface::Journal => self.is_obligation(w, slot, Obligations::Journal, p),
            _ => self.shows(w, slot, surface, p),
        }
    }

    /// Whether the log or ledger that a rule starts from shows the payload, in scope and up to the frontier.
    pub(super) fn is_obligation<W: Bits>(&self, w: &World<W>, slot: Slot, of: Obligations, p: u32) -> bool {
        let log = of.surface();
        let there = match of {
            Obligations::Outbox | Obligations::SentLedger => self.shows(w, slot, log, p),
            _ if self.log_can_part() => self.shows(w, slot, log, p),
            Obligations::Journal | Obligations::LiveHistory => p < self.number(w, slot, log),
            Obligations::History | Obligations::RetainedHistory => {
                p < self.number(w, slot, log) && p >= self.number(w, slot, Surface::Floor)
            }
        };
        there && self.payloads[p as usize].recovered
    }

    /// Whether a surface showed a payload when the recoverer read it.
    fn shows<W: Bits>(&self, w: &World<W>, slot: Slot, surface: Surface, p: u32) -> bool {
        let set = self.slot(slot).memory.sets[surface as usize];
        if set.is_kept() { w.count(set, p) > 0 } else { self.shows_now(w, surface, p) }
    }

    fn number<W: Bits>(&self, w: &World<W>, slot: Slot, surface: Surface) -> u32 {
        let number = self.slot(slot).memory.numbers[surface as usize];
        if number.is_kept() { w.get(number) } else { self.number_now(w, surface) }
    }

    /// Whether a surface shows a payload in this state.
    pub(crate) fn shows_now<W: Bits>(&self, w: &World<W>, surface: Surface, p: u32) -> bool {
        match surface {
            Surface::History | Surface::RetainedHistory => self.is_retained(w, p),
            Surface::LiveHistory => self.in_log(w, p),
            Surface::Journal => self.in_journal(w, p),
            Surface::Outbox => w.count(self.f.outbox, p) > 0,
            Surface::Acks => w.count(self.f.acked, p) > 0,
            Surface::SentLedger => w.count(self.f.sent, p) > 0,
            Surface::Pending => w.count(self.f.pending, p) > 0,
            Surface::Contents => w.count(self.f.held, p) > 0,
            Surface::AcceptedRecord => self.record_shows(w, p),
            Surface::DedupKeys => self.keys_show(w, p),
            Surface::Wire => {
                let mut at = 0;
                std::iter::from_fn(|| {
                    let index = w.next_nonzero(self.f.wire, at)?;
                    at = index + 1;
                    Some(self.emission_at(index))
                })
                .any(|e| self.entries(e.payload).contains(&p))
            }
            _ => false,
        }
    }

    /// The number that a surface shows in this state; for a log, how many entries it has.
    pub(crate) fn number_now<W: Bits>(&self, w: &World<W>, surface: Surface) -> u32 {
        match surface {
            Surface::JournalLength => self.journal_length(w),
            Surface::History | Surface::RetainedHistory | Surface::LiveHistory => self.log_end(w),
            Surface::Journal => self.journal_end(w),
            Surface::Cursor => w.get(self.f.cursor),
            Surface::Generation => w.get(self.f.generation),
            Surface::Fence => w.get(self.f.fence),
            Surface::HighWaterMark => w.get(self.f.high_water).max(w.get(self.f.generation)),
            Surface::Floor => w.get(self.f.floor),
            Surface::Status => w.get(self.f.status),
            Surface::StoredCoordinate => self.stored_coordinate(w),
            Surface::Incarnations => {
                // Each live recoverer's place, as a digit of a number.
                self.slots()
                    .filter(|(_, role)| matches!(role, Role::Recoverer(_)))
                    .fold(0, |n, (slot, _)| n * self.pc_values(slot) + w.get(self.slot(slot).pc))
            }
            _ => 0,
        }
    }

    /// What a surface shows in this state, as numbers: equal where whoever reads it cannot tell two states apart.
    pub(crate) fn what_is_shown<W: Bits>(&self, w: &World<W>, surface: Surface) -> Vec<u32> {
        match surface {
            Surface::AcceptedRecord => (0..self.events()).map(|p| w.count(self.f.accepted, p)).collect(),
            Surface::Wire => (0..self.f.wire.len()).map(|i| w.count(self.f.wire, i)).collect(),
            _ if self.shows_payloads(surface) => {
                (0..self.events()).map(|p| u32::from(self.shows_now(w, surface, p))).collect()
            }
            _ => vec![self.number_now(w, surface)],
        }
    }

    /// The place of the highest coordinate that the sink says it stored.
    fn stored_coordinate<W: Bits>(&self, w: &World<W>) -> u32 {
        let sink = &self.stage.sink;
        match (sink.stored_coordinate, sink.record_keeps) {
            (StoredCoordinate::Record, Some(keeps)) => {
                let total = w.seq_len(self.f.record);
                let places = total.saturating_sub(keeps)..total;
                let ranks = places.map(|at| self.payloads[w.seq_get(self.f.record, at) as usize].rank);
                ranks.max().unwrap_or(0)
            }
            _ => w.get(self.f.stored),
        }
    }

    /// The number that a surface shows to a rule: a stored coordinate is shown as the coordinate that it is.
    fn number_shown<W: Bits>(&self, w: &World<W>, slot: Slot, surface: Surface) -> u32 {
        let number = self.number(w, slot, surface);
        if surface != Surface::StoredCoordinate {
            return number;
        }
        self.payloads.iter().find(|info| info.rank == number).map_or(0, |info| info.coordinate.0)
    }

    /// What the sink shows of its record: whole and current, or without its newest entries, one page, a window.
    fn record_shows<W: Bits>(&self, w: &World<W>, p: u32) -> bool {
        if !self.f.record.is_kept() {
            return self.is_delivered(w, p);
        }
        let sink = &self.stage.sink;
        let total = w.seq_len(self.f.record);
        let kept = sink.record_keeps.map_or(0, |keeps| total.saturating_sub(keeps));
        let visible = total.saturating_sub(sink.read.stale_by);
        let from = if sink.read.window > 0 { visible.saturating_sub(sink.read.window) } else { 0 }.max(kept);
        let to = if sink.read.page > 0 { visible.min(from + sink.read.page) } else { visible };
        let payload = |q: u32| self.payloads[q as usize].payload;
        (from..to).any(|place| payload(w.seq_get(self.f.record, place)) == payload(p))
    }

    /// Whether the key of a payload is known: to the dedup memory, or, without one, from the whole record.
    pub(crate) fn keys_show<W: Bits>(&self, w: &World<W>, p: u32) -> bool {
        if self.stage.sink.dedup.is_some() {
            return (0..self.senders()).any(|sender| {
                let e = crate::model::action::Emission {
                    payload: Payload(p),
                    generation: crate::model::ids::Generation(0),
                    justified: true,
                    sender: sender as u8,
                };
                self.is_remembered(w, self.dedup_key(e))
            });
        }
        let identity = self.payloads[p as usize].identity;
        (0..self.events())
            .any(|q| self.payloads[q as usize].identity == identity && w.count(self.f.accepted, q) > 0)
    }
}

struct PayloadAt {
    key: u32,
    content: u32,
    coordinate: u32,
}
