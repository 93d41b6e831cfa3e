//! One run as lanes: who did what, where each message went, and the step at which a verdict became true. The rows
//! that every drawing of a run shares.

use dwsim_sim::model::ids::Tick;
use dwsim_sim::model::record::{Effect, Finding, Lane, Moment, Record, Shown};
use dwsim_sim::model::scenario::Verdict;

use crate::text;

/// One run with its title: what `replay` shows.
#[derive(Clone, PartialEq, Debug)]
pub struct Replay<'a> {
    /// Which run it is.
    pub heading: String,
    /// The line that replays it, unless the schedule came from a file.
    pub line: Option<String>,
    /// The run.
    pub timeline: Timeline<'a>,
}

/// A run, ready to be drawn.
#[derive(Clone, PartialEq, Debug)]
pub struct Timeline<'a> {
    /// The run itself.
    pub record: &'a Record,
    /// The columns: source, wire, sink, and every recoverer that took part.
    pub lanes: Vec<Lane>,
    /// The steps in order.
    pub steps: Vec<Step<'a>>,
}

/// One step.
#[derive(Clone, PartialEq, Debug)]
pub struct Step<'a> {
    /// From 1.
    pub number: usize,
    /// What the run left of it.
    pub moment: &'a Moment,
    /// What to draw, in order. A step of the world has none: its label is drawn across all lanes.
    pub strokes: Vec<Stroke>,
    /// What became true here: `DUPLICATE: order-2 is now on the record twice`.
    pub marks: Vec<String>,
}

/// Words in a lane, and perhaps an arrow to words in another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stroke {
    /// Whose lane.
    pub lane: Lane,
    /// What it does.
    pub text: String,
    /// Where something goes, and what comes of it there.
    pub to: Option<(Lane, String)>,
}

