//! What a scenario claims beyond how often a verdict occurs: that two schedules look alike and no batch is right after
//! both, that some state can be reached, that a law holds in every state or at the end of a schedule, that a step is
//! refused there, that no policy with these reads can be right, or that some is. Each is judged by running it.
//!
//! [`consumer`] is the record as one who remembers would process it, [`choices`] asks what comes of every batch under
//! every schedule, [`strategy`] of every way to decide step by step, [`alike`] of all pairs of states at once.

mod alike;
mod choices;
mod consumer;
mod strategy;

use crate::analysis::bound::paths::find_from;
use crate::analysis::bound::{Answer, Earlier, Question, Redriven, decide};
use crate::analysis::expect::{Ending, Outcome};
use crate::engine::machine::{CompileError, Machine};
use crate::engine::rules::{Judgement, status};
use crate::engine::world::{Words, World};
use crate::model::action::{Action, Emission};
use crate::model::ids::Payload;
use crate::model::program::{BatchRule, Surface, Surfaces};
use crate::model::scenario::{Stage, When};
use crate::model::view::Rules;
use crate::schedulers::schedule::ScheduleError;
use crate::schedulers::{Script, end_of_batch, end_of_script, recovered_with};
use crate::search::explore::{Limits, Sought, Watched, seek};

pub use consumer::Remembers;

/// A claim of a scenario, by its name.
#[derive(Clone, PartialEq, Debug)]
pub struct Claim {
    /// What the file calls it.
    pub name: String,
    /// The designs that it is about; none means all of the case.
    pub of: Option<String>,
    /// The schedule after which it is claimed: where looking at states begins. Empty means the start.
    pub from: Vec<String>,
    /// What is claimed.
    pub says: Says,
}

/// What is claimed.
#[derive(Clone, PartialEq, Debug)]
pub enum Says {
    /// Two schedules end in states that these surfaces do not tell apart and those do.
    Pair(Pair),
    /// A state in which this holds can be reached.
    Reachable(Predicate),
    /// This holds in every reachable state.
    Always(Predicate),
    /// This holds right where looking begins.
    Holds(Predicate),
    /// This step, by its label, is enabled there, or is not.
    Enabled(String, bool),
    /// Among the reachable states in which `among` holds, those that show the same through `by` show the same through
    /// `what`, or they do not.
    Determined {
        /// The states that are compared.
        among: Predicate,
        /// What is seen.
        by: Surfaces,
        /// What is asked.
        what: Surfaces,
        /// Whether the one decides the other.
        decides: bool,
    },
    /// What comes of every choice of the open batches there, one for each recoverer that is about to arm, when the
    /// schedule is picked after them.
    Choices(Batches),
    /// Some policy that reads only this can be right, or none can.
    Decision(Decision),
}

impl Says {
    /// How it is judged, as an expectation's line says it.
    pub fn judged_by(&self) -> &'static str {
        match self {
            Says::Pair(_) => "a pair of scripts",
            Says::Reachable(_) | Says::Always(_) => "every state",
            Says::Holds(_) | Says::Enabled(..) => "a script",
            Says::Determined { .. } => "every two states",
            Says::Choices(_) => "every batch and schedule",
            Says::Decision(_) => "every decision",
        }
    }
}

/// Whether every recovery decision can be made right through some surfaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision {
    /// Whether it can.
    pub is_decidable: bool,
    /// What is read; what the design reads, unless something is named.
    pub reads: Option<Surfaces>,
    /// Who made the recoveries before the decision.
    pub earlier: Earlier,
    /// How the batch lands; as the design lands it, unless something is named.
    pub redriven: Option<Redriven>,
}

/// Two schedules and how their ends compare.
#[derive(Clone, PartialEq, Debug)]
pub struct Pair {
    /// The one.
    pub left: Vec<String>,
    /// The other.
    pub right: Vec<String>,
    /// Surfaces that show the same.
    pub equal: Surfaces,
    /// Surfaces that do not.
    pub differ: Surfaces,
    /// What comes of the batches that can be sent next.
    pub batches: Batches,
    /// What holds after every such batch, on both sides, as soon as the run goes on.
    pub after_batch: Option<Predicate>,
    /// What comes of strategies that look at these surfaces again before each step.
    pub strategies: (Batches, Surfaces),
    /// How deliveries are counted where a batch is judged; none means as the record holds them.
    pub view: Option<Count>,
}

