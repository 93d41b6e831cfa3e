//! The sections of a file: for each a file with how it is written down, how it is read and how it is written out, as in
//! [`crate::model::scenario`]. Reading puts in the defaults and refuses settings that contradict each other. Here is what
//! they share.

pub mod faults;
pub mod judge;
pub mod recovery;
pub mod sink;
pub mod source;
pub mod wire;

use super::outline::Part;
use super::program::Wrong;
use super::values::{Probability, Time, Wait, Within};
use crate::model::ratio::Ratio;
use crate::model::scenario::{Delay, Span};

pub use faults::faults;
pub use judge::judge;
pub use recovery::recovery;
pub use sink::sink;
pub use source::{source, start};
pub use wire::wire;

const MILLISECOND: u64 = 1_000;
const SECOND: u64 = 1_000 * MILLISECOND;

/// Where the complaints of one section go. Paths are relative to the stage: `["wire", "latency"]`.
pub struct Complaints(pub Vec<Wrong>);

impl Complaints {
    pub fn add<const N: usize>(
        &mut self,
        at: [Part; N],
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.0.push(Wrong::new(&at, message, help));
    }
}

fn ratio(num: u64, den: u64) -> Ratio {
    Ratio::new(num, den).unwrap_or(Ratio::ALWAYS)
}

fn delay(wait: Option<Wait>, default: Delay) -> Delay {
    wait.map_or(default, |wait| wait.0)
}

fn spans(section: &str, outages: &Option<Vec<(Time, Time)>>, wrong: &mut Complaints) -> Vec<Span> {
    let outages = outages.as_deref().unwrap_or_default();
    let mut end = 0;
    for (i, (from, to)) in outages.iter().enumerate() {
        if from.0 >= to.0 || from.0 < end {
            let at = [section.into(), "outages".into(), i.into()];
            wrong.add(
                at,
                "this outage ends before it starts, or starts before the one above ends",
                "write outages in order: [(\"10s\", \"20s\"), ..]",
            );
        }
        end = to.0;
    }
    outages.iter().map(|(from, to)| Span { from: from.0, to: to.0 }).collect()
}

/// A chance given as `chance` or as `one_in`.
fn chance(
    at: &[Part],
    chance: Option<Probability>,
    one_in: Option<Within<1, { u64::MAX }>>,
    default: Ratio,
    wrong: &mut Complaints,
) -> Ratio {
    match (chance, one_in) {
        (Some(_), Some(_)) => {
            wrong.0.push(Wrong::new(at, "both `chance` and `one_in` are given", "keep one of the two"));
            default
        }
        (Some(chance), None) => chance.0,
        (None, Some(n)) => Ratio::one_in(n.get()).unwrap_or(default),
        (None, None) => default,
    }
}
