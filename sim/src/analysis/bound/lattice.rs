//! Which surfaces would do, the cheapest first.

use super::survey::Survey;
use crate::model::decision::Redriven;
use crate::model::program::{Surface, Surfaces};

/// What it takes to read a surface, from next to nothing to what no recoverer can do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Price {
    /// The crashed side's own durable state.
    Own,
    /// What the sink currently holds.
    Contents,
    /// The keys that the sink remembers.
    DedupKeys,
    /// The sink's accepted record.
    Record,
    /// What is in flight, what the crashed process had in memory, and a ledger that knows of each send as it happens:
    /// nobody can read it.
    Nobody,
}

impl Surface {
    /// What it takes to read it.
    pub fn price(self) -> Price {
        match self {
            Surface::Contents | Surface::StoredCoordinate => Price::Contents,
            Surface::DedupKeys => Price::DedupKeys,
            Surface::AcceptedRecord => Price::Record,
            Surface::Wire | Surface::Pending | Surface::SentLedger => Price::Nobody,
            _ => Price::Own,
        }
    }
}

/// Sets of so many surfaces are tried one by one; a larger one is found by leaving out what is not needed.
const MOST_SURFACES: usize = 3;

impl Survey {
    /// The cheapest sets of surfaces through which every decision can be made right: none of their surfaces can be
    /// spared, and no other set is of a lower price or as cheap and smaller.
    pub fn cheapest(&self, redriven: Redriven) -> Vec<Surfaces> {
        let candidates = self.candidates();
        if !self.suffices(candidates.iter().copied().collect(), redriven) {
            return Vec::new();
        }
        let prices = [Price::Own, Price::Contents, Price::DedupKeys, Price::Record, Price::Nobody];
        for price in prices {
            let affordable: Vec<Surface> =
                candidates.iter().copied().filter(|s| s.price() <= price).collect();
            let all: Surfaces = affordable.iter().copied().collect();
            if !self.suffices(all, redriven) {
                continue;
            }
            for size in 0..=MOST_SURFACES.min(affordable.len()) {
                let mut found = Vec::new();
                each_subset(&affordable, size, &mut |set| {
                    if self.suffices(set, redriven) {
                        found.push(set);
                    }
                });
                if !found.is_empty() {
                    found.sort_by_key(|set| prices_of(*set));
                    return found;
                }
            }
            return vec![self.reduced(all, &affordable, redriven)];
        }
        Vec::new()
    }

    fn suffices(&self, reads: Surfaces, redriven: Redriven) -> bool {
        !self.groups(reads).values().any(|rows| self.are_disjoint(rows, redriven))
    }

    /// Leaves out, the dearest first, whatever can be spared.
    fn reduced(&self, all: Surfaces, surfaces: &[Surface], redriven: Redriven) -> Surfaces {
        let mut dearest = surfaces.to_vec();
        dearest.sort_by_key(|s| std::cmp::Reverse(s.price()));
        dearest.into_iter().fold(all, |set, spared| {
            let without: Surfaces = set.iter().filter(|s| *s != spared).collect();
            if self.suffices(without, redriven) { without } else { set }
        })
    }

    /// The surfaces that do not always show the same, and of those that tell the same states apart, the first.
    fn candidates(&self) -> Vec<Surface> {
        let mut seen: Vec<Vec<usize>> = vec![vec![0; self.rows.len()]];
        let mut by_price: Vec<(usize, Surface)> = self.shown.iter().enumerate().collect();
        by_price.sort_by_key(|(_, surface)| surface.price());
        let mut candidates = Vec::new();
        for (i, surface) in by_price {
            let mut first = std::collections::BTreeMap::new();
            let partition: Vec<usize> = self
                .rows
                .iter()
                .map(|row| {
                    let next = first.len();
                    *first.entry(row.sight[i]).or_insert(next)
                })
                .collect();
            if !seen.contains(&partition) {
                seen.push(partition);
                candidates.push(surface);
            }
        }
        candidates
    }
}

fn prices_of(set: Surfaces) -> Vec<Price> {
    let mut prices: Vec<Price> = set.iter().map(Surface::price).collect();
    prices.sort_by_key(|price| std::cmp::Reverse(*price));
    prices
}

/// Calls `f` with each set of `size` of the surfaces.
fn each_subset(surfaces: &[Surface], size: usize, f: &mut impl FnMut(Surfaces)) {
    fn go(left: &[Surface], size: usize, set: Surfaces, f: &mut impl FnMut(Surfaces)) {
        match (size, left) {
            (0, _) => f(set),
            (_, []) => {}
            (_, [first, rest @ ..]) => {
                go(rest, size - 1, set.with(*first), f);
                go(rest, size, set, f);
            }
        }
    }
    go(surfaces, size, Surfaces::NONE, f);
}
