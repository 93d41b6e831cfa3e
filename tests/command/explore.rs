//! `dwsim explore`: what a script reads from its JSON, what a counterexample carries, and how it is interrupted.

use dwsim_sim::model::verdict::Verdict;
use serde_json::Value;

use crate::{ZOMBIE, arg, command, dwsim, folder, with_input};

fn report(scenario: &str, more: &[&str]) -> Value {
    let ended = dwsim(&[&["explore", scenario, "--format", "json"], more].concat());
    assert_eq!(ended.err, "");
    serde_json::from_str(&ended.out).expect("JSON")
}

fn explored(scenario: &str, more: &[&str]) -> Vec<Value> {
    report(scenario, more)["scenarios"][0]["policies"].as_array().expect("policies").clone()
}

fn counts(design: &Value) -> (&str, u64, u64) {
    let number = |field: &str| design[field].as_u64().expect("a count");
    (design["design"].as_str().expect("a name"), number("states"), number("transitions"))
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn the_command_counts_as_the_micro_model_does() {
    let designs = explored("scenarios/bench/zombie-micro-2-1.ron", &[]);
    let counted: Vec<_> = designs.iter().map(counts).collect();
    assert_eq!(counted, [("cursor", 135, 290), ("sink-delta", 123, 254), ("fenced", 122, 254)]);
    for design in &designs {
        assert_eq!(design["outcome"], "counterexample");
        assert!(design["depth"].is_u64());
        for (verdict, found) in design["verdicts"].as_object().expect("verdicts") {
            let hazard = found["reachable"] == true && verdict != "exactly_once";
            assert_eq!(found["trace"].is_array(), hazard, "{verdict}: {found}");
        }
    }
}

#[test]
fn the_json_has_the_envelope_of_a_run() {
    let explored = report(ZOMBIE, &[]);
    let ran = dwsim(&["run", ZOMBIE, "-n", "50", "--no-twins", "-f", "json"]);
    let ran: Value = serde_json::from_str(&ran.out).expect("JSON");
    let shared = |of: &Value, with: &Value| -> Vec<String> {
        keys(of).into_iter().filter(|key| keys(with).contains(key)).map(str::to_owned).collect()
    };
    assert_eq!(
        shared(&explored, &ran),
        ["partial", "scenarios", "schema", "seed_epoch", "strategy", "unmet"]
    );
    let (a, b) = (&explored["scenarios"][0], &ran["scenarios"][0]);
    assert_eq!(shared(a, b), ["about", "faults", "name", "path", "policies", "twin"]);
    for key in ["about", "name", "path", "twin"] {
        assert_eq!(a[key], b[key], "{key}");
    }
    let (a, b) = (&a["policies"], &b["policies"]);
    assert_eq!(shared(&a[0], &b[0]), ["design", "not_applicable", "policy", "regret", "verdicts"]);
    assert_eq!(shared(&a[0]["verdicts"], &b[0]["verdicts"]).len(), Verdict::ALL.len());
    let each = |of: &Value, key: &str| of.as_array().expect("rows").iter().map(|r| r[key].clone()).collect();
    let (regrets, too): (Vec<Value>, Vec<Value>) = (each(a, "regret"), each(b, "regret"));
    assert_eq!(regrets, [Value::from("your_interface"), "your_interface".into(), Value::Null]);
    assert_eq!(regrets, too, "fifty seeds show the same failures");
}

#[test]
fn what_was_switched_off_is_on_the_line_that_replays_it() {
    let designs = explored("scenarios/second-recoverer.ron", &["--no-suspicion"]);
    let failing = designs.iter().find(|d| d["verdicts"]["lost"]["reachable"] == true).expect("one loses");
    let line = failing["verdicts"]["lost"]["reproduce"].as_str().expect("a line");
    assert!(line.contains(" --no-suspicion "), "{line}");
    let labels: Vec<&str> = failing["verdicts"]["lost"]["trace"]
        .as_array()
        .expect("labels")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let design = failing["design"].as_str().expect("a name");
    let replay = ["replay", "scenarios/second-recoverer.ron", "--policy", design, "--no-suspicion"];
    let replayed =
        with_input(&[&replay[..], &["--schedule", "-"]].concat(), &(labels.join("\n") + "\nstop\n"));
    assert!(replayed.out.contains("verdict: lost"), "{}", replayed.out);
    let seed = dwsim(&[&replay[..], &["--seed", "1"]].concat());
    assert_eq!(seed.code, Some(2), "{}", seed.err);
    assert!(seed.err.contains("--no-suspicion goes with --schedule"), "{}", seed.err);
}

#[test]
fn a_counterexample_says_what_it_needs_of_a_clock() {
    let windows = "scenarios/dedup-window-against-outage.ron";
    let needs = |more: &[&str]| explored(windows, more)[0]["verdicts"]["duplicate"]["needs"].clone();
    assert_eq!(needs(&[]), serde_json::json!(["the memory expires between steps 4 and 6"]));
    let without = &explored(windows, &["--no-expiry"])[0];
    assert_eq!(without["verdicts"]["duplicate"]["reachable"], false);
}

#[test]
fn wrong_contents_are_a_counterexample_too_and_are_saved_as_one() {
    let found = folder("explored-dirty").join("found");
    let save = ["--save", found.to_str().expect("a path")];
    let ended = dwsim(&[&["explore", "scenarios/theory/independence.ron", "-f", "json"], &save[..]].concat());
    let report: Value = serde_json::from_str(&ended.out).expect("JSON");
    let dirty = |policy: &Value| policy["verdicts"]["dirty"]["trace"].is_array();
    assert!(report["scenarios"][0]["policies"].as_array().expect("policies").iter().any(dirty), "{report}");
    let saved = dwsim(&["check", found.to_str().expect("a path")]);
    assert_eq!(saved.code, Some(0), "{}", saved.out);
    assert!(saved.out.contains("-dirty"), "{}", saved.out);
}

#[test]
fn a_counterexample_without_some_steps_is_saved_where_the_file_shows_it_and_else_told() {
    let explored = |scenario: &str, switch: &str| {
        let found = folder(&format!("explored{switch}")).join("found");
        let ended = dwsim(&["explore", scenario, switch, "--save", arg(&found)]);
        (ended.err, found)
    };
    let (said, found) = explored("scenarios/paused-process.ron", "--no-suspicion");
    let cursor = found.join("paused-process-cursor-duplicate.ron");
    assert!(said.contains(arg(&cursor)), "{said}");
    let text = std::fs::read_to_string(&cursor).expect("a file");
    assert!(text.contains("// Explored with --no-suspicion.\n"), "{text}");
    assert_eq!(dwsim(&["check", arg(&found)]).code, Some(0));

    // The sender waits for a reply for ever; with its timeout, as in a file, it sends again.
    let (said, found) = explored("scenarios/lost-message.ron", "--no-timeout");
    let (_, said) = said.split_once("a scenario has no --no-timeout").expect("what is not written");
    let line = said.lines().find(|line| line.starts_with("printf")).expect("a line to paste");
    assert!(line.contains(" --no-timeout --schedule -"), "{line}");
    let name = "lost-message-sink-delta--retry-until-acked-lost.ron";
    assert!(!found.join(name).exists(), "{said}");
}

#[test]
fn no_counterexample_is_overwritten() {
    let found = folder("explored-twice");
    let save = ["explore", ZOMBIE, "-d", "cursor", "--save", arg(&found)];
    assert_eq!(dwsim(&save).code, Some(0));
    let file = found.join("zombie-cursor-duplicate.ron");
    std::fs::write(&file, "mine").expect("a file");
    let again = dwsim(&save);
    assert_eq!(again.code, Some(74), "{again:?}");
    assert!(again.err.contains("is there already; choose another name"), "{}", again.err);
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "mine");
}

