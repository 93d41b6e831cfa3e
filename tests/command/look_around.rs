//! `dwsim list`, `show`, `new`, `completions`, `man`.

use crate::{ZOMBIE, arg, command, dwsim, ended, folder, with_input};

#[test]
fn everything_listed_can_be_shown() {
    for what in ["policies", "producers", "scenarios", "acts", "surfaces"] {
        let list = dwsim(&["list", what]);
        assert_eq!((list.code, list.err.as_str()), (Some(0), ""));
        assert!(list.out.lines().count() > 0);
        for line in list.out.lines() {
            let (name, about) = line.split_once(' ').expect("a name and what it is");
            assert!(!about.trim().is_empty(), "{line}");
            let shown = dwsim(&["show", &name.replace('-', "_")]);
            assert_eq!(shown.code, Some(0), "{name}: {}", shown.err);
        }
    }
}

#[test]
fn a_name_with_two_meanings_shows_the_file_and_mentions_the_other() {
    let shown = dwsim(&["show", "cursor"]);
    assert!(shown.out.contains("Policy("));
    assert!(shown.err.contains("dwsim show surface/cursor"));
    insta::assert_snapshot!(dwsim(&["show", "surface/cursor"]).out, @r"
    cursor: the durable progress checkpoint
    policies: cursor, cursor-stepwise
    ");
}

#[test]
fn what_is_shown_runs() {
    let shown = dwsim(&["show", "zombie"]).out;
    assert_eq!(shown, std::fs::read_to_string(ZOMBIE).expect("the file"));
    assert_eq!(with_input(&["run", "-", "-n", "500"], &shown).code, Some(0));
}

#[test]
fn scenarios_are_listed_from_a_folder_too() {
    let listed = dwsim(&["list", "scenarios", "scenarios"]).out;
    let zombie = listed.lines().find(|line| line.starts_with(ZOMBIE)).expect("the zombie");
    assert!(zombie.contains("  an old send arrives"), "{zombie}");
}

#[test]
fn a_new_scenario_runs_as_it_stands_and_overwrites_nothing() {
    let folder = folder("new");
    let path = folder.join("my-outbox");
    let written = dwsim(&["new", arg(&path)]);
    assert_eq!((written.code, written.out.as_str()), (Some(0), ""), "{}", written.err);
    let file = folder.join("my-outbox.ron");
    let text = std::fs::read_to_string(&file).expect("a file");
    assert_eq!(text, dwsim(&["new", "-"]).out);
    assert_eq!(dwsim(&["run", arg(&file), "-n", "1000"]).code, Some(0));

    std::fs::write(&file, "mine").expect("a file");
    assert_eq!(dwsim(&["new", arg(&file)]).code, Some(74));
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "mine");
}

/// As a newcomer does it: two commands in an empty folder, and nothing added to them.
#[test]
fn a_new_scenario_is_as_it_expects() {
    let folder = folder("newcomer");
    for args in [["new", "my-stage"], ["check", "my-stage.ron"], ["run", "my-stage.ron"]] {
        let mut command = command(&args);
        command.current_dir(&folder);
        let ended = ended(command, "");
        assert_eq!(ended.code, Some(0), "{args:?}: {}{}", ended.out, ended.err);
    }
}

#[test]
fn completions_and_the_manual_come_out_of_the_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(dwsim(&["completions", shell]).out.contains("replay"), "{shell}");
    }
    assert!(dwsim(&["man"]).out.starts_with(".ie"));
}

#[test]
fn help_teaches() {
    let help = |args: &[&str]| {
        let ended = dwsim(args);
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
        ended.out
    };
    insta::assert_snapshot!(help(&["--help"]));
    insta::assert_snapshot!(help(&["run", "--help"]));
    insta::assert_snapshot!(help(&["replay", "-h"]));
}

#[test]
fn a_name_that_no_file_can_have_is_refused_with_what_to_write() {
    for name in ["", ".", "..", ".ron", "a/"] {
        let ended = dwsim(&["new", name]);
        assert_eq!(ended.code, Some(2), "{name}: {}", ended.err);
        assert!(ended.err.contains("write one such as my-outbox"), "{name}: {}", ended.err);
    }
}

/// The register of forms says what each command can show, and a refusal lists it.
#[test]
fn every_command_has_the_forms_of_the_register_and_refuses_others_with_the_list() {
    let commands: [&[&str]; 5] = [
        &["run", ZOMBIE, "-n", "20", "--no-twins"],
        &["check", ZOMBIE, "-n", "20"],
        &["explore", ZOMBIE],
        &["bound", ZOMBIE],
        &["bound", ZOMBIE, "--triage"],
    ];
    for command in commands {
        for (form, opens) in [("markdown", ""), ("html", "<!DOCTYPE html>"), ("json", "{")] {
            let ended = dwsim(&[command, &["-f", form]].concat());
            assert!(ended.out.starts_with(opens) && ended.out.len() > 100, "{command:?} {form}: {ended:?}");
        }
    }
    let format = dwsim(&["bound", ZOMBIE, "-f", "junit"]);
    assert_eq!((format.code, format.out.as_str()), (Some(2), ""));
    assert!(format.err.contains("[possible values: human, json, markdown, html]"), "{}", format.err);
    let out = dwsim(&["explore", ZOMBIE, "--out", "junit=x.xml"]);
    assert_eq!((out.code, out.out.as_str()), (Some(2), ""));
    let list = "`junit` cannot show this report; use one of human, json, markdown, html";
    assert!(out.err.contains(list), "{}", out.err);
}
