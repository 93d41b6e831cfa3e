//! For tools. The order of the keys is that of the fields here; 64-bit seeds are strings, since a JSON number may be
//! read as a double; times are whole microseconds of virtual time.

use dwsim_sim::bound::regret::Regret;
use dwsim_sim::explore::Reach;
use dwsim_sim::explore::map::Window;
use dwsim_sim::record::{Effect, Lane};
use dwsim_sim::scenario::Verdict;
use serde::Serialize;

use crate::SCHEMA;
use crate::check::{CheckLine, CheckReport, Outcome};
use crate::exploration::{self, ExplorationReport, Found, Shortest};
use crate::head::Head;
use crate::rate::Rate;
use crate::shootout::{Case, Flip, Numbers, Row, Shootout, Told};
use crate::timeline::{Timeline, finding_in_words};

/// One object for the whole campaign.
pub fn shootout(shootout: &Shootout) -> String {
    pretty(&ShootoutJson {
        schema: SCHEMA,
        seed_epoch: shootout.seed_epoch,
        strategy: &shootout.strategy,
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
            strategy: &shootout.strategy,
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

/// One object for all expectations.
pub fn check(report: &CheckReport) -> String {
    pretty(&CheckJson {
        schema: SCHEMA,
        seed_epoch: report.seed_epoch,
        partial: report.partial,
        met: report.count(Outcome::Met),
        failed: report.count(Outcome::Failed),
        inconclusive: report.count(Outcome::Inconclusive),
        vacuous: report.count(Outcome::Vacuous),
        expectations: report.cases.iter().map(ExpectationJson::new).collect(),
        warnings: &report.warnings,
    })
}

/// One line for each expectation, then one for each warning.
pub fn check_lines(report: &CheckReport) -> String {
    let (seed_epoch, partial) = (report.seed_epoch, report.partial);
    let lines = report.cases.iter().map(|line| expectation_line(seed_epoch, partial, line));
    let warning =
        |warning: &String| compact(&WarningLineJson { schema: SCHEMA, seed_epoch, partial, warning });
    lines.chain(report.warnings.iter().map(warning)).collect()
}

fn expectation_line(seed_epoch: u32, partial: bool, line: &CheckLine) -> String {
    compact(&CheckLineJson { schema: SCHEMA, seed_epoch, partial, expectation: ExpectationJson::new(line) })
}

/// One object for every design that was explored.
pub fn exploration(report: &ExplorationReport) -> String {
    pretty(&ExplorationJson {
        schema: SCHEMA,
        seed_epoch: report.seed_epoch,
        strategy: "exhaustive",
        partial: report.partial,
        scenarios: report.cases.iter().map(ExploredCaseJson::new).collect(),
        unmet: report.cases.iter().flat_map(|case| &case.unmet).map(ExpectationJson::new).collect(),
    })
}

/// One object for a run, step by step.
pub fn timeline(timeline: &Timeline) -> String {
    let steps = timeline.steps.iter().map(|step| StepJson {
        step: step.number,
        at_us: step.moment.at.map(|at| at.0),
        label: &step.moment.label,
        lane: lane(step.moment.lane),
        effects: step.moment.effects.iter().map(EffectJson::new).collect(),
        became: step.moment.became.iter().map(|v| v.name()).collect(),
    });
    let findings = timeline.record.findings.iter().map(|finding| FindingJson {
        verdict: finding.verdict.name(),
        payload: &finding.payload,
        times: finding.times,
        step: finding.step,
        text: finding_in_words(finding),
    });
    pretty(&TimelineJson {
        schema: SCHEMA,
        steps: steps.collect(),
        findings: findings.collect(),
        verdicts: timeline.record.verdicts.iter().map(|v| v.name()).collect(),
        fingerprint: format!("{:032x}", timeline.record.fingerprint),
    })
}

#[derive(Serialize)]
struct ShootoutJson<'a> {
    schema: &'a str,
    seed_epoch: u32,
    strategy: &'a str,
    partial: bool,
    scenarios: Vec<ScenarioJson<'a>>,
    /// What the files expect and did not get.
    unmet: Vec<ExpectationJson<'a>>,
}

#[derive(Serialize)]
struct ShootoutLine<'a> {
    schema: &'a str,
    seed_epoch: u32,
    strategy: &'a str,
    partial: bool,
    scenario: &'a str,
    twin: Option<&'a str>,
    first_seed: String,
    seeds: u64,
    #[serde(flatten)]
    row: PolicyJson<'a>,
}

/// How every case begins, whether it was run or explored.
#[derive(Serialize)]
struct HeadJson<'a> {
    name: &'a str,
    twin: Option<&'a str>,
    path: &'a str,
    about: &'a str,
    faults: &'a str,
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
    first_failing_seed: Option<PerFailure>,
    costs: Option<CostsJson>,
    first_failure: Option<FailureJson<'a>>,
    regret: Option<&'a str>,
    not_applicable: Option<&'a str>,
}

