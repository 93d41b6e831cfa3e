//! Every example of `docs/knobs.md` is a scenario that loads and runs, and every row of its table has one.

mod common;

use std::collections::BTreeMap;

use dwsim_sim::model::scenario::Verdict;
use dwsim_sim::model::strategy::Strategy;
use dwsim_sim::schedulers::record_seed;

const PAGE: &str = include_str!("../docs/knobs.md");

/// The example under each heading.
fn examples() -> BTreeMap<String, String> {
    let mut examples = BTreeMap::new();
    for section in PAGE.split("\n## ").skip(1) {
        let (heading, rest) = section.split_once('\n').expect("a heading");
        let example = rest.split_once("```ron\n").and_then(|(_, rest)| rest.split_once("```\n"));
        let (example, _) = example.unwrap_or_else(|| panic!("no example under {heading}"));
        examples.insert(heading.to_owned(), example.to_owned());
    }
    examples
}

#[test]
fn every_knob_of_the_table_has_an_example_and_the_other_way_round() {
    let rows = PAGE.lines().filter(|line| line.starts_with("| ")).skip(1);
    let mut rows: Vec<&str> = rows.map(|row| row[2..].split(" |").next().expect("a cell")).collect();
    rows.sort_unstable();
    assert_eq!(rows, examples().keys().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn every_example_runs() {
    for (name, text) in examples() {
        let scenario = common::scenario(&format!("{name}.ron"), &text);
        let machines = common::machines(&scenario);
        assert!(!machines.is_empty(), "{name}: no design can run");
        for (design, machine) in machines {
            for strategy in [Strategy::Timed, Strategy::Uniform] {
                for seed in 0..20 {
                    let verdicts = record_seed(&machine, strategy, seed).verdicts;
                    assert!(
                        !verdicts.contains(&Verdict::Premature),
                        "{design}, seed {seed}: every producer here commits first"
                    );
                }
            }
        }
    }
}
