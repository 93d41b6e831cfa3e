//! For a person at a terminal: tables, lanes and sentences, at most [`crate::WIDTH`] columns wide.

mod check;
mod exploration;
mod lanes;
mod shootout;

pub use check::check;
pub use exploration::exploration;
pub use lanes::timeline;
pub use shootout::shootout;
