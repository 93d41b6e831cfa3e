//! Whose fault a failure is, asked where the answer is cheap: beside counts and counterexamples that are wanted at once.

use dwsim_sim::analysis::bound::regret::{Regret, regret};
use dwsim_sim::model::scenario::Stage;
use dwsim_sim::model::view::Rules;
use dwsim_sim::search::explore::Watched;

/// It is not asked of stages with more states than this.
const MOST_STATES: u64 = 20_000;
/// Nor where there are more events than this: each decision is tried with every set of them.
const MOST_EVENTS: usize = 6;

/// Whose fault it is that a design fails on this stage.
pub fn of(stage: &Stage, watched: &Watched) -> Regret {
    if stage.source.events.len() > MOST_EVENTS {
        return Regret::NotKnown;
    }
    // The stage has been compiled before, so that there is no error to tell.
    regret(stage, &Rules::new(), MOST_STATES, watched).unwrap_or(Regret::NotKnown)
}
