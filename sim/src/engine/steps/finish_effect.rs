//! The sink does the second half of something: the effect of a key that it remembered first, or the key of an effect
//! that it had first; or it makes a preparation final.

use crate::engine::offers::{ANY_MESSAGE, Column, Offers, Rare};
use crate::model::action::Action;
use crate::model::record::Lane;

pub(super) const STEP: Rare = Rare {
    in_use: |m| m.f.half_done.is_kept() || m.f.prepared.is_kept(),
    action: Action::FinishEffect(ANY_MESSAGE),
    offers: |m, _| Offers::MessagesThat([m.f.prepared, m.f.half_done], |m, w, index| m.can_finish(w, index)),
    label: "sink finish {}",
    lane: Column::Of(Lane::Sink),
};
