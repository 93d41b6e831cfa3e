//! What a scenario claims beyond how often a verdict occurs: that two schedules look alike and no batch is right after
//! both, that some state can be reached, that a law holds in every state. Each is judged by running it.

use crate::action::Action;
use crate::drive::{Script, end_of_batch, end_of_script};
use crate::expect::{Ending, Outcome};
use crate::explore::{Limits, Sought, Watched, seek};
use crate::ids::Payload;
use crate::machine::{CompileError, Machine};
use crate::program::{Surface, Surfaces};
use crate::rules::{Judgement, status};
use crate::scenario::Stage;
use crate::schedule::ScheduleError;
use crate::view::Rules;
use crate::world::{Words, World};

/// A claim of a scenario, by its name.
#[derive(Clone, PartialEq, Debug)]
pub struct Claim {
    /// What the file calls it.
    pub name: String,
    /// The designs that it is about; none means all of the case.
    pub of: Option<String>,
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
}

impl Says {
    /// How it is judged, as an expectation's line says it.
    pub fn judged_by(&self) -> &'static str {
        match self {
            Says::Pair(_) => "a pair of scripts",
            Says::Reachable(_) | Says::Always(_) => "every state",
        }
    }
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
            Predicate::Duplicate => machine.hazards(w).0,
            Predicate::Premature => machine.hazards(w).1,
            Predicate::AtLeastOnce => machine.owed(w).next().is_none(),
            Predicate::ExactlyOnce => {
                machine.hazards(w) == (false, false) && machine.owed(w).next().is_none()
            }
            Predicate::ExactlyOnceBy(count) => machine.is_exact_by(w, *count),
            Predicate::RetainedExactlyOnce => {
                machine.hazards(w) == (false, false) && machine.owed_above_floor(w) == 0
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
        }
    }

    /// Whether it looks at the sink's contents, which are kept only where somebody does.
    fn looks_at_contents(&self) -> bool {
        match self {
            Predicate::Not(p) => p.looks_at_contents(),
            Predicate::All(all) => all.iter().any(Predicate::looks_at_contents),
            Predicate::Iff(p, q) | Predicate::Implies(p, q) => p.looks_at_contents() || q.looks_at_contents(),
            _ => *self == Predicate::Dirty,
        }
    }
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
            Says::Pair(pair) => pair.equal.and(pair.differ),
            Says::Reachable(_) | Says::Always(_) => Surfaces::NONE,
        }
    }

    /// Whether it looks at the sink's contents.
    fn looks_at_contents(&self) -> bool {
        match &self.says {
            Says::Pair(_) => false,
            Says::Reachable(p) | Says::Always(p) => p.looks_at_contents(),
        }
    }

    /// Judges it on one design's stage.
    ///
    /// # Errors
    /// As [`Machine::compile`].
    pub fn judge(&self, stage: &Stage, rules: &Rules, limits: Limits) -> Result<Judged, CompileError> {
        let mut stage = stage.clone();
        stage.judge.contents |= self.looks_at_contents();
        Machine::compile_probed(&stage, rules, self.observes()).map(|machine| self.judge_on(&machine, limits))
    }

    fn judge_on(&self, machine: &Machine, limits: Limits) -> Judged {
        match &self.says {
            Says::Pair(pair) => Judged {
                ending: pair.judge(machine).unwrap_or_else(|wrong| failed(wrong.to_string())),
                against: None,
            },
            Says::Reachable(p) => {
                let Sought { states, complete, schedules } =
                    seek(machine, limits, &Watched::default(), std::slice::from_ref(p));
                let ending = match (&schedules[0], complete) {
                    (Some(found), _) => met(format!("reached in {} steps", found.len())),
                    (None, true) => failed(format!("not reached in any of {states} states")),
                    (None, false) => open(states),
                };
                Judged { ending, against: None }
            }
            Says::Always(p) => {
                let not = Predicate::Not(Box::new(p.clone()));
                let Sought { states, complete, mut schedules } =
                    seek(machine, limits, &Watched::default(), std::slice::from_ref(&not));
                let against = schedules.remove(0);
                let ending = match (&against, complete) {
                    (Some(found), _) => failed(format!("false after {} steps", found.len())),
                    (None, true) => met(format!("proved, over all {states} states within the bounds")),
                    (None, false) => open(states),
                };
                let labels = |schedule: Vec<Action>| schedule.iter().map(|a| machine.label(*a)).collect();
                Judged { ending, against: against.map(labels) }
            }
        }
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
        if self.batches == Batches::Unasked {
            return Ok(met("the two look alike and differ where they should"));
        }
        let wrong = |w: &World<Vec<u64>>| match self.view {
            Some(count) => !machine.is_exact_by(w, count),
            None => {
                let j: Judgement = machine.judge(w, false);
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
