//! Every schedule within the bounds, breadth first: proved, or the shortest way to what went wrong.
//!
//! States are kept exactly, packed as the world packs them. A level is expanded in parallel into buckets by hash, one
//! for each thread's shard, then each bucket is merged into its shard; what is counted does not depend on the number of
//! threads, and among counterexamples of one length the one with the least packed states is shown. Predecessors are not stored: since
//! the levels are kept, a path is found again from its end, level by level.

pub mod map;
mod round;
pub(crate) mod shard;

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::engine::machine::{Machine, Section};
use crate::engine::rules::Successors;
use crate::engine::world::{Words, World};
use crate::model::action::Action;
use crate::model::claim::Predicate;
use crate::model::record::Record;
use crate::model::scenario::{Verdict, When};
use crate::model::verdict::Verdicts;
use crate::search::threads::in_parallel;

use round::{Batch, Round, Slice};
use shard::{Shard, Shards};

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Stop when more distinct states than this were found.
    pub states: u64,
    /// Stop before the states, their tables and the successors that wait to be merged take more bytes than this.
    pub memory: u64,
    /// How many threads; at least one.
    pub jobs: usize,
}

/// The bytes that an exploration may take unless it is told otherwise; the same on every machine, as its result is.
pub const MEMORY: u64 = 4 << 30;

impl Default for Limits {
    fn default() -> Limits {
        Limits { states: 100_000_000, memory: MEMORY, jobs: 1 }
    }
}

/// Shared with whoever watches an exploration and may stop it.
#[derive(Default, Debug)]
pub struct Watched {
    /// Distinct states so far.
    pub states: AtomicU64,
    /// Set to stop.
    pub stop: AtomicBool,
}

/// What was found of one design.
#[derive(Clone, PartialEq, Debug)]
pub struct Exploration {
    /// Distinct states.
    pub states: u64,
    /// Labelled steps between them, each counted once for each state that offers it.
    pub transitions: u64,
    /// The number of steps to the state that is farthest from the start.
    pub depth: usize,
    /// Whether the whole bounded space was covered.
    pub complete: bool,
    /// Whether it ended because there was no memory for more.
    pub out_of_memory: bool,
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
        match (&self.witnesses[verdict as usize], self.complete) {
            (Some(_), _) => Reach::Reachable,
            (None, true) => Reach::Unreachable,
            (None, false) => Reach::Unknown,
        }
    }

    /// A shortest schedule to a verdict.
    pub fn witness(&self, verdict: Verdict) -> Option<&[Action]> {
        self.witnesses[verdict as usize].as_deref()
    }
}

/// A step that only a clock brings about; a counterexample that takes one says so, and it can be switched off.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Timing {
    /// The dedup memory forgets a key, or a preparation expires.
    Expiry,
    /// A sender gives up waiting for a reply.
    Timeout,
    /// A second recoverer starts while the first lives.
    Suspicion,
}

impl Machine {
    /// The same machine without the steps that a clock brings about in this way.
    pub fn without(&mut self, timing: Timing) {
        let gone: &[Section] = match timing {
            Timing::Expiry => &[Section::Evict, Section::Expire],
            Timing::Timeout => &[Section::Timeout],
            Timing::Suspicion => &[Section::Suspect],
        };
        let left = self.sections.iter().copied().filter(|s| !gone.contains(s)).collect();
        self.set_sections(left);
    }

