//! `dwsim check`: every scenario's own expectations, judged in each way that it says.

use std::sync::atomic::Ordering;

use dwsim_reports::check::{CheckLine, CheckReport, Expects, Outcome};
use dwsim_reports::escape::{file, shell};
use dwsim_reports::rate::Rate;
use dwsim_reports::shootout::{replay_line, schedule_line};
use dwsim_reports::{Style, github, html, human, json, junit, markdown, text};
use dwsim_sim::campaign::{Orders, Progress, Tally, run_case};
use dwsim_sim::claim::{Decision, Says};
use dwsim_sim::drive::{Script, Strategy, record_seed, run_with_crash_at, tally_crash_places, tally_script};
use dwsim_sim::expect::{Sample, culprit, over_exploration, over_runs};
use dwsim_sim::explore::{Exploration, Limits, Watched, explore};
use dwsim_sim::machine::Machine;
use dwsim_sim::program::Surface;
use dwsim_sim::record::Record;
use dwsim_sim::regressions::Entry;
use dwsim_sim::rng::SEED_EPOCH;
use dwsim_sim::scenario::{Case, CheckBy, NotApplicable, Often, Stage, Verdict};
use dwsim_sim::schedule::ScheduleError;
use dwsim_sim::weak;

use crate::cli::{CheckArgs, ReportFormat, Seeds};
use crate::exit::{Exit, Stop};
use crate::load::{self, Loaded, Wanted};
use crate::output::{Terminal, print};
use crate::progress::Watcher;
use crate::regressions::{self, Stale};

/// An exploration keeps no more states than this.
pub(super) const MOST_STATES: u64 = 20_000_000;
/// The strategies under which seeds are judged.
const STRATEGIES: [Strategy; 2] = [Strategy::Timed, Strategy::Uniform];

/// Judges, and reports.
pub fn run(args: &CheckArgs, terminal: &Terminal) -> Result<Exit, Stop> {
    args.report.out.iter().try_for_each(|target| target.check())?;
    let report = if args.dangerous {
        super::dangerous::judge(&args.policy, args.jobs.count())?
    } else {
        of_files(args, terminal)?
    };
    for target in &args.report.out {
        target.write(&render(target.format, &report, Style::Plain))?;
    }
    print(&render(args.report.format, &report, terminal.out))?;
    Ok(exit(&report))
}

/// Judges the scenarios at the paths, and keeps the seeds that failed where that is wanted.
fn of_files(args: &CheckArgs, terminal: &Terminal) -> Result<CheckReport, Stop> {
    let scenarios = load::scenarios(&args.paths, Wanted::default())?;
    let watcher = Watcher::of_seeds(all_seeds(&scenarios, args.seeds), terminal);
    let kept: Vec<Vec<Entry>> =
        scenarios.iter().map(|loaded| regressions::kept(&loaded.path)).collect::<Result<_, _>>()?;
    let (report, found) = judge(&scenarios, &kept, args.seeds, args.jobs.count(), watcher.counted())?;
    drop(watcher);
    if args.keep {
        for (loaded, found) in scenarios.iter().zip(&found) {
            regressions::keep(&loaded.path, found, terminal)?;
        }
    }
    Ok(report)
}

/// Replays what is kept beside each scenario, then judges every expectation of every case. `seeds` stand in for those
/// that the scenarios name. Beside the report: for each scenario that was judged, the seeds that failed.
fn judge(
    scenarios: &[Loaded],
    kept: &[Vec<Entry>],
    seeds: Option<Seeds>,
    jobs: usize,
    progress: &Progress,
) -> Result<(CheckReport, Vec<Vec<Entry>>), Stop> {
    let mut report = CheckReport { seed_epoch: SEED_EPOCH, ..CheckReport::default() };
    let mut failing = Vec::new();
    for (loaded, kept) in scenarios.iter().zip(kept) {
        for entry in kept {
            match regressions::replay(loaded, entry) {
                Ok(line) => report.cases.push(line),
                Err(Stale::NoLongerApplies(why)) => report.warnings.push(why),
                Err(Stale::Stop(stop)) => return Err(stop),
            }
        }
        let mut failing_here = Vec::new();
        for case in &loaded.scenario.cases {
            let machines = load::compile(&loaded.path, case)?;
            let bench = Bench { loaded, case, machines: &machines, jobs, progress };
            let mut evidence = Vec::new();
            for way in &case.check_by {
                evidence.extend(bench.evidence(way, seeds)?);
                if progress.stop.load(Ordering::Relaxed) {
                    report.partial = true;
                    return Ok((report, failing));
                }
            }
            let lines = bench.lines(&evidence);
            report.warnings.extend(bench.warnings(&evidence, &lines));
            report.cases.extend(lines);
            report.cases.extend(bench.claims()?);
            failing_here.extend(bench.failing_seeds(&evidence));
        }
        failing.push(failing_here);
    }
    Ok((report, failing))
}

