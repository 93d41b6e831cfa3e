//! How values are written in a file: the fields of a section that say something, and what stands in them.

use std::fmt::Display;

use super::values::dialect;
use crate::model::ratio::Ratio;
use crate::model::scenario::{Chance, Delay, Span};
use crate::model::words::Word;

/// No line is longer, where it can be broken.
pub const WIDTH: usize = 110;

/// Fields of a section that say something.
#[derive(Default)]
pub struct Fields(pub Vec<String>);

impl Fields {
    pub fn say(&mut self, name: &str, value: impl Display) {
        self.0.push(format!("{name}: {value}"));
    }

    pub fn say_unless<T: PartialEq>(
        &mut self,
        name: &str,
        value: T,
        default: T,
        text: impl FnOnce(&T) -> String,
    ) {
        if value != default {
            self.say(name, text(&value));
        }
    }

    pub fn text(&self) -> String {
        format!("({})", self.0.join(", "))
    }
}

/// A text in quotes, as the dialect of the files reads it.
pub fn quoted(text: &str) -> String {
    dialect().to_string(text).unwrap_or_else(|_| format!("{text:?}"))
}

/// A word of the language.
pub fn word<T: Word>(value: &T) -> String {
    value.word().to_owned()
}

/// A duration in the greatest unit that it is a whole number of.
pub fn time(ticks: &u64) -> String {
    let units =
        [(86_400_000_000, "d"), (3_600_000_000, "h"), (60_000_000, "m"), (1_000_000, "s"), (1_000, "ms")];
    let unit = units.into_iter().find(|(size, _)| *ticks > 0 && ticks.is_multiple_of(*size));
    let (size, name) = unit.unwrap_or((1, if *ticks == 0 { "s" } else { "us" }));
    format!("\"{}{name}\"", ticks / size)
}

pub fn delay(delay: &Delay) -> String {
    match delay {
        Delay::Constant(ticks) => time(ticks),
        Delay::Uniform(low, high) => format!("uniform({}, {})", time(low), time(high)),
        Delay::Exponential(mean) => format!("exponential({})", time(mean)),
    }
}

pub fn chance(ratio: &Ratio) -> String {
    format!("\"{}/{}\"", ratio.num(), ratio.den())
}

pub fn strikes(chances: &Option<Chance>) -> String {
    match chances {
        Some(Chance { chance: c, times: None }) => chance(c),
        Some(Chance { chance: c, times: Some(times) }) => format!("(chance: {}, times: {times})", chance(c)),
        None => "(times: 0)".to_owned(),
    }
}

pub fn spans(spans: &[Span]) -> String {
    let each = spans.iter().map(|s| format!("({}, {})", time(&s.from), time(&s.to)));
    format!("[{}]", each.collect::<Vec<_>>().join(", "))
}

pub fn list(names: impl Iterator<Item = String>) -> String {
    format!("[{}]", names.collect::<Vec<_>>().join(", "))
}
