//! What a scenario file looks like. Every field may be left out: a twin or a design then says only what it replaces,
//! field by field, and [`super::validate`] puts in the defaults.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

use super::claim::ClaimFile;
use super::overlay::{parts, words};
use super::program::{PolicyFile, ProducerFile};
use super::stage::faults::file::Faults;
use super::stage::judge::file::Judge;
use super::stage::recovery::file::Recovery;
use super::stage::sink::file::Sink;
use super::stage::source::file::{Beginning, Source};
use super::stage::wire::file::Wire;
use super::values::{Name, Named, Sentence, Table, Within, entries};
use crate::model::verdict::Verdict;

parts! {
    /// A whole file.
    Scenario {
        about: Sentence,
        parameters: Parameters,
        programs: Table<Program>,
        source: Source,
        start: Beginning,
        producer: Named<ProducerFile>,
        relay: Named<ProducerFile>,
        wire: Wire,
        sink: Sink,
        recovery: Recovery,
        faults: Faults,
        judge: Judge,
        designs: Designs,
        expect: Table<Expect>,
        check_by: Vec<CheckBy>,
        claims: Table<ClaimFile>,
        twins: Table<Twin>,
    }

    /// The scenario with some of its fields replaced, and expectations of its own.
    Twin {
        source: Source,
        start: Beginning,
        producer: Named<ProducerFile>,
        relay: Named<ProducerFile>,
        wire: Wire,
        sink: Sink,
        recovery: Recovery,
        faults: Faults,
        judge: Judge,
        designs: Designs,
        expect: Table<Expect>,
        check_by: Vec<CheckBy>,
        claims: Table<ClaimFile>,
    }

    /// A row of the shootout with its own stage.
    Design {
        policy: Named<PolicyFile>,
        producer: Named<ProducerFile>,
        relay: Named<ProducerFile>,
        wire: Wire,
        sink: Sink,
        recovery: Recovery,
    }
}

/// What is expected of one design: verdicts by their names, in the order of the register.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Expect(pub Vec<(Verdict, Often)>);

impl<'de> Deserialize<'de> for Expect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Expect, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Expect;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("struct Expect")
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Expect, A::Error> {
                let mut expect: Vec<(Verdict, Often)> = Vec::new();
                while let Some(VerdictName(verdict)) = map.next_key()? {
                    if expect.iter().any(|(known, _)| *known == verdict) {
                        return Err(de::Error::duplicate_field(verdict.name()));
                    }
                    if let Some(often) = map.next_value()? {
                        expect.push((verdict, often));
                    }
                }
                expect.sort_by_key(|(verdict, _)| *verdict);
                Ok(Expect(expect))
            }
        }

        deserializer.deserialize_struct("Expect", &Verdict::NAMES, Fields)
    }
}

/// A verdict as the name of a field.
struct VerdictName(Verdict);

impl<'de> Deserialize<'de> for VerdictName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<VerdictName, D::Error> {
        struct Name;

        impl Visitor<'_> for Name {
            type Value = VerdictName;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("field identifier")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<VerdictName, E> {
                let verdict = Verdict::named(name);
                verdict.map(VerdictName).ok_or_else(|| E::unknown_field(name, &Verdict::NAMES))
            }
        }

        deserializer.deserialize_identifier(Name)
    }
}

words! {
    /// A program of the file's own, by the name under which its designs know it.
    Program {
        #[serde(rename = "Policy")]
        Policy(PolicyFile),
        #[serde(rename = "Producer")]
        Producer(ProducerFile),
    }

    Often { Sometimes, Never, Always, Exactly(u64), }

    /// Under which strategy seeds are judged, where it is not both.
    Under { Timed, Uniform, }

    /// How `check` judges: `seeds(1000)`, `seeds(1000, timed)`, `explore`.
    CheckBy {
        Seeds(Within<1, { u64::MAX }>, #[serde(default)] Option<Under>),
        Explore,
        CrashAtEveryStep,
        Script(Vec<Sentence>),
    }
}

/// Parameters are put in before the file is read; here they are only passed over.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameters;

impl<'de> Deserialize<'de> for Parameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Table::<de::IgnoredAny>::deserialize(deserializer).map(|_| Parameters)
    }
}

/// `["cursor", "fenced"]`, or a map that gives a row its own name and stage.
#[derive(Clone, PartialEq, Debug)]
pub struct Designs(pub Vec<(String, Design)>);

impl<'de> Deserialize<'de> for Designs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListOrMap;
        impl<'de> Visitor<'de> for ListOrMap {
            type Value = Designs;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of policies [\"cursor\", ..], or a map {\"cursor, last 2\": (policy: \"cursor\", ..), ..}")
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Designs, A::Error> {
                let mut designs = Vec::new();
                while let Some(Name(name)) = list.next_element()? {
                    designs.push((name, Design::default()));
                }
                Ok(Designs(designs))
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Designs, A::Error> {
                entries(map).map(|Table(designs)| Designs(designs))
            }
        }
        deserializer.deserialize_any(ListOrMap)
    }
}
