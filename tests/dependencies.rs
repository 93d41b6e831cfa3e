//! What dwsim is built from stays small and maintained.

use std::collections::BTreeSet;
use std::process::Command;

/// Packages that are unmaintained, have advisories, or are bigger than the job that they would do here.
const UNWANTED: &[&str] = &[
    "chrono",
    "quick-junit",
    "kuva",
    "plotters",
    "arrow",
    "parquet",
    "poloto",
    "charming",
    "iai-callgrind",
    "divan",
    "bincode",
    "fxhash",
    "paste",
    "atty",
];

#[test]
fn nothing_unwanted_is_locked() {
    let lock = include_str!("../Cargo.lock");
    let locked: BTreeSet<&str> =
        lock.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).collect();
    assert!(locked.contains("clap"), "the lock file is read");
    let unwanted: Vec<_> = UNWANTED.iter().filter(|name| locked.contains(**name)).collect();
    assert!(unwanted.is_empty(), "{unwanted:?}");
}

#[test]
fn the_command_is_built_from_about_sixty_packages_at_most() {
    let tree = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--workspace",
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo starts");
    let tree = String::from_utf8(tree.stdout).expect("cargo prints text");
    let packages: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(packages.contains("dwsim") && packages.len() <= 60, "{}: {packages:?}", packages.len());
}
