//! Reports: rows computed once, rendered many ways. Data in, `String` out.
//!
//! Nothing here reads a file, a clock or a terminal, and nothing decides what is right: the oracle did that.
//!
//! | layer | holds |
//! |---|---|
//! | [`rows`] | what each command found, computed once, typed |
//! | [`document`] | the blocks that say it: the order of a report, once for each report |
//! | [`forms`] | the table of forms: human, Markdown and HTML show blocks; JSON, JUnit, GitHub and drawings show rows |
//!
//! The interesting number always stands beside the way to look at it: a rate has its interval, its first failing seed,
//! and the line to paste that replays it.

pub mod cause;
pub mod document;
pub mod escape;
pub mod forms;
pub mod rows;
pub mod sentence;
pub mod style;
pub mod text;

pub use forms::{github, html, human, json, junit, markdown, mermaid, svg};
pub use rows::{bound, check, exploration, head, rate, shootout, timeline};
pub use style::Style;

/// The name of the form of every JSON that dwsim writes.
pub const SCHEMA: &str = "dwsim.report/1";

/// How wide a report for a person is where no terminal says otherwise, and prose wherever.
pub const WIDTH: usize = 110;
