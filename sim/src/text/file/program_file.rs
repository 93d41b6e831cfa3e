//! Programs in files of their own, and what each file of this language goes through first.

use serde::de::DeserializeOwned;

use super::diagnose::{Diagnostics, MOST, Text};
use super::outline::Node;
use super::parameters::Substituted;
use super::program::{self, ProgramFile, Wrong};
use super::{explain, values};
use crate::model::program::{Policy, Producer};

/// No file is longer; a scenario has a few hundred lines.
pub const LONGEST_FILE: usize = 1 << 20;

/// Reads a policy file. The policy goes by the name of the file.
pub fn load_policy(path: &str, text: &str) -> Result<Policy, Diagnostics> {
    let file = admitted(path, text)?;
    match parsed(&file, &Substituted::nothing(file.text()))? {
        ProgramFile::Policy(policy) => {
            program::policy(stem(path), &policy).map_err(|wrong| placed(&file, &wrong))
        }
        ProgramFile::Producer(_) => {
            Err(placed(&file, &[Wrong::new(&[], "this is a producer, not a policy", "write Policy(..)")]))
        }
    }
}

/// Reads a producer file. The producer goes by the name of the file.
pub fn load_producer(path: &str, text: &str) -> Result<Producer, Diagnostics> {
    let file = admitted(path, text)?;
    match parsed(&file, &Substituted::nothing(file.text()))? {
        ProgramFile::Producer(producer) => {
            program::producer(stem(path), &producer).map_err(|wrong| placed(&file, &wrong))
        }
        ProgramFile::Policy(_) => {
            Err(placed(&file, &[Wrong::new(&[], "this is a policy, not a producer", "write Producer(..)")]))
        }
    }
}

/// The name of a file without folders and extension.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.strip_suffix(".ron").unwrap_or(name)
}

/// A file that is not too long to be read.
pub(super) fn admitted(path: &str, text: &str) -> Result<Text, Diagnostics> {
    if text.len() > LONGEST_FILE {
        let message = format!("this file has {} bytes", text.len());
        return Err(Text::new(path, "").diagnostic(0..0, message, "write at most 1 MiB").into());
    }
    Ok(Text::new(path, text))
}

/// What a file says, or where it cannot be read.
pub(super) fn parsed<T: DeserializeOwned>(file: &Text, read: &Substituted) -> Result<T, Diagnostics> {
    values::dialect().from_str(&read.text).map_err(|error| explain::explain::<T>(file, read, &error).into())
}

fn placed(file: &Text, wrongs: &[Wrong]) -> Diagnostics {
    let outline = Node::of(file.text());
    let place = |wrong: &Wrong| match (&outline, wrong.at.is_empty()) {
        (Some(program), true) => program.head(file.text()),
        (Some(program), false) => {
            program.at(&wrong.at).map_or(program.head(file.text()), |node| node.span.clone())
        }
        (None, _) => 0..0,
    };
    let complaint = |wrong: &Wrong| file.diagnostic(place(wrong), &*wrong.message, &*wrong.help);
    Diagnostics(wrongs.iter().take(MOST).map(complaint).collect())
}
