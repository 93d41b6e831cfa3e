//! What can be asked of a recovery decision: who recovered before, how the batch lands, and the named views of a state.

use crate::model::program::Surface as S;
use crate::model::program::{Surface, Surfaces};
use crate::model::words::words;

/// Every batch of at most this many events is tried: two to this power in each state.
pub const MOST_BATCHED_EVENTS: usize = 12;

words! {
    /// Who made the recoveries before the one that is decided.
    #[derive(Default)]
    Earlier {
        /// The stage's own policy.
        #[default]
        Design = "design",
        /// Whoever sent all obligations again but the first m, for any m: the paper's open reconcile index.
        AnyIndex = "any_index",
    }
}

impl Earlier {
    /// The name on the command line and in JSON.
    pub fn flag(self) -> &'static str {
        match self {
            Earlier::Design => "design",
            Earlier::AnyIndex => "any-index",
        }
    }
}

words! {
    /// How a batch lands: in one step, with or without a fence.
    Redriven {
        /// At once, at the crash-time generation.
        Unfenced = "unfenced",
        /// The same, and in the same step the sink is fenced past the crashed generation.
        Fenced = "fenced",
        /// Under a fence that was raised to the recoverer's own generation in the same step.
        Claim = "claim",
    }
}

const fn of(surfaces: &[Surface]) -> Surfaces {
    let (mut set, mut i) = (Surfaces::NONE, 0);
    while i < surfaces.len() {
        set = set.with(surfaces[i]);
        i += 1;
    }
    set
}

const CORE: Surfaces = of(&[S::History, S::Outbox, S::Acks, S::Status, S::Contents, S::Pending]);
const COUNTERS: Surfaces = of(&[S::Fence, S::Incarnations, S::HighWaterMark, S::Floor, S::JournalLength]);

/// The views that the paper gives names to. Base map, scope and interval end are the same in all states of a scenario.
pub const VIEWS: [(&str, Surfaces); 5] = [
    // The store without the record of what was emitted (section 2).
    ("core", CORE),
    // What a recovery reads without asking the sink (section 4).
    ("durable_local", of(&[S::History, S::Outbox, S::Acks, S::Status, S::Generation, S::Cursor])),
    // The store and all that the control plane counts (section 3).
    ("control_plane", CORE.and(COUNTERS).with(S::Generation)),
    // Everything but the wire (section 6).
    ("channel_blind", CORE.and(of(&[S::Generation, S::Fence, S::SentLedger, S::AcceptedRecord]))),
    // What a truncation leaves: the journal as a length (section 8).
    ("retained", CORE.and(COUNTERS).and(of(&[S::SentLedger, S::AcceptedRecord]))),
];

/// The surfaces of a view that the paper names; `-` and `_` are alike.
pub fn view(name: &str) -> Option<Surfaces> {
    VIEWS.iter().find(|(known, _)| *known == name.replace('-', "_")).map(|(_, surfaces)| *surfaces)
}
