//! `dwsim bound`: is there any policy that reads only this?

use std::sync::atomic::Ordering;

use dwsim_policies::Shipped;
use dwsim_reports::bound::{Asked, BoundReport, TriageReport};
use dwsim_reports::forms::Report;
use dwsim_sim::analysis::bound::triage::triage;
use dwsim_sim::analysis::bound::{Answer, Question, bound};
use dwsim_sim::engine::machine::CompileError;
use dwsim_sim::model::decision::{Earlier, Redriven, VIEWS, view};
use dwsim_sim::model::program::{Act, BatchRule, Surface, Surfaces};
use dwsim_sim::model::scenario::Stage;
use dwsim_sim::model::view::Rules;
use dwsim_sim::text::file::{Library, load_policy};

use crate::cli::{BoundArgs, EarlierName, RedriveName};
use crate::exit::{Exit, Stop};
use crate::load::{self, Twins, Wanted, same, suggestion};
use crate::output::Terminal;
use crate::progress::Watcher;

/// Asks, and tells.
pub fn run(args: &BoundArgs, terminal: &Terminal) -> Result<Exit, Stop> {
    args.report.check()?;
    let wanted = Wanted {
        designs: args.design.as_slice(),
        policies: &[],
        twins: args.twin.as_deref().map_or(Twins::Without, Twins::Only),
    };
    let scenarios = load::scenarios(std::slice::from_ref(&args.scenario), wanted)?;
    let [loaded] = scenarios.as_slice() else {
        return Err(Stop::usage("bound answers for one scenario at a time"));
    };
    let case = loaded.scenario.cases.first();
    let found = case.and_then(|case| {
        let runs = |design: &&dwsim_sim::model::scenario::Design| design.stage.is_ok();
        Some((case, case.designs.iter().find(runs)?))
    });
    let Some((case, design)) = found else {
        return Err(Stop::Because(Exit::NothingToRun, "no design of this scenario can run".to_owned()));
    };
    let Ok(stage) = &design.stage else { return Ok(Exit::NothingToRun) };
    let of = Asked {
        scenario: loaded.scenario.name.clone(),
        twin: case.twin.clone(),
        design: design.name.clone(),
    };
    let wrong = |wrong: CompileError| Stop::Because(Exit::BadInput, format!("{}: {wrong}", loaded.path));
    let watcher = Watcher::of_states(terminal);
    let interrupted = || watcher.counted().stop.load(Ordering::Relaxed);
    if args.triage {
        let replies = triage(stage, &Rules::new(), args.max_states, watcher.counted()).map_err(wrong)?;
        let told = TriageReport { of, replies };
        args.report.write(Report::Triage(&told), &terminal.page())?;
        return Ok(if interrupted() { Exit::Interrupted } else { Exit::AsExpected });
    }
    let question = question(args, stage)?;
    let answer = bound(stage, &Rules::new(), &question, watcher.counted()).map_err(wrong)?;
    let exit = match answer.answer {
        _ if interrupted() => Exit::Interrupted,
        Answer::Inconclusive(_) => Exit::Inconclusive,
        Answer::Undecidable(_) | Answer::Decidable { .. } => Exit::AsExpected,
    };
    let told = BoundReport { of, bound: answer };
    args.report.write(Report::Bound(&told), &terminal.page())?;
    Ok(exit)
}

fn question(args: &BoundArgs, stage: &Stage) -> Result<Question, Stop> {
    let reads = match args.reads.is_empty() {
        true => stage.policy.reads(),
        false => args
            .reads
            .iter()
            .map(|name| named(name))
            .collect::<Result<Vec<_>, Stop>>()?
            .into_iter()
            .fold(Surfaces::NONE, Surfaces::and),
    };
    let redriven = match args.redrive {
        None => Redriven::of(stage),
        Some(RedriveName::Unfenced) => Redriven::Unfenced,
        Some(RedriveName::Fenced) => Redriven::Fenced,
        Some(RedriveName::Claim) => Redriven::Claim,
    };
    let earlier = match args.earlier {
        EarlierName::Design => Earlier::Design,
        EarlierName::AnyIndex => Earlier::AnyIndex,
    };
    Ok(Question { reads, earlier, redriven, states: args.max_states, known: shipped_rules() })
}

/// A surface, or a view that the paper names.
fn named(name: &str) -> Result<Surfaces, Stop> {
    let surface = Surface::ALL.into_iter().find(|surface| same(surface.name(), name));
    surface.map(|surface| Surfaces::NONE.with(surface)).or_else(|| view(name)).ok_or_else(|| {
        let known: Vec<&str> =
            Surface::ALL.iter().map(|s| s.name()).chain(VIEWS.iter().map(|(name, _)| *name)).collect();
        Stop::usage(format!("there is no surface or view `{name}`; {}", suggestion(name, &known)))
    })
}

/// The batch rules of the shipped policies, each under the policy that is named first.
fn shipped_rules() -> Vec<(String, BatchRule)> {
    let mut rules: Vec<(String, BatchRule)> = Vec::new();
    for name in Shipped.policy_names() {
        let policy = Shipped.policy(name).and_then(|text| load_policy(name, text).ok());
        let rule = policy.and_then(|policy| {
            let mut arms = policy
                .acts()
                .filter_map(|act| if let Act::Arm(rule) = act { Some(rule.clone()) } else { None });
            arms.next().filter(|_| arms.next().is_none())
        });
        let Some(rule) = rule else { continue };
        if !rules.iter().any(|(_, known)| *known == rule) {
            rules.push((name.to_owned(), rule));
        }
    }
    rules
}
