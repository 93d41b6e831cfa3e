//! Which actions a state offers, counted and indexed in one total order: the sections in the order of [`Section`],
//! and within a section by slot, emission or payload.

use crate::engine::machine::{Machine, Op, Role, Windows};
use crate::engine::rules::status;
use crate::engine::steps;
use crate::engine::world::{Bits, World};
use crate::model::action::{Action, Emission, Section};
use crate::model::ids::Slot;
use crate::model::scenario::{Fault, Heal, Start};

/// What can happen in most stages: then nothing asks which sections there are, and what each offers stands in line.
const PLAIN: [Section; 5] = [Section::Steps, Section::FirstStart, Section::Arrive, LOSE, CRASH];

const LOSE: Section = Section::Fault(Fault::Loss);
const CRASH: Section = Section::Fault(Fault::Crash);

/// What a state offers, by section; what is not plain is counted apart.
#[derive(Clone, Copy)]
pub(super) struct Offer {
    /// The steps that incarnations can take.
    steps: u32,
    /// The first incarnation that can take one, where there is any.
    first: Slot,
    /// Under how many labels a recoverer can start while nobody recovers.
    starts: u32,
    /// Different messages in flight.
    flying: u32,
    /// The actions before the faults; a crash of a run that has ended is none.
    pub(super) progress: u32,
    /// Different messages that can be lost.
    pub(super) losses: u32,
    pub(super) crashes: u32,
}

impl Machine {
    /// Whether [`PLAIN`] holds all that can happen here.
    pub(crate) fn is_plain(&self) -> bool {
        self.stage.wire.reorders && self.sections.iter().all(|s| PLAIN.contains(s))
    }

    /// How many actions are enabled. With [`Machine::nth`] from 0 to one less, that is all of them, each once.
    pub fn enabled<W: Bits>(&self, w: &World<W>) -> u32 {
        let offer = self.offer(w);
        offer.progress + self.faults(w, offer)
    }

    /// One of the enabled actions, by an index that `draw` picks below their number; none where the run has ended.
    #[inline(always)]
    pub fn choose<W: Bits>(&self, w: &World<W>, draw: impl FnOnce(u32) -> u32) -> Option<Action> {
        let offer = self.offer(w);
        if offer.progress == 0 {
            return self.choose_to_wake(w, draw);
        }
        let k = draw(offer.progress + self.faults(w, offer));
        self.pick(w, offer, k)
    }

    /// Where nothing is left to do but what paused processes could: one of that, or the end of the run.
    #[cold]
    pub(crate) fn choose_to_wake<W: Bits>(
        &self,
        w: &World<W>,
        draw: impl FnOnce(u32) -> u32,
    ) -> Option<Action> {
        let paused = self.count_paused(w);
        if paused == 0 { None } else { self.nth_paused(w, draw(paused + 1)) }
    }

    /// The same without the faults of the sections that `may_strike` refuses.
    pub(crate) fn choose_among<W: Bits>(
        &self,
        w: &World<W>,
        may_strike: impl Fn(Section) -> bool,
        draw: impl FnOnce(u32) -> u32,
    ) -> Option<Action> {
        let offer = self.offer(w);
        if offer.progress == 0 {
            return self.choose_to_wake(w, draw);
        }
        let offered = || self.sections.iter().filter(|s| !s.is_fault() || may_strike(**s));
        let mut k = draw(offered().map(|s| self.count(w, *s, offer)).sum());
        for section in offered() {
            let here = self.count(w, *section, offer);
            if k < here {
                return self.pick_from(w, *section, k, offer.first);
            }
            k -= here;
        }
        None
    }

    /// The `k`-th enabled action, from 0.
    pub fn nth<W: Bits>(&self, w: &World<W>, k: u32) -> Option<Action> {
        self.pick(w, self.offer(w), k)
    }

