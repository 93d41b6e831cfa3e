//! Steps that leave a choice to the schedule: which event is committed, where an open reconcile index stands, which
//! payloads an open batch holds. The choice is in the label, so that each is a step of its own for every driver.

use crate::engine::machine::{Machine, Op, Rule};
use crate::engine::world::{Bits, World};
use crate::model::ids::Slot;
use crate::model::program::Obligations;
use crate::model::scenario::{Commits, Start};

/// What a step leaves open.
enum Choice {
    Nothing,
    /// Any event from the item on.
    Event,
    /// How many obligations to leave out.
    Suffix(Obligations),
    /// Any set of payloads.
    Batch,
}

impl Machine {
    fn choice<W: Bits>(&self, w: &World<W>, slot: Slot) -> Choice {
        let fused = self.stage.recovery.start == Start::Fused && w.get(self.slot(slot).pc) == 0;
        let first = if fused { self.program(slot).steps.first() } else { None };
        let Some(step) = self.next_step(w, slot).or(first) else { return Choice::Nothing };
        let of = |op: &Op| match op {
            Op::Commit if self.stage.source.commits == Commits::Any => Some(Choice::Event),
            Op::Arm { rule: Rule::AnySuffix, of } => Some(Choice::Suffix(*of)),
            Op::Arm { rule: Rule::Any, .. } => Some(Choice::Batch),
            _ => None,
        };
        step.acts.iter().find_map(of).unwrap_or(Choice::Nothing)
    }

    /// How many labels an incarnation's next step has; 0 where it is not enabled.
    #[inline]
    pub(crate) fn step_choices<W: Bits>(&self, w: &World<W>, slot: Slot) -> u32 {
        if !self.can_step(w, slot) {
            return 0;
        }
        if self.has_choices { self.open_choices(w, slot) } else { 1 }
    }

    /// How many labels a start has: one for each choice of the first step, where it is fused with that.
    #[inline]
    pub(crate) fn start_choices<W: Bits>(&self, w: &World<W>, slot: Slot) -> u32 {
        let open = self.has_choices && self.stage.recovery.start == Start::Fused;
        if open { self.open_choices(w, slot) } else { 1 }
    }

    /// Not part of the path that every stage takes: most leave no choice.
    #[inline(never)]
    pub(super) fn open_choices<W: Bits>(&self, w: &World<W>, slot: Slot) -> u32 {
        match self.choice(w, slot) {
            Choice::Nothing => 1,
            Choice::Event => self.events() - w.get(self.slot(slot).item),
            Choice::Suffix(of) => self.obligations(w, slot, of) + 1,
            Choice::Batch => 1 << self.events(),
        }
    }

    /// What the `k`-th label of the next step picks: the item of a step that leaves nothing open.
    #[inline]
    pub(crate) fn step_item<W: Bits>(&self, w: &World<W>, slot: Slot, k: u32) -> u32 {
        if self.has_choices { self.open_item(w, slot, k) } else { self.item_of(w, slot) }
    }

    #[inline(never)]
    fn open_item<W: Bits>(&self, w: &World<W>, slot: Slot, k: u32) -> u32 {
        match self.choice(w, slot) {
            Choice::Nothing => self.item_of(w, slot),
            Choice::Event => w.get(self.slot(slot).item) + k,
            Choice::Suffix(_) | Choice::Batch => k,
        }
    }

    /// Whether the schedule picks which event the next step commits.
    pub(super) fn picks_event<W: Bits>(&self, w: &World<W>, slot: Slot) -> bool {
        self.has_choices && matches!(self.choice(w, slot), Choice::Event)
    }

    /// Whether the schedule picks the batch that the next step arms.
    pub(crate) fn picks_batch<W: Bits>(&self, w: &World<W>, slot: Slot) -> bool {
        self.has_choices && matches!(self.choice(w, slot), Choice::Batch)
    }

    fn obligations<W: Bits>(&self, w: &World<W>, slot: Slot, of: Obligations) -> u32 {
        (0..self.events()).filter(|p| self.is_obligation(w, slot, of, *p)).count() as u32
    }
}
