//! Reports: rows computed once, rendered many ways. Data in, `String` out.
//!
//! Nothing here reads a file, a clock or a terminal, and nothing decides what is right: the oracle did that.
//!
//! | what happened | the rows | in these forms |
//! |---|---|---|
//! | `run`: a campaign of seeds | [`shootout::Shootout`] | human, json, ndjson, markdown, html, junit, github |
//! | `check`: what a file expects | [`check::CheckReport`] | human, json, ndjson, markdown, html, junit, github |
//! | `explore`: every schedule | [`exploration::ExplorationReport`] | human, json, markdown |
//! | `bound`: what can be decided | [`bound::BoundReport`] | human, json, markdown |
//! | `replay`: one run | [`timeline::Timeline`] | human, json, mermaid, svg |
//!
//! Every form is a module with one function for each kind of rows, such as [`markdown::shootout`]. The interesting
//! number always stands beside the way to look at it: a rate has its interval, its first failing seed, and the line
//! to paste that replays it.

pub mod escape;
pub mod forms;
pub mod rate;
pub mod regret;
pub mod rows;
pub mod sentence;
pub mod style;
pub mod text;

pub use forms::{github, html, human, json, junit, markdown, mermaid, svg};
pub use rows::{bound, check, exploration, head, shootout, timeline};
pub use style::Style;

/// The name of the form of every JSON that dwsim writes.
pub const SCHEMA: &str = "dwsim.report/1";

/// No line of a human report is wider, unless it was asked to be.
pub const WIDTH: usize = 110;
