//! The accepting side: fence, dedup memory, acceptance, contents, replies.

use crate::engine::machine::Machine;
use crate::engine::rules::status;
use crate::engine::steps;
use crate::engine::watch::Watch;
use crate::engine::world::{AnyStateMut, Bits, BitsMut, World};
use crate::model::action::{Action, Emission, Section};
use crate::model::ids::Payload;
use crate::model::scenario::{BatchAcceptance, DedupKey, DedupOrder, DedupScope, FenceCheck, Keeps, Writes};
use crate::model::verdict::Verdict;

impl Machine {
    /// A message reaches the sink.
    #[inline(always)]
    pub(super) fn receive<W: BitsMut, O: Watch>(&self, w: &mut World<W>, e: Emission, watch: &mut O) {
        if self.is_below_the_fence(w, e) {
            self.refuse(w, e, watch);
        } else if self.sink_is_plain {
            self.accept_plainly(w, e, watch);
        } else {
            self.admit(&mut w.any_mut(), e, watch);
        }
    }

    /// Whether a fence that holds at acceptance keeps a message out.
    #[inline(always)]
    fn is_below_the_fence<W: Bits>(&self, w: &World<W>, e: Emission) -> bool {
        self.stage.sink.fence == FenceCheck::Arrival && u32::from(e.generation.0) < w.get(self.f.fence)
    }

    /// The fence turns a message away. Where its payload is on no record yet, it would have been a rescue.
    pub(super) fn refuse<W: BitsMut, O: Watch + ?Sized>(&self, w: &mut World<W>, e: Emission, watch: &mut O) {
        w.add(self.f.dropped, 1);
        watch.dropped(e, self.entries(e.payload).any(|p| !self.is_delivered(w, p)));
    }

    /// Past the fence: a request is judged entry by entry or as one.
    pub(super) fn admit(&self, w: &mut AnyStateMut<'_>, e: Emission, watch: &mut dyn Watch) {
        let entries = self.entries(e.payload);
        if entries.len() == 1 {
            return self.admit_one(w, e, watch);
        }
        if entries.is_empty() {
            return self.enter(w, e, watch);
        }
        let each = move |p| Emission { payload: Payload(p), ..e };
        if self.stage.sink.batch == BatchAcceptance::EachEntry {
            entries.for_each(|p| self.admit_one(w, each(p), watch));
        } else if entries.clone().any(|p| self.payloads[p as usize].rejected) {
            entries.for_each(|p| watch.rejected(each(p)));
        } else {
            let known = self.knows_request(w, entries.clone().map(each), Some(e.payload));
            self.remember_request(w, e, watch);
            for p in entries {
                match known {
                    true => self.absorb(w, each(p), watch),
                    false => self.admit_entry(w, each(p), watch),
                }
            }
        }
    }

    /// Whether the dedup memory takes a request that is judged as one for a duplicate.
    pub(super) fn knows_request<W: Bits>(
        &self,
        w: &World<W>,
        mut entries: impl Iterator<Item = Emission>,
        request: Option<Payload>,
    ) -> bool {
        if self.stage.sink.dedup.is_none() {
            return false;
        }
        match (self.stage.sink.batch, request) {
            (BatchAcceptance::AsOne, Some(payload)) => entries
                .next()
                .is_some_and(|e| self.is_remembered(w, self.dedup_key(Emission { payload, ..e }))),
            (BatchAcceptance::AsOne, None) => false,
            _ => entries.any(|e| self.is_remembered(w, self.dedup_key(e))),
        }
    }

    pub(super) fn remember_request(&self, w: &mut AnyStateMut<'_>, e: Emission, watch: &mut dyn Watch) {
        if self.stage.sink.dedup.is_some() && self.stage.sink.batch == BatchAcceptance::AsOne {
            self.remember_key(w, self.dedup_key(e), watch);
        }
    }

    /// An entry of a request that was admitted as one.
    pub(super) fn admit_entry(&self, w: &mut AnyStateMut<'_>, e: Emission, watch: &mut dyn Watch) {
        if self.stage.sink.dedup.is_some() && self.stage.sink.batch == BatchAcceptance::AllOrNothing {
            self.remember_key(w, self.dedup_key(e), watch);
        }
        self.take(w, e, watch);
    }

    pub(super) fn absorb(&self, w: &mut AnyStateMut<'_>, e: Emission, watch: &mut dyn Watch) {
        watch.absorbed(e);
        self.reply(w, e, watch);
    }

