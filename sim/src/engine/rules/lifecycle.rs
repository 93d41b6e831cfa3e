//! How a life begins and ends: a recoverer starts, a run that was down resumes, an incarnation leaves, or only seems to.

use crate::engine::machine::{Compiled, Kind, Machine, Program, Role};
use crate::engine::rules::status;
use crate::engine::watch::Watch;
use crate::engine::world::{AnyStateMut, Bits, BitsMut, World};
use crate::model::action::Action;
use crate::model::ids::{Generation, Slot};
use crate::model::program::Else;
use crate::model::scenario::{CursorReset, Heal, Injected};

/// Where a process is when a fault stops it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StopPlace {
    /// Whether it is a recoverer; else the process that delivers.
    pub is_recoverer: bool,
    /// The next step of its program, from 0; one past the last where it has done its work.
    pub next: u32,
    /// Whether it waits there.
    pub waits: bool,
}

impl Machine {
    /// Where the process is that an action stops; none where the action stops none.
    pub fn stop_place<W: Bits>(&self, w: &World<W>, action: Action) -> Option<StopPlace> {
        let slot = match action {
            Action::Crash(_) | Action::Fault(Injected::Truncate(_)) => self.deliverer,
            Action::Fault(Injected::Die(slot)) => slot,
            _ => return None,
        };
        let next = w.get(self.slot(slot).pc).checked_sub(1)?;
        Some(StopPlace { is_recoverer: slot != self.deliverer, next, waits: self.waits(w, slot) })
    }

    #[inline]
    pub(crate) fn start_recoverer<W: BitsMut, O: Watch>(&self, w: &mut World<W>, slot: Slot, watch: &mut O) {
        let newest = w.get(self.f.high_water).max(w.get(self.f.generation));
        let own = if self.stage.recovery.bumps_generation { newest + 1 } else { newest };
        w.set(self.f.high_water, own);
        w.set(self.slot(slot).generation, own);
        // Nobody starts while the run runs, so this is the generation of the process that crashed last.
        w.set(self.slot(slot).crashed, w.get(self.f.generation));
        w.set(self.slot(slot).pc, 1);
        w.add(self.f.starts, 1);
        self.number_process(w, slot);
        watch.started(slot);
    }

    /// A process that starts is none of those before it, whatever generation it acts under.
    fn number_process<W: BitsMut>(&self, w: &mut World<W>, slot: Slot) {
        if self.f.processes.is_kept() {
            w.add(self.f.processes, 1);
            w.set(self.slot(slot).process, w.get(self.f.processes));
        }
    }

    /// The generation under which the run goes on when this recoverer resumes it: its own, or the fence where it raised
    /// that higher itself. None where another process holds that number or a newer one, or raised the fence to it: the
    /// recoverer is superseded. Where contents are healed once for each crash, the paper counts: one more than the
    /// generation that crashed. `fence` is where the fence stands when it resumes, `is_its_own` whether it raised it.
    pub(super) fn resumes_as<W: Bits>(
        &self,
        w: &World<W>,
        slot: Slot,
        fence: u32,
        is_its_own: bool,
    ) -> Option<u32> {
        let (current, own) = (w.get(self.f.generation), self.generation_of(w, slot));
        if !self.stage.recovery.bumps_generation {
            return Some(current);
        }
        if self.stage.recovery.heal == Heal::Once {
            return Some((current + 1).max(fence));
        }
        let next = if is_its_own { own.max(fence) } else { own };
        let is_fenced_out = !is_its_own && fence >= own;
        let is_outnumbered = self
            .recoverers()
            .any(|s| s != slot && w.get(self.slot(s).pc) > 0 && self.generation_of(w, s) >= next);
        (next > current && !is_fenced_out && !is_outnumbered).then_some(next)
    }

    /// Whether the fence stands where this incarnation raised it.
    #[inline]
    pub(super) fn raised_the_fence<W: Bits>(&self, w: &World<W>, slot: Slot) -> bool {
        let (fence, own) = (w.get(self.f.fence), self.generation_of(w, slot));
        if self.f.fenced_by.is_kept() {
            fence > 0 && w.get(self.f.fenced_by) == own
        } else {
            // One recoverer for each crash: one before it had a lower number, and raised the fence no higher.
            fence > 0 && fence >= own
        }
    }

    /// The generation of the process that crashed last before this recoverer started, which another may have resumed
    /// since.
    pub(super) fn crash_generation<W: Bits>(&self, w: &World<W>, slot: Slot) -> u32 {
        let field = self.slot(slot).crashed;
        if field.is_kept() { w.get(field) } else { w.get(self.f.generation) }
    }

    /// The delivering process runs again: a producer with the first event that is not committed, a relay from its
    /// durable cursor. A run that already runs is left alone.
    pub(super) fn resume(&self, w: &mut AnyStateMut<'_>, generation: u32, watch: &mut dyn Watch) {
        if w.get(self.f.status) == status::RUNNING {
            return;
        }
        w.set(self.f.status, status::RUNNING);
        w.set(self.f.generation, generation);
        w.set(self.f.healed, 0);
        w.set(self.f.starts, 0);
        self.number_process(w, self.deliverer);
        let s = self.slot(self.deliverer);
        w.set(s.tries, 0);
        if self.program(self.deliverer).kind == Kind::Relay {
            let from = self.cursor_start(w, w.get(self.f.cursor)).unwrap_or(self.log_end(w));
            for field in [s.item, s.low, s.high] {
                w.set(field, from);
            }
            w.set(s.pc, 1);
        } else {
            let next = self.log_end(w);
            w.set(s.item, next.min(self.events().saturating_sub(1)));
            w.set(s.pc, if next == self.events() { self.end(self.deliverer) } else { 1 });
        }
        watch.resumed(Generation(generation as u16));
    }

