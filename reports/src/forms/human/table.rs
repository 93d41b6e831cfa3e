//! A table within the width of a terminal: cells take more lines where columns have less room, and where even that is
//! not enough, each row stands alone.

use tabled::builder::Builder;
use tabled::settings::object::{Columns, Object, Rows};
use tabled::settings::style::{HorizontalLine, Style as Frame, VerticalLine};
use tabled::settings::themes::Theme;
use tabled::settings::{Alignment, Color, Padding, Span};

use crate::document::{Cell, Cells, Holds, Table, Value};
use crate::escape::plain;
use crate::forms::Page;
use crate::rows::rate::Rate;
use crate::style::{Ink, Style};
use crate::text;

/// How the table takes less room. The first that fits is taken.
#[derive(Clone, Copy)]
struct Layout {
    /// Lines of a rate: one for count, rate and interval; two with the interval below; three with each below.
    lines: usize,
    /// The first column is broken at this width.
    head: usize,
}

const LAYOUTS: [Layout; 6] = [
    Layout { lines: 1, head: usize::MAX },
    Layout { lines: 1, head: 24 },
    Layout { lines: 2, head: 24 },
    Layout { lines: 2, head: 14 },
    Layout { lines: 3, head: 24 },
    Layout { lines: 3, head: 14 },
];

/// Columns of words are not made narrower than this.
const NARROWEST: usize = 16;
/// Spaces and a rule before a cell that goes across, and a space behind it.
const AROUND: usize = 4;
/// Words across all columns are broken at this width.
const ACROSS: usize = 72;

/// A table, or its rows one by one where no layout fits.
pub fn table(table: &Table, page: &Page) -> String {
    let limit = if table.may_overflow { usize::MAX } else { page.width };
    let fitting = LAYOUTS.into_iter().find_map(|layout| Some((layout, Widths::new(table, layout, limit)?)));
    match fitting {
        Some((layout, widths)) => drawn(table, page.style, layout, &widths),
        None => listed(table, page),
    }
}

/// How wide each column is.
struct Widths(Vec<usize>);

impl Widths {
    /// The widths of a layout, columns of words narrowed to what is left; none where that is too narrow.
    fn new(table: &Table, layout: Layout, limit: usize) -> Option<Widths> {
        let natural = |lines: &[String]| lines.iter().map(|cell| widest_line(cell)).max().unwrap_or(0);
        let heads: Vec<String> =
            table.rows.iter().map(|row| row.head.clone()).chain([table.head.clone()]).collect();
        let mut widths = vec![natural(&heads).min(layout.head)];
        for (i, column) in table.columns.iter().enumerate() {
            widths.push(natural(&cells(table, i, layout)).max(text::width(&column.name)));
        }
        let is_words = |i: usize| i > 0 && table.columns[i - 1].holds == Holds::Words;
        loop {
            let total = widths.iter().sum::<usize>() + gaps(table);
            let Some(excess) = total.checked_sub(limit).filter(|excess| *excess > 0) else {
                return Some(Widths(widths));
            };
            let widest = (0..widths.len()).filter(|i| is_words(*i)).max_by_key(|i| widths[*i])?;
            let second = (0..widths.len()).filter(|i| is_words(*i) && *i != widest).map(|i| widths[i]).max();
            let floor = second.unwrap_or(0).saturating_sub(1).max(NARROWEST);
            if widths[widest] <= floor {
                return None;
            }
            widths[widest] = widths[widest].saturating_sub(excess).max(floor);
        }
    }

    /// The room of a cell across all columns but the first.
    fn across(&self, table: &Table) -> usize {
        self.0[1..].iter().sum::<usize>() + gaps(table).saturating_sub(AROUND)
    }
}

/// A space behind the first column, one on each side of every other, and the rules.
fn gaps(table: &Table) -> usize {
    1 + 2 * table.columns.len() + table.columns.iter().filter(|column| column.opens_group).count()
}

fn widest_line(cell: &str) -> usize {
    cell.lines().map(text::width).max().unwrap_or(0)
}

