//! Follows a schedule that was written for another run: what is enabled is done, what is not is left out, and what is
//! enabled under another name (a generation later, another recoverer) is done under that.

use crate::engine::machine::{Machine, Role};
use crate::engine::rules::Judgement;
use crate::engine::world::{Words, World};
use crate::model::action::{Action, Emission};
use crate::model::ids::{Payload, Slot, Target};
use crate::schedulers::{self, Driver};

/// What came of a schedule.
pub struct Outcome {
    /// The steps of it that were done, without those that the run went on by.
    pub followed: Vec<Action>,
    pub judgement: Judgement,
}

/// Follows a schedule, then goes on without faults until the run has come to rest, if asked.
pub fn follow(machine: &Machine, schedule: impl IntoIterator<Item = Action>, then_run_on: bool) -> Outcome {
    let mut world: World<Vec<u64>> = machine.start();
    let mut follower = Follower { schedule: schedule.into_iter(), followed: Vec::new(), then_run_on };
    let judgement = schedulers::run(machine, &mut world, &mut follower, &mut ());
    Outcome { followed: follower.followed, judgement }
}

struct Follower<I> {
    schedule: I,
    followed: Vec<Action>,
    then_run_on: bool,
}

impl<I: Iterator<Item = Action>> Driver for Follower<I> {
    fn next<W: Words>(&mut self, machine: &Machine, w: &World<W>) -> Option<Action> {
        if let Some(action) = self.schedule.find_map(|action| as_enabled(machine, w, action)) {
            self.followed.push(action);
            return Some(action);
        }
        if self.then_run_on { machine.nth(w, 0).filter(|_| machine.progress(w) > 0) } else { None }
    }
}

/// The enabled action that an action of another run stands for here.
fn as_enabled<W: Words>(machine: &Machine, w: &World<W>, action: Action) -> Option<Action> {
    if machine.is_enabled(w, action) {
        return Some(action);
    }
    let like = |test: &dyn Fn(Action) -> bool| {
        let mut found = None;
        machine.each_enabled(w, |a| found = found.or(test(a).then_some(a)));
        found
    };
    match action {
        Action::Start(_) => like(&|a| matches!(a, Action::Start(_))),
        Action::Step { who, pc, item } => {
            let is_recoverer = |slot: Slot| matches!(machine.slots[slot.0 as usize].role, Role::Recoverer(_));
            let is_there = w.get(machine.slot(who).pc) > 0;
            like(&|a| match a {
                Action::Step { who: other, pc: at, item: held } => {
                    let same_work = at == pc && (held == item || !machine.names_item(who, pc));
                    let stands_in = !is_there && is_recoverer(who) && is_recoverer(other);
                    same_work && !machine.has_choices && (other == who || stands_in)
                }
                _ => false,
            })
        }
        other => match other.target() {
            Target::Message(e) => like(&|a| match a.target() {
                Target::Message(f) => f.payload == e.payload && a.section() == other.section(),
                _ => false,
            }),
            _ => None,
        },
    }
}

/// An action of one machine in the words of another that differs in its events, of which `events` gives the new place
/// of each old one, and in its slots.
pub fn translate(
    from: &Machine,
    to: &Machine,
    action: Action,
    events: &dyn Fn(u32) -> Option<u32>,
) -> Option<Action> {
    let payload = |p: Payload| {
        if from.non_delivery(p).is_some() {
            let label = from.payload_label(p);
            return (0..to.messages()).map(Payload).find(|q| to.payload_label(*q) == label);
        }
        let mut entries = from.entries(p).filter_map(events);
        let first = entries.next()?;
        to.message_of(first..entries.last().unwrap_or(first) + 1)
    };
    let emission = |e: Emission| payload(e.payload).map(|payload| Emission { payload, ..e });
    let slot = |s: Slot| {
        let role = from.slots.get(s.0 as usize)?.role;
        let same = to.slots().find(|(_, r)| *r == role);
        let any = || to.slots().find(|(_, r)| matches!((r, role), (Role::Recoverer(_), Role::Recoverer(_))));
        same.or_else(any).map(|(slot, _)| slot)
    };
    if let Action::Step { who, pc, item } = action {
        let names_event = from.names_item(who, pc) && !from.has_choices;
        return Some(Action::Step {
            who: slot(who)?,
            pc,
            item: if names_event { events(item)? } else { item },
        });
    }
    Some(action.with_target(match action.target() {
        Target::Slot(s) => Target::Slot(slot(s)?),
        Target::Payload(p) => Target::Payload(payload(p)?),
        Target::Message(e) => Target::Message(emission(e)?),
        same @ (Target::None | Target::Entries(_)) => same,
    }))
}
