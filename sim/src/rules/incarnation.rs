//! Incarnations run their programs: which step is enabled, what each act does, and where a program goes next.

use crate::action::Emission;
use crate::ids::{Generation, Payload, Slot};
use crate::machine::{Compiled, Kind, Machine, Op, Program, Role, Rule, Scope, outruns_its_end};
use crate::program::{Else, FenceTo, Fire, Stamps};
use crate::rules::status;
use crate::scenario::{
    Advance, BatchAcceptance, CursorFaultKind, CursorIs, CursorReset, FenceCheck, Heal, Stage,
};
use crate::watch::Watch;
use crate::world::{Words, World};

impl Machine {
    /// The value of a program counter after a program's last step.
    #[inline]
    pub(crate) fn end(&self, slot: Slot) -> u32 {
        self.program(slot).steps.len() as u32 + 1
    }

    /// The generation that an incarnation acts under.
    #[inline]
    pub(crate) fn generation_of<W: Words>(&self, w: &World<W>, slot: Slot) -> u32 {
        let field = self.slot(slot).generation;
        if field.is_kept() {
            return w.get(field);
        }
        let current = w.get(self.f.generation);
        match self.slots[slot.0 as usize].role {
            Role::Recoverer(_) => (current + 1).min(self.generations - 1),
            _ => current,
        }
    }

    /// The event or entry that the next step works on.
    #[inline(always)]
    pub(crate) fn item_of<W: Words>(&self, w: &World<W>, slot: Slot) -> u32 {
        match self.next_step(w, slot) {
            Some(step) if step.by_entry => w.next_nonzero(self.slot(slot).batch, 0).unwrap_or(0),
            // A recoverer keeps no item, and reads 0.
            _ => w.get(self.slot(slot).item),
        }
    }

    /// The step that an incarnation stands before.
    #[inline(always)]
    pub(super) fn next_step<W: Words>(&self, w: &World<W>, slot: Slot) -> Option<&Compiled> {
        let pc = w.get(self.slot(slot).pc) as usize;
        self.program(slot).steps.get(pc.checked_sub(1)?)
    }

    /// Whether an incarnation's next step is enabled, or gives way by its `else`.
    #[inline(always)]
    pub(crate) fn can_step<W: Words>(&self, w: &World<W>, slot: Slot) -> bool {
        let turn = &self.turns[slot.0 as usize];
        let pc = w.get(turn.pc);
        let asks = pc >= 64 || turn.asks >> pc & 1 > 0;
        (turn.open.checked_shr(pc).unwrap_or(0) & 1 > 0 || asks && self.is_open(w, slot))
            && self.may_act(w, slot)
    }

    /// The same for a step that may refuse.
    #[inline(never)]
    fn is_open<W: Words>(&self, w: &World<W>, slot: Slot) -> bool {
        self.next_step(w, slot).is_some_and(|step| !step.refuses() || self.guard(w, slot, step))
    }

    /// The process that crashed does not act; everyone else does.
    #[inline]
    fn may_act<W: Words>(&self, w: &World<W>, slot: Slot) -> bool {
        slot != self.deliverer || w.get(self.f.status) == status::RUNNING
    }

    /// Whether a step can be taken.
    #[inline]
    fn guard<W: Words>(&self, w: &World<W>, slot: Slot, step: &Compiled) -> bool {
        debug_assert!(step.can_refuse || self.acts_are_enabled(w, slot, step));
        !step.can_refuse || self.acts_are_enabled(w, slot, step)
    }

