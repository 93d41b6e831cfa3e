//! For a pull request, a wiki, a README.

use super::Page;
use crate::document::{Block, Cell, Cells, Document, Fold, Heading, Holds, Level, Look, Table, Text, Value};
use crate::escape::{markdown as escape, markdown_fence, plain};
use crate::text;

/// The whole report. It has no title: it stands in something that has one.
pub fn document(document: &Document<'_>, _: &Page) -> String {
    let mut out = String::new();
    if let Some(summary) = &document.summary {
        out += &format!("{}\n\n", words(summary));
    }
    out += &blocks(&document.blocks);
    out
}

/// Blocks with an empty line between them.
fn blocks(blocks: &[Block<'_>]) -> String {
    let blocks: Vec<String> = blocks.iter().map(block).filter(|block| !block.is_empty()).collect();
    blocks.join("\n")
}

fn block(block: &Block<'_>) -> String {
    match block {
        Block::Heading(heading) => self::heading(heading),
        Block::Text(text) => format!("{}\n", words(text)),
        Block::List(items) => items.iter().map(|item| format!("- {}\n", words(item))).collect(),
        Block::Table(table) => self::table(table),
        Block::Steps(steps) => {
            let note = |note: &str| {
                if note.is_empty() { String::new() } else { format!(" **← {}**", escape(note)) }
            };
            numbered(steps.iter().map(|step| escape(&step.label) + &note(&step.note)))
        }
        Block::Run(timeline) => numbered(timeline.steps.iter().map(|step| {
            let marks = step.marks.iter().map(|mark| format!(" **← {}**", escape(mark)));
            escape(&step.moment.label) + &marks.collect::<String>()
        })),
        Block::Code(code) => fenced(code, ""),
        Block::Paste(line) => fenced(line, "console"),
        Block::Picture(picture) => blocks(&picture.instead),
        Block::Fold(Fold { summary, blocks: inside, .. }) => {
            let summary = crate::escape::xml(summary);
            format!("<details><summary>{summary}</summary>\n\n{}\n</details>\n", blocks(inside))
        }
    }
}

fn heading(heading: &Heading) -> String {
    let level = match heading.level {
        Level::Case => "##",
        Level::Part => "###",
    };
    let title = format!("{level} {}\n", escape(&heading.title));
    match heading.about.as_str() {
        "" => title,
        about => format!("{title}\n{}\n", escape(about)),
    }
}

fn words(text: &Text) -> String {
    let piece = |piece: &crate::document::Piece| match piece.look {
        Look::Plain => escape(&piece.text),
        Look::Code => format!("`{}`", plain(&piece.text)),
        Look::Strong | Look::Marked(_) => format!("**{}**", escape(&piece.text)),
    };
    text.0.iter().map(piece).collect()
}

fn numbered(steps: impl Iterator<Item = String>) -> String {
    steps.enumerate().map(|(i, step)| format!("{}. {step}\n", i + 1)).collect()
}

fn table(table: &Table) -> String {
    let names: Vec<String> =
        table.columns.iter().map(|column| format!(" {} |", escape(&column.name))).collect();
    let rules = table.columns.iter().map(|column| match column.holds {
        Holds::Words | Holds::Name => "---|",
        Holds::Number | Holds::Rate => "--:|",
    });
    let mut out = format!("| {} |{}\n", escape(&table.head), names.concat());
    out += &format!("|---|{}\n", rules.collect::<String>());
    for row in &table.rows {
        let cells = match &row.cells {
            Cells::Each(cells) => cells.iter().map(|of| format!(" {} |", cell(of))).collect(),
            Cells::Across(words) => format!(" {} |{}", escape(words), " |".repeat(table.columns.len() - 1)),
        };
        out += &format!("| {} |{cells}\n", escape(&row.head));
    }
    out
}

fn cell(cell: &Cell) -> String {
    match &cell.value {
        Value::Words(words) => escape(words),
        Value::Number(number) => text::count(*number),
        Value::Rate(rate) => {
            let (percent, interval) = rate.percent();
            escape(format!("{} {percent} {interval}", text::count(rate.count)).trim_end())
        }
    }
}

fn fenced(code: &str, language: &str) -> String {
    let (code, fence) = markdown_fence(code);
    format!("{fence}{language}\n{code}\n{fence}\n")
}
