//! What messages can carry, and how that is numbered: events first, then requests of several, then what is no delivery.

use std::collections::{BTreeMap, BTreeSet};

use super::Machine;
use super::error::CompileError;
use super::nondelivery::{MOST_REQUESTS, NonDelivery};
use super::payload::PayloadInfo;
use super::program::{Op, Program, Scope};
use crate::model::action::Emission;
use crate::model::ids::{Coordinate, Generation, Payload};
use crate::model::program::Fire;
use crate::model::scenario::{BatchAcceptance, Frontier, Stage};
use crate::model::size::TooLarge;

impl Machine {
    /// The label of a payload; of a request of several, that of its first and its last.
    pub fn payload_label(&self, payload: Payload) -> String {
        if let Some(non_delivery) = self.non_delivery(payload) {
            return self.non_delivery_label(non_delivery);
        }
        let entries = self.entries(payload);
        let label = |p: u32| &self.stage.source.events[p as usize].label;
        if entries.len() == 1 {
            label(entries.start).clone()
        } else {
            format!("{}..{}", label(entries.start), label(entries.end - 1))
        }
    }

    /// How many different things a message can carry: an event, a request of several, or what is no delivery.
    pub fn messages(&self) -> u32 {
        (self.payloads.len() + self.requests.len()) as u32 + self.non_deliveries.len()
    }

    /// The events that a message carries; none where it is no delivery.
    #[inline]
    pub fn entries(&self, payload: Payload) -> std::ops::Range<u32> {
        match (payload.0 as usize).checked_sub(self.payloads.len()) {
            None => payload.0..payload.0 + 1,
            Some(request) => self.requests.get(request).map_or(0..0, |r| r.0..r.1),
        }
    }

    /// The payload of a message that carries these events, where there is one.
    #[inline]
    pub(crate) fn message_of(&self, entries: std::ops::Range<u32>) -> Option<Payload> {
        if entries.len() == 1 {
            return Some(Payload(entries.start));
        }
        let at = self.requests.iter().position(|r| (r.0, r.1) == (entries.start, entries.end))?;
        Some(Payload((self.payloads.len() + at) as u32))
    }

    /// The index of an emission on the wire.
    #[inline]
    pub(crate) fn emission_index(&self, e: Emission) -> u32 {
        let who = e.payload.0 * self.generations + u32::from(e.generation.0);
        let early = if self.can_be_early { who * 2 + u32::from(!e.justified) } else { who };
        early * self.senders() + u32::from(e.sender)
    }

    /// How many senders the sink can tell apart: processes, each with its attempts.
    #[inline(always)]
    pub(crate) fn senders(&self) -> u32 {
        self.processes * self.attempts
    }

    /// The process that sent a message, and its attempt, as the sink tells them apart.
    pub(crate) fn process_and_attempt(&self, e: Emission) -> (u32, u32) {
        let sender = u32::from(e.sender);
        (sender / self.attempts, sender % self.attempts)
    }

    /// The emission at an index.
    #[inline]
    pub(crate) fn emission_at(&self, index: u32) -> Emission {
        self.emissions[index as usize]
    }

    /// Every emission, in the order of [`Machine::emission_index`]: looking one up takes no division.
    pub(super) fn all_emissions(&self) -> Vec<Emission> {
        let justified: &[bool] = if self.can_be_early { &[true, false] } else { &[true] };
        let mut all = Vec::new();
        for payload in (0..self.messages()).map(Payload) {
            for generation in (0..self.generations).map(|g| Generation(g as u16)) {
                for &justified in justified {
                    let of = |sender| Emission { payload, generation, justified, sender: sender as u8 };
                    all.extend((0..self.senders()).map(of));
                }
            }
        }
        all
    }
}

impl Machine {
    fn first_non_delivery(&self) -> u32 {
        (self.payloads.len() + self.requests.len()) as u32
    }

    /// What a message carries that is no delivery.
    pub(crate) fn non_delivery(&self, payload: Payload) -> Option<NonDelivery> {
        self.non_deliveries.get(payload.0.checked_sub(self.first_non_delivery())?)
    }

    /// The message that tells a row; none where its key never has that value.
    pub(crate) fn row(&self, coordinate: Coordinate, key: u32, value: i64) -> Option<Payload> {
        let at = self.non_deliveries.row(coordinate, key, value)?;
        Some(Payload(self.first_non_delivery() + at))
    }