#[derive(Serialize)]
struct PerVerdict<T> {
    exactly_once: T,
    duplicate: T,
    premature: T,
    lost: T,
    unfinished: T,
    dirty: T,
}

#[derive(Serialize)]
struct PerFailure {
    duplicate: Option<String>,
    premature: Option<String>,
    lost: Option<String>,
    unfinished: Option<String>,
    dirty: Option<String>,
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

#[derive(Serialize)]
struct CheckJson<'a> {
    schema: &'a str,
    seed_epoch: u32,
    partial: bool,
    met: usize,
    failed: usize,
    inconclusive: usize,
    vacuous: usize,
    expectations: Vec<ExpectationJson<'a>>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct CheckLineJson<'a> {
    schema: &'a str,
    seed_epoch: u32,
    partial: bool,
    #[serde(flatten)]
    expectation: ExpectationJson<'a>,
}

#[derive(Serialize)]
struct WarningLineJson<'a> {
    schema: &'a str,
    seed_epoch: u32,
    partial: bool,
    warning: &'a str,
}

#[derive(Serialize)]
struct ExpectationJson<'a> {
    scenario: &'a str,
    twin: Option<&'a str>,
    path: &'a str,
    design: &'a str,
    verdict: &'a str,
    expected: String,
    by: &'a str,
    outcome: &'a str,
    detail: &'a str,
    reproduce: Option<&'a str>,
}

#[derive(Serialize)]
struct ExplorationJson<'a> {
    schema: &'a str,
    seed_epoch: u32,
    strategy: &'a str,
    partial: bool,
    scenarios: Vec<ExploredCaseJson<'a>>,
    /// What the files have this judge and what did not come out so.
    unmet: Vec<ExpectationJson<'a>>,
}

#[derive(Serialize)]
struct ExploredCaseJson<'a> {
    #[serde(flatten)]
    head: HeadJson<'a>,
    policies: Vec<ExploredJson<'a>>,
}

#[derive(Serialize)]
struct ExploredJson<'a> {
    policy: &'a str,
    design: &'a str,
    bounds: &'a str,
    outcome: Option<&'a str>,
    states: Option<u64>,
    transitions: Option<u64>,
    depth: Option<usize>,
    bytes_per_state: Option<u64>,
    verdicts: Option<Reaches<'a>>,
    regret: Option<&'a str>,
    map: Vec<WindowJson<'a>>,
    not_applicable: Option<&'a str>,
}

#[derive(Serialize)]
struct Reaches<'a> {
    #[serde(flatten)]
    common: PerVerdict<ReachJson<'a>>,
    phantom: ReachJson<'a>,
    grade_gap: ReachJson<'a>,
}

#[derive(Serialize)]
struct ReachJson<'a> {
    /// Null where it is not known.
    reachable: Option<bool>,
    /// The labels of a shortest schedule to a failure.
    trace: Option<Vec<&'a str>>,
    needs: Vec<String>,
    reproduce: Option<&'a str>,
}

#[derive(Serialize)]
struct WindowJson<'a> {
    who: &'a str,
    before: Option<&'a str>,
    verdicts: Vec<&'a str>,
    complete: bool,
}

