//! The places in the packed state, as data: which word and which bits hold what.

use std::ops::{Index, IndexMut};

use crate::engine::world::{Counts, Field, Seq};
use crate::model::program::Surface;
use crate::model::scenario::Fault;
use crate::model::verdict::Verdict;

/// Places in the packed state. What a stage cannot tell apart has no place.
#[derive(Default)]
pub(crate) struct Fields {
    pub status: Field,
    /// γ: the generation of the producing incarnation, or of the one that crashed.
    pub generation: Field,
    /// The newest spawned generation.
    pub high_water: Field,
    /// φ.
    pub fence: Field,
    /// The own generation of the recoverer that raised the fence to where it stands, where several can have.
    pub fenced_by: Field,
    /// How many events the live log and the journal hold, where they hold the same and skip none.
    pub committed: Field,
    /// How often the journal holds each event, where log and journal can part.
    pub journal: Counts,
    /// Which events the live log holds, where log and journal can part.
    pub live: Counts,
    /// How many entries the journal has, where log and journal can part.
    pub journal_length: Field,
    /// The durable cursor, as a count of events; one more than there are events where it is gone.
    pub cursor: Field,
    /// How many of the oldest entries retention dropped.
    pub floor: Field,
    /// Whether the contents were healed since the crash.
    pub healed: Field,
    /// How many recoverers were started since the run went down.
    pub starts: Field,
    /// How many processes have started since the first, where the sink tells them apart.
    pub processes: Field,
    /// How often each fault struck, where it may strike only so often.
    pub struck: PerFault,
    /// How many messages the fence refused.
    pub dropped: Field,
    /// How many judged obligations are committed and not on the record.
    pub owed: Field,
    /// Which hazards have become true, by verdict.
    pub hazards: [Field; Verdict::ALL.len()],
    /// In flight, by emission.
    pub wire: Counts,
    /// In flight in the order of the sends, where messages cannot overtake each other.
    pub queue: Seq,
    /// The accepted record A, by payload.
    pub accepted: Counts,
    /// How often a delivery was taken back, by payload.
    pub reversed: Counts,
    /// How often a payload counts where each reversal takes back the newest delivery before it, or is void.
    pub matched: Counts,
    /// A in order, where a read can be stale, paged or windowed.
    pub record: Seq,
    /// A in order with the generations, by emission, where a claim asks.
    pub order: Seq,
    /// Everything ever sent, S.
    pub sent: Counts,
    pub outbox: Counts,
    pub pending: Counts,
    pub acked: Counts,
    pub replies: Counts,
    /// D: the payloads that the sink currently holds.
    pub held: Counts,
    /// The highest coordinate stored with an effect, as a count of events.
    pub stored: Field,
    /// Keys that the dedup memory holds, oldest first.
    pub memory: Seq,
    /// Keys that the dedup memory holds for ever.
    pub remembered: Counts,
    /// Accepted and acknowledged, not yet persisted; oldest first.
    pub tail: Seq,
    /// Accepted provisionally, by payload.
    pub prepared: Counts,
    /// Effects whose key is not remembered yet, or keys whose effect is still to come.
    pub half_done: Counts,
    pub slots: Vec<SlotFields>,
}

/// The state of one incarnation.
#[derive(Default)]
pub(crate) struct SlotFields {
    /// One more than the next step; 0 where nobody is.
    pub pc: Field,
    pub generation: Field,
    /// For a recoverer, the generation that crashed before it started, where the run may go on under another one while
    /// it acts.
    pub crashed: Field,
    /// Which start of a process this is, where the sink tells them apart.
    pub process: Field,
    /// The event or entry that it works on.
    pub item: Field,
    /// A relay's batch: from `low` up to, not including, `high`. For a recoverer, `high` is where the log ended that it
    /// read, where it writes the cursor in a later step.
    pub low: Field,
    pub high: Field,
    /// Sends again of the current payload.
    pub tries: Field,
    pub batch: Counts,
    pub memory: Memory,
}

/// What a recoverer remembers of what it read, by surface. A surface has a place only where something can come
/// between the read and the `arm` that uses it.
#[derive(Default, Clone, Copy)]
pub(crate) struct Memory {
    /// Whether any surface has a place.
    pub is_kept: bool,
    /// For a surface that shows payloads: which ones it showed.
    pub sets: [Counts; Surface::ALL.len()],
    /// For a surface that shows a number: which; for a log, how many entries it had.
    pub numbers: [Field; Surface::ALL.len()],
}

/// A place for each fault.
#[derive(Default, Clone, Copy)]
pub(crate) struct PerFault([Field; Fault::ALL.len()]);

impl Index<Fault> for PerFault {
    type Output = Field;
    #[inline(always)]
    fn index(&self, fault: Fault) -> &Field {
        &self.0[fault as usize]
    }
}

impl IndexMut<Fault> for PerFault {
    fn index_mut(&mut self, fault: Fault) -> &mut Field {
        &mut self.0[fault as usize]
    }
}

impl PerFault {
    /// The places, in the order of the faults.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Field> + '_ {
        self.0.iter().copied()
    }
}
