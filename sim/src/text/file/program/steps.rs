//! From acts as they are written to steps, each act with its place, and whose act it is.

use super::Wrong;
use super::schema::{ActFile, ContentsFile, MinusFile, PastFile, RecordFile, RowsFile, RuleFile};
use crate::model::program::{Act, ActKind, BatchRule, Else, Fire, Obligations, Rows, Step};
use crate::text::file::outline::Part;

/// No program is longer; its steps are counted in 16 bits and explored one by one.
const LONGEST: usize = 256;

/// Whose program an act stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    Recoverer,
    Producer,
}

/// A step whose acts still know where they stand.
pub(super) struct PlacedStep {
    pub acts: Vec<(Vec<Part>, Act)>,
    otherwise: Else,
}

impl PlacedStep {
    pub(super) fn into_step(self) -> Step {
        Step { acts: self.acts.into_iter().map(|(_, act)| act).collect(), otherwise: self.otherwise }
    }
}

/// The steps that a section is written as, at `at`; what cannot stand there is left out and said to be wrong.
pub(super) fn steps(files: &[ActFile], at: &[Part], whose: Whose, wrong: &mut Vec<Wrong>) -> Vec<PlacedStep> {
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
            if matches!(**file, ActFile::Try { .. }) {
                wrong.push(Wrong::new(
                    &within(at, "do"),
                    "a `try` inside a `try`",
                    "write one `try` with one `else`",
                ));
                return None;
            }
            step(file, &within(at, "do"), whose, *otherwise, wrong)
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
        ActFile::Read(surface) => Act::Read(*surface),
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
        ActFile::Fence(to) => Act::Fence(*to),
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
    let (does_it, owner, others): (fn(ActKind) -> bool, _, _) = match whose {
        Whose::Recoverer => (ActKind::is_a_recoverers, "a policy", "a producer or relay"),
        Whose::Producer => (ActKind::is_a_producers, "a producer", "a recoverer"),
    };
    if !does_it(act.kind()) {
        let own: Vec<&str> =
            ActKind::ALL.into_iter().filter(|kind| does_it(*kind)).map(ActKind::name).collect();
        let message = format!("`{}` is an act of {others}", act.name());
        wrong.push(Wrong::new(at, message, format!("{owner} has {}", own.join(", "))));
        return None;
    }
    Some(act)
}

/// The rule that is written; none where obligations are named twice.
pub fn batch_rule(file: &RuleFile) -> Option<BatchRule> {
    match file {
        RuleFile::Of(_, rule) if matches!(**rule, RuleFile::Of(..)) => None,
        RuleFile::Of(of, rule) => Some(rule_of(rule, *of)),
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
