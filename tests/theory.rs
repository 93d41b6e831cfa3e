//! Rows of the theory that are best said over many random runs.

mod common;

use dwsim_sim::analysis::expect::Outcome;
use dwsim_sim::analysis::tally::Tally;
use dwsim_sim::engine::machine::Machine;
use dwsim_sim::engine::watch::Watch;
use dwsim_sim::engine::world::World;
use dwsim_sim::model::action::{Action, Emission};
use dwsim_sim::model::claim::{Count, Predicate};
use dwsim_sim::model::ids::{Payload, Slot};
use dwsim_sim::model::scenario::{Verdict, When};
use dwsim_sim::model::view::Rules;
use dwsim_sim::schedulers::{Driver, Script, Uniform};
use dwsim_sim::search::explore::Limits;

/// The plain machine: one recoverer, a reconcile that is one atom, whose batch is any suffix.
const PLAIN: &str = r#"Scenario(
    programs: { "reconcile": Policy(about: "any suffix, in one atom",
        steps: [atomic([read(history), arm(any_suffix), heal, fire]), resume]) },
    source: (events: 3, commits: any), wire: (instant: true), sink: (contents_advance: send),
    recovery: (heal: once), faults: (crash: anywhere(times: 3)), designs: ["reconcile"],
    expect: {"reconcile": (dirty: sometimes)})"#;

/// The machine with fire points, restricted to one recoverer: arm, heal and fire are steps, and the batch carries the
/// recoverer's own generation through a gate that nobody raises.
const FIRE_POINT: &str = r#"Scenario(
    programs: { "reconcile": Policy(about: "any suffix, step by step", stamps: own,
        steps: [read(history), arm(any_suffix), heal, fire, resume]) },
    source: (events: 3, commits: any), wire: (instant: true), sink: (fence: fire, contents_advance: send),
    recovery: (heal: once), faults: (crash: anywhere(times: 3)), designs: ["reconcile"],
    expect: {"reconcile": (dirty: sometimes)})"#;

fn machine(name: &str, text: &str) -> Machine {
    let mut machines = common::machines(&common::scenario(name, text));
    assert_eq!(machines.len(), 1);
    machines.remove(0).1
}

/// The labels of the one machine's step on the other.
fn translated(label: &str) -> Vec<String> {
    match label.strip_prefix("recoverer-1 read history + arm + heal + fire") {
        Some(from) => vec![
            "recoverer-1 read history".to_owned(),
            format!("recoverer-1 arm{from}"),
            "recoverer-1 heal".to_owned(),
            "recoverer-1 fire".to_owned(),
        ],
        None => vec![label.to_owned()],
    }
}

#[test]
fn shared_core_the_fire_point_machine_with_one_recoverer_is_the_plain_machine() {
    let (plain, fire_point) = (machine("plain.ron", PLAIN), machine("fire-point.ron", FIRE_POINT));
    let choices = Uniform::subsystem();
    let (mut duplicates, mut losses, mut recoveries, mut deltas) = (0, 0, 0, 0);
    let (mut w, mut v): (World<Vec<u64>>, World<Vec<u64>>) = (plain.start(), fire_point.start());
    for seed in 0..100_000 {
        plain.reset(&mut w);
        fire_point.reset(&mut v);
        let mut driver = Uniform::new(&choices, seed);
        while let Some(action) = driver.next(&plain, &w) {
            let label = plain.label(action);
            plain.apply(&mut w, action, &mut ());
            for step in translated(&label) {
                let action: Action = fire_point.parse_label(&v, &step).unwrap_or_else(|why| panic!("{why}"));
                assert!(fire_point.is_enabled(&v, action), "seed {seed}: {step} is not enabled");
                fire_point.apply(&mut v, action, &mut ());
                recoveries += u32::from(step.ends_with("fire"));
            }
            assert_eq!(plain.hazards(&w), fire_point.hazards(&v), "seed {seed} at {label}");
            let record = |m: &Machine, w: &World<Vec<u64>>| -> Vec<u32> {
                (0..m.events()).map(|p| m.times_accepted(w, Payload(p))).collect()
            };
            assert_eq!(record(&plain, &w), record(&fire_point, &v), "seed {seed} at {label}");
            let owed = |m: &Machine, w: &World<Vec<u64>>| m.owed(w).collect::<Vec<_>>();
            assert_eq!(owed(&plain, &w), owed(&fire_point, &v), "seed {seed} at {label}");
            if label == "crash" {
                let delta = plain.sink_delta(&w);
                assert_eq!(
                    delta,
                    fire_point.sink_delta(&v),
                    "seed {seed} at {label}: what a delta would send"
                );
                deltas += u32::from(!delta.is_empty());
            }
            assert_eq!(
                plain.judge(&w, When::Recovered),
                fire_point.judge(&v, When::Recovered),
                "seed {seed} at {label}: contents and losses"
            );
        }
        duplicates += u32::from(plain.hazards(&w).has(Verdict::Duplicate));
        losses += u32::from(plain.judge(&w, When::Quiescent).owed > 0);
    }
    // What was compared is not empty.
    assert!(
        duplicates > 1_000 && losses > 1_000 && recoveries > 100_000 && deltas > 10_000,
        "{duplicates} {losses} {recoveries} {deltas}"
    );
}

