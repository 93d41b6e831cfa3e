//! The cases from public reports, payload by payload: which one was duplicated, which one was lost, and nothing else.

mod common;

use dwsim_sim::engine::machine::Machine;
use dwsim_sim::model::scenario::{CheckBy, Scenario};
use dwsim_sim::model::view::Rules;
use dwsim_sim::schedulers::{Script, run_script};

/// What the oracle finds in the scripted run of each design of a case, such as `duplicate a, lost b`.
fn findings(scenario: &Scenario, twin: &str) -> Vec<(String, String)> {
    let case = scenario.cases.iter().find(|case| case.twin == twin).expect("the case");
    let script = case.check_by.iter().find_map(|way| match way {
        CheckBy::Script { labels, then_run_on } => Some(Script { labels, then_run_on: *then_run_on }),
        _ => None,
    });
    let mut found = Vec::new();
    for design in &case.designs {
        let Ok(stage) = &design.stage else { continue };
        let machine = Machine::compile(stage, &Rules::new()).expect("it compiles");
        let record =
            run_script(&machine, script.expect("a script")).unwrap_or_else(|wrong| panic!("{wrong}"));
        let each = record.findings.iter().map(|f| format!("{} {}", f.verdict.name(), f.payload));
        found.push((design.name.clone(), each.collect::<Vec<_>>().join(", ")));
    }
    found
}

/// The file, the twin, and for each design what is found.
type Expected = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const CASES: &[Expected] = &[
    (
        "mail-campaign-cursor",
        "",
        &[
            ("cursor before the send", "lost mail-3, lost mail-4"),
            ("cursor after the send", "duplicate mail-1, duplicate mail-2"),
        ],
    ),
    (
        "mail-campaign-cursor",
        "nothing fetched is unsent",
        &[("cursor before the send", ""), ("cursor after the send", "")],
    ),
    (
        "log-purged-past-cursor",
        "",
        &[
            ("oldest retained", "lost order-4, grade_gap order-4"),
            ("restart at now", "lost order-4, lost order-5, lost order-6"),
            ("stop and say so", "unfinished order-4, unfinished order-5, unfinished order-6"),
            ("sink-delta", "lost order-4, grade_gap order-4"),
        ],
    ),
    (
        "log-purged-past-cursor",
        "purged only what was delivered",
        &[
            ("oldest retained", ""),
            ("restart at now", "lost order-4, lost order-5, lost order-6"),
            ("stop and say so", "unfinished order-4, unfinished order-5, unfinished order-6"),
            ("sink-delta", ""),
        ],
    ),
    (
        "acknowledged-not-durable",
        "",
        &[
            ("cursor", "lost order-2, lost order-3, grade_gap order-2, grade_gap order-3"),
            ("sink-delta", "lost order-2, lost order-3, grade_gap order-2, grade_gap order-3"),
        ],
    ),
    (
        "acknowledged-not-durable",
        "the source dropped nothing",
        &[("cursor", "lost order-2, lost order-3"), ("sink-delta", "")],
    ),
    (
        "acknowledged-not-durable",
        "persisted before it was acknowledged",
        &[("cursor", ""), ("sink-delta", "")],
    ),
    (
        "paused-process-and-dedup-window",
        "",
        &[
            ("cursor", "duplicate order-1"),
            ("sink-delta", "duplicate order-1"),
            ("keyed, last 2", "duplicate order-1"),
            ("fenced", ""),
            ("claim", ""),
        ],
    ),
    ("paused-process-and-dedup-window", "a memory of 3", &[("keyed, last 3", "")]),
    (
        "content-hash-of-the-last-three",
        "",
        &[("content, last 3", "lost a again"), ("coordinate, for ever", "")],
    ),
    (
        "content-hash-of-the-last-three",
        "retried after three others",
        &[("content, last 3", "duplicate a"), ("coordinate, for ever", "")],
    ),
    (
        "content-hash-of-the-last-three",
        "a block retried row by row",
        &[("content, last 3", "duplicate a, duplicate b"), ("coordinate, for ever", "")],
    ),
    (
        "proxy-repeats-a-post",
        "",
        &[
            ("cursor", "duplicate order-1"),
            ("sink-delta", "duplicate order-1"),
            ("fenced", "duplicate order-1"),
            ("claim", "duplicate order-1"),
            ("keyed at admission", ""),
        ],
    ),
    (
        "plain-appending-sink",
        "",
        &[
            ("cursor", "duplicate order-1, duplicate order-2"),
            ("skip", "lost order-3, lost order-4"),
            ("sink-delta", ""),
            ("keyed, for ever", ""),
        ],
    ),
    (
        "plain-appending-sink",
        "checkpoint in the atom of the insert",
        &[("cursor", ""), ("sink-delta", ""), ("keyed, for ever", "")],
    ),
];

#[test]
fn each_case_duplicates_and_loses_what_the_report_says_and_nothing_else() {
    for (name, twin, expected) in CASES {
        let path = format!("{}/scenarios/field/{name}.ron", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).expect("text");
        let found = findings(&common::scenario(&path, &text), twin);
        let found: Vec<(&str, &str)> = found.iter().map(|(d, f)| (d.as_str(), f.as_str())).collect();
        assert_eq!(found, *expected, "{name}, twin {twin:?}");
    }
}

#[test]
fn every_case_names_the_report_it_comes_from() {
    for path in common::shipped().iter().filter(|path| path.parent().is_some_and(|p| p.ends_with("field"))) {
        let text = std::fs::read_to_string(path).expect("text");
        assert!(
            text.starts_with("// Public report: ")
                && text.lines().next().is_some_and(|l| l.contains("issue "))
        );
    }
}

/// A relay goes on from the cursor that its recoverer wrote. Had that cursor passed over an event that was committed
/// while the recoverer worked, nobody would ever send it.
#[test]
fn a_recoverer_moves_the_cursor_over_what_it_read_and_no_further() {
    let text = r#"Scenario(relay: "relay-after-send", wire: (instant: true), faults: (crash: anywhere(times: 1)),
        designs: ["cursor-stepwise", "sink-delta-stepwise", "ack-log", "resend-all"], check_by: [script([
            "producer commit order-1", "relay until send order-1", "crash", "start recoverer-1",
            "recoverer-1 until arm", "producer commit order-2"])])"#;
    for (design, found) in findings(&common::scenario("late.ron", text), "") {
        assert!(!found.contains("lost"), "{design}: {found}");
    }
}
