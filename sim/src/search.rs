//! Every schedule within the bounds, and the smallest one that shows something.

pub mod explore;
pub mod shrink;
pub(crate) mod threads;
