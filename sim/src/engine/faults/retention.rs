//! The source drops the oldest entry of its live log while the process is down.

use super::spec::Spec;
use crate::engine::machine::Machine;
use crate::engine::offers::{Column, Offers, Rare};
use crate::engine::rules::status;
use crate::engine::watch::{Note, Watch};
use crate::engine::world::AnyStateMut;
use crate::model::action::Action;
use crate::model::ids::Target;
use crate::model::record::Lane;
use crate::model::scenario::Injected;

pub(super) const SPEC: Spec = Spec {
    step: Some(Rare {
        in_use: |m| m.stage.source.retention.is_some(),
        action: Action::Fault(Injected::Retain),
        offers: |m, w| {
            let may = m.stage.source.retention.is_some_and(|r| {
                w.get(m.f.status) != status::RUNNING && w.get(m.f.floor) < r.drops.min(m.log_length(w))
            });
            if may { Offers::Once(Target::None) } else { Offers::Nothing }
        },
        label: "retain",
        lane: Column::Of(Lane::World),
    }),
    is_asked_for: |stage| stage.faults.crash.is_some() && stage.source.retention.is_some(),
    headline: |stage, _| stage.source.retention.map(|_| "retention during the outage".to_owned()),
    never_struck: "retention never dropped an entry",
    remedy: "write a shorter `after` in `source: (retention: ...)`",
    switch_off: |stage| stage.source.retention = None,
    ..Spec::PLAIN
};

pub(super) fn strike(m: &Machine, w: &mut AnyStateMut<'_>, watch: &mut dyn Watch) {
    w.add(m.f.floor, 1);
    watch.noted(Note::Floor(w.get(m.f.floor)));
}
