//! The steps of an `each(interval)` section of a program have their turn.

use crate::engine::offers::{Column, Rare};
use crate::model::action::Action;
use crate::model::ids::Slot;

pub(super) const STEP: Rare = Rare {
    in_use: |m| m.programs.iter().any(|p| p.interval.is_some()),
    action: Action::Interval(Slot(0)),
    offers: |m, w| m.slots_that(|slot| m.interval_is_due(w, slot)),
    label: "{} interval",
    lane: Column::Incarnation,
};
