//! How a seed drives a run: the names that `--strategy` takes.

/// How a run is driven from a seed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strategy {
    /// A discrete-event clock: latencies, rates, outages and fault times from the seed.
    #[default]
    Timed,
    /// Uniform over the enabled actions, step by step.
    Uniform,
    /// Priorities with so many change points.
    Pct(u8),
    /// Uniform, but each seed draws which of the named faults can strike at all.
    Swarm,
}

/// The name on the command line and in reports, which reads back.
impl std::fmt::Display for Strategy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Strategy::Timed => f.write_str("timed"),
            Strategy::Uniform => f.write_str("uniform"),
            Strategy::Pct(changes) => write!(f, "pct:{changes}"),
            Strategy::Swarm => f.write_str("swarm"),
        }
    }
}

impl std::str::FromStr for Strategy {
    type Err = String;

    fn from_str(text: &str) -> Result<Strategy, String> {
        match text.split_once(':') {
            None if text == "timed" => Ok(Strategy::Timed),
            None if text == "uniform" => Ok(Strategy::Uniform),
            None if text == "swarm" => Ok(Strategy::Swarm),
            None if text == "pct" => Err("pct needs its number of change points: write pct:3".to_owned()),
            Some(("pct", changes)) => changes.parse().map(Strategy::Pct).map_err(|_| {
                format!("`{changes}` is no number of change points; write one up to 255, as in pct:3")
            }),
            _ => Err(format!("there is no strategy `{text}`; there are timed, uniform, pct:3 and swarm")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strategy_reads_back_what_it_shows() {
        for strategy in
            [Strategy::Timed, Strategy::Uniform, Strategy::Pct(0), Strategy::Pct(255), Strategy::Swarm]
        {
            assert_eq!(strategy.to_string().parse(), Ok(strategy));
        }
    }

    #[test]
    fn what_is_no_strategy_says_what_to_write() {
        for text in ["", "pct", "pct:", "pct:256", "pct:x", "swarm:2", "Timed", "random"] {
            let why = text.parse::<Strategy>().expect_err(text);
            assert!(why.contains("pct:3"), "{text}: {why}");
        }
    }
}
