//! A batch rule as a table: for each sight, a batch.

use std::collections::BTreeMap;

use crate::model::ids::Payload;
use crate::model::program::{Surface, Surfaces};
use crate::model::view::{Redrive, View};

/// What each surface of `reads` shows, one number each, in their order: payloads as bits above a number.
pub(super) fn sight(view: &View<'_>, reads: Surfaces) -> Vec<u64> {
    let of = |surface: Surface| {
        let payloads = (0..view.events())
            .filter(|p| view.shows(surface, Payload(*p)) == Some(true))
            .fold(0_u64, |set, p| set | 1 << p);
        payloads << 32 | u64::from(view.number(surface).unwrap_or(0))
    };
    reads.iter().map(of).collect()
}

/// What a surface shows, in words.
pub(super) fn in_words(surface: Surface, shown: u64, labels: &[String]) -> String {
    let (payloads, number) = (shown >> 32, shown & u64::from(u32::MAX));
    if surface == Surface::Status {
        return ["running", "crashed", "recovered"].get(number as usize).copied().unwrap_or("?").to_owned();
    }
    if !surface.shows_payloads() && !surface.is_committed_log() {
        return number.to_string();
    }
    let names = labels_of(payloads as u32, labels);
    let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    // A log shows how far it goes, even where what it holds is owed by nobody.
    match surface.is_committed_log() && number > u64::from(64 - payloads.leading_zeros()) {
        true => format!("{names}, and entries that nobody is owed"),
        false => names,
    }
}

/// The payloads of a set of bits, by their labels.
pub(super) fn labels_of(set: u32, labels: &[String]) -> Vec<String> {
    labels.iter().enumerate().filter(|(p, _)| set >> p & 1 == 1).map(|(_, label)| label.clone()).collect()
}

/// A rule that was found: it knows every sight that its scenario can show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    pub(super) reads: Surfaces,
    /// For each sight the batch, as a set of bits.
    pub(super) rows: BTreeMap<Vec<u64>, u32>,
}

/// A line of a table: what the surfaces show that do not always show the same, and the batch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableRow {
    /// What is seen.
    pub shows: Vec<(Surface, String)>,
    /// What to send.
    pub batch: Vec<String>,
}

impl Table {
    /// How many sights it tells apart.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether nothing was ever to be decided.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Its lines, with payloads by their labels.
    pub fn lines(&self, labels: &[String]) -> Vec<TableRow> {
        let varies: Vec<bool> = (0..self.reads.iter().count())
            .map(|i| self.rows.keys().any(|sight| Some(sight[i]) != self.rows.keys().next().map(|s| s[i])))
            .collect();
        let line = |(sight, batch): (&Vec<u64>, &u32)| TableRow {
            shows: self
                .reads
                .iter()
                .zip(sight)
                .zip(&varies)
                .filter(|(_, varies)| **varies)
                .map(|((surface, shown), _)| (surface, in_words(surface, *shown, labels)))
                .collect(),
            batch: labels_of(*batch, labels),
        };
        self.rows.iter().map(line).collect()
    }
}

/// In a program: `arm(custom("..."))` after reading what the table reads. What it was never shown, it does not answer.
impl Redrive for Table {
    fn reads(&self) -> Surfaces {
        self.reads
    }

    fn batch(&self, view: &View<'_>, send: &mut dyn FnMut(Payload)) {
        let batch = self.rows.get(&sight(view, self.reads)).copied().unwrap_or(0);
        (0..view.events()).filter(|p| batch >> p & 1 == 1).map(Payload).for_each(send);
    }
}