    /// What a schedule needs of the clock: the places (from 1) of the steps that only time brings about.
    pub fn timing_of(&self, schedule: &[Action]) -> Vec<(usize, Timing)> {
        let mut w: World<Vec<u64>> = self.start();
        let mut needs = Vec::new();
        for (i, action) in schedule.iter().enumerate() {
            let timing = match action {
                Action::Evict | Action::Expire(_) => Some(Timing::Expiry),
                Action::Timeout(_) => Some(Timing::Timeout),
                a if self.is_suspicion(&w, *a) => Some(Timing::Suspicion),
                _ => None,
            };
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
    search(machine, limits, watched, &[]).0
}

/// What came of looking for states.
pub struct Sought {
    /// Distinct states.
    pub states: u64,
    /// Whether the whole bounded space was covered.
    pub complete: bool,
    /// For each predicate, a shortest schedule to a state in which it holds, if one was found.
    pub schedules: Vec<Option<Vec<Action>>>,
}

/// Looks through every reachable state for one in which each of some predicates holds.
pub fn seek(machine: &Machine, limits: Limits, watched: &Watched, sought: &[Predicate]) -> Sought {
    let (found, schedules) = search(machine, limits, watched, sought);
    Sought { states: found.states, complete: found.complete, schedules }
}

fn search(
    machine: &Machine,
    limits: Limits,
    watched: &Watched,
    sought: &[Predicate],
) -> (Exploration, Vec<Option<Vec<Action>>>) {
    match machine.words() {
        1 => Search::<[u64; 1]>::new(machine, limits, watched, sought).run(),
        2 => Search::<[u64; 2]>::new(machine, limits, watched, sought).run(),
        3 => Search::<[u64; 3]>::new(machine, limits, watched, sought).run(),
        4 => Search::<[u64; 4]>::new(machine, limits, watched, sought).run(),
        5..=8 => Search::<[u64; 8]>::new(machine, limits, watched, sought).run(),
        _ => Search::<Vec<u64>>::new(machine, limits, watched, sought).run(),
    }
}

struct Search<'a, W> {
    machine: &'a Machine,
    limits: Limits,
    watched: &'a Watched,
    sought: &'a [Predicate],
    shards: Shards<W>,
    transitions: u64,
    /// The most successors of one state so far.
    widest: usize,
    out_of_memory: bool,
    /// Harvests that were merged, by thread: memory that was touched before is cheaper than new memory, and what a
    /// thread touched last it has at hand.
    spare: Vec<Mutex<Option<Harvest<W>>>>,
    /// For each verdict, then for each predicate, the depth at which it was first found and the least state there.
    found: Found<W>,
}

/// For each of [`Verdict::ALL`], then for each predicate: the least state at the depth where it was first seen.
type Found<W> = Vec<Option<(usize, W)>>;

/// What one thread found while it expanded states of one level.
struct Harvest<W> {
    /// Successors, by shard.
    buckets: Vec<Vec<W>>,
    /// By hash, the successor that came last: most states are reached from several states of one level, and one that
    /// was just added need not be looked for among all that are known.
    latest: Vec<W>,
    transitions: u64,
    /// The most successors of one state.
    widest: usize,
    /// Whether there was no room for all successors.
    full: bool,
    found: Found<W>,
}

/// More shards than this cost each thread more than they give.
const MOST_SHARDS: u64 = 256;
/// Successors that a thread remembers at first, and the bytes of the most that it comes to remember; they fit the cache.
const LATEST: usize = 1 << 10;
const LATEST_BYTES: u64 = 1 << 19;
/// States of a level that are expanded before somebody looks whether a limit was hit. Fewer, where their successors
/// would take too much.
const ROUND: usize = 1 << 20;
/// The part of the memory that successors may take before they are merged. Half of it is planned for, since a state
/// may have more of them than any had before.
const IN_FLIGHT: u64 = 8;

impl<'a, W: Words> Search<'a, W> {
    fn new(
        machine: &'a Machine,
        limits: Limits,
        watched: &'a Watched,
        sought: &'a [Predicate],
    ) -> Search<'a, W> {
        // A shard for each thread to merge into; more where one could hold more states than a slot can name.
        let most = limits.states.min(limits.memory / shard::bytes(machine.start::<W>().words()));
        let shards = (limits.jobs as u64).max(most / shard::MOST).clamp(1, MOST_SHARDS).next_power_of_two();
        Search {
            machine,
            limits,
            watched,
            sought,
            shards: Shards::new(shards as usize),
            transitions: 0,
            widest: 1,
            out_of_memory: false,
            spare: (0..limits.jobs.max(1)).map(|_| Mutex::default()).collect(),
            found: nothing_found(sought),
        }
    }

    fn run(mut self) -> (Exploration, Vec<Option<Vec<Action>>>) {
        let start: World<W> = self.machine.start();
        self.shards.insert_one(start.words().clone());
        let mut depth = 0;
        let mut complete = true;
        // Each turn expands one level; the loop ends when a level is empty or a limit is hit.
        loop {
            let level = self.shards.close_level();
            if level == 0 {
                break;
            }
            depth += 1;
            if !self.expand_level(depth - 1) {
                complete = false;
                break;
            }
        }
        let mut witnesses = self.witnesses();
        let sought = witnesses.split_off(Verdict::ALL.len());
        let found = Exploration {
            states: self.shards.len(),
            transitions: self.transitions,
            depth: depth.saturating_sub(1),
            complete,
            out_of_memory: self.out_of_memory,
            witnesses,
            bytes_per_state: self.shards.bytes() / self.shards.len().max(1),
        };
        (found, sought)
    }

