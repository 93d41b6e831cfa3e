//! What our pages print is what comes out: every command of their console blocks is run and compared. A line `...` in a
//! block stands for any lines.

use std::process::Command;

/// Commands and the output that is printed below each.
fn console_blocks(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match line.strip_prefix("$ ") {
                Some(command) => found.push((command.to_owned(), String::new())),
                None => {
                    let (_, output) = found.last_mut().expect("a block opens with a command");
                    output.push_str(line);
                    output.push('\n');
                }
            },
        }
    }
    found
}

fn run(command: &str) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    let arguments = words.strip_prefix(["cargo", "run", "--release", "--"].as_slice());
    let arguments =
        arguments.or_else(|| words.strip_prefix(["dwsim"].as_slice())).expect("a command of ours");
    let output = Command::new(env!("CARGO_BIN_EXE_dwsim"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("CLICOLOR_FORCE")
        .output()
        .expect("dwsim starts");
    String::from_utf8(output.stdout).expect("dwsim prints text")
}

/// Whether `printed` is `real`, where a line `...` stands for any lines.
fn matches(printed: &[&str], real: &[&str]) -> bool {
    match printed.split_first() {
        None => real.is_empty(),
        Some((&"...", rest)) => (0..=real.len()).any(|skipped| matches(rest, &real[skipped..])),
        Some((line, rest)) => {
            real.split_first().is_some_and(|(first, others)| line == first && matches(rest, others))
        }
    }
}

#[test]
fn what_the_readme_prints_is_what_comes_out() {
    assert!(prints_what_comes_out(include_str!("../README.md")) >= 2, "the main job and a replay");
}

#[test]
fn what_the_page_on_bounds_prints_is_what_comes_out() {
    assert_eq!(prints_what_comes_out(include_str!("../docs/bound.md")), 3);
}

/// Holds every console block of a page against what its command prints, and says how many there are.
fn prints_what_comes_out(page: &str) -> usize {
    let blocks = console_blocks(page);
    let found = blocks.len();
    for (command, printed) in blocks {
        let real = run(&command);
        let (printed_lines, real_lines): (Vec<&str>, Vec<&str>) =
            (printed.lines().collect(), real.lines().collect());
        assert!(printed_lines != ["..."], "`{command}` must show what it prints");
        assert!(
            matches(&printed_lines, &real_lines),
            "`{command}` prints\n{real}\nand the page shows\n{printed}"
        );
    }
    found
}
