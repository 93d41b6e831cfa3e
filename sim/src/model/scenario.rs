//! A validated scenario: what [`crate::text::file`] makes of a `.ron` file and [`crate::engine::machine`] compiles. Nothing here
//! can be wrong any more; every error was reported with its place in the file. A [`Stage`] has a file for each part.

mod delay;
mod faults;
mod judge;
mod recovery;
mod sink;
mod source;
mod wire;

use crate::model::claim::Claim;
use crate::model::program::{Policy, Producer};

pub use delay::{Delay, Span};
pub use faults::{Crash, CrashKind, CursorFault, CursorFaultKind, Fault, Faults, Injected, Strike, Window};
pub use judge::{CheckBy, Counted, Expect, Grade, Judge, Often, Under, When};
pub use recovery::{CursorReset, Frontier, Heal, Recovery, Start};
pub use sink::{
    Acceptance, Acknowledges, Advance, BatchAcceptance, Dedup, DedupKey, DedupOrder, DedupScope, Durability,
    FenceCheck, Keeps, Sink, SinkRead, StoredCoordinate, Writes,
};
pub use source::{Beginning, Commits, CursorIs, Event, EventKind, Retention, RetentionWhile, Source};
pub use wire::{Chance, Reply, Straggler, Wire};

pub use super::verdict::Verdict;

/// A scenario file: a story, its designs, and its twins.
#[derive(Clone, PartialEq, Debug)]
pub struct Scenario {
    /// The file's stem, such as `zombie`.
    pub name: String,
    /// The story, in a sentence.
    pub about: String,
    /// The scenario itself, then each twin in the order of the file.
    pub cases: Vec<Case>,
}

/// The scenario itself or one twin: the same scenario with some of its fields replaced and its own expectations.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// Empty for the scenario itself, else the twin's name.
    pub twin: String,
    /// The rows of the shootout, in the order of the file.
    pub designs: Vec<Design>,
    /// How `check` judges the case.
    pub check_by: Vec<CheckBy>,
    /// What the file claims beyond what it expects of each design.
    pub claims: Vec<Claim>,
}

/// A row of a shootout: a policy, with optional overrides of producer, sink and recovery.
#[derive(Clone, PartialEq, Debug)]
pub struct Design {
    /// The row's name.
    pub name: String,
    /// What runs, or why this design cannot be built on this scenario's sink.
    pub stage: Result<Box<Stage>, NotApplicable>,
    /// What the file expects of it.
    pub expect: Expect,
}

/// Why a design has no row of numbers, as a sentence that follows `n/a: `.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotApplicable(pub String);

/// A delivery stage, whole: everything that one design runs under.
#[derive(Clone, PartialEq, Debug)]
pub struct Stage {
    /// What is committed.
    pub source: Source,
    /// What had happened before the run.
    pub start: Beginning,
    /// What the producer does. With a relay, only the commits.
    pub producer: Producer,
    /// A relay that runs as a process of its own: then a crash strikes the relay and commits go on.
    pub relay: Option<Producer>,
    /// What lies between.
    pub wire: Wire,
    /// What accepts.
    pub sink: Sink,
    /// Who recovers, when.
    pub recovery: Recovery,
    /// What a recoverer does.
    pub policy: Policy,
    /// What may go wrong, and how often. Bounds are guards of the world and bind every driver.
    pub faults: Faults,
    /// Where and when completeness is judged.
    pub judge: Judge,
}
