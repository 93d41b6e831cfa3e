//! The sink: what it shows, checks, remembers and refuses.

use std::collections::BTreeMap;

use super::{Complaints, SECOND, delay, spans};
use crate::model::ids::Payload;
use crate::model::program::{Surface, Surfaces};
use crate::model::scenario::{
    Acceptance, Acknowledges, Advance, BatchAcceptance, Dedup, DedupKey, DedupOrder, DedupScope, Delay,
    Durability, Event, FenceCheck, Keeps, Sink, SinkRead, StoredCoordinate, Writes,
};
use crate::model::suggest::instead;
use crate::text::file::schema as file;

/// What accepts. `events` are those of the source, whose labels `rejects` names.
pub fn sink(given: &file::Sink, events: &[Event], wrong: &mut Complaints) -> Sink {
    let readable = given.readable.as_ref().map_or_else(
        || [Surface::AcceptedRecord, Surface::Contents].into_iter().collect(),
        |words| words.0.iter().filter_map(|word| word.0).collect::<Surfaces>(),
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
    use file::{Acceptance as A, Acknowledges as K};
    Sink {
        readable,
        read: SinkRead {
            stale_by: given.stale_by.unwrap_or(0),
            page: given.page.unwrap_or(0),
            window: given.window.unwrap_or(0),
        },
        fence: given.fence.unwrap_or(FenceCheck::Arrival),
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
        writes: given.writes.unwrap_or(Writes::Append),
        contents_advance: given.contents_advance.unwrap_or(Advance::Acceptance),
        batch: given.batch.unwrap_or(BatchAcceptance::EachEntry),
        record_keeps: given.record_keeps,
        stored_coordinate: given.stored_coordinate.unwrap_or(StoredCoordinate::Effect),
        rejects,
        outages: spans("sink", &given.outages, wrong),
    }
}

fn dedup(given: &file::Dedup, wrong: &mut Complaints) -> Option<Dedup> {
    use file::Keeps as P;
    let keeps = match given.keeps.as_ref().unwrap_or(&P::Forever) {
        P::Nothing => return None,
        P::Forever => Keeps::Forever,
        P::Last(n) => Keeps::Last(n.get()),
        P::SinceAccepted(time) => Keeps::For { ticks: time.0, since_last_seen: false },
        P::SinceSeen(time) => Keeps::For { ticks: time.0, since_last_seen: true },
    };
    let order = given.order.unwrap_or(DedupOrder::Atomic);
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
        key: given.key.unwrap_or(DedupKey::Coordinate),
        scope: given.scope.unwrap_or(DedupScope::Sink),
        keeps,
        order,
        release_on_failure,
        survives: given.survives.unwrap_or(Durability::Durable),
    })
}
