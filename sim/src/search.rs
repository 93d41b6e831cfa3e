//! Every schedule within the bounds, and the smallest one that shows something.

pub mod crash_map;
pub mod explore;
pub mod graph;
pub mod limits;
pub mod predicate;
pub mod shrink;
pub(crate) mod threads;
