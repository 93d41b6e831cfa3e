//! `dwsim explore`: what a script reads from its JSON.

use serde_json::Value;

use crate::dwsim;

fn explored(scenario: &str, more: &[&str]) -> Vec<Value> {
    let ended = dwsim(&[&["explore", scenario, "--format", "json"], more].concat());
    assert_eq!(ended.err, "");
    let report: Value = serde_json::from_str(&ended.out).expect("JSON");
    assert_eq!(report["schema"], "dwsim.report/1");
    report["designs"].as_array().expect("designs").clone()
}

fn counts(design: &Value) -> (&str, u64, u64) {
    let number = |field: &str| design[field].as_u64().expect("a count");
    (design["design"].as_str().expect("a name"), number("states"), number("transitions"))
}

#[test]
fn the_command_counts_as_the_micro_model_does() {
    let designs = explored("scenarios/bench/zombie-micro-2-1.ron", &[]);
    let counted: Vec<_> = designs.iter().map(counts).collect();
    assert_eq!(counted, [("cursor", 135, 290), ("sink-delta", 123, 254), ("fenced", 122, 254)]);
    for design in &designs {
        assert_eq!(design["outcome"], "counterexample");
        assert!(design["depth"].is_u64());
        for verdict in design["verdicts"].as_array().expect("verdicts") {
            let hazard = verdict["reachable"] == true && verdict["verdict"] != "exactly_once";
            assert_eq!(verdict["trace"].is_array(), hazard, "{verdict}");
        }
    }
}

#[test]
#[ignore = "over a million states: for an optimised build"]
fn the_command_counts_the_large_micro_model_too() {
    let designs = explored("scenarios/bench/zombie-micro-8-2.ron", &["--design", "cursor"]);
    assert_eq!(designs.iter().map(counts).collect::<Vec<_>>(), [("cursor", 1_335_705, 9_060_116)]);
}
