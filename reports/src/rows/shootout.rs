//! The shootout: every design of a scenario on the same seeds, as rows that all renderers share.

use dwsim_sim::analysis::bound::regret::Regret;
use dwsim_sim::analysis::campaign::{Campaign, CaseResult, DesignResult, Flips};
use dwsim_sim::analysis::tally::Tally;
use dwsim_sim::model::ids::Tick;
use dwsim_sim::model::label::{check_label, looks_like_path};
use dwsim_sim::model::strategy::Strategy;
use dwsim_sim::model::verdict::{Column, Verdict};

use super::check::CheckLine;
use super::head::Head;
use super::rate::Rate;
use crate::{escape, text};

/// What `dwsim run` found.
#[derive(Clone, PartialEq, Debug)]
pub struct Shootout {
    /// Who picked the next step.
    pub strategy: Strategy,
    /// The seed epoch under which the seeds mean what they mean.
    pub seed_epoch: u32,
    /// Whether it was interrupted before every seed had run.
    pub partial: bool,
    /// A scenario or a twin each.
    pub cases: Vec<Case>,
    /// What the files expect and did not get.
    pub unmet: Vec<CheckLine>,
}

/// The first failure of a design, told by whoever replayed it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Index into [`Campaign::cases`].
    pub case: usize,
    /// Index into [`CaseResult::designs`].
    pub design: usize,
    /// The seed that shows it.
    pub seed: u64,
    /// How it failed.
    pub verdict: Verdict,
    /// What happened, in plain words; see [`crate::sentence`].
    pub sentence: String,
    /// Whose fault it is.
    pub regret: Regret,
}

/// One scenario or twin.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// What it is called and what it is about.
    pub head: Head,
    /// First seed and number of seeds.
    pub seeds: (u64, u64),
    /// One for each design.
    pub rows: Vec<Row>,
    /// Pairs of designs that differ on some seed, the most telling first.
    pub flips: Vec<Flip>,
}

/// One design.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Its name.
    pub design: String,
    /// Its policy's name.
    pub policy: String,
    /// What was counted, or why it cannot run here.
    pub numbers: Result<Numbers, String>,
    /// Its first failure, where there is one and it was told.
    pub failure: Option<Told>,
}

/// What was counted of a design.
#[derive(Clone, PartialEq, Debug)]
pub struct Numbers {
    /// How many runs were judged.
    pub runs: u64,
    /// For each of [`Verdict::ALL`].
    pub rates: [Rate; Verdict::ALL.len()],
    /// For each of [`Verdict::ALL`]: the smallest seed whose run shows it.
    pub first_seeds: [Option<u64>; Verdict::ALL.len()],
    /// Messages sent.
    pub sends: u64,
    /// Of these, payloads that had been sent before.
    pub resends: u64,
    /// Messages that a fence refused although their payload was still owed.
    pub rescues_dropped: u64,
    /// Messages that the sink's dedup memory absorbed.
    pub absorbed: u64,
    /// Messages lost on the wire.
    pub lost_in_transit: u64,
    /// Reads of the sink by recoverers.
    pub reads: u64,
    /// Crashes that struck.
    pub crashes: u64,
    /// Runs in which at least one message was in flight at a crash.
    pub in_flight_at_crash: u64,
    /// Virtual time from the first crash to the last owed acceptance.
    pub repair: Option<Repair>,
}

/// How long recovery took, over the runs that had one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Repair {
    /// Over so many runs.
    pub runs: u64,
    /// Half of them were this fast; the edge of a bucket, at most a sixteenth above the true time.
    pub median: Tick,
    /// 99 of 100 were this fast; at most a sixteenth above the true time.
    pub p99: Tick,
}

/// A failure and the line that shows it again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// The seed.
    pub seed: u64,
    /// How it failed.
    pub verdict: Verdict,
    /// What happened, in plain words.
    pub sentence: String,
    /// Whose fault it is.
    pub regret: Regret,
    /// The line to paste.
    pub replay: String,
}

