//! How a file writes claims.

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

use super::outline::Part;
use super::program::{RuleFile, Wrong, batch_rule};
use super::stage::Complaints;
use super::values::{Name, Sentence, Within};
use crate::model::claim::{Batches, Claim, Count, Decision, Pair, Predicate, Remembers, Says};
use crate::model::decision::{Earlier, MOST_BATCHED_EVENTS, Redriven, VIEWS};
use crate::model::ids::Payload;
use crate::model::program::{BatchRule, Surface, Surfaces};
use crate::model::suggest::instead;

/// `always(that: ..)`, `reachable(of: "cursor", that: ..)`, `pair(left: [..], right: [..], ..)`,
/// `undecidable(reads: [durable_local])`, `decidable(reads: [history, accepted_record], redrive: fenced)`.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ClaimFile {
    Pair {
        of: Option<Name>,
        left: Vec<Sentence>,
        right: Vec<Sentence>,
        #[serde(default)]
        equal: Vec<Shown>,
        #[serde(default)]
        differ: Vec<Shown>,
        batches: Option<BatchesFile>,
        after_batch: Option<PredicateFile>,
        strategies: Option<StrategiesFile>,
        batch: Option<BatchFile>,
        view: Option<Count>,
    },
    Reachable {
        of: Option<Name>,
        #[serde(default)]
        from: Vec<Sentence>,
        that: PredicateFile,
    },
    Always {
        of: Option<Name>,
        #[serde(default)]
        from: Vec<Sentence>,
        that: PredicateFile,
    },
    After {
        of: Option<Name>,
        steps: Vec<Sentence>,
        that: PredicateFile,
    },
    Refused {
        of: Option<Name>,
        after: Vec<Sentence>,
        step: Sentence,
    },
    Enabled {
        of: Option<Name>,
        after: Vec<Sentence>,
        step: Sentence,
    },
    Determined {
        of: Option<Name>,
        among: PredicateFile,
        by: Vec<Shown>,
        what: Vec<Shown>,
    },
    Confusable {
        of: Option<Name>,
        among: PredicateFile,
        by: Vec<Shown>,
        what: Vec<Shown>,
    },
    Choices {
        of: Option<Name>,
        after: Vec<Sentence>,
        batches: BatchesFile,
    },
    Decidable {
        of: Option<Name>,
        reads: Option<Vec<Shown>>,
        #[serde(default)]
        earlier: Earlier,
        redrive: Option<Redriven>,
    },
    Undecidable {
        of: Option<Name>,
        reads: Option<Vec<Shown>>,
        #[serde(default)]
        earlier: Earlier,
        redrive: Option<Redriven>,
    },
}

