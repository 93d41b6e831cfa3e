//! Who recovers and up to where, and up to where that is judged.

use super::{Complaints, MILLISECOND, SECOND, delay};
use crate::model::ids::Coordinate;
use crate::model::scenario::{CursorReset, Delay, Frontier, Heal, Recovery, Start};
use crate::text::file::fields::Fields;
use crate::text::file::values::Within;

/// The section `recovery` as a file writes it.
pub mod file {
    use serde::Deserialize;

    use crate::model::scenario::{CursorReset, Heal, Start};
    use crate::text::file::overlay::{Overlay, over, parts, sections, wholes, words};
    use crate::text::file::values::{Time, Wait, Within};

    sections! {
        Recovery {
            detect: Wait,
            recoverers: Within<1, 6>,
            attempts: Within<1, 64>,
            lease: Time,
            act: Wait,
            start: Start,
            frontier: Frontier,
            heal: Heal,
            bumps_generation: bool,
            reset: CursorReset,
        }
    }

    words! {
        Frontier { Last, At(u32), }
    }

    wholes! { Frontier }
}

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

/// A frontier, which lies within the run.
pub fn frontier(
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

/// The section as a file writes it, without what it would mean by saying nothing.
pub fn written(recovery: &Recovery) -> Fields {
    use crate::text::file::fields::{delay, time, word};

    let mut fields = Fields::default();
    fields.say_unless("detect", recovery.detect, Delay::Constant(5_000_000), delay);
    fields.say_unless("recoverers", recovery.recoverers, 1, u8::to_string);
    fields.say_unless("attempts", recovery.attempts, u16::from(recovery.recoverers).max(4), u16::to_string);
    if let Some(lease) = recovery.lease {
        fields.say("lease", time(&lease));
    }
    fields.say_unless("act", recovery.act, Delay::Constant(1_000), delay);
    fields.say_unless("start", recovery.start, Start::Step, word);
    fields.say_unless("frontier", recovery.frontier, Frontier::Last, frontier_written);
    fields.say_unless("heal", recovery.heal, Heal::Free, word);
    fields.say_unless("bumps_generation", recovery.bumps_generation, true, bool::to_string);
    fields.say_unless("reset", recovery.reset, CursorReset::OldestRetained, word);
    fields
}

/// A frontier as a file writes it.
pub fn frontier_written(frontier: &Frontier) -> String {
    match frontier {
        Frontier::Last => "last".to_owned(),
        Frontier::At(c) => format!("at({})", c.0),
    }
}
