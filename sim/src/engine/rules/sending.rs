//! How messages leave: one at a time from a program, a whole batch that is fired, or again where no reply came; over
//! the wire, or straight to the sink.

use std::ops::Range;

use super::batch::ARMED_EARLY;
use crate::engine::machine::{Kind, Machine, Op, Program, Scope};
use crate::engine::watch::Watch;
use crate::engine::world::{AnyStateMut, Bits, BitsMut, World};
use crate::model::action::Emission;
use crate::model::ids::{Generation, Payload, Slot};
use crate::model::program::{Fire, Stamps};
use crate::model::scenario::{Advance, BatchAcceptance, FenceCheck};

impl Machine {
    /// How many events the messages in flight carry; what is no delivery counts as one.
    pub fn events_in_flight<W: Bits>(&self, w: &World<W>) -> u32 {
        let (mut sum, mut at) = (0, 0);
        while let Some(index) = w.next_nonzero(self.f.wire, at) {
            let carried = self.entries(self.emission_at(index).payload).len() as u32;
            sum += w.count(self.f.wire, index) * carried.max(1);
            at = index + 1;
        }
        sum
    }

    /// How many messages are in flight.
    pub fn in_flight<W: Bits>(&self, w: &World<W>) -> u32 {
        let mut sum = 0;
        let mut at = 0;
        while let Some(index) = w.next_nonzero(self.f.wire, at) {
            sum += w.count(self.f.wire, index);
            at = index + 1;
        }
        sum
    }

    /// Whether an act that lands at once is refused: below the fence where that is checked, or of something that the sink
    /// refuses for ever. A send over a wire is done when it is handed over, and an empty batch is never refused.
    pub(super) fn is_turned_away<W: Bits>(&self, w: &World<W>, slot: Slot, op: Op, scope: Scope) -> bool {
        let Program { stamps, kind, .. } = *self.program(slot);
        let (sink, fence) = (&self.stage.sink, w.get(self.f.fence));
        let stamp =
            if kind == Kind::Once { self.stamp_of(w, slot, stamps) } else { self.generation_of(w, slot) };
        let at_arrival = sink.fence == FenceCheck::Arrival && stamp < fence;
        let is_rejected = |p: u32| self.payloads[p as usize].rejected;
        let mut batch = (0..self.events()).filter(|p| w.count(self.slot(slot).batch, *p) > 0);
        match op {
            Op::Send if self.stage.wire.instant => at_arrival || is_rejected(w.get(self.slot(slot).item)),
            Op::SendBatch if self.stage.wire.instant => {
                let mut entries = self.batch_range(w, slot, scope);
                !entries.is_empty() && (at_arrival || entries.any(is_rejected))
            }
            Op::Snapshot(_) if self.stage.wire.instant => at_arrival,
            Op::Fire(how) => {
                let is_gated = match how {
                    Fire::All | Fire::Each => self.is_gated(w, stamps, stamp),
                    Fire::Wire | Fire::WireAll if self.stage.wire.instant => at_arrival,
                    Fire::Wire | Fire::WireAll => return false,
                };
                match how {
                    Fire::All | Fire::WireAll if !is_gated => batch.any(is_rejected),
                    _ => batch.next().is_some_and(|p| is_gated || is_rejected(p)),
                }
            }
            Op::Persist if kind != Kind::Once => {
                matches!(sink.fence, FenceCheck::CursorStore | FenceCheck::Completion) && stamp < fence
            }
            _ => false,
        }
    }

    /// Puts a payload on the wire, stamped with what the journal holds now.
    #[inline]
    pub(super) fn send<W: BitsMut, O: Watch>(
        &self,
        w: &mut World<W>,
        slot: Slot,
        p: u32,
        attempt: u32,
        watch: &mut O,
    ) {
        let e = self.emission(w, slot, p, self.sender_generation(w, slot), attempt);
        self.put_out(w, slot, e, watch);
    }

    /// The generation under which an incarnation puts a message on the wire.
    fn sender_generation<W: Bits>(&self, w: &World<W>, slot: Slot) -> u32 {
        match (self.program(slot).kind, self.program(slot).stamps) {
            (Kind::Once, Stamps::CrashTime) => self.crash_generation(w, slot),
            _ => self.generation_of(w, slot),
        }
    }

