//! Program files: how a policy or a producer is written, and what makes one senseless. An `arm` that computes from a
//! surface that was never read is refused here, so that what a policy read is what it decided on.

mod schema;
mod steps;

use super::outline::Part;
use crate::model::program::{Act, BatchRule, Cadence, Fire, Policy, Producer, Retry, Surfaces};

pub(super) use schema::RuleFile;
use schema::SectionFile;
pub use schema::{PolicyFile, ProducerFile, ProgramFile};
pub(super) use steps::batch_rule;
use steps::{PlacedStep, Whose, steps};

/// What is wrong with a part of a file, before that part has a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    /// The way from the program, or the section, to the part.
    pub at: Vec<Part>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl Wrong {
    /// Something wrong at `at`.
    pub fn new(at: &[Part], message: impl Into<String>, help: impl Into<String>) -> Wrong {
        Wrong { at: at.to_vec(), message: message.into(), help: help.into() }
    }
}

/// The policy that a file says, under the name by which it is known.
pub fn policy(name: &str, file: &PolicyFile) -> Result<Policy, Vec<Wrong>> {
    let mut wrong = Vec::new();
    let placed = steps(&file.steps, &[Part::from("steps")], Whose::Recoverer, &mut wrong);
    if file.steps.is_empty() {
        wrong.push(Wrong::new(
            &[Part::from("steps")],
            "this policy has no steps",
            "write at least steps: [resume]",
        ));
    }
    let (mut read, mut armed) = (Surfaces::NONE, false);
    for (at, act) in placed.iter().flat_map(|step| &step.acts) {
        match act {
            Act::Read(surface) => read = read.with(*surface),
            Act::Arm(rule) => {
                armed = true;
                let missing: Vec<String> =
                    rule.needs().iter().filter(|s| !read.has(*s)).map(|s| format!("read({s})")).collect();
                if !missing.is_empty() {
                    let names = missing.join(" and ");
                    wrong.push(Wrong::new(
                        at,
                        format!("this rule computes from what no act before it reads: {names} is missing"),
                        format!("put {names} before it"),
                    ));
                }
            }
            Act::Fire(_) if !armed => {
                wrong.push(Wrong::new(
                    at,
                    "nothing is armed yet that could be fired",
                    "put arm(..) before it",
                ));
            }
            _ => {}
        }
    }
    compensates_alone(&placed, &mut wrong);
    let steps = placed.into_iter().map(PlacedStep::into_step).collect();
    finished(wrong, Policy { name: name.to_owned(), about: file.about.0.clone(), stamps: file.stamps, steps })
}

/// A batch that takes deliveries back lands as one, and is all that its program sends.
fn compensates_alone(steps: &[PlacedStep], wrong: &mut Vec<Wrong>) {
    let acts = || steps.iter().flat_map(|step| &step.acts);
    let takes_back = |act: &Act| matches!(act, Act::Arm(BatchRule::Compensate(_)));
    if !acts().any(|(_, act)| takes_back(act)) {
        return;
    }
    for (at, act) in acts() {
        match act {
            Act::Arm(_) if !takes_back(act) => wrong.push(Wrong::new(
                at,
                "this program takes back what it sends, and arms another batch too",
                "write arm(compensate) only",
            )),
            Act::Fire(how) if *how != Fire::All => wrong.push(Wrong::new(
                at,
                "a batch that takes deliveries back lands in one step",
                "write `fire`",
            )),
            _ => {}
        }
    }
}

/// The producer or relay that a file says, under the name by which it is known.
pub fn producer(name: &str, file: &ProducerFile) -> Result<Producer, Vec<Wrong>> {
    let mut wrong = Vec::new();
    let mut sections = Vec::new();
    match (&file.each_event, &file.run) {
        (Some(acts), None) => {
            sections.push((Cadence::EachEvent, vec![Part::from("each_event")], acts));
        }
        (None, Some(run)) => {
            for (i, section) in run.iter().enumerate() {
                let at = |part: usize| vec![Part::from("run"), Part::from(i), Part::from(part)];
                sections.push(match section {
                    SectionFile::EachEvent(acts) => (Cadence::EachEvent, at(0), acts),
                    SectionFile::EachBatch(n, acts) => (Cadence::EachBatch(n.get()), at(1), acts),
                    SectionFile::Each(time, acts) => (Cadence::EachInterval(time.0), at(1), acts),
                });
            }
        }
        (Some(_), Some(_)) => wrong.push(Wrong::new(
            &[Part::from("each_event")],
            "this producer has both `each_event` and `run`",
            "write run: [each_event([..]), ..] and leave out `each_event`",
        )),
        (None, None) => {}
    }
    let (mut sends, mut commits, mut awaits) = (false, false, false);
    let mut run = Vec::new();
    for (cadence, at, acts) in &sections {
        let placed = steps(acts, at, Whose::Producer, &mut wrong);
        for (at, act) in placed.iter().flat_map(|step| &step.acts) {
            match act {
                Act::Commit | Act::Enqueue if *cadence != Cadence::EachEvent => wrong.push(Wrong::new(
                    at,
                    format!(
                        "`{}` works on one event, and this section does not run for each event",
                        act.name()
                    ),
                    "put it into each_event([..])",
                )),
                Act::Snapshot(_) if matches!(cadence, Cadence::EachInterval(_)) => wrong.push(Wrong::new(
                    at,
                    "a snapshot is told at the coordinate of an event, and this section runs by the clock",
                    "put it into each_event([..]) or each_batch(2, [..])",
                )),
                Act::Commit if commits => {
                    wrong.push(Wrong::new(
                        at,
                        "an event is committed only once",
                        "leave out the second `commit`",
                    ));
                }
                Act::Commit => commits = true,
                Act::Send | Act::SendBatch => sends = true,
                Act::AwaitAck if !sends => {
                    wrong.push(Wrong::new(
                        at,
                        "nothing was sent whose reply could be awaited",
                        "put `send` before it",
                    ));
                }
                Act::AwaitAck => awaits = true,
                _ => {}
            }
        }
        run.push((*cadence, placed.into_iter().map(PlacedStep::into_step).collect::<Vec<_>>()));
    }
    if wrong.is_empty() && run.iter().all(|(_, steps)| steps.is_empty()) {
        wrong.push(Wrong::new(&[], "this producer has no acts", "write at least each_event: [commit, send]"));
    }
    let retry = file.retry.map(|retry| Retry { times: retry.times.get(), after: retry.after.0 });
    if retry.is_some() && !awaits && wrong.is_empty() {
        wrong.push(Wrong::new(
            &[Part::from("retry")],
            "this producer retries, but awaits no reply that could fail to come",
            "put `await_ack` after `send`, or leave out `retry`",
        ));
    }
    finished(wrong, Producer { name: name.to_owned(), about: file.about.0.clone(), sections: run, retry })
}

fn finished<T>(wrong: Vec<Wrong>, program: T) -> Result<T, Vec<Wrong>> {
    if wrong.is_empty() { Ok(program) } else { Err(wrong) }
}
