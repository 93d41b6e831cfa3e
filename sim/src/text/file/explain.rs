//! What `ron` complains about, in words for someone who writes a scenario, at the place where the cause is.

use std::ops::Range;

use ron::error::{Position, SpannedError};
use serde::de::DeserializeOwned;

use super::diagnose::{Diagnostic, Text};
use super::examples;
use super::outline::{Item, Node};
use super::parameters::Substituted;
use super::values::dialect;
use crate::model::suggest::{instead, nearest, one_of};

/// The complaint of `ron`'s that came up when `read` was to become a `T`.
pub fn explain<T: DeserializeOwned>(file: &Text, read: &Substituted, error: &SpannedError) -> Diagnostic {
    if let Some(number) = cut_number(&read.text, error) {
        let (message, help) = words(&ron::Error::ExpectedInteger);
        return file.diagnostic(read.original_span(number), message, help);
    }
    let (message, help) = words(&error.code);
    let span = cause(&read.text, error);
    let help = closer_look::<T>(&read.text, &span, &error.code).unwrap_or(help);
    file.diagnostic(read.original_span(span), message, help)
}

/// What to write instead, where the text around the place tells more than the error.
fn closer_look<T: DeserializeOwned>(text: &str, span: &Range<usize>, error: &ron::Error) -> Option<String> {
    use ron::Error as E;
    let here = &text[span.clone()];
    match error {
        E::NoSuchStructField { expected, found, .. } if Node::of(text).is_none() => {
            Some(format!("{}, or close the bracket above that is still open", instead(found, expected)))
        }
        E::NoSuchStructField { expected, found, .. } if nearest(found, expected).is_none() => {
            let example = opened_by(text, span.start).and_then(examples::of_word)?;
            Some(format!("{}, as in `{example}`", instead(found, expected)))
        }
        E::ExpectedStructLikeEnd => {
            let example = opened_by(text, span.start).and_then(examples::of_word)?;
            Some(format!("write `)`, as in `{example}`"))
        }
        E::InvalidValueForType { .. } => {
            let example = opened_by(text, span.start).and_then(examples::of_word)?;
            Some(format!("{}, as in `{example}`", words(error).1))
        }
        E::ExpectedStructLike => {
            let before = text[..span.start].trim_end();
            let name =
                &before[before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1)..];
            let brackets = if text[span.start..].trim_start().starts_with('[') { "[..]" } else { ".." };
            let plain = || (!name.is_empty()).then(|| format!("{name}({brackets})"));
            let written = examples::of_word(name).map(str::to_owned).or_else(plain)?;
            Some(format!("write `{written}`"))
        }
        E::ExpectedString | E::ExpectedDifferentStructName { .. }
            if is_program_among_designs(text, span.start) =>
        {
            Some("give it a name in a map: {\"mine\": (policy: Policy(..)), ..}".into())
        }
        E::ExpectedString if here.chars().all(|c| c.is_alphanumeric() || "_-".contains(c)) => {
            Some(format!("write \"{here}\""))
        }
        E::UnexpectedChar(_) if here.starts_with('/') => {
            Some("write a ratio in quotes, such as \"1/10\"".to_owned())
        }
        E::ExpectedIdentifier | E::InvalidIdentifier(_) | E::SuggestRawIdentifier(_) => {
            // No word is `_`, so reading it in this place makes `ron` list the words that are.
            let probe = format!("{}_{}", &text[..span.start], &text[span.end..]);
            let E::NoSuchEnumVariant { expected, .. } = dialect().from_str::<T>(&probe).err()?.code else {
                let example = opened_by(text, span.start).and_then(examples::of_word)?;
                return Some(format!("write `{example}`"));
            };
            let word = here.trim_matches('"');
            Some(if expected.contains(&word) {
                format!("write `{word}` without quotes")
            } else {
                format!("write {}", one_of(&written(expected)))
            })
        }
        _ => None,
    }
}

/// The word whose parenthesis was the last to open before `at`, if none closed since.
fn opened_by(text: &str, at: usize) -> Option<&str> {
    let (before, inside) = text[..at].rsplit_once('(')?;
    let word = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    (!inside.contains(')')).then(|| &before[word..])
}

/// The words with what stands in their parentheses.
fn written<'a>(words: &[&'a str]) -> Vec<&'a str> {
    words.iter().map(|word| examples::among(word, words)).collect()
}

/// Whether a row of `designs` begins here that is written as a program, or in a list as the fields of one.
fn is_program_among_designs(text: &str, at: usize) -> bool {
    let is_one = |row: &Item| {
        let is_program = text[at..].starts_with("Policy") || row.key.is_none() && text[at..].starts_with('(');
        row.node.span.start == at && is_program
    };
    let mut found = false;
    if let Some(outline) = Node::of(text) {
        outline.walk(&mut |node| {
            let is_list = |item: &&Item| item.key.as_ref().is_some_and(|key| key.name == "designs");
            found |= node.items.iter().filter(is_list).flat_map(|list| &list.node.items).any(is_one);
        });
    }
    found
}