/// How two designs differ on the same seeds: `better` is exactly-once in more runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flip {
    /// The design that is exactly-once in more of the runs that differ.
    pub better: String,
    /// The other one.
    pub worse: String,
    /// Runs that are exactly-once under `better` alone.
    pub gained: u64,
    /// Runs that are exactly-once under `worse` alone.
    pub given_up: u64,
    /// The smallest seed of `gained`.
    pub first_gained: Option<u64>,
    /// The smallest seed of `given_up`.
    pub first_given_up: Option<u64>,
}

impl Shootout {
    /// The rows of a campaign. `failures` are those that the caller replayed, at most one for each design; `unmet` is
    /// what the files expect of these runs and did not get.
    pub fn new(campaign: &Campaign, failures: &[Failure], unmet: Vec<CheckLine>) -> Shootout {
        let case = |(i, case): (usize, &CaseResult)| {
            let told = |design: usize| {
                let failure = failures.iter().find(|f| (f.case, f.design) == (i, design))?;
                Some(told(failure, case, campaign.strategy))
            };
            Case {
                head: Head {
                    path: case.path.clone(),
                    scenario: case.scenario.clone(),
                    twin: case.twin.clone(),
                    about: case.about.clone(),
                    faults: case.faults.clone(),
                },
                seeds: case.seeds,
                rows: case.designs.iter().enumerate().map(|(d, design)| row(design, told(d))).collect(),
                flips: flips(case),
            }
        };
        Shootout {
            strategy: campaign.strategy,
            seed_epoch: campaign.seed_epoch,
            partial: campaign.partial,
            cases: campaign.cases.iter().enumerate().map(case).collect(),
            unmet,
        }
    }
}

impl Case {
    /// `10,000 seeds (0 to 9999)`.
    pub fn seeds_in_words(&self) -> String {
        match self.seeds {
            (first, 1) => format!("seed {first}"),
            (_, 0) => "no seeds".to_owned(),
            (first, n) => {
                format!("{} ({first} to {})", text::counted(n, "seed"), first.saturating_add(n - 1))
            }
        }
    }

    /// `10,000 seeds (0 to 9999), timed; at most 1 crash`.
    pub fn setting(&self, strategy: Strategy) -> String {
        // Where no design can run, nothing strikes.
        let faults = if self.head.faults.is_empty() { "nothing can run" } else { &self.head.faults };
        format!("{}, {strategy}; {faults}", self.seeds_in_words())
    }

    /// The verdicts that are columns of its table: those that every table has, and those that some run shows.
    pub fn columns(&self) -> Vec<Verdict> {
        let seen = |v: Verdict| self.judged().any(|(_, numbers)| numbers.count(v) > 0);
        Verdict::ALL.into_iter().filter(|v| v.spec().column == Column::Always || seen(*v)).collect()
    }

    /// What a reader should not have to find in the numbers: that no design wins, that one loses without a duplicate,
    /// that contents are wrong. Whole sentences.
    pub fn remarks(&self) -> Vec<String> {
        [self.no_design_wins(), self.lost_quietly(), self.wrong_contents()].into_iter().flatten().collect()
    }

    fn judged(&self) -> impl Iterator<Item = (&Row, &Numbers)> {
        let numbers = |row: &'_ Row| row.numbers.as_ref().is_ok_and(|n| n.runs > 0);
        self.rows
            .iter()
            .filter(move |row| numbers(row))
            .filter_map(|row| Some((row, row.numbers.as_ref().ok()?)))
    }

    fn no_design_wins(&self) -> Option<String> {
        let ways: Option<Vec<String>> = self
            .judged()
            .map(|(row, n)| Some(format!("{} {}", text::name(&row.design), n.fails()?)))
            .collect();
        // One design alone is told by its row.
        let ways = ways.filter(|ways| ways.len() > 1)?;
        Some(format!("Every design shown duplicates or loses here: {}.", ways.join("; ")))
    }

