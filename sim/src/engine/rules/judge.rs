//! The oracle: it sees journal, record and contents, and nothing of the policy. Its answers are values; a panic means
//! that dwsim itself is wrong.

use crate::engine::machine::Machine;
use crate::engine::world::{Bits, World};
use crate::model::scenario::{Grade, Verdict, When, Writes};

/// What a record can hold that must not be there: the loud half of the verdicts, which never becomes false again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hazards {
    /// Some payload is on the accepted record more than once.
    pub duplicate: bool,
    /// Some accepted emission is not justified by the journal.
    pub premature: bool,
}

impl Hazards {
    /// Neither.
    pub const NONE: Hazards = Hazards { duplicate: false, premature: false };

    /// Whether there is one.
    #[inline]
    pub fn any(self) -> bool {
        self.duplicate || self.premature
    }
}

/// What the oracle says of a state, as of the end of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Judgement {
    /// Some payload is on the accepted record more than once.
    pub duplicate: bool,
    /// Some accepted emission is not justified by the journal.
    pub premature: bool,
    /// Obligations at the judged frontier that are not on the accepted record.
    pub owed: u32,
    /// Those of them that a stage which stands still has passed by its own books.
    pub passed: u32,
    /// Nothing but a fault can still happen, and all work was done.
    pub rests: bool,
    /// The sink's contents differ from the committed image on some key in scope; false where contents are not kept.
    pub dirty: bool,
    /// Something accepted was committed and is no longer in the live log.
    pub phantom: bool,
    /// Nothing that retention kept is owed, and something in the journal is.
    pub gap: bool,
}

impl Judgement {
    /// The judgement of a run, from the one at its first recovery, where the scenario asks for that, and the one at its
    /// end. Hazards are monotone: one that came after the early judgement still counts against it, an omission does
    /// not.
    pub(crate) fn of_run(recovered: Option<Judgement>, end: Judgement) -> Judgement {
        recovered.map_or(end, |r| Judgement { duplicate: end.duplicate, premature: end.premature, ..r })
    }

    /// The judgement as one number, for a fingerprint.
    pub fn code(self) -> u64 {
        u64::from(self.owed) << 8
            | u64::from(self.duplicate)
            | u64::from(self.premature) << 1
            | u64::from(self.rests) << 2
            | u64::from(self.dirty) << 3
            | u64::from(self.phantom) << 4
            | u64::from(self.gap) << 5
            | u64::from(self.passed) << 40
    }

    /// Whether a verdict holds.
    pub fn is(self, verdict: Verdict) -> bool {
        match verdict {
            Verdict::ExactlyOnce => self.rests && !self.duplicate && !self.premature && self.owed == 0,
            Verdict::Duplicate => self.duplicate,
            Verdict::Premature => self.premature,
            Verdict::Lost => {
                if self.rests {
                    self.owed > 0
                } else {
                    self.passed > 0
                }
            }
            Verdict::Unfinished => !self.rests && (self.passed == 0 || self.passed < self.owed),
            Verdict::Dirty => self.rests && self.dirty,
            Verdict::Phantom => self.phantom,
            Verdict::GradeGap => self.rests && !self.duplicate && !self.premature && self.gap,
        }
    }
}

impl Machine {
    /// Judges a state as that in which a run ended, or as that in which its recovery has finished: then what could
    /// still happen does not matter.
    pub fn judge<W: Bits>(&self, w: &World<W>, when: When) -> Judgement {
        let owed = match self.stage.judge.grade {
            Grade::Journal => w.get(self.f.owed),
            Grade::Retained => self.owed_above_floor(w),
        };
        let rests = when == When::Recovered || self.is_at_rest(w, owed);
        let stands = !rests && owed > 0 && self.is_quiescent(w);
        let Hazards { duplicate, premature } = self.hazards(w);
        Judgement {
            duplicate,
            premature,
            owed,
            passed: if stands { self.count_passed(w) } else { 0 },
            rests,
            dirty: self.judges_contents && self.is_dirty(w),
            phantom: self.f.live.is_kept() && self.has_phantom(w),
            gap: (self.f.live.is_kept() || self.f.floor.is_kept())
                && w.get(self.f.owed) > 0
                && self.owed_above_floor(w) == 0,
        }
    }

    #[cold]
    fn count_passed<W: Bits>(&self, w: &World<W>) -> u32 {
        self.obligations_owed(w).filter(|p| self.has_passed(w, p.0)).count() as u32
    }

