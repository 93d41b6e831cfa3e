//! What went wrong, in one sentence: a run for each way to fail.

mod common;

use common::*;
use dwsim_reports::sentence::sentence;
use dwsim_sim::model::program::Surface;
use dwsim_sim::model::record::{Effect, Lane, Moment, Record, Shown};
use dwsim_sim::model::scenario::Verdict;

fn told(record: &Record) -> String {
    sentence(record).expect("something went wrong")
}

/// Moments appended at times that only grow.
fn then(mut moments: Vec<Moment>, more: Vec<(Lane, Vec<Effect>)>) -> Vec<Moment> {
    let start = moments.last().and_then(|m| m.at).map_or(0, |at| at.0);
    let more = more.into_iter().enumerate();
    moments.extend(more.map(|(i, (lane, effects))| moment(start + 100 * (i as u64 + 1), lane, "", effects)));
    moments
}

const R: Lane = Lane::Recoverer(1);

#[test]
fn a_straggler_that_arrives_after_the_second_send() {
    insta::assert_snapshot!(told(&straggler()), @"order-2 was accepted twice: sent by g0 before the crash, it was still in flight when recovery read the record, was sent again at step 13, and arrived at step 15.");
}

#[test]
fn a_straggler_that_arrives_between_the_read_and_the_second_send() {
    let run = run(
        then(
            until_the_crash(),
            vec![
                (R, vec![read(Surface::AcceptedRecord, &["order-1"])]),
                (Lane::Wire, vec![accepted("order-2", 0, 1)]),
                (R, vec![sent("order-2", 0, true), accepted("order-2", 0, 2)]),
            ],
        ),
        Verdict::Duplicate,
        "order-2",
        2,
        12,
    );
    insta::assert_snapshot!(told(&run), @"order-2 was accepted twice: sent by g0 before the crash, it was still in flight when recovery read the record, arrived at step 11 all the same, and was sent again at step 12.");
}

#[test]
fn a_send_that_was_prepared_and_is_completed_beside_the_second() {
    let moments = vec![
        (Lane::Wire, vec![Effect::Prepared("order-2".to_owned())]),
        (R, vec![read(Surface::AcceptedRecord, &["order-1"])]),
        (R, vec![sent("order-2", 1, true), Effect::Prepared("order-2".to_owned())]),
        (Lane::Sink, vec![accepted("order-2", 0, 1)]),
        (Lane::Sink, vec![accepted("order-2", 1, 2)]),
    ];
    let run = run(then(until_the_crash(), moments), Verdict::Duplicate, "order-2", 2, 14);
    insta::assert_snapshot!(told(&run), @"order-2 was accepted twice: sent by g0 before the crash, it was prepared and not yet complete when recovery read the record, was sent again at step 12, and both took effect, at steps 13 and 14.");
}

#[test]
fn a_straggler_beside_a_second_send_that_travels() {
    let moments = vec![
        (R, vec![Effect::Read { surface: Surface::Cursor, shows: Shown::Number(1) }]),
        (R, vec![sent("order-2", 1, true)]),
        (Lane::Wire, vec![accepted("order-2", 1, 1)]),
        (Lane::Wire, vec![accepted("order-2", 0, 2)]),
    ];
    let run = run(then(until_the_crash(), moments), Verdict::Duplicate, "order-2", 2, 13);
    insta::assert_snapshot!(told(&run), @"order-2 was accepted twice: sent by g0, it was still in flight at the crash at step 9, was sent again at step 11, and both arrived, at steps 12 and 13.");
}

#[test]
fn the_checkpoint_window_needs_no_wire() {
    let mut moments = until_the_crash();
    moments.insert(8, moment(10_026, Lane::Wire, "", vec![accepted("order-2", 0, 1)]));
    let more = vec![
        (R, vec![read(Surface::History, &["order-1", "order-2"])]),
        (R, vec![Effect::Read { surface: Surface::Cursor, shows: Shown::Number(1) }]),
        (R, vec![sent("order-2", 0, true), accepted("order-2", 0, 2)]),
    ];
    let run = run(then(moments, more), Verdict::Duplicate, "order-2", 2, 13);
    insta::assert_snapshot!(told(&run), @"order-2 was accepted twice: it arrived at step 9, before the crash at step 10, but the cursor that recovery read at step 12 did not say so, and it was sent again at step 13.");
}

