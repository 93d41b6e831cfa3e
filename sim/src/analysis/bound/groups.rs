//! States that look the same: which of them share a right batch, and the fewest that do not.

use std::collections::BTreeMap;

use super::batches::Batches;
use super::question::{Confusable, Fails, Failure, Fork, Member, Question};
use super::right::{failure, obligations};
use super::survey::Survey;
use super::table::{Table, in_words, labels_of};
use crate::engine::world::World;
use crate::model::action::Action;
use crate::model::decision::Redriven;
use crate::model::ids::Payload;
use crate::model::program::Surfaces;

/// Rows by what they show.
pub(super) type Groups = BTreeMap<Vec<u64>, Vec<usize>>;

impl Survey {
    /// The rows, grouped by what `reads` shows.
    pub fn groups(&self, reads: Surfaces) -> Groups {
        let kept: Vec<bool> = self.shown.iter().map(|s| reads.has(s)).collect();
        let mut groups = Groups::new();
        for (i, row) in self.rows.iter().enumerate() {
            let sight = row.sight.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(shown, _)| *shown);
            groups.entry(sight.collect()).or_default().push(i);
        }
        groups
    }

    /// Whether one batch is right in each group; none where not all states were seen and no group says no.
    pub fn is_decidable(&self, groups: &Groups, redriven: Redriven) -> Option<bool> {
        let undecidable = groups.values().any(|rows| self.are_disjoint(rows, redriven));
        if undecidable { Some(false) } else { self.complete().then_some(true) }
    }

    pub(super) fn are_disjoint(&self, rows: &[usize], redriven: Redriven) -> bool {
        Batches::are_disjoint(rows.iter().map(|row| self.right(*row, redriven)))
    }

    /// The fewest rows that look the same and share no right batch; of several such sets, the one that is reached in
    /// the fewest steps.
    pub fn confusable(&self, groups: &Groups, redriven: Redriven) -> Option<Vec<usize>> {
        let smallest = groups
            .values()
            .filter(|rows| self.are_disjoint(rows, redriven))
            .map(|rows| self.fewest(rows, redriven));
        smallest.min_by_key(|rows| (rows.len(), self.steps_to(rows), rows.clone()))
    }

    fn steps_to(&self, rows: &[usize]) -> usize {
        rows.iter().map(|row| self.schedule(*row).len()).sum()
    }

    /// Of rows that share no right batch, the fewest.
    fn fewest(&self, rows: &[usize], redriven: Redriven) -> Vec<usize> {
        let mut distinct: Vec<usize> = Vec::new();
        for row in rows {
            let right = self.right_id(*row, redriven);
            if !distinct.iter().any(|other| self.right_id(*other, redriven) == right) {
                distinct.push(*row);
            }
        }
        let alone = distinct.iter().find(|row| self.right(**row, redriven).is_empty());
        if let Some(row) = alone {
            return vec![*row];
        }
        let pairs = distinct.iter().enumerate().flat_map(|(i, a)| distinct[..i].iter().map(|b| vec![*b, *a]));
        let pair = pairs
            .filter(|pair| self.are_disjoint(pair, redriven))
            .min_by_key(|pair| (self.steps_to(pair), pair.clone()));
        pair.unwrap_or_else(|| {
            let mut left = distinct;
            let mut at = left.len();
            while at > 0 {
                at -= 1;
                let mut without = left.clone();
                without.remove(at);
                if self.are_disjoint(&without, redriven) {
                    left = without;
                }
            }
            left
        })
    }

    /// Tells the story of rows that share no right batch.
    pub fn explain(&self, rows: &[usize], question: &Question) -> Confusable {
        let machine = &self.machine;
        let labels: Vec<String> = machine.stage.source.events.iter().map(|e| e.label.clone()).collect();
        let schedules: Vec<Vec<Action>> = rows.iter().map(|row| self.schedule(*row)).collect();
        let worlds: Vec<World<Vec<u64>>> =
            schedules.iter().map(|schedule| machine.follow(schedule)).collect();
        let words = |actions: &[Action]| actions.iter().map(|a| machine.label(*a)).collect::<Vec<_>>();
        let member = |(schedule, w): (&Vec<Action>, &World<Vec<u64>>)| {
            let accepted = (0..machine.events())
                .filter(|p| machine.times_accepted(w, Payload(*p)) > 0)
                .fold(0, |set, p| set | 1 << p);
            Member {
                schedule: schedule.clone(),
                labels: words(schedule),
                accepted: labels_of(accepted, &labels),
                in_flight: machine.in_flight_labels(w),
                owed: labels_of(obligations(machine, w) & !accepted, &labels),
            }
        };
        let fails = |batch: u32| {
            let tried = worlds.iter().map(|w| failure(machine, w, batch, question.redriven));
            let (member, (how, then)) = tried.enumerate().find_map(|(i, found)| Some((i, found?)))?;
            Some(Fails { batch, member, how, then: words(&then) })
        };
        let sight = &self.rows[rows[0]].sight;
        let shows = self.shown.iter().zip(sight).filter(|(surface, _)| question.reads.has(*surface));
        Confusable {
            shows: shows.map(|(surface, shown)| (surface, in_words(surface, *shown, &labels))).collect(),
            members: schedules.iter().zip(&worlds).map(member).collect(),
            parts_at: parts_at(&schedules),
            failures: (0..1 << machine.events()).filter_map(fails).collect(),
            fork: self.fork(rows, &worlds, question.redriven),
        }
    }

    /// A payload that one member needs and another cannot bear; or, where a paused process may wake and need not, one future
    /// of a single member.
    fn fork(&self, rows: &[usize], worlds: &[World<Vec<u64>>], redriven: Redriven) -> Option<Fork> {
        if let ([_], [w]) = (rows, worlds) {
            let how = |batch: u32| Some(failure(&self.machine, w, batch, redriven)?.0);
            return (0..self.machine.events()).find_map(|payload| {
                let (with, without) = (how(1 << payload)?, how(0)?);
                let parts = with == Failure::Duplicate(Payload(payload))
                    && without == Failure::Lost(Payload(payload));
                parts.then_some(Fork { payload, with: (0, with), without: (0, without) })
            });
        }
        let [a, b] = rows else { return None };
        let batches = || 0..1_u32 << self.machine.events();
        let wrong = |row: usize, payload: u32, with: bool| {
            let right = self.right(row, redriven);
            !batches().any(|batch| (batch >> payload & 1 == 1) == with && right.has(batch))
        };
        let how = |member: usize, batch: u32| -> Option<(usize, Failure)> {
            Some((member, failure(&self.machine, &worlds[member], batch, redriven)?.0))
        };
        (0..self.machine.events()).find_map(|payload| {
            let (with, without) = match () {
                () if wrong(*a, payload, true) && wrong(*b, payload, false) => (0, 1),
                () if wrong(*b, payload, true) && wrong(*a, payload, false) => (1, 0),
                () => return None,
            };
            let others = self.right(rows[without], redriven).smallest()? & !(1 << payload);
            let (with, without) = (how(with, 1 << payload)?, how(without, others)?);
            Some(Fork { payload, with, without })
        })
    }

    /// The rule that takes in each group the smallest batch that is right there.
    pub fn table(&self, groups: &Groups, question: &Question) -> Table {
        let batch = |rows: &[usize]| {
            let mut common = self.right(rows[0], question.redriven).clone();
            rows[1..].iter().for_each(|row| common.intersect(self.right(*row, question.redriven)));
            common.smallest().unwrap_or(0)
        };
        let rows = groups.iter().map(|(sight, rows)| (sight.clone(), batch(rows))).collect();
        Table { reads: question.reads, rows }
    }

    /// Which of the known rules are right wherever a decision is due.
    pub fn same(&self, groups: &Groups, question: &Question) -> Vec<String> {
        let is_right = |known: usize| {
            groups.values().flatten().all(|row| {
                self.rows[*row].batches[known].is_some_and(|b| self.right(*row, question.redriven).has(b))
            })
        };
        let names = question.known.iter().enumerate();
        names.filter(|(i, _)| is_right(*i)).map(|(_, (name, _))| name.clone()).collect()
    }
}

/// The first step, from 1, that is not the same in all schedules.
fn parts_at(schedules: &[Vec<Action>]) -> usize {
    let first = schedules.first().map_or(&[][..], Vec::as_slice);
    let same = |i: &usize| schedules.iter().all(|s| s.get(*i).is_some() && s.get(*i) == first.get(*i));
    (0..).take_while(same).count() + 1
}
