//! What the command carries with it: the shipped scenarios, and a line about each act.

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
    "beyond/acknowledged-before-persisted",
    "beyond/claim-entry-by-entry",
    "beyond/inside-the-fenced-atom",
    "beyond/stale-and-paginated-reads",
    "beyond/stragglers-and-second-recoverers",
    "beyond/truncation-with-a-wire",
    "bench/zombie-micro-2-1",
    "bench/zombie-micro-8-2",
);

/// What each act does, those of producers and relays first.
pub const ACTS: [(&str, &str); 17] = [
    ("commit", "producer: append the next event to the source's committed log"),
    ("enqueue", "producer: append the current payload to the outbox"),
    ("fetch", "relay: take committed payloads past those fetched before: fetch(10)"),
    ("send", "send the current payload to the sink, over the wire"),
    ("send_batch", "send everything that was fetched as one request"),
    (
        "snapshot",
        "send what each key was at the current event's coordinate; snapshot_from(replica), snapshot_from(now)",
    ),
    ("await_ack", "wait until the sink's reply to the current payload was heard"),
    ("persist", "write the durable cursor"),
    ("discard", "tell the source that everything up to the relay's position may go"),
    ("read", "recoverer: read a surface: read(accepted_record)"),
    (
        "arm",
        "recoverer: compute the batch to send again by a rule, from what was read: arm(minus(accepted_record))",
    ),
    ("heal", "recoverer: reconcile the sink's contents to the committed image"),
    (
        "recover",
        "recoverer: let a crashed run pass for recovered; what it had not sent is forgotten, the contents stay",
    ),
    ("fence", "recoverer: raise the fence, so that older senders are refused: fence(successor)"),
    ("fire", "recoverer: send the armed batch, landing at once; fire_each, fire_wire, fire_wire_all"),
    ("release", "recoverer: stop recovering, and leave the run down: without restarting the producer"),
    ("resume", "recoverer: restart the producer in the next generation"),
];

/// What `arm` can compute: a rule as a program writes it, and which of what was committed it sends again.
pub const RULES: [(&str, &str); 14] = [
    ("nothing", "nothing"),
    ("all", "everything that was committed"),
    ("past(cursor)", "what lies past the durable cursor"),
    ("past(stored_coordinate)", "what lies past the coordinate that the sink stored with its effects"),
    ("minus(accepted_record)", "what the accepted record lacks"),
    ("minus(contents)", "what the sink's contents do not hold"),
    ("minus(dedup_keys)", "what the sink's dedup keys do not know"),
    ("minus(sent_ledger)", "what was never sent"),
    ("values_differ(contents)", "what sets a key to another value than the one that the sink holds for it"),
    ("content_not_in(accepted_record)", "what was not accepted by content, whatever its coordinate"),
    ("unacknowledged", "what was never acknowledged to the sender"),
    ("latest", "the newest of each key: the snapshot again"),
    ("compensate", "everything, each first taken back, newest first, and then sent again"),
    (
        "of(outbox, all)",
        "any of these, computed from the outbox, the journal or what retention kept, not the log",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use dwsim_sim::model::program::Act;

    #[test]
    fn every_act_has_a_line() {
        assert_eq!(ACTS.map(|(name, _)| name), Act::NAMES);
    }

    #[test]
    fn every_rule_can_be_armed() {
        let reads: String =
            dwsim_sim::model::program::Surface::ALL.iter().map(|s| format!("read({s}), ")).collect();
        for (rule, _) in RULES {
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
