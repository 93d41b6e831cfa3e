//! Command lines that make no sense: what is said, and the exit code.

use crate::{ZOMBIE, arg, dwsim, folder, with_input};

const LINES: &str = "\
run
run no-such.ron
run scenarios/zombie.ron --seeds 0
run scenarios/zombie.ron --seeds 9..3
run scenarios/zombie.ron --seeds many
run scenarios/zombie.ron --seed 5
run scenarios/zombie.ron --jobs 0
run scenarios/zombie.ron --policy curser
run scenarios/zombie.ron --policy outbox
run scenarios/zombie.ron --policy ./no-such.ron
run scenarios/zombie.ron --policy policies/producers/relay-after-send.ron
run scenarios/zombie.ron --design sink_dleta
run scenarios/zombie.ron --twin wiped
run scenarios/zombie.ron --twin wiped --no-twins
run scenarios/zombie.ron --strategy random
run scenarios/zombie.ron --format jsn
run scenarios/zombie.ron --out json
run scenarios/zombie.ron --out jsn=report
run scenarios/zombie.ron --out json=no-such-folder/report
run scenarios/zombie.ron --deny duplicates
run - -
run policies/cursor.ron
replay scenarios/zombie.ron --seed 3
replay scenarios/zombie.ron --policy cursor
replay scenarios/zombie.ron --policy cursor --seed 3 --schedule file
replay scenarios/zombie.ron --policy cursor --schedule no-such-file
replay - --policy cursor --schedule -
replay scenarios/zombie.ron --policy cursor --seed -4
replay policies --policy cursor --seed 4
list everything
show curser
show act/cursor
new no-such-folder/mine
shwo
completions cmd
";

#[test]
fn a_bad_command_line_is_answered_with_what_to_write_instead() {
    let mut said = String::new();
    for line in LINES.lines() {
        let ended = dwsim(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(ended.out, "", "{line}");
        assert!(!matches!(ended.code, None | Some(0 | 70 | 101)), "{line}: {:?}", ended.code);
        said += &format!("$ dwsim {line}\n{}exit {}\n\n", ended.err, ended.code.unwrap_or(-1));
    }
    insta::assert_snapshot!(said);
}

#[test]
fn a_broken_scenario_on_stdin_says_where() {
    let ended = with_input(&["run", "-"], "Scenario(\n    designs: [\"cursor\"],\n    fautls: (),\n)\n");
    insta::assert_snapshot!(format!("{}exit {}", ended.err, ended.code.unwrap_or(-1)));
}

#[test]
fn bytes_that_are_no_text_have_a_place_and_nothing_acts_on_the_terminal() {
    let file = folder("no-text").join("s.ron");
    std::fs::write(&file, b"Scenario(\n  about: \"\xc3\xa9\xff\",\n)").expect("a file");
    let ended = dwsim(&["run", arg(&file)]);
    assert_eq!(ended.code, Some(65));
    assert!(ended.err.contains("s.ron:2:12: the byte 0xff is not UTF-8"), "{}", ended.err);

    let ended = with_input(&["replay", ZOMBIE, "-p", "cursor", "--schedule", "-"], "a\u{1b}[2J \u{202e}b\n");
    assert_eq!(ended.code, Some(65));
    assert!(!ended.err.contains(['\u{1b}', '\u{202e}']), "{}", ended.err);
}
