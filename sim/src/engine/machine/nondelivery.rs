//! What a message can carry beside a delivery: a row of a snapshot, or the reversal of a delivery. Neither is ever owed
//! or a duplicate. A row is judged by whether the journal makes of its key what it says; a reversal undoes what the log
//! says happened, so nothing justifies it.

use super::error::CompileError;
use super::program::{Op, Program};
use crate::model::ids::Coordinate;
use crate::model::scenario::Stage;
use crate::model::size::TooLarge;

/// More requests than this are not told apart, nor more entries of snapshots.
pub(crate) const MOST_REQUESTS: usize = 1 << 16;

/// Something that a message carries and that is no delivery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NonDelivery {
    /// A key's value at a coordinate.
    Row { coordinate: Coordinate, key: u32, value: i64 },
    /// A delivery of this event is taken back.
    Reversal(u32),
}

/// All that there can be of it in a stage: for each coordinate every row, then a reversal for each event.
#[derive(Default)]
pub(crate) struct NonDeliveries {
    coordinates: Vec<Coordinate>,
    /// Every value that a key ever has.
    rows: Vec<(u32, i64)>,
    /// How many snapshots tell of one coordinate, at most, in one life of a program.
    told: u64,
    /// Whether deliveries can be taken back.
    pub reversals: bool,
    events: u32,
}

impl NonDeliveries {
    pub fn of(stage: &Stage, programs: &[Program; 3]) -> Result<NonDeliveries, CompileError> {
        let source = &stage.source;
        let mut non_deliveries = NonDeliveries {
            reversals: programs[2].compensates,
            events: source.events.len() as u32,
            ..NonDeliveries::default()
        };
        if programs[..2].iter().any(|p| snapshots(p) > 0) {
            non_deliveries.coordinates = source.events.iter().map(|e| e.coordinate).collect();
            let set = source.events.iter().filter_map(|e| e.value.map(|value| (e.key.0, value)));
            let base = (0..).zip(&source.base).filter_map(|(key, base)| base.map(|value| (key, value)));
            non_deliveries.rows = set.chain(base).collect();
            non_deliveries.coordinates.sort_unstable();
            let shared =
                non_deliveries.coordinates.chunk_by(|a, b| a == b).map(<[_]>::len).max().unwrap_or(0);
            let acts = programs[..2].iter().map(snapshots).max().unwrap_or(0);
            non_deliveries.told = (shared * acts) as u64;
            non_deliveries.coordinates.dedup();
            non_deliveries.rows.sort_unstable();
            non_deliveries.rows.dedup();
        }
        let entries = non_deliveries.coordinates.len() * non_deliveries.rows.len();
        if entries > MOST_REQUESTS {
            return Err(CompileError::TooLarge(TooLarge::Snapshots {
                values: non_deliveries.rows.len(),
                coordinates: non_deliveries.coordinates.len(),
                most: MOST_REQUESTS,
            }));
        }
        Ok(non_deliveries)
    }

    /// How many different ones there are.
    pub fn len(&self) -> u32 {
        self.entries() + if self.reversals { self.events } else { 0 }
    }

    /// How many of them are rows.
    pub fn entries(&self) -> u32 {
        (self.coordinates.len() * self.rows.len()) as u32
    }

    /// How many equal messages a sender puts out at most, where it sends none again.
    pub fn equal(&self) -> u64 {
        self.told.max(1)
    }

    /// The one at an index.
    pub fn get(&self, at: u32) -> Option<NonDelivery> {
        let entries = self.entries();
        if at >= entries {
            return (at < self.len()).then(|| NonDelivery::Reversal(at - entries));
        }
        let (key, value) = self.rows[at as usize % self.rows.len()];
        Some(NonDelivery::Row { coordinate: self.coordinates[at as usize / self.rows.len()], key, value })
    }

    /// The index of a row; none where its key never has that value.
    pub fn row(&self, coordinate: Coordinate, key: u32, value: i64) -> Option<u32> {
        let at = self.coordinates.binary_search(&coordinate).ok()?;
        let row = self.rows.binary_search(&(key, value)).ok()?;
        Some((at * self.rows.len() + row) as u32)
    }
}

/// How many acts of a program take a snapshot.
fn snapshots(program: &Program) -> usize {
    program.steps.iter().flat_map(|step| &step.acts).filter(|op| matches!(op, Op::Snapshot(_))).count()
}
