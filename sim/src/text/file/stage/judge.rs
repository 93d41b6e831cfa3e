//! Up to where, when and by what a run is judged.

use super::Complaints;
use super::recovery::{frontier, frontier_written};
use crate::model::ids::Coordinate;
use crate::model::scenario::{Counted, Frontier, Grade, Judge, When};
use crate::model::verdict::Verdicts;
use crate::text::file::fields::Fields;

/// The section `judge` as a file writes it.
pub mod file {
    use serde::Deserialize;

    use crate::model::scenario::{Counted, Grade, When};
    use crate::text::file::overlay::{Overlay, over, parts, sections};
    use crate::text::file::stage::recovery::file::Frontier;

    sections! {
        Judge {
            frontier: Frontier,
            when: When,
            grade: Grade,
            count: Counted,
        }
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

/// The section as a file writes it, without what it would mean by saying nothing.
pub fn written(judge: &Judge) -> Fields {
    use crate::text::file::fields::word;

    let mut fields = Fields::default();
    fields.say_unless("frontier", judge.frontier, Frontier::Last, frontier_written);
    fields.say_unless("when", judge.when, When::Quiescent, word);
    fields.say_unless("grade", judge.grade, Grade::Journal, word);
    fields.say_unless("count", judge.count, Counted::Payload, word);
    fields
}
