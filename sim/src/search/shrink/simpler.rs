//! Stages that are a little simpler than a stage: an event, a fault, a bound, a recoverer or a setting of the clock
//! less. What a design is made of (its programs, its sink) stays.

use std::ops::Range;

use crate::engine::faults::{Spec, spec};
use crate::model::ids::{Coordinate, Key, Payload};
use crate::model::scenario::*;

/// The stage without some of its events; none where nothing would be left.
pub fn without_events(stage: &Stage, gone: Range<usize>) -> Option<Stage> {
    let mut smaller = stage.clone();
    let source = &mut smaller.source;
    source.events.drain(gone.clone());
    if source.events.is_empty() {
        return None;
    }
    // Keys are numbered in the order in which events name them.
    let mut kept: Vec<Key> = Vec::new();
    for event in &mut source.events {
        let place = kept.iter().position(|key| *key == event.key).unwrap_or_else(|| {
            kept.push(event.key);
            kept.len() - 1
        });
        event.key = Key(u32::try_from(place).unwrap_or(u32::MAX));
    }
    let unset = (0..).zip(&stage.source.base).filter(|(key, base)| {
        base.is_some() && stage.source.events.iter().all(|event| event.key != Key(*key))
    });
    kept.extend(unset.map(|(key, _)| Key(key)));
    source.base = kept.iter().map(|key| stage.source.base[key.0 as usize]).collect();
    source.keys = kept.iter().map(|key| stage.source.keys[key.0 as usize].clone()).collect();
    source.scope = kept.iter().map(|key| stage.source.scope[key.0 as usize]).collect();
    let events = u32::try_from(source.events.len()).unwrap_or(u32::MAX);
    source.retention = source.retention.map(|r| Retention { drops: r.drops.min(events), ..r });
    let (start, end) = (gone.start as u32, gone.end as u32);
    let before = |n: u32| n - n.min(end) + n.min(start);
    smaller.start.committed = before(stage.start.committed);
    smaller.start.delivered = before(stage.start.delivered);
    let still_there = smaller.sink.rejects.iter().filter(|p| !(start..end).contains(&p.0));
    smaller.sink.rejects =
        still_there.map(|p| if p.0 < end { *p } else { Payload(p.0 - (end - start)) }).collect();
    smaller.source.fin = earliest_end(&smaller);
    Some(smaller)
}

/// The end of the run at the last event, or at a frontier that a section names past it.
fn earliest_end(stage: &Stage) -> Coordinate {
    let frontiers = [stage.recovery.frontier, stage.judge.frontier];
    let named = frontiers.into_iter().filter_map(|f| if let Frontier::At(c) = f { Some(c) } else { None });
    named.chain(stage.source.events.iter().map(|e| e.coordinate)).max().unwrap_or_default()
}

/// The stages that are one thing simpler, the greatest simplifications first.
pub fn simpler(stage: &Stage) -> Vec<Stage> {
    let mut all = Vec::new();
    let mut offer = |change: &dyn Fn(&mut Stage)| {
        let mut simpler = stage.clone();
        change(&mut simpler);
        if simpler != *stage {
            all.push(simpler);
        }
    };
    offer(&on_the_usual_clock);
    let faults: [&Spec; Fault::ALL.len()] = Fault::ALL.map(spec);
    faults.iter().for_each(|fault| offer(&fault.switch_off));
    offer(&|s| s.recovery.attempts = u16::from(s.recovery.recoverers).max(4));
    offer(&|s| s.source.fin = earliest_end(s));
    faults.iter().for_each(|fault| offer(&fault.once_less));
    all
}

/// Times and chances as a file means them that says nothing: a schedule has no clock.
fn on_the_usual_clock(stage: &mut Stage) {
    stage.source.every = Delay::Constant(10_000);
    stage.source.act = Delay::Constant(1_000);
    stage.wire.latency = Delay::Uniform(1_000, 20_000);
    stage.wire.reply.latency = stage.wire.latency;
    stage.recovery.detect = Delay::Constant(5_000_000);
    stage.recovery.act = Delay::Constant(1_000);
    Fault::ALL.into_iter().for_each(|fault| (spec(fault).usual_clock)(stage));
}
