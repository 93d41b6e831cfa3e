//! Virtual time in text. Files say `20ms` or `1.5h`, a timed run counts ticks of one microsecond, and timelines show
//! ticks as people write them. Nothing is rounded on the way in.

use crate::model::ids::Tick;
use crate::model::ratio::{Decimal, DecimalError};
use std::fmt;

const MILLISECOND: u64 = 1_000;
const SECOND: u64 = 1_000 * MILLISECOND;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Why something is no duration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DurationError {
    /// Not a number and a unit.
    Form,
    /// A number without its unit.
    NoUnit,
    /// A number with something else than a unit behind it.
    UnknownUnit,
    /// Not a whole number of microseconds.
    TooFine,
    /// More microseconds than 64 bits count.
    TooLong,
}

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Form => {
                "a duration is a number and a unit: \"250us\", \"20ms\", \"5s\", \"2m\", \"1.5h\" or \"1d\""
            }
            Self::NoUnit => "a duration needs a unit (us, ms, s, m, h or d): write \"5s\" for five seconds",
            Self::UnknownUnit => {
                "the units of a duration are us, ms, s, m (minutes), h and d: write \"1.5h\""
            }
            Self::TooFine => {
                "time goes in whole microseconds: the shortest duration is \"1us\", a finer one \"1.001ms\""
            }
            Self::TooLong => {
                "a duration is at most 2^64 microseconds: the longest whole one is \"213503982d\""
            }
        })
    }
}

impl std::error::Error for DurationError {}

/// Reads a duration such as `20ms`, `5s` or `1.5h`, exactly, into ticks.
pub fn parse_duration(text: &str) -> Result<u64, DurationError> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let Decimal { digits, places } = Decimal::parse(number).map_err(|error| match error {
        DecimalError::Form => DurationError::Form,
        DecimalError::TooLong if number.contains('.') => DurationError::TooFine,
        DecimalError::TooLong => DurationError::TooLong,
    })?;
    let unit = match unit.trim_start() {
        "us" | "µs" | "μs" => 1,
        "ms" => MILLISECOND,
        "s" => SECOND,
        "m" => MINUTE,
        "h" => HOUR,
        "d" => DAY,
        "" => return Err(DurationError::NoUnit),
        _ => return Err(DurationError::UnknownUnit),
    };
    let scaled = u128::from(digits) * u128::from(unit);
    let scale = 10_u128.pow(places);
    if scaled % scale != 0 {
        return Err(DurationError::TooFine);
    }
    u64::try_from(scaled / scale).map_err(|_| DurationError::TooLong)
}

/// Short enough for a timeline: `0 s`, `340 us`, `20.5 ms`, `1.25 s`, `2 m 5.25 s`, `1 d 3 h`. What is less than a
/// millisecond is cut off from one second on.
impl fmt::Display for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = match self.0 {
            1..MILLISECOND => return write!(f, "{} us", self.0),
            MILLISECOND..SECOND => return thousandths(f, self.0, "ms"),
            ticks => ticks,
        };
        for (unit, name) in [(DAY, "d"), (HOUR, "h"), (MINUTE, "m")] {
            if rest >= unit {
                write!(f, "{} {name}", rest / unit)?;
                rest %= unit;
                if rest < MILLISECOND {
                    return Ok(());
                }
                f.write_str(" ")?;
            }
        }
        thousandths(f, rest / MILLISECOND, "s")
    }
}

/// Writes a number of thousandths without trailing zeros.
fn thousandths(f: &mut fmt::Formatter<'_>, number: u64, unit: &str) -> fmt::Result {
    let (whole, part) = (number / 1_000, number % 1_000);
    match part {
        0 => write!(f, "{whole} {unit}"),
        _ if part % 100 == 0 => write!(f, "{whole}.{} {unit}", part / 100),
        _ if part % 10 == 0 => write!(f, "{whole}.{:02} {unit}", part / 10),
        _ => write!(f, "{whole}.{part:03} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_are_read_exactly() {
        for (text, ticks) in [
            ("0s", 0),
            ("250us", 250),
            ("250µs", 250),
            ("20ms", 20_000),
            ("1.001ms", 1_001),
            ("5s", 5_000_000),
            ("0.000001s", 1),
            ("1.25 s", 1_250_000),
            ("2m", 120_000_000),
            ("1.5h", 5_400_000_000),
            ("1d", 86_400_000_000),
            ("18446744073709551615us", u64::MAX),
        ] {
            assert_eq!(parse_duration(text), Ok(ticks), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_duration_says_what_one_looks_like() {
        for (text, error) in [
            ("", DurationError::Form),
            ("s", DurationError::Form),
            ("-5s", DurationError::Form),
            (".5s", DurationError::Form),
            ("1.s", DurationError::Form),
            ("1.2.3s", DurationError::Form),
            (" 5s", DurationError::Form),
            ("5", DurationError::NoUnit),
            ("5 ", DurationError::NoUnit),
            ("5sec", DurationError::UnknownUnit),
            ("5S", DurationError::UnknownUnit),
            ("1e3s", DurationError::UnknownUnit),
            ("1h30m", DurationError::UnknownUnit),
            ("1.5us", DurationError::TooFine),
            ("0.0000001s", DurationError::TooFine),
            ("0.33333333333333333333h", DurationError::TooFine),
            ("18446744073709551616us", DurationError::TooLong),
            ("18446744073709551615ms", DurationError::TooLong),
            ("213503983d", DurationError::TooLong),
        ] {
            assert_eq!(parse_duration(text), Err(error), "{text:?}");
            assert!(error.to_string().contains('"'), "an example in: {error}");
        }
        assert!(parse_duration("213503982d").is_ok());
    }

    #[test]
    fn ticks_show_as_people_write_them() {
        for (ticks, shown) in [
            (0, "0 s"),
            (340, "340 us"),
            (1_000, "1 ms"),
            (20_500, "20.5 ms"),
            (999_999, "999.999 ms"),
            (1_250_000, "1.25 s"),
            (1_005_999, "1.005 s"),
            (59_999_999, "59.999 s"),
            (60_000_000, "1 m"),
            (125_250_000, "2 m 5.25 s"),
            (HOUR + 500, "1 h"),
            (HOUR + 1_000, "1 h 0.001 s"),
            (DAY + 3 * HOUR, "1 d 3 h"),
            (u64::MAX, "213503982 d 8 h 1 m 49.551 s"),
        ] {
            assert_eq!(Tick(ticks).to_string(), shown);
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_below_a_minute_reads_back(ticks in 0..MINUTE) {
            let shown = if ticks < SECOND { ticks } else { ticks / MILLISECOND * MILLISECOND };
            prop_assert_eq!(parse_duration(&Tick(ticks).to_string()), Ok(shown));
        }

        #[test]
        fn reading_never_panics(text in "[0-9.]{0,30} ?[a-zµ]{0,3}|.*") {
            let _ = parse_duration(&text);
        }
    }
}
