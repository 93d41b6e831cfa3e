//! Chances as exact ratios. What a scenario file says, `1/10`, `0.05` or `5%`, is what the sampler uses: no chance
//! is ever rounded to a float.

use std::fmt;
use std::str::FromStr;

/// A chance: `num` in `den`, in lowest terms, with `num <= den` and `den > 0`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ratio {
    num: u64,
    den: u64,
}

impl Ratio {
    /// What cannot happen.
    pub const NEVER: Self = Self { num: 0, den: 1 };
    /// What is certain.
    pub const ALWAYS: Self = Self { num: 1, den: 1 };

    /// The chance of `num` in `den`, reduced to lowest terms.
    pub fn new(num: u64, den: u64) -> Result<Self, RatioError> {
        if den == 0 {
            return Err(RatioError::OfNothing);
        }
        if num > den {
            return Err(RatioError::AboveOne);
        }
        let common = gcd(num, den);
        Ok(Self { num: num / common, den: den / common })
    }

    /// Once in `n` times.
    pub fn one_in(n: u64) -> Result<Self, RatioError> {
        Self::new(1, n)
    }

    /// How many of [`Ratio::den`] equally likely cases count.
    pub fn num(self) -> u64 {
        self.num
    }

    /// How many equally likely cases there are; never zero.
    pub fn den(self) -> u64 {
        self.den
    }
}

/// The greatest common divisor; `b` itself when `a` is zero.
fn gcd(mut a: u64, mut b: u64) -> u64 {
    while a != 0 {
        (a, b) = (b % a, a);
    }
    b
}

/// Why something is no chance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RatioError {
    /// It is not written as one.
    Form,
    /// It is a ratio to zero.
    OfNothing,
    /// It is more than certain.
    AboveOne,
    /// It has more digits than a 64-bit ratio holds.
    TooFine,
}

impl fmt::Display for RatioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Form => {
                "a chance is written as a ratio, a decimal or a percentage: \"1/10\", \"0.05\" or \"5%\""
            }
            Self::OfNothing => {
                "a ratio to 0 means nothing: for never write \"0\", for once in ten times \"1/10\""
            }
            Self::AboveOne => "a chance is at most 1, which means always: write \"3/4\", \"0.75\" or \"75%\"",
            Self::TooFine => "a chance has at most 19 digits: write \"1/3\" instead of a long decimal",
        })
    }
}

impl std::error::Error for RatioError {}

impl FromStr for Ratio {
    type Err = RatioError;

    fn from_str(text: &str) -> Result<Self, RatioError> {
        let whole = |part: &str| match Decimal::parse(part) {
            Ok(Decimal { digits, places: 0 }) => Ok(digits),
            Err(DecimalError::TooLong) => Err(RatioError::TooFine),
            Ok(_) | Err(DecimalError::Form) => Err(RatioError::Form),
        };
        if let Some((num, den)) = text.split_once('/').or_else(|| text.split_once(" in ")) {
            return Self::new(whole(num.trim())?, whole(den.trim())?);
        }
        let (number, hundredths) = match text.strip_suffix('%') {
            Some(number) => (number.trim_end(), 2),
            None => (text, 0),
        };
        let Decimal { digits, places } = Decimal::parse(number).map_err(|error| match error {
            DecimalError::Form => RatioError::Form,
            DecimalError::TooLong => RatioError::TooFine,
        })?;
        let den = 10_u64.checked_pow(places + hundredths).ok_or(RatioError::TooFine)?;
        Self::new(digits, den)
    }
}

/// Reads back with [`FromStr`]: `0`, `1`, `1 in 10`, `3/40`.
impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.num, self.den) {
            (num, 1) => write!(f, "{num}"),
            (1, den) => write!(f, "1 in {den}"),
            (num, den) => write!(f, "{num}/{den}"),
        }
    }
}

/// A decimal number as it was written: `digits` divided by ten to the power of `places`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Decimal {
    pub(crate) digits: u64,
    /// At most 19, so that ten to their power fits 64 bits; never more than it takes.
    pub(crate) places: u32,
}

