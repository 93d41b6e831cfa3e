//! Stages that are too large to be compiled: what there is too much of, and which part of a scenario makes it so.

use std::fmt;

/// Something of which a stage has too much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TooLarge {
    /// An open batch stands for every set of the events.
    OpenBatch {
        /// How many events there are.
        events: u32,
        /// How many there may be.
        most: u32,
    },
    /// Requests of several events are told apart by what they hold.
    Requests {
        /// How many events there are.
        events: u32,
        /// How many events one request holds at most.
        longest: u32,
        /// How many different requests there are.
        requests: usize,
        /// How many there may be.
        most: usize,
    },
    /// The rows of snapshots are told apart by value and coordinate.
    Snapshots {
        /// How many values keys have.
        values: usize,
        /// At how many coordinates.
        coordinates: usize,
        /// How many there may be of both together.
        most: usize,
    },
    /// A message names the process and the attempt that sent it.
    Senders {
        /// How many processes there can be in one run.
        processes: u32,
        /// How often each may try.
        attempts: u32,
        /// How many there may be of both together.
        most: u32,
    },
    /// A dedup memory that forgets by age keeps its keys in order.
    DedupKeys {
        /// How many different keys there are.
        keys: u64,
        /// How many there may be.
        most: u64,
    },
}

impl TooLarge {
    /// The part of the scenario to make smaller.
    pub fn part(&self) -> [&'static str; 2] {
        match self {
            TooLarge::OpenBatch { .. } | TooLarge::Requests { .. } | TooLarge::Snapshots { .. } => {
                ["source", "events"]
            }
            TooLarge::Senders { .. } => ["faults", "crash"],
            TooLarge::DedupKeys { .. } => ["sink", "dedup"],
        }
    }

    /// What to write instead.
    pub fn help(&self) -> String {
        match self {
            TooLarge::OpenBatch { most, .. } => format!("use at most {most} events"),
            TooLarge::Requests { .. } => "use fewer events or smaller batches".to_owned(),
            TooLarge::Snapshots { .. } => "use fewer events".to_owned(),
            TooLarge::Senders { .. } => "allow fewer crashes, recoverers, attempts or retries".to_owned(),
            TooLarge::DedupKeys { .. } => "use fewer events, or write `keeps: forever`".to_owned(),
        }
    }
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TooLarge::OpenBatch { events, .. } => {
                write!(f, "`arm(any)` tries every batch, and {events} events make too many")
            }
            TooLarge::Requests { events, longest, requests, most } => write!(
                f,
                "{events} events in requests of up to {longest} make {requests} different requests, and no more than \
                 {most} can be told apart"
            ),
            TooLarge::Snapshots { values, coordinates, most } => write!(
                f,
                "snapshots of {values} values at {coordinates} coordinates make {} different entries, and no more than \
                 {most} can be told apart",
                values * coordinates
            ),
            TooLarge::Senders { processes, attempts, most } => write!(
                f,
                "this sink tells {processes} processes apart, and {attempts} attempts of each; no more than {most} in all \
                 can be told apart"
            ),
            TooLarge::DedupKeys { keys, most } => {
                write!(f, "a dedup memory with a time holds at most {most} keys, and this stage has {keys}")
            }
        }
    }
}
