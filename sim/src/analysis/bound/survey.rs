//! Every reachable decision of a stage: what each surface shows there, and which batches are right.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::batches::Batches;
use super::question::Question;
use super::right::{essence, right_batches};
use super::table::sight;
use crate::engine::by_size::{BySize, by_size};
use crate::engine::machine::{CompileError, Machine, Op, resolve};
use crate::engine::world::{Words, World};
use crate::model::action::Action;
use crate::model::decision::{Earlier, Redriven};
use crate::model::program::{Act, BatchRule, Fire, Obligations, Policy, Step, Surface, Surfaces};
use crate::model::scenario::Stage;
use crate::model::view::Rules;
use crate::search::graph::{Place, Visited, visit_states};
use crate::search::limits::{Limits, Watched};

/// The decisions that a stage can come to.
pub(super) struct Survey {
    pub machine: Machine,
    visited: Visited<Action>,
    /// The surfaces whose values were taken.
    pub shown: Surfaces,
    /// Decisions that differ in what they show or in what is right, each with the state that was reached first.
    pub rows: Vec<Row>,
    /// Every set of right batches that occurs.
    rights: Vec<Batches>,
    decisions: u64,
}

/// Decisions that show the same everywhere and are alike in what is right.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// What each of the shown surfaces shows, in their order.
    pub sight: Vec<u64>,
    /// Which batches are right, for each way of landing: an index.
    right: [u32; Redriven::ALL.len()],
    /// The first state like this.
    pub place: Place,
    /// What each of the known rules would send.
    pub batches: Vec<Option<u32>>,
}

impl Survey {
    /// Collects the decisions of a stage. If there are too many states with everything that could be read, only what
    /// the question asks about is kept.
    pub fn of(
        stage: &Stage,
        rules: &Rules,
        question: &Question,
        watched: &Watched,
    ) -> Result<Survey, CompileError> {
        let stage = before(stage, question.earlier);
        let everything = question.reads.and(modelled(&stage));
        let survey = Survey::showing(&stage, rules, question, everything, watched)?;
        if survey.complete() || everything == question.reads {
            return Ok(survey);
        }
        let asked = Survey::showing(&stage, rules, question, question.reads, watched)?;
        Ok(if asked.complete() { asked } else { survey })
    }

    /// Collects the decisions of a stage with nothing to see but what the question asks about.
    pub fn narrow(
        stage: &Stage,
        rules: &Rules,
        question: &Question,
        watched: &Watched,
    ) -> Result<Survey, CompileError> {
        Survey::showing(&before(stage, question.earlier), rules, question, question.reads, watched)
    }

    fn showing(
        stage: &Stage,
        rules: &Rules,
        question: &Question,
        shown: Surfaces,
        watched: &Watched,
    ) -> Result<Survey, CompileError> {
        let machine = Machine::compile_probed(stage, rules, shown)?;
        let known: Vec<Option<Op>> = question
            .known
            .iter()
            // What takes deliveries back sends no batch, whatever payloads it names.
            .map(|(_, rule)| {
                match question.reads.covers(rule.needs()) && !matches!(rule, BatchRule::Compensate(_)) {
                    true => resolve(rule, question.reads, rules).ok(),
                    false => None,
                }
            })
            .collect();
        let collect = Collect { machine: &machine, question, known: &known, shown, watched };
        let Collected { visited, rows, rights, decisions } = by_size(&machine, collect);
        Ok(Survey { machine, visited, shown, rows, rights, decisions })
    }

    /// How many states were looked at.
    pub fn states(&self) -> u64 {
        self.visited.paths.len()
    }

    /// Whether they were all.
    pub fn complete(&self) -> bool {
        self.visited.ended.is_complete()
    }

    /// How many of them are decisions, and not unsafe already.
    pub fn decisions(&self) -> u64 {
        self.decisions
    }

    /// The batches that are right in a row.
    pub fn right(&self, row: usize, redriven: Redriven) -> &Batches {
        &self.rights[self.rows[row].right[redriven as usize] as usize]
    }

    /// Tells sets of right batches apart without comparing them.
    pub fn right_id(&self, row: usize, redriven: Redriven) -> u32 {
        self.rows[row].right[redriven as usize]
    }

    /// A shortest schedule to the first state of a row.
    pub fn schedule(&self, row: usize) -> Vec<Action> {
        self.visited.paths.to(self.rows[row].place)
    }
}

