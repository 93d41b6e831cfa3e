//! The micro-model in desru: a process that takes one step, then schedules itself a tick later until the run has
//! ended.

use std::cell::RefCell;
use std::rc::Rc;

use desru::{Event, EventScheduler};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::model::{Label, Micro, State, Tally};

struct Run {
    micro: Micro,
    state: State,
    labels: Vec<Label>,
    rng: ChaCha8Rng,
}

impl Run {
    /// Takes one step, and says whether there was one to take.
    fn step(&mut self) -> bool {
        self.labels.clear();
        self.micro.labels(&self.state, &mut self.labels);
        if self.labels.is_empty() {
            return false;
        }
        let label = self.labels[self.rng.random_range(0..self.labels.len() as u32) as usize];
        self.state = self.micro.step(self.state, label);
        true
    }
}

/// Random runs, one for each of `seeds`.
pub fn simulate(micro: Micro, seeds: std::ops::Range<u64>) -> Tally {
    let rng = ChaCha8Rng::from_seed([0; 32]);
    let run = Rc::new(RefCell::new(Run { micro, state: State::default(), labels: Vec::new(), rng }));
    let mut tally = Tally::default();
    for seed in seeds {
        {
            let run = &mut *run.borrow_mut();
            run.state = State::default();
            run.rng.set_word_pos(0);
            run.rng.set_stream(seed);
        }
        let mut scheduler = EventScheduler::new();
        schedule_step(&mut scheduler, Rc::clone(&run));
        // Never told to stop, it runs until nothing is scheduled; a log of every event would only cost time.
        scheduler.run(Box::new(|_| false), Some(Box::new(|_, _| false)));
        let state = &run.borrow().state;
        tally.count(micro.duplicate(state), micro.lost(state));
    }
    tally
}

fn schedule_step(scheduler: &mut EventScheduler, run: Rc<RefCell<Run>>) {
    let step = move |scheduler: &mut EventScheduler| {
        if run.borrow_mut().step() {
            schedule_step(scheduler, Rc::clone(&run));
        }
        None
    };
    scheduler.schedule(Event::new(scheduler.current_time + 1.0, Some(Box::new(step)), None));
}