/// How a consumer counts deliveries on a record that also takes them back (§8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    /// Each reversal takes back the newest delivery before it, or is void.
    MatchedCancellation,
    /// Deliveries less reversals.
    SignedNet,
    /// The same, but never less than nothing.
    Truncated,
}

/// What comes of a batch, sent after the one schedule and after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Batches {
    /// Nobody asks.
    Unasked,
    /// Each that an open `arm` can pick fails after one of the two: a policy that cannot tell them apart is wrong
    /// somewhere.
    EachFails,
    /// Some such batch is right after both.
    OneIsRight,
    /// The policy's own is right after both.
    OwnIsRight,
    /// The policy's own fails after one of the two.
    OwnFails,
}

/// Something that holds in a state or does not.
#[derive(Clone, PartialEq, Debug)]
pub enum Predicate {
    /// It does not.
    Not(Box<Predicate>),
    /// All of them do.
    All(Vec<Predicate>),
    /// The two hold in the same states.
    Iff(Box<Predicate>, Box<Predicate>),
    /// Where the one holds, the other does.
    Implies(Box<Predicate>, Box<Predicate>),
    /// The delivering process runs.
    Running,
    /// It crashed, and nobody healed.
    Crashed,
    /// The contents were healed and the run goes not on yet.
    Recovered,
    /// Some payload is on the record more than once.
    Duplicate,
    /// Something accepted is not justified.
    Premature,
    /// By the journal, no obligation at the judge's frontier is missing on the record.
    AtLeastOnce,
    /// At least once by the journal, and no hazard.
    ExactlyOnce,
    /// Each obligation at the judge's frontier counts once, and nothing else counts that was not committed.
    ExactlyOnceBy(Count),
    /// The same by what retention kept.
    RetainedExactlyOnce,
    /// Every obligation below the retention floor is on the record.
    Covered,
    /// The live log holds what the journal holds.
    JournalIsLog,
    /// The contents differ from the committed image.
    Dirty,
    /// Something accepted is no longer in the live log.
    Phantom,
    /// The record holds this payload so many times.
    Accepted(Payload, u32),
    /// Nothing is in flight.
    WireEmpty,
    /// Two recoverers live at once.
    TwoRecoverers,
    /// A recoverer died.
    RecovererDied,
    /// A message was lost on the wire.
    MessageLost,
    /// The dedup memory does not know something that was accepted.
    Forgot,
    /// The current generation.
    Generation(u32),
    /// Where the fence stands.
    Fence(u32),
    /// Where the durable cursor stands, as a count of events.
    Cursor(u32),
    /// The fence stands one past the current generation.
    FencedPast,
    /// Everything in flight is of a generation below the fence.
    WireBelowFence,
    /// Arrivals and losses of what is in flight, in any order, leave the record as it is.
    Settled,
    /// The journal holds this payload so many times.
    Committed(Payload, u32),
    /// The record holds each committed payload as often as it was committed, up to the judge's frontier.
    ExactlyOncePerInstance,
    /// The record in order: payloads with the generations that sent them.
    Record(Vec<(Payload, u32)>),
    /// Something on the record is of an older generation than what was accepted before it.
    GenerationsFall,
    /// What the sink shows of its record lacks an obligation that it accepted.
    RecordHides,
    /// A consumer that remembers processes this payload so many times.
    Processes(Remembers, Payload, u32),
    /// A consumer that remembers processes each obligation once, and nothing twice.
    ProcessesEachOnce(Remembers),
    /// Entries of one payload lie at most so far apart on the record.
    CopiesWithin(u32),
    /// The rule would send exactly these payloads here.
    Sends(BatchRule, Vec<Payload>),
    /// Two rules would send the same here.
    SendSame(BatchRule, BatchRule),
    /// The one rule would send nothing here that the other would not.
    SendsNoMore(BatchRule, BatchRule),
}

