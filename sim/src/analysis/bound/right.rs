//! When is a batch right in a state? When, after the fixed re-drive with it, whatever is in flight arrives in whatever
//! order, and nothing is accepted twice or unjustified, and in the end nothing is owed that the journal held at the
//! decision. Nothing is lost, nobody crashes and the producer sends nothing new in between.

use std::ops::ControlFlow;

use super::batches::Batches;
use super::question::Failure;
use crate::engine::machine::Machine;
use crate::engine::watch::Watch;
use crate::engine::world::{Words, World};
use crate::model::action::{Action, Emission};
use crate::model::decision::Redriven;
use crate::model::ids::Payload;
use crate::model::program::FenceTo;
use crate::search::graph::visit;
use crate::search::limits::{Limits, Watched};

impl Redriven {
    fn fence(self) -> Option<FenceTo> {
        match self {
            Redriven::Unfenced => None,
            Redriven::Fenced => Some(FenceTo::Successor),
            Redriven::Claim => Some(FenceTo::Own),
        }
    }
}

/// How a batch fails in a state, and the steps after the re-drive that show it; none where it is right.
pub(super) fn failure<W: Words>(
    machine: &Machine,
    w: &World<W>,
    batch: u32,
    redriven: Redriven,
) -> Option<(Failure, Vec<Action>)> {
    let mut after = w.clone();
    let mut heard = Heard(None);
    machine.redrive(&mut after, machine.first_recoverer(), batch, redriven.fence(), &mut heard);
    match heard.0 {
        Some(failure) => Some((failure, Vec::new())),
        None => settle(machine, after, obligations(machine, w), |action| settles(machine, action)),
    }
}

/// The batches that are right in a state.
pub(super) fn right_batches<W: Words>(machine: &Machine, w: &World<W>, redriven: Redriven) -> Batches {
    Batches::of(machine.events(), |batch| failure(machine, w, batch, redriven).is_none())
}

/// What recovery owes in a state, as a set of bits.
pub(super) fn obligations<W: Words>(machine: &Machine, w: &World<W>) -> u32 {
    (0..machine.events())
        .filter(|p| machine.payloads[*p as usize].recovered && machine.in_journal(w, *p))
        .fold(0, |set, p| set | 1 << p)
}

/// Whether an action is part of what comes to rest after a decision: arrivals, what the sink has begun, and what an
/// incarnation does that only seemed gone. The last it may do, and need not.
pub(super) fn settles(machine: &Machine, action: Action) -> bool {
    match action {
        Action::Arrive(_) | Action::SinkPersist | Action::FinishEffect(_) => true,
        Action::Step { .. } | Action::Timeout(_) => machine.is_by_paused(action),
        // Only a paused process is there to hear it.
        Action::Ack(_) => true,
        _ => false,
    }
}

