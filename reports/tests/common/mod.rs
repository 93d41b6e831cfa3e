//! Runs and campaigns as the simulator leaves them, by hand.
#![allow(dead_code, reason = "each test file uses its own part")]

use dwsim_sim::analysis::campaign::{Campaign, CaseResult, DesignResult, Flips};
use dwsim_sim::analysis::tally::Tally;
use dwsim_sim::model::action::Action;
use dwsim_sim::model::ids::{Slot, Tick};
use dwsim_sim::model::program::Surface;
use dwsim_sim::model::record::{Effect, Finding, Lane, Moment, Record, Shown};
use dwsim_sim::model::scenario::{CrashKind, NotApplicable, Verdict};
use dwsim_sim::model::strategy::Strategy;

/// Counts of 10,000 runs: which verdicts held how often, first at which seed.
pub fn tally(found: &[(Verdict, u64, u64)]) -> Tally {
    let mut tally = Tally::new();
    tally.runs = 10_000;
    for (verdict, count, seed) in found {
        tally.counts[*verdict as usize] = *count;
        tally.first_seed[*verdict as usize] = Some(*seed);
    }
    (tally.sends, tally.resends, tally.crashes) = (24_100, 4_096, 9_001);
    for i in 0..2_000 {
        tally.repair_time.add(Tick(5_000_000 + i * 12_345));
    }
    tally
}

pub fn design(name: &str, found: &[(Verdict, u64, u64)]) -> DesignResult {
    DesignResult { name: name.into(), policy: name.into(), tally: Ok(tally(found)) }
}

pub fn not_applicable(name: &str, why: &str) -> DesignResult {
    DesignResult { name: name.into(), policy: name.into(), tally: Err(NotApplicable(why.into())) }
}

pub fn flips(a: usize, b: usize, only_a: (u64, u64), only_b: (u64, u64)) -> Flips {
    let seed = |(n, seed): (u64, u64)| (n > 0).then_some(seed);
    Flips { a, b, only_a: only_a.0, only_b: only_b.0, first_seeds: (seed(only_a), seed(only_b)) }
}

pub fn case(
    scenario: &str,
    twin: &str,
    about: &str,
    designs: Vec<DesignResult>,
    flips: Vec<Flips>,
) -> CaseResult {
    CaseResult {
        path: format!("scenarios/{scenario}.ron"),
        scenario: scenario.into(),
        twin: twin.into(),
        about: about.into(),
        faults: "at most 1 crash, at one of 9 places (no crash in 1 run of 10)".into(),
        seeds: (0, 10_000),
        designs,
        flips,
    }
}

pub fn campaign(cases: Vec<CaseResult>) -> Campaign {
    Campaign { strategy: Strategy::Timed, seed_epoch: 1, partial: false, cases }
}

/// The zombie and a twin of it.
pub fn zombie() -> Campaign {
    use Verdict::*;
    let cursor = design("cursor", &[(ExactlyOnce, 4_988, 1), (Duplicate, 5_012, 0)]);
    let delta = design("sink-delta", &[(ExactlyOnce, 9_188, 0), (Duplicate, 812, 17)]);
    let mut fenced = design("fenced", &[(ExactlyOnce, 10_000, 0)]);
    if let Ok(tally) = &mut fenced.tally {
        tally.rescues_dropped = 31;
    }
    let pairs = vec![
        flips(0, 1, (9, 512), (4_209, 0)),
        flips(0, 2, (0, 0), (5_012, 0)),
        flips(1, 2, (0, 0), (812, 17)),
    ];
    let about = "an old send arrives after an honest read of the accepted record";
    let wiped = vec![
        design("cursor", &[(ExactlyOnce, 7_001, 1), (Duplicate, 2_999, 0)]),
        design("sink-delta", &[(ExactlyOnce, 10_000, 0)]),
    ];
    campaign(vec![
        case("zombie", "", about, vec![cursor, delta, fenced], pairs),
        case("zombie", "wire wiped at the crash", about, wiped, vec![flips(0, 1, (0, 0), (2_999, 0))]),
    ])
}

/// Every way to fail at once, and a design that cannot run.
pub fn hopeless() -> Campaign {
    use Verdict::*;
    let skip = design("skip", &[(ExactlyOnce, 9_512, 0), (Lost, 488, 3), (Dirty, 488, 3)]);
    let all = design(
        "keyed, last 2",
        &[
            (ExactlyOnce, 2_903, 2),
            (Duplicate, 5_012, 0),
            (Premature, 4, 2_718),
            (Lost, 2_085, 1),
            (Unfinished, 12, 99),
        ],
    );
    let blind = not_applicable("sink-delta", "this sink shows no accepted record");
    campaign(vec![case(
        "mail-sender",
        "",
        "a mail server shows nobody what it accepted",
        vec![skip, all, blind],
        vec![flips(0, 1, (6_609, 0), (0, 0))],
    )])
}

pub fn moment(at: u64, lane: Lane, label: &str, effects: Vec<Effect>) -> Moment {
    Moment {
        at: Some(Tick(at)),
        action: Action::Step { who: Slot(0), pc: 0, item: 0 },
        label: label.into(),
        lane,
        effects,
        became: Vec::new(),
    }
}

pub fn crash(at: u64) -> Moment {
    Moment {
        action: Action::Crash(CrashKind::Kill),
        ..moment(at, Lane::World, "crash", vec![Effect::Crashed])
    }
}

pub fn sent(payload: &str, generation: u16, again: bool) -> Effect {
    Effect::Sent { payload: payload.into(), generation, again }
}

