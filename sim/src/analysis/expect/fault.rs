//! The faults that a stage names, and whether the runs met them: an expectation that something never happens says
//! nothing over runs in which what could have brought it about never struck.

use crate::analysis::expect::Sample;
use crate::model::action::Action;
use crate::model::scenario::{CursorFaultKind, Keeps, Stage};

/// Something that strikes a run, as far as the oracle's answers may depend on it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fault {
    /// The delivering process crashed.
    Crash,
    /// It crashed while a message was in flight.
    InFlightAtCrash,
    /// A message of an earlier incarnation arrived: a straggler.
    LateArrival,
    /// A message was lost on the wire.
    Loss,
    /// The transport made a copy.
    Copy,
    /// A reply was lost.
    LostReply,
    /// A recoverer died.
    Death,
    /// A recoverer started while another lived.
    SecondRecoverer,
    /// The sink crashed.
    SinkCrash,
    /// The cursor was harmed.
    CursorHarm,
    /// The dedup memory forgot a key by age.
    Eviction,
    /// Retention dropped an entry.
    Retention,
}

impl Fault {
    /// Every fault.
    pub const ALL: [Fault; 12] = [
        Fault::Crash,
        Fault::InFlightAtCrash,
        Fault::LateArrival,
        Fault::Loss,
        Fault::Copy,
        Fault::LostReply,
        Fault::Death,
        Fault::SecondRecoverer,
        Fault::SinkCrash,
        Fault::CursorHarm,
        Fault::Eviction,
        Fault::Retention,
    ];

    /// The fault that an action is, where the action alone tells.
    #[inline]
    pub(crate) fn of(action: Action) -> Option<Fault> {
        match action {
            Action::Crash(_) => Some(Fault::Crash),
            Action::Lose(_) => Some(Fault::Loss),
            Action::Copy(_) => Some(Fault::Copy),
            Action::LoseAck(_) => Some(Fault::LostReply),
            Action::Die(_) => Some(Fault::Death),
            Action::SinkCrash => Some(Fault::SinkCrash),
            Action::HarmCursor => Some(Fault::CursorHarm),
            Action::Evict => Some(Fault::Eviction),
            Action::Retain => Some(Fault::Retention),
            _ => None,
        }
    }

    /// The faults that a stage names and that runs chosen in this way can have.
    pub(crate) fn named_by(stage: &Stage, sample: Sample) -> impl Iterator<Item = Fault> {
        let faults = &stage.faults;
        let crash = faults.crash.is_some();
        let named = [
            (Fault::Crash, crash),
            (Fault::InFlightAtCrash, crash && !stage.wire.instant),
            (Fault::LateArrival, crash && stage.wire.survives_crash && stage.wire.straggler.is_some()),
            (Fault::Loss, stage.wire.loss.is_some()),
            (Fault::Copy, stage.wire.copies.is_some()),
            (Fault::LostReply, stage.wire.reply.loss.is_some()),
            (Fault::Death, crash && faults.recoverer_dies.is_some()),
            (Fault::SecondRecoverer, crash && stage.recovery.recoverers > 1),
            (Fault::SinkCrash, faults.sink_crash.is_some()),
            (
                Fault::CursorHarm,
                crash && faults.cursor.is_some_and(|c| c.kind != CursorFaultKind::NotWritable),
            ),
            (Fault::Eviction, matches!(stage.sink.dedup.map(|d| d.keeps), Some(Keeps::For { .. }))),
            (Fault::Retention, crash && stage.source.retention.is_some()),
        ];
        named.into_iter().filter_map(move |(fault, named)| {
            let possible = match sample {
                // What a script leaves out, it leaves out on purpose.
                Sample::Script => false,
                // Nothing but the crash disturbs these runs, and nothing is in flight when it strikes.
                Sample::CrashAtEveryStep => fault == Fault::Crash,
                Sample::Seeds => true,
            };
            (named && possible).then_some(fault)
        })
    }

    /// That it never happened, as a clause.
    pub fn never_struck(self) -> &'static str {
        match self {
            Fault::Crash => "no crash ever struck, so there was nothing to recover from",
            Fault::InFlightAtCrash => {
                "no message was ever in flight at a crash, so no answer of the sink was out of date"
            }
            Fault::LateArrival => "no straggler ever outlived a recovery",
            Fault::Loss => "the wire never lost a message",
            Fault::Copy => "the transport never made a copy",
            Fault::LostReply => "no reply was ever lost",
            Fault::Death => "no recoverer ever died",
            Fault::SecondRecoverer => "no recoverer ever started while another lived",
            Fault::SinkCrash => "the sink never crashed",
            Fault::CursorHarm => "the cursor was never harmed",
            Fault::Eviction => "the dedup memory never forgot a key",
            Fault::Retention => "retention never dropped an entry",
        }
    }
}