    /// Judges a run as soon as it has recovered: none where the scenario does not ask for that, or no recovery has
    /// finished on the way to this state. The judgement of the first such state is that of the run.
    #[inline]
    pub fn judge_recovered<W: Bits>(&self, w: &World<W>) -> Option<Judgement> {
        self.was_judged(w).then(|| self.judge(w, When::Recovered))
    }

    /// Whether a run that passes through this state has been judged by then, as soon as it had recovered. If not, it is
    /// judged where it ends.
    #[inline]
    pub(crate) fn was_judged<W: Bits>(&self, w: &World<W>) -> bool {
        self.stage.judge.when == When::Recovered && self.was_recovered(w)
    }

    /// What is wrong with the record already.
    #[inline]
    pub fn hazards<W: Bits>(&self, w: &World<W>) -> Hazards {
        Hazards { duplicate: w.get(self.f.duplicate) > 0, premature: w.get(self.f.premature) > 0 }
    }

    pub(crate) fn has_phantom<W: Bits>(&self, w: &World<W>) -> bool {
        (0..self.events())
            .any(|p| w.count(self.f.accepted, p) > 0 && self.in_journal(w, p) && !self.in_log(w, p))
    }

    /// Whether every obligation that retention dropped is on the record.
    pub(crate) fn covers_floor<W: Bits>(&self, w: &World<W>) -> bool {
        (0..self.events())
            .filter(|p| self.payloads[*p as usize].judged && self.in_log(w, *p) && !self.is_retained(w, *p))
            .all(|p| self.is_delivered(w, p))
    }

    /// Whether the live log holds what the journal holds, each event as often.
    pub(crate) fn journal_is_log<W: Bits>(&self, w: &World<W>) -> bool {
        !self.f.journal.is_kept()
            || (0..self.events()).all(|p| w.count(self.f.journal, p) == w.count(self.f.live, p))
    }

    /// How many recoverers died.
    pub(crate) fn deaths<W: Bits>(&self, w: &World<W>) -> u32 {
        w.get(self.f.deaths)
    }

    /// How many messages were lost, where their number is bounded.
    pub(crate) fn losses<W: Bits>(&self, w: &World<W>) -> u32 {
        w.get(self.f.losses)
    }

    /// Whether the sink accepted something that its dedup memory does not know.
    pub(crate) fn forgot<W: Bits>(&self, w: &World<W>) -> bool {
        (0..self.events()).any(|p| w.count(self.f.accepted, p) > 0 && !self.keys_show(w, p))
    }

    /// Running, crashed or recovered.
    pub(crate) fn status<W: Bits>(&self, w: &World<W>) -> u32 {
        w.get(self.f.status)
    }

    pub(crate) fn owed_above_floor<W: Bits>(&self, w: &World<W>) -> u32 {
        (0..self.events())
            .filter(|p| self.payloads[*p as usize].judged && !self.is_delivered(w, *p))
            .filter(|p| self.is_retained(w, *p))
            .count() as u32
    }

    /// The store audit: on every key in scope, the latest event at or below the frontier, as committed and as held.
    pub(crate) fn is_dirty<W: Bits>(&self, w: &World<W>) -> bool {
        let latest = |key: u32, there: &dyn Fn(u32) -> bool| {
            (0..self.events())
                .filter(|p| {
                    self.payloads[*p as usize].judged && self.payloads[*p as usize].key == key && there(*p)
                })
                .max_by_key(|p| (self.payloads[*p as usize].coordinate, *p))
                .map(|p| self.value_set_by(p))
        };
        let source = &self.stage.source;
        // What overwrites the whole object leaves nothing of the other keys.
        let is_replaced =
            self.stage.sink.writes == Writes::Overwrite && w.next_nonzero(self.f.held, 0).is_some();
        (0..).zip(&source.keys).zip(&source.base).any(|((key, _), base)| {
            let image = latest(key, &|p| self.in_log(w, p)).unwrap_or(*base);
            let held = latest(key, &|p| w.count(self.f.held, p) > 0);
            let in_scope = source.scope.get(key as usize).copied().unwrap_or(true);
            in_scope && image != held.unwrap_or(if is_replaced { None } else { *base })
        })
    }

    fn value_set_by(&self, p: u32) -> Option<i64> {
        self.stage.source.events[p as usize].value
    }

    /// The obligations that are committed, judged, and not on the record.
    pub fn owed<'a, W: Bits>(
        &'a self,
        w: &'a World<W>,
    ) -> impl Iterator<Item = crate::model::ids::Payload> + 'a {
        (0..self.events())
            .filter(|p| self.payloads[*p as usize].judged && !self.is_delivered(w, *p))
            .filter(|p| self.in_journal(w, *p))
            .map(crate::model::ids::Payload)
    }
}
