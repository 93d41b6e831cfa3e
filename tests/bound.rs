//! What no policy could do: the confusable pairs of the theory are found without being told, each group is verified by
//! replaying its members with every batch, and each rule that is found by exploring with it.

mod common;

use dwsim_policies::Shipped;
use dwsim_sim::analysis::bound::Failure;
use dwsim_sim::analysis::bound::regret::{Regret, regret};
use dwsim_sim::analysis::bound::table::Table;
use dwsim_sim::analysis::bound::triage::{Ask, Reply, triage};
use dwsim_sim::analysis::bound::{Answer, Bound, Change, Confusable, Question, bound, decide};
use dwsim_sim::engine::machine::Machine;
use dwsim_sim::engine::world::World;
use dwsim_sim::load;
use dwsim_sim::model::action::Action;
use dwsim_sim::model::claim::Says;
use dwsim_sim::model::decision::{Earlier, Redriven, view};
use dwsim_sim::model::ids::{Payload, Slot};
use dwsim_sim::model::program::{Act, BatchRule, FenceTo, Fire, Policy, Stamps, Step, Surface, Surfaces};
use dwsim_sim::model::record::{Effect, Shown};
use dwsim_sim::model::scenario::{Stage, Start};
use dwsim_sim::model::verdict::Verdict;
use dwsim_sim::model::view::Rules;
use dwsim_sim::schedulers::{Script, run_script};
use dwsim_sim::search::explore::{Limits, Reach, Watched, explore};
use dwsim_sim::text::file::Options;

/// The plain machine with a cursor, and two crashes.
const TWO_CRASHES: &str = r#"Scenario(wire: (instant: true), sink: (contents_advance: send),
    recovery: (start: fused, heal: once), faults: (crash: anywhere(times: 2, after_end: true)), designs: ["sink-delta"])"#;
/// The same with one crash.
const ONE_CRASH: &str = r#"Scenario(wire: (instant: true), sink: (contents_advance: send),
    recovery: (start: fused, heal: once), faults: (crash: anywhere(times: 1)), designs: ["sink-delta"])"#;
/// The machine with fire points: each recovery carries a generation of its own through a gate.
const FIRE_POINT: &str = r#"Scenario(
    programs: {"own": Policy(stamps: own, steps: [read(history), read(accepted_record), atomic([arm(minus(accepted_record)),
        heal, fire]), resume])},
    wire: (instant: true), sink: (fence: fire, contents_advance: send), recovery: (start: fused, heal: once),
    faults: (crash: anywhere(times: 2, after_end: true)), designs: ["own"])"#;
/// Messages that travel, arrive in any order, and can be lost.
const WIRE: &str = r#"Scenario(wire: (loss: (one_in: 10, times: 2)), sink: (contents_advance: send),
    recovery: (start: fused, heal: once), faults: (crash: anywhere(times: 1)), designs: ["fenced"])"#;
/// Either of two events is committed, the second of a key that nobody is owed, and the log can be cut.
const TRUNCATION: &str = r#"Scenario(source: (events: [(at: 1, key: "k", insert: 7), (at: 1, key: "z", insert: 7)],
    scope: ["k"], commits: any), wire: (instant: true), sink: (contents_advance: send),
    recovery: (start: fused, heal: once), faults: (truncation: (times: 1)), designs: ["sink-delta"])"#;

fn stage(text: &str) -> Stage {
    let scenario =
        load("bound.ron", text, &Shipped, &Options::default()).unwrap_or_else(|wrong| panic!("{wrong}"));
    scenario.cases[0].designs[0].stage.clone().map(|s| *s).expect("it can run")
}

fn surfaces(of: &[Surface]) -> Surfaces {
    of.iter().copied().collect()
}

fn named(name: &str) -> Surfaces {
    view(name).expect("a view of the paper")
}

fn question(reads: Surfaces, earlier: Earlier, redriven: Redriven) -> Question {
    let of = dwsim_sim::model::program::Obligations::History;
    let known = vec![
        ("resend-all".to_owned(), BatchRule::All(of)),
        ("cursor".to_owned(), BatchRule::PastCursor(of)),
        ("content-diff".to_owned(), BatchRule::NotHeld(of)),
        ("sink-delta".to_owned(), BatchRule::NotAccepted(of)),
    ];
    Question { reads, earlier, redriven, states: 1_000_000, known }
}

