//! How the parts of a file are declared, and how one is laid over another: a twin or a design says only what it replaces,
//! field by field.

use super::values::{OneOrMany, Probability, Table, Time, Wait, Within};
use crate::model::words::Word;

/// Structs whose fields are all optional.
macro_rules! parts {
    ($($(#[$about:meta])* $name:ident { $($field:ident: $type:ty,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, PartialEq, Debug, Default, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name { $(pub $field: Option<$type>,)* }
    )*};
}

/// What can be laid over another value of its kind: field by field where it has fields, to any depth, else as a whole.
pub trait Overlay: Clone {
    /// This, and of `base` what this does not say.
    #[must_use]
    fn over(&self, _base: &Self) -> Self {
        self.clone()
    }
}

/// What may be left out, laid over what may be left out.
pub fn over<T: Overlay>(over: &Option<T>, base: &Option<T>) -> Option<T> {
    match (over, base) {
        (Some(over), Some(base)) => Some(over.over(base)),
        (one, other) => one.clone().or_else(|| other.clone()),
    }
}

/// Such structs that can be laid over one another, field by field.
macro_rules! sections {
    ($($(#[$about:meta])* $name:ident { $($field:ident: $type:ty,)* })*) => {
        parts! { $($(#[$about])* $name { $($field: $type,)* })* }

        $(impl Overlay for $name {
            fn over(&self, base: &$name) -> $name {
                $name { $($field: over(&self.$field, &base.$field),)* }
            }
        })*
    };
}

/// Values that replace one another as a whole.
macro_rules! wholes {
    ($($type:ty),* $(,)?) => { $(impl Overlay for $type {})* };
}

impl<W: Word> Overlay for W {}
impl<T: Clone> Overlay for Vec<T> {}
impl<T: Clone> Overlay for Table<T> {}
impl<T: Clone> Overlay for OneOrMany<T> {}
impl<const MIN: u64, const MAX: u64> Overlay for Within<MIN, MAX> {}
wholes! { bool, u32, Wait, Time, Probability }

/// Words that a file may use, each the snake case of its name here.
macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$word_about:meta])* $word:ident $(($($inner:tt)*))? $({$($field:tt)*})?,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, PartialEq, Debug, Deserialize)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        pub enum $name { $($(#[$word_about])* $word $(($($inner)*))? $({$($field)*})?,)* }
    )*};
}

/// A chance that is said in either of two ways: saying one takes back the other.
pub fn chance_over<C: Clone, N: Clone>(
    (chance, one_in): (&Option<C>, &Option<N>),
    base: (&Option<C>, &Option<N>),
) -> (Option<C>, Option<N>) {
    let says = chance.is_some() || one_in.is_some();
    let (chance, one_in) = if says { (chance, one_in) } else { base };
    (chance.clone(), one_in.clone())
}

pub(super) use {parts, sections, wholes, words};
