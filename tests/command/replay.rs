//! `dwsim replay`.

use serde_json::Value;

use crate::{ZOMBIE, arg, dwsim, folder, with_input};

fn steps(text: &str) -> Vec<(Value, Value)> {
    let run: Value = serde_json::from_str(text).expect("JSON");
    let steps = run["steps"].as_array().expect("steps").iter();
    steps.map(|step| (step["label"].clone(), step["effects"].clone())).collect()
}

#[test]
fn a_seed_written_down_as_a_schedule_is_the_same_run() {
    let folder = folder("schedule");
    for seed in 0..40 {
        let (seed, strategy) = (seed.to_string(), if seed % 2 == 0 { "timed" } else { "uniform" });
        let run = |format| {
            dwsim(&["replay", ZOMBIE, "-p", "fenced", "-s", &seed, "--strategy", strategy, "-f", format]).out
        };
        let file = folder.join(&seed);
        std::fs::write(&file, run("schedule")).expect("a file");
        let again = dwsim(&["replay", ZOMBIE, "-p", "fenced", "--schedule", arg(&file), "-f", "json"]);
        assert_eq!(again.err, "");
        assert_eq!(steps(&again.out), steps(&run("json")), "seed {seed}");
    }
}

#[test]
fn a_run_reads_like_this() {
    let seed_of_a_zombie = ["replay", ZOMBIE, "--policy", "sink-delta", "--seed", "4"];
    insta::assert_snapshot!(dwsim(&seed_of_a_zombie).out);
    insta::assert_snapshot!(dwsim(&[&seed_of_a_zombie[..], &["-f", "schedule"]].concat()).out);
}

#[test]
fn a_run_is_drawn_in_every_form() {
    for (format, start) in
        [("json", "{"), ("mermaid", "sequenceDiagram"), ("svg", "<svg"), ("schedule", "# zombie")]
    {
        let ended = dwsim(&[
            "replay",
            ZOMBIE,
            "-d",
            "sink-delta",
            "-s",
            "4",
            "--twin",
            "wire wiped at the crash",
            "-f",
            format,
        ]);
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        assert!(ended.out.starts_with(start), "{format}: {}", ended.out);
    }
}

#[test]
fn a_schedule_runs_on_unless_it_says_stop() {
    let ends = |schedule: &str| {
        let ended = with_input(&["replay", ZOMBIE, "-p", "cursor", "--schedule", "-"], schedule);
        ended.out.lines().find(|line| line.starts_with("verdict")).expect("a verdict").to_owned()
    };
    assert_eq!(ends("# nothing\n\ngo 7   # up to the send of the second order\n"), "verdict: exactly-once");
    assert!(ends("go 7\nstop\n").contains("unfinished"));
}

#[test]
fn a_label_that_is_not_enabled_says_where_and_what_is() {
    let wrong = |schedule: &str| {
        let ended = with_input(&["replay", ZOMBIE, "-p", "cursor", "--schedule", "-"], schedule);
        assert_eq!((ended.out.as_str(), ended.code), ("", Some(65)));
        ended.err
    };
    let said = [
        wrong("# a comment\nproducer commit order-1\narrive order-1 g0\n"),
        wrong("producer comit order-1\n"),
        wrong("nobody commit order-1\n"),
        wrong("go seven\n"),
        wrong("arrive order-9 g0\n"),
    ];
    insta::assert_snapshot!(said.concat());
}
