//! What one seed fixes: every event of a run, on any platform, for as long as the seed epoch stays; and how far designs
//! that differ only in recovery go together.

mod common;

use dwsim_sim::engine::fingerprint::Fingerprint;
use dwsim_sim::engine::rng::SEED_EPOCH;
use dwsim_sim::model::action::Action;
use dwsim_sim::model::record::{Lane, Moment};
use dwsim_sim::model::strategy::Strategy;
use dwsim_sim::schedulers::{Costs, StepCache, Uniform, record_seed, run};

/// A line for each design of each shipped scenario: the fingerprints of its first seeds. Where this changes on purpose,
/// the seed epoch goes up.
#[test]
fn the_runs_of_the_shipped_scenarios_are_the_ones_of_this_epoch() {
    let mut golden = format!("seed epoch {SEED_EPOCH}\n");
    for path in common::shipped() {
        let text = std::fs::read_to_string(&path).expect("text");
        for (name, machine) in common::machines(&common::scenario(&path.to_string_lossy(), &text)) {
            for strategy in [Strategy::Timed, Strategy::Uniform] {
                let prints = [0, 1, 4_000_000_000, u64::MAX]
                    .map(|seed| record_seed(&machine, strategy, seed).fingerprint);
                // Four runs in one number, so that the list stays readable.
                let all = prints.iter().fold(0, |all: u128, print| all.rotate_left(29) ^ print);
                golden += &format!("{all:032x} {strategy} {name}\n");
            }
        }
    }
    insta::assert_snapshot!(golden);
}

/// Up to the first act of a recoverer, what happened and when.
fn before_recovery(moments: &[Moment]) -> Vec<(Action, Option<dwsim_sim::model::ids::Tick>)> {
    let recovers = |m: &&Moment| matches!(m.lane, Lane::Recoverer(_)) || matches!(m.action, Action::Start(_));
    moments.iter().take_while(|m| !recovers(m)).map(|m| (m.action, m.at)).collect()
}

#[test]
fn designs_that_differ_only_in_recovery_share_a_run_up_to_the_first_act_of_a_recovery() {
    let text = std::fs::read_to_string("scenarios/zombie.ron").expect("text");
    let scenario = common::scenario("zombie.ron", &text);
    let machines: Vec<_> =
        common::machines(&scenario).into_iter().filter(|(name, _)| name.starts_with("zombie /  /")).collect();
    assert_eq!(machines.len(), 3, "cursor, sink-delta, fenced");
    let (mut parted, mut crashed) = (0, 0);
    for strategy in [Strategy::Timed, Strategy::Uniform] {
        for seed in 0..500 {
            let runs: Vec<_> = machines.iter().map(|(_, m)| record_seed(m, strategy, seed)).collect();
            let shared: Vec<_> = runs.iter().map(|run| before_recovery(&run.moments)).collect();
            assert!(shared.iter().all(|s| *s == shared[0]), "seed {seed}, {strategy}");
            crashed += u32::from(shared[0].len() < runs[0].moments.len());
            parted += u32::from(runs[0].moments != runs[2].moments);
        }
    }
    assert!(
        crashed > 500 && parted > 100,
        "the comparison is put to the test: {crashed} recoveries, {parted} differ"
    );
}

#[test]
fn a_run_that_looks_up_what_was_walked_before_is_the_run_that_is_worked_out() {
    let choices = Uniform::subsystem();
    let (mut looked_up, mut full) = (0, 0);
    for path in common::shipped() {
        let text = std::fs::read_to_string(&path).expect("text");
        for (name, machine) in common::machines(&common::scenario(&path.to_string_lossy(), &text)) {
            // Little room, so that most runs start in the table and end outside it.
            let Some(mut walked) = StepCache::<Vec<u64>>::with_room(&machine, 40) else { continue };
            let (mut world, mut costs) = (machine.start(), [0; 2].map(|_| Costs::new(machine.events())));
            for seed in 0..60 {
                let [mut of_one, mut of_other] = [(); 2].map(|()| Fingerprint::new());
                let [one, other] = &mut costs;
                one.clear();
                other.clear();
                let by_table = walked.run(
                    &machine,
                    &mut world,
                    &mut Uniform::new(&choices, seed),
                    &mut (&mut of_one, one),
                );
                let worked_out =
                    run(&machine, &mut world, &mut Uniform::new(&choices, seed), &mut (&mut of_other, other));
                assert_eq!(by_table, worked_out, "{name}, seed {seed}");
                assert_eq!(of_one.finish(), of_other.finish(), "{name}, seed {seed}");
                assert_eq!(costs[0], costs[1], "{name}, seed {seed}");
            }
            looked_up += 1;
            full += u32::from(walked.is_full());
        }
    }
    assert!(looked_up > 400 && full > 100, "{looked_up} designs, {full} of them with a table that ran full");
}
