//! A sender that waits for a reply gives up waiting and sends again. It comes about in every run that goes on: it is no
//! fault of anybody's, only a matter of time.

use super::spec::{Spec, Timing};
use crate::engine::offers::{Column, Rare};
use crate::model::action::Action;
use crate::model::ids::Slot;

pub(super) const SPEC: Spec = Spec {
    step: Some(Rare {
        in_use: |m| m.programs.iter().any(|p| p.retry > 0),
        action: Action::Timeout(Slot(0)),
        offers: |m, w| m.slots_that(|slot| m.stands(slot) && m.can_time_out(w, slot)),
        label: "{} timeout",
        lane: Column::Incarnation,
    }),
    timing: Some(Timing::Timeout),
    never_struck: "no sender ever gave up waiting for a reply",
    remedy: "write a shorter `after` in `retry`",
    ..Spec::PLAIN
};
