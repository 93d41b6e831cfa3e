//! The transport makes a second copy of a message in flight: same generation, same bytes.

use super::spec::{Spec, one_chance_less, with_chance};
use crate::engine::machine::Machine;
use crate::engine::offers::{ANY_MESSAGE, Column, Offers, Rare};
use crate::engine::watch::Watch;
use crate::engine::world::AnyStateMut;
use crate::model::action::Action;
use crate::model::ids::Emission;
use crate::model::record::Lane;
use crate::model::scenario::{Fault, Injected};

pub(super) const SPEC: Spec = Spec {
    step: Some(Rare {
        in_use: |m| m.stage.wire.copies.is_some_and(|c| c.times != Some(0)),
        action: Action::Fault(Injected::Copy(ANY_MESSAGE)),
        offers: |m, w| {
            let copies = m.stage.wire.copies;
            let may = copies.is_some_and(|c| w.get(m.f.struck[Fault::Copy]) < c.times.unwrap_or(1));
            if may { Offers::Messages(m.f.wire) } else { Offers::Nothing }
        },
        label: "copy {}",
        lane: Column::Of(Lane::Wire),
    }),
    counter: |stage| stage.wire.copies.map_or(0, |c| u64::from(c.times.unwrap_or(1))),
    is_asked_for: |stage| stage.wire.copies.is_some(),
    headline: |stage, head| with_chance("transport copies", stage.wire.copies, head),
    never_struck: "the transport never made a copy",
    remedy: "write a higher chance in `wire: (copies: ...)`",
    switch_off: |stage| stage.wire.copies = None,
    once_less: |stage| one_chance_less(&mut stage.wire.copies),
    ..Spec::PLAIN
};

pub(super) fn strike(m: &Machine, w: &mut AnyStateMut<'_>, e: Emission, watch: &mut dyn Watch) {
    m.enter_wire(w, e);
    w.add(m.f.struck[Fault::Copy], 1);
    watch.copied(e);
}
