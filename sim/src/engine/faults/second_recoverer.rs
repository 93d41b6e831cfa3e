//! The orchestrator starts a recoverer while another lives: a false suspicion, or a lease that lapsed.

use super::spec::{Spec, Timing};
use crate::engine::machine::Machine;
use crate::engine::offers::{Column, Offers, Rare};
use crate::engine::world::{Bits, World};
use crate::model::action::Action;
use crate::model::ids::Slot;
use crate::model::record::Lane;

pub(super) const SPEC: Spec = Spec {
    step: Some(Rare {
        in_use: |m| m.can_go_down() && m.stage.recovery.recoverers > 1,
        action: Action::Start(Slot(0)),
        offers: |m, w| m.suspect_start(w).map_or(Offers::Nothing, Offers::Starts),
        // It is written like the start of the first one.
        label: "",
        lane: Column::Of(Lane::World),
    }),
    timing: Some(Timing::Suspicion),
    is_asked_for: |stage| stage.faults.crash.is_some() && stage.recovery.recoverers > 1,
    headline: |stage, _| {
        let at_once = stage.recovery.recoverers;
        (at_once > 1).then(|| format!("up to {at_once} recoverers at once"))
    },
    never_struck: "no recoverer ever started while another lived",
    remedy: "write a shorter `lease` or a longer `act` in `recovery`",
    once_less: |stage| {
        stage.recovery.recoverers = stage.recovery.recoverers.saturating_sub(1).max(1);
        if stage.recovery.recoverers < 2 {
            stage.recovery.lease = None;
        }
    },
    usual_clock: |stage| stage.recovery.lease = None,
    ..Spec::PLAIN
};

impl Machine {
    /// A start while another recoverer lives.
    pub(crate) fn suspect_start<W: Bits>(&self, w: &World<W>) -> Option<Slot> {
        if self.live_recoverers(w) == 0 {
            return None;
        }
        self.free_start(w)
    }
}
