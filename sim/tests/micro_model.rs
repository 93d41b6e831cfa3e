//! The micro-model pins the semantics: N events, at most C crashes, deliver-then-checkpoint, recovery in one step.
//! Four independent tools gave these numbers.

use std::collections::BTreeSet;

use dwsim_sim::analysis::campaign::{Orders, Origin, Progress, compile_case, run_case};
use dwsim_sim::analysis::tally::Tally;
use dwsim_sim::engine::machine::Machine;
use dwsim_sim::engine::world::World;
use dwsim_sim::model::ids::*;
use dwsim_sim::model::program::*;
use dwsim_sim::model::ratio::Ratio;
use dwsim_sim::model::scenario::*;
use dwsim_sim::model::strategy::Strategy;
use dwsim_sim::model::verdict::Verdicts;
use dwsim_sim::model::view::Rules;
use dwsim_sim::search::explore::{Limits, Watched, explore};

fn act(act: Act) -> Step {
    Step { acts: vec![act], otherwise: Else::Wait }
}

fn stage(n: u32, c: u8, policy: &str) -> Stage {
    let (reads, rule, fence) = match policy {
        "cursor" => (Surface::Cursor, BatchRule::PastCursor(Obligations::History), false),
        "sink-delta" => (Surface::AcceptedRecord, BatchRule::NotAccepted(Obligations::History), false),
        _ => (Surface::AcceptedRecord, BatchRule::NotAccepted(Obligations::History), true),
    };
    let mut acts =
        vec![Act::Read(Surface::History), Act::Read(reads), Act::Arm(rule), Act::Heal, Act::Fire(Fire::All)];
    if fence {
        acts.push(Act::Fence(FenceTo::Successor));
    }
    acts.extend([Act::Persist, Act::Resume]);
    Stage {
        source: Source {
            events: (0..n)
                .map(|i| Event {
                    label: format!("order-{}", i + 1),
                    coordinate: Coordinate(i + 1),
                    kind: EventKind::Insert,
                    key: Key(i),
                    value: Some(1),
                })
                .collect(),
            keys: (0..n).map(|i| format!("order-{}", i + 1)).collect(),
            base: vec![None; n as usize],
            scope: vec![true; n as usize],
            commits: Commits::All,
            cursor: CursorIs::Count,
            fin: Coordinate(n),
            every: Delay::Constant(0),
            act: Delay::Constant(1),
            outages: vec![],
            retention: None,
        },
        start: Beginning::default(),
        producer: Producer {
            name: "deliver-then-checkpoint".into(),
            about: String::new(),
            sections: vec![(
                Cadence::EachEvent,
                vec![act(Act::Commit), act(Act::Enqueue), act(Act::Send), act(Act::Persist)],
            )],
            retry: None,
        },
        relay: None,
        wire: Wire {
            latency: Delay::Constant(1),
            instant: false,
            reorders: true,
            loss: Some(Chance { chance: "1/2".parse().unwrap(), times: None }),
            straggler: None,
            copies: None,
            survives_crash: true,
            reply: Reply { latency: Delay::Constant(1), loss: None },
            at_once: 0,
            outages: vec![],
        },
        sink: Sink {
            readable: Surfaces::NONE.with(Surface::AcceptedRecord),
            read: SinkRead::default(),
            fence: FenceCheck::Arrival,
            dedup: None,
            acknowledges: Acknowledges::AfterPersist,
            acceptance: Acceptance::Final,
            writes: Writes::Append,
            contents_advance: Advance::Acceptance,
            batch: BatchAcceptance::EachEntry,
            record_keeps: None,
            stored_coordinate: StoredCoordinate::Effect,
            rejects: vec![],
            outages: vec![],
        },
        recovery: Recovery {
            detect: Delay::Constant(1),
            recoverers: 1,
            attempts: 1,
            lease: None,
            act: Delay::Constant(1),
            start: Start::Fused,
            frontier: Frontier::Last,
            heal: Heal::Free,
            reset: CursorReset::OldestRetained,
            bumps_generation: true,
        },
        policy: Policy {
            name: policy.into(),
            about: String::new(),
            stamps: Stamps::CrashTime,
            steps: vec![Step { acts, otherwise: Else::Wait }],
        },
        faults: Faults {
            crash: Some(Crash {
                times: c,
                at: Window::Anywhere,
                chance: Ratio::ALWAYS,
                kind: CrashKind::Kill,
                pause: Delay::Constant(1),
                wakes: Ratio::ALWAYS,
                after_end: false,
            }),
            truncation: None,
            recoverer_dies: None,
            sink_crash: None,
            cursor: None,
        },
        judge: Judge {
            frontier: Frontier::Last,
            when: When::Quiescent,
            grade: Grade::Journal,
            count: Counted::Payload,
            asked: Verdicts::NONE,
            order: false,
        },
    }
}

