//! Text in and out: scenario and program files, what is said of broken ones, and seeds that are kept.

pub mod file;
pub mod regressions;
