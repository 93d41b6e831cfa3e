//! The report of `dwsim check`.

use super::{Block, Cell, Cells, Column, Document, Fold, Heading, Holds, Level, Row, Table, Text, unmet};
use crate::rows::check::{CheckLine, CheckReport, Outcome, ScenarioLines};
use crate::style::Ink;

/// The whole report: a row for each scenario, what was not met, and then every expectation.
pub fn check(report: &CheckReport) -> Document<'_> {
    let scenarios = report.scenarios();
    let mut blocks = Vec::new();
    if !scenarios.is_empty() {
        blocks.push(Block::Table(table(&scenarios)));
    }
    let not_met = report.cases.iter().filter(|line| line.outcome != Outcome::Met);
    blocks.extend(unmet(not_met));
    let warning = |warning: &String| Text::marked(Ink::Doubt, "warning").and(format!(": {warning}")).into();
    blocks.extend(report.warnings.iter().map(warning));
    if !scenarios.is_empty() {
        blocks.push(Block::Fold(Fold {
            summary: "every expectation".to_owned(),
            shown_by: None,
            blocks: scenarios.iter().flat_map(every).collect(),
        }));
    }
    if report.partial {
        let partial = "Partial: interrupted before every expectation was judged.";
        blocks.push(Text::marked(Ink::Doubt, partial).into());
    }
    Document { title: "dwsim check".to_owned(), blocks, summary: Some(Text::new(report.in_words())) }
}

fn table(scenarios: &[ScenarioLines<'_>]) -> Table {
    let row = |scenario: &ScenarioLines<'_>| Row {
        head: scenario.name.to_owned(),
        cells: Cells::Each(vec![outcome(scenario.outcome()), Cell::words(scenario.in_words())]),
    };
    Table {
        head: "scenario".to_owned(),
        columns: vec![
            Column::new("outcome", Holds::Name).opening_a_group(),
            Column::new("expectations", Holds::Words),
        ],
        rows: scenarios.iter().map(row).collect(),
        may_overflow: false,
    }
}

/// All expectations of a scenario.
fn every<'a>(scenario: &ScenarioLines<'_>) -> [Block<'a>; 2] {
    let row = |line: &CheckLine| Row {
        head: line.what(),
        cells: Cells::Each(vec![outcome(line.outcome), Cell::words(line.detail.as_str())]),
    };
    let title = scenario.name.to_owned();
    let table = Table {
        head: "expectation".to_owned(),
        columns: vec![
            Column::new("outcome", Holds::Name).opening_a_group(),
            Column::new("detail", Holds::Words),
        ],
        rows: scenario.lines.iter().map(row).collect(),
        may_overflow: false,
    };
    [Block::Heading(Heading { level: Level::Part, title, about: String::new() }), Block::Table(table)]
}

fn outcome(outcome: Outcome) -> Cell {
    Cell::words(outcome.word()).inked(Some(match outcome {
        Outcome::Met => Ink::Good,
        Outcome::Failed => Ink::Bad,
        Outcome::Inconclusive | Outcome::Vacuous => Ink::Doubt,
    }))
}
