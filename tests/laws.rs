//! Laws that hold in every run of every stage, whatever drives it: nothing that was sent goes missing unaccounted and
//! nothing arrives that was not sent, what was justified stays so, the accepted record only grows, a fence never falls, no
//! generation is beyond the newest that was spawned, what is armed keeps the stamp of its arming, a fire leaves contents
//! alone that are written at the send, a run ends without waiting for a paused process, no recovery up to an earlier
//! coordinate takes the cursor back, the identities of the theory hold in every state, a run is a path of enabled actions,
//! labels parse back, and the recorded actions lead through the same states again.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use dwsim_sim::engine::machine::Machine;
use dwsim_sim::engine::watch::Watch;
use dwsim_sim::engine::world::World;
use dwsim_sim::model::action::{Action, Emission};
use dwsim_sim::model::claim::{Predicate, Remembers};
use dwsim_sim::model::ids::{Generation, Payload, Slot};
use dwsim_sim::model::program::{Act, Stamps, Surface};
use dwsim_sim::model::scenario::{
    Acknowledges, Advance, Counted, CrashKind, FenceCheck, Frontier, Grade, Heal, Injected, Stage, When,
};
use dwsim_sim::model::strategy::Strategy;
use dwsim_sim::model::verdict::{Verdict, Verdicts};
use dwsim_sim::schedulers::{Driver, Pct, Swarm, Timed, Uniform, record_seed, run};
use dwsim_sim::search::explore::{Limits, Watched, explore};

/// Where everything that was sent went, counted in events, since a request of several may end in several ways; and how
/// high the fence stood. Beside it the journal as the commits wrote it, and each send with the journal's length then.
struct Ledger<'a> {
    machine: &'a Machine,
    journal: Vec<Payload>,
    stamped: Vec<(Emission, usize)>,
    /// How long the journal was when each recoverer last armed a batch.
    armed: BTreeMap<Slot, usize>,
    cursor: u32,
    cursor_fell: bool,
    /// What the transport may still hand over: sends, and the copies that it made itself.
    to_arrive: BTreeMap<Emission, u32>,
    made: u32,
    ended: u32,
    accepted: u32,
    premature: bool,
    fence: u32,
    fence_fell: bool,
    /// The newest generation that was spawned: the high-water mark.
    newest: u32,
    /// Something went out, or a run went on, under a generation that nobody spawned.
    beyond: bool,
    /// The newest generation that the run went on under, and whether it went on under one that was no newer or that the
    /// fence keeps out.
    current: u32,
    behind: bool,
    /// A recoverer sends for the crashed process in this step, at once: that meets no fence.
    sends_for_another: bool,
    /// Something below the fence was accepted where the fence holds at acceptance.
    below: bool,
    /// What was heard in this step; and whether it was a refusal.
    effects: u32,
    refused: bool,
}

impl Ledger<'_> {
    fn new(machine: &Machine) -> Ledger<'_> {
        Ledger {
            machine,
            journal: (0..machine.stage.start.committed).map(Payload).collect(),
            stamped: Vec::new(),
            armed: BTreeMap::new(),
            cursor: machine.stage.start.delivered,
            cursor_fell: false,
            to_arrive: BTreeMap::new(),
            newest: 0,
            beyond: false,
            current: 0,
            behind: false,
            sends_for_another: false,
            below: false,
            effects: 0,
            refused: false,
            made: 0,
            ended: 0,
            accepted: 0,
            premature: false,
            fence: 0,
            fence_fell: false,
        }
    }

    /// A step begins.
    fn begin(&mut self) {
        (self.sends_for_another, self.effects, self.refused) = (false, 0, false);
    }

    /// Whether every start and every resume takes a number of its own.
    fn counts_generations(&self) -> bool {
        let stage = &self.machine.stage;
        stage.recovery.bumps_generation && !stage.policy.acts().any(|act| *act == Act::Release)
    }

    /// A batch was stamped when it was armed, everything else is when it goes out.
    fn stamp(&mut self, e: Emission, by: Slot) {
        self.effects += 1;
        self.beyond |= u32::from(e.generation.0) > self.newest;
        self.stamped.push((e, self.armed.get(&by).copied().unwrap_or(self.journal.len())));
    }

    /// Whether the first so many entries of the journal hold what a message carries.
    fn justifies(&self, e: Emission, stamp: usize) -> bool {
        let event = |p: Payload| {
            let event = &self.machine.stage.source.events[p.0 as usize];
            (event.coordinate, event.kind, event.key, event.value)
        };
        let holds = |p: u32| self.journal[..stamp].iter().any(|entry| event(*entry) == event(Payload(p)));
        self.machine.entries(e.payload).all(holds)
    }

    /// One message of this kind arrives. False where the transport had none to hand over.
    fn arrives(&mut self, e: Emission) -> bool {
        let left = self.to_arrive.entry(e).or_default();
        let had = *left > 0;
        *left = left.saturating_sub(1);
        had
    }

    /// What is no delivery counts as one event.
    fn events(&self, payload: Payload) -> u32 {
        (self.machine.entries(payload).len() as u32).max(1)
    }
}

