//! What is known of a payload before any run.

use crate::model::ids::Coordinate;

/// What the rules and the oracle need to know of a payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PayloadInfo {
    pub coordinate: Coordinate,
    /// The place of its coordinate among all that occur, from 1: a coordinate that the state keeps is this small number.
    pub rank: u32,
    pub key: u32,
    /// Payloads of one class have the same key and value.
    pub content: u32,
    /// The first payload at this coordinate.
    pub identity: u32,
    /// The first event with the same coordinate, kind, key and value: committed twice, it is one payload.
    pub payload: u32,
    /// Whether its key is in scope.
    pub in_scope: bool,
    /// Whether recovery acts on it: in scope, at or below the recovery frontier.
    pub recovered: bool,
    /// Whether completeness counts it: in scope, at or below the judge's frontier.
    pub judged: bool,
    pub rejected: bool,
}