impl Predicate {
    /// Whether it holds in a state.
    pub fn holds<W: Words>(&self, machine: &Machine, w: &World<W>) -> bool {
        let of = |p: &Predicate| p.holds(machine, w);
        match self {
            Predicate::Not(p) => !of(p),
            Predicate::All(all) => all.iter().all(of),
            Predicate::Iff(p, q) => of(p) == of(q),
            Predicate::Implies(p, q) => !of(p) || of(q),
            Predicate::Running => machine.status(w) == status::RUNNING,
            Predicate::Crashed => machine.status(w) == status::CRASHED,
            Predicate::Recovered => machine.status(w) == status::RECOVERED,
            Predicate::Duplicate => machine.hazards(w).duplicate,
            Predicate::Premature => machine.hazards(w).premature,
            Predicate::AtLeastOnce => machine.owed(w).next().is_none(),
            Predicate::ExactlyOnce => {
                !machine.hazards(w).any() && machine.owed(w).next().is_none()
            }
            Predicate::ExactlyOnceBy(count) => machine.is_exact_by(w, *count),
            Predicate::RetainedExactlyOnce => {
                !machine.hazards(w).any() && machine.owed_above_floor(w) == 0
            }
            Predicate::Covered => machine.covers_floor(w),
            Predicate::JournalIsLog => machine.journal_is_log(w),
            Predicate::Dirty => machine.is_dirty(w),
            Predicate::Phantom => machine.has_phantom(w),
            Predicate::Accepted(p, times) => machine.times_accepted(w, *p) == *times,
            Predicate::WireEmpty => machine.in_flight(w) == 0,
            Predicate::TwoRecoverers => machine.live_recoverers(w) > 1,
            Predicate::RecovererDied => machine.deaths(w) > 0,
            Predicate::MessageLost => machine.losses(w) > 0,
            Predicate::Forgot => machine.forgot(w),
            Predicate::Generation(g) => machine.number_now(w, Surface::Generation) == *g,
            Predicate::Fence(at) => machine.number_now(w, Surface::Fence) == *at,
            Predicate::Cursor(at) => machine.number_now(w, Surface::Cursor) == *at,
            Predicate::FencedPast => {
                machine.number_now(w, Surface::Fence) == machine.number_now(w, Surface::Generation) + 1
            }
            Predicate::WireBelowFence => {
                let fence = machine.number_now(w, Surface::Fence);
                machine.flying(w).all(|e| u32::from(e.generation.0) < fence)
            }
            Predicate::Settled => is_settled(machine, w),
            Predicate::Committed(p, times) => machine.times_committed(w, *p) == *times,
            Predicate::ExactlyOncePerInstance => machine.is_exact_per_instance(w),
            Predicate::Record(entries) => {
                let entry = |e: Emission| (e.payload, u32::from(e.generation.0));
                machine.in_order(w).map(entry).eq(entries.iter().copied())
            }
            Predicate::GenerationsFall => !machine.in_order(w).is_sorted_by_key(|e| e.generation),
            Predicate::RecordHides => machine.record_hides(w),
            Predicate::Processes(memory, p, times) => memory.processes(machine, w, *p) == *times,
            Predicate::ProcessesEachOnce(memory) => memory.processes_each_once(machine, w),
            Predicate::CopiesWithin(most) => consumer::copies_within(machine, w, *most),
            Predicate::Sends(rule, payloads) => {
                let batch = payloads.iter().fold(0, |set, p| set | 1 << p.0);
                machine.batch_by(w, rule) == Some(batch)
            }
            Predicate::SendSame(one, other) => machine.batch_by(w, one) == machine.batch_by(w, other),
            Predicate::SendsNoMore(one, other) => {
                match (machine.batch_by(w, one), machine.batch_by(w, other)) {
                    (Some(one), Some(other)) => one & !other == 0,
                    (one, _) => one.is_none(),
                }
            }
        }
    }

    /// Whether some part of it satisfies `test`.
    fn has(&self, test: &dyn Fn(&Predicate) -> bool) -> bool {
        match self {
            Predicate::Not(p) => p.has(test),
            Predicate::All(all) => all.iter().any(|p| p.has(test)),
            Predicate::Iff(p, q) | Predicate::Implies(p, q) => p.has(test) || q.has(test),
            part => test(part),
        }
    }

