//! Expectations and what came of them.

use serde::Serialize;

use super::{compact, pretty, twin};
use crate::SCHEMA;
use crate::check::{CheckLine, CheckReport, Outcome};

/// One object for all expectations.
pub fn check(report: &CheckReport) -> String {
    pretty(&CheckJson {
        schema: SCHEMA,
        seed_epoch: report.seed_epoch,
        partial: report.partial,
        met: report.count(Outcome::Met),
        failed: report.count(Outcome::Failed),
        inconclusive: report.count(Outcome::Inconclusive),
        vacuous: report.count(Outcome::Vacuous),
        expectations: report.cases.iter().map(ExpectationJson::new).collect(),
        warnings: &report.warnings,
    })
}

/// One line for each expectation, then one for each warning.
pub fn check_lines(report: &CheckReport) -> String {
    let (seed_epoch, partial) = (report.seed_epoch, report.partial);
    let lines = report.cases.iter().map(|line| expectation_line(seed_epoch, partial, line));
    let warning =
        |warning: &String| compact(&WarningLineJson { schema: SCHEMA, seed_epoch, partial, warning });
    lines.chain(report.warnings.iter().map(warning)).collect()
}

pub(super) fn expectation_line(seed_epoch: u32, partial: bool, line: &CheckLine) -> String {
    compact(&CheckLineJson { schema: SCHEMA, seed_epoch, partial, expectation: ExpectationJson::new(line) })
}

#[derive(Serialize)]
struct CheckJson<'a> {
    schema: &'a str,
    seed_epoch: u32,
    partial: bool,
    met: usize,
    failed: usize,
    inconclusive: usize,
    vacuous: usize,
    expectations: Vec<ExpectationJson<'a>>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct CheckLineJson<'a> {
    schema: &'a str,
    seed_epoch: u32,
    partial: bool,
    #[serde(flatten)]
    expectation: ExpectationJson<'a>,
}

#[derive(Serialize)]
struct WarningLineJson<'a> {
    schema: &'a str,
    seed_epoch: u32,
    partial: bool,
    warning: &'a str,
}

#[derive(Serialize)]
pub(super) struct ExpectationJson<'a> {
    scenario: &'a str,
    twin: Option<&'a str>,
    path: &'a str,
    design: &'a str,
    verdict: &'a str,
    expected: String,
    by: &'a str,
    outcome: &'a str,
    detail: &'a str,
    reproduce: Option<&'a str>,
}

impl<'a> ExpectationJson<'a> {
    pub(super) fn new(line: &'a CheckLine) -> ExpectationJson<'a> {
        ExpectationJson {
            scenario: &line.scenario,
            twin: twin(&line.twin),
            path: &line.path,
            design: &line.design,
            verdict: line.expects.kind(),
            expected: line.expects.expected(),
            by: &line.by,
            outcome: line.outcome.word(),
            detail: &line.detail,
            reproduce: line.reproduce.as_deref(),
        }
    }
}
