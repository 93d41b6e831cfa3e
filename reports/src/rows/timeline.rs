//! One run as lanes: who did what, where each message went, and the step at which a verdict became true. The rows
//! that every drawing of a run shares.

use dwsim_sim::model::ids::Tick;
use dwsim_sim::model::record::{Effect, Finding, Lane, Moment, Record};
use dwsim_sim::model::scenario::Verdict;

use crate::text;

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
    let Finding { verdict, payload, times, step } = finding;
    let what = if payload.is_empty() { "the run as a whole" } else { payload };
    match verdict {
        Verdict::ExactlyOnce => "every payload that is owed is on the accepted record once".to_owned(),
        Verdict::Duplicate => {
            format!("{what} is on the accepted record {}, since step {step}", text::times(*times))
        }
        Verdict::Premature => {
            format!(
                "{what} was accepted although the journal did not hold it when it was sent, since step {step}"
            )
        }
        Verdict::Lost => format!("{what} is owed and not on the accepted record, judged after step {step}"),
        Verdict::Phantom => {
            format!("{what} was accepted, and the live log no longer holds it, since step {step}")
        }
        Verdict::GradeGap => {
            format!(
                "{what} is exactly-once against what retention kept and not against the journal, judged after step {step}"
            )
        }
        Verdict::Unfinished if finding.payload.is_empty() => {
            format!(
                "the run did not come to rest, and owes nothing that is committed, judged after step {step}"
            )
        }
        Verdict::Unfinished => format!(
            "{what} is owed by a stage that stands still and has not passed it, judged after step {step}"
        ),
        Verdict::Dirty => {
            format!(
                "what the sink holds for {what} differs from what was committed, judged after step {step}"
            )
        }
    }
}

/// A time on the axis of a run, in seconds.
pub fn seconds(at: Tick) -> String {
    format!("{}.{:06}", at.0 / 1_000_000, at.0 % 1_000_000)
}

fn mark(verdict: Verdict, moment: &Moment, findings: &[Finding]) -> Option<String> {
    let step_accepts = moment.effects.iter().find_map(|effect| match effect {
        Effect::Accepted { payload, times, justified, .. } => match verdict {
            Verdict::Duplicate if *times > 1 => Some((payload.as_str(), *times)),
            Verdict::Premature if !justified => Some((payload.as_str(), *times)),
            _ => None,
        },
        _ => None,
    });
    let found = || findings.iter().find(|f| f.verdict == verdict).map(|f| (f.payload.as_str(), f.times));
    let (payload, times) = step_accepts.or_else(found).unwrap_or(("", 0));
    let payload = if payload.is_empty() { "the run" } else { payload };
    Some(match verdict {
        // Nothing went wrong here: the closing verdict says it.
        Verdict::ExactlyOnce => return None,
        Verdict::Duplicate => {
            format!("DUPLICATE: {payload} is now on the record {}", text::times(times.max(2)))
        }
        Verdict::Premature => {
            format!("PREMATURE: {payload} is accepted and was not committed when it was sent")
        }
        Verdict::Lost => format!("LOST: {payload} is owed and not on the record"),
        Verdict::Unfinished if payload == "the run" => {
            "UNFINISHED: the run does not come to rest, and owes nothing that is committed".to_owned()
        }
        Verdict::Unfinished => {
            format!("UNFINISHED: {payload} is owed, and the stage that stands still knows it")
        }
        Verdict::Phantom => format!("PHANTOM: {payload} is on the record and no longer in the live log"),
        Verdict::GradeGap => format!("GRADE GAP: {payload} is owed by the journal alone"),
        Verdict::Dirty => format!("DIRTY: what the sink holds for {payload} is not what was committed"),
    })
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
            let shows = if shows.is_empty() { "nothing" } else { shows };
            here(format!("read {}: {shows}", surface.replace('_', " ")))
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
        Effect::Note(note) => here(note.clone()),
    }
}

fn in_flight(payload: &str, generation: Option<u16>) -> String {
    generation.map_or(payload.to_owned(), |generation| format!("{payload} (g{generation})"))
}

fn send(payload: &str, again: bool) -> String {
    format!("send {payload}{}", if again { " again" } else { "" })
}