impl Watch for Ledger<'_> {
    fn committed(&mut self, payload: Payload) {
        self.effects += 1;
        self.journal.push(payload);
    }
    fn started(&mut self, _slot: Slot) {
        self.newest += 1;
    }
    fn resumed(&mut self, generation: Generation) {
        // A run that goes on past a fence that no generation reached spawns the one that it takes. Under `heal: once` it
        // takes the next one after the generation it had, as in the paper.
        let next = match self.machine.stage.recovery.heal {
            Heal::Once => self.current + 1,
            Heal::Free => 0,
        };
        self.beyond |= u32::from(generation.0) > self.newest.max(self.fence).max(next);
        self.newest = self.newest.max(u32::from(generation.0));
        self.behind |= self.counts_generations()
            && (u32::from(generation.0) <= self.current || u32::from(generation.0) < self.fence);
        self.current = u32::from(generation.0);
        self.effects += 1;
    }
    fn enqueued(&mut self, _payload: Payload) {
        self.effects += 1;
    }
    fn read(&mut self, _surface: Surface, _by: Slot, _number: u32) {
        self.effects += 1;
    }
    fn healed(&mut self) {
        self.effects += 1;
    }
    fn gave_way(&mut self, _slot: Slot, _stopped: bool, refused: bool) {
        self.refused |= refused;
    }
    fn armed(&mut self, by: Slot) {
        self.effects += 1;
        self.armed.insert(by, self.journal.len());
    }
    fn cursor(&mut self, events: u32) {
        self.effects += 1;
        self.cursor_fell |= events < self.cursor;
        self.cursor = events;
    }
    fn sent(&mut self, e: Emission, by: Slot) {
        self.beyond |= u32::from(e.generation.0) > self.newest;
        self.made += self.events(e.payload);
        *self.to_arrive.entry(e).or_default() += 1;
        self.stamp(e, by);
    }
    fn landed(&mut self, e: Emission, by: Slot) {
        let recovers = self.machine.slot_name(by).starts_with("recoverer");
        self.sends_for_another |= recovers && self.machine.stage.policy.stamps == Stamps::CrashTime;
        self.beyond |= u32::from(e.generation.0) > self.newest;
        self.made += self.events(e.payload);
        self.stamp(e, by);
    }
    fn copied(&mut self, e: Emission) {
        self.made += self.events(e.payload);
        *self.to_arrive.entry(e).or_default() += 1;
    }
    fn accepted(&mut self, e: Emission, _times: u32, _owed: bool) {
        self.premature |= !e.justified;
        let sink = &self.machine.stage.sink;
        // What was acknowledged before it was persisted had met the fence as it was acknowledged.
        let is_met_now = sink.fence == FenceCheck::Arrival && sink.acknowledges == Acknowledges::AfterPersist;
        self.below |= is_met_now && !self.sends_for_another && u32::from(e.generation.0) < self.fence;
        self.accepted += 1;
        self.ended += 1;
    }
    fn entered(&mut self, e: Emission) {
        self.premature |= !e.justified;
        self.ended += 1;
    }
    fn dropped(&mut self, e: Emission, _rescue: bool) {
        self.ended += self.events(e.payload);
    }
    fn rejected(&mut self, e: Emission) {
        self.ended += self.events(e.payload);
    }
    fn absorbed(&mut self, e: Emission) {
        self.ended += self.events(e.payload);
    }
    fn lost(&mut self, p: Payload) {
        self.ended += self.events(p);
    }
    fn fenced(&mut self, at: u32) {
        self.effects += 1;
        self.fence_fell |= at < self.fence;
        self.fence = at;
    }
}