/// A case and what it takes to judge it.
struct Bench<'a> {
    loaded: &'a Loaded,
    case: &'a Case,
    machines: &'a [Result<Machine, NotApplicable>],
    jobs: usize,
    progress: &'a Progress,
}

/// What one way of judging says of one design.
struct Evidence {
    /// Index of the design in the case.
    design: usize,
    /// The way, for the reader: `10000 seeds, timed and uniform`.
    by: String,
    shows: Shows,
}

pub(super) enum Shows {
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

impl<'a> Bench<'a> {
    /// The designs of which something is expected and that can run here.
    fn judged(&self) -> impl Iterator<Item = (usize, &'a Machine)> {
        let designs = self.case.designs.iter().zip(self.machines).enumerate();
        designs.filter_map(|(i, (design, machine))| {
            let machine = machine.as_ref().ok()?;
            (!design.expect.verdicts.is_empty()).then_some((i, machine))
        })
    }

    fn evidence(&self, way: &CheckBy, seeds: Option<Seeds>) -> Result<Vec<Evidence>, Stop> {
        let of_each = |by: String, show: &dyn Fn(&Machine) -> Shows| {
            self.judged().map(|(design, m)| Evidence { design, by: by.clone(), shows: show(m) }).collect()
        };
        if self.judged().next().is_none() {
            return Ok(Vec::new());
        }
        Ok(match way {
            CheckBy::Seeds(n) => self.by_seeds(seeds.unwrap_or(Seeds { first: 0, count: *n }))?,
            CheckBy::CrashAtEveryStep => {
                of_each("a crash at every step".to_owned(), &|m| Shows::Places(tally_crash_places(m)))
            }
            CheckBy::Script { labels, then_run_on } => of_each("a script".to_owned(), &|m| Shows::Script {
                labels: labels.clone(),
                then_run_on: *then_run_on,
                run: tally_script(m, Script { labels, then_run_on: *then_run_on }),
            }),
            CheckBy::Explore => of_each("every schedule".to_owned(), &|m| {
                let limits = Limits { states: MOST_STATES, jobs: self.jobs, ..Limits::default() };
                Shows::Explored(explore(m, limits, &Watched::default()))
            }),
        })
    }

    fn by_seeds(&self, seeds: Seeds) -> Result<Vec<Evidence>, Stop> {
        let mut results = Vec::new();
        for strategy in STRATEGIES {
            let orders = Orders { strategy, first: seeds.first, seeds: seeds.count, jobs: self.jobs };
            let (result, _) = run_case(self.case, self.machines, orders, self.progress)
                .map_err(|wrong| Stop::Because(Exit::Internal, wrong.to_string()))?;
            results.push(result);
        }
        let by = format!("{}, timed and uniform", text::counted(seeds.count, "seed"));
        let tally = |k: usize, i: usize| results[k].designs[i].tally.clone().unwrap_or_default();
        Ok(self
            .judged()
            .map(|(design, _)| Evidence {
                design,
                by: by.clone(),
                shows: Shows::Seeds {
                    first: seeds.first,
                    runs: Box::new([tally(0, design), tally(1, design)]),
                },
            })
            .collect())
    }

    /// The first seeds that show what must never be.
    fn failing_seeds(&self, evidence: &[Evidence]) -> Vec<Entry> {
        let mut failing = Vec::new();
        for Evidence { design, shows, .. } in evidence {
            let Shows::Seeds { runs, .. } = shows else { continue };
            for (strategy, tally) in STRATEGIES.into_iter().zip(runs.iter()) {
                let design = &self.case.designs[*design];
                failing.extend(regressions::failing(self.case, design, strategy, tally));
            }
        }
        failing
    }

