//! Exact ratios.
/// A chance, `num` in `den`, with `num <= den` and `den > 0`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ratio {
    num: u64,
    den: u64,
}
