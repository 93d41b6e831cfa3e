//! Whether a run has come to rest, and what a stage that stands still has passed by its own books.

use crate::engine::machine::{Kind, Machine, Op};
use crate::engine::rules::status;
use crate::engine::world::{Bits, World};
use crate::model::ids::{Payload, Slot};
use crate::model::scenario::{Grade, Heal};

impl Machine {
    /// Whether nothing but a fault can happen and all work was done: the delivering process is up, and it and the source
    /// are at the end of their programs, or wait although everything is committed and `owed`, what is missing on the
    /// record, is nothing. Paused and superseded incarnations do not count, nor do recoverers that wait while the run is
    /// running.
    pub(crate) fn is_at_rest<W: Bits>(&self, w: &World<W>, owed: u32) -> bool {
        let ends = |slot: u8| self.is_at_its_end(w, Slot(slot));
        w.get(self.f.status) == status::RUNNING
            && ((0..=self.deliverer.0).all(ends) || owed == 0 && self.log_end(w) == self.events())
            && self.is_quiescent(w)
    }

    /// Whether a process has nothing left to do: a program over events at its end, a relay that waits for more to fetch.
    fn is_at_its_end<W: Bits>(&self, w: &World<W>, slot: Slot) -> bool {
        let pc = w.get(self.slot(slot).pc);
        match self.program(slot).kind {
            Kind::Relay => {
                pc == 1 && w.get(self.slot(slot).high) >= self.log_end(w) || self.has_drained(w, slot)
            }
            _ => pc == self.end(slot) || self.has_drained(w, slot),
        }
    }

    /// Whether a process stopped where it had nothing to fetch: its work was done.
    fn has_drained<W: Bits>(&self, w: &World<W>, slot: Slot) -> bool {
        let stopped_at = w.get(self.slot(slot).pc).checked_sub(self.end(slot) + 1);
        stopped_at.is_some_and(|pc| self.step_has(slot, pc as u16, |op| matches!(op, Op::Fetch(_))))
    }

    /// Whether a stage that stands still has passed an event by its own books, so that a restart would not deliver it:
    /// by the acknowledgement, where its program awaits one; else by the cursor, where it writes one; else by having
    /// sent it.
    pub(crate) fn has_passed<W: Bits>(&self, w: &World<W>, p: u32) -> bool {
        if self.books_are_acks() {
            w.count(self.f.acked, p) > 0
        } else if self.books_are_the_cursor() && self.f.cursor.is_kept() {
            self.cursor_start(w, w.get(self.f.cursor)).is_some_and(|start| p < start)
        } else {
            p < self.handled(w, self.deliverer)
        }
    }

    fn books_are_acks(&self) -> bool {
        self.program(self.deliverer).has(|op| *op == Op::AwaitAck)
    }

    fn books_are_the_cursor(&self) -> bool {
        self.program(self.deliverer).has(|op| *op == Op::Persist)
    }

    /// Whether the cursor tells what a stage has passed, and the stage can stand still before its work is done: down
    /// with no recoverer left, or held up by an act that is refused. The paper's machines, which heal once, have no
    /// cursor unless something reads it; there the place of the process tells.
    pub(crate) fn is_judged_by_its_cursor(&self) -> bool {
        let policy = &self.programs[2];
        let held_up = |slot: &Slot| {
            let steps = &self.program(*slot).steps;
            steps.iter().any(|step| step.can_refuse && step.acts.iter().any(|op| !matches!(op, Op::Fetch(_))))
        };
        self.books_are_the_cursor()
            && !self.books_are_acks()
            && self.stage.recovery.heal == Heal::Free
            && (self.stage.faults.recoverer_dies.is_some()
                || !policy.has(|op| matches!(op, Op::Resume | Op::Release))
                || policy.steps.iter().any(|step| step.can_refuse)
                || held_up(&self.deliverer))
    }

    /// The obligations at the judged frontier that are not on the accepted record.
    pub(crate) fn obligations_owed<'a, W: Bits>(
        &'a self,
        w: &'a World<W>,
    ) -> impl Iterator<Item = Payload> + 'a {
        let retained = self.stage.judge.grade == Grade::Retained;
        let counts = move |p: &u32| if retained { self.is_retained(w, *p) } else { self.in_journal(w, *p) };
        (0..self.events())
            .filter(|p| self.payloads[*p as usize].judged && !self.is_fulfilled(w, *p))
            .filter(counts)
            .map(Payload)
    }
}
