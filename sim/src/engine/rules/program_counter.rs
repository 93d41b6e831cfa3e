//! The course of a program: where an incarnation stands in it, how far its work has come, and where it goes next.

use crate::engine::machine::{Compiled, Kind, Machine, Role, Scope};
use crate::engine::world::{Bits, BitsMut, World};
use crate::model::ids::Slot;
use crate::model::program::Else;
use crate::model::scenario::CursorIs;

impl Machine {
    /// The value of a program counter after a program's last step.
    #[inline]
    pub(crate) fn end(&self, slot: Slot) -> u32 {
        self.program(slot).steps.len() as u32 + 1
    }

    /// One more than the greatest value of a program counter: a program that can stop has two for each step.
    pub(crate) fn pc_values(&self, slot: Slot) -> u32 {
        // A producer's act that is refused as it lands stops it, unless an `else` says otherwise.
        let stops = |step: &Compiled| step.binds || step.can_refuse && step.otherwise == Else::Stop;
        let program = self.program(slot);
        match program.kind != Kind::Once && program.steps.iter().any(stops) {
            true => 2 * self.end(slot),
            false => self.end(slot) + 1,
        }
    }

    /// The step that an incarnation stands before.
    #[inline(always)]
    pub(super) fn next_step<W: Bits>(&self, w: &World<W>, slot: Slot) -> Option<&Compiled> {
        let pc = w.get(self.slot(slot).pc) as usize;
        self.program(slot).steps.get(pc.checked_sub(1)?)
    }

    /// The item of a step that fires entry by entry where there is no entry.
    pub(crate) fn no_entry(&self) -> u32 {
        self.events()
    }

    /// The event or entry that the next step works on.
    #[inline(always)]
    pub(crate) fn item_of<W: Bits>(&self, w: &World<W>, slot: Slot) -> u32 {
        match self.next_step(w, slot) {
            Some(step) if step.by_entry => {
                w.next_nonzero(self.slot(slot).batch, 0).unwrap_or(self.no_entry())
            }
            // A recoverer keeps no item, and reads 0.
            _ => w.get(self.slot(slot).item),
        }
    }

    /// How many events an incarnation is done with: up to there it would write the cursor now.
    pub(crate) fn handled<W: Bits>(&self, w: &World<W>, slot: Slot) -> u32 {
        let (s, program) = (self.slot(slot), self.program(slot));
        let (at, item) = (w.get(s.pc), w.get(s.item));
        // One that stopped stands where it stopped.
        let pc = at.checked_sub(self.end(slot)).filter(|pc| *pc > 0).unwrap_or(at);
        let past_send = program.last_send.is_some_and(|send| pc > u32::from(send) + 1);
        match program.kind {
            Kind::Events if pc == self.end(slot) => self.events(),
            Kind::Events => item + u32::from(past_send),
            Kind::Relay if past_send || pc <= 1 => w.get(s.high),
            Kind::Relay => item.max(w.get(s.low)),
            Kind::Once => 0,
        }
    }

    /// Whether the delivering process has nothing left to do, whatever is still in flight.
    pub(crate) fn has_delivered<W: Bits>(&self, w: &World<W>) -> bool {
        let (slot, pc) = (self.deliverer, w.get(self.slot(self.deliverer).pc));
        match self.program(slot).kind {
            Kind::Relay => pc == 1 && w.get(self.slot(slot).high) == self.events(),
            _ => pc >= self.end(slot),
        }
    }

    /// Whether an incarnation stands in the middle of its program and waits: for a reply, for the source, for a place on
    /// the wire, for a run that it may take over. The process that crashed does not wait, and one that has done its work
    /// does not either.
    pub(crate) fn waits<W: Bits>(&self, w: &World<W>, slot: Slot) -> bool {
        self.may_act(w, slot)
            && self.next_step(w, slot).is_some()
            && !self.can_step(w, slot)
            && !(slot == self.deliverer && self.has_delivered(w))
    }

