//! One run as a drawing: a line for each lane, time downwards, arrows where messages go. Every coordinate is a whole
//! number, so the same run is the same bytes.

use dwsim_sim::model::record::Lane;

use crate::escape::xml as escape;
use crate::text;
use crate::timeline::{Step, Stroke, Timeline, lane_name, seconds};

const LANE: usize = 190;
const LEFT: usize = 140;
const ROW: usize = 30;
const TOP: usize = 56;

/// Letters that fit between two lanes.
const LETTERS: usize = 24;

const STYLE: &str = "\
text { font: 12px ui-monospace, monospace; fill: #202124 }
.name { font-weight: bold; text-anchor: middle }
.margin { fill: #5f6368; text-anchor: end }
.life { stroke: #dadce0; stroke-width: 2 }
.arrow { stroke: #1a73e8; stroke-width: 1; marker-end: url(#head) }
.world { stroke: #b06000; stroke-dasharray: 6 4 }
.dot { fill: #1a73e8 }
.mark { fill: #c5221f; font-weight: bold }
";

/// The whole run.
pub fn timeline(timeline: &Timeline) -> String {
    let canvas = Canvas { lanes: &timeline.lanes };
    let mut body = String::new();
    let mut y = TOP;
    for step in &timeline.steps {
        canvas.step(&mut body, step, &mut y);
    }
    let verdict = format!("verdict: {}", timeline.verdicts_in_words());
    let class = if timeline.record.findings.is_empty() { "" } else { "mark" };
    body += &words(class, 12, y + ROW, &verdict);
    let (width, height) = (LEFT + timeline.lanes.len() * LANE + 40, y + 2 * ROW);
    let mut lives = String::new();
    for lane in &timeline.lanes {
        let x = canvas.x(*lane);
        lives += &format!("<line class=\"life\" x1=\"{x}\" y1=\"36\" x2=\"{x}\" y2=\"{y}\"/>\n");
        lives += &words("name", x, 24, &lane_name(*lane));
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>one run, step by step</title>\n\
         <style>\n{STYLE}</style>\n\
         <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#1a73e8\"/></marker></defs>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n{lives}{body}</svg>\n"
    )
}

struct Canvas<'a> {
    lanes: &'a [Lane],
}

impl Canvas<'_> {
    fn x(&self, lane: Lane) -> usize {
        LEFT + self.lanes.iter().position(|l| *l == lane).unwrap_or(0) * LANE + 40
    }

    fn step(&self, body: &mut String, step: &Step, y: &mut usize) {
        *body += &words("margin", 36, *y + 4, &step.number.to_string());
        if let Some(at) = step.moment.at {
            *body += &words("margin", 128, *y + 4, &seconds(at));
        }
        if step.strokes.is_empty() {
            let end = LEFT + self.lanes.len() * LANE + 28;
            *body += &format!("<line class=\"world\" x1=\"{LEFT}\" y1=\"{y}\" x2=\"{end}\" y2=\"{y}\"/>\n");
            *body += &words("", LEFT + 4, *y - 5, &step.moment.label);
            *y += ROW;
        }
        for stroke in &step.strokes {
            self.stroke(body, stroke, *y);
            *y += ROW;
        }
        for mark in &step.marks {
            *body += &words("mark", LEFT + 4, *y, mark);
            *y += ROW;
        }
    }

    fn stroke(&self, body: &mut String, stroke: &Stroke, y: usize) {
        let x = self.x(stroke.lane);
        *body += &format!("<circle class=\"dot\" cx=\"{x}\" cy=\"{y}\" r=\"3\"/>\n");
        *body += &label(x + 8, y - 5, &stroke.text);
        if let Some((lane, there)) = &stroke.to {
            let to = self.x(*lane);
            *body += &format!("<line class=\"arrow\" x1=\"{x}\" y1=\"{y}\" x2=\"{to}\" y2=\"{y}\"/>\n");
            *body += &label(to + 8, y + 12, there);
        }
    }
}

fn words(class: &str, x: usize, y: usize, text: &str) -> String {
    let class = if class.is_empty() { String::new() } else { format!("class=\"{class}\" ") };
    format!("<text {class}x=\"{x}\" y=\"{y}\">{}</text>\n", escape(text))
}

/// Words in a lane. What does not fit before the next one is cut, and whole when pointed at.
fn label(x: usize, y: usize, text: &str) -> String {
    if text::width(text) <= LETTERS {
        return words("", x, y, text);
    }
    let cut: String = text.chars().take(LETTERS - 1).collect();
    format!("<text x=\"{x}\" y=\"{y}\">{}…<title>{}</title></text>\n", escape(&cut), escape(text))
}
