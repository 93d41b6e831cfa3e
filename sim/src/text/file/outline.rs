//! Where things stand in a RON text. `ron` says what a file means and where its syntax breaks; it keeps no places for
//! what parsed well. Cross-field errors, parameters and duplicate keys need those, so this file holds the outline of a
//! text: brackets, keys and scalars with their byte ranges, and no opinion on what they mean.

use std::ops::Range;

/// Deeper nesting than any scenario has; also `ron`'s own limit.
const DEEPEST: usize = 128;

/// A value: its place, and its items if it is a bracketed one. `atomic([..])` is one node with one item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// The bytes of the value, its leading name included.
    pub span: Range<usize>,
    /// What stands between its brackets.
    pub items: Vec<Item>,
}

/// An item of a bracketed value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// The field name or map key, if it has one.
    pub key: Option<Key>,
    /// The value.
    pub node: Node,
}

/// A field name or map key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    /// Without quotes.
    pub name: String,
    /// With quotes.
    pub span: Range<usize>,
}

/// One step from a value to an item of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// The item under this field name or map key.
    Name(String),
    /// The item at this index.
    Index(usize),
}

impl From<&str> for Part {
    fn from(name: &str) -> Part {
        Part::Name(name.to_owned())
    }
}

impl From<usize> for Part {
    fn from(index: usize) -> Part {
        Part::Index(index)
    }
}

impl Node {
    /// The outline of `text`, or none where its brackets and strings do not pair.
    pub fn of(text: &str) -> Option<Node> {
        let mut reader = Reader { text, at: 0 };
        reader.skip_attributes()?;
        let node = reader.value(DEEPEST)?;
        reader.skip_blank()?;
        (reader.at == text.len()).then_some(node)
    }

    /// The item that `part` leads to.
    pub fn item(&self, part: &Part) -> Option<&Item> {
        match part {
            Part::Name(name) => {
                self.items.iter().find(|item| item.key.as_ref().is_some_and(|key| key.name == *name))
            }
            Part::Index(index) => self.items.get(*index),
        }
    }

    /// The value that `path` leads to.
    pub fn at(&self, path: &[Part]) -> Option<&Node> {
        path.iter().try_fold(self, |node, part| node.item(part).map(|item| &item.node))
    }

    /// The value up to its opening bracket: enough to say that something is missing in it.
    pub fn head(&self, text: &str) -> Range<usize> {
        let bracket =
            if self.items.is_empty() { None } else { text[self.span.clone()].find(['(', '[', '{']) };
        self.span.start..bracket.map_or(self.span.end, |bracket| self.span.start + bracket + 1)
    }

    /// Calls `visit` for this node and everything in it, outermost first.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Node)) {
        visit(self);
        for item in &self.items {
            item.node.walk(visit);
        }
    }
}

