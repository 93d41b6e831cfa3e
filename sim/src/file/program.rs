//! Program files: how a policy or a producer is written, and what makes one senseless. An `arm` that computes from a
//! surface that was never read is refused here, so that what a policy read is what it decided on.

use serde::Deserialize;

use super::outline::Part;
use super::values::{Name, Sentence, Time, Within};
use crate::program::{
    Act, BatchRule, Cadence, Else, FenceTo, Fire, Obligations, Policy, Producer, Retry, Rows, Stamps, Step,
    Surface, Surfaces,
};

/// No program is longer; its steps are counted in 16 bits and explored one by one.
const LONGEST: usize = 256;

/// What is wrong with a part of a file, before that part has a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    /// The way from the program, or the section, to the part.
    pub at: Vec<Part>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl Wrong {
    /// Something wrong at `at`.
    pub fn new(at: &[Part], message: impl Into<String>, help: impl Into<String>) -> Wrong {
        Wrong { at: at.to_vec(), message: message.into(), help: help.into() }
    }
}

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
    about: Sentence,
    stamps: StampsFile,
    steps: Vec<ActFile>,
}

/// A producer or relay as a file says it.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(rename = "Producer", deny_unknown_fields, default)]
pub struct ProducerFile {
    about: Sentence,
    each_event: Option<Vec<ActFile>>,
    run: Option<Vec<SectionFile>>,
    retry: Option<RetryFile>,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename = "Retry", deny_unknown_fields)]