impl<'a> Timeline<'a> {
    /// The rows of a run.
    pub fn new(record: &'a Record) -> Timeline<'a> {
        let mut lanes = vec![Lane::Source, Lane::Wire, Lane::Sink];
        lanes.extend(record.moments.iter().map(|m| m.lane).filter(|lane| matches!(lane, Lane::Recoverer(_))));
        lanes.sort_unstable();
        lanes.dedup();
        let step = |(i, moment): (usize, &'a Moment)| Step {
            number: i + 1,
            moment,
            strokes: strokes(moment),
            marks: moment.became.iter().filter_map(|v| mark(*v, moment, &record.findings)).collect(),
        };
        Timeline { record, lanes, steps: record.moments.iter().enumerate().map(step).collect() }
    }

    /// Whether the steps have a time.
    pub fn is_timed(&self) -> bool {
        self.record.moments.iter().any(|moment| moment.at.is_some())
    }

    /// `verdict: exactly-once`, or the verdicts that hold.
    pub fn verdicts_in_words(&self) -> String {
        match self.record.verdicts.as_slice() {
            [] => "none".to_owned(),
            verdicts => {
                text::list(&verdicts.iter().map(|v| text::verdict(*v).to_owned()).collect::<Vec<_>>())
            }
        }
    }
}

/// A lane's name.
pub fn lane_name(lane: Lane) -> String {
    match lane {
        Lane::Source => "source".to_owned(),
        Lane::Wire => "wire".to_owned(),
        Lane::Sink => "sink".to_owned(),
        Lane::Recoverer(n) => format!("recoverer {n}"),
        Lane::World => "world".to_owned(),
    }
}

/// What a finding says, as a sentence without its full stop.
pub fn finding_in_words(finding: &Finding) -> String {
    if finding.verdict == Verdict::Unfinished && finding.payload.is_empty() {
        return format!(
            "the run did not come to rest, and owes nothing that is committed, judged after step {}",
            finding.step
        );
    }
    let payload = if finding.payload.is_empty() { "the run as a whole" } else { &finding.payload };
    let text = finding.verdict.spec().finding.replace("{times}", &text::times(finding.times));
    // The label comes last: it is a user's text.
    text.replace("{step}", &finding.step.to_string()).replace("{payload}", payload)
}

/// A time on the axis of a run, in seconds.
pub fn seconds(at: Tick) -> String {
    format!("{}.{:06}", at.0 / 1_000_000, at.0 % 1_000_000)
}

/// What became true in a step, in capitals so that it is found in a long run: `DUPLICATE: order-2 is now ..`.
fn mark(verdict: Verdict, moment: &Moment, findings: &[Finding]) -> Option<String> {
    let accepted = moment.effects.iter().find_map(|effect| match effect {
        Effect::Accepted { payload, times, justified, .. } => match verdict {
            Verdict::Duplicate if *times > 1 => {
                Some(format!("{payload} is now on the record {}", text::times(*times)))
            }
            Verdict::Premature if !justified => {
                Some(format!("{payload} is accepted and was not committed when it was sent"))
            }
            _ => None,
        },
        _ => None,
    });
    let found = || findings.iter().find(|f| f.verdict == verdict).map(finding_in_words);
    let what = accepted.or_else(found)?;
    Some(format!("{}: {what}", text::verdict(verdict).to_uppercase()))
}

fn strokes(moment: &Moment) -> Vec<Stroke> {
    if moment.lane == Lane::World {
        return Vec::new();
    }
    let mut strokes: Vec<Stroke> = Vec::new();
    for (i, effect) in moment.effects.iter().enumerate() {
        // What lands in the step in which it was sent is one arrow, drawn where it lands.
        if let Effect::Sent { payload, .. } = effect
            && moment.effects[i + 1..].iter().any(|later| fate_of(later) == Some(payload))
        {
            continue;
        }
        strokes.push(stroke(moment, effect, &moment.effects[..i]));
    }
    if strokes.is_empty() {
        let text = moment.label.split_once(": ").map_or(moment.label.as_str(), |(_, act)| act);
        strokes.push(Stroke { lane: moment.lane, text: text.to_owned(), to: None });
    }
    strokes
}

/// The payload that the sink decided on.
fn fate_of(effect: &Effect) -> Option<&String> {
    match effect {
        Effect::Accepted { payload, .. }
        | Effect::Dropped { payload, .. }
        | Effect::Absorbed(payload)
        | Effect::Rejected(payload) => Some(payload),
        _ => None,
    }
}

fn stroke(moment: &Moment, effect: &Effect, before: &[Effect]) -> Stroke {
    let here = |text: String| Stroke { lane: moment.lane, text, to: None };
    let lands = |payload: &String, generation: Option<u16>, what: String| {
        let sent = before.iter().find_map(|effect| match effect {
            Effect::Sent { payload: p, again, .. } if p == payload => Some(*again),
            _ => None,
        });
        let text = match (sent, moment.lane) {
            (Some(again), _) => send(payload, again),
            (None, Lane::Sink) => return here(format!("{payload} {what}")),
            (None, _) => in_flight(payload, generation),
        };
        Stroke { lane: moment.lane, text, to: Some((Lane::Sink, what)) }
    };
    match effect {
        Effect::Committed(payload) => here(format!("commit {payload}")),
        Effect::Enqueued(payload) => here(format!("enqueue {payload}")),
        Effect::Fetched(n) => here(format!("fetch {n}")),
        Effect::Sent { payload, generation, again } => Stroke {
            lane: moment.lane,
            text: send(payload, *again),
            to: Some((Lane::Wire, in_flight(payload, Some(*generation)))),
        },
        Effect::Accepted { payload, generation, times: 1, .. } => {
            lands(payload, Some(*generation), "accepted".to_owned())
        }
        Effect::Accepted { payload, generation, times, .. } => {
            lands(payload, Some(*generation), format!("accepted, now {}", text::times(*times)))
        }
        Effect::Dropped { payload, generation, rescue: false } => {
            lands(payload, Some(*generation), "refused by fence".to_owned())
        }
        Effect::Dropped { payload, generation, rescue: true } => {
            lands(payload, Some(*generation), "refused by fence, still owed".to_owned())
        }
        Effect::Absorbed(payload) => lands(payload, None, "absorbed as known".to_owned()),
        Effect::Rejected(payload) => lands(payload, None, "refused for ever".to_owned()),
        Effect::LostInTransit(payload) => here(format!("{payload} lost")),
        Effect::Acknowledged(payload) => here(format!("hear ack of {payload}")),
        Effect::CursorAt(n) => here(format!("cursor at {n}")),
        Effect::Read { surface, shows } => {
            here(format!("read {}: {}", surface.name().replace('_', " "), shown(shows)))
        }
        Effect::Armed(batch) if batch.is_empty() => here("arm an empty batch".to_owned()),
        Effect::Armed(batch) => here(format!("arm {}", batch.join(", "))),
        Effect::Healed => here("heal contents".to_owned()),
        Effect::FenceAt(generation) if moment.lane == Lane::Sink => here(format!("fence at g{generation}")),
        Effect::FenceAt(generation) => Stroke {
            lane: moment.lane,
            text: "raise fence".to_owned(),
            to: Some((Lane::Sink, format!("fence at g{generation}"))),
        },
        Effect::Crashed => here("crash".to_owned()),
        Effect::Resumed(generation) => here(format!("resume as g{generation}")),
        other => here(note(other).unwrap_or_default()),
    }
}

/// An effect that moves no message, in words; none for the others.
pub fn note(effect: &Effect) -> Option<String> {
    Some(match effect {
        Effect::Copied(payload) => format!("a second copy of {payload} is in flight"),
        Effect::Entered(payload) => format!("the sink takes {payload}"),
        Effect::Buffered(payload) => format!("{payload} is taken in, not durable yet"),
        Effect::Prepared(payload) => format!("{payload} is prepared"),
        Effect::PreparationExpired(payload) => format!("the preparation of {payload} expires"),
        Effect::Rejected(payload) => format!("the sink refuses {payload} for ever"),
        Effect::ReplyLost(payload) => format!("the reply to {payload} is lost"),
        Effect::CursorGone => "the cursor is gone".to_owned(),
        Effect::GaveWay { who, stops, refused } => {
            let does = if *stops { "stops" } else { "skips a step" };
            let why = if *refused { "was refused, and none of it has happened" } else { "is not enabled" };
            format!("{who} {does}: its act {why}")
        }
        Effect::KeyForgotten => "the dedup memory forgets its oldest key".to_owned(),
        Effect::Retained(n) => format!("the source drops its oldest {n} entries"),
        Effect::LogCut(0) => "the live log is cut to nothing".to_owned(),
        Effect::LogCut(n) => format!("the live log is cut to its oldest {n} entries"),
        Effect::SinkCrashed => "the sink crashes".to_owned(),
        Effect::Committed(_)
        | Effect::Enqueued(_)
        | Effect::Fetched(_)
        | Effect::Sent { .. }
        | Effect::Accepted { .. }
        | Effect::Dropped { .. }
        | Effect::Absorbed(_)
        | Effect::LostInTransit(_)
        | Effect::Acknowledged(_)
        | Effect::CursorAt(_)
        | Effect::Read { .. }
        | Effect::Armed(_)
        | Effect::Healed
        | Effect::FenceAt(_)
        | Effect::Crashed
        | Effect::Resumed(_) => return None,
    })
}

/// What a surface showed, in a few words.
pub fn shown(shows: &Shown) -> String {
    match shows {
        Shown::Payloads(payloads) if payloads.is_empty() => "nothing".to_owned(),
        Shown::Payloads(payloads) => payloads.join(", "),
        Shown::Number(number) => number.to_string(),
    }
}

fn in_flight(payload: &str, generation: Option<u16>) -> String {
    generation.map_or(payload.to_owned(), |generation| format!("{payload} (g{generation})"))
}

fn send(payload: &str, again: bool) -> String {
    format!("send {payload}{}", if again { " again" } else { "" })
}