fn count(n: u32, c: u8, policy: &str) -> (usize, usize) {
    let machine = Machine::compile(&stage(n, c, policy), &Rules::new()).unwrap();
    let start: World<Vec<u64>> = machine.start();
    let mut seen = BTreeSet::from([start.clone()]);
    let mut frontier = vec![start];
    let mut transitions = 0;
    while let Some(w) = frontier.pop() {
        if machine.is_quiescent(&w) {
            continue;
        }
        for k in 0..machine.enabled(&w) {
            let action = machine.nth(&w, k).unwrap();
            assert!(machine.is_enabled(&w, action), "{action:?}");
            let label = machine.label(action);
            let parsed = machine.parse_label(&w, &label);
            assert_eq!(parsed, Ok(action), "{label}");
            let mut next = w.clone();
            machine.apply(&mut next, action, &mut ());
            transitions += 1;
            if seen.insert(next.clone()) {
                frontier.push(next);
            }
        }
    }
    (seen.len(), transitions)
}

#[test]
fn a_plain_walk_counts_the_states_and_transitions_that_four_tools_counted() {
    let expected = [
        (2, 1, [(135, 290), (123, 254), (122, 254)]),
        (2, 2, [(306, 754), (251, 574), (248, 573)]),
        (3, 1, [(522, 1474), (453, 1220), (438, 1204)]),
    ];
    for (n, c, counts) in expected {
        for (policy, count_of) in ["cursor", "sink-delta", "fenced"].into_iter().zip(counts) {
            assert_eq!(count(n, c, policy), count_of, "{policy}, {n} events, {c} crashes");
        }
    }
}

#[test]
fn the_explorer_counts_the_same_and_more() {
    let large = [(8, 2, "cursor", (1_335_705, 9_060_116))];
    let small = [(2, 1, "fenced", (122, 254)), (3, 1, "sink-delta", (453, 1220))];
    for (n, c, policy, counts) in small.into_iter().chain(large) {
        let machine = Machine::compile(&stage(n, c, policy), &Rules::new()).unwrap();
        for jobs in [1, 2] {
            let found = explore(&machine, Limits { jobs, ..Limits::default() }, &Watched::default());
            assert!(found.is_complete());
            assert_eq!(
                (found.states, found.transitions),
                counts,
                "{policy}, {n} events, {c} crashes, {jobs} jobs"
            );
        }
    }
}

fn campaign(policy: &str, seeds: u64) -> Tally {
    let stage = Ok(Box::new(stage(2, 1, policy)));
    let design = Design { name: policy.to_owned(), stage, expect: Expect::default() };
    let case = Case { twin: String::new(), designs: vec![design], check_by: vec![], claims: vec![] };
    let machines = compile_case(&case, &Rules::new()).unwrap();
    let orders = Orders { strategy: Strategy::Uniform, first: 0, seeds, jobs: 2 };
    let (result, complete) =
        run_case(Origin::default(), &case, &machines, orders, &Progress::default()).unwrap();
    assert!(complete);
    result.designs[0].tally.clone().unwrap()
}

#[test]
fn uniform_runs_agree_with_the_exact_rates() {
    // Exact rates by dynamic programming over the graph; see the workspace's tests/micro_reference.rs.
    let exact = [
        ("cursor", 17.0 / 512.0, 649.0 / 1024.0),
        ("sink-delta", 13591.0 / 1_843_200.0, 100_237.0 / 163_840.0),
        ("fenced", 0.0, 100_237.0 / 163_840.0),
    ];
    let seeds = if cfg!(debug_assertions) { 200_000 } else { 10_000_000 };
    for (policy, duplicate, lost) in exact {
        let tally = campaign(policy, seeds);
        for (verdict, rate) in [(Verdict::Duplicate, duplicate), (Verdict::Lost, lost)] {
            let n = seeds as f64;
            let (seen, deviation) = (tally.count(verdict) as f64 / n, (rate * (1.0 - rate) / n).sqrt());
            assert!((seen - rate).abs() <= 5.0 * deviation, "{policy} {verdict:?}: {seen} against {rate}");
        }
        assert_eq!(tally.count(Verdict::Premature) + tally.count(Verdict::Unfinished), 0);
    }
}
