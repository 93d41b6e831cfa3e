//! `dwsim shrink`: from a run that went wrong to the smallest scenario that goes wrong in the same way.

use std::fs::File;
use std::io::Write;

use dwsim_policies::Shipped;
use dwsim_reports::{escape, text};
use dwsim_sim::model::action::Action;
use dwsim_sim::model::scenario::{Often, Verdict};
use dwsim_sim::model::view::Rules;
use dwsim_sim::search::shrink::{Needed, Shrunk, shrink};
use dwsim_sim::text::file::Scripted;

use crate::cli::{ShrinkArgs, TimingArgs};
use crate::exit::{Exit, Stop};
use crate::one_run::{self, OneRun};
use crate::output::{Terminal, cannot_write, print};

/// Shrinks a run and writes the scenario.
pub fn run(args: &ShrinkArgs, terminal: &Terminal) -> Result<Exit, Stop> {
    let mut run = one_run::of(&args.run, &TimingArgs::default())?;
    if let Some(stop) = run.stopped.take() {
        return Err(stop);
    }
    let shows = &run.record.verdicts;
    let wanted = args.verdict;
    let verdict = match wanted {
        Some(wanted) if !shows.contains(&wanted) => None,
        Some(wanted) => Some(wanted),
        None => Verdict::FAILURES.into_iter().find(|verdict| shows.contains(verdict)),
    };
    let Some(verdict) = verdict else {
        let what = wanted.map_or("no failure".to_owned(), |v| format!("no verdict `{}`", v.name()));
        let shown: Vec<String> = shows.iter().map(|v| text::verdict(*v).to_owned()).collect();
        let message = format!("{}: this run shows {what}; it is {}", run.heading, text::list(&shown));
        return Err(Stop::Because(Exit::NothingToRun, message));
    };
    let schedule: Vec<Action> = run.record.moments.iter().map(|moment| moment.action).collect();
    let shrunk = shrink(&run.machine, &Rules::new(), &schedule, verdict)
        .map_err(|wrong| Stop::Because(Exit::Internal, wrong.to_string()))?
        .ok_or_else(|| {
            Stop::Because(Exit::Internal, "the run does not show its own verdict again".to_owned())
        })?;
    let scenario = written(&run, &shrunk);
    match &args.output {
        None => print(&scenario)?,
        Some(path) => {
            let written = File::create_new(path).and_then(|mut file| file.write_all(scenario.as_bytes()));
            written.map_err(|error| cannot_write(path, &error))?;
            let steps = text::counted(shrunk.steps.len() as u64, "step");
            terminal.say(&format!(
                "{path}: {steps} of {}; dwsim check {}",
                schedule.len(),
                escape::file(path)
            ));
        }
    }
    Ok(Exit::AsExpected)
}

/// The scenario, with beside each step what the run comes to without it.
fn written(run: &OneRun, shrunk: &Shrunk) -> String {
    let does = text::does(shrunk.verdict);
    let mut story =
        vec![format!("How {} {does}, as small as it gets. Shrunk from {}.", run.design, run.heading)];
    story.extend(run.line.clone());
    story.push("Every step is needed: beside each, what comes of the run without it.".to_owned());
    let steps = shrunk.steps.iter().map(|step| (step.label.clone(), why(step, shrunk.verdict)));
    let scripted = Scripted {
        story,
        about: &format!("{} {does}: the smallest schedule", run.design),
        design: &run.design,
        stage: &shrunk.stage,
        expect: vec![(shrunk.verdict, Often::Always)],
        steps: steps.collect(),
        then_run_on: shrunk.then_run_on,
    };
    scripted.text(&Shipped)
}

/// Why a step is needed.
fn why(step: &Needed, verdict: Verdict) -> String {
    if step.without.contains(&verdict) {
        return format!("without it: not yet {}", text::verdict(verdict));
    }
    let verdicts: Vec<String> = step.without.iter().map(|v| text::verdict(*v).to_owned()).collect();
    format!("without it: {}", text::list(&verdicts))
}