fn ask(text: &str, reads: Surfaces, earlier: Earlier, redriven: Redriven) -> Bound {
    bound(&stage(text), &Rules::new(), &question(reads, earlier, redriven), &Watched::default())
        .expect("it compiles")
}

/// A group that is claimed to be undecidable, verified.
fn undecidable(text: &str, reads: Surfaces, earlier: Earlier, redriven: Redriven) -> (Bound, Confusable) {
    let found = ask(text, reads, earlier, redriven);
    let Answer::Undecidable(group) = &found.answer else { panic!("not undecidable: {:?}", found.answer) };
    let group = (**group).clone();
    every_batch_fails_in_some_member(stage(text), &group, redriven);
    (found, group)
}

/// A rule that is claimed to be right, verified.
fn decidable(text: &str, reads: Surfaces, earlier: Earlier, redriven: Redriven) -> (Bound, Vec<String>) {
    let found = ask(text, reads, earlier, redriven);
    let Answer::Decidable { rule, same } = &found.answer else { panic!("not decidable: {:?}", found.answer) };
    no_schedule_with_it_goes_wrong(stage(text), reads, rule.clone(), redriven);
    (found.clone(), same.clone())
}

/// Explores every schedule with a rule that is claimed to be right.
fn no_schedule_with_it_goes_wrong(mut stage: Stage, reads: Surfaces, rule: Table, redriven: Redriven) {
    stage.policy =
        landing(reads.iter().map(Act::Read).collect(), BatchRule::Custom("found".to_owned()), redriven);
    // What is lost after a decision is not the rule's fault.
    stage.wire.loss = None;
    let rules = Rules::new().with("found", rule);
    let never = |stage: &Stage, verdicts: &[Verdict]| {
        let machine = Machine::compile(stage, &rules).expect("it compiles");
        let explored = explore(&machine, Limits::default(), &Watched::default());
        for verdict in verdicts {
            let witness = explored.witness(*verdict);
            assert_eq!(explored.reach(*verdict), Reach::Unreachable, "{verdict:?}: {witness:?}");
        }
    };
    let hazards = [Verdict::Duplicate, Verdict::Premature];
    never(&stage, &[Verdict::Lost]);
    // A producer whose log was cut commits and sends once more when it resumes; that is not the rule's fault either.
    if stage.faults.truncation.is_some() {
        stage.policy.steps.pop();
    }
    never(&stage, &hazards);
}

/// A program of one step that reads, arms, heals, lands and fences.
fn landing(mut acts: Vec<Act>, rule: BatchRule, redriven: Redriven) -> Policy {
    acts.extend([Act::Arm(rule), Act::Heal, Act::Fire(Fire::All)]);
    match redriven {
        Redriven::Unfenced => {}
        Redriven::Fenced => acts.push(Act::Fence(FenceTo::Successor)),
        Redriven::Claim => acts.insert(0, Act::Fence(FenceTo::Own)),
    }
    let step = |acts| Step { acts, otherwise: Default::default() };
    Policy {
        name: "landing".to_owned(),
        about: String::new(),
        stamps: if redriven == Redriven::Claim { Stamps::Own } else { Stamps::CrashTime },
        steps: vec![step(acts), step(vec![Act::Resume])],
    }
}

