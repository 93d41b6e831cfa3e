//! The source: its events as they are counted or listed, and what of them is there before the run.

use std::collections::{BTreeMap, BTreeSet};

use super::{Complaints, MILLISECOND, SECOND, delay, spans};
use crate::model::ids::{Coordinate, Key};
use crate::model::scenario::{
    Beginning, Commits, CursorIs, Delay, Event, EventKind, Retention, RetentionWhile, Source,
};
use crate::model::suggest::instead;
use crate::text::file::fields::Fields;
use crate::text::file::outline::Part;
use crate::text::file::program::Wrong;

/// The sections `source` and `start` as a file writes them.
pub mod file {
    use std::fmt;

    use serde::Deserialize;
    use serde::de::{self, Deserializer, Visitor};

    use super::MOST_EVENTS;
    use crate::model::scenario::{Commits, CursorIs, RetentionWhile};
    use crate::text::file::overlay::{Overlay, over, parts, sections, wholes};
    use crate::text::file::values::{Name, Table, Time, Wait, refuse};

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

        Retention {
            drops: u32,
            after: Time,
            r#while: RetentionWhile,
        }
    }

    parts! {
        /// One event: `(at: 1, key: "k", insert: 7)`.
        Event {
            at: u32,
            key: Name,
            insert: i64,
            update: i64,
            delete: bool,
            label: Name,
        }
    }

    wholes! { Events }

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
}

/// No scenario has more events: each is a payload that every run may commit.
pub const MOST_EVENTS: u32 = 100_000;

/// The source and its events.
pub fn source(given: &file::Source, wrong: &mut Complaints) -> Source {
    let at = |part: &'static str| [Part::from("source"), Part::from(part)];
    let mut keys: Vec<String> = Vec::new();
    let mut events = Vec::new();
    match given.events.as_ref().unwrap_or(&file::Events::Count(2)) {
        file::Events::Count(n) => {
            if *n == 0 || *n > MOST_EVENTS {
                wrong.add(
                    at("events"),
                    format!("{n} events are out of range"),
                    format!("write a number from 1 to {MOST_EVENTS}"),
                );
            } else {
                keys = (1..=*n).map(|i| format!("order-{i}")).collect();
                events = (1..=*n)
                    .map(|i| Event {
                        label: format!("order-{i}"),
                        coordinate: Coordinate(i),
                        kind: EventKind::Insert,
                        key: Key(i - 1),
                        value: Some(i64::from(i)),
                    })
                    .collect();
            }
        }
        file::Events::List(list) => {
            if list.is_empty() || list.len() > MOST_EVENTS as usize {
                wrong.add(
                    at("events"),
                    format!("{} events are out of range", list.len()),
                    format!("write from 1 to {MOST_EVENTS} events"),
                );
            } else {
                let reused = matches!(given.coordinates, Some(file::Coordinates::Reused));
                events = listed(list, reused, &mut keys, wrong);
            }
        }
    }
    let base = base_map(given, &mut keys);
    let last = events.iter().map(|event| event.coordinate.0).max().unwrap_or(0);
    let fin = given.fin.unwrap_or(last);
    let scope = match &given.scope {
        None => vec![true; keys.len()],
        Some(names) => {
            let known: BTreeSet<&str> = keys.iter().map(String::as_str).collect();
            for (i, name) in names.iter().enumerate().filter(|(_, name)| !known.contains(name.0.as_str())) {
                let known: Vec<&str> = keys.iter().take(20).map(String::as_str).collect();
                let at = ["source".into(), "scope".into(), i.into()];
                wrong.add(at, format!("no event sets the key `{}`", name.0), instead(&name.0, &known));
            }
            let owed: BTreeSet<&str> = names.iter().map(|name| name.0.as_str()).collect();
            keys.iter().map(|key| owed.contains(key.as_str())).collect()
        }
    };
    let retention = given.retention.as_ref().and_then(|given| {
        let drops = given.drops.unwrap_or(1);
        if drops as usize > events.len() && !events.is_empty() {
            let at = ["source".into(), "retention".into(), "drops".into()];
            wrong.add(
                at,
                format!("retention drops {drops} of {} events", events.len()),
                format!("write at most {}", events.len()),
            );
        }
        let during = given.r#while.unwrap_or(RetentionWhile::Any);
        (drops > 0).then_some(Retention { drops, during, after: given.after.map_or(SECOND, |time| time.0) })
    });
    Source {
        commits: given.commits.unwrap_or(Commits::All),
        cursor: given.cursor.unwrap_or(CursorIs::Count),
        scope,
        fin: Coordinate(fin),
        every: delay(given.every, Delay::Constant(10 * MILLISECOND)),
        act: delay(given.act, Delay::Constant(MILLISECOND)),
        outages: spans("source", &given.outages, wrong),
        retention,
        events,
        keys,
        base,
    }
}

