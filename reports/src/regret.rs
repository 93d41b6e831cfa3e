//! Whose fault a failure is, in words.

use dwsim_sim::analysis::bound::regret::Regret;

use crate::text;

/// Whose fault it is, and what that means.
pub fn in_words(regret: Regret) -> &'static str {
    match regret {
        Regret::YourInterface => "your interface (no rule on the same reads and re-drive is always right)",
        Regret::YourPolicy => {
            "your policy (another rule on the same reads, landed in one step, is always right)"
        }
        Regret::NotKnown => "not known",
    }
}

/// One sentence over designs that fail; none where nothing is known of any.
pub fn of_designs(failing: &[(&str, Regret)]) -> Option<String> {
    if failing.iter().all(|(_, regret)| *regret == Regret::NotKnown) {
        return None;
    }
    let kinds = [Regret::YourInterface, Regret::YourPolicy, Regret::NotKnown];
    let parts = kinds.into_iter().filter_map(|kind| {
        let of_it = failing.iter().filter(|(_, regret)| *regret == kind);
        let names: Vec<String> = of_it.map(|(design, _)| text::name(design)).collect();
        (!names.is_empty()).then(|| format!("{}: {}", text::list(&names), in_words(kind)))
    });
    Some(format!("Whose fault? {}.", parts.collect::<Vec<_>>().join("; ")))
}
