//! The oracle: it sees journal, record and contents, and nothing of the policy. Its answers are values; a panic means
//! that dwsim itself is wrong.

use crate::engine::machine::Machine;
use crate::engine::world::{Bits, World};
use crate::model::action::Emission;
use crate::model::ids::Payload;
use crate::model::scenario::{Fault, Grade, When, Writes};
use crate::model::verdict::{Holds, Verdict, Verdicts};

/// What the oracle says of a state, as of the end of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Judgement {
    /// The verdicts whose own condition is met, whether or not they can hold in a state like this.
    met: Verdicts,
    /// How many obligations at the judged frontier are not on the accepted record.
    pub owed: u32,
    /// Those of them that a stage which stands still has passed by its own books.
    passed: u32,
    /// Nothing but a fault can still happen, and all work was done.
    rests: bool,
}

/// How a run stands in the state in which it is judged.
#[derive(Clone, Copy)]
struct Rest {
    rests: bool,
    owed: u32,
    passed: u32,
}

impl Judgement {
    /// The judgement of a run, from the one at its first recovery, where the scenario asks for that, and the one at its
    /// end. Hazards are monotone: one that came after the early judgement still counts against it, an omission does
    /// not.
    pub(crate) fn of_run(recovered: Option<Judgement>, end: Judgement) -> Judgement {
        let hazards = end.met.and(Verdicts::HAZARDS);
        recovered
            .map_or(end, |early| Judgement { met: early.met.except(Verdicts::HAZARDS).or(hazards), ..early })
    }

    /// The judgement as one number, for a fingerprint. The places are fixed; a new verdict takes the next above those
    /// of what is owed.
    pub fn code(self) -> u64 {
        const PLACES: [(Verdict, u32); 5] = [
            (Verdict::Duplicate, 0),
            (Verdict::Premature, 1),
            (Verdict::Dirty, 3),
            (Verdict::Phantom, 4),
            (Verdict::GradeGap, 5),
        ];
        const NEW: u32 = Verdict::GradeGap as u32 + 1;
        let placed = PLACES.iter().map(|(verdict, place)| u64::from(self.met.has(*verdict)) << place);
        placed.fold(u64::from(self.rests) << 2 | u64::from(self.owed) << 8, |code, bit| code | bit)
            | u64::from(self.met.bits() >> NEW) << 40
            | u64::from(self.passed) << 44
    }

    /// Whether the record is unsafe.
    pub fn is_unsafe(self) -> bool {
        !self.met.and(Verdicts::UNSAFE).is_empty()
    }

    /// Whether a verdict holds.
    #[inline]
    pub fn is(self, verdict: Verdict) -> bool {
        self.met.has(verdict)
            && match verdict.spec().holds {
                Holds::FromAStepOn | Holds::AtTheEnd => true,
                Holds::AtRest => self.rests,
                Holds::AtRestAndSafe => self.rests && !self.is_unsafe(),
            }
    }

    /// The verdicts that hold.
    pub fn verdicts(self) -> Verdicts {
        Verdict::ALL.into_iter().filter(|verdict| self.is(*verdict)).collect()
    }
}

