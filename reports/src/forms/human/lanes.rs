//! A run in lanes, one line for each thing that happens, arrows where a message goes.

use crate::escape::plain;
use crate::forms::Page;
use crate::rows::timeline::{Step, Stroke, Timeline, lane_name, seconds};
use crate::style::{Ink, Style};
use crate::text;
use dwsim_sim::model::record::Lane;

/// Columns between two lanes: room for the head of an arrow.
const GAP: usize = 3;
/// A lane is at least this wide, even where the terminal is too narrow for all of them,
const NARROWEST: usize = 10;
/// and at most this wide.
const WIDEST: usize = 26;

/// The whole run.
pub fn lanes(timeline: &Timeline<'_>, page: &Page) -> String {
    let sheet = Sheet::new(timeline, page.width);
    let mut out = sheet.header(page.style);
    for step in &timeline.steps {
        sheet.step(&mut out, step, page.style);
    }
    out
}

/// Where everything stands.
struct Sheet {
    lanes: Vec<Lane>,
    /// How wide the terminal is.
    width: usize,
    number: usize,
    time: usize,
    lane: usize,
}

impl Sheet {
    fn new(timeline: &Timeline<'_>, width: usize) -> Sheet {
        let number = timeline.steps.len().to_string().len().max("step".len());
        let time = if timeline.is_timed() {
            let longest = timeline.steps.iter().filter_map(|s| s.moment.at).map(|at| seconds(at).len()).max();
            longest.unwrap_or(0).max("time (s)".len())
        } else {
            0
        };
        let mut sheet = Sheet { lanes: timeline.lanes.clone(), width, number, time, lane: 0 };
        let n = sheet.lanes.len();
        let room = width.saturating_sub(sheet.left() + GAP * (n - 1));
        sheet.lane = (room / n).clamp(NARROWEST, WIDEST);
        sheet
    }

    /// Where the first lane starts.
    fn left(&self) -> usize {
        self.number + 2 + if self.time > 0 { self.time + 2 } else { 0 }
    }

    fn start(&self, lane: Lane) -> usize {
        let index = self.lanes.iter().position(|l| *l == lane).unwrap_or(0);
        self.left() + index * (self.lane + GAP)
    }

    fn end(&self) -> usize {
        self.left() + self.lanes.len() * (self.lane + GAP) - GAP
    }

    fn margin(&self, number: &str, at: &str) -> String {
        let mut margin = format!("{number:>width$}  ", width = self.number);
        if self.time > 0 {
            margin += &format!("{at:>width$}  ", width = self.time);
        }
        margin
    }

    fn header(&self, style: Style) -> String {
        let mut line = Line::new(&self.margin("step", "time (s)"));
        for lane in &self.lanes {
            line.put(self.start(*lane), &lane_name(*lane));
        }
        format!("{}\n{}\n", style.paint(Ink::Heading, &line.text()), "─".repeat(self.end()))
    }

    fn step(&self, out: &mut String, step: &Step, style: Style) {
        let at = step.moment.at.map_or(String::new(), seconds);
        let mut margin = self.margin(&step.number.to_string(), &at);
        if step.strokes.is_empty() {
            *out += &margin;
            *out += &style.paint(Ink::Doubt, &self.rule(&plain(&step.moment.label)));
            out.push('\n');
        }
        for stroke in &step.strokes {
            for line in self.stroke(&margin, stroke) {
                *out += &line;
                out.push('\n');
                margin = self.margin("", "");
            }
        }
        for mark in &step.marks {
            let blank = self.margin("", "");
            for line in text::wrap(
                &format!("<- {}", plain(mark)),
                self.width.saturating_sub(self.left()).max(NARROWEST),
            ) {
                *out += &blank;
                *out += &style.paint(Ink::Bad, &line);
                out.push('\n');
            }
        }
    }

    /// `── crash ────────`, across all lanes.
    fn rule(&self, label: &str) -> String {
        let width = self.end() - self.left();
        let label: String = label.chars().take(width.saturating_sub(6)).collect();
        let rest = width.saturating_sub(text::width(&label) + 4);
        format!("── {label} {}", "─".repeat(rest))
    }

    fn stroke(&self, margin: &str, stroke: &Stroke) -> Vec<String> {
        let words = text::wrap(&plain(&stroke.text), self.lane);
        let (from, none) = (self.start(stroke.lane), Vec::new());
        let (to, there) = match &stroke.to {
            Some((lane, words)) => (self.start(*lane), text::wrap(&plain(words), self.lane)),
            None => (from, none),
        };
        let mut lines: Vec<Line> =
            (0..words.len().max(there.len())).map(|i| Line::new(if i == 0 { margin } else { "" })).collect();
        for (line, words) in lines.iter_mut().zip(&words) {
            line.put(from, words);
        }
        for (line, words) in lines.iter_mut().zip(&there) {
            line.put(to, words);
        }
        if let (Some(line), Some(words), Some(there)) = (lines.first_mut(), words.first(), there.first()) {
            if to > from {
                line.arrow_right(from + text::width(words) + 1, to - 2);
            } else {
                line.arrow_left(to + text::width(there) + 1, from - 2);
            }
        }
        lines.iter().map(Line::text).collect()
    }
}

/// A line of text that is written at columns: in each a letter, or nothing where the letter before takes two.
struct Line(Vec<Option<char>>);

impl Line {
    fn new(text: &str) -> Line {
        let mut line = Line(Vec::new());
        line.put(0, text);
        line
    }

    fn put(&mut self, column: usize, text: &str) {
        let mut at = column;
        for c in text.chars() {
            let columns = text::width(c.encode_utf8(&mut [0; 4]));
            if self.0.len() < at + columns {
                self.0.resize(at + columns, Some(' '));
            }
            if let Some((first, rest)) = self.0[at..at + columns].split_first_mut() {
                *first = Some(c);
                rest.fill(None);
            }
            at += columns;
        }
    }

    fn arrow_right(&mut self, first: usize, head: usize) {
        self.put(first, &"─".repeat(head.saturating_sub(first)));
        self.put(head, "→");
    }

    fn arrow_left(&mut self, head: usize, last: usize) {
        self.put(head, &"─".repeat((last + 1).saturating_sub(head)));
        self.put(head, "←");
    }

    fn text(&self) -> String {
        self.0.iter().flatten().collect::<String>().trim_end().to_owned()
    }
}
