//! Who recovers and up to where, and up to where that is judged.

use super::{Complaints, MILLISECOND, SECOND, delay};
use crate::model::ids::Coordinate;
use crate::model::scenario::{
    Counted, CursorReset, Delay, Frontier, Grade, Heal, Judge, Recovery, Start, When,
};
use crate::model::verdict::Verdicts;
use crate::text::file::schema as file;
use crate::text::file::values::Within;

/// Who recovers, and when. `fin` is the end of the run.
pub fn recovery(given: &file::Recovery, fin: Coordinate, wrong: &mut Complaints) -> Recovery {
    let recoverers: u8 = given.recoverers.map_or(1, Within::get);
    let lease = given.lease.map(|time| time.0).filter(|ticks| *ticks > 0);
    if lease.is_some() && recoverers < 2 {
        let at = ["recovery".into(), "lease".into()];
        wrong.add(
            at,
            "a lapsed lease starts a second recoverer, and only one is allowed",
            "write recoverers: 2, or leave out the lease",
        );
    }
    let attempts = given.attempts.map_or(u16::from(recoverers).max(4), Within::get);
    if attempts < u16::from(recoverers) {
        let at = ["recovery".into(), "attempts".into()];
        wrong.add(
            at,
            format!("{recoverers} recoverers cannot all start in {attempts} attempts"),
            format!("write at least {recoverers}"),
        );
    }
    Recovery {
        detect: delay(given.detect, Delay::Constant(5 * SECOND)),
        recoverers,
        attempts,
        lease,
        act: delay(given.act, Delay::Constant(MILLISECOND)),
        start: given.start.unwrap_or(Start::Step),
        frontier: frontier("recovery", &given.frontier, fin, wrong),
        heal: given.heal.unwrap_or(Heal::Free),
        bumps_generation: given.bumps_generation.unwrap_or(true),
        reset: given.reset.unwrap_or(CursorReset::OldestRetained),
    }
}

/// Where and when completeness is judged. `fin` is the end of the run.
pub fn judge(given: &file::Judge, fin: Coordinate, wrong: &mut Complaints) -> Judge {
    Judge {
        frontier: frontier("judge", &given.frontier, fin, wrong),
        when: given.when.unwrap_or(When::Quiescent),
        grade: given.grade.unwrap_or(Grade::Journal),
        count: given.count.unwrap_or(Counted::Payload),
        asked: Verdicts::NONE,
        order: false,
    }
}

/// A frontier, which lies within the run.
fn frontier(
    section: &str,
    given: &Option<file::Frontier>,
    fin: Coordinate,
    wrong: &mut Complaints,
) -> Frontier {
    match given {
        None | Some(file::Frontier::Last) => Frontier::Last,
        Some(file::Frontier::At(n)) => {
            if *n > fin.0 {
                let at = [section.into(), "frontier".into()];
                wrong.add(
                    at,
                    format!("the frontier {n} lies beyond the end of the run at {}", fin.0),
                    format!("write `last`, or at(n) with n at most {}", fin.0),
                );
            }
            Frontier::At(Coordinate(*n))
        }
    }
}
