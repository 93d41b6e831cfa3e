//! What is wrong with a file, where, and what to write instead: the one form in which every complaint about a
//! scenario, a policy or a producer reaches the user.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet, renderer::DecorStyle};
use ron::error::{Position, SpannedError};

use super::outline::Node;
use super::parameters::Substituted;

/// More complaints than this about one file help nobody.
pub const MOST: usize = 20;

/// A file as the user wrote it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    path: Arc<str>,
    text: Arc<str>,
}

impl Text {
    /// The file at `path`, without a byte-order mark.
    pub fn new(path: &str, text: &str) -> Text {
        Text { path: path.into(), text: text.strip_prefix('\u{feff}').unwrap_or(text).into() }
    }

    /// Its content.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The path, as it was given.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// A complaint about a part of it.
    pub fn diagnostic(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Diagnostic {
        let before = &self.text[..span.start];
        Diagnostic {
            line: 1 + before.matches('\n').count(),
            column: 1 + before.chars().rev().take_while(|c| *c != '\n').count(),
            file: self.clone(),
            message: shown(&message.into()),
            help: shown(&help.into()),
            span,
        }
    }
}

/// The text with control characters escaped: it may quote a file, and goes to a terminal.
fn shown(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

/// One thing that is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    file: Text,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// The bytes of the file that are wrong.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl Diagnostic {
    /// The path of the file, as it was given.
    pub fn path(&self) -> &str {
        self.file.path()
    }

    /// The complaint with the lines that it is about.
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let snippet = Snippet::source(&*self.file.text)
            .path(&*self.file.path)
            .annotation(AnnotationKind::Primary.span(self.span.clone()));
        let mut group = Level::ERROR.primary_title(&*self.message).element(snippet);
        if !self.help.is_empty() {
            group = group.element(Level::HELP.message(&*self.help));
        }
        renderer.decor_style(DecorStyle::Ascii).render(&[group])
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.path(), self.line, self.column, self.message)?;
        if self.help.is_empty() { Ok(()) } else { write!(f, "; {}", self.help) }
    }
}

