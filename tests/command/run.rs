//! `dwsim run`.

use serde_json::Value;

use crate::{ZOMBIE, arg, command, dwsim, ended, folder, with_input};

const FORMATS: [&str; 7] = ["human", "json", "ndjson", "markdown", "junit", "html", "github"];

/// A scenario of two events, one crash and nothing else, with these designs and expectations.
fn scenario(designs: &str, expect: &str) -> String {
    format!("Scenario(faults: (crash: anywhere(times: 1)), designs: {designs}, expect: {{{expect}}})")
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn the_number_of_threads_cannot_be_seen() {
    for strategy in ["timed", "uniform"] {
        for format in FORMATS {
            let run = |jobs| {
                let ended =
                    dwsim(&["run", ZOMBIE, "-n", "700", "--strategy", strategy, "-f", format, "-j", jobs]);
                (ended.out, ended.code)
            };
            let one = run("1");
            for jobs in ["1", "2", "3", "8"] {
                assert_eq!(run(jobs), one, "{format}, {strategy}, {jobs} jobs");
            }
        }
    }
}

#[test]
fn the_main_job_reads_like_this() {
    let ended = dwsim(&["run", ZOMBIE, "--seeds", "500"]);
    let note = "2 twins not shown: judged by a schedule of their own, see `dwsim check`\n";
    assert_eq!((ended.err.as_str(), ended.code), (note, Some(0)));
    insta::assert_snapshot!(ended.out);
}

#[test]
fn json_has_its_schema_and_seeds_that_no_double_can_round() {
    let first = "18446744073709551000";
    let range = format!("{first}..18446744073709551200");
    let report = json(&dwsim(&["run", ZOMBIE, "--seeds", &range, "--no-twins", "-f", "json"]).out);
    assert_eq!((&report["schema"], &report["strategy"]), (&"dwsim.report/1".into(), &"timed".into()));
    assert!(report["seed_epoch"].is_u64());
    let scenarios = report["scenarios"].as_array().expect("scenarios");
    assert_eq!((scenarios.len(), &scenarios[0]["name"]), (1, &"zombie".into()));
    assert_eq!((&scenarios[0]["first_seed"], &scenarios[0]["seeds"]), (&first.into(), &200.into()));
    let cursor = &scenarios[0]["policies"][0];
    assert_eq!((&cursor["policy"], &cursor["runs"]), (&"cursor".into(), &200.into()));
    for verdict in ["exactly_once", "duplicate", "premature", "lost", "unfinished"] {
        assert!(
            cursor["verdicts"][verdict].is_u64() && cursor["rates"][verdict]["high"].is_f64(),
            "{verdict}"
        );
    }
    let seed = cursor["first_failing_seed"]["duplicate"].as_str().expect("a duplicate");
    assert!(seed.parse::<u64>().expect("a seed") >= 18_446_744_073_709_551_000);
}

#[test]
fn every_line_to_paste_shows_the_verdict_it_is_said_to_show() {
    for strategy in ["timed", "uniform"] {
        let report = json(&dwsim(&["run", ZOMBIE, "-n", "300", "--strategy", strategy, "-f", "json"]).out);
        let policies =
            report["scenarios"].as_array().expect("scenarios").iter().flat_map(|s| {
                s["policies"].as_array().expect("policies").iter().map(move |p| (&s["twin"], p))
            });
        let mut shown = 0;
        for (twin, policy) in policies.filter(|(_, policy)| !policy["first_failure"].is_null()) {
            let failure = &policy["first_failure"];
            let line = failure["reproduce"].as_str().expect("a line");
            let mut words: Vec<&str> = line.split('\'').next().expect("words").split_whitespace().collect();
            words.extend(twin.as_str());
            // The name of a twin is the only word in quotes; what comes after it is words again.
            words.extend(line.split('\'').nth(2).unwrap_or("").split_whitespace());
            assert_eq!(words.remove(0), "dwsim");
            words.extend(["-f", "json"]);
            let replayed = json(&dwsim(&words).out);
            let verdicts = replayed["verdicts"].as_array().expect("verdicts");
            assert!(verdicts.contains(&failure["verdict"]), "{line}");
            shown += 1;
        }
        assert!(shown >= 3, "{shown}");
    }
}

#[test]
fn several_forms_are_written_in_one_run() {
    let folder = folder("several-forms");
    let outs: Vec<String> = FORMATS.iter().map(|f| format!("{f}={}", folder.join(f).display())).collect();
    let mut line = vec!["run", ZOMBIE, "-n", "200", "--color", "always"];
    outs.iter().for_each(|out| line.extend(["--out", out]));
    assert_eq!(dwsim(&line).code, Some(0));
    for format in FORMATS {
        let written = std::fs::read_to_string(folder.join(format)).expect("a file");
        assert_eq!(written, dwsim(&["run", ZOMBIE, "-n", "200", "-f", format]).out, "{format}");
    }
}

#[test]
fn a_file_of_ones_own_runs_beside_the_shipped_policies() {
    let folder = folder("own-policy");
    let own = folder.join("mine.ron");
    std::fs::write(&own, dwsim(&["show", "skip"]).out).expect("a file");
    let ended =
        dwsim(&["run", ZOMBIE, "-n", "200", "--no-twins", "-f", "json", "-p", arg(&own), "-p", "sink_delta"]);
    let report = json(&ended.out);
    let rows = report["scenarios"][0]["policies"].as_array().expect("rows");
    assert_eq!((&rows[0]["design"], &rows[1]["design"]), (&arg(&own).into(), &"sink-delta".into()));
    assert_eq!(rows[0]["verdicts"]["duplicate"], 0);
    let line = rows[0]["first_failure"]["reproduce"].as_str().expect("it loses");
    let replayed = dwsim(&line.split(' ').skip(1).collect::<Vec<_>>());
    assert!(replayed.out.contains("verdict: lost"), "{}", replayed.out);
}

/// A design may be called as a file could be, and a file as an option could be; files of those names are there too.
#[cfg(unix)]
#[test]
fn a_line_to_paste_tells_designs_from_files_and_files_from_options() {
    let folder = folder("names-like-paths");
    let designs = r#"{"a/b": (policy: "cursor"), "x.ron": (policy: "resend-all")}"#;
    let never = r#""a/b": (duplicate: never), "x.ron": (duplicate: never)"#;
    std::fs::write(folder.join("-s.ron"), scenario(designs, never)).expect("a file");
    std::fs::write(folder.join("x.ron"), dwsim(&["show", "skip"]).out).expect("a file");
    for (line, verdict) in [
        ("run -n 300 -f json -- -s.ron", "duplicate"),
        ("run -n 300 -f json -p x.ron -- -s.ron", "lost"),
        ("check -n 300 -f json -- -s.ron", "duplicate"),
    ] {
        let report = json(&crate::pasted(&format!("dwsim {line}"), &folder).out);
        let lines: Vec<&str> = match report["expectations"].as_array() {
            Some(lines) => lines.iter().filter_map(|line| line["reproduce"].as_str()).collect(),
            None => {
                let rows = report["scenarios"][0]["policies"].as_array().expect("rows");
                rows.iter().filter_map(|row| row["first_failure"]["reproduce"].as_str()).collect()
            }
        };
        assert!(!lines.is_empty(), "{line}");
        for reproduce in lines {
            let replayed = crate::pasted(reproduce, &folder);
            assert!(replayed.out.contains(&format!("verdict: {verdict}")), "{reproduce}: {replayed:?}");
        }
    }
    let explored = json(&crate::pasted("dwsim explore -f json -d x.ron -- -s.ron", &folder).out);
    let found = &explored["scenarios"][0]["policies"][0]["verdicts"]["duplicate"];
    let replayed = crate::pasted(found["reproduce"].as_str().expect("a line"), &folder);
    assert!(replayed.out.contains("verdict: duplicate"), "{replayed:?}");
}

#[test]
fn rows_and_twins_are_chosen_by_name() {
    let text = r#"Scenario(
        designs: ["cursor", "sink-delta", "fenced"],
        twins: { "wiped wire": (wire: (survives_crash: false), designs: ["cursor", "fenced"]) },
    )"#;
    let chosen = |args: &[&str]| {
        let row = |line: &str| {
            let row = json(line);
            format!("{}/{}", row["twin"].as_str().unwrap_or("-"), row["design"].as_str().expect("a design"))
        };
        let ended = with_input(&[&["run", "-", "-n", "50", "-f", "ndjson"], args].concat(), text);
        ended.out.lines().map(row).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(chosen(&[]), "-/cursor -/sink-delta -/fenced wiped wire/cursor wiped wire/fenced");
    assert_eq!(chosen(&["--no-twins"]), "-/cursor -/sink-delta -/fenced");
    assert_eq!(chosen(&["--twin", "wiped wire", "-d", "fenced"]), "wiped wire/fenced");
    // A design that a twin lacks is left out there; as a policy it runs there too.
    assert_eq!(chosen(&["-d", "sink_delta"]), "-/sink-delta");
    assert_eq!(chosen(&["-p", "sink_delta"]), "-/sink-delta wiped wire/sink-delta");
    assert_eq!(
        chosen(&["-d", "fenced", "-p", "skip", "-p", "fenced"]),
        "-/fenced -/skip wiped wire/fenced wiped wire/skip"
    );
}

#[test]
fn exit_codes_say_what_came_of_it() {
    let code = |line: &[&str], input: &str| with_input(line, input).code;
    let judged =
        |expect: &str| code(&["run", "-", "-n", "300"], &scenario(r#"["resend-all", "skip"]"#, expect));
    assert_eq!(judged(""), Some(0));
    assert_eq!(judged(r#""resend-all": (duplicate: sometimes), "skip": (duplicate: never)"#), Some(0));
    assert_eq!(judged(r#""resend-all": (duplicate: never)"#), Some(1));
    assert_eq!(judged(r#""skip": (exactly_once: always)"#), Some(1));
    assert_eq!(judged(r#""skip": (duplicate: sometimes)"#), Some(3));
    // Failed is graver than not seen.
    assert_eq!(judged(r#""skip": (duplicate: sometimes, lost: never)"#), Some(1));

    assert_eq!(code(&["run", ZOMBIE, "-n", "100", "--deny", "duplicate"], ""), Some(1));
    assert_eq!(code(&["run", ZOMBIE, "-n", "100", "--deny", "lost", "--no-twins"], ""), Some(0));
    let blind = r#"Scenario(sink: (readable: nothing), designs: ["sink-delta"])"#;
    assert_eq!(code(&["run", "-"], blind), Some(4));
    assert_eq!(code(&["run", arg(&folder("empty"))], ""), Some(4));
    assert_eq!(code(&["run", "-"], "Scenario("), Some(65));
    assert_eq!(code(&["run", "no-such.ron"], ""), Some(66));
    assert_eq!(code(&["run", ZOMBIE, "-n", "10", "--out", "json=no-such-folder/x"], ""), Some(74));
}

#[test]
fn what_is_expected_and_not_met_is_told_below_the_table() {
    let text = scenario(
        r#"["resend-all", "skip"]"#,
        r#""resend-all": (duplicate: never), "skip": (premature: sometimes)"#,
    );
    let human = with_input(&["run", "-", "-n", "300"], &text);
    let (_, told) = human.out.split_once("\nnot as expected").expect("something below");
    insta::assert_snapshot!(format!("not as expected{told}"));
    let machine = with_input(&["run", "-", "-n", "300", "-f", "json"], &text);
    assert!(machine.err.contains("not as expected"), "{}", machine.err);
    json(&machine.out);
}

/// A file in the form of a terminal says all that the terminal says.
#[test]
fn a_human_file_holds_what_stdout_shows_unmet_expectations_included() {
    let folder = folder("human-file");
    let text = r#"Scenario(faults: (crash: anywhere(times: 1)), designs: ["cursor"],
        expect: {"cursor": (duplicate: never)}, check_by: [seeds(200), explore])"#;
    for command in [&["run", "-", "-n", "200"][..], &["check", "-"], &["explore", "-"]] {
        let file = folder.join(command[0]);
        let out = format!("human={}", arg(&file));
        let ended = with_input(&[command, &["--out", &out]].concat(), text);
        assert_eq!(ended.code, Some(1), "{command:?}: {}", ended.err);
        assert!(ended.out.contains("not as expected: "), "{command:?}: {}", ended.out);
        assert_eq!(std::fs::read_to_string(&file).expect("a file"), ended.out, "{command:?}");
    }
}

#[test]
fn a_never_that_nothing_could_have_broken_is_vacuous() {
    let text = r#"Scenario(
        faults: (crash: anywhere(times: 1, chance: 0)),
        designs: ["cursor"],
        expect: {"cursor": (duplicate: never)},
    )"#;
    let ended = with_input(&["run", "-", "-n", "100"], text);
    assert_eq!(ended.code, Some(3));
    assert!(ended.out.contains("vacuous"), "{}", ended.out);
}

/// An instant wire has nothing in flight by its nature, so nobody is told that nothing was.
#[test]
fn on_an_instant_wire_a_never_is_met() {
    let text = r#"Scenario(
        wire: (instant: true),
        faults: (crash: anywhere(times: 1)),
        designs: ["cursor"],
        expect: {"cursor": (lost: never)},
    )"#;
    let ended = with_input(&["run", "-", "-n", "200"], text);
    assert_eq!(ended.code, Some(0), "{}", ended.out);
}

#[test]
fn the_scenario_of_the_readme_is_as_it_expects() {
    let (_, section) = include_str!("../../README.md").split_once("## Write a scenario").expect("a section");
    let (_, text) = section.split_once("```ron\n").expect("an example");
    let (text, _) = text.split_once("```").expect("its end");
    for verb in ["run", "check"] {
        let ended = with_input(&[verb, "-", "-n", "1000"], text);
        assert_eq!(ended.code, Some(0), "{verb}: {}{}", ended.out, ended.err);
    }
}

/// Recovery runs at once where the process is down from the start.
#[test]
fn a_stage_that_starts_crashed_is_not_told_that_nothing_crashes() {
    let text = r#"Scenario(
        source: (events: 2),
        start: (committed: 2, delivered: 1, status: crashed),
        designs: ["cursor", "skip"],
    )"#;
    let ended = with_input(&["run", "-", "-n", "50"], text);
    assert!(
        !format!("{}{}", ended.out, ended.err).contains("nothing ever crashes"),
        "{}{}",
        ended.out,
        ended.err
    );
}

#[test]
fn events_that_nobody_sends_are_pointed_out_unless_a_relay_or_a_recovery_does() {
    let said = |verb: &str, more: &str| {
        let text = format!(
            r#"Scenario(start: (committed: 2, delivered: 1), {more}, designs: ["cursor"],
                expect: {{"cursor": (premature: never)}}, check_by: [seeds(20)])"#
        );
        let ended = with_input(&[verb, "-", "-n", "20"], &text);
        format!("{}{}", ended.out, ended.err).contains("write `status: crashed` in `start`")
    };
    for verb in ["run", "check"] {
        assert!(said(verb, "about: \"it only runs\""), "{verb}");
        assert!(!said(verb, r#"relay: "relay-after-send""#), "{verb}");
        assert!(!said(verb, "faults: (crash: anywhere(times: 1))"), "{verb}");
    }
}

#[test]
fn a_folder_stands_for_its_scenarios_in_order() {
    let folder = folder("folder");
    std::fs::create_dir(folder.join("b")).expect("a folder");
    for name in ["z.ron", "a.ron", "b/c.ron", "b/readme.md"] {
        std::fs::write(folder.join(name), scenario(r#"["skip"]"#, "")).expect("a file");
    }
    let report = json(&dwsim(&["run", arg(&folder), "-n", "10", "-f", "json"]).out);
    let names: Vec<&Value> =
        report["scenarios"].as_array().expect("scenarios").iter().map(|s| &s["name"]).collect();
    assert_eq!(names, ["a", "c", "z"]);
}

#[test]
fn colour_obeys_the_flag_before_the_environment_before_the_terminal() {
    let coloured = |args: &[&str], variable: Option<&str>| {
        let mut command = command(&[&["run", ZOMBIE, "-n", "100"], args].concat());
        variable.map(|name| command.env(name, "1"));
        ended(command, "").out.contains('\u{1b}')
    };
    assert!(!coloured(&[], None));
    assert!(coloured(&["--color", "always"], None));
    assert!(coloured(&["--color", "always"], Some("NO_COLOR")));
    assert!(coloured(&[], Some("CLICOLOR_FORCE")));
    assert!(!coloured(&["--color", "never"], Some("CLICOLOR_FORCE")));
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_an_error() {
    let mut command = command(&["run", ZOMBIE, "--no-twins", "-n", "10"]);
    command.stdout(std::fs::OpenOptions::new().write(true).open("/dev/full").expect("it is always full"));
    let ended = ended(command, "");
    assert_eq!(ended.code, Some(74));
    assert!(ended.err.contains("cannot write stdout"), "{}", ended.err);
}

#[cfg(unix)]
#[test]
fn a_reader_who_has_seen_enough_is_no_error() {
    let mut command = command(&["run", ZOMBIE, "--no-twins", "-n", "200", "-f", "html"]);
    let mut child = command.spawn().expect("dwsim starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("dwsim ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[cfg(unix)]
#[test]
fn an_interrupted_campaign_reports_what_it_has() {
    let child = command(&["run", ZOMBIE, "-n", "10000000000", "-f", "json"]).spawn().expect("dwsim starts");
    // It says how far it is only after ten seconds; half a second is plenty to start.
    std::thread::sleep(std::time::Duration::from_millis(500));
    let id = child.id().to_string();
    std::process::Command::new("kill").args(["-INT", &id]).status().expect("kill");
    let output = child.wait_with_output().expect("dwsim ends");
    assert_eq!(output.status.code(), Some(130));
    let report = json(std::str::from_utf8(&output.stdout).expect("UTF-8"));
    assert_eq!(report["partial"], true);
    assert!(report["scenarios"][0]["policies"][0]["runs"].as_u64().expect("runs") > 0);
}

/// Nobody can be asked, and no key or fence is checked: the report says that no row wins, and how each one fails.
#[test]
fn where_the_sink_is_unreadable_the_report_says_which_way_each_design_fails() {
    let ended = dwsim(&["run", "scenarios/mail-sender.ron", "-n", "300", "--no-twins"]);
    let said = ended.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, verdict) =
        said.split_once("Every design shown duplicates or loses here: ").expect("the sentence");
    let (verdict, _) = verdict.split_once(". ").expect("an end");
    let ways: Vec<&str> = verdict.split("; ").map(|way| way.split(" (").next().expect("a design")).collect();
    assert_eq!(
        ways,
        [
            "\"cursor after the send\" duplicates",
            "\"cursor before the send\" loses",
            "\"rows without a reply\" duplicates",
            "\"everything again\" duplicates",
            "\"nothing again\" loses",
        ]
    );
    assert!(said.contains("ask the sink │ n/a: this sink shows no accepted record"), "{said}");
}

#[test]
fn what_a_file_expects_and_does_not_get_is_in_every_form() {
    let text = r#"Scenario(faults: (crash: anywhere(times: 1)), designs: ["cursor"],
        expect: {"cursor": (duplicate: never)}, check_by: [seeds(200)])"#;
    let run = |format| {
        let ended = with_input(&["run", "-", "-n", "200", "-f", format], text);
        assert_eq!(ended.code, Some(1), "{format}");
        ended.out
    };
    let unmet = &json(&run("json"))["unmet"][0];
    assert_eq!((&unmet["outcome"], &unmet["expected"]), (&"failed".into(), &"never".into()));
    assert!(
        unmet["reproduce"].as_str().expect("a line").starts_with("dwsim replay - --policy cursor --seed")
    );
    let lines = run("ndjson");
    assert_eq!(json(lines.lines().last().expect("lines"))["outcome"], "failed");
    for (format, says) in [
        ("junit", "failures=\"1\""),
        ("github", "::error file=-,title=failed%3A cursor%2C duplicate never"),
        ("markdown", "**not as expected**: stdin: cursor, duplicate never"),
        ("html", "cursor, duplicate never"),
        ("human", "not as expected: "),
    ] {
        assert!(run(format).contains(says), "{format}: {}", run(format));
    }
}
