//! All pairs of reachable states at once: whether what some surfaces show decides what others show.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::judged::{Judged, failed, met, open};
use crate::engine::machine::Machine;
use crate::engine::world::World;
use crate::model::claim::Predicate;
use crate::model::program::Surfaces;
use crate::search::graph::{Place, visit_states};
use crate::search::limits::{Limits, Watched};

/// Judges whether, among the states in which `among` holds, equal sights through the first surfaces mean equal sights
/// through the others.
pub(super) fn judge(
    machine: &Machine,
    start: World<Vec<u64>>,
    limits: Limits,
    among: &Predicate,
    (by, what): (Surfaces, Surfaces),
    decides: bool,
) -> Judged {
    let shown = |w: &World<Vec<u64>>, surfaces: Surfaces| -> Vec<Vec<u32>> {
        surfaces.iter().map(|surface| machine.what_is_shown(w, surface)).collect()
    };
    let mut first = BTreeMap::new();
    let (mut compared, mut apart) = (0_u64, None);
    let visited = visit_states(
        machine,
        start,
        limits,
        &Watched::default(),
        |_| true,
        |place, w| {
            if !among.holds(machine, w) {
                return ControlFlow::Continue(());
            }
            compared += 1;
            let what = shown(w, what);
            let (before, known) = first.entry(shown(w, by)).or_insert_with(|| (place, what.clone()));
            if *known == what {
                return ControlFlow::Continue(());
            }
            apart = Some((*before, place));
            ControlFlow::Break(())
        },
    );
    let labels = |place: Place| -> Vec<String> {
        visited.paths.to(place).iter().map(|action| machine.label(*action)).collect()
    };
    match (apart, visited.ended.is_complete()) {
        (Some((one, other)), _) => {
            let (one, other) = (labels(one), labels(other));
            let why = format!("`{}` and `{}` end alike and differ", one.join(" | "), other.join(" | "));
            match decides {
                true => Judged { ending: failed(why), against: Some(other) },
                false => met(why).into(),
            }
        }
        (None, true) if compared == 0 => failed("no state is among them").into(),
        (None, true) if decides => met(format!("so it is in all {compared} states")).into(),
        (None, true) => failed(format!("none of {compared} states differ where they look alike")).into(),
        (None, false) => open(visited.paths.len()).into(),
    }
}
