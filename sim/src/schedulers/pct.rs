//! `pct:D`: probabilistic concurrency testing (Burckhardt et al., 2010) over what can act here. Every incarnation,
//! every message and every kind of fault draws a priority; the highest that can act does, except that at D steps,
//! drawn beforehand, whoever is about to act falls behind all others. A bug that needs D such turns is found with a
//! chance that does not shrink with everything else that could have happened.

use crate::engine::machine::Machine;
use crate::engine::rng::{Draw, Stream, Subsystem};
use crate::engine::world::{Words, World};
use crate::model::action::{Action, Emission};
use crate::model::ids::{Payload, Slot};
use crate::model::scenario::Fault;
use crate::schedulers::{Driver, step_limit};

/// Priorities with change points.
pub struct Pct {
    choices: Subsystem,
    changes: u8,
    /// How many steps a run takes, about; the change points lie among these.
    length: u32,
    draws: Stream,
    steps: u32,
    change_at: Vec<u32>,
    /// Whoever could act so far, in the order in which they first could.
    actors: Vec<(Actor, Priority)>,
    demoted: u32,
}

/// Drawn ones lie above those of whoever was demoted, the last demoted lowest.
type Priority = (bool, u32);

/// What has a priority of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Actor {
    /// An incarnation.
    Slot(Slot),
    /// A message on its way.
    Message(Emission),
    /// A reply on its way.
    Reply(Payload),
    /// The sink at work.
    Sink,
    /// A kind of fault.
    Fault(Fault),
}

impl Pct {
    /// The run of a seed.
    pub fn new(machine: &Machine, changes: u8, seed: u64) -> Pct {
        let choices = Subsystem::new("pct.choice");
        let mut pct = Pct {
            draws: choices.stream(seed),
            choices,
            changes,
            length: usual_length(machine),
            steps: 0,
            change_at: Vec::new(),
            actors: Vec::new(),
            demoted: 0,
        };
        pct.restart(seed);
        pct
    }

    /// The run of another seed, in the same memory.
    pub fn restart(&mut self, seed: u64) {
        self.draws = self.choices.stream(seed);
        self.steps = 0;
        self.demoted = 0;
        self.actors.clear();
        self.change_at.clear();
        for _ in 0..self.changes {
            let at = self.draws.below(self.length);
            self.change_at.push(at);
        }
    }

    /// The place of an actor in the table; whoever is new draws a priority.
    fn place(&mut self, actor: Actor) -> usize {
        if let Some(known) = self.actors.iter().position(|(a, _)| *a == actor) {
            return known;
        }
        let priority = (true, self.draws.below(u32::MAX));
        self.actors.push((actor, priority));
        self.actors.len() - 1
    }

    /// The enabled action of the highest priority, and its actor's place.
    fn highest<W: Words>(&mut self, machine: &Machine, world: &World<W>) -> Option<(usize, Action)> {
        let mut best: Option<(usize, Action)> = None;
        machine.each_enabled(world, |action| {
            let place = self.place(actor(machine, world, action));
            if best.is_none_or(|(b, _)| self.actors[place].1 > self.actors[b].1) {
                best = Some((place, action));
            }
        });
        best
    }
}

impl Driver for Pct {
    fn next<W: Words>(&mut self, machine: &Machine, world: &World<W>) -> Option<Action> {
        if machine.progress(world) == 0 {
            return machine.choose_to_wake(world, |n| self.draws.below(n));
        }
        if self.change_at.contains(&self.steps) {
            let (place, _) = self.highest(machine, world)?;
            self.demoted += 1;
            self.actors[place].1 = (false, u32::MAX - self.demoted);
        }
        self.steps = self.steps.saturating_add(1);
        self.highest(machine, world).map(|(_, action)| action)
    }
}

fn actor<W: Words>(machine: &Machine, world: &World<W>, action: Action) -> Actor {
    if machine.is_suspicion(world, action) {
        return Actor::Fault(Fault::SecondRecoverer);
    }
    match action {
        Action::Step { who, .. } | Action::Interval(who) | Action::Timeout(who) | Action::Start(who) => {
            Actor::Slot(who)
        }
        Action::Arrive(e) => Actor::Message(e),
        Action::Ack(p) => Actor::Reply(p),
        Action::SinkPersist | Action::FinishEffect(_) => Actor::Sink,
        Action::Lose(_) => Actor::Fault(Fault::Loss),
        Action::Crash(_) => Actor::Fault(Fault::Crash),
        Action::Fault(injected) => Actor::Fault(injected.fault()),
    }
}

/// How many steps a run without faults takes, and what each crash adds to it.
fn usual_length(machine: &Machine) -> u32 {
    let mut world: World<Vec<u64>> = machine.start();
    let mut steps = 0;
    while machine.progress(&world) > 0 && u64::from(steps) < step_limit(machine) {
        let Some(action) = machine.nth(&world, 0) else { break };
        machine.apply(&mut world, action, &mut ());
        steps += 1;
    }
    let crashes = machine.stage.faults.crash.as_ref().map_or(0, |c| u32::from(c.times));
    let recovery = machine.stage.policy.steps.len() as u32 + 2;
    (steps + crashes * recovery).max(1)
}
