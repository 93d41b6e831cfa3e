//! Failing seeds that are kept beside a scenario.

use std::fs::{read_to_string, write};

use crate::{arg, dwsim, folder};

const FAILS: &str = r#"Scenario(source: (events: 1), faults: (crash: anywhere(times: 1)), designs: ["cursor", "fenced"],
    expect: {"cursor": (duplicate: never)}, check_by: [seeds(200)])"#;

#[test]
fn a_failing_seed_is_kept_once_replayed_first_and_told_when_it_no_longer_applies() {
    let folder = folder("regressions");
    let (scenario, kept) = (folder.join("s.ron"), folder.join("s.regressions"));
    write(&scenario, FAILS).expect("written");
    let run = dwsim(&["run", arg(&scenario), "--seeds", "200", "--keep"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let text = read_to_string(&kept).expect("kept");
    assert!(text.contains("design = \"cursor\", seed = "), "{text}");
    dwsim(&["run", arg(&scenario), "--seeds", "200", "--keep"]);
    assert_eq!(read_to_string(&kept).expect("kept"), text, "no entry is kept twice");

    // The seeds of this check are none that fail: only the kept one can.
    let check = |n: &str| dwsim(&["check", arg(&scenario), "--seeds", n]);
    let again = check("1");
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.out.contains("duplicate never (kept seed "), "{}", again.out);
    assert!(again.out.contains("seen again"), "{}", again.out);

    // The sink knows the message again: the seed is a regression test that passes.
    write(&scenario, FAILS.replace("faults:", "sink: (dedup: (key: coordinate)), faults:")).expect("written");
    let fixed = dwsim(&["check", arg(&scenario), "--format", "json"]);
    assert_eq!(fixed.code, Some(0), "{fixed:?}");
    assert!(fixed.out.contains("no longer fails"), "{}", fixed.out);

    write(&scenario, FAILS.replace("cursor", "skip").replace("duplicate: never", "lost: sometimes"))
        .expect("written");
    let stale = check("200");
    let unwrapped = stale.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(unwrapped.contains("no longer applies: there is no design `cursor`"), "{}", stale.out);

    write(&kept, "design = \"cursor\", sed = 1\n").expect("written");
    let broken = check("200");
    assert_eq!(broken.code, Some(65), "{broken:?}");
    assert!(broken.err.contains("s.regressions:1:20"), "{}", broken.err);
}
