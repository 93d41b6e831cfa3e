//! Every state that one action leads to: what the search over all schedules asks of each state that it finds.

use crate::engine::machine::Machine;
use crate::engine::world::{Words, World};
use crate::model::action::Action;
use crate::model::scenario::Fault;

/// States that follow from one state.
pub(crate) struct Successors<W> {
    states: Vec<World<W>>,
    /// There is no room for more than this.
    most: usize,
    /// Whether more were asked for.
    pub(crate) full: bool,
}

impl<W: Words> Successors<W> {
    pub(crate) fn new(most: usize) -> Successors<W> {
        Successors { states: Vec::new(), most, full: false }
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &World<W>> {
        self.states.iter()
    }

    /// Keeps those that `keep` wants, in another order. Asks nothing that the processor would have to guess.
    #[inline(always)]
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&World<W>) -> bool) {
        let mut kept = 0;
        for i in 0..self.states.len() {
            let keep = keep(&self.states[i]);
            self.states.swap(kept, i);
            kept += usize::from(keep);
        }
        self.states.truncate(kept);
    }

    /// Takes all of them out, keeping the memory.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = World<W>> + '_ {
        self.states.drain(..)
    }

    /// Adds what `w` becomes. It is changed where it will stay: to move a state as a whole right after one word of it was
    /// written would wait for that write to reach the cache.
    #[inline(always)]
    fn add(&mut self, w: &World<W>, change: impl FnOnce(&mut World<W>)) {
        // Only states of any length can be so long that the successors of one of them take too much.
        if std::mem::needs_drop::<W>() && self.states.len() >= self.most {
            self.full = true;
            return;
        }
        self.states.push(w.clone());
        if let Some(successor) = self.states.last_mut() {
            change(successor);
        }
    }
}

impl Machine {
    /// Adds the state that each enabled action leads to, and says how many of the actions were no faults. The states come
    /// in no order to rely on, and one that several actions lead to comes as often.
    ///
    /// It is [`Machine::each_enabled`] and [`Machine::apply`] in one. Most steps of most searches are a message's, which
    /// is not named in between.
    /// Adds the state that an action leads to.
    #[inline(always)]
    pub(crate) fn add_successors<W: Words>(&self, w: &World<W>, to: &mut Successors<W>) -> u32 {
        if !self.is_plain {
            return self.each_enabled(w, |action| self.add_successor(w, action, to));
        }
        let offer = self.offer(w);
        self.each_step(w, offer, |action| self.add_successor(w, action, to));
        w.each_nonzero(self.f.wire, |index| {
            to.add(w, |arrived| {
                arrived.fewer(self.f.wire, index);
                self.receive(arrived, self.emission_at(index), &mut ());
            });
            if offer.losses > 0 {
                to.add(w, |lost| {
                    lost.fewer(self.f.wire, index);
                    lost.add(self.f.struck[Fault::Loss], 1);
                });
            }
        });
        if offer.crashes > 0 {
            self.crash_action().into_iter().for_each(|action| self.add_successor(w, action, to));
        }
        offer.progress
    }

    /// False where no schedule leads from `w` to `later`, since the accepted record and the count of the crashes only
    /// grow. It costs little beside taking the steps of `w`, and spares that of most states.
    pub(crate) fn may_precede<W: Words>(&self, w: &World<W>, later: &World<W>) -> bool {
        w.get(self.f.struck[Fault::Crash]) <= later.get(self.f.struck[Fault::Crash])
            && w.is_within(self.f.accepted, later)
    }

    /// Adds the state that an action leads to.
    #[inline(always)]
    pub(crate) fn add_successor<W: Words>(&self, w: &World<W>, action: Action, to: &mut Successors<W>) {
        to.add(w, |successor| self.apply(successor, action, &mut ()));
    }
}
