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
        (ended.err, ended.code)
    };
    let fits_not = [
        wrong("# a comment\nproducer commit order-1\narrive order-1 g0\n"),
        wrong("producer comit order-1\n"),
    ];
    let means_nothing = [wrong("nobody commit order-1\n"), wrong("go seven\n"), wrong("arrive order-9 g0\n")];
    assert!(fits_not.iter().all(|(_, code)| *code == Some(3)), "{fits_not:?}");
    assert!(means_nothing.iter().all(|(_, code)| *code == Some(65)), "{means_nothing:?}");
    let said = fits_not.into_iter().chain(means_nothing).map(|(said, _)| said);
    insta::assert_snapshot!(said.collect::<String>());
}

#[test]
fn a_schedule_of_another_policy_is_shown_as_far_as_it_goes() {
    let file = folder("another-policy").join("zombie.schedule");
    let seed = ["replay", ZOMBIE, "-p", "sink-delta", "-s", "0", "-f"];
    std::fs::write(&file, dwsim(&[&seed[..], &["schedule"]].concat()).out).expect("a file");
    let schedule = ["--schedule", arg(&file)];
    let replay = dwsim(&[&["replay", ZOMBIE, "-p", "fenced", "-f", "json"], &schedule[..]].concat());
    assert_eq!(replay.code, Some(3), "{replay:?}");
    let whole = steps(&dwsim(&[&seed[..], &["json"]].concat()).out);
    assert_eq!(steps(&replay.out), whole[..11], "up to the start of the recoverer, whose program is another");
    let place = format!("{}:14: step 12, `recoverer-1 read history", arg(&file));
    assert!(
        replay.err.contains(&place) && replay.err.contains("enabled there: recoverer-1"),
        "{}",
        replay.err
    );
    let shrunk = dwsim(&[&["shrink", ZOMBIE, "-d", "fenced"], &schedule[..]].concat());
    assert_eq!((shrunk.code, shrunk.out.as_str()), (Some(3), ""), "{}", shrunk.err);
}

#[test]
fn shrink_writes_a_file_that_check_accepts_and_overwrites_none() {
    let file = folder("shrink-output").join("small.ron");
    let shrink = ["shrink", ZOMBIE, "-d", "sink-delta", "-s", "0", "--output", arg(&file)];
    let ended = dwsim(&shrink);
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), ""), "{}", ended.err);
    assert!(ended.err.contains(&format!("dwsim check {}", arg(&file))), "{}", ended.err);
    assert_eq!(dwsim(&["check", arg(&file)]).code, Some(0));

    std::fs::write(&file, "mine").expect("a file");
    let again = dwsim(&shrink);
    assert_eq!((again.code, again.out.as_str()), (Some(74), ""));
    assert!(again.err.contains("is there already; choose another name"), "{}", again.err);
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "mine");
}
