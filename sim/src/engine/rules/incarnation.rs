//! Incarnations run their programs: which step is enabled, and what each act does.

use crate::engine::machine::{Compiled, Kind, Machine, Op, Role, Rule, Scope, outruns_its_end};
use crate::engine::rules::status;
use crate::engine::watch::{Note, Watch};
use crate::engine::world::{AnyStateMut, Bits, BitsMut, World};
use crate::model::action::Action;
use crate::model::ids::{Payload, Slot};
use crate::model::program::{Act, Else, FenceTo, Fire, Stamps};
use crate::model::scenario::{CursorFaultKind, CursorReset, FenceCheck, Frontier, Heal, Stage};

impl Machine {
    /// The generation that an incarnation acts under.
    #[inline]
    pub(crate) fn generation_of<W: Bits>(&self, w: &World<W>, slot: Slot) -> u32 {
        let field = self.slot(slot).generation;
        if field.is_kept() {
            return w.get(field);
        }
        let current = w.get(self.f.generation);
        match self.slots[slot.0 as usize].role {
            Role::Recoverer(_) if self.stage.recovery.bumps_generation => current + 1,
            _ => current,
        }
    }

    /// Whether an incarnation's next step is enabled, or gives way by its `else`.
    #[inline(always)]
    pub(crate) fn can_step<W: Bits>(&self, w: &World<W>, slot: Slot) -> bool {
        let turn = &self.turns[slot.0 as usize];
        let pc = w.get(turn.pc);
        let asks = pc >= 64 || turn.asks >> pc & 1 > 0;
        (turn.open.checked_shr(pc).unwrap_or(0) & 1 > 0 || asks && self.is_open(w, slot))
            && self.may_act(w, slot)
    }

    /// The same for a step that may refuse.
    #[inline(never)]
    fn is_open<W: Bits>(&self, w: &World<W>, slot: Slot) -> bool {
        self.next_step(w, slot).is_some_and(|step| {
            !step.refuses()
                || self.guard(w, slot, step)
                    && (self.is_a_producers(slot) || !self.is_refused(w, slot, step, 0))
        })
    }

    /// The process that crashed does not act; everyone else does.
    #[inline]
    pub(super) fn may_act<W: Bits>(&self, w: &World<W>, slot: Slot) -> bool {
        slot != self.deliverer || w.get(self.f.status) == status::RUNNING
    }

    /// Whether a step can be taken.
    #[inline]
    pub(super) fn guard<W: Bits>(&self, w: &World<W>, slot: Slot, step: &Compiled) -> bool {
        debug_assert!(step.can_refuse || self.acts_are_enabled(w, slot, step));
        !step.can_refuse || self.acts_are_enabled(w, slot, step)
    }