    /// Expands the newest level. False when a limit was hit or somebody asked to stop.
    fn expand_level(&mut self, depth: usize) -> bool {
        let level = self.shards.newest_level();
        let states: usize = level.iter().map(Range::len).sum();
        let rounds = states.div_ceil(self.round()).next_power_of_two();
        for at in 0..rounds {
            let mut round = Round::new(&level, Slice { of: rounds, at }, self.round());
            let before = (self.shards.lens(), self.transitions, self.found.clone());
            while let Some(batch) = round.next_batch(self.limits.jobs) {
                let harvests = self.expand(&round, &batch, depth);
                if harvests.iter().any(|harvest| harvest.full) {
                    // Which batches of the round were merged depends on the threads; what is reported does not.
                    self.shards.truncate(&before.0);
                    (self.transitions, self.found) = (before.1, before.2);
                    self.out_of_memory = true;
                    return false;
                }
                self.merge(harvests);
                if self.watched.stop.load(Ordering::Relaxed) {
                    return false;
                }
            }
            self.watched.states.store(self.shards.len(), Ordering::Relaxed);
            self.out_of_memory =
                self.shards.memory() > self.limits.memory - self.limits.memory / IN_FLIGHT * 2;
            if self.shards.len() > self.limits.states || self.out_of_memory {
                return false;
            }
        }
        true
    }

    /// How many successors may wait to be merged. An array that grows may take twice what is in it.
    fn most_in_flight(&self) -> u64 {
        self.limits.memory / IN_FLIGHT / (2 * shard::bytes(self.machine.start::<W>().words()))
    }

    /// How many states are expanded before somebody looks whether a limit was hit. It does not depend on the threads, so
    /// that neither does what was covered then.
    fn round(&self) -> usize {
        (self.most_in_flight() as usize / (2 * self.widest)).clamp(1, ROUND)
    }

    /// The successors of the next states of a round, and what the oracle says of them.
    fn expand(&self, round: &Round<'_>, batch: &Batch, depth: usize) -> Vec<Harvest<W>> {
        let most = self.most_in_flight();
        let work = |thread| {
            let mut harvest = self.take_spare(thread);
            let mut world = self.machine.start();
            let mut successors = Successors::new(usize::try_from(most).unwrap_or(usize::MAX));
            while let Some(chunk) = batch.take(thread) {
                let before = harvest.transitions;
                for words in round.pieces(chunk).flat_map(|(shard, piece)| {
                    let is_in = |w: &&W| round.slice.holds(*w, round.level.len());
                    self.shards.states(shard, piece).iter().filter(is_in)
                }) {
                    world.set_words(words);
                    self.expand_state(&world, &mut successors, depth, &mut harvest);
                    harvest.full |= harvest.transitions - before > most;
                    if harvest.full {
                        return harvest;
                    }
                }
                let added = harvest.transitions - before;
                harvest.full = round.successors.fetch_add(added, Ordering::Relaxed) + added > most;
                if harvest.full || self.watched.stop.load(Ordering::Relaxed) {
                    break;
                }
            }
            harvest
        };
        in_parallel(batch.threads(), work)
    }

    fn expand_state(
        &self,
        w: &World<W>,
        successors: &mut Successors<W>,
        depth: usize,
        harvest: &mut Harvest<W>,
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
        harvest.full |= successors.full;
        harvest.transitions += successors.len() as u64;
        harvest.widest = harvest.widest.max(successors.len());
        if machine.stage.judge.when == When::Recovered && !was_judged {
            for successor in successors.iter() {
                if let Some(judgement) = machine.judge_recovered(successor) {
                    harvest.note(judgement.verdicts(), successor.words(), depth + 1);
                }
            }
        }
        harvest.add(successors);
        for (i, predicate) in self.sought.iter().enumerate() {
            if predicate.holds(machine, w) {
                keep_least(&mut harvest.found[Verdict::ALL.len() + i], depth, w.words());
            }
        }
        let hazards = machine.hazards(w);
        if progress == 0 && !was_judged {
            harvest.note(machine.judge(w, When::Quiescent).verdicts(), w.words(), depth);
        } else if !hazards.is_empty() && hazards.iter().any(|hazard| self.is_news(hazard, depth)) {
            harvest.note(hazards, w.words(), depth);
        }
    }