/// Replays each member on a machine of its own, lands each batch there, and lets everything arrive in every order.
fn every_batch_fails_in_some_member(mut stage: Stage, group: &Confusable, redriven: Redriven) {
    stage.policy = landing(Vec::new(), BatchRule::Any, redriven);
    let machine = Machine::compile(&stage, &Rules::new()).expect("it compiles");
    let ends: Vec<World<Vec<u64>>> =
        group.members.iter().map(|member| replay(&machine, &stage, &member.schedule)).collect();
    for w in &ends {
        assert!(!machine.is_unsafe(w), "a member is still safe");
    }
    for batch in 0..1_u32 << machine.events() {
        let fails: Vec<bool> = ends
            .iter()
            .map(|w| {
                let mut after = w.clone();
                if stage.recovery.start == Start::Step {
                    assert!(machine.is_enabled(&after, Action::Start(Slot(1))));
                    machine.apply(&mut after, Action::Start(Slot(1)), &mut ());
                }
                machine.apply(&mut after, Action::Step { who: Slot(1), pc: 0, item: batch }, &mut ());
                goes_wrong(&machine, &after)
            })
            .collect();
        assert!(fails.contains(&true), "batch {batch:b} is right in every member");
        let claimed = group.failures.iter().find(|f| f.batch == batch).expect("each batch is accounted for");
        assert!(fails[claimed.member], "batch {batch:b} does not fail where it is said to");
    }
    assert_eq!(group.failures.len(), 1 << machine.events());
}

/// Follows a schedule whose recoveries left out the first so many obligations, on a machine whose recoveries send any
/// batch.
fn replay(machine: &Machine, stage: &Stage, schedule: &[Action]) -> World<Vec<u64>> {
    let mut w: World<Vec<u64>> = machine.start();
    let mut committed = Vec::new();
    for action in schedule {
        let action = match *action {
            Action::Step { who: Slot(1), pc: 0, item } => {
                let batch = committed[item as usize..].iter().fold(0, |set, p: &u32| set | 1 << p);
                Action::Step { who: Slot(1), pc: 0, item: batch }
            }
            Action::Step { who: Slot(0), pc: 0, item } => {
                let event = &stage.source.events[item as usize];
                if stage.source.scope.get(event.key.0 as usize) != Some(&false) {
                    committed.push(item);
                }
                *action
            }
            other => other,
        };
        assert!(machine.is_enabled(&w, action), "{} is not enabled", machine.label(action));
        machine.apply(&mut w, action, &mut ());
    }
    w
}

/// Whether some order of what can still arrive goes wrong. A paused process may act again, and need not.
fn goes_wrong(machine: &Machine, w: &World<Vec<u64>>) -> bool {
    if machine.is_unsafe(w) {
        return true;
    }
    let arrives = |action: &Action| matches!(action, Action::Arrive(_));
    let moves: Vec<Action> = (0..machine.enabled(w))
        .filter_map(|k| machine.nth(w, k))
        .filter(|action| arrives(action) || machine.label(*action).starts_with("paused-"))
        .collect();
    if !moves.iter().any(arrives) && machine.owed(w).count() > 0 {
        return true;
    }
    moves.into_iter().any(|action| {
        let mut next = w.clone();
        machine.apply(&mut next, action, &mut ());
        goes_wrong(machine, &next)
    })
}

/// What the shipped scenarios claim that nobody can decide, or that somebody can.
#[test]
fn each_claim_is_verified_with_every_batch_or_under_every_schedule() {
    let (mut verified, mut explored) = (0, 0);
    for path in common::shipped() {
        let text = std::fs::read_to_string(&path).expect("text");
        for case in &common::scenario(&path.to_string_lossy(), &text).cases {
            for claim in &case.claims {
                let Says::Decision(decision) = &claim.says else { continue };
                let of_it = case.designs.iter().find(|d| claim.of.as_ref().is_none_or(|of| *of == d.name));
                let Some(Ok(stage)) = of_it.map(|design| &design.stage) else { continue };
                let redriven = decision.redriven.unwrap_or_else(|| Redriven::of(stage));
                let reads = decision.reads.unwrap_or_else(|| stage.policy.reads());
                let asked = question(reads, decision.earlier, redriven);
                let answer = decide(stage, &Rules::new(), &asked, &Watched::default()).expect("it compiles");
                // What is owed is what recovery owes, wherever the scenario judges.
                let mut stage = (**stage).clone();
                stage.judge.frontier = stage.recovery.frontier;
                match (decision.is_decidable, answer) {
                    (false, Answer::Undecidable(group)) => {
                        every_batch_fails_in_some_member(stage, &group, redriven);
                        verified += 1;
                    }
                    (true, Answer::Decidable { rule, .. }) => {
                        no_schedule_with_it_goes_wrong(stage, reads, rule, redriven);
                        explored += 1;
                    }
                    (_, answer) => panic!("{}: {}: {answer:?}", path.display(), claim.name),
                }
            }
        }
    }
    assert!(verified >= 10 && explored >= 8, "{verified} undecidable, {explored} decidable");
}

