//! Every schedule within the bounds: proved, or the shortest way to each verdict. Among counterexamples of one length the
//! one with the least packed states is shown.

use super::graph::levels::{Levels, Visitor, visit_levels};
use super::graph::{Absent, Sought};
pub use super::limits::{Ended, Limits, MEMORY, Stopped, Watched};
use crate::engine::by_size::{BySize, by_size};
use crate::engine::faults;
use crate::engine::machine::Machine;
use crate::engine::rules::Successors;
use crate::engine::world::{Words, World};
use crate::model::action::{Action, Section};
use crate::model::claim::Predicate;
use crate::model::record::Record;
use crate::model::scenario::{Fault, When};
use crate::model::verdict::{Verdict, Verdicts};

pub use crate::engine::faults::Timing;

/// What was found of one design.
#[derive(Clone, PartialEq, Debug)]
pub struct Exploration {
    /// Distinct states.
    pub states: u64,
    /// Labelled steps between them, each counted once for each state that offers it.
    pub transitions: u64,
    /// The number of steps to the state that is farthest from the start.
    pub depth: usize,
    /// Whether the whole bounded space was covered, or why not.
    pub ended: Ended,
    /// For each of [`Verdict::ALL`]: a shortest schedule to a state in which it holds, if one was found.
    pub witnesses: Vec<Option<Vec<Action>>>,
    /// Bytes kept for each state, tables included.
    pub bytes_per_state: u64,
}

/// Whether a verdict can come about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Some schedule leads there.
    Reachable,
    /// None does.
    Unreachable,
    /// None was found, but not everything was looked at.
    Unknown,
}

impl Exploration {
    /// Whether a verdict can come about.
    pub fn reach(&self, verdict: Verdict) -> Reach {
        match (&self.witnesses[verdict as usize], self.is_complete()) {
            (Some(_), _) => Reach::Reachable,
            (None, true) => Reach::Unreachable,
            (None, false) => Reach::Unknown,
        }
    }

    /// Whether the whole bounded space was covered.
    pub fn is_complete(&self) -> bool {
        self.ended.is_complete()
    }

    /// A shortest schedule to a verdict.
    pub fn witness(&self, verdict: Verdict) -> Option<&[Action]> {
        self.witnesses[verdict as usize].as_deref()
    }
}

/// What the steps of a section need of a clock.
fn timing_of(section: Section) -> Option<Timing> {
    match section {
        Section::Fault(fault) => faults::spec(fault).timing,
        Section::Timeout => faults::spec(Fault::Timeout).timing,
        _ => None,
    }
}

impl Machine {
    /// The same machine without the steps that a clock brings about in this way.
    pub fn without(&mut self, timing: Timing) {
        // Without expiry, no preparation expires either.
        let is_gone = |t: Timing| t == timing || timing == Timing::Expiry && t == Timing::Abort;
        let left = self.sections.iter().copied().filter(|s| !timing_of(*s).is_some_and(is_gone)).collect();
        self.set_sections(left);
    }

    /// What a schedule needs of the clock: the places (from 1) of the steps that only time brings about.
    pub fn timing_of(&self, schedule: &[Action]) -> Vec<(usize, Timing)> {
        let mut w: World<Vec<u64>> = self.start();
        let mut needs = Vec::new();
        for (i, action) in schedule.iter().enumerate() {
            let is_suspicion = self.is_suspicion(&w, *action);
            let timing = if is_suspicion { Some(Timing::Suspicion) } else { timing_of(action.section()) };
            needs.extend(timing.map(|t| (i + 1, t)));
            self.apply(&mut w, *action, &mut ());
        }
        needs
    }

    /// The state at the end of a schedule that is known to be enabled.
    pub(crate) fn follow(&self, schedule: &[Action]) -> World<Vec<u64>> {
        let mut w = self.start();
        schedule.iter().for_each(|action| self.apply(&mut w, *action, &mut ()));
        w
    }

    /// Follows a schedule to a verdict and writes it down; the verdicts are those of the state it ends in. It stops as
    /// soon as its own holds, so that it is unfinished says something only where that is the verdict.
    pub fn record_schedule(&self, schedule: &[Action], to: Verdict) -> Record {
        let mut record = crate::schedulers::record_with(self, &mut Replayed { schedule, at: 0 });
        if to != Verdict::Unfinished {
            record.verdicts.retain(|verdict| *verdict != Verdict::Unfinished);
            record.findings.retain(|finding| finding.verdict != Verdict::Unfinished);
            for moment in &mut record.moments {
                moment.became.retain(|verdict| *verdict != Verdict::Unfinished);
            }
        }
        record
    }
}

/// Drives a run along a schedule that is known to be enabled.
struct Replayed<'a> {
    schedule: &'a [Action],
    at: usize,
}

impl crate::schedulers::Driver for Replayed<'_> {
    fn next<W: Words>(&mut self, _: &Machine, _: &World<W>) -> Option<Action> {
        self.at += 1;
        self.schedule.get(self.at - 1).copied()
    }
}

