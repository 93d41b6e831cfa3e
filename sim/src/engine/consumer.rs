//! The record as a consumer behind the sink would process it, who remembers what came before and absorbs what comes again.
//! It is a view over the record, not a gate before it: the record holds every entry.

use crate::engine::machine::Machine;
use crate::engine::world::{Bits, World};
use crate::model::action::Emission;
use crate::model::claim::Remembers;
use crate::model::ids::Payload;
use crate::model::verdict::Verdict;

impl Remembers {
    /// How often a payload is new to it.
    pub(crate) fn processes<W: Bits>(self, machine: &Machine, w: &World<W>, p: Payload) -> u32 {
        let Remembers::Last(entries) = self else {
            return machine.times_of_payload(w, p).min(1);
        };
        let received: Vec<Payload> = machine.in_order(w).map(|e| machine.payload_of(e.payload)).collect();
        let is_new = |at: usize| !received[at.saturating_sub(entries as usize)..at].contains(&received[at]);
        let payload = machine.payload_of(p);
        (0..received.len()).filter(|at| received[*at] == payload && is_new(*at)).count() as u32
    }

    /// Whether each obligation is new to it once, and nothing more often.
    pub(crate) fn processes_each_once<W: Bits>(self, machine: &Machine, w: &World<W>) -> bool {
        let times = |p: u32| self.processes(machine, w, Payload(p));
        let is_owed = |p: u32| machine.payloads[p as usize].judged && machine.in_journal(w, p);
        (0..machine.events()).all(|p| if is_owed(p) { times(p) == 1 } else { times(p) < 2 })
    }
}

/// Whether entries of one payload lie at most so far apart on the record: what a memory of so many entries bridges.
pub(crate) fn copies_within<W: Bits>(machine: &Machine, w: &World<W>, most: u32) -> bool {
    let received: Vec<Payload> = machine.in_order(w).map(|e| machine.payload_of(e.payload)).collect();
    let far = |(at, p): (usize, &Payload)| {
        received[..at].iter().position(|before| before == p).is_some_and(|first| at - first > most as usize)
    };
    !received.iter().enumerate().any(far)
}

impl Machine {
    /// The record in order, where it is kept so.
    pub(crate) fn in_order<'a, W: Bits>(&'a self, w: &'a World<W>) -> impl Iterator<Item = Emission> + 'a {
        let order = self.f.order;
        (0..w.seq_len(order)).map(move |at| self.emission_at(w.seq_get(order, at)))
    }

    /// The event that stands for all that commit the same payload.
    fn payload_of(&self, p: Payload) -> Payload {
        Payload(self.payloads[p.0 as usize].payload)
    }

    /// How often the journal holds a payload.
    pub(crate) fn times_committed<W: Bits>(&self, w: &World<W>, p: Payload) -> u32 {
        let times = |q: u32| match self.f.journal.is_kept() {
            true => w.count(self.f.journal, q),
            false => u32::from(self.in_journal(w, q)),
        };
        self.instances(p.0).map(times).sum()
    }

    /// Whether the record holds each payload as often as it was committed, of those that are judged.
    pub(crate) fn is_exact_per_instance<W: Bits>(&self, w: &World<W>) -> bool {
        let judged = (0..self.events()).map(Payload).filter(|p| self.payloads[p.0 as usize].judged);
        !self.hazards(w).has(Verdict::Premature) && { judged }
            .all(|p| self.times_of_payload(w, p) == self.times_committed(w, p))
    }

    /// Whether what the sink shows of its record lacks an obligation that it accepted.
    pub(crate) fn record_hides<W: Bits>(&self, w: &World<W>) -> bool {
        use crate::model::program::Surface::AcceptedRecord;
        (0..self.events()).any(|p| {
            self.payloads[p as usize].recovered
                && self.in_log(w, p)
                && self.is_delivered(w, p)
                && !self.shows_now(w, AcceptedRecord, p)
        })
    }
}