/// Everything that is wrong with a file; never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// All complaints, one below the other.
    pub fn render(&self, colour: bool) -> String {
        let rendered: Vec<String> = self.0.iter().map(|one| one.render(colour)).collect();
        rendered.join("\n\n")
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, one) in self.0.iter().enumerate() {
            let separator = if i == 0 { "" } else { "\n" };
            write!(f, "{separator}{one}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

impl From<Diagnostic> for Diagnostics {
    fn from(one: Diagnostic) -> Diagnostics {
        Diagnostics(vec![one])
    }
}

/// What `ron` complains about, in words for someone who writes a scenario, at the place where the cause is.
pub fn explain(file: &Text, read: &Substituted, error: &SpannedError) -> Diagnostic {
    let (message, help) = words(&error.code);
    let span = cause(&read.text, error);
    file.diagnostic(read.original_span(span), message, help)
}

/// What an error of `ron` says, and what to write instead.
pub fn words(error: &ron::Error) -> (String, String) {
    use ron::Error as E;
    match error {
        E::NoSuchStructField { expected, found, .. } => {
            (format!("there is no field `{found}` here"), instead(found, expected))
        }
        E::NoSuchEnumVariant { expected, found, .. } => {
            (format!("`{found}` is not known here"), instead(found, expected))
        }
        E::DuplicateStructField { field, .. } => {
            (format!("the field `{field}` is given twice"), "keep one of the two".into())
        }
        E::MissingStructField { field, .. } => {
            (format!("the field `{field}` is missing"), format!("add `{field}: ..`"))
        }
        E::ExpectedComma => ("a comma is missing".into(), "write `,` between two fields or items".into()),
        E::ExpectedMapColon => ("a colon is missing".into(), "write `name: value`".into()),
        E::ExpectedMap => ("a map belongs here".into(), "write `{\"name\": value, ..}`".into()),
        E::ExpectedArray => ("a list belongs here".into(), "write `[.., ..]`".into()),
        E::ExpectedArrayEnd => ("the list is not closed".into(), "write `]`".into()),
        E::ExpectedMapEnd => ("the map is not closed".into(), "write `}`".into()),
        E::ExpectedStructLikeEnd => ("a closing parenthesis belongs here".into(), "write `)`".into()),
        E::ExpectedStructLike | E::ExpectedNamedStructLike(_) => {
            ("fields in parentheses belong here".into(), "write `(name: value, ..)`".into())
        }
        E::ExpectedDifferentStructName { expected, found } => {
            (format!("`{found}` is not what belongs here"), format!("write `{expected}(..)`"))
        }
        E::ExpectedInteger => ("a whole number belongs here".into(), "write digits, such as 4".into()),
        E::IntegerOutOfBounds => {
            ("this number is out of range".into(), "write a smaller number, or none below 0".into())
        }
        E::ExpectedBoolean => ("true or false belongs here".into(), "write `true` or `false`".into()),
        E::ExpectedString => ("text in quotes belongs here".into(), "write \"..\"".into()),
        E::ExpectedStringEnd => ("the text is not closed".into(), "write `\"` at its end".into()),
        E::ExpectedIdentifier => ("a name belongs here".into(), "write a name without quotes".into()),
        E::UnclosedBlockComment => ("the comment is not closed".into(), "write `*/` at its end".into()),
        E::TrailingCharacters => (
            "the file goes on after its end".into(),
            "leave out what follows, or check the parentheses above".into(),
        ),
        E::Eof => (
            "the file ends too early".into(),
            "check that every parenthesis, bracket and quote is closed".into(),
        ),
        E::ExceededRecursionLimit => ("brackets are nested too deeply".into(), "write it flatter".into()),
        E::UnexpectedChar(c) => {
            (format!("`{}` cannot stand here", c.escape_debug()), "a value belongs here".into())
        }
        E::InvalidValueForType { expected, found } => {
            (format!("{found} cannot stand here"), format!("write {expected}"))
        }
        E::ExpectedDifferentLength { expected, found } => {
            (format!("{found} items do not fit here"), format!("write {expected}"))
        }
        E::Message(text) => match text.split_once(HELP) {
            Some((message, help)) => (message.to_owned(), help.to_owned()),
            None => (text.clone(), String::new()),
        },
        other => (other.to_string(), String::new()),
    }
}

/// Between what is wrong and what to write instead, in the text of an error that a newtype raises.
pub const HELP: &str = "; instead, ";

/// What to write in place of an unknown name.
pub fn instead(found: &str, known: &[&str]) -> String {
    match nearest(found, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "leave it out".to_owned(),
        None => format!("write {}", one_of(known)),
    }
}

/// `a`, `a or b`, `a, b or c`, each in backquotes.
pub fn one_of(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// The known name that `found` was probably meant to be: at most a third of it mistyped.
pub fn nearest<'a>(found: &str, known: &[&'a str]) -> Option<&'a str> {
    let folded = found.to_lowercase().replace('-', "_");
    let limit = (found.chars().count() / 3).max(1);
    known
        .iter()
        .map(|name| (distance(&folded, &name.to_lowercase().replace('-', "_")), *name))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// How many characters to insert, delete, replace or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// The part of `text` that an error is about. `ron` reports where its cursor stood: behind a value that it read and
/// that turned out to be wrong, before one that it could not read, and at the token after a missing comma.
fn cause(text: &str, error: &SpannedError) -> Range<usize> {
    let (start, end) = (offset(text, error.span.start), offset(text, error.span.end));
    match error.code {
        ron::Error::ExpectedComma => {
            let before = text[..end].trim_end().len();
            let last = text[..before].char_indices().next_back().map_or(0, |(at, _)| at);
            last..before
        }
        ron::Error::Eof => {
            let end = text.trim_end().len();
            text[..end].char_indices().next_back().map_or(0, |(at, _)| at)..end
        }
        ron::Error::Message(_) | ron::Error::InvalidValueForType { .. } | ron::Error::IntegerOutOfBounds => {
            node_ending_at(text, end).unwrap_or(start..end)
        }
        _ if start == end => {
            let word = text[end..]
                .find(|c: char| !c.is_alphanumeric() && !"_-\"$".contains(c))
                .unwrap_or(text.len() - end);
            end..end + word.max(text[end..].chars().next().map_or(0, char::len_utf8))
        }
        _ => start..end,
    }
}

/// The value that ends where `ron`'s cursor stands, or that it was about to read there.
fn node_ending_at(text: &str, cursor: usize) -> Option<Range<usize>> {
    let outline = Node::of(text)?;
    let (mut behind, mut ahead) = (None, None);
    outline.walk(&mut |node| {
        if node.span.end <= cursor && text[node.span.end..cursor].trim().is_empty() {
            behind = Some(node.span.clone());
        }
        if node.span.start == cursor {
            ahead = Some(node.span.clone());
        }
    });
    behind.or(ahead)
}

/// The byte at a line and column of `ron`'s, which counts characters from 1.
fn offset(text: &str, at: Position) -> usize {
    let line_start = if at.line <= 1 {
        0
    } else {
        text.match_indices('\n').nth(at.line - 2).map_or(text.len(), |(newline, _)| newline + 1)
    };
    text[line_start..]
        .char_indices()
        .nth(at.col.saturating_sub(1))
        .map_or(text.len(), |(column, _)| line_start + column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_the_name_that_was_meant_and_a_stranger_finds_none() {
        let known = ["cursor", "sink-delta", "fenced"];
        assert_eq!(nearest("curser", &known), Some("cursor"));
        assert_eq!(nearest("sink_delta", &known), Some("sink-delta"));
        assert_eq!(nearest("fecned", &known), Some("fenced"));
        assert_eq!(nearest("outbox", &known), None);
    }

    #[test]
    fn columns_count_characters_and_lines_count_from_one() {
        let file = Text::new("x.ron", "\u{feff}a\n\u{e9}\u{e9}b");
        let found = file.diagnostic(6..7, "b", "");
        assert_eq!((found.line, found.column), (2, 3));
        assert_eq!(found.to_string(), "x.ron:2:3: b");
    }
}
