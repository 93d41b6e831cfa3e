//! The programs that dwsim ships: re-drive policies and producers, each a file that opens with what it is, where it
//! comes from and what it assumes. They are embedded as text and read like any user's file; nothing about them is
//! special but that they have a name.

use dwsim_sim::text::file::Library;

/// The name and text of every file named.
macro_rules! embedded {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!($folder, $name, ".ron")))),*]
    };
}

/// Policies in the order in which lists show them: from blind to fenced.
const POLICIES: &[(&str, &str)] = embedded!("../":
    "resend-all",
    "skip",
    "cursor",
    "cursor-stepwise",
    "ack-log",
    "content-diff",
    "sink-cursor",
    "keyed-delta",
    "content-gated",
    "sink-delta",
    "sink-delta-stepwise",
    "journal-delta",
    "retained-delta",
    "live-delta",
    "compensate",
    "fenced",
    "fenced-stepwise",
    "fence-at-resume",
    "fence-first",
    "claim",
    "fence-at-release",
    "claim-without-read",
);

/// Producers and relays.
const PRODUCERS: &[(&str, &str)] = embedded!("../producers/":
    "deliver-then-checkpoint",
    "checkpoint-then-deliver",
    "send-then-commit",
    "commit-then-send",
    "retry-until-acked",
    "commit-to-outbox",
    "relay-after-send",
    "relay-before-send",
    "snapshot-backfill",
    "relay-snapshot-backfill",
);

/// The shipped programs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shipped;

impl Library for Shipped {
    fn policy(&self, name: &str) -> Option<&str> {
        text(POLICIES, name)
    }

    fn producer(&self, name: &str) -> Option<&str> {
        text(PRODUCERS, name)
    }

    fn policy_names(&self) -> Vec<&str> {
        POLICIES.iter().map(|(name, _)| *name).collect()
    }

    fn producer_names(&self) -> Vec<&str> {
        PRODUCERS.iter().map(|(name, _)| *name).collect()
    }
}

fn text(programs: &'static [(&str, &str)], name: &str) -> Option<&'static str> {
    programs.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dwsim_sim::load;
    use dwsim_sim::model::program::Act;
    use dwsim_sim::text::file::{Options, load_policy, load_producer};

    #[test]
    fn every_shipped_program_reads_and_says_what_it_is() {
        for (name, text) in POLICIES {
            let policy = load_policy(&format!("{name}.ron"), text).unwrap_or_else(|wrong| panic!("{wrong}"));
            assert_eq!(policy.name, *name);
            assert!(!policy.about.is_empty() && text.starts_with("// "), "{name}");
        }
        for (name, text) in PRODUCERS {
            let producer =
                load_producer(&format!("{name}.ron"), text).unwrap_or_else(|wrong| panic!("{wrong}"));
            assert_eq!(producer.name, *name);
            assert!(!producer.about.is_empty() && text.starts_with("// "), "{name}");
        }
    }

    #[test]
    fn every_file_in_the_folders_is_embedded() {
        let folder = env!("CARGO_MANIFEST_DIR");
        for (folder, known) in [(folder.to_owned(), POLICIES), (format!("{folder}/producers"), PRODUCERS)] {
            for entry in std::fs::read_dir(folder).expect("the folder") {
                let path = entry.expect("an entry").path();
                if path.extension().is_some_and(|extension| extension == "ron") {
                    let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
                    assert!(known.iter().any(|(name, _)| *name == stem), "{stem}");
                }
            }
        }
    }

    #[test]
    fn an_atom_that_spans_source_and_sink_names_its_premise() {
        for (name, text) in POLICIES {
            if text.contains("atomic(") {
                let comment: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("// ")).collect();
                let comment = comment.join(" ");
                assert!(comment.contains("Assumes that"), "{name}");
            }
        }
    }

    #[test]
    fn the_example_of_the_design_loads_as_it_stands() {
        let text = r#"
            // A straggler lands after recovery has read the sink.
            Scenario(
                about: "an old send arrives after an honest read of the accepted record",
                source: (events: 2),
                producer: "deliver-then-checkpoint",
                wire: (latency: uniform("1ms", "20ms"), straggler: (one_in: 10, delay: exponential("30s"))),
                sink: (readable: accepted_record),
                recovery: (detect: "5s", recoverers: 1),
                faults: (crash: anywhere(times: 1)),
                designs: ["cursor", "sink-delta", "fenced"],
                expect: {
                    "cursor": (duplicate: sometimes, lost: never),
                    "sink-delta": (duplicate: sometimes),
                    "fenced": (duplicate: never, premature: never),
                },
                twins: {
                    "wire wiped at the crash": (wire: (survives_crash: false), expect: { "sink-delta": (duplicate: never) }),
                },
            )
        "#;
        let zombie = load("scenarios/zombie.ron", text, &Shipped, &Options::default())
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(zombie.name, "zombie");
        let [story, wiped] = &zombie.cases[..] else { panic!("the scenario and its twin") };
        assert_eq!((story.designs.len(), wiped.designs.len()), (3, 3));
        let stage = |design: &dwsim_sim::model::scenario::Design| design.stage.clone().expect("it can run");
        assert!(stage(&story.designs[1]).wire.survives_crash);
        assert!(!stage(&wiped.designs[1]).wire.survives_crash);
        assert_eq!(stage(&story.designs[1]).wire.latency, stage(&wiped.designs[1]).wire.latency);
        assert!(stage(&wiped.designs[1]).wire.straggler.is_some());
        assert_eq!(wiped.designs[0].expect, Default::default());
        assert_eq!(wiped.designs[1].expect.verdicts.len(), 1);
    }

    /// Contents that a recovery made right would hide what the sink never accepted.
    #[test]
    fn no_shipped_policy_writes_the_contents() {
        for (name, text) in POLICIES {
            let policy = load_policy(&format!("{name}.ron"), text).unwrap_or_else(|wrong| panic!("{wrong}"));
            assert!(policy.acts().all(|act| *act != Act::Heal), "{name}");
        }
    }
}