    /// Whether what a batch holds of a payload was committed when it was armed.
    fn is_justified_in_batch<W: Bits>(&self, w: &World<W>, slot: Slot, p: u32) -> bool {
        let batch = self.slot(slot).batch;
        if batch.max() > 1 { w.count(batch, p) != ARMED_EARLY } else { self.was_committed(w, p) }
    }

    /// A message leaves its sender.
    #[inline]
    pub(super) fn put_out<W: BitsMut, O: Watch>(
        &self,
        w: &mut World<W>,
        slot: Slot,
        e: Emission,
        watch: &mut O,
    ) {
        if self.stage.wire.instant {
            watch.landed(e, slot);
        } else {
            self.enter_wire(w, e);
            watch.sent(e, slot);
        }
        for entry in self.entries(e.payload) {
            self.note_sent(w, entry, watch);
            // What a recoverer fires is on its way to the record; the contents are the producer's to write, or `heal`'s.
            if self.stage.sink.contents_advance == Advance::Send && !self.is_recoverer(slot) {
                self.write_contents(&mut w.any_mut(), entry);
            }
        }
        if self.stage.wire.instant {
            self.receive(w, e, watch);
        }
    }

    #[inline]
    fn emission<W: Bits>(&self, w: &World<W>, slot: Slot, p: u32, generation: u32, attempt: u32) -> Emission {
        Emission {
            payload: Payload(p),
            generation: Generation(generation as u16),
            justified: self.entries(Payload(p)).all(|p| self.was_committed(w, p)),
            sender: self.sender(w, slot, attempt),
        }
    }

    /// Who sends, as far as the sink can tell: the process, whatever generation its message carries, and its attempt.
    #[inline]
    pub(crate) fn sender<W: Bits>(&self, w: &World<W>, slot: Slot, attempt: u32) -> u8 {
        if self.senders() == 1 {
            return 0;
        }
        let attempt = if self.attempts > 1 { attempt } else { 0 };
        (w.get(self.slot(slot).process) * self.attempts + attempt) as u8
    }

    #[inline]
    fn note_sent<W: BitsMut, O: Watch>(&self, w: &mut World<W>, p: u32, watch: &mut O) {
        watch.carries(Payload(p));
        w.put(self.f.sent, p, 1);
        w.put(self.f.pending, p, 0);
    }

    /// A sender that waits for a reply sends again what it waits for: an event, or a whole request.
    pub(crate) fn send_again(&self, w: &mut AnyStateMut<'_>, slot: Slot, mut watch: &mut dyn Watch) {
        w.add(self.slot(slot).tries, 1);
        let (item, tries) = (w.get(self.slot(slot).item), w.get(self.slot(slot).tries));
        let awaits = self.next_step(w, slot).and_then(|step| step.awaits);
        let again = match awaits {
            Some(scope) => self.message_of(self.batch_range(w, slot, scope)),
            None => Some(Payload(item)),
        };
        if let Some(Payload(p)) = again {
            self.send(w, slot, p, tries, &mut watch);
        }
    }

    pub(crate) fn can_time_out<W: Bits>(&self, w: &World<W>, slot: Slot) -> bool {
        let pc = w.get(self.slot(slot).pc);
        let retry = u32::from(self.program(slot).retry);
        pc > 0
            && retry > 0
            && self.may_act(w, slot)
            && self.step_has(slot, pc as u16 - 1, |op| *op == Op::AwaitAck)
            && !self.is_answered(w, slot)
            && w.get(self.slot(slot).tries) < retry
    }

    /// Whether what an incarnation waits for was answered: its event, or each event of the request that it sent.
    pub(super) fn is_answered<W: Bits>(&self, w: &World<W>, slot: Slot) -> bool {
        let is_acked = |p: u32| w.count(self.f.acked, p) > 0;
        match self.next_step(w, slot).and_then(|step| step.awaits) {
            Some(scope) => self.batch_range(w, slot, scope).all(is_acked),
            None => is_acked(w.get(self.slot(slot).item)),
        }
    }

    /// The events that a `send_batch` carries.
    pub(super) fn batch_range<W: Bits>(&self, w: &World<W>, slot: Slot, scope: Scope) -> Range<u32> {
        let s = self.slot(slot);
        match scope {
            Scope::Every(n) => {
                let item = w.get(s.item);
                item - item % u32::from(n)..item + 1
            }
            _ => w.get(s.low)..w.get(s.high),
        }
    }

