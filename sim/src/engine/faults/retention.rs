//! The source drops the oldest entry of its live log: while the process runs, while it is down, or in either case.

use super::spec::Spec;
use crate::engine::machine::Machine;
use crate::engine::offers::{Column, Offers, Rare};
use crate::engine::rules::status;
use crate::engine::watch::{Note, Watch};
use crate::engine::world::AnyStateMut;
use crate::model::action::Action;
use crate::model::ids::Target;
use crate::model::record::Lane;
use crate::model::scenario::{Injected, Retention, RetentionWhile};

pub(super) const SPEC: Spec = Spec {
    step: Some(Rare {
        in_use: |m| m.stage.source.retention.is_some(),
        action: Action::Fault(Injected::Retain),
        offers: |m, w| {
            let may = m.stage.source.retention.is_some_and(|r| {
                let is_running = w.get(m.f.status) == status::RUNNING;
                let now = match r.during {
                    RetentionWhile::Any => true,
                    RetentionWhile::Running => is_running,
                    RetentionWhile::Down => !is_running,
                };
                now && w.get(m.f.floor) < r.drops.min(m.log_length(w))
            });
            if may { Offers::Once(Target::None) } else { Offers::Nothing }
        },
        label: "retain",
        lane: Column::Of(Lane::World),
    }),
    is_asked_for: |stage| {
        let needs_a_crash = |r: Retention| r.during == RetentionWhile::Down;
        let crashes = stage.faults.crash.is_some();
        stage.source.retention.is_some_and(|r| crashes || !needs_a_crash(r))
    },
    headline: |stage, _| {
        let during = |r: Retention| match r.during {
            RetentionWhile::Any => "retention",
            RetentionWhile::Running => "retention while it runs",
            RetentionWhile::Down => "retention during the outage",
        };
        stage.source.retention.map(|r| during(r).to_owned())
    },
    never_struck: "retention never dropped an entry",
    remedy: "write a shorter `after` in `source: (retention: ...)`",
    switch_off: |stage| stage.source.retention = None,
    ..Spec::PLAIN
};

pub(super) fn strike(m: &Machine, w: &mut AnyStateMut<'_>, watch: &mut dyn Watch) {
    w.add(m.f.floor, 1);
    watch.noted(Note::Floor(w.get(m.f.floor)));
}
