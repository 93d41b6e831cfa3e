//! What the search over all schedules found of each design.

use dwsim_sim::analysis::bound::regret::Regret;
use dwsim_sim::model::scenario::Verdict;
use dwsim_sim::search::crash_map::Window;
use dwsim_sim::search::explore::Reach;
use serde::Serialize;

use super::check::ExpectationJson;
use super::{HeadJson, PerVerdict, pretty};
use crate::SCHEMA;
use crate::exploration::{Case, ExplorationReport, Found, Row, Shortest};

/// One object for every design that was explored.
pub fn exploration(report: &ExplorationReport) -> String {
    pretty(&ExplorationJson {
        schema: SCHEMA,
        seed_epoch: report.seed_epoch,
        strategy: "exhaustive",
        partial: report.partial,
        scenarios: report.cases.iter().map(ExploredCaseJson::new).collect(),
        unmet: report.cases.iter().flat_map(|case| &case.unmet).map(ExpectationJson::new).collect(),
    })
}

#[derive(Serialize)]
struct ExplorationJson<'a> {
    schema: &'a str,
    seed_epoch: u32,
    strategy: &'a str,
    partial: bool,
    scenarios: Vec<ExploredCaseJson<'a>>,
    /// What the files have this judge and what did not come out so.
    unmet: Vec<ExpectationJson<'a>>,
}

#[derive(Serialize)]
struct ExploredCaseJson<'a> {
    #[serde(flatten)]
    head: HeadJson<'a>,
    policies: Vec<ExploredJson<'a>>,
}

#[derive(Serialize)]
struct ExploredJson<'a> {
    policy: &'a str,
    design: &'a str,
    bounds: &'a str,
    outcome: Option<&'a str>,
    states: Option<u64>,
    transitions: Option<u64>,
    depth: Option<usize>,
    bytes_per_state: Option<u64>,
    verdicts: Option<PerVerdict<ReachJson<'a>>>,
    regret: Option<&'a str>,
    map: Vec<WindowJson<'a>>,
    not_applicable: Option<&'a str>,
}

#[derive(Serialize)]
struct ReachJson<'a> {
    /// Null where it is not known.
    reachable: Option<bool>,
    /// The labels of a shortest schedule to a failure.
    trace: Option<Vec<&'a str>>,
    needs: Vec<String>,
    reproduce: Option<&'a str>,
}

#[derive(Serialize)]
struct WindowJson<'a> {
    who: &'a str,
    before: Option<&'a str>,
    verdicts: Vec<&'a str>,
    complete: bool,
}

impl<'a> ExploredCaseJson<'a> {
    fn new(case: &'a Case) -> ExploredCaseJson<'a> {
        ExploredCaseJson {
            head: HeadJson::new(&case.head),
            policies: case.rows.iter().map(ExploredJson::new).collect(),
        }
    }
}

impl<'a> ExploredJson<'a> {
    fn new(row: &'a Row) -> ExploredJson<'a> {
        let found = row.found.as_ref().ok();
        let explored = found.map(|f| &f.exploration);
        let windows = |found: &'a Found| found.map.iter().map(WindowJson::new);
        ExploredJson {
            policy: &row.policy,
            design: &row.design,
            bounds: &row.bounds,
            outcome: found.map(|f| f.ending().word()),
            states: explored.map(|e| e.states),
            transitions: explored.map(|e| e.transitions),
            depth: explored.map(|e| e.depth),
            bytes_per_state: explored.map(|e| e.bytes_per_state),
            verdicts: found.map(|found| PerVerdict::new(|verdict| ReachJson::new(found, verdict))),
            regret: found.and_then(|f| f.regret).map(Regret::name),
            map: found.into_iter().flat_map(windows).collect(),
            not_applicable: row.found.as_ref().err().map(String::as_str),
        }
    }
}

impl<'a> ReachJson<'a> {
    fn new(found: &'a Found, verdict: Verdict) -> ReachJson<'a> {
        let shortest = found.shortest.iter().find(|s| s.verdict == verdict);
        ReachJson {
            reachable: match found.exploration.reach(verdict) {
                Reach::Reachable => Some(true),
                Reach::Unreachable => Some(false),
                Reach::Unknown => None,
            },
            trace: shortest.map(|s| s.record.moments.iter().map(|m| m.label.as_str()).collect()),
            needs: shortest.map(Shortest::needs_in_words).unwrap_or_default(),
            reproduce: shortest.map(|s| s.replay.as_str()),
        }
    }
}

impl<'a> WindowJson<'a> {
    fn new(window: &'a Window) -> WindowJson<'a> {
        WindowJson {
            who: &window.who,
            before: window.before.as_deref(),
            verdicts: window.verdicts.iter().map(|v| v.name()).collect(),
            complete: window.complete,
        }
    }
}
