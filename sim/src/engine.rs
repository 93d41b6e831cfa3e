//! One world, and the rules that change it: which actions a state offers, what each does, and what the oracle says.

pub(crate) mod by_size;
pub mod consumer;
pub mod faults;
pub mod fingerprint;
pub mod machine;
pub(crate) mod offers;
pub mod rng;
pub mod rules;
pub(crate) mod steps;
pub mod watch;
pub mod world;
