//! What is written down as a scenario loads to the stage that it was written from.

mod common;

use dwsim_policies::Shipped;
use dwsim_sim::load;
use dwsim_sim::model::scenario::{Often, Scenario, Verdict};
use dwsim_sim::text::file::{Options, Scripted};

fn every_stage_reads_back(scenario: &Scenario) {
    for case in &scenario.cases {
        for design in &case.designs {
            let Ok(stage) = &design.stage else { continue };
            let verdict = stage.judge.asked.iter().next().unwrap_or(Verdict::Lost);
            let written = Scripted {
                story: vec!["A story.".to_owned()],
                about: &scenario.about,
                design: &design.name,
                stage,
                expect: vec![(verdict, Often::Always)],
                steps: vec![("crash".to_owned(), "why".to_owned())],
                then_run_on: true,
            };
            let text = written.text(&Shipped);
            let what = format!("{} {} {}\n{text}", scenario.name, case.twin, design.name);
            let back = load("written.ron", &text, &Shipped, &Options::default())
                .unwrap_or_else(|wrong| panic!("{what}\n{wrong}"));
            let [case] = back.cases.as_slice() else { panic!("{what}") };
            let [row] = case.designs.as_slice() else { panic!("{what}") };
            assert_eq!(row.name, design.name, "{what}");
            assert_eq!(row.stage.as_ref(), Ok(stage), "{what}");
            assert_eq!(row.expect.verdicts, [(verdict, Often::Always)], "{what}");
        }
    }
}

#[test]
fn every_stage_of_every_shipped_scenario_reads_back() {
    for path in common::shipped() {
        let text = std::fs::read_to_string(&path).expect("text");
        every_stage_reads_back(&common::scenario(&path.to_string_lossy(), &text));
    }
}

#[test]
fn every_field_that_a_file_may_say_reads_back() {
    let text = include_str!("../sim/tests/everything.ron");
    every_stage_reads_back(&common::scenario("everything.ron", text));
}
