//! For a GitHub workflow: commands that annotate a file. Met expectations are silent.

use std::fmt::Write;

use dwsim_sim::model::scenario::Verdict;

use crate::check::{CheckLine, CheckReport, Outcome};
use crate::escape::{github as escape, github_property};
use crate::shootout::Shootout;

/// A notice for each design that failed, an error where a verdict is in `deny`, and what its file expected and did not
/// get.
pub fn shootout(shootout: &Shootout, deny: &[Verdict]) -> String {
    let mut out = String::new();
    for case in &shootout.cases {
        for row in &case.rows {
            let Ok(numbers) = &row.numbers else { continue };
            let denied = numbers.denied(deny);
            let failed = numbers.first_failing().is_some();
            if denied.is_empty() && !failed {
                continue;
            }
            let level = if denied.is_empty() { "notice" } else { "error" };
            let title = format!("{}: {}", case.head.title(), row.design);
            let mut message = numbers.failures_in_words();
            if let Some(failure) = &row.failure {
                message += &format!("\n{}\n{}", failure.sentence, failure.replay);
            }
            command(&mut out, level, &case.head.path, &title, &message);
        }
    }
    shootout.unmet.iter().for_each(|line| expectation(&mut out, line));
    out
}

/// An error for each expectation that failed, a warning for each that was not exercised or decided.
pub fn check(report: &CheckReport) -> String {
    let mut out = String::new();
    report.cases.iter().for_each(|line| expectation(&mut out, line));
    for warning in &report.warnings {
        out += &format!("::warning::{}\n", escape(warning));
    }
    out += &format!("::notice::{}\n", escape(&report.in_words()));
    out
}

fn expectation(out: &mut String, line: &CheckLine) {
    let level = match line.outcome {
        Outcome::Met => return,
        Outcome::Failed => "error",
        Outcome::Inconclusive | Outcome::Vacuous => "warning",
    };
    let title = format!("{}: {}", line.outcome.word(), line.what());
    let message = match &line.reproduce {
        Some(reproduce) => format!("{}\n{reproduce}", line.detail),
        None => line.detail.clone(),
    };
    command(out, level, &line.path, &title, &message);
}

fn command(out: &mut String, level: &str, file: &str, title: &str, message: &str) {
    let (file, title) = (github_property(file), github_property(title));
    writeln!(out, "::{level} file={file},title={title}::{}", escape(message))
        .expect("a string takes everything");
}
