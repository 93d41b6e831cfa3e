//! The sink crashes: what it acknowledged and had not persisted goes, and with it what is volatile of the dedup memory.
//! The record stays.

use super::spec::{Spec, one_less, usual_chance};
use crate::engine::machine::Machine;
use crate::engine::offers::{Column, Offers, Rare};
use crate::engine::watch::{Note, Watch};
use crate::engine::world::AnyStateMut;
use crate::model::action::Action;
use crate::model::ids::{Emission, Generation, Payload, Target};
use crate::model::record::Lane;
use crate::model::scenario::{DedupOrder, Durability, Fault, Injected};

pub(super) const SPEC: Spec = Spec {
    step: Some(Rare {
        in_use: |m| m.stage.faults.sink_crash.as_ref().is_some_and(|c| c.times > 0),
        action: Action::Fault(Injected::SinkCrash),
        offers: |m, w| {
            let crashes = || w.get(m.f.struck[Fault::SinkCrash]);
            match m.stage.faults.sink_crash.as_ref().is_some_and(|c| crashes() < u32::from(c.times)) {
                true => Offers::Once(Target::None),
                false => Offers::Nothing,
            }
        },
        label: "sink crash",
        lane: Column::Of(Lane::Sink),
    }),
    counter: |stage| stage.faults.sink_crash.as_ref().map_or(0, |c| u64::from(c.times)),
    is_asked_for: |stage| stage.faults.sink_crash.is_some(),
    headline: |stage, _| stage.faults.sink_crash.as_ref().map(|_| "the sink may crash".to_owned()),
    never_struck: "the sink never crashed",
    remedy: "write a higher `chance` in `faults: (sink_crash: ...)`",
    switch_off: |stage| stage.faults.sink_crash = None,
    once_less: |stage| {
        if let Some(crash) = &mut stage.faults.sink_crash {
            one_less(&mut crash.times);
        }
    },
    usual_clock: |stage| {
        if let Some(crash) = &mut stage.faults.sink_crash {
            crash.chance = usual_chance();
        }
    },
    ..Spec::PLAIN
};

pub(super) fn strike(m: &Machine, w: &mut AnyStateMut<'_>, watch: &mut dyn Watch) {
    w.add(m.f.struck[Fault::SinkCrash], 1);
    watch.noted(Note::SinkCrashed);
    while w.seq_len(m.f.tail) > 0 {
        let index = w.seq_remove(m.f.tail, 0);
        watch.lost(m.emission_at(index).payload);
    }
    let Some(dedup) = m.stage.sink.dedup else { return };
    while let Some(index) = w.nth_nonzero(m.f.half_done, 0) {
        let e = m.emission_at(index);
        w.put(m.f.half_done, index, 0);
        if dedup.order == DedupOrder::RememberFirst {
            watch.lost(e.payload);
            if dedup.release_on_failure {
                m.forget_key(w, m.dedup_key(e));
            }
        }
    }
    if dedup.survives != Durability::Durable {
        w.wipe(m.f.remembered);
        w.seq_clear(m.f.memory);
    }
    if dedup.survives == Durability::Rebuilt {
        for p in 0..m.events() {
            // Contents that were written at the send, or healed, hold more than the sink ever accepted.
            if w.count(m.f.held, p) > 0 && w.count(m.f.accepted, p) > 0 {
                let generation = Generation(w.get(m.f.generation) as u16);
                let sender = m.sender(w, m.deliverer, 0);
                let e = Emission { payload: Payload(p), generation, justified: true, sender };
                m.remember_key(w, m.dedup_key(e), watch);
            }
        }
    }
}