    /// Whether a verdict was not found at a smaller depth.
    fn is_news(&self, verdict: Verdict, depth: usize) -> bool {
        self.found[verdict as usize].as_ref().is_none_or(|(first, _)| *first >= depth)
    }

    /// A harvest for a thread to fill.
    fn take_spare(&self, thread: usize) -> Harvest<W> {
        let mut spare = self.spare[thread].lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        spare.take().unwrap_or_else(|| {
            // Every state comes from some other, but for the first one, and that is known.
            let start: World<W> = self.machine.start();
            Harvest::new(self.sought, self.shards.count(), start.words().clone())
        })
    }

    fn merge(&mut self, harvests: Vec<Harvest<W>>) {
        for harvest in &harvests {
            self.transitions += harvest.transitions;
            self.widest = self.widest.max(harvest.widest);
            for (mine, theirs) in self.found.iter_mut().zip(&harvest.found) {
                if let Some((depth, words)) = theirs {
                    keep_least(mine, *depth, words);
                }
            }
        }
        // Threads cost more than they save where there is little to merge.
        let successors: usize = harvests.iter().flat_map(|h| &h.buckets).map(Vec::len).sum();
        let jobs = if successors < 1 << 14 { 1 } else { self.limits.jobs };
        let shards: Vec<Mutex<&mut Shard<W>>> = self.shards.all_mut().map(Mutex::new).collect();
        let next = AtomicUsize::new(0);
        in_parallel(jobs, |_| {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(shard) = shards.get(index) else { return };
                let mut shard = shard.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                for harvest in &harvests {
                    shard.insert_all(&harvest.buckets[index]);
                }
            }
        });
        for (spare, mut harvest) in self.spare.iter_mut().zip(harvests) {
            harvest.clear();
            *spare = Mutex::new(Some(harvest));
        }
    }

    /// A shortest schedule to each verdict that was found: from the state where it holds back to the start, each time
    /// by the least state of the level before that leads there.
    fn witnesses(&self) -> Vec<Option<Vec<Action>>> {
        let mut paths: Vec<Option<(W, Vec<Action>)>> =
            self.found.iter().map(|f| f.as_ref().map(|(_, words)| (words.clone(), Vec::new()))).collect();
        let deepest = self.found.iter().flatten().map(|(depth, _)| *depth).max().unwrap_or(0);
        for level in (0..deepest).rev() {
            let due = |i: usize| self.found[i].as_ref().is_some_and(|(depth, _)| level < *depth);
            let targets: Vec<Target<W>> = paths
                .iter()
                .enumerate()
                .filter(|(i, _)| due(*i))
                .filter_map(|(i, p)| {
                    let (words, actions) = p.as_ref()?;
                    let state = World::from_words(words.clone());
                    let by_recovery = actions.is_empty() && self.was_judged_on_the_way(i, &state);
                    Some(Target { path: i, state, by_recovery })
                })
                .collect();
            for (i, (words, action)) in self.predecessors(level, &targets) {
                if let Some((at, actions)) = &mut paths[i] {
                    *at = words;
                    actions.push(action);
                }
            }
        }
        paths
            .into_iter()
            .map(|path| {
                path.map(|(_, mut actions)| {
                    actions.reverse();
                    actions
                })
            })
            .collect()
    }

    /// Whether what was found in a state holds because a recovery finished there. It may be that other steps lead to the
    /// same state, and that the run was judged before these. A hazard counts whenever it comes.
    fn was_judged_on_the_way(&self, found: usize, w: &World<W>) -> bool {
        Verdict::ALL.get(found).is_some_and(|verdict| !verdict.is_hazard()) && self.machine.was_judged(w)
    }

    /// For each target, the least state of a level that one action turns into it, and the first such action.
    fn predecessors(&self, level: usize, targets: &[Target<W>]) -> Vec<(usize, (W, Action))> {
        let mut least: Vec<Option<&W>> = vec![None; targets.len()];
        let mut world = self.machine.start();
        let mut successors = Successors::new(usize::MAX);
        for words in (0..self.shards.count()).flat_map(|shard| self.shards.states_of_level(shard, level)) {
            let is_less = |least: &Option<&W>| least.is_none_or(|w| words < w);
            world.set_words(words);
            let mut wanted = targets.iter().zip(&least).filter(|(_, least)| is_less(least));
            if !wanted.any(|(target, _)| target.may_follow(self.machine, &world)) {
                continue;
            }
            self.machine.add_successors(&world, &mut successors);
            for successor in successors.drain() {
                for (target, least) in targets.iter().zip(&mut least) {
                    if successor == target.state && is_less(least) && target.may_follow(self.machine, &world)
                    {
                        *least = Some(words);
                    }
                }
            }
        }
        let found = targets.iter().zip(least).filter_map(|(target, least)| {
            let words = least?;
            world.set_words(words);
            let mut first = None;
            self.machine.each_enabled(&world, |action| {
                let mut successor = world.clone();
                self.machine.apply(&mut successor, action, &mut ());
                if successor == target.state {
                    first.get_or_insert(action);
                }
            });
            Some((target.path, (words.clone(), first?)))
        });
        found.collect()
    }
}