fn acceptance(found: &Bound, change: Change) -> Option<bool> {
    found.acceptance.iter().find(|a| a.change == change).expect("it was tried").decidable
}

#[test]
fn two_first_recoveries_with_different_indexes_leave_equal_cores() {
    let mut reads = named("core");
    let (found, group) = undecidable(TWO_CRASHES, reads, Earlier::AnyIndex, Redriven::Unfenced);
    assert_eq!(group.members.len(), 2);
    assert_ne!(group.members[0].accepted, group.members[1].accepted);
    assert!(group.members.iter().all(|m| m.in_flight.is_empty()));
    assert_eq!(acceptance(&found, Change::Redriven(Redriven::Fenced)), Some(false), "a fence says nothing");
    // And with a generation that is the same in both.
    reads = reads.with(Surface::Generation);
    undecidable(TWO_CRASHES, reads, Earlier::AnyIndex, Redriven::Unfenced);
}

#[test]
fn the_whole_control_plane_does_not_help() {
    for machine in [TWO_CRASHES, FIRE_POINT] {
        let (_, group) = undecidable(machine, named("control-plane"), Earlier::AnyIndex, Redriven::Unfenced);
        assert_eq!(group.members.len(), 2);
        assert_ne!(group.members[0].accepted, group.members[1].accepted);
    }
    let claimed = ask(FIRE_POINT, named("control-plane"), Earlier::AnyIndex, Redriven::Claim);
    assert!(matches!(claimed.answer, Answer::Undecidable(_)), "a claim reads nothing either");
}

/// The log shows that it was cut, and the journal does not forget.
#[test]
fn a_journal_that_is_read_shows_what_the_log_lost() {
    let text = r#"Scenario(programs: {"both": Policy(steps: [read(history), read(journal), arm(of(journal, all)), heal, fire])},
        wire: (instant: true), faults: (truncation: (times: 1)), designs: ["both"])"#;
    let machine = Machine::compile(&stage(text), &Rules::new()).expect("it compiles");
    let labels = [
        "producer commit order-1",
        "producer enqueue order-1",
        "producer send order-1",
        "producer persist order-1",
        "producer commit order-2",
        "truncate to 1",
        "start recoverer-1",
        "recoverer-1 read history",
        "recoverer-1 read journal",
    ];
    let labels: Vec<String> = labels.map(str::to_owned).into();
    let run = run_script(&machine, Script { labels: &labels, then_run_on: false }).expect("it runs");
    let read = run.moments.iter().flat_map(|moment| &moment.effects).filter_map(|effect| match effect {
        Effect::Read { surface, shows } => Some((*surface, shows.clone())),
        _ => None,
    });
    assert_eq!(
        read.collect::<Vec<_>>(),
        [(Surface::History, Shown::Number(1)), (Surface::Journal, Shown::Number(2))]
    );
}

#[test]
fn contents_are_not_what_was_accepted() {
    let reads = surfaces(&[Surface::History, Surface::Contents]);
    let (found, group) = undecidable(TWO_CRASHES, reads, Earlier::AnyIndex, Redriven::Unfenced);
    let fork = group.fork.expect("one payload parts them");
    let label = &found.payloads[fork.payload as usize];
    assert!(group.members[fork.with.0].accepted.contains(label));
    assert!(!group.members[fork.without.0].accepted.contains(label));
    assert!(matches!((fork.with.1, fork.without.1), (Failure::Duplicate(_), Failure::Lost(_))));
}

#[test]
fn the_checkpoint_window_is_found() {
    let (_, group) = undecidable(ONE_CRASH, named("durable-local"), Earlier::Design, Redriven::Unfenced);
    let [a, b] = group.members.as_slice() else { panic!("{} members", group.members.len()) };
    let sends = |labels: &[String]| labels.iter().filter(|l| l.contains("send")).count();
    assert_eq!(sends(&a.labels).abs_diff(sends(&b.labels)), 1, "one crashed before the send, one after");
    assert!(group.failures.iter().any(|f| f.batch == 0 && matches!(f.how, Failure::Lost(_))));
}