/// Which of the three guards, the last one of two parts, a step keeps.
#[derive(Clone, Copy, Debug)]
enum Guard {
    /// A publish sends only what the log holds.
    Justified,
    /// A publish sends only what the record lacks.
    Fresh,
    /// A recovery sends only what the record lacks.
    SuffixFresh,
    /// A recovery sends nothing twice in one go, and nothing uncommitted.
    SuffixDistinct,
}

/// The plain machine with any batch and a producer that keeps no guard of its own: it sends before it commits, sends
/// again, and commits one payload twice.
const UNGUARDED: &str = r#"Scenario(
    programs: {
        "any": Policy(about: "any batch, in one atom", steps: [atomic([arm(any), heal, fire]), resume]),
        "careless": Producer(about: "sends early, and again", each_event: [send, commit, enqueue, send]),
        "late": Producer(about: "sends again", each_event: [commit, enqueue, send, send]),
        "careful": Producer(about: "sends once", each_event: [commit, enqueue, send]),
    },
    source: (events: [(at: 1, key: "a", insert: 1), (at: 1, key: "a", insert: 1, label: "again"), (at: 2, insert: 2)],
        coordinates: reused, commits: any),
    wire: (instant: true), sink: (contents_advance: send), recovery: (heal: once),
    faults: (crash: anywhere(times: 2)),
    designs: {"careless": (policy: "any", producer: "careless"), "late": (policy: "any", producer: "late"),
        "careful": (policy: "any", producer: "careful")})"#;

/// What a step sends, and whether a recovery does: told by the watcher's events.
#[derive(Default)]
struct Sends(Vec<(Payload, bool)>);

impl Watch for Sends {
    fn landed(&mut self, e: Emission, by: Slot) {
        self.0.push((e.payload, by != Slot(0)));
    }
}

#[test]
fn guards_a_run_that_keeps_all_three_has_no_hazard_and_each_one_dropped_has_its_own() {
    let machines = common::machines(&common::scenario("unguarded.ron", UNGUARDED));
    let choices = Uniform::subsystem();
    let guards = [Guard::Justified, Guard::Fresh, Guard::SuffixFresh, Guard::SuffixDistinct];
    let (mut kept_all, mut refuted) = (0, [0; 4]);
    for (name, machine) in &machines {
        let event = |p: Payload| {
            let event = &machine.stage.source.events[p.0 as usize];
            (event.coordinate, event.key, event.value)
        };
        for seed in 0..20_000 {
            let mut w: World<Vec<u64>> = machine.start();
            let mut driver = Uniform::new(&choices, seed);
            let mut log: Vec<Payload> = Vec::new();
            let mut broken = [false; 4];
            while let Some(action) = driver.next(machine, &w) {
                let label = machine.label(action);
                if let Some(committed) = label.strip_prefix("producer commit ") {
                    log.extend((0..3).map(Payload).find(|p| machine.payload_label(*p) == committed));
                }
                let on_record = |p: Payload| machine.times_of_payload(&w, p) > 0;
                let mut sends = Sends::default();
                let mut after = w.clone();
                machine.apply(&mut after, action, &mut sends);
                for (i, (p, recovers)) in sends.0.iter().enumerate() {
                    let in_log = log.iter().any(|entry| event(*entry) == event(*p));
                    let twice = sends.0[..i].iter().any(|(before, _)| event(*before) == event(*p));
                    broken[Guard::Justified as usize] |= !recovers && !in_log;
                    broken[Guard::Fresh as usize] |= !recovers && on_record(*p);
                    broken[Guard::SuffixFresh as usize] |= *recovers && on_record(*p);
                    broken[Guard::SuffixDistinct as usize] |= *recovers && (twice || !in_log);
                }
                w = after;
                let unsafe_now = machine.is_unsafe(&w);
                let dropped: Vec<Guard> =
                    guards.into_iter().filter(|guard| broken[*guard as usize]).collect();
                match dropped[..] {
                    [] => assert!(!unsafe_now, "{name}, seed {seed}: a hazard at {label}, all guards kept"),
                    [guard] if unsafe_now => refuted[guard as usize] += 1,
                    _ => {}
                }
            }
            kept_all += u32::from(broken == [false; 4]);
        }
    }
    assert!(kept_all > 1_000 && refuted.iter().all(|runs| *runs > 100), "{kept_all} {refuted:?}");
}

