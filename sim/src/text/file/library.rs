//! What a caller hands in beside the text of a file: the shipped programs, checks that take a compiled stage, and what
//! the user said on the command line.

use crate::model::program::Policy;
use crate::model::scenario::Stage;
use crate::model::size::TooLarge;
use crate::model::suggest::Misnamed;

/// Program files by name.
pub trait Library {
    /// The text of the policy of this name.
    fn policy(&self, name: &str) -> Option<&str>;
    /// The text of the producer of this name.
    fn producer(&self, name: &str) -> Option<&str>;
    /// The names of all policies.
    fn policy_names(&self) -> Vec<&str>;
    /// The names of all producers.
    fn producer_names(&self) -> Vec<&str>;
}

/// What the user said beside the file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// The policies to run instead of the file's designs, unless empty.
    pub policies: &'a [Policy],
}

/// For each line of a script, what it names that the stage does not have.
pub type CheckedLines = Vec<Option<Misnamed>>;

/// What a file's text alone cannot tell, since it takes the compiled stage. The caller hands it in.
#[derive(Clone, Copy, Debug)]
pub struct Checks {
    /// Holds the lines of a script against a stage. None where the stage cannot run.
    pub lines: fn(&Stage, &[&str]) -> Option<CheckedLines>,
    /// Whether a stage is small enough to be compiled.
    pub size: fn(&Stage) -> Result<(), TooLarge>,
}
