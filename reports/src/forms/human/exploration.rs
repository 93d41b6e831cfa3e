//! What exploring found: a sentence and a line of verdicts for each design, then the shortest runs in lanes.

use crate::check::Outcome;
use crate::escape::plain;
use crate::exploration::{Ending, ExplorationReport, Found, Row, reach};
use crate::regret;
use crate::style::{Ink, Style};
use crate::text;
use crate::timeline::Timeline;

/// The whole report.
pub fn exploration(report: &ExplorationReport, style: Style) -> String {
    let mut out = String::new();
    for case in &report.cases {
        out += &format!("{}\n", style.paint(Ink::Heading, &plain(&case.head.title())));
        if let Some(row) = case.rows.iter().find(|row| row.found.is_ok()) {
            out += &text::paragraph("  ", "  ", &format!("every schedule with {}", plain(&row.bounds)));
        }
        for row in &case.rows {
            out += "\n";
            match &row.found {
                Err(why) => out += &format!("  {}: n/a: {}\n", plain(&row.design), plain(why)),
                Ok(found) => design(&mut out, report, row, found, style),
            }
        }
    }
    for line in report.cases.iter().flat_map(|case| &case.unmet) {
        let (ink, word) = match line.outcome {
            Outcome::Failed => (Ink::Bad, "not as expected"),
            outcome => (Ink::Doubt, outcome.word()),
        };
        let why = plain(&format!("{}: {}: {}.", line.scenario, line.what(), line.detail));
        let paragraph = text::paragraph(&format!("\n{word}: "), "  ", &why);
        out += &paragraph.replacen(word, &style.paint(ink, word), 1);
    }
    if report.partial {
        out += &style.paint(Ink::Doubt, "Partial: interrupted before every design was explored.");
        out.push('\n');
    }
    out
}

fn design(out: &mut String, report: &ExplorationReport, row: &Row, found: &Found, style: Style) {
    let ink = match found.ending() {
        Ending::Proved => Ink::Good,
        Ending::Counterexample => Ink::Bad,
        Ending::Inconclusive => Ink::Doubt,
    };
    let sentence = text::paragraph(&format!("  {}: ", plain(&row.design)), "    ", &found.in_words());
    *out += &style.paint(ink, sentence.trim_end());
    out.push('\n');
    let columns = report.columns();
    let said =
        columns.iter().map(|v| format!("{} {}", text::verdict(*v), reach(found.exploration.reach(*v))));
    *out += &text::paragraph("    ", "    ", &said.collect::<Vec<_>>().join(" · "));
    if let Some(regret) = found.regret {
        *out += &text::paragraph("    whose fault: ", "      ", regret::in_words(regret));
    }
    for shortest in &found.shortest {
        let (verdict, design) = (text::verdict(shortest.verdict), plain(&row.design));
        let heading = format!("shortest {verdict} under {design}, judged where the schedule ends");
        *out += &format!("\n{}\n\n", style.paint(Ink::Heading, &heading));
        *out += &super::timeline(&Timeline::new(&shortest.record), style);
        for need in shortest.needs_in_words() {
            *out += &text::paragraph("needs: ", "  ", &need);
        }
        *out += &format!("{}\n", plain(&shortest.replay));
    }
    if !found.map.is_empty() {
        *out += "\n    dies before                                    what can come of it\n";
    }
    for window in &found.map {
        let place = format!("{} {}", window.who, window.before.as_deref().unwrap_or("(after the last act)"));
        let verdicts: Vec<&str> = window.verdicts.iter().map(|v| text::verdict(*v)).collect();
        let more = if window.complete { "" } else { ", perhaps more" };
        *out += &format!("    {:<46} {}{more}\n", plain(&place), verdicts.join(", "));
    }
}
