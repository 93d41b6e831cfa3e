//! For a person at a terminal: tables, lanes and sentences, as wide as the terminal.

mod lanes;
mod table;

use super::Page;
use crate::document::{Block, Document, Fold, Heading, Look, Step, Text};
use crate::escape::plain;
use crate::style::{Ink, Style};
use crate::text;

/// The whole report.
pub fn document(document: &Document<'_>, page: &Page) -> String {
    let mut out = blocks(&document.blocks, page);
    if let Some(summary) = &document.summary {
        if !out.is_empty() {
            out.push('\n');
        }
        out += &paragraph("", "", summary, page);
    }
    out
}

/// Some blocks, one below the other.
pub fn blocks(blocks: &[Block<'_>], page: &Page) -> String {
    let mut out = String::new();
    let mut above: Option<&Block<'_>> = None;
    for block in blocks {
        let shown = one(block, page);
        if shown.is_empty() {
            continue;
        }
        if above.is_some_and(|above| is_apart(above, block)) {
            out.push('\n');
        }
        out += &shown;
        above = Some(block);
    }
    out
}

/// Whether an empty line stands between two blocks: not where the second one goes on with what the first began.
fn is_apart(above: &Block<'_>, block: &Block<'_>) -> bool {
    let goes_on = matches!(
        (above, block),
        (Block::Heading(_), Block::Text(_) | Block::Steps(_))
            | (Block::Text(_), Block::List(_))
            | (Block::List(_) | Block::Table(_), Block::Fold(_))
            | (_, Block::Paste(_))
    );
    !goes_on
}

fn one(block: &Block<'_>, page: &Page) -> String {
    match block {
        Block::Heading(heading) => self::heading(heading, page),
        Block::Text(text) if opens_marked(text) => paragraph("", "  ", text, page),
        Block::Text(text) => paragraph("", "", text, page),
        Block::List(items) => items.iter().map(|item| paragraph("  ", "    ", item, page)).collect(),
        Block::Table(table) => table::table(table, page),
        Block::Steps(steps) => self::steps(steps, page),
        Block::Run(timeline) => lanes::lanes(timeline, page),
        Block::Code(code) => code.lines().map(|line| format!("  {}\n", plain(line))).collect(),
        // Broken, it would not paste.
        Block::Paste(line) => format!("  {}\n", plain(line)),
        Block::Picture(picture) => blocks(&picture.instead, page),
        Block::Fold(Fold { shown_by: None, .. }) => String::new(),
        Block::Fold(Fold { summary, shown_by: Some(by), .. }) => format!("  and {} ({by})\n", plain(summary)),
    }
}

fn heading(heading: &Heading, page: &Page) -> String {
    let title = Text::default().with(Look::Marked(Ink::Heading), &heading.title);
    match heading.about.as_str() {
        "" => paragraph("", "", &title, page),
        about => paragraph("", "", &title.and(format!(": {about}")), page),
    }
}

fn steps(steps: &[Step], page: &Page) -> String {
    let line = |(i, step): (usize, &Step)| {
        let note = if step.note.is_empty() { String::new() } else { format!("   <- {}", step.note) };
        paragraph(&format!("  {:>3}. ", i + 1), "       ", &Text::new(format!("{}{note}", step.label)), page)
    };
    steps.iter().enumerate().map(line).collect()
}

/// A paragraph that opens with a marked word is an entry of many, so its other lines are indented.
fn opens_marked(text: &Text) -> bool {
    text.0.first().is_some_and(|piece| piece.look != Look::Plain)
}

/// A letter with its colour.
#[derive(Clone, Copy)]
struct Letter {
    letter: char,
    ink: Option<Ink>,
}

impl text::Letter for Letter {
    fn letter(self) -> char {
        self.letter
    }
    fn space(self) -> Letter {
        Letter { letter: ' ', ..self }
    }
}

/// Words wrapped to the page, the first line after `first`, the others after `then`.
fn paragraph(first: &str, then: &str, text: &Text, page: &Page) -> String {
    let room = page.prose().saturating_sub(text::width(first).max(text::width(then))).max(1);
    let letters = text.0.iter().flat_map(|piece| {
        let ink = if let Look::Marked(ink) = piece.look { Some(ink) } else { None };
        let words = if piece.look == Look::Code { format!("`{}`", piece.text) } else { piece.text.clone() };
        plain(&words).chars().map(|letter| Letter { letter, ink }).collect::<Vec<_>>()
    });
    let lines = text::wrap_letters(&letters.collect::<Vec<_>>(), room);
    let mut out = String::new();
    for (i, line) in lines.iter().enumerate() {
        out += if i == 0 { first } else { then };
        out += &painted(line, page.style);
        out.push('\n');
    }
    out
}

fn painted(line: &[Letter], style: Style) -> String {
    let same = |a: &Letter, b: &Letter| a.ink == b.ink;
    let paint = |run: &[Letter]| {
        let words: String = run.iter().map(|letter| letter.letter).collect();
        run[0].ink.map_or_else(|| words.clone(), |ink| style.paint(ink, &words))
    };
    line.chunk_by(same).map(paint).collect()
}
