//! The shootout as a table, the first failures in words, and the pairs.

use dwsim_sim::model::scenario::Verdict;
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Object, Rows};
use tabled::settings::style::{HorizontalLine, Style as Frame, VerticalLine};
use tabled::settings::themes::Theme;
use tabled::settings::{Alignment, Color, Padding, Span};

use crate::escape::plain;
use crate::rate::Rate;
use crate::shootout::{Case, FAILURES, Numbers, Shootout};
use crate::style::{Ink, Style};
use crate::{WIDTH, text};

/// Pairs beyond so many are only counted, unless all are asked for.
const PAIRS: usize = 5;

/// The whole report. `wide` adds the costs and every pair, and may take more than [`WIDTH`] columns.
pub fn shootout(shootout: &Shootout, style: Style, wide: bool) -> String {
    let mut out = String::new();
    for case in &shootout.cases {
        heading(&mut out, case, &shootout.strategy, style);
        out += &table(case, style, wide);
        out.push('\n');
        for remark in case.remarks() {
            out += &text::paragraph("", "", &plain(&remark));
            out.push('\n');
        }
        failures(&mut out, case, style);
        pairs(&mut out, case, wide);
        if let Some(regret) = case.regret_in_words() {
            out += &text::paragraph("", "  ", &plain(&regret));
            out.push('\n');
        }
    }
    closing(&mut out, shootout, style);
    out
}

fn heading(out: &mut String, case: &Case, strategy: &str, style: Style) {
    let title = plain(&case.head.title());
    let story = if case.head.twin.is_empty() {
        format!("{title}: {}", plain(&case.head.about))
    } else {
        title.clone()
    };
    for (i, line) in text::wrap(&story, WIDTH).iter().enumerate() {
        let name = if i == 0 { line.strip_prefix(&title).map(|rest| (title.as_str(), rest)) } else { None };
        let (bold, rest) = name.unwrap_or(("", line));
        *out += &if bold.is_empty() { String::new() } else { style.paint(Ink::Heading, bold) };
        *out += rest;
        out.push('\n');
    }
    *out += &text::paragraph("", "", &plain(&case.setting(strategy)));
    out.push('\n');
}

/// How the table takes less room. The first that fits is taken.
#[derive(Clone, Copy)]
struct Layout {
    /// Lines of a cell: one for count, rate and interval; two with the interval below; three with each below.
    lines: usize,
    /// Names of designs are broken at this width.
    name: usize,
}

const LAYOUTS: [Layout; 6] = [
    Layout { lines: 1, name: 24 },
    Layout { lines: 2, name: 24 },
    Layout { lines: 2, name: 14 },
    Layout { lines: 3, name: 24 },
    Layout { lines: 3, name: 14 },
    NARROWEST,
];

const NARROWEST: Layout = Layout { lines: 3, name: 8 };

fn table(case: &Case, style: Style, wide: bool) -> String {
    // Colour has no width, so the plain table decides.
    let fits = |layout: &Layout| {
        wide || build(case, Style::Plain, wide, *layout).lines().all(|line| text::width(line) <= WIDTH)
    };
    build(case, style, wide, LAYOUTS.into_iter().find(fits).unwrap_or(NARROWEST))
}

