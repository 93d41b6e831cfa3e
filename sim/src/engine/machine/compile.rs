//! How a machine comes from a stage: everything about the stage that no step changes is settled here, once.

use std::sync::OnceLock;

use super::error::CompileError;
use super::fields::{Fields, SlotFields};
use super::layout::{LONGEST_LIST, numbers_per_start, starts_per_crash};
use super::messages::{highest_coordinates, payload_infos, request_contents, requests};
use super::nondelivery::NonDeliveries;
use super::resolve::{compile_policy, compile_producer};
use super::{Compiled, Incarnation, Kind, Machine, Op, Program, Role, Rule, Turn, Windows};
use crate::engine::world::{Layout, Seq};
use crate::model::ids::Slot;
use crate::model::program::{Act, BatchRule, Obligations, Surfaces};
use crate::model::scenario::{
    BatchAcceptance, Commits, CrashKind, DedupKey, DedupScope, Frontier, Keeps, Stage, Window,
};
use crate::model::size::TooLarge;
use crate::model::verdict::Verdict;
use crate::model::view::Rules;

/// Two to the power of this many batches are tried where a batch is open.
const MOST_IN_ANY_BATCH: u32 = 12;

/// A message names its sender in one byte.
const MOST_SENDERS: u32 = 256;

impl Machine {
    /// Compiles a stage. `rules` holds the batch rules written in Rust that its policy may name.
    ///
    /// # Errors
    /// When the policy names a rule that is not registered, or one that reads what the program does not.
    pub fn compile(stage: &Stage, rules: &Rules) -> Result<Machine, CompileError> {
        Machine::compile_for(stage, rules, None)
    }

    /// Compiles a stage whose states also hold what the given surfaces show, and can take any batch with or without a
    /// fence: for an analysis that asks what else a recoverer could have read or sent.
    ///
    /// # Errors
    /// As for [`Machine::compile`].
    pub fn compile_probed(stage: &Stage, rules: &Rules, shown: Surfaces) -> Result<Machine, CompileError> {
        Machine::compile_for(stage, rules, Some(shown))
    }