/// What an error of `ron` says, and what to write instead.
pub fn words(error: &ron::Error) -> (String, String) {
    use ron::Error as E;
    match error {
        E::NoSuchStructField { expected, found, .. } => {
            (format!("there is no field `{found}` here"), instead(found, expected))
        }
        E::NoSuchEnumVariant { expected, found, .. } => {
            let help = match nearest(found, expected) {
                Some(near) => format!("did you mean `{}`?", examples::among(near, expected)),
                None => format!("write {}", one_of(&written(expected))),
            };
            (format!("`{found}` is not known here"), help)
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
        E::ExpectedNamedStructLike(name @ ("Scenario" | "Policy" | "Producer")) => {
            (format!("a {} belongs here", name.to_lowercase()), format!("write `{name}(..)`"))
        }
        E::ExpectedNamedStructLike(name) => (
            "something in parentheses belongs here".into(),
            format!("write `{}`", examples::of_fields(name).unwrap_or("(..)")),
        ),
        E::ExpectedStructLike => ("something in parentheses belongs here".into(), "write `(..)`".into()),
        E::ExpectedDifferentStructName { expected: "Scenario", found } if found == "Policy" => (
            "this is a policy, and a scenario belongs here".into(),
            "run it in a scenario: dwsim run SCENARIO --policy THIS-FILE".into(),
        ),
        E::ExpectedDifferentStructName { expected, found } => match *expected {
            "Scenario" | "Policy" | "Producer" => {
                (format!("`{found}` is not what belongs here"), format!("write `{expected}(..)`"))
            }
            _ => (
                format!("fields in parentheses belong here, not `{found}`"),
                format!("write `{}`", examples::of_fields(expected).unwrap_or("(field: value, ..)")),
            ),
        },
        E::ExpectedInteger => ("a whole number belongs here".into(), "write digits, such as 4".into()),
        E::IntegerOutOfBounds => {
            ("this number is out of range".into(), "write a smaller number, or none below 0".into())
        }
        E::ExpectedBoolean => ("true or false belongs here".into(), "write `true` or `false`".into()),
        E::ExpectedString => ("text in quotes belongs here".into(), "write \"..\"".into()),
        E::ExpectedStringEnd => ("the text is not closed".into(), "write `\"` at its end".into()),
        E::ExpectedIdentifier => ("a word belongs here".into(), "write a word without quotes".into()),
        E::InvalidIdentifier(found) | E::SuggestRawIdentifier(found) => (
            format!("a word belongs here, not `{found}`"),
            "write one of the words that this field knows".into(),
        ),
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
        // `ron` reads an integer that fits no type of its own as a float.
        E::InvalidValueForType { expected, found } if is_huge(found) => {
            ("this number is out of range".into(), format!("write {expected}"))
        }
        E::InvalidValueForType { expected, found } => {
            let found = found
                .replace("unsigned integer", "number")
                .replace("signed integer", "number")
                .replace("string", "text");
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

/// Whether what was found is a float beyond all integers, as `ron` words it.
fn is_huge(found: &str) -> bool {
    let number = found.strip_prefix("the floating point number `").and_then(|n| n.strip_suffix('`'));
    number.and_then(|n| n.parse::<f64>().ok()).is_some_and(|n| n.abs() >= u64::MAX as f64)
}

/// Between what is wrong and what to write instead, in the text of an error that a newtype raises.
pub const HELP: &str = "; instead, ";

/// The part of `text` that an error is about. `ron` reports where its cursor stood: behind a value that it read and
/// that turned out to be wrong, before one that it could not read, and at the token after a missing comma.
fn cause(text: &str, error: &SpannedError) -> Range<usize> {
    let (one, other) = (offset(text, error.span.start), offset(text, error.span.end));
    let (start, end) = (one.min(other), one.max(other)); // `ron` looks ahead, and its cursor can have gone back
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

/// The number with a point in it of which `ron` read the digits before the point, where a whole number belongs.
fn cut_number(text: &str, error: &SpannedError) -> Option<Range<usize>> {
    let point = offset(text, error.span.end);
    let fraction = text[point..].strip_prefix('.')?;
    let digits = |c: &char| c.is_ascii_digit() || *c == '_';
    let before = text[..point].chars().rev().take_while(digits).count();
    let behind = fraction.chars().take_while(digits).count();
    let is_cut = error.code == ron::Error::ExpectedComma && before > 0 && behind > 0;
    is_cut.then(|| point - before..point + 1 + behind)
}

/// The value that ends where `ron`'s cursor stands, or that it was about to read there.
fn node_ending_at(text: &str, cursor: usize) -> Option<Range<usize>> {
    let outline = Node::of(text)?;
    let (mut behind, mut ahead) = (None, None);
    outline.walk(&mut |node| {
        let keys = node.items.iter().filter_map(|item| item.key.as_ref()).map(|key| &key.span);
        for span in keys.chain([&node.span]) {
            if span.end <= cursor && text[span.end..cursor].trim().is_empty() {
                behind = Some(span.clone());
            }
            if span.start == cursor {
                ahead = Some(span.clone());
            }
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
