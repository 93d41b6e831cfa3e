//! A preparation of the sink expires before it was committed: nothing was accepted, and nothing will be of this message.

use super::spec::{Spec, Timing};
use crate::engine::machine::Machine;
use crate::engine::offers::{ANY_MESSAGE, Column, Offers, Rare};
use crate::engine::watch::{Note, Watch};
use crate::engine::world::AnyStateMut;
use crate::model::action::Action;
use crate::model::ids::Emission;
use crate::model::record::Lane;
use crate::model::scenario::{Acceptance, Injected, Stage};

pub(super) const SPEC: Spec = Spec {
    step: Some(Rare {
        in_use: |m| expires(&m.stage),
        action: Action::Fault(Injected::Expire(ANY_MESSAGE)),
        offers: |m, _| Offers::Messages(m.f.prepared),
        label: "sink expire {}",
        lane: Column::Of(Lane::Sink),
    }),
    timing: Some(Timing::Abort),
    headline: |stage, _| expires(stage).then(|| "preparations may expire".to_owned()),
    never_struck: "no preparation ever expired",
    remedy: "write a shorter `expires` in `sink: (acceptance: provisional(...))`",
    ..Spec::PLAIN
};

fn expires(stage: &Stage) -> bool {
    matches!(stage.sink.acceptance, Acceptance::Provisional { .. })
}

pub(super) fn strike(m: &Machine, w: &mut AnyStateMut<'_>, e: Emission, watch: &mut dyn Watch) {
    let index = m.emission_index(e);
    w.put(m.f.prepared, index, w.count(m.f.prepared, index) - 1);
    watch.noted(Note::Expired(e.payload));
    watch.lost(e.payload);
}