    fn compile_for(stage: &Stage, rules: &Rules, probed: Option<Surfaces>) -> Result<Machine, CompileError> {
        let stage = stage.clone();
        let events = stage.source.events.len() as u32;
        let policy = compile_policy(&stage.policy, rules, &stage)?;
        let producer = compile_producer(&stage.producer, Kind::Events, &stage);
        let relay = stage.relay.as_ref().map(|r| compile_producer(r, Kind::Relay, &stage));
        let deliverer = Slot(u8::from(relay.is_some()));
        let crashes = stage.faults.crash.as_ref().map_or(0, |c| u32::from(c.times))
            + stage.faults.truncation.as_ref().map_or(0, |t| u32::from(t.times))
            + u32::from(stage.start.crashed);
        let generations = 1 + if stage.recovery.bumps_generation {
            crashes * starts_per_crash(&stage) * numbers_per_start(&stage)
        } else {
            0
        };
        let mut programs = [producer, relay.unwrap_or_else(Program::empty), policy];
        let fence_can_rise = probed.is_some() || stage.policy.acts().any(|act| matches!(act, Act::Fence(_)));
        for program in &mut programs {
            program.link();
            program.bind(&stage, fence_can_rise);
        }
        let slots = incarnations(&stage, &programs);
        let attempts = match stage.sink.dedup {
            Some(d) if d.key == DedupKey::Attempt => 1 + u32::from(programs[deliverer.0 as usize].retry),
            _ => 1,
        };
        let processes =
            if tells_processes_apart(&stage) { 1 + crashes * (1 + starts_per_crash(&stage)) } else { 1 };
        if processes * attempts > MOST_SENDERS {
            let most = MOST_SENDERS;
            return Err(CompileError::TooLarge(TooLarge::Senders { processes, attempts, most }));
        }
        let requests = requests(&stage, &programs)?;
        let non_deliveries = NonDeliveries::of(&stage, &programs)?;
        let can_be_early =
            probed.is_some() || non_deliveries.len() > 0 || can_be_early(&programs[0], &programs[2]);
        let opens_batch = programs[2].has(|op| matches!(op, Op::Arm { rule: Rule::Any, .. }));
        if opens_batch && events > MOST_IN_ANY_BATCH {
            return Err(CompileError::TooLarge(TooLarge::OpenBatch { events, most: MOST_IN_ANY_BATCH }));
        }
        let opens_suffix = programs[2].has(|op| matches!(op, Op::Arm { rule: Rule::AnySuffix, .. }));
        let mut layout = Layout::default();
        let mut machine = Machine {
            highest: highest_coordinates(&stage),
            request_contents: request_contents(&stage, &requests),
            requests,
            non_deliveries,
            payloads: payload_infos(&stage),
            judges_contents: stage.judge.asked.has(Verdict::Dirty),
            has_instances: false,
            outruns_its_end: outruns_its_end(&stage),
            crash_places: OnceLock::new(),
            f: Fields::default(),
            sections: Vec::new(),
            is_plain: false,
            sink_is_plain: false,
            emissions: Vec::new(),
            crash_windows: Windows::new(
                stage.faults.crash.as_ref().map_or(&Window::Anywhere, |c| &c.at),
                &programs[deliverer.0 as usize],
            ),
            death_windows: Windows::new(
                stage.faults.recoverer_dies.as_ref().map_or(&Window::Anywhere, |d| &d.at),
                &programs[2],
            ),
            layout: Layout::default(),
            turns: Vec::new(),
            slots,
            programs,
            deliverer,
            standing: deliverer.0 + 1 + stage.recovery.recoverers,
            generations,
            processes,
            attempts,
            can_be_early,
            has_choices: stage.source.commits == Commits::Any || opens_batch || opens_suffix,
            rules: rules.clone(),
            reads: stage.policy.reads().and(probed.unwrap_or_default()),
            is_probed: probed.is_some(),
            stage,
        };
        machine.has_instances =
            machine.payloads.iter().enumerate().any(|(p, info)| info.payload as usize != p);
        let keys = u64::from(machine.dedup_keys());
        if matches!(machine.stage.sink.dedup.map(|d| d.keeps), Some(Keeps::For { .. })) && keys > LONGEST_LIST
        {
            return Err(CompileError::TooLarge(TooLarge::DedupKeys { keys, most: LONGEST_LIST }));
        }
        machine.emissions = machine.all_emissions();
        machine.f = machine.lay_out(&mut layout, events, crashes);
        machine.layout = layout;
        machine.sink_is_plain = machine.sink_is_plain();
        machine.turns = machine.slots.iter().zip(&machine.f.slots).map(|(i, f)| Turn::of(i, f)).collect();
        machine.set_sections(machine.sections_in_use());
        Ok(machine)
    }

    fn sink_is_plain(&self) -> bool {
        let sink = &self.stage.sink;
        let f = &self.f;
        let lists = [f.record, f.order, f.tail].map(Seq::is_kept);
        sink.dedup.is_none()
            && sink.rejects.is_empty()
            && self.requests.is_empty()
            && self.non_deliveries.len() == 0
            && !lists.contains(&true)
            && !f.prepared.is_kept()
            && !f.stored.is_kept()
            && !f.held.is_kept()
            && !f.replies.is_kept()
    }
}

/// Whether a stage is small enough to be compiled. Only a stage that has to tell batches, requests, senders or rows of
/// snapshots apart can be too large, so no other is compiled for this.
///
/// # Errors
/// What there is too much of.
pub fn check_size(stage: &Stage) -> Result<(), TooLarge> {
    let programs = [Some(&stage.producer), stage.relay.as_ref()];
    let steps = programs.into_iter().flatten().flat_map(|p| &p.sections).flat_map(|(_, steps)| steps);
    let tells_apart = stage.sink.batch == BatchAcceptance::AsOne
        || stage.sink.dedup.is_some_and(|dedup| dedup.key == DedupKey::Attempt)
        || tells_processes_apart(stage)
        || stage.policy.acts().any(|act| matches!(act, Act::Arm(BatchRule::Any | BatchRule::Compensate(_))))
        || steps.flat_map(|step| &step.acts).any(|act| matches!(act, Act::SendBatch | Act::Snapshot(_)));
    match tells_apart.then(|| Machine::compile(stage, &Rules::new())) {
        Some(Err(CompileError::TooLarge(large))) => Err(large),
        _ => Ok(()),
    }
}

