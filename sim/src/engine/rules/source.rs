//! The source's live log H and the journal J. Where no fault can part them and no event is skipped, both are a prefix
//! of the events and one number tells them; else each is a set.

use crate::engine::machine::Machine;
use crate::engine::watch::Watch;
use crate::engine::world::{Bits, BitsMut, World};
use crate::model::ids::Payload;
use crate::model::scenario::{Counted, Frontier};

impl Machine {
    /// Whether the journal holds an event.
    #[inline]
    pub(crate) fn in_journal<W: Bits>(&self, w: &World<W>, p: u32) -> bool {
        if self.f.journal.is_kept() { w.count(self.f.journal, p) > 0 } else { p < w.get(self.f.committed) }
    }

    /// Whether the journal holds an event's payload, by this commit or by another one of the same payload.
    #[inline]
    pub(crate) fn was_committed<W: Bits>(&self, w: &World<W>, p: u32) -> bool {
        if self.has_instances {
            self.instances(p).any(|q| self.in_journal(w, q))
        } else {
            self.in_journal(w, p)
        }
    }

    /// The events that commit the same payload as this one, itself among them.
    pub(crate) fn instances(&self, p: u32) -> impl Iterator<Item = u32> + '_ {
        let payload = self.payloads[p as usize].payload;
        (0..self.events()).filter(move |q| self.payloads[*q as usize].payload == payload)
    }

    /// Whether an event's obligation is met: its payload is on the record, or, where each instance counts, as often as
    /// this one and those before it were committed.
    pub(crate) fn is_fulfilled<W: Bits>(&self, w: &World<W>, p: u32) -> bool {
        let times = self.times_of_payload(w, Payload(p));
        times > 0 && (!self.counts_instances() || times > self.instances_before(w, p))
    }

    /// Whether the judge counts each commit of a payload, and one can be committed twice here.
    #[inline(always)]
    pub(crate) fn counts_instances(&self) -> bool {
        self.has_instances && self.stage.judge.count == Counted::Instance
    }

    /// How many of the committed instances of a payload come before this event.
    fn instances_before<W: Bits>(&self, w: &World<W>, p: u32) -> u32 {
        self.instances(p).filter(|q| *q < p && self.in_journal(w, *q)).count() as u32
    }

    /// How many committed instances a payload has.
    pub(super) fn committed_instances<W: Bits>(&self, w: &World<W>, p: u32) -> u32 {
        self.instances(p).filter(|q| self.in_journal(w, *q)).count() as u32
    }

    /// Whether all that is committed, up to which recovery acts, lies within the run.
    pub(super) fn is_within_the_run<W: Bits>(&self, w: &World<W>) -> bool {
        !self.outruns_its_end || self.highest[self.log_end(w) as usize] <= self.stage.source.fin
    }

    /// Whether the live log holds an event, dropped by retention or not.
    #[inline]
    pub(crate) fn in_log<W: Bits>(&self, w: &World<W>, p: u32) -> bool {
        if self.f.live.is_kept() { w.count(self.f.live, p) > 0 } else { p < w.get(self.f.committed) }
    }

    /// Whether a recoverer can still replay an event from the live log.
    pub(crate) fn is_retained<W: Bits>(&self, w: &World<W>, p: u32) -> bool {
        let floor = w.get(self.f.floor);
        self.in_log(w, p) && (floor == 0 || self.log_place(w, p) >= floor)
    }

    /// How many entries of the live log stand before an event.
    pub(crate) fn log_place<W: Bits>(&self, w: &World<W>, p: u32) -> u32 {
        if self.f.live.is_kept() { (0..p).filter(|q| self.in_log(w, *q)).count() as u32 } else { p }
    }

    /// How many entries the live log has.
    pub(crate) fn log_length<W: Bits>(&self, w: &World<W>) -> u32 {
        if self.f.live.is_kept() { w.distinct(self.f.live) } else { w.get(self.f.committed) }
    }

    /// How many entries the journal has.
    pub(crate) fn journal_length<W: Bits>(&self, w: &World<W>) -> u32 {
        if self.f.journal.is_kept() { w.get(self.f.journal_length) } else { w.get(self.f.committed) }
    }

    /// One more than the newest event in the live log: where the source goes on.
    #[inline]
    pub(crate) fn log_end<W: Bits>(&self, w: &World<W>) -> u32 {
        if self.f.live.is_kept() {
            (0..self.events()).rev().find(|p| self.in_log(w, *p)).map_or(0, |p| p + 1)
        } else {
            w.get(self.f.committed)
        }
    }

    /// One more than the newest event in the journal.
    pub(crate) fn journal_end<W: Bits>(&self, w: &World<W>) -> u32 {
        if self.f.journal.is_kept() {
            (0..self.events()).rev().find(|p| self.in_journal(w, *p)).map_or(0, |p| p + 1)
        } else {
            w.get(self.f.committed)
        }
    }

    /// Appends an event to the log and the journal. One that the log holds already was committed by an incarnation
    /// that only seemed gone.
    pub(super) fn commit<W: BitsMut, O: Watch>(&self, w: &mut World<W>, p: u32, watch: &mut O) {
        if self.in_log(w, p) {
            return;
        }
        let anew = !self.in_journal(w, p);
        w.set(self.f.committed, p + 1);
        w.put(self.f.journal, p, w.count(self.f.journal, p) + 1);
        w.put(self.f.live, p, 1);
        w.add(self.f.journal_length, 1);
        if anew && self.payloads[p as usize].judged && !self.is_fulfilled(w, p) {
            w.add(self.f.owed, 1);
        }
        watch.committed(Payload(p));
    }

    /// One more than the newest event at or below the recovery frontier, of those that the live log holds.
    pub(crate) fn frontier_end<W: Bits>(&self, w: &World<W>) -> u32 {
        let end = self.log_end(w);
        match self.stage.recovery.frontier {
            Frontier::Last => end,
            Frontier::At(c) => {
                (0..end).rev().find(|p| self.payloads[*p as usize].coordinate <= c).map_or(0, |p| p + 1)
            }
        }
    }
}
