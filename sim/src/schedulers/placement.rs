//! `crash_at_every_step`: one run for each place at which a single crash can strike an otherwise undisturbed run: before
//! each step of the delivering process, and while it waits. Messages arrive in the order of the sends, directly after
//! them; then the place of the crash is the only choice.

use crate::engine::machine::{CrashPlaces, Machine};
use crate::engine::rules::Judgement;
use crate::engine::world::{Words, World};
use crate::model::action::{Action, Section};
use crate::model::scenario::Fault;
use crate::schedulers::{Costs, Driver};

/// An undisturbed run: what is in flight arrives before anyone does another step; no fault strikes.
pub(super) struct Undisturbed {
    /// Crash at this place, counted from 0; never where there are fewer.
    crash_at: Option<u32>,
    /// The places at which a crash could have struck.
    seen: CrashPlaces,
    /// Whether a process that only seemed to crash wakes, once nothing else is left to do.
    wakes: bool,
}

impl Undisturbed {
    fn new(crash_at: Option<u32>) -> Undisturbed {
        Undisturbed { crash_at, seen: CrashPlaces::default(), wakes: false }
    }

    /// The run of a place. Where the process only seems to crash there are two for each: in the first ones it never
    /// wakes, in those after them it does.
    pub(super) fn at(machine: &Machine, place: u32) -> Undisturbed {
        let places = places(machine).all.max(1);
        Undisturbed { wakes: place >= places, ..Undisturbed::new(Some(place % places)) }
    }
}

impl Driver for Undisturbed {
    fn next<W: Words>(&mut self, machine: &Machine, w: &World<W>) -> Option<Action> {
        let offered = machine.progress(w);
        let progress = || (0..offered).filter_map(|k| machine.nth(w, k));
        let own = |a: &Action| matches!(a, Action::Step { who, .. } if *who == machine.deliverer);
        let crash = machine.stage.faults.crash.as_ref().map(|c| Action::Crash(c.kind));
        let settled =
            progress().find(|a| !matches!(a, Action::Step { .. } | Action::Start(_) | Action::Timeout(_)));
        let next = settled.or_else(|| progress().next());
        let before_own_step = next.as_ref().is_none_or(own);
        let can_strike = match crash {
            Some(crash) => machine.is_enabled(w, crash),
            None => true,
        };
        if can_strike && (before_own_step || machine.waits(w, machine.deliverer)) {
            let here = self.crash_at == Some(self.seen.all);
            self.seen.all += 1;
            self.seen.steps += u32::from(before_own_step);
            if let Some(crash) = crash.filter(|_| here) {
                return Some(crash);
            }
        }
        next.or_else(|| if self.wakes { machine.nth_paused(w, 0) } else { None })
    }
}

/// Before how many steps a single crash can strike an otherwise undisturbed run: for a program of four acts over n
/// events, 4n + 1, or 4n where a run that has ended cannot crash.
pub fn crash_places(machine: &Machine) -> u32 {
    places(machine).steps
}

fn places(machine: &Machine) -> CrashPlaces {
    let crashes = [Fault::Crash, Fault::Truncation].map(Section::Fault);
    if !crashes.iter().any(|crash| machine.sections.contains(crash)) {
        return CrashPlaces::default();
    }
    *machine.crash_places.get_or_init(|| {
        let mut driver = Undisturbed::new(None);
        let mut w: World<Vec<u64>> = machine.start();
        super::run(machine, &mut w, &mut driver, &mut ());
        driver.seen
    })
}

/// What comes of each of these runs, by the place of the crash, and what it cost.
pub fn crash_at_every_place(machine: &Machine) -> impl Iterator<Item = (Judgement, Costs)> {
    let futures = if machine.paused().next().is_some() { 2 } else { 1 };
    (0..places(machine).all * futures)
        .map(|place| super::run_once(machine, &mut Undisturbed::at(machine, place)))
}
