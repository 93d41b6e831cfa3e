//! What is shrunk shows what it was shrunk from, as a scenario that loads, and has nothing that could go.

mod common;

use dwsim_policies::Shipped;
use dwsim_sim::engine::machine::Machine;
use dwsim_sim::load;
use dwsim_sim::model::action::Action;
use dwsim_sim::model::scenario::{Often, Verdict};
use dwsim_sim::model::strategy::Strategy;
use dwsim_sim::model::view::Rules;
use dwsim_sim::schedulers::{Script, record_seed, run_script};
use dwsim_sim::search::shrink::{Shrunk, shrink};
use dwsim_sim::text::file::{Options, Scripted};

/// The first failure of each kind among a few seeds of every shipped stage.
fn failures() -> Vec<(String, Machine, Vec<Action>, Verdict)> {
    let mut failures = Vec::new();
    for path in common::shipped() {
        let text = std::fs::read_to_string(&path).expect("text");
        for (name, machine) in common::machines(&common::scenario(&path.to_string_lossy(), &text)) {
            for verdict in [Verdict::Duplicate, Verdict::Premature, Verdict::Lost, Verdict::Unfinished] {
                let record = (0..300)
                    .map(|seed| record_seed(&machine, Strategy::Uniform, seed))
                    .find(|r| r.verdicts.contains(&verdict));
                let Some(record) = record else { continue };
                let schedule = record.moments.iter().map(|m| m.action).collect();
                let again = Machine::compile(&machine.stage, &Rules::new()).expect("it compiles");
                failures.push((format!("{name} {verdict:?}"), again, schedule, verdict));
            }
        }
    }
    assert!(failures.len() > 5, "the shipped scenarios fail in more ways than {}", failures.len());
    failures
}

fn shows(shrunk: &Shrunk, machine: &Machine, labels: &[String]) -> bool {
    let script = Script { labels, then_run_on: shrunk.then_run_on };
    run_script(machine, script).is_ok_and(|record| record.verdicts.contains(&shrunk.verdict))
}

#[test]
fn every_shipped_failure_shrinks_to_a_scenario_of_which_no_step_can_go() {
    for (name, machine, schedule, verdict) in failures() {
        let shrunk = shrink(&machine, &Rules::new(), &schedule, verdict).expect("it compiles");
        let shrunk = shrunk.unwrap_or_else(|| panic!("{name} shows its verdict again"));
        let written = Scripted {
            story: Vec::new(),
            about: "",
            design: "d",
            stage: &shrunk.stage,
            expect: vec![(verdict, Often::Always)],
            steps: shrunk.steps.iter().map(|step| (step.label.clone(), String::new())).collect(),
            then_run_on: shrunk.then_run_on,
        };
        let text = written.text(&Shipped);
        let back = load("small.ron", &text, &Shipped, &Options::default())
            .unwrap_or_else(|wrong| panic!("{name}\n{text}\n{wrong}"));
        let stage = back.cases[0].designs[0].stage.as_ref().expect("it can run");
        assert_eq!(**stage, shrunk.stage, "{name}\n{text}");
        let small = Machine::compile(stage, &Rules::new()).expect("it compiles");
        let labels: Vec<String> = shrunk.steps.iter().map(|step| step.label.clone()).collect();
        assert!(shows(&shrunk, &small, &labels), "{name}\n{text}");
        assert!(labels.len() <= schedule.len() && small.events() <= machine.events(), "{name}\n{text}");
        for gone in 0..labels.len() {
            let mut rest = labels.clone();
            let label = rest.remove(gone);
            assert!(!shows(&shrunk, &small, &rest), "{name}: `{label}` can go\n{text}");
        }
    }
}