    /// Whether every act of a step is enabled, each in the state that the acts before it leave. What can answer no is
    /// known to [`Op::can_refuse`].
    #[inline(never)]
    fn acts_are_enabled<W: Words>(&self, w: &World<W>, slot: Slot, step: &Compiled) -> bool {
        let mut status = w.get(self.f.status);
        let mut fence = w.get(self.f.fence);
        let mut healed = w.get(self.f.healed) > 0;
        let own = || self.generation_of(w, slot);
        let checks = self.stage.sink.fence;
        step.acts.iter().all(|op| match op {
            Op::Commit | Op::Enqueue | Op::Snapshot(_) | Op::Read { .. } | Op::Fire(_) | Op::Discard => true,
            Op::Fetch(_) => w.get(self.slot(slot).high) < self.log_end(w),
            Op::Send | Op::SendBatch => {
                let limit = self.stage.wire.at_once;
                limit == 0 || self.in_flight(w) < limit
            }
            Op::AwaitAck => w.count(self.f.acked, w.get(self.slot(slot).item)) > 0,
            Op::Persist => {
                self.stage.faults.cursor.is_none_or(|c| c.kind != CursorFaultKind::NotWritable)
                    && (!matches!(checks, FenceCheck::CursorStore | FenceCheck::Completion) || fence <= own())
            }
            Op::Arm { rule, .. } => self.can_arm(w, slot, *rule) && self.is_within_the_run(w),
            Op::Heal => {
                let open = match self.stage.recovery.heal {
                    Heal::Once => status == status::CRASHED && !healed,
                    Heal::Free => true,
                };
                if status == status::CRASHED {
                    (status, healed) = (status::RECOVERED, true);
                }
                open && self.is_within_the_run(w)
            }
            Op::Recover => {
                let open = status == status::CRASHED;
                status = status::RECOVERED;
                open
            }
            Op::Fence(to) => {
                let open = *to != FenceTo::Own || status != status::RUNNING && fence <= own();
                fence = self.fence_value(w, slot, *to).max(fence);
                open
            }
            Op::Release | Op::Resume => {
                status = status::RUNNING;
                checks != FenceCheck::Completion || fence <= own()
            }
        })
    }

    /// How many events the messages in flight carry; what is no delivery counts as one.
    pub fn events_in_flight<W: Words>(&self, w: &World<W>) -> u32 {
        let (mut sum, mut at) = (0, 0);
        while let Some(index) = w.next_nonzero(self.f.wire, at) {
            let carried = self.entries(self.emission_at(index).payload).len() as u32;
            sum += w.count(self.f.wire, index) * carried.max(1);
            at = index + 1;
        }
        sum
    }

    /// How many messages are in flight.
    pub fn in_flight<W: Words>(&self, w: &World<W>) -> u32 {
        let mut sum = 0;
        let mut at = 0;
        while let Some(index) = w.next_nonzero(self.f.wire, at) {
            sum += w.count(self.f.wire, index);
            at = index + 1;
        }
        sum
    }

    /// Runs the next step of an incarnation. A fused start starts a recoverer first.
    #[inline(never)]
    pub(super) fn step<W: Words, O: Watch>(&self, w: &mut World<W>, slot: Slot, item: u32, watch: &mut O) {
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
            return self.give_way(w, slot, step, watch);
        }
        match step.acts.as_slice() {
            // In line and outside a loop: most steps of most runs.
            [op] => self.act(w, slot, *op, step.scope, item, watch),
            several => several.iter().for_each(|op| self.act_apart(w, slot, *op, step.scope, item, watch)),
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

    /// A step that is not enabled gives way by its `else`.
    #[cold]
    fn give_way<W: Words, O: Watch>(&self, w: &mut World<W>, slot: Slot, step: &Compiled, watch: &mut O) {
        if step.otherwise == Else::Wait {
            return;
        }
        watch.gave_way(slot, step.otherwise == Else::Stop);
        if step.otherwise == Else::Stop {
            self.leave(w, slot);
        } else {
            self.advance(w, slot);
        }
    }

    /// [`Machine::act`] as a function of its own: for a loop over the acts of an atom, in which all of it would be in the
    /// way.
    #[inline(never)]
    fn act_apart<W: Words, O: Watch>(
        &self,
        w: &mut World<W>,
        slot: Slot,
        op: Op,
        scope: Scope,
        choice: u32,
        watch: &mut O,
    ) {
        self.act(w, slot, op, scope, choice, watch);
    }

    /// Does one act of an incarnation.
    #[inline(always)]
    fn act<W: Words, O: Watch>(
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
                let (low, committed) = (w.get(s.high), self.log_end(w));
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
            Op::Snapshot(rows) => self.snapshot(w, slot, rows, watch),
            Op::AwaitAck => w.set(s.tries, 0),
            Op::Persist => {
                let at = match (self.program(slot).kind, scope) {
                    (Kind::Once, _) if s.high.is_kept() => w.get(s.high),
                    (Kind::Once, _) => self.frontier_end(w),
                    (Kind::Relay, Scope::Once) => w.get(s.high),
                    _ => w.get(s.item) + 1,
                };
                self.persist(w, at, watch);
            }
            Op::Discard => {
                let at = self.handled(w, slot).max(w.get(self.f.floor));
                w.set(self.f.floor, at);
                watch.noted(crate::watch::Note::Floor(at));
            }
            Op::Read { surface, kept } => {
                if kept {
                    self.remember(w, slot, surface);
                }
                if surface.is_a_log() {
                    w.set(s.high, self.frontier_end(w));
                }
                watch.read(surface, slot, self.number_now(w, surface));
                if O::CURIOUS && surface.shows_payloads() {
                    (0..self.events())
                        .filter(|p| self.shows_now(w, surface, *p))
                        .for_each(|p| watch.shown(Payload(p)));
                }
            }
            Op::Arm { rule, of } => {
                self.arm(w, slot, rule, of, choice);
                watch.armed(slot);
                if O::CURIOUS {
                    (0..self.events())
                        .filter(|p| w.count(s.batch, *p) > 0)
                        .for_each(|p| watch.arms(Payload(p)));
                }
            }
            Op::Heal => self.heal(w, watch),
            Op::Recover => w.set(self.f.status, status::RECOVERED),
            Op::Fence(to) => self.raise_fence(w, slot, to, watch),
            Op::Fire(how) => self.fire(w, slot, how, watch),
            Op::Release => self.resume(w, w.get(self.f.generation), watch),
            Op::Resume => {
                // A recoverer that was started earlier and resumes later must not take the run back to a generation
                // that the next fence would not rise past.
                let newest = w.get(self.f.generation).max(w.get(self.f.fence));
                let next = self.generation_of(w, slot).max(newest).min(self.generations - 1);
                self.resume(w, next, watch);
            }
        }
    }