#[test]
fn contents_or_the_pending_window_tell_the_checkpoint_pair_apart() {
    for surface in [Surface::Contents, Surface::Pending] {
        decidable(ONE_CRASH, named("durable-local").with(surface), Earlier::Design, Redriven::Unfenced);
    }
    let reads = surfaces(&[Surface::History, Surface::Contents]);
    let (found, same) = decidable(ONE_CRASH, reads, Earlier::Design, Redriven::Unfenced);
    assert_eq!(same, ["content-diff"]);
    assert!(found.sufficient.contains(&reads), "{:?}", found.sufficient);
}

#[test]
fn history_and_accepted_record_suffice_on_the_plain_machine_and_the_record_alone_does_not() {
    let both = surfaces(&[Surface::History, Surface::AcceptedRecord]);
    let (found, same) = decidable(TWO_CRASHES, both, Earlier::AnyIndex, Redriven::Unfenced);
    assert_eq!(same, ["sink-delta"]);
    assert_eq!(found.sufficient, [both], "nothing cheaper does, once stores were healed");
    undecidable(TWO_CRASHES, surfaces(&[Surface::AcceptedRecord]), Earlier::AnyIndex, Redriven::Unfenced);
}

#[test]
fn an_old_send_in_flight_or_lost_looks_the_same_to_all_who_do_not_see_the_wire() {
    let (unfenced, group) = undecidable(WIRE, named("channel-blind"), Earlier::Design, Redriven::Unfenced);
    let fork = group.fork.expect("one payload parts them");
    assert!(
        !group.members[fork.with.0].in_flight.is_empty()
            && group.members[fork.without.0].in_flight.is_empty()
    );
    assert_eq!(acceptance(&unfenced, Change::Redriven(Redriven::Fenced)), Some(true));
    assert_eq!(acceptance(&unfenced, Change::Dedup), Some(true));
    let record = surfaces(&[Surface::History, Surface::AcceptedRecord]);
    let (fenced, same) = decidable(WIRE, record, Earlier::Design, Redriven::Fenced);
    assert_eq!(same, ["sink-delta"]);
    assert_eq!(acceptance(&fenced, Change::Redriven(Redriven::Unfenced)), Some(false));
    assert!(unfenced.sufficient.iter().all(|set| set.has(Surface::Wire)), "{:?}", unfenced.sufficient);
}

#[test]
fn lengths_of_a_truncated_log_do_not_say_what_was_owed() {
    let (_, group) = undecidable(TRUNCATION, named("retained"), Earlier::Design, Redriven::Unfenced);
    assert_eq!(group.members.len(), 2);
    let owed: Vec<usize> = group.members.iter().map(|m| m.owed.len()).collect();
    assert!(owed.contains(&1) && owed.contains(&0), "one owes what the other never committed");
    let journal = surfaces(&[Surface::Journal, Surface::AcceptedRecord]);
    decidable(TRUNCATION, journal, Earlier::Design, Redriven::Unfenced);
}

#[test]
fn history_alone_suffices_on_what_a_sink_processes_that_never_forgets() {
    let text = r#"Scenario(sink: (dedup: (keeps: forever), contents_advance: send),
        recovery: (start: fused), faults: (crash: anywhere(times: 2)), designs: ["resend-all"])"#;
    let history = surfaces(&[Surface::History]);
    for earlier in [Earlier::Design, Earlier::AnyIndex] {
        let (found, same) = decidable(text, history, earlier, Redriven::Unfenced);
        assert_eq!(same, ["resend-all"]);
        assert_eq!(found.sufficient, [history]);
    }
}

#[test]
fn a_state_with_a_paused_process_has_two_futures() {
    let text = include_str!("../scenarios/taken-for-dead.ron");
    let reads = surfaces(&[Surface::History, Surface::AcceptedRecord]);
    let (_, group) = undecidable(text, reads, Earlier::Design, Redriven::Unfenced);
    assert_eq!(group.members.len(), 1, "one state is enough");
    let fork = group.fork.expect("its two futures part over one payload");
    let payload = Payload(fork.payload);
    assert_eq!((fork.with.1, fork.without.1), (Failure::Duplicate(payload), Failure::Lost(payload)));
    decidable(text, reads, Earlier::Design, Redriven::Fenced);
}

