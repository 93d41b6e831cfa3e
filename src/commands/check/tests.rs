//! Every shipped scenario keeps what it promises, what it promises could fail, and what fails can be run again.

use dwsim_reports::check::{CheckReport, Expects, Outcome};
use dwsim_sim::analysis::campaign::Progress;
use dwsim_sim::model::claim::{Batches, Claim, Decision, Pair, Predicate, Says};
use dwsim_sim::model::ratio::Ratio;
use dwsim_sim::model::scenario::{Advance, Case, Chance, FenceCheck, Often, Stage, Strike, Window};

use super::{exit, judge};
use crate::exit::Exit;
use crate::load::{self, Loaded, Wanted};

fn shipped() -> Vec<Loaded> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios").to_owned();
    load::scenarios(&[folder], Wanted::default()).expect("the shipped scenarios load")
}

fn judged(scenarios: &[Loaded]) -> CheckReport {
    let nothing_kept = vec![Vec::new(); scenarios.len()];
    judge(scenarios, &nothing_kept, None, 2, &Progress::default()).expect("it judges").0
}

fn of(text: &str) -> CheckReport {
    let scenario = dwsim_sim::load("s.ron", text, &dwsim_policies::Shipped, &Default::default());
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
    let report =
        of(r#"Scenario(source: (events: 1), faults: (crash: before(act: "enqueue")), designs: ["fenced"],
            expect: {"fenced": (duplicate: never)}, check_by: [seeds(50)])"#);
    let why = "no message was ever in flight at a crash, so no answer of the sink was out of date";
    assert_eq!(outcomes(&report), [(Outcome::Vacuous, why)]);
}

#[test]
fn a_script_that_cannot_be_followed_fails_and_says_what_it_could_have_done() {
    let report = of(r#"Scenario(faults: (crash: anywhere(times: 1)), designs: ["fenced"],
            expect: {"fenced": (duplicate: never)}, check_by: [script(["go 2", "arrive order-1 g0"])])"#);
    let why = "step 2, `arrive order-1 g0`: not enabled here; enabled there: producer send order-1 | crash";
    assert_eq!(outcomes(&report), [(Outcome::Failed, why)]);
    let line = r"printf '%s\n' 'go 2' 'arrive order-1 g0' | dwsim replay s.ron --policy fenced --schedule -";
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
    let report =
        of(r#"Scenario(source: (events: 1), designs: ["cursor"], faults: (crash: anywhere(times: 1)),
            expect: {"cursor": (duplicate: sometimes)}, check_by: [script(["go 4"]), crash_at_every_step])"#);
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
    let claims: Vec<_> =
        cases.iter().flat_map(|case| case.claims.iter().map(|claim| (events(case), claim.clone()))).collect();
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

/// An edit of the world that a stage runs in, and what it is.
type Edit = (&'static str, fn(&mut Stage));

/// Each takes away what a row stands on, or adds what it leaves out.
const EDITS: [Edit; 8] = [
    ("no crash", |stage| (stage.faults.crash, stage.faults.truncation) = (None, None)),
    ("another crash", |stage| stage.faults.crash.iter_mut().for_each(|crash| crash.times += 1)),
    ("the log can be cut", |stage| {
        stage.faults.truncation = Some(Strike { times: 1, at: Window::Anywhere, chance: Ratio::NEVER });
    }),
    ("a wire, or none", |stage| stage.wire.instant = !stage.wire.instant),
    ("messages can be lost", |stage| stage.wire.loss = Some(Chance { chance: Ratio::NEVER, times: Some(1) })),
    ("a second recoverer", |stage| (stage.recovery.recoverers, stage.recovery.attempts) = (2, 2)),
    ("a fence that is checked nowhere", |stage| stage.sink.fence = FenceCheck::Nowhere),
    ("contents that follow acceptance", |stage| stage.sink.contents_advance = Advance::Acceptance),
];

/// A row that no edit of its world can break would say nothing about the world.
#[test]
fn every_row_of_the_theory_fails_in_some_other_world() {
    for loaded in shipped().into_iter().filter(|loaded| loaded.path.contains("/theory/")) {
        let fails = |(_, edit): &Edit| {
            let mut scenario = loaded.scenario.clone();
            scenario.cases.truncate(1);
            for design in &mut scenario.cases[0].designs {
                design.stage.iter_mut().for_each(|stage| edit(stage));
            }
            let report = judged(&[Loaded { path: loaded.path.clone(), scenario }]);
            report.cases.iter().any(|line| line.outcome == Outcome::Failed)
        };
        assert!(EDITS.iter().any(fails), "{} holds in every world", loaded.path);
    }
}

/// The clock keeps the key for a day and is down for an hour; some order of the steps lets it expire before the restart.
const KEY_FOR_A_DAY: &str = r#"sink: (dedup: (keeps: since_accepted("24h"))), recovery: (detect: "1h"),
    faults: (crash: anywhere(times: 1)), designs: ["resend-all"]"#;

#[test]
fn a_failure_of_one_half_of_the_seeds_says_which_and_why() {
    let report = of(&format!(
        r#"Scenario({KEY_FOR_A_DAY}, expect: {{"resend-all": (duplicate: never)}}, check_by: [seeds(300)])"#
    ));
    let [(Outcome::Failed, why)] = outcomes(&report)[..] else { panic!("{:?}", outcomes(&report)) };
    let parts = [
        "duplicate in ",
        " of 300 untimed runs, in none of 300 timed: in seed ",
        "the dedup key that lives 1 d expired at step",
    ];
    assert!(parts.iter().all(|part| why.contains(part)), "{why}");
}

#[test]
fn seeds_of_one_strategy_judge_by_that_alone() {
    for (under, outcome) in [("timed", Outcome::Met), ("uniform", Outcome::Failed)] {
        let report = of(&format!(
            r#"Scenario({KEY_FOR_A_DAY}, expect: {{"resend-all": (duplicate: never)}}, check_by: [seeds(300, {under})])"#
        ));
        assert_eq!(report.cases[0].outcome, outcome, "{under}: {:?}", outcomes(&report));
        assert_eq!(report.cases[0].by, format!("300 seeds, {under}"));
    }
}
