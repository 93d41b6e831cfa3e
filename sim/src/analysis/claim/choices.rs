//! Every choice of batches against every schedule: recoverers that stand before an open `arm` fix their batches first,
//! and the schedule is picked afterwards.

use super::judged::{failed, met, open};
use crate::analysis::expect::Ending;
use crate::engine::machine::Machine;
use crate::engine::world::World;
use crate::model::claim::Batches;
use crate::model::ids::Slot;
use crate::model::scenario::{Verdict, When};
use crate::search::explore::Limits;
use crate::search::graph::{Absent, find};

type State = World<Vec<u64>>;

/// Judges what comes of every choice of the batches that are open in a state.
pub(super) fn judge(machine: &Machine, start: State, asked: Batches, limits: Limits) -> Ending {
    let arms: Vec<Slot> = machine
        .slots()
        .map(|(slot, _)| slot)
        .filter(|slot| machine.picks_batch(&start, *slot) && machine.step_choices(&start, *slot) > 0)
        .collect();
    if arms.is_empty() {
        return failed("nobody stands before an open `arm(any)` there");
    }
    let mut armed = vec![start];
    for slot in &arms {
        let each = |w: &State| -> Vec<State> {
            let after = |k| {
                let mut after = w.clone();
                machine.apply(&mut after, machine.step_with(w, *slot, k), &mut ());
                after
            };
            (0..machine.step_choices(w, *slot)).map(after).collect()
        };
        armed = armed.iter().flat_map(each).collect();
    }
    let all = armed.len();
    let mut fall = 0;
    for choice in armed {
        match goes_wrong(machine, choice, limits) {
            Some(wrong) => fall += usize::from(wrong),
            None => return open(limits.states),
        }
    }
    let why = format!("of {all} choices, {fall} go wrong on some schedule");
    if (fall == all) == (asked == Batches::EachFails) { met(why) } else { failed(why) }
}

/// Whether some schedule from here ends in a hazard or leaves something owed; none where there are too many states.
fn goes_wrong(machine: &Machine, start: State, limits: Limits) -> Option<bool> {
    let is_wrong = |w: &State| {
        let judged = machine.judge(w, When::Quiescent);
        judged.is_unsafe() || judged.is(Verdict::Lost)
    };
    match find(machine, start, limits, |_| true, is_wrong).schedule {
        Ok(_) => Some(true),
        Err(Absent::Unreachable) => Some(false),
        Err(Absent::Unknown(_)) => None,
    }
}
