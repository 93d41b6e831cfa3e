//! `timed`: a discrete-event clock in integer ticks. The world offers what can happen; this driver says when, from
//! the seed. Every act, arrival, fault and timeout is an entry in one queue, ordered by time and then by the order in
//! which it was entered.
//!
//! What belongs to a message (latency, loss, straggling, copies) is drawn by its identity, what belongs to an act by
//! its place in the program: one more send shifts no other draw, so that designs stay paired under one seed.

mod draws;
mod follow;
mod listener;
mod queue;

use std::collections::BinaryHeap;

use crate::engine::machine::{Kind, Machine, Role};
use crate::engine::rng::Draw;
use crate::engine::watch::Watch;
use crate::engine::world::{Words, World};
use crate::model::action::{Action, Emission};
use crate::model::ids::{Slot, Tick};
use crate::model::program::{Cadence, Producer};
use crate::model::ratio::Ratio;
use crate::model::scenario::{Crash, Fault, Injected, Keeps, Span};
use crate::schedulers::Driver;

use draws::{Place, Strike, Subsystems};
use listener::Listener;
use queue::{Due, Entry};

/// How likely a process that is to be stopped while it waits is stopped before the next thing that is due: a sender
/// waits for an arrival and a reply, and can as well be stopped when it has heard that.
const STOPPED_HERE_ONE_IN: u32 = 3;

/// The clock of one run. It can be used again for another seed of the same machine; then nothing is allocated.
pub struct Timed {
    subsystems: Subsystems,
    clock: Clock,
    /// The state in which every run starts.
    start: World<Vec<u64>>,
    /// Steps before which a crash can strike, in an undisturbed run.
    crash_places: u32,
    /// Steps of a recoverer before which it can die.
    death_places: u32,
    /// Whether a process that a fault can stop may wait in the middle of its program.
    stops_waiting: bool,
    /// The slots whose programs have an `each(interval)` section, and how long that is.
    intervals: Vec<(Slot, u64)>,
}

/// What a run of the clock keeps: the queue, and what was heard of the step that was just done.
struct Clock {
    seed: u64,
    now: Tick,
    order: u32,
    queue: BinaryHeap<Entry>,
    /// Whether a wake of this slot is queued.
    waking: Vec<bool>,
    /// Whether the next turn of an interval is queued; as the intervals.
    ticking: Vec<bool>,
    /// When each event is ready to be committed.
    ready: Vec<Tick>,
    /// Sends of each payload by each generation, so that each has an identity.
    attempts: Vec<u16>,
    /// When each dedup key reaches its age.
    age: Vec<Tick>,
    crash: Strike,
    truncation: Strike,
    death: Strike,
    /// How many places at which it could die each recoverer passed, by slot, since the death was drawn. The place of a
    /// death is one in a life: what another recoverer does meanwhile does not count.
    passed: Vec<u32>,
    sink: Strike,
    /// How often it was asked whether a process is stopped now, while it waits: each has a draw of its own.
    moments: u32,
    last_arrival: Tick,
    /// Until when a process that only seemed to crash stands still, by slot.
    asleep: Vec<Tick>,
    /// How many entries of the log have a time at which retention drops them.
    dated: u32,
    finishing: bool,
    /// Whether the delivering process was seen at the end of its work, in this generation.
    rested: bool,
    detecting: bool,
    heard: Listener,
}

impl Timed {
    /// The run of a seed.
    pub fn new(machine: &Machine, seed: u64) -> Timed {
        let events = machine.events() as usize;
        let intervals = intervals(machine);
        let mut timed = Timed {
            subsystems: Subsystems::new(),
            clock: Clock {
                seed,
                now: Tick(0),
                order: 0,
                queue: BinaryHeap::new(),
                waking: vec![false; machine.slots.len()],
                ticking: vec![false; intervals.len()],
                ready: vec![Tick(0); events],
                attempts: vec![0; (machine.messages() * machine.generations) as usize],
                age: vec![Tick(0); machine.dedup_keys() as usize],
                crash: Strike::default(),
                truncation: Strike::default(),
                death: Strike::default(),
                passed: vec![0; machine.slots.len()],
                sink: Strike::default(),
                moments: 0,
                last_arrival: Tick(0),
                asleep: vec![Tick(0); machine.slots.len()],
                dated: 0,
                finishing: false,
                rested: false,
                detecting: false,
                heard: Listener::default(),
            },
            start: machine.start(),
            crash_places: super::crash_places(machine),
            death_places: machine.death_places(),
            stops_waiting: machine.can_be_stopped_waiting(),
            intervals,
        };
        timed.restart(machine, seed);
        timed
    }

