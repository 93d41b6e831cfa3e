//! For CI servers: JUnit XML, without times and host names, so that the same input gives the same bytes.

use dwsim_sim::model::scenario::Verdict;

use crate::check::{CheckLine, CheckReport, Outcome};
use crate::escape::xml as escape;
use crate::shootout::{Row, Shootout};

/// A suite for each case, a test for each design: it fails where a verdict in `deny` occurred, and is skipped where
/// the design cannot run. What its file expected and did not get is a test of its own.
pub fn shootout(shootout: &Shootout, deny: &[Verdict]) -> String {
    let suites = shootout.cases.iter().map(|case| {
        let of_it = |line: &&CheckLine| (&line.path, &line.twin) == (&case.head.path, &case.head.twin);
        let designs = case.rows.iter().map(|row| design(row, deny));
        let unmet = shootout.unmet.iter().filter(of_it).map(expectation);
        Suite { name: case.head.title(), tests: designs.chain(unmet).collect() }
    });
    document(suites.collect())
}

/// A suite for each scenario, a test for each expectation. What is inconclusive or vacuous is an error, not a
/// failure: nothing was shown either way. Warnings are tests that were skipped, which servers show with their message.
pub fn check(report: &CheckReport) -> String {
    let suites = report
        .scenarios()
        .into_iter()
        .map(|s| Suite { name: s.name.to_owned(), tests: s.lines.iter().map(expectation).collect() });
    let warnings: Vec<Test> = report.warnings.iter().enumerate().map(warning).collect();
    let warnings = (!warnings.is_empty()).then(|| Suite { name: "warnings".to_owned(), tests: warnings });
    document(suites.chain(warnings).collect())
}

struct Suite {
    name: String,
    tests: Vec<Test>,
}

struct Test {
    name: String,
    outcome: Option<Bad>,
    output: String,
}

/// What a test is that did not pass.
struct Bad {
    tag: &'static str,
    message: String,
    detail: String,
}

fn design(row: &Row, deny: &[Verdict]) -> Test {
    let (outcome, output) = match &row.numbers {
        Err(why) => {
            (Some(Bad { tag: "skipped", message: why.clone(), detail: String::new() }), String::new())
        }
        Ok(numbers) => {
            let denied = numbers.denied(deny);
            let detail =
                || row.failure.as_ref().map_or(String::new(), |f| format!("{}\n{}", f.sentence, f.replay));
            let bad = (!denied.is_empty()).then(|| Bad {
                tag: "failure",
                message: denied.join("; "),
                detail: detail(),
            });
            (bad, numbers.failures_in_words())
        }
    };
    Test { name: row.design.clone(), outcome, output }
}

fn expectation(line: &CheckLine) -> Test {
    let bad = |tag| {
        let detail = line.reproduce.clone().unwrap_or_default();
        Some(Bad { tag, message: format!("{}: {}", line.outcome.word(), line.detail), detail })
    };
    let outcome = match line.outcome {
        Outcome::Met => None,
        Outcome::Failed => bad("failure"),
        Outcome::Inconclusive | Outcome::Vacuous => bad("error"),
    };
    Test { name: line.what(), outcome, output: String::new() }
}

fn warning((i, message): (usize, &String)) -> Test {
    let outcome = Bad { tag: "skipped", message: message.clone(), detail: String::new() };
    Test { name: format!("warning {}", i + 1), outcome: Some(outcome), output: String::new() }
}

fn document(suites: Vec<Suite>) -> String {
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let all: Vec<&Test> = suites.iter().flat_map(|suite| &suite.tests).collect();
    out += &format!("<testsuites name=\"dwsim\" {}>\n", totals(&all));
    for suite in &suites {
        let tests: Vec<&Test> = suite.tests.iter().collect();
        out += &format!("  <testsuite name=\"{}\" {}>\n", escape(&suite.name), totals(&tests));
        for test in tests {
            case(&mut out, &suite.name, test);
        }
        out += "  </testsuite>\n";
    }
    out + "</testsuites>\n"
}

fn totals(tests: &[&Test]) -> String {
    let count = |tag| tests.iter().filter(|t| t.outcome.as_ref().is_some_and(|bad| bad.tag == tag)).count();
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
        tests.len(),
        count("failure"),
        count("error"),
        count("skipped")
    )
}

fn case(out: &mut String, suite: &str, test: &Test) {
    *out += &format!("    <testcase classname=\"{}\" name=\"{}\"", escape(suite), escape(&test.name));
    if test.outcome.is_none() && test.output.is_empty() {
        *out += "/>\n";
        return;
    }
    *out += ">\n";
    if let Some(Bad { tag, message, detail }) = &test.outcome {
        *out += &format!("      <{tag} message=\"{}\"", escape(message));
        *out += &if detail.is_empty() { "/>\n".to_owned() } else { format!(">{}</{tag}>\n", escape(detail)) };
    }
    if !test.output.is_empty() {
        *out += &format!("      <system-out>{}</system-out>\n", escape(&test.output));
    }
    *out += "    </testcase>\n";
}
