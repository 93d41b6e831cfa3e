//! The sink's reply to a sender is lost.

use super::spec::{Spec, one_chance_less, with_chance};
use crate::engine::machine::Machine;
use crate::engine::offers::{Column, Offers, Rare};
use crate::engine::watch::Watch;
use crate::engine::world::AnyStateMut;
use crate::model::action::Action;
use crate::model::ids::Payload;
use crate::model::record::Lane;
use crate::model::scenario::{Fault, Injected};

pub(super) const SPEC: Spec = Spec {
    step: Some(Rare {
        in_use: |m| m.f.replies.is_kept() && m.stage.wire.reply.loss.is_some_and(|l| l.times != Some(0)),
        action: Action::Fault(Injected::LoseAck(Payload(0))),
        offers: |m, w| {
            let lost = || w.get(m.f.struck[Fault::LostReply]);
            let loss = m.stage.wire.reply.loss;
            match loss.is_some_and(|l| l.times.is_none_or(|times| lost() < times)) {
                true => Offers::Payloads(m.f.replies),
                false => Offers::Nothing,
            }
        },
        label: "lose-ack {}",
        lane: Column::Of(Lane::Source),
    }),
    counter: |stage| stage.wire.reply.loss.and_then(|l| l.times).map_or(0, u64::from),
    is_asked_for: |stage| stage.wire.reply.loss.is_some(),
    headline: |stage, head| with_chance("lost replies", stage.wire.reply.loss, head),
    never_struck: "no reply was ever lost",
    remedy: "write a producer that awaits replies, or a higher chance in `wire: (reply: (loss: ...))`",
    switch_off: |stage| stage.wire.reply.loss = None,
    once_less: |stage| one_chance_less(&mut stage.wire.reply.loss),
    ..Spec::PLAIN
};

pub(super) fn strike(m: &Machine, w: &mut AnyStateMut<'_>, p: Payload, watch: &mut dyn Watch) {
    w.put(m.f.replies, p.0, 0);
    w.add(m.f.struck[Fault::LostReply], 1);
    watch.reply_lost(p);
}
