//! One world, and the rules that change it: which actions a state offers, what each does, and what the oracle says.

pub mod consumer;
pub mod fingerprint;
pub mod machine;
pub mod rng;
pub mod rules;
pub mod watch;
pub mod world;
