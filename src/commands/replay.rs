//! `dwsim replay`: one run, step by step.

use std::fmt::Write;

use dwsim_reports::style::Ink;
use dwsim_reports::timeline::Timeline;
use dwsim_reports::{human, json, mermaid, svg};
use dwsim_sim::model::record::Record;

use crate::cli::{ReplayArgs, ReplayFormat};
use crate::exit::{Exit, Stop};
use crate::one_run;
use crate::output::{Terminal, print};

/// Replays a seed or a schedule and shows it, as far as it goes.
pub fn run(args: &ReplayArgs, terminal: &Terminal) -> Result<Exit, Stop> {
    let run = one_run::of(&args.run, &args.timing)?;
    let timeline = Timeline::new(&run.record);
    print(&match args.format {
        ReplayFormat::Human => {
            let title = terminal.out.paint(Ink::Heading, &run.heading);
            format!("{title}\n\n{}", human::timeline(&timeline, terminal.out))
        }
        ReplayFormat::Json => json::timeline(&timeline),
        ReplayFormat::Mermaid => mermaid::timeline(&timeline),
        ReplayFormat::Svg => svg::timeline(&timeline),
        ReplayFormat::Schedule => written(&run.record, &run.heading, run.line.as_deref()),
    })?;
    run.stopped.map_or(Ok(Exit::AsExpected), Err)
}

/// A run as a schedule file that replays it.
fn written(record: &Record, heading: &str, line: Option<&str>) -> String {
    let mut out = format!("# {heading}\n");
    if let Some(line) = line {
        let _ = writeln!(out, "# {line}");
    }
    for moment in &record.moments {
        let _ = writeln!(out, "{}", moment.label);
    }
    out + "stop\n"
}
