//! `dwsim run`: every seed under every design, and what came of it, side by side.

use dwsim_reports::check::{CheckLine, Expects, Outcome, Subject};
use dwsim_reports::forms::{Page, Report};
use dwsim_reports::shootout::{Failure, Shootout, replay_line};
use dwsim_reports::{document, human, sentence, text};
use dwsim_sim::analysis::campaign::{Campaign, Orders, Origin, run_case};
use dwsim_sim::analysis::expect::{Sample, culprit, over_runs};
use dwsim_sim::analysis::lint;
use dwsim_sim::engine::machine::Machine;
use dwsim_sim::engine::rng::SEED_EPOCH;
use dwsim_sim::model::scenario::{Case, CheckBy, NotApplicable, Often, Verdict};
use dwsim_sim::model::strategy::Strategy;
use dwsim_sim::schedulers::record_seed;
use dwsim_sim::search::explore::Watched;

use crate::cli::{RunArgs, Seeds};
use crate::exit::{Exit, Stop};
use crate::load::{self, Loaded, Twins, Wanted};
use crate::output::Terminal;
use crate::progress::Watcher;
use crate::{regressions, regret};

/// Runs the campaign and reports it.
pub fn run(args: &RunArgs, terminal: &Terminal) -> Result<Exit, Stop> {
    args.report.check()?;
    let wanted = Wanted {
        designs: &args.rows.design,
        policies: &args.rows.policy,
        twins: match &args.twin {
            Some(twin) => Twins::Only(twin),
            None if args.no_twins => Twins::Without,
            None => Twins::All,
        },
    };
    let mut scenarios = load::scenarios(&args.scenarios, wanted)?;
    let cases = scenarios.iter_mut().flat_map(|loaded| &mut loaded.scenario.cases);
    for stage in cases.flat_map(|case| &mut case.designs).filter_map(|design| design.stage.as_mut().ok()) {
        args.deny.iter().for_each(|verdict| stage.judge.ask_for(*verdict));
    }
    let work = work(&scenarios, args.twin.is_some())?;
    let left_out = scenarios.iter().map(|loaded| loaded.scenario.cases.len()).sum::<usize>() - work.len();
    if left_out > 0 {
        let twins = text::counted(left_out as u64, "twin");
        terminal.say(&format!("{twins} not shown: judged by a schedule of their own, see `dwsim check`"));
    }
    let scripted = work.iter().filter(|work| is_scripted(work.case)).count();
    if scripted > 0 {
        let cases = text::counted(scripted as u64, "scenario");
        terminal.say(&format!("{cases} judged by a schedule that seeds seldom meet, see `dwsim check`"));
    }
    for Work { loaded, case, .. } in &work {
        if let Some(hint) = lint::left_undelivered(case) {
            terminal.say(&format!("{}: {hint}", loaded.path));
        }
    }
    let orders = Orders {
        strategy: args.strategy,
        first: args.seeds.first,
        seeds: args.seeds.count,
        jobs: args.jobs.count(),
    };
    let campaign = campaign(&work, orders, terminal)?;
    let unmet = unmet(&campaign, &work, args.seeds);
    let failures = failures(&campaign, &work, orders.strategy);
    let shootout = Shootout::new(&campaign, &failures, unmet);
    if args.keep {
        keep(&campaign, &work, orders.strategy, terminal)?;
    }

    let page = Page { wide: args.wide, deny: args.deny.clone(), ..terminal.page() };
    args.report.write(Report::Run(&shootout), &page)?;
    if !args.report.format.is_default() && !shootout.unmet.is_empty() {
        // The other forms usually go to a file, and the person who waits looks at the terminal.
        let said = Page { style: terminal.err, ..Page::default() };
        terminal.say(human::blocks(&document::unmet(&shootout.unmet), &said).trim_end());
    }
    Ok(exit(&campaign, &shootout.unmet, &args.deny))
}

/// A case with what it takes to run it.
struct Work<'a> {
    loaded: &'a Loaded,
    case: &'a Case,
    machines: Vec<Result<Machine, NotApplicable>>,
}

/// Every case that seeds can say something of. A twin that its file judges by a script or by crash places says what
/// happens on those, so that random runs of it would only repeat the scenario; it runs when it is `asked_for`.
fn work(scenarios: &[Loaded], asked_for: bool) -> Result<Vec<Work<'_>>, Stop> {
    let by_seeds = |case: &Case| case.check_by.is_empty() || seeds_of(case).is_some();
    let cases =
        scenarios.iter().flat_map(|loaded| loaded.scenario.cases.iter().map(move |case| (loaded, case)));
    cases
        .filter(|(_, case)| asked_for || case.twin.is_empty() || by_seeds(case))
        .map(|(loaded, case)| Ok(Work { loaded, case, machines: load::compile(&loaded.path, case)? }))
        .collect()
}

/// Whether the file expects what it does of schedules that it spells out, and of no seeds.
fn is_scripted(case: &Case) -> bool {
    seeds_of(case).is_none() && case.check_by.iter().any(|by| matches!(by, CheckBy::Script { .. }))
}

