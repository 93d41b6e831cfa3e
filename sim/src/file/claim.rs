//! How a file writes claims.

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

use super::diagnose::instead;
use super::program::Wrong;
use super::stage::Complaints;
use super::values::{Name, Sentence};
use crate::bound::VIEWS;
use crate::claim::{Batches, Claim, Count, Pair, Predicate, Says};
use crate::ids::Payload;
use crate::program::{Surface, Surfaces};

/// `always(that: ..)`, `reachable(of: "cursor", that: ..)`, `pair(left: [..], right: [..], ..)`.
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
        batch: Option<BatchFile>,
        view: Option<CountFile>,
    },
    Reachable {
        of: Option<Name>,
        that: PredicateFile,
    },
    Always {
        of: Option<Name>,
        that: PredicateFile,
    },
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchesFile {
    EachFails,
    OneIsRight,
}

/// What the policy's own batch comes to.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchFile {
    IsRight,
    Fails,
}

/// How deliveries are counted that can be taken back.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountFile {
    MatchedCancellation,
    SignedNet,
    Truncated,
}

impl From<&CountFile> for Count {
    fn from(file: &CountFile) -> Count {
        match file {
            CountFile::MatchedCancellation => Count::MatchedCancellation,
            CountFile::SignedNet => Count::SignedNet,
            CountFile::Truncated => Count::Truncated,
        }
    }
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
    ExactlyOnceBy(CountFile),
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
    let (of, says) = match given {
        ClaimFile::Pair { of, left, right, equal, differ, batches, batch, view } => {
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
            if view.is_some() && batches == Batches::Unasked {
                wrong.add(
                    ["claims".into(), name.into(), "view".into()],
                    "a view is how a batch is judged, and nothing is said of a batch",
                    "write batch: is_right, batch: fails or batches: each_fails",
                );
            }
            let view = view.as_ref().map(Count::from);
            if equal.is_empty() && differ.is_empty() && batches == Batches::Unasked {
                wrong.add(
                    ["claims".into(), name.into()],
                    "nothing is said of this pair",
                    "write equal: [core], differ: [accepted_record], batches: each_fails or batch: fails",
                );
            }
            let (left, right, equal, differ) = (script(left), script(right), shown(equal), shown(differ));
            (of, Says::Pair(Pair { left, right, equal, differ, batches, view }))
        }
        ClaimFile::Reachable { of, that } => {
            (of, Says::Reachable(predicate(that, labels, &at("that"), wrong)))
        }
        ClaimFile::Always { of, that } => (of, Says::Always(predicate(that, labels, &at("that"), wrong))),
    };
    Claim { name: name.to_owned(), of: of.clone().map(|Name(of)| of), says }
}

fn predicate(
    given: &PredicateFile,
    labels: &[&str],
    at: &[super::outline::Part],
    wrong: &mut Complaints,
) -> Predicate {
    let mut of = |p: &PredicateFile| predicate(p, labels, at, wrong);
    match given {
        PredicateFile::Not(p) => Predicate::Not(Box::new(of(p))),
        PredicateFile::All(all) => Predicate::All(all.iter().map(of).collect()),
        PredicateFile::Iff(p, q) => Predicate::Iff(Box::new(of(p)), Box::new(of(q))),
        PredicateFile::Implies(p, q) => Predicate::Implies(Box::new(of(p)), Box::new(of(q))),
        PredicateFile::Running => Predicate::Running,
        PredicateFile::Crashed => Predicate::Crashed,
        PredicateFile::Recovered => Predicate::Recovered,
        PredicateFile::Duplicate => Predicate::Duplicate,
        PredicateFile::Premature => Predicate::Premature,
        PredicateFile::AtLeastOnce => Predicate::AtLeastOnce,
        PredicateFile::ExactlyOnce => Predicate::ExactlyOnce,
        PredicateFile::ExactlyOnceBy(count) => Predicate::ExactlyOnceBy(count.into()),
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
        PredicateFile::Accepted(Name(label), times) => {
            let place = labels.iter().position(|known| known == label);
            if place.is_none() {
                wrong.0.push(Wrong::new(at, format!("no event is called `{label}`"), instead(label, labels)));
            }
            Predicate::Accepted(Payload(place.unwrap_or(0) as u32), *times)
        }
    }
}