    /// The `k`-th of what a state offers.
    #[inline(always)]
    fn pick<W: Bits>(&self, w: &World<W>, offer: Offer, mut k: u32) -> Option<Action> {
        if !self.is_plain {
            return self.pick_among_all(w, offer, k);
        }
        if k < offer.steps {
            return self.pick_from(w, Section::Steps, k, offer.first);
        }
        k -= offer.steps;
        if k < offer.starts {
            return self.pick_from(w, Section::FirstStart, k, offer.first);
        }
        k -= offer.starts;
        if k < offer.flying {
            return self.nth_flying(w, k).map(Action::Arrive);
        }
        k -= offer.flying;
        if k < offer.losses {
            return self.nth_flying(w, k).map(Action::Lose);
        }
        if k < offer.losses + offer.crashes { self.crash_action() } else { None }
    }

    /// Counting again up to the section that has it takes less than keeping the counts.
    #[inline(never)]
    fn pick_among_all<W: Bits>(&self, w: &World<W>, offer: Offer, mut k: u32) -> Option<Action> {
        for section in &self.sections {
            let here = self.count(w, *section, offer);
            if k < here {
                return self.pick_from(w, *section, k, offer.first);
            }
            k -= here;
        }
        None
    }

    /// Calls `f` with every enabled action, in order, and says how many of them were no faults.
    #[inline(always)]
    pub fn each_enabled<W: Bits>(&self, w: &World<W>, mut f: impl FnMut(Action)) -> u32 {
        let offer = self.offer(w);
        if !self.is_plain {
            for section in &self.sections {
                for k in 0..self.count(w, *section, offer) {
                    self.pick_from(w, *section, k, offer.first).into_iter().for_each(&mut f);
                }
            }
            return offer.progress;
        }
        self.each_step(w, offer, &mut f);
        w.each_nonzero(self.f.wire, |index| f(Action::Arrive(self.emission_at(index))));
        if offer.losses > 0 {
            w.each_nonzero(self.f.wire, |index| f(Action::Lose(self.emission_at(index))));
        }
        if offer.crashes > 0 {
            self.crash_action().into_iter().for_each(f);
        }
        offer.progress
    }

    /// The steps of incarnations and the starts of recoverers, in order.
    #[inline(always)]
    pub(super) fn each_step<W: Bits>(&self, w: &World<W>, offer: Offer, mut f: impl FnMut(Action)) {
        if offer.steps > 0 {
            f(self.step_with(w, offer.first, 0));
        }
        for k in 1..offer.steps {
            self.nth_step(w, k).into_iter().for_each(&mut f);
        }
        for k in 0..offer.starts {
            self.pick_from(w, Section::FirstStart, k, offer.first).into_iter().for_each(&mut f);
        }
    }

    #[inline(always)]
    pub(super) fn offer<W: Bits>(&self, w: &World<W>) -> Offer {
        let is_running = w.get(self.f.status) == status::RUNNING;
        let (steps, first) = self.count_steps(w);
        let flying = w.distinct(self.f.wire);
        let starts = if is_running { 0 } else { self.count_starts(w) };
        let mut offer =
            Offer { steps, first, starts, flying, progress: steps + starts + flying, losses: 0, crashes: 0 };
        if !self.is_plain {
            offer.progress =
                self.sections.iter().take_while(|s| !s.is_fault()).map(|s| self.count(w, *s, offer)).sum();
        }
        offer.losses = if self.may_lose(w) { flying } else { 0 };
        offer.crashes = u32::from(is_running && self.can_crash(w, || offer.progress > 0));
        offer
    }

    /// How many faults can strike.
    #[inline(always)]
    fn faults<W: Bits>(&self, w: &World<W>, offer: Offer) -> u32 {
        if self.is_plain {
            return offer.losses + offer.crashes;
        }
        self.sections.iter().filter(|s| s.is_fault()).map(|s| self.count(w, *s, offer)).sum()
    }

    /// How many steps incarnations can take, counting each choice that one leaves open, and who takes the first.
    #[inline(always)]
    fn count_steps<W: Bits>(&self, w: &World<W>) -> (u32, Slot) {
        let (mut steps, mut first) = (0, Slot(0));
        for i in 0..usize::from(self.standing) {
            let who = Slot(i as u8);
            if self.can_step(w, who) {
                if steps == 0 {
                    first = who;
                }
                steps += if self.has_choices { self.open_choices(w, who) } else { 1 };
            }
        }
        (steps, first)
    }

