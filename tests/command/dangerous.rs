//! `dwsim check --dangerous`.

use std::fs::write;

use serde_json::Value;

#[cfg(unix)]
use crate::pasted;
use crate::{arg, dwsim, folder};

/// What a claim raises its fence for, and what a journal still holds: all that these schedules ask for.
const BEST: &str = r#"Policy(stamps: own, steps: [
    try(do: atomic([fence(own), read(journal), read(accepted_record), arm(of(journal, minus(accepted_record)))]), else: stop),
    heal, fire, atomic([persist, resume]),
])"#;

fn judged(policy: &str) -> (Value, Option<i32>) {
    let ended = dwsim(&["check", "--dangerous", "--policy", policy, "--format", "json"]);
    assert_eq!(ended.err, "");
    (serde_json::from_str(&ended.out).expect("JSON"), ended.code)
}

#[test]
fn a_policy_that_survives_what_can_be_survived_is_as_expected() {
    let best = folder("dangerous-best").join("best.ron");
    write(&best, BEST).expect("a file");
    let (report, code) = judged(arg(&best));
    assert_eq!((code, &report["schema"]), (Some(0), &"dwsim.report/1".into()), "{report}");
    let lines = report["expectations"].as_array().expect("lines");
    assert_eq!(report["met"], lines.len());
    let lost = lines.iter().find(|line| line["expected"] == "sometimes").expect("the control");
    assert_eq!(
        (&lost["twin"], &lost["verdict"]),
        (&"control, a delivery lost on purpose".into(), &"lost".into())
    );
}

#[cfg(unix)]
#[test]
fn what_a_policy_falls_to_can_be_pasted() {
    let folder = folder("dangerous-pasted");
    for policy in ["cursor", "fenced"] {
        let (report, code) = judged(policy);
        assert_eq!(code, Some(1), "{policy}");
        let failed = report["expectations"].as_array().expect("lines").iter();
        let failed: Vec<&Value> = failed.filter(|line| line["outcome"] == "failed").collect();
        assert_eq!(failed.len(), if policy == "cursor" { 6 } else { 2 }, "{policy}");
        for line in failed {
            let reproduce = line["reproduce"].as_str().expect("a line");
            let shown = pasted(reproduce, &folder).out;
            let verdict = shown.lines().find(|line| line.starts_with("verdict: ")).expect("a verdict");
            assert!(verdict.contains("duplicate") || verdict.contains("lost"), "{reproduce}: {shown}");
        }
    }
}

#[test]
fn a_danger_that_never_comes_is_not_survived() {
    let (report, code) = judged("sink-cursor");
    assert_eq!(code, Some(3), "{report}");
    assert_eq!(report["expectations"][0]["detail"], "this sink shows no stored coordinate");
}

#[test]
fn every_form_is_written_and_what_does_not_go_with_it_is_refused() {
    let report = folder("dangerous-forms").join("report.xml");
    let out = format!("junit={}", arg(&report));
    let dangerous = ["check", "--dangerous", "--policy", "claim"];
    let ended = dwsim(&[&dangerous[..], &["--out", &out]].concat());
    let first = ended.out.lines().nth(2).expect("a row");
    assert!(first.starts_with("a straggler after the read") && first.contains("│ met "), "{}", ended.out);
    assert!(std::fs::read_to_string(report).expect("a file").contains("two reads before either fire"));
    for more in [&["scenarios"][..], &["--seeds", "5"], &["--keep"]] {
        let ended = dwsim(&[&dangerous[..], more].concat());
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{more:?}");
        assert!(ended.err.contains("cannot be used with"), "{}", ended.err);
    }
}
