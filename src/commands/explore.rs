//! `dwsim explore`: every schedule within the bounds of each design.

use std::path::Path;
use std::sync::atomic::Ordering;

use dwsim_policies::Shipped;
use dwsim_reports::check::{CheckLine, Expects, Subject};
use dwsim_reports::exploration::{Case, Ending, ExplorationReport, Found, Row, Shortest};
use dwsim_reports::forms::Report;
use dwsim_reports::head::Head;
use dwsim_reports::shootout::schedule_line;
use dwsim_reports::text;
use dwsim_sim::analysis::bound::regret::Regret;
use dwsim_sim::analysis::expect::{Outcome, culprit, over_exploration};
use dwsim_sim::engine::machine::Machine;
use dwsim_sim::engine::rng::SEED_EPOCH;
use dwsim_sim::model::scenario::{self, CheckBy, Often, Verdict};
use dwsim_sim::model::strategy::Strategy;
use dwsim_sim::model::verdict::Verdicts;
use dwsim_sim::schedulers::{Script, run_script};
use dwsim_sim::search::crash_map;
use dwsim_sim::search::explore::{Limits, Watched, explore};
use dwsim_sim::text::file::Scripted;

use crate::cli::ExploreArgs;
use crate::exit::{Exit, Stop};
use crate::load::{self, Loaded, Twins, Wanted};
use crate::output::{Terminal, cannot_write};
use crate::progress::Watcher;
use crate::regret;

/// Explores and reports.
pub fn run(args: &ExploreArgs, terminal: &Terminal) -> Result<Exit, Stop> {
    let wanted = Wanted {
        designs: &args.rows.design,
        policies: &args.rows.policy,
        twins: args.twin.as_deref().map_or(Twins::Without, Twins::Only),
    };
    args.report.check()?;
    let scenarios = load::scenarios(&args.scenarios, wanted)?;
    let watcher = Watcher::of_states(terminal);
    let mut report = ExplorationReport { seed_epoch: SEED_EPOCH, partial: false, cases: Vec::new() };
    let mut worst = None;
    for (loaded, case) in scenarios.iter().flat_map(|l| l.scenario.cases.iter().map(move |case| (l, case))) {
        let (told, outcome) = of_case(args, loaded, case, watcher.counted(), terminal)?;
        report.cases.push(told);
        worst = worst.max(outcome);
        report.partial = watcher.counted().stop.load(Ordering::Relaxed);
        if report.partial {
            break;
        }
    }
    drop(watcher);
    args.report.write(Report::Explore(&report), &terminal.page())?;
    Ok(match worst {
        _ if report.partial => Exit::Interrupted,
        None => Exit::NothingToRun,
        Some(Outcome::Failed) => Exit::Failed,
        Some(Outcome::Inconclusive | Outcome::Vacuous) => Exit::Inconclusive,
        Some(Outcome::Met) => Exit::AsExpected,
    })
}

/// What comes of the designs of a case, and the worst that comes of what is expected of them; none where none can run.
fn of_case(
    args: &ExploreArgs,
    loaded: &Loaded,
    case: &scenario::Case,
    watched: &Watched,
    terminal: &Terminal,
) -> Result<(Case, Option<Outcome>), Stop> {
    let machines = load::compile(&loaded.path, case)?;
    let faults = machines.iter().find_map(|machine| machine.as_ref().ok());
    let mut told = Case {
        head: Head {
            path: loaded.path.clone(),
            scenario: loaded.scenario.name.clone(),
            twin: case.twin.clone(),
            about: loaded.scenario.about.clone(),
            faults: faults.map_or(String::new(), |m| m.faults_sentence(Strategy::Uniform)),
        },
        rows: Vec::new(),
        unmet: Vec::new(),
    };
    let mut worst = None;
    for (design, machine) in case.designs.iter().zip(machines) {
        let mut row = Row {
            design: design.name.clone(),
            policy: String::new(),
            bounds: String::new(),
            found: Err(String::new()),
        };
        match machine {
            Err(why) => row.found = Err(why.0),
            Ok(mut machine) => {
                args.timing.switch_off(&mut machine);
                row.policy.clone_from(&machine.stage.policy.name);
                row.bounds = bounds(&machine);
                let found = found(args, &machine, &told, &row.design, watched);
                if let Some(folder) = &args.save {
                    let saved = Saved { folder, case: &told, design: &row.design, args };
                    saved.write(&machine, &found, terminal)?;
                }
                let unmet = unmet(loaded, case, design, &found);
                let judged: Vec<Outcome> = unmet.iter().map(|line| line.outcome).collect();
                told.unmet.extend(unmet);
                let limit = (!found.exploration.is_complete()).then_some(Outcome::Inconclusive);
                worst = worst.max(judged.into_iter().chain(limit).chain([Outcome::Met]).max());
                row.found = Ok(found);
            }
        }
        told.rows.push(row);
        if watched.stop.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok((told, worst))
}

/// What the file expects of a design and this exploration did not show, where the file says that `explore` judges it:
/// how often something comes about, and what a script shows, is judged by `run` and `check`.
fn unmet(loaded: &Loaded, case: &scenario::Case, design: &scenario::Design, found: &Found) -> Vec<CheckLine> {
    if !case.check_by.contains(&CheckBy::Explore) {
        return Vec::new();
    }
    let line = |(verdict, often): &(Verdict, Often)| {
        let ending = over_exploration(*verdict, *often, &found.exploration);
        let shown = culprit(*verdict, *often, |v| found.exploration.witness(v).is_some());
        let shown = shown.and_then(|v| found.shortest.iter().find(|shortest| shortest.verdict == v));
        Subject {
            scenario: &loaded.scenario.name,
            path: &loaded.path,
            twin: &case.twin,
            design: &design.name,
        }
        .line(
            Expects::Verdict(*verdict, *often),
            "every schedule",
            (ending.outcome, ending.why),
            shown.map(|shortest| shortest.replay.clone()),
        )
    };
    let can_tell = |(verdict, often): &&(Verdict, Often)| match often {
        Often::Sometimes | Often::Never => true,
        Often::Always => *verdict == Verdict::ExactlyOnce,
        Often::Exactly(n) => *n == 0,
    };
    let lines = design.expect.verdicts.iter().filter(can_tell).map(line);
    lines.filter(|line| line.outcome != Outcome::Met).collect()
}

/// What bounds the schedules, in a sentence.
fn bounds(machine: &Machine) -> String {
    format!(
        "{}; {}",
        text::counted(u64::from(machine.events()), "event"),
        machine.faults_sentence(Strategy::Uniform)
    )
}

fn found(args: &ExploreArgs, machine: &Machine, case: &Case, design: &str, watched: &Watched) -> Found {
    let limits = Limits { states: args.max_states, memory: args.memory.0, jobs: args.jobs.count() };
    let exploration = explore(machine, limits, watched);
    let shortest = Verdict::FAILURES.into_iter().filter_map(|verdict| {
        let schedule = exploration.witness(verdict)?;
        let record = machine.record_schedule(schedule, verdict);
        let labels = record.moments.iter().map(|moment| moment.label.clone());
        let replay =
            schedule_line(&case.head.path, design, &case.head.twin, &args.timing.switches(), labels, false);
        Some(Shortest { verdict, needs: machine.timing_of(schedule), record, replay })
    });
    let shortest = shortest.collect();
    // One limit for the whole call: the map may take the states that the exploration left.
    let of_a_map = Limits { states: limits.states.saturating_sub(exploration.states), ..limits };
    let map = if args.map { crash_map::windows(machine, of_a_map, watched) } else { Vec::new() };
    let interrupted = watched.stop.load(Ordering::Relaxed);
    let mut found = Found { exploration, interrupted, shortest, map, regret: None };
    // Whose fault it is is asked of the stage as it stands, with all steps of its clock.
    found.regret = (found.ending() == Ending::Counterexample).then(|| match args.timing.any() {
        true => Regret::NotKnown,
        false => regret::of(&machine.stage, watched),
    });
    found
}

/// Where the counterexamples of a design go.
struct Saved<'a> {
    folder: &'a str,
    case: &'a Case,
    design: &'a str,
    args: &'a ExploreArgs,
}