    /// Makes it the run of another seed, keeping its memory.
    pub fn restart(&mut self, machine: &Machine, seed: u64) {
        let c = &mut self.clock;
        c.seed = seed;
        c.now = Tick(0);
        c.order = 0;
        c.moments = 0;
        c.queue.clear();
        c.waking.fill(false);
        c.ticking.fill(false);
        c.attempts.fill(0);
        c.passed.fill(0);
        c.last_arrival = Tick(0);
        c.asleep.fill(Tick(0));
        c.dated = 0;
        (c.finishing, c.detecting, c.rested) = (false, false, false);
        c.heard.clear();
        let every = machine.stage.source.every;
        let mut t = 0;
        for (i, ready) in c.ready.iter_mut().enumerate() {
            t += self.subsystems.arrivals.draw(every, seed, [i as u32, 0, 0]);
            *ready = Tick(after(&machine.stage.source.outages, t));
        }
        let faults = &machine.stage.faults;
        let chance = |c: Option<Ratio>| c.unwrap_or(Ratio::NEVER);
        c.crash = self.subsystems.crash.strike(
            seed,
            0,
            chance(faults.crash.as_ref().map(|c| c.chance)),
            self.crash_places,
        );
        c.truncation = self.subsystems.truncation.strike(
            seed,
            0,
            chance(faults.truncation.as_ref().map(|t| t.chance)),
            self.crash_places,
        );
        c.death = self.subsystems.death.strike(
            seed,
            0,
            chance(faults.recoverer_dies.as_ref().map(|d| d.chance)),
            self.death_places,
        );
        c.sink = self.subsystems.sink.strike(
            seed,
            0,
            chance(faults.sink_crash.as_ref().map(|s| s.chance)),
            machine.events(),
        );
        // A key from before the run counts from its beginning.
        if let Some(Keeps::For { ticks, .. }) = machine.stage.sink.dedup.map(|d| d.keeps) {
            for i in 0..self.start.seq_len(machine.f.memory) {
                c.age[self.start.seq_get(machine.f.memory, i) as usize] = Tick(ticks);
                c.enter(ticks, Due::Age);
            }
        }
        let start = std::mem::replace(&mut self.start, World::from_words(Vec::new()));
        self.watch_over(machine, &start);
        self.date_entries(machine, &start);
        self.tick(machine, &start);
        self.watch_rest(machine, &start);
        self.wake_all(machine, &start);
        self.start = start;
    }

    /// Queues a wake for every incarnation that can step and has none.
    #[inline(always)]
    fn wake_all<W: Words>(&mut self, machine: &Machine, w: &World<W>) {
        for place in 0..self.clock.waking.len() {
            let slot = Slot(place as u8);
            if !self.clock.waking[place]
                && machine.can_step(w, slot)
                && (machine.stands(slot) || self.wakes(machine, w, slot))
            {
                self.wake(machine, w, slot);
            }
        }
    }

    /// Whether a process that only seemed to crash ever wakes.
    pub(super) fn wakes<W: Words>(&self, machine: &Machine, w: &World<W>, slot: Slot) -> bool {
        let identity = [u32::from(slot.0), machine.generation_of(w, slot), 0];
        let draw = |chance| self.subsystems.wakes.of(self.clock.seed, identity).chance(chance);
        machine.stage.faults.crash.as_ref().is_some_and(|crash| draw(crash.wakes))
    }

