//! From a program as it is written to one that runs: sections laid one after the other, acts and batch rules resolved.

use super::error::CompileError;
use super::program::{Compiled, Kind, Op, Program, Rule, Scope};
use crate::model::program::{
    Act, BatchRule, Cadence, Else, Obligations, Policy, Producer, Stamps, Step, Surface, Surfaces,
};
use crate::model::scenario::Stage;
use crate::model::view::Rules;

pub(super) fn compile_producer(producer: &Producer, kind: Kind, stage: &Stage) -> Program {
    let mut steps = Vec::new();
    let mut interval = None;
    for (cadence, section) in &producer.sections {
        let compiled: Vec<(Vec<Op>, Else)> =
            section.iter().map(|s| (s.acts.iter().map(plain_op).collect(), s.otherwise)).collect();
        match cadence {
            Cadence::EachInterval(_) => {
                let acts = compiled.into_iter().flat_map(|(acts, _)| acts).collect();
                interval = Some(Compiled::new(acts, Else::Skip, Scope::Once, stage));
            }
            Cadence::EachEvent => {
                let scope =
                    Scope::Item { first: steps.len() as u16, end: (steps.len() + compiled.len()) as u16 };
                steps.extend(
                    compiled
                        .into_iter()
                        .map(|(acts, otherwise)| Compiled::new(acts, otherwise, scope, stage)),
                );
            }
            Cadence::EachBatch(n) if kind == Kind::Events => {
                let scope = Scope::Every(*n);
                steps.extend(
                    compiled
                        .into_iter()
                        .map(|(acts, otherwise)| Compiled::new(acts, otherwise, scope, stage)),
                );
            }
            Cadence::EachBatch(_) => group_items(&mut steps, compiled, stage),
        }
    }
    let last_send =
        steps.iter().rposition(|s| s.acts.iter().any(|op| matches!(op, Op::Send | Op::SendBatch)));
    Program {
        kind,
        steps,
        interval,
        last_send: last_send.map(|i| i as u16),
        retry: producer.retry.map_or(0, |r| r.times),
        stamps: Stamps::Own,
        compensates: false,
    }
}

/// In a relay's batch, neighbouring steps that work on one event at a time run for one event before the next.
fn group_items(steps: &mut Vec<Compiled>, section: Vec<(Vec<Op>, Else)>, stage: &Stage) {
    // The reply to a request is awaited once, not for each of its events.
    let mut is_request = false;
    let mut per_item: Vec<bool> = Vec::new();
    for (acts, _) in &section {
        if acts.iter().any(|op| matches!(op, Op::Send | Op::SendBatch)) {
            is_request = acts.contains(&Op::SendBatch);
        }
        per_item.push(acts.iter().any(|op| op.is_per_item() && !(is_request && *op == Op::AwaitAck)));
    }
    let base = steps.len();
    for (i, (acts, otherwise)) in section.into_iter().enumerate() {
        let scope = if per_item[i] {
            let first = per_item[..i].iter().rposition(|item| !item).map_or(0, |p| p + 1);
            let end = per_item[i..].iter().position(|item| !item).map_or(per_item.len(), |p| i + p);
            Scope::Item { first: (base + first) as u16, end: (base + end) as u16 }
        } else {
            Scope::Once
        };
        steps.push(Compiled::new(acts, otherwise, scope, stage));
    }
}

/// An act that needs no context to be resolved.
fn plain_op(act: &Act) -> Op {
    match act {
        Act::Commit => Op::Commit,
        Act::Enqueue => Op::Enqueue,
        Act::Fetch(n) => Op::Fetch(*n),
        Act::Send => Op::Send,
        Act::SendBatch => Op::SendBatch,
        Act::Snapshot(rows) => Op::Snapshot(*rows),
        Act::AwaitAck => Op::AwaitAck,
        Act::Persist => Op::Persist,
        Act::Discard => Op::Discard,
        Act::Read(surface) => Op::Read { surface: *surface, kept: true },
        Act::Arm(_) => Op::Arm { rule: Rule::Nothing, of: Obligations::History },
        Act::Heal => Op::Heal,
        Act::Recover => Op::Recover,
        Act::Fence(to) => Op::Fence(*to),
        Act::Fire(how) => Op::Fire(*how),
        Act::Release => Op::Release,
        Act::Resume => Op::Resume,
    }
}

