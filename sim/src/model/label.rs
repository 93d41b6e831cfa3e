//! What a scenario may call things. Labels reach terminals, Markdown, HTML, XML, tables and CI logs, so they consist of
//! what means nothing to any of them.

use std::fmt;

/// The most characters a label has.
pub const LONGEST: usize = 40;

/// Why something is no label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LabelError {
    /// It has no characters.
    Empty,
    /// It has more than [`LONGEST`] characters.
    TooLong,
    /// It begins with something else than a letter or a digit.
    Start,
    /// It ends in a space.
    End,
    /// It contains this character.
    Character(char),
}

impl fmt::Display for LabelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a label has at least one character, such as \"order-1\""),
            Self::TooLong => write!(f, "a label has at most {LONGEST} characters"),
            Self::Start => f.write_str("a label starts with a letter or a digit, such as \"order-1\""),
            Self::End => f.write_str("a label does not end in a space"),
            Self::Character(c) => write!(
                f,
                "a label consists of letters, digits, spaces and . , _ - + = / ( ); it cannot contain {c:?}"
            ),
        }
    }
}

impl std::error::Error for LabelError {}

/// Whether a text may be a label: up to 40 letters, digits, spaces and `. , _ - + = / ( )`, a letter or a digit
/// first, no space last.
pub fn check_label(text: &str) -> Result<(), LabelError> {
    if let Some(c) = text.chars().find(|&c| !is_plain(c) && !" .,_-+=/()".contains(c)) {
        return Err(LabelError::Character(c));
    }
    let first = text.chars().next().ok_or(LabelError::Empty)?;
    if !is_plain(first) {
        return Err(LabelError::Start);
    }
    if text.ends_with(' ') {
        return Err(LabelError::End);
    }
    if text.chars().nth(LONGEST).is_some() {
        return Err(LabelError::TooLong);
    }
    Ok(())
}

/// A letter or a digit that can be seen. Unicode counts the fillers of Hangul among the letters.
fn is_plain(c: char) -> bool {
    c.is_alphanumeric() && !matches!(c, '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}')
}

/// Control characters, and the invisible ones that let a line read differently from what it says.
pub fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{2069}'
                | '\u{feff}'
                | '\u{fffe}'
                | '\u{ffff}'
        )
}

/// Whether a name on the command line is the path of a file: it has a `/`, or ends in `.ron`.
pub fn looks_like_path(name: &str) -> bool {
    name.contains('/') || name.ends_with(".ron")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_people_give_are_labels() {
        for text in
            ["order-1", "wire wiped at the crash", "Bestellung 7 (größer)", "注文", "a", "v1.2, b/c=d+e_f"]
        {
            assert_eq!(check_label(text), Ok(()), "{text:?}");
        }
        assert_eq!(check_label(&"ü".repeat(LONGEST)), Ok(()));
    }

    #[test]
    fn nothing_that_a_report_could_act_on_is_a_label() {
        for c in "<>&\"'|`\\\n\r\t\0\u{1b}\u{7f}\u{85}\u{a0}\u{200b}\u{202e}\u{2028}\u{feff}\u{3164}*[]{}~$%@#!?:;^".chars() {
            assert_eq!(check_label(&format!("order{c}1")), Err(LabelError::Character(c)), "{c:?}");
        }
        for text in ["=1+1", "+1", "-1", "/etc", "(a)", ".a", ",", "_a_", " a"] {
            assert_eq!(check_label(text), Err(LabelError::Start), "{text:?}");
        }
    }

    #[test]
    fn a_label_is_neither_empty_nor_long_nor_open_at_its_end() {
        assert_eq!(check_label(""), Err(LabelError::Empty));
        assert_eq!(check_label("order "), Err(LabelError::End));
        assert_eq!(check_label(&"ü".repeat(LONGEST + 1)), Err(LabelError::TooLong));
    }

    #[test]
    fn an_error_shows_a_control_character_escaped() {
        assert_eq!(
            LabelError::Character('\u{1b}').to_string(),
            "a label consists of letters, digits, spaces and . , _ - + = / ( ); it cannot contain '\\u{1b}'"
        );
    }
}