    /// Puts a payload on the wire, stamped with what the journal holds now.
    #[inline]
    fn send<W: Words, O: Watch>(&self, w: &mut World<W>, slot: Slot, p: u32, attempt: u32, watch: &mut O) {
        let generation = match (self.program(slot).kind, self.program(slot).stamps) {
            (Kind::Once, Stamps::CrashTime) => w.get(self.f.generation),
            _ => self.generation_of(w, slot),
        };
        let e = self.emission(w, p, generation, attempt);
        self.put_out(w, slot, e, watch);
    }

    /// A message leaves its sender.
    #[inline]
    pub(super) fn put_out<W: Words, O: Watch>(
        &self,
        w: &mut World<W>,
        slot: Slot,
        e: Emission,
        watch: &mut O,
    ) {
        if self.stage.wire.instant {
            watch.landed(e, slot);
        } else {
            self.enter_wire(w, e);
            watch.sent(e, slot);
        }
        for entry in self.entries(e.payload) {
            self.note_sent(w, entry, watch);
        }
        if self.stage.wire.instant {
            self.receive(w, e, watch);
        }
    }

    #[inline]
    fn emission<W: Words>(&self, w: &World<W>, p: u32, generation: u32, attempt: u32) -> Emission {
        Emission {
            payload: Payload(p),
            generation: Generation(generation as u16),
            justified: self.entries(Payload(p)).all(|p| self.was_committed(w, p)),
            attempt: attempt.min(self.attempts - 1) as u8,
        }
    }

    #[inline]
    fn note_sent<W: Words, O: Watch>(&self, w: &mut World<W>, p: u32, watch: &mut O) {
        watch.carries(Payload(p));
        w.put(self.f.sent, p, 1);
        w.put(self.f.pending, p, 0);
        if self.stage.sink.contents_advance == Advance::Send {
            self.write_contents(w, p);
        }
    }

    /// A sender that waits for a reply sends again.
    pub(super) fn send_again<W: Words, O: Watch>(&self, w: &mut World<W>, slot: Slot, watch: &mut O) {
        w.add(self.slot(slot).tries, 1);
        let (p, tries) = (w.get(self.slot(slot).item), w.get(self.slot(slot).tries));
        self.send(w, slot, p, tries, watch);
    }

    pub(crate) fn can_time_out<W: Words>(&self, w: &World<W>, slot: Slot) -> bool {
        let pc = w.get(self.slot(slot).pc);
        let retry = u32::from(self.program(slot).retry);
        pc > 0
            && retry > 0
            && self.may_act(w, slot)
            && self.step_has(slot, pc as u16 - 1, |op| *op == Op::AwaitAck)
            && w.count(self.f.acked, w.get(self.slot(slot).item)) == 0
            && w.get(self.slot(slot).tries) < retry
    }

