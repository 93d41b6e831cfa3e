//! What runs and searches come to: counts over seeds, expectations, claims, what observations can decide, lint.

pub mod bound;
pub mod campaign;
pub mod claim;
pub mod expect;
pub mod lint;
pub mod stats;
pub mod tally;
