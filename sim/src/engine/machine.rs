//! A delivery stage, compiled: programs as flat steps, and a place in the packed state for everything that this
//! stage can tell apart. [`crate::engine::rules`] runs it.
//!
//! `compile` makes it of a stage, with the help of the others: `resolve` turns written programs into those of
//! `program`, `messages` numbers what can be on the wire, `layout` gives out the places in the state.

mod compile;
mod error;
mod fields;
mod layout;
mod messages;
mod nondelivery;
mod payload;
mod program;
mod resolve;

use std::sync::OnceLock;

use crate::engine::world::{Field, Layout};
use crate::model::action::{Emission, Section};
use crate::model::ids::{Coordinate, Slot};
use crate::model::program::Surfaces;
use crate::model::scenario::{Fault, Stage};
use crate::model::view::Rules;

pub use compile::check_size;
pub(crate) use compile::outruns_its_end;
pub use error::CompileError;
use fields::{Fields, SlotFields};
use nondelivery::NonDeliveries;
pub(crate) use nondelivery::NonDelivery;
use payload::PayloadInfo;
pub(crate) use program::{Compiled, Kind, Op, Program, Rule, Scope};
pub(crate) use resolve::resolve;

/// A compiled stage. It never changes; one machine serves every thread and every driver.
pub struct Machine {
    /// What it was compiled from.
    pub stage: Stage,
    pub(crate) layout: Layout,
    pub(crate) f: Fields,
    pub(crate) slots: Vec<Incarnation>,
    /// By slot.
    pub(crate) turns: Vec<Turn>,
    pub(crate) programs: [Program; 3],
    pub(crate) payloads: Vec<PayloadInfo>,
    /// Requests that carry several events: from the first up to, not including, the second. They are numbered after
    /// the events, as payloads of messages that are no events.
    pub(crate) requests: Vec<(u32, u32)>,
    /// What messages carry that is no delivery; they are numbered after the requests.
    pub(crate) non_deliveries: NonDeliveries,
    /// For each request, the first one with the same content.
    pub(crate) request_contents: Vec<u32>,
    /// The highest coordinate among the first so many events.
    pub(crate) highest: Vec<Coordinate>,
    /// Whether some step leaves a choice to the schedule.
    pub(crate) has_choices: bool,
    /// Index of the process that crashes: the relay where there is one.
    pub(crate) deliverer: Slot,
    /// How many slots there are before those of processes that only seem to crash.
    pub(crate) standing: u8,
    pub(crate) sections: Vec<Section>,
    /// Whether they are those that most stages have.
    pub(crate) is_plain: bool,
    /// Whether acceptance is all that an arrival can bring about: nothing is deduplicated, buffered, prepared,
    /// rejected, replied to or kept in order.
    pub(crate) sink_is_plain: bool,
    /// By index on the wire.
    emissions: Vec<Emission>,
    pub(crate) generations: u32,
    /// How many starts of processes the sink can tell apart; 1 where it cannot.
    pub(crate) processes: u32,
    /// How many attempts of one process the sink can tell apart; 1 where it cannot.
    pub(crate) attempts: u32,
    pub(crate) can_be_early: bool,
    pub(crate) crash_windows: Windows,
    pub(crate) death_windows: Windows,
    pub(crate) rules: Rules,
    /// What the states hold for somebody to read.
    pub(crate) reads: Surfaces,
    /// Whether somebody looks at the states as a recoverer would, and lands batches of their own in them.
    pub(crate) is_probed: bool,
    /// Whether the contents are kept, so that `dirty` can be judged.
    pub judges_contents: bool,
    /// Whether one payload can be committed twice: two events with the same coordinate, key and value.
    pub(crate) has_instances: bool,
    /// Whether the source commits past the end of the run, where no recovery acts.
    pub(crate) outruns_its_end: bool,
    /// At how many places a crash can strike an undisturbed run, once somebody asked: see
    /// [`crate::schedulers::crash_places`].
    pub(crate) crash_places: OnceLock<CrashPlaces>,
}

/// At how many places a crash can strike an undisturbed run.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct CrashPlaces {
    /// Before a step of the delivering process, or at the end of its work.
    pub steps: u32,
    /// These, and before each thing that happens while that process waits.
    pub all: u32,
}

/// Who runs in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    Producer,
    Relay,
    Recoverer(u8),
    /// An incarnation that only seemed to crash.
    Zombie(u8),
}

pub(crate) struct Incarnation {
    pub role: Role,
    /// One of [`Machine::programs`]; each has it at hand, since every step begins with it.
    pub program: Program,
}

/// What tells at a glance whether an incarnation can take its next step.
pub(crate) struct Turn {
    pub pc: Field,
    /// The program counters, a bit each, at which a step comes next that nothing refuses.
    pub open: u64,
    /// Those at which there is more to ask; a place past the 64th is among them.
    pub asks: u64,
}

/// Where in a program something may strike: for each step, whether directly before it.
pub(crate) struct Windows {
    /// Indexed by one more than the step that comes next; the last entry is after the program's end.
    pub before: Vec<bool>,
    /// Strikes directly after these steps.
    pub after: Vec<bool>,
    pub anywhere: bool,
}

impl Machine {
    /// How many words one state takes.
    pub fn words(&self) -> usize {
        self.layout.words()
    }

    /// How many bits of them are in use.
    pub fn bits(&self) -> u32 {
        self.layout.bits()
    }

    /// How many events the source may commit.
    pub fn events(&self) -> u32 {
        self.payloads.len() as u32
    }

    pub(crate) fn program(&self, slot: Slot) -> &Program {
        &self.slots[slot.0 as usize].program
    }

    pub(crate) fn slot(&self, slot: Slot) -> &SlotFields {
        &self.f.slots[slot.0 as usize]
    }

    /// Every slot of the incarnation table with its role, in the order of their steps.
    pub(crate) fn slots(&self) -> impl Iterator<Item = (Slot, Role)> + '_ {
        self.slots.iter().enumerate().map(|(i, s)| (Slot(i as u8), s.role))
    }

    /// Whether the run can go down, so that there is something to recover from.
    pub(crate) fn can_go_down(&self) -> bool {
        let faults = &self.stage.faults;
        faults.crash.as_ref().is_some_and(|c| c.times > 0)
            || self.f.struck[Fault::Truncation].is_kept()
            || self.stage.start.crashed
    }

    /// Settles what can happen at all.
    pub(crate) fn set_sections(&mut self, sections: Vec<Section>) {
        self.sections = sections;
        self.is_plain = self.is_plain();
        self.crash_places = OnceLock::new();
    }
}