    /// Whether it looks at the sink's contents, which are kept only where somebody does.
    fn looks_at_contents(&self) -> bool {
        self.has(&|part| *part == Predicate::Dirty)
    }

    /// Whether it looks at the record in order, which is kept only where somebody does.
    fn looks_at_order(&self) -> bool {
        self.has(&|part| match part {
            Predicate::Record(_) | Predicate::GenerationsFall | Predicate::CopiesWithin(_) => true,
            Predicate::Processes(memory, ..) | Predicate::ProcessesEachOnce(memory) => {
                *memory != Remembers::Forever
            }
            _ => false,
        })
    }

    /// The surfaces that it looks at, which are kept only where somebody does.
    fn observes(&self) -> Surfaces {
        match self {
            Predicate::Not(p) => p.observes(),
            Predicate::All(all) => all.iter().map(Predicate::observes).fold(Surfaces::NONE, Surfaces::and),
            Predicate::Iff(p, q) | Predicate::Implies(p, q) => p.observes().and(q.observes()),
            Predicate::Cursor(_) => Surfaces::NONE.with(Surface::Cursor),
            Predicate::RecordHides => Surfaces::NONE.with(Surface::AcceptedRecord),
            Predicate::Sends(rule, _) => rule.needs(),
            Predicate::SendSame(one, other) | Predicate::SendsNoMore(one, other) => {
                one.needs().and(other.needs())
            }
            _ => Surfaces::NONE,
        }
    }
}

/// So few states can be reached by arrivals and losses alone that all of them are looked at.
const ARRIVALS: u64 = 1 << 16;

fn is_settled<W: Words>(machine: &Machine, w: &World<W>) -> bool {
    let record = |w: &World<W>| machine.what_is_shown(w, Surface::AcceptedRecord);
    let before = record(w);
    let travels = |action| matches!(action, Action::Arrive(_) | Action::Lose(_));
    let (changed, paths) = find_from(machine, w.clone(), ARRIVALS, travels, |w| record(w) != before);
    changed.is_none() && paths.complete
}

/// What came of a claim, with the schedule that shows it where one does.
pub struct Judged {
    /// How it ended.
    pub ending: Ending,
    /// The labels of a schedule to a state that refutes the claim.
    pub against: Option<Vec<String>>,
}

impl Claim {
    /// The surfaces that it compares: they are kept in the state even if the policy reads none of them.
    fn observes(&self) -> Surfaces {
        match &self.says {
            Says::Pair(pair) => pair.equal.and(pair.differ).and(pair.strategies.1),
            Says::Determined { by, what, .. } => by.and(*what),
            _ => Surfaces::NONE,
        }
        .and(self.predicate().map_or(Surfaces::NONE, Predicate::observes))
    }

    /// What it says of states one by one.
    fn predicate(&self) -> Option<&Predicate> {
        match &self.says {
            Says::Pair(pair) => pair.after_batch.as_ref(),
            Says::Reachable(p) | Says::Always(p) | Says::Holds(p) => Some(p),
            Says::Determined { among, .. } => Some(among),
            Says::Enabled(..) | Says::Choices(_) | Says::Decision(_) => None,
        }
    }

    /// Judges it on one design's stage.
    ///
    /// # Errors
    /// As [`Machine::compile`].
    pub fn judge(&self, stage: &Stage, rules: &Rules, limits: Limits) -> Result<Judged, CompileError> {
        let mut stage = stage.clone();
        stage.judge.contents |= self.predicate().is_some_and(Predicate::looks_at_contents);
        stage.judge.order |= self.predicate().is_some_and(Predicate::looks_at_order);
        Machine::compile_probed(&stage, rules, self.observes()).map(|machine| self.judge_on(&machine, limits))
    }

    fn judge_on(&self, machine: &Machine, limits: Limits) -> Judged {
        self.judge_from(machine, limits).unwrap_or_else(|wrong| failed(wrong.to_string()).into())
    }

