//! `dwsim`: parse, load, run, render, exit. This package is the only one that touches files, a clock or a terminal.

mod cli;
mod clock;
mod commands;
mod exit;
mod load;
mod one_run;
mod output;
mod progress;
mod regressions;
mod regret;
mod shipped;
mod theory;

use std::panic;
use std::process::ExitCode;

use clap::Parser;
use dwsim_reports::escape;

use cli::{Cli, Command};
use exit::{Exit, Stop};
use output::Terminal;

fn main() -> ExitCode {
    panic::set_hook(Box::new(|panic| blame_dwsim(&panic.to_string())));
    let exit = panic::catch_unwind(|| {
        let cli = Cli::parse();
        let terminal = Terminal::new(cli.color);
        match run(&cli.command, &terminal) {
            Ok(exit) => exit,
            Err(stop) => {
                terminal.complain(&stop);
                if stop.exit() == Exit::Internal {
                    blame_dwsim("");
                }
                stop.exit()
            }
        }
    });
    exit.unwrap_or(Exit::Internal).into()
}

fn run(command: &Command, terminal: &Terminal) -> Result<Exit, Stop> {
    match command {
        Command::Run(args) => commands::run::run(args, terminal),
        Command::Replay(args) => commands::replay::run(args, terminal),
        Command::Bound(args) => commands::bound::run(args, terminal),
        Command::Explore(args) => commands::explore::run(args, terminal),
        Command::Shrink(args) => commands::shrink::run(args, terminal),
        Command::Check(args) => commands::check::run(args, terminal),
        Command::List(args) => commands::list::run(args),
        Command::Show(args) => commands::show::run(args, terminal),
        Command::New(args) => commands::new::run(args, terminal),
        Command::Completions(args) => commands::about::completions(args),
        Command::Man => commands::about::man(),
    }
}

/// Says that the bug is ours, and what to send us.
fn blame_dwsim(what: &str) {
    let line: Vec<String> = std::env::args().map(|word| escape::shell(&word)).collect();
    eprintln!("{what}");
    eprintln!(
        "dwsim itself is wrong here, not your scenario. Please report it with the scenario and this line:"
    );
    eprintln!("  {} (dwsim {})", line.join(" "), env!("CARGO_PKG_VERSION"));
}
