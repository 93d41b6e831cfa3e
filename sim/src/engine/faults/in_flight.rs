//! A crash while a message is in flight: what a recoverer then reads of the sink may be out of date when it acts on it.

use super::spec::Spec;

pub(super) const SPEC: Spec = Spec {
    is_asked_for: |stage| stage.faults.crash.is_some() && !stage.wire.instant,
    never_struck: "no message was ever in flight at a crash, so no answer of the sink was out of date",
    remedy: "write `faults: (crash: anywhere(times: 1))`",
    ..Spec::PLAIN
};