/// What the theory says of every state: under a memory that never forgets, each obligation counts once just where none is
/// missing; and while the log is the journal, exact by the journal is exact by what was kept, and nothing missing below.
fn identities(stage: &Stage) -> Vec<Predicate> {
    let iff = |p, q| Predicate::Iff(Box::new(p), Box::new(q));
    let kept = Predicate::All(vec![Predicate::RetainedExactlyOnce, Predicate::Covered]);
    let of_grades =
        Predicate::Implies(Box::new(Predicate::JournalIsLog), Box::new(iff(Predicate::ExactlyOnce, kept)));
    // A memory knows payloads. Where instances are counted, it absorbs the second of two equal events, which is owed.
    let of_memory = iff(Predicate::ProcessesEachOnce(Remembers::Forever), Predicate::AtLeastOnce);
    match stage.judge.count {
        Counted::Payload => vec![of_memory, of_grades],
        Counted::Instance => vec![of_grades],
    }
}

/// Runs to the end and holds every state against the laws. Says how many atoms were refused.
fn obey(name: &str, machine: &Machine, driver: &mut impl Driver) -> u32 {
    let mut refusals = 0;
    let mut w: World<Vec<u64>> = machine.start();
    let mut ledger = Ledger::new(machine);
    let mut path: Vec<(Action, World<Vec<u64>>)> = Vec::new();
    let identities = identities(&machine.stage);
    let writes_at_send = machine.stage.sink.contents_advance == Advance::Send;
    // Where nothing else takes the cursor back: no old process that still writes it, no fault of its own.
    let stage = &machine.stage;
    let pauses = stage.faults.crash.as_ref().is_some_and(|crash| crash.kind == CrashKind::Pause);
    let keeps_a_cursor = stage.policy.reads().has(Surface::Cursor) || stage.relay.is_some();
    let frontier = stage.recovery.frontier != Frontier::Last
        && keeps_a_cursor
        && stage.faults.cursor.is_none()
        && !pauses
        && machine.stage.faults.truncation.is_none();
    let record = |w: &World<Vec<u64>>| -> Vec<u32> {
        (0..machine.events()).map(|p| machine.times_accepted(w, Payload(p))).collect()
    };
    while let Some(action) = driver.next(machine, &w) {
        let offered: Vec<Action> =
            (0..machine.enabled(&w)).map(|k| machine.nth(&w, k).expect("counted, so indexed")).collect();
        assert!(offered.contains(&action), "{name}: {action:?} is not enabled");
        assert_eq!(offered.iter().collect::<BTreeSet<_>>().len(), offered.len(), "{name}: one action twice");
        assert_eq!(machine.nth(&w, machine.enabled(&w)), None, "{name}");
        for offer in &offered {
            assert!(machine.is_enabled(&w, *offer), "{name}: {offer:?} is offered and not enabled");
            let label = machine.label(*offer);
            assert_eq!(machine.parse_label(&w, &label), Ok(*offer), "{name}: {label}");
        }
        if !machine.is_quiescent(&w) {
            let waits_for = |a: &Action| !a.is_fault() && !machine.label(*a).starts_with("paused-");
            assert!(offered.iter().any(waits_for), "{name}: the run waits for a paused process");
        }
        let before = record(&w);
        let label = machine.label(action);
        if let Action::Arrive(e) = action {
            assert!(ledger.arrives(e), "{name}: {label} more often than it was sent");
        }
        let was_dirty = Predicate::Dirty.holds(machine, &w);
        ledger.begin();
        driver.apply(machine, &mut w, action, &mut ledger);
        // A batch goes onto the record; only a producer's send and `heal` write the contents.
        if writes_at_send && label.starts_with("recoverer") && !label.contains("heal") {
            let is_dirty = Predicate::Dirty.holds(machine, &w);
            assert_eq!(is_dirty, was_dirty, "{name}: {label} changed the contents");
        }
        assert!(
            !ledger.refused || ledger.effects == 0,
            "{name}: {label} was refused and left something done"
        );
        refusals += u32::from(ledger.refused);
        for identity in &identities {
            assert!(identity.holds(machine, &w), "{name}: {identity:?} is false after {label}");
        }
        let pending = machine.events_in_flight(&w) + machine.undecided(&w);
        let step = path.len() + 1;
        assert_eq!(
            ledger.made,
            pending + ledger.ended,
            "{name}: sent and not accounted for after {label}, step {step}"
        );
        assert!(before.iter().zip(record(&w)).all(|(b, a)| *b <= a), "{name}: the record shrank at {label}");
        assert!(!ledger.fence_fell, "{name}: the fence fell at {label}");
        assert!(!frontier || !ledger.cursor_fell, "{name}: a recovery took the cursor back at {label}");
        assert!(!ledger.beyond, "{name}: a generation above the high-water mark at {label}");
        assert!(!ledger.behind, "{name}: resumed under an old generation or below the fence at {label}");
        assert!(!ledger.below, "{name}: accepted below the fence at {label}");
        path.push((action, w.clone()));
        assert!(path.len() < 5_000, "{name}: a run within bounds ends");
    }
    let total: u32 = record(&w).iter().sum();
    let before = machine.stage.start.delivered;
    assert!(total == before + ledger.accepted || record(&w).contains(&15), "{name}: {total} on the record");
    // What is no event is justified by what the log makes of a key, which the theory's rows judge.
    for (e, stamp) in ledger.stamped.iter().filter(|(e, _)| !machine.entries(e.payload).is_empty()) {
        let now = ledger.justifies(*e, *stamp);
        assert_eq!(now, e.justified, "{name}: {e:?} was justified otherwise when it was sent");
    }
    // Where each instance counts, a payload may be accepted as often as it was committed.
    let most = |p: u32| match machine.stage.judge.count {
        Counted::Payload => 1,
        Counted::Instance => {
            let one = |entry: &&Payload| {
                let event = |p: u32| {
                    let event = &machine.stage.source.events[p as usize];
                    (event.coordinate, event.kind, event.key, event.value)
                };
                event(entry.0) == event(p)
            };
            ledger.journal.iter().filter(one).count().max(1) as u32
        }
    };
    let is_repeated = (0..machine.events()).any(|p| machine.times_of_payload(&w, Payload(p)) > most(p));
    assert_eq!(
        machine.hazards(&w),
        Verdicts::NONE.with_if(Verdict::Duplicate, is_repeated).with_if(Verdict::Premature, ledger.premature),
        "{name}: the oracle's hazards are the record's and the stamps'"
    );
    if machine.stage.judge.grade == Grade::Journal {
        assert_eq!(
            machine.judge(&w, When::Recovered).owed as usize,
            machine.owed(&w).count(),
            "{name}: what is owed is kept by step"
        );
    }
    let mut again: World<Vec<u64>> = machine.start();
    for (action, state) in path {
        machine.apply(&mut again, action, &mut ());
        assert_eq!(again, state, "{name}: replayed otherwise at {}", machine.label(action));
    }
    refusals
}

