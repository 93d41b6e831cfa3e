//! The dedup memory forgets a key by age.

use super::spec::{Spec, Timing};
use crate::engine::machine::Machine;
use crate::engine::offers::{Column, Offers, Rare};
use crate::engine::watch::{Note, Watch};
use crate::engine::world::AnyStateMut;
use crate::model::action::Action;
use crate::model::ids::Target;
use crate::model::record::Lane;
use crate::model::scenario::{Injected, Keeps, Stage};

pub(super) const SPEC: Spec = Spec {
    step: Some(Rare {
        in_use: |m| has_age(&m.stage),
        action: Action::Fault(Injected::Evict),
        offers: |m, w| match has_age(&m.stage) && w.seq_len(m.f.memory) > 0 {
            true => Offers::Once(Target::None),
            false => Offers::Nothing,
        },
        label: "sink forget",
        lane: Column::Of(Lane::Sink),
    }),
    timing: Some(Timing::Expiry),
    is_asked_for: has_age,
    headline: |stage, _| has_age(stage).then(|| "the sink forgets keys by age".to_owned()),
    never_struck: "the dedup memory never forgot a key",
    remedy: "write a shorter time in `sink: (dedup: (keeps: ...))`",
    ..Spec::PLAIN
};

fn has_age(stage: &Stage) -> bool {
    matches!(stage.sink.dedup.map(|d| d.keeps), Some(Keeps::For { .. }))
}

pub(super) fn strike(m: &Machine, w: &mut AnyStateMut<'_>, watch: &mut dyn Watch) {
    m.evict(w);
    watch.noted(Note::Forgot);
}