    /// Queues the next step of an incarnation. Not part of the loop, which mostly finds nobody to wake.
    #[inline(never)]
    fn wake<W: Words>(&mut self, machine: &Machine, w: &World<W>, slot: Slot) {
        let Action::Step { pc, item, .. } = machine.step_of(w, slot) else { return };
        let (stage, role) = (&machine.stage, machine.slots[slot.0 as usize].role);
        let takes = match role {
            Role::Producer | Role::Relay | Role::Zombie(_) => stage.source.act,
            Role::Recoverer(_) => stage.recovery.act,
        };
        let place = u32::from(slot.0) << 16 | machine.generation_of(w, slot);
        let mut at = self.clock.now.max(self.clock.asleep[slot.0 as usize]).0
            + self.subsystems.acts.draw(takes, self.clock.seed, [item, u32::from(pc), place]);
        if machine.program(slot).kind == Kind::Events && pc == 0 && !matches!(role, Role::Zombie(_)) {
            at = at.max(self.clock.ready[item as usize].0);
        }
        if matches!(role, Role::Recoverer(_)) {
            at = after(&stage.sink.outages, after(&stage.source.outages, at));
        }
        self.clock.waking[slot.0 as usize] = true;
        self.clock.enter(at, Due::Wake(slot));
    }

    /// What an entry amounts to now, or nothing where its time has passed it by.
    fn settle<W: Words>(&mut self, machine: &Machine, w: &World<W>, due: Due) -> Option<Action> {
        match due {
            Due::Rest => {
                if machine.has_delivered(w) {
                    self.crash_due(machine, w, Place::Last, || machine.progress(w) > 0)
                } else {
                    None
                }
            }
            Due::Wake(slot) => {
                self.clock.waking[slot.0 as usize] = false;
                if !machine.can_step(w, slot) {
                    return None;
                }
                if slot == machine.deliverer
                    && let Some(crash) = self.crash_due(machine, w, Place::Step, || true)
                {
                    return Some(crash);
                }
                if matches!(machine.slots[slot.0 as usize].role, Role::Recoverer(_))
                    && let Some(death) = self.death_due(machine, w, slot)
                {
                    return Some(death);
                }
                Some(self.open_step(machine, w, slot))
            }
            Due::Do(action) if machine.is_enabled(w, action) => Some(action),
            // A loss that a bound no longer allows: the message arrives after all.
            Due::Do(Action::Lose(e)) => Some(Action::Arrive(e)).filter(|a| machine.is_enabled(w, *a)),
            Due::Do(Action::Fault(Injected::LoseAck(p))) => {
                Some(Action::Ack(p)).filter(|a| machine.is_enabled(w, *a))
            }
            Due::Do(_) => None,
            Due::Detect => {
                self.clock.detecting = false;
                machine.first_start(w).and_then(|slot| machine.least_start(w, slot))
            }
            Due::Suspect => machine.free_start(w).and_then(|slot| machine.least_start(w, slot)),
            Due::Timeout { who, tries, item } => {
                let s = machine.slot(who);
                (machine.can_time_out(w, who) && w.get(s.item) == item && w.get(s.tries) == u32::from(tries))
                    .then_some(Action::Timeout(who))
            }
            Due::Interval(who) => {
                for (i, (slot, _)) in self.intervals.iter().enumerate() {
                    self.clock.ticking[i] &= *slot != who;
                }
                machine.interval_is_due(w, who).then_some(Action::Interval(who))
            }
            Due::Age => {
                let memory = machine.f.memory;
                let oldest = (w.seq_len(memory) > 0).then(|| w.seq_get(memory, 0))?;
                (self.clock.age[oldest as usize] <= self.clock.now).then_some(Action::Fault(Injected::Evict))
            }
            Due::Finish => {
                self.clock.finishing = false;
                machine.first_finishable(w)
            }
        }
    }

    /// The next step of an incarnation; where it leaves a choice, one that is drawn. A source commits every event.
    fn open_step<W: Words>(&self, machine: &Machine, w: &World<W>, slot: Slot) -> Action {
        let is_drawn = machine.has_choices && slot.0 > machine.deliverer.0;
        let choices = if is_drawn { machine.step_choices(w, slot) } else { 1 };
        if choices == 1 {
            return machine.step_with(w, slot, 0);
        }
        let identity = [u32::from(slot.0), w.get(machine.f.struck[Fault::Crash]), w.get(machine.f.starts)];
        machine.step_with(w, slot, self.subsystems.choice.of(self.clock.seed, identity).below(choices))
    }

