//! What files may say, and what is said back when they are wrong.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use dwsim_sim::file::{Diagnostics, Library, Options, load, load_policy, load_producer};
use proptest::prelude::*;

/// The shipped programs, read from their folder: this crate lies below the one that embeds them.
struct Folder {
    policies: BTreeMap<String, String>,
    producers: BTreeMap<String, String>,
}

impl Folder {
    fn shipped() -> Folder {
        let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies");
        Folder { producers: programs(&policies.join("producers")), policies: programs(&policies) }
    }
}

impl Library for Folder {
    fn policy(&self, name: &str) -> Option<&str> {
        self.policies.get(name).map(String::as_str)
    }
    fn producer(&self, name: &str) -> Option<&str> {
        self.producers.get(name).map(String::as_str)
    }
    fn policy_names(&self) -> Vec<&str> {
        self.policies.keys().map(String::as_str).collect()
    }
    fn producer_names(&self) -> Vec<&str> {
        self.producers.keys().map(String::as_str).collect()
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ron"));
    paths.sort();
    paths
}

fn stem(path: &Path) -> String {
    path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned()
}

fn programs(folder: &Path) -> BTreeMap<String, String> {
    files(folder).iter().map(|path| (stem(path), fs::read_to_string(path).expect("text"))).collect()
}

fn complaint(name: &str, text: &str, library: &Folder) -> Option<Diagnostics> {
    let path = format!("{name}.ron");
    match name.split('-').next() {
        Some("policy") => load_policy(&path, text).err(),
        Some("producer") => load_producer(&path, text).err(),
        _ => load(&path, text, library, &Options::default()).err(),
    }
}

#[test]
fn every_broken_file_is_refused_with_its_place_and_a_way_out() {
    let library = Folder::shipped();
    let mut said = String::new();
    let broken = programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken"));
    for (name, text) in &broken {
        let wrong = complaint(name, text, &library).unwrap_or_else(|| panic!("{name} was accepted"));
        for one in &wrong.0 {
            assert!(one.line >= 1 && one.column >= 1 && one.span.end <= text.len(), "{name}");
            assert!(!one.message.is_empty() && !one.help.is_empty(), "{name}: {one}");
        }
        said.push_str(&format!("{}\n\n", wrong.render(false)));
    }
    insta::assert_snapshot!(said);
}
