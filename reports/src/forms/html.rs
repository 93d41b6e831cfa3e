//! For a browser: one file with everything in it, no script, readable in print and in the dark.

use dwsim_sim::model::scenario::Verdict;

use crate::check::{CheckLine, CheckReport, Outcome};
use crate::escape::xml as escape;
use crate::rate::Rate;
use crate::shootout::{Case, FAILURES, Shootout};
use crate::text;

const STYLE: &str = "\
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .8rem; text-align: right; border-bottom: 1px solid #8884; white-space: nowrap }
th:first-child, td:first-child { text-align: left; white-space: normal }
td.na { text-align: left; font-style: italic; white-space: normal }
th.half, td.half { border-left: 1px solid #8888 }
small { opacity: .7 }
.bad { color: #c5221f } .good { color: #188038 } .doubt { color: #b06000 }
pre { overflow-x: auto; padding: .5rem .8rem; background: #8881 }
@media (prefers-color-scheme: dark) { .bad { color: #f28b82 } .good { color: #81c995 } .doubt { color: #fdd663 } }
";

/// The whole shootout.
pub fn shootout(shootout: &Shootout) -> String {
    let mut body = String::new();
    for case in &shootout.cases {
        body += &format!("<h2>{}</h2>\n", escape(&case.head.title()));
        if case.head.twin.is_empty() {
            paragraph(&mut body, &case.head.about);
        }
        paragraph(&mut body, &case.setting(&shootout.strategy));
        table(&mut body, case);
        for remark in case.remarks() {
            body += &format!("<p><strong>{}</strong></p>\n", escape(&remark));
        }
        for row in &case.rows {
            let Some(failure) = &row.failure else { continue };
            let what = format!("{} {}", row.design, text::does(failure.verdict));
            let sentence = escape(&failure.sentence);
            body += &format!("<p><strong class=\"bad\">{}</strong>: {sentence}</p>\n", escape(&what));
            body += &format!("<pre>{}</pre>\n", escape(&failure.replay));
        }
        let pairs: Vec<String> = case.flips.iter().map(|flip| escape(&flip.in_words())).collect();
        items(&mut body, "On the same seeds:", &pairs);
        if let Some(regret) = case.regret_in_words() {
            paragraph(&mut body, &regret);
        }
    }
    if !shootout.unmet.is_empty() {
        body += "<h2>Not as the files expect</h2>\n";
        expectations(&mut body, &shootout.unmet, |line| format!("{}: {}", line.scenario, line.what()));
    }
    if shootout.partial {
        body += "<p class=\"doubt\">Partial: interrupted before every seed had run.</p>\n";
    }
    body += &format!("<p>{}</p>\n", prose(&shootout.claim()));
    page("dwsim: shootout", &body)
}

/// All expectations, worst scenarios as they come, every line shown.
pub fn check(report: &CheckReport) -> String {
    let mut body = String::new();
    paragraph(&mut body, &report.in_words());
    if report.partial {
        body += "<p class=\"doubt\">Partial: interrupted before every expectation was judged.</p>\n";
    }
    for scenario in report.scenarios() {
        body += &format!("<h2>{}</h2>\n", escape(scenario.name));
        expectations(&mut body, scenario.lines, CheckLine::what);
    }
    let warnings: Vec<String> = report.warnings.iter().map(|warning| escape(warning)).collect();
    items(&mut body, "Warnings:", &warnings);
    page("dwsim: check", &body)
}

fn expectations(body: &mut String, lines: &[CheckLine], named: impl Fn(&CheckLine) -> String) {
    *body += "<table>\n<tr><th>expectation</th><th>outcome</th></tr>\n";
    for line in lines {
        let class = match line.outcome {
            Outcome::Met => "good",
            Outcome::Failed => "bad",
            Outcome::Inconclusive | Outcome::Vacuous => "doubt",
        };
        let mut what = escape(&named(line));
        if !line.detail.is_empty() {
            what += &format!("<br><small>{}</small>", escape(&line.detail));
        }
        if let Some(reproduce) = &line.reproduce {
            what += &format!("<pre>{}</pre>", escape(reproduce));
        }
        let word = line.outcome.word();
        *body += &format!("<tr><td>{what}</td><td class=\"{class}\">{word}</td></tr>\n");
    }
    *body += "</table>\n";
}

fn table(body: &mut String, case: &Case) {
    *body += "<table>\n<tr><th>design</th><th>exactly-once</th><th class=\"half\">duplicate</th><th>premature</th>\
              <th class=\"half\">lost</th><th>unfinished</th><th class=\"half\">fails at</th></tr>\n";
    for row in &case.rows {
        *body += &format!("<tr><td>{}</td>", escape(&row.design));
        match &row.numbers {
            Err(why) => *body += &format!("<td class=\"na\" colspan=\"6\">n/a: {}</td>", escape(why)),
            Ok(numbers) => {
                for verdict in [Verdict::ExactlyOnce].into_iter().chain(FAILURES) {
                    cell(body, verdict, numbers.rate(verdict));
                }
                let seed = numbers.first_failing().map_or("-".to_owned(), |seed| format!("seed {seed}"));
                *body += &format!("<td class=\"half\">{seed}</td>");
            }
        }
        *body += "</tr>\n";
    }
    *body += "</table>\n";
}

fn cell(body: &mut String, verdict: Verdict, rate: Rate) {
    let half = matches!(verdict, Verdict::Duplicate | Verdict::Lost);
    let ink = match verdict {
        Verdict::ExactlyOnce if rate.count == rate.runs && rate.runs > 0 => "good",
        Verdict::ExactlyOnce => "",
        _ if rate.count > 0 => "bad",
        _ => "",
    };
    let class =
        format!("{}{}{ink}", if half { "half" } else { "" }, if half && !ink.is_empty() { " " } else { "" });
    let (percent, interval) = rate.percent();
    let count = text::count(rate.count);
    let class = if class.is_empty() { class } else { format!(" class=\"{class}\"") };
    let interval = if interval.is_empty() { interval } else { format!(" <small>{interval}</small>") };
    *body += &format!("<td{class}>{count} {}{interval}</td>", escape(&percent));
}

/// Text in which backquotes stand around what is to be typed.
fn prose(text: &str) -> String {
    let part = |(i, part): (usize, &str)| match i % 2 {
        1 => format!("<code>{}</code>", escape(part)),
        _ => escape(part),
    };
    text.split('`').enumerate().map(part).collect()
}

fn paragraph(body: &mut String, text: &str) {
    *body += &format!("<p>{}</p>\n", escape(text));
}

/// A list of items that are escaped already; nothing where there are none.
fn items(body: &mut String, title: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    *body += &format!("<p>{title}</p>\n<ul>\n");
    for item in items {
        *body += &format!("<li>{item}</li>\n");
    }
    *body += "</ul>\n";
}

fn page(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
    )
}