/// What each verdict says of a state: an arm for each in the functions here, and nowhere else.
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
        let passed = if stands { self.count_passed(w) } else { 0 };
        let rest = Rest { rests, owed, passed };
        let met = |set: Verdicts, verdict| set.with_if(verdict, self.is_met(w, verdict, rest));
        Judgement { met: Verdict::ALL.into_iter().fold(Verdicts::NONE, met), owed, passed, rests }
    }

    #[cold]
    fn count_passed<W: Bits>(&self, w: &World<W>) -> u32 {
        self.obligations_owed(w).filter(|p| self.has_passed(w, p.0)).count() as u32
    }

    /// Whether a verdict's own condition is met in a state. [`Holds`] says in which states that counts.
    #[inline(always)]
    fn is_met<W: Bits>(&self, w: &World<W>, verdict: Verdict, rest: Rest) -> bool {
        match verdict {
            Verdict::Duplicate | Verdict::Premature => w.get(self.f.hazards[verdict as usize]) > 0,
            Verdict::ExactlyOnce => rest.owed == 0,
            Verdict::Lost if rest.rests => rest.owed > 0,
            Verdict::Lost => rest.passed > 0,
            Verdict::Unfinished => !rest.rests && (rest.passed == 0 || rest.passed < rest.owed),
            Verdict::Dirty => self.judges_contents && self.is_dirty(w),
            Verdict::Phantom => self.f.live.is_kept() && self.phantoms(w).next().is_some(),
            Verdict::GradeGap => {
                (self.f.live.is_kept() || self.f.floor.is_kept())
                    && w.get(self.f.owed) > 0
                    && self.owed_above_floor(w) == 0
            }
        }
    }

    /// Whether an acceptance makes a hazard true; `before` is how often the record held the payload until then.
    #[inline(always)]
    pub(super) fn is_made_by<W: Bits>(
        &self,
        _w: &World<W>,
        hazard: Verdict,
        e: Emission,
        before: u32,
    ) -> bool {
        match hazard {
            Verdict::Duplicate => before > 0,
            Verdict::Premature => !e.justified,
            Verdict::ExactlyOnce
            | Verdict::Lost
            | Verdict::Unfinished
            | Verdict::Dirty
            | Verdict::Phantom
            | Verdict::GradeGap => false,
        }
    }

    /// Whether a stage keeps in its states that this hazard became true: not where it cannot, or where nothing asks.
    pub(crate) fn keeps_hazard(&self, verdict: Verdict) -> bool {
        verdict.is_hazard()
            && (verdict != Verdict::Premature || self.can_be_early)
            && (!verdict.must_be_asked_for() || self.stage.judge.asked.has(verdict))
    }

    /// The payloads for which a verdict holds that is judged at the end of a run. None where it is about the run as a
    /// whole; those of a hazard are found when it becomes true.
    pub(crate) fn payloads_of<W: Bits>(&self, w: &World<W>, verdict: Verdict, of: Judgement) -> Vec<Payload> {
        let lost = |p: &Payload| of.rests || self.has_passed(w, p.0);
        match verdict {
            Verdict::ExactlyOnce | Verdict::Duplicate | Verdict::Premature | Verdict::Dirty => Vec::new(),
            Verdict::Lost => self.obligations_owed(w).filter(lost).collect(),
            Verdict::Unfinished => self.obligations_owed(w).filter(|p| !lost(p)).collect(),
            Verdict::Phantom => self.phantoms(w).collect(),
            Verdict::GradeGap => self.owed(w).filter(|p| !self.is_retained(w, p.0)).collect(),
        }
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

    /// The hazards that became true: they never become false again.
    #[inline]
    pub fn hazards<W: Bits>(&self, w: &World<W>) -> Verdicts {
        let mark = |set: Verdicts, v: Verdict| set.with_if(v, w.get(self.f.hazards[v as usize]) > 0);
        Verdict::HAZARDS.into_iter().fold(Verdicts::NONE, mark)
    }

    /// Whether the record is unsafe.
    #[inline]
    pub fn is_unsafe<W: Bits>(&self, w: &World<W>) -> bool {
        !self.hazards(w).and(Verdicts::UNSAFE).is_empty()
    }

    /// What was accepted and committed and is no longer in the live log.
    fn phantoms<'a, W: Bits>(&'a self, w: &'a World<W>) -> impl Iterator<Item = Payload> + 'a {
        (0..self.events())
            .filter(|p| w.count(self.f.accepted, *p) > 0 && self.in_journal(w, *p) && !self.in_log(w, *p))
            .map(Payload)
    }

    pub(crate) fn has_phantom<W: Bits>(&self, w: &World<W>) -> bool {
        self.phantoms(w).next().is_some()
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
        w.get(self.f.struck[Fault::Death])
    }

    /// How many messages were lost, where their number is bounded.
    pub(crate) fn losses<W: Bits>(&self, w: &World<W>) -> u32 {
        w.get(self.f.struck[Fault::Loss])
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
            .filter(|p| self.payloads[*p as usize].judged && !self.is_fulfilled(w, *p))
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
    pub fn owed<'a, W: Bits>(&'a self, w: &'a World<W>) -> impl Iterator<Item = Payload> + 'a {
        (0..self.events())
            .filter(|p| self.payloads[*p as usize].judged && !self.is_fulfilled(w, *p))
            .filter(|p| self.in_journal(w, *p))
            .map(Payload)
    }
}