/// Some producers leave no choice: what they sent before they committed it is on its way.
#[test]
fn one_state_can_be_lost_alone() {
    let text = r#"Scenario(source: (events: 1), producer: "send-then-commit", recovery: (start: fused),
        faults: (crash: anywhere(times: 1)), designs: ["fenced"])"#;
    let reads = surfaces(&[Surface::Wire]);
    let (found, group) = undecidable(text, reads, Earlier::Design, Redriven::Unfenced);
    assert_eq!(group.members.len(), 1);
    assert!(matches!(group.failures[0].how, Failure::Premature(Payload(0))));
    assert_eq!(found.sufficient, [], "not even all of them together");
    let both = surfaces(&[Surface::History, Surface::AcceptedRecord]);
    let fenced = ask(text, both, Earlier::Design, Redriven::Fenced);
    assert!(matches!(fenced.answer, Answer::Decidable { .. }), "what is on its way is refused");
}

#[test]
fn a_failure_is_the_policys_or_the_interfaces() {
    let of = |text: &str| {
        regret(&stage(text), &Rules::new(), 1_000_000, &Watched::default()).expect("it compiles")
    };
    let with = |design: &str| WIRE.replace("fenced", design);
    assert_eq!(of(&with("sink-delta")), Regret::YourInterface, "an unfenced read of the record");
    assert_eq!(of(&with("fenced-stepwise")), Regret::YourPolicy, "the same reads do, landed in one step");
    assert_eq!(of(&with("fenced")), Regret::NotKnown, "what is lost later is no fault of its decisions");
    let plain = |design: &str| ONE_CRASH.replace("sink-delta", design);
    assert_eq!(of(&plain("cursor")), Regret::YourInterface);
    assert_eq!(of(&plain("content-gated")), Regret::NotKnown);
    let equal = r#"Scenario(source: (events: [(key: "k", insert: 1), (key: "k", insert: 1)]), wire: (instant: true),
        faults: (crash: anywhere(times: 1)), designs: ["content-gated"])"#;
    assert_eq!(of(equal), Regret::YourPolicy, "it takes an equal event for the same one");
}

#[test]
fn triage_answers_with_runs() {
    let answers = |text: &str| {
        triage(&stage(text), &Rules::new(), 1_000_000, &Watched::default()).expect("it compiles")
    };
    let yes = |text: &str| -> Vec<Ask> {
        let is_yes = |(ask, reply): (Ask, Reply)| matches!(reply, Reply::Yes(_)).then_some(ask);
        answers(text).into_iter().filter_map(is_yes).collect()
    };
    assert_eq!(yes(ONE_CRASH), []);
    assert_eq!(yes(&ONE_CRASH.replace("sink-delta", "cursor")), [Ask::ReadsOnlyItself]);
    assert_eq!(yes(WIRE), [Ask::OldSends]);
    let everything = r#"Scenario(recovery: (recoverers: 2), sink: (dedup: (keeps: since_accepted("1s"))),
        faults: (crash: anywhere(times: 1)), designs: ["cursor-stepwise"])"#;
    assert_eq!(yes(everything), Ask::ALL);
    for (ask, reply) in answers(everything) {
        let Reply::Yes(run) = reply else { panic!("{ask:?}") };
        assert!(run.iter().any(|label| label == "crash"), "{ask:?}: {run:?}");
    }
    assert_eq!(yes(TRUNCATION), [Ask::Expires]);
}

#[test]
fn more_batches_than_can_be_tried_are_inconclusive() {
    let text = r#"Scenario(source: (events: 13), faults: (crash: anywhere(times: 1)), designs: ["fenced"])"#;
    let found = ask(text, surfaces(&[Surface::History]), Earlier::Design, Redriven::Unfenced);
    assert!(matches!(found.answer, Answer::Inconclusive(_)));
}