    fn lost_quietly(&self) -> Option<String> {
        let quiet = |n: &Numbers| n.count(Verdict::Duplicate) + n.count(Verdict::Premature) == 0;
        let losers: Vec<String> = self
            .judged()
            .filter(|(_, n)| quiet(n) && n.count(Verdict::Lost) > 0)
            .map(|(row, n)| {
                format!("{} in {}", text::name(&row.design), text::counted(n.count(Verdict::Lost), "run"))
            })
            .collect();
        (!losers.is_empty()).then(|| {
            format!(
                "Lost without a single duplicate or premature delivery: {}. An audit for duplicates misses it.",
                text::list(&losers)
            )
        })
    }

    fn wrong_contents(&self) -> Option<String> {
        let dirty: Vec<String> = self
            .judged()
            .filter(|(_, n)| n.count(Verdict::Dirty) > 0)
            .map(|(row, n)| {
                format!("{} in {}", text::name(&row.design), text::counted(n.count(Verdict::Dirty), "run"))
            })
            .collect();
        (!dirty.is_empty()).then(|| {
            format!("Wrong contents at the end, judged apart from deliveries: {}.", text::list(&dirty))
        })
    }
}

impl Numbers {
    fn new(tally: &Tally) -> Numbers {
        let quantile = |per_mille| tally.repair_time.quantile(per_mille);
        let repair = quantile(500).zip(quantile(990));
        Numbers {
            runs: tally.runs,
            rates: Verdict::ALL.map(|v| Rate::new(tally.count(v), tally.runs)),
            first_seeds: Verdict::ALL.map(|v| tally.first_seed(v)),
            sends: tally.sends,
            resends: tally.resends,
            rescues_dropped: tally.rescues_dropped,
            absorbed: tally.absorbed,
            lost_in_transit: tally.lost_in_transit,
            reads: tally.reads,
            crashes: tally.crashes,
            in_flight_at_crash: tally.in_flight_at_crash,
            repair: repair.map(|(median, p99)| Repair { runs: tally.repair_time.count(), median, p99 }),
        }
    }

    /// How often a verdict held.
    pub fn rate(&self, verdict: Verdict) -> Rate {
        self.rates[verdict as usize]
    }

    /// In how many runs a verdict held.
    pub fn count(&self, verdict: Verdict) -> u64 {
        self.rate(verdict).count
    }

    /// The smallest seed whose run is not exactly-once; where each is, the smallest that shows another failure.
    pub fn first_failing(&self) -> Option<u64> {
        let first = |verdict: Verdict| self.first_seeds[verdict as usize];
        let not_exactly_once = Verdict::against_exactly_once().filter_map(first).min();
        not_exactly_once.or_else(|| Verdict::FAILURES.into_iter().filter_map(first).min())
    }

    /// `duplicate in 812 of 10,000 runs (first: seed 17); lost in 3 of ...`, or that nothing failed.
    pub fn failures_in_words(&self) -> String {
        let found = self.found(&Verdict::FAILURES);
        if found.is_empty() {
            format!("exactly-once in all of {}", text::counted(self.runs, "run"))
        } else {
            found.join("; ")
        }
    }

    /// The verdicts of `deny` that occurred, each in words.
    pub fn denied(&self, deny: &[Verdict]) -> Vec<String> {
        self.found(deny)
    }

    fn found(&self, verdicts: &[Verdict]) -> Vec<String> {
        let words = |verdict: &Verdict| {
            let seed = self.first_seeds[*verdict as usize]?;
            Some(format!(
                "{} in {} of {} (first: seed {seed})",
                text::verdict(*verdict),
                text::count(self.count(*verdict)),
                text::counted(self.runs, "run")
            ))
        };
        verdicts.iter().filter_map(words).collect()
    }

    /// `duplicates (812 runs) and loses (3 runs)`; none where it does neither.
    fn fails(&self) -> Option<String> {
        let ways: Vec<String> = [Verdict::Duplicate, Verdict::Lost]
            .into_iter()
            .filter(|v| self.count(*v) > 0)
            .map(|v| format!("{} ({})", text::does(v), text::counted(self.count(v), "run")))
            .collect();
        (!ways.is_empty()).then(|| text::list(&ways))
    }
}

