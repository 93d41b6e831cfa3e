//! Every state that one action leads to: what the search over all schedules asks of each state that it finds.

use crate::action::Action;
use crate::machine::Machine;
use crate::world::{Words, World};

impl Machine {
    /// Calls `f` with the state that each enabled action leads to, and says how many of the actions were no faults. The
    /// states come in no order to rely on, and one that several actions lead to comes as often.
    ///
    /// It is [`Machine::each_enabled`] and [`Machine::apply`] in one. Most steps of most searches are a message's: it leaves
    /// the wire once for what becomes of it there, and is not named in between.
    #[inline(always)]
    pub(crate) fn each_successor<W: Words>(&self, w: &World<W>, mut f: impl FnMut(World<W>)) -> u32 {
        if !self.is_plain {
            return self.each_enabled(w, |action| f(self.after(w, action)));
        }
        let offer = self.offer(w);
        self.each_step(w, offer, |action| f(self.after(w, action)));
        w.each_nonzero(self.f.wire, |index| {
            let mut gone = w.clone();
            gone.fewer(self.f.wire, index);
            if offer.losses > 0 {
                let mut lost = gone.clone();
                lost.add(self.f.losses, 1);
                f(lost);
            }
            self.receive(&mut gone, self.emission_at(index), &mut ());
            f(gone);
        });
        if offer.crashes > 0 {
            self.crash_action().into_iter().for_each(|action| f(self.after(w, action)));
        }
        offer.progress
    }

    /// The state that an enabled action leads to.
    #[inline(always)]
    pub(crate) fn after<W: Words>(&self, w: &World<W>, action: Action) -> World<W> {
        let mut after = w.clone();
        self.apply(&mut after, action, &mut ());
        after
    }
}