    /// Whether every act of a step is enabled, each in the state that the acts before it leave. What can answer no is
    /// known to [`Op::can_refuse`].
    #[inline(never)]
    fn acts_are_enabled<W: Bits>(&self, w: &World<W>, slot: Slot, step: &Compiled) -> bool {
        let mut status = w.get(self.f.status);
        let mut fence = w.get(self.f.fence);
        let mut holds_fence = self.raised_the_fence(w, slot);
        let mut healed = w.get(self.f.healed) > 0;
        let mut cursor = w.get(self.f.cursor);
        let own = || self.generation_of(w, slot);
        let checks = self.stage.sink.fence;
        let heals_once = self.stage.recovery.heal == Heal::Once;
        step.acts.iter().all(|op| match op {
            Op::Commit | Op::Enqueue | Op::Snapshot(_) | Op::Read { .. } | Op::Fire(_) | Op::Discard => true,
            Op::Fetch(_) => self.can_fetch(w, slot),
            Op::Send | Op::SendBatch => {
                let limit = self.stage.wire.at_once;
                limit == 0 || self.in_flight(w) < limit
            }
            Op::AwaitAck => self.is_answered(w, slot),
            Op::Persist => {
                cursor = self.recovered_cursor(w, slot);
                self.stage.faults.cursor.is_none_or(|c| c.kind != CursorFaultKind::NotWritable)
                    && (self.is_a_producers(slot)
                        || !matches!(checks, FenceCheck::CursorStore | FenceCheck::Completion)
                        || fence <= own())
            }
            Op::Arm { rule, .. } => {
                (!heals_once || status == status::CRASHED)
                    && self.can_arm(w, slot, *rule)
                    && self.is_within_the_run(w)
            }
            Op::Heal => {
                let open = !heals_once || status == status::CRASHED && !healed;
                if status == status::CRASHED {
                    (status, healed) = (status::RECOVERED, true);
                }
                open && self.is_within_the_run(w)
            }
            Op::Recover => {
                let is_crashed = status == status::CRASHED;
                if is_crashed {
                    status = status::RECOVERED;
                }
                is_crashed || self.stage.recovery.heal == Heal::Free
            }
            Op::Fence(to) => {
                let is_down = if heals_once { status == status::CRASHED } else { status != status::RUNNING };
                let at = self.fence_value(w, slot, *to);
                let open = *to != FenceTo::Own || fence <= at && (is_down || holds_fence);
                holds_fence = at >= fence || holds_fence;
                fence = at.max(fence);
                open
            }
            Op::Release => true,
            Op::Resume => {
                // A relay that starts where its cursor points does not start where that is not allowed.
                let starts = self.stage.relay.is_none() || self.cursor_start(w, cursor).is_some();
                let open = starts
                    && (checks != FenceCheck::Completion || fence <= own())
                    && (status == status::RUNNING || self.resumes_as(w, slot, fence, holds_fence).is_some());
                status = status::RUNNING;
                open
            }
        })
    }

    /// Whether a slot runs the program of a producer or a relay; one that only seemed to crash runs it still.
    fn is_a_producers(&self, slot: Slot) -> bool {
        self.program(slot).kind != Kind::Once
    }

    /// Whether a step that is all or nothing would find one of its acts refused, each in the state that the acts before it
    /// leave. Nothing that a producer does before its send changes the answer, so only a recoverer's are tried out.
    fn is_refused<W: Bits>(&self, w: &World<W>, slot: Slot, step: &Compiled, choice: u32) -> bool {
        if !step.binds {
            return false;
        }
        if self.is_a_producers(slot) || step.acts.len() == 1 {
            return step.acts.iter().any(|op| self.is_turned_away(w, slot, *op, step.scope));
        }
        let mut trial = w.to_vec();
        step.acts.iter().any(|op| {
            let is_turned_away = self.is_turned_away(&trial, slot, *op, step.scope);
            if !is_turned_away {
                self.act_apart(&mut trial.any_mut(), slot, *op, step.scope, choice, &mut ());
            }
            is_turned_away
        })
    }

    /// Whether an action that is enabled is a step of which nothing happens but its `else`.
    pub(crate) fn gives_way<W: Bits>(&self, w: &World<W>, action: Action) -> bool {
        let Action::Step { who, item, .. } = action else { return false };
        self.next_step(w, who)
            .is_some_and(|step| !self.guard(w, who, step) || self.is_refused(w, who, step, item))
    }

    /// Runs the next step of an incarnation. A fused start starts a recoverer first.
    #[inline(never)]
    pub(super) fn step<W: BitsMut, O: Watch>(&self, w: &mut World<W>, slot: Slot, item: u32, watch: &mut O) {
        let s = self.slot(slot);
        let mut pc = w.get(s.pc);
        if pc == 0 {
            self.start_recoverer(w, slot, watch);
            pc = 1;
        }
        if self.picks_event(w, slot) {
            w.set(s.item, item);
        }
        let step = &self.program(slot).steps[pc as usize - 1];
        if !self.guard(w, slot, step) {
            return self.give_way(&mut w.any_mut(), slot, step.otherwise, false, watch);
        }
        if step.binds && self.is_refused(&w.any(), slot, step, item) {
            let stops = step.otherwise == Else::Wait && self.is_a_producers(slot);
            let otherwise = if stops { Else::Stop } else { step.otherwise };
            return self.give_way(&mut w.any_mut(), slot, otherwise, true, watch);
        }
        match step.acts.as_slice() {
            // In line and outside a loop: most steps of most runs.
            [op] => self.act(w, slot, *op, step.scope, item, watch),
            several => {
                for op in several {
                    self.act_apart(&mut w.any_mut(), slot, *op, step.scope, item, watch);
                    if step.fetches && self.fetched_nothing(w, slot) {
                        break;
                    }
                }
            }
        }
        // A relay whose position was purged has only moved it to where the log goes on.
        if step.fetches && self.fetched_nothing(w, slot) {
            return;
        }
        // A step that fires entry by entry stays where it is until the batch is empty.
        if step.by_entry && w.next_nonzero(s.batch, 0).is_some() {
            return;
        }
        if w.get(s.pc) != pc {
            return;
        }
        if step.leads_on {
            w.set(s.pc, pc + 1);
        } else {
            self.advance(w, slot);
        }
    }