fn campaign(work: &[Work<'_>], orders: Orders, terminal: &Terminal) -> Result<Campaign, Stop> {
    let watcher = Watcher::of_seeds(orders.seeds.saturating_mul(work.len() as u64), terminal);
    let mut campaign =
        Campaign { strategy: orders.strategy, seed_epoch: SEED_EPOCH, partial: false, cases: Vec::new() };
    for Work { loaded, case, machines } in work {
        let scenario = &loaded.scenario;
        let origin = Origin { path: &loaded.path, scenario: &scenario.name, about: &scenario.about };
        let (result, complete) = run_case(origin, case, machines, orders, watcher.counted())
            .map_err(|wrong| Stop::Because(Exit::Internal, wrong.to_string()))?;
        campaign.cases.push(result);
        if !complete {
            campaign.partial = true;
            break;
        }
    }
    Ok(campaign)
}

/// The first failure of each design that failed, loud verdicts before quiet ones, told by running it again.
fn failures(campaign: &Campaign, work: &[Work<'_>], strategy: Strategy) -> Vec<Failure> {
    let mut failures = Vec::new();
    for (case, (result, work)) in campaign.cases.iter().zip(work).enumerate() {
        for (design, (row, machine)) in result.designs.iter().zip(&work.machines).enumerate() {
            let (Ok(tally), Ok(machine)) = (&row.tally, machine) else { continue };
            let first =
                Verdict::FAILURES.into_iter().find_map(|verdict| Some((verdict, tally.first_seed(verdict)?)));
            let Some((verdict, seed)) = first else { continue };
            let sentence = sentence::sentence(&record_seed(machine, strategy, seed)).unwrap_or_default();
            let regret = regret::of(&machine.stage, &Watched::default());
            failures.push(Failure { case, design, seed, verdict, sentence, regret });
        }
    }
    failures
}

/// What the files expect of these runs and did not get. Cases that are not judged by seeds expect nothing of them,
/// and a count is expected only of the seeds that it was counted over.
fn unmet(campaign: &Campaign, work: &[Work<'_>], seeds: Seeds) -> Vec<CheckLine> {
    let mut unmet = Vec::new();
    for (result, work) in campaign.cases.iter().zip(work) {
        let Some(usual) = seeds_of(work.case) else { continue };
        for (row, design) in result.designs.iter().zip(&work.case.designs) {
            let (Ok(tally), Ok(stage)) = (&row.tally, &design.stage) else { continue };
            let subject = Subject {
                scenario: &result.scenario,
                path: &result.path,
                twin: &result.twin,
                design: &row.name,
            };
            for (verdict, expected) in design.expect.verdicts.iter().copied() {
                if matches!(expected, Often::Exactly(_)) && (seeds.first, tally.runs) != (0, usual) {
                    continue;
                }
                let judged = over_runs(verdict, expected, Sample::Seeds, stage, tally);
                if judged.outcome == Outcome::Met {
                    continue;
                }
                let shown =
                    culprit(verdict, expected, |v| tally.count(v) > 0).and_then(|v| tally.first_seed(v));
                let replay =
                    |seed| replay_line(&result.path, &row.name, seed, &result.twin, campaign.strategy);
                unmet.push(subject.line(
                    Expects::Verdict(verdict, expected),
                    format!("{}, {}", text::counted(tally.runs, "seed"), campaign.strategy),
                    (judged.outcome, judged.why),
                    shown.map(replay),
                ));
            }
        }
    }
    unmet
}

/// Keeps the first seeds that show what the files rule out, beside each file.
fn keep(campaign: &Campaign, work: &[Work<'_>], strategy: Strategy, terminal: &Terminal) -> Result<(), Stop> {
    for (result, Work { loaded, case, .. }) in campaign.cases.iter().zip(work) {
        if seeds_of(case).is_none() {
            continue;
        }
        for (row, design) in result.designs.iter().zip(&case.designs) {
            let Ok(tally) = &row.tally else { continue };
            let found = regressions::failing(case, design, strategy, tally);
            regressions::keep(&loaded.path, &found, terminal)?;
        }
    }
    Ok(())
}

fn seeds_of(case: &Case) -> Option<u64> {
    case.check_by
        .iter()
        .find_map(|by| if let CheckBy::Seeds { count, .. } = by { Some(*count) } else { None })
}

/// The gravest thing that happened.
fn exit(campaign: &Campaign, unmet: &[CheckLine], deny: &[Verdict]) -> Exit {
    let tallies =
        || campaign.cases.iter().flat_map(|case| &case.designs).filter_map(|row| row.tally.as_ref().ok());
    let denied = tallies().any(|tally| deny.iter().any(|verdict| tally.count(*verdict) > 0));
    if campaign.partial {
        Exit::Interrupted
    } else if denied || unmet.iter().any(|line| line.outcome == Outcome::Failed) {
        Exit::Failed
    } else if tallies().next().is_none() {
        Exit::NothingToRun
    } else if !unmet.is_empty() {
        Exit::Inconclusive
    } else {
        Exit::AsExpected
    }
}
