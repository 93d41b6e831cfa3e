//! What can happen in dual-write recovery, and was it right.
//!
//! A source's committed log says what is owed, a sink's accepted record says what is done, a wire lies between
//! them, and after a crash a recoverer chooses a batch to send again. This crate holds the world in which that
//! choice is made, the programs that make it, the schedules that strike it, the oracle that judges it, and the
//! scenario file that says all of this.
//!
//! The modules are layers. Each may use those above it, and none below:
//!
//! | layer | holds | may use |
//! |---|---|---|
//! | [`model`] | data only: ids, ratios, time, the scenario, programs, claims, actions, the record of a run | nothing |
//! | [`text`] | scenario and program files, diagnostics, kept seeds | model |
//! | [`engine`] | the packed world, the compiled stage, what is enabled and what it does, the oracle, random streams | model |
//! | [`schedulers`] | who picks the next step: a clock, chance, a script; labels; replay | engine |
//! | [`search`] | every schedule: explore, shrink | engine, schedulers |
//! | [`analysis`] | campaigns, expectations, claims, bound, lint | all of the above |
//!
//! `tests/layers.rs` holds this order, and that no two files import each other through a third.
//!
//! Nothing here reads a clock, a file, the environment or a thread: time, randomness and text come in as arguments.

pub mod analysis;
pub mod engine;
pub mod model;
pub mod schedulers;
pub mod search;
pub mod text;

use model::scenario::Scenario;
use text::file::{Checks, Diagnostics, Library, Options};

/// Reads a scenario and holds its scripts against the stages that follow them. `path` is only for names and complaints;
/// nothing is opened.
///
/// # Errors
/// Everything that is wrong with the file, each with its place and what to write instead.
pub fn load(
    path: &str,
    text: &str,
    library: &dyn Library,
    options: &Options,
) -> Result<Scenario, Diagnostics> {
    let checks = Checks {
        lines: |stage, lines| schedulers::check_lines(stage, lines).ok(),
        size: engine::machine::check_size,
    };
    text::file::load(path, text, library, checks, options)
}
