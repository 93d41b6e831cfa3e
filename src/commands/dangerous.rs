//! `dwsim check --dangerous`: the dangerous schedules that are shipped, with policies of the user's own. Each is held to
//! what the file expects, schedule by schedule, of the best of its own designs.

use dwsim_reports::check::{CheckLine, CheckReport, Expects, Outcome, Subject};
use dwsim_reports::escape;
use dwsim_sim::engine::machine::Machine;
use dwsim_sim::engine::rng::SEED_EPOCH;
use dwsim_sim::model::scenario::{Case, Design, NotApplicable, Often, Verdict};
use dwsim_sim::search::explore::{Limits, Watched, explore};

use super::check::{MOST_STATES, Paste, Shows};
use crate::exit::Stop;
use crate::load;

/// What the lines to paste call the file that they write first.
const PATH: &str = "dangerous.ron";
/// What reports call the one schedule that is no twin.
const FIRST: &str = "a straggler after the read";

/// Explores each dangerous stage with each policy and judges what comes of it.
pub fn judge(policies: &[String], jobs: usize) -> Result<CheckReport, Stop> {
    let limits = Limits { states: MOST_STATES, jobs, ..Limits::default() };
    let mut report = CheckReport { seed_epoch: SEED_EPOCH, ..CheckReport::default() };
    let (shipped, asked) = (load::dangerous(&[])?, load::dangerous(policies)?);
    for (shipped, case) in shipped.cases.iter().zip(&asked.cases) {
        for (design, machine) in case.designs.iter().zip(load::compile(PATH, case)?) {
            report.cases.extend(lines(best(shipped), case, design, machine, limits)?);
        }
    }
    Ok(report)
}

/// What is expected of the design that fares best here: any other policy can be held to it.
fn best(shipped: &Case) -> &[(Verdict, Often)] {
    let falls = |design: &&Design| {
        design.expect.verdicts.iter().filter(|(_, often)| *often == Often::Sometimes).count()
    };
    shipped.designs.iter().min_by_key(falls).map_or(&[], |design| &design.expect.verdicts)
}

/// A line for each expectation of one policy under one dangerous schedule.
fn lines(
    expected: &[(Verdict, Often)],
    case: &Case,
    design: &Design,
    machine: Result<Machine, NotApplicable>,
    limits: Limits,
) -> Result<Vec<CheckLine>, Stop> {
    let shown = match &machine {
        Err(why) => Err((Outcome::Vacuous, why.0.clone())),
        Ok(machine) => match spared(case, machine, limits)? {
            Some(ending) => Err(ending),
            None => Ok((machine, Shows::Explored(explore(machine, limits, &Watched::default())))),
        },
    };
    let line = |(verdict, often): &(Verdict, Often)| {
        let (outcome, detail) = match &shown {
            Ok((machine, shows)) => shows.outcome(*verdict, *often, machine),
            Err(ending) => ending.clone(),
        };
        let reproduce = shown.as_ref().ok().filter(|_| outcome == Outcome::Failed).map(|(machine, shows)| {
            let paste = Paste { path: PATH, twin: &case.twin, design: &design.name };
            match shows.reproduce(machine, *verdict, *often, paste) {
                Some(line) => format!("dwsim show scenario/dangerous > {PATH} && {line}"),
                None => format!("dwsim check --dangerous --policy {}", escape::shell(&design.name)),
            }
        });
        Subject {
            scenario: if case.twin.is_empty() { FIRST } else { &case.twin },
            path: PATH,
            twin: &case.twin,
            design: &design.name,
        }
        .line(Expects::Verdict(*verdict, *often), "every schedule", (outcome, detail), reproduce)
    };
    Ok(expected.iter().map(line).collect())
}

/// How it ends for a policy to which the danger never comes, so that surviving it would say nothing.
fn spared(case: &Case, machine: &Machine, limits: Limits) -> Result<Option<(Outcome, String)>, Stop> {
    for claim in &case.claims {
        let ending = load::judge_claim(PATH, claim, &machine.stage, limits)?.ending;
        match ending.outcome {
            Outcome::Met => {}
            Outcome::Failed => {
                return Ok(Some((Outcome::Vacuous, format!("never put to it: {}", ending.why))));
            }
            outcome => return Ok(Some((outcome, ending.why))),
        }
    }
    Ok(None)
}
