//! What a batch rule written in Rust sees: the surfaces that it declared, and nothing else.

use std::sync::Arc;

use crate::model::ids::{Coordinate, Key, Payload};
use crate::model::program::{Surface, Surfaces};
use crate::model::scenario::Source;

/// A re-drive policy's batch rule, written in Rust. A program uses it as `arm(custom("name"))`; the rest of the
/// program (when to read, heal, fence, fire, resume) stays a program, so that the adversary can strike between its
/// steps.
///
/// ```
/// use dwsim_sim::model::ids::Payload;
/// use dwsim_sim::model::program::{Surface, Surfaces};
/// use dwsim_sim::model::view::{Redrive, View};
///
/// /// Re-sends what the sink has not accepted, but the newest obligation at most.
/// struct NewestMissing;
///
/// impl Redrive for NewestMissing {
///     fn reads(&self) -> Surfaces {
///         Surfaces::NONE.with(Surface::History).with(Surface::AcceptedRecord)
///     }
///
///     fn batch(&self, view: &View<'_>, send: &mut dyn FnMut(Payload)) {
///         let missing = view.obligations().filter(|p| view.shows(Surface::AcceptedRecord, *p) == Some(false));
///         if let Some(newest) = missing.last() {
///             send(newest);
///         }
///     }
/// }
/// ```
pub trait Redrive: Send + Sync {
    /// What the rule factors through (an observation, §2 of the paper). The view answers `None` for anything else,
    /// and a program that arms the rule must read all of it first.
    fn reads(&self) -> Surfaces;

    /// Calls `send` for each payload of the batch. It must depend on the view alone, so that the same view always
    /// gives the same batch; a payload outside the scenario is ignored.
    fn batch(&self, view: &View<'_>, send: &mut dyn FnMut(Payload));
}

/// What the declared surfaces showed when they were read.
pub struct View<'a> {
    pub(crate) reads: Surfaces,
    pub(crate) source: &'a Source,
    pub(crate) shows: &'a dyn Fn(Surface, u32) -> bool,
    pub(crate) number: &'a dyn Fn(Surface) -> u32,
}

impl View<'_> {
    /// The payloads that the declared log shows, in scope and up to the recovery frontier, in commit order. Empty
    /// where no log (history, retained history, journal) was declared.
    pub fn obligations(&self) -> impl Iterator<Item = Payload> + '_ {
        let log = self.reads.iter().find(|surface| surface.is_committed_log());
        (0..self.source.events.len() as u32)
            .filter(move |p| log.is_some_and(|log| (self.shows)(log, *p)))
            .map(Payload)
    }

    /// Whether a surface that shows payloads shows this one: on the record, held, acknowledged, sent, in flight... A
    /// log shows its obligations. `None` where the surface was not declared or shows no payloads.
    pub fn shows(&self, surface: Surface, payload: Payload) -> Option<bool> {
        let known = (payload.0 as usize) < self.source.events.len();
        (self.reads.has(surface) && (surface.shows_payloads() || surface.is_committed_log()) && known)
            .then(|| (self.shows)(surface, payload.0))
    }

    /// What a surface that shows a number shows: the cursor as a count of events, a generation, the length of a log.
    /// `None` where the surface was not declared or shows payloads.
    pub fn number(&self, surface: Surface) -> Option<u32> {
        (self.reads.has(surface) && !surface.shows_payloads()).then(|| (self.number)(surface))
    }

    /// How many events the scenario has: no payload has a higher index.
    pub fn events(&self) -> u32 {
        self.source.events.len() as u32
    }

    /// Coordinate, key and value of an obligation that some declared log shows.
    pub fn event(&self, payload: Payload) -> Option<(Coordinate, Key, Option<i64>)> {
        self.obligations().find(|p| *p == payload).map(|p| {
            let event = &self.source.events[p.0 as usize];
            (event.coordinate, event.key, event.value)
        })
    }
}

/// The batch rules written in Rust that programs may name.
#[derive(Clone, Default)]
pub struct Rules(Vec<(String, Arc<dyn Redrive>)>);

impl Rules {
    /// None.
    pub fn new() -> Rules {
        Rules::default()
    }

    /// One more, under the name that `arm(custom("name"))` uses.
    #[must_use]
    pub fn with(mut self, name: &str, rule: impl Redrive + 'static) -> Rules {
        self.0.push((name.to_owned(), Arc::new(rule)));
        self
    }

    pub(crate) fn find(&self, name: &str) -> Option<(usize, &dyn Redrive)> {
        self.0.iter().position(|(n, _)| n == name).map(|i| (i, self.get(i)))
    }

    pub(crate) fn get(&self, index: usize) -> &dyn Redrive {
        self.0[index].1.as_ref()
    }
}