#[test]
fn a_blind_resend_asked_nobody() {
    let more = vec![(R, vec![sent("order-1", 0, true), accepted("order-1", 0, 2)])];
    let run = run(then(until_the_crash(), more), Verdict::Duplicate, "order-1", 2, 10);
    insta::assert_snapshot!(told(&run), @"order-1 was accepted twice: it arrived at step 4, before the crash at step 9, and was sent again at step 10 without asking the sink.");
}

#[test]
fn two_recoverers_that_both_carry_it() {
    insta::assert_snapshot!(told(&two_recoverers()), @"order-2 was accepted twice: recoverer 1 sent it at step 13 and recoverer 2 at step 14, and both were accepted (steps 15 and 16).");
}

#[test]
fn a_retry_without_any_crash() {
    let moments = vec![
        (Lane::Source, vec![sent("order-1", 0, false)]),
        (Lane::Wire, vec![accepted("order-1", 0, 1)]),
        (Lane::Source, vec![sent("order-1", 0, true)]),
        (Lane::Wire, vec![accepted("order-1", 0, 2)]),
    ];
    let run = run(then(vec![], moments), Verdict::Duplicate, "order-1", 2, 4);
    insta::assert_snapshot!(told(&run), @"order-1 was accepted twice: sent by g0 at step 1 and again by g0 at step 3, it arrived at step 2 and at step 4.");
}

#[test]
fn a_copy_by_the_transport() {
    let moments = vec![
        (Lane::Source, vec![sent("order-1", 0, false)]),
        (Lane::Wire, vec![accepted("order-1", 0, 1)]),
        (Lane::Wire, vec![accepted("order-1", 0, 2)]),
    ];
    let run = run(then(vec![], moments), Verdict::Duplicate, "order-1", 2, 3);
    insta::assert_snapshot!(told(&run), @"order-1 was accepted twice: sent once, at step 1, it arrived at step 2 and a copy of it at step 3.");
}

#[test]
fn sent_before_it_was_committed() {
    let unjustified =
        Effect::Accepted { payload: "order-1".into(), generation: 0, times: 1, justified: false };
    let mut moments =
        then(vec![], vec![(Lane::Source, vec![sent("order-1", 0, false)]), (Lane::Wire, vec![unjustified])]);
    let committed = then(moments.clone(), vec![(Lane::Source, vec![Effect::Committed("order-1".into())])]);
    insta::assert_snapshot!(told(&run(committed, Verdict::Premature, "order-1", 1, 2)), @"order-1 was accepted at step 2: it was sent at step 1, before it was committed at step 3.");
    moments.push(crash(300));
    insta::assert_snapshot!(told(&run(moments, Verdict::Premature, "order-1", 1, 2)), @"order-1 was accepted at step 2 and never committed: it was sent at step 1, and the crash at step 3 came before its commit.");
}

#[test]
fn lost_on_the_wire_and_left_out_of_the_batch() {
    let more = vec![
        (Lane::Wire, vec![Effect::LostInTransit("order-2".into())]),
        (R, vec![armed(&["order-1"])]),
        (R, vec![Effect::Resumed(1)]),
    ];
    let run = run(then(until_the_crash(), more), Verdict::Lost, "order-2", 0, 12);
    insta::assert_snapshot!(told(&run), @"order-2 was lost: sent at step 8, it was lost on the wire at step 10, and the batch that recovery armed at step 11 did not hold it.");
}

