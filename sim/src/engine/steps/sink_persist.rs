//! The sink writes the oldest acknowledged, unpersisted acceptance to its durable record.

use crate::engine::machine::Machine;
use crate::engine::offers::{Column, Offers, Rare};
use crate::engine::watch::Watch;
use crate::engine::world::AnyStateMut;
use crate::model::action::Action;
use crate::model::ids::Target;
use crate::model::record::Lane;

pub(super) const STEP: Rare = Rare {
    in_use: |m| m.f.tail.is_kept(),
    action: Action::SinkPersist,
    offers: |m, w| if w.seq_len(m.f.tail) > 0 { Offers::Once(Target::None) } else { Offers::Nothing },
    label: "sink persist",
    lane: Column::Of(Lane::Sink),
};

pub(super) fn persist(m: &Machine, w: &mut AnyStateMut<'_>, watch: &mut dyn Watch) {
    let e = m.emission_at(w.seq_remove(m.f.tail, 0));
    m.accept(w, e, watch);
}
