//! Seeds that once failed, kept beside their scenario: one entry a line, written by `--keep` or by hand, and replayed
//! first by `check`. Pure: whoever keeps them reads and writes the file.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use crate::model::scenario::Verdict;
use crate::model::strategy::Strategy;
use crate::model::suggest::{nearest, one_of};
use crate::text::file::{Diagnostic, Diagnostics, MOST, Text};

const EXAMPLE: &str =
    r#"write design = "cursor", seed = 17, strategy = "timed", verdict = "duplicate", epoch = 1"#;
const KEYS: [&str; 6] = ["design", "twin", "seed", "strategy", "verdict", "epoch"];

/// One run that must not show its verdict again. As text it is a line of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The design's name.
    pub design: String,
    /// The twin's name, or empty.
    pub twin: String,
    /// Which seed.
    pub seed: u64,
    /// What the seed drives.
    pub strategy: Strategy,
    /// What it showed.
    pub verdict: Verdict,
    /// The seed epoch in which it did: in another one the seed means another run.
    pub epoch: u32,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "design = {}, ", quoted(&self.design))?;
        if !self.twin.is_empty() {
            write!(f, "twin = {}, ", quoted(&self.twin))?;
        }
        let (seed, strategy, verdict) = (self.seed, self.strategy, self.verdict.name());
        write!(f, r#"seed = {seed}, strategy = "{strategy}", verdict = "{verdict}", epoch = {}"#, self.epoch)
    }
}

/// A text as RON writes it, and as [`parse`] reads it back, on one line.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.escape_debug())
}

/// The entries of a file, or what is wrong with its lines.
pub fn parse(path: &str, text: &str) -> Result<Vec<Entry>, Diagnostics> {
    let file = Text::new(path, text);
    let (mut entries, mut wrong, mut start) = (Vec::new(), Vec::new(), 0);
    for line in file.text().split_inclusive('\n') {
        match (Line { file: &file, start, text: line }).entry() {
            Ok(entry) => entries.extend(entry),
            Err(diagnostic) => wrong.push(diagnostic),
        }
        start += line.len();
    }
    wrong.truncate(MOST);
    if wrong.is_empty() { Ok(entries) } else { Err(Diagnostics(wrong)) }
}

/// A line, and where it starts.
struct Line<'a> {
    file: &'a Text,
    start: usize,
    text: &'a str,
}