    /// The events that a `send_batch` carries.
    fn batch_range<W: Words>(&self, w: &World<W>, slot: Slot, scope: Scope) -> std::ops::Range<u32> {
        let s = self.slot(slot);
        match scope {
            Scope::Every(n) => {
                let item = w.get(s.item);
                item - item % u32::from(n)..item + 1
            }
            _ => w.get(s.low)..w.get(s.high),
        }
    }

    fn persist<W: Words, O: Watch>(&self, w: &mut World<W>, events: u32, watch: &mut O) {
        w.set(self.f.cursor, events);
        watch.cursor(events);
    }

    /// How many events an incarnation is done with: up to there it would write the cursor now.
    pub(crate) fn handled<W: Words>(&self, w: &World<W>, slot: Slot) -> u32 {
        let (s, program) = (self.slot(slot), self.program(slot));
        let (pc, item) = (w.get(s.pc), w.get(s.item));
        let past_send = program.last_send.is_some_and(|send| pc > u32::from(send) + 1);
        match program.kind {
            Kind::Events if pc == self.end(slot) => self.events(),
            Kind::Events => item + u32::from(past_send),
            Kind::Relay if past_send || pc <= 1 => w.get(s.high),
            Kind::Relay => item.max(w.get(s.low)),
            Kind::Once => 0,
        }
    }

    /// Whether the delivering process has nothing left to do, whatever is still in flight.
    pub(crate) fn has_delivered<W: Words>(&self, w: &World<W>) -> bool {
        let (slot, pc) = (self.deliverer, w.get(self.slot(self.deliverer).pc));
        match self.program(slot).kind {
            Kind::Relay => pc == 1 && w.get(self.slot(slot).high) == self.events(),
            _ => pc == self.end(slot),
        }
    }

