//! The answer of `dwsim bound` for a design.

use dwsim_sim::analysis::bound::Bound;
use dwsim_sim::analysis::bound::triage::{Ask, Reply};

/// Whether any batch rule over the reads is always correct.
#[derive(Clone, Debug)]
pub struct BoundReport {
    /// Whose question it is.
    pub of: Asked,
    /// The answer.
    pub bound: Bound,
}

/// The four questions of a deployment, answered for a design.
#[derive(Clone, Debug)]
pub struct TriageReport {
    /// Whose questions they are.
    pub of: Asked,
    /// The answers.
    pub replies: Vec<(Ask, Reply)>,
}

/// The design that is asked about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// The scenario's name.
    pub scenario: String,
    /// The twin's name, or empty.
    pub twin: String,
    /// The design's name.
    pub design: String,
}

impl Asked {
    /// `zombie, twin "wire wiped at the crash", cursor`.
    pub fn title(&self) -> String {
        let twin = if self.twin.is_empty() { String::new() } else { format!(", twin \"{}\"", self.twin) };
        format!("{}{twin}, {}", self.scenario, self.design)
    }
}

/// What an answer of yes asks for.
pub fn obliges(ask: Ask) -> &'static str {
    match ask {
        Ask::ReadsOnlyItself => {
            "a cursor is no evidence of delivery; read the sink's accepted record, or have the sink deduplicate"
        }
        Ask::OldSends => {
            "no read of the sink is enough; have the sink check a fence on arrival, raised in the same step as the read and the re-drive"
        }
        Ask::Overlap => {
            "two honest reads go stale against each other; claim the sink and arm in one step, and fire through the gate"
        }
        Ask::Expires => {
            "the guarantee ends with the evidence; keep keys and journal for longer than the oldest effect that may be replayed"
        }
    }
}