    /// A payload that is refused for ever, one that the dedup memory knows, or one to accept.
    fn admit_one(&self, w: &mut AnyStateMut<'_>, e: Emission, watch: &mut dyn Watch) {
        if self.payloads[e.payload.0 as usize].rejected {
            watch.rejected(e);
            return;
        }
        if let Some(dedup) = self.stage.sink.dedup {
            let key = self.dedup_key(e);
            let known = self.is_remembered(w, key);
            if dedup.order != DedupOrder::EffectFirst || known {
                self.remember_key(w, key, watch);
            }
            if known {
                self.absorb(w, e, watch);
                return;
            }
            if dedup.order != DedupOrder::Atomic {
                let index = self.emission_index(e);
                w.put(self.f.half_done, index, w.count(self.f.half_done, index) + 1);
                if dedup.order == DedupOrder::RememberFirst {
                    watch.buffered(e.payload);
                    return;
                }
            }
        }
        self.take(w, e, watch);
    }

    /// The effect of an admitted message: on the record, in the volatile tail, or prepared.
    fn take(&self, w: &mut AnyStateMut<'_>, e: Emission, watch: &mut dyn Watch) {
        if self.f.prepared.is_kept() {
            let index = self.emission_index(e);
            w.put(self.f.prepared, index, w.count(self.f.prepared, index) + 1);
            watch.prepared(e);
        } else if self.f.tail.is_kept() {
            let index = self.emission_index(e);
            w.seq_push(self.f.tail, index);
            watch.buffered(e.payload);
        } else {
            self.accept(w, e, watch);
        }
        self.reply(w, e, watch);
    }

    /// Something that the sink had accepted before the run: on the record, and remembered.
    pub(super) fn accept_known(&self, w: &mut AnyStateMut<'_>, e: Emission) {
        if self.stage.sink.dedup.is_some() {
            self.remember_key(w, self.dedup_key(e), &mut ());
        }
        self.accept(w, e, &mut ());
    }

    /// Durable acceptance: the event that every verdict is about.
    pub(crate) fn accept(&self, w: &mut AnyStateMut<'_>, e: Emission, mut watch: &mut dyn Watch) {
        let p = e.payload.0;
        w.seq_push(self.f.record, p);
        if self.f.order.is_kept() {
            w.seq_push(self.f.order, self.emission_index(e));
        }
        if self.f.stored.is_kept() {
            w.set(self.f.stored, w.get(self.f.stored).max(self.payloads[p as usize].rank));
        }
        if self.stage.sink.contents_advance == crate::model::scenario::Advance::Acceptance {
            self.write_contents(w, p);
        }
        if self.f.matched.is_kept() {
            w.put(self.f.matched, p, w.count(self.f.matched, p) + 1);
        }
        self.accept_plainly(w, e, &mut watch);
    }

    /// The record and what is judged of it: all of an acceptance where the sink keeps nothing else.
    #[inline(always)]
    pub(super) fn accept_plainly<W: BitsMut, O: Watch>(&self, w: &mut World<W>, e: Emission, watch: &mut O) {
        let p = e.payload.0;
        let before = self.times_of_payload(w, Payload(p));
        if self.counts_instances() {
            return self.accept_instance(w, e, before, watch);
        }
        w.put(self.f.accepted, p, w.count(self.f.accepted, p) + 1);
        let met = if before == 0 { self.met_by(w, p) } else { 0 };
        let owed = met > 0;
        if owed {
            w.set(self.f.owed, w.get(self.f.owed) - met);
        }
        for hazard in Verdict::HAZARDS {
            if self.is_made_by(w, hazard, e, before) {
                w.set(self.f.hazards[hazard as usize], 1);
            }
        }
        watch.accepted(e, before + 1, owed);
    }

    /// The same where each committed instance of a payload is owed.
    #[cold]
    fn accept_instance<W: BitsMut, O: Watch + ?Sized>(
        &self,
        w: &mut World<W>,
        e: Emission,
        before: u32,
        watch: &mut O,
    ) {
        let p = e.payload.0;
        let is_met_now = |q: &u32| self.is_owed_for(w, *q) && self.is_fulfilled(w, *q);
        let met_before = self.instances(p).filter(is_met_now).count() as u32;
        w.put(self.f.accepted, p, w.count(self.f.accepted, p) + 1);
        let is_met_now = |q: &u32| self.is_owed_for(w, *q) && self.is_fulfilled(w, *q);
        let met = self.instances(p).filter(is_met_now).count() as u32 - met_before;
        w.set(self.f.owed, w.get(self.f.owed) - met);
        // What is accepted no more often than it was committed counts as a first acceptance.
        let in_excess = before >= self.committed_instances(w, p).max(1);
        let before = if in_excess { before } else { 0 };
        for hazard in Verdict::HAZARDS {
            if self.is_made_by(w, hazard, e, before) {
                w.set(self.f.hazards[hazard as usize], 1);
            }
        }
        watch.accepted(e, before + 1, met > 0);
    }

