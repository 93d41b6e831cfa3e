//! From the sections of a file to the parts of a stage: defaults are put in, and settings that contradict each other
//! are refused.

use std::collections::{BTreeMap, BTreeSet};

use super::diagnose::{instead, one_of};
use super::outline::Part;
use super::program::Wrong;
use super::schema as file;
use super::values::{Probability, Time, Wait, Within};
use crate::ids::{Coordinate, Key, Payload};
use crate::program::{Act, Producer, Surface, Surfaces};
use crate::ratio::Ratio;
use crate::scenario::*;

/// No scenario has more events: each is a payload that every run may commit.
pub const MOST_EVENTS: u32 = 100_000;

const MILLISECOND: u64 = 1_000;
const SECOND: u64 = 1_000 * MILLISECOND;

/// Where the complaints of one section go. Paths are relative to the stage: `["wire", "latency"]`.
pub struct Complaints(pub Vec<Wrong>);

impl Complaints {
    pub fn add<const N: usize>(
        &mut self,
        at: [Part; N],
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.0.push(Wrong::new(&at, message, help));
    }
}

fn ratio(num: u64, den: u64) -> Ratio {
    Ratio::new(num, den).unwrap_or(Ratio::ALWAYS)
}

fn delay(wait: Option<Wait>, default: Delay) -> Delay {
    wait.map_or(default, |wait| wait.0)
}

fn spans(section: &str, outages: &Option<Vec<(Time, Time)>>, wrong: &mut Complaints) -> Vec<Span> {
    let outages = outages.as_deref().unwrap_or_default();
    let mut end = 0;
    for (i, (from, to)) in outages.iter().enumerate() {
        if from.0 >= to.0 || from.0 < end {
            let at = [section.into(), "outages".into(), i.into()];
            wrong.add(
                at,
                "this outage ends before it starts, or starts before the one above ends",
                "write outages in order: [(\"10s\", \"20s\"), ..]",
            );
        }
        end = to.0;
    }
    outages.iter().map(|(from, to)| Span { from: from.0, to: to.0 }).collect()
}

/// A chance given as `chance` or as `one_in`.
fn chance(
    at: &[Part],
    chance: Option<Probability>,
    one_in: Option<Within<1, { u64::MAX }>>,
    default: Ratio,
    wrong: &mut Complaints,
) -> Ratio {
    match (chance, one_in) {
        (Some(_), Some(_)) => {
            wrong.0.push(Wrong::new(at, "both `chance` and `one_in` are given", "keep one of the two"));
            default
        }
        (Some(chance), None) => chance.0,
        (None, Some(n)) => Ratio::one_in(n.get()).unwrap_or(default),
        (None, None) => default,
    }
}

/// A fault that may strike often; none when it cannot strike at all.
fn strikes(at: &[Part], strikes: &Option<file::Strikes>, wrong: &mut Complaints) -> Option<Chance> {
    let file::Strikes(given) = strikes.as_ref()?;
    let chance = chance(at, given.chance, given.one_in, ratio(1, 10), wrong);
    (chance != Ratio::NEVER && given.times != Some(0)).then_some(Chance { chance, times: given.times })
}

