//! The words of the file language. Each is defined once, beside the type that it stands for: its spelling and a line about
//! it. Reading, writing, lists, help and "did you mean" all come from that one place.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error, VariantAccess, Visitor};

/// A type whose values are words of the file language.
pub trait Word: Copy + Eq + 'static {
    /// Every value, in the order in which lists show them.
    const ALL: &'static [Self];
    /// The word for each value, in the same order.
    const WORDS: &'static [&'static str];
    /// A line about each value, in the same order.
    const ABOUT: &'static [&'static str];

    /// Its place in [`Word::ALL`].
    fn place(self) -> usize {
        Self::ALL.iter().position(|known| *known == self).unwrap_or_default()
    }

    /// What a file writes for it.
    fn word(self) -> &'static str {
        Self::WORDS[self.place()]
    }

    /// What it means, in a line.
    fn about(self) -> &'static str {
        Self::ABOUT[self.place()]
    }

    /// The value of this word. On the command line `-` and `_` are alike.
    fn named(word: &str) -> Option<Self> {
        let same = |known: &&str| known.replace('_', "-") == word.replace('_', "-");
        Self::WORDS.iter().position(same).map(|place| Self::ALL[place])
    }
}

/// Reads one of `words` and answers its place. This is compiled once for all words.
///
/// # Errors
/// When something else stands there.
pub fn place_of_word<'de, D: Deserializer<'de>>(
    deserializer: D,
    words: &'static [&'static str],
) -> Result<usize, D::Error> {
    struct OneOf(&'static [&'static str]);
    impl<'de> Visitor<'de> for OneOf {
        type Value = usize;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a word such as {}", self.0.first().copied().unwrap_or_default())
        }
        fn visit_str<E: Error>(self, word: &str) -> Result<usize, E> {
            let place = self.0.iter().position(|known| *known == word);
            place.ok_or_else(|| E::unknown_variant(word, self.0))
        }
        fn visit_enum<A: EnumAccess<'de>>(self, word: A) -> Result<usize, A::Error> {
            let (place, rest) = word.variant_seed(self)?;
            rest.unit_variant().map(|()| place)
        }
    }
    impl<'de> DeserializeSeed<'de> for OneOf {
        type Value = usize;
        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
            deserializer.deserialize_identifier(self)
        }
    }
    deserializer.deserialize_enum("Word", words, OneOf(words))
}

/// A line of documentation without the space that begins it and the full stop that ends it.
pub const fn line(documentation: &'static str) -> &'static str {
    match documentation.trim_ascii().as_bytes() {
        [line @ .., b'.'] => match std::str::from_utf8(line) {
            Ok(line) => line,
            Err(_) => documentation,
        },
        _ => documentation.trim_ascii(),
    }
}

/// Enums without fields whose values are words of the file language. The documentation of each value is the line that help
/// shows for it.
macro_rules! words {
    ($(
        $(#[doc = $about:literal])+
        $(#[derive($($derived:ident),*)])?
        $name:ident {
            $($(#[doc = $line:literal])+ $(#[$default:ident])? $value:ident = $word:expr,)*
        }
    )*) => {$(
        $(#[doc = $about])+
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug $($(, $derived)*)?)]
        pub enum $name { $($(#[doc = $line])+ $(#[$default])? $value,)* }

        impl $name {
            /// Every value, in the order in which lists show them.
            pub const ALL: [$name; [$($name::$value),*].len()] = [$($name::$value),*];

            /// What files, the command line and reports write for it.
            pub const fn name(self) -> &'static str {
                match self { $($name::$value => $word,)* }
            }
        }

        impl $crate::model::words::Word for $name {
            const ALL: &'static [Self] = &$name::ALL;
            const WORDS: &'static [&'static str] = &[$($word),*];
            const ABOUT: &'static [&'static str] = &[$($crate::model::words::line(concat!($($line),+))),*];
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let words = <$name as $crate::model::words::Word>::WORDS;
                $crate::model::words::place_of_word(deserializer, words).map(|place| $name::ALL[place])
            }
        }
    )*};
}

pub(crate) use words;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::scenario::FenceCheck;

    #[test]
    fn a_word_is_spelled_once_and_read_by_that_spelling() {
        assert_eq!(FenceCheck::CursorStore.to_string(), "cursor_store");
        assert_eq!(FenceCheck::named("cursor-store"), Some(FenceCheck::CursorStore));
        assert_eq!(ron::from_str("cursor_store"), Ok(FenceCheck::CursorStore));
        assert_eq!(FenceCheck::CursorStore.about(), "When the cursor is written");
        let wrong = ron::from_str::<FenceCheck>("cursor").expect_err("not a word of this list").code;
        assert!(matches!(wrong, ron::Error::NoSuchEnumVariant { expected, .. } if expected.len() == 6));
    }
}
