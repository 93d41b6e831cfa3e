//! What can happen and what it does: [`Machine::enabled`] and [`Machine::nth`] give the labelled actions of a state
//! in a fixed total order, [`Machine::apply`] is the one thing that changes a state.

mod batch;
mod choice;
mod enabled;
mod incarnation;
mod initial_state;
mod judge;
mod lifecycle;
mod nondelivery;
mod program_counter;
mod rest;
mod sending;
mod sink;
mod source;
mod successors;

use crate::engine::machine::Machine;
use crate::engine::watch::{Note, Watch};
use crate::engine::world::{Bits, BitsMut, Words, World};
use crate::model::action::{Action, Emission};
use crate::model::ids::{Payload, Slot};
use crate::model::scenario::{Beginning, CrashKind, CursorFaultKind};

pub use judge::Judgement;
pub use lifecycle::StopPlace;
pub(crate) use successors::Successors;

/// Status of the delivering process, as the state keeps it.
pub(crate) mod status {
    pub const RUNNING: u32 = 0;
    pub const CRASHED: u32 = 1;
    pub const RECOVERED: u32 = 2;
}

impl Machine {
    /// The state in which every run starts: nothing committed, generation 0, everyone at their first step.
    pub fn start<W: Words>(&self) -> World<W> {
        let mut w = World::new(&self.layout);
        self.reset(&mut w);
        w
    }

    /// Makes `w` the state in which every run starts, keeping its memory.
    pub fn reset<W: BitsMut>(&self, w: &mut World<W>) {
        w.clear();
        for slot in 0..=self.deliverer.0 {
            let first = if self.events() == 0 { self.end(Slot(slot)) } else { 1 };
            w.set(self.slot(Slot(slot)).pc, first);
        }
        if self.stage.start != Beginning::default() {
            self.begin(w);
        }
    }

    /// Does one action, which must be enabled, and tells `watch` what changed. What most actions are stands in line, so
    /// that a caller who knows which action it has pays for that one alone.
    #[inline(always)]
    pub fn apply<W: BitsMut, O: Watch + ?Sized>(&self, w: &mut World<W>, action: Action, watch: &mut O) {
        debug_assert!(self.is_enabled(w, action), "{action:?} is not enabled");
        match action {
            Action::Step { who, item, .. } => self.step(w, who, item, watch),
            Action::Arrive(e) => {
                self.leave_wire(w, e);
                self.receive(w, e, watch);
            }
            Action::Lose(e) => {
                self.leave_wire(w, e);
                w.add(self.f.losses, 1);
                watch.lost(e.payload);
            }
            rarer => self.apply_rarer(w, rarer, watch),
        }
    }

    #[inline(never)]
    fn apply_rarer<W: BitsMut, O: Watch + ?Sized>(&self, w: &mut World<W>, action: Action, watch: &mut O) {
        match action {
            Action::Step { .. } | Action::Arrive(_) | Action::Lose(_) => {}
            Action::Interval(who) => self.interval(w, who, watch),
            Action::Copy(e) => {
                self.enter_wire(w, e);
                w.add(self.f.copies, 1);
                watch.copied(e);
            }
            Action::Crash(kind) => {
                w.add(self.f.crashes, 1);
                self.crash(w, kind, watch);
            }
            Action::Truncate(keeps) => self.truncate(w, keeps, watch),
            Action::Start(slot) => self.start_recoverer(w, slot, watch),
            Action::Die(slot) => {
                self.leave(w, slot);
                w.add(self.f.deaths, 1);
            }
            Action::Ack(p) => {
                w.put(self.f.replies, p.0, 0);
                w.put(self.f.acked, p.0, 1);
                watch.acknowledged(p);
            }
            Action::LoseAck(p) => {
                w.put(self.f.replies, p.0, 0);
                w.add(self.f.lost_acks, 1);
                watch.reply_lost(p);
            }
            Action::Timeout(slot) => self.send_again(w, slot, watch),
            Action::SinkPersist => self.persist_tail(w, watch),
            Action::FinishEffect(e) => self.finish_effect(w, e, watch),
            Action::SinkCrash => self.sink_crash(w, watch),
            Action::Evict => {
                w.seq_remove(self.f.memory, 0);
                watch.noted(Note::Forgot);
            }
            Action::Expire(e) => self.expire(w, e, watch),
            Action::Retain => {
                w.add(self.f.floor, 1);
                watch.noted(Note::Floor(w.get(self.f.floor)));
            }
            Action::HarmCursor => {
                let cursor = w.get(self.f.cursor);
                let harmed = match self.stage.faults.cursor.map(|c| c.kind) {
                    Some(CursorFaultKind::RollsBack(events)) => cursor.saturating_sub(events),
                    _ => self.cursor_gone(),
                };
                w.set(self.f.cursor, harmed);
                w.set(self.f.harmed, 1);
                watch.cursor(harmed);
            }
        }
    }

