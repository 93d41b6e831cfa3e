//! What files may say, and what is said back when they are wrong.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use dwsim_sim::load;
use dwsim_sim::model::program::*;
use dwsim_sim::model::scenario::*;
use dwsim_sim::text::file::{Diagnostics, Library, Options, load_policy, load_producer};
use proptest::prelude::*;

/// The shipped programs, read from their folder: this crate lies below the one that embeds them.
struct Folder {
    policies: BTreeMap<String, String>,
    producers: BTreeMap<String, String>,
}

impl Folder {
    fn shipped() -> Folder {
        let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies");
        Folder { producers: programs(&policies.join("producers")), policies: programs(&policies) }
    }
}

impl Library for Folder {
    fn policy(&self, name: &str) -> Option<&str> {
        self.policies.get(name).map(String::as_str)
    }
    fn producer(&self, name: &str) -> Option<&str> {
        self.producers.get(name).map(String::as_str)
    }
    fn policy_names(&self) -> Vec<&str> {
        self.policies.keys().map(String::as_str).collect()
    }
    fn producer_names(&self) -> Vec<&str> {
        self.producers.keys().map(String::as_str).collect()
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ron"));
    paths.sort();
    paths
}

fn stem(path: &Path) -> String {
    path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned()
}

fn programs(folder: &Path) -> BTreeMap<String, String> {
    files(folder).iter().map(|path| (stem(path), fs::read_to_string(path).expect("text"))).collect()
}

fn complaint(name: &str, text: &str, library: &Folder) -> Option<Diagnostics> {
    let path = format!("{name}.ron");
    match name.split('-').next() {
        Some("policy") => load_policy(&path, text).err(),
        Some("producer") => load_producer(&path, text).err(),
        _ => load(&path, text, library, &Options::default()).err(),
    }
}

#[test]
fn every_broken_file_is_refused_with_its_place_and_a_way_out() {
    let library = Folder::shipped();
    let mut said = String::new();
    let broken = programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken"));
    for (name, text) in &broken {
        let wrong = complaint(name, text, &library).unwrap_or_else(|| panic!("{name} was accepted"));
        for one in &wrong.0 {
            assert!(one.line >= 1 && one.column >= 1 && one.span.end <= text.len(), "{name}");
            assert!(!one.message.is_empty() && !one.help.is_empty(), "{name}: {one}");
        }
        said.push_str(&format!("{}\n\n", wrong.render(false)));
    }
    insta::assert_snapshot!(said);
}

fn everything() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/everything.ron")).expect("the file")
}

/// Debug output with every bracket on one line that fits there.
fn folded(debug: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut open = Vec::new();
    for line in debug.lines() {
        lines.push(line.to_owned());
        if line.ends_with(['(', '[', '{']) {
            open.push(lines.len() - 1);
        } else if line.trim_start().starts_with([')', ']', '}']) {
            let start = open.pop().expect("it was opened");
            let inside: Vec<&str> =
                lines[start + 1..lines.len() - 1].iter().map(|line| line.trim()).collect();
            let one =
                format!("{}{}{}", lines[start], inside.join(" ").trim_end_matches(','), line.trim_start());
            if one.len() <= 150 && !inside.iter().any(|line| line.ends_with(['(', '[', '{'])) {
                lines.truncate(start);
                lines.push(one);
            }
        }
    }
    lines.join("\n")
}

/// The whole of what was understood is in the snapshot, so that a field that is read and then forgotten shows.
#[test]
fn every_field_that_is_said_arrives() {
    let library = Folder::shipped();
    let scenario = load("everything.ron", &everything(), &library, &Options::default())
        .unwrap_or_else(|e| panic!("{e}"));
    insta::assert_snapshot!(folded(&format!("{scenario:#?}")));
}

