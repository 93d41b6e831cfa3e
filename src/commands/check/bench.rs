//! One case, judged in each way that it says: its expectations, its claims, and whether it could tell designs apart.

use dwsim_reports::check::{CheckLine, Expects, Outcome, Subject};
use dwsim_reports::text;
use dwsim_sim::analysis::campaign::{CaseResult, Orders, Origin, Progress, run_case};
use dwsim_sim::analysis::lint;
use dwsim_sim::analysis::tally::Tally;
use dwsim_sim::engine::faults::spec;
use dwsim_sim::engine::machine::Machine;
use dwsim_sim::model::claim::Says;
use dwsim_sim::model::scenario::{Case, CheckBy, NotApplicable, Often, Stage, Under, Verdict};
use dwsim_sim::model::strategy::Strategy;
use dwsim_sim::schedulers::Script;
use dwsim_sim::search::explore::{Limits, Watched, explore};
use dwsim_sim::text::regressions::Entry;

use super::MOST_STATES;
use super::evidence::{Evidence, Shows};
use super::paste::Paste;
use crate::cli::Seeds;
use crate::exit::{Exit, Stop};
use crate::load::{self, Loaded};
use crate::regressions;

/// A case and what it takes to judge it.
pub(super) struct Bench<'a> {
    pub loaded: &'a Loaded,
    pub case: &'a Case,
    pub machines: &'a [Result<Machine, NotApplicable>],
    pub jobs: usize,
    pub progress: &'a Progress,
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

    /// What one way of judging says of each design of which something is expected.
    pub(super) fn evidence(&self, way: &CheckBy, seeds: Option<Seeds>) -> Result<Vec<Evidence>, Stop> {
        let of_each = |by: String, show: &dyn Fn(&Machine) -> Shows| {
            self.judged().map(|(design, m)| Evidence { design, by: by.clone(), shows: show(m) }).collect()
        };
        if self.judged().next().is_none() {
            return Ok(Vec::new());
        }
        Ok(match way {
            CheckBy::Seeds { count, under } => {
                self.by_seeds(seeds.unwrap_or(Seeds { first: 0, count: *count }), *under)?
            }
            CheckBy::CrashAtEveryStep => {
                of_each("a crash at every step".to_owned(), &|m| Shows::Places(Tally::of_crash_places(m)))
            }
            CheckBy::Script { labels, then_run_on } => of_each("a script".to_owned(), &|m| Shows::Script {
                labels: labels.clone(),
                then_run_on: *then_run_on,
                run: Tally::of_script(m, Script { labels, then_run_on: *then_run_on }),
            }),
            CheckBy::Explore => of_each("every schedule".to_owned(), &|m| {
                let limits = Limits { states: MOST_STATES, jobs: self.jobs, ..Limits::default() };
                Shows::Explored(explore(m, limits, &Watched::default()))
            }),
        })
    }

    fn by_seeds(&self, seeds: Seeds, under: Under) -> Result<Vec<Evidence>, Stop> {
        let mut results = Vec::new();
        let scenario = &self.loaded.scenario;
        let origin = Origin { path: &self.loaded.path, scenario: &scenario.name, about: &scenario.about };
        for strategy in under.strategies() {
            let orders =
                Orders { strategy: *strategy, first: seeds.first, seeds: seeds.count, jobs: self.jobs };
            let (result, _) = run_case(origin, self.case, self.machines, orders, self.progress)
                .map_err(|wrong| Stop::Because(Exit::Internal, wrong.to_string()))?;
            results.push((*strategy, result));
        }
        let names: Vec<String> = under.strategies().iter().map(Strategy::to_string).collect();
        let by = format!("{}, {}", text::counted(seeds.count, "seed"), names.join(" and "));
        let halves = |i: usize| {
            let tally = |result: &CaseResult| result.designs[i].tally.clone().unwrap_or_default();
            results.iter().map(|(strategy, result)| (*strategy, tally(result))).collect()
        };
        Ok(self
            .judged()
            .map(|(design, _)| Evidence {
                design,
                by: by.clone(),
                shows: Shows::Seeds { first: seeds.first, halves: halves(design) },
            })
            .collect())
    }

    /// The first seeds that show what must never be.
    pub(super) fn failing_seeds(&self, evidence: &[Evidence]) -> Vec<Entry> {
        let mut failing = Vec::new();
        for Evidence { design, shows, .. } in evidence {
            let Shows::Seeds { halves, .. } = shows else { continue };
            for (strategy, tally) in halves {
                let design = &self.case.designs[*design];
                failing.extend(regressions::failing(self.case, design, *strategy, tally));
            }
        }
        failing
    }

    /// A line for each expectation and way of judging it. `sometimes` asks for one occasion: where one way shows it,
    /// that the others do not is no news.
    pub(super) fn lines(&self, evidence: &[Evidence]) -> Vec<CheckLine> {
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
    pub(super) fn warnings(&self, evidence: &[Evidence], lines: &[CheckLine]) -> Vec<String> {
        let by_seeds: Vec<(&Stage, Tally)> = evidence
            .iter()
            .filter_map(|e| {
                let Shows::Seeds { halves, .. } = &e.shows else { return None };
                let mut all = Tally::new();
                halves.iter().for_each(|(_, tally)| all.merge(tally));
                Some((&self.machines[e.design].as_ref().ok()?.stage, all))
            })
            .collect();
        let never = lint::never_struck(by_seeds.iter().map(|(stage, tally)| (*stage, tally)));
        let said = |why: &str| lines.iter().any(|l| l.outcome == Outcome::Vacuous && l.detail == why);
        let struck = never.into_iter().filter(|fault| !said(spec(*fault).never_struck));
        let struck = struck.map(|fault| format!("{}; {}", spec(fault).never_struck, spec(fault).remedy));
        let twin = if self.case.twin.is_empty() {
            String::new()
        } else {
            format!(" in twin \"{}\"", self.case.twin)
        };
        let cannot =
            lint::cannot_express(self.case, &self.loaded.scenario.cases[1..]).into_iter().map(str::to_owned);
        let left = lint::left_undelivered(self.case).map(str::to_owned);
        cannot
            .chain(left)
            .chain(struck)
            .map(|what| format!("{}{twin}: {what}", self.loaded.scenario.name))
            .collect()
    }

    fn subject<'b>(&'b self, design: &'b str) -> Subject<'b> {
        let Loaded { path, scenario, .. } = self.loaded;
        Subject { scenario: &scenario.name, path, twin: &self.case.twin, design }
    }

    fn line(
        &self,
        e: &Evidence,
        machine: &Machine,
        design: &str,
        verdict: Verdict,
        often: Often,
    ) -> CheckLine {
        let (outcome, detail) = e.shows.outcome(verdict, often, machine);
        let reproduce = (outcome == Outcome::Failed).then(|| {
            let paste = Paste { path: &self.loaded.path, twin: &self.case.twin, design };
            e.shows.reproduce(machine, verdict, often, paste).unwrap_or_else(|| paste.check())
        });
        self.subject(design).line(Expects::Verdict(verdict, often), &*e.by, (outcome, detail), reproduce)
    }

    /// A line for each claim and each design that it is about.
    pub(super) fn claims(&self) -> Result<Vec<CheckLine>, Stop> {
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
                lines.push(self.subject(&design.name).line(
                    Expects::Claim(claim.name.clone()),
                    claim.says.judged_by(),
                    (judged.ending.outcome, judged.ending.why.clone()),
                    (judged.ending.outcome == Outcome::Failed).then(again),
                ));
            }
        }
        Ok(lines)
    }
}
