//! What a way of judging shows of a design: what comes of an expectation, and which run shows a failure again.

use dwsim_reports::check::Outcome;
use dwsim_reports::rate::Rate;
use dwsim_reports::shootout::replay_line;
use dwsim_sim::analysis::expect::{Sample, culprit, over_exploration, over_runs};
use dwsim_sim::analysis::tally::Tally;
use dwsim_sim::engine::machine::Machine;
use dwsim_sim::model::record::Record;
use dwsim_sim::model::scenario::{Often, Stage, Verdict};
use dwsim_sim::schedulers::schedule::ScheduleError;
use dwsim_sim::schedulers::{record_seed, run_with_crash_at};
use dwsim_sim::search::explore::Exploration;

use super::STRATEGIES;
use super::paste::Paste;

/// What one way of judging says of one design.
pub(super) struct Evidence {
    /// Index of the design in the case.
    pub design: usize,
    /// The way, for the reader: `10000 seeds, timed and uniform`.
    pub by: String,
    pub shows: Shows,
}

/// What the runs, or the search, came to.
pub enum Shows {
    /// Seeds, each strategy apart, since a seed means another run under another strategy.
    Seeds {
        first: u64,
        runs: Box<[Tally; STRATEGIES.len()]>,
    },
    Places(Tally),
    Script {
        labels: Vec<String>,
        then_run_on: bool,
        run: Result<Tally, ScheduleError>,
    },
    Explored(Exploration),
}

impl Shows {
    /// What comes of an expectation, and why.
    pub fn outcome(&self, verdict: Verdict, often: Often, stage: &Stage) -> (Outcome, String) {
        let ending = match self {
            Shows::Seeds { runs, .. } => {
                let mut all = Tally::new();
                runs.iter().for_each(|tally| all.merge(tally));
                let ending = over_runs(verdict, often, Sample::Seeds, stage, &all);
                if all.count(verdict) == 0 && ending.outcome != Outcome::Vacuous {
                    let (bound, _) = Rate::new(0, all.runs).percent();
                    let why =
                        format!("{}, so its rate is below {}", ending.why, bound.trim_start_matches('<'));
                    return (ending.outcome, why);
                }
                ending
            }
            Shows::Places(tally) => over_runs(verdict, often, Sample::CrashAtEveryStep, stage, tally),
            Shows::Script { run: Ok(tally), .. } => over_runs(verdict, often, Sample::Script, stage, tally),
            Shows::Script { run: Err(wrong), .. } => return (Outcome::Failed, wrong.to_string()),
            Shows::Explored(found) => over_exploration(verdict, often, found),
        };
        (ending.outcome, ending.why)
    }

    /// The line that shows a failure again; none where no single run shows it.
    pub fn reproduce(
        &self,
        machine: &Machine,
        verdict: Verdict,
        often: Often,
        paste: Paste<'_>,
    ) -> Option<String> {
        match self {
            Shows::Seeds { first, runs } => {
                STRATEGIES.into_iter().zip(runs.iter()).find_map(|(strategy, tally)| {
                    let record = |seed| record_seed(machine, strategy, seed);
                    let seed = failing(verdict, often, tally, *first, record)?;
                    Some(replay_line(paste.path, paste.design, seed, paste.twin, &strategy.to_string()))
                })
            }
            Shows::Places(tally) => {
                let record = |place| run_with_crash_at(machine, u32::try_from(place).unwrap_or(u32::MAX));
                let run = record(failing(verdict, often, tally, 0, record)?);
                Some(paste.schedule(run.moments.into_iter().map(|moment| moment.label), false))
            }
            Shows::Script { labels, then_run_on, .. } => {
                Some(paste.schedule(labels.iter().cloned(), *then_run_on))
            }
            Shows::Explored(found) => {
                let shown = culprit(verdict, often, |v| found.witness(v).is_some())?;
                let steps = found.witness(shown)?;
                Some(paste.schedule(steps.iter().map(|action| machine.label(*action)), false))
            }
        }
    }
}

/// The seed, or the place, of the first run that fails an expectation; `first` is where they begin.
fn failing(
    verdict: Verdict,
    often: Often,
    tally: &Tally,
    first: u64,
    record: impl Fn(u64) -> Record,
) -> Option<u64> {
    if often == Often::Always && tally.count(verdict) < tally.runs {
        return (0..tally.runs)
            .map(|k| first.wrapping_add(k))
            .find(|s| !record(*s).verdicts.contains(&verdict));
    }
    tally.first_seed(culprit(verdict, often, |v| tally.count(v) > 0)?)
}
