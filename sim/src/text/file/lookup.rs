//! The two kinds of program that a file can name, and where each is looked up: among the file's own programs first,
//! then in the library.

use std::collections::BTreeMap;

use super::diagnose::Diagnostics;
use super::library::Library;
use super::program::{self, PolicyFile, ProducerFile, Wrong};
use super::program_file::{load_policy, load_producer};
use super::schema::Program;
use crate::model::program::{Policy, Producer};

/// Programs that were asked for: what they are, or that they could not be had.
#[derive(Default)]
pub struct Shelves {
    /// Policies by name.
    pub policies: BTreeMap<String, Option<Policy>>,
    /// Producers by name.
    pub producers: BTreeMap<String, Option<Producer>>,
}

/// A kind of program.
pub trait Kind: Clone {
    /// How a file writes one.
    type File;
    /// What it is called.
    const NAME: &'static str;
    /// The shelf of this kind.
    fn shelf(shelves: &mut Shelves) -> &mut BTreeMap<String, Option<Self>>;
    /// The program as a file wrote it, if it is of this kind.
    fn written(program: &Program) -> Option<&Self::File>;
    /// The program, if it makes sense.
    fn check(name: &str, file: &Self::File) -> Result<Self, Vec<Wrong>>;
    /// The library's program of this name, if there is one.
    fn shipped(library: &dyn Library, name: &str) -> Option<Result<Self, Diagnostics>>;
    /// What the library has of this kind.
    fn shipped_names(library: &dyn Library) -> Vec<&str>;
}

impl Kind for Policy {
    type File = PolicyFile;
    const NAME: &'static str = "policy";

    fn shelf(shelves: &mut Shelves) -> &mut BTreeMap<String, Option<Policy>> {
        &mut shelves.policies
    }
    fn written(program: &Program) -> Option<&PolicyFile> {
        if let Program::Policy(file) = program { Some(file) } else { None }
    }
    fn check(name: &str, file: &PolicyFile) -> Result<Policy, Vec<Wrong>> {
        program::policy(name, file)
    }
    fn shipped(library: &dyn Library, name: &str) -> Option<Result<Policy, Diagnostics>> {
        library.policy(name).map(|text| load_policy(&format!("policies/{name}.ron"), text))
    }
    fn shipped_names(library: &dyn Library) -> Vec<&str> {
        library.policy_names()
    }
}

impl Kind for Producer {
    type File = ProducerFile;
    const NAME: &'static str = "producer";

    fn shelf(shelves: &mut Shelves) -> &mut BTreeMap<String, Option<Producer>> {
        &mut shelves.producers
    }
    fn written(program: &Program) -> Option<&ProducerFile> {
        if let Program::Producer(file) = program { Some(file) } else { None }
    }
    fn check(name: &str, file: &ProducerFile) -> Result<Producer, Vec<Wrong>> {
        program::producer(name, file)
    }
    fn shipped(library: &dyn Library, name: &str) -> Option<Result<Producer, Diagnostics>> {
        library.producer(name).map(|text| load_producer(&format!("policies/producers/{name}.ron"), text))
    }
    fn shipped_names(library: &dyn Library) -> Vec<&str> {
        library.producer_names()
    }
}