    /// A step that is not enabled, or of which an act was refused, gives way by its `else`.
    #[cold]
    fn give_way(
        &self,
        w: &mut AnyStateMut<'_>,
        slot: Slot,
        otherwise: Else,
        was_refused: bool,
        watch: &mut dyn Watch,
    ) {
        if otherwise == Else::Wait {
            return;
        }
        watch.gave_way(slot, otherwise == Else::Stop, was_refused);
        if otherwise == Else::Stop {
            self.leave(w, slot);
        } else {
            self.advance(w, slot);
        }
    }

    /// [`Machine::act`] as a function of its own: for a loop over the acts of an atom, in which all of it would be in the
    /// way.
    #[inline(never)]
    fn act_apart(
        &self,
        w: &mut AnyStateMut<'_>,
        slot: Slot,
        op: Op,
        scope: Scope,
        choice: u32,
        mut watch: &mut dyn Watch,
    ) {
        self.act(w, slot, op, scope, choice, &mut watch);
    }

    /// Does one act of an incarnation.
    #[inline(always)]
    fn act<W: BitsMut, O: Watch>(
        &self,
        w: &mut World<W>,
        slot: Slot,
        op: Op,
        scope: Scope,
        choice: u32,
        watch: &mut O,
    ) {
        let s = self.slot(slot);
        match op {
            Op::Commit => self.commit(w, w.get(s.item), watch),
            Op::Enqueue => {
                let p = w.get(s.item);
                w.put(self.f.outbox, p, 1);
                w.put(self.f.pending, p, 1);
                watch.enqueued(Payload(p));
            }
            Op::Fetch(most) => {
                let committed = self.log_end(w);
                let low = self.next_fetched(w, slot).unwrap_or(committed);
                let high = committed.min(low + u32::from(most));
                w.set(s.low, low);
                w.set(s.high, high);
                w.set(s.item, low);
                watch.fetched(high - low);
            }
            Op::Send => self.send(w, slot, w.get(s.item), 0, watch),
            Op::SendBatch => {
                if let Some(request) = self.message_of(self.batch_range(w, slot, scope)) {
                    self.send(w, slot, request.0, 0, watch);
                }
            }
            Op::Snapshot(rows) => self.snapshot(&mut w.any_mut(), slot, rows, watch),
            Op::AwaitAck => w.set(s.tries, 0),
            Op::Persist => {
                let at = match (self.program(slot).kind, scope) {
                    (Kind::Once, _) => self.recovered_cursor(w, slot),
                    (Kind::Relay, Scope::Once) => w.get(s.high),
                    _ => w.get(s.item) + 1,
                };
                self.persist(w, at, watch);
            }
            Op::Discard => {
                let at = self.handled(w, slot).max(w.get(self.f.floor));
                w.set(self.f.floor, at);
                watch.noted(Note::Floor(at));
            }
            Op::Read { surface, kept } => {
                if kept {
                    self.remember(w, slot, surface);
                }
                if surface.is_a_log() {
                    w.set(s.high, self.frontier_end(w));
                }
                watch.read(surface, slot, self.number_now(w, surface));
                if watch.is_curious() && surface.shows_payloads() {
                    (0..self.events())
                        .filter(|p| self.shows_now(w, surface, *p))
                        .for_each(|p| watch.shown(Payload(p)));
                }
            }
            Op::Arm { rule, of } => {
                self.arm(&mut w.any_mut(), slot, rule, of, choice);
                watch.armed(slot);
                if watch.is_curious() {
                    (0..self.events())
                        .filter(|p| w.count(s.batch, *p) > 0)
                        .for_each(|p| watch.arms(Payload(p)));
                }
            }
            Op::Heal => self.heal(&mut w.any_mut(), watch),
            Op::Recover => self.recover(w),
            Op::Fence(to) => self.raise_fence(w, slot, to, watch),
            Op::Fire(how) => self.fire(w, slot, how, watch),
            Op::Release => self.leave(w, slot),
            Op::Resume => {
                let fence = w.get(self.f.fence);
                let next = self.resumes_as(&w.any(), slot, fence, self.raised_the_fence(w, slot));
                if let Some(next) = next {
                    self.resume(&mut w.any_mut(), next, watch);
                }
            }
        }
    }

