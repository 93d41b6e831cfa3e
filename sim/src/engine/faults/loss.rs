//! A message is lost on the wire.

use super::spec::{Spec, one_chance_less, with_chance};
use crate::engine::machine::Machine;
use crate::engine::offers::{ANY_MESSAGE, Column, Offers, Rare};
use crate::engine::world::{Bits, World};
use crate::model::action::Action;
use crate::model::record::Lane;
use crate::model::scenario::Fault;

pub(super) const SPEC: Spec = Spec {
    step: Some(Rare {
        in_use: |m| m.stage.wire.loss.is_some_and(|l| l.times != Some(0)),
        action: Action::Lose(ANY_MESSAGE),
        offers: |m, w| if m.may_lose(w) { Offers::Messages(m.f.wire) } else { Offers::Nothing },
        label: "lose {}",
        lane: Column::Of(Lane::Wire),
    }),
    counter: |stage| stage.wire.loss.and_then(|l| l.times).map_or(0, u64::from),
    is_asked_for: |stage| stage.wire.loss.is_some(),
    headline: |stage, head| with_chance("loss", stage.wire.loss, head),
    never_struck: "the wire never lost a message",
    remedy: "write a higher chance in `wire: (loss: ...)`",
    switch_off: |stage| stage.wire.loss = None,
    once_less: |stage| one_chance_less(&mut stage.wire.loss),
    ..Spec::PLAIN
};

impl Machine {
    #[inline]
    pub(crate) fn may_lose<W: Bits>(&self, w: &World<W>) -> bool {
        let losses = || w.get(self.f.struck[Fault::Loss]);
        self.stage.wire.loss.is_some_and(|l| l.times.is_none_or(|times| losses() < times))
    }
}