    fn judge_from(&self, machine: &Machine, limits: Limits) -> Result<Judged, ScheduleError> {
        let script = |labels| Script { labels, then_run_on: false };
        let there = || end_of_script(machine, script(&self.from));
        Ok(match &self.says {
            Says::Pair(pair) => pair.judge(machine)?.into(),
            Says::Decision(decision) => match decision.judge(&machine.stage, &machine.rules, limits) {
                Ok(ending) => ending.into(),
                Err(wrong) => failed(wrong.to_string()).into(),
            },
            Says::Holds(p) => match p.holds(machine, &there()?) {
                true => met("so it is"),
                false => failed("it does not hold there"),
            }
            .into(),
            Says::Enabled(label, enabled) => judge_step(machine, &there()?, label, *enabled).into(),
            Says::Choices(batches) => choices::judge(machine, there()?, *batches, limits).into(),
            Says::Determined { among, by, what, decides } => {
                alike::judge(machine, there()?, limits, among, (*by, *what), *decides)
            }
            Says::Reachable(p) => {
                let Sought { states, complete, schedules } = self.seek(machine, limits, p)?;
                match (&schedules[0], complete) {
                    (Some(found), _) => met(format!("reached in {} steps", found.len())),
                    (None, true) => failed(format!("not reached in any of {states} states")),
                    (None, false) => open(states),
                }
                .into()
            }
            Says::Always(p) => {
                let not = Predicate::Not(Box::new(p.clone()));
                let Sought { states, complete, mut schedules } = self.seek(machine, limits, &not)?;
                let against = schedules.remove(0);
                let ending = match (&against, complete) {
                    (Some(found), _) => failed(format!("false after {} steps", found.len())),
                    (None, true) => met(format!("proved, over all {states} states within the bounds")),
                    (None, false) => open(states),
                };
                let label = |action: Action| machine.label(action);
                let against = against
                    .map(|found| self.from.iter().cloned().chain(found.into_iter().map(label)).collect());
                Judged { ending, against }
            }
        })
    }

    /// Looks for a state in which something holds, through all that can be reached from where looking begins.
    fn seek(&self, machine: &Machine, limits: Limits, p: &Predicate) -> Result<Sought, ScheduleError> {
        if self.from.is_empty() {
            return Ok(seek(machine, limits, &Watched::default(), std::slice::from_ref(p)));
        }
        let start = end_of_script(machine, Script { labels: &self.from, then_run_on: false })?;
        let (found, paths) = find_from(machine, start, limits.states, |_| true, |w| p.holds(machine, w));
        let schedules = vec![found.map(|place| paths.schedule(place))];
        Ok(Sought { states: paths.len(), complete: paths.complete, schedules })
    }
}

fn judge_step(machine: &Machine, w: &World<Vec<u64>>, label: &str, enabled: bool) -> Ending {
    match machine.parse_label(w, label) {
        Err(why) => failed(format!("`{label}`: {why}")),
        Ok(action) => match (machine.is_enabled(w, action), enabled) {
            (true, true) | (false, false) => met(if enabled { "it is enabled" } else { "it is refused" }),
            (true, false) => failed(format!("`{label}` is enabled there")),
            (false, true) => {
                let there = machine.enabled_labels(w).join(" | ");
                failed(format!("`{label}` is not enabled there; enabled there: {there}"))
            }
        },
    }
}

impl From<Ending> for Judged {
    fn from(ending: Ending) -> Judged {
        Judged { ending, against: None }
    }
}

impl Decision {
    fn judge(&self, stage: &Stage, rules: &Rules, limits: Limits) -> Result<Ending, CompileError> {
        let redriven = self.redriven.unwrap_or_else(|| Redriven::of(stage));
        if !redriven.is_supported_by(stage) {
            return Ok(failed(format!(
                "a {} re-drive needs a sink that checks a fence; write sink: (fence: arrival)",
                redriven.name()
            )));
        }
        let question = Question {
            reads: self.reads.unwrap_or_else(|| stage.policy.reads()),
            earlier: self.earlier,
            redriven,
            states: limits.states,
            known: Vec::new(),
        };
        Ok(match decide(stage, rules, &question, &Watched::default())? {
            Answer::Inconclusive(why) => Ending { outcome: Outcome::Inconclusive, why },
            Answer::Undecidable(group) => {
                let why = match group.members.len() {
                    1 => format!("none of {} batches is right in one state", group.failures.len()),
                    n => format!(
                        "{n} states look the same, and each of {} batches fails in one of them",
                        group.failures.len()
                    ),
                };
                if self.is_decidable { failed(why) } else { met(why) }
            }
            Answer::Decidable { rule, .. } => {
                let why = format!("one batch is right at each of {} sights", rule.len());
                if self.is_decidable { met(why) } else { failed(why) }
            }
        })
    }
}

