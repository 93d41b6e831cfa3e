//! Every verdict of the register, in every place where a user meets one.

use std::collections::BTreeSet;

use dwsim_reports::sentence;
use dwsim_sim::model::strategy::Strategy;
use dwsim_sim::model::verdict::Verdict;
use dwsim_sim::schedulers::record_seed;

use super::{ZOMBIE, arg, common, dwsim, folder};

fn keys(value: &serde_json::Value) -> BTreeSet<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn json_has_a_key_for_every_verdict() {
    let all = BTreeSet::from(Verdict::NAMES);
    let failures: BTreeSet<&str> = Verdict::FAILURES.map(Verdict::name).into();
    let run = dwsim(&["run", ZOMBIE, "--seeds", "10", "--format", "json"]);
    let run: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    let row = &run["scenarios"][0]["policies"][0];
    assert_eq!(keys(&row["verdicts"]), all);
    assert_eq!(keys(&row["rates"]), all);
    assert_eq!(keys(&row["first_failing_seed"]), failures);
    let explored = dwsim(&["explore", ZOMBIE, "--max-states", "100", "--format", "json"]);
    let explored: serde_json::Value = serde_json::from_str(&explored.out).expect("JSON");
    assert_eq!(keys(&explored["scenarios"][0]["policies"][0]["verdicts"]), all);
}

#[test]
fn deny_and_shrink_take_every_verdict() {
    for verdict in Verdict::NAMES {
        let denied = dwsim(&["run", ZOMBIE, "--seeds", "10", "--deny", verdict]);
        assert!(matches!(denied.code, Some(0 | 1 | 3)), "{verdict}: {denied:?}");
        let shrunk = dwsim(&["shrink", ZOMBIE, "--policy", "cursor", "--seed", "0", "--verdict", verdict]);
        assert!(matches!(shrunk.code, Some(0 | 4)), "{verdict}: {shrunk:?}");
    }
    let unknown = dwsim(&["run", ZOMBIE, "--deny", "losst"]);
    assert_eq!(unknown.code, Some(2));
    assert!(Verdict::NAMES.iter().all(|name| unknown.err.contains(name)), "{}", unknown.err);
}

#[test]
fn deny_judges_contents_where_the_file_does_not_ask_for_them() {
    let skip = "Scenario(about: \"what is lost is missing from the contents\", source: (events: 2), \
                wire: (loss: (one_in: 2)), designs: [\"skip\"])";
    let path = folder("deny-dirty").join("skip.ron");
    std::fs::write(&path, skip).expect("a file");
    assert_eq!(dwsim(&["run", arg(&path), "--seeds", "100"]).code, Some(0));
    assert_eq!(dwsim(&["run", arg(&path), "--seeds", "100", "--deny", "dirty"]).code, Some(1));
}

#[test]
fn check_judges_every_verdict() {
    for verdict in Verdict::NAMES {
        let text = format!(
            "Scenario(about: \"an expectation\", source: (events: 1), designs: [\"cursor\"], \
             expect: {{\"cursor\": ({verdict}: never)}}, check_by: [explore])"
        );
        let path = folder(&format!("check-{verdict}")).join("scenario.ron");
        std::fs::write(&path, text).expect("a file");
        let checked = dwsim(&["check", arg(&path), "--format", "json"]);
        let json: serde_json::Value = serde_json::from_str(&checked.out).expect("JSON");
        assert_eq!(json["expectations"][0]["verdict"], verdict, "{checked:?}");
    }
}

#[test]
fn some_shipped_scenario_reaches_each_verdict_and_a_sentence_tells_it() {
    let mut missing: BTreeSet<Verdict> = Verdict::ALL.into();
    let mut told: BTreeSet<String> = BTreeSet::new();
    for path in common::shipped() {
        let text = std::fs::read_to_string(&path).expect("a shipped scenario");
        let scenario = common::scenario(arg(&path), &text);
        for (name, machine) in common::machines(&scenario) {
            for seed in 0..30 {
                let record = record_seed(&machine, Strategy::Uniform, seed);
                for verdict in record.verdicts.iter().filter(|verdict| missing.contains(verdict)) {
                    if *verdict == Verdict::ExactlyOnce {
                        continue;
                    }
                    let finding = record.findings.iter().find(|finding| finding.verdict == *verdict);
                    let finding = finding.unwrap_or_else(|| panic!("{name}, seed {seed}: no {verdict:?}"));
                    let sentence = sentence::about(&record, finding);
                    assert!(sentence.ends_with('.') && !sentence.contains(['{', '}']), "{name}: {sentence}");
                    assert!(told.insert(sentence.clone()), "{name}: {sentence}");
                }
                record.verdicts.iter().for_each(|verdict| {
                    missing.remove(verdict);
                });
            }
        }
        if missing.is_empty() {
            break;
        }
    }
    assert_eq!(missing, BTreeSet::new());
}
