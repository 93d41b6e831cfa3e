//! Counts over the runs of one design. They merge, so that memory does not grow with the seeds.

use crate::engine::machine::Machine;
use crate::engine::rules::Judgement;
use crate::model::ids::Tick;
use crate::model::scenario::{Fault, Verdict};
use crate::schedulers::schedule::ScheduleError;
use crate::schedulers::{Costs, Script, crash_at_every_place, judge_script};

/// Counts over the runs of one design. Merging is commutative and associative, so the split of the work over
/// threads cannot be seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tally {
    /// How many runs were judged.
    pub runs: u64,
    /// For each of [`Verdict::ALL`]: in how many runs it held.
    pub counts: [u64; Verdict::ALL.len()],
    /// For each of [`Verdict::ALL`]: the smallest seed whose run shows it.
    pub first_seed: [Option<u64>; Verdict::ALL.len()],
    /// Messages sent, all runs together.
    pub sends: u64,
    /// Of these, payloads that had been sent before.
    pub resends: u64,
    /// Messages that a fence refused although their payload was still owed.
    pub rescues_dropped: u64,
    /// Messages that the sink's dedup memory absorbed.
    pub absorbed: u64,
    /// Messages lost on the wire.
    pub lost_in_transit: u64,
    /// Reads of the sink by recoverers.
    pub reads: u64,
    /// Crashes that struck, all runs together.
    pub crashes: u64,
    /// Runs in which at least one message was in flight at a crash.
    pub in_flight_at_crash: u64,
    /// Virtual time from a run's first crash to the last owed acceptance, over the runs that had both.
    pub repair_time: Histogram,
    /// For each of [`Fault::ALL`]: how often it struck.
    struck: [u64; Fault::ALL.len()],
}

/// Times in logarithmic buckets, 16 to an octave: quantiles within 6 %, in constant memory, whatever the order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Histogram {
    buckets: Box<[u64; Histogram::BUCKETS]>,
    count: u64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram { buckets: Box::new([0; Histogram::BUCKETS]), count: 0 }
    }
}

impl Histogram {
    const BUCKETS: usize = 64 * 16;

    /// Counts one time.
    pub fn add(&mut self, time: Tick) {
        self.buckets[Histogram::bucket(time.0)] += 1;
        self.count += 1;
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Histogram) {
        for (mine, theirs) in self.buckets.iter_mut().zip(other.buckets.iter()) {
            *mine += theirs;
        }
        self.count += other.count;
    }

    /// How many times were counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The upper edge of the bucket in which the time lies that `per_mille` in a thousand do not exceed: never below
    /// that time, and at most a sixteenth above it.
    pub fn quantile(&self, per_mille: u64) -> Option<Tick> {
        if self.count == 0 {
            return None;
        }
        let rank = (u128::from(self.count) * u128::from(per_mille)).div_ceil(1000).max(1) as u64;
        let mut seen = 0;
        self.buckets.iter().enumerate().find_map(|(i, n)| {
            seen += n;
            (seen >= rank).then(|| Tick(Histogram::upper_bound(i)))
        })
    }

    fn bucket(t: u64) -> usize {
        if t < 16 {
            return t as usize;
        }
        let octave = 63 - t.leading_zeros() as usize;
        octave * 16 + ((t >> (octave - 4)) & 15) as usize
    }

    /// The longest time of a bucket. Where the last one would end, its bound wraps around to 0.
    fn upper_bound(bucket: usize) -> u64 {
        Histogram::lower_bound(bucket + 1).wrapping_sub(1)
    }

    fn lower_bound(bucket: usize) -> u64 {
        if bucket < 64 {
            return bucket as u64;
        }
        let (octave, part) = (bucket / 16, bucket as u64 % 16);
        (16 + part) << (octave - 4)
    }
}

