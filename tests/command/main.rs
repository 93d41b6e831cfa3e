//! The command as a user meets it: the whole process, its streams and its exit code.

mod bad_lines;
mod bound;
#[path = "../common/mod.rs"]
mod common;
mod dangerous;
mod explore;
mod faults;
mod look_around;
mod regressions;
mod replay;
mod run;
mod verdicts;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ZOMBIE: &str = "scenarios/zombie.ron";

/// What a process left.
#[derive(PartialEq, Debug)]
struct Ended {
    out: String,
    err: String,
    code: Option<i32>,
}

/// Runs `dwsim` in the root of the repository, connected to no terminal.
fn dwsim(args: &[&str]) -> Ended {
    with_input(args, "")
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dwsim"));
    command.args(args).current_dir(env!("CARGO_MANIFEST_DIR"));
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn with_input(args: &[&str], input: &str) -> Ended {
    ended(command(args), input)
}

fn ended(mut command: Command, input: &str) -> Ended {
    let mut child = command.spawn().expect("dwsim starts");
    // A command that does not read its stdin may be gone already.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("dwsim ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ended { out: text(output.stdout), err: text(output.stderr), code: output.status.code() }
}

/// What a line leaves that is pasted into a shell, where `dwsim` is this one.
#[cfg(unix)]
fn pasted(line: &str, folder: &Path) -> Ended {
    let bin = Path::new(env!("CARGO_BIN_EXE_dwsim")).parent().expect("a folder");
    let mut command = Command::new("sh");
    command.args(["-c", &format!("PATH=\"$0:$PATH\"\n{line}"), arg(bin)]).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    ended(command, "")
}

/// A folder of its own for a test, emptied.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// A path as an argument.
fn arg(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}
