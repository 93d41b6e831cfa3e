//! What a run cost: counted while it runs.

use crate::engine::faults::fault_of;
use crate::engine::watch::Watch;
use crate::model::action::{Action, Emission};
use crate::model::ids::{Generation, Payload, Slot, Tick};
use crate::model::program::Surface;
use crate::model::scenario::{Fault, Injected};

/// Counts of one run. Reset between runs; nothing is allocated in the steady state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Costs {
    now: Option<Tick>,
    /// Whether what happens now is a crash: what it takes off the wire is not in flight any more.
    crashing: bool,
    pub(crate) first_crash: Option<Tick>,
    pub(crate) repaired: Option<Tick>,
    /// Payloads sent before, a bit each.
    sent_before: Vec<u64>,
    in_flight: u32,
    pub(crate) crashes: u64,
    pub(crate) in_flight_at_crash: bool,
    pub(crate) sends: u64,
    pub(crate) resends: u64,
    pub(crate) rescues_dropped: u64,
    pub(crate) absorbed: u64,
    pub(crate) lost: u64,
    pub(crate) reads: u64,
    /// How often each fault struck, but for crashes with something in flight.
    pub(crate) struck: [u64; Fault::ALL.len()],
    generation: Generation,
    /// The first place of the incarnation table that a recoverer took; another one is taken only beside it.
    first_recoverer: Option<Slot>,
}

impl Costs {
    /// For runs over so many events.
    pub fn new(events: u32) -> Costs {
        Costs { sent_before: vec![0; events.div_ceil(64) as usize], ..Costs::default() }
    }

    /// Forgets the run before.
    #[inline]
    pub fn clear(&mut self) {
        let mut sent_before = std::mem::take(&mut self.sent_before);
        sent_before.fill(0);
        *self = Costs { sent_before, ..Costs::default() };
    }

    fn send(&mut self, p: Payload) {
        self.sends += 1;
        let (word, bit) = ((p.0 / 64) as usize, 1 << (p.0 % 64));
        self.resends += u64::from(self.sent_before[word] & bit != 0);
        self.sent_before[word] |= bit;
    }
}

impl Watch for Costs {
    #[inline]
    fn about_to(&mut self, action: Action, at: Option<Tick>) {
        self.now = at;
        self.crashing = matches!(action, Action::Crash(_) | Action::Fault(Injected::Truncate(_)));
        if let Action::Arrive(e) | Action::Lose(e) = action {
            self.in_flight -= 1;
            let late = e.generation < self.generation && matches!(action, Action::Arrive(_));
            self.struck[Fault::LateArrival as usize] += u64::from(late);
        }
        if let Some(fault) = fault_of(action) {
            self.struck[fault as usize] += 1;
        }
    }
    #[inline]
    fn sent(&mut self, _e: Emission, _by: Slot) {
        self.in_flight += 1;
    }
    #[inline]
    fn carries(&mut self, p: Payload) {
        self.send(p);
    }
    #[inline]
    fn copied(&mut self, _e: Emission) {
        self.in_flight += 1;
    }
    #[inline]
    fn accepted(&mut self, _e: Emission, _times: u32, owed: bool) {
        if owed && self.first_crash.is_some() {
            self.repaired = self.now;
        }
    }
    #[inline]
    fn dropped(&mut self, _e: Emission, rescue: bool) {
        self.rescues_dropped += u64::from(rescue);
    }
    #[inline]
    fn absorbed(&mut self, _e: Emission) {
        self.absorbed += 1;
    }
    #[inline]
    fn lost(&mut self, _p: Payload) {
        self.lost += 1;
        if self.crashing {
            self.in_flight -= 1;
        }
    }
    #[inline]
    fn read(&mut self, surface: Surface, _by: Slot, _number: u32) {
        self.reads += u64::from(surface.is_the_sinks());
    }
    #[inline]
    fn crashed(&mut self) {
        self.crashes += 1;
        self.in_flight_at_crash |= self.in_flight > 0;
        if self.first_crash.is_none() {
            self.first_crash = self.now;
        }
    }
    #[inline]
    fn started(&mut self, slot: Slot) {
        let first = *self.first_recoverer.get_or_insert(slot);
        self.struck[Fault::SecondRecoverer as usize] += u64::from(slot > first);
    }
    #[inline]
    fn resumed(&mut self, generation: Generation) {
        self.generation = generation;
    }
}
