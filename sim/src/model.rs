//! Data only: what a stage is, what can happen in it, and what a run was. Nothing here decides or computes a run.

pub mod action;
pub mod claim;
pub mod decision;
pub mod ids;
pub mod label;
pub mod program;
pub mod ratio;
pub mod record;
pub mod scenario;
pub mod size;
pub mod strategy;
pub mod suggest;
pub mod time;
pub mod verdict;
pub mod view;
pub mod words;