fn obey_for(name: &str, machine: &Machine, seeds: u64) -> u32 {
    let mut refusals = 0;
    let mut timed = Timed::new(machine, 0);
    let mut pct = Pct::new(machine, 3, 0);
    let (choices, faults) = (Uniform::subsystem(), Swarm::subsystem());
    for seed in 0..seeds {
        timed.restart(machine, seed);
        refusals += obey(&format!("{name}, timed seed {seed}"), machine, &mut timed);
        refusals += obey(&format!("{name}, uniform seed {seed}"), machine, &mut Uniform::new(&choices, seed));
        pct.restart(seed);
        refusals += obey(&format!("{name}, pct:3 seed {seed}"), machine, &mut pct);
        refusals +=
            obey(&format!("{name}, swarm seed {seed}"), machine, &mut Swarm::new(machine, &faults, seed));
    }
    refusals
}

/// Each design is one piece of work, so that every core has something to do.
fn every_shipped_scenario_obeys_for(seeds: u64) {
    let load = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("text");
        common::machines(&common::scenario(&path.to_string_lossy(), &text))
    };
    let machines: Vec<(String, Machine)> = common::shipped().iter().flat_map(load).collect();
    let (next, refusals) = (AtomicUsize::new(0), AtomicU32::new(0));
    let work = || {
        while let Some((name, machine)) = machines.get(next.fetch_add(1, Ordering::Relaxed)) {
            refusals.fetch_add(obey_for(name, machine, seeds), Ordering::Relaxed);
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(work);
        }
    });
    assert!(refusals.into_inner() > 0, "some atom was refused");
}

#[test]
fn every_shipped_scenario_obeys() {
    every_shipped_scenario_obeys_for(100);
}

/// `cargo test --release --test laws -- --ignored`: minutes, not seconds.
#[test]
#[ignore = "ten thousand schedules of both strategies for every design take minutes"]
fn every_shipped_scenario_obeys_ten_thousand_times() {
    every_shipped_scenario_obeys_for(10_000);
}

