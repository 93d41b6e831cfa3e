//! How the command ends: one type for every exit code that it promises, and one for the reasons to stop early.

use std::process::ExitCode;

use dwsim_sim::text::file::Diagnostics;

/// What the exit code says. `help run` lists the same codes for users.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Exit {
    /// Everything was as expected.
    AsExpected = 0,
    /// An expectation failed, or a denied verdict occurred.
    Failed = 1,
    /// The command line does not make sense.
    Usage = 2,
    /// What was expected was not seen, or nothing could have made it otherwise.
    Inconclusive = 3,
    /// There was nothing to run.
    NothingToRun = 4,
    /// A scenario, a policy or a schedule is wrong.
    BadInput = 65,
    /// There is no such file, or it cannot be read.
    NoInput = 66,
    /// dwsim itself is wrong: a panic, or two runs of one seed that differ.
    Internal = 70,
    /// A result cannot be written.
    CannotWrite = 74,
    /// Interrupted, after reporting what there is.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// Why a command stopped without a result.
#[derive(Debug)]
pub enum Stop {
    /// Files are wrong: where, and what to write instead.
    Broken(Diagnostics),
    /// Anything else, in a sentence.
    Because(Exit, String),
}

impl Stop {
    /// The command line names something that is not there.
    pub fn usage(message: impl Into<String>) -> Stop {
        Stop::Because(Exit::Usage, message.into())
    }

    /// The code to exit with.
    pub fn exit(&self) -> Exit {
        match self {
            Stop::Broken(_) => Exit::BadInput,
            Stop::Because(exit, _) => *exit,
        }
    }
}

impl From<Diagnostics> for Stop {
    fn from(wrong: Diagnostics) -> Stop {
        Stop::Broken(wrong)
    }
}