impl Line<'_> {
    /// None where there is only a comment.
    fn entry(&self) -> Result<Option<Entry>, Diagnostic> {
        let mut values = BTreeMap::new();
        let fields = self.fields();
        if let [only] = fields.as_slice()
            && only.is_empty()
        {
            return Ok(None);
        }
        for field in fields {
            let Some((key, _)) = self.text[field.clone()].split_once('=') else {
                return Err(self.wrong(field, "this is no `key = value`", EXAMPLE));
            };
            let value = self.trimmed(field.start + key.len() + 1..field.end);
            let at = field.start..field.start + key.trim_end().len();
            let Some(key) = KEYS.into_iter().find(|known| *known == key.trim()) else {
                return Err(self.wrong(at, "there is no such key", format!("there is {}", one_of(&KEYS))));
            };
            if values.insert(key, value).is_some() {
                return Err(self.wrong(at, format!("`{key}` is given twice"), "leave one of them out"));
            }
        }
        let whole = self.trimmed(0..self.text.len());
        let value = |key: &str| {
            let missing = || self.wrong(whole.clone(), format!("`{key}` is missing"), EXAMPLE);
            values.get(key).cloned().ok_or_else(missing)
        };
        let twin = values.get("twin").map_or(Ok(String::new()), |at| self.string(at));
        let strategy = value("strategy")?;
        let verdict = value("verdict")?;
        Ok(Some(Entry {
            design: self.string(&value("design")?)?,
            twin: twin?,
            seed: self.number(&value("seed")?, u64::MAX)?,
            strategy: self
                .string(&strategy)?
                .parse()
                .map_err(|why: String| self.wrong(strategy, "this is no strategy", why))?,
            verdict: self.verdict(&verdict)?,
            epoch: self.number(&value("epoch")?, u64::from(u32::MAX))? as u32,
        }))
    }

    /// What stands between commas, up to a comment, neither of which counts within quotes.
    fn fields(&self) -> Vec<Range<usize>> {
        let (mut fields, mut start, mut end) = (Vec::new(), 0, self.text.len());
        let (mut within, mut escaped) = (false, false);
        for (i, c) in self.text.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' if within => escaped = true,
                '"' => within = !within,
                ',' if !within => {
                    fields.push(self.trimmed(start..i));
                    start = i + 1;
                }
                '#' if !within => {
                    end = i;
                    break;
                }
                _ => {}
            }
        }
        fields.push(self.trimmed(start..end));
        fields
    }

    fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        let text = &self.text[range.clone()];
        let start = range.start + text.len() - text.trim_start().len();
        start..start + text.trim().len()
    }

    fn string(&self, at: &Range<usize>) -> Result<String, Diagnostic> {
        ron::from_str(&self.text[at.clone()])
            .map_err(|_| self.wrong(at.clone(), "this is no text", "write it in quotes: \"..\""))
    }

    fn number(&self, at: &Range<usize>, most: u64) -> Result<u64, Diagnostic> {
        let number = self.text[at.clone()].replace('_', "").parse().ok().filter(|n| *n <= most);
        let help = || format!("write a whole number from 0 to {most}");
        number.ok_or_else(|| self.wrong(at.clone(), "this is no number for it", help()))
    }

    fn verdict(&self, at: &Range<usize>) -> Result<Verdict, Diagnostic> {
        let name = self.string(at)?;
        Verdict::named(&name).ok_or_else(|| {
            let help = match nearest(&name, &Verdict::NAMES) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there is {}", one_of(&Verdict::NAMES)),
            };
            self.wrong(at.clone(), format!("there is no verdict `{name}`"), help)
        })
    }

    fn wrong(&self, at: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        self.file.diagnostic(self.start + at.start..self.start + at.end, message, help)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(design: &str, twin: &str) -> Entry {
        Entry {
            design: design.to_owned(),
            twin: twin.to_owned(),
            seed: u64::MAX,
            strategy: Strategy::Pct(3),
            verdict: Verdict::Duplicate,
            epoch: 1,
        }
    }

    #[test]
    fn an_entry_reads_back_what_it_shows() {
        for (design, twin) in [("cursor", ""), ("a, \"b\" # c = \\", "zweiter\nVersuch"), ("größer", "=")] {
            let entry = entry(design, twin);
            let line = entry.to_string();
            assert_eq!(parse("f", &line), Ok(vec![entry]), "{line}");
        }
    }

    #[test]
    fn comments_and_empty_lines_are_no_entries() {
        let line = entry("cursor", "").to_string();
        let text = format!("\u{feff}# why\r\n\r\n  {line}  # found in May\r\n");
        assert_eq!(parse("f", &text), Ok(vec![entry("cursor", "")]));
    }

    #[test]
    fn a_broken_line_says_where_and_what_to_write() {
        let rest = r#"strategy = "timed", verdict = "duplicate", epoch = 1"#;
        for (line, said) in [
            ("cursor".to_owned(), "f:2:1: this is no `key = value`; write design = "),
            (format!(r#"design = "a", {rest}"#), "f:2:1: `seed` is missing; write design = "),
            (
                format!(r#"design = "a", seed = -1, {rest}"#),
                "f:2:22: this is no number for it; write a whole",
            ),
            (format!(r#"design = a, seed = 1, {rest}"#), "f:2:10: this is no text; write it in quotes"),
            (format!(r#"sed = 1, {rest}"#), "f:2:1: there is no such key; there is `design`, "),
            (format!(r#"seed = 1, seed = 2, {rest}"#), "f:2:11: `seed` is given twice; "),
            (
                format!(r#"design = "a", seed = 1, {}"#, rest.replace("timed", "fast")),
                "f:2:36: this is no strategy; there is no strategy `fast`",
            ),
            (
                format!(r#"design = "a", seed = 1, {}"#, rest.replace("cate", "kate")),
                "f:2:55: there is no verdict `duplikate`; did you mean `duplicate`?",
            ),
        ] {
            let wrong = parse("f", &format!("# first\n{line}\n")).expect_err(&line).to_string();
            assert!(wrong.starts_with(said), "{line}: {wrong}");
        }
    }
}