    /// Under how many labels a recoverer can start while nobody recovers a run that is down.
    #[inline(never)]
    fn count_starts<W: Bits>(&self, w: &World<W>) -> u32 {
        self.first_start(w).map_or(0, |slot| self.start_choices(w, slot))
    }

    pub(super) fn crash_action(&self) -> Option<Action> {
        self.stage.faults.crash.as_ref().map(|crash| Action::Crash(crash.kind))
    }

    /// Whether an action starts a recoverer.
    pub fn starts_recoverer(&self, action: Action) -> bool {
        match action {
            Action::Start(_) => true,
            Action::Step { who, pc: 0, .. } => {
                self.stage.recovery.start == Start::Fused
                    && matches!(self.slots[who.0 as usize].role, Role::Recoverer(_))
            }
            _ => false,
        }
    }

    /// Whether an action starts a recoverer while another lives: a fault of the orchestrator's.
    pub(crate) fn is_suspicion<W: Bits>(&self, w: &World<W>, action: Action) -> bool {
        self.starts_recoverer(action)
            && self.live_recoverers(w) > 0
            && matches!(action, Action::Start(who) | Action::Step { who, .. } if w.get(self.slot(who).pc) == 0)
    }

    /// Whether a slot is a recoverer's.
    pub(crate) fn is_recoverer(&self, slot: Slot) -> bool {
        matches!(self.slots[slot.0 as usize].role, Role::Recoverer(_))
    }

    /// The different messages in flight.
    pub(crate) fn flying<'a, W: Bits>(&'a self, w: &'a World<W>) -> impl Iterator<Item = Emission> + 'a {
        (0..w.distinct(self.f.wire)).filter_map(|k| self.nth_flying(w, k))
    }

    /// How many of the enabled actions are not faults; they come first.
    #[inline(never)]
    pub(crate) fn progress<W: Bits>(&self, w: &World<W>) -> u32 {
        self.offer(w).progress
    }

    /// Whether no step is enabled but faults: where completeness is judged. A fault may still follow.
    pub fn is_quiescent<W: Bits>(&self, w: &World<W>) -> bool {
        self.progress(w) == 0
    }

    /// How many actions a section offers.
    #[inline(always)]
    fn count<W: Bits>(&self, w: &World<W>, section: Section, offer: Offer) -> u32 {
        match section {
            Section::Steps => offer.steps,
            Section::FirstStart => offer.starts,
            Section::Arrive if self.stage.wire.reorders => offer.flying,
            LOSE => offer.losses,
            Section::Paused => self.count_paused(w),
            CRASH => offer.crashes,
            rare => steps::rare(rare).map_or(0, |rare| self.count_rare(&w.any(), rare)),
        }
    }

    /// The `k`-th action of a section that offers more than `k`. `first`: who takes the first step.
    #[inline(always)]
    fn pick_from<W: Bits>(&self, w: &World<W>, section: Section, k: u32, first: Slot) -> Option<Action> {
        match section {
            Section::Steps if k == 0 => Some(self.step_with(w, first, 0)),
            Section::Steps => self.nth_step(w, k),
            Section::FirstStart => self.first_start(w).map(|s| self.start_of(w, s, k)),
            Section::Arrive if self.stage.wire.reorders => self.nth_flying(w, k).map(Action::Arrive),
            LOSE => self.nth_flying(w, k).map(Action::Lose),
            Section::Paused => self.nth_paused(w, k),
            CRASH => self.crash_action(),
            rare => self.nth_rare(&w.any(), steps::rare(rare)?, k),
        }
    }

    /// The `k`-th of the different messages in flight.
    #[inline(always)]
    fn nth_flying<W: Bits>(&self, w: &World<W>, k: u32) -> Option<Emission> {
        w.nth_nonzero(self.f.wire, k).map(|index| self.emission_at(index))
    }

