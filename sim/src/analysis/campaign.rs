//! What a campaign of random runs leaves: counts that merge, so that memory does not grow with the seeds.

mod engine;

use crate::analysis::tally::Tally;
use crate::model::scenario::NotApplicable;
use crate::model::strategy::Strategy;

pub use engine::{Nondeterminism, Orders, Progress, compile_case, run_case};

/// The outcome of `dwsim run`: every case of every scenario under one strategy.
#[derive(Clone, PartialEq, Debug)]
pub struct Campaign {
    /// Who picked the next step.
    pub strategy: Strategy,
    /// The seed epoch of this version.
    pub seed_epoch: u32,
    /// Whether it was interrupted before every seed had run.
    pub partial: bool,
    /// One for each scenario and twin.
    pub cases: Vec<CaseResult>,
}

/// Where a case comes from, for the reader.
#[derive(Clone, Copy, Default, Debug)]
pub struct Origin<'a> {
    /// The path as the user typed it.
    pub path: &'a str,
    /// The scenario's name.
    pub scenario: &'a str,
    /// The story.
    pub about: &'a str,
}

/// One scenario or twin.
#[derive(Clone, PartialEq, Debug)]
pub struct CaseResult {
    /// The path as the user typed it, for the lines to paste.
    pub path: String,
    /// The scenario's name.
    pub scenario: String,
    /// The twin's name, or empty.
    pub twin: String,
    /// The story.
    pub about: String,
    /// What may strike, in one sentence: `at most 1 crash, at one of 9 places (no crash in 1 run of 10)`.
    pub faults: String,
    /// First seed and number of seeds.
    pub seeds: (u64, u64),
    /// The rows.
    pub designs: Vec<DesignResult>,
    /// For each pair of designs: how many runs on the same seed differ, and which way.
    pub flips: Vec<Flips>,
}

/// One row.
#[derive(Clone, PartialEq, Debug)]
pub struct DesignResult {
    /// The design's name.
    pub name: String,
    /// The policy's name.
    pub policy: String,
    /// Its counts, or why it cannot run here.
    pub tally: Result<Tally, NotApplicable>,
}

/// How two designs differ on the same seeds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flips {
    /// Index of the first design in [`CaseResult::designs`].
    pub a: usize,
    /// Index of the second.
    pub b: usize,
    /// Runs that are exactly-once under the first and not under the second.
    pub only_a: u64,
    /// Runs that are exactly-once under the second and not under the first.
    pub only_b: u64,
    /// Smallest seed of `only_a`, then of `only_b`.
    pub first_seeds: (Option<u64>, Option<u64>),
}
