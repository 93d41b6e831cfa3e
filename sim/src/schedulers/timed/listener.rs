//! What the clock listens for in a step, until it has acted on it.

use crate::engine::watch::Watch;
use crate::model::action::Emission;
use crate::model::ids::{Generation, Payload, Slot};

/// What the driver listens for; acted on after the step.
#[derive(Default)]
pub(super) struct Listener {
    pub sent: Vec<(Emission, Slot)>,
    pub copied: Vec<Emission>,
    pub replied: Vec<Payload>,
    pub remembered: Vec<u32>,
    pub prepared: Vec<Emission>,
    pub taken: u32,
    pub crashed: bool,
    pub started: Option<Slot>,
    pub resumed: bool,
}

impl Watch for Listener {
    fn sent(&mut self, e: Emission, by: Slot) {
        self.sent.push((e, by));
    }
    fn copied(&mut self, e: Emission) {
        self.copied.push(e);
    }
    fn replied(&mut self, p: Payload) {
        self.replied.push(p);
    }
    fn remembered(&mut self, key: u32) {
        self.remembered.push(key);
    }
    fn prepared(&mut self, e: Emission) {
        self.prepared.push(e);
    }
    fn accepted(&mut self, _e: Emission, _times: u32, _owed: bool) {
        self.taken += 1;
    }
    fn buffered(&mut self, _p: Payload) {
        self.taken += 1;
    }
    fn crashed(&mut self) {
        self.crashed = true;
    }
    fn started(&mut self, slot: Slot) {
        self.started = Some(slot);
    }
    fn resumed(&mut self, _g: Generation) {
        self.resumed = true;
    }
}

impl Listener {
    /// Whether nothing was heard since it was cleared.
    #[inline]
    pub(super) fn is_silent(&self) -> bool {
        let lists = self.sent.len() + self.copied.len() + self.replied.len();
        let more = self.remembered.len() + self.prepared.len();
        lists + more == 0 && self.taken == 0 && !self.crashed && self.started.is_none() && !self.resumed
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.sent.clear();
        self.copied.clear();
        self.replied.clear();
        self.remembered.clear();
        self.prepared.clear();
        self.taken = 0;
        self.crashed = false;
        self.started = None;
        self.resumed = false;
    }
}