    /// A line for each expectation and way of judging it. `sometimes` asks for one occasion: where one way shows it,
    /// that the others do not is no news.
    fn lines(&self, evidence: &[Evidence]) -> Vec<CheckLine> {
        let mut lines = Vec::new();
        for (i, machine) in self.judged() {
            let design = &self.case.designs[i];
            for (verdict, often) in design.expect.verdicts.iter().copied() {
                let of_it = evidence.iter().filter(|e| e.design == i);
                let mut judged: Vec<CheckLine> =
                    of_it.map(|e| self.line(e, machine, &design.name, verdict, often)).collect();
                if often == Often::Sometimes && judged.iter().any(|line| line.outcome == Outcome::Met) {
                    judged.retain(|line| line.outcome == Outcome::Met);
                }
                lines.extend(judged);
            }
        }
        lines
    }

    /// Where the case is too weak to tell its designs apart. What made an expectation vacuous is not said again.
    fn warnings(&self, evidence: &[Evidence], lines: &[CheckLine]) -> Vec<String> {
        let by_seeds: Vec<(&Stage, Tally)> = evidence
            .iter()
            .filter_map(|e| {
                let Shows::Seeds { runs, .. } = &e.shows else { return None };
                let mut all = Tally::new();
                runs.iter().for_each(|tally| all.merge(tally));
                Some((&self.machines[e.design].as_ref().ok()?.stage, all))
            })
            .collect();
        let never = weak::never_struck(by_seeds.iter().map(|(stage, tally)| (*stage, tally)));
        let said = |why: &str| lines.iter().any(|l| l.outcome == Outcome::Vacuous && l.detail == why);
        let struck = never.into_iter().filter(|fault| !said(fault.never_struck()));
        let struck = struck.map(|fault| format!("{}; {}", fault.never_struck(), weak::remedy(fault)));
        let twin = if self.case.twin.is_empty() {
            String::new()
        } else {
            format!(" in twin \"{}\"", self.case.twin)
        };
        let cannot =
            weak::cannot_express(self.case, &self.loaded.scenario.cases[1..]).into_iter().map(str::to_owned);
        let left = weak::left_undelivered(self.case).map(str::to_owned);
        cannot
            .chain(left)
            .chain(struck)
            .map(|what| format!("{}{twin}: {what}", self.loaded.scenario.name))
            .collect()
    }

    fn line(
        &self,
        e: &Evidence,
        machine: &Machine,
        design: &str,
        verdict: Verdict,
        often: Often,
    ) -> CheckLine {
        let (outcome, detail) = e.shows.outcome(verdict, often, &machine.stage);
        let reproduce = (outcome == Outcome::Failed).then(|| {
            let paste = Paste { path: &self.loaded.path, twin: &self.case.twin, design };
            e.shows.reproduce(machine, verdict, often, paste).unwrap_or_else(|| paste.check())
        });
        CheckLine {
            scenario: self.loaded.scenario.name.clone(),
            path: self.loaded.path.clone(),
            twin: self.case.twin.clone(),
            design: design.to_owned(),
            expects: Expects::Verdict(verdict, often),
            by: e.by.clone(),
            outcome,
            detail,
            reproduce,
        }
    }