    /// Where a recoverer writes the cursor: to the end of the log that it read, up to its frontier. A recovery up to an
    /// earlier frontier says nothing of what lies past it, and takes no cursor back that stands there.
    fn recovered_cursor<W: Bits>(&self, w: &World<W>, slot: Slot) -> u32 {
        let high = self.slot(slot).high;
        let at = if high.is_kept() { w.get(high) } else { self.frontier_end(w) };
        let cursor = w.get(self.f.cursor);
        match self.stage.recovery.frontier {
            Frontier::At(_) if cursor != self.cursor_gone() => at.max(cursor),
            _ => at,
        }
    }

    fn persist<W: BitsMut, O: Watch>(&self, w: &mut World<W>, events: u32, watch: &mut O) {
        w.set(self.f.cursor, events);
        watch.cursor(events);
    }

    /// Whether the acts of an interval would change something; else they would go on for ever.
    pub(crate) fn interval_is_due<W: Bits>(&self, w: &World<W>, slot: Slot) -> bool {
        let Some(step) = &self.program(slot).interval else { return false };
        let behind = |op: &Op| match op {
            Op::Persist => {
                let cursor = w.get(self.f.cursor);
                cursor < self.handled(w, slot) || cursor == self.cursor_gone()
            }
            Op::Discard => w.get(self.f.floor) < self.handled(w, slot),
            _ => false,
        };
        !matches!(self.slots[slot.0 as usize].role, Role::Zombie(_))
            && w.get(self.slot(slot).pc) > 0
            && self.may_act(w, slot)
            && step.acts.iter().any(behind)
    }

    pub(crate) fn interval(&self, w: &mut AnyStateMut<'_>, slot: Slot, mut watch: &mut dyn Watch) {
        let Some(step) = &self.program(slot).interval else { return };
        for op in &step.acts {
            if *op == Op::Persist {
                self.persist(w, self.handled(w, slot), &mut watch);
            } else {
                self.act_apart(w, slot, *op, step.scope, 0, watch);
            }
        }
    }

    fn raise_fence<W: BitsMut, O: Watch>(&self, w: &mut World<W>, slot: Slot, to: FenceTo, watch: &mut O) {
        let (was, at) = (w.get(self.f.fence), self.fence_value(w, slot, to));
        if at >= was {
            w.set(self.f.fence, at);
            w.set(self.f.fenced_by, self.generation_of(w, slot));
        }
        watch.fenced(at.max(was));
    }

    fn fence_value<W: Bits>(&self, w: &World<W>, slot: Slot, to: FenceTo) -> u32 {
        match to {
            FenceTo::Successor => self.crash_generation(w, slot) + 1,
            FenceTo::Own => self.generation_of(w, slot),
            FenceTo::PastOwn => self.generation_of(w, slot) + 1,
        }
    }

    /// A crashed run passes for recovered; the contents stay as they are. What a killed process had not sent went with
    /// it, but for the paper's own machine, in which nothing else changes.
    fn recover<W: BitsMut>(&self, w: &mut World<W>) {
        if w.get(self.f.status) != status::CRASHED {
            return;
        }
        w.set(self.f.status, status::RECOVERED);
        let is_paused = self.paused().any(|slot| w.get(self.slot(slot).pc) > 0);
        if self.stage.recovery.heal == Heal::Free && !is_paused {
            w.wipe(self.f.pending);
        }
    }

