//! What the command carries with it: the shipped scenarios.

/// The name and text of every scenario file named.
macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../scenarios/", $name, ".ron")))),*]
    };
}

/// Scenarios in the order in which to read them.
pub const SCENARIOS: &[(&str, &str)] = embedded!(
    "zombie",
    "checkpoint-window",
    "silence",
    "lost-message",
    "reordered-wire",
    "rescue",
    "transport-copy",
    "lost-reply-and-retry",
    "stale-read",
    "paused-process",
    "taken-for-dead",
    "late-reply",
    "second-recoverer",
    "lease-too-short",
    "ack-before-persist",
    "dedup-window-against-outage",
    "lagging-relay",
    "partial-recovery",
    "bulk-request",
    "equal-events",
    "repaired-table",
    "offset-in-the-sink",
    "outbox-relay",
    "cdc-connector",
    "webhook-sender",
    "mail-sender",
    "job-queue",
    "stream-sink",
    "policy-by-sink",
    "field/mail-campaign-cursor",
    "field/log-purged-past-cursor",
    "field/acknowledged-not-durable",
    "field/paused-process-and-dedup-window",
    "field/content-hash-of-the-last-three",
    "field/proxy-repeats-a-post",
    "field/plain-appending-sink",
    "dangerous",
    "theory/obs-bound",
    "theory/control-plane",
    "theory/independence",
    "theory/checkpoint",
    "theory/content",
    "theory/escape",
    "theory/guards",
    "theory/retry",
    "theory/silence",
    "theory/wire-bound",
    "theory/zombie",
    "theory/arrival-fence",
    "theory/rescue",
    "theory/residual",
    "theory/fence-place",
    "theory/second-recoverer",
    "theory/ordered",
    "theory/claim",
    "theory/grades",
    "theory/claim-order",
    "theory/interface",
    "theory/dedup-identity",
    "theory/window",
    "theory/keyed",
    "theory/undo",
    "theory/compaction",
    "theory/truncation",
    "theory/faithful",
    "theory/acks",
    "theory/shared-core",
    "beyond/a-restarted-process-is-a-new-sender",
    "beyond/three-sinks",
    "beyond/complete-frontier",
    "beyond/relay-waits-for-a-lost-reply",
    "beyond/killed-waiting-for-its-reply",
    "beyond/a-superseded-claimant-does-not-resume",
    "beyond/acknowledged-before-persisted",
    "beyond/claim-and-arm-ask-for-a-crash",
    "beyond/claim-entry-by-entry",
    "beyond/effect-and-position-in-one-transaction",
    "beyond/inside-the-fenced-atom",
    "beyond/prepared-behind-the-fence",
    "beyond/stale-and-paginated-reads",
    "beyond/stragglers-and-second-recoverers",
    "beyond/the-generation-that-crashed",
    "beyond/the-run-goes-on-above-the-fence",
    "beyond/truncation-with-a-wire",
    "bench/zombie-micro-2-1",
    "bench/zombie-micro-8-2",
);

#[cfg(test)]
mod tests {
    use super::*;
    use dwsim_sim::model::program::BatchRule;

    #[test]
    fn every_rule_can_be_armed() {
        let reads: String =
            dwsim_sim::model::program::Surface::ALL.iter().map(|s| format!("read({s}), ")).collect();
        for (rule, _) in BatchRule::REGISTER {
            let policy = format!("Policy(steps: [{reads}arm({rule}), fire, resume])");
            assert!(dwsim_sim::text::file::load_policy("rule", &policy).is_ok(), "{policy}");
        }
    }

    #[test]
    fn every_scenario_of_the_folder_is_embedded() {
        let paths = [concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios").to_owned()];
        let files = crate::load::files(&paths).expect("the folder");
        let names: Vec<&str> = SCENARIOS.iter().map(|(name, _)| *name).collect();
        for file in files {
            let name = file[paths[0].len() + 1..].trim_end_matches(".ron");
            assert!(names.contains(&name), "{name}");
        }
    }
}
