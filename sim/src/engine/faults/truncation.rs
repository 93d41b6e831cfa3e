//! A crash that cuts the source's live log, and what else was written beside it, to its oldest entries. The journal keeps
//! what it held.

use super::crash::at_most;
use super::spec::{Spec, one_less, usual_chance};
use crate::engine::machine::Machine;
use crate::engine::offers::{Column, Offers, Rare};
use crate::engine::rules::status;
use crate::engine::watch::{Note, Watch};
use crate::engine::world::{AnyStateMut, Bits, World};
use crate::model::action::Action;
use crate::model::ids::Coordinate;
use crate::model::record::Lane;
use crate::model::scenario::{CrashKind, Fault, Injected};

pub(super) const SPEC: Spec = Spec {
    step: Some(Rare {
        in_use: |m| m.f.struck[Fault::Truncation].is_kept(),
        action: Action::Fault(Injected::Truncate(0)),
        offers: |m, w| if m.can_truncate(w) { Offers::Below(m.log_length(w)) } else { Offers::Nothing },
        label: "truncate to {}",
        lane: Column::Of(Lane::World),
    }),
    counter: |stage| stage.faults.truncation.as_ref().map_or(0, |t| u64::from(t.times)),
    is_asked_for: |stage| stage.faults.truncation.is_some(),
    headline: |stage, head| {
        let truncation = stage.faults.truncation.as_ref().filter(|t| t.times > 0)?;
        let (one, many) = ("truncating crash", "truncating crashes");
        Some(at_most(truncation.times, one, many, truncation.chance, head))
    },
    never_struck: "no crash ever truncated the log",
    remedy: "write a higher `chance` in `faults: (truncation: ...)`",
    switch_off: |stage| stage.faults.truncation = None,
    once_less: |stage| {
        if let Some(truncation) = &mut stage.faults.truncation {
            one_less(&mut truncation.times);
        }
    },
    usual_clock: |stage| {
        if let Some(truncation) = &mut stage.faults.truncation {
            truncation.chance = usual_chance();
        }
    },
    ..Spec::PLAIN
};

impl Machine {
    /// Whether a truncating crash can strike.
    pub(crate) fn can_truncate<W: Bits>(&self, w: &World<W>) -> bool {
        self.stage.faults.truncation.as_ref().is_some_and(|t| {
            w.get(self.f.status) == status::RUNNING
                && w.get(self.f.struck[Fault::Truncation]) < u32::from(t.times)
                && self.log_length(w) > 0
        })
    }
}

pub(super) fn strike(m: &Machine, w: &mut AnyStateMut<'_>, keeps: u32, mut watch: &mut dyn Watch) {
    w.add(m.f.struck[Fault::Truncation], 1);
    m.crash(w, CrashKind::Kill, &mut watch);
    let cut: Vec<u32> = (0..m.events()).filter(|p| m.in_log(w, *p) && m.log_place(w, *p) >= keeps).collect();
    let last = (0..m.events()).rev().find(|p| m.in_log(w, *p) && !cut.contains(p));
    let coordinate = last.map_or(Coordinate(0), |p| m.payloads[p as usize].coordinate);
    for p in 0..m.events() {
        if m.payloads[p as usize].coordinate <= coordinate && !cut.contains(&p) {
            continue;
        }
        for set in [m.f.live, m.f.outbox, m.f.acked, m.f.held, m.f.pending] {
            w.put(set, p, 0);
        }
    }
    w.set(m.f.floor, w.get(m.f.floor).min(keeps));
    // The sink's contents are cut with the log, and the coordinate that was stored with them too.
    let upto = m.payloads.iter().filter(|info| info.coordinate <= coordinate).map(|info| info.rank);
    w.set(m.f.stored, w.get(m.f.stored).min(upto.max().unwrap_or(0)));
    watch.noted(Note::Truncated(keeps));
}
