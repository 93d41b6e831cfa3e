//! One run of one design, by a seed or by a schedule file: what `replay` shows and `shrink` makes small.

use std::fmt::Write;
use std::path::Path;

use dwsim_reports::shootout::replay_line;
use dwsim_sim::engine::machine::Machine;
use dwsim_sim::model::record::Record;
use dwsim_sim::schedulers::{Script, follow_script, record_seed};

use crate::cli::{OneRunArgs, TimingArgs};
use crate::exit::{Exit, Stop};
use crate::load::{self, Twins, Wanted};

/// The run that was asked for.
pub struct OneRun {
    /// The row's name.
    pub design: String,
    /// What it ran on.
    pub machine: Machine,
    /// What happened.
    pub record: Record,
    /// What it is, for a title.
    pub heading: String,
    /// The line that replays it, unless the schedule came from a file.
    pub line: Option<String>,
    /// Where the schedule stopped to fit, so that what happened is only the run up to there.
    pub stopped: Option<Stop>,
}

/// Finds the row and runs it, without the steps that are switched off.
pub fn of(args: &OneRunArgs, timing: &TimingArgs) -> Result<OneRun, Stop> {
    if timing.any() && args.schedule.is_none() {
        return Err(Stop::usage(format!(
            "{} goes with --schedule: a seed has its own clock",
            timing.switches().trim()
        )));
    }
    if args.scenario == "-" && args.schedule.as_deref() == Some("-") {
        return Err(Stop::usage("stdin (`-`) can be read only once"));
    }
    if Path::new(&args.scenario).is_dir() {
        return Err(Stop::usage(format!("{} is a folder; name one scenario", args.scenario)));
    }
    let wanted = Wanted {
        designs: args.design.as_slice(),
        policies: args.policy.as_slice(),
        twins: args.twin.as_deref().map_or(Twins::Without, Twins::Only),
    };
    let scenarios = load::scenarios(std::slice::from_ref(&args.scenario), wanted)?;
    let case = scenarios.first().and_then(|loaded| Some((loaded, loaded.scenario.cases.first()?)));
    let (loaded, case) = case.ok_or_else(nothing)?;
    let machines = load::compile(&loaded.path, case)?;
    let (design, machine) = case.designs.iter().zip(machines).next().ok_or_else(nothing)?;
    let mut machine = machine.map_err(|why| {
        Stop::Because(Exit::NothingToRun, format!("{} cannot run here: {}", design.name, why.0))
    })?;

    timing.switch_off(&mut machine);
    let twin = if case.twin.is_empty() { String::new() } else { format!(", twin \"{}\"", case.twin) };
    let mut heading = format!("{}{twin}, design {}", loaded.scenario.name, design.name);
    let (mut line, mut stopped) = (None, None);
    let record = match (args.seed, &args.schedule) {
        (Some(seed), _) => {
            let strategy = args.strategy;
            let _ = write!(heading, ", seed {seed}, {strategy}");
            line = Some(replay_line(&loaded.path, &design.name, seed, &case.twin, strategy));
            record_seed(&machine, strategy, seed)
        }
        (None, path) => {
            let path = path.as_deref().unwrap_or("-");
            let _ = write!(heading, ", schedule {path}");
            let schedule = Schedule::parse(&load::read(path)?);
            let script = Script { labels: &schedule.labels, then_run_on: schedule.runs_on };
            let (record, misfit) = follow_script(&machine, script);
            if let Some(wrong) = misfit {
                let at = schedule.lines.get(wrong.at - 1).copied().unwrap_or(0);
                let complaint = format!("{path}:{at}: {wrong}");
                if !wrong.is_misfit {
                    return Err(Stop::Because(Exit::BadInput, complaint));
                }
                stopped = Some(Stop::Because(Exit::Inconclusive, complaint));
            }
            record
        }
    };
    Ok(OneRun { design: design.name.clone(), machine, record, heading, line, stopped })
}

fn nothing() -> Stop {
    Stop::Because(Exit::NothingToRun, "there is nothing to run".to_owned())
}

/// A schedule file: labels, each with its line.
struct Schedule {
    labels: Vec<String>,
    lines: Vec<usize>,
    /// Whether the run goes on after the last label.
    runs_on: bool,
}

impl Schedule {
    fn parse(text: &str) -> Schedule {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = text.lines().map(uncommented).enumerate();
        let (mut lines, mut labels): (Vec<usize>, Vec<String>) =
            lines.filter(|(_, label)| !label.is_empty()).map(|(i, label)| (i + 1, label.to_owned())).unzip();
        let runs_on = labels.pop_if(|label| label == "stop").is_none();
        lines.truncate(labels.len());
        Schedule { labels, lines, runs_on }
    }
}

/// A line without its comment: `#` begins one at the start of a line, or between spaces. `send #2` is a label.
fn uncommented(line: &str) -> &str {
    let label = line.split(" # ").next().unwrap_or_default().trim();
    if label.starts_with('#') { "" } else { label }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_is_its_lines_without_comments() {
        let schedule = Schedule::parse(
            "\u{feff}# story\r\n\n  producer commit order-1  # why\r\nproducer send #2 order-1\ncrash\nstop\n",
        );
        assert_eq!(schedule.labels, ["producer commit order-1", "producer send #2 order-1", "crash"]);
        assert_eq!(schedule.lines, [3, 4, 5]);
        assert!(!schedule.runs_on);
        assert!(Schedule::parse("crash").runs_on);
    }
}