    /// A line for each claim and each design that it is about.
    fn claims(&self) -> Result<Vec<CheckLine>, Stop> {
        let limits = Limits { states: MOST_STATES, jobs: self.jobs, ..Limits::default() };
        let mut lines = Vec::new();
        for claim in &self.case.claims {
            for design in &self.case.designs {
                let about_it = claim.of.as_ref().is_none_or(|of| *of == design.name);
                let Some(stage) = design.stage.as_ref().ok().filter(|_| about_it) else { continue };
                let judged = load::judge_claim(&self.loaded.path, claim, stage, limits)?;
                let paste = Paste { path: &self.loaded.path, twin: &self.case.twin, design: &design.name };
                let again = || match (&judged.against, &claim.says) {
                    (Some(labels), _) => paste.schedule(labels.iter().cloned(), false),
                    (None, Says::Decision(decision)) => paste.bound(decision),
                    (None, _) => paste.check(),
                };
                lines.push(CheckLine {
                    scenario: self.loaded.scenario.name.clone(),
                    path: self.loaded.path.clone(),
                    twin: self.case.twin.clone(),
                    design: design.name.clone(),
                    expects: Expects::Claim(claim.name.clone()),
                    by: claim.says.judged_by().to_owned(),
                    outcome: judged.ending.outcome,
                    detail: judged.ending.why.clone(),
                    reproduce: (judged.ending.outcome == Outcome::Failed).then(again),
                });
            }
        }
        Ok(lines)
    }
}

impl Shows {
    /// What comes of an expectation, and why.
    pub(super) fn outcome(&self, verdict: Verdict, often: Often, stage: &Stage) -> (Outcome, String) {
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
    pub(super) fn reproduce(
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

/// What a line to paste names.
#[derive(Clone, Copy)]
pub(super) struct Paste<'a> {
    pub path: &'a str,
    pub twin: &'a str,
    pub design: &'a str,
}

impl Paste<'_> {
    fn schedule(self, labels: impl Iterator<Item = String>, then_run_on: bool) -> String {
        schedule_line(self.path, self.design, self.twin, "", labels, then_run_on)
    }

    fn bound(self, decision: &Decision) -> String {
        let mut line = format!("dwsim bound {} --design {}", file(self.path), shell(self.design));
        if !self.twin.is_empty() {
            line += &format!(" --twin {}", shell(self.twin));
        }
        if let Some(reads) = decision.reads {
            let names: Vec<&str> = reads.iter().map(Surface::name).collect();
            line += &format!(" --reads {}", names.join(","));
        }
        if let Some(redriven) = decision.redriven {
            line += &format!(" --redrive {}", redriven.name());
        }
        line + &format!(" --earlier {}", decision.earlier.name())
    }

    fn check(self) -> String {
        format!("dwsim check {}", file(self.path))
    }
}

/// How many seeds a progress bar ends at.
fn all_seeds(scenarios: &[Loaded], seeds: Option<Seeds>) -> u64 {
    let ways = scenarios.iter().flat_map(|l| &l.scenario.cases).flat_map(|case| &case.check_by);
    let each = ways.map(|way| match way {
        CheckBy::Seeds(n) => seeds.map_or(*n, |s| s.count).saturating_mul(STRATEGIES.len() as u64),
        _ => 0,
    });
    each.fold(0, u64::saturating_add)
}

fn render(format: ReportFormat, report: &CheckReport, style: Style) -> String {
    match format {
        ReportFormat::Human => human::check(report, style),
        ReportFormat::Json => json::check(report),
        ReportFormat::Ndjson => json::check_lines(report),
        ReportFormat::Markdown => markdown::check(report),
        ReportFormat::Junit => junit::check(report),
        ReportFormat::Html => html::check(report),
        ReportFormat::Github => github::check(report),
    }
}

/// The worst that came of anything.
fn exit(report: &CheckReport) -> Exit {
    match report.cases.iter().map(|line| line.outcome).max() {
        _ if report.partial => Exit::Interrupted,
        None => Exit::NothingToRun,
        Some(Outcome::Failed) => Exit::Failed,
        Some(Outcome::Inconclusive | Outcome::Vacuous) => Exit::Inconclusive,
        Some(Outcome::Met) => Exit::AsExpected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dwsim_sim::claim::{Batches, Claim, Pair, Predicate};

    fn shipped() -> Vec<Loaded> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios").to_owned();
        load::scenarios(&[folder], Wanted::default()).expect("the shipped scenarios load")
    }

    fn judged(scenarios: &[Loaded]) -> CheckReport {
        let nothing_kept = vec![Vec::new(); scenarios.len()];
        judge(scenarios, &nothing_kept, None, 2, &Progress::default()).expect("it judges").0
    }

    fn of(text: &str) -> CheckReport {
        let scenario = dwsim_sim::file::load("s.ron", text, &dwsim_policies::Shipped, &Default::default());
        let scenario = scenario.unwrap_or_else(|wrong| panic!("{wrong}"));
        judged(&[Loaded { path: "s.ron".to_owned(), scenario }])
    }

    fn outcomes(report: &CheckReport) -> Vec<(Outcome, &str)> {
        report.cases.iter().map(|line| (line.outcome, line.detail.as_str())).collect()
    }

    #[test]
    fn every_shipped_scenario_keeps_what_it_promises() {
        let report = judged(&shipped());
        assert_eq!(report.warnings, [""; 0]);
        for line in report.cases {
            assert_eq!(line.outcome, Outcome::Met, "{}: {}: {}", line.scenario, line.what(), line.detail);
        }
    }

    #[test]
    fn a_scenario_that_cannot_show_what_its_designs_differ_on_is_told_what_to_write() {
        let crash = "faults: (crash: anywhere(times: 1))";
        let fused = r#"programs: {"fused": Producer(about: "one step",
            each_event: [commit, atomic([send, persist])])}, producer: "fused""#;
        let weak_and_fixed = [
            ("", crash, r#""cursor", "sink-delta""#, "nothing ever crashes"),
            (&format!("{crash}, {fused}"), crash, r#""cursor", "sink-delta""#, "are one step"),
            (&format!("{crash}, wire: (instant: true)"), crash, r#""sink-delta", "fenced""#, "in flight"),
            (
                crash,
                &format!("{crash}, recovery: (recoverers: 2, lease: \"1s\", act: uniform(\"1ms\", \"3s\"))"),
                r#""sink-delta-stepwise", "claim""#,
                "more than one recoverer",
            ),
            (
                &format!("{crash}, wire: (reply: (loss: \"1/2\"))"),
                &format!("{crash}, wire: (reply: (loss: \"1/2\")), producer: \"retry-until-acked\""),
                r#""cursor""#,
                "no reply was ever lost",
            ),
        ];
        for (weak, fixed, designs, missing) in weak_and_fixed {
            let first = designs.split(", ").next().expect("a design");
            let warnings = |fields: &str| {
                let fields = if fields.is_empty() { String::new() } else { format!("{fields}, ") };
                of(&format!(
                    "Scenario({fields}designs: [{designs}], expect: {{{first}: (duplicate: sometimes)}},
                    check_by: [seeds(40)])"
                ))
                .warnings
            };
            let said = warnings(weak);
            assert!(
                said.len() == 1 && said[0].contains(missing) && said[0].contains("; write "),
                "{weak}: {said:?}"
            );
            assert_eq!(warnings(fixed), [""; 0], "{fixed}");
        }
    }

    #[test]
    fn the_opposite_of_every_shipped_expectation_is_not_met_and_what_fails_can_be_pasted() {
        let mut scenarios = shipped();
        for case in scenarios.iter_mut().flat_map(|loaded| &mut loaded.scenario.cases) {
            case.claims.clear();
            for (_, often) in case.designs.iter_mut().flat_map(|design| &mut design.expect.verdicts) {
                *often = match *often {
                    Often::Sometimes | Often::Always => Often::Never,
                    Often::Never => Often::Sometimes,
                    Often::Exactly(n) => Often::Exactly(n + 1),
                };
            }
        }
        for line in judged(&scenarios).cases {
            let what = format!("{}: {}: {}", line.scenario, line.what(), line.detail);
            let sometimes = matches!(line.expects, Expects::Verdict(_, Often::Sometimes));
            if sometimes && line.by.ends_with("uniform") {
                assert_eq!(line.outcome, Outcome::Inconclusive, "{what}");
            } else {
                // An exploration finds rare schedules that seeds may miss, and the other way round never.
                let unseen = line.outcome == Outcome::Inconclusive || line.outcome == Outcome::Met;
                assert!(
                    line.outcome == Outcome::Failed || unseen && line.detail.starts_with("not seen"),
                    "{what}"
                );
            }
            assert_eq!(line.reproduce.is_some(), line.outcome == Outcome::Failed, "{what}");
        }
    }

    #[test]
    fn what_no_run_could_have_exercised_is_vacuous() {
        let never = |faults: &str| {
            of(&format!(
                r#"Scenario({faults}, designs: ["fenced"], expect: {{"fenced": (duplicate: never)}}, check_by: [seeds(50)])"#
            ))
        };
        let report = never("faults: (crash: anywhere(times: 1))");
        assert_eq!(report.cases[0].outcome, Outcome::Met, "{report:?}");
        let report = of(
            r#"Scenario(source: (events: 1), faults: (crash: before(act: "enqueue")), designs: ["fenced"],
                expect: {"fenced": (duplicate: never)}, check_by: [seeds(50)])"#,
        );
        let why = "no message was ever in flight at a crash, so no answer of the sink was out of date";
        assert_eq!(outcomes(&report), [(Outcome::Vacuous, why)]);
    }

