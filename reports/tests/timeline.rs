//! One run in each of its forms.

mod common;

use common::*;
use dwsim_reports::forms::Page;
use dwsim_reports::timeline::Timeline;
use dwsim_reports::{WIDTH, document, human, json, mermaid, svg};
use dwsim_sim::model::record::{Effect, Lane, Record};
use dwsim_sim::model::scenario::Verdict;

fn lanes(record: &Record) -> String {
    human::blocks(&document::run(&Timeline::new(record)), &Page::default())
}

#[test]
fn a_straggler_is_seen_to_arrive_after_the_read() {
    insta::assert_snapshot!(lanes(&straggler()));
}

#[test]
fn an_atom_is_one_step_and_its_fence_refuses_the_straggler() {
    insta::assert_snapshot!(lanes(&fenced()));
}

#[test]
fn two_recoverers_have_a_lane_each() {
    insta::assert_snapshot!(lanes(&two_recoverers()));
}

#[test]
fn a_run_without_times_has_no_column_for_them() {
    let mut untimed = straggler();
    untimed.moments.iter_mut().for_each(|moment| moment.at = None);
    let drawn = lanes(&untimed);
    assert!(drawn.starts_with("step  source "), "{drawn}");
    assert!(!drawn.contains("time"), "{drawn}");
}

#[test]
fn the_step_at_which_a_verdict_became_true_is_marked_right_below_it() {
    let drawn = lanes(&straggler());
    let mark =
        drawn.lines().position(|line| line.contains("<- DUPLICATE: order-2 is now on the record twice"));
    let mark = mark.expect("the mark is drawn");
    assert!(drawn.lines().nth(mark - 1).unwrap().trim_start().starts_with("15 "), "{drawn}");
}

#[test]
fn json_holds_every_effect() {
    insta::assert_snapshot!(json::timeline(&Timeline::new(&fenced())));
}

#[test]
fn mermaid_draws_the_same_lanes() {
    insta::assert_snapshot!(mermaid::timeline(&Timeline::new(&straggler())));
}

#[test]
fn svg_draws_the_same_lanes() {
    insta::assert_snapshot!(svg::timeline(&Timeline::new(&straggler())));
}

/// Property: with up to two recoverers, whatever the labels, no line is wider than a report may be.
#[test]
fn no_line_is_wider_than_a_report_may_be() {
    for length in 1..=40 {
        let long =
            |label: &str| if label.starts_with("order") { "x".repeat(length) } else { label.to_owned() };
        for mut record in [straggler(), fenced(), two_recoverers()] {
            for moment in &mut record.moments {
                moment.at = moment.at.map(|at| dwsim_sim::model::ids::Tick(at.0 * 1_000_000));
                for effect in &mut moment.effects {
                    match effect {
                        Effect::Sent { payload, .. }
                        | Effect::Accepted { payload, .. }
                        | Effect::Dropped { payload, .. }
                        | Effect::Committed(payload) => *payload = long(payload),
                        Effect::Armed(batch) => *batch = vec!["x".repeat(length); 5],
                        _ => {}
                    }
                }
            }
            for finding in &mut record.findings {
                finding.payload = long(&finding.payload);
            }
            for line in lanes(&record).lines() {
                assert!(line.chars().count() <= WIDTH, "labels of {length}:\n{line}");
            }
        }
    }
}

#[test]
fn a_hostile_label_stays_in_its_lane() {
    let hostile = "a\n<script>|;%%\u{1b}[2J\"'->>b: c";
    let moments = vec![
        moment(0, Lane::Source, hostile, vec![Effect::Committed(hostile.into())]),
        moment(1, Lane::World, hostile, vec![]),
        moment(2, Lane::Wire, hostile, vec![accepted(hostile, 0, 2)]),
    ];
    let record = run(moments, Verdict::Duplicate, hostile, 2, 3);
    let timeline = Timeline::new(&record);
    assert!(!human::blocks(&document::run(&timeline), &Page::default()).contains('\u{1b}'));
    assert!(!svg::timeline(&timeline).contains("<script"));
    for line in mermaid::timeline(&timeline).lines().skip(1) {
        assert!(line.starts_with("    "), "{line}");
        assert!(!line.contains(';') || line.contains('#'), "{line}");
        assert!(!line.contains("%%"), "{line}");
    }
    serde_json::from_str::<serde_json::Value>(&json::timeline(&timeline)).expect("valid JSON");
}