    /// A crash changes the status and nothing else that is durable. What is in flight stays in flight; replies on
    /// their way reach nobody.
    fn crash<W: BitsMut, O: Watch + ?Sized>(&self, w: &mut World<W>, kind: CrashKind, watch: &mut O) {
        watch.crashed();
        w.set(self.f.status, status::CRASHED);
        w.set(self.f.healed, 0);
        w.set(self.f.starts, 0);
        w.wipe(self.f.replies);
        w.set(self.slot(self.deliverer).tries, 0);
        if kind == CrashKind::Pause {
            self.leave_a_zombie(w);
        }
        if !self.stage.wire.survives_crash {
            while let Some(index) = w.nth_nonzero(self.f.wire, 0) {
                let e = self.emission_at(index);
                self.leave_wire(w, e);
                watch.lost(e.payload);
            }
        }
    }

    #[inline]
    pub(crate) fn enter_wire<W: BitsMut>(&self, w: &mut World<W>, e: Emission) {
        let index = self.emission_index(e);
        let already = w.count(self.f.wire, index);
        assert!(
            u64::from(already) < self.f.wire.max(),
            "more equal messages in flight than the stage allows"
        );
        w.more(self.f.wire, index);
        if self.f.queue.is_kept() {
            w.seq_push(self.f.queue, index);
        }
    }

    #[inline(always)]
    fn leave_wire<W: BitsMut>(&self, w: &mut World<W>, e: Emission) {
        let index = self.emission_index(e);
        w.fewer(self.f.wire, index);
        if self.f.queue.is_kept()
            && let Some(place) = w.seq_find(self.f.queue, index)
        {
            w.seq_remove(self.f.queue, place);
        }
    }

    /// The cursor's value where it is gone: one more than there are events.
    pub(crate) fn cursor_gone(&self) -> u32 {
        self.events() + 1
    }

    /// How often the record holds an event.
    pub fn times_accepted<W: Bits>(&self, w: &World<W>, payload: Payload) -> u32 {
        w.count(self.f.accepted, payload.0)
    }

    /// How often the record holds an event's payload, by whichever commit of it.
    #[inline(always)]
    pub fn times_of_payload<W: Bits>(&self, w: &World<W>, payload: Payload) -> u32 {
        if self.has_instances {
            self.times_of_instances(w, payload)
        } else {
            w.count(self.f.accepted, payload.0)
        }
    }

    #[cold]
    fn times_of_instances<W: Bits>(&self, w: &World<W>, payload: Payload) -> u32 {
        self.instances(payload.0).map(|q| w.count(self.f.accepted, q)).sum()
    }

    /// Whether the record holds an event's payload.
    #[inline]
    pub(crate) fn is_delivered<W: Bits>(&self, w: &World<W>, p: u32) -> bool {
        self.times_of_payload(w, Payload(p)) > 0
    }
}
