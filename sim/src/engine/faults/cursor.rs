//! The durable cursor is harmed while the process is down: it is gone, or goes back to an older one. Or it cannot be
//! written at all.

use super::spec::{AfterCrash, Spec};
use crate::engine::machine::Machine;
use crate::engine::offers::{Column, Offers, Rare};
use crate::engine::rules::status;
use crate::engine::watch::Watch;
use crate::engine::world::AnyStateMut;
use crate::model::action::Action;
use crate::model::ids::Target;
use crate::model::record::Lane;
use crate::model::scenario::{CursorFaultKind, Fault, Injected, Stage};

pub(super) const SPEC: Spec = Spec {
    step: Some(Rare {
        in_use: |m| m.f.struck[Fault::CursorHarm].is_kept(),
        action: Action::Fault(Injected::HarmCursor),
        offers: |m, w| {
            let harmed = m.f.struck[Fault::CursorHarm];
            match harmed.is_kept() && w.get(m.f.status) == status::CRASHED && w.get(harmed) == 0 {
                true => Offers::Once(Target::None),
                false => Offers::Nothing,
            }
        },
        label: "harm cursor",
        lane: Column::Of(Lane::World),
    }),
    counter: |stage| u64::from(is_harmed(stage)),
    after_crash: |stage| stage.faults.cursor.map(|fault| AfterCrash { chance: fault.chance, after: 0 }),
    is_asked_for: |stage| stage.faults.crash.is_some() && is_harmed(stage),
    headline: |stage, _| {
        Some(match stage.faults.cursor?.kind {
            CursorFaultKind::NotWritable => "the cursor cannot be written".to_owned(),
            CursorFaultKind::Expires | CursorFaultKind::RollsBack(_) => "the cursor may be harmed".to_owned(),
        })
    },
    never_struck: "the cursor was never harmed",
    remedy: "write a higher `chance` in `faults: (cursor: ...)`",
    switch_off: |stage| stage.faults.cursor = None,
    ..Spec::PLAIN
};

/// Whether a step harms the cursor; one that cannot be written is so from the beginning.
fn is_harmed(stage: &Stage) -> bool {
    stage.faults.cursor.is_some_and(|c| c.kind != CursorFaultKind::NotWritable)
}

pub(super) fn strike(m: &Machine, w: &mut AnyStateMut<'_>, watch: &mut dyn Watch) {
    let cursor = w.get(m.f.cursor);
    let harmed = match m.stage.faults.cursor.map(|c| c.kind) {
        Some(CursorFaultKind::RollsBack(events)) => cursor.saturating_sub(events),
        _ => m.cursor_gone(),
    };
    w.set(m.f.cursor, harmed);
    w.set(m.f.struck[Fault::CursorHarm], 1);
    watch.cursor(harmed);
}
