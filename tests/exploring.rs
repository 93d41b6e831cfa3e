//! What an exploration says against a plain search that shares nothing with it but the machine.

mod common;

use std::collections::BTreeSet;

use dwsim_sim::explore::{Exploration, Limits, Watched, explore, map};
use dwsim_sim::machine::Machine;
use dwsim_sim::scenario::{Verdict, When};
use dwsim_sim::world::World;

/// Larger stages are left to the command.
const MOST: u64 = 20_000;

fn explored(machine: &Machine, jobs: usize) -> Exploration {
    explore(machine, Limits { states: MOST, jobs }, &Watched::default())
}

fn small_machines() -> Vec<(String, Machine)> {
    let mut all = Vec::new();
    for path in common::shipped() {
        let text = std::fs::read_to_string(&path).expect("text");
        all.extend(common::machines(&common::scenario(&path.to_string_lossy(), &text)));
    }
    all.retain(|(_, machine)| machine.stage.judge.when == When::Quiescent && explored(machine, 1).complete);
    assert!(all.len() > 5, "some shipped stages are small");
    all
}

/// The least number of steps to each hazard, level by level.
fn shortest_hazards(machine: &Machine) -> [Option<usize>; 2] {
    let mut found = [None; 2];
    let mut level: BTreeSet<World<Vec<u64>>> = BTreeSet::from([machine.start()]);
    let mut seen = level.clone();
    for depth in 0.. {
        if level.is_empty() {
            break;
        }
        for w in &level {
            let (duplicate, premature) = machine.hazards(w);
            for (found, holds) in found.iter_mut().zip([duplicate, premature]) {
                *found = found.or(holds.then_some(depth));
            }
        }
        let mut next = BTreeSet::new();
        for w in &level {
            for k in 0..machine.enabled(w) {
                let mut after = w.clone();
                machine.apply(&mut after, machine.nth(w, k).expect("enabled"), &mut ());
                if seen.insert(after.clone()) {
                    next.insert(after);
                }
            }
        }
        level = next;
    }
    found
}

#[test]
fn a_counterexample_is_a_shortest_one() {
    for (name, machine) in small_machines() {
        let found = explored(&machine, 1);
        let lengths = [Verdict::Duplicate, Verdict::Premature].map(|v| found.witness(v).map(<[_]>::len));
        assert_eq!(lengths, shortest_hazards(&machine), "{name}");
    }
}

#[test]
fn a_counterexample_replays_to_its_verdict() {
    for (name, machine) in small_machines() {
        let found = explored(&machine, 1);
        for verdict in Verdict::ALL {
            let Some(schedule) = found.witness(verdict) else { continue };
            let record = machine.record_schedule(schedule);
            assert!(record.verdicts.contains(&verdict), "{name}: {verdict:?} in {:?}", record.verdicts);
        }
    }
}

#[test]
fn what_is_found_does_not_depend_on_the_number_of_threads() {
    for (name, machine) in small_machines() {
        assert_eq!(explored(&machine, 1), explored(&machine, 3), "{name}");
    }
}

#[test]
fn a_verdict_of_the_crash_window_map_is_reachable() {
    for (name, machine) in small_machines() {
        let found = explored(&machine, 1);
        for window in map::windows(&machine, MOST as usize, &Watched::default()) {
            assert!(!window.verdicts.is_empty(), "{name}: {window:?}");
            for verdict in &window.verdicts {
                assert!(found.witness(*verdict).is_some(), "{name}: {window:?}");
            }
        }
    }
}
