//! What a way of judging shows of a design: what comes of an expectation, and which run shows a failure again.

use dwsim_reports::check::Outcome;
use dwsim_reports::rate::Rate;
use dwsim_reports::shootout::replay_line;
use dwsim_sim::analysis::expect::{Sample, culprit, over_exploration, over_runs};
use dwsim_sim::analysis::stats::count;
use dwsim_sim::analysis::tally::Tally;
use dwsim_sim::engine::machine::Machine;
use dwsim_sim::model::action::Action;
use dwsim_sim::model::ids::Tick;
use dwsim_sim::model::record::Record;
use dwsim_sim::model::scenario::{Acceptance, Keeps, Often, Verdict};
use dwsim_sim::model::strategy::Strategy;
use dwsim_sim::schedulers::schedule::ScheduleError;
use dwsim_sim::schedulers::{record_seed, run_with_crash_at};
use dwsim_sim::search::explore::{Exploration, Timing};

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
        halves: Vec<(Strategy, Tally)>,
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
    pub fn outcome(&self, verdict: Verdict, often: Often, machine: &Machine) -> (Outcome, String) {
        let stage = &machine.stage;
        let ending = match self {
            Shows::Seeds { halves, .. } => {
                let mut all = Tally::new();
                halves.iter().for_each(|(_, tally)| all.merge(tally));
                let ending = over_runs(verdict, often, Sample::Seeds, stage, &all);
                if all.count(verdict) == 0 && ending.outcome != Outcome::Vacuous {
                    let (bound, _) = Rate::new(0, all.runs).percent();
                    let why =
                        format!("{}, so its rate is below {}", ending.why, bound.trim_start_matches('<'));
                    return (ending.outcome, why);
                }
                if ending.outcome == Outcome::Failed
                    && let Some(why) = of_one_half(halves, verdict, often, machine)
                {
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
            Shows::Seeds { first, halves } => halves.iter().find_map(|(strategy, tally)| {
                let record = |seed| record_seed(machine, *strategy, seed);
                let seed = failing(verdict, often, tally, *first, record)?;
                Some(replay_line(paste.path, paste.design, seed, paste.twin, *strategy))
            }),
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

/// Why an expectation fails in one half of the judgement and not in the other: where the clock never brings about what
/// some order of the steps does, or always does what hardly any order does.
fn of_one_half(
    halves: &[(Strategy, Tally)],
    verdict: Verdict,
    often: Often,
    machine: &Machine,
) -> Option<String> {
    let shown = culprit(verdict, often, |v| halves.iter().any(|(_, tally)| tally.count(v) > 0))?;
    let [one, other] = halves else { return None };
    let ((strategy, red), (_, green)) = match (one.1.count(shown), other.1.count(shown)) {
        (0, _) => (other, one),
        (_, 0) => (one, other),
        _ => return None,
    };
    let kind = |strategy: Strategy| if strategy == Strategy::Timed { "timed" } else { "untimed" };
    let counts = format!(
        "{} in {} of {} {} runs, in none of {} {}",
        shown.name(),
        count(red.count(shown)),
        count(red.runs),
        kind(*strategy),
        count(green.runs),
        if *strategy == Strategy::Timed { "untimed" } else { "timed" },
    );
    let why = match strategy {
        Strategy::Timed => "its order is one that chance alone hardly ever picks".to_owned(),
        _ => {
            let seed = red.first_seed(shown)?;
            let run = record_seed(machine, *strategy, seed);
            let steps: Vec<Action> = run.moments.iter().map(|moment| moment.action).collect();
            let needs = deeds_of_time(machine, &steps);
            match needs.is_empty() {
                true => {
                    format!("no delay that the clock draws leads to an order such as that of seed {seed}")
                }
                false => format!("in seed {seed} {}", needs.join(", and ")),
            }
        }
    };
    Some(format!("{counts}: {why}"))
}

/// What only time brings about in a run, a clause for the first of each kind.
fn deeds_of_time(machine: &Machine, steps: &[Action]) -> Vec<String> {
    let mut clauses = Vec::new();
    let mut told = Vec::new();
    for (step, timing) in machine.timing_of(steps) {
        if told.contains(&timing) {
            continue;
        }
        told.push(timing);
        let restart = steps[step..].iter().position(|action| machine.starts_recoverer(*action));
        let then =
            restart.map_or(String::new(), |at| format!(", before the restart at step {}", step + at + 1));
        clauses.push(match timing {
            Timing::Abort => {
                format!("a preparation{} expired at step {step}{then}", kept(preparation_life(machine)))
            }
            Timing::Expiry => {
                format!("the dedup key{} expired at step {step}{then}", kept(key_life(machine)))
            }
            Timing::Timeout => format!("the sender gave up waiting at step {step}"),
            Timing::Suspicion => {
                format!("a second recoverer started at step {step} while the first lived")
            }
        });
    }
    clauses
}

/// How long something lives by the clock, as an aside.
fn kept(ticks: Option<u64>) -> String {
    ticks.map_or(String::new(), |ticks| format!(" that lives {}", Tick(ticks)))
}

fn key_life(machine: &Machine) -> Option<u64> {
    match machine.stage.sink.dedup.map(|dedup| dedup.keeps) {
        Some(Keeps::For { ticks, .. }) => Some(ticks),
        _ => None,
    }
}

fn preparation_life(machine: &Machine) -> Option<u64> {
    match machine.stage.sink.acceptance {
        Acceptance::Provisional { expires } => Some(expires),
        Acceptance::Final => None,
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
