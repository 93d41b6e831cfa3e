//! The part of a stage's graph that uniform runs have walked: a state that was seen before is a place in a table, and
//! what it offers and where each action leads is looked up instead of worked out. It is built while it is used, as the
//! automaton of a lazy regular-expression engine is (Cox, "Regular Expression Matching in the Wild", 2010), and it is
//! bounded: where it is full, a run goes on without it. It changes the time that a run takes and nothing else; one seed
//! in a hundred is run both ways and compared.

use std::collections::BTreeMap;

use crate::engine::machine::Machine;
use crate::engine::rules::Judgement;
use crate::engine::watch::{Heard, Watch};
use crate::engine::world::{Words, World};
use crate::model::action::Action;
use crate::model::scenario::When;
use crate::schedulers::{Uniform, run_from, step_limit};

/// States that are kept; a stage with many more is walked too widely for a state to be met often.
const MOST_STATES: usize = 1 << 13;
/// Actions that are kept.
const MOST_STEPS: usize = 1 << 15;
/// Notes to a watcher that are kept.
const MOST_HEARD: usize = 1 << 17;

/// What is known of a stage's graph. Each thread has its own.
pub struct StepCache<W> {
    places: BTreeMap<W, u32>,
    states: Vec<State<W>>,
    /// What each state offers, side by side and in the order in which it is counted.
    steps: Vec<Step>,
    /// What a watcher hears of each step, side by side.
    heard: Vec<Heard>,
    /// How many states it may hold.
    room: usize,
    /// Whether there was no room for something; then nothing more is added.
    is_full: bool,
}

struct State<W> {
    words: W,
    /// Its first step; the others follow.
    first: u32,
    /// How many actions are enabled, faults among them; none where the run has ended.
    offered: u32,
    /// What the oracle says of a run that ends here.
    judgement: Judgement,
}

#[derive(Clone, Copy)]
struct Step {
    action: Action,
    /// The place of the state that it leads to, once it was taken.
    to: Option<u32>,
    /// Where in `heard` it begins and ends.
    hears: (u32, u32),
}

impl<W: Words> StepCache<W> {
    /// Nothing yet. None where a run is judged on its way, so that its end does not tell what it came to.
    pub fn new(machine: &Machine) -> Option<StepCache<W>> {
        StepCache::with_room(machine, MOST_STATES)
    }

    /// The same with room for so many states, at least one.
    pub fn with_room(machine: &Machine, states: usize) -> Option<StepCache<W>> {
        let mut walked = StepCache {
            places: BTreeMap::new(),
            states: Vec::new(),
            steps: Vec::new(),
            heard: Vec::new(),
            room: states.clamp(1, MOST_STATES),
            is_full: false,
        };
        let is_judged_at_the_end = machine.stage.judge.when == When::Quiescent;
        // Whether a paused process wakes is drawn, and belongs to no step.
        let ends_by_itself = machine.paused().next().is_none();
        (is_judged_at_the_end && ends_by_itself && walked.place(machine, &machine.start()).is_some())
            .then_some(walked)
    }

    /// Whether runs go on without it where it does not lead further.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Runs from the start to the end as [`super::run`] does, and judges.
    pub fn run<O: Watch>(
        &mut self,
        machine: &Machine,
        world: &mut World<W>,
        driver: &mut Uniform,
        watch: &mut O,
    ) -> Judgement {
        let (mut at, most) = (0, step_limit(machine));
        for taken in 0..most {
            let state = &self.states[at as usize];
            if state.offered == 0 {
                return state.judgement;
            }
            let k = state.first + driver.below(state.offered);
            let step = self.steps[k as usize];
            watch.about_to(step.action, None);
            let Some(to) = step.to.or_else(|| self.take(machine, world, at, k)) else {
                world.set_words(&self.states[at as usize].words);
                machine.apply(world, step.action, watch);
                return run_from(machine, world, driver, watch, most - taken - 1);
            };
            let (from, upto) = self.steps[k as usize].hears;
            for heard in &self.heard[from as usize..upto as usize] {
                heard.tell(watch);
            }
            at = to;
        }
        self.states[at as usize].judgement
    }

    /// Takes a step for the first time, and gives the place that it leads to; none where there is no room for it.
    #[cold]
    fn take(&mut self, machine: &Machine, world: &mut World<W>, at: u32, k: u32) -> Option<u32> {
        if self.is_full {
            return None;
        }
        let from = self.heard.len() as u32;
        world.set_words(&self.states[at as usize].words);
        machine.apply(world, self.steps[k as usize].action, &mut self.heard);
        let to = self.place(machine, world);
        self.is_full = to.is_none() || self.heard.len() > MOST_HEARD;
        let Some(to) = to else {
            self.heard.truncate(from as usize);
            return None;
        };
        let step = &mut self.steps[k as usize];
        (step.to, step.hears) = (Some(to), (from, self.heard.len() as u32));
        Some(to)
    }

    /// The place of a state, a new one if it was not met before.
    fn place(&mut self, machine: &Machine, world: &World<W>) -> Option<u32> {
        if let Some(place) = self.places.get(world.words()) {
            return Some(*place);
        }
        let (place, first) = (self.states.len() as u32, self.steps.len());
        if self.states.len() == self.room || first + machine.enabled(world) as usize > MOST_STEPS {
            return None;
        }
        let progress =
            machine.each_enabled(world, |action| self.steps.push(Step { action, to: None, hears: (0, 0) }));
        self.states.push(State {
            words: world.words().clone(),
            first: first as u32,
            // A fault alone does not keep a run going.
            offered: if progress == 0 { 0 } else { (self.steps.len() - first) as u32 },
            judgement: machine.judge(world, When::Quiescent),
        });
        self.places.insert(world.words().clone(), place);
        Some(place)
    }
}