pub fn accepted(payload: &str, generation: u16, times: u32) -> Effect {
    Effect::Accepted { payload: payload.into(), generation, times, justified: true }
}

pub fn read(surface: Surface, shows: &[&str]) -> Effect {
    let payloads = shows.iter().map(|payload| (*payload).to_owned()).collect();
    Effect::Read { surface, shows: Shown::Payloads(payloads) }
}

pub fn armed(batch: &[&str]) -> Effect {
    Effect::Armed(batch.iter().map(|p| (*p).into()).collect())
}

pub fn run(mut moments: Vec<Moment>, verdict: Verdict, payload: &str, times: u32, step: usize) -> Record {
    moments[step - 1].became.push(verdict);
    let findings = vec![Finding { verdict, payload: payload.into(), times, step }];
    Record {
        moments,
        findings,
        verdicts: vec![verdict],
        fingerprint: 0x0123_4567_89ab_cdef_0011_2233_4455_6677,
    }
}

/// Two orders; the second is sent and still in flight when the process crashes.
pub fn until_the_crash() -> Vec<Moment> {
    let order = |n: u8| format!("order-{n}");
    vec![
        moment(0, Lane::Source, "producer: commit order-1", vec![Effect::Committed(order(1))]),
        moment(12, Lane::Source, "producer: enqueue order-1", vec![Effect::Enqueued(order(1))]),
        moment(24, Lane::Source, "producer: send order-1", vec![sent("order-1", 0, false)]),
        moment(8_410, Lane::Wire, "wire: order-1 of g0 arrives", vec![accepted("order-1", 0, 1)]),
        moment(8_422, Lane::Source, "producer: persist 1", vec![Effect::CursorAt(1)]),
        moment(10_000, Lane::Source, "producer: commit order-2", vec![Effect::Committed(order(2))]),
        moment(10_012, Lane::Source, "producer: enqueue order-2", vec![Effect::Enqueued(order(2))]),
        moment(10_024, Lane::Source, "producer: send order-2", vec![sent("order-2", 0, false)]),
        crash(10_030),
    ]
}

/// The zombie's duplicate: the old send arrives after an honest read.
pub fn straggler() -> Record {
    let mut moments = until_the_crash();
    moments.extend([
        moment(5_010_030, Lane::World, "start recoverer 1", vec![]),
        moment(
            5_010_130,
            Lane::Recoverer(1),
            "recoverer 1: read accepted_record",
            vec![read(Surface::AcceptedRecord, &["order-1"])],
        ),
        moment(5_010_230, Lane::Recoverer(1), "recoverer 1: arm", vec![armed(&["order-2"])]),
        moment(
            5_010_330,
            Lane::Recoverer(1),
            "recoverer 1: fire order-2",
            vec![sent("order-2", 0, true), accepted("order-2", 0, 1)],
        ),
        moment(5_010_430, Lane::Recoverer(1), "recoverer 1: resume", vec![Effect::Resumed(1)]),
        moment(31_202_817, Lane::Wire, "wire: order-2 of g0 arrives", vec![accepted("order-2", 0, 2)]),
    ]);
    run(moments, Verdict::Duplicate, "order-2", 2, 15)
}

/// The same schedule under the fenced re-drive: one atom, and the straggler is refused.
pub fn fenced() -> Record {
    let mut moments = until_the_crash();
    moments.extend([
        moment(
            5_010_130,
            Lane::Recoverer(1),
            "recoverer 1: atomic",
            vec![
                read(Surface::AcceptedRecord, &["order-1"]),
                armed(&["order-2"]),
                Effect::Healed,
                sent("order-2", 0, true),
                accepted("order-2", 0, 1),
                Effect::FenceAt(1),
            ],
        ),
        moment(5_010_430, Lane::Recoverer(1), "recoverer 1: resume", vec![Effect::Resumed(1)]),
        moment(
            31_202_817,
            Lane::Wire,
            "wire: order-2 of g0 arrives",
            vec![Effect::Dropped { payload: "order-2".into(), generation: 0, rescue: false }],
        ),
    ]);
    Record { moments, findings: vec![], verdicts: vec![Verdict::ExactlyOnce], fingerprint: 0xfeed }
}

/// Two recoverers both carry the owed payload.
pub fn two_recoverers() -> Record {
    let mut moments = until_the_crash();
    moments[8] = crash(10_018);
    moments.remove(7);
    moments.extend([
        moment(
            5_010_000,
            Lane::Recoverer(1),
            "recoverer 1: read",
            vec![read(Surface::AcceptedRecord, &["order-1"])],
        ),
        moment(
            9_000_000,
            Lane::Recoverer(2),
            "recoverer 2: read",
            vec![read(Surface::AcceptedRecord, &["order-1"])],
        ),
        moment(9_000_100, Lane::Recoverer(1), "recoverer 1: arm", vec![armed(&["order-2"])]),
        moment(9_000_200, Lane::Recoverer(2), "recoverer 2: arm", vec![armed(&["order-2"])]),
        moment(9_000_300, Lane::Recoverer(1), "recoverer 1: fire", vec![sent("order-2", 0, false)]),
        moment(9_000_400, Lane::Recoverer(2), "recoverer 2: fire", vec![sent("order-2", 0, true)]),
        moment(9_010_300, Lane::Wire, "wire: order-2 of g0 arrives", vec![accepted("order-2", 0, 1)]),
        moment(9_020_300, Lane::Wire, "wire: order-2 of g0 arrives", vec![accepted("order-2", 0, 2)]),
    ]);
    run(moments, Verdict::Duplicate, "order-2", 2, 16)
}
