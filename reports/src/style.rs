//! Colour, as a value: whoever owns the terminal decides, and a report only says what a word means.

/// Whether a report may use colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// Plain text.
    #[default]
    Plain,
    /// ANSI escapes, of the sixteen colours that every terminal theme defines.
    Coloured,
}

/// What a piece of text is, for those who look at its colour. Nothing is said by colour alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    /// A heading.
    Heading,
    /// Something failed.
    Bad,
    /// Something is as it should be.
    Good,
    /// Something to look at twice.
    Doubt,
    /// Context that may be skipped.
    Faint,
}

impl Style {
    /// `text` in the ink's colour, or as it is. Not for text that is still to be padded: escapes have no width.
    pub fn paint(self, ink: Ink, text: &str) -> String {
        match (self, ink.code()) {
            (Style::Plain, _) => text.to_owned(),
            (Style::Coloured, code) => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }
}

impl Ink {
    fn code(self) -> &'static str {
        match self {
            Ink::Heading => "1",
            Ink::Bad => "31",
            Ink::Good => "32",
            Ink::Doubt => "33",
            Ink::Faint => "2",
        }
    }
}