    #[test]
    fn a_script_that_cannot_be_followed_fails_and_says_what_it_could_have_done() {
        let report = of(r#"Scenario(faults: (crash: anywhere(times: 1)), designs: ["fenced"],
                expect: {"fenced": (duplicate: never)}, check_by: [script(["go 2", "arrive order-1 g0"])])"#);
        let why =
            "step 2, `arrive order-1 g0`: not enabled here; enabled there: producer send order-1 | crash";
        assert_eq!(outcomes(&report), [(Outcome::Failed, why)]);
        let line =
            r"printf '%s\n' 'go 2' 'arrive order-1 g0' | dwsim replay s.ron --policy fenced --schedule -";
        assert_eq!(report.cases[0].reproduce.as_deref(), Some(line));
    }

    #[test]
    fn each_way_of_failing_names_the_run_that_shows_it() {
        let report =
            of(r#"Scenario(source: (events: 1), wire: (latency: "0ms"), faults: (crash: anywhere(times: 1)),
                designs: ["cursor"], expect: {"cursor": (exactly_once: always, duplicate: never)},
                check_by: [seeds(200), crash_at_every_step, explore])"#);
        for line in &report.cases {
            assert_eq!(line.outcome, Outcome::Failed, "{line:?}");
            let reproduce = line.reproduce.as_deref().expect("a line");
            assert!(reproduce.contains("dwsim replay s.ron --policy cursor"), "{reproduce}");
        }
        assert_eq!(exit(&report), Exit::Failed);
    }