    /// Sends an armed batch: at once and as a whole, or its next entry.
    #[inline]
    pub(super) fn fire<W: BitsMut, O: Watch>(&self, w: &mut World<W>, slot: Slot, how: Fire, watch: &mut O) {
        let Program { stamps, compensates, .. } = self.program(slot);
        if *compensates {
            self.take_back(&mut w.any_mut(), slot, *stamps, watch);
        }
        self.fire_as(w, slot, how, *stamps, watch);
    }

    pub(super) fn fire_as<W: BitsMut, O: Watch>(
        &self,
        w: &mut World<W>,
        slot: Slot,
        how: Fire,
        stamps: Stamps,
        watch: &mut O,
    ) {
        let batch = self.slot(slot).batch;
        if how == Fire::All && self.stage.sink.batch != BatchAcceptance::EachEntry && w.distinct(batch) > 1 {
            return self.land_as_one(&mut w.any_mut(), slot, stamps, watch);
        }
        while let Some(p) = w.next_nonzero(batch, 0) {
            let justified = self.is_justified_in_batch(w, slot, p);
            w.put(batch, p, 0);
            match how {
                Fire::All | Fire::Each => self.land(w, slot, p, justified, stamps, watch),
                Fire::Wire | Fire::WireAll => {
                    let generation = self.sender_generation(w, slot);
                    let e = self.emission(w, slot, p, generation, 0);
                    self.put_out(w, slot, Emission { justified, ..e }, watch);
                }
            }
            if matches!(how, Fire::Each | Fire::Wire) {
                return;
            }
        }
    }

    /// A recoverer's send that does not travel. Stamped with the generation that crashed, it is the recovery's own
    /// work and meets no fence (§6); stamped with its own, it passes the fence at this fire point or not (§7).
    fn land<W: BitsMut, O: Watch>(
        &self,
        w: &mut World<W>,
        slot: Slot,
        p: u32,
        justified: bool,
        stamps: Stamps,
        watch: &mut O,
    ) {
        let generation = self.stamp_of(w, slot, stamps);
        let e = Emission { justified, ..self.emission(w, slot, p, generation, 0) };
        watch.landed(e, slot);
        self.note_sent(w, p, watch);
        if self.is_gated(w, stamps, generation) {
            self.refuse(w, e, watch);
        } else if self.sink_is_plain {
            self.accept_plainly(w, e, watch);
        } else {
            self.admit(&mut w.any_mut(), e, watch);
        }
    }

    /// A whole batch that the sink judges as one request.
    fn land_as_one(&self, w: &mut AnyStateMut<'_>, slot: Slot, stamps: Stamps, mut watch: &mut dyn Watch) {
        let batch = self.slot(slot).batch;
        let generation = self.stamp_of(w, slot, stamps);
        let (first, entries) = (w.next_nonzero(batch, 0).unwrap_or(0), w.distinct(batch));
        let whole = (first..first + entries).all(|p| p < self.events() && w.count(batch, p) > 0);
        let request = if whole { self.message_of(first..first + entries) } else { None };
        let refused = self.is_gated(w, stamps, generation);
        let absorbed = !refused && {
            let entries = (0..self.events()).filter(|p| w.count(batch, *p) > 0);
            self.knows_request(w, entries.map(|p| self.emission(w, slot, p, generation, 0)), request)
        };
        if let Some(request) = request {
            self.remember_request(w, self.emission(w, slot, request.0, generation, 0), watch);
        }
        while let Some(p) = w.next_nonzero(batch, 0) {
            let justified = self.is_justified_in_batch(w, slot, p);
            w.put(batch, p, 0);
            let e = Emission { justified, ..self.emission(w, slot, p, generation, 0) };
            watch.landed(e, slot);
            self.note_sent(w, p, &mut watch);
            match (refused, absorbed) {
                (true, _) => self.refuse(w, e, &mut watch),
                (_, true) => self.absorb(w, e, watch),
                _ => self.admit_entry(w, e, watch),
            }
        }
    }

    /// The generation that a recoverer's batch carries.
    pub(super) fn stamp_of<W: Bits>(&self, w: &World<W>, slot: Slot, stamps: Stamps) -> u32 {
        match stamps {
            Stamps::Own => self.generation_of(w, slot),
            Stamps::CrashTime => self.crash_generation(w, slot),
        }
    }

    pub(super) fn is_gated<W: Bits>(&self, w: &World<W>, stamps: Stamps, generation: u32) -> bool {
        stamps == Stamps::Own
            && matches!(self.stage.sink.fence, FenceCheck::Arrival | FenceCheck::Fire)
            && generation < w.get(self.f.fence)
    }
}