impl ClaimFile {
    /// The lines of its scripts, each with its place in the claim.
    pub fn script_lines(&self) -> Vec<(Vec<Part>, &str)> {
        fn lines<'a>(field: &str, script: &'a [Sentence]) -> Vec<(Vec<Part>, &'a str)> {
            let lines = script.iter().enumerate();
            lines.map(|(i, line)| (vec![field.into(), i.into()], line.0.as_str())).collect()
        }
        match self {
            ClaimFile::Pair { left, right, .. } => [lines("left", left), lines("right", right)].concat(),
            ClaimFile::Reachable { from, .. } | ClaimFile::Always { from, .. } => lines("from", from),
            ClaimFile::After { steps, .. } => lines("steps", steps),
            ClaimFile::Choices { after, .. } => lines("after", after),
            ClaimFile::Refused { after, step, .. } | ClaimFile::Enabled { after, step, .. } => {
                [lines("after", after), vec![(vec!["step".into()], &step.0)]].concat()
            }
            ClaimFile::Determined { .. }
            | ClaimFile::Confusable { .. }
            | ClaimFile::Decidable { .. }
            | ClaimFile::Undecidable { .. } => Vec::new(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchesFile {
    EachFails,
    OneIsRight,
}

impl From<BatchesFile> for Batches {
    fn from(file: BatchesFile) -> Batches {
        match file {
            BatchesFile::EachFails => Batches::EachFails,
            BatchesFile::OneIsRight => Batches::OneIsRight,
        }
    }
}

/// What comes of strategies, and what they look at: `each_fails(sees: [core])`.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum StrategiesFile {
    EachFails { sees: Vec<Shown> },
    OneIsRight { sees: Vec<Shown> },
}

/// What a consumer remembers: `forever`, or `last(2)`.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RemembersFile {
    Forever,
    Last(Within<1, { u32::MAX as u64 }>),
}

impl From<RemembersFile> for Remembers {
    fn from(file: RemembersFile) -> Remembers {
        match file {
            RemembersFile::Forever => Remembers::Forever,
            RemembersFile::Last(entries) => Remembers::Last(entries.get()),
        }
    }
}

/// What the policy's own batch comes to.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchFile {
    IsRight,
    Fails,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PredicateFile {
    Not(Box<PredicateFile>),
    All(Vec<PredicateFile>),
    Iff(Box<PredicateFile>, Box<PredicateFile>),
    Implies(Box<PredicateFile>, Box<PredicateFile>),
    Running,
    Crashed,
    Recovered,
    Duplicate,
    Premature,
    AtLeastOnce,
    ExactlyOnce,
    ExactlyOnceBy(Count),
    RetainedExactlyOnce,
    Covered,
    JournalIsLog,
    Dirty,
    Phantom,
    Accepted(Name, u32),
    WireEmpty,
    TwoRecoverers,
    RecovererDied,
    MessageLost,
    Forgot,
    Generation(u32),
    Fence(u32),
    Cursor(u32),
    FencedPast,
    WireBelowFence,
    Settled,
    Committed(Name, u32),
    ExactlyOncePerInstance,
    Record(Vec<Name>),
    GenerationsFall,
    RecordHides,
    Processes(RemembersFile, Name, u32),
    ProcessesEachOnce(RemembersFile),
    CopiesWithin(u32),
    Sends(RuleFile, Vec<Name>),
    SendSame(RuleFile, RuleFile),
    SendsNoMore(RuleFile, RuleFile),
}

/// A surface, or a view that the paper gives a name to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shown(pub Surfaces);

impl Shown {
    const WORDS: &'static [&'static str] = &{
        let mut words = [""; Surface::ALL.len() + VIEWS.len()];
        let mut i = 0;
        while i < words.len() {
            words[i] =
                if i < Surface::ALL.len() { Surface::ALL[i].name() } else { VIEWS[i - Surface::ALL.len()].0 };
            i += 1;
        }
        words
    };
}

impl<'de> Deserialize<'de> for Shown {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Word;
        impl Visitor<'_> for Word {
            type Value = Shown;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a surface such as accepted_record, or a view such as core")
            }
            fn visit_str<E: de::Error>(self, word: &str) -> Result<Shown, E> {
                let surface = Surface::ALL.into_iter().find(|surface| surface.name() == word);
                let view = || VIEWS.iter().find(|(name, _)| *name == word).map(|(_, view)| *view);
                surface
                    .map(|surface| Surfaces::NONE.with(surface))
                    .or_else(view)
                    .map(Shown)
                    .ok_or_else(|| E::unknown_variant(word, Shown::WORDS))
            }
        }
        deserializer.deserialize_identifier(Word)
    }
}

