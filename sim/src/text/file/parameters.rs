//! Named parameters: `parameters: {"n": 4}` makes `"$n"` stand for `4` wherever a value stands. They are put in before
//! the file is read, so every number, chance and duration can be one and no file type has to know; what moved is kept,
//! so that every error still points into the file as the user wrote it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::diagnose::{Diagnostic, MOST, Text};
use super::outline::{Node, Part};
use crate::model::suggest::{nearest, one_of};

/// No number, chance or duration is longer; a longer value, put in often, could outgrow the memory.
const LONGEST: usize = 64;

/// A text in which parameters were replaced by their values.
#[derive(Clone, Debug)]
pub struct Substituted {
    /// The text to read.
    pub text: String,
    /// For each replacement: where it is in `text`, and where `"$name"` was in the original.
    moves: Vec<(Range<usize>, Range<usize>)>,
}

impl Substituted {
    /// A text without parameters.
    pub fn nothing(text: &str) -> Substituted {
        Substituted { text: text.to_owned(), moves: Vec::new() }
    }

    /// Puts the parameters that `original` declares where it names them. Text that is not RON stays as it is, for
    /// `ron` to complain about.
    pub fn of(original: &Text) -> Result<Substituted, Vec<Diagnostic>> {
        let text = original.text();
        let Some(outline) = Node::of(text) else {
            return Ok(Substituted::nothing(text));
        };
        let declared = outline.item(&Part::from("parameters")).map(|item| &item.node);
        let (mut uses, mut used) = (Vec::new(), BTreeSet::new());
        for item in outline.items.iter().filter(|item| Some(&item.node) != declared) {
            item.node.walk(&mut |node| {
                if let Some(name) = parameter_name(&text[node.span.clone()]) {
                    uses.push((name, node.span.clone()));
                    used.insert(name);
                }
            });
        }

        let mut wrong = Vec::new();
        let mut values: BTreeMap<&str, &str> = BTreeMap::new();
        for item in declared.into_iter().flat_map(|node| &node.items) {
            let Some(key) = item.key.as_ref().filter(|_| wrong.len() < MOST) else { continue };
            let value = &text[item.node.span.clone()];
            if value.contains(['(', '[', '{']) || value.len() > LONGEST {
                wrong.push(original.diagnostic(
                    item.node.span.clone(),
                    format!("the parameter `{}` is not a single, short value", key.name),
                    "write a number, a chance or a duration, such as 4, \"1/10\" or \"5s\"",
                ));
            }
            if !used.contains(key.name.as_str()) {
                wrong.push(original.diagnostic(
                    key.span.clone(),
                    format!("the parameter `{}` is used nowhere", key.name),
                    format!("write \"${}\" where its value belongs, or leave it out", key.name),
                ));
            }
            values.insert(&key.name, value);
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }

        let mut put = Substituted { text: String::with_capacity(text.len()), moves: Vec::new() };
        let mut copied = 0;
        for (name, span) in uses {
            if wrong.len() >= MOST {
                break;
            }
            let Some(value) = values.get(name) else {
                let names: Vec<&str> = values.keys().copied().collect();
                let help = match nearest(name, &names) {
                    Some(near) => format!("did you mean \"${near}\"?"),
                    None if names.is_empty() => format!("declare it: parameters: {{\"{name}\": 4}}"),
                    None => format!("declare it under `parameters`, which has {}", one_of(&names)),
                };
                wrong.push(original.diagnostic(span, format!("there is no parameter `{name}`"), help));
                continue;
            };
            put.text.push_str(&text[copied..span.start]);
            let start = put.text.len();
            put.text.push_str(value);
            put.moves.push((start..put.text.len(), span.clone()));
            copied = span.end;
        }
        put.text.push_str(&text[copied..]);
        if wrong.is_empty() { Ok(put) } else { Err(wrong) }
    }

    /// Where a span of `text` lies in the original. What touches a replacement covers all of it.
    pub fn original_span(&self, span: Range<usize>) -> Range<usize> {
        let start = self.original_offset(span.start, false);
        start..self.original_offset(span.end.max(span.start), true).max(start)
    }

    fn original_offset(&self, offset: usize, is_end: bool) -> usize {
        let mut last = (0, 0);
        for (new, old) in &self.moves {
            if offset <= new.start && !(is_end && offset == new.start && new.is_empty()) {
                break;
            }
            if offset < new.end {
                return if is_end { old.end } else { old.start };
            }
            last = (new.end, old.end);
        }
        offset - last.0 + last.1
    }
}

/// The name in `"$name"`.
fn parameter_name(text: &str) -> Option<&str> {
    let name = text.strip_prefix("\"$")?.strip_suffix('"')?;
    (!name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_stands_for_its_value_and_keeps_its_place() {
        let original = Text::new(
            "x.ron",
            "(parameters: {\"n\": 12345678, \"t\": \"5s\"}, a: \"$n\", b: [\"$t\"], c: 1)",
        );
        let put = Substituted::of(&original).expect("both are declared");
        assert!(put.text.ends_with("a: 12345678, b: [\"5s\"], c: 1)"), "{}", put.text);
        for part in ["12345678, b", "\"5s\"]", "1)"] {
            let new = put.text.rfind(part).expect("there");
            let old = put.original_span(new..new + part.len() - 1);
            let shown = &original.text()[old];
            let expected = part.replace("12345678, ", "\"$n\", ").replace("\"5s\"]", "\"$t\"]");
            assert_eq!(shown, &expected[..expected.len() - 1]);
        }
    }
}