    /// A crash, where this is the place that was drawn. Called before each step of the delivering process at which a
    /// crash could strike; `goes_on`: whether anything but faults can happen.
    fn crash_due<W: Words>(
        &mut self,
        machine: &Machine,
        w: &World<W>,
        place: Place,
        goes_on: impl FnOnce() -> bool,
    ) -> Option<Action> {
        if machine.can_truncate(w) && self.clock.truncation.is_here(place) {
            return Some(self.truncation(machine, w));
        }
        let crash = machine.stage.faults.crash.as_ref()?;
        if !machine.can_crash(w, goes_on) || !self.clock.crash.is_here(place) {
            return None;
        }
        Some(self.crash(crash))
    }

    /// The crash that strikes now; the next one is drawn.
    fn crash(&mut self, crash: &Crash) -> Action {
        let (seen, struck) = (self.clock.crash.seen, self.clock.crash.struck);
        let left = self.crash_places.saturating_sub(seen);
        self.clock.crash = self.subsystems.crash.strike(self.clock.seed, struck, crash.chance, left);
        Action::Crash(crash.kind)
    }

    /// The truncating crash that strikes now.
    fn truncation<W: Words>(&self, machine: &Machine, w: &World<W>) -> Action {
        let identity = [self.clock.truncation.struck, 1, 0];
        let keeps = self.subsystems.truncation.of(self.clock.seed, identity).below(machine.log_length(w));
        Action::Fault(Injected::Truncate(keeps))
    }

    /// The death of a recoverer, where this is the place that was drawn, or where its life ends before it gets there.
    fn death_due<W: Words>(&mut self, machine: &Machine, w: &World<W>, slot: Slot) -> Option<Action> {
        let dies = machine.stage.faults.recoverer_dies.as_ref()?;
        if !machine.can_die(w, slot) {
            return None;
        }
        let place = if machine.is_about_to_stop(w, slot) { Place::Last } else { Place::Step };
        self.clock.death.seen = self.clock.passed[slot.0 as usize];
        let here = self.clock.death.is_here(place);
        self.clock.passed[slot.0 as usize] = self.clock.death.seen;
        here.then(|| self.death(dies.chance, slot))
    }

    /// The death that strikes now; the next one is drawn.
    fn death(&mut self, chance: Ratio, slot: Slot) -> Action {
        let struck = self.clock.death.struck;
        self.clock.death = self.subsystems.death.strike(self.clock.seed, struck, chance, self.death_places);
        self.clock.passed.fill(0);
        Action::Fault(Injected::Die(slot))
    }

    /// A crash or a death that strikes while its process waits. A place that was drawn is the time from the step before
    /// it to the step after it, and a process that waits there can be stopped at any moment of the wait: before each
    /// thing that is due meanwhile, by chance, at a time in between that is drawn as well. Where nothing is due any more,
    /// this is the last moment.
    #[inline(never)]
    fn stopped_waiting<W: Words>(&mut self, machine: &Machine, w: &World<W>) -> Option<Action> {
        let until = self.clock.queue.peek().map(|entry| entry.at);
        let place = if until.is_some() { Place::Step } else { Place::Last };
        let faults = &machine.stage.faults;
        let waiting = |slot: Slot| machine.waits(w, slot);
        if self.clock.truncation.would_be_here(place)
            && waiting(machine.deliverer)
            && machine.can_truncate(w)
            && self.is_this_moment(until)
        {
            self.clock.truncation.strikes();
            return Some(self.truncation(machine, w));
        }
        if let Some(crash) = &faults.crash
            && self.clock.crash.would_be_here(place)
            && waiting(machine.deliverer)
            && machine.can_crash(w, || machine.progress(w) > 0)
            && self.is_this_moment(until)
        {
            self.clock.crash.strikes();
            return Some(self.crash(crash));
        }
        let death = self.clock.death;
        let dies_here = |slot: Slot| {
            let seen = self.clock.passed[slot.0 as usize];
            Strike { seen, ..death }.would_be_here(place) && machine.can_die(w, slot) && waiting(slot)
        };
        if let Some(dies) = &faults.recoverer_dies
            && let Some((slot, _)) = machine.slots().find(|(slot, _)| dies_here(*slot))
            && self.is_this_moment(until)
        {
            self.clock.death.strikes();
            return Some(self.death(dies.chance, slot));
        }
        None
    }