    /// Whether the acts of an interval would change something; else they would go on for ever.
    pub(crate) fn interval_is_due<W: Words>(&self, w: &World<W>, slot: Slot) -> bool {
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

    pub(super) fn interval<W: Words, O: Watch>(&self, w: &mut World<W>, slot: Slot, watch: &mut O) {
        let Some(step) = &self.program(slot).interval else { return };
        for op in &step.acts {
            if *op == Op::Persist {
                self.persist(w, self.handled(w, slot), watch);
            } else {
                self.act_apart(w, slot, *op, step.scope, 0, watch);
            }
        }
    }

    fn raise_fence<W: Words, O: Watch>(&self, w: &mut World<W>, slot: Slot, to: FenceTo, watch: &mut O) {
        let at = self.fence_value(w, slot, to).max(w.get(self.f.fence));
        w.set(self.f.fence, at);
        watch.fenced(at);
    }

    fn fence_value<W: Words>(&self, w: &World<W>, slot: Slot, to: FenceTo) -> u32 {
        match to {
            FenceTo::Successor => w.get(self.f.generation) + 1,
            FenceTo::Own => self.generation_of(w, slot),
            FenceTo::PastOwn => self.generation_of(w, slot) + 1,
        }
    }

    /// Sends an armed batch: at once and as a whole, or its next entry.
    fn fire<W: Words, O: Watch>(&self, w: &mut World<W>, slot: Slot, how: Fire, watch: &mut O) {
        let Program { stamps, compensates, .. } = self.program(slot);
        if *compensates {
            self.take_back(w, slot, *stamps, watch);
        }
        self.fire_as(w, slot, how, *stamps, watch);
    }

    fn fire_as<W: Words, O: Watch>(
        &self,
        w: &mut World<W>,
        slot: Slot,
        how: Fire,
        stamps: Stamps,
        watch: &mut O,
    ) {
        let batch = self.slot(slot).batch;
        if how == Fire::All && self.stage.sink.batch != BatchAcceptance::EachEntry && w.distinct(batch) > 1 {
            return self.land_as_one(w, slot, stamps, watch);
        }
        while let Some(p) = w.next_nonzero(batch, 0) {
            w.put(batch, p, 0);
            match how {
                Fire::All | Fire::Each => self.land(w, slot, p, stamps, watch),
                Fire::Wire | Fire::WireAll => self.send(w, slot, p, self.attempts - 1, watch),
            }
            if matches!(how, Fire::Each | Fire::Wire) {
                return;
            }
        }
    }

    /// A recoverer's send that does not travel. Stamped with the generation that crashed, it is the recovery's own
    /// work and meets no fence (§6); stamped with its own, it passes the fence at this fire point or not (§7).
    fn land<W: Words, O: Watch>(&self, w: &mut World<W>, slot: Slot, p: u32, stamps: Stamps, watch: &mut O) {
        let generation = self.stamp_of(w, slot, stamps);
        let e = self.emission(w, p, generation, self.attempts - 1);
        watch.landed(e, slot);
        self.note_sent(w, p, watch);
        if self.is_gated(w, stamps, generation) {
            self.refuse(w, e, watch);
        } else if self.sink_is_plain {
            self.accept_plainly(w, e, watch);
        } else {
            self.admit(w, e, watch);
        }
    }

    /// A whole batch that the sink judges as one request.
    fn land_as_one<W: Words, O: Watch>(&self, w: &mut World<W>, slot: Slot, stamps: Stamps, watch: &mut O) {
        let batch = self.slot(slot).batch;
        let generation = self.stamp_of(w, slot, stamps);
        let (first, entries) = (w.next_nonzero(batch, 0).unwrap_or(0), w.distinct(batch));
        let whole = (first..first + entries).all(|p| p < self.events() && w.count(batch, p) > 0);
        let request = if whole { self.message_of(first..first + entries) } else { None };
        let refused = self.is_gated(w, stamps, generation);
        let absorbed = !refused && {
            let entries = (0..self.events()).filter(|p| w.count(batch, *p) > 0);
            self.knows_request(
                w,
                entries.map(|p| self.emission(w, p, generation, self.attempts - 1)),
                request,
            )
        };
        if let Some(request) = request {
            self.remember_request(w, self.emission(w, request.0, generation, self.attempts - 1), watch);
        }
        while let Some(p) = w.next_nonzero(batch, 0) {
            w.put(batch, p, 0);
            let e = self.emission(w, p, generation, self.attempts - 1);
            watch.landed(e, slot);
            self.note_sent(w, p, watch);
            match (refused, absorbed) {
                (true, _) => self.refuse(w, e, watch),
                (_, true) => self.absorb(w, e, watch),
                _ => self.admit_entry(w, e, watch),
            }
        }
    }

    /// One whole re-drive in one step, by a recoverer that ends with it: heals, lands a batch (as a set of bits) at
    /// once, and raises the fence, where one is named. A fence at the own generation is raised first: it is a claim,
    /// and the batch lands under it.
    pub(crate) fn redrive<W: Words, O: Watch>(
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
        self.heal(w, watch);
        (0..self.events()).for_each(|p| w.put(self.slot(slot).batch, p, batch >> p & 1));
        let stamps = if claims { Stamps::Own } else { Stamps::CrashTime };
        self.fire_as(w, slot, Fire::All, stamps, watch);
        if !claims {
            raise(w, watch);
        }
        self.leave(w, slot);
    }

    /// The generation that a recoverer's batch carries.
    pub(super) fn stamp_of<W: Words>(&self, w: &World<W>, slot: Slot, stamps: Stamps) -> u32 {
        match stamps {
            Stamps::Own => self.generation_of(w, slot),
            Stamps::CrashTime => w.get(self.f.generation),
        }
    }

    pub(super) fn is_gated<W: Words>(&self, w: &World<W>, stamps: Stamps, generation: u32) -> bool {
        stamps == Stamps::Own
            && matches!(self.stage.sink.fence, FenceCheck::Arrival | FenceCheck::Fire)
            && generation < w.get(self.f.fence)
    }

    /// The contents become the committed image at the frontier, whatever they were.
    fn heal<W: Words, O: Watch>(&self, w: &mut World<W>, watch: &mut O) {
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

    /// The delivering process runs again: a producer with the first event that is not committed, a relay from its
    /// durable cursor. A run that already runs is left alone.
    fn resume<W: Words, O: Watch>(&self, w: &mut World<W>, generation: u32, watch: &mut O) {
        if w.get(self.f.status) == status::RUNNING {
            return;
        }
        w.set(self.f.status, status::RUNNING);
        w.set(self.f.generation, generation);
        w.set(self.f.healed, 0);
        w.set(self.f.starts, 0);
        let s = self.slot(self.deliverer);
        w.set(s.tries, 0);
        if self.program(self.deliverer).kind == Kind::Relay {
            let from = self.cursor_start(w, w.get(self.f.cursor)).unwrap_or(self.log_end(w));
            for field in [s.item, s.low, s.high] {
                w.set(field, from);
            }
            w.set(s.pc, 1);
        } else {
            let next = self.log_end(w);
            w.set(s.item, next.min(self.events().saturating_sub(1)));
            w.set(s.pc, if next == self.events() { self.end(self.deliverer) } else { 1 });
        }
        watch.resumed(Generation(generation as u16));
    }

    /// Where delivery starts from a cursor, by the reset rule where the cursor is gone or points below the floor.
    pub(crate) fn cursor_start<W: Words>(&self, w: &World<W>, cursor: u32) -> Option<u32> {
        let floor = w.get(self.f.floor);
        if cursor != self.cursor_gone() && cursor >= floor {
            return Some(cursor);
        }
        match self.stage.recovery.reset {
            CursorReset::Earliest => Some(0),
            CursorReset::OldestRetained => Some(floor),
            CursorReset::Latest => Some(self.log_end(w)),
            CursorReset::Fail => None,
        }
    }

    pub(super) fn start_recoverer<W: Words, O: Watch>(&self, w: &mut World<W>, slot: Slot, watch: &mut O) {
        let newest = w.get(self.f.high_water).max(w.get(self.f.generation));
        let own = (newest + 1).min(self.generations - 1);
        w.set(self.f.high_water, own);
        w.set(self.slot(slot).generation, own);
        w.set(self.slot(slot).pc, 1);
        w.add(self.f.starts, 1);
        watch.started(slot);
    }

    /// An incarnation ends: its memory is gone. A producer keeps its place, so that a report can say where.
    pub(super) fn leave<W: Words>(&self, w: &mut World<W>, slot: Slot) {
        let s = self.slot(slot);
        if matches!(self.slots[slot.0 as usize].role, Role::Producer | Role::Relay) {
            w.set(s.pc, self.end(slot));
            return;
        }
        w.wipe(s.batch);
        self.forget(w, slot);
        for field in [s.pc, s.generation, s.item, s.low, s.high, s.tries] {
            w.set(field, 0);
        }
    }

    /// Whether the delivering process stands in the middle of an item, with something in memory that it could still
    /// send or write.
    pub(super) fn holds_something<W: Words>(&self, w: &World<W>) -> bool {
        let pc = w.get(self.slot(self.deliverer).pc);
        pc > 1 && pc < self.end(self.deliverer)
            || self.program(self.deliverer).kind == Kind::Relay
                && w.get(self.slot(self.deliverer).item) > w.get(self.slot(self.deliverer).low)
    }

    /// The process only seemed to crash: what it holds stays able to act, under its old generation.
    pub(super) fn leave_a_zombie<W: Words>(&self, w: &mut World<W>) {
        let free = self
            .slots()
            .find(|(slot, role)| matches!(role, Role::Zombie(_)) && w.get(self.slot(*slot).pc) == 0);
        let Some((zombie, _)) = free else { return };
        let (from, to) = (self.slot(self.deliverer), self.slot(zombie));
        for (a, b) in [(from.pc, to.pc), (from.item, to.item), (from.low, to.low), (from.high, to.high)] {
            w.set(b, w.get(a));
        }
        w.set(to.generation, w.get(self.f.generation));
    }

    /// Moves to the next step. A program over events goes on with the next event, a relay with the next batch; an
    /// incarnation that was superseded ends where it would take up something new.
    #[inline]
    fn advance<W: Words>(&self, w: &mut World<W>, slot: Slot) {
        let (s, program) = (self.slot(slot), self.program(slot));
        let done = w.get(s.pc) - 1;
        let steps = &program.steps;
        let next = done as usize + 1;
        match program.kind {
            Kind::Once if next == steps.len() => self.leave(w, slot),
            Kind::Once => w.set(s.pc, next as u32 + 1),
            Kind::Events => {
                let item = w.get(s.item);
                let last = item + 1 == self.events();
                let due = |step: &Compiled| match step.scope {
                    Scope::Every(n) => last || (item + 1).is_multiple_of(u32::from(n)),
                    _ => true,
                };
                match steps[next..].iter().position(due) {
                    Some(skipped) => w.set(s.pc, (next + skipped) as u32 + 1),
                    None if matches!(self.slots[slot.0 as usize].role, Role::Zombie(_)) => {
                        self.leave(w, slot)
                    }
                    None if last => w.set(s.pc, self.end(slot)),
                    None => {
                        w.set(s.item, item + 1);
                        w.set(s.pc, 1);
                    }
                }
            }
            Kind::Relay => {
                let mut next = next;
                if let Scope::Item { first, end } = steps[done as usize].scope
                    && next == end as usize
                    && w.get(s.item) + 1 < w.get(s.high)
                {
                    w.set(s.item, w.get(s.item) + 1);
                    if !self.skip_passed(w, slot) {
                        w.set(s.pc, u32::from(first) + 1);
                        return;
                    }
                }
                if let Some(Scope::Item { first, end }) = steps.get(next).map(|s| s.scope)
                    && first as usize == next
                {
                    w.set(s.item, w.get(s.low));
                    if self.skip_passed(w, slot) {
                        next = end as usize;
                    }
                }
                if next == steps.len() {
                    if matches!(self.slots[slot.0 as usize].role, Role::Zombie(_)) {
                        return self.leave(w, slot);
                    }
                    next = 0;
                    w.set(s.item, w.get(s.high));
                }
                w.set(s.pc, next as u32 + 1);
            }
        }
    }

    /// Moves a relay past the items that its cursor, a coordinate, had already passed when they became visible. True
    /// where nothing of the batch is left.
    fn skip_passed<W: Words>(&self, w: &mut World<W>, slot: Slot) -> bool {
        let s = self.slot(slot);
        if self.stage.source.cursor == CursorIs::Count {
            return false;
        }
        let passed = self.highest[w.get(s.low) as usize];
        let (item, high) = (w.get(s.item), w.get(s.high));
        let next = (item..high).find(|p| self.payloads[*p as usize].coordinate > passed);
        w.set(s.item, next.unwrap_or(high.saturating_sub(1)));
        next.is_none()
    }

    /// The step that an incarnation has just done, by its program's order; none at its start.
    pub(crate) fn step_before<W: Words>(&self, w: &World<W>, slot: Slot) -> Option<usize> {
        let (s, program) = (self.slot(slot), self.program(slot));
        let (pc, item) = (w.get(s.pc) as usize, w.get(s.item));
        let here = program.steps.get(pc.checked_sub(1)?);
        match (program.kind, here.map(|step| step.scope)) {
            (Kind::Relay, Some(Scope::Item { first, end }))
                if first as usize == pc - 1 && item > w.get(s.low) =>
            {
                Some(end as usize - 1)
            }
            (Kind::Events, _) if pc == 1 && item > 0 => {
                // The last step that was due for the event before; a batch section only where it was.
                program.steps.iter().rposition(|step| match step.scope {
                    Scope::Every(n) => item % u32::from(n) == 0,
                    _ => true,
                })
            }
            _ => (pc - 1).checked_sub(1),
        }
    }
}

impl Op {
    /// Whether the act is not enabled in some state of this stage.
    pub(crate) fn can_refuse(self, stage: &Stage) -> bool {
        match self {
            Op::Commit | Op::Enqueue | Op::Snapshot(_) | Op::Read { .. } | Op::Fire(_) | Op::Discard => false,
            Op::Fetch(_) | Op::AwaitAck | Op::Recover => true,
            Op::Send | Op::SendBatch => stage.wire.at_once > 0,
            Op::Persist => {
                stage.faults.cursor.is_some_and(|c| c.kind == CursorFaultKind::NotWritable)
                    || matches!(stage.sink.fence, FenceCheck::CursorStore | FenceCheck::Completion)
            }
            Op::Arm { rule, .. } => {
                rule == Rule::PastCursor && stage.recovery.reset == CursorReset::Fail
                    || outruns_its_end(stage)
            }
            Op::Heal => stage.recovery.heal == Heal::Once || outruns_its_end(stage),
            Op::Fence(to) => to == FenceTo::Own,
            Op::Release | Op::Resume => stage.sink.fence == FenceCheck::Completion,
        }
    }
}
