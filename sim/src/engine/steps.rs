//! The register of the steps that few stages have and that are no faults: each has a file in this folder. The faults have
//! theirs in [`crate::engine::faults`].

mod ack;
mod finish_effect;
mod in_order;
mod intervals;
mod sink_persist;

use crate::engine::faults;
use crate::engine::machine::Machine;
use crate::engine::offers::Rare;
use crate::engine::watch::Watch;
use crate::engine::world::AnyStateMut;
use crate::model::action::{Action, Section};
use crate::model::ids::Slot;
use crate::model::scenario::{CrashKind, Fault};

/// The entry of a section; none for what programs and the orchestrator do in every stage.
pub(crate) fn rare(section: Section) -> Option<&'static Rare> {
    match section {
        Section::Steps | Section::FirstStart | Section::Paused => None,
        Section::Intervals => Some(&intervals::STEP),
        Section::Arrive => Some(&in_order::STEP),
        Section::Ack => Some(&ack::STEP),
        Section::Timeout => faults::spec(Fault::Timeout).step.as_ref(),
        Section::SinkPersist => Some(&sink_persist::STEP),
        Section::FinishEffect => Some(&finish_effect::STEP),
        Section::Fault(fault) => faults::spec(fault).step.as_ref(),
    }
}

/// What a schedule can say besides the steps of programs: each label with its action, `{}` for the target.
pub(crate) fn labels() -> impl Iterator<Item = (&'static str, Action)> {
    let others = [("start {}", Action::Start(Slot(0))), ("pause", Action::Crash(CrashKind::Pause))];
    let faults = faults::IN_ORDER.into_iter().map(Section::Fault);
    let rare = Section::STEPS.into_iter().chain(faults).filter_map(rare);
    rare.filter(|rare| !rare.label.is_empty()).map(|rare| (rare.label, rare.action)).chain(others)
}

impl Machine {
    /// Every section that a machine can have something of, in the total order.
    pub(super) fn sections_in_use(&self) -> Vec<Section> {
        let is_in_use = |section: &Section| match section {
            Section::Steps => true,
            Section::FirstStart => self.can_go_down(),
            Section::Paused => self.paused().next().is_some(),
            section => rare(*section).is_some_and(|rare| (rare.in_use)(self)),
        };
        let faults = faults::IN_ORDER.into_iter().map(Section::Fault);
        Section::STEPS.into_iter().chain(faults).chain([Section::Paused]).filter(is_in_use).collect()
    }

    /// Does an action that few stages have.
    #[inline(never)]
    pub(super) fn apply_rare(&self, w: &mut AnyStateMut<'_>, action: Action, watch: &mut dyn Watch) {
        match action {
            Action::Step { .. }
            | Action::Arrive(_)
            | Action::Lose(_)
            | Action::Crash(_)
            | Action::Start(_) => {}
            Action::Interval(who) => self.interval(w, who, watch),
            Action::Ack(p) => ack::hear(self, w, p, watch),
            Action::Timeout(slot) => self.send_again(w, slot, watch),
            Action::SinkPersist => sink_persist::persist(self, w, watch),
            Action::FinishEffect(e) => self.finish_effect(w, e, watch),
            Action::Fault(injected) => faults::strike(self, w, injected, watch),
        }
    }
}
