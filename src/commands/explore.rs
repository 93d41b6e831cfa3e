//! `dwsim explore`: every schedule within the bounds of each design.

use std::path::Path;
use std::sync::atomic::Ordering;

use dwsim_policies::Shipped;
use dwsim_reports::escape::shell;
use dwsim_reports::exploration::{ExplorationReport, Found, Row, Shortest};
use dwsim_reports::shootout::FAILURES;
use dwsim_reports::{human, json, markdown, text};
use dwsim_sim::drive::Strategy;
use dwsim_sim::expect::{Outcome, over_exploration};
use dwsim_sim::explore::{Limits, Timing, Watched, explore, map};
use dwsim_sim::file::Scripted;
use dwsim_sim::machine::Machine;
use dwsim_sim::rng::SEED_EPOCH;
use dwsim_sim::scenario::{Often, Verdict};
use dwsim_sim::shrink::is_hazard;

use crate::cli::{ExploreArgs, ExploreFormat};
use crate::exit::{Exit, Stop};
use crate::load::{self, Twins, Wanted};
use crate::output::{Terminal, cannot_write, print};

/// A map keeps no more states than this for each place.
const MOST_OF_A_MAP: usize = 1_000_000;

/// Explores and reports.
pub fn run(args: &ExploreArgs, terminal: &Terminal) -> Result<Exit, Stop> {
    let wanted = Wanted {
        designs: &args.rows.design,
        policies: &args.rows.policy,
        twins: args.twin.as_deref().map_or(Twins::Without, Twins::Only),
    };
    let scenarios = load::scenarios(&args.scenarios, wanted)?;
    let watched = std::sync::Arc::new(Watched::default());
    let shared = std::sync::Arc::clone(&watched);
    // Where no handler can be set, Ctrl-C ends the process without a report, as it does everywhere.
    let _ = ctrlc::set_handler(move || {
        if shared.stop.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Interrupted as i32);
        }
    });
    let mut report = ExplorationReport { seed_epoch: SEED_EPOCH, partial: false, rows: Vec::new() };
    let mut worst = None;
    'all: for loaded in &scenarios {
        for case in &loaded.scenario.cases {
            for (design, machine) in case.designs.iter().zip(load::compile(&loaded.path, case)?) {
                let mut row = Row {
                    path: loaded.path.clone(),
                    scenario: loaded.scenario.name.clone(),
                    twin: case.twin.clone(),
                    design: design.name.clone(),
                    policy: String::new(),
                    bounds: String::new(),
                    found: Err(String::new()),
                };
                match machine {
                    Err(why) => row.found = Err(why.0),
                    Ok(mut machine) => {
                        switch_off(args, &mut machine);
                        row.policy.clone_from(&machine.stage.policy.name);
                        row.bounds = bounds(&machine);
                        let found = found(args, &machine, &row, &watched);
                        if let Some(folder) = &args.save {
                            save(folder, &machine, &row, &found, terminal)?;
                        }
                        let judged = design.expect.verdicts.iter().map(|(verdict, often)| {
                            over_exploration(*verdict, *often, &found.exploration).outcome
                        });
                        let limit = (!found.exploration.complete).then_some(Outcome::Inconclusive);
                        worst = worst.max(judged.chain(limit).chain([Outcome::Met]).max());
                        row.found = Ok(found);
                    }
                }
                report.rows.push(row);
                if watched.stop.load(Ordering::Relaxed) {
                    report.partial = true;
                    break 'all;
                }
            }
        }
    }
    print(&match args.format {
        ExploreFormat::Human => human::exploration(&report, terminal.out),
        ExploreFormat::Json => json::exploration(&report),
        ExploreFormat::Markdown => markdown::exploration(&report),
    })?;
    Ok(match worst {
        _ if report.partial => Exit::Interrupted,
        None => Exit::NothingToRun,
        Some(Outcome::Failed) => Exit::Failed,
        Some(Outcome::Inconclusive | Outcome::Vacuous) => Exit::Inconclusive,
        Some(Outcome::Met) => Exit::AsExpected,
    })
}

fn switch_off(args: &ExploreArgs, machine: &mut Machine) {
    let switches = [
        (args.no_expiry, Timing::Expiry),
        (args.no_timeout, Timing::Timeout),
        (args.no_suspicion, Timing::Suspicion),
    ];
    for (_, timing) in switches.into_iter().filter(|(off, _)| *off) {
        machine.without(timing);
    }
}

/// What bounds the schedules, in a sentence.
fn bounds(machine: &Machine) -> String {
    format!(
        "{}; {}",
        text::counted(u64::from(machine.events()), "event"),
        machine.faults_sentence(Strategy::Uniform)
    )
}

fn found(args: &ExploreArgs, machine: &Machine, row: &Row, watched: &Watched) -> Found {
    let limits = Limits { states: args.max_states, jobs: args.jobs.count() };
    let exploration = explore(machine, limits, watched);
    let shortest = FAILURES.into_iter().filter_map(|verdict| {
        let schedule = exploration.witness(verdict)?;
        let record = machine.record_schedule(schedule);
        let labels = record.moments.iter().map(|moment| shell(&moment.label));
        let labels: Vec<String> = labels.chain(["stop".to_owned()]).collect();
        let twin = match row.twin.as_str() {
            "" => String::new(),
            twin => format!(" --twin {}", shell(twin)),
        };
        let (path, design) = (shell(&row.path), shell(&row.design));
        let replay = format!(
            r"printf '%s\n' {} | dwsim replay {path} --policy {design}{twin} --schedule -",
            labels.join(" ")
        );
        Some(Shortest { verdict, needs: machine.timing_of(schedule), record, replay })
    });
    let shortest = shortest.collect();
    let map = if args.map { map::windows(machine, MOST_OF_A_MAP) } else { Vec::new() };
    Found { exploration, shortest, map }
}

/// Writes each counterexample as a scenario that `check` accepts.
fn save(folder: &str, machine: &Machine, row: &Row, found: &Found, terminal: &Terminal) -> Result<(), Stop> {
    std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
    for shortest in &found.shortest {
        let name: String = [&row.scenario, &row.twin, &row.design, shortest.verdict.name()]
            .iter()
            .filter(|part| !part.is_empty())
            .map(|part| part.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "-"))
            .collect::<Vec<_>>()
            .join("-");
        let path = Path::new(folder).join(format!("{name}.ron"));
        let mut stage = machine.stage.clone();
        stage.judge.contents = shortest.verdict == Verdict::Dirty;
        let does = text::does(shortest.verdict);
        let mut story =
            vec![format!("A shortest schedule on which {} {does}, of {}.", row.design, row.title())];
        story.extend(shortest.needs_in_words().into_iter().map(|need| format!("It needs a clock: {need}.")));
        let scripted = Scripted {
            story,
            about: &format!("{} {does}: a shortest schedule", row.design),
            design: &row.design,
            stage: &stage,
            expect: vec![(shortest.verdict, Often::Always)],
            steps: shortest.record.moments.iter().map(|m| (m.label.clone(), String::new())).collect(),
            then_run_on: !is_hazard(shortest.verdict),
        };
        let shown = path.display().to_string();
        let mut file = std::fs::File::create_new(&path).map_err(|error| cannot_write(&shown, &error))?;
        std::io::Write::write_all(&mut file, scripted.text(&Shipped).as_bytes())
            .map_err(|error| cannot_write(&shown, &error))?;
        terminal.say(&shown);
    }
    Ok(())
}
