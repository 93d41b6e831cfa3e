//! A recoverer dies between two of its steps.

use super::spec::{Spec, one_less, usual_chance};
use crate::engine::machine::{Machine, Role};
use crate::engine::offers::{Column, Rare};
use crate::engine::world::{AnyStateMut, Bits, World};
use crate::model::action::Action;
use crate::model::ids::Slot;
use crate::model::record::Lane;
use crate::model::scenario::{Fault, Injected};

pub(super) const SPEC: Spec = Spec {
    step: Some(Rare {
        in_use: |m| m.stage.faults.recoverer_dies.as_ref().is_some_and(|d| d.times > 0),
        action: Action::Fault(Injected::Die(Slot(0))),
        offers: |m, w| m.slots_that(|slot| m.can_die(w, slot)),
        label: "{} dies",
        lane: Column::Of(Lane::World),
    }),
    counter: |stage| stage.faults.recoverer_dies.as_ref().map_or(0, |d| u64::from(d.times)),
    is_asked_for: |stage| stage.faults.crash.is_some() && stage.faults.recoverer_dies.is_some(),
    headline: |stage, _| stage.faults.recoverer_dies.as_ref().map(|_| "recoverers may die".to_owned()),
    never_struck: "no recoverer ever died",
    remedy: "write a higher `chance` in `faults: (recoverer_dies: ...)`",
    switch_off: |stage| stage.faults.recoverer_dies = None,
    once_less: |stage| {
        if let Some(dies) = &mut stage.faults.recoverer_dies {
            one_less(&mut dies.times);
        }
    },
    usual_clock: |stage| {
        if let Some(dies) = &mut stage.faults.recoverer_dies {
            dies.chance = usual_chance();
        }
    },
    ..Spec::PLAIN
};

impl Machine {
    pub(crate) fn can_die<W: Bits>(&self, w: &World<W>, slot: Slot) -> bool {
        let Some(dies) = &self.stage.faults.recoverer_dies else { return false };
        matches!(self.slots[slot.0 as usize].role, Role::Recoverer(_))
            && w.get(self.slot(slot).pc) > 0
            && w.get(self.f.struck[Fault::Death]) < u32::from(dies.times)
            && (self.death_windows.anywhere || self.in_window(w, slot, &self.death_windows))
    }
}

pub(super) fn strike(m: &Machine, w: &mut AnyStateMut<'_>, slot: Slot) {
    m.leave(w, slot);
    w.add(m.f.struck[Fault::Death], 1);
}