/// A cursor over the text. Every method answers none when the text is not RON.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, token: &str) -> bool {
        let here = self.rest().starts_with(token);
        if here {
            self.at += token.len();
        }
        here
    }

    /// Moves behind the next `token`.
    fn skip_to(&mut self, token: &str) -> Option<()> {
        self.at += self.rest().find(token)? + token.len();
        Some(())
    }

    /// Moves over `#![enable(..)]` lines.
    fn skip_attributes(&mut self) -> Option<()> {
        loop {
            self.skip_blank()?;
            if !self.eat("#") {
                return Some(());
            }
            self.skip_to("]")?;
        }
    }

    /// Moves over blanks and comments.
    fn skip_blank(&mut self) -> Option<()> {
        loop {
            let blank = self.rest().find(|c: char| !is_blank(c)).unwrap_or(self.rest().len());
            self.at += blank;
            if self.rest().starts_with("//") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.eat("/*") {
                self.skip_block_comment()?;
            } else {
                return Some(());
            }
        }
    }

    /// Moves behind the end of a block comment whose start was read. Such comments nest.
    fn skip_block_comment(&mut self) -> Option<()> {
        let mut depth = 1;
        while depth > 0 {
            self.at += self.rest().find(['/', '*'])?;
            if self.eat("/*") {
                depth += 1;
            } else if self.eat("*/") {
                depth -= 1;
            } else {
                self.at += 1;
            }
        }
        Some(())
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        self.skip_blank()?;
        let start = self.at;
        let mut items = Vec::new();
        if !self.text_literal()? {
            let word = self.rest().find(|c| !is_of_word(c)).unwrap_or(self.rest().len());
            self.at += word;
            let end_of_word = self.at;
            self.skip_blank()?;
            match self.peek() {
                Some('(') => items = self.items(')', depth)?,
                Some('[') if word == 0 => items = self.items(']', depth)?,
                Some('{') if word == 0 => items = self.items('}', depth)?,
                _ if word == 0 => return None,
                _ => self.at = end_of_word,
            }
        }
        Some(Node { span: start..self.at, items })
    }

    fn items(&mut self, closer: char, depth: usize) -> Option<Vec<Item>> {
        let depth = depth.checked_sub(1)?;
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.skip_blank()?;
            if self.peek()? == closer {
                self.at += 1;
                return Some(items);
            }
            let mut node = self.value(depth)?;
            self.skip_blank()?;
            let mut key = None;
            if closer != ']' && self.eat(":") {
                key = Some(Key { name: self.unquoted(&node.span), span: node.span });
                node = self.value(depth)?;
                self.skip_blank()?;
            }
            items.push(Item { key, node });
            if self.peek()? != closer && !self.eat(",") {
                return None;
            }
        }
    }

    fn unquoted(&self, span: &Range<usize>) -> String {
        let text = &self.text[span.clone()];
        if text.contains('"') {
            ron::from_str(text).unwrap_or_else(|_| text.to_owned())
        } else {
            text.to_owned()
        }
    }

    /// Moves over a string or character, if one stands here.
    fn text_literal(&mut self) -> Option<bool> {
        let rest = self.rest();
        let marks = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r'));
        if let Some(marks) = marks {
            let hashes = marks.len() - marks.trim_start_matches('#').len();
            if marks[hashes..].starts_with('"') {
                self.at += rest.len() - marks.len() + hashes + 1;
                self.skip_to(&format!("\"{}", "#".repeat(hashes)))?;
                return Some(true);
            }
        }
        let quoted = rest.strip_prefix('b').filter(|q| q.starts_with(['"', '\''])).unwrap_or(rest);
        let Some(quote) = quoted.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
            return Some(false);
        };
        self.at += rest.len() - quoted.len() + 1;
        if quote == '\'' && self.eat("'") {
            return Some(true); // the character `'''`, whose own quote follows
        }
        loop {
            self.at += self.rest().find(['\\', quote])?;
            let escape = self.eat("\\");
            self.at += self.peek()?.len_utf8();
            if !escape {
                return Some(true);
            }
        }
    }
}

fn is_blank(c: char) -> bool {
    matches!(
        c,
        ' ' | '\t'
            | '\n'
            | '\r'
            | '\x0B'
            | '\x0C'
            | '\u{85}'
            | '\u{200E}'
            | '\u{200F}'
            | '\u{2028}'
            | '\u{2029}'
    )
}

fn is_of_word(c: char) -> bool {
    !is_blank(c) && !"()[]{},:\"'/".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at<'a>(text: &'a str, path: &[Part]) -> &'a str {
        &text[Node::of(text).expect("an outline").at(path).expect("a value").span.clone()]
    }

    #[test]
    fn a_path_leads_to_the_bytes_of_its_value() {
        let text = "#![enable(implicit_some)]\n// a ( comment\nScenario(a: 1, /* [ /* nested */ */ b: {\"k)\": atomic([x, \
                    y(\"]\")])}, c: r#\"a\"b\"#, d: 'x', e: '\\'', f: uniform (\"1ms\", \"2ms\"),)";
        assert_eq!(at(text, &["b".into(), "k)".into(), 0.into(), 1.into()]), "y(\"]\")");
        assert_eq!(at(text, &["c".into()]), "r#\"a\"b\"#");
        assert_eq!(at(text, &["e".into()]), "'\\''");
        assert_eq!(at(text, &["f".into(), 1.into()]), "\"2ms\"");
        assert_eq!(at(text, &["b".into(), "k)".into()]), "atomic([x, y(\"]\")])");
    }

    proptest! {
        #[test]
        fn whatever_ron_reads_has_an_outline(
            tokens in prop::collection::vec(prop::sample::select(vec![
                "(", ")", "[", "]", "{", "}", ",", ":", "a", "b(", "1", "-2.5", "\"x\"", "\"\\\"\"", "r#\"\"\"#", "'c'", "'\\''",
                "//\n", "/* * / */", " ", "true", "Some(", "a: ", "\"k\": ", "b\"y\"", "1..2",
            ]), 0..12),
        ) {
            let text = tokens.concat();
            if ron::from_str::<ron::Value>(&text).is_ok() {
                prop_assert!(Node::of(&text).is_some(), "{text}");
            }
        }
    }

    #[test]
    fn what_does_not_pair_has_no_outline() {
        for text in ["", "(", "(a: 1", "[1 2]", "{\"a: 1}", "(a: 1))", "/* (a: 1)", "(a: , b: 1)"] {
            assert_eq!(Node::of(text), None, "{text}");
        }
        assert_eq!(Node::of(&"(".repeat(1 << 20)), None);
    }
}
