//! What follows from a step: who is woken, when a message arrives, when somebody gives up waiting for it.

use super::draws::Place;
use super::queue::Due;
use super::{Timed, after};
use crate::engine::faults::{AFTER_CRASH, spec};
use crate::engine::machine::{Machine, Role};
use crate::engine::rng::Draw;
use crate::engine::world::{Words, World};
use crate::model::action::{Action, Emission};
use crate::model::ids::{Slot, Tick};
use crate::model::scenario::{Acceptance, Acknowledges, Fault, Injected, Keeps, RetentionWhile};

impl Timed {
    /// Queues what follows from the step that was just done.
    #[inline]
    pub(super) fn follow_up<W: Words>(&mut self, machine: &Machine, w: &World<W>) {
        let news = !self.clock.heard.is_silent();
        if news {
            self.follow_news(machine, w);
        }
        let now = self.clock.now.0;
        if !self.clock.finishing && machine.has_finishable(w) {
            self.clock.finishing = true;
            self.clock.enter(now + 1_000, Due::Finish);
        }
        self.watch_rest(machine, w);
        self.watch_over(machine, w);
        if !self.intervals.is_empty() {
            self.tick(machine, w);
        }
        self.date_entries(machine, w);
        self.wake_all(machine, w);
        if news {
            self.clock.heard.clear();
        }
    }

    /// Queues what follows from what was heard; most steps are silent.
    #[inline(never)]
    fn follow_news<W: Words>(&mut self, machine: &Machine, w: &World<W>) {
        let stage = &machine.stage;
        let (now, seed) = (self.clock.now.0, self.clock.seed);
        for i in 0..self.clock.heard.sent.len() {
            let (e, by) = self.clock.heard.sent[i];
            self.clock_send(machine, e);
            if !machine.is_recoverer(by) {
                // A request is waited for at the event at which its sender stands.
                let is_event = e.payload.0 < machine.events();
                let item = if is_event { e.payload.0 } else { w.get(machine.slot(by).item) };
                self.wait_for_reply(machine, w, by, item);
            }
        }
        for i in 0..self.clock.heard.copied.len() {
            let e = self.clock.heard.copied[i];
            let identity = self.clock.identity(machine, e);
            let flight = self.subsystems.latency.draw(stage.wire.latency, seed, identity);
            self.clock.enter(after(&stage.wire.outages, now + flight), Due::Do(Action::Arrive(e)));
        }
        for i in 0..self.clock.heard.replied.len() {
            let p = self.clock.heard.replied[i];
            let identity = [p.0, self.clock.heard.taken, w.get(machine.f.generation)];
            let lost = stage
                .wire
                .reply
                .loss
                .is_some_and(|l| self.subsystems.reply_loss.of(seed, identity).chance(l.chance));
            let flight = self.subsystems.reply.draw(stage.wire.reply.latency, seed, identity);
            let action = if lost { Action::Fault(Injected::LoseAck(p)) } else { Action::Ack(p) };
            self.clock.enter(after(&stage.wire.outages, now + flight), Due::Do(action));
        }
        if let Some(Keeps::For { ticks, .. }) = stage.sink.dedup.map(|d| d.keeps) {
            for i in 0..self.clock.heard.remembered.len() {
                let key = self.clock.heard.remembered[i];
                self.clock.age[key as usize] = Tick(now + ticks);
                self.clock.enter(now + ticks, Due::Age);
            }
        }
        if let Acceptance::Provisional { expires } = stage.sink.acceptance {
            for i in 0..self.clock.heard.prepared.len() {
                let e = self.clock.heard.prepared[i];
                self.clock.enter(now + expires, Due::Do(Action::Fault(Injected::Expire(e))));
            }
        }
        if self.clock.heard.taken > 0 {
            if let Acknowledges::BeforePersist { flush } = stage.sink.acknowledges {
                let wait = self.subsystems.flush.draw(flush, seed, [self.clock.order, 0, 0]);
                self.clock.enter(now + wait, Due::Do(Action::SinkPersist));
            }
            if machine.is_enabled(w, Action::Fault(Injected::SinkCrash))
                && self.clock.sink.is_here(Place::Step)
            {
                self.clock.enter(now + 1, Due::Do(Action::Fault(Injected::SinkCrash)));
            }
        }
        if self.clock.heard.crashed {
            self.after_crash(machine, w);
        }
        if let Some(slot) = self.clock.heard.started
            && stage.recovery.recoverers > 1
        {
            let wait = stage.recovery.lease.unwrap_or_else(|| {
                self.subsystems.detect.draw(
                    stage.recovery.detect,
                    seed,
                    [w.get(machine.f.starts), 2, u32::from(slot.0)],
                )
            });
            self.clock.enter(now + wait, Due::Suspect);
        }
        if self.clock.heard.resumed {
            self.clock.rested = false;
        }
    }

    /// A delivering process that has done its work can still crash, once for each generation.
    #[inline]
    pub(super) fn watch_rest<W: Words>(&mut self, machine: &Machine, w: &World<W>) {
        if !self.clock.rested && machine.has_delivered(w) {
            self.clock.rested = true;
            self.clock.enter(self.clock.now.0 + 1, Due::Rest);
        }
    }

