//! What several tests need: every shipped scenario, loaded.

#![allow(dead_code)] // each test file takes what it needs

use std::path::{Path, PathBuf};

use dwsim_policies::Shipped;
use dwsim_sim::engine::machine::Machine;
use dwsim_sim::load;
use dwsim_sim::model::scenario::Scenario;
use dwsim_sim::model::view::Rules;
use dwsim_sim::text::file::Options;

/// The paths of all shipped scenarios, in order.
pub fn shipped() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "ron") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A scenario from its text.
pub fn scenario(path: &str, text: &str) -> Scenario {
    load(path, text, &Shipped, &Options::default()).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// Every design of every case of a scenario that can run, with a name for messages.
pub fn machines(scenario: &Scenario) -> Vec<(String, Machine)> {
    let mut machines = Vec::new();
    for case in &scenario.cases {
        for design in &case.designs {
            let Ok(stage) = &design.stage else { continue };
            let name = format!("{} / {} / {}", scenario.name, case.twin, design.name);
            machines.push((name, Machine::compile(stage, &Rules::new()).expect("it compiles")));
        }
    }
    machines
}
