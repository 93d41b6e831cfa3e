//! A sender hears the sink's reply.

use crate::engine::machine::Machine;
use crate::engine::offers::{Column, Offers, Rare};
use crate::engine::watch::Watch;
use crate::engine::world::AnyStateMut;
use crate::model::action::Action;
use crate::model::ids::Payload;
use crate::model::record::Lane;

pub(super) const STEP: Rare = Rare {
    in_use: |m| m.f.replies.is_kept(),
    action: Action::Ack(Payload(0)),
    offers: |m, _| Offers::Payloads(m.f.replies),
    label: "ack {}",
    lane: Column::Of(Lane::Source),
};

pub(super) fn hear(m: &Machine, w: &mut AnyStateMut<'_>, p: Payload, watch: &mut dyn Watch) {
    w.put(m.f.replies, p.0, 0);
    w.put(m.f.acked, p.0, 1);
    watch.acknowledged(p);
}