    /// Whether an action is enabled; what a script is held against.
    pub fn is_enabled<W: Bits>(&self, w: &World<W>, action: Action) -> bool {
        let known = |slot: Slot| (slot.0 as usize) < self.slots.len();
        let flying = |e: Emission| self.knows(e) && w.count(self.f.wire, self.emission_index(e)) > 0;
        match action {
            Action::Step { who, .. } => {
                known(who)
                    && ((0..self.step_choices(w, who)).any(|k| self.step_with(w, who, k) == action)
                        || self.stage.recovery.start == Start::Fused
                            && [self.first_start(w), self.suspect_start(w)].contains(&Some(who))
                            && (0..self.start_choices(w, who)).any(|k| self.start_of(w, who, k) == action))
            }
            Action::Arrive(e) => {
                flying(e)
                    && (self.stage.wire.reorders || w.seq_get(self.f.queue, 0) == self.emission_index(e))
            }
            Action::Lose(e) => flying(e) && self.may_lose(w),
            Action::Crash(kind) => {
                self.stage.faults.crash.as_ref().is_some_and(|c| c.kind == kind)
                    && self.can_crash(w, || self.progress(w) > 0)
            }
            Action::Start(slot) => {
                self.stage.recovery.start == Start::Step
                    && [self.first_start(w), self.suspect_start(w)].contains(&Some(slot))
            }
            Action::Timeout(who) if known(who) && !self.stands(who) => self.can_try_again(w, who),
            rare => {
                let section = rare.section();
                self.sections.contains(&section)
                    && steps::rare(section).is_some_and(|entry| self.has_rare(&w.any(), entry, rare))
            }
        }
    }

    /// Whether the emission is one that this stage can produce.
    pub(crate) fn knows(&self, e: Emission) -> bool {
        e.payload.0 < self.messages()
            && u32::from(e.generation.0) < self.generations
            && u32::from(e.sender) < self.senders()
            && (e.justified || self.can_be_early)
    }

    /// Whether a slot belongs to the stage as it stands: not to a process that only seemed to crash.
    pub(crate) fn stands(&self, slot: Slot) -> bool {
        slot.0 < self.standing
    }

    /// What paused processes could do if they woke now: their next steps, and another try where they wait for a reply.
    /// They may, and need not: no end of a run waits for it.
    pub(crate) fn count_paused<W: Bits>(&self, w: &World<W>) -> u32 {
        self.paused().map(|slot| self.step_choices(w, slot) + u32::from(self.can_try_again(w, slot))).sum()
    }

    /// The `k`-th of these.
    pub(crate) fn nth_paused<W: Bits>(&self, w: &World<W>, mut k: u32) -> Option<Action> {
        for slot in self.paused() {
            let steps = self.step_choices(w, slot);
            if k < steps {
                return Some(self.step_with(w, slot, k));
            }
            k -= steps;
            if self.can_try_again(w, slot) {
                if k == 0 {
                    return Some(Action::Timeout(slot));
                }
                k -= 1;
            }
        }
        None
    }

    fn can_try_again<W: Bits>(&self, w: &World<W>, slot: Slot) -> bool {
        self.sections.contains(&Section::Timeout) && self.can_time_out(w, slot)
    }

    /// The slots of processes that only seemed to crash.
    pub(crate) fn paused(&self) -> impl Iterator<Item = Slot> {
        (self.standing..self.slots.len() as u8).map(Slot)
    }

    /// Whether an action is a paused process's.
    pub(crate) fn is_by_paused(&self, action: Action) -> bool {
        matches!(action, Action::Step { who, .. } | Action::Timeout(who) if !self.stands(who))
    }

    /// The `k`-th of the steps that incarnations can take, counting each choice that one leaves open.
    #[inline(never)]
    fn nth_step<W: Bits>(&self, w: &World<W>, mut k: u32) -> Option<Action> {
        for (i, fields) in self.f.slots[..usize::from(self.standing)].iter().enumerate() {
            if w.get(fields.pc) > 0 {
                let slot = Slot(i as u8);
                let here = self.step_choices(w, slot);
                if k < here {
                    return Some(self.step_with(w, slot, k));
                }
                k -= here;
            }
        }
        None
    }

    /// The next step of an incarnation with the `k`-th of the choices that it leaves open.
    #[inline]
    pub(crate) fn step_with<W: Bits>(&self, w: &World<W>, who: Slot, k: u32) -> Action {
        let pc = w.get(self.slot(who).pc).saturating_sub(1) as u16;
        Action::Step { who, pc, item: self.step_item(w, who, k) }
    }

