//! What came of the expectations: a line for each scenario, details only for what was not met.

use crate::check::{CheckReport, Outcome};
use crate::escape::plain;
use crate::style::{Ink, Style};
use crate::{WIDTH, text};

/// The whole report.
pub fn check(report: &CheckReport, style: Style) -> String {
    let mut out = String::new();
    let titles: Vec<String> = report.scenarios().iter().map(|s| plain(s.name)).collect();
    let names = titles.iter().map(|t| text::width(t)).max().unwrap_or(0).min(WIDTH / 2);
    for (scenario, title) in report.scenarios().iter().zip(&titles) {
        let worst = scenario.outcome();
        let mark = style.paint(ink(worst), &format!("{:<12}", worst.word()));
        out += &format!("{mark} {title:<names$}  {}\n", scenario.in_words());
        for line in scenario.lines.iter().filter(|line| line.outcome != Outcome::Met) {
            let story = format!("{}: {}", plain(&line.what()), plain(&line.detail));
            out += &text::paragraph("    ", "      ", &story);
            if let Some(reproduce) = &line.reproduce {
                out += &format!("      {}\n", plain(reproduce));
            }
        }
    }
    if !report.warnings.is_empty() {
        out.push('\n');
    }
    for warning in &report.warnings {
        let paragraph = text::paragraph("warning: ", "  ", &plain(warning));
        out += &paragraph.replacen("warning:", &style.paint(Ink::Doubt, "warning:"), 1);
    }
    out += &format!("\n{}\n", report.in_words());
    if report.partial {
        out += &style.paint(Ink::Doubt, "Partial: interrupted before every expectation was judged.");
        out.push('\n');
    }
    out
}

fn ink(outcome: Outcome) -> Ink {
    match outcome {
        Outcome::Met => Ink::Good,
        Outcome::Failed => Ink::Bad,
        Outcome::Inconclusive | Outcome::Vacuous => Ink::Doubt,
    }
}