    /// A run that is down and that nobody recovers is detected, each time anew.
    #[inline]
    pub(super) fn watch_over<W: Words>(&mut self, machine: &Machine, w: &World<W>) {
        if !self.clock.detecting && machine.is_down(w) && machine.live_recoverers(w) == 0 {
            self.clock.detecting = true;
            let index = [w.get(machine.f.struck[Fault::Crash]), w.get(machine.f.starts), 0];
            let wait = self.subsystems.detect.draw(machine.stage.recovery.detect, self.clock.seed, index);
            let at = after(&machine.stage.sink.outages, self.clock.now.0 + wait);
            self.clock.enter(at, Due::Detect);
        }
    }

    /// What happens to a message: it is lost, or copied, and arrives after its latency, a straggler later.
    fn clock_send(&mut self, machine: &Machine, e: Emission) {
        let (wire, seed, now) = (&machine.stage.wire, self.clock.seed, self.clock.now.0);
        let identity = self.clock.identity(machine, e);
        let mut flight = self.subsystems.latency.draw(wire.latency, seed, identity);
        if let Some(straggler) = wire.straggler {
            let mut draws = self.subsystems.straggler.of(seed, identity);
            if draws.chance(straggler.chance) {
                flight += draws.delay(straggler.delay);
            }
        }
        let mut at = after(&machine.stage.sink.outages, after(&wire.outages, now + flight));
        if !wire.reorders {
            at = at.max(self.clock.last_arrival.0);
            self.clock.last_arrival = Tick(at);
        }
        if let Some(copies) = wire.copies
            && self.subsystems.copies.of(seed, identity).chance(copies.chance)
        {
            self.clock.enter(now, Due::Do(Action::Fault(Injected::Copy(e))));
        }
        let lost = wire.loss.is_some_and(|l| self.subsystems.loss.of(seed, identity).chance(l.chance));
        self.clock.enter(at, Due::Do(if lost { Action::Lose(e) } else { Action::Arrive(e) }));
    }

    /// Queues when retention drops the entries that were committed since it last looked: those that it drops at all.
    #[inline]
    pub(super) fn date_entries<W: Words>(&mut self, machine: &Machine, w: &World<W>) {
        let Some(retention) = machine.stage.source.retention else { return };
        if retention.during == RetentionWhile::Down {
            return;
        }
        while self.clock.dated < machine.log_length(w).min(retention.drops) {
            self.clock.dated += 1;
            self.clock.enter(self.clock.now.0 + retention.after, Due::Do(Action::Fault(Injected::Retain)));
        }
    }

    /// A sender that tries again gives up waiting for the reply to this try.
    fn wait_for_reply<W: Words>(&mut self, machine: &Machine, w: &World<W>, who: Slot, item: u32) {
        let stage = &machine.stage;
        let retry = [Some(&stage.producer), stage.relay.as_ref()].into_iter().flatten().find_map(|p| p.retry);
        if let Some(retry) = retry {
            // At most `retry.times`.
            let tries = w.get(machine.slot(who).tries) as u16;
            let at = self.clock.now.max(self.clock.asleep[who.0 as usize]).0 + retry.after.max(1);
            self.clock.enter(at, Due::Timeout { who, tries, item });
        }
    }

    /// A process that only seemed to crash stands still for its pause.
    fn put_to_sleep<W: Words>(&mut self, machine: &Machine, w: &World<W>) {
        let Some(crash) = &machine.stage.faults.crash else { return };
        for slot in machine.paused() {
            let until = &mut self.clock.asleep[slot.0 as usize];
            if w.get(machine.slot(slot).pc) == 0 {
                *until = Tick(0);
            } else if *until == Tick(0) {
                let place = u32::from(slot.0) << 16 | machine.generation_of(w, slot);
                let identity = [w.get(machine.slot(slot).item), 1, place];
                let pause = self.subsystems.detect.draw(crash.pause, self.clock.seed, identity);
                *until = Tick(self.clock.now.0 + pause);
            }
        }
    }

    /// A crash: what only seemed to crash waits for its reply anew, retention may drop entries while the process is
    /// down, and the cursor may be harmed.
    fn after_crash<W: Words>(&mut self, machine: &Machine, w: &World<W>) {
        let (stage, now) = (&machine.stage, self.clock.now.0);
        self.put_to_sleep(machine, w);
        for (slot, role) in machine.slots() {
            if matches!(role, Role::Zombie(_))
                && machine.can_time_out(w, slot)
                && self.wakes(machine, w, slot)
            {
                self.wait_for_reply(machine, w, slot, w.get(machine.slot(slot).item));
            }
        }
        if let Some(retention) = stage.source.retention.filter(|r| r.during == RetentionWhile::Down) {
            for _ in 0..retention.drops {
                self.clock.enter(now + retention.after, Due::Do(Action::Fault(Injected::Retain)));
            }
        }
        let index = [w.get(machine.f.struck[Fault::Crash]), 0, 0];
        for (i, (fault, _)) in AFTER_CRASH.into_iter().enumerate() {
            let spec = spec(fault);
            if let (Some(due), Some(step)) = ((spec.after_crash)(stage), &spec.step)
                && self.subsystems.after_crash[i].of(self.clock.seed, index).chance(due.chance)
            {
                self.clock.enter(now + due.after, Due::Do(step.action));
            }
        }
    }
}