pub(super) fn compile_policy(policy: &Policy, rules: &Rules, stage: &Stage) -> Result<Program, CompileError> {
    let mut read = Surfaces::NONE;
    let mut steps = Vec::new();
    for (at, step) in policy.steps.iter().enumerate() {
        let mut acts = Vec::new();
        for (i, act) in step.acts.iter().enumerate() {
            acts.push(match act {
                Act::Read(surface) => {
                    read = read.with(*surface);
                    Op::Read { surface: *surface, kept: is_kept(policy, at, i, *surface, rules) }
                }
                Act::Arm(rule) => resolve(rule, read, rules)?,
                other => plain_op(other),
            });
        }
        steps.push(Compiled::new(acts, step.otherwise, Scope::Once, stage));
    }
    Ok(Program {
        kind: Kind::Once,
        steps,
        interval: None,
        last_send: None,
        retry: 0,
        stamps: policy.stamps,
        compensates: policy.acts().any(|act| matches!(act, Act::Arm(BatchRule::Compensate(_)))),
    })
}

/// Whether what the read at (`step`, `act`) shows must be remembered: unless every `arm` that uses it stands in the
/// same step with nothing but reads between, where the world cannot have changed.
fn is_kept(policy: &Policy, step: usize, act: usize, surface: Surface, rules: &Rules) -> bool {
    let uses = |a: &Act| match a {
        Act::Arm(BatchRule::Custom(name)) => rules.find(name).is_some_and(|(_, r)| r.reads().has(surface)),
        Act::Arm(rule) => rule.needs().has(surface),
        _ => false,
    };
    let rest: Vec<(usize, &Act)> = policy
        .steps
        .iter()
        .enumerate()
        .flat_map(|(s, st): (usize, &Step)| st.acts.iter().enumerate().map(move |(a, act)| (s, a, act)))
        .filter(|(s, a, _)| (*s, *a) > (step, act))
        .map(|(s, _, act)| (s, act))
        .collect();
    let again = rest.iter().position(|(_, a)| **a == Act::Read(surface)).unwrap_or(rest.len());
    let mut undisturbed = true;
    for (s, a) in &rest[..again] {
        undisturbed &= *s == step;
        if uses(a) && !undisturbed {
            return true;
        }
        undisturbed &= matches!(a, Act::Read(_) | Act::Arm(_));
    }
    false
}

pub(crate) fn resolve(rule: &BatchRule, read: Surfaces, rules: &Rules) -> Result<Op, CompileError> {
    let (rule, of) = match rule {
        BatchRule::Nothing => (Rule::Nothing, Obligations::History),
        BatchRule::All(of) => (Rule::All, *of),
        BatchRule::PastCursor(of) => (Rule::PastCursor, *of),
        BatchRule::PastStoredCoordinate(of) => (Rule::PastStored, *of),
        BatchRule::Unacknowledged(of) => (Rule::Unacknowledged, *of),
        BatchRule::NotAccepted(of) => (Rule::NotAccepted, *of),
        BatchRule::NotHeld(of) => (Rule::NotHeld, *of),
        BatchRule::ValueDiffers(of) => (Rule::ValueDiffers, *of),
        BatchRule::KeyUnknown(of) => (Rule::KeyUnknown, *of),
        BatchRule::ContentUnknown(of) => (Rule::ContentUnknown, *of),
        BatchRule::NotSent(of) => (Rule::NotSent, *of),
        BatchRule::Latest(of) => (Rule::Latest, *of),
        BatchRule::Compensate(of) => (Rule::Compensate, *of),
        BatchRule::AnySuffix(of) => (Rule::AnySuffix, *of),
        BatchRule::Any => (Rule::Any, Obligations::History),
        BatchRule::Custom(name) => {
            let Some((index, custom)) = rules.find(name) else {
                return Err(CompileError::UnknownRule(name.clone()));
            };
            if let Some(missing) = custom.reads().iter().find(|s| !read.has(*s)) {
                return Err(CompileError::UnreadByRule { rule: name.clone(), missing });
            }
            (Rule::Custom(index as u16), Obligations::History)
        }
    };
    Ok(Op::Arm { rule, of })
}
