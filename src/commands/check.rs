//! `dwsim check`: every scenario's own expectations, judged in each way that it says.

mod bench;
mod evidence;
mod paste;

use std::sync::atomic::Ordering;

use dwsim_reports::check::{CheckReport, Outcome};
use dwsim_reports::forms::Report;
use dwsim_sim::analysis::campaign::Progress;
use dwsim_sim::engine::rng::SEED_EPOCH;
use dwsim_sim::model::scenario::CheckBy;
use dwsim_sim::text::regressions::Entry;

use crate::cli::{CheckArgs, Seeds};
use crate::exit::{Exit, Stop};
use crate::load::{self, Loaded, Wanted};
use crate::output::Terminal;
use crate::progress::Watcher;
use crate::regressions::{self, Stale};

use bench::Bench;
pub(super) use evidence::Shows;
pub(super) use paste::Paste;

/// An exploration keeps no more states than this.
pub(super) const MOST_STATES: u64 = 20_000_000;

/// Judges, and reports.
pub fn run(args: &CheckArgs, terminal: &Terminal) -> Result<Exit, Stop> {
    args.report.check()?;
    let report = if args.dangerous {
        super::dangerous::judge(&args.policy, args.jobs.count())?
    } else {
        of_files(args, terminal)?
    };
    args.report.write(Report::Check(&report), &terminal.page())?;
    Ok(exit(&report))
}

/// Judges the scenarios at the paths, and keeps the seeds that failed where that is wanted.
fn of_files(args: &CheckArgs, terminal: &Terminal) -> Result<CheckReport, Stop> {
    let scenarios = load::scenarios(&args.paths, Wanted::default())?;
    let watcher = Watcher::of_seeds(all_seeds(&scenarios, args.seeds), terminal);
    let kept: Vec<Vec<Entry>> =
        scenarios.iter().map(|loaded| regressions::kept(&loaded.path)).collect::<Result<_, _>>()?;
    let (report, found) = judge(&scenarios, &kept, args.seeds, args.jobs.count(), watcher.counted())?;
    drop(watcher);
    if args.keep {
        for (loaded, found) in scenarios.iter().zip(&found) {
            regressions::keep(&loaded.path, found, terminal)?;
        }
    }
    Ok(report)
}

/// Replays what is kept beside each scenario, then judges every expectation of every case. `seeds` stand in for those
/// that the scenarios name. Beside the report: for each scenario that was judged, the seeds that failed.
fn judge(
    scenarios: &[Loaded],
    kept: &[Vec<Entry>],
    seeds: Option<Seeds>,
    jobs: usize,
    progress: &Progress,
) -> Result<(CheckReport, Vec<Vec<Entry>>), Stop> {
    let mut report = CheckReport { seed_epoch: SEED_EPOCH, ..CheckReport::default() };
    let mut failing = Vec::new();
    for (loaded, kept) in scenarios.iter().zip(kept) {
        for entry in kept {
            match regressions::replay(loaded, entry) {
                Ok(line) => report.cases.push(line),
                Err(Stale::NoLongerApplies(why)) => report.warnings.push(why),
                Err(Stale::Stop(stop)) => return Err(stop),
            }
        }
        let mut failing_here = Vec::new();
        for case in &loaded.scenario.cases {
            let machines = load::compile(&loaded.path, case)?;
            let bench = Bench { loaded, case, machines: &machines, jobs, progress };
            let mut evidence = Vec::new();
            for way in &case.check_by {
                evidence.extend(bench.evidence(way, seeds)?);
                if progress.stop.load(Ordering::Relaxed) {
                    report.partial = true;
                    return Ok((report, failing));
                }
            }
            let lines = bench.lines(&evidence);
            report.warnings.extend(bench.warnings(&evidence, &lines));
            report.cases.extend(lines);
            report.cases.extend(bench.claims()?);
            failing_here.extend(bench.failing_seeds(&evidence));
        }
        failing.push(failing_here);
    }
    Ok((report, failing))
}

/// How many seeds a progress bar ends at.
fn all_seeds(scenarios: &[Loaded], seeds: Option<Seeds>) -> u64 {
    let ways = scenarios.iter().flat_map(|l| &l.scenario.cases).flat_map(|case| &case.check_by);
    let each = ways.map(|way| match way {
        CheckBy::Seeds { count, under } => {
            seeds.map_or(*count, |s| s.count).saturating_mul(under.strategies().len() as u64)
        }
        _ => 0,
    });
    each.fold(0, u64::saturating_add)
}

/// The worst that came of anything.
fn exit(report: &CheckReport) -> Exit {
    match report.cases.iter().map(|line| line.outcome).max() {
        _ if report.partial => Exit::Interrupted,
        None => Exit::NothingToRun,
        Some(Outcome::Failed) => Exit::Failed,
        Some(Outcome::Inconclusive | Outcome::Vacuous) => Exit::Inconclusive,
        Some(Outcome::Met) => Exit::AsExpected,
    }
}

#[cfg(test)]
mod tests;