/// The claim that a file writes under a name. `labels`: those of the events, by their place.
pub fn claim(name: &str, given: &ClaimFile, labels: &[&str], wrong: &mut Complaints) -> Claim {
    let at = |place: &str| vec!["claims".into(), name.into(), place.into()];
    let script = |steps: &[Sentence]| steps.iter().map(|step| step.0.clone()).collect::<Vec<_>>();
    let shown =
        |words: &[Shown]| words.iter().fold(Surfaces::NONE, |all, Shown(surfaces)| all.and(*surfaces));
    let mut of_states = |that: &PredicateFile, place| predicate(that, labels, &at(place), wrong);
    let (of, from, says) = match given {
        ClaimFile::Reachable { of, from, that } => (of, &from[..], Says::Reachable(of_states(that, "that"))),
        ClaimFile::Always { of, from, that } => (of, &from[..], Says::Always(of_states(that, "that"))),
        ClaimFile::After { of, steps, that } => (of, &steps[..], Says::Holds(of_states(that, "that"))),
        ClaimFile::Refused { of, after, step } => (of, &after[..], Says::Enabled(step.0.clone(), false)),
        ClaimFile::Enabled { of, after, step } => (of, &after[..], Says::Enabled(step.0.clone(), true)),
        ClaimFile::Determined { of, among, by, what } | ClaimFile::Confusable { of, among, by, what } => {
            let decides = matches!(given, ClaimFile::Determined { .. });
            let (by, what) = (shown(by), shown(what));
            if what.is_empty() {
                let at = ["claims".into(), name.into(), "what".into()];
                wrong.add(at, "nothing is asked for", "name a surface: what: [accepted_record]");
            }
            let among = predicate(among, labels, &at("among"), wrong);
            (of, &[][..], Says::Determined { among, by, what, decides })
        }
        ClaimFile::Choices { of, after, batches } => (of, &after[..], Says::Choices((*batches).into())),
        ClaimFile::Pair { of, left, right, equal, differ, batches, batch, view, after_batch, strategies } => {
            let batches = match (batches, batch) {
                (None, None) => Batches::Unasked,
                (Some(BatchesFile::EachFails), None) => Batches::EachFails,
                (Some(BatchesFile::OneIsRight), None) => Batches::OneIsRight,
                (None, Some(BatchFile::IsRight)) => Batches::OwnIsRight,
                (None, Some(BatchFile::Fails)) => Batches::OwnFails,
                (Some(_), Some(_)) => {
                    wrong.add(
                        ["claims".into(), name.into(), "batch".into()],
                        "both `batches` and `batch` are given",
                        "keep `batches` for an open arm(any), `batch` for what the policy sends",
                    );
                    Batches::EachFails
                }
            };
            let strategies = match strategies {
                None => (Batches::Unasked, Surfaces::NONE),
                Some(StrategiesFile::EachFails { sees }) => (Batches::EachFails, shown(sees)),
                Some(StrategiesFile::OneIsRight { sees }) => (Batches::OneIsRight, shown(sees)),
            };
            if view.is_some() && batches == Batches::Unasked {
                wrong.add(
                    ["claims".into(), name.into(), "view".into()],
                    "a view is how a batch is judged, and nothing is said of a batch",
                    "write batch: is_right, batch: fails or batches: each_fails",
                );
            }
            let view = *view;
            let asks = batches != Batches::Unasked || strategies.0 != Batches::Unasked;
            if after_batch.is_some() && !matches!(batches, Batches::EachFails | Batches::OneIsRight) {
                wrong.add(
                    ["claims".into(), name.into(), "after_batch".into()],
                    "no batch is asked for",
                    "write batches: each_fails, or batches: one_is_right",
                );
            }
            if equal.is_empty() && differ.is_empty() && !asks {
                wrong.add(
                    ["claims".into(), name.into()],
                    "nothing is said of this pair",
                    "write equal: [core], differ: [accepted_record], batches: each_fails or batch: fails",
                );
            }
            let after_batch = after_batch.as_ref().map(|p| predicate(p, labels, &at("after_batch"), wrong));
            let (left, right, equal, differ) = (script(left), script(right), shown(equal), shown(differ));
            (
                of,
                &[][..],
                Says::Pair(Pair { left, right, equal, differ, batches, view, after_batch, strategies }),
            )
        }
        ClaimFile::Decidable { of, reads, earlier, redrive } => {
            (of, &[][..], decision(true, reads.as_deref().map(shown), *earlier, *redrive))
        }
        ClaimFile::Undecidable { of, reads, earlier, redrive } => {
            (of, &[][..], decision(false, reads.as_deref().map(shown), *earlier, *redrive))
        }
    };
    Claim { name: name.to_owned(), of: of.clone().map(|Name(of)| of), from: script(from), says }
}

fn decision(
    is_decidable: bool,
    reads: Option<Surfaces>,
    earlier: Earlier,
    redriven: Option<Redriven>,
) -> Says {
    Says::Decision(Decision { is_decidable, reads, earlier, redriven })
}