    /// Moves to the next step. A program over events goes on with the next event, a relay with the next batch; an
    /// incarnation that was superseded ends where it would take up something new.
    #[inline]
    pub(super) fn advance<W: BitsMut>(&self, w: &mut World<W>, slot: Slot) {
        let (s, program) = (self.slot(slot), self.program(slot));
        let done = w.get(s.pc) - 1;
        let steps = &program.steps;
        let next = done as usize + 1;
        match program.kind {
            Kind::Once if next == steps.len() => self.leave(w, slot),
            Kind::Once => w.set(s.pc, next as u32 + 1),
            Kind::Events => {
                let item = w.get(s.item);
                let last = item + 1 == self.events();
                let due = |step: &Compiled| match step.scope {
                    Scope::Every(n) => last || (item + 1).is_multiple_of(u32::from(n)),
                    _ => true,
                };
                match steps[next..].iter().position(due) {
                    Some(skipped) => w.set(s.pc, (next + skipped) as u32 + 1),
                    None if matches!(self.slots[slot.0 as usize].role, Role::Zombie(_)) => {
                        self.leave(w, slot)
                    }
                    None if last => w.set(s.pc, self.end(slot)),
                    None => {
                        w.set(s.item, item + 1);
                        w.set(s.pc, 1);
                    }
                }
            }
            Kind::Relay => {
                let mut next = next;
                if let Scope::Item { first, end } = steps[done as usize].scope
                    && next == end as usize
                    && w.get(s.item) + 1 < w.get(s.high)
                {
                    w.set(s.item, w.get(s.item) + 1);
                    if !self.skip_passed(w, slot) {
                        w.set(s.pc, u32::from(first) + 1);
                        return;
                    }
                }
                if let Some(Scope::Item { first, end }) = steps.get(next).map(|s| s.scope)
                    && first as usize == next
                {
                    w.set(s.item, w.get(s.low));
                    if self.skip_passed(w, slot) {
                        next = end as usize;
                    }
                }
                if next == steps.len() {
                    if matches!(self.slots[slot.0 as usize].role, Role::Zombie(_)) {
                        return self.leave(w, slot);
                    }
                    next = 0;
                    w.set(s.item, w.get(s.high));
                }
                w.set(s.pc, next as u32 + 1);
            }
        }
    }

    /// Moves a relay past the items that its cursor, a coordinate, had already passed when they became visible. True
    /// where nothing of the batch is left.
    fn skip_passed<W: BitsMut>(&self, w: &mut World<W>, slot: Slot) -> bool {
        let s = self.slot(slot);
        if self.stage.source.cursor == CursorIs::Count {
            return false;
        }
        let passed = self.highest[w.get(s.low) as usize];
        let (item, high) = (w.get(s.item), w.get(s.high));
        let next = (item..high).find(|p| self.payloads[*p as usize].coordinate > passed);
        w.set(s.item, next.unwrap_or(high.saturating_sub(1)));
        next.is_none()
    }

    /// The step that an incarnation has just done, by its program's order; none at its start.
    pub(crate) fn step_before<W: Bits>(&self, w: &World<W>, slot: Slot) -> Option<usize> {
        let (s, program) = (self.slot(slot), self.program(slot));
        let (pc, item) = (w.get(s.pc) as usize, w.get(s.item));
        let here = program.steps.get(pc.checked_sub(1)?);
        match (program.kind, here.map(|step| step.scope)) {
            (Kind::Relay, Some(Scope::Item { first, end }))
                if first as usize == pc - 1 && item > w.get(s.low) =>
            {
                Some(end as usize - 1)
            }
            (Kind::Events, _) if pc == 1 && item > 0 => {
                // The last step that was due for the event before; a batch section only where it was.
                program.steps.iter().rposition(|step| match step.scope {
                    Scope::Every(n) => item % u32::from(n) == 0,
                    _ => true,
                })
            }
            _ => (pc - 1).checked_sub(1),
        }
    }
}