    /// Whether the process is stopped before what is due next; then the clock moves to a time until then.
    fn is_this_moment(&mut self, until: Option<Tick>) -> bool {
        let Some(until) = until else { return true };
        let mut draws = self.subsystems.stop.of(self.clock.seed, [self.clock.moments, 0, 0]);
        self.clock.moments += 1;
        if draws.below(STOPPED_HERE_ONE_IN) > 0 {
            return false;
        }
        let wait = u32::try_from(until.0.saturating_sub(self.clock.now.0)).unwrap_or(u32::MAX);
        self.clock.now.0 += u64::from(draws.below(wait.saturating_add(1)));
        true
    }

    /// Queues the next turn of every interval that has something to do: at a multiple of its length. Turns at which it
    /// would do nothing are left out, so that its clock stops with the run.
    #[inline(never)]
    fn tick<W: Words>(&mut self, machine: &Machine, w: &World<W>) {
        for (i, (slot, every)) in self.intervals.iter().enumerate() {
            if !self.clock.ticking[i] && machine.interval_is_due(w, *slot) {
                self.clock.ticking[i] = true;
                self.clock.enter((self.clock.now.0 / every + 1) * every, Due::Interval(*slot));
            }
        }
    }
}

impl Clock {
    #[inline]
    fn enter(&mut self, at: u64, due: Due) {
        self.queue.push(Entry { at: Tick(at), order: self.order, due });
        self.order += 1;
    }

    /// The identity of the next send of this payload by this generation.
    fn identity(&mut self, machine: &Machine, e: Emission) -> [u32; 3] {
        let index = e.payload.0 * machine.generations + u32::from(e.generation.0);
        let attempt = &mut self.attempts[index as usize];
        *attempt = attempt.saturating_add(1);
        [e.payload.0, u32::from(*attempt), u32::from(e.generation.0)]
    }
}

/// The slots whose programs have an `each(interval)` section, and how long that is.
fn intervals(machine: &Machine) -> Vec<(Slot, u64)> {
    let stage = &machine.stage;
    let every = |(cadence, _): &(Cadence, _)| match cadence {
        Cadence::EachInterval(ticks) => Some((*ticks).max(1)),
        _ => None,
    };
    let programs = [Some(&stage.producer), stage.relay.as_ref()];
    let of = |(i, p): (usize, Option<&Producer>)| Some((Slot(i as u8), p?.sections.iter().find_map(every)?));
    programs.into_iter().enumerate().filter_map(of).collect()
}

/// The time at which something due at `t` happens where spans of outage hold it up.
#[inline]
fn after(outages: &[Span], t: u64) -> u64 {
    outages.iter().fold(t, |t, span| if (span.from..span.to).contains(&t) { span.to } else { t })
}

impl Driver for Timed {
    fn next<W: Words>(&mut self, machine: &Machine, world: &World<W>) -> Option<Action> {
        if self.clock.order == u32::MAX {
            return None;
        }
        loop {
            if self.stops_waiting
                && let Some(stop) = self.stopped_waiting(machine, world)
            {
                return Some(stop);
            }
            let Some(entry) = self.clock.queue.pop() else { break };
            self.clock.now = entry.at;
            if let Some(action) = self.settle(machine, world, entry.due) {
                return Some(action);
            }
        }
        // Nothing is due any more: what can still happen without a fault, and nobody gave a time, happens now.
        (machine.progress(world) > 0).then(|| machine.nth(world, 0)).flatten()
    }

    fn now(&self) -> Option<Tick> {
        Some(self.clock.now)
    }

    fn apply<W: Words, O: Watch>(
        &mut self,
        machine: &Machine,
        world: &mut World<W>,
        action: Action,
        watch: &mut O,
    ) {
        machine.apply(world, action, &mut (&mut self.clock.heard, watch));
        self.follow_up(machine, world);
    }
}