impl Flip {
    /// The pair in words.
    pub fn in_words(&self) -> String {
        let seed = |first: Option<u64>| first.map_or(String::new(), |seed| format!(" (first: seed {seed})"));
        let be = if self.gained == 1 { "is" } else { "are" };
        let other = match self.given_up {
            0 => "none the other way".to_owned(),
            n => format!("{} the other way{}", text::count(n), seed(self.first_given_up)),
        };
        format!(
            "{} {be} exactly-once under {} but not under {}{}, {other}",
            text::counted(self.gained, "run"),
            text::name(&self.better),
            text::name(&self.worse),
            seed(self.first_gained),
        )
    }
}

fn row(design: &DesignResult, failure: Option<Told>) -> Row {
    Row {
        design: design.name.clone(),
        policy: design.policy.clone(),
        numbers: design.tally.as_ref().map(Numbers::new).map_err(|why| why.0.clone()),
        failure,
    }
}

fn told(failure: &Failure, case: &CaseResult, strategy: Strategy) -> Told {
    let design = case.designs.get(failure.design).map_or("", |d| d.name.as_str());
    let replay = replay_line(&case.path, design, failure.seed, &case.twin, strategy);
    Told {
        seed: failure.seed,
        verdict: failure.verdict,
        sentence: failure.sentence.clone(),
        regret: failure.regret,
        replay,
    }
}

/// The line to paste that replays one run, quoted for a shell. It names the strategy unless that is `timed`.
pub fn replay_line(path: &str, design: &str, seed: u64, twin: &str, strategy: Strategy) -> String {
    let mut line = format!("dwsim replay {} {} --seed {seed}", escape::file(path), row_option(design));
    if !twin.is_empty() {
        line += &format!(" --twin {}", escape::shell(twin));
    }
    if strategy != Strategy::Timed {
        line += &format!(" --strategy {}", escape::shell(&strategy.to_string()));
    }
    line
}

/// The line to paste that replays a schedule and stops there, or goes on; quoted for a shell. `switches` are options
/// of `replay`, each with a space before it.
pub fn schedule_line(
    path: &str,
    design: &str,
    twin: &str,
    switches: &str,
    labels: impl Iterator<Item = String>,
    then_run_on: bool,
) -> String {
    let stop = (!then_run_on).then(|| "stop".to_owned());
    let labels: Vec<String> = labels.chain(stop).map(|label| escape::shell(&label)).collect();
    let (path, row) = (escape::file(path), row_option(design));
    let twin = if twin.is_empty() { String::new() } else { format!(" --twin {}", escape::shell(twin)) };
    format!(r"printf '%s\n' {} | dwsim replay {path} {row}{twin}{switches} --schedule -", labels.join(" "))
}

/// How a line to paste names a row. A name that `--policy` would open as a file is a design's where it may stand in a
/// scenario: the path of a policy that was given as a file begins with `.` or `/`, which no label does.
fn row_option(design: &str) -> String {
    let is_design = looks_like_path(design) && check_label(design).is_ok();
    let option = if is_design { "--design" } else { "--policy" };
    format!("{option} {}", escape::shell(design))
}

/// The pairs that differ, those with the most runs in favour of one side first; ties stay in the file's order.
fn flips(case: &CaseResult) -> Vec<Flip> {
    let name = |design: usize| case.designs.get(design).map_or(String::new(), |d| d.name.clone());
    let flip = |f: &Flips| {
        let (better, worse, gained, given_up, seeds) = if f.only_a >= f.only_b {
            (f.a, f.b, f.only_a, f.only_b, f.first_seeds)
        } else {
            (f.b, f.a, f.only_b, f.only_a, (f.first_seeds.1, f.first_seeds.0))
        };
        Flip {
            better: name(better),
            worse: name(worse),
            gained,
            given_up,
            first_gained: seeds.0,
            first_given_up: seeds.1,
        }
    };
    let mut flips: Vec<Flip> = case.flips.iter().filter(|f| f.only_a + f.only_b > 0).map(flip).collect();
    flips.sort_by_key(|f| std::cmp::Reverse(f.gained - f.given_up));
    flips
}
