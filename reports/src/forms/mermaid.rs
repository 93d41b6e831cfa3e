//! One run as a Mermaid sequence diagram, for wherever Markdown draws them.

use dwsim_sim::model::record::Lane;

use crate::escape::mermaid as escape;
use crate::timeline::{Timeline, lane_name, seconds};

/// The whole run.
pub fn timeline(timeline: &Timeline) -> String {
    let mut out = "sequenceDiagram\n".to_owned();
    for lane in &timeline.lanes {
        out += &format!("    participant {} as {}\n", id(*lane), lane_name(*lane));
    }
    let last = timeline.lanes.last().copied().unwrap_or(Lane::Sink);
    let all = format!("{},{}", id(Lane::Source), id(last));
    for step in &timeline.steps {
        let at = step.moment.at.map_or(String::new(), |at| format!(" at {} s", seconds(at)));
        let number = format!("{}{at}", step.number);
        if step.strokes.is_empty() {
            out += &format!("    Note over {all}: {number}, {}\n", escape(&step.moment.label));
        }
        for stroke in &step.strokes {
            let (lane, text) = (id(stroke.lane), escape(&stroke.text));
            out += &match &stroke.to {
                Some((to, words)) => {
                    format!("    {lane}->>{}: {number}, {text}, {}\n", id(*to), escape(words))
                }
                None => format!("    Note over {lane}: {number}, {text}\n"),
            };
        }
        for mark in &step.marks {
            out += &format!("    Note over {all}: {}\n", escape(mark));
        }
    }
    out
}

fn id(lane: Lane) -> String {
    match lane {
        Lane::Source => "source".to_owned(),
        Lane::Wire => "wire".to_owned(),
        Lane::Sink => "sink".to_owned(),
        Lane::Recoverer(n) => format!("recoverer{n}"),
        Lane::World => "world".to_owned(),
    }
}