/// Explores every schedule of a machine.
pub fn explore(machine: &Machine, limits: Limits, watched: &Watched) -> Exploration {
    by_size(machine, Explore { machine, limits, watched })
}

/// Looks through every reachable state for one in which a predicate holds.
pub fn seek(machine: &Machine, limits: Limits, watched: &Watched, sought: &Predicate) -> Sought {
    by_size(machine, Seek { machine, limits, watched, sought })
}

struct Explore<'a> {
    machine: &'a Machine,
    limits: Limits,
    watched: &'a Watched,
}

impl BySize for Explore<'_> {
    type Output = Exploration;

    fn run<W: Words>(self) -> Exploration {
        let machine = self.machine;
        let visitor = Judging { machine };
        let levels = visit_levels(machine, [machine.start::<W>()], self.limits, self.watched, &visitor);
        let ends = levels.notes.iter().enumerate().map(|(found, first)| {
            let first = first.as_ref()?;
            let state = World::from_words(first.state.clone());
            let by_recovery = was_judged_on_the_way(machine, Verdict::ALL[found], &state);
            Some(End { depth: first.depth, state, by_recovery })
        });
        Exploration {
            states: levels.states.len(),
            transitions: levels.transitions,
            depth: levels.depth,
            ended: levels.ended,
            witnesses: schedules(machine, &levels, ends.collect()),
            bytes_per_state: levels.states.bytes() / levels.states.len().max(1),
        }
    }
}

struct Seek<'a> {
    machine: &'a Machine,
    limits: Limits,
    watched: &'a Watched,
    sought: &'a Predicate,
}

impl BySize for Seek<'_> {
    type Output = Sought;

    fn run<W: Words>(self) -> Sought {
        let machine = self.machine;
        let visitor = Looking { machine, sought: self.sought };
        let levels = visit_levels(machine, [machine.start::<W>()], self.limits, self.watched, &visitor);
        let end = levels.notes.as_ref().map(|first| End {
            depth: first.depth,
            state: World::from_words(first.state.clone()),
            by_recovery: false,
        });
        let found = schedules(machine, &levels, vec![end]).pop().flatten();
        let absent = match levels.ended {
            Ended::Stopped(why) => Absent::Unknown(why),
            Ended::Complete | Ended::Found => Absent::Unreachable,
        };
        Sought { states: levels.states.len(), schedule: found.ok_or(absent) }
    }
}

/// Where something was seen first: the least state at the least depth.
#[derive(Clone)]
struct First<W> {
    depth: usize,
    state: W,
}

fn keep_least<W: Words>(slot: &mut Option<First<W>>, depth: usize, state: &W) {
    if slot.as_ref().is_none_or(|first| (depth, state) < (first.depth, &first.state)) {
        *slot = Some(First { depth, state: state.clone() });
    }
}

/// Notes the verdicts: hazards wherever they are, the others where a run is judged.
struct Judging<'a> {
    machine: &'a Machine,
}

/// For each of [`Verdict::ALL`].
type Firsts<W> = [Option<First<W>>; Verdict::ALL.len()];

fn note<W: Words>(notes: &mut Firsts<W>, verdicts: Verdicts, words: &W, depth: usize) {
    for verdict in verdicts.iter() {
        keep_least(&mut notes[verdict as usize], depth, words);
    }
}

impl<W: Words> Visitor<W> for Judging<'_> {
    type Notes = Firsts<W>;

    fn no_notes(&self) -> Firsts<W> {
        [const { None }; Verdict::ALL.len()]
    }

    #[inline]
    fn visit(
        &self,
        w: &World<W>,
        depth: usize,
        known: &Firsts<W>,
        successors: &mut Successors<W>,
        notes: &mut Firsts<W>,
    ) {
        let machine = self.machine;
        let was_judged = machine.was_judged(w);
        // Made first and looked at afterwards: reading a state as a whole right after one word of it was written would
        // wait for that write to reach the cache.
        let progress = machine.add_successors(w, successors);
        debug_assert!(
            successors.iter().all(|s| machine.may_precede(w, s)),
            "a step takes back what only grows"
        );
        if machine.stage.judge.when == When::Recovered && !was_judged {
            for successor in successors.iter() {
                if let Some(judgement) = machine.judge_recovered(successor) {
                    note(notes, judgement.verdicts(), successor.words(), depth + 1);
                }
            }
        }
        // Whether a verdict was not found at a smaller depth.
        let is_news = |verdict: Verdict| known[verdict as usize].as_ref().is_none_or(|f| f.depth >= depth);
        let hazards = machine.hazards(w);
        if progress == 0 && !was_judged {
            note(notes, machine.judge(w, When::Quiescent).verdicts(), w.words(), depth);
        } else if !hazards.is_empty() && hazards.iter().any(is_news) {
            note(notes, hazards, w.words(), depth);
        }
    }

    fn merge(&self, known: &mut Firsts<W>, notes: &Firsts<W>) {
        for (mine, theirs) in known.iter_mut().zip(notes) {
            if let Some(First { depth, state }) = theirs {
                keep_least(mine, *depth, state);
            }
        }
    }
}

