//! Four questions to ask of a deployment before anything else. Each is answered by a run that makes it a yes, and each
//! yes obliges to something.

use std::ops::ControlFlow;

use crate::engine::by_size::{BySize, by_size};
use crate::engine::machine::{CompileError, Machine};
use crate::engine::world::{Words, World};
use crate::model::ids::Payload;
use crate::model::program::{Surface, Surfaces};
use crate::model::scenario::Stage;
use crate::model::view::Rules;
use crate::search::graph::{Place, visit_states};
use crate::search::limits::{Limits, Watched};

/// A question.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Ask {
    /// Does recovery read only its own durable state?
    ReadsOnlyItself,
    /// Can an old send arrive after the read?
    OldSends,
    /// Can two recoverers overlap?
    Overlap,
    /// Can dedup or journal evidence expire before replay ends?
    Expires,
}

impl Ask {
    /// All four, in the order in which to ask them.
    pub const ALL: [Ask; 4] = [Ask::ReadsOnlyItself, Ask::OldSends, Ask::Overlap, Ask::Expires];

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Ask::ReadsOnlyItself => "reads_only_itself",
            Ask::OldSends => "old_sends",
            Ask::Overlap => "overlap",
            Ask::Expires => "expires",
        }
    }
}

/// An answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// Yes: a shortest run shows it.
    Yes(Vec<String>),
    /// No run does.
    No,
    /// No run was found that does, and not all were looked at.
    NotKnown,
}

/// Answers the four questions for a design, looking at no more than `states` states.
///
/// # Errors
/// When the stage cannot be compiled.
pub fn triage(
    stage: &Stage,
    rules: &Rules,
    states: u64,
    watched: &Watched,
) -> Result<Vec<(Ask, Reply)>, CompileError> {
    let machine = Machine::compile_probed(stage, rules, Surfaces::NONE)?;
    Ok(by_size(&machine, Triage { machine: &machine, limits: Limits::of_states(states), watched }))
}

/// Visits the states of a machine to answer the questions.
struct Triage<'a> {
    machine: &'a Machine,
    limits: Limits,
    watched: &'a Watched,
}

impl BySize for Triage<'_> {
    type Output = Vec<(Ask, Reply)>;

    fn run<W: Words>(self) -> Vec<(Ask, Reply)> {
        let Triage { machine, limits, watched } = self;
        let mut found: [Option<Place>; Ask::ALL.len()] = [None; Ask::ALL.len()];
        let visited = visit_states(
            machine,
            machine.start::<W>(),
            limits,
            watched,
            |_| true,
            |place, w| {
                for (ask, found) in Ask::ALL.into_iter().zip(&mut found) {
                    if found.is_none() && is_yes(machine, w, ask) {
                        *found = Some(place);
                    }
                }
                ControlFlow::Continue(())
            },
        );
        let labels = |place: Place| visited.paths.to(place).into_iter().map(|a| machine.label(a)).collect();
        let reply = |found: Option<Place>| match found {
            Some(place) => Reply::Yes(labels(place)),
            None if visited.ended.is_complete() => Reply::No,
            None => Reply::NotKnown,
        };
        Ask::ALL.into_iter().zip(found.map(reply)).collect()
    }
}

fn is_yes<W: Words>(machine: &Machine, w: &World<W>, ask: Ask) -> bool {
    match ask {
        Ask::ReadsOnlyItself => {
            machine.decision_is_due(w) && !machine.stage.policy.reads().iter().any(Surface::is_the_sinks)
        }
        Ask::OldSends => machine.decision_is_due(w) && machine.in_flight(w) > 0,
        Ask::Overlap => machine.live_recoverers(w) > 1,
        Ask::Expires => machine.is_down(w) && has_lost_evidence(machine, w),
    }
}

/// Whether an acceptance is forgotten that recovery may repeat, or an obligation that it may have to meet.
fn has_lost_evidence<W: Words>(machine: &Machine, w: &World<W>) -> bool {
    (0..machine.events())
        .filter(|p| machine.payloads[*p as usize].recovered && machine.in_journal(w, *p))
        .any(|p| match machine.times_accepted(w, Payload(p)) {
            0 => !machine.is_retained(w, p),
            _ => machine.stage.sink.dedup.is_some() && !machine.shows_now(w, Surface::DedupKeys, p),
        })
}