    /// The contents become the committed image at the frontier, whatever they were.
    fn heal(&self, w: &mut AnyStateMut<'_>, watch: &mut dyn Watch) {
        w.wipe(self.f.pending);
        if self.f.held.is_kept() {
            w.wipe(self.f.held);
            for p in 0..self.frontier_end(w) {
                if self.payloads[p as usize].recovered && self.in_log(w, p) {
                    self.write_contents(w, p);
                }
            }
        }
        if w.get(self.f.status) == status::CRASHED {
            w.set(self.f.status, status::RECOVERED);
        }
        w.set(self.f.healed, 1);
        watch.healed();
    }

    /// One whole re-drive in one step, by a recoverer that ends with it: heals, lands a batch (as a set of bits) at
    /// once, and raises the fence, where one is named. A fence at the own generation is raised first: it is a claim,
    /// and the batch lands under it.
    pub(crate) fn redrive<W: BitsMut, O: Watch>(
        &self,
        w: &mut World<W>,
        slot: Slot,
        batch: u32,
        fence: Option<FenceTo>,
        watch: &mut O,
    ) {
        self.start_recoverer(w, slot, watch);
        let claims = fence == Some(FenceTo::Own);
        let raise = |w: &mut World<W>, watch: &mut O| {
            if let Some(to) = fence {
                self.raise_fence(w, slot, to, watch);
            }
        };
        if claims {
            raise(w, watch);
        }
        self.heal(&mut w.any_mut(), watch);
        w.wipe(self.slot(slot).batch);
        (0..self.events()).filter(|p| batch >> p & 1 == 1).for_each(|p| self.put_in_batch(w, slot, p));
        let stamps = if claims { Stamps::Own } else { Stamps::CrashTime };
        self.fire_as(w, slot, Fire::All, stamps, watch);
        if !claims {
            raise(w, watch);
        }
        self.leave(w, slot);
    }
}

impl Op {
    /// Whether the act is not enabled in some state of this stage.
    pub(crate) fn can_refuse(self, stage: &Stage) -> bool {
        match self {
            Op::Commit | Op::Enqueue | Op::Snapshot(_) | Op::Read { .. } | Op::Fire(_) | Op::Discard => false,
            Op::Fetch(_) | Op::AwaitAck => true,
            Op::Recover => stage.recovery.heal == Heal::Once,
            Op::Send | Op::SendBatch => stage.wire.at_once > 0,
            Op::Persist => {
                stage.faults.cursor.is_some_and(|c| c.kind == CursorFaultKind::NotWritable)
                    || matches!(stage.sink.fence, FenceCheck::CursorStore | FenceCheck::Completion)
            }
            Op::Arm { rule, .. } => {
                rule == Rule::PastCursor && stage.recovery.reset == CursorReset::Fail
                    || stage.recovery.heal == Heal::Once
                    || outruns_its_end(stage)
            }
            Op::Heal => stage.recovery.heal == Heal::Once || outruns_its_end(stage),
            Op::Fence(to) => to == FenceTo::Own,
            Op::Release => false,
            Op::Resume => {
                stage.sink.fence == FenceCheck::Completion
                    || can_be_superseded(stage)
                    || stage.relay.is_some() && stage.recovery.reset == CursorReset::Fail
            }
        }
    }
}

/// Whether a recoverer can find another process at its own number or above when it resumes the run: a recoverer that
/// started later, the one before it that raised the fence past itself, or the process that it had resumed itself.
fn can_be_superseded(stage: &Stage) -> bool {
    let acts = || stage.policy.acts();
    let raises_past_itself = acts().any(|act| *act == Act::Fence(FenceTo::PastOwn));
    let resumes = acts().filter(|act| **act == Act::Resume).count();
    stage.recovery.bumps_generation
        && stage.recovery.heal == Heal::Free
        && (stage.recovery.recoverers > 1 || raises_past_itself && stage.recovery.attempts > 1 || resumes > 1)
}
