//! What a step changed, told to whoever asked. The explorer asks nothing, a campaign counts, a replay writes down.

use crate::action::Emission;
use crate::ids::{Generation, Payload, Slot};
use crate::program::Surface;

/// Hears what a step changes. Every method does nothing by default, so that a watcher that does not care costs
/// nothing.
pub trait Watch {
    /// An event is now on the committed log.
    #[inline(always)]
    fn committed(&mut self, _payload: Payload) {}
    /// A payload is now in the outbox.
    #[inline(always)]
    fn enqueued(&mut self, _payload: Payload) {}
    /// A relay fetched so many rows.
    #[inline(always)]
    fn fetched(&mut self, _rows: u32) {}
    /// A message went onto the wire.
    #[inline(always)]
    fn sent(&mut self, _emission: Emission, _by: Slot) {}
    /// A recoverer's own send landed on the sink at once.
    #[inline(always)]
    fn landed(&mut self, _emission: Emission, _by: Slot) {}
    /// The transport made a second copy.
    #[inline(always)]
    fn copied(&mut self, _emission: Emission) {}
    /// The sink accepted a message; the payload is now on the record so many times. `owed`: an obligation was met.
    #[inline(always)]
    fn accepted(&mut self, _emission: Emission, _times: u32, _owed: bool) {}
    /// The sink acknowledged a message that it did not persist yet.
    #[inline(always)]
    fn buffered(&mut self, _payload: Payload) {}
    /// The sink accepted a message provisionally.
    #[inline(always)]
    fn prepared(&mut self, _emission: Emission) {}
    /// The fence refused a message; `rescue` if its payload was not on the record.
    #[inline(always)]
    fn dropped(&mut self, _emission: Emission, _rescue: bool) {}
    /// The sink refuses this payload for ever.
    #[inline(always)]
    fn rejected(&mut self, _emission: Emission) {}
    /// The dedup memory took a message for one that it knows.
    #[inline(always)]
    fn absorbed(&mut self, _emission: Emission) {}
    /// A message is gone.
    #[inline(always)]
    fn lost(&mut self, _payload: Payload) {}
    /// The sender heard a reply.
    #[inline(always)]
    fn acknowledged(&mut self, _payload: Payload) {}
    /// A reply is gone.
    #[inline(always)]
    fn reply_lost(&mut self, _payload: Payload) {}
    /// The durable cursor stands at this count of events.
    #[inline(always)]
    fn cursor(&mut self, _events: u32) {}
    /// A recoverer read a surface.
    #[inline(always)]
    fn read(&mut self, _surface: Surface, _by: Slot) {}
    /// A recoverer armed a batch; it is in the state.
    #[inline(always)]
    fn armed(&mut self, _by: Slot) {}
    /// The contents were reconciled to the committed image.
    #[inline(always)]
    fn healed(&mut self) {}
    /// The fence stands at this generation.
    #[inline(always)]
    fn fenced(&mut self, _at: u32) {}
    /// The delivering process crashed.
    #[inline(always)]
    fn crashed(&mut self) {}
    /// A recoverer started.
    #[inline(always)]
    fn started(&mut self, _slot: Slot) {}
    /// The run goes on in this generation.
    #[inline(always)]
    fn resumed(&mut self, _generation: Generation) {}
    /// An act that was not enabled was skipped, or ended its incarnation.
    #[inline(always)]
    fn gave_way(&mut self, _slot: Slot, _stopped: bool) {}
    /// The dedup memory forgot a key, a preparation expired, the floor rose, the sink crashed.
    #[inline(always)]
    fn noted(&mut self, _what: Note) {}
}

/// Rare changes that need no method of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Note {
    /// The dedup memory forgot its oldest key.
    Forgot,
    /// A preparation expired.
    Expired(Payload),
    /// The retention floor stands at this many dropped entries.
    Floor(u32),
    /// The sink crashed.
    SinkCrashed,
}

/// Hears nothing.
impl Watch for () {}