/// A state that a schedule is known to lead from.
struct Target<W> {
    /// Which of the schedules.
    path: usize,
    state: World<W>,
    /// Whether only the step counts that finishes a recovery.
    by_recovery: bool,
}

impl<W: Words> Target<W> {
    /// False where no step that counts leads here from `w`.
    fn may_follow(&self, machine: &Machine, w: &World<W>) -> bool {
        machine.may_precede(w, &self.state) && !(self.by_recovery && machine.was_judged(w))
    }
}

impl<W: Words> Harvest<W> {
    fn new(sought: &[Predicate], shards: usize, nothing: W) -> Harvest<W> {
        Harvest {
            buckets: (0..shards).map(|_| Vec::new()).collect(),
            latest: {
                let most = (LATEST_BYTES / shard::bytes(&nothing)).clamp(1, LATEST as u64);
                vec![nothing; 1 << most.ilog2()]
            },
            transitions: 0,
            widest: 0,
            full: false,
            found: nothing_found(sought),
        }
    }

    /// Adds the successors that are not among those that came last. Whether one is cannot be guessed, so that nothing
    /// waits for the answer: all are told apart before any is put into its bucket.
    #[inline(always)]
    fn add(&mut self, successors: &mut Successors<W>) {
        let last = self.latest.len() - 1;
        successors.retain(|successor| {
            let latest = &mut self.latest[shard::hash(successor.words().get()) as usize & last];
            let is_new = latest != successor.words();
            latest.clone_from(successor.words());
            is_new
        });
        if let [bucket] = &mut self.buckets[..] {
            bucket.extend(successors.drain().map(World::into_words));
            return;
        }
        for successor in successors.drain() {
            let hash = shard::hash(successor.words().get());
            let shard = shard::part(hash, self.buckets.len());
            self.buckets[shard].push(successor.into_words());
        }
    }

    fn clear(&mut self) {
        // Where there is little to find, even to make room for more would take longer than it saves.
        let remembered = self.latest.len() as u64;
        if self.transitions > 4 * remembered && 2 * remembered * shard::bytes(&self.latest[0]) <= LATEST_BYTES
        {
            self.latest.extend_from_within(..);
        }
        self.buckets.iter_mut().for_each(Vec::clear);
        self.transitions = 0;
        self.found.fill(None);
    }

    fn note(&mut self, verdicts: Verdicts, words: &W, depth: usize) {
        for verdict in verdicts.iter() {
            keep_least(&mut self.found[verdict as usize], depth, words);
        }
    }
}

fn nothing_found<W: Words>(sought: &[Predicate]) -> Found<W> {
    vec![None; Verdict::ALL.len() + sought.len()]
}

fn keep_least<W: Words>(slot: &mut Option<(usize, W)>, depth: usize, words: &W) {
    if slot.as_ref().is_none_or(|(d, w)| (depth, words) < (*d, w)) {
        *slot = Some((depth, words.clone()));
    }
}
