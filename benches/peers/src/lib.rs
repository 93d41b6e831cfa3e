//! The micro-model in dwsim ([`in_dwsim`]), as a program that does nothing else ([`limit`]), and in other people's tools
//! ([`in_stateright`], [`in_desru`]), each checked against the same counts and rates ([`expected`]) before its time
//! means anything.

pub mod expected;
pub mod in_desru;
pub mod in_dwsim;
pub mod in_stateright;
pub mod limit;
pub mod model;

/// The reading of the micro-model that dwsim's own tests hold it to.
#[allow(dead_code, missing_docs)]
#[path = "../../../tests/common/micro.rs"]
mod reference;
