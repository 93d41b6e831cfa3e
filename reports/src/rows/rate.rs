//! A count with its rate and 95 % interval, in one cell. Zero findings still bound the rate from above: `0  <0.04%`.

use dwsim_sim::analysis::stats::wilson;

/// How often something happened in so many runs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rate {
    /// In how many runs.
    pub count: u64,
    /// Of how many.
    pub runs: u64,
    /// The 95 % interval of the rate, as fractions; none without runs.
    pub interval: Option<(f64, f64)>,
}

impl Rate {
    /// `count` of `runs`.
    pub fn new(count: u64, runs: u64) -> Rate {
        Rate { count, runs, interval: (runs > 0).then(|| wilson(count, runs)) }
    }

    /// The rate as a fraction; none without runs.
    pub fn fraction(&self) -> Option<f64> {
        (self.runs > 0).then(|| self.count as f64 / self.runs as f64)
    }

    /// The rate in per cent, then its interval: `("8.1%", "(7.6-8.7)")`. Where it never happened there is only the
    /// bound, `("<0.04%", "")`, and where it always did, `(">99.96%", "")`. Digits that the interval does not
    /// support are not shown.
    pub fn percent(&self) -> (String, String) {
        let Some((low, high)) = self.interval else { return ("-".to_owned(), String::new()) };
        if self.count == 0 {
            return (format!("<{}%", one_digit_up(high * 100.0)), String::new());
        }
        if self.count == self.runs {
            return (format!(">{}%", complement(&one_digit_up((1.0 - low) * 100.0))), String::new());
        }
        let (low, high) = (low * 100.0, high * 100.0);
        let digits = digits_that_tell((high - low) / 2.0);
        let rate = self.count as f64 / self.runs as f64 * 100.0;
        (format!("{rate:.digits$}%"), format!("({low:.digits$}-{high:.digits$})"))
    }
}

/// How many decimals until the last one is worth no more than `half`, the half width of an interval.
fn digits_that_tell(half: f64) -> usize {
    let mut unit = 1.0;
    let mut digits = 0;
    while unit > half && digits < 9 {
        unit /= 10.0;
        digits += 1;
    }
    digits
}

/// A percentage rounded up to its first digit, so that what it bounds stays below it: `0.038` is `0.04`.
fn one_digit_up(percent: f64) -> String {
    let digits = if percent >= 1.0 { 0 } else { digits_that_tell(percent) };
    let unit = 10_f64.powi(digits as i32);
    let step = if percent >= 10.0 { 10.0 } else { 1.0 };
    let up = (percent * unit / step).ceil() * step / unit;
    format!("{up:.digits$}")
}

/// 100 minus a percentage, digit for digit: `0.04` is `99.96`.
fn complement(percent: &str) -> String {
    let digits = percent.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let value: f64 = percent.parse().unwrap_or(0.0);
    format!("{:.digits$}", 100.0 - value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(count: u64, runs: u64) -> String {
        let (rate, interval) = Rate::new(count, runs).percent();
        format!("{rate} {interval}").trim_end().to_owned()
    }

    #[test]
    fn a_rate_shows_the_digits_that_its_interval_supports() {
        assert_eq!(cell(812, 10_000), "8.1% (7.6-8.7)");
        assert_eq!(cell(5, 10_000), "0.05% (0.02-0.12)");
        assert_eq!(cell(73_740, 10_000_000), "0.737% (0.732-0.743)");
        assert_eq!(cell(5, 10), "50% (24-76)");
    }

    #[test]
    fn never_and_always_still_have_a_bound_on_the_safe_side() {
        assert_eq!(cell(0, 10_000), "<0.04%");
        assert_eq!(cell(10_000, 10_000), ">99.96%");
        assert_eq!(cell(0, 10_000_000), "<0.00004%");
        assert_eq!(cell(0, 100), "<4%");
        assert_eq!(cell(0, 1), "<80%");
        assert_eq!(cell(1, 1), ">20%");
        assert_eq!(cell(0, 0), "-");
    }
}