/// Stages that no shipped scenario has, each a corner of the world.
const CORNERS: &[(&str, &str)] = &[
    (
        "copies",
        r#"Scenario(wire: (copies: (one_in: 2, times: 3), loss: (one_in: 5)), faults: (crash: anywhere(times: 2)),
            designs: ["cursor", "sink-delta", "fenced", "resend-all", "ack-log", "content-diff"])"#,
    ),
    (
        "in order",
        r#"Scenario(source: (events: 4), wire: (reorders: false, copies: (one_in: 3, times: 2), loss: (one_in: 5)),
            faults: (crash: anywhere(times: 2)), designs: ["cursor", "fenced-stepwise", "fence-first"])"#,
    ),
    (
        "two recoverers",
        r#"Scenario(recovery: (recoverers: 2, lease: "1s", act: uniform("1ms", "3s")),
            faults: (crash: anywhere(times: 2), recoverer_dies: anywhere(times: 2)),
            designs: ["cursor-stepwise", "sink-delta-stepwise", "claim", "claim-without-read", "fence-at-release",
                "fenced-stepwise", "fence-at-resume"])"#,
    ),
    (
        "healed once",
        r#"Scenario(recovery: (recoverers: 3, heal: once), faults: (crash: anywhere(times: 1)),
            designs: ["sink-delta-stepwise", "claim"])"#,
    ),
    (
        "zombies",
        r#"Scenario(source: (events: 3), faults: (crash: anywhere(times: 2, kind: pause, pause: exponential("8s"))),
            designs: ["cursor", "sink-delta", "fenced", "claim"])"#,
    ),
    (
        "a relay",
        r#"Scenario(source: (events: 5), relay: "relay-after-send",
            faults: (crash: anywhere(times: 2), cursor: (kind: rolls_back(2))),
            designs: {"after": (policy: "cursor"), "before": (policy: "cursor", relay: "relay-before-send"),
                "delta": (policy: "sink-delta")})"#,
    ),
    (
        "a paused relay",
        r#"Scenario(source: (events: 5), relay: "relay-after-send", faults: (crash: anywhere(times: 2, kind: pause)),
            designs: ["cursor", "fenced"])"#,
    ),
    (
        "retries",
        r#"Scenario(producer: "retry-until-acked", wire: (loss: (one_in: 3), reply: (loss: (one_in: 3))),
            faults: (crash: anywhere(times: 1)), designs: ["cursor", "ack-log", "fenced"])"#,
    ),
    (
        "attempts are new work",
        r#"Scenario(producer: "retry-until-acked", wire: (loss: (one_in: 3), copies: (one_in: 3)),
            sink: (dedup: (key: attempt)), faults: (crash: anywhere(times: 1)), designs: ["cursor", "fenced"])"#,
    ),
    (
        "dedup, effect first",
        r#"Scenario(wire: (copies: (one_in: 2, times: 3)), sink: (dedup: (order: effect_first, keeps: last(1))),
            faults: (crash: anywhere(times: 1), sink_crash: (times: 2)), designs: ["cursor", "resend-all"])"#,
    ),
    (
        "dedup, remember first",
        r#"Scenario(wire: (copies: (one_in: 2, times: 3)),
            sink: (dedup: (order: remember_first, release_on_failure: true, keeps: since_accepted("4s"))),
            faults: (crash: anywhere(times: 1), sink_crash: (times: 2)), designs: ["cursor", "resend-all"])"#,
    ),
    (
        "dedup, volatile",
        r#"Scenario(sink: (dedup: (scope: producer, survives: rebuilt), readable: [accepted_record, dedup_keys]),
            faults: (crash: anywhere(times: 2), sink_crash: (times: 1)), designs: ["keyed-delta", "cursor"])"#,
    ),
    (
        "acknowledged before persisted",
        r#"Scenario(producer: "retry-until-acked", sink: (acknowledges: before_persist(flush: "1s")),
            wire: (copies: (one_in: 2, times: 3)),
            faults: (crash: anywhere(times: 1), sink_crash: (times: 2)), designs: ["cursor", "sink-delta", "ack-log"])"#,
    ),
    (
        "provisional",
        r#"Scenario(sink: (acceptance: provisional(expires: "3s")), wire: (copies: (one_in: 2, times: 3)),
            faults: (crash: anywhere(times: 2)), designs: ["cursor", "sink-delta", "fenced"])"#,
    ),
    (
        "provisional, remembered first",
        r#"Scenario(sink: (acceptance: provisional(expires: "3s"), dedup: (order: remember_first)),
            wire: (copies: (one_in: 2, times: 3)),
            faults: (crash: anywhere(times: 2)), designs: ["cursor", "resend-all"])"#,
    ),
    (
        "partial reads",
        r#"Scenario(source: (events: 4), sink: (stale_by: 1, page: 2), faults: (crash: anywhere(times: 3)),
            designs: ["sink-delta", "resend-all"])"#,
    ),
    (
        "retention",
        r#"Scenario(source: (events: 4, retention: (drops: 2, after: "1s")), faults: (crash: anywhere(times: 2)),
            recovery: (reset: fail), designs: ["cursor", "sink-delta", "journal-delta"])"#,
    ),
    (
        "snapshots beside the log",
        r#"Scenario(source: (events: [(key: "row", update: 7), (key: "row", delete: true), (key: "row", insert: 9),
                (at: 3, key: "other", insert: 1)], base: {"row": 5, "old": 2}),
            programs: {"stale": Producer(each_event: [snapshot_from(replica), commit, enqueue, send, snapshot, persist]),
                "stream": Producer(run: [each_batch(2, [fetch(2), send, snapshot_from(now), persist])])},
            producer: "stale", wire: (loss: (one_in: 4), copies: (one_in: 3)), sink: (writes: register),
            faults: (crash: anywhere(times: 2)), designs: {"cursor": (), "fenced": (),
                "connector": (policy: "cursor", producer: "commit-to-outbox", relay: "stream")},
            expect: {"cursor": (dirty: sometimes)})"#,
    ),
    (
        "snapshots after a cut",
        r#"Scenario(source: (events: [(key: "row", insert: 7), (key: "row", update: 9)]), producer: "snapshot-backfill",
            wire: (reorders: false), sink: (dedup: (keeps: last(1))), faults: (truncation: (times: 1),
            crash: anywhere(times: 1, kind: pause)), designs: ["cursor", "sink-delta"])"#,
    ),
    (
        "sent twice by one program",
        r#"Scenario(programs: {"twice": Producer(each_event: [commit, enqueue, send, enqueue, send])}, producer: "twice",
            recovery: (bumps_generation: false), faults: (crash: anywhere(times: 2)), designs: ["cursor", "resend-all"])"#,
    ),
    (
        "taken back and sent again",
        r#"Scenario(source: (events: 3), wire: (copies: (one_in: 3)), faults: (crash: anywhere(times: 2)),
            recovery: (recoverers: 2), designs: ["compensate"])"#,
    ),
    (
        "work done before the start",
        r#"Scenario(source: (events: 4, base: {"order-1": 1, "old": 2}), start: (committed: 3, delivered: 1, status: crashed),
            faults: (crash: anywhere(times: 1)), designs: ["cursor", "sink-delta", "fenced"],
            expect: {"cursor": (dirty: sometimes)})"#,
    ),
    (
        "a relay with work done before the start",
        r#"Scenario(source: (events: 4), start: (committed: 3, delivered: 1), relay: "relay-after-send",
            sink: (dedup: (keeps: last(2))), faults: (crash: anywhere(times: 1)), designs: ["cursor", "sink-delta"])"#,
    ),
    (
        "the dual write",
        r#"Scenario(producer: "send-then-commit", wire: (copies: (one_in: 2)), faults: (crash: anywhere(times: 2)),
            designs: ["sink-delta", "fenced", "skip"])"#,
    ),
    (
        "any batch, committed or not",
        r#"Scenario(programs: {"anything": Policy(steps: [atomic([arm(any), heal, fire]), resume]),
            "anything, sent": Policy(steps: [arm(any), fire_wire, resume])},
            faults: (crash: anywhere(times: 2)), designs: ["anything", "anything, sent"])"#,
    ),
    (
        "open choices at a fused start",
        r#"Scenario(programs: {"any index": Policy(steps: [atomic([read(history), arm(any_suffix), heal, fire]), resume]),
            "any batch": Policy(steps: [arm(any), fire, resume])}, recovery: (start: fused, recoverers: 2),
            faults: (crash: anywhere(times: 2)), designs: ["any index", "any batch"])"#,
    ),
    (
        "outbox before log",
        r#"Scenario(programs: {"early row": Producer(each_event: [enqueue, commit, send])}, producer: "early row",
            faults: (crash: anywhere(times: 2)), designs: ["ack-log"])"#,
    ),
    (
        "no fence can tell",
        r#"Scenario(source: (events: 3), wire: (at_once: 1), recovery: (bumps_generation: false),
            faults: (crash: anywhere(times: 3)), designs: ["cursor", "sink-delta"])"#,
    ),
    (
        "rejected",
        r#"Scenario(sink: (rejects: ["order-1"], writes: register), faults: (crash: after(act: "send", times: 2)),
            designs: ["cursor", "content-diff"], expect: {"cursor": (dirty: sometimes)})"#,
    ),
    (
        "batches",
        r#"Scenario(source: (events: 5), programs: {"batches": Producer(about: "two at a time",
            run: [each_event([commit, enqueue]), each_batch(2, [send_batch, persist])])},
            producer: "batches", faults: (crash: anywhere(times: 2)), designs: ["cursor", "fenced"])"#,
    ),
    (
        "a cursor by the clock",
        r#"Scenario(source: (events: 4), programs: {"lazy": Producer(about: "moves the cursor now and then",
            run: [each_event([commit, enqueue, send]), each("7ms", [persist])])},
            producer: "lazy", faults: (crash: anywhere(times: 2)), designs: ["cursor", "fenced"])"#,
    ),
];

