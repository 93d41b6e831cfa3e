//! A question about a stage, and the states that answer it with no.

use crate::model::action::Action;
use crate::model::decision::{Earlier, Redriven};
use crate::model::ids::Payload;
use crate::model::program::{BatchRule, Surface, Surfaces};

/// What to find out about a stage.
#[derive(Clone, PartialEq, Debug)]
pub struct Question {
    /// What the recoverer reads.
    pub reads: Surfaces,
    /// Who made the recoveries before the decision.
    pub earlier: Earlier,
    /// How the batch lands.
    pub redriven: Redriven,
    /// Give up beyond this many states.
    pub states: u64,
    /// Named batch rules to compare with what is found.
    pub known: Vec<(String, BatchRule)>,
}

/// How a batch goes wrong in a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Failure {
    /// This payload is accepted a second time.
    Duplicate(Payload),
    /// This payload is accepted without having been committed when it was sent.
    Premature(Payload),
    /// This payload is owed and never accepted.
    Lost(Payload),
}

/// A smallest set of states that look the same and share no right batch.
#[derive(Clone, PartialEq, Debug)]
pub struct Confusable {
    /// What they show, surface by surface.
    pub shows: Vec<(Surface, String)>,
    /// The states.
    pub members: Vec<Member>,
    /// The first step, from 1, that is not the same in all their schedules.
    pub parts_at: usize,
    /// For each batch, as a set of bits: the first member in which it fails, and how.
    pub failures: Vec<Fails>,
    /// A payload that no batch can treat right: with it a batch fails in the first of these members, without it in the
    /// second.
    pub fork: Option<Fork>,
}

/// One of the states that look the same.
#[derive(Clone, PartialEq, Debug)]
pub struct Member {
    /// A shortest way there.
    pub schedule: Vec<Action>,
    /// The same as labels.
    pub labels: Vec<String>,
    /// What the sink has accepted.
    pub accepted: Vec<String>,
    /// What is in flight.
    pub in_flight: Vec<String>,
    /// What is owed.
    pub owed: Vec<String>,
}

/// How a batch fails.
#[derive(Clone, PartialEq, Debug)]
pub struct Fails {
    /// The batch, as a set of bits.
    pub batch: u32,
    /// In which member, from 0.
    pub member: usize,
    /// What goes wrong.
    pub how: Failure,
    /// The steps after the re-drive that show it, as labels.
    pub then: Vec<String>,
}

/// A payload that must be sent in one state and must not in another that looks the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fork {
    /// Which payload.
    pub payload: u32,
    /// Where every batch with it fails, and how the batch of it alone does.
    pub with: (usize, Failure),
    /// Where every batch without it fails, and how the empty one does.
    pub without: (usize, Failure),
}
