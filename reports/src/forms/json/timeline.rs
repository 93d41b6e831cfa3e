//! One run, step by step.

use dwsim_sim::model::record::{Effect, Lane};
use serde::Serialize;

use super::pretty;
use crate::SCHEMA;
use crate::timeline::{Timeline, finding_in_words, lane_name, note, shown};

/// One object for a run, step by step.
pub fn timeline(timeline: &Timeline) -> String {
    let steps = timeline.steps.iter().map(|step| StepJson {
        step: step.number,
        at_us: step.moment.at.map(|at| at.0),
        label: &step.moment.label,
        lane: lane(step.moment.lane),
        effects: step.moment.effects.iter().map(EffectJson::new).collect(),
        became: step.moment.became.iter().map(|v| v.name()).collect(),
    });
    let findings = timeline.record.findings.iter().map(|finding| FindingJson {
        verdict: finding.verdict.name(),
        payload: &finding.payload,
        times: finding.times,
        step: finding.step,
        text: finding_in_words(finding),
    });
    pretty(&TimelineJson {
        schema: SCHEMA,
        steps: steps.collect(),
        findings: findings.collect(),
        verdicts: timeline.record.verdicts.iter().map(|v| v.name()).collect(),
        fingerprint: format!("{:032x}", timeline.record.fingerprint),
    })
}

#[derive(Serialize)]
struct TimelineJson<'a> {
    schema: &'a str,
    steps: Vec<StepJson<'a>>,
    findings: Vec<FindingJson<'a>>,
    verdicts: Vec<&'a str>,
    fingerprint: String,
}

#[derive(Serialize)]
struct StepJson<'a> {
    step: usize,
    at_us: Option<u64>,
    label: &'a str,
    lane: String,
    effects: Vec<EffectJson<'a>>,
    became: Vec<&'a str>,
}

#[derive(Serialize)]
struct FindingJson<'a> {
    verdict: &'a str,
    payload: &'a str,
    times: u32,
    step: usize,
    text: String,
}

/// An effect: what it is, and then what it has of these.
#[derive(Serialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
enum EffectJson<'a> {
    Committed { payload: &'a str },
    Enqueued { payload: &'a str },
    Fetched { rows: u32 },
    Sent { payload: &'a str, generation: u16, again: bool },
    Accepted { payload: &'a str, generation: u16, times: u32, justified: bool },
    Dropped { payload: &'a str, generation: u16, rescue: bool },
    Absorbed { payload: &'a str },
    Rejected { payload: &'a str },
    LostInTransit { payload: &'a str },
    Acknowledged { payload: &'a str },
    CursorAt { events: u32 },
    Read { surface: &'a str, shows: String },
    Armed { batch: &'a [String] },
    Healed,
    FenceAt { generation: u16 },
    Crashed,
    Resumed { generation: u16 },
    Note { text: String },
}

impl<'a> EffectJson<'a> {
    fn new(effect: &'a Effect) -> EffectJson<'a> {
        match effect {
            Effect::Committed(payload) => EffectJson::Committed { payload },
            Effect::Enqueued(payload) => EffectJson::Enqueued { payload },
            Effect::Fetched(rows) => EffectJson::Fetched { rows: *rows },
            Effect::Sent { payload, generation, again } => {
                EffectJson::Sent { payload, generation: *generation, again: *again }
            }
            Effect::Accepted { payload, generation, times, justified } => EffectJson::Accepted {
                payload,
                generation: *generation,
                times: *times,
                justified: *justified,
            },
            Effect::Dropped { payload, generation, rescue } => {
                EffectJson::Dropped { payload, generation: *generation, rescue: *rescue }
            }
            Effect::Absorbed(payload) => EffectJson::Absorbed { payload },
            Effect::Rejected(payload) => EffectJson::Rejected { payload },
            Effect::LostInTransit(payload) => EffectJson::LostInTransit { payload },
            Effect::Acknowledged(payload) => EffectJson::Acknowledged { payload },
            Effect::CursorAt(events) => EffectJson::CursorAt { events: *events },
            Effect::Read { surface, shows } => {
                EffectJson::Read { surface: surface.name(), shows: shown(shows) }
            }
            Effect::Armed(batch) => EffectJson::Armed { batch },
            Effect::Healed => EffectJson::Healed,
            Effect::FenceAt(generation) => EffectJson::FenceAt { generation: *generation },
            Effect::Crashed => EffectJson::Crashed,
            Effect::Resumed(generation) => EffectJson::Resumed { generation: *generation },
            other => EffectJson::Note { text: note(other).unwrap_or_default() },
        }
    }
}

fn lane(lane: Lane) -> String {
    lane_name(lane).replace(' ', "_")
}
