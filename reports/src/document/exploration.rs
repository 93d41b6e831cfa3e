//! The report of `dwsim explore`.

use dwsim_sim::model::scenario::Verdict;
use dwsim_sim::search::crash_map::Window;
use dwsim_sim::search::explore::Reach;

use super::{
    Block, Cell, Cells, Column, Document, Heading, Holds, Level, Row, Table, Text, case, run, unmet,
};
use crate::rows::exploration::{Case, Ending, ExplorationReport, Found, Shortest};
use crate::rows::timeline::Timeline;
use crate::style::Ink;
use crate::{cause, text};

/// The whole report: what each design can come to, and a shortest schedule to each failure.
pub fn exploration(report: &ExplorationReport) -> Document<'_> {
    let columns = report.columns();
    let mut blocks = Vec::new();
    for case in &report.cases {
        of_case(&mut blocks, case, &columns);
    }
    blocks.extend(unmet(report.cases.iter().flat_map(|case| &case.unmet)));
    if report.partial {
        let partial = "Partial: interrupted before every design was explored.";
        blocks.push(Text::marked(Ink::Doubt, partial).into());
    }
    Document { title: "dwsim explore".to_owned(), blocks, summary: None }
}

fn of_case<'a>(blocks: &mut Vec<Block<'a>>, of: &'a Case, columns: &[Verdict]) {
    let about = if of.head.twin.is_empty() { of.head.about.as_str() } else { "" };
    blocks.push(case(of.head.title(), about));
    if let Some(row) = of.rows.iter().find(|row| row.found.is_ok()) {
        blocks.push(Text::new(format!("every schedule with {}", row.bounds)).into());
    }
    blocks.push(Block::Table(table(of, columns)));
    let found = || of.rows.iter().filter_map(|row| Some((row.design.as_str(), row.found.as_ref().ok()?)));
    for (design, found) in found() {
        let ink = match found.ending() {
            Ending::Proved => Ink::Good,
            Ending::Counterexample => Ink::Bad,
            Ending::Inconclusive => Ink::Doubt,
        };
        blocks.push(Text::marked(ink, design).and(format!(": {}", found.in_words())).into());
    }
    let failing: Vec<_> = found().filter_map(|(design, found)| Some((design, found.regret?))).collect();
    blocks.extend(cause::of_designs(&failing).into_iter().map(|cause| Text::new(cause).into()));
    for (design, found) in found() {
        found.shortest.iter().for_each(|shortest| shown(blocks, design, shortest));
        if !found.map.is_empty() {
            blocks.push(part(format!("What a crash under {} can lead to", text::name(design))));
            blocks.push(Block::Table(map(&found.map)));
        }
    }
}

fn table(of: &Case, columns: &[Verdict]) -> Table {
    let row = |row: &crate::rows::exploration::Row| Row {
        head: row.design.clone(),
        cells: match &row.found {
            Ok(found) => Cells::Each(columns.iter().map(|verdict| reach(found, *verdict)).collect()),
            Err(why) => Cells::Across(format!("n/a: {why}")),
        },
    };
    Table {
        head: "design".to_owned(),
        columns: super::verdicts(columns, Holds::Name),
        rows: of.rows.iter().map(row).collect(),
        may_overflow: false,
    }
}

/// Whether a verdict can come about, and in how few steps.
fn reach(found: &Found, verdict: Verdict) -> Cell {
    let shortest = found.shortest.iter().find(|shortest| shortest.verdict == verdict);
    let is_failure = verdict != Verdict::ExactlyOnce;
    match (found.exploration.reach(verdict), shortest) {
        (Reach::Reachable, Some(shortest)) => {
            let steps = text::counted(shortest.record.moments.len() as u64, "step");
            Cell::words(format!("in {steps}")).inked(Some(Ink::Bad))
        }
        (Reach::Reachable, None) => Cell::words("possible").inked(is_failure.then_some(Ink::Bad)),
        (Reach::Unreachable, _) => Cell::words("never").inked((!is_failure).then_some(Ink::Bad)),
        (Reach::Unknown, _) => Cell::words("not known").inked(Some(Ink::Doubt)),
    }
}

fn shown<'a>(blocks: &mut Vec<Block<'a>>, design: &str, shortest: &'a Shortest) {
    let (design, does) = (text::name(design), text::does(shortest.verdict));
    blocks.push(part(format!("Shortest schedule in which {design} {does}")));
    blocks.extend(run(&Timeline::new(&shortest.record)));
    let needs = shortest.needs_in_words();
    if !needs.is_empty() {
        blocks.push(Text::new("This schedule needs a clock:").into());
        blocks.push(Block::List(needs.into_iter().map(Text::new).collect()));
    }
    blocks.push(Block::Paste(shortest.replay.clone()));
}

fn map(windows: &[Window]) -> Table {
    let row = |window: &Window| {
        let verdicts: Vec<&str> = window.verdicts.iter().map(|v| text::verdict(*v)).collect();
        let more = if window.complete { "" } else { ", perhaps more" };
        Row {
            head: format!("{} {}", window.who, window.before.as_deref().unwrap_or("(after the last act)")),
            cells: Cells::Each(vec![Cell::words(verdicts.join(", ") + more)]),
        }
    };
    Table {
        head: "crash before".to_owned(),
        columns: vec![Column::new("can lead to", Holds::Words).opening_a_group()],
        rows: windows.iter().map(row).collect(),
        may_overflow: false,
    }
}

fn part<'a>(title: String) -> Block<'a> {
    Block::Heading(Heading { level: Level::Part, title, about: String::new() })
}