    /// How many obligations a payload's first delivery meets.
    #[inline(always)]
    fn met_by<W: Bits>(&self, w: &World<W>, p: u32) -> u32 {
        if self.has_instances {
            self.instances(p).filter(|q| self.is_owed_for(w, *q)).count() as u32
        } else {
            u32::from(self.is_owed_for(w, p))
        }
    }

    /// Whether the judge asks for an event's delivery.
    #[inline(always)]
    fn is_owed_for<W: Bits>(&self, w: &World<W>, p: u32) -> bool {
        self.payloads[p as usize].judged && self.in_journal(w, p)
    }

    /// What a payload does to what the sink holds.
    pub(super) fn write_contents(&self, w: &mut AnyStateMut<'_>, p: u32) {
        if !self.f.held.is_kept() {
            return;
        }
        let key = self.payloads[p as usize].key;
        let rivals = |w: &AnyStateMut<'_>| -> Option<u32> {
            (0..self.events()).find(|q| self.payloads[*q as usize].key == key && w.count(self.f.held, *q) > 0)
        };
        match self.stage.sink.writes {
            Writes::Append => {}
            Writes::Overwrite => w.wipe(self.f.held),
            Writes::Register => {
                while let Some(q) = rivals(w) {
                    w.put(self.f.held, q, 0);
                }
            }
            Writes::VersionGuarded => {
                while let Some(q) = rivals(w) {
                    if self.payloads[q as usize].coordinate > self.payloads[p as usize].coordinate {
                        return;
                    }
                    w.put(self.f.held, q, 0);
                }
            }
        }
        w.put(self.f.held, p, 1);
    }

    /// A reply starts its way back, if somebody of that generation still waits.
    fn reply(&self, w: &mut AnyStateMut<'_>, e: Emission, watch: &mut dyn Watch) {
        let p = e.payload.0;
        if self.f.replies.is_kept()
            && self.is_heard(w, u32::from(e.generation.0))
            && w.count(self.f.acked, p) == 0
        {
            w.put(self.f.replies, p, 1);
            watch.replied(e.payload);
        }
    }

    /// Whether a process of this generation is there to hear a reply: the one that runs, or one that only seemed to crash.
    fn is_heard<W: Bits>(&self, w: &World<W>, generation: u32) -> bool {
        w.get(self.f.status) == status::RUNNING && generation == w.get(self.f.generation)
            || self
                .paused()
                .any(|slot| w.get(self.slot(slot).pc) > 0 && self.generation_of(w, slot) == generation)
    }

    /// The key under which the sink's dedup memory would know a message.
    pub(crate) fn dedup_key(&self, e: Emission) -> u32 {
        let Some(dedup) = self.stage.sink.dedup else { return 0 };
        let (identity, content) = match (e.payload.0).checked_sub(self.events()) {
            None => {
                let info = self.payloads[e.payload.0 as usize];
                (info.identity, info.content)
            }
            Some(request) => (e.payload.0, self.events() + self.request_contents[request as usize]),
        };
        let (process, _) = self.process_and_attempt(e);
        let by_sender = |key: u32| match dedup.scope {
            DedupScope::Sink => key,
            DedupScope::Producer => key * self.processes + process,
        };
        match dedup.key {
            DedupKey::Coordinate => by_sender(identity),
            DedupKey::Content => by_sender(content),
            DedupKey::Incarnation => identity * self.processes + process,
            DedupKey::Attempt => identity * self.senders() + u32::from(e.sender),
        }
    }

    pub(crate) fn is_remembered<W: Bits>(&self, w: &World<W>, key: u32) -> bool {
        if self.f.remembered.is_kept() {
            w.count(self.f.remembered, key) > 0
        } else {
            w.seq_find(self.f.memory, key).is_some()
        }
    }

    /// The memory takes a key; the watch hears of it only where the key's time starts or starts anew.
    pub(crate) fn remember_key(&self, w: &mut AnyStateMut<'_>, key: u32, watch: &mut dyn Watch) {
        if !self.f.memory.is_kept() {
            w.put(self.f.remembered, key, 1);
            watch.remembered(key);
            return;
        }
        match (self.stage.sink.dedup.map(|d| d.keeps), self.is_remembered(w, key)) {
            // A window over what was received: seeing a key again is an entry too.
            (Some(Keeps::Last(_)), _) | (_, false) => {}
            (Some(Keeps::For { since_last_seen: true, .. }), true) => self.forget_key(w, key),
            // The time counts from the acceptance, whatever is seen since.
            _ => return,
        }
        w.put(self.f.remembered, key, w.count(self.f.remembered, key) + 1);
        if let Some(forgotten) = w.seq_push(self.f.memory, key) {
            self.forget_one(w, forgotten);
        }
        watch.remembered(key);
    }

    /// One entry fewer of a key in a long memory, which counts them beside the list.
    fn forget_one<W: BitsMut>(&self, w: &mut World<W>, key: u32) {
        w.put(self.f.remembered, key, w.count(self.f.remembered, key).saturating_sub(1));
    }

    /// The dedup memory lets go of a key.
    pub(crate) fn forget_key(&self, w: &mut AnyStateMut<'_>, key: u32) {
        if !self.f.memory.is_kept() {
            w.put(self.f.remembered, key, 0);
        } else if let Some(place) = w.seq_find(self.f.memory, key) {
            w.seq_remove(self.f.memory, place);
            self.forget_one(w, key);
        }
    }

    /// The oldest key is forgotten.
    pub(crate) fn evict(&self, w: &mut AnyStateMut<'_>) {
        let key = w.seq_remove(self.f.memory, 0);
        self.forget_one(w, key);
    }

    /// Whether the sink can do the second half of what it began with this message, or make it final because the
    /// sender's cursor went past it.
    pub(crate) fn can_finish<W: Bits>(&self, w: &World<W>, index: u32) -> bool {
        w.count(self.f.half_done, index) > 0
            || w.count(self.f.prepared, index) > 0 && self.is_sealed(w, self.emission_at(index).payload.0)
    }

    fn is_sealed<W: Bits>(&self, w: &World<W>, p: u32) -> bool {
        let cursor = w.get(self.f.cursor);
        p < cursor && cursor != self.cursor_gone()
    }

    /// Whether the sink can finish anything.
    #[inline(always)]
    pub(crate) fn has_finishable<W: Bits>(&self, w: &World<W>) -> bool {
        let begins = self.f.prepared.is_kept() || self.f.half_done.is_kept();
        begins && self.first_finishable(w).is_some()
    }

    /// The first thing that the sink can finish.
    pub(crate) fn first_finishable<W: Bits>(&self, w: &World<W>) -> Option<Action> {
        self.nth_rare(&w.any(), steps::rare(Section::FinishEffect)?, 0)
    }

    /// The sink does the second half of what it began. A fence that rose in between is met here: what is to be accepted
    /// is refused, and only the key of an effect that was had already is still remembered.
    pub(crate) fn finish_effect(&self, w: &mut AnyStateMut<'_>, e: Emission, watch: &mut dyn Watch) {
        let index = self.emission_index(e);
        if w.count(self.f.half_done, index) > 0 {
            w.put(self.f.half_done, index, w.count(self.f.half_done, index) - 1);
            match self.stage.sink.dedup {
                Some(dedup) if dedup.order == DedupOrder::RememberFirst => {
                    if !self.is_below_the_fence(w, e) {
                        return self.take(w, e, watch);
                    }
                    self.refuse(w, e, watch);
                    if dedup.release_on_failure {
                        self.forget_key(w, self.dedup_key(e));
                    }
                }
                _ => self.remember_key(w, self.dedup_key(e), watch),
            }
        } else {
            w.put(self.f.prepared, index, w.count(self.f.prepared, index) - 1);
            if self.is_below_the_fence(w, e) {
                self.refuse(w, e, watch);
            } else {
                self.accept(w, e, watch);
            }
        }
    }

    /// How many messages the sink holds without having decided their fate: in the volatile tail, prepared, or with a
    /// key that was remembered before the effect.
    pub fn undecided<W: Bits>(&self, w: &World<W>) -> u32 {
        let sum = |counts| {
            let (mut sum, mut at) = (0, 0);
            while let Some(index) = w.next_nonzero(counts, at) {
                sum += w.count(counts, index);
                at = index + 1;
            }
            sum
        };
        let effect_to_come = self.stage.sink.dedup.is_some_and(|d| d.order == DedupOrder::RememberFirst);
        w.seq_len(self.f.tail) + sum(self.f.prepared) + if effect_to_come { sum(self.f.half_done) } else { 0 }
    }
}
