//! `dwsim replay`: one run, step by step.

use dwsim_reports::forms::Report;
use dwsim_reports::timeline::{Replay, Timeline};

use crate::cli::ReplayArgs;
use crate::exit::{Exit, Stop};
use crate::one_run;
use crate::output::Terminal;

/// Replays a seed or a schedule and shows it, as far as it goes.
pub fn run(args: &ReplayArgs, terminal: &Terminal) -> Result<Exit, Stop> {
    args.report.check()?;
    let run = one_run::of(&args.run, &args.timing)?;
    let timeline = Timeline::new(&run.record);
    let replay = Replay { heading: run.heading, line: run.line, timeline };
    args.report.write(Report::Replay(&replay), &terminal.page())?;
    run.stopped.map_or(Ok(Exit::AsExpected), Err)
}
