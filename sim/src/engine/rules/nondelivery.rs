//! Snapshots and reversals: entries of the record that are no deliveries.

use crate::engine::machine::Machine;
use crate::engine::machine::NonDelivery;
use crate::engine::watch::Watch;
use crate::engine::world::{AnyStateMut, Bits, World};
use crate::model::action::Emission;
use crate::model::claim::Count;
use crate::model::ids::{Coordinate, Generation, Slot};
use crate::model::program::{Rows, Stamps};
use crate::model::scenario::{Advance, Writes};
use crate::model::verdict::Verdict;

impl Machine {
    /// Sends what each key was at the coordinate of the event at hand, as far as the rows that are read know it. A key
    /// that is not there has no row.
    pub(super) fn snapshot(
        &self,
        w: &mut AnyStateMut<'_>,
        slot: Slot,
        rows: Rows,
        mut watch: &mut dyn Watch,
    ) {
        let at = self.payloads[w.get(self.slot(slot).item) as usize].coordinate;
        let newest = self.log_end(w).checked_sub(1);
        for key in 0..self.stage.source.keys.len() as u32 {
            let read = match rows {
                Rows::AtEvent => self.image(key, at, |p| self.in_log(w, p)),
                Rows::Replica => self.image(key, at, |p| self.in_log(w, p) && Some(p) != newest),
                Rows::Now => self.image(key, Coordinate(u32::MAX), |p| self.in_log(w, p)),
            };
            let Some(payload) = read.and_then(|value| self.row(at, key, value)) else { continue };
            let e = Emission {
                payload,
                generation: Generation(self.generation_of(w, slot) as u16),
                justified: self.image(key, at, |p| self.in_journal(w, p)) == read,
                sender: self.sender(w, slot, 0),
            };
            if self.stage.sink.contents_advance == Advance::Send {
                self.write_row(w, e);
            }
            self.put_out(w, slot, e, &mut watch);
        }
    }

    /// What a log makes of a key up to a coordinate: the value that its latest event there sets, else what was there
    /// before any event.
    fn image(&self, key: u32, upto: Coordinate, is_there: impl Fn(u32) -> bool) -> Option<i64> {
        let latest = (0..self.events())
            .filter(|p| {
                self.payloads[*p as usize].key == key && self.payloads[*p as usize].coordinate <= upto
            })
            .filter(|p| is_there(*p))
            .last();
        let source = &self.stage.source;
        latest.map_or(source.base[key as usize], |p| source.events[p as usize].value)
    }

    /// A row is held as the event that set it: the newest up to its coordinate, or else one after it. What no event set
    /// was there before any.
    fn write_row(&self, w: &mut AnyStateMut<'_>, e: Emission) {
        let Some(NonDelivery::Row { coordinate, key, value }) = self.non_delivery(e.payload) else { return };
        let source = &self.stage.source;
        let sets = |p: &u32| {
            self.payloads[*p as usize].key == key && source.events[*p as usize].value == Some(value)
        };
        let upto = |p: &u32| self.payloads[*p as usize].coordinate <= coordinate;
        let event = (0..self.events()).rev().filter(upto).find(sets);
        if let Some(p) = event {
            self.write_contents(w, p);
        } else if source.base[key as usize] == Some(value) {
            if self.stage.sink.writes == Writes::Register {
                (0..self.events())
                    .filter(|p| self.payloads[*p as usize].key == key)
                    .for_each(|p| w.put(self.f.held, p, 0));
            }
        } else if let Some(p) = (0..self.events()).find(sets) {
            self.write_contents(w, p);
        }
    }

    /// Takes back the deliveries of everything in a batch, newest first.
    pub(super) fn take_back(
        &self,
        w: &mut AnyStateMut<'_>,
        slot: Slot,
        stamps: Stamps,
        mut watch: &mut dyn Watch,
    ) {
        let generation = self.stamp_of(w, slot, stamps);
        for p in (0..self.events()).rev() {
            if w.count(self.slot(slot).batch, p) == 0 {
                continue;
            }
            let e = Emission {
                payload: self.reversal(p),
                generation: Generation(generation as u16),
                justified: false,
                sender: self.sender(w, slot, 0),
            };
            watch.landed(e, slot);
            if self.is_gated(w, stamps, generation) {
                self.refuse(w, e, &mut watch);
            } else {
                self.enter(w, e, watch);
            }
        }
    }

    /// The record takes an entry that is no delivery. It has no identity that a dedup memory could know, and is durable
    /// at once.
    pub(super) fn enter(&self, w: &mut AnyStateMut<'_>, e: Emission, watch: &mut dyn Watch) {
        if !e.justified {
            w.set(self.f.hazards[Verdict::Premature as usize], 1);
        }
        if let Some(NonDelivery::Reversal(p)) = self.non_delivery(e.payload) {
            w.put(self.f.reversed, p, w.count(self.f.reversed, p) + 1);
            w.put(self.f.matched, p, w.count(self.f.matched, p).saturating_sub(1));
        } else if self.stage.sink.contents_advance == Advance::Acceptance {
            self.write_row(w, e);
        }
        watch.entered(e);
    }

    /// Whether each obligation at the judge's frontier counts once, and what is none at most so often.
    pub(crate) fn is_exact_by<W: Bits>(&self, w: &World<W>, count: Count) -> bool {
        (0..self.events()).all(|p| {
            let delivered = i64::from(w.count(self.f.accepted, p));
            let net = delivered - i64::from(w.count(self.f.reversed, p));
            let counted = match count {
                Count::MatchedCancellation if self.f.matched.is_kept() => {
                    i64::from(w.count(self.f.matched, p))
                }
                Count::MatchedCancellation => delivered,
                Count::SignedNet => net,
                Count::Truncated => net.max(0),
            };
            match (self.in_journal(w, p), self.payloads[p as usize].judged) {
                (true, true) => counted == 1,
                (true, false) => (0..=1).contains(&counted),
                (false, _) => counted == 0,
            }
        })
    }
}
