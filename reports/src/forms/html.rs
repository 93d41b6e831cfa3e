//! For a browser: one file with everything in it. It runs no script and fetches nothing, and says so to the browser;
//! it can be read in the dark, on paper, on a telephone and without colours.

use super::Page;
use crate::document::{
    Block, Cell, Cells, Column, Document, Fold, Heading, Holds, Level, Look, Step, Table, Text, Value,
};
use crate::escape::xml as escape;
use crate::rows::timeline::{Timeline, seconds};
use crate::style::Ink;
use crate::text;

/// Nothing is run or fetched; the style sheet of the page itself is all that counts.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const STYLE: &str = "\
:root {
  color-scheme: light dark;
  --paper: #ffffff; --text: #1f2328; --faint: #57606a; --line: #d0d7de; --box: #f3f5f7;
  --bad: #b3261e; --good: #146c2e; --doubt: #7d4e00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #15181c; --text: #e6e8ea; --faint: #a3adb8; --line: #3a414a; --box: #1f242a;
    --bad: #ff9a92; --good: #7fd393; --doubt: #f2c14e;
  }
}
* { box-sizing: border-box }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--paper);
  max-width: 76rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
h2 { margin: 2.5rem 0 .5rem } h3 { margin: 1.5rem 0 .5rem; font-size: 1.05rem }
.scroll { overflow-x: auto; margin: 1rem 0 }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; overflow-wrap: normal }
th, td { padding: .3rem .8rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line);
  white-space: nowrap }
thead th { vertical-align: bottom }
tbody th { font-weight: 600 }
th:first-child { position: sticky; left: 0; background: var(--paper); padding-left: 0; white-space: normal;
  min-width: 6rem; max-width: min(30rem, 45vw) }
td.words { white-space: normal; min-width: 12rem }
th.number, td.number { text-align: right }
th.group, td.group { border-left: 1px solid var(--line) }
td.across { font-style: italic; white-space: normal }
small { color: var(--faint); font-size: .85em }
.bad { color: var(--bad) } .good { color: var(--good) } .doubt { color: var(--doubt) } .faint { color: var(--faint) }
code, pre { font: .9em/1.5 ui-monospace, monospace; background: var(--box) }
pre { overflow-x: auto; padding: .5rem .8rem; overflow-wrap: normal }
li { margin: .15rem 0 }
summary { cursor: pointer; color: var(--faint) }
figure { margin: 1rem 0; overflow-x: auto }
@media print {
  :root { color-scheme: light }
  body { max-width: none; margin: 0; font-size: 10pt }
  .scroll, figure, pre { overflow: visible } pre { white-space: pre-wrap }
  th:first-child { position: static }
  tr, pre, figure { break-inside: avoid } h2, h3 { break-after: avoid }
  details::details-content { content-visibility: visible; block-size: auto }
}
";

/// The whole report.
pub fn document(document: &Document<'_>, _: &Page) -> String {
    let title = escape(&document.title);
    let summary = document.summary.as_ref().map_or(String::new(), |text| format!("<p>{}</p>\n", words(text)));
    let body = blocks(&document.blocks);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n{summary}{body}</main>\n</body>\n\
         </html>\n"
    )
}

fn blocks(blocks: &[Block<'_>]) -> String {
    blocks.iter().map(block).collect()
}

fn block(block: &Block<'_>) -> String {
    match block {
        Block::Heading(heading) => self::heading(heading),
        Block::Text(text) => format!("<p>{}</p>\n", words(text)),
        Block::List(items) => {
            let items: String = items.iter().map(|item| format!("<li>{}</li>\n", words(item))).collect();
            format!("<ul>\n{items}</ul>\n")
        }
        Block::Table(table) => self::table(table),
        Block::Steps(steps) => {
            let step = |Step { label, note }: &Step| {
                let note = if note.is_empty() { String::new() } else { mark(note, Ink::Doubt) };
                format!("<li>{}{note}</li>\n", escape(label))
            };
            format!("<ol>\n{}</ol>\n", steps.iter().map(step).collect::<String>())
        }
        Block::Run(timeline) => run(timeline),
        Block::Code(code) | Block::Paste(code) => format!("<pre tabindex=\"0\">{}</pre>\n", escape(code)),
        Block::Picture(picture) => {
            let title = escape(&picture.title);
            format!("<figure tabindex=\"0\" role=\"img\" aria-label=\"{title}\">\n{}</figure>\n", picture.svg)
        }
        Block::Fold(Fold { summary, blocks: inside, .. }) => {
            format!("<details>\n<summary>{}</summary>\n{}</details>\n", escape(summary), blocks(inside))
        }
    }
}

fn heading(heading: &Heading) -> String {
    let tag = match heading.level {
        Level::Case => "h2",
        Level::Part => "h3",
    };
    let title = format!("<{tag}>{}</{tag}>\n", escape(&heading.title));
    match heading.about.as_str() {
        "" => title,
        about => format!("{title}<p>{}</p>\n", escape(about)),
    }
}

fn words(text: &Text) -> String {
    let piece = |piece: &crate::document::Piece| {
        let text = escape(&piece.text);
        match piece.look {
            Look::Plain => text,
            Look::Code => format!("<code>{text}</code>"),
            Look::Strong => format!("<strong>{text}</strong>"),
            Look::Marked(ink) => format!("<strong{}>{text}</strong>", class(&[class_of(ink)])),
        }
    };
    text.0.iter().map(piece).collect()
}

fn mark(note: &str, ink: Ink) -> String {
    format!(" <strong{}>← {}</strong>", class(&[class_of(ink)]), escape(note))
}

fn run(timeline: &Timeline<'_>) -> String {
    let step = |step: &crate::rows::timeline::Step<'_>| {
        let at = step.moment.at.map_or(String::new(), |at| format!(" <small>at {} s</small>", seconds(at)));
        let marks: String = step.marks.iter().map(|words| mark(words, Ink::Bad)).collect();
        format!("<li>{}{at}{marks}</li>\n", escape(&step.moment.label))
    };
    format!("<ol>\n{}</ol>\n", timeline.steps.iter().map(step).collect::<String>())
}