#[test]
fn lost_because_nothing_sent_it_again() {
    let mut moments = until_the_crash();
    moments.remove(7);
    let more = vec![(R, vec![armed(&[])]), (R, vec![Effect::Resumed(1)])];
    let run = run(then(moments, more), Verdict::Lost, "order-2", 0, 10);
    insta::assert_snapshot!(told(&run), @"order-2 was lost: committed at step 6, it had not been sent at the crash at step 8, and the batch that recovery armed at step 9 was empty.");
}

#[test]
fn lost_because_a_fence_refused_it() {
    let dropped = Effect::Dropped { payload: "order-2".into(), generation: 0, rescue: true };
    let more = vec![(R, vec![armed(&[]), Effect::FenceAt(1)]), (Lane::Wire, vec![dropped])];
    let run = run(then(until_the_crash(), more), Verdict::Lost, "order-2", 0, 11);
    insta::assert_snapshot!(told(&run), @"order-2 was lost: sent by g0, it was refused by the fence at step 11, and the batch that recovery armed at step 10 was empty.");
}

#[test]
fn lost_because_the_dedup_memory_took_it_for_another() {
    let more = vec![(Lane::Wire, vec![Effect::Absorbed("order-2".into())])];
    let run = run(then(until_the_crash(), more), Verdict::Lost, "order-2", 0, 10);
    insta::assert_snapshot!(told(&run), @"order-2 was lost: the sink's dedup memory took it at step 10 for one that it knew, and nothing sent it again.");
}

#[test]
fn unfinished_because_nothing_brought_the_run_back() {
    let more = vec![(R, vec![read(Surface::AcceptedRecord, &["order-1"])])];
    let run = run(then(until_the_crash(), more), Verdict::Unfinished, "", 0, 10);
    insta::assert_snapshot!(told(&run), @"the run did not come to rest by its end at step 10, and owes nothing that is committed: after the crash at step 9 nothing brought the run back to running.");
}

#[test]
fn what_the_effects_do_not_explain_is_still_said_plainly() {
    let run = run(until_the_crash(), Verdict::Duplicate, "order-9", 3, 9);
    insta::assert_snapshot!(told(&run), @"order-9 is on the accepted record 3 times, since step 9.");
}

#[test]
fn a_crash_before_the_commit_has_no_part_in_a_loss() {
    let committed = |label: &str| Effect::Committed(label.into());
    let crash = (Lane::World, vec![Effect::Crashed]);
    let late = vec![crash.clone(), (Lane::Source, vec![committed("order-1")])];
    let lost = |moments: Vec<_>| {
        let steps = moments.len();
        run(then(vec![], moments), Verdict::Lost, "order-1", 0, steps)
    };
    insta::assert_snapshot!(told(&lost(late.clone())), @"order-1 was lost: committed at step 2, it was never sent.");
    let twice = [late, vec![crash]].concat();
    insta::assert_snapshot!(told(&lost(twice)), @"order-1 was lost: committed at step 2, it had not been sent at the crash at step 3, and nothing sent it again.");
}

#[test]
fn a_phantom_and_a_grade_gap_name_the_step_that_dropped_it() {
    let committed = (Lane::Source, vec![Effect::Committed("order-1".into())]);
    let arrived = (Lane::Source, vec![sent("order-1", 0, false), accepted("order-1", 0, 1)]);
    let cut = (Lane::World, vec![Effect::LogCut(0)]);
    let phantom = run(then(vec![], vec![committed.clone(), arrived, cut]), Verdict::Phantom, "order-1", 1, 3);
    insta::assert_snapshot!(told(&phantom), @"order-1 was committed at step 1 and accepted at step 2, and since step 3 it is no longer in the source's log.");
    let dropped = (Lane::World, vec![Effect::Retained(1)]);
    let gap = run(then(vec![], vec![committed, dropped]), Verdict::GradeGap, "order-1", 0, 2);
    insta::assert_snapshot!(told(&gap), @"order-1 was committed at step 1 and never accepted, and since step 2 it is no longer in the source's log to be sent again.");
}

#[test]
fn an_exactly_once_run_has_nothing_to_tell() {
    assert_eq!(sentence(&fenced()), None);
}
