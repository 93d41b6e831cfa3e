//! The source: its events as they are counted or listed, and what of them is there before the run.

use std::collections::{BTreeMap, BTreeSet};

use super::{Complaints, MILLISECOND, SECOND, delay, spans};
use crate::model::ids::{Coordinate, Key};
use crate::model::scenario::{
    Beginning, Commits, CursorIs, Delay, Event, EventKind, Retention, RetentionWhile, Source,
};
use crate::model::suggest::instead;
use crate::text::file::outline::Part;
use crate::text::file::program::Wrong;
use crate::text::file::schema as file;

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