#[test]
fn every_corner_obeys() {
    for (name, text) in CORNERS {
        for (name, machine) in common::machines(&common::scenario(&format!("{name}.ron"), text)) {
            obey_for(&name, &machine, 60);
        }
    }
}

#[test]
fn a_fused_start_leaves_every_index_open() {
    let text = r#"Scenario(programs: {"any index": Policy(steps: [atomic([read(history), arm(any_suffix), heal, fire]),
        resume])}, recovery: (start: fused), faults: (crash: anywhere(times: 1)), designs: ["any index"])"#;
    let (_, machine) = common::machines(&common::scenario("fused.ron", text)).remove(0);
    let mut w: World<Vec<u64>> = machine.start();
    for label in ["producer commit order-1", "producer enqueue order-1", "crash"] {
        let action = machine.parse_label(&w, label).expect("a label");
        machine.apply(&mut w, action, &mut ());
    }
    let starts: Vec<String> =
        machine.enabled_labels(&w).into_iter().filter(|label| label.starts_with("recoverer-1")).collect();
    assert_eq!(starts.len(), 2, "one for each index: {starts:?}");
}

/// One event of four acts leaves five places, the last one after the end; none of them may swallow the crash.
#[test]
fn a_crash_that_is_certain_strikes_in_every_timed_run() {
    let text = r#"Scenario(source: (events: 1), wire: (latency: "0ms"),
        faults: (crash: anywhere(times: 1, chance: 1)), designs: ["resend-all"])"#;
    let (_, machine) = common::machines(&common::scenario("certain.ron", text)).remove(0);
    let mut after_the_end = 0;
    for seed in 0..200 {
        let record = record_seed(&machine, Strategy::Timed, seed);
        let crash = record.moments.iter().position(|m| m.label == "crash");
        let crash = crash.unwrap_or_else(|| panic!("seed {seed} has no crash"));
        after_the_end +=
            u32::from(record.moments[..crash].iter().any(|m| m.label == "producer persist order-1"));
    }
    assert!((20..=60).contains(&after_the_end), "a fifth of 200 runs, not {after_the_end}");
}

