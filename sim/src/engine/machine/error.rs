//! Why a stage cannot be compiled.

use std::fmt;

use crate::model::program::Surface;
use crate::model::size::TooLarge;

/// Why a stage cannot be compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CompileError {
    /// There is too much of something.
    TooLarge(TooLarge),
    /// The policy names a batch rule that is not registered.
    UnknownRule(String),
    /// A batch rule written in Rust computes from a surface that no step before its `arm` reads.
    UnreadByRule {
        /// The rule.
        rule: String,
        /// The surface.
        missing: Surface,
    },
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompileError::TooLarge(large) => write!(f, "{large}; {}", large.help()),
            CompileError::UnknownRule(rule) => write!(
                f,
                "the batch rule `{rule}` is not registered; a rule written in Rust is registered with Rules::with"
            ),
            CompileError::UnreadByRule { rule, missing } => write!(
                f,
                "the batch rule `{rule}` reads {missing}, but the program has no `read({missing})` before this `arm`"
            ),
        }
    }
}

impl std::error::Error for CompileError {}
