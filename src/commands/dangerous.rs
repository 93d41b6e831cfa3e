//! `dwsim check --dangerous`: the dangerous schedules that are shipped, with a policy of the user's own.

use dwsim_reports::text;
use dwsim_sim::expect::Outcome;
use dwsim_sim::explore::{Exploration, Limits, Reach, Watched, explore};
use dwsim_sim::machine::Machine;
use dwsim_sim::scenario::{Case, Verdict};

use crate::cli::CheckArgs;
use crate::exit::{Exit, Stop};
use crate::load;
use crate::output::print;

/// An exploration keeps no more states than this.
const MOST_STATES: u64 = 20_000_000;
/// What complaints call the shipped schedules.
const PATH: &str = "dangerous.ron";
/// The control in which completeness must trip, and nothing else.
const LOST_ON_PURPOSE: &str = "control, a delivery lost on purpose";

/// What became of a policy under a dangerous schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Fate {
    /// Exactly-once, or unfinished, over every schedule.
    Survived,
    /// These verdicts were reached.
    Fell(Vec<Verdict>),
    /// Nothing dangerous can happen to it here, and why.
    NotExercised(String),
    /// There was no room to look everywhere.
    Undecided,
}

/// Explores each dangerous stage with each policy, and says what became of it.
pub fn run(args: &CheckArgs) -> Result<Exit, Stop> {
    let scenario = load::dangerous(&args.policy)?;
    let limits = Limits { states: MOST_STATES, jobs: args.jobs.count(), ..Limits::default() };
    let mut lines = Vec::new();
    let mut exits = Vec::new();
    for case in &scenario.cases {
        let machines = load::compile(PATH, case)?;
        for (design, machine) in case.designs.iter().zip(machines) {
            let fate = match machine {
                Ok(machine) => fate(case, &machine, limits)?,
                Err(why) => Fate::NotExercised(why.0),
            };
            exits.push(fate.exit(&case.twin));
            lines.push((name(case), design.name.clone(), fate.in_words()));
        }
    }
    print(&table(&lines))?;
    let worst = [Exit::Failed, Exit::Inconclusive].into_iter().find(|exit| exits.contains(exit));
    Ok(worst.unwrap_or(Exit::AsExpected))
}

fn name(case: &Case) -> String {
    if case.twin.is_empty() { "a straggler after the read".to_owned() } else { case.twin.clone() }
}

fn fate(case: &Case, machine: &Machine, limits: Limits) -> Result<Fate, Stop> {
    for claim in &case.claims {
        let judged = load::judge_claim(PATH, claim, &machine.stage, limits)?;
        if judged.ending.outcome != Outcome::Met {
            return Ok(Fate::NotExercised("it never comes to that".to_owned()));
        }
    }
    Ok(of_exploration(&explore(machine, limits, &Watched::default())))
}

fn of_exploration(found: &Exploration) -> Fate {
    let judged = [Verdict::Duplicate, Verdict::Premature, Verdict::Lost];
    let reached: Vec<Verdict> =
        judged.into_iter().filter(|verdict| found.reach(*verdict) == Reach::Reachable).collect();
    match (reached.is_empty(), found.complete) {
        (false, _) => Fate::Fell(reached),
        (true, true) => Fate::Survived,
        (true, false) => Fate::Undecided,
    }
}

impl Fate {
    fn in_words(&self) -> String {
        let word = |verdict: &Verdict| match verdict {
            Verdict::Duplicate => "duplicated".to_owned(),
            other => other.name().to_owned(),
        };
        match self {
            Fate::Survived => "survived".to_owned(),
            Fate::Fell(verdicts) => text::list(&verdicts.iter().map(word).collect::<Vec<_>>()),
            Fate::NotExercised(why) => format!("not exercised: {why}"),
            Fate::Undecided => "not decided by the states that there was room for".to_owned(),
        }
    }

    fn exit(&self, twin: &str) -> Exit {
        let lost = Fate::Fell(vec![Verdict::Lost]);
        match self {
            Fate::NotExercised(_) | Fate::Undecided => Exit::Inconclusive,
            fate if twin == LOST_ON_PURPOSE && *fate == lost => Exit::AsExpected,
            Fate::Survived if twin != LOST_ON_PURPOSE => Exit::AsExpected,
            _ => Exit::Failed,
        }
    }
}

fn table(lines: &[(String, String, String)]) -> String {
    let widest = |column: fn(&(String, String, String)) -> &str| {
        lines.iter().map(|line| text::width(column(line))).max().unwrap_or(0)
    };
    let (schedules, policies) = (widest(|line| &line.0), widest(|line| &line.1));
    lines
        .iter()
        .map(|(schedule, policy, fate)| format!("{schedule:<schedules$}  {policy:<policies$}  {fate}\n"))
        .chain(["to look closer: dwsim show scenario/dangerous > dangerous.ron\n".to_owned()])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fates(policy: &str) -> Vec<Fate> {
        let scenario = load::dangerous(&[policy.to_owned()]).expect("it loads");
        let limits = Limits { states: MOST_STATES, ..Limits::default() };
        let of = |case: &Case| {
            let machine = load::compile(PATH, case).expect("it compiles").remove(0);
            match machine {
                Ok(machine) => fate(case, &machine, limits).expect("it judges"),
                Err(why) => Fate::NotExercised(why.0),
            }
        };
        scenario.cases.iter().map(of).collect()
    }

    #[test]
    fn each_fate_befalls_some_policy() {
        let cursor = fates("cursor");
        assert_eq!(cursor[0], Fate::Fell(vec![Verdict::Duplicate]));
        let fenced = fates("fenced");
        assert_eq!(fenced[0], Fate::Survived);
        assert_eq!(fenced[6], Fate::Fell(vec![Verdict::Lost]), "the control trips completeness alone");
        assert!(matches!(fates("sink-cursor")[0], Fate::NotExercised(_)), "this sink stores no coordinate");
    }
}