impl<'a> ExploredCaseJson<'a> {
    fn new(case: &'a exploration::Case) -> ExploredCaseJson<'a> {
        ExploredCaseJson {
            head: HeadJson::new(&case.head),
            policies: case.rows.iter().map(ExploredJson::new).collect(),
        }
    }
}

impl<'a> ExploredJson<'a> {
    fn new(row: &'a exploration::Row) -> ExploredJson<'a> {
        let found = row.found.as_ref().ok();
        let explored = found.map(|f| &f.exploration);
        let windows = |found: &'a Found| found.map.iter().map(WindowJson::new);
        ExploredJson {
            policy: &row.policy,
            design: &row.design,
            bounds: &row.bounds,
            outcome: found.map(|f| f.ending().word()),
            states: explored.map(|e| e.states),
            transitions: explored.map(|e| e.transitions),
            depth: explored.map(|e| e.depth),
            bytes_per_state: explored.map(|e| e.bytes_per_state),
            verdicts: found.map(Reaches::new),
            regret: found.and_then(|f| f.regret).map(Regret::name),
            map: found.into_iter().flat_map(windows).collect(),
            not_applicable: row.found.as_ref().err().map(String::as_str),
        }
    }
}

impl<'a> Reaches<'a> {
    fn new(found: &'a Found) -> Reaches<'a> {
        Reaches {
            common: PerVerdict::new(|verdict| ReachJson::new(found, verdict)),
            phantom: ReachJson::new(found, Verdict::Phantom),
            grade_gap: ReachJson::new(found, Verdict::GradeGap),
        }
    }
}

impl<'a> ReachJson<'a> {
    fn new(found: &'a Found, verdict: Verdict) -> ReachJson<'a> {
        let shortest = found.shortest.iter().find(|s| s.verdict == verdict);
        ReachJson {
            reachable: match found.exploration.reach(verdict) {
                Reach::Reachable => Some(true),
                Reach::Unreachable => Some(false),
                Reach::Unknown => None,
            },
            trace: shortest.map(|s| s.record.moments.iter().map(|m| m.label.as_str()).collect()),
            needs: shortest.map(Shortest::needs_in_words).unwrap_or_default(),
            reproduce: shortest.map(|s| s.replay.as_str()),
        }
    }
}

impl<'a> WindowJson<'a> {
    fn new(window: &'a Window) -> WindowJson<'a> {
        WindowJson {
            who: &window.who,
            before: window.before.as_deref(),
            verdicts: window.verdicts.iter().map(|v| v.name()).collect(),
            complete: window.complete,
        }
    }
}

#[derive(Serialize)]
struct TimelineJson<'a> {
    schema: &'a str,
    steps: Vec<StepJson<'a>>,
    findings: Vec<FindingJson<'a>>,
    verdicts: Vec<&'a str>,
    fingerprint: String,
}

#[derive(Serialize)]
struct StepJson<'a> {
    step: usize,
    at_us: Option<u64>,
    label: &'a str,
    lane: String,
    effects: Vec<EffectJson<'a>>,
    became: Vec<&'a str>,
}

#[derive(Serialize)]
struct FindingJson<'a> {
    verdict: &'a str,
    payload: &'a str,
    times: u32,
    step: usize,
    text: String,
}

/// An effect: what it is, and then what it has of these.
#[derive(Serialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
enum EffectJson<'a> {
    Committed { payload: &'a str },
    Enqueued { payload: &'a str },
    Fetched { rows: u32 },
    Sent { payload: &'a str, generation: u16, again: bool },
    Accepted { payload: &'a str, generation: u16, times: u32, justified: bool },
    Dropped { payload: &'a str, generation: u16, rescue: bool },
    Absorbed { payload: &'a str },
    LostInTransit { payload: &'a str },
    Acknowledged { payload: &'a str },
    CursorAt { events: u32 },
    Read { surface: &'a str, shows: &'a str },
    Armed { batch: &'a [String] },
    Healed,
    FenceAt { generation: u16 },
    Crashed,
    Resumed { generation: u16 },
    Note { text: &'a str },
}

impl<'a> HeadJson<'a> {
    fn new(head: &'a Head) -> HeadJson<'a> {
        HeadJson {
            name: &head.scenario,
            twin: twin(&head.twin),
            path: &head.path,
            about: &head.about,
            faults: &head.faults,
        }
    }
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
            first_failing_seed: numbers.map(PerFailure::new),
            costs: numbers.map(CostsJson::new),
            first_failure: row.failure.as_ref().map(FailureJson::new),
            regret: row.failure.as_ref().map(|told| told.regret.name()),
            not_applicable: row.numbers.as_ref().err().map(String::as_str),
        }
    }
}

impl<T> PerVerdict<T> {
    fn new(of: impl Fn(Verdict) -> T) -> PerVerdict<T> {
        PerVerdict {
            exactly_once: of(Verdict::ExactlyOnce),
            duplicate: of(Verdict::Duplicate),
            premature: of(Verdict::Premature),
            lost: of(Verdict::Lost),
            unfinished: of(Verdict::Unfinished),
            dirty: of(Verdict::Dirty),
        }
    }
}

impl PerFailure {
    fn new(numbers: &Numbers) -> PerFailure {
        let seed = |verdict: Verdict| numbers.first_seeds[verdict as usize].map(|seed| seed.to_string());
        PerFailure {
            duplicate: seed(Verdict::Duplicate),
            premature: seed(Verdict::Premature),
            lost: seed(Verdict::Lost),
            unfinished: seed(Verdict::Unfinished),
            dirty: seed(Verdict::Dirty),
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

impl<'a> ExpectationJson<'a> {
    fn new(line: &'a CheckLine) -> ExpectationJson<'a> {
        ExpectationJson {
            scenario: &line.scenario,
            twin: twin(&line.twin),
            path: &line.path,
            design: &line.design,
            verdict: line.expects.kind(),
            expected: line.expects.expected(),
            by: &line.by,
            outcome: line.outcome.word(),
            detail: &line.detail,
            reproduce: line.reproduce.as_deref(),
        }
    }
}

impl<'a> EffectJson<'a> {
    fn new(effect: &'a Effect) -> EffectJson<'a> {
        match effect {
            Effect::Committed(payload) => EffectJson::Committed { payload },
            Effect::Enqueued(payload) => EffectJson::Enqueued { payload },
            Effect::Fetched(rows) => EffectJson::Fetched { rows: *rows },
            Effect::Sent { payload, generation, again } => {
                EffectJson::Sent { payload, generation: *generation, again: *again }
            }
            Effect::Accepted { payload, generation, times, justified } => EffectJson::Accepted {
                payload,
                generation: *generation,
                times: *times,
                justified: *justified,
            },
            Effect::Dropped { payload, generation, rescue } => {
                EffectJson::Dropped { payload, generation: *generation, rescue: *rescue }
            }
            Effect::Absorbed(payload) => EffectJson::Absorbed { payload },
            Effect::LostInTransit(payload) => EffectJson::LostInTransit { payload },
            Effect::Acknowledged(payload) => EffectJson::Acknowledged { payload },
            Effect::CursorAt(events) => EffectJson::CursorAt { events: *events },
            Effect::Read { surface, shows } => EffectJson::Read { surface, shows },
            Effect::Armed(batch) => EffectJson::Armed { batch },
            Effect::Healed => EffectJson::Healed,
            Effect::FenceAt(generation) => EffectJson::FenceAt { generation: *generation },
            Effect::Crashed => EffectJson::Crashed,
            Effect::Resumed(generation) => EffectJson::Resumed { generation: *generation },
            Effect::Note(text) => EffectJson::Note { text },
        }
    }
}

fn twin(name: &str) -> Option<&str> {
    (!name.is_empty()).then_some(name)
}

fn lane(lane: Lane) -> String {
    crate::timeline::lane_name(lane).replace(' ', "_")
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("strings, numbers and lists always serialize") + "\n"
}

fn compact(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("strings, numbers and lists always serialize") + "\n"
}
