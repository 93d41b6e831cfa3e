//! The delivering process crashes, or only seems to: then it goes on later as if nothing had happened.

use super::spec::{Head, Spec, one_less, usual_chance};
use crate::engine::machine::Machine;
use crate::engine::offers::{Column, Offers, Rare};
use crate::engine::rules::status;
use crate::engine::watch::Watch;
use crate::engine::world::{Bits, BitsMut, World};
use crate::model::action::Action;
use crate::model::ids::Target;
use crate::model::ratio::Ratio;
use crate::model::record::Lane;
use crate::model::scenario::{CrashKind, Delay, Fault};

pub(super) const SPEC: Spec = Spec {
    step: Some(Rare {
        in_use: |m| m.stage.faults.crash.as_ref().is_some_and(|c| c.times > 0),
        action: Action::Crash(CrashKind::Kill),
        offers: |m, w| match m.can_crash(w, || m.progress(w) > 0) {
            true => Offers::Once(Target::None),
            false => Offers::Nothing,
        },
        label: "crash",
        lane: Column::Of(Lane::World),
    }),
    counter: |stage| stage.faults.crash.as_ref().map_or(0, |c| u64::from(c.times)),
    is_asked_for: |stage| stage.faults.crash.is_some(),
    headline: |stage, head| {
        let crash = stage.faults.crash.as_ref().filter(|c| c.times > 0)?;
        let (one, many) = match crash.kind {
            CrashKind::Kill => ("crash", "crashes"),
            CrashKind::Pause => ("pause", "pauses"),
        };
        Some(at_most(crash.times, one, many, crash.chance, head))
    },
    never_struck: "no crash ever struck, so there was nothing to recover from",
    remedy: "write `faults: (crash: anywhere(times: 1))`",
    switch_off: |stage| stage.faults.crash = None,
    once_less: |stage| {
        if let Some(crash) = &mut stage.faults.crash {
            one_less(&mut crash.times);
        }
    },
    usual_clock: |stage| {
        if let Some(crash) = &mut stage.faults.crash {
            crash.chance = usual_chance();
            crash.pause = Delay::Exponential(30_000_000);
            crash.wakes = usual_chance();
        }
    },
    ..Spec::PLAIN
};

/// What the head of a report says of something that strikes the delivering process at some step.
pub(super) fn at_most(times: u8, one: &str, many: &str, chance: Ratio, head: Head) -> String {
    let what = if times == 1 { format!("at most 1 {one}") } else { format!("at most {times} {many}") };
    if head.is_timed {
        format!("{what}, at one of {} places (struck with chance {chance})", head.crash_places)
    } else {
        what
    }
}

impl Machine {
    /// `goes_on`: whether anything but faults can happen. It is asked last, since the answer takes a look at everything.
    #[inline(always)]
    pub(crate) fn can_crash<W: Bits>(&self, w: &World<W>, goes_on: impl FnOnce() -> bool) -> bool {
        let Some(crash) = &self.stage.faults.crash else { return false };
        w.get(self.f.status) == status::RUNNING
            && w.get(self.f.struck[Fault::Crash]) < u32::from(crash.times)
            && (self.crash_windows.anywhere || self.in_window(w, self.deliverer, &self.crash_windows))
            && (crash.kind == CrashKind::Kill || self.holds_something(w))
            && (crash.after_end || goes_on())
    }

    /// A crash changes the status and nothing else that is durable. What is in flight stays in flight; replies on
    /// their way to a process that was killed reach nobody.
    #[inline(never)]
    pub(crate) fn crash<W: BitsMut, O: Watch>(&self, w: &mut World<W>, kind: CrashKind, watch: &mut O) {
        watch.crashed();
        w.set(self.f.status, status::CRASHED);
        w.set(self.f.healed, 0);
        w.set(self.f.starts, 0);
        // A process that only seems gone hears what was on its way to it.
        if kind == CrashKind::Kill {
            w.wipe(self.f.replies);
        }
        w.set(self.slot(self.deliverer).tries, 0);
        if kind == CrashKind::Pause {
            self.leave_a_zombie(w);
        }
        if !self.stage.wire.survives_crash {
            while let Some(index) = w.nth_nonzero(self.f.wire, 0) {
                let e = self.emission_at(index);
                self.leave_wire(w, e);
                watch.lost(e.payload);
            }
        }
    }
}
