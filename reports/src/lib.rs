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

pub mod bound;
pub mod check;
pub mod escape;
pub mod exploration;
pub mod github;
pub mod head;
pub mod html;
pub mod human;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod mermaid;
pub mod rate;
pub mod regret;
pub mod sentence;
pub mod shootout;
pub mod style;
pub mod svg;
pub mod text;
pub mod timeline;

pub use style::Style;

/// The name of the form of every JSON that dwsim writes.
pub const SCHEMA: &str = "dwsim.report/1";

/// No line of a human report is wider, unless it was asked to be.
pub const WIDTH: usize = 110;