fn drawn(table: &Table, style: Style, layout: Layout, widths: &Widths) -> String {
    let wrapped = |words: &str, width: usize| text::wrap(words, width.max(1)).join("\n");
    let header = [wrapped(&plain(&table.head), widths.0[0])];
    let header = header.into_iter().chain(table.columns.iter().map(|column| plain(&column.name)));
    let columns: Vec<Vec<String>> = (0..table.columns.len()).map(|i| cells(table, i, layout)).collect();

    let mut builder = Builder::default();
    builder.push_record(header);
    for (r, row) in table.rows.iter().enumerate() {
        let mut record = vec![wrapped(&plain(&row.head), widths.0[0])];
        match &row.cells {
            Cells::Each(_) => {
                for (c, column) in table.columns.iter().enumerate() {
                    let cell = &columns[c][r];
                    let is_words = column.holds == Holds::Words;
                    record.push(if is_words { wrapped(cell, widths.0[c + 1]) } else { cell.clone() });
                }
            }
            Cells::Across(words) => record.push(wrapped(&plain(words), widths.across(table).min(ACROSS))),
        }
        record.resize(table.columns.len() + 1, String::new());
        builder.push_record(record);
    }

    let mut drawn = builder.build();
    let mut frame = Theme::from_style(Frame::empty());
    frame.insert_horizontal_line(1, HorizontalLine::new('─'));
    for (i, _) in table.columns.iter().enumerate().filter(|(_, column)| column.opens_group) {
        frame.insert_vertical_line(i + 1, VerticalLine::new('│').intersection('┼'));
    }
    drawn.with(frame).with(Alignment::left()).with(Padding::new(1, 1, 0, 0));
    drawn.modify(Columns::first(), Padding::new(0, 1, 0, 0));
    for (i, _) in table.columns.iter().enumerate().filter(|(_, column)| column.holds == Holds::Number) {
        drawn.modify(Columns::one(i + 1).not(Rows::first()), Alignment::right());
    }
    for (r, row) in table.rows.iter().enumerate() {
        match &row.cells {
            Cells::Each(cells) if style == Style::Coloured => {
                for (c, cell) in cells.iter().enumerate() {
                    if let Some(color) = cell.ink.and_then(color) {
                        drawn.modify((r + 1, c + 1), color);
                    }
                }
            }
            Cells::Each(_) => {}
            Cells::Across(_) => {
                drawn.modify((r + 1, 1), Span::column(table.columns.len() as isize));
            }
        }
    }
    drawn.to_string().lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn color(ink: Ink) -> Option<Color> {
    match ink {
        Ink::Good => Some(Color::FG_GREEN),
        Ink::Bad => Some(Color::FG_RED),
        Ink::Doubt => Some(Color::FG_YELLOW),
        Ink::Heading | Ink::Faint => None,
    }
}

/// The cells of a column, one for each row, with counts and rates aligned among themselves.
fn cells(table: &Table, column: usize, layout: Layout) -> Vec<String> {
    let values: Vec<Option<&Value>> = table
        .rows
        .iter()
        .map(|row| match &row.cells {
            Cells::Each(cells) => cells.get(column).map(|cell| &cell.value),
            Cells::Across(_) => None,
        })
        .collect();
    let parts = |rate: &Rate| {
        let (percent, interval) = rate.percent();
        (text::count(rate.count), percent, interval)
    };
    let rates = || {
        values.iter().filter_map(|v| if let Some(Value::Rate(rate)) = v { Some(parts(rate)) } else { None })
    };
    let counts = rates().map(|(count, ..)| text::width(&count)).max().unwrap_or(0);
    // A bound such as `<0.04%` has no interval beside it, so it needs no place of its own before one.
    let beside = rates().filter(|(.., interval)| !interval.is_empty());
    let percents = beside.map(|(_, percent, _)| text::width(&percent)).max().unwrap_or(0);
    let rate = |(count, percent, interval): (String, String, String)| match (layout.lines, interval.as_str())
    {
        (3, _) => format!("{count}\n{percent}\n{interval}").trim_end().to_owned(),
        (_, "") => format!("{count:>counts$} {percent}").trim_end().to_owned(),
        (1, interval) => format!("{count:>counts$} {percent:>percents$} {interval}"),
        (_, interval) => {
            format!(
                "{count:>counts$} {percent:>percents$}\n{interval:>width$}",
                width = counts + 1 + percents
            )
        }
    };
    let cell = |value: &Option<&Value>| match value {
        None => String::new(),
        Some(Value::Words(words)) => plain(words),
        Some(Value::Number(number)) => text::count(*number),
        Some(Value::Rate(of)) => rate(parts(of)),
    };
    values.iter().map(cell).collect()
}

/// Each row alone: its name, and below it a line for each column.
fn listed(table: &Table, page: &Page) -> String {
    let names = table.columns.iter().map(|column| text::width(&column.name)).max().unwrap_or(0);
    let mut out = String::new();
    for row in &table.rows {
        out += &wrapped_line("", "  ", &plain(&row.head), page);
        match &row.cells {
            Cells::Across(words) => out += &wrapped_line("  ", "    ", &plain(words), page),
            Cells::Each(cells) => {
                for (column, cell) in table.columns.iter().zip(cells) {
                    let first = format!("  {:<names$}  ", plain(&column.name));
                    let then = " ".repeat(names + 4);
                    out += &wrapped_line(&first, &then, &in_a_line(cell), page);
                }
            }
        }
    }
    out
}

fn in_a_line(cell: &Cell) -> String {
    match &cell.value {
        Value::Words(words) => plain(words),
        Value::Number(number) => text::count(*number),
        Value::Rate(rate) => {
            let (percent, interval) = rate.percent();
            format!("{} {percent} {interval}", text::count(rate.count)).trim_end().to_owned()
        }
    }
}

fn wrapped_line(first: &str, then: &str, words: &str, page: &Page) -> String {
    let room = page.width.saturating_sub(text::width(then).max(text::width(first))).max(1);
    let lines = text::wrap(words, room);
    let line = |(i, line): (usize, &String)| {
        format!("{}\n", format!("{}{line}", if i == 0 { first } else { then }).trim_end())
    };
    lines.iter().enumerate().map(line).collect()
}
