//! Whether runs met the faults that a stage names: an expectation that something never happens says nothing over runs in
//! which what could have brought it about never struck.

use crate::engine::faults::spec;
use crate::model::scenario::{Fault, Stage};

use super::Sample;

/// The faults that a stage asks for and that runs chosen in this way can have.
pub(crate) fn asked_for(stage: &Stage, sample: Sample) -> impl Iterator<Item = Fault> {
    let possible = move |fault: &Fault| match sample {
        // What a script leaves out, it leaves out on purpose.
        Sample::Script => false,
        // Nothing but the crash disturbs these runs, and nothing is in flight when it strikes.
        Sample::CrashAtEveryStep => *fault == Fault::Crash,
        Sample::Seeds => true,
    };
    Fault::ALL.into_iter().filter(possible).filter(|fault| (spec(*fault).is_asked_for)(stage))
}
