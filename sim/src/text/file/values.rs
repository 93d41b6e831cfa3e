//! The values that a file is made of, each read exactly and refused at its own place: no float, no number without a
//! unit, no name that could write into a terminal or a report.

use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use ron::value::RawValue;
use serde::de::{self, Deserialize, DeserializeOwned, Deserializer, Error, IntoDeserializer, Visitor};

use super::explain::{HELP, words};
use crate::model::label::{check_label, is_hostile, looks_like_path};
use crate::model::ratio::Ratio;
use crate::model::scenario::Delay;
use crate::model::time::parse_duration;

/// The RON that files are written in.
pub fn dialect() -> ron::Options {
    ron::Options::default()
        .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME)
        .with_default_extension(ron::extensions::Extensions::UNWRAP_VARIANT_NEWTYPES)
}

/// An error that says what is wrong and what to write instead.
pub fn refuse<E: Error>(message: impl fmt::Display, help: impl fmt::Display) -> E {
    E::custom(format_args!("{message}{HELP}{help}"))
}

/// A whole number between two bounds, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Within<const MIN: u64, const MAX: u64>(u64);

impl<const MIN: u64, const MAX: u64> Within<MIN, MAX> {
    /// The number, which fits any type that holds `MAX`.
    pub fn get<T: TryFrom<u64> + Default>(self) -> T {
        T::try_from(self.0).unwrap_or_default()
    }
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Within<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number<const MIN: u64, const MAX: u64>;
        impl<const MIN: u64, const MAX: u64> Visitor<'_> for Number<MIN, MAX> {
            type Value = Within<MIN, MAX>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a whole number from {MIN} to {MAX}")
            }
            fn visit_u64<E: Error>(self, n: u64) -> Result<Self::Value, E> {
                if (MIN..=MAX).contains(&n) {
                    return Ok(Within(n));
                }
                Err(refuse(
                    format_args!("{n} is out of range"),
                    format_args!("write a whole number from {MIN} to {MAX}"),
                ))
            }
            fn visit_i64<E: Error>(self, n: i64) -> Result<Self::Value, E> {
                Err(refuse(
                    format_args!("{n} is out of range"),
                    format_args!("write a whole number from {MIN} to {MAX}"),
                ))
            }
        }
        deserializer.deserialize_any(Number)
    }
}

/// A hundred years: sums of a few such times fit 64 bits.
const LONGEST: u64 = 36_500 * 86_400_000_000;

/// A duration such as `"20ms"`, in ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Time(pub u64);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WithUnit;
        impl Visitor<'_> for WithUnit {
            type Value = Time;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration with its unit, such as \"20ms\" or \"5s\"")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Time, E> {
                match parse_duration(text) {
                    Ok(ticks) if ticks <= LONGEST => Ok(Time(ticks)),
                    Ok(_) => Err(refuse(format_args!("{text:?} is too long"), "write at most \"36500d\"")),
                    Err(error) => Err(refuse(format_args!("{text:?} is no duration"), error)),
                }
            }
            fn visit_u64<E: Error>(self, n: u64) -> Result<Time, E> {
                Err(refuse(
                    format_args!("{n} is a duration without a unit"),
                    format_args!("write \"{n}ms\" or \"{n}s\""),
                ))
            }
        }
        deserializer.deserialize_any(WithUnit)
    }
}

/// A chance, read exactly: `"1/10"`, `0.1`, `"10%"` or `(one_in: 10)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Probability(pub Ratio);

impl<'de> Deserialize<'de> for Probability {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct OneIn {
            one_in: u64,
        }
        let raw = <&RawValue>::deserialize(deserializer)?.trim().get_ron();
        let ratio = match raw.as_bytes().first() {
            Some(b'(') => Ratio::one_in(reread::<OneIn, _>(raw)?.one_in),
            Some(b'"') => Ratio::from_str(&reread::<String, _>(raw)?),
            _ => Ratio::from_str(raw),
        };
        ratio.map(Probability).map_err(|error| refuse(format_args!("{raw} is no chance"), error))
    }
}

/// A time to wait: `"5s"`, `uniform("1ms", "20ms")` or `exponential("30s")`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait(pub Delay);

impl<'de> Deserialize<'de> for Wait {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum Drawn {
            Uniform(Time, Time),
            Exponential(Time),
        }
        let raw = <&RawValue>::deserialize(deserializer)?.trim().get_ron();
        let plain = raw.starts_with(|c: char| c == '"' || c == 'r' || c.is_ascii_digit());
        if plain {
            return reread::<Time, _>(raw).map(|time| Wait(Delay::Constant(time.0)));
        }
        match reread::<Drawn, D::Error>(raw)? {
            Drawn::Uniform(least, most) if least.0 > most.0 => Err(refuse(
                "this range ends before it starts",
                "write the shorter duration first: uniform(\"1ms\", \"20ms\")",
            )),
            Drawn::Uniform(least, most) => Ok(Wait(Delay::Uniform(least.0, most.0))),
            Drawn::Exponential(mean) => Ok(Wait(Delay::Exponential(mean.0))),
        }
    }
}

