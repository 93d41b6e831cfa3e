//! What a count of runs says about a rate, and how a count is written. Only additions, multiplications, divisions and square roots, which IEEE 754
//! rounds the same everywhere; no verdict depends on them.

/// Two-sided 95 % of the normal distribution lie within this many standard deviations.
const Z: f64 = 1.959_963_984_540_054;

/// Wilson's 95 % interval for the rate behind `found` in `runs`, lowest and highest. Zero findings still leave an
/// upper bound, and zero runs say nothing: from 0 to 1.
pub fn wilson(found: u64, runs: u64) -> (f64, f64) {
    if runs == 0 {
        return (0.0, 1.0);
    }
    let n = runs as f64;
    let k = found.min(runs) as f64;
    let centre = k + Z * Z / 2.0;
    let half = Z * (k * (n - k) / n + Z * Z / 4.0).sqrt();
    // At the ends the bound is exact; elsewhere only rounding could take it past them.
    let low = if found == 0 { 0.0 } else { ((centre - half) / (n + Z * Z)).max(0.0) };
    let high = if found >= runs { 1.0 } else { ((centre + half) / (n + Z * Z)).min(1.0) };
    (low, high)
}

/// A count with its thousands apart: `10,000`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rounded(found: u64, runs: u64) -> (String, String) {
        let (low, high) = wilson(found, runs);
        (format!("{low:.6}"), format!("{high:.6}"))
    }

    #[test]
    fn the_interval_has_its_known_values() {
        for (found, runs, low, high) in [
            (0, 10, "0.000000", "0.277533"),
            (10, 10, "0.722467", "1.000000"),
            (5, 10, "0.236593", "0.763407"),
            (1, 10_000, "0.000018", "0.000566"),
            (0, 10_000, "0.000000", "0.000384"),
            (81, 263, "0.255289", "0.366210"),
        ] {
            assert_eq!(rounded(found, runs), (low.to_owned(), high.to_owned()), "{found} in {runs}");
        }
    }

    #[test]
    fn no_runs_say_nothing_and_the_ends_are_exact() {
        assert_eq!(wilson(0, 0), (0.0, 1.0));
        assert_eq!(wilson(0, 7).0.to_bits(), 0.0_f64.to_bits());
        assert_eq!(wilson(7, 7).1.to_bits(), 1.0_f64.to_bits());
        assert_eq!(wilson(9, 7), wilson(7, 7));
    }

    #[test]
    fn every_bit_is_the_same_on_every_platform() {
        let (low, high) = wilson(3, 1_000);
        assert_eq!((low.to_bits(), high.to_bits()), (0x3f50_b97a_58b0_86c5, 0x3f81_fcd4_30f5_f95c));
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_observed_rate(runs in 1..1_u64 << 40, part: u64) {
            let found = part % (runs + 1);
            let (low, high) = wilson(found, runs);
            let rate = found as f64 / runs as f64;
            prop_assert!(0.0 <= low && low <= rate && rate <= high && high <= 1.0, "{low} {rate} {high}");
        }

        #[test]
        fn both_sides_are_mirrored(runs in 1..1_000_000_u64, part: u32) {
            let found = u64::from(part) % (runs + 1);
            let ((low, high), (mirrored_low, mirrored_high)) = (wilson(found, runs), wilson(runs - found, runs));
            prop_assert!((low + mirrored_high - 1.0).abs() < 1e-12 && (high + mirrored_low - 1.0).abs() < 1e-12);
        }
    }
}
