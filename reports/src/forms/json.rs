//! For tools. The order of the keys is that of the fields here; 64-bit seeds are strings, since a JSON number may be
//! read as a double; times are whole microseconds of virtual time.

mod bound;
mod check;
mod exploration;
mod shootout;
mod timeline;

use dwsim_sim::model::scenario::Verdict;
use serde::{Serialize, Serializer};

use crate::head::Head;

pub use bound::{bound, triage};
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

/// Something for each of some verdicts, by its name, in the order of the register.
struct PerVerdict<T>(Vec<(Verdict, T)>);

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
        PerVerdict(Verdict::ALL.into_iter().map(|verdict| (verdict, of(verdict))).collect())
    }

    fn of_failures(of: impl Fn(Verdict) -> T) -> PerVerdict<T> {
        PerVerdict(Verdict::FAILURES.into_iter().map(|verdict| (verdict, of(verdict))).collect())
    }
}

impl<T: Serialize> Serialize for PerVerdict<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(verdict, value)| (verdict.name(), value)))
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
