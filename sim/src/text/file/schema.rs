//! What a scenario file looks like. Every field may be left out: a twin or a design then says only what it replaces,
//! field by field, and [`super::validate`] puts in the defaults.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};

use super::claim::ClaimFile;
use super::program::{PolicyFile, ProducerFile};
use super::stage::MOST_EVENTS;
use super::values::{
    Name, Named, OneOrMany, Probability, Sentence, Table, Time, Wait, Within, entries, refuse, reread,
};
use crate::model::program::Surface;
use crate::model::scenario::{
    Advance, BatchAcceptance, Commits, Counted, CrashKind, CursorIs, CursorReset, DedupKey, DedupOrder,
    DedupScope, Durability, FenceCheck, Grade, Heal, RetentionWhile, Start, StoredCoordinate, When, Writes,
};
use crate::model::verdict::Verdict;
use crate::model::words::{Word, place_of_word};

/// Structs whose fields are all optional.
macro_rules! parts {
    ($($(#[$about:meta])* $name:ident { $($field:ident: $type:ty,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, PartialEq, Debug, Default, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name { $(pub $field: Option<$type>,)* }
    )*};
}

/// What can be laid over another value of its kind: field by field where it has fields, to any depth, else as a whole.
pub trait Overlay: Clone {
    /// This, and of `base` what this does not say.
    #[must_use]
    fn over(&self, _base: &Self) -> Self {
        self.clone()
    }
}

/// What may be left out, laid over what may be left out.
pub fn over<T: Overlay>(over: &Option<T>, base: &Option<T>) -> Option<T> {
    match (over, base) {
        (Some(over), Some(base)) => Some(over.over(base)),
        (one, other) => one.clone().or_else(|| other.clone()),
    }
}

/// Such structs that can be laid over one another, field by field.
macro_rules! sections {
    ($($(#[$about:meta])* $name:ident { $($field:ident: $type:ty,)* })*) => {
        parts! { $($(#[$about])* $name { $($field: $type,)* })* }

        $(impl Overlay for $name {
            fn over(&self, base: &$name) -> $name {
                $name { $($field: over(&self.$field, &base.$field),)* }
            }
        })*
    };
}

/// Values that replace one another as a whole.
macro_rules! wholes {
    ($($type:ty),* $(,)?) => { $(impl Overlay for $type {})* };
}

impl<W: Word> Overlay for W {}
impl<T: Clone> Overlay for Vec<T> {}
impl<T: Clone> Overlay for Table<T> {}
impl<T: Clone> Overlay for OneOrMany<T> {}
impl<const MIN: u64, const MAX: u64> Overlay for Within<MIN, MAX> {}
wholes! {
    bool, u32, Wait, Time, Probability, Events, Frontier, Acknowledges, Acceptance, Keeps, CursorFaultKind,
}

sections! {
    Source {
        events: Events,
        base: Table<i64>,
        coordinates: Coordinates,
        commits: Commits,
        cursor: CursorIs,
        scope: Vec<Name>,
        fin: u32,
        every: Wait,
        act: Wait,
        outages: Vec<(Time, Time)>,
        retention: Retention,
    }

    Beginning {
        committed: u32,
        delivered: u32,
        status: Status,
    }

    Wire {
        instant: bool,
        latency: Wait,
        reorders: bool,
        loss: Strikes,
        straggler: Straggler,
        copies: Strikes,
        survives_crash: bool,
        reply: Reply,
        at_once: u32,
        outages: Vec<(Time, Time)>,
    }

    Sink {
        readable: OneOrMany<Readable>,
        stale_by: u32,
        page: u32,
        window: u32,
        fence: FenceCheck,
        dedup: Dedup,
        acknowledges: Acknowledges,
        acceptance: Acceptance,
        writes: Writes,
        contents_advance: Advance,
        batch: BatchAcceptance,
        record_keeps: u32,
        stored_coordinate: StoredCoordinate,
        rejects: Vec<Name>,
        outages: Vec<(Time, Time)>,
    }

    Recovery {
        detect: Wait,
        recoverers: Within<1, 6>,
        attempts: Within<1, 64>,
        lease: Time,
        act: Wait,
        start: Start,
        frontier: Frontier,
        heal: Heal,
        bumps_generation: bool,
        reset: CursorReset,
    }

    Faults {
        crash: Crash,
        truncation: StrikeFile,
        recoverer_dies: Crash,
        sink_crash: StrikeFile,
        cursor: CursorFault,
    }

    Judge {
        frontier: Frontier,
        when: When,
        grade: Grade,
        count: Counted,
    }

    Retention {
        drops: u32,
        after: Time,
        r#while: RetentionWhile,
    }

    Reply {
        latency: Wait,
        loss: Strikes,
    }

    Dedup {
        key: DedupKey,
        scope: DedupScope,
        keeps: Keeps,
        order: DedupOrder,
        release_on_failure: bool,
        survives: Durability,
    }

    /// How often a fault strikes: `(times: 1, chance: "1/2")`.
    StrikeFile {
        times: Within<0, 15>,
        chance: Probability,
    }

    CursorFault {
        kind: CursorFaultKind,
        chance: Probability,
    }
}

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

    /// One event: `(at: 1, key: "k", insert: 7)`.
    Event {
        at: u32,
        key: Name,
        insert: i64,
        update: i64,
        delete: bool,
        label: Name,
    }

    /// A fault that may strike often: `"1/10"`, `(one_in: 10, times: 3)` or `(chance: "1/10", times: 3)`.
    StrikesFile {
        chance: Probability,
        one_in: Within<1, { u64::MAX }>,
        times: u32,
    }

    Straggler {
        chance: Probability,
        one_in: Within<1, { u64::MAX }>,
        delay: Wait,
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

/// Words that a file may use, each the snake case of its name here.
macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$word_about:meta])* $word:ident $(($($inner:tt)*))? $({$($field:tt)*})?,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, PartialEq, Debug, Deserialize)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        pub enum $name { $($(#[$word_about])* $word $(($($inner)*))? $({$($field)*})?,)* }
    )*};
}

words! {
    /// A program of the file's own, by the name under which its designs know it.
    Program {
        #[serde(rename = "Policy")]
        Policy(PolicyFile),
        #[serde(rename = "Producer")]
        Producer(ProducerFile),
    }

    /// When the sink acknowledges: `after_persist`, or `before_persist(flush: "1s")`.
    Acknowledges {
        AfterPersist,
        BeforePersist { flush: Option<Wait> },
    }
    CursorFaultKind { Expires, RollsBack(Within<1, { u32::MAX as u64 }>), NotWritable, }
    Often { Sometimes, Never, Always, Exactly(u64), }
    Frontier { Last, At(u32), }

    /// How long a dedup key is kept: `forever`, `last(2)`, `since_accepted("1h")` or `since_seen("1h")`; `nothing`
    /// is a sink without a memory.
    Keeps {
        Nothing,
        Forever,
        Last(Within<1, { u32::MAX as u64 }>),
        SinceAccepted(Time),
        SinceSeen(Time),
    }

    /// Whether acceptance is final: `final`, or `provisional(expires: "30s")`.
    Acceptance {
        Final,
        Provisional { expires: Time },
    }

    /// Where a fault strikes: `anywhere(times: 1)`, `before(act: "persist")`, `after(act: "send", times: 2)`.
    Crash {
        Anywhere {
            times: Option<Within<0, 15>>,
            chance: Option<Probability>,
            kind: Option<CrashKind>,
            pause: Option<Wait>,
            wakes: Option<Probability>,
            after_end: Option<bool>,
        },
        Before {
            act: Name,
            times: Option<Within<0, 15>>,
            chance: Option<Probability>,
            kind: Option<CrashKind>,
            pause: Option<Wait>,
            wakes: Option<Probability>,
        },
        After {
            act: Name,
            times: Option<Within<0, 15>>,
            chance: Option<Probability>,
            kind: Option<CrashKind>,
            pause: Option<Wait>,
            wakes: Option<Probability>,
        },
    }

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

crate::model::words::words! {
    /// Whether the coordinates of a list of events may go down again.
    Coordinates {
        /// They go up along the list.
        Ascending = "ascending",
        /// They may go down again, in a source that was restored or created anew.
        Reused = "reused",
    }

    /// What the delivering process does at the start.
    Status {
        /// It runs.
        Running = "running",
        /// It has crashed, and nothing has recovered it.
        Crashed = "crashed",
    }
}

/// What a sink lets recovery read: one of the sink's surfaces, or nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Readable(pub Option<Surface>);

impl Readable {
    const SURFACES: [Surface; 4] =
        [Surface::AcceptedRecord, Surface::Contents, Surface::StoredCoordinate, Surface::DedupKeys];
    const WORDS: [&'static str; 5] = {
        let [record, contents, coordinate, keys] = Readable::SURFACES;
        ["nothing", record.name(), contents.name(), coordinate.name(), keys.name()]
    };
}

impl<'de> Deserialize<'de> for Readable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let place = place_of_word(deserializer, &Readable::WORDS)?;
        Ok(Readable(place.checked_sub(1).map(|surface| Readable::SURFACES[surface])))
    }
}

/// A crash in the same kind of place keeps what it says nothing of; one in another kind of place is another crash.
impl Overlay for Crash {
    fn over(&self, base: &Crash) -> Crash {
        // A process that is killed does not come back, so it takes no pause along, nor a chance to wake.
        let pause_over = |kind: &Option<CrashKind>, pause: &Option<Wait>, base: &Option<Wait>| match kind {
            Some(CrashKind::Kill) => *pause,
            _ => over(pause, base),
        };
        let wakes_over =
            |kind: &Option<CrashKind>, wakes: &Option<Probability>, base: &Option<Probability>| match kind {
                Some(CrashKind::Kill) => *wakes,
                _ => over(wakes, base),
            };
        let mut crash = self.clone();
        match (&mut crash, base) {
            (
                Crash::Anywhere { times, chance, kind, pause, wakes, after_end },
                Crash::Anywhere { times: t, chance: c, kind: k, pause: p, wakes: w, after_end: a },
            ) => {
                (*times, *chance, *after_end) = (over(times, t), over(chance, c), over(after_end, a));
                (*pause, *wakes) = (pause_over(kind, pause, p), wakes_over(kind, wakes, w));
                *kind = over(kind, k);
            }
            (
                Crash::Before { act: _, times, chance, kind, pause, wakes },
                Crash::Before { act: _, times: t, chance: c, kind: k, pause: p, wakes: w },
            )
            | (
                Crash::After { act: _, times, chance, kind, pause, wakes },
                Crash::After { act: _, times: t, chance: c, kind: k, pause: p, wakes: w },
            ) => {
                (*times, *chance) = (over(times, t), over(chance, c));
                (*pause, *wakes) = (pause_over(kind, pause, p), wakes_over(kind, wakes, w));
                *kind = over(kind, k);
            }
            _ => {}
        }
        crash
    }
}

/// A chance that is said in either of two ways: saying one takes back the other.
fn chance_over<C: Clone, N: Clone>(
    (chance, one_in): (&Option<C>, &Option<N>),
    base: (&Option<C>, &Option<N>),
) -> (Option<C>, Option<N>) {
    let says = chance.is_some() || one_in.is_some();
    let (chance, one_in) = if says { (chance, one_in) } else { base };
    (chance.clone(), one_in.clone())
}

impl Overlay for Strikes {
    fn over(&self, base: &Strikes) -> Strikes {
        let (Strikes(this), Strikes(base)) = (self, base);
        let (chance, one_in) = chance_over((&this.chance, &this.one_in), (&base.chance, &base.one_in));
        Strikes(StrikesFile { chance, one_in, times: over(&this.times, &base.times) })
    }
}

impl Overlay for Straggler {
    fn over(&self, base: &Straggler) -> Straggler {
        let (chance, one_in) = chance_over((&self.chance, &self.one_in), (&base.chance, &base.one_in));
        Straggler { chance, one_in, delay: over(&self.delay, &base.delay) }
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

/// `2` events that were not spelled out, or a list.
#[derive(Clone, PartialEq, Debug)]
pub enum Events {
    /// So many inserts, each of its own key.
    Count(u32),
    /// These.
    List(Vec<Event>),
}

impl<'de> Deserialize<'de> for Events {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CountOrList;
        impl<'de> Visitor<'de> for CountOrList {
            type Value = Events;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of events, or a list [(at: 1, key: \"k\", insert: 7), ..]")
            }
            fn visit_u64<E: de::Error>(self, n: u64) -> Result<Events, E> {
                u32::try_from(n).map(Events::Count).map_err(|_| {
                    refuse(
                        format_args!("{n} events are too many"),
                        format_args!("write at most {MOST_EVENTS}"),
                    )
                })
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Events, A::Error> {
                let mut events = Vec::new();
                while let Some(event) = list.next_element()? {
                    events.push(event);
                }
                Ok(Events::List(events))
            }
        }
        deserializer.deserialize_any(CountOrList)
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

/// A fault that may strike often, or only how likely it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Strikes(pub StrikesFile);

impl<'de> Deserialize<'de> for Strikes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&ron::value::RawValue>::deserialize(deserializer)?.trim().get_ron();
        if raw.starts_with('(') {
            return reread(raw).map(Strikes);
        }
        let chance = reread(raw)?;
        Ok(Strikes(StrikesFile { chance: Some(chance), ..StrikesFile::default() }))
    }
}
