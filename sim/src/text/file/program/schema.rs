//! What a program file looks like.

use serde::Deserialize;

use crate::model::program::{Else, FenceTo, Obligations, Stamps, Surface};
use crate::text::file::values::{Name, Sentence, Time, Within};

/// A file that holds one program.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub enum ProgramFile {
    /// `Policy(about: "..", steps: [..])`.
    Policy(PolicyFile),
    /// `Producer(about: "..", each_event: [..])`.
    Producer(ProducerFile),
}

/// A re-drive policy as a file says it.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(rename = "Policy", deny_unknown_fields, default)]
pub struct PolicyFile {
    pub(super) about: Sentence,
    pub(super) stamps: Stamps,
    pub(super) steps: Vec<ActFile>,
}

/// A producer or relay as a file says it.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(rename = "Producer", deny_unknown_fields, default)]
pub struct ProducerFile {
    pub(super) about: Sentence,
    pub(super) each_event: Option<Vec<ActFile>>,
    pub(super) run: Option<Vec<SectionFile>>,
    pub(super) retry: Option<RetryFile>,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename = "Retry", deny_unknown_fields)]
pub(super) struct RetryFile {
    pub(super) times: Within<1, 1000>,
    pub(super) after: Time,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SectionFile {
    EachEvent(Vec<ActFile>),
    EachBatch(Within<1, { u16::MAX as u64 }>, Vec<ActFile>),
    Each(Time, Vec<ActFile>),
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum ActFile {
    Commit,
    Enqueue,
    Fetch(Within<1, { u16::MAX as u64 }>),
    Send,
    SendBatch,
    Snapshot,
    SnapshotFrom(RowsFile),
    AwaitAck,
    Persist,
    Discard,
    Read(Surface),
    Arm(RuleFile),
    Heal,
    Fence(FenceTo),
    Fire,
    FireEach,
    FireWire,
    FireWireAll,
    Recover,
    Release,
    Resume,
    Atomic(Vec<ActFile>),
    Try { r#do: Box<ActFile>, r#else: Else },
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RowsFile {
    Replica,
    Now,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleFile {
    Nothing,
    All,
    Past(PastFile),
    Latest,
    Compensate,
    Any,
    AnySuffix,
    Unacknowledged,
    Minus(MinusFile),
    ValuesDiffer(ContentsFile),
    ContentNotIn(RecordFile),
    Custom(Name),
    Of(Obligations, Box<RuleFile>),
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PastFile {
    Cursor,
    StoredCoordinate,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MinusFile {
    AcceptedRecord,
    Contents,
    DedupKeys,
    SentLedger,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentsFile {
    Contents,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordFile {
    AcceptedRecord,
}
