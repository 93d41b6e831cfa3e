//! What can be decided, and the four questions.

use dwsim_sim::analysis::bound::Failure;
use dwsim_sim::analysis::bound::triage::Reply;
use dwsim_sim::analysis::bound::{Answer, Bound, Change};
use dwsim_sim::model::program::{Surface, Surfaces};
use serde_json::{Value, json};

use super::twin;
use crate::SCHEMA;
use crate::rows::bound::{BoundReport, TriageReport, obliges};

/// One object for the answer.
pub fn bound(report: &BoundReport) -> String {
    let bound = &report.bound;
    let surfaces = |set: Surfaces| set.iter().map(|s| s.name()).collect::<Vec<_>>();
    let shown = |shows: &[(Surface, String)]| -> Value {
        shows
            .iter()
            .map(|(surface, shown)| (surface.name().to_owned(), json!(shown)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let failure = |how: Failure| match how {
        Failure::Duplicate(p) => json!({"verdict": "duplicate", "payload": bound.payloads[p.0 as usize]}),
        Failure::Premature(p) => json!({"verdict": "premature", "payload": bound.payloads[p.0 as usize]}),
        Failure::Lost(p) => json!({"verdict": "lost", "payload": bound.payloads[p.0 as usize]}),
    };
    let (decidable, group, rule, same, why) = match &bound.answer {
        Answer::Undecidable(group) => {
            let members: Vec<Value> = group.members.iter().map(|m| json!({
                "schedule": m.labels, "accepted": m.accepted, "in_flight": m.in_flight, "owed": m.owed,
            })).collect();
            let batches: Vec<Value> = group.failures.iter().map(|f| json!({
                "batch": labels(f.batch, bound), "member": f.member, "how": failure(f.how), "then": f.then,
            })).collect();
            let group = json!({
                "shows": shown(&group.shows), "members": members, "parts_at": group.parts_at, "batches": batches,
            });
            (Some(false), group, Value::Null, Value::Null, None)
        }
        Answer::Decidable { rule, same } => {
            let lines: Vec<Value> = rule
                .lines(&bound.payloads)
                .iter()
                .map(|line| json!({"shows": shown(&line.shows), "batch": line.batch}))
                .collect();
            (Some(true), Value::Null, json!(lines), json!(same), None)
        }
        Answer::Inconclusive(why) => (None, Value::Null, Value::Null, Value::Null, Some(why)),
    };
    let acceptance: Vec<Value> = bound
        .acceptance
        .iter()
        .map(|a| {
            json!({
                "sink": change_word(a.change), "supported": a.supported, "decidable": a.decidable,
            })
        })
        .collect();
    object(&json!({
        "schema": SCHEMA, "scenario": report.of.scenario, "twin": twin(&report.of.twin), "design": report.of.design,
        "reads": surfaces(bound.reads), "redrive": bound.redriven.name(), "earlier": bound.earlier.flag(),
        "states": bound.states, "complete": bound.complete, "decisions": bound.decisions, "sights": bound.groups,
        "decidable": decidable, "why": why, "group": group, "rule": rule, "same": same,
        "sufficient": bound.sufficient.iter().map(|set| surfaces(*set)).collect::<Vec<_>>(),
        "acceptance": acceptance,
    }))
}

/// One object for the four questions.
pub fn triage(report: &TriageReport) -> String {
    let replies: Vec<Value> = report.replies.iter().map(|(ask, reply)| {
        let (yes, run) = match reply {
            Reply::Yes(run) => (Some(true), Some(run)),
            Reply::No => (Some(false), None),
            Reply::NotKnown => (None, None),
        };
        json!({"ask": ask.name(), "yes": yes, "run": run, "obliges": yes.filter(|y| *y).map(|_| obliges(*ask))})
    }).collect();
    object(&json!({
        "schema": SCHEMA, "scenario": report.of.scenario, "twin": twin(&report.of.twin), "design": report.of.design,
        "triage": replies,
    }))
}

fn change_word(change: Change) -> &'static str {
    match change {
        Change::Redriven(redriven) => redriven.name(),
        Change::Dedup => "dedup_for_ever",
    }
}

fn labels(batch: u32, bound: &Bound) -> Vec<&str> {
    let sent = bound.payloads.iter().enumerate().filter(|(p, _)| batch >> p & 1 == 1);
    sent.map(|(_, label)| label.as_str()).collect()
}

fn object(value: &Value) -> String {
    format!("{value:#}\n")
}