    /// The label of the step that an incarnation stands before.
    #[inline(always)]
    pub(crate) fn step_of<W: Bits>(&self, w: &World<W>, who: Slot) -> Action {
        let slot = self.slot(who);
        let pc = w.get(slot.pc).saturating_sub(1) as u16;
        Action::Step { who, pc, item: self.item_of(w, who) }
    }

    /// The `k`-th of the labels under which a recoverer starts.
    #[inline]
    pub(crate) fn start_of<W: Bits>(&self, w: &World<W>, slot: Slot, k: u32) -> Action {
        match self.stage.recovery.start {
            Start::Step => Action::Start(slot),
            Start::Fused => Action::Step { who: slot, pc: 0, item: self.step_item(w, slot, k) },
        }
    }

    /// The first of the labels under which a recoverer starts, where it can.
    pub(crate) fn least_start<W: Bits>(&self, w: &World<W>, slot: Slot) -> Option<Action> {
        (self.start_choices(w, slot) > 0).then(|| self.start_of(w, slot, 0))
    }

    /// The first place for a recoverer; there always is one.
    pub(crate) fn first_recoverer(&self) -> Slot {
        Slot(self.deliverer.0 + 1)
    }

    /// Whether a recovery decision is due: the run is down, nobody recovers it, and somebody will.
    pub(crate) fn decision_is_due<W: Bits>(&self, w: &World<W>) -> bool {
        let can_heal = w.get(self.f.status) == status::CRASHED || self.stage.recovery.heal == Heal::Free;
        can_heal && self.first_start(w).is_some()
    }

    /// The slots of recoverers; they follow the delivering process.
    pub(super) fn recoverers(&self) -> impl Iterator<Item = Slot> {
        let first = self.deliverer.0 + 1;
        (first..first + self.stage.recovery.recoverers).map(Slot)
    }

    #[inline]
    pub(crate) fn live_recoverers<W: Bits>(&self, w: &World<W>) -> u32 {
        self.recoverers().filter(|slot| w.get(self.slot(*slot).pc) > 0).count() as u32
    }

    /// The slot in which the orchestrator would start a recoverer: a run is down, and starts are left.
    pub(crate) fn free_start<W: Bits>(&self, w: &World<W>) -> Option<Slot> {
        if w.get(self.f.status) == status::RUNNING
            || self.f.starts.is_kept() && w.get(self.f.starts) >= u32::from(self.stage.recovery.attempts)
        {
            return None;
        }
        self.recoverers().find(|slot| w.get(self.slot(*slot).pc) == 0)
    }

    /// A start while nobody recovers: it will come.
    #[inline]
    pub(crate) fn first_start<W: Bits>(&self, w: &World<W>) -> Option<Slot> {
        if w.get(self.f.status) == status::RUNNING || self.live_recoverers(w) > 0 {
            return None;
        }
        self.free_start(w)
    }

    /// Whether an incarnation stands at a place that a named window covers.
    pub(crate) fn in_window<W: Bits>(&self, w: &World<W>, slot: Slot, windows: &Windows) -> bool {
        let pc = w.get(self.slot(slot).pc) as usize;
        if pc == 0 {
            return false;
        }
        let before = windows.before.get(pc - 1).copied().unwrap_or(false);
        let done = self.step_before(w, slot).and_then(|step| windows.after.get(step).copied());
        before || done.unwrap_or(false)
    }

    /// Whether the delivering process is down: crashed, or not resumed yet.
    #[inline]
    pub fn is_down<W: Bits>(&self, w: &World<W>) -> bool {
        w.get(self.f.status) != status::RUNNING
    }

    /// Whether a recovery has finished: the delivering process was brought back to running.
    pub(crate) fn was_recovered<W: Bits>(&self, w: &World<W>) -> bool {
        let downs = w.get(self.f.struck[Fault::Crash])
            + w.get(self.f.struck[Fault::Truncation])
            + u32::from(self.stage.start.crashed);
        downs > u32::from(self.is_down(w))
    }

    /// Whether a step of a program holds an act that satisfies `test`.
    pub(crate) fn step_has(&self, slot: Slot, pc: u16, test: impl Fn(&Op) -> bool) -> bool {
        self.program(slot).steps.get(pc as usize).is_some_and(|s| s.acts.iter().any(test))
    }
}