    /// Whether a relay can fetch: there is something past its position, or the log no longer goes back that far and it
    /// moves on by the reset rule.
    pub(super) fn can_fetch<W: Bits>(&self, w: &World<W>, slot: Slot) -> bool {
        let high = w.get(self.slot(slot).high);
        match self.next_fetched(w, slot) {
            Some(next) => next < self.log_end(w) || next > high,
            None => false,
        }
    }

    /// The next entry that a relay fetches: past what it fetched last, unless that was purged meanwhile.
    pub(super) fn next_fetched<W: Bits>(&self, w: &World<W>, slot: Slot) -> Option<u32> {
        let (high, floor) = (w.get(self.slot(slot).high), w.get(self.f.floor));
        if high >= floor {
            return Some(high);
        }
        self.cursor_start(w, high).map(|start| start.max(floor))
    }

    /// Whether a fetch brought nothing.
    pub(super) fn fetched_nothing<W: Bits>(&self, w: &World<W>, slot: Slot) -> bool {
        w.get(self.slot(slot).low) == w.get(self.slot(slot).high)
    }

    /// Where delivery starts from a cursor, by the reset rule where the cursor is gone or points below the floor.
    pub(crate) fn cursor_start<W: Bits>(&self, w: &World<W>, cursor: u32) -> Option<u32> {
        let floor = w.get(self.f.floor);
        if cursor != self.cursor_gone() && cursor >= floor {
            return Some(cursor);
        }
        match self.stage.recovery.reset {
            CursorReset::Earliest => Some(0),
            CursorReset::OldestRetained => Some(floor),
            CursorReset::Latest => Some(self.log_end(w)),
            CursorReset::Fail => None,
        }
    }

    /// An incarnation ends: its memory is gone. A producer that stops keeps its place, counted on from its end, so that
    /// it can be told from one that has done all its work.
    #[inline]
    pub(crate) fn leave<W: BitsMut>(&self, w: &mut World<W>, slot: Slot) {
        let s = self.slot(slot);
        if matches!(self.slots[slot.0 as usize].role, Role::Producer | Role::Relay) {
            w.set(s.pc, self.end(slot) + w.get(s.pc));
            return;
        }
        w.wipe(s.batch);
        self.forget(w, slot);
        for field in [s.pc, s.generation, s.crashed, s.process, s.item, s.low, s.high, s.tries] {
            w.set(field, 0);
        }
    }

    /// Whether the next step of an incarnation gives way, and that ends its life.
    pub(crate) fn is_about_to_stop<W: Bits>(&self, w: &World<W>, slot: Slot) -> bool {
        let next = self.next_step(w, slot);
        next.is_some_and(|step| step.otherwise == Else::Stop && !self.guard(w, slot, step))
    }

    /// Before how many of its steps a recoverer can die, in a life that runs to the end of its program.
    pub(crate) fn death_places(&self) -> u32 {
        let windows = &self.death_windows;
        let covers = |list: &[bool], step: Option<usize>| step.and_then(|s| list.get(s)).copied();
        let is_place = |step: &usize| {
            windows.anywhere
                || covers(&windows.before, Some(*step)) == Some(true)
                || covers(&windows.after, step.checked_sub(1)) == Some(true)
        };
        (0..self.programs[2].steps.len()).filter(is_place).count() as u32
    }

    /// Whether a process that a fault can stop has a step at which it may have to wait.
    pub(crate) fn can_be_stopped_waiting(&self) -> bool {
        let faults = &self.stage.faults;
        let waits = |program: &Program| program.steps.iter().any(Compiled::refuses);
        let crashes = faults.crash.is_some() || faults.truncation.is_some();
        crashes && waits(self.program(self.deliverer))
            || faults.recoverer_dies.is_some() && waits(&self.programs[2])
    }

    /// Whether the delivering process stands in the middle of an item, with something in memory that it could still
    /// send or write.
    pub(crate) fn holds_something<W: Bits>(&self, w: &World<W>) -> bool {
        let pc = w.get(self.slot(self.deliverer).pc);
        pc > 1 && pc < self.end(self.deliverer)
            || self.program(self.deliverer).kind == Kind::Relay
                && w.get(self.slot(self.deliverer).item) > w.get(self.slot(self.deliverer).low)
    }

    /// The process only seemed to crash: what it holds stays able to act, under its old generation.
    pub(crate) fn leave_a_zombie<W: BitsMut>(&self, w: &mut World<W>) {
        let free = self
            .slots()
            .find(|(slot, role)| matches!(role, Role::Zombie(_)) && w.get(self.slot(*slot).pc) == 0);
        let Some((zombie, _)) = free else { return };
        let (from, to) = (self.slot(self.deliverer), self.slot(zombie));
        for (a, b) in [
            (from.pc, to.pc),
            (from.process, to.process),
            (from.item, to.item),
            (from.low, to.low),
            (from.high, to.high),
        ] {
            w.set(b, w.get(a));
        }
        w.set(to.generation, w.get(self.f.generation));
    }
}
