//! Rows of the theory that are best said over many random runs.

mod common;

use dwsim_sim::action::Action;
use dwsim_sim::drive::{Driver, Uniform};
use dwsim_sim::ids::Payload;
use dwsim_sim::machine::Machine;
use dwsim_sim::world::World;

/// The plain machine: one recoverer, a reconcile that is one atom, whose batch is any suffix.
const PLAIN: &str = r#"Scenario(
    programs: { "reconcile": Policy(about: "any suffix, in one atom",
        steps: [atomic([read(history), arm(any_suffix), heal, fire]), resume]) },
    source: (events: 3, commits: any), wire: (instant: true), sink: (contents_advance: send),
    recovery: (heal: once), faults: (crash: anywhere(times: 3)), designs: ["reconcile"],
    expect: {"reconcile": (dirty: sometimes)})"#;

/// The machine with fire points, restricted to one recoverer: arm, heal and fire are steps, and the batch carries the
/// recoverer's own generation through a gate that nobody raises.
const FIRE_POINT: &str = r#"Scenario(
    programs: { "reconcile": Policy(about: "any suffix, step by step", stamps: own,
        steps: [read(history), arm(any_suffix), heal, fire, resume]) },
    source: (events: 3, commits: any), wire: (instant: true), sink: (fence: fire, contents_advance: send),
    recovery: (heal: once), faults: (crash: anywhere(times: 3)), designs: ["reconcile"],
    expect: {"reconcile": (dirty: sometimes)})"#;

fn machine(name: &str, text: &str) -> Machine {
    let mut machines = common::machines(&common::scenario(name, text));
    assert_eq!(machines.len(), 1);
    machines.remove(0).1
}

/// The labels of the one machine's step on the other.
fn translated(label: &str) -> Vec<String> {
    match label.strip_prefix("recoverer-1 read history + arm + heal + fire") {
        Some(from) => vec![
            "recoverer-1 read history".to_owned(),
            format!("recoverer-1 arm{from}"),
            "recoverer-1 heal".to_owned(),
            "recoverer-1 fire".to_owned(),
        ],
        None => vec![label.to_owned()],
    }
}

#[test]
fn shared_core_the_fire_point_machine_with_one_recoverer_is_the_plain_machine() {
    let (plain, fire_point) = (machine("plain.ron", PLAIN), machine("fire-point.ron", FIRE_POINT));
    let choices = Uniform::subsystem();
    let (mut duplicates, mut losses, mut recoveries) = (0, 0, 0);
    let (mut w, mut v): (World<Vec<u64>>, World<Vec<u64>>) = (plain.start(), fire_point.start());
    for seed in 0..100_000 {
        plain.reset(&mut w);
        fire_point.reset(&mut v);
        let mut driver = Uniform::new(&choices, seed);
        while let Some(action) = driver.next(&plain, &w) {
            let label = plain.label(action);
            plain.apply(&mut w, action, &mut ());
            for step in translated(&label) {
                let action: Action = fire_point.parse_label(&v, &step).unwrap_or_else(|why| panic!("{why}"));
                assert!(fire_point.is_enabled(&v, action), "seed {seed}: {step} is not enabled");
                fire_point.apply(&mut v, action, &mut ());
                recoveries += u32::from(step.ends_with("fire"));
            }
            assert_eq!(plain.hazards(&w), fire_point.hazards(&v), "seed {seed} at {label}");
            let record = |m: &Machine, w: &World<Vec<u64>>| -> Vec<u32> {
                (0..m.events()).map(|p| m.times_accepted(w, Payload(p))).collect()
            };
            assert_eq!(record(&plain, &w), record(&fire_point, &v), "seed {seed} at {label}");
            let owed = |m: &Machine, w: &World<Vec<u64>>| m.owed(w).collect::<Vec<_>>();
            assert_eq!(owed(&plain, &w), owed(&fire_point, &v), "seed {seed} at {label}");
            assert_eq!(
                plain.judge(&w, true),
                fire_point.judge(&v, true),
                "seed {seed} at {label}: contents and losses"
            );
        }
        duplicates += u32::from(plain.hazards(&w).0);
        losses += u32::from(plain.judge(&w, false).owed > 0);
    }
    // What was compared is not empty.
    assert!(
        duplicates > 1_000 && losses > 1_000 && recoveries > 100_000,
        "{duplicates} {losses} {recoveries}"
    );
}
