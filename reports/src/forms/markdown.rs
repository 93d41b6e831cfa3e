//! For a pull request, a wiki, a README.

use dwsim_sim::model::scenario::Verdict;

use crate::check::{CheckLine, CheckReport, Outcome};
use crate::escape::{markdown as escape, markdown_fence, plain};
use crate::exploration::{ExplorationReport, reach};
use crate::rate::Rate;
use crate::regret;
use crate::shootout::{Case, FAILURES, Shootout};
use crate::text;

/// The whole shootout.
pub fn shootout(shootout: &Shootout) -> String {
    let mut out = String::new();
    for case in &shootout.cases {
        out += &format!("## {}\n\n", escape(&case.head.title()));
        if case.head.twin.is_empty() && !case.head.about.is_empty() {
            out += &format!("{}\n\n", escape(&case.head.about));
        }
        out += &format!("{}\n\n", escape(&case.setting(&shootout.strategy)));
        table(&mut out, case);
        for remark in case.remarks() {
            out += &format!("**{}**\n\n", escape(&remark));
        }
        failures(&mut out, case);
        if !case.flips.is_empty() {
            out += "On the same seeds:\n\n";
        }
        for flip in &case.flips {
            out += &format!("- {}\n", escape(&flip.in_words()));
        }
        if !case.flips.is_empty() {
            out.push('\n');
        }
        if let Some(regret) = case.regret_in_words() {
            out += &format!("{}\n\n", escape(&regret));
        }
    }
    if !shootout.unmet.is_empty() {
        out += "Not as the files expect:\n\n";
        shootout.unmet.iter().for_each(|line| expectation(&mut out, line));
        out.push('\n');
    }
    if shootout.partial {
        out += "**Partial: interrupted before every seed had run.**\n\n";
    }
    out += &format!("{}\n", prose(&shootout.claim()));
    out
}

/// Text in which backquotes stand around what is to be typed.
fn prose(text: &str) -> String {
    let code = |part: &str| format!("`{}`", plain(part));
    text.split('`').enumerate().map(|(i, part)| if i % 2 == 1 { code(part) } else { escape(part) }).collect()
}

/// A table of what every schedule can come to, then the shortest schedules.
pub fn exploration(report: &ExplorationReport) -> String {
    let columns = report.columns();
    let names: Vec<&str> = columns.iter().map(|v| text::verdict(*v)).collect();
    let mut out = format!("| scenario | design | {} | outcome |\n", names.join(" | "));
    out += &format!("|---|---|{}---|\n", "---|".repeat(columns.len()));
    let rows = || report.cases.iter().flat_map(|case| case.rows.iter().map(move |row| (case, row)));
    for (case, row) in rows() {
        out += &format!("| {} | {} |", escape(&case.head.title()), escape(&row.design));
        match &row.found {
            Ok(found) => {
                for verdict in &columns {
                    out += &format!(" {} |", reach(found.exploration.reach(*verdict)));
                }
                out += &format!(" {} |\n", escape(&found.in_words()));
            }
            Err(why) => out += &format!("{} n/a: {} |\n", " |".repeat(columns.len()), escape(why)),
        }
    }
    for (_, row) in rows() {
        let Ok(found) = &row.found else { continue };
        if let Some(regret) = found.regret {
            out += &format!("\n**{}**, whose fault: {}\n", escape(&row.design), regret::in_words(regret));
        }
        for shortest in &found.shortest {
            let does = text::does(shortest.verdict);
            out += &format!("\n**{}** {does}, at the shortest:\n\n", escape(&row.design));
            for (i, moment) in shortest.record.moments.iter().enumerate() {
                out += &format!("{}. {}\n", i + 1, escape(&moment.label));
            }
            for need in shortest.needs_in_words() {
                out += &format!("\nNeeds: {}\n", escape(&need));
            }
            out.push('\n');
            out += &code(&shortest.replay, "");
        }
        if !found.map.is_empty() {
            out += &format!("\n| {} dies before | can come to |\n|---|---|\n", escape(&row.design));
        }
        for window in &found.map {
            let place =
                format!("{} {}", window.who, window.before.as_deref().unwrap_or("(after the last act)"));
            let verdicts: Vec<&str> = window.verdicts.iter().map(|v| text::verdict(*v)).collect();
            out += &format!("| {} | {} |\n", escape(&place), verdicts.join(", "));
        }
    }
    report.cases.iter().flat_map(|case| &case.unmet).for_each(|line| expectation(&mut out, line));
    out
}

/// All expectations, those that were not met with their details.
pub fn check(report: &CheckReport) -> String {
    let mut out = format!("{}\n\n", escape(&report.in_words()));
    out += "| scenario | outcome | expectations |\n|---|---|---|\n";
    for scenario in report.scenarios() {
        out += &format!(
            "| {} | {} | {} |\n",
            escape(scenario.name),
            scenario.outcome().word(),
            scenario.in_words()
        );
    }
    out.push('\n');
    report
        .cases
        .iter()
        .filter(|line| line.outcome != Outcome::Met)
        .for_each(|line| expectation(&mut out, line));
    for warning in &report.warnings {
        out += &format!("- **warning** {}\n", escape(warning));
    }
    if report.partial {
        out += "\n**Partial: interrupted before every expectation was judged.**\n";
    }
    out
}

fn expectation(out: &mut String, line: &CheckLine) {
    let what = format!("{} · {}", line.scenario, line.what());
    *out += &format!("- **{}** {}: {}\n", line.outcome.word(), escape(&what), escape(&line.detail));
    if let Some(reproduce) = &line.reproduce {
        *out += &code(reproduce, "  ");
    }
}

fn table(out: &mut String, case: &Case) {
    *out += "| design | exactly-once | duplicate | premature | lost | unfinished | fails at |\n";
    *out += "|---|--:|--:|--:|--:|--:|--:|\n";
    for row in &case.rows {
        *out += &format!("| {} |", escape(&row.design));
        match &row.numbers {
            Ok(numbers) => {
                for verdict in [Verdict::ExactlyOnce].into_iter().chain(FAILURES) {
                    *out += &format!(" {} |", cell(numbers.rate(verdict)));
                }
                *out +=
                    &numbers.first_failing().map_or(" - |\n".to_owned(), |seed| format!(" seed {seed} |\n"));
            }
            Err(why) => *out += &format!(" n/a: {} | | | | | |\n", escape(why)),
        }
    }
    out.push('\n');
}

fn cell(rate: Rate) -> String {
    let (percent, interval) = rate.percent();
    escape(format!("{} {percent} {interval}", text::count(rate.count)).trim_end())
}

fn failures(out: &mut String, case: &Case) {
    for row in &case.rows {
        let Some(failure) = &row.failure else { continue };
        let does = text::does(failure.verdict);
        *out += &format!("**{}** {does}: {}\n\n", escape(&row.design), escape(&failure.sentence));
        *out += &code(&failure.replay, "");
        out.push('\n');
    }
}

fn code(text: &str, indent: &str) -> String {
    let (text, fence) = markdown_fence(text);
    format!("{indent}{fence}console\n{indent}{text}\n{indent}{fence}\n")
}
