//! The rows: what each command found, computed once, as values that every form shows.

pub mod bound;
pub mod check;
pub mod exploration;
pub mod head;
pub mod rate;
pub mod shootout;
pub mod timeline;
