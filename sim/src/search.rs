//! Every schedule within the bounds, and the smallest one that shows something.

pub mod explore;
pub(crate) mod paths;
pub mod predicate;
pub mod shrink;
pub(crate) mod threads;