    /// The message that takes a delivery back.
    pub(crate) fn reversal(&self, event: u32) -> Payload {
        Payload(self.first_non_delivery() + self.non_deliveries.entries() + event)
    }

    pub(crate) fn non_delivery_label(&self, non_delivery: NonDelivery) -> String {
        let source = &self.stage.source;
        match non_delivery {
            NonDelivery::Row { coordinate, key, value } => {
                format!("{}={value} at {}", source.keys[key as usize], coordinate.0)
            }
            NonDelivery::Reversal(event) => format!("reversal of {}", source.events[event as usize].label),
        }
    }
}

pub(super) fn payload_infos(stage: &Stage) -> Vec<PayloadInfo> {
    let upto = |frontier: Frontier, coordinate: Coordinate| match frontier {
        Frontier::Last => true,
        Frontier::At(c) => coordinate <= c,
    };
    let (mut contents, mut identities, mut payloads) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let coordinates: BTreeSet<Coordinate> =
        stage.source.events.iter().map(|event| event.coordinate).collect();
    let ranks: BTreeMap<Coordinate, u32> = coordinates.into_iter().zip(1..).collect();
    stage
        .source
        .events
        .iter()
        .zip(0..)
        .map(|(event, i)| {
            let in_scope = stage.source.scope.get(event.key.0 as usize).copied().unwrap_or(true);
            PayloadInfo {
                coordinate: event.coordinate,
                rank: ranks[&event.coordinate],
                key: event.key.0,
                // Each is named by the first event that has it.
                content: *contents.entry((event.key, event.value)).or_insert(i),
                identity: *identities.entry(event.coordinate).or_insert(i),
                payload: *payloads.entry((event.coordinate, event.kind, event.key, event.value)).or_insert(i),
                in_scope,
                recovered: in_scope && upto(stage.recovery.frontier, event.coordinate),
                judged: in_scope && upto(stage.judge.frontier, event.coordinate),
                rejected: stage.sink.rejects.contains(&Payload(i)),
            }
        })
        .collect()
}

pub(super) fn highest_coordinates(stage: &Stage) -> Vec<Coordinate> {
    let running = stage.source.events.iter().scan(Coordinate(0), |highest, event| {
        *highest = (*highest).max(event.coordinate);
        Some(*highest)
    });
    std::iter::once(Coordinate(0)).chain(running).collect()
}

/// Every request of several events that some program can make.
pub(super) fn requests(stage: &Stage, programs: &[Program; 3]) -> Result<Vec<(u32, u32)>, CompileError> {
    let events = stage.source.events.len() as u32;
    let sends = |p: &Program| p.has(|op| *op == Op::SendBatch);
    let fetches = |p: &Program| {
        p.steps
            .iter()
            .flat_map(|s| &s.acts)
            .filter_map(|op| if let Op::Fetch(n) = op { Some(u32::from(*n)) } else { None })
            .max()
    };
    let rounds = |p: &Program| {
        p.steps
            .iter()
            .filter_map(|s| if let Scope::Every(n) = s.scope { Some(u32::from(n)) } else { None })
            .max()
    };
    let fires =
        stage.sink.batch == BatchAcceptance::AsOne && programs[2].has(|op| *op == Op::Fire(Fire::All));
    let longest = [
        if sends(&programs[0]) { rounds(&programs[0]) } else { None },
        if sends(&programs[1]) { fetches(&programs[1]) } else { None },
        fires.then_some(events),
    ];
    let longest = longest.into_iter().flatten().max().unwrap_or(0).min(events);
    let count = (2..=longest as usize).map(|len| events as usize + 1 - len).sum::<usize>();
    if count > MOST_REQUESTS {
        let most = MOST_REQUESTS;
        return Err(CompileError::TooLarge(TooLarge::Requests { events, longest, requests: count, most }));
    }
    Ok((2..=longest).flat_map(|len| (0..=events - len).map(move |low| (low, low + len))).collect())
}

pub(super) fn request_contents(stage: &Stage, requests: &[(u32, u32)]) -> Vec<u32> {
    let content = |(low, high): &(u32, u32)| -> Vec<(u32, Option<i64>)> {
        stage.source.events[*low as usize..*high as usize].iter().map(|e| (e.key.0, e.value)).collect()
    };
    let contents: Vec<_> = requests.iter().map(content).collect();
    let mut first = BTreeMap::new();
    contents.into_iter().enumerate().map(|(i, c)| *first.entry(c).or_insert(i as u32)).collect()
}
