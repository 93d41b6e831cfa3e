//! `dwsim bound`.

use serde_json::{Value, json};

use crate::{ZOMBIE, dwsim, with_input};

fn told(args: &[&str]) -> Value {
    let ended = dwsim(&[&["bound", ZOMBIE, "--format", "json"], args].concat());
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    serde_json::from_str(&ended.out).expect("JSON")
}

#[test]
fn the_json_holds_the_pair_or_the_rule_and_what_suffices() {
    let reads = ["--reads", "history,accepted-record", "--redrive"];
    let unfenced = told(&[&reads[..], &["unfenced"]].concat());
    assert_eq!(unfenced["reads"], json!(["history", "accepted_record"]));
    assert_eq!(unfenced["decidable"], json!(false));
    assert_eq!(unfenced["group"]["members"].as_array().map(Vec::len), Some(2));
    let batches = unfenced["group"]["batches"].as_array().expect("batches");
    assert_eq!(batches.len(), 4, "every set of two payloads");
    assert!(batches.iter().all(|b| b["how"]["verdict"].is_string() && b["member"].is_u64()));
    let fenced = told(&[&reads[..], &["fenced"]].concat());
    assert_eq!((&fenced["decidable"], &fenced["group"]), (&json!(true), &Value::Null));
    assert_eq!(fenced["sufficient"], json!([["history", "contents"]]));
    assert_eq!(fenced["rule"].as_array().map(Vec::len), Some(7));
}

#[test]
fn a_view_of_the_paper_goes_by_its_name_and_a_stranger_is_told_from_it() {
    assert_eq!(told(&["--reads", "durable-local"])["decidable"], json!(false));
    let ended = dwsim(&["bound", ZOMBIE, "--reads", "curser"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("did you mean `cursor`?"), "{}", ended.err);
}

/// The rule of `compensate` names deliveries to take back, which as a batch would be new sends of them.
#[test]
fn a_rule_that_takes_back_is_no_rule_that_sends() {
    let text = r#"Scenario(source: (events: 2), wire: (instant: true), sink: (dedup: (key: coordinate)),
        recovery: (heal: once), faults: (crash: anywhere(times: 1)), designs: ["cursor"])"#;
    let ended = with_input(&["bound", "-", "--design", "cursor", "--reads", "history"], text);
    assert!(!ended.out.contains("compensate"), "{}", ended.out);
}

#[test]
fn too_few_states_are_inconclusive_unless_they_contradict_each_other() {
    let bound = |most| dwsim(&["bound", ZOMBIE, "--reads", "history,accepted-record", "--max-states", most]);
    assert_eq!(bound("3").code, Some(3));
    assert_eq!(bound("100").code, Some(0));
}