impl Turn {
    fn of(incarnation: &Incarnation, fields: &SlotFields) -> Turn {
        let steps = &incarnation.program.steps;
        let at = |refuses: bool| {
            let one = |(i, step): (usize, &Compiled)| match step.refuses() == refuses {
                true => 1_u64.checked_shl(i as u32 + 1).unwrap_or(0),
                false => 0,
            };
            steps.iter().enumerate().map(one).fold(0, |all, bit| all | bit)
        };
        Turn { pc: fields.pc, open: at(false), asks: at(true) }
    }
}

impl Windows {
    fn new(window: &Window, program: &Program) -> Windows {
        let names = |name: &str| -> Vec<bool> {
            program
                .steps
                .iter()
                .map(|s| s.acts.iter().any(|op| op.name() == name.replace('-', "_")))
                .collect()
        };
        match window {
            Window::Anywhere => Windows { before: Vec::new(), after: Vec::new(), anywhere: true },
            Window::Before(name) => Windows { before: names(name), after: Vec::new(), anywhere: false },
            Window::After(name) => Windows { before: Vec::new(), after: names(name), anywhere: false },
        }
    }
}

fn incarnations(stage: &Stage, [producer, relay, policy]: &[Program; 3]) -> Vec<Incarnation> {
    let runs = |role, program: &Program| Incarnation { role, program: program.clone() };
    let mut slots = vec![runs(Role::Producer, producer)];
    let mut deliverer = producer;
    if stage.relay.is_some() {
        slots.push(runs(Role::Relay, relay));
        deliverer = relay;
    }
    slots.extend((0..stage.recovery.recoverers).map(|k| runs(Role::Recoverer(k), policy)));
    if let Some(crash) = stage.faults.crash.as_ref().filter(|c| c.kind == CrashKind::Pause) {
        slots.extend((0..crash.times).map(|k| runs(Role::Zombie(k), deliverer)));
    }
    slots
}

/// Whether the sink knows a message by the process that sent it.
fn tells_processes_apart(stage: &Stage) -> bool {
    stage.sink.dedup.is_some_and(|dedup| {
        dedup.scope == DedupScope::Producer || matches!(dedup.key, DedupKey::Incarnation | DedupKey::Attempt)
    })
}

/// Whether some payload can be sent before it is committed: by the producer's program, or in a batch that starts from
/// something else than a log.
fn can_be_early(producer: &Program, policy: &Program) -> bool {
    let acts: Vec<Op> = producer.steps.iter().flat_map(|s| s.acts.iter().copied()).collect();
    let before_commit = |test: fn(&Op) -> bool| {
        let commit = acts.iter().position(|op| *op == Op::Commit);
        matches!((commit, acts.iter().position(test)), (Some(c), Some(s)) if s < c)
    };
    before_commit(|op| matches!(op, Op::Send | Op::SendBatch))
        || policy.has(|op| matches!(op, Op::Arm { rule: Rule::Any | Rule::Custom(_), .. }))
        || policy.has(|op| matches!(op, Op::Arm { of: Obligations::Outbox, .. }))
            && before_commit(|op| *op == Op::Enqueue)
}

/// Whether some event lies past the end of the run, and recovery asks for all that is committed.
pub(crate) fn outruns_its_end(stage: &Stage) -> bool {
    stage.recovery.frontier == Frontier::Last
        && stage.source.events.iter().any(|event| event.coordinate > stage.source.fin)
}
