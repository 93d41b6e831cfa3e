//! A run in lanes, one line for each thing that happens, arrows where a message goes.

use crate::escape::plain;
use crate::style::{Ink, Style};
use crate::timeline::{Step, Stroke, Timeline, finding_in_words, lane_name, seconds};
use crate::{WIDTH, text};
use dwsim_sim::model::record::Lane;
use dwsim_sim::model::scenario::Verdict;

/// Columns between two lanes: room for the head of an arrow.
const GAP: usize = 3;

/// The whole run, then what the oracle says of it.
pub fn timeline(timeline: &Timeline, style: Style) -> String {
    let page = Page::new(timeline);
    let mut out = page.header(style);
    for step in &timeline.steps {
        page.step(&mut out, step, style);
    }
    out.push('\n');
    verdicts(&mut out, timeline, style);
    out
}

/// Where everything stands.
struct Page {
    lanes: Vec<Lane>,
    number: usize,
    time: usize,
    lane: usize,
}

impl Page {
    fn new(timeline: &Timeline) -> Page {
        let number = timeline.steps.len().to_string().len().max("step".len());
        let time = if timeline.is_timed() {
            let longest = timeline.steps.iter().filter_map(|s| s.moment.at).map(|at| seconds(at).len()).max();
            longest.unwrap_or(0).max("time (s)".len())
        } else {
            0
        };
        let mut page = Page { lanes: timeline.lanes.clone(), number, time, lane: 0 };
        let n = page.lanes.len();
        let room = (WIDTH - page.left()).saturating_sub(GAP * (n - 1));
        page.lane = (room / n).clamp(14, 26);
        page
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
            for line in text::wrap(&format!("<- {}", plain(mark)), WIDTH - self.left()) {
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

/// A line of text that is written at columns.
struct Line(Vec<char>);

impl Line {
    fn new(text: &str) -> Line {
        Line(text.chars().collect())
    }

    fn put(&mut self, column: usize, text: &str) {
        for (i, c) in text.chars().enumerate() {
            let at = column + i;
            if self.0.len() <= at {
                self.0.resize(at + 1, ' ');
            }
            self.0[at] = c;
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
        self.0.iter().collect::<String>().trim_end().to_owned()
    }
}

fn verdicts(out: &mut String, timeline: &Timeline, style: Style) {
    let good = timeline.record.verdicts == [Verdict::ExactlyOnce];
    let ink = if good { Ink::Good } else { Ink::Bad };
    *out += &format!("verdict: {}\n", style.paint(ink, &timeline.verdicts_in_words()));
    for finding in &timeline.record.findings {
        let first = format!("  {}: ", text::verdict(finding.verdict));
        *out += &text::paragraph(&first, "    ", &format!("{}.", plain(&finding_in_words(finding))));
    }
    *out += &format!("fingerprint: {:032x}\n", timeline.record.fingerprint);
}