/// Reads a part of a file again, once its first character has told what it is.
pub fn reread<T: DeserializeOwned, E: Error>(raw: &str) -> Result<T, E> {
    dialect().from_str(raw).map_err(|error| {
        let (message, help) = words(&error.code);
        refuse(message, help)
    })
}

/// A name of something: printable and short, so that it can go into any report.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Name(pub String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match check_label(&text) {
            Ok(()) => Ok(Name(text)),
            Err(_) if looks_like_path(&text) => Err(refuse(
                format_args!("{text:?} is a path, and a name belongs here"),
                "copy the program under `programs` and name it here, or run its file with --policy",
            )),
            Err(error) => Err(refuse(format_args!("{text:?} is no name"), error)),
        }
    }
}

/// A sentence for people: printable, and at most a few lines long.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sentence(pub String);

impl<'de> Deserialize<'de> for Sentence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.chars().count() > 400 {
            return Err(refuse("this text is too long", "say it in at most 400 characters"));
        }
        if text.contains('\n') {
            return Err(refuse(
                "this text goes over several lines",
                "close it with `\"` where it ends, on one line",
            ));
        }
        if let Some(c) = text.chars().find(|c| is_hostile(*c)) {
            return Err(refuse(
                format_args!("this text holds the character {c:?}, which cannot be seen"),
                "write one line of printable text",
            ));
        }
        Ok(Sentence(text))
    }
}

/// Either a single value or a list of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OneOrMany<T>(pub Vec<T>);

impl<'de, T: DeserializeOwned> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.trim().get_ron();
        if raw.starts_with('[') {
            reread(raw).map(OneOrMany)
        } else {
            reread(raw).map(|one| OneOrMany(vec![one]))
        }
    }
}

/// A value in its own notation, or in quotes the name of one.
#[derive(Clone, PartialEq, Debug)]
pub enum Named<T> {
    /// Its name.
    By(String),
    /// The value itself.
    Inline(T),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = Named<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name in quotes or a program in parentheses")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
                Name::deserialize(name.into_deserializer()).map(|name| Named::By(name.0))
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(de::value::MapAccessDeserializer::new(map)).map(Named::Inline)
            }
        }
        deserializer.deserialize_any(Either(PhantomData))
    }
}

/// A map that keeps the order of the file and has every key once: `ron` by itself would let the last one win.
#[derive(Clone, PartialEq, Debug)]
pub struct Table<T>(pub Vec<(String, T)>);

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table(Vec::new())
    }
}

impl<T> Table<T> {
    /// The entry of this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Table<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Table<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from names in quotes: {\"name\": .., ..}")
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                entries(map)
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// The entries of a map, none of which may have the name of another.
pub fn entries<'de, T: Deserialize<'de>, A: de::MapAccess<'de>>(mut map: A) -> Result<Table<T>, A::Error> {
    let (mut table, mut seen) = (Table::default(), BTreeSet::new());
    while let Some(Name(key)) = map.next_key()? {
        if !seen.insert(key.clone()) {
            return Err(refuse(format_args!("`{key}` is given twice"), "keep one of the two"));
        }
        table.0.push((key, map.next_value()?));
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
        dialect().from_str(text).map_err(|error| error.code.to_string())
    }

    #[test]
    fn a_chance_is_exactly_what_is_written() {
        let tenth = Ratio::new(1, 10).map(Probability);
        for text in ["0.1", "\"1/10\"", "\"10%\"", "(one_in: 10)", "0.10", " /* often */ 0.1 "] {
            assert_eq!(read::<Probability>(text).ok(), tenth.ok(), "{text}");
        }
        // A float would be 3602879701896397 in 2^55.
        assert_eq!(
            read::<Probability>("0.1000000000000000001").map(|p| p.0.num()),
            Ok(1_000_000_000_000_000_001)
        );
    }

    #[test]
    fn what_is_no_chance_is_refused() {
        for text in ["NaN", "inf", "-0.1", "1e-3", "1.5", "(one_in: 0)", "\"often\"", "(in: 3)", "[1]"] {
            assert!(read::<Probability>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_time_to_wait_is_fixed_or_drawn() {
        assert_eq!(read("\"5s\""), Ok(Wait(Delay::Constant(5_000_000))));
        assert_eq!(read("uniform(\"1ms\", \"1ms\")"), Ok(Wait(Delay::Uniform(1_000, 1_000))));
        assert_eq!(read("exponential(\"30s\")"), Ok(Wait(Delay::Exponential(30_000_000))));
        for text in ["5", "uniform(\"2ms\", \"1ms\")", "uniform(\"1ms\")", "normal(\"1ms\")", "\"1000000d\""]
        {
            assert!(read::<Wait>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_number_is_within_its_bounds() {
        assert_eq!(read::<Within<1, 6>>("6").map(Within::get::<u8>), Ok(6));
        for text in ["0", "7", "-1", "1.0", "\"1\"", "18446744073709551616"] {
            assert!(read::<Within<1, 6>>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_map_keeps_its_order_and_has_every_key_once() {
        assert_eq!(
            read::<Table<u8>>("{\"b\": 1, \"a\": 2}"),
            Ok(Table(vec![("b".into(), 1), ("a".into(), 2)]))
        );
        assert!(read::<Table<u8>>("{\"a\": 1, \"a\": 2}").is_err());
    }
}
