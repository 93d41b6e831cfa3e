//! What can happen in dual-write recovery, and was it right.
//!
//! A source's committed log says what is owed, a sink's accepted record says what is done, a wire lies between
//! them, and after a crash a recoverer chooses a batch to send again. This crate holds the world in which that
//! choice is made ([`world`], [`rules`]), the programs that make it ([`program`]), the schedules that strike it
//! ([`drive`]), the oracle that judges it ([`rules::Judgement`]), and the scenario file that says all of this ([`file`]).
//!
//! Nothing here reads a clock, a file, the environment or a thread: time, randomness and text come in as arguments.

pub mod action;
mod asides;
pub mod bound;
pub mod campaign;
pub mod claim;
pub mod drive;
pub mod expect;
pub mod explore;
pub mod file;
pub mod fingerprint;
pub mod ids;
pub mod label;
pub mod machine;
pub mod program;
pub mod ratio;
pub mod record;
pub mod regressions;
pub mod rng;
pub mod rules;
pub mod scenario;
pub mod schedule;
pub mod shrink;
pub mod stats;
mod threads;
pub mod time;
pub mod view;
pub mod watch;
pub mod weak;
pub mod world;
