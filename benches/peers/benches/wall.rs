//! Wall time of dwsim itself, row by row: what a run, an event, a state and a command take, and how that grows.
//!
//! `cargo bench --manifest-path benches/peers/Cargo.toml`; `benches/compare` says how it compares with others.

use std::path::Path;
use std::process::Command;

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use dwsim_peers::in_dwsim::Scenario;
use dwsim_peers::model::Policy;
use dwsim_sim::model::strategy::Strategy;

/// Runs of the smallest world, one after the other in the same memory.
fn runs(c: &mut Criterion) {
    const SEEDS: u64 = 10_000;
    let mut group = c.benchmark_group("run");
    group.throughput(Throughput::Elements(SEEDS));
    let uniform = Scenario::new(2, 1, Policy::Fenced);
    let timed = Scenario::with_latencies(2, 1, Policy::Fenced);
    for jobs in [1, 2] {
        group.bench_function(BenchmarkId::new("uniform", jobs), |b| {
            b.iter(|| uniform.simulate(Strategy::Uniform, 0..SEEDS, jobs));
        });
        group.bench_function(BenchmarkId::new("timed", jobs), |b| {
            b.iter(|| timed.simulate(Strategy::Timed, 0..SEEDS, jobs));
        });
    }
    group.finish();
}

/// The same number of events in few long runs or in many short ones: an event should not take longer in a long run.
fn long_runs(c: &mut Criterion) {
    const EVENTS: u64 = 200_000;
    let mut group = c.benchmark_group("event of a run of");
    group.throughput(Throughput::Elements(EVENTS)).sampling_mode(SamplingMode::Flat).sample_size(10);
    for events in [2, 20, 200, 2_000, 10_000] {
        for strategy in [Strategy::Uniform, Strategy::Timed] {
            let scenario = Scenario::with_latencies(events, 1, Policy::Fenced);
            group.bench_function(BenchmarkId::new(strategy.to_string(), events), |b| {
                // Not from 0 on: it is among the one in a hundred that are run twice.
                b.iter(|| scenario.simulate(strategy, 1..1 + EVENTS / u64::from(events), 1));
            });
        }
    }
    group.finish();
}

/// Exhaustive searches from a thousand to some million states.
fn searches(c: &mut Criterion) {
    let mut group = c.benchmark_group("search");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    for (events, crashes) in [(4, 1), (6, 2), (8, 2), (9, 2)] {
        let scenario = Scenario::new(events, crashes, Policy::Cursor);
        group.throughput(Throughput::Elements(scenario.search(1).states));
        group
            .bench_function(format!("{events} events, {crashes} crashes"), |b| b.iter(|| scenario.search(1)));
    }
    group.finish();
}

/// What somebody waits for at a prompt: whole processes, on the machine's own number of threads.
fn commands(c: &mut Criterion) {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let cargo =
        Command::new(env!("CARGO")).args(["build", "--release", "--quiet"]).current_dir(root).status();
    assert!(cargo.expect("cargo runs").success(), "dwsim compiles");
    let target = std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".to_owned());
    let dwsim = Path::new(root).join(target).join("release/dwsim");
    let mut group = c.benchmark_group("dwsim");
    for line in [
        "run scenarios/zombie.ron --seeds 10000",
        "explore scenarios/zombie.ron",
        "bound scenarios/zombie.ron",
        "shrink scenarios/zombie.ron --design sink-delta --seed 4",
    ] {
        group.bench_function(line, |b| {
            b.iter(|| {
                let out = Command::new(&dwsim).args(line.split(' ')).current_dir(root).output();
                let out = out.expect("dwsim runs");
                assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
            });
        });
    }
    group.finish();
}

criterion_group!(benches, runs, long_runs, searches, commands);
criterion_main!(benches);
