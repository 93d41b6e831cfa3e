//! Whether a predicate of a claim holds in a state. Most look at the state alone; [`Predicate::Settled`] looks at what
//! arrivals and losses can still make of it.

use crate::engine::consumer::copies_within;
use crate::engine::machine::Machine;
use crate::engine::rules::status;
use crate::engine::world::{Words, World};
use crate::model::action::{Action, Emission};
use crate::model::claim::Predicate;
use crate::model::program::Surface;
use crate::model::verdict::Verdict;
use crate::search::graph::{Absent, find};
use crate::search::limits::Limits;

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
            Predicate::Duplicate => machine.hazards(w).has(Verdict::Duplicate),
            Predicate::Premature => machine.hazards(w).has(Verdict::Premature),
            Predicate::AtLeastOnce => machine.owed(w).next().is_none(),
            Predicate::ExactlyOnce => !machine.is_unsafe(w) && machine.owed(w).next().is_none(),
            Predicate::ExactlyOnceBy(count) => machine.is_exact_by(w, *count),
            Predicate::RetainedExactlyOnce => !machine.is_unsafe(w) && machine.owed_above_floor(w) == 0,
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
            Predicate::CopiesWithin(most) => copies_within(machine, w, *most),
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
}

/// So few states can be reached by arrivals and losses alone that all of them are looked at.
const ARRIVALS: u64 = 1 << 16;

fn is_settled<W: Words>(machine: &Machine, w: &World<W>) -> bool {
    let record = |w: &World<W>| machine.what_is_shown(w, Surface::AcceptedRecord);
    let before = record(w);
    let travels = |action| matches!(action, Action::Arrive(_) | Action::Lose(_));
    let changed = find(machine, w.clone(), Limits::of_states(ARRIVALS), travels, |w| record(w) != before);
    changed.schedule == Err(Absent::Unreachable)
}