    #[test]
    fn sometimes_is_met_by_the_way_that_reaches_it() {
        let report = of(
            r#"Scenario(source: (events: 1), designs: ["cursor"], faults: (crash: anywhere(times: 1)),
                expect: {"cursor": (duplicate: sometimes)}, check_by: [script(["go 4"]), crash_at_every_step])"#,
        );
        assert_eq!(outcomes(&report), [(Outcome::Met, "seen in 1 of 5 runs")]);
        let report =
            of(r#"Scenario(source: (events: 1), designs: ["fenced"], faults: (crash: anywhere(times: 1)),
                expect: {"fenced": (duplicate: sometimes)}, check_by: [seeds(20), explore])"#);
        let found: Vec<Outcome> = report.cases.iter().map(|line| line.outcome).collect();
        assert_eq!(found, [Outcome::Inconclusive, Outcome::Failed]);
        assert_eq!(exit(&report), Exit::Failed);
    }

    fn opposite(batches: Batches) -> Batches {
        match batches {
            Batches::Unasked => Batches::Unasked,
            Batches::EachFails => Batches::OneIsRight,
            Batches::OneIsRight => Batches::EachFails,
            Batches::OwnIsRight => Batches::OwnFails,
            Batches::OwnFails => Batches::OwnIsRight,
        }
    }

    #[test]
    fn the_opposite_of_every_shipped_claim_is_not_met() {
        let mut scenarios = shipped();
        for case in scenarios.iter_mut().flat_map(|loaded| &mut loaded.scenario.cases) {
            case.designs.iter_mut().for_each(|design| design.expect.verdicts.clear());
            for claim in &mut case.claims {
                claim.says = match claim.says.clone() {
                    Says::Reachable(p) => Says::Always(Predicate::Not(Box::new(p))),
                    Says::Always(p) => Says::Reachable(Predicate::Not(Box::new(p))),
                    Says::Decision(d) => Says::Decision(Decision { is_decidable: !d.is_decidable, ..d }),
                    Says::Holds(p) => Says::Holds(Predicate::Not(Box::new(p))),
                    Says::Enabled(step, enabled) => Says::Enabled(step, !enabled),
                    Says::Determined { among, by, what, decides } => {
                        Says::Determined { among, by, what, decides: !decides }
                    }
                    Says::Choices(batches) => Says::Choices(opposite(batches)),
                    Says::Pair(pair)
                        if pair.batches == Batches::Unasked && pair.strategies.0 == Batches::Unasked =>
                    {
                        Says::Pair(Pair { equal: pair.differ, differ: pair.equal, ..pair })
                    }
                    Says::Pair(pair) => Says::Pair(Pair {
                        batches: opposite(pair.batches),
                        strategies: (opposite(pair.strategies.0), pair.strategies.1),
                        ..pair
                    }),
                }
            }
        }
        let lines = judged(&scenarios).cases;
        assert!(lines.len() > 30, "{} claims", lines.len());
        for line in lines {
            assert_eq!(line.outcome, Outcome::Failed, "{}: {}: {}", line.scenario, line.what(), line.detail);
        }
    }

