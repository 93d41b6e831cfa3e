//! `dwsim check`.

use crate::cli::CheckArgs;
use crate::exit::{Exit, Stop};
use crate::load::{self, Wanted};
use crate::output::Terminal;

/// Loads the scenarios.
pub fn run(args: &CheckArgs, _terminal: &Terminal) -> Result<Exit, Stop> {
    load::scenarios(&args.paths, Wanted::default()).map(|_| Exit::AsExpected)
}
