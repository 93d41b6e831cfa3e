//! The cause of failures, in words: the interface or the policy.

use dwsim_sim::analysis::bound::regret::Regret;

use crate::text;

/// A sentence for each cause; none where no cause is known.
pub fn of_designs(failing: &[(&str, Regret)]) -> Vec<String> {
    if failing.iter().all(|(_, cause)| *cause == Regret::NotKnown) {
        return Vec::new();
    }
    let everywhere = failing.iter().all(|(_, cause)| *cause == failing[0].1);
    let causes = [Regret::YourInterface, Regret::YourPolicy, Regret::NotKnown];
    let sentence = |cause: Regret| {
        let of_it = failing.iter().filter(|(_, of)| *of == cause);
        let names: Vec<String> = of_it.map(|(design, _)| text::name(design)).collect();
        let of = if everywhere { String::new() } else { format!(" for {}", text::list(&names)) };
        (!names.is_empty()).then(|| format!("Cause{of}: {}", in_words(cause)))
    };
    causes.into_iter().filter_map(sentence).collect()
}

fn in_words(cause: Regret) -> &'static str {
    match cause {
        Regret::YourInterface => "the interface. No batch rule over these reads is always correct.",
        Regret::YourPolicy => {
            "the policy. Another batch rule over the same reads, applied in one step, is always correct."
        }
        Regret::NotKnown => "not known.",
    }
}
