//! `dwsim new`: a scenario to start from.

use std::fs::OpenOptions;
use std::io::Write;

use dwsim_reports::escape;

use crate::cli::NewArgs;
use crate::exit::{Exit, Stop};
use crate::output::{Terminal, cannot_write, print};

/// The scenario, with a comment at every line.
const STARTER: &str = include_str!("starter.ron");

/// Writes the starter where there is no file yet.
pub fn run(args: &NewArgs, terminal: &Terminal) -> Result<Exit, Stop> {
    if args.name == "-" {
        return print(STARTER).map(|()| Exit::AsExpected);
    }
    let file = args.name.strip_suffix(".ron").unwrap_or(&args.name);
    if file.is_empty() || file.ends_with(['/', '.']) {
        let message = format!("`{}` is no name for a file; write one such as my-outbox", args.name);
        return Err(Stop::usage(message));
    }
    let path = if args.name.ends_with(".ron") { args.name.clone() } else { format!("{}.ron", args.name) };
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)
        .and_then(|mut file| file.write_all(STARTER.as_bytes()));
    match written {
        Ok(()) => {
            terminal.say(&format!("wrote {path}; now try: dwsim run {}", escape::file(&path)));
            Ok(Exit::AsExpected)
        }
        Err(error) => Err(cannot_write(&path, &error)),
    }
}
