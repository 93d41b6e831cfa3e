//! A message takes much longer than the others, and arrives after the incarnation that sent it is gone.

use super::spec::Spec;

pub(super) const SPEC: Spec = Spec {
    is_asked_for: |stage| {
        stage.faults.crash.is_some() && stage.wire.survives_crash && stage.wire.straggler.is_some()
    },
    headline: |stage, head| {
        let straggler = stage.wire.straggler.filter(|_| head.is_timed)?;
        Some(format!("stragglers {}", straggler.chance))
    },
    never_struck: "no straggler ever outlived a recovery",
    remedy: "write a longer `delay` in `wire: (straggler: ...)`",
    usual_clock: |stage| stage.wire.straggler = None,
    ..Spec::PLAIN
};