    /// Everything that the file expects, in every case and of every design, judged where it stands.
    fn everywhere(loaded: &Loaded) -> CheckReport {
        let mut spread = Loaded { path: loaded.path.clone(), scenario: loaded.scenario.clone() };
        let cases = &loaded.scenario.cases;
        let expected = cases.iter().flat_map(|case| &case.designs).flat_map(|d| d.expect.verdicts.clone());
        let mut verdicts: Vec<_> = expected.collect();
        verdicts.sort_by_key(|(verdict, often)| (*verdict, format!("{often:?}")));
        verdicts.dedup();
        let events = |case: &Case| {
            let stage = case.designs.iter().find_map(|design| design.stage.as_ref().ok());
            stage.map(|stage| stage.source.events.len())
        };
        let claims: Vec<_> = cases
            .iter()
            .flat_map(|case| case.claims.iter().map(|claim| (events(case), claim.clone())))
            .collect();
        for case in &mut spread.scenario.cases {
            let here = events(case);
            // A claim names payloads, so it is one about sources of as many.
            let about_such = claims.iter().filter(|(there, _)| *there == here);
            case.claims = about_such.map(|(_, claim)| Claim { of: None, ..claim.clone() }).collect();
            for design in &mut case.designs {
                design.expect.verdicts = verdicts.clone();
            }
        }
        judged(&[spread])
    }

    #[test]
    fn every_row_of_the_theory_has_an_edit_under_which_it_fails() {
        let mut irrefutable = Vec::new();
        for loaded in shipped().iter().filter(|loaded| loaded.path.contains("/scenarios/theory/")) {
            let report = everywhere(loaded);
            let name = &loaded.scenario.name;
            let fails = |expects: &Expects| {
                report.cases.iter().any(|line| {
                    // A script that cannot be followed elsewhere refutes nothing.
                    line.expects == *expects
                        && line.outcome == Outcome::Failed
                        && !line.detail.starts_with("step ")
                })
            };
            let row = &loaded.scenario.cases[0];
            for design in row.designs.iter().filter(|design| !design.expect.verdicts.is_empty()) {
                let expected = &design.expect.verdicts;
                if !expected.iter().any(|(v, often)| fails(&Expects::Verdict(*v, *often))) {
                    irrefutable.push(format!("{name}: what is expected of {}", design.name));
                }
            }
            // A guard cannot be dropped: the act is not enabled then, and beside it stands where it is.
            let stands_open = |refused: &str| {
                row.claims.iter().any(|c| matches!(&c.says, Says::Enabled(step, true) if step == refused))
            };
            // What is decidable by one view stands beside what is not by another.
            let is_contrasted = |decidable: bool| {
                let other = |c: &Claim| matches!(c.says, Says::Decision(d) if d.is_decidable != decidable);
                row.claims.iter().any(other)
            };
            for claim in &row.claims {
                let must_fail_somewhere = match &claim.says {
                    Says::Decision(decision) => !is_contrasted(decision.is_decidable),
                    Says::Enabled(step, enabled) => !enabled && !stands_open(step),
                    // A witness is one state, and its opposite is tried by another test.
                    Says::Holds(_) | Says::Reachable(_) => false,
                    Says::Pair(_) | Says::Always(_) | Says::Determined { .. } | Says::Choices(_) => true,
                };
                if must_fail_somewhere && !fails(&Expects::Claim(claim.name.clone())) {
                    irrefutable.push(format!("{name}: the claim \"{}\"", claim.name));
                }
            }
            if !row.claims.is_empty() && !row.claims.iter().any(|c| fails(&Expects::Claim(c.name.clone()))) {
                irrefutable.push(format!("{name}: its claims"));
            }
            if row.claims.is_empty() && row.designs.iter().all(|d| d.expect.verdicts.is_empty()) {
                irrefutable.push(format!("{name}: nothing is expected"));
            }
        }
        assert_eq!(irrefutable, Vec::<String>::new(), "nothing in the file fails it");
    }
}