fn build(case: &Case, style: Style, wide: bool, layout: Layout) -> String {
    let shown: Vec<Verdict> = [Verdict::ExactlyOnce].into_iter().chain(FAILURES).collect();
    let mut header: Vec<String> = vec!["design".to_owned()];
    header.extend(shown.iter().map(|v| text::verdict(*v).to_owned()));
    header.push("fails at".to_owned());
    if wide {
        header.extend(["resends", "rescues dropped", "crash to last owed acceptance"].map(str::to_owned));
    }
    let columns = header.len();
    let cells: Vec<Vec<String>> = shown.iter().map(|v| column(case, *v, layout)).collect();

    let mut builder = Builder::default();
    builder.push_record(header);
    for (i, row) in case.rows.iter().enumerate() {
        let mut record = vec![text::wrap(&plain(&row.design), layout.name).join("\n")];
        match &row.numbers {
            Ok(numbers) => {
                record.extend(cells.iter().map(|column| column[i].clone()));
                record.push(numbers.first_failing().map_or("-".to_owned(), |seed| format!("seed {seed}")));
                if wide {
                    record.extend(costs(numbers));
                }
            }
            Err(why) => record.push(text::wrap(&format!("n/a: {}", plain(why)), 72).join("\n")),
        }
        record.resize(columns, String::new());
        builder.push_record(record);
    }

    let mut table = builder.build();
    // Loud half and quiet half stand apart: exactly-once | duplicate, premature | lost, unfinished | fails at.
    let mut frame = Theme::from_style(Frame::empty());
    frame.insert_horizontal_line(1, HorizontalLine::new('─'));
    for bar in [1, 2, 4, 6].into_iter().chain(wide.then_some(7)) {
        frame.insert_vertical_line(bar, VerticalLine::new('│').intersection('┼'));
    }
    table.with(frame).with(Alignment::left()).with(Padding::new(1, 1, 0, 0));
    table.modify(Columns::first(), Padding::new(0, 1, 0, 0));
    if wide {
        table.modify(Columns::new(7..9).not(Rows::first()), Alignment::right());
    }
    for (i, row) in case.rows.iter().enumerate() {
        match &row.numbers {
            Ok(numbers) if style == Style::Coloured => {
                for (c, verdict) in shown.iter().enumerate() {
                    if let Some(color) = color(*verdict, numbers.rate(*verdict)) {
                        table.modify((i + 1, c + 1), color);
                    }
                }
            }
            Ok(_) => {}
            Err(_) => {
                table.modify((i + 1, 1), Span::column(columns as isize - 1));
            }
        }
    }
    table.to_string().lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn color(verdict: Verdict, rate: Rate) -> Option<Color> {
    match verdict {
        Verdict::ExactlyOnce => (rate.count == rate.runs && rate.runs > 0).then_some(Color::FG_GREEN),
        Verdict::Unfinished => (rate.count > 0).then_some(Color::FG_YELLOW),
        _ => (rate.count > 0).then_some(Color::FG_RED),
    }
}

/// A verdict's cells, one for each row, with counts and rates aligned among themselves.
fn column(case: &Case, verdict: Verdict, layout: Layout) -> Vec<String> {
    let parts: Vec<(String, String, String)> = case
        .rows
        .iter()
        .map(|row| match &row.numbers {
            Ok(numbers) => {
                let rate = numbers.rate(verdict);
                let (percent, interval) = rate.percent();
                (text::count(rate.count), percent, interval)
            }
            Err(_) => Default::default(),
        })
        .collect();
    let widest = |of: fn(&(String, String, String)) -> &String| {
        // A bound such as `<0.04%` has no interval beside it, so it needs no place of its own before one.
        parts.iter().filter(|(_, _, interval)| !interval.is_empty()).map(of).map(|s| text::width(s)).max()
    };
    let counts = parts.iter().map(|(count, ..)| text::width(count)).max().unwrap_or(0);
    let rates = widest(|(_, rate, _)| rate).unwrap_or(0);
    let cell = |(count, rate, interval): &(String, String, String)| match (layout.lines, interval.as_str()) {
        (3, _) => format!("{count}\n{rate}\n{interval}").trim_end().to_owned(),
        (_, "") => format!("{count:>counts$} {rate}").trim_end().to_owned(),
        (1, interval) => format!("{count:>counts$} {rate:>rates$} {interval}"),
        (_, interval) => {
            format!("{count:>counts$} {rate:>rates$}\n{interval:>width$}", width = counts + 1 + rates)
        }
    };
    parts.iter().map(cell).collect()
}

fn costs(numbers: &Numbers) -> [String; 3] {
    let repair = numbers.repair.map_or("-".to_owned(), |repair| {
        format!("median ~{}, p99 ~{}", text::span(repair.median), text::span(repair.p99))
    });
    [text::count(numbers.resends), text::count(numbers.rescues_dropped), repair]
}

fn failures(out: &mut String, case: &Case, style: Style) {
    for row in &case.rows {
        let Some(failure) = &row.failure else { continue };
        let what = plain(&format!("{} {}", text::name(&row.design), text::does(failure.verdict)));
        let story = format!("{what}: {}", plain(&failure.sentence));
        let paragraph = text::paragraph("", "  ", &story);
        *out += &match paragraph.strip_prefix(&what) {
            Some(rest) => style.paint(Ink::Bad, &what) + rest,
            None => paragraph,
        };
        // A line to paste is never broken, however long it is.
        *out += &format!("  {}\n\n", plain(&failure.replay));
    }
}

fn pairs(out: &mut String, case: &Case, wide: bool) {
    let judged = case.rows.iter().filter(|row| row.numbers.is_ok()).count();
    if judged < 2 {
        return;
    }
    if case.flips.is_empty() {
        *out += "On the same seeds, no two designs differ in any run.\n\n";
        return;
    }
    *out += "On the same seeds:\n";
    let shown = if wide { case.flips.len() } else { PAIRS };
    for flip in case.flips.iter().take(shown) {
        *out += &text::paragraph("  ", "    ", &plain(&flip.in_words()));
    }
    match case.flips.len().saturating_sub(shown) {
        0 => {}
        more => *out += &format!("  and {} (--wide shows all)\n", text::counted(more as u64, "more pair")),
    }
    out.push('\n');
}

fn closing(out: &mut String, shootout: &Shootout, style: Style) {
    if shootout.partial {
        *out += &style.paint(Ink::Doubt, "Partial: interrupted before every seed had run.");
        out.push('\n');
    }
    *out += &text::paragraph("", "", &plain(&shootout.claim()));
}
