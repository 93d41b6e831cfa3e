//! The report of `dwsim run`.

use dwsim_sim::model::scenario::Verdict;
use dwsim_sim::model::strategy::Strategy;

use super::{Block, Cell, Cells, Column, Document, Fold, Holds, Row, Table, Text, case};
use crate::rows::check::{CheckLine, Outcome};
use crate::rows::rate::Rate;
use crate::rows::shootout::{Case, Numbers, Shootout};
use crate::style::Ink;
use crate::{cause, escape, text};

/// Pairs beyond this many are folded, unless all are asked for.
const PAIRS: usize = 5;

/// The whole report. `wide` adds the costs of recovery and unfolds the pairs.
pub fn shootout(shootout: &Shootout, wide: bool) -> Document<'_> {
    let mut blocks = Vec::new();
    for case in &shootout.cases {
        of_case(&mut blocks, case, shootout.strategy, wide);
    }
    blocks.extend(unmet(&shootout.unmet));
    if shootout.partial {
        blocks.push(Text::marked(Ink::Doubt, "Partial: interrupted before every seed had run.").into());
    }
    Document { title: "dwsim run".to_owned(), blocks, summary: Some(claim(shootout)) }
}

/// The expectations that were not met, each with the line that shows it again.
pub fn unmet<'a, 'b>(lines: impl IntoIterator<Item = &'b CheckLine>) -> Vec<Block<'a>> {
    let of_line = |line: &CheckLine| {
        let (ink, word) = match line.outcome {
            Outcome::Failed => (Ink::Bad, "not as expected"),
            outcome => (Ink::Doubt, outcome.word()),
        };
        let told =
            Text::marked(ink, word).and(format!(": {}: {}: {}.", line.scenario, line.what(), line.detail));
        [Some(told.into()), line.reproduce.clone().map(Block::Paste)].into_iter().flatten()
    };
    lines.into_iter().flat_map(of_line).collect()
}

fn of_case(blocks: &mut Vec<Block<'_>>, of: &Case, strategy: Strategy, wide: bool) {
    let about = if of.head.twin.is_empty() { of.head.about.as_str() } else { "" };
    blocks.push(case(of.head.title(), about));
    blocks.push(Text::new(of.setting(strategy)).into());
    blocks.push(Block::Table(table(of, wide)));
    blocks.extend(of.remarks().into_iter().map(|remark| Text::new(remark).into()));
    for row in &of.rows {
        let Some(failure) = &row.failure else { continue };
        let what = format!("{} {}", text::name(&row.design), text::does(failure.verdict));
        blocks.push(Text::marked(Ink::Bad, what).and(format!(": {}", failure.sentence)).into());
        blocks.push(Block::Paste(failure.replay.clone()));
    }
    pairs(blocks, of, wide);
    let failing = of.rows.iter().filter_map(|row| Some((row.design.as_str(), row.failure.as_ref()?.regret)));
    let causes = cause::of_designs(&failing.collect::<Vec<_>>());
    blocks.extend(causes.into_iter().map(|cause| Text::new(cause).into()));
}

fn table(of: &Case, wide: bool) -> Table {
    let verdicts = of.columns();
    let mut columns = super::verdicts(&verdicts, Holds::Rate);
    columns.push(Column::new("fails at", Holds::Name).opening_a_group());
    if wide {
        columns.push(Column::new("resends", Holds::Number).opening_a_group());
        columns.push(Column::new("rescues dropped", Holds::Number));
        columns.push(Column::new("crash to last owed acceptance", Holds::Name));
    }
    let cells = |numbers: &Numbers| {
        let mut cells: Vec<Cell> = verdicts.iter().map(|v| rate(*v, numbers.rate(*v))).collect();
        let seed = numbers.first_failing().map(|seed| format!("seed {seed}"));
        cells.push(Cell::words(seed.unwrap_or("-".to_owned())));
        if wide {
            cells.extend(costs(numbers));
        }
        cells
    };
    let row = |row: &crate::rows::shootout::Row| Row {
        head: row.design.clone(),
        cells: match &row.numbers {
            Ok(numbers) => Cells::Each(cells(numbers)),
            Err(why) => Cells::Across(format!("n/a: {why}")),
        },
    };
    let rows = of.rows.iter().map(row).collect();
    Table { head: "design".to_owned(), columns, rows, may_overflow: wide }
}

fn rate(verdict: Verdict, rate: Rate) -> Cell {
    Cell::rate(rate).inked(match verdict {
        Verdict::ExactlyOnce => (rate.count == rate.runs && rate.runs > 0).then_some(Ink::Good),
        Verdict::Unfinished => (rate.count > 0).then_some(Ink::Doubt),
        _ => (rate.count > 0).then_some(Ink::Bad),
    })
}

fn costs(numbers: &Numbers) -> [Cell; 3] {
    let repair = numbers.repair.map_or("-".to_owned(), |repair| {
        format!("median ~{}, p99 ~{}", text::span(repair.median), text::span(repair.p99))
    });
    [Cell::number(numbers.resends), Cell::number(numbers.rescues_dropped), Cell::words(repair)]
}

fn pairs(blocks: &mut Vec<Block<'_>>, of: &Case, wide: bool) {
    let judged = of.rows.iter().filter(|row| row.numbers.is_ok()).count();
    if judged < 2 {
        return;
    }
    if of.flips.is_empty() {
        blocks.push(Text::new("On the same seeds, no two designs differ in any run.").into());
        return;
    }
    blocks.push(Text::new("On the same seeds:").into());
    let shown = if wide { of.flips.len() } else { PAIRS.min(of.flips.len()) };
    let (shown, folded) = of.flips.split_at(shown);
    let items = |flips: &[crate::rows::shootout::Flip]| {
        Block::List(flips.iter().map(|flip| Text::new(flip.in_words())).collect())
    };
    blocks.push(items(shown));
    if !folded.is_empty() {
        blocks.push(Block::Fold(Fold {
            summary: text::counted(folded.len() as u64, "more pair"),
            shown_by: Some("--wide shows all"),
            blocks: vec![items(folded)],
        }));
    }
}

/// What the numbers claim, and what they do not.
fn claim(shootout: &Shootout) -> Text {
    let rows = shootout.cases.iter().flat_map(|case| &case.rows);
    let runs: u64 = rows.filter_map(|row| row.numbers.as_ref().ok()).map(|n| n.runs).sum();
    let first = shootout.cases.first().map_or("", |case| case.head.path.as_str());
    let one_path = !first.is_empty() && shootout.cases.iter().all(|case| case.head.path == first);
    let path = if one_path { escape::file(first) } else { "SCENARIO".to_owned() };
    Text::new(format!("{}, not a proof: each rate comes with its 95% interval; ", text::counted(runs, "run")))
        .code(format!("dwsim explore {path}"))
        .and(format!(" tries every schedule within the bounds. Seed epoch {}.", shootout.seed_epoch))
}