struct RetryFile {
    times: Within<1, 1000>,
    after: Time,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SectionFile {
    EachEvent(Vec<ActFile>),
    EachBatch(Within<1, { u16::MAX as u64 }>, Vec<ActFile>),
    Each(Time, Vec<ActFile>),
}

#[derive(Clone, Copy, PartialEq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StampsFile {
    #[default]
    CrashTime,
    Own,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum ActFile {
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
enum ElseFile {
    Wait,
    Skip,
    Stop,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RowsFile {
    Replica,
    Now,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FenceFile {
    Successor,
    PastOwn,
    Own,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SurfaceFile {
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
pub(super) enum RuleFile {
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
pub(super) enum PastFile {
    Cursor,
    StoredCoordinate,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MinusFile {
    AcceptedRecord,
    Contents,
    DedupKeys,
    SentLedger,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ContentsFile {
    Contents,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RecordFile {
    AcceptedRecord,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ObligationsFile {
    History,
    RetainedHistory,
    LiveHistory,
    Journal,
    Outbox,
    SentLedger,
}

/// Whose program an act stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Recoverer,
    Producer,
}

/// The policy that a file says, under the name by which it is known.
pub fn policy(name: &str, file: &PolicyFile) -> Result<Policy, Vec<Wrong>> {
    let mut wrong = Vec::new();
    let placed = steps(&file.steps, &[Part::from("steps")], Whose::Recoverer, &mut wrong);
    if file.steps.is_empty() {
        wrong.push(Wrong::new(
            &[Part::from("steps")],
            "this policy has no steps",
            "write at least steps: [resume]",
        ));
    }
    let (mut read, mut armed) = (Surfaces::NONE, false);
    for (at, act) in placed.iter().flat_map(|step| &step.acts) {
        match act {
            Act::Read(surface) => read = read.with(*surface),
            Act::Arm(rule) => {
                armed = true;
                let missing: Vec<String> =
                    rule.needs().iter().filter(|s| !read.has(*s)).map(|s| format!("read({s})")).collect();
                if !missing.is_empty() {
                    let names = missing.join(" and ");
                    wrong.push(Wrong::new(
                        at,
                        format!("this rule computes from what no act before it reads: {names} is missing"),
                        format!("put {names} before it"),
                    ));
                }
            }
            Act::Fire(_) if !armed => {
                wrong.push(Wrong::new(
                    at,
                    "nothing is armed yet that could be fired",
                    "put arm(..) before it",
                ));
            }
            _ => {}
        }
    }
    compensates_alone(&placed, &mut wrong);
    let stamps = match file.stamps {
        StampsFile::CrashTime => Stamps::CrashTime,
        StampsFile::Own => Stamps::Own,
    };
    let steps = placed.into_iter().map(PlacedStep::into_step).collect();
    finished(wrong, Policy { name: name.to_owned(), about: file.about.0.clone(), stamps, steps })
}

/// A batch that takes deliveries back lands as one, and is all that its program sends.
fn compensates_alone(steps: &[PlacedStep], wrong: &mut Vec<Wrong>) {
    let acts = || steps.iter().flat_map(|step| &step.acts);
    let takes_back = |act: &Act| matches!(act, Act::Arm(BatchRule::Compensate(_)));
    if !acts().any(|(_, act)| takes_back(act)) {
        return;
    }
    for (at, act) in acts() {
        match act {
            Act::Arm(_) if !takes_back(act) => wrong.push(Wrong::new(
                at,
                "this program takes back what it sends, and arms another batch too",
                "write arm(compensate) only",
            )),
            Act::Fire(how) if *how != Fire::All => wrong.push(Wrong::new(
                at,
                "a batch that takes deliveries back lands in one step",
                "write `fire`",
            )),
            _ => {}
        }
    }
}

/// The producer or relay that a file says, under the name by which it is known.
pub fn producer(name: &str, file: &ProducerFile) -> Result<Producer, Vec<Wrong>> {
    let mut wrong = Vec::new();
    let mut sections = Vec::new();
    match (&file.each_event, &file.run) {
        (Some(acts), None) => {
            sections.push((Cadence::EachEvent, vec![Part::from("each_event")], acts));
        }
        (None, Some(run)) => {
            for (i, section) in run.iter().enumerate() {
                let at = |part: usize| vec![Part::from("run"), Part::from(i), Part::from(part)];
                sections.push(match section {
                    SectionFile::EachEvent(acts) => (Cadence::EachEvent, at(0), acts),
                    SectionFile::EachBatch(n, acts) => (Cadence::EachBatch(n.get()), at(1), acts),
                    SectionFile::Each(time, acts) => (Cadence::EachInterval(time.0), at(1), acts),
                });
            }
        }
        (Some(_), Some(_)) => wrong.push(Wrong::new(
            &[Part::from("each_event")],
            "this producer has both `each_event` and `run`",
            "write run: [each_event([..]), ..] and leave out `each_event`",
        )),
        (None, None) => {}
    }
    let (mut sends, mut commits, mut awaits) = (false, false, false);
    let mut run = Vec::new();
    for (cadence, at, acts) in &sections {
        let placed = steps(acts, at, Whose::Producer, &mut wrong);
        for (at, act) in placed.iter().flat_map(|step| &step.acts) {
            match act {
                Act::Commit | Act::Enqueue if *cadence != Cadence::EachEvent => wrong.push(Wrong::new(
                    at,
                    format!(
                        "`{}` works on one event, and this section does not run for each event",
                        act.name()
                    ),
                    "put it into each_event([..])",
                )),
                Act::Snapshot(_) if matches!(cadence, Cadence::EachInterval(_)) => wrong.push(Wrong::new(
                    at,
                    "a snapshot is told at the coordinate of an event, and this section runs by the clock",
                    "put it into each_event([..]) or each_batch(2, [..])",
                )),
                Act::Commit if commits => {
                    wrong.push(Wrong::new(
                        at,
                        "an event is committed only once",
                        "leave out the second `commit`",
                    ));
                }
                Act::Commit => commits = true,
                Act::Send | Act::SendBatch => sends = true,
                Act::AwaitAck if !sends => {
                    wrong.push(Wrong::new(
                        at,
                        "nothing was sent whose reply could be awaited",
                        "put `send` before it",
                    ));
                }
                Act::AwaitAck => awaits = true,
                _ => {}
            }
        }
        run.push((*cadence, placed.into_iter().map(PlacedStep::into_step).collect::<Vec<_>>()));
    }
    if wrong.is_empty() && run.iter().all(|(_, steps)| steps.is_empty()) {
        wrong.push(Wrong::new(&[], "this producer has no acts", "write at least each_event: [commit, send]"));
    }
    let retry = file.retry.map(|retry| Retry { times: retry.times.get(), after: retry.after.0 });
    if retry.is_some() && !awaits && wrong.is_empty() {
        wrong.push(Wrong::new(
            &[Part::from("retry")],
            "this producer retries, but awaits no reply that could fail to come",
            "put `await_ack` after `send`, or leave out `retry`",
        ));
    }
    finished(wrong, Producer { name: name.to_owned(), about: file.about.0.clone(), sections: run, retry })
}

fn finished<T>(wrong: Vec<Wrong>, program: T) -> Result<T, Vec<Wrong>> {
    if wrong.is_empty() { Ok(program) } else { Err(wrong) }
}

/// A step whose acts still know where they stand.
struct PlacedStep {
    acts: Vec<(Vec<Part>, Act)>,
    otherwise: Else,
}

impl PlacedStep {
    fn into_step(self) -> Step {
        Step { acts: self.acts.into_iter().map(|(_, act)| act).collect(), otherwise: self.otherwise }
    }
}

fn steps(files: &[ActFile], at: &[Part], whose: Whose, wrong: &mut Vec<Wrong>) -> Vec<PlacedStep> {
    if files.len() > LONGEST {
        wrong.push(Wrong::new(
            at,
            format!("this program has {} steps", files.len()),
            format!("write at most {LONGEST}"),
        ));
        return Vec::new();
    }
    let placed = |(i, file)| step(file, &within(at, i), whose, Else::default(), wrong);
    files.iter().enumerate().filter_map(placed).collect()
}

fn within(at: &[Part], part: impl Into<Part>) -> Vec<Part> {
    at.iter().cloned().chain([part.into()]).collect()
}

fn step(
    file: &ActFile,
    at: &[Part],
    whose: Whose,
    otherwise: Else,
    wrong: &mut Vec<Wrong>,
) -> Option<PlacedStep> {
    match file {
        ActFile::Try { r#do: file, r#else: otherwise } => {
            let otherwise = match otherwise {
                ElseFile::Wait => Else::Wait,
                ElseFile::Skip => Else::Skip,
                ElseFile::Stop => Else::Stop,
            };
            if matches!(**file, ActFile::Try { .. }) {
                wrong.push(Wrong::new(
                    &within(at, "do"),
                    "a `try` inside a `try`",
                    "write one `try` with one `else`",
                ));
                return None;
            }
            step(file, &within(at, "do"), whose, otherwise, wrong)
        }
        ActFile::Atomic(files) => {
            let at = within(at, 0);
            if files.is_empty() {
                wrong.push(Wrong::new(&at, "nothing happens in this step", "write acts into atomic([..])"));
            }
            if files.len() > LONGEST {
                wrong.push(Wrong::new(
                    &at,
                    "this step has too many acts",
                    format!("write at most {LONGEST}"),
                ));
                return None;
            }
            let mut acts = Vec::new();
            for (i, file) in files.iter().enumerate() {
                let at = within(&at, i);
                let help = match file {
                    ActFile::Atomic(_) => {
                        Some(("an `atomic` inside an `atomic`", "write its acts into the outer one"))
                    }
                    ActFile::Try { .. } => {
                        Some(("a `try` inside an `atomic`", "write try(do: atomic([..]), else: ..)"))
                    }
                    ActFile::FireEach | ActFile::FireWire => Some((
                        "this act is a step for each entry, so it cannot be part of one step",
                        "write `fire` or `fire_wire_all`",
                    )),
                    ActFile::AwaitAck => Some((
                        "no reply comes within the step that waits for it",
                        "put `await_ack` after the atomic",
                    )),
                    _ => None,
                };
                match help {
                    Some((message, help)) => wrong.push(Wrong::new(&at, message, help)),
                    None => acts.extend(act(file, &at, whose, wrong).map(|act| (at, act))),
                }
            }
            Some(PlacedStep { acts, otherwise })
        }
        file => {
            act(file, at, whose, wrong).map(|act| PlacedStep { acts: vec![(at.to_vec(), act)], otherwise })
        }
    }
}

fn act(file: &ActFile, at: &[Part], whose: Whose, wrong: &mut Vec<Wrong>) -> Option<Act> {
    let act = match file {
        ActFile::Commit => Act::Commit,
        ActFile::Enqueue => Act::Enqueue,
        ActFile::Fetch(n) => Act::Fetch(n.get()),
        ActFile::Send => Act::Send,
        ActFile::SendBatch => Act::SendBatch,
        ActFile::Snapshot => Act::Snapshot(Rows::AtEvent),
        ActFile::SnapshotFrom(RowsFile::Replica) => Act::Snapshot(Rows::Replica),
        ActFile::SnapshotFrom(RowsFile::Now) => Act::Snapshot(Rows::Now),
        ActFile::AwaitAck => Act::AwaitAck,
        ActFile::Persist => Act::Persist,
        ActFile::Discard => Act::Discard,
        ActFile::Read(surface) => Act::Read(surface.into()),
        ActFile::Arm(rule) => match batch_rule(rule) {
            Some(rule) => Act::Arm(rule),
            None => {
                wrong.push(Wrong::new(
                    at,
                    "an `of` inside an `of`",
                    "name the obligations once: of(journal, all)",
                ));
                return None;
            }
        },
        ActFile::Heal => Act::Heal,
        ActFile::Fence(FenceFile::Successor) => Act::Fence(FenceTo::Successor),
        ActFile::Fence(FenceFile::PastOwn) => Act::Fence(FenceTo::PastOwn),
        ActFile::Fence(FenceFile::Own) => Act::Fence(FenceTo::Own),
        ActFile::Fire => Act::Fire(Fire::All),
        ActFile::FireEach => Act::Fire(Fire::Each),
        ActFile::FireWire => Act::Fire(Fire::Wire),
        ActFile::FireWireAll => Act::Fire(Fire::WireAll),
        ActFile::Recover => Act::Recover,
        ActFile::Release => Act::Release,
        ActFile::Resume => Act::Resume,
        // `step` takes these apart; none of them comes here.
        ActFile::Atomic(_) | ActFile::Try { .. } => return None,
    };
    let (does_it, others, own) = match whose {
        Whose::Recoverer => (
            is_a_recoverers(&act),
            "a producer or relay",
            "a policy has read, arm, heal, recover, fence, fire, persist, release, resume",
        ),
        Whose::Producer => (
            is_a_producers(&act),
            "a recoverer",
            "a producer has commit, enqueue, fetch, send, send_batch, snapshot, await_ack, persist, discard",
        ),
    };
    if !does_it {
        wrong.push(Wrong::new(at, format!("`{}` is an act of {others}", act.name()), own));
        return None;
    }
    Some(act)
}

fn is_a_producers(act: &Act) -> bool {
    use Act::{AwaitAck, Commit, Discard, Enqueue, Fetch, Persist, Send, SendBatch, Snapshot};
    matches!(act, Commit | Enqueue | Fetch(_) | Send | SendBatch | Snapshot(_) | AwaitAck | Persist | Discard)
}

fn is_a_recoverers(act: &Act) -> bool {
    matches!(act, Act::Persist) || !is_a_producers(act)
}

pub(super) fn batch_rule(file: &RuleFile) -> Option<BatchRule> {
    match file {
        RuleFile::Of(_, rule) if matches!(**rule, RuleFile::Of(..)) => None,
        RuleFile::Of(of, rule) => Some(rule_of(rule, of.into())),
        rule => Some(rule_of(rule, Obligations::History)),
    }
}

fn rule_of(file: &RuleFile, of: Obligations) -> BatchRule {
    match file {
        RuleFile::Nothing => BatchRule::Nothing,
        RuleFile::All => BatchRule::All(of),
        RuleFile::Past(PastFile::Cursor) => BatchRule::PastCursor(of),
        RuleFile::Past(PastFile::StoredCoordinate) => BatchRule::PastStoredCoordinate(of),
        RuleFile::Latest => BatchRule::Latest(of),
        RuleFile::Compensate => BatchRule::Compensate(of),
        RuleFile::Any => BatchRule::Any,
        RuleFile::AnySuffix => BatchRule::AnySuffix(of),
        RuleFile::Unacknowledged => BatchRule::Unacknowledged(of),
        RuleFile::Minus(MinusFile::AcceptedRecord) => BatchRule::NotAccepted(of),
        RuleFile::Minus(MinusFile::Contents) => BatchRule::NotHeld(of),
        RuleFile::Minus(MinusFile::DedupKeys) => BatchRule::KeyUnknown(of),
        RuleFile::Minus(MinusFile::SentLedger) => BatchRule::NotSent(of),
        RuleFile::ValuesDiffer(ContentsFile::Contents) => BatchRule::ValueDiffers(of),
        RuleFile::ContentNotIn(RecordFile::AcceptedRecord) => BatchRule::ContentUnknown(of),
        RuleFile::Custom(name) => BatchRule::Custom(name.0.clone()),
        RuleFile::Of(_, rule) => rule_of(rule, of),
    }
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
