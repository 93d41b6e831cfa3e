//! What a scenario names as going wrong is named in the head of a report, and counts where it never struck.

use serde_json::Value;

use crate::with_input;

/// What the head of a run or an exploration says of the faults of a scenario with these sections.
fn headline(command: &str, sections: &str) -> String {
    let scenario = format!(r#"Scenario(source: (events: 2), {sections}, designs: ["cursor"])"#);
    let seeds: &[&str] = if command == "run" { &["-n", "20"] } else { &[] };
    let ended = with_input(&[&[command, "-", "-f", "json"], seeds].concat(), &scenario);
    let report: Value = serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{ended:?}"));
    report["scenarios"][0]["faults"].as_str().expect("faults").to_owned()
}

#[test]
fn each_fault_is_named_in_the_head_of_a_report() {
    for (sections, expected) in [
        ("faults: (truncation: (times: 1))", "at most 1 truncating crash"),
        ("faults: (truncation: (times: 2))", "at most 2 truncating crashes"),
        ("faults: (crash: anywhere(times: 1, kind: pause))", "at most 1 pause"),
        ("sink: (dedup: (keeps: last(3)))", "the sink remembers only the last 3 keys"),
        ("sink: (dedup: (keeps: since_seen(\"1h\")))", "the sink forgets keys by age"),
        ("sink: (acceptance: provisional(expires: \"1h\"))", "preparations may expire"),
        ("sink: (stale_by: 2)", "reads of the sink lack the newest 2 entries"),
        ("sink: (page: 1)", "reads of the sink show the oldest entry only"),
        ("sink: (window: 3)", "reads of the sink show the newest 3 entries only"),
        ("faults: (cursor: (kind: not_writable))", "the cursor cannot be written"),
        ("wire: (loss: \"1/10\")", "loss"),
        ("recovery: (recoverers: 2)", "up to 2 recoverers at once"),
    ] {
        for command in ["run", "explore"] {
            let said = headline(command, sections);
            assert!(said.contains(expected), "{command} with {sections}: {said}");
        }
    }
    assert_eq!(headline("run", "wire: (instant: true)"), "no faults");
}

#[test]
fn an_outage_is_named_where_there_is_a_clock() {
    let outages =
        r#"sink: (outages: [("1s", "2s")]), source: (events: 2, outages: [("1s", "2s"), ("3s", "4s")])"#;
    let scenario = |sections: &str| format!(r#"Scenario({sections}, designs: ["cursor"])"#);
    let ended = with_input(&["run", "-", "-n", "20"], &scenario(outages));
    assert!(ended.out.contains("2 outages of the source; 1 outage of the sink"), "{ended:?}");
    let ended = with_input(&["run", "-", "-n", "20", "--strategy", "uniform"], &scenario(outages));
    assert!(ended.out.contains("no faults"), "{ended:?}");
}

/// `never` says nothing over runs in which what could have brought it about never struck.
#[test]
fn a_truncation_that_never_strikes_is_vacuous_as_a_crash_is() {
    let judged = |fault: &str| {
        let scenario = format!(
            r#"Scenario(faults: ({fault}), designs: ["cursor"], expect: {{"cursor": (duplicate: never)}})"#
        );
        with_input(&["run", "-", "-n", "50"], &scenario)
    };
    let crash = judged("crash: anywhere(times: 1, chance: 0)");
    assert_eq!(crash.code, Some(3), "{crash:?}");
    let truncation = judged("truncation: (times: 1, chance: 0)");
    assert_eq!(truncation.code, Some(3), "{truncation:?}");
    assert!(truncation.out.contains("no crash ever truncated the log"), "{truncation:?}");
}
