//! What a message can carry beside a delivery: a row of a snapshot, or the reversal of a delivery. Neither is ever owed
//! or a duplicate. A row is judged by whether the journal makes of its key what it says; a reversal undoes what the log
//! says happened, so nothing justifies it.

use crate::engine::machine::{CompileError, MOST_REQUESTS, Machine, Op, Program};
use crate::model::ids::{Coordinate, Payload};
use crate::model::scenario::Stage;

/// Something that a message carries and that is no delivery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Aside {
    /// A key's value at a coordinate.
    Row { coordinate: Coordinate, key: u32, value: i64 },
    /// A delivery of this event is taken back.
    Reversal(u32),
}

/// All that there can be of it in a stage: for each coordinate every row, then a reversal for each event.
#[derive(Default)]
pub(crate) struct Asides {
    coordinates: Vec<Coordinate>,
    /// Every value that a key ever has.
    rows: Vec<(u32, i64)>,
    /// How many snapshots tell of one coordinate, at most, in one life of a program.
    told: u64,
    /// Whether deliveries can be taken back.
    pub reversals: bool,
    events: u32,
}

impl Asides {
    pub fn of(stage: &Stage, programs: &[Program; 3]) -> Result<Asides, CompileError> {
        let source = &stage.source;
        let mut asides = Asides {
            reversals: programs[2].compensates,
            events: source.events.len() as u32,
            ..Asides::default()
        };
        if programs[..2].iter().any(|p| snapshots(p) > 0) {
            asides.coordinates = source.events.iter().map(|e| e.coordinate).collect();
            let set = source.events.iter().filter_map(|e| e.value.map(|value| (e.key.0, value)));
            let base = (0..).zip(&source.base).filter_map(|(key, base)| base.map(|value| (key, value)));
            asides.rows = set.chain(base).collect();
            asides.coordinates.sort_unstable();
            let shared = asides.coordinates.chunk_by(|a, b| a == b).map(<[_]>::len).max().unwrap_or(0);
            let acts = programs[..2].iter().map(snapshots).max().unwrap_or(0);
            asides.told = (shared * acts) as u64;
            asides.coordinates.dedup();
            asides.rows.sort_unstable();
            asides.rows.dedup();
        }
        let entries = asides.coordinates.len() * asides.rows.len();
        if entries > MOST_REQUESTS {
            return Err(CompileError(format!(
                "snapshots of {} values at {} coordinates make {entries} different entries, and no more than \
                 {MOST_REQUESTS} can be told apart; use fewer events",
                asides.rows.len(),
                asides.coordinates.len(),
            )));
        }
        Ok(asides)
    }

    /// How many different ones there are.
    pub fn len(&self) -> u32 {
        self.entries() + if self.reversals { self.events } else { 0 }
    }

    /// How many of them are rows.
    fn entries(&self) -> u32 {
        (self.coordinates.len() * self.rows.len()) as u32
    }

    /// How many equal messages a sender puts out at most, where it sends none again.
    pub fn equal(&self) -> u64 {
        self.told.max(1)
    }

    fn get(&self, at: u32) -> Option<Aside> {
        let entries = self.entries();
        if at >= entries {
            return (at < self.len()).then(|| Aside::Reversal(at - entries));
        }
        let (key, value) = self.rows[at as usize % self.rows.len()];
        Some(Aside::Row { coordinate: self.coordinates[at as usize / self.rows.len()], key, value })
    }
}

/// How many acts of a program take a snapshot.
fn snapshots(program: &Program) -> usize {
    program.steps.iter().flat_map(|step| &step.acts).filter(|op| matches!(op, Op::Snapshot(_))).count()
}

impl Machine {
    fn first_aside(&self) -> u32 {
        (self.payloads.len() + self.requests.len()) as u32
    }

    /// What a message carries that is no delivery.
    pub(crate) fn aside(&self, payload: Payload) -> Option<Aside> {
        self.asides.get(payload.0.checked_sub(self.first_aside())?)
    }

    /// The message that tells a row; none where its key never has that value.
    pub(crate) fn row(&self, coordinate: Coordinate, key: u32, value: i64) -> Option<Payload> {
        let at = self.asides.coordinates.binary_search(&coordinate).ok()?;
        let row = self.asides.rows.binary_search(&(key, value)).ok()?;
        Some(Payload(self.first_aside() + (at * self.asides.rows.len() + row) as u32))
    }

    /// The message that takes a delivery back.
    pub(crate) fn reversal(&self, event: u32) -> Payload {
        Payload(self.first_aside() + self.asides.entries() + event)
    }

    pub(crate) fn aside_label(&self, aside: Aside) -> String {
        let source = &self.stage.source;
        match aside {
            Aside::Row { coordinate, key, value } => {
                format!("{}={value} at {}", source.keys[key as usize], coordinate.0)
            }
            Aside::Reversal(event) => format!("reversal of {}", source.events[event as usize].label),
        }
    }
}