impl Saved<'_> {
    /// Writes each counterexample as a scenario that `check` accepts.
    fn write(&self, machine: &Machine, found: &Found, terminal: &Terminal) -> Result<(), Stop> {
        std::fs::create_dir_all(self.folder).map_err(|error| cannot_write(self.folder, &error))?;
        for shortest in &found.shortest {
            let name: String =
                [&self.case.head.scenario, &self.case.head.twin, self.design, shortest.verdict.name()]
                    .iter()
                    .filter(|part| !part.is_empty())
                    .map(|part| part.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "-"))
                    .collect::<Vec<_>>()
                    .join("-");
            let path = Path::new(self.folder).join(format!("{name}.ron"));
            let shown = path.display().to_string();
            if !self.is_shown_by_the_file(machine, shortest)? {
                terminal.say(&format!(
                    "{shown} is not written: a scenario has no{}, and without it this run goes on; replay it with\n{}",
                    self.args.timing.switches(),
                    shortest.replay
                ));
                continue;
            }
            let text = self.text(machine, shortest);
            let mut file = std::fs::File::create_new(&path).map_err(|error| cannot_write(&shown, &error))?;
            std::io::Write::write_all(&mut file, text.as_bytes())
                .map_err(|error| cannot_write(&shown, &error))?;
            terminal.say(&shown);
        }
        Ok(())
    }

    /// Whether the run shows its verdict too where every step of a clock is possible, as it is in the saved file.
    fn is_shown_by_the_file(&self, machine: &Machine, shortest: &Shortest) -> Result<bool, Stop> {
        if !self.args.timing.any() {
            return Ok(true);
        }
        let whole = load::compile_stage(&self.case.head.path, &machine.stage)?;
        let labels: Vec<String> = shortest.record.moments.iter().map(|m| m.label.clone()).collect();
        let script = Script { labels: &labels, then_run_on: !shortest.verdict.is_hazard() };
        Ok(run_script(&whole, script).is_ok_and(|run| run.verdicts.contains(&shortest.verdict)))
    }

    fn text(&self, machine: &Machine, shortest: &Shortest) -> String {
        let mut stage = machine.stage.clone();
        stage.judge.asked = Verdicts::NONE;
        stage.judge.ask_for(shortest.verdict);
        let does = text::does(shortest.verdict);
        let (design, title) = (self.design, self.case.head.title());
        let mut story = vec![format!("A shortest schedule on which {design} {does}, of {title}.")];
        if self.args.timing.any() {
            story.push(format!("Explored with{}.", self.args.timing.switches()));
        }
        story.extend(shortest.needs_in_words().into_iter().map(|need| format!("It needs a clock: {need}.")));
        let scripted = Scripted {
            story,
            about: &format!("{design} {does}: a shortest schedule"),
            design,
            stage: &stage,
            expect: vec![(shortest.verdict, Often::Always)],
            steps: shortest.record.moments.iter().map(|m| (m.label.clone(), String::new())).collect(),
            then_run_on: !shortest.verdict.is_hazard(),
        };
        scripted.text(&Shipped)
    }
}
