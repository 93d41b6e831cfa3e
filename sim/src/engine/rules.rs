//! What can happen and what it does: [`Machine::enabled`] and [`Machine::nth`] give the labelled actions of a state
//! in a fixed total order, and [`Machine::apply`] does one of them.
//!
//! A run changes its state by actions alone. What else writes a state: `initial_state` makes the first one; `successors`
//! has arrivals and losses in line, for the search, and must do what [`Machine::apply`] does; [`Machine::redrive`] does a
//! whole recovery at once for the analysis of bounds, which also compares states without what can no longer matter.

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
use crate::engine::watch::Watch;
use crate::engine::world::{Bits, BitsMut, Words, World};
use crate::model::action::{Action, Emission};
use crate::model::ids::{Payload, Slot};
use crate::model::scenario::{Beginning, Fault};

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
    /// that a caller who knows which action it has pays for that one alone; what few stages have is compiled once, for
    /// states of any size and whoever watches.
    #[inline(always)]
    pub fn apply<W: BitsMut, O: Watch>(&self, w: &mut World<W>, action: Action, watch: &mut O) {
        debug_assert!(self.is_enabled(w, action), "{action:?} is not enabled");
        match action {
            Action::Step { who, item, .. } => self.step(w, who, item, watch),
            Action::Arrive(e) => {
                self.leave_wire(w, e);
                self.receive(w, e, watch);
            }
            Action::Lose(e) => {
                self.leave_wire(w, e);
                w.add(self.f.struck[Fault::Loss], 1);
                watch.lost(e.payload);
            }
            Action::Crash(kind) => {
                w.add(self.f.struck[Fault::Crash], 1);
                self.crash(w, kind, watch);
            }
            Action::Start(slot) => self.start_recoverer(w, slot, watch),
            rare => self.apply_rare(&mut w.any_mut(), rare, watch),
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
    pub(crate) fn leave_wire<W: BitsMut>(&self, w: &mut World<W>, e: Emission) {
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
