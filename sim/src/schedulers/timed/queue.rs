//! What is due and when: the entries of the queue, and the order in which it gives them out.

use std::cmp::Ordering;

use crate::model::action::Action;
use crate::model::ids::{Slot, Tick};

/// What an entry of the queue stands for. Whether it can happen is asked when its time comes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Due {
    /// An incarnation takes its next step.
    Wake(Slot),
    /// The delivering process has done its last step: the last place at which a crash can strike it.
    Rest,
    /// A message arrives, is lost, or is copied.
    Do(Action),
    /// The orchestrator looks whether a run is down and nobody recovers it.
    Detect,
    /// The orchestrator no longer believes that a recoverer lives.
    Suspect,
    /// A sender gives up waiting for the reply to this event, on this try.
    Timeout { who: Slot, tries: u16, item: u32 },
    /// An `each(interval)` section has its turn, where it still has something to do.
    Interval(Slot),
    /// A dedup key may have reached its age.
    Age,
    /// The sink does the second half of something.
    Finish,
}

/// Something that is due. The greatest is the one that is due first, as the queue gives out the greatest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub at: Tick,
    /// Ties go to the entry that was made first; no two are equal.
    pub order: u32,
    pub due: Due,
}

/// Runs spend much of their time in the queue, which moves entries about.
const _: () = assert!(size_of::<Entry>() == 24);

impl Entry {
    #[inline]
    fn place(&self) -> u128 {
        u128::from(self.at.0) << 32 | u128::from(self.order)
    }
}

impl Ord for Entry {
    #[inline(always)]
    fn cmp(&self, other: &Entry) -> Ordering {
        other.place().cmp(&self.place())
    }
}

impl PartialOrd for Entry {
    #[inline(always)]
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.place() == other.place()
    }
}

impl Eq for Entry {}
