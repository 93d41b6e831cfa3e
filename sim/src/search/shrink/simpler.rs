//! Stages that are a little simpler than a stage: an event, a fault, a bound, a recoverer or a setting of the clock
//! less. What a design is made of (its programs, its sink) stays.

use std::ops::Range;

use crate::model::ids::{Coordinate, Key, Payload};
use crate::model::ratio::Ratio;
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
    offer(&|s| s.faults.crash = None);
    offer(&|s| s.faults.truncation = None);
    offer(&|s| s.faults.recoverer_dies = None);
    offer(&|s| s.faults.sink_crash = None);
    offer(&|s| s.faults.cursor = None);
    offer(&|s| s.source.retention = None);
    offer(&|s| s.wire.loss = None);
    offer(&|s| s.wire.copies = None);
    offer(&|s| s.wire.reply.loss = None);
    offer(&|s| with_recoverers(s, s.recovery.recoverers.saturating_sub(1).max(1)));
    offer(&|s| s.recovery.attempts = u16::from(s.recovery.recoverers).max(4));
    offer(&|s| s.source.fin = earliest_end(s));
    offer(&|s| {
        if let Some(crash) = &mut s.faults.crash {
            crash.times = (crash.times - 1).max(1);
        }
    });
    type StrikeOf = fn(&mut Faults) -> &mut Option<Strike>;
    let strikes: [StrikeOf; 3] = [|f| &mut f.truncation, |f| &mut f.recoverer_dies, |f| &mut f.sink_crash];
    for strike in strikes {
        offer(&|s| {
            if let Some(strike) = strike(&mut s.faults) {
                strike.times = (strike.times - 1).max(1);
            }
        });
    }
    type ChanceOf = fn(&mut Wire) -> &mut Option<Chance>;
    let chances: [ChanceOf; 3] = [|w| &mut w.loss, |w| &mut w.copies, |w| &mut w.reply.loss];
    for chance in chances {
        offer(&|s| {
            if let Some(chance) = chance(&mut s.wire) {
                chance.times = Some(chance.times.map_or(1, |times| times.saturating_sub(1).max(1)));
            }
        });
    }
    all
}

fn with_recoverers(stage: &mut Stage, recoverers: u8) {
    stage.recovery.recoverers = recoverers;
    if recoverers < 2 {
        stage.recovery.lease = None;
    }
}

/// Times and chances as a file means them that says nothing: a schedule has no clock.
fn on_the_usual_clock(stage: &mut Stage) {
    let usual = Ratio::new(9, 10).unwrap_or(Ratio::ALWAYS);
    stage.source.every = Delay::Constant(10_000);
    stage.source.act = Delay::Constant(1_000);
    stage.source.outages.clear();
    stage.wire.latency = Delay::Uniform(1_000, 20_000);
    stage.wire.reply.latency = stage.wire.latency;
    stage.wire.straggler = None;
    stage.wire.outages.clear();
    stage.sink.outages.clear();
    stage.recovery.detect = Delay::Constant(5_000_000);
    stage.recovery.act = Delay::Constant(1_000);
    stage.recovery.lease = None;
    if let Some(crash) = &mut stage.faults.crash {
        crash.chance = usual;
        crash.pause = Delay::Exponential(30_000_000);
    }
    let faults = &mut stage.faults;
    for strike in
        [&mut faults.truncation, &mut faults.recoverer_dies, &mut faults.sink_crash].into_iter().flatten()
    {
        strike.chance = usual;
    }
}
