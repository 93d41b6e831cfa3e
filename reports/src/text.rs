//! Small words: numbers, times and lists as people write them, and lines that fit.

use dwsim_sim::model::ids::Tick;
use dwsim_sim::model::scenario::Verdict;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub use dwsim_sim::analysis::stats::count;

/// `1 run`, `2 runs`.
pub fn counted(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(n), if n == 1 { "" } else { "s" })
}

/// `once`, `twice`, `3 times`.
pub fn times(n: u32) -> String {
    match n {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// A span of virtual time in the unit that suits it, to about three digits: `850 us`, `12.5 ms`, `5.01 s`, `2 min 5 s`.
pub fn span(time: Tick) -> String {
    let us = time.0;
    match us {
        0..1_000 => format!("{us} us"),
        1_000..1_000_000 => format!("{} ms", three_digits(us, 1_000)),
        1_000_000..60_000_000 => format!("{} s", three_digits(us, 1_000_000)),
        60_000_000..3_600_000_000 => two_units(us / 1_000_000, 60, "min", "s"),
        _ => two_units(us / 60_000_000, 60, "h", "min"),
    }
}

fn three_digits(n: u64, unit: u64) -> String {
    match n / unit {
        0..10 => format!("{}.{:02}", n / unit, n % unit * 100 / unit),
        10..100 => format!("{}.{}", n / unit, n % unit * 10 / unit),
        whole => whole.to_string(),
    }
}

fn two_units(n: u64, of: u64, large: &str, small: &str) -> String {
    match n % of {
        0 => format!("{} {large}", n / of),
        rest => format!("{} {large} {rest} {small}", n / of),
    }
}

/// A design's name inside a sentence: in quotes where it would fall apart, such as `"keyed, last 2"`.
pub fn name(design: &str) -> String {
    if design.contains([' ', ',', ';', ':']) { format!("\"{design}\"") } else { design.to_owned() }
}

/// A verdict as a word of a sentence: `exactly-once`.
pub fn verdict(verdict: Verdict) -> &'static str {
    verdict.spec().words
}

/// What a design does when a verdict holds: `duplicates`.
pub fn does(verdict: Verdict) -> &'static str {
    verdict.spec().does
}

/// How many columns a line takes on a terminal.
pub fn width(line: &str) -> usize {
    line.width()
}

/// A letter that may carry more than itself, such as a colour.
pub trait Letter: Copy {
    /// The letter.
    fn letter(self) -> char;
    /// A space that carries the same.
    fn space(self) -> Self;
}

impl Letter for char {
    fn letter(self) -> char {
        self
    }
    fn space(self) -> char {
        ' '
    }
}

/// Lines of at most `width` columns, broken between words, and inside a word that is longer than a line.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    wrap_letters(&letters, width).into_iter().map(String::from_iter).collect()
}

/// The same for letters that carry more.
pub fn wrap_letters<L: Letter>(letters: &[L], width: usize) -> Vec<Vec<L>> {
    let columns = |letter: &L| letter.letter().width().unwrap_or(0);
    let mut lines = vec![Vec::new()];
    let mut used = 0;
    let mut space = None;
    let is_space = |letter: &L| letter.letter().is_whitespace();
    for part in letters.chunk_by(|a, b| is_space(a) == is_space(b)) {
        if is_space(&part[0]) {
            space = Some(part[0].space());
            continue;
        }
        if used > 0 && used + 1 + part.iter().map(columns).sum::<usize>() > width {
            lines.push(Vec::new());
            used = 0;
        }
        if let Some(space) = space.filter(|_| used > 0) {
            lines.last_mut().expect("one line at least").push(space);
            used += 1;
        }
        for letter in part {
            if used > 0 && used + columns(letter) > width {
                lines.push(Vec::new());
                used = 0;
            }
            lines.last_mut().expect("one line at least").push(*letter);
            used += columns(letter);
        }
    }
    lines
}

/// The text wrapped to [`crate::WIDTH`], its first line after `first`, the others after `then`.
pub fn paragraph(first: &str, then: &str, text: &str) -> String {
    let room = crate::WIDTH - width(first).max(width(then));
    let mut out = String::new();
    for (i, line) in wrap(text, room).iter().enumerate() {
        out.push_str(if i == 0 { first } else { then });
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!([0, 999, 1_000, 10_000_000].map(count), ["0", "999", "1,000", "10,000,000"]);
        assert_eq!(counted(1, "run") + ", " + &counted(2, "run"), "1 run, 2 runs");
        assert_eq!(list(&["a".into(), "b".into(), "c".into()]), "a, b and c");
    }

    #[test]
    fn times_come_in_the_unit_that_suits_them() {
        let spans = [0, 850, 12_500, 100_000, 5_012_000, 125_000_000, 3_600_000_000, 5_400_000_000].map(Tick);
        assert_eq!(
            spans.map(span),
            ["0 us", "850 us", "12.5 ms", "100 ms", "5.01 s", "2 min 5 s", "1 h", "1 h 30 min"]
        );
    }

    #[test]
    fn wrapped_lines_keep_every_letter_and_fit() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij kl", 4), ["abcd", "efgh", "ij", "kl"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn a_wide_letter_takes_two_columns() {
        assert_eq!(width("注文-1"), 6);
        assert_eq!(wrap("注文 注文注", 5), ["注文", "注文", "注"]);
    }
}