#[test]
fn a_scenario_that_says_nothing_has_the_documented_defaults() {
    let text = "Scenario(designs: [\"cursor\"])";
    let scenario =
        load("plain.ron", text, &Folder::shipped(), &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    insta::assert_snapshot!(folded(&format!("{scenario:#?}")));
}

fn loaded(text: &str, policies: &[Policy]) -> Scenario {
    let options = Options { policies };
    load("s.ron", text, &Folder::shipped(), &options).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_design_that_needs_more_than_the_sink_has_is_a_row_with_a_reason() {
    let text = r#"Scenario(
        sink: (readable: contents, fence: nowhere),
        designs: {
            "sink-delta": (), "fenced": (), "keyed-delta": (), "sink-cursor": (), "cursor": (),
            "sink-delta, shown": (policy: "sink-delta", sink: (readable: accepted_record)),
        },
    )"#;
    let rows: Vec<String> = loaded(text, &[]).cases[0]
        .designs
        .iter()
        .map(|design| match &design.stage {
            Ok(_) => format!("{}: runs", design.name),
            Err(NotApplicable(reason)) => format!("{}: n/a: {reason}", design.name),
        })
        .collect();
    assert_eq!(
        rows,
        [
            "sink-delta: n/a: this sink shows no accepted record",
            "fenced: n/a: this sink checks no fence",
            "keyed-delta: n/a: this sink shows no dedup keys",
            "sink-cursor: n/a: this sink shows no stored coordinate",
            "cursor: runs",
            "sink-delta, shown: runs",
        ]
    );
}

#[test]
fn a_policy_from_the_command_line_runs_instead_and_keeps_the_row_that_runs_the_same_program() {
    let text = r#"Scenario(
        designs: {"cursor": (sink: (stale_by: 1)), "skip": ()},
        expect: {"cursor": (duplicate: sometimes)},
    )"#;
    let library = Folder::shipped();
    let shipped = |name: &str| {
        load_policy(name, library.policy(name).expect("shipped")).unwrap_or_else(|e| panic!("{e}"))
    };
    let mine = Policy { name: "cursor".to_owned(), ..shipped("resend-all") };
    for (policy, stale_by, expected) in [(shipped("cursor"), 1, 1), (mine, 0, 0)] {
        let scenario = loaded(text, std::slice::from_ref(&policy));
        let [design] = &scenario.cases[0].designs[..] else { panic!("one row") };
        let stage = design.stage.as_ref().expect("it can run");
        assert_eq!(stage.policy.steps, policy.steps);
        assert_eq!((stage.sink.read.stale_by, design.expect.verdicts.len()), (stale_by, expected));
    }
}

#[test]
fn a_design_is_laid_over_the_twin_and_the_twin_over_the_scenario_field_by_field() {
    let text = r#"Scenario(
        wire: (latency: "1ms", reorders: false, at_once: 1),
        designs: {"cursor": (wire: (at_once: 3))},
        twins: {"slow": (wire: (latency: "2ms", at_once: 2))},
    )"#;
    let scenario = loaded(text, &[]);
    let wires: Vec<(Delay, bool, u32)> = scenario
        .cases
        .iter()
        .map(|case| &case.designs[0].stage.as_ref().expect("it can run").wire)
        .map(|wire| (wire.latency, wire.reorders, wire.at_once))
        .collect();
    assert_eq!(wires, [(Delay::Constant(1_000), false, 3), (Delay::Constant(2_000), false, 3)]);
}

#[test]
fn a_twin_keeps_what_it_does_not_say_at_any_depth() {
    let text = r#"Scenario(
        source: (events: 3, retention: (drops: 2, after: "7s")),
        wire: (loss: (one_in: 7, times: 3), straggler: (one_in: 9, delay: "4s"), reply: (latency: "3ms", loss: "1/5")),
        sink: (dedup: (key: content, keeps: forever, survives: volatile)),
        faults: (
            crash: anywhere(times: 3, chance: "1/2", kind: pause, pause: "9s"),
            sink_crash: (times: 2, chance: "1/3"),
            cursor: (kind: rolls_back(2), chance: "1/4"),
        ),
        designs: ["cursor"],
        twins: {
            "less": (
                source: (retention: (drops: 1)),
                wire: (loss: "1/8", straggler: (chance: "1/6"), reply: (loss: (times: 2))),
                sink: (dedup: (keeps: last(3))),
                faults: (crash: anywhere(chance: 1), sink_crash: (times: 1), cursor: (kind: expires)),
            ),
            "killed": (faults: (crash: anywhere(kind: kill))),
            "elsewhere": (faults: (crash: before(act: "persist"))),
        },
    )"#;
    let scenario = loaded(text, &[]);
    let stage = |case: usize| scenario.cases[case].designs[0].stage.clone().expect("it can run");
    let ratio = |num, den| dwsim_sim::model::ratio::Ratio::new(num, den).expect("a ratio");
    let (own, less, killed, elsewhere) = (stage(0), stage(1), stage(2), stage(3));
    let dedup = own.sink.dedup.expect("given");
    assert_eq!(less.sink.dedup, Some(Dedup { keeps: Keeps::Last(3), ..dedup }));
    assert_eq!(less.source.retention.map(|r| (r.drops, r.after)), Some((1, 7_000_000)));
    assert_eq!(less.wire.loss, Some(Chance { chance: ratio(1, 8), times: Some(3) }));
    assert_eq!(less.wire.straggler, own.wire.straggler.map(|s| Straggler { chance: ratio(1, 6), ..s }));
    assert_eq!(less.wire.reply.latency, own.wire.reply.latency);
    assert_eq!(less.wire.reply.loss, Some(Chance { chance: ratio(1, 5), times: Some(2) }));
    let crash = own.faults.crash.clone().expect("given");
    assert_eq!(less.faults.crash, Some(Crash { chance: ratio(1, 1), ..crash.clone() }));
    assert_eq!(less.faults.sink_crash.map(|s| (s.times, s.chance)), Some((1, ratio(1, 3))));
    assert_eq!(less.faults.cursor.map(|c| (c.kind, c.chance)), Some((CursorFaultKind::Expires, ratio(1, 4))));
    let other = killed.faults.crash.expect("given");
    assert_eq!((other.kind, other.times, other.chance), (CrashKind::Kill, 3, ratio(1, 2)));
    let other = elsewhere.faults.crash.expect("given");
    assert_eq!((other.kind, other.times, other.chance), (CrashKind::Kill, 1, ratio(9, 10)));
}

