//! What each command does.

pub mod about;
pub mod bound;
pub mod check;
pub mod dangerous;
pub mod explore;
pub mod list;
pub mod new;
pub mod replay;
pub mod run;
pub mod show;
pub mod shrink;