fn predicate(given: &PredicateFile, labels: &[&str], at: &[Part], wrong: &mut Complaints) -> Predicate {
    match given {
        PredicateFile::Not(p) => Predicate::Not(Box::new(predicate(p, labels, at, wrong))),
        PredicateFile::All(all) => {
            Predicate::All(all.iter().map(|p| predicate(p, labels, at, wrong)).collect())
        }
        PredicateFile::Iff(p, q) => {
            let mut of = |p| Box::new(predicate(p, labels, at, wrong));
            Predicate::Iff(of(p), of(q))
        }
        PredicateFile::Implies(p, q) => {
            let mut of = |p| Box::new(predicate(p, labels, at, wrong));
            Predicate::Implies(of(p), of(q))
        }
        PredicateFile::Running => Predicate::Running,
        PredicateFile::Crashed => Predicate::Crashed,
        PredicateFile::Recovered => Predicate::Recovered,
        PredicateFile::Duplicate => Predicate::Duplicate,
        PredicateFile::Premature => Predicate::Premature,
        PredicateFile::AtLeastOnce => Predicate::AtLeastOnce,
        PredicateFile::ExactlyOnce => Predicate::ExactlyOnce,
        PredicateFile::ExactlyOnceBy(count) => Predicate::ExactlyOnceBy(*count),
        PredicateFile::RetainedExactlyOnce => Predicate::RetainedExactlyOnce,
        PredicateFile::Covered => Predicate::Covered,
        PredicateFile::JournalIsLog => Predicate::JournalIsLog,
        PredicateFile::Dirty => Predicate::Dirty,
        PredicateFile::Phantom => Predicate::Phantom,
        PredicateFile::WireEmpty => Predicate::WireEmpty,
        PredicateFile::TwoRecoverers => Predicate::TwoRecoverers,
        PredicateFile::RecovererDied => Predicate::RecovererDied,
        PredicateFile::MessageLost => Predicate::MessageLost,
        PredicateFile::Forgot => Predicate::Forgot,
        PredicateFile::Accepted(label, times) => {
            Predicate::Accepted(payload(&label.0, labels, at, wrong), *times)
        }
        PredicateFile::Generation(g) => Predicate::Generation(*g),
        PredicateFile::Fence(g) => Predicate::Fence(*g),
        PredicateFile::Cursor(n) => Predicate::Cursor(*n),
        PredicateFile::FencedPast => Predicate::FencedPast,
        PredicateFile::WireBelowFence => Predicate::WireBelowFence,
        PredicateFile::Settled => Predicate::Settled,
        PredicateFile::Committed(label, times) => {
            Predicate::Committed(payload(&label.0, labels, at, wrong), *times)
        }
        PredicateFile::ExactlyOncePerInstance => Predicate::ExactlyOncePerInstance,
        PredicateFile::Record(entries) => {
            Predicate::Record(entries.iter().map(|entry| sent(&entry.0, labels, at, wrong)).collect())
        }
        PredicateFile::GenerationsFall => Predicate::GenerationsFall,
        PredicateFile::RecordHides => Predicate::RecordHides,
        PredicateFile::Processes(memory, label, times) => {
            Predicate::Processes((*memory).into(), payload(&label.0, labels, at, wrong), *times)
        }
        PredicateFile::ProcessesEachOnce(memory) => Predicate::ProcessesEachOnce((*memory).into()),
        PredicateFile::CopiesWithin(entries) => Predicate::CopiesWithin(*entries),
        PredicateFile::Sends(rule, payloads) => {
            let payloads = payloads.iter().map(|label| payload(&label.0, labels, at, wrong)).collect();
            Predicate::Sends(decided(rule, labels, at, wrong), payloads)
        }
        PredicateFile::SendSame(one, other) => {
            Predicate::SendSame(decided(one, labels, at, wrong), decided(other, labels, at, wrong))
        }
        PredicateFile::SendsNoMore(one, other) => {
            Predicate::SendsNoMore(decided(one, labels, at, wrong), decided(other, labels, at, wrong))
        }
    }
}

/// The event of this label.
fn payload(label: &str, labels: &[&str], at: &[Part], wrong: &mut Complaints) -> Payload {
    let place = labels.iter().position(|known| *known == label);
    if place.is_none() {
        wrong.0.push(Wrong::new(at, format!("no event is called `{label}`"), instead(label, labels)));
    }
    Payload(place.unwrap_or(0) as u32)
}

/// An entry of the record, as in `order-1 g0`.
fn sent(entry: &str, labels: &[&str], at: &[Part], wrong: &mut Complaints) -> (Payload, u32) {
    let parts = entry.rsplit_once(" g");
    let Some((label, Ok(generation))) = parts.map(|(label, g)| (label, g.parse())) else {
        let what = format!("`{entry}` is no entry of the record");
        wrong.0.push(Wrong::new(at, what, "write a payload and the generation that sent it: \"order-1 g0\""));
        return (Payload(0), 0);
    };
    (payload(label, labels, at, wrong), generation)
}

/// A rule that decides a batch, in a scenario that is small enough to compare batches.
fn decided(rule: &RuleFile, labels: &[&str], at: &[Part], wrong: &mut Complaints) -> BatchRule {
    if labels.len() > MOST_BATCHED_EVENTS {
        let what = format!("{} events make too many batches to compare", labels.len());
        wrong.0.push(Wrong::new(at, what, format!("use at most {MOST_BATCHED_EVENTS} events")));
    }
    match batch_rule(rule) {
        Some(BatchRule::Any | BatchRule::AnySuffix(_) | BatchRule::Custom(_)) | None => {
            let what = "this rule does not say what it sends";
            wrong.0.push(Wrong::new(at, what, "write a rule such as minus(accepted_record)"));
            BatchRule::Nothing
        }
        Some(rule) => rule,
    }
}