/// Chances mean what they say: a window with one place in it, and the whole program.
#[test]
fn a_death_that_is_certain_strikes_in_every_timed_run() {
    for window in
        ["after(act: \"arm\", chance: 1)", "before(act: \"fire\", chance: 1)", "anywhere(chance: 1)"]
    {
        let text = format!(
            r#"Scenario(source: (events: 1), wire: (instant: true),
            faults: (crash: after(act: "send", chance: 1), recoverer_dies: {window}), designs: ["sink-delta-stepwise"])"#
        );
        let (_, machine) = common::machines(&common::scenario("certain.ron", &text)).remove(0);
        for seed in 0..100 {
            let record = record_seed(&machine, Strategy::Timed, seed);
            let deaths =
                record.moments.iter().filter(|m| matches!(m.action, Action::Fault(Injected::Die(_)))).count();
            assert_eq!(deaths, 1, "{window}, seed {seed}");
        }
    }
}

/// In how many timed runs of 20 order-1 is accepted, and in how many twice; each run loses every reply, so that the
/// sender tries again after 2 and 4 hours.
fn accepted_again(keeps: &str, more: &str) -> usize {
    let text = format!(
        r#"Scenario(source: (events: 1), wire: (latency: "10ms", reply: (latency: "10ms", loss: (chance: "1", times: 3))),
        producer: Producer(each_event: [commit, enqueue, send, await_ack, persist], retry: (times: 3, after: "2h")),
        sink: (dedup: (key: coordinate, keeps: {keeps} {more})), designs: ["cursor"])"#
    );
    let (_, machine) = common::machines(&common::scenario("kept.ron", &text)).remove(0);
    let duplicates = (0..20).filter(|seed| {
        let record = record_seed(&machine, Strategy::Timed, *seed);
        record.verdicts.contains(&Verdict::Duplicate)
    });
    duplicates.count()
}