/// A batch that the schedule picks can hold what was never committed, and the oracle must see it.
#[test]
fn a_batch_of_what_was_never_committed_is_premature() {
    let any = r#"Scenario(
        programs: { "any": Policy(about: "any batch", steps: [arm(any), heal, fire, resume]) },
        source: (events: 1), wire: (instant: true), faults: (crash: anywhere(times: 1)), designs: ["any"])"#;
    let labels: Vec<String> =
        ["crash", "start recoverer-1", "recoverer-1 arm [order-1]", "recoverer-1 heal", "recoverer-1 fire"]
            .map(str::to_owned)
            .into();
    let run = Tally::of_script(&machine("any.ron", any), Script { labels: &labels, then_run_on: false });
    assert_eq!(run.expect("it runs").count(Verdict::Premature), 1);
}

/// What a reader of the record sees go by: which payload, and whether it is delivered or taken back.
struct Reader<'a> {
    machine: &'a Machine,
    entries: Vec<(String, bool)>,
    committed: Vec<Payload>,
}

impl Watch for Reader<'_> {
    fn committed(&mut self, payload: Payload) {
        self.committed.push(payload);
    }
    fn accepted(&mut self, e: Emission, _times: u32, _owed: bool) {
        self.entries.push((self.machine.payload_label(e.payload), true));
    }
    fn entered(&mut self, e: Emission) {
        let label = self.machine.payload_label(e.payload);
        let event = label.strip_prefix("reversal of ").expect("nothing else enters here");
        self.entries.push((event.to_owned(), false));
    }
}

impl Reader<'_> {
    /// How often a payload counts, entry by entry: by matching each reversal with what it takes back, by adding up, and by
    /// a sum that stops at nothing.
    fn counts(&self, payload: Payload) -> [i32; 3] {
        let label = self.machine.payload_label(payload);
        let (mut matched, mut net) = (0, 0);
        for (_, delivered) in self.entries.iter().filter(|(of, _)| *of == label) {
            net += if *delivered { 1 } else { -1 };
            matched = if *delivered { matched + 1 } else { i32::max(matched - 1, 0) };
        }
        [matched, net, net.max(0)]
    }
}

#[test]
fn undo_the_views_count_what_a_reader_of_the_record_counts() {
    let text = r#"Scenario(source: (events: 3), faults: (crash: anywhere(times: 2)), recovery: (recoverers: 2),
        designs: ["compensate"])"#;
    let machine = machine("undo.ron", text);
    let choices = Uniform::subsystem();
    let mut w: World<Vec<u64>> = machine.start();
    let views = [Count::MatchedCancellation, Count::SignedNet, Count::Truncated];
    let mut exact = [0; 3];
    for seed in 0..5_000 {
        machine.reset(&mut w);
        let mut reader = Reader { machine: &machine, entries: Vec::new(), committed: Vec::new() };
        let mut driver = Uniform::new(&choices, seed);
        while let Some(action) = driver.next(&machine, &w) {
            machine.apply(&mut w, action, &mut reader);
        }
        let counts: Vec<(i32, [i32; 3])> = (0..machine.events())
            .map(Payload)
            .map(|p| (i32::from(reader.committed.contains(&p)), reader.counts(p)))
            .collect();
        for (view, count) in views.into_iter().enumerate() {
            let is_exact = counts.iter().all(|(owed, of)| of[view] == *owed);
            assert_eq!(
                Predicate::ExactlyOnceBy(count).holds(&machine, &w),
                is_exact,
                "seed {seed}: {count:?}"
            );
            exact[view] += u32::from(is_exact);
        }
    }
    let [matched, net, truncated] = exact;
    assert!(net <= truncated && truncated < matched && matched < 5_000, "{exact:?}");
}

/// Asked of a policy that leaves no batch open, "each batch fails" must not come out as met.
#[test]
fn batches_are_judged_only_where_one_is_open() {
    let text = r#"Scenario(source: (events: 1), wire: (instant: true), faults: (crash: anywhere(times: 1)),
        designs: ["skip"], claims: { "c": pair(left: ["go 1", "crash"], right: ["go 1", "crash"], batches: each_fails) })"#;
    let case = &common::scenario("skip.ron", text).cases[0];
    let stage = case.designs[0].stage.as_ref().expect("it can run");
    let limits = Limits { states: 1_000, ..Limits::default() };
    let judged = case.claims[0].judge(stage, &Rules::new(), limits).expect("it compiles");
    assert_eq!(judged.ending.outcome, Outcome::Failed);
    assert!(judged.ending.why.contains("arm(any)"), "{}", judged.ending.why);
}