#[test]
fn a_file_that_is_too_long_is_refused_unread() {
    let text = " ".repeat((1 << 20) + 1);
    let wrong = load("long.ron", &text, &Folder::shipped(), &Options::default()).expect_err("too long");
    assert_eq!(wrong.to_string(), "long.ron:1:1: this file has 1048577 bytes; write at most 1 MiB");
}

#[test]
fn a_parameter_cannot_make_a_file_outgrow_the_memory() {
    let uses = "\"$p\", ".repeat(50_000);
    let text =
        format!("Scenario(parameters: {{\"p\": \"{}\"}}, source: (scope: [{uses}]))", "x".repeat(500_000));
    let wrong = load("bomb.ron", &text, &Folder::shipped(), &Options::default()).expect_err("too large");
    assert!(wrong.to_string().contains("not a single, short value"), "{}", wrong.0[0].message);
}

#[test]
fn many_complaints_are_cut_and_do_not_take_long() {
    let events = "(at: 0),".repeat(50_000);
    let text = format!("Scenario(source: (events: [{events}]), designs: [\"cursor\"])");
    let wrong = load("many.ron", &text, &Folder::shipped(), &Options::default()).expect_err("all wrong");
    assert_eq!(wrong.0.len(), 20);
}

/// A valid file with a few of its bytes deleted, replaced, or taken from elsewhere in it.
fn harmed() -> impl Strategy<Value = String> {
    let library = Folder::shipped();
    let mut sources = vec![everything()];
    sources.extend(library.policies.into_values().chain(library.producers.into_values()));
    let edit = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_u8..4, any::<char>());
    (prop::sample::select(sources), prop::collection::vec(edit, 1..6)).prop_map(|(text, edits)| {
        let mut text: Vec<char> = text.chars().collect();
        for (at, other, how, c) in edits {
            let (at, other) = (at.index(text.len()), other.index(text.len()));
            match how {
                0 => drop(text.remove(at)),
                1 => text[at] = c,
                2 => text[at] = text[other],
                _ => drop(text.splice(at..at, text[other..(other + 12).min(text.len())].to_vec())),
            }
        }
        text.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_harmed_file_makes_it_panic_and_every_complaint_points_into_it(text in harmed()) {
        let library = Folder::shipped();
        let text = text.trim_start_matches('\u{feff}');
        for wrong in [
            load("x.ron", text, &library, &Options::default()).err(),
            load_policy("x.ron", text).err(),
            load_producer("x.ron", text).err(),
        ].into_iter().flatten() {
            prop_assert!(!wrong.0.is_empty());
            for one in &wrong.0 {
                prop_assert!(one.path() != "x.ron" || text.get(one.span.clone()).is_some());
            }
            let rendered = wrong.render(false);
            prop_assert!(rendered.chars().all(|c| c == '\n' || !c.is_control()), "{rendered:?}");
        }
    }
}