/// What is there of each key before any event. A key that no event sets is one more key.
fn base_map(given: &file::Source, keys: &mut Vec<String>) -> Vec<Option<i64>> {
    let values: BTreeMap<&str, i64> =
        given.base.iter().flat_map(|base| &base.0).map(|(key, value)| (key.as_str(), *value)).collect();
    let set: BTreeSet<String> = keys.iter().cloned().collect();
    let unset = given.base.iter().flat_map(|base| &base.0).filter(|(key, _)| !set.contains(key));
    keys.extend(unset.map(|(key, _)| key.clone()));
    keys.iter().map(|key| values.get(key.as_str()).copied()).collect()
}

/// What had happened before the run.
pub fn start(given: &file::Beginning, source: &Source, wrong: &mut Complaints) -> Beginning {
    let events = source.events.len() as u32;
    let committed = given.committed.unwrap_or(0);
    let delivered = given.delivered.unwrap_or(0);
    if committed > events {
        wrong.add(
            ["start".into(), "committed".into()],
            format!("{committed} events are committed at the start, and the source has {events}"),
            format!("write at most {events}"),
        );
    }
    if delivered > committed {
        wrong.add(
            ["start".into(), "delivered".into()],
            format!("{delivered} events are delivered at the start, and {committed} are committed"),
            format!("write at most {committed}, or more under `committed`"),
        );
    }
    Beginning { committed, delivered, crashed: given.status == Some(file::Status::Crashed) }
}

/// `reused`: coordinates may go down again, in a source that was restored or created anew, or where they are allocated
/// before they become visible.
fn listed(list: &[file::Event], reused: bool, keys: &mut Vec<String>, wrong: &mut Complaints) -> Vec<Event> {
    let mut labels = BTreeSet::new();
    let mut key_index = BTreeMap::new();
    let mut last = 0;
    let mut events = Vec::new();
    for (i, given) in list.iter().enumerate() {
        let at = |part: &'static str| ["source".into(), "events".into(), i.into(), part.into()];
        let whole = || ["source".into(), "events".into(), i.into()];
        let coordinate = given.at.unwrap_or(last + 1);
        if coordinate == 0 || !reused && coordinate < last || coordinate == u32::MAX {
            wrong.add(
                at("at"),
                format!("the coordinate {coordinate} is out of order"),
                format!(
                    "write coordinates from 1 up; this one at least {}, or say coordinates: reused",
                    last.max(1)
                ),
            );
        }
        last = if reused { coordinate } else { coordinate.max(last) }.min(u32::MAX - 1);
        let (kind, value) = match (given.insert, given.update, given.delete) {
            (Some(value), None, None) => (EventKind::Insert, Some(value)),
            (None, Some(value), None) => (EventKind::Update, Some(value)),
            (None, None, Some(true)) => (EventKind::Delete, None),
            _ => {
                wrong.add(
                    whole(),
                    "an event is exactly one of `insert`, `update` and `delete`",
                    "write insert: 7, update: 9 or delete: true",
                );
                (EventKind::Insert, None)
            }
        };
        let label = given.label.as_ref().map_or_else(|| format!("order-{}", i + 1), |label| label.0.clone());
        if !labels.insert(label.clone()) {
            let at = if given.label.is_some() { at("label").to_vec() } else { whole().to_vec() };
            wrong.0.push(Wrong::new(
                &at,
                format!("another event is called `{label}`"),
                "give this one a label of its own",
            ));
        }
        let key = given.key.as_ref().map_or_else(|| label.clone(), |key| key.0.clone());
        let index = *key_index.entry(key.clone()).or_insert_with(|| {
            keys.push(key);
            keys.len() - 1
        });
        let key = Key(u32::try_from(index).unwrap_or(u32::MAX));
        events.push(Event { label, coordinate: Coordinate(coordinate), kind, key, value });
    }
    events
}