/// What every survey keeps of a state, unless that would be too much: whatever a recoverer could ask for here. The
/// acknowledgements only where somebody waits for them, since replies are steps of their own; the keys of a dedup
/// memory only where there is one; the log below the retention floor never, since nobody can ask for it.
fn modelled(stage: &Stage) -> Surfaces {
    let waits = |producer: &crate::model::program::Producer| {
        producer.sections.iter().flat_map(|(_, steps)| steps).any(|s| s.acts.contains(&Act::AwaitAck))
    };
    let acks = waits(&stage.producer)
        || stage.relay.as_ref().is_some_and(waits)
        || stage.policy.reads().has(Surface::Acks);
    Surface::ALL
        .into_iter()
        .filter(|s| match s {
            Surface::Acks => acks,
            Surface::DedupKeys => stage.sink.dedup.is_some(),
            Surface::LiveHistory => false,
            _ => true,
        })
        .collect()
}

/// The stage with whoever makes the earlier recoveries.
fn before(stage: &Stage, earlier: Earlier) -> Stage {
    let mut stage = stage.clone();
    if earlier == Earlier::AnyIndex {
        let of = Obligations::History;
        let step = |acts: Vec<Act>| Step { acts, otherwise: Default::default() };
        stage.policy = Policy {
            name: "any reconcile index".to_owned(),
            about: "send all obligations again but the first m, for any m".to_owned(),
            stamps: stage.policy.stamps,
            steps: vec![
                step(vec![
                    Act::Read(of.surface()),
                    Act::Arm(BatchRule::AnySuffix(of)),
                    Act::Heal,
                    Act::Fire(Fire::All),
                ]),
                step(vec![Act::Resume]),
            ],
        };
    }
    stage
}

type Rights = [u32; Redriven::ALL.len()];

struct Collector<'a, W> {
    machine: &'a Machine,
    known: &'a [Option<Op>],
    shown: Surfaces,
    index: BTreeMap<(Vec<u64>, Rights), usize>,
    rows: Vec<Row>,
    rights: BTreeMap<Batches, u32>,
    /// What is right in states that are alike in all that matters after the decision.
    alike: BTreeMap<W, Rights>,
    decisions: u64,
}

/// Visits the states of a machine to collect its decisions.
struct Collect<'a> {
    machine: &'a Machine,
    question: &'a Question,
    known: &'a [Option<Op>],
    shown: Surfaces,
    watched: &'a Watched,
}

struct Collected {
    visited: Visited<Action>,
    rows: Vec<Row>,
    rights: Vec<Batches>,
    decisions: u64,
}

impl BySize for Collect<'_> {
    type Output = Collected;

    fn run<W: Words>(self) -> Collected {
        let Collect { machine, question, known, shown, watched } = self;
        let mut collector = Collector {
            machine,
            known,
            shown,
            index: BTreeMap::new(),
            rows: Vec::new(),
            rights: BTreeMap::new(),
            alike: BTreeMap::<W, Rights>::new(),
            decisions: 0,
        };
        let limits = Limits::of_states(question.states);
        let visited = visit_states(
            machine,
            machine.start::<W>(),
            limits,
            watched,
            |_| true,
            |place, w| {
                collector.visit(place, w);
                ControlFlow::Continue(())
            },
        );
        let mut rights: Vec<(Batches, u32)> = collector.rights.into_iter().collect();
        rights.sort_by_key(|(_, id)| *id);
        let rights = rights.into_iter().map(|(set, _)| set).collect();
        Collected { visited, rows: collector.rows, rights, decisions: collector.decisions }
    }
}

impl<W: Words> Collector<'_, W> {
    fn visit(&mut self, place: Place, w: &World<W>) {
        let machine = self.machine;
        if !machine.decision_is_due(w) || machine.is_unsafe(w) {
            return;
        }
        self.decisions += 1;
        let right = self.right(w);
        let sight = machine.look(w, self.shown, |view| sight(view, self.shown));
        let rows = &mut self.rows;
        self.index.entry((sight, right)).or_insert_with_key(|(sight, right)| {
            let batches = self.known.iter().map(|op| machine.batch_of(w, (*op)?)).collect();
            rows.push(Row { sight: sight.clone(), right: *right, place, batches });
            rows.len() - 1
        });
    }

    fn right(&mut self, w: &World<W>) -> Rights {
        let essence = essence(self.machine, w);
        if let Some(known) = self.alike.get(essence.words()) {
            return *known;
        }
        let rights = Redriven::ALL.map(|redriven| {
            let set = right_batches(self.machine, &essence, redriven);
            let next = self.rights.len() as u32;
            *self.rights.entry(set).or_insert(next)
        });
        self.alike.insert(essence.words().clone(), rights);
        rights
    }
}
