//! Every reachable decision of a stage: what each surface shows there, and which batches are right.

use std::collections::BTreeMap;

use super::batches::Batches;
use super::right::{essence, right_batches};
use super::table::sight;
use super::{Earlier, Question, Redriven};
use crate::engine::machine::{CompileError, Machine, Op, resolve};
use crate::engine::world::{Words, World};
use crate::model::program::{Act, BatchRule, Fire, Obligations, Policy, Step, Surface, Surfaces};
use crate::model::scenario::Stage;
use crate::model::view::Rules;
use crate::search::explore::Watched;
use crate::search::paths::{Paths, reach};

/// The decisions that a stage can come to.
pub(super) struct Survey {
    pub machine: Machine,
    paths: Paths,
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
    pub place: u32,
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
        let survey = match machine.words() {
            0..=2 => Collector::<[u64; 2]>::collect(&machine, question, &known, shown, watched),
            3 | 4 => Collector::<[u64; 4]>::collect(&machine, question, &known, shown, watched),
            5..=8 => Collector::<[u64; 8]>::collect(&machine, question, &known, shown, watched),
            _ => Collector::<Vec<u64>>::collect(&machine, question, &known, shown, watched),
        };
        let (paths, rows, rights, decisions) = survey;
        Ok(Survey { machine, paths, shown, rows, rights, decisions })
    }

    /// How many states were looked at.
    pub fn states(&self) -> u64 {
        self.paths.len()
    }

    /// Whether they were all.
    pub fn complete(&self) -> bool {
        self.paths.complete
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
    pub fn schedule(&self, row: usize) -> Vec<crate::model::action::Action> {
        self.paths.schedule(self.rows[row].place)
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

type Collected = (Paths, Vec<Row>, Vec<Batches>, u64);

impl<W: Words> Collector<'_, W> {
    fn collect(
        machine: &Machine,
        question: &Question,
        known: &[Option<Op>],
        shown: Surfaces,
        watched: &Watched,
    ) -> Collected {
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
        let paths = reach(machine, question.states, watched, |place, w: &World<W>| collector.visit(place, w));
        let mut rights: Vec<(Batches, u32)> = collector.rights.into_iter().collect();
        rights.sort_by_key(|(_, id)| *id);
        let rights = rights.into_iter().map(|(set, _)| set).collect();
        (paths, collector.rows, rights, collector.decisions)
    }

    fn visit(&mut self, place: u32, w: &World<W>) {
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