/// Copies make more messages out of nothing, so they have a bound even where none is said.
fn copies(given: &Option<file::Strikes>, wrong: &mut Complaints) -> Option<Chance> {
    const MOST: u32 = 15;
    let at: [Part; 2] = ["wire".into(), "copies".into()];
    let copies = strikes(&at, given, wrong)?;
    let times = copies.times.unwrap_or(1);
    if times > MOST {
        wrong.add(at, format!("{times} copies are too many"), format!("write times: {MOST} or fewer"));
    }
    Some(Chance { times: Some(times.min(MOST)), ..copies })
}

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
        (drops > 0).then_some(Retention { drops, after: given.after.map_or(SECOND, |time| time.0) })
    });
    Source {
        commits: match given.commits.as_ref().unwrap_or(&file::Commits::All) {
            file::Commits::All => Commits::All,
            file::Commits::Any => Commits::Any,
        },
        cursor: match given.cursor.as_ref().unwrap_or(&file::CursorIs::Count) {
            file::CursorIs::Count => CursorIs::Count,
            file::CursorIs::Coordinate => CursorIs::Coordinate,
        },
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
        let value = match (given.insert, given.update, given.delete) {
            (Some(value), None, None) | (None, Some(value), None) => Some(value),
            (None, None, Some(true)) => None,
            _ => {
                wrong.add(
                    whole(),
                    "an event is exactly one of `insert`, `update` and `delete`",
                    "write insert: 7, update: 9 or delete: true",
                );
                None
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
        events.push(Event { label, coordinate: Coordinate(coordinate), key, value });
    }
    events
}

/// What lies between.
pub fn wire(given: &file::Wire, wrong: &mut Complaints) -> Wire {
    let latency = delay(given.latency, Delay::Uniform(MILLISECOND, 20 * MILLISECOND));
    let straggler = given.straggler.as_ref().and_then(|given| {
        let at = [Part::from("wire"), Part::from("straggler")];
        let chance = chance(&at, given.chance, given.one_in, ratio(1, 10), wrong);
        let delay = delay(given.delay, Delay::Exponential(30 * SECOND));
        (chance != Ratio::NEVER).then_some(Straggler { chance, delay })
    });
    let reply = given.reply.clone().unwrap_or_default();
    Wire {
        latency,
        instant: given.instant.unwrap_or(false),
        reorders: given.reorders.unwrap_or(true),
        loss: strikes(&["wire".into(), "loss".into()], &given.loss, wrong),
        straggler,
        copies: copies(&given.copies, wrong),
        survives_crash: given.survives_crash.unwrap_or(true),
        reply: Reply {
            latency: delay(reply.latency, latency),
            loss: strikes(&["wire".into(), "reply".into(), "loss".into()], &reply.loss, wrong),
        },
        at_once: given.at_once.unwrap_or(0),
        outages: spans("wire", &given.outages, wrong),
    }
}

/// What accepts. `events` are those of the source, whose labels `rejects` names.
pub fn sink(given: &file::Sink, events: &[Event], wrong: &mut Complaints) -> Sink {
    let readable = given.readable.as_ref().map_or_else(
        || [Surface::AcceptedRecord, Surface::Contents].into_iter().collect(),
        |words| words.0.iter().filter_map(readable).collect::<Surfaces>(),
    );
    let mut rejects = Vec::new();
    let labelled: BTreeMap<&str, u32> = if given.rejects.is_some() {
        (0..).zip(events).map(|(i, e)| (e.label.as_str(), i)).collect()
    } else {
        BTreeMap::new()
    };
    for (i, name) in given.rejects.iter().flatten().enumerate() {
        match labelled.get(name.0.as_str()) {
            Some(index) => rejects.push(Payload(*index)),
            None => {
                let labels: Vec<&str> = events.iter().take(20).map(|event| event.label.as_str()).collect();
                let at = ["sink".into(), "rejects".into(), i.into()];
                wrong.add(at, format!("no event is called `{}`", name.0), instead(&name.0, &labels));
            }
        }
    }
    use file::{
        Acceptance as A, Acknowledges as K, Advance as V, BatchAcceptance as B, FenceCheck as F, Writes as W,
    };
    Sink {
        readable,
        read: SinkRead {
            stale_by: given.stale_by.unwrap_or(0),
            page: given.page.unwrap_or(0),
            window: given.window.unwrap_or(0),
        },
        fence: match given.fence.as_ref().unwrap_or(&F::Arrival) {
            F::Nowhere => FenceCheck::Nowhere,
            F::Arrival => FenceCheck::Arrival,
            F::Fire => FenceCheck::Fire,
            F::Completion => FenceCheck::Completion,
            F::CursorStore => FenceCheck::CursorStore,
            F::LockStore => FenceCheck::LockStore,
        },
        dedup: given.dedup.as_ref().and_then(|given| dedup(given, wrong)),
        acknowledges: match given.acknowledges.as_ref().unwrap_or(&K::AfterPersist) {
            K::AfterPersist => Acknowledges::AfterPersist,
            K::BeforePersist { flush } => {
                Acknowledges::BeforePersist { flush: delay(*flush, Delay::Constant(SECOND)) }
            }
        },
        acceptance: match given.acceptance.as_ref().unwrap_or(&A::Final) {
            A::Final => Acceptance::Final,
            A::Provisional { expires } => Acceptance::Provisional { expires: expires.0 },
        },
        writes: match given.writes.as_ref().unwrap_or(&W::Append) {
            W::Append => Writes::Append,
            W::Overwrite => Writes::Overwrite,
            W::Register => Writes::Register,
            W::VersionGuarded => Writes::VersionGuarded,
        },
        contents_advance: match given.contents_advance.as_ref().unwrap_or(&V::Acceptance) {
            V::Acceptance => Advance::Acceptance,
            V::Send => Advance::Send,
        },
        batch: match given.batch.as_ref().unwrap_or(&B::EachEntry) {
            B::EachEntry => BatchAcceptance::EachEntry,
            B::AllOrNothing => BatchAcceptance::AllOrNothing,
            B::AsOne => BatchAcceptance::AsOne,
        },
        record_keeps: given.record_keeps,
        rejects,
        outages: spans("sink", &given.outages, wrong),
    }
}

fn readable(word: &file::Readable) -> Option<Surface> {
    match word {
        file::Readable::Nothing => None,
        file::Readable::AcceptedRecord => Some(Surface::AcceptedRecord),
        file::Readable::Contents => Some(Surface::Contents),
        file::Readable::StoredCoordinate => Some(Surface::StoredCoordinate),
        file::Readable::DedupKeys => Some(Surface::DedupKeys),
    }
}

fn dedup(given: &file::Dedup, wrong: &mut Complaints) -> Option<Dedup> {
    use file::{DedupKey as K, DedupOrder as O, DedupScope as S, Durability as D, Keeps as P};
    let keeps = match given.keeps.as_ref().unwrap_or(&P::Forever) {
        P::Nothing => return None,
        P::Forever => Keeps::Forever,
        P::Last(n) => Keeps::Last(n.get()),
        P::SinceAccepted(time) => Keeps::For { ticks: time.0, since_last_seen: false },
        P::SinceSeen(time) => Keeps::For { ticks: time.0, since_last_seen: true },
    };
    let order = match given.order.as_ref().unwrap_or(&O::Atomic) {
        O::Atomic => DedupOrder::Atomic,
        O::EffectFirst => DedupOrder::EffectFirst,
        O::RememberFirst => DedupOrder::RememberFirst,
    };
    let release_on_failure = given.release_on_failure.unwrap_or(false);
    if release_on_failure && order != DedupOrder::RememberFirst {
        let at = ["sink".into(), "dedup".into(), "release_on_failure".into()];
        wrong.add(
            at,
            "only a key that is remembered before the effect can be released",
            "write order: remember_first, or leave this out",
        );
    }
    Some(Dedup {
        key: match given.key.as_ref().unwrap_or(&K::Coordinate) {
            K::Coordinate => DedupKey::Coordinate,
            K::Content => DedupKey::Content,
            K::Attempt => DedupKey::Attempt,
            K::Incarnation => DedupKey::Incarnation,
        },
        scope: match given.scope.as_ref().unwrap_or(&S::Sink) {
            S::Sink => DedupScope::Sink,
            S::Producer => DedupScope::Producer,
        },
        keeps,
        order,
        release_on_failure,
        survives: match given.survives.as_ref().unwrap_or(&D::Durable) {
            D::Durable => Durability::Durable,
            D::Volatile => Durability::Volatile,
            D::Rebuilt => Durability::Rebuilt,
        },
    })
}

/// A frontier, which lies within the run.
fn frontier(
    section: &str,
    given: &Option<file::Frontier>,
    fin: Coordinate,
    wrong: &mut Complaints,
) -> Frontier {
    match given {
        None | Some(file::Frontier::Last) => Frontier::Last,
        Some(file::Frontier::At(n)) => {
            if *n > fin.0 {
                let at = [section.into(), "frontier".into()];
                wrong.add(
                    at,
                    format!("the frontier {n} lies beyond the end of the run at {}", fin.0),
                    format!("write `last`, or at(n) with n at most {}", fin.0),
                );
            }
            Frontier::At(Coordinate(*n))
        }
    }
}

/// Who recovers, and when. `fin` is the end of the run.
pub fn recovery(given: &file::Recovery, fin: Coordinate, wrong: &mut Complaints) -> Recovery {
    let recoverers: u8 = given.recoverers.map_or(1, Within::get);
    let lease = given.lease.map(|time| time.0).filter(|ticks| *ticks > 0);
    if lease.is_some() && recoverers < 2 {
        let at = ["recovery".into(), "lease".into()];
        wrong.add(
            at,
            "a lapsed lease starts a second recoverer, and only one is allowed",
            "write recoverers: 2, or leave out the lease",
        );
    }
    let attempts = given.attempts.map_or(u16::from(recoverers).max(4), Within::get);
    if attempts < u16::from(recoverers) {
        let at = ["recovery".into(), "attempts".into()];
        wrong.add(
            at,
            format!("{recoverers} recoverers cannot all start in {attempts} attempts"),
            format!("write at least {recoverers}"),
        );
    }
    Recovery {
        detect: delay(given.detect, Delay::Constant(5 * SECOND)),
        recoverers,
        attempts,
        lease,
        act: delay(given.act, Delay::Constant(MILLISECOND)),
        start: match given.start.as_ref().unwrap_or(&file::Start::Step) {
            file::Start::Step => Start::Step,
            file::Start::Fused => Start::Fused,
        },
        frontier: frontier("recovery", &given.frontier, fin, wrong),
        heal: match given.heal.as_ref().unwrap_or(&file::Heal::Free) {
            file::Heal::Once => Heal::Once,
            file::Heal::Free => Heal::Free,
        },
        bumps_generation: given.bumps_generation.unwrap_or(true),
        reset: match given.reset.as_ref().unwrap_or(&file::CursorReset::OldestRetained) {
            file::CursorReset::Earliest => CursorReset::Earliest,
            file::CursorReset::Latest => CursorReset::Latest,
            file::CursorReset::OldestRetained => CursorReset::OldestRetained,
            file::CursorReset::Fail => CursorReset::Fail,
        },
    }
}

/// What may go wrong. `delivering` is the program that a crash strikes; its acts are the places it has.
pub fn faults(given: &file::Faults, delivering: &Producer, wrong: &mut Complaints) -> Faults {
    let acts: Vec<&str> = delivering
        .sections
        .iter()
        .flat_map(|(_, steps)| steps)
        .flat_map(|step| &step.acts)
        .map(Act::name)
        .collect();
    let crash = given.crash.as_ref().and_then(|given| {
        let blow = blow("crash", given, &acts, &delivering.name, wrong);
        let kind = match blow.kind.unwrap_or(file::CrashKind::Kill) {
            file::CrashKind::Kill => CrashKind::Kill,
            file::CrashKind::Pause => CrashKind::Pause,
        };
        if blow.pause.is_some() && kind == CrashKind::Kill {
            let at = ["faults".into(), "crash".into(), "pause".into()];
            wrong.add(
                at,
                "a process that is killed does not come back",
                "write kind: pause, or leave this out",
            );
        }
        (blow.strike.times > 0).then_some(Crash {
            times: blow.strike.times,
            at: blow.strike.at,
            chance: blow.strike.chance,
            kind,
            pause: delay(blow.pause, Delay::Exponential(30 * SECOND)),
            after_end: blow.after_end.unwrap_or(true),
        })
    });
    let recoverer_dies = given.recoverer_dies.as_ref().and_then(|given| {
        let acts = ["read", "arm", "heal", "recover", "fence", "fire", "persist", "release", "resume"];
        let blow = blow("recoverer_dies", given, &acts, "recoverer", wrong);
        if blow.kind.is_some() || blow.pause.is_some() || blow.after_end.is_some() {
            wrong.add(
                ["faults".into(), "recoverer_dies".into()],
                "a recoverer that dies is gone, and dies only while it runs",
                "leave out `kind`, `pause` and `after_end`",
            );
        }
        (blow.strike.times > 0).then_some(blow.strike)
    });
    let sink_crash = given.sink_crash.as_ref().and_then(|given| {
        let strike = Strike {
            times: given.times.map_or(1, Within::get),
            at: Window::Anywhere,
            chance: given.chance.map_or(ratio(9, 10), |chance| chance.0),
        };
        (strike.times > 0).then_some(strike)
    });
    let cursor = given.cursor.as_ref().and_then(|given| {
        use file::CursorFaultKind as K;
        let chance = given.chance.map_or(Ratio::ALWAYS, |chance| chance.0);
        (chance != Ratio::NEVER).then_some(CursorFault {
            kind: match given.kind.as_ref().unwrap_or(&K::Expires) {
                K::Expires => CursorFaultKind::Expires,
                K::RollsBack(n) => CursorFaultKind::RollsBack(n.get()),
                K::NotWritable => CursorFaultKind::NotWritable,
            },
            chance,
        })
    });
    let truncation = given.truncation.as_ref().and_then(|given| {
        let strike = Strike {
            times: given.times.map_or(1, Within::get),
            at: Window::Anywhere,
            chance: given.chance.map_or(ratio(9, 10), |chance| chance.0),
        };
        (strike.times > 0).then_some(strike)
    });
    Faults { crash, truncation, recoverer_dies, sink_crash, cursor }
}

/// What a file says of a fault that strikes a program.
struct Blow {
    strike: Strike,
    kind: Option<file::CrashKind>,
    pause: Option<Wait>,
    after_end: Option<bool>,
}

/// Where, how often and how a fault strikes a program with these acts.
fn blow(
    fault: &'static str,
    given: &file::Crash,
    acts: &[&str],
    program: &str,
    wrong: &mut Complaints,
) -> Blow {
    let (at, times, chance, kind, pause, after_end) = match given {
        file::Crash::Anywhere { times, chance, kind, pause, after_end } => {
            (Window::Anywhere, times, chance, kind, pause, *after_end)
        }
        file::Crash::Before { act, times, chance, kind, pause } => {
            (Window::Before(act.0.clone()), times, chance, kind, pause, None)
        }
        file::Crash::After { act, times, chance, kind, pause } => {
            (Window::After(act.0.clone()), times, chance, kind, pause, None)
        }
    };
    if let Window::Before(act) | Window::After(act) = &at
        && !acts.contains(&act.as_str())
    {
        let mut known = acts.to_vec();
        known.sort_unstable();
        known.dedup();
        let place = ["faults".into(), fault.into(), "act".into()];
        let is_act = Act::NAMES.contains(&act.as_str());
        let help = if is_act { format!("write {}", one_of(&known)) } else { instead(act, &known) };
        wrong.add(place, format!("no step of `{program}` holds an act `{act}`"), help);
    }
    let strike = Strike {
        at,
        times: times.map_or(1, Within::get),
        chance: chance.map_or(ratio(9, 10), |chance| chance.0),
    };
    Blow { strike, kind: kind.clone(), pause: *pause, after_end }
}

/// Where and when completeness is judged. `fin` is the end of the run.
pub fn judge(given: &file::Judge, fin: Coordinate, wrong: &mut Complaints) -> Judge {
    Judge {
        frontier: frontier("judge", &given.frontier, fin, wrong),
        when: match given.when.as_ref().unwrap_or(&file::When::Quiescent) {
            file::When::Quiescent => When::Quiescent,
            file::When::Recovered => When::Recovered,
        },
        grade: match given.grade.as_ref().unwrap_or(&file::Grade::Journal) {
            file::Grade::Journal => Grade::Journal,
            file::Grade::Retained => Grade::Retained,
        },
        contents: false,
        order: false,
    }
}
