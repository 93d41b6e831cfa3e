//! Scenarios that are too weak for what they compare: their designs differ on a hazard that no schedule of theirs can
//! show, so that every row comes out alike and says nothing. Each warning says what is missing and what to write.

use crate::analysis::expect::{Sample, asked_for};
use crate::analysis::tally::Tally;
use crate::model::program::{Act, BatchRule, Policy};
use crate::model::scenario::{Case, Crash, CrashKind, Fault, SinkRead, Stage};

/// What a case cannot express although its designs differ on it. A twin takes a hazard away to show that the rows
/// become alike, or adds one, so only the scenario itself is held to this, and what some twin can show is expressed.
pub fn cannot_express(case: &Case, twins: &[Case]) -> Vec<&'static str> {
    let of = |case: &Case| -> Vec<Stage> {
        case.designs.iter().filter_map(|d| d.stage.as_deref().ok().cloned()).collect()
    };
    let stages: Vec<Stage> = of(case);
    let elsewhere: Vec<Stage> = twins.iter().flat_map(of).collect();
    let several_policies = stages.windows(2).any(|pair| pair[0].policy != pair[1].policy);
    if !case.twin.is_empty() || !several_policies {
        return Vec::new();
    }
    // Without a crash no policy ever runs; the finer rules would only repeat it.
    if !stages.iter().chain(&elsewhere).any(recovers) {
        let other_story = stages.iter().any(|s| asked_for(s, Sample::Seeds).any(|f| f != Fault::Loss));
        return if other_story { Vec::new() } else { vec![NO_CRASH] };
    }
    let rules: [Rule; 3] = [
        (asks_the_cursor, has_checkpoint_window, NO_WINDOW),
        (fences, can_be_overtaken, NOTHING_IN_FLIGHT),
        (claims, can_be_contended, ONE_RECOVERER),
    ];
    let missing = rules.into_iter().filter(|(concerned, expresses, _)| {
        let differ =
            stages.iter().any(|s| concerned(&s.policy)) && !stages.iter().all(|s| concerned(&s.policy));
        differ && !stages.iter().chain(&elsewhere).any(|s| concerned(&s.policy) && expresses(s))
    });
    missing.map(|(_, _, warning)| warning).collect()
}

/// What nobody sends: a case starts with events committed and not delivered, and no process is there to deliver them. A
/// relay would, and a recovery after a crash may.
pub fn left_undelivered(case: &Case) -> Option<&'static str> {
    let is_left = |s: &Stage| s.start.delivered < s.start.committed && s.relay.is_none() && !recovers(s);
    let mut stages = case.designs.iter().filter_map(|d| d.stage.as_deref().ok()).peekable();
    (stages.peek().is_some() && stages.all(is_left)).then_some(NOBODY_SENDS)
}

/// Whether a recovery can come about.
fn recovers(stage: &Stage) -> bool {
    stage.start.crashed || crash(stage).is_some() || stage.faults.truncation.is_some()
}

/// Which policies differ on a hazard, which stages can have it, and what to say where none can.
type Rule = (fn(&Policy) -> bool, fn(&Stage) -> bool, &'static str);

/// The faults that some of the stages name and that struck no run of any, given the runs by seeds of each.
pub fn never_struck<'a>(runs: impl Iterator<Item = (&'a Stage, &'a Tally)> + Clone) -> Vec<Fault> {
    let never = |fault: &Fault| {
        let mut naming =
            runs.clone().filter(|(stage, _)| asked_for(stage, Sample::Seeds).any(|f| f == *fault)).peekable();
        naming.peek().is_some() && naming.all(|(_, tally)| tally.runs > 0 && !tally.struck(*fault))
    };
    // What follows from a crash is not named, and an expectation that needs it is vacuous without it.
    let implied = [Fault::InFlightAtCrash, Fault::LateArrival];
    Fault::ALL.into_iter().filter(|fault| !implied.contains(fault)).filter(never).collect()
}

const NO_CRASH: &str = "recovery policies are compared and nothing ever crashes, so none of them runs; write \
                        `faults: (crash: anywhere(times: 1))`";
const NOBODY_SENDS: &str = "`start` leaves events committed and not delivered, and the producer sends only what it commits \
                            itself; write `status: crashed` in `start`, so that a recovery sends them, or `faults: (crash: \
                            anywhere(times: 1))`";
const NO_WINDOW: &str = "a cursor policy is compared and the send and the checkpoint are one step, so no crash can fall \
                         between them; write `producer: \"deliver-then-checkpoint\"`, or `send` and `persist` as two steps";
const NOTHING_IN_FLIGHT: &str = "a fence is compared with none and no message can be in flight after a crash, so there is \
                                 nothing to refuse; write `wire: (instant: false, survives_crash: true)`";
const ONE_RECOVERER: &str = "a claim is compared with none and there is never more than one recoverer, so nobody contends \
                             for it; write `recovery: (recoverers: 2, lease: \"1s\")`";

fn crash(stage: &Stage) -> Option<&Crash> {
    stage.faults.crash.as_ref().filter(|crash| crash.times > 0)
}

/// A process that only seemed to crash is itself what comes late, and the other that contends.
fn pauses(stage: &Stage) -> bool {
    crash(stage).is_some_and(|crash| crash.kind == CrashKind::Pause)
}

fn asks_the_cursor(policy: &Policy) -> bool {
    policy.acts().any(|act| matches!(act, Act::Arm(BatchRule::PastCursor(_))))
}

fn fences(policy: &Policy) -> bool {
    policy.acts().any(|act| matches!(act, Act::Fence(_)))
}

/// A fence at one's own generation before the work: a claim.
fn claims(policy: &Policy) -> bool {
    use crate::model::program::FenceTo::{Own, PastOwn};
    policy.acts().any(|act| matches!(act, Act::Fence(Own | PastOwn)))
}

/// Unless every send is fused with the checkpoint that covers it.
fn has_checkpoint_window(stage: &Stage) -> bool {
    let deliverer = stage.relay.as_ref().unwrap_or(&stage.producer);
    let steps = deliverer.sections.iter().flat_map(|(_, steps)| steps);
    let mut sends =
        steps.filter(|step| step.acts.iter().any(|act| matches!(act, Act::Send | Act::SendBatch)));
    sends.any(|step| !step.acts.contains(&Act::Persist))
}

/// Whether what a recoverer reads of the sink can be out of date when it acts on it: the hazard that a fence answers,
/// or in the case of a stale read does not.
fn can_be_overtaken(stage: &Stage) -> bool {
    let in_flight = !stage.wire.instant && stage.wire.survives_crash;
    in_flight || pauses(stage) || stage.recovery.recoverers > 1 || stage.sink.read != SinkRead::default()
}

fn can_be_contended(stage: &Stage) -> bool {
    stage.recovery.recoverers > 1 || pauses(stage)
}
