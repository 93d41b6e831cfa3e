//! For tools. The order of the keys is that of the fields here; 64-bit seeds are strings, since a JSON number may be
//! read as a double; times are whole microseconds of virtual time.

mod check;
mod exploration;
mod shootout;
mod timeline;

use dwsim_sim::model::scenario::Verdict;
use serde::Serialize;

use crate::head::Head;

pub use check::{check, check_lines};
pub use exploration::exploration;
pub use shootout::{shootout, shootout_lines};
pub use timeline::timeline;

/// How every case begins, whether it was run or explored.
#[derive(Serialize)]
struct HeadJson<'a> {
    name: &'a str,
    twin: Option<&'a str>,
    path: &'a str,
    about: &'a str,
    faults: &'a str,
}

#[derive(Serialize)]
struct PerVerdict<T> {
    exactly_once: T,
    duplicate: T,
    premature: T,
    lost: T,
    unfinished: T,
    dirty: T,
}

impl<'a> HeadJson<'a> {
    fn new(head: &'a Head) -> HeadJson<'a> {
        HeadJson {
            name: &head.scenario,
            twin: twin(&head.twin),
            path: &head.path,
            about: &head.about,
            faults: &head.faults,
        }
    }
}

impl<T> PerVerdict<T> {
    fn new(of: impl Fn(Verdict) -> T) -> PerVerdict<T> {
        PerVerdict {
            exactly_once: of(Verdict::ExactlyOnce),
            duplicate: of(Verdict::Duplicate),
            premature: of(Verdict::Premature),
            lost: of(Verdict::Lost),
            unfinished: of(Verdict::Unfinished),
            dirty: of(Verdict::Dirty),
        }
    }
}

fn twin(name: &str) -> Option<&str> {
    (!name.is_empty()).then_some(name)
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("strings, numbers and lists always serialize") + "\n"
}

fn compact(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("strings, numbers and lists always serialize") + "\n"
}
