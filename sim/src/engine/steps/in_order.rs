//! Arrivals on a wire on which messages cannot overtake each other: only the oldest arrives. Where they can, arrivals
//! are counted in line.

use crate::engine::offers::{ANY_MESSAGE, Column, Offers, Rare};
use crate::model::action::Action;
use crate::model::ids::Target;
use crate::model::record::Lane;

pub(super) const STEP: Rare = Rare {
    in_use: |_| true,
    action: Action::Arrive(ANY_MESSAGE),
    offers: |m, w| match w.seq_len(m.f.queue) {
        0 => Offers::Nothing,
        _ => Offers::Once(Target::Message(m.emission_at(w.seq_get(m.f.queue, 0)))),
    },
    label: "arrive {}",
    lane: Column::Of(Lane::Wire),
};
