//! `SCENARIO.regressions`: the seeds kept beside a scenario, which `check` replays first and `--keep` adds to.

use std::fs;
use std::path::Path;

use dwsim_reports::check::{CheckLine, Expects, Outcome, Subject};
use dwsim_reports::shootout::replay_line;
use dwsim_reports::text;
use dwsim_sim::analysis::expect::culprit;
use dwsim_sim::analysis::tally::Tally;
use dwsim_sim::engine::rng::SEED_EPOCH;
use dwsim_sim::model::scenario::{Case, Design, Often, Verdict};
use dwsim_sim::model::strategy::Strategy;
use dwsim_sim::schedulers::record_seed;
use dwsim_sim::text::regressions::{Entry, parse};

use crate::exit::Stop;
use crate::load::{self, Loaded};
use crate::output::{Terminal, cannot_write};

/// The entries kept beside a scenario; none where there is no such file, or for stdin.
pub fn kept(path: &str) -> Result<Vec<Entry>, Stop> {
    let beside = beside(path);
    if path == "-" || !Path::new(&beside).exists() {
        return Ok(Vec::new());
    }
    Ok(parse(&beside, &load::read(&beside)?)?)
}

/// `zombie.regressions` beside `zombie.ron`.
fn beside(path: &str) -> String {
    format!("{}.regressions", path.strip_suffix(".ron").unwrap_or(path))
}

/// Runs an entry again. An error says why it no longer applies.
pub fn replay(loaded: &Loaded, entry: &Entry) -> Result<CheckLine, Stale> {
    let Entry { seed, strategy, verdict, .. } = *entry;
    let stale = |why: String| {
        let (path, design) = (beside(&loaded.path), text::name(&entry.design));
        Stale::NoLongerApplies(format!("{path}: {design}, seed {seed}, {strategy} no longer applies: {why}"))
    };
    if entry.epoch != SEED_EPOCH {
        let epoch = entry.epoch;
        return Err(stale(format!("it is of seed epoch {epoch}, and this is seed epoch {SEED_EPOCH}")));
    }
    let case = loaded.scenario.cases.iter().find(|case| case.twin == entry.twin);
    let case = case.ok_or_else(|| stale(format!("there is no twin `{}`", entry.twin)))?;
    let row = case.designs.iter().position(|design| design.name == entry.design);
    let row = row.ok_or_else(|| stale(format!("there is no design `{}`", entry.design)))?;
    if !forbidden(&case.designs[row], verdict) {
        return Err(stale(format!("the scenario does not say that it is never {}", verdict.name())));
    }
    let machine = load::compile(&loaded.path, case)?.swap_remove(row);
    let machine = machine.map_err(|why| stale(format!("it cannot run here: {}", why.0)))?;
    let shown = record_seed(&machine, strategy, seed).verdicts.contains(&verdict);
    let replay = || replay_line(&loaded.path, &entry.design, seed, &entry.twin, strategy);
    Ok(Subject {
        scenario: &loaded.scenario.name,
        path: &loaded.path,
        twin: &entry.twin,
        design: &entry.design,
    }
    .line(
        Expects::Verdict(verdict, Often::Never),
        format!("kept seed {seed}, {strategy}"),
        if shown {
            (Outcome::Failed, "seen again".to_owned())
        } else {
            (Outcome::Met, "no longer fails".to_owned())
        },
        shown.then(replay),
    ))
}

/// Why there is no result.
pub enum Stale {
    /// The scenario has changed since.
    NoLongerApplies(String),
    /// The scenario cannot run at all.
    Stop(Stop),
}

impl From<Stop> for Stale {
    fn from(stop: Stop) -> Stale {
        Stale::Stop(stop)
    }
}

/// Whether some expectation rules a verdict out: `never`, or an `exactly_once: always` that it would break.
fn forbidden(design: &Design, verdict: Verdict) -> bool {
    ruled_out(design).any(|(v, often)| culprit(v, often, |occurred| occurred == verdict).is_some())
}

fn ruled_out(design: &Design) -> impl Iterator<Item = (Verdict, Often)> {
    let verdicts = design.expect.verdicts.iter().copied();
    verdicts.filter(|(_, often)| matches!(often, Often::Never | Often::Always))
}

/// For each verdict that was ruled out and occurred, its first seed.
pub fn failing(case: &Case, design: &Design, strategy: Strategy, tally: &Tally) -> Vec<Entry> {
    let verdicts = ruled_out(design).filter_map(|(v, often)| culprit(v, often, |v| tally.count(v) > 0));
    let entry = |verdict| {
        Some(Entry {
            design: design.name.clone(),
            twin: case.twin.clone(),
            seed: tally.first_seed(verdict)?,
            strategy,
            verdict,
            epoch: SEED_EPOCH,
        })
    };
    verdicts.filter_map(entry).collect()
}

/// Adds what is not there yet to the file beside a scenario, and says so.
pub fn keep(path: &str, found: &[Entry], terminal: &Terminal) -> Result<(), Stop> {
    let mut all = kept(path)?;
    let before = all.len();
    for entry in found {
        if !all.contains(entry) {
            all.push(entry.clone());
        }
    }
    let new = &all[before..];
    if new.is_empty() {
        return Ok(());
    }
    let beside = beside(path);
    if path == "-" {
        return Err(Stop::usage("what came from stdin has no file to keep seeds beside; name a file"));
    }
    let mut whole = if before > 0 || Path::new(&beside).exists() {
        load::read(&beside)?
    } else {
        "# Seeds that failed: replayed first by `dwsim check`. Commit this file.\n".to_owned()
    };
    if !whole.ends_with('\n') && !whole.is_empty() {
        whole.push('\n');
    }
    new.iter().for_each(|entry| whole += &format!("{entry}\n"));
    fs::write(&beside, whole).map_err(|error| cannot_write(&beside, &error))?;
    terminal.say(&format!("{} kept in {beside}", text::counted(new.len() as u64, "seed")));
    Ok(())
}
