//! The only clock of dwsim. It times progress and nothing else: no result depends on it.
#![expect(clippy::disallowed_types, reason = "progress on stderr may know the time; results may not")]

use std::time::{Duration, Instant};

/// Time since something began.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Begins now.
    pub fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }

    /// How long ago that was.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