/// Accepted at 0 h, absorbed at 2 h: what counts from the acceptance is forgotten at 3 h and accepted again at 4 h.
#[test]
fn the_clock_of_a_dedup_key_starts_where_its_knob_says() {
    for order in ["", ", order: effect_first", ", order: remember_first"] {
        assert_eq!(accepted_again(r#"since_accepted("3h")"#, order), 20, "since accepted{order}");
        assert_eq!(accepted_again(r#"since_seen("3h")"#, order), 0, "since seen{order}");
        assert_eq!(accepted_again(r#"since_seen("1h")"#, order), 20, "since seen, too short{order}");
        assert_eq!(accepted_again(r#"since_accepted("9h")"#, order), 0, "since accepted, long enough{order}");
    }
}

/// What was accepted before the run is forgotten too, as if it had been accepted at its beginning.
#[test]
fn a_key_from_before_the_run_ages() {
    let evictions = |keeps: &str| {
        let text = format!(
            r#"Scenario(source: (events: 2, every: "1h"), start: (committed: 1, delivered: 1),
            sink: (dedup: (key: coordinate, keeps: {keeps})), designs: ["cursor"])"#
        );
        let (_, machine) = common::machines(&common::scenario("before.ron", &text)).remove(0);
        let record = record_seed(&machine, Strategy::Timed, 0);
        record.moments.iter().filter(|moment| moment.action == Action::Fault(Injected::Evict)).count()
    };
    assert_eq!(evictions(r#"since_accepted("1m")"#), 2, "order-1 for itself, and order-2");
}

/// Stages in which one payload is sent again under one generation: by a recoverer that resumes after a younger one, or
/// by a process that only seemed to crash and tries again.
const SENT_AGAIN: [&str; 4] = [
    r#"Scenario(source: (events: 1), relay: "relay-after-send", recovery: (recoverers: 2),
        faults: (crash: anywhere(times: 2)), designs: ["cursor"])"#,
    r#"Scenario(source: (events: 1), relay: "relay-after-send", recovery: (recoverers: 2, lease: "1s", act: uniform("1ms", "3s")),
        faults: (crash: anywhere(times: 2)), designs: ["cursor", "fenced", "content-diff"], sink: (readable: [accepted_record, contents]))"#,
    r#"Scenario(source: (events: 1), producer: "send-then-commit", recovery: (recoverers: 2),
        faults: (crash: anywhere(times: 2)), designs: ["sink-delta"])"#,
    r#"Scenario(source: (events: 1), producer: "retry-until-acked",
        faults: (crash: anywhere(times: 1, kind: pause)), designs: ["fenced"])"#,
];

#[test]
fn what_is_in_flight_has_a_place_however_often_it_is_sent_again() {
    for text in SENT_AGAIN {
        for (name, machine) in common::machines(&common::scenario("again.ron", text)) {
            explore(&machine, Limits { states: 100_000, ..Limits::default() }, &Watched::default());
            obey_for(&name, &machine, 200);
        }
    }
}

/// Asserts that so many timed runs end only where nothing but a fault could still happen.
fn ends_when_all_is_done(name: &str, machine: &Machine, seeds: u64) {
    let mut world: World<Vec<u64>> = machine.start();
    let mut driver = Timed::new(machine, 0);
    for seed in 0..seeds {
        driver.restart(machine, seed);
        run(machine, &mut world, &mut driver, &mut ());
        assert!(machine.is_quiescent(&world), "{name}: seed {seed} ended early");
    }
}

#[test]
fn a_timed_run_ends_only_when_nothing_but_a_fault_is_left() {
    for path in common::shipped() {
        let text = std::fs::read_to_string(&path).expect("text");
        for (name, machine) in common::machines(&common::scenario(&path.to_string_lossy(), &text)) {
            ends_when_all_is_done(&name, &machine, 100);
        }
    }
}

#[test]
fn an_interval_has_its_turns_under_a_clock() {
    let text = r#"Scenario(
        programs: {"p": Producer(run: [each_event([commit, enqueue, send]), each("1s", [persist])])},
        source: (events: 2), producer: "p", wire: (instant: true), designs: {"cursor": ()})"#;
    for (name, machine) in common::machines(&common::scenario("interval.ron", text)) {
        ends_when_all_is_done(&name, &machine, 50);
        let run = record_seed(&machine, Strategy::Timed, 0);
        let turn = run.moments.iter().find(|m| matches!(m.action, Action::Interval(_)));
        let at = turn.and_then(|m| m.at).expect("the interval has a turn");
        assert!(at.0 > 0 && at.0.is_multiple_of(1_000_000), "at a multiple of its length, not at {at:?}");
    }
}

#[test]
fn a_sender_that_only_seemed_to_crash_gives_up_waiting_for_its_reply() {
    for (name, machine) in common::machines(&common::scenario("again.ron", SENT_AGAIN[3])) {
        ends_when_all_is_done(&name, &machine, 400);
    }
}
