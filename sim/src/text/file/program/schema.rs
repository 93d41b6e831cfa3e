//! What a program file looks like.

use serde::Deserialize;

use crate::model::program::{Obligations, Surface};
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
    pub(super) stamps: StampsFile,
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

#[derive(Clone, Copy, PartialEq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StampsFile {
    #[default]
    CrashTime,
    Own,
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
    Read(SurfaceFile),
    Arm(RuleFile),
    Heal,
    Fence(FenceFile),
    Fire,
    FireEach,
    FireWire,
    FireWireAll,
    Recover,
    Release,
    Resume,
    Atomic(Vec<ActFile>),
    Try { r#do: Box<ActFile>, r#else: ElseFile },
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ElseFile {
    Wait,
    Skip,
    Stop,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RowsFile {
    Replica,
    Now,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FenceFile {
    Successor,
    PastOwn,
    Own,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SurfaceFile {
    History,
    RetainedHistory,
    Cursor,
    Outbox,
    Acks,
    Generation,
    Fence,
    Incarnations,
    HighWaterMark,
    Floor,
    Status,
    Journal,
    JournalLength,
    SentLedger,
    AcceptedRecord,
    Contents,
    Pending,
    StoredCoordinate,
    DedupKeys,
    Wire,
    LiveHistory,
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
    Of(ObligationsFile, Box<RuleFile>),
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

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObligationsFile {
    History,
    RetainedHistory,
    LiveHistory,
    Journal,
    Outbox,
    SentLedger,
}

impl From<&ObligationsFile> for Obligations {
    fn from(file: &ObligationsFile) -> Obligations {
        match file {
            ObligationsFile::History => Obligations::History,
            ObligationsFile::RetainedHistory => Obligations::RetainedHistory,
            ObligationsFile::LiveHistory => Obligations::LiveHistory,
            ObligationsFile::Journal => Obligations::Journal,
            ObligationsFile::Outbox => Obligations::Outbox,
            ObligationsFile::SentLedger => Obligations::SentLedger,
        }
    }
}

impl From<&SurfaceFile> for Surface {
    fn from(file: &SurfaceFile) -> Surface {
        match file {
            SurfaceFile::History => Surface::History,
            SurfaceFile::RetainedHistory => Surface::RetainedHistory,
            SurfaceFile::Cursor => Surface::Cursor,
            SurfaceFile::Outbox => Surface::Outbox,
            SurfaceFile::Acks => Surface::Acks,
            SurfaceFile::Generation => Surface::Generation,
            SurfaceFile::Fence => Surface::Fence,
            SurfaceFile::Incarnations => Surface::Incarnations,
            SurfaceFile::HighWaterMark => Surface::HighWaterMark,
            SurfaceFile::Floor => Surface::Floor,
            SurfaceFile::Status => Surface::Status,
            SurfaceFile::Journal => Surface::Journal,
            SurfaceFile::JournalLength => Surface::JournalLength,
            SurfaceFile::SentLedger => Surface::SentLedger,
            SurfaceFile::AcceptedRecord => Surface::AcceptedRecord,
            SurfaceFile::Contents => Surface::Contents,
            SurfaceFile::Pending => Surface::Pending,
            SurfaceFile::StoredCoordinate => Surface::StoredCoordinate,
            SurfaceFile::DedupKeys => Surface::DedupKeys,
            SurfaceFile::Wire => Surface::Wire,
            SurfaceFile::LiveHistory => Surface::LiveHistory,
        }
    }
}
