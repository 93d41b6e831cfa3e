//! What a step changed, told to whoever asked. The explorer asks nothing, a campaign counts, a replay writes down.

use crate::model::action::{Action, Emission};
use crate::model::ids::{Generation, Payload, Slot, Tick};
use crate::model::program::Surface;

/// Declares the trait, that two watchers are one, and how to write down what was heard, from one list of what can be.
macro_rules! watch {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),*);)*) => {
        /// Hears what a step changes. Every method does nothing by default, so that a watcher that does not care
        /// costs nothing.
        pub trait Watch {
            /// Whether it wants to hear what each read showed, which takes a look at every payload.
            #[inline(always)]
            fn is_curious(&self) -> bool {
                false
            }
            $($(#[$doc])* #[inline(always)] fn $name(&mut self, $($arg: $type),*) { $(let _ = $arg;)* })*
        }

        impl<A: Watch, B: Watch> Watch for (&mut A, &mut B) {
            #[inline(always)]
            fn is_curious(&self) -> bool {
                self.0.is_curious() || self.1.is_curious()
            }
            $(#[inline(always)] fn $name(&mut self, $($arg: $type),*) { self.0.$name($($arg),*); self.1.$name($($arg),*); })*
        }

        /// Whoever it is: for rules that are compiled once.
        impl Watch for &mut (dyn Watch + '_) {
            fn is_curious(&self) -> bool {
                (**self).is_curious()
            }
            $(fn $name(&mut self, $($arg: $type),*) { (**self).$name($($arg),*); })*
        }

        /// What a watcher heard, to be told again; each has the name of the method that hears it.
        #[allow(non_camel_case_types, reason = "they are the methods of the list")]
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub(crate) enum Heard {
            $($name($($type),*),)*
        }

        impl Heard {
            /// Tells a watcher what was heard.
            #[inline(always)]
            pub(crate) fn tell(self, watch: &mut impl Watch) {
                match self { $(Heard::$name($($arg),*) => watch.$name($($arg),*),)* }
            }
        }

        /// Writes down what it hears.
        impl Watch for Vec<Heard> {
            $(fn $name(&mut self, $($arg: $type),*) { self.push(Heard::$name($($arg),*)); })*
        }
    };
}

watch! {
    /// A driver is about to do this action, at this virtual time in a timed run.
    fn about_to(action: Action, at: Option<Tick>);
    /// An event is now on the committed log.
    fn committed(payload: Payload);
    /// A payload is now in the outbox.
    fn enqueued(payload: Payload);
    /// A relay fetched so many rows.
    fn fetched(rows: u32);
    /// A message went onto the wire.
    fn sent(emission: Emission, by: Slot);
    /// A message that went out carries this event.
    fn carries(payload: Payload);
    /// A recoverer's own send landed on the sink at once.
    fn landed(emission: Emission, by: Slot);
    /// The transport made a second copy.
    fn copied(emission: Emission);
    /// The sink accepted a message; the payload is now on the record so many times. `owed`: an obligation was met.
    fn accepted(emission: Emission, times: u32, owed: bool);
    /// The record took an entry that is no delivery: of a snapshot, or one that takes a delivery back.
    fn entered(emission: Emission);
    /// The sink acknowledged a message that it did not persist yet.
    fn buffered(payload: Payload);
    /// The sink accepted a message provisionally.
    fn prepared(emission: Emission);
    /// The fence refused a message; `rescue` if its payload was not on the record.
    fn dropped(emission: Emission, rescue: bool);
    /// The sink refuses this payload for ever.
    fn rejected(emission: Emission);
    /// The dedup memory took a message for one that it knows.
    fn absorbed(emission: Emission);
    /// The dedup memory remembers this key from now on; its age, if it has one, starts here.
    fn remembered(key: u32);
    /// A message is gone.
    fn lost(payload: Payload);
    /// The sender heard a reply.
    fn acknowledged(payload: Payload);
    /// A reply is gone.
    fn reply_lost(payload: Payload);
    /// A reply is on its way to the sender.
    fn replied(payload: Payload);
    /// The durable cursor stands at this count of events.
    fn cursor(events: u32);
    /// A recoverer read a surface; for one that shows a number, or how far a log goes, what it showed.
    fn read(surface: Surface, by: Slot, number: u32);
    /// The read showed this payload.
    fn shown(payload: Payload);
    /// A recoverer armed a batch.
    fn armed(by: Slot);
    /// The batch holds this payload.
    fn arms(payload: Payload);
    /// The contents were reconciled to the committed image.
    fn healed();
    /// The fence stands at this generation.
    fn fenced(at: u32);
    /// The delivering process crashed.
    fn crashed();
    /// A recoverer started.
    fn started(slot: Slot);
    /// The run goes on in this generation.
    fn resumed(generation: Generation);
    /// A step that was not enabled, or of which an act was refused, was skipped, or ended its incarnation.
    fn gave_way(slot: Slot, stopped: bool, refused: bool);
    /// The dedup memory forgot a key, a preparation expired, the floor rose, the sink crashed.
    fn noted(what: Note);
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
    /// The live log was cut to this many entries.
    Truncated(u32),
}

/// Hears nothing.
impl Watch for () {}