/// Whether a number of events that is not spelled out stands for these.
fn is_a_count(source: &Source) -> bool {
    source.keys.len() == source.events.len()
        && source.base.iter().all(Option::is_none)
        && (1..).zip(&source.events).all(|(i, e)| {
            let name = format!("order-{i}");
            e.coordinate.0 == i
                && e.key.0 == i - 1
                && e.value == Some(i64::from(i))
                && e.label == name
                && source.keys[e.key.0 as usize] == name
        })
}

/// The section as a file writes it, without what it would mean by saying nothing.
pub fn written(source: &Source) -> Fields {
    use crate::text::file::fields::{WIDTH, delay, list, quoted, spans, time, word};

    let mut fields = Fields::default();
    if is_a_count(source) {
        fields.say("events", source.events.len());
    } else {
        let mut last = 0;
        let events: Vec<String> = (1..)
            .zip(&source.events)
            .map(|(i, event)| {
                let mut said = Fields::default();
                let key = &source.keys[event.key.0 as usize];
                said.say_unless("at", event.coordinate.0, last + 1, u32::to_string);
                said.say_unless("key", key, &event.label, |k| quoted(k));
                match (event.kind, event.value) {
                    (EventKind::Update, Some(value)) => said.say("update", value),
                    (_, Some(value)) => said.say("insert", value),
                    (_, None) => said.say("delete", true),
                }
                said.say_unless("label", &event.label, &format!("order-{i}"), |l| quoted(l));
                last = event.coordinate.0;
                said.text()
            })
            .collect();
        let one_line = format!("[{}]", events.join(", "));
        fields.say(
            "events",
            if one_line.len() < WIDTH - 30 {
                one_line
            } else {
                format!("[\n            {},\n        ]", events.join(",\n            "))
            },
        );
    }
    let base = source.keys.iter().zip(&source.base);
    let base: Vec<String> =
        base.filter_map(|(key, value)| value.map(|value| format!("{}: {value}", quoted(key)))).collect();
    if !base.is_empty() {
        fields.say("base", format!("{{{}}}", base.join(", ")));
    }
    if source.events.windows(2).any(|pair| pair[1].coordinate < pair[0].coordinate) {
        fields.say("coordinates", "reused");
    }
    let last = source.events.iter().map(|e| e.coordinate).max().unwrap_or_default();
    fields.say_unless("commits", source.commits, Commits::All, word);
    fields.say_unless("cursor", source.cursor, CursorIs::Count, word);
    if source.scope.contains(&false) {
        let owed = source.keys.iter().zip(&source.scope).filter(|(_, owed)| **owed);
        fields.say("scope", list(owed.map(|(key, _)| quoted(key))));
    }
    fields.say_unless("fin", source.fin, last, |c| c.0.to_string());
    fields.say_unless("every", source.every, Delay::Constant(10_000), delay);
    fields.say_unless("act", source.act, Delay::Constant(1_000), delay);
    fields.say_unless("outages", source.outages.clone(), vec![], |s| spans(s));
    if let Some(Retention { drops, during, after }) = source.retention {
        let mut said = Fields::default();
        said.say("drops", drops);
        said.say("after", time(&after));
        said.say_unless("while", during, RetentionWhile::Any, word);
        fields.say("retention", said.text());
    }
    fields
}

/// The section as a file writes it, without what it would mean by saying nothing.
pub fn start_written(start: &Beginning) -> Fields {
    let mut fields = Fields::default();
    fields.say_unless("committed", start.committed, 0, u32::to_string);
    fields.say_unless("delivered", start.delivered, 0, u32::to_string);
    if start.crashed {
        fields.say("status", "crashed");
    }
    fields
}