/// Looks for a state in which a predicate holds.
struct Looking<'a> {
    machine: &'a Machine,
    sought: &'a Predicate,
}

impl<W: Words> Visitor<W> for Looking<'_> {
    type Notes = Option<First<W>>;

    fn no_notes(&self) -> Option<First<W>> {
        None
    }

    fn visit(
        &self,
        w: &World<W>,
        depth: usize,
        _: &Option<First<W>>,
        successors: &mut Successors<W>,
        notes: &mut Option<First<W>>,
    ) {
        self.machine.add_successors(w, successors);
        if self.sought.holds(self.machine, w) {
            keep_least(notes, depth, w.words());
        }
    }

    fn merge(&self, known: &mut Option<First<W>>, notes: &Option<First<W>>) {
        if let Some(First { depth, state }) = notes {
            keep_least(known, *depth, state);
        }
    }

    fn is_enough(&self, known: &Option<First<W>>) -> bool {
        known.is_some()
    }
}

/// Whether a verdict holds in a state because a recovery finished there. It may be that other steps lead to the same
/// state, and that the run was judged before these. A hazard counts whenever it comes.
fn was_judged_on_the_way<W: Words>(machine: &Machine, verdict: Verdict, w: &World<W>) -> bool {
    !verdict.is_hazard() && machine.was_judged(w)
}

/// A state to find a schedule to.
struct End<W> {
    depth: usize,
    state: World<W>,
    /// Whether only the step counts that finishes a recovery.
    by_recovery: bool,
}

/// A shortest schedule to each of some states: from the state back to the start, each time by the least state of the
/// level before that leads there.
fn schedules<W: Words, N>(
    machine: &Machine,
    levels: &Levels<W, N>,
    mut ends: Vec<Option<End<W>>>,
) -> Vec<Option<Vec<Action>>> {
    let mut found: Vec<Option<Vec<Action>>> =
        ends.iter().map(|end| end.as_ref().map(|_| Vec::new())).collect();
    let deepest = ends.iter().flatten().map(|end| end.depth).max().unwrap_or(0);
    for level in (0..deepest).rev() {
        let mut due: Vec<(usize, &mut End<W>)> = (ends.iter_mut().enumerate())
            .filter_map(|(i, end)| Some((i, end.as_mut()?)))
            .filter(|(_, end)| level < end.depth)
            .collect();
        for (i, (words, action)) in predecessors(machine, levels, level, &due) {
            let (path, end) = &mut due[i];
            end.state.set_words(&words);
            end.by_recovery = false;
            found[*path].get_or_insert_default().push(action);
        }
    }
    found.iter_mut().flatten().for_each(|actions| actions.reverse());
    found
}

/// For each end, the least state of a level that one action turns into it, and the first such action.
fn predecessors<W: Words, N>(
    machine: &Machine,
    levels: &Levels<W, N>,
    level: usize,
    ends: &[(usize, &mut End<W>)],
) -> Vec<(usize, (W, Action))> {
    let mut least: Vec<Option<&W>> = vec![None; ends.len()];
    let mut world = machine.start();
    let mut successors = Successors::new(usize::MAX);
    let shards = &levels.states;
    for words in (0..shards.count()).flat_map(|shard| shards.states_of_level(shard, level)) {
        let is_less = |least: &Option<&W>| least.is_none_or(|w| words < w);
        world.set_words(words);
        let mut wanted = ends.iter().zip(&least).filter(|(_, least)| is_less(least));
        if !wanted.any(|((_, end), _)| end.may_follow(machine, &world)) {
            continue;
        }
        machine.add_successors(&world, &mut successors);
        for successor in successors.drain() {
            for ((_, end), least) in ends.iter().zip(&mut least) {
                if successor == end.state && is_less(least) && end.may_follow(machine, &world) {
                    *least = Some(words);
                }
            }
        }
    }
    let found = ends.iter().zip(least).enumerate().filter_map(|(i, ((_, end), least))| {
        let words = least?;
        world.set_words(words);
        let mut first = None;
        machine.each_enabled(&world, |action| {
            let mut successor = world.clone();
            machine.apply(&mut successor, action, &mut ());
            if successor == end.state {
                first.get_or_insert(action);
            }
        });
        Some((i, (words.clone(), first?)))
    });
    found.collect()
}

impl<W: Words> End<W> {
    /// False where no step that counts leads here from `w`.
    fn may_follow(&self, machine: &Machine, w: &World<W>) -> bool {
        machine.may_precede(w, &self.state) && !(self.by_recovery && machine.was_judged(w))
    }
}