/// Why something is no [`Decimal`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DecimalError {
    /// Not digits, or digits on both sides of a point.
    Form,
    /// More digits than 64 bits hold.
    TooLong,
}

impl Decimal {
    /// Reads `12` or `12.5`: no sign, exponent or separator.
    pub(crate) fn parse(text: &str) -> Result<Self, DecimalError> {
        let (before, after) = match text.split_once('.') {
            Some((before, after)) if !after.is_empty() => (before, after.trim_end_matches('0')),
            Some(_) => return Err(DecimalError::Form),
            None => (text, ""),
        };
        if before.is_empty() || !before.bytes().chain(after.bytes()).all(|byte| byte.is_ascii_digit()) {
            return Err(DecimalError::Form);
        }
        let mut digits = 0_u64;
        for byte in before.bytes().chain(after.bytes()) {
            digits = digits
                .checked_mul(10)
                .and_then(|tens| tens.checked_add(u64::from(byte - b'0')))
                .ok_or(DecimalError::TooLong)?;
        }
        match u32::try_from(after.len()) {
            Ok(places @ 0..=19) => Ok(Self { digits, places }),
            _ => Err(DecimalError::TooLong),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<(u64, u64), RatioError> {
        text.parse::<Ratio>().map(|ratio| (ratio.num(), ratio.den()))
    }

    #[test]
    fn the_three_spellings_of_a_chance_are_exact_and_in_lowest_terms() {
        assert_eq!(read("2/20"), Ok((1, 10)));
        assert_eq!(read("2 / 20"), Ok((1, 10)));
        assert_eq!(read("0.05"), Ok((1, 20)));
        assert_eq!(read("0.075"), Ok((3, 40)));
        assert_eq!(read("5%"), Ok((1, 20)));
        assert_eq!(read("12.5 %"), Ok((1, 8)));
        assert_eq!(read("0.1000000000000000000000000"), Ok((1, 10)));
        assert_eq!(read("0.0000000000000000001"), Ok((1, 10_000_000_000_000_000_000)));
        assert_eq!(read("0/7"), Ok((0, 1)));
        assert_eq!(read("100%"), Ok((1, 1)));
    }

    #[test]
    fn what_is_no_chance_says_what_one_looks_like() {
        for text in
            ["", "often", "-0.1", "+1", "1e-3", ".5", "1.", "1/", "/2", "0.5/1", "1_0%", "%", "NaN", "1/2/3"]
        {
            assert_eq!(read(text), Err(RatioError::Form), "{text:?}");
        }
        for text in ["2", "3/2", "100.1%", "1.01"] {
            assert_eq!(read(text), Err(RatioError::AboveOne), "{text:?}");
        }
        assert_eq!(read("1/0"), Err(RatioError::OfNothing));
        for text in ["1/18446744073709551616", "0.00000000000000000001", "0.000000000000000001%"] {
            assert_eq!(read(text), Err(RatioError::TooFine), "{text:?}");
        }
        assert_eq!(Ratio::one_in(0), Err(RatioError::OfNothing));
        for error in [RatioError::Form, RatioError::OfNothing, RatioError::AboveOne, RatioError::TooFine] {
            assert!(
                error.to_string().contains("write \"") || error.to_string().contains("written"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_chance_shows_as_one_would_say_it() {
        let shown = |text: &str| text.parse::<Ratio>().map(|ratio| ratio.to_string());
        assert_eq!(shown("10%").as_deref(), Ok("1 in 10"));
        assert_eq!(shown("0.075").as_deref(), Ok("3/40"));
        assert_eq!(Ratio::NEVER.to_string(), "0");
        assert_eq!(Ratio::ALWAYS.to_string(), "1");
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back(a: u64, b in 1..=u64::MAX) {
            let ratio = Ratio::new(a.min(b), a.max(b)).expect("ordered");
            prop_assert_eq!(ratio.to_string().parse(), Ok(ratio));
        }

        #[test]
        fn reading_never_panics(text: String) {
            let _ = text.parse::<Ratio>();
        }
    }
}
