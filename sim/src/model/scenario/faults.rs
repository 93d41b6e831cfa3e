//! What may go wrong: what a scenario says of it, what it is called, and what it is when it strikes. What each fault
//! needs and does stands in `engine::faults`, which must have an entry for each one here.

use super::delay::Delay;
use crate::model::ids::{Emission, Payload, Slot, Target};
use crate::model::ratio::Ratio;
use crate::model::words::words;

/// Declares a plain enum and the list of all that it has.
macro_rules! listed {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $one:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name { $($(#[$doc])* $one,)* }

        impl $name {
            /// Every one, in the order in which reports name them.
            pub const ALL: [$name; [$($name::$one),*].len()] = [$($name::$one),*];
        }
    };
}

listed! {
    /// Something that a scenario can name as going wrong, as far as the oracle's answers may depend on it.
    Fault {
        /// The delivering process crashes, or only seems to.
        Crash,
        /// It crashes, and the source's live log is cut.
        Truncation,
        /// It crashes while a message is in flight.
        InFlightAtCrash,
        /// A message is lost on the wire.
        Loss,
        /// The transport makes a copy.
        Copy,
        /// A reply is lost.
        LostReply,
        /// A message of an earlier incarnation arrives: a straggler.
        LateArrival,
        /// A sender gives up waiting for a reply and sends again.
        Timeout,
        /// A recoverer dies.
        Death,
        /// A recoverer starts while another lives.
        SecondRecoverer,
        /// The sink crashes.
        SinkCrash,
        /// The durable cursor is harmed.
        CursorHarm,
        /// The dedup memory forgets a key by age.
        Eviction,
        /// The dedup memory forgets a key because there is no room for one more.
        CountWindow,
        /// A preparation expires before it is committed.
        Expiry,
        /// Retention drops an entry of the log.
        Retention,
        /// A read of the sink is late, or not whole.
        StaleRead,
        /// The source, the wire or the sink is out for a span of time.
        Outage,
    }
}

/// Declares the faults that are an action of their own and that few stages have. Each has a number, which is part of
/// every fingerprint and never changes, and the [`Fault`] that it counts as.
macro_rules! injected {
    ($($(#[$doc:meta])* $name:ident $(($kind:ident: $type:ty))? = $code:literal, $fault:ident;)*) => {
        /// A fault as it strikes, with what it strikes.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Injected { $($(#[$doc])* $name $(($type))?,)* }

        impl Injected {
            /// What it counts as.
            pub fn fault(self) -> Fault {
                match self { $(Injected::$name { .. } => Fault::$fault,)* }
            }

            /// Its number among the kinds of actions.
            pub fn code(self) -> u64 {
                match self { $(Injected::$name { .. } => $code,)* }
            }

            /// What it happens to.
            pub fn target(self) -> Target {
                match self {
                    $($(Injected::$name(on) => Target::$kind(on),)?)*
                    _ => Target::None,
                }
            }

            /// The same happening to something else of the same kind.
            #[must_use]
            pub fn with_target(self, target: Target) -> Injected {
                match (self, target) {
                    $($((Injected::$name(_), Target::$kind(new)) => Injected::$name(new),)?)*
                    (same, _) => same,
                }
            }
        }
    };
}

injected! {
    /// The transport makes a second copy of a message in flight.
    Copy(Message: Emission) = 5, Copy;
    /// A recoverer dies between two of its steps.
    Die(Slot: Slot) = 8, Death;
    /// The sink's reply for a payload is lost.
    LoseAck(Payload: Payload) = 10, LostReply;
    /// The sink crashes: what it acknowledged and did not persist goes.
    SinkCrash = 14, SinkCrash;
    /// The sink's dedup memory forgets its oldest key.
    Evict = 15, Eviction;
    /// A preparation of the sink expires before it was committed.
    Expire(Message: Emission) = 16, Expiry;
    /// The source drops the oldest entry of its live log: the floor rises by one.
    Retain = 17, Retention;
    /// The durable cursor is harmed, in the way that the scenario names.
    HarmCursor = 18, CursorHarm;
    /// The delivering process crashes, and the source's live log is cut to its oldest so many entries. The journal
    /// keeps what it held.
    Truncate(Entries: u32) = 19, Truncation;
}

/// What may go wrong.
#[derive(Clone, PartialEq, Debug)]
pub struct Faults {
    /// The delivering process crashes.
    pub crash: Option<Crash>,
    /// A crash that cuts the source's live log to a prefix; the journal keeps what it held.
    pub truncation: Option<Strike>,
    /// A recoverer dies between two of its steps.
    pub recoverer_dies: Option<Strike>,
    /// The sink crashes: what it acknowledged and did not persist goes, and its volatile dedup memory.
    pub sink_crash: Option<Strike>,
    /// The durable cursor is harmed.
    pub cursor: Option<CursorFault>,
}

/// Crashes of the delivering process.
#[derive(Clone, PartialEq, Debug)]
pub struct Crash {
    /// At most so many in a run.
    pub times: u8,
    /// Where in the program it may strike.
    pub at: Window,
    /// In a timed run, how likely a run has a crash at all; the place is drawn uniformly over the steps.
    pub chance: Ratio,
    /// What happens to the process.
    pub kind: CrashKind,
    /// How long a process that only seemed to crash sleeps, in a timed run.
    pub pause: Delay,
    /// In a timed run, how likely such a process wakes at all.
    pub wakes: Ratio,
    /// Whether it may strike after the run has ended (all sent, nothing in flight).
    pub after_end: bool,
}

words! {
    /// What a crash does to the process.
    CrashKind {
        /// It is gone, and its memory with it.
        Kill = "kill",
        /// It only seems gone: it stays able to act on what it holds, the zombie.
        Pause = "pause",
    }
}

/// Where in a program something may strike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Window {
    /// Before any step, and after the last.
    Anywhere,
    /// Directly before a step that holds an act of this name, such as `persist`.
    Before(String),
    /// Directly after a step that holds an act of this name, such as `send`.
    After(String),
}

/// A fault that strikes at most so often.
#[derive(Clone, PartialEq, Debug)]
pub struct Strike {
    /// At most so many in a run.
    pub times: u8,
    /// Where in the recoverer's program; `Anywhere` for the sink.
    pub at: Window,
    /// In a timed run, how likely it strikes at all.
    pub chance: Ratio,
}

/// What happens to the durable cursor while the process is down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CursorFault {
    /// What happens to it.
    pub kind: CursorFaultKind,
    /// In a timed run, how likely.
    pub chance: Ratio,
}

/// How a cursor fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CursorFaultKind {
    /// It is gone.
    Expires,
    /// It goes back by so many events: an older checkpoint, a restored backup.
    RollsBack(u32),
    /// It cannot be written.
    NotWritable,
}