impl Pair {
    fn judge(&self, machine: &Machine) -> Result<Ending, ScheduleError> {
        let script = |labels| Script { labels, then_run_on: false };
        let left = end_of_script(machine, script(&self.left))?;
        let right = end_of_script(machine, script(&self.right))?;
        let shows = |surface, w: &World<Vec<u64>>| machine.what_is_shown(w, surface);
        let apart = |surface: &Surface| shows(*surface, &left) != shows(*surface, &right);
        if let Some(surface) = self.equal.iter().find(apart) {
            return Ok(failed(format!("{surface} tells the two apart")));
        }
        if let Some(surface) = self.differ.iter().find(|s| !apart(s)) {
            return Ok(failed(format!("{surface} shows the same in both")));
        }
        let (asked, sees) = self.strategies;
        if asked != Batches::Unasked {
            let escapes = strategy::escapes(machine, &left, &right, sees);
            if escapes == (asked == Batches::EachFails) {
                return Ok(failed(strategy::of(escapes, sees)));
            } else if self.batches == Batches::Unasked {
                return Ok(met(strategy::of(escapes, sees)));
            }
        }
        if self.batches == Batches::Unasked {
            return Ok(met("the two look alike and differ where they should"));
        }
        let wrong = |w: &World<Vec<u64>>| match self.view {
            Some(count) => !machine.is_exact_by(w, count),
            None => {
                let j: Judgement = machine.judge(w, When::Quiescent);
                j.duplicate || j.premature || j.owed > 0
            }
        };
        if matches!(self.batches, Batches::OwnIsRight | Batches::OwnFails) {
            let ends = |labels| end_of_script(machine, Script { labels, then_run_on: true });
            let (left, right) = (wrong(&ends(&self.left)?), wrong(&ends(&self.right)?));
            let why = match (left, right) {
                (false, false) => "the batch is right after both schedules",
                (true, false) => "the batch fails after the left schedule",
                (false, true) => "the batch fails after the right schedule",
                (true, true) => "the batch fails after both schedules",
            };
            let is_met = (left || right) == (self.batches == Batches::OwnFails);
            return Ok(if is_met { met(why) } else { failed(why) });
        }
        let mut counts = [0; 3];
        for batch in 0..1 << machine.events() {
            let left = end_of_batch(machine, script(&self.left), batch)?;
            let right = end_of_batch(machine, script(&self.right), batch)?;
            let (Some(left), Some(right)) = (left, right) else {
                return Ok(failed("no `arm(any)` comes after the two schedules"));
            };
            if let Some(p) = &self.after_batch {
                for side in [&self.left, &self.right] {
                    let after = recovered_with(machine, script(side), batch)?;
                    if !after.is_some_and(|w| p.holds(machine, &w)) {
                        let sent = (0..machine.events()).filter(|p| batch >> p & 1 == 1);
                        let sent: Vec<String> = sent.map(|p| machine.payload_label(Payload(p))).collect();
                        return Ok(failed(format!("false after the batch [{}]", sent.join(", "))));
                    }
                }
            }
            counts[match (wrong(&left), wrong(&right)) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => 2,
            }] += 1;
        }
        let [on_left, on_right, right_twice] = counts;
        let why = format!(
            "of {} batches, {on_left} fail after the left schedule, {on_right} after the right one, and \
             {right_twice} after neither",
            1 << machine.events()
        );
        Ok(if (right_twice == 0) == (self.batches == Batches::EachFails) { met(why) } else { failed(why) })
    }
}

fn met(why: impl Into<String>) -> Ending {
    Ending { outcome: Outcome::Met, why: why.into() }
}

fn failed(why: impl Into<String>) -> Ending {
    Ending { outcome: Outcome::Failed, why: why.into() }
}

fn open(states: u64) -> Ending {
    Ending {
        outcome: Outcome::Inconclusive,
        why: format!("not decided by the {states} states that there was room for"),
    }
}
