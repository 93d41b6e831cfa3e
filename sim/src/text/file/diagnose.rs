//! What is wrong with a file, where, and what to write instead: the one form in which every complaint about a
//! scenario, a policy or a producer reaches the user.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet, renderer::DecorStyle};

use crate::model::label::is_hostile;

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

/// The text with what could still act on a terminal replaced, byte for byte so that spans stay: the renderer itself
/// shows control characters of ASCII as pictures.
fn harmless(text: &str) -> String {
    let replace = |c: char| match c.len_utf8() {
        2 if is_hostile(c) => '\u{b7}',
        3 if is_hostile(c) => '\u{fffd}',
        _ => c,
    };
    text.chars().map(replace).collect()
}

/// The text with what could act on a terminal escaped: it may quote a file.
fn shown(text: &str) -> String {
    text.chars().flat_map(|c| if is_hostile(c) { c.escape_default().collect() } else { vec![c] }).collect()
}

/// One thing that is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    file: Text,
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// The bytes of the file that are wrong; a byte-order mark does not count.
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
        let snippet = Snippet::source(harmless(&self.file.text))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_count_from_one() {
        let file = Text::new("x.ron", "\u{feff}a\n\u{e9}\u{e9}b");
        let found = file.diagnostic(6..7, "b", "");
        assert_eq!((found.line, found.column), (2, 3));
        assert_eq!(found.to_string(), "x.ron:2:3: b");
    }
}