/// A table in a box that scrolls by itself, so that the page never does; its first column stays in sight.
fn table(table: &Table) -> String {
    let names = table.columns.iter().map(|column| {
        let class = class(&[alignment(column), group(column)]);
        format!("<th scope=\"col\"{class}>{}</th>", escape(&column.name))
    });
    let head = escape(&table.head);
    let mut out = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"by {head}\">\n<table>\n\
         <thead>\n<tr><th scope=\"col\">{head}</th>{}</tr>\n</thead>\n<tbody>\n",
        names.collect::<String>()
    );
    for row in &table.rows {
        let cells: String = match &row.cells {
            Cells::Each(cells) => {
                table.columns.iter().zip(cells).map(|(column, of)| cell(column, of)).collect()
            }
            Cells::Across(words) => {
                let class = class(&["across", table.columns.first().map_or("", group)]);
                format!("<td{class} colspan=\"{}\">{}</td>", table.columns.len(), escape(words))
            }
        };
        out += &format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escape(&row.head));
    }
    out + "</tbody>\n</table>\n</div>\n"
}

fn cell(column: &Column, cell: &Cell) -> String {
    let value = match &cell.value {
        Value::Words(words) => escape(words),
        Value::Number(number) => text::count(*number),
        Value::Rate(rate) => {
            let (percent, interval) = rate.percent();
            let interval =
                if interval.is_empty() { interval } else { format!(" <small>{}</small>", escape(&interval)) };
            format!("{} {}{interval}", text::count(rate.count), escape(&percent))
        }
    };
    let ink = cell.ink.map_or("", class_of);
    format!("<td{}>{value}</td>", class(&[alignment(column), group(column), ink]))
}

fn alignment(column: &Column) -> &'static str {
    match column.holds {
        Holds::Words => "words",
        Holds::Name => "",
        Holds::Number | Holds::Rate => "number",
    }
}

fn group(column: &Column) -> &'static str {
    if column.opens_group { "group" } else { "" }
}

fn class_of(ink: Ink) -> &'static str {
    match ink {
        Ink::Bad => "bad",
        Ink::Good => "good",
        Ink::Doubt => "doubt",
        Ink::Faint => "faint",
        Ink::Heading => "",
    }
}

/// ` class="number bad"`, or nothing.
fn class(names: &[&str]) -> String {
    let names: Vec<&str> = names.iter().copied().filter(|name| !name.is_empty()).collect();
    if names.is_empty() { String::new() } else { format!(" class=\"{}\"", names.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a custom property in the light scheme and in the dark one.
    fn color(name: &str) -> [f64; 2] {
        let values: Vec<&str> = STYLE.split(&format!("--{name}: #")).skip(1).map(|rest| &rest[..6]).collect();
        <[f64; 2]>::try_from(values.into_iter().map(luminance).collect::<Vec<_>>())
            .expect("one for each scheme")
    }

    /// Relative luminance as WCAG defines it.
    #[allow(
        clippy::disallowed_methods,
        reason = "it bounds a contrast in a test; no output depends on its last bit"
    )]
    fn luminance(hex: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).expect("hex")) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(0) + 0.7152 * channel(2) + 0.0722 * channel(4)
    }

    #[test]
    fn every_colour_of_text_has_the_contrast_of_wcag_aa_in_light_and_dark() {
        for ground in ["paper", "box"] {
            for ink in ["text", "faint", "bad", "good", "doubt"] {
                for (ground, ink) in color(ground).into_iter().zip(color(ink)) {
                    let (light, dark) = (ground.max(ink), ground.min(ink));
                    assert!((light + 0.05) / (dark + 0.05) >= 4.5, "{ink} on {ground}");
                }
            }
        }
    }
}