/// Each of them would take minutes.
#[cfg(unix)]
#[test]
fn interrupted_searches_say_how_far_they_came() {
    let scenario = folder("interrupted").join("s.ron");
    let text = r#"Scenario(source: (events: 6), wire: (loss: (one_in: 10), copies: (one_in: 10, times: 2)),
        faults: (crash: anywhere(times: 3)), designs: ["cursor"])"#;
    std::fs::write(&scenario, text).expect("a file");
    let path = scenario.to_str().expect("a path");
    let many = ["--max-states", "1000000000", "-f", "json"];
    for what in
        [&["explore", path][..], &["explore", path, "--map"], &["bound", path], &["bound", path, "--triage"]]
    {
        let child = command(&[what, &many[..]].concat()).spawn().expect("dwsim starts");
        std::thread::sleep(std::time::Duration::from_millis(500));
        let id = child.id().to_string();
        std::process::Command::new("kill").args(["-INT", &id]).status().expect("kill");
        let output = child.wait_with_output().expect("dwsim ends");
        assert_eq!(output.status.code(), Some(130), "{what:?}");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        if what[0] == "explore" {
            assert_eq!(report["partial"], true);
            assert!(report["scenarios"][0]["policies"][0]["states"].as_u64().expect("states") > 1);
        }
    }
}

#[test]
#[ignore = "over a million states: for an optimised build"]
fn the_command_counts_the_large_micro_model_too() {
    let designs = explored("scenarios/bench/zombie-micro-8-2.ron", &["--design", "cursor"]);
    assert_eq!(designs.iter().map(counts).collect::<Vec<_>>(), [("cursor", 1_335_705, 9_060_116)]);
}

#[test]
fn memory_that_runs_out_ends_an_exploration_and_not_the_command() {
    let text = std::fs::read_to_string(ZOMBIE).expect("the file");
    let larger = text.replace("events: 2)", "events: 2000)");
    assert_ne!(text, larger);
    let ended = with_input(&["explore", "-", "--memory", "8M", "--design", "fenced"], &larger);
    assert_eq!(ended.code, Some(3), "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("stopped by the memory limit"), "{}", ended.out);
    assert_eq!(dwsim(&["explore", ZOMBIE, "--memory", "much"]).code, Some(2));
}

#[test]
fn what_scripts_and_seeds_judge_is_not_judged_by_an_exploration() {
    for scenario in ["scenarios/lost-reply-and-retry.ron", "scenarios/rescue.ron"] {
        let ended = dwsim(&["explore", scenario]);
        assert_eq!(ended.code, Some(0), "{scenario}: {}", ended.out);
    }
}

#[test]
fn an_expectation_that_explore_judges_and_finds_wrong_is_told() {
    let text = std::fs::read_to_string("scenarios/bench/zombie-micro-2-1.ron").expect("the file");
    let wrong = text.replacen("duplicate: sometimes", "duplicate: never", 1);
    assert_ne!(text, wrong);
    let ended = with_input(&["explore", "-"], &wrong);
    assert_eq!(ended.code, Some(1), "{}", ended.out);
    assert!(ended.out.contains("not as expected: "), "{}", ended.out);
    let told: Value =
        serde_json::from_str(&with_input(&["explore", "-", "--format", "json"], &wrong).out).expect("JSON");
    assert_eq!(told["unmet"].as_array().map(Vec::len), Some(1), "{}", told["unmet"]);
}