/// The shortest way to something wrong, along the actions that `goes_on` admits.
pub(super) fn settle<W: Words>(
    machine: &Machine,
    start: World<W>,
    owed: u32,
    goes_on: impl Fn(Action) -> bool,
) -> Option<(Failure, Vec<Action>)> {
    let mut wrong = None;
    let (mut w, mut next) = (start.clone(), start.clone());
    let none = Watched::default();
    let visited = visit(start.words(), Limits::NONE, &none, |place, words, frontier| {
        w.set_words(words);
        let mut rests = true;
        machine.each_enabled(&w, |action| {
            if wrong.is_some() || !goes_on(action) {
                return;
            }
            rests &= machine.is_by_paused(action);
            next.copy_from(&w);
            let mut heard = Heard(None);
            machine.apply(&mut next, action, &mut heard);
            wrong = heard.0.map(|failure| (failure, place, Some(action)));
            frontier.add(action, next.words());
        });
        let missing = (0..machine.events()).find(|p| owed >> p & 1 == 1 && !machine.is_fulfilled(&w, *p));
        if let (true, Some(p)) = (rests, missing) {
            wrong = Some((Failure::Lost(Payload(p)), place, None));
        }
        if wrong.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let (failure, place, last) = wrong?;
    let mut path = visited.paths.to(place);
    path.extend(last);
    Some((failure, path))
}

/// Hears the first thing that must not be accepted.
struct Heard(Option<Failure>);

impl Watch for Heard {
    fn accepted(&mut self, e: Emission, times: u32, _owed: bool) {
        let failure = match (times, e.justified) {
            (2.., _) => Some(Failure::Duplicate(e.payload)),
            (_, false) => Some(Failure::Premature(e.payload)),
            _ => None,
        };
        self.0 = self.0.or(failure);
    }
}

/// The state without what cannot matter any more once a batch has landed, so that what was found of one state serves
/// all that are like it.
pub(super) fn essence<W: Words>(machine: &Machine, w: &World<W>) -> World<W> {
    let f = &machine.f;
    let mut w = w.clone();
    for counts in [f.outbox, f.pending, f.sent, f.held, f.live] {
        w.wipe(counts);
    }
    // What a paused process hears decides what it does next.
    if machine.count_paused(&w) == 0 {
        w.wipe(f.acked);
        w.wipe(f.replies);
    }
    for field in [f.starts, f.dropped, f.journal_length, f.floor, f.stored] {
        w.set(field, 0);
    }
    f.struck.iter().for_each(|counter| w.set(counter, 0));
    if !f.prepared.is_kept() {
        w.set(f.cursor, 0);
    }
    w.seq_clear(f.record);
    for slot in machine.slots().map(|(slot, _)| slot).filter(|slot| machine.stands(*slot)) {
        let s = machine.slot(slot);
        for field in [s.pc, s.item, s.low, s.high, s.tries] {
            w.set(field, 0);
        }
    }
    w
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::load;
    use crate::model::program::Surfaces;
    use crate::model::view::Rules;
    use crate::search::graph::visit_states;
    use crate::search::limits::{Limits, Watched};
    use crate::text::file::{Library, Options};

    /// The shipped programs, read from their folder: this crate lies below the one that embeds them.
    struct Folder(Vec<(String, String)>, Vec<(String, String)>);

    fn below(folder: &str) -> Vec<(String, String)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
        let paths = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        let mut files: Vec<PathBuf> = paths.filter(|p| p.extension().is_some_and(|e| e == "ron")).collect();
        files.sort();
        let name = |path: &PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
        files.iter().map(|p| (name(p), std::fs::read_to_string(p).expect("text"))).collect()
    }

    fn of<'a>(files: &'a [(String, String)], name: &str) -> Option<&'a str> {
        files.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }

    impl Library for Folder {
        fn policy(&self, name: &str) -> Option<&str> {
            of(&self.0, name)
        }
        fn producer(&self, name: &str) -> Option<&str> {
            of(&self.1, name)
        }
        fn policy_names(&self) -> Vec<&str> {
            self.0.iter().map(|(name, _)| name.as_str()).collect()
        }
        fn producer_names(&self) -> Vec<&str> {
            self.1.iter().map(|(name, _)| name.as_str()).collect()
        }
    }

    #[test]
    fn what_cannot_matter_any_more_does_not() {
        let library = Folder(below("policies"), below("policies/producers"));
        let mut compared = 0;
        for folder in ["scenarios", "scenarios/theory", "scenarios/beyond", "scenarios/field"] {
            for (name, text) in below(folder) {
                let scenario = load(&format!("{name}.ron"), &text, &library, &Options::default());
                let scenario = scenario.unwrap_or_else(|wrong| panic!("{wrong}"));
                let stages =
                    scenario.cases.iter().flat_map(|c| &c.designs).filter_map(|d| d.stage.as_ref().ok());
                for stage in stages.filter(|stage| stage.source.events.len() <= 4) {
                    let machine =
                        Machine::compile_probed(stage, &Rules::new(), Surfaces::NONE).expect("it compiles");
                    visit_states(
                        &machine,
                        machine.start(),
                        Limits::of_states(1_500),
                        &Watched::default(),
                        |_| true,
                        |_, w: &World<Vec<u64>>| {
                            if !machine.decision_is_due(w) || machine.is_unsafe(w) {
                                return ControlFlow::Continue(());
                            }
                            let reduced = essence(&machine, w);
                            for redriven in Redriven::ALL {
                                let whole = right_batches(&machine, w, redriven);
                                assert_eq!(
                                    right_batches(&machine, &reduced, redriven),
                                    whole,
                                    "{name}, {redriven:?}"
                                );
                                compared += 1;
                            }
                            ControlFlow::Continue(())
                        },
                    );
                }
            }
        }
        assert!(compared > 10_000, "{compared}");
    }
}