impl Tally {
    /// No runs yet.
    pub fn new() -> Tally {
        Tally {
            runs: 0,
            counts: [0; Verdict::ALL.len()],
            first_seed: [None; Verdict::ALL.len()],
            sends: 0,
            resends: 0,
            rescues_dropped: 0,
            absorbed: 0,
            lost_in_transit: 0,
            reads: 0,
            crashes: 0,
            in_flight_at_crash: 0,
            repair_time: Histogram::default(),
            struck: [0; Fault::ALL.len()],
        }
    }

    /// In how many runs `verdict` held.
    pub fn count(&self, verdict: Verdict) -> u64 {
        self.counts[verdict as usize]
    }

    /// The smallest seed whose run shows `verdict`.
    pub fn first_seed(&self, verdict: Verdict) -> Option<u64> {
        self.first_seed[verdict as usize]
    }

    /// Whether a fault struck in some run.
    pub fn struck(&self, fault: Fault) -> bool {
        self.struck[fault as usize] > 0
    }

    /// Counts one run: what came of it, and what it cost.
    #[inline]
    pub fn count_run(&mut self, seed: u64, judgement: Judgement, costs: &Costs) {
        self.runs += 1;
        for verdict in Verdict::ALL {
            if judgement.is(verdict) {
                self.counts[verdict as usize] += 1;
                let first = &mut self.first_seed[verdict as usize];
                *first = earliest(*first, Some(seed));
            }
        }
        self.sends += costs.sends;
        self.resends += costs.resends;
        self.rescues_dropped += costs.rescues_dropped;
        self.absorbed += costs.absorbed;
        self.lost_in_transit += costs.lost;
        self.reads += costs.reads;
        self.crashes += costs.crashes;
        self.in_flight_at_crash += u64::from(costs.in_flight_at_crash);
        for (mine, times) in self.struck.iter_mut().zip(&costs.struck) {
            *mine += times;
        }
        self.struck[Fault::InFlightAtCrash as usize] += u64::from(costs.in_flight_at_crash);
        if let (Some(crash), Some(repaired)) = (costs.first_crash, costs.repaired) {
            self.repair_time.add(Tick(repaired.0 - crash.0));
        }
    }

    /// The counts of `crash_at_every_step`: the place of the crash stands for the seed.
    pub fn of_crash_places(machine: &Machine) -> Tally {
        let mut tally = Tally::new();
        for (place, (judgement, costs)) in (0..).zip(crash_at_every_place(machine)) {
            tally.count_run(place, judgement, &costs);
        }
        tally
    }

    /// The counts of a script's one run.
    ///
    /// # Errors
    /// As [`judge_script`].
    pub fn of_script(machine: &Machine, script: Script<'_>) -> Result<Tally, ScheduleError> {
        let (judgement, costs) = judge_script(machine, script)?;
        let mut tally = Tally::new();
        tally.count_run(0, judgement, &costs);
        Ok(tally)
    }

    /// Adds the counts of another tally of the same design.
    pub fn merge(&mut self, other: &Tally) {
        self.runs += other.runs;
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        for (mine, theirs) in self.first_seed.iter_mut().zip(&other.first_seed) {
            *mine = earliest(*mine, *theirs);
        }
        self.sends += other.sends;
        self.resends += other.resends;
        self.rescues_dropped += other.rescues_dropped;
        self.absorbed += other.absorbed;
        self.lost_in_transit += other.lost_in_transit;
        self.reads += other.reads;
        self.crashes += other.crashes;
        self.in_flight_at_crash += other.in_flight_at_crash;
        self.repair_time.merge(&other.repair_time);
        for (mine, theirs) in self.struck.iter_mut().zip(&other.struck) {
            *mine += theirs;
        }
    }
}

impl Default for Tally {
    fn default() -> Tally {
        Tally::new()
    }
}

pub(super) fn earliest(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_no_shorter_than_the_time_and_at_most_a_sixteenth_longer() {
        for time in [0, 1, 15, 16, 31, 32, 1_000, 5_001_000, u64::MAX] {
            let mut histogram = Histogram::default();
            histogram.add(Tick(time));
            let Some(Tick(median)) = histogram.quantile(500) else { panic!("no median of {time}") };
            assert!(median >= time && median - time <= time / 16, "{median} for {time}");
        }
    }
}
