//! `dwsim completions` and `dwsim man`: the command line, written down for a shell and for `man`.

use clap::CommandFactory;

use crate::cli::{Cli, CompletionsArgs};
use crate::exit::{Exit, Stop};
use crate::output::{cannot_write, print};

/// Completions for a shell.
pub fn completions(args: &CompletionsArgs) -> Result<Exit, Stop> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "dwsim", &mut text);
    print(&String::from_utf8_lossy(&text)).map(|()| Exit::AsExpected)
}

/// The manual page.
pub fn man() -> Result<Exit, Stop> {
    let mut text = Vec::new();
    clap_mangen::Man::new(Cli::command())
        .render(&mut text)
        .map_err(|error| cannot_write("the manual", &error))?;
    print(&String::from_utf8_lossy(&text)).map(|()| Exit::AsExpected)
}
