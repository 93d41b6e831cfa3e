//! A campaign: every design of every case, its verdicts, rates, costs and first failure.

use serde::Serialize;

use super::check::{ExpectationJson, expectation_line};
use super::{HeadJson, PerVerdict, compact, pretty, twin};
use crate::SCHEMA;
use crate::rate::Rate;
use crate::shootout::{Case, Flip, Numbers, Row, Shootout, Told};

/// One object for the whole campaign.
pub fn shootout(shootout: &Shootout) -> String {
    pretty(&ShootoutJson {
        schema: SCHEMA,
        seed_epoch: shootout.seed_epoch,
        strategy: shootout.strategy.to_string(),
        partial: shootout.partial,
        scenarios: shootout.cases.iter().map(ScenarioJson::new).collect(),
        unmet: shootout.unmet.iter().map(ExpectationJson::new).collect(),
    })
}

/// One line for each design of each case, with everything around it that it needs, then one for each expectation that
/// was not met.
pub fn shootout_lines(shootout: &Shootout) -> String {
    let line = |case: &Case, row: &Row| {
        compact(&ShootoutLine {
            schema: SCHEMA,
            seed_epoch: shootout.seed_epoch,
            strategy: shootout.strategy.to_string(),
            partial: shootout.partial,
            scenario: &case.head.scenario,
            twin: twin(&case.head.twin),
            first_seed: case.seeds.0.to_string(),
            seeds: case.seeds.1,
            row: PolicyJson::new(row),
        })
    };
    let rows = shootout.cases.iter().flat_map(|case| case.rows.iter().map(move |row| line(case, row)));
    let unmet = |line| expectation_line(shootout.seed_epoch, shootout.partial, line);
    rows.chain(shootout.unmet.iter().map(unmet)).collect()
}

#[derive(Serialize)]
struct ShootoutJson<'a> {
    schema: &'a str,
    seed_epoch: u32,
    strategy: String,
    partial: bool,
    scenarios: Vec<ScenarioJson<'a>>,
    /// What the files expect and did not get.
    unmet: Vec<ExpectationJson<'a>>,
}

#[derive(Serialize)]
struct ShootoutLine<'a> {
    schema: &'a str,
    seed_epoch: u32,
    strategy: String,
    partial: bool,
    scenario: &'a str,
    twin: Option<&'a str>,
    first_seed: String,
    seeds: u64,
    #[serde(flatten)]
    row: PolicyJson<'a>,
}

#[derive(Serialize)]
struct ScenarioJson<'a> {
    #[serde(flatten)]
    head: HeadJson<'a>,
    first_seed: String,
    seeds: u64,
    policies: Vec<PolicyJson<'a>>,
    flips: Vec<FlipJson<'a>>,
}

#[derive(Serialize)]
struct PolicyJson<'a> {
    policy: &'a str,
    design: &'a str,
    runs: Option<u64>,
    verdicts: Option<PerVerdict<u64>>,
    rates: Option<PerVerdict<RateJson>>,
    first_failing_seed: Option<PerVerdict<Option<String>>>,
    costs: Option<CostsJson>,
    first_failure: Option<FailureJson<'a>>,
    regret: Option<&'a str>,
    not_applicable: Option<&'a str>,
}

#[derive(Serialize)]
struct RateJson {
    rate: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
}

#[derive(Serialize)]
struct CostsJson {
    sends: u64,
    resends: u64,
    rescues_dropped: u64,
    absorbed: u64,
    lost_in_transit: u64,
    reads: u64,
    crashes: u64,
    in_flight_at_crash: u64,
    repair: Option<RepairJson>,
}

/// Over so many runs. Both times are upper bounds: not below the true quantile, and at most a sixteenth above it.
#[derive(Serialize)]
struct RepairJson {
    runs: u64,
    median_us: u64,
    p99_us: u64,
}

#[derive(Serialize)]
struct FailureJson<'a> {
    seed: String,
    verdict: &'a str,
    sentence: &'a str,
    reproduce: &'a str,
}

#[derive(Serialize)]
struct FlipJson<'a> {
    better: &'a str,
    worse: &'a str,
    gained: u64,
    given_up: u64,
    first_gained: Option<String>,
    first_given_up: Option<String>,
}

impl<'a> ScenarioJson<'a> {
    fn new(case: &'a Case) -> ScenarioJson<'a> {
        ScenarioJson {
            head: HeadJson::new(&case.head),
            first_seed: case.seeds.0.to_string(),
            seeds: case.seeds.1,
            policies: case.rows.iter().map(PolicyJson::new).collect(),
            flips: case.flips.iter().map(FlipJson::new).collect(),
        }
    }
}

impl<'a> PolicyJson<'a> {
    fn new(row: &'a Row) -> PolicyJson<'a> {
        let numbers = row.numbers.as_ref().ok();
        PolicyJson {
            policy: &row.policy,
            design: &row.design,
            runs: numbers.map(|n| n.runs),
            verdicts: numbers.map(|n| PerVerdict::new(|v| n.count(v))),
            rates: numbers.map(|n| PerVerdict::new(|v| RateJson::new(n.rate(v)))),
            first_failing_seed: numbers
                .map(|n| PerVerdict::of_failures(|v| n.first_seeds[v as usize].map(|seed| seed.to_string()))),
            costs: numbers.map(CostsJson::new),
            first_failure: row.failure.as_ref().map(FailureJson::new),
            regret: row.failure.as_ref().map(|told| told.regret.name()),
            not_applicable: row.numbers.as_ref().err().map(String::as_str),
        }
    }
}

impl RateJson {
    fn new(rate: Rate) -> RateJson {
        RateJson {
            rate: rate.fraction(),
            low: rate.interval.map(|(low, _)| low),
            high: rate.interval.map(|(_, high)| high),
        }
    }
}

impl CostsJson {
    fn new(numbers: &Numbers) -> CostsJson {
        CostsJson {
            sends: numbers.sends,
            resends: numbers.resends,
            rescues_dropped: numbers.rescues_dropped,
            absorbed: numbers.absorbed,
            lost_in_transit: numbers.lost_in_transit,
            reads: numbers.reads,
            crashes: numbers.crashes,
            in_flight_at_crash: numbers.in_flight_at_crash,
            repair: numbers.repair.map(|repair| RepairJson {
                runs: repair.runs,
                median_us: repair.median.0,
                p99_us: repair.p99.0,
            }),
        }
    }
}

impl<'a> FailureJson<'a> {
    fn new(told: &'a Told) -> FailureJson<'a> {
        FailureJson {
            seed: told.seed.to_string(),
            verdict: told.verdict.name(),
            sentence: &told.sentence,
            reproduce: &told.replay,
        }
    }
}

impl<'a> FlipJson<'a> {
    fn new(flip: &'a Flip) -> FlipJson<'a> {
        FlipJson {
            better: &flip.better,
            worse: &flip.worse,
            gained: flip.gained,
            given_up: flip.given_up,
            first_gained: flip.first_gained.map(|seed| seed.to_string()),
            first_given_up: flip.first_given_up.map(|seed| seed.to_string()),
        }
    }
}
