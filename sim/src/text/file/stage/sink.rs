//! The sink: what it shows, checks, remembers and refuses.

use std::collections::BTreeMap;

use super::{Complaints, SECOND, delay, spans};
use crate::model::ids::Payload;
use crate::model::program::{Surface, Surfaces};
use crate::model::scenario::{
    Acceptance, Acknowledges, Advance, BatchAcceptance, Dedup, DedupKey, DedupOrder, DedupScope, Delay,
    Durability, Event, FenceCheck, Keeps, Sink, SinkRead, Stage, StoredCoordinate, Writes,
};
use crate::model::suggest::instead;
use crate::text::file::fields::Fields;

/// The section `sink` as a file writes it.
pub mod file {
    use serde::Deserialize;
    use serde::de::Deserializer;

    use crate::model::program::Surface;
    use crate::model::scenario::{
        Advance, BatchAcceptance, DedupKey, DedupOrder, DedupScope, Durability, FenceCheck, StoredCoordinate,
        Writes,
    };
    use crate::model::words::place_of_word;
    use crate::text::file::overlay::{Overlay, over, parts, sections, wholes, words};
    use crate::text::file::values::{Name, OneOrMany, Time, Wait, Within};

    sections! {
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

        Dedup {
            key: DedupKey,
            scope: DedupScope,
            keeps: Keeps,
            order: DedupOrder,
            release_on_failure: bool,
            survives: Durability,
        }
    }

    words! {
        /// When the sink acknowledges: `after_persist`, or `before_persist(flush: "1s")`.
        Acknowledges {
            AfterPersist,
            BeforePersist { flush: Option<Wait> },
        }

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
    }

    wholes! { Acknowledges, Acceptance, Keeps }

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
}

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

/// The section as a file writes it, without what it would mean by saying nothing.
pub fn written(stage: &Stage) -> Fields {
    use crate::text::file::fields::{delay, list, quoted, spans, time, word};

    let sink = &stage.sink;
    let mut fields = Fields::default();
    let readable: Vec<&str> = sink.readable.iter().map(|surface| surface.name()).collect();
    match readable.as_slice() {
        ["accepted_record", "contents"] => {}
        [] => fields.say("readable", "nothing"),
        [one] => fields.say("readable", one),
        several => fields.say("readable", format!("[{}]", several.join(", "))),
    }
    fields.say_unless("stale_by", sink.read.stale_by, 0, u32::to_string);
    fields.say_unless("page", sink.read.page, 0, u32::to_string);
    fields.say_unless("window", sink.read.window, 0, u32::to_string);
    fields.say_unless("fence", sink.fence, FenceCheck::Arrival, word);
    if let Some(dedup) = &sink.dedup {
        let mut said = Fields::default();
        said.say_unless("key", dedup.key, DedupKey::Coordinate, word);
        said.say_unless("scope", dedup.scope, DedupScope::Sink, word);
        match &dedup.keeps {
            Keeps::Forever => said.say("keeps", "forever"),
            Keeps::Last(n) => said.say("keeps", format!("last({n})")),
            Keeps::For { ticks, since_last_seen: false } => {
                said.say("keeps", format!("since_accepted({})", time(ticks)));
            }
            Keeps::For { ticks, since_last_seen: true } => {
                said.say("keeps", format!("since_seen({})", time(ticks)));
            }
        }
        said.say_unless("order", dedup.order, DedupOrder::Atomic, word);
        said.say_unless("release_on_failure", dedup.release_on_failure, false, bool::to_string);
        said.say_unless("survives", dedup.survives, Durability::Durable, word);
        fields.say("dedup", said.text());
    }
    if let Acknowledges::BeforePersist { flush } = &sink.acknowledges {
        fields.say("acknowledges", format!("before_persist(flush: {})", delay(flush)));
    }
    if let Acceptance::Provisional { expires } = &sink.acceptance {
        fields.say("acceptance", format!("provisional(expires: {})", time(expires)));
    }
    fields.say_unless("writes", sink.writes, Writes::Append, word);
    fields.say_unless("contents_advance", sink.contents_advance, Advance::Acceptance, word);
    fields.say_unless("batch", sink.batch, BatchAcceptance::EachEntry, word);
    if let Some(entries) = sink.record_keeps {
        fields.say("record_keeps", entries);
    }
    fields.say_unless("stored_coordinate", sink.stored_coordinate, StoredCoordinate::Effect, word);
    if !sink.rejects.is_empty() {
        let label = |p: &Payload| quoted(&stage.source.events[p.0 as usize].label);
        fields.say("rejects", list(sink.rejects.iter().map(label)));
    }
    fields.say_unless("outages", sink.outages.clone(), vec![], |s| spans(s));
    fields
}
