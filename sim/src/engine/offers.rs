//! What can happen in few stages says here once what it offers in a state; how many actions that is, which one is the
//! k-th, and whether a given one is enabled follow from that. What most stages have (steps of programs, arrivals, losses,
//! crashes, first starts) is counted in line by `rules::enabled`.

use crate::engine::machine::Machine;
use crate::engine::world::{AnyState, Bits, Counts, World};
use crate::model::action::Action;
use crate::model::ids::{Emission, Generation, Payload, Slot, Target};
use crate::model::record::Lane;

/// Something that can happen in few stages: its entry in the register.
pub(crate) struct Rare {
    /// Whether it can be enabled in some state of a machine.
    pub in_use: fn(&Machine) -> bool,
    /// The action, with any target.
    pub action: Action,
    /// What it offers in a state.
    pub offers: fn(&Machine, &AnyState<'_>) -> Offers,
    /// How a schedule writes it; `{}` stands for the target.
    pub label: &'static str,
    /// Whose column of a drawing it belongs to.
    pub lane: Column,
}

/// Whose column of a drawing an action belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Column {
    /// Always this one.
    Of(Lane),
    /// That of the incarnation that acts.
    Incarnation,
}

/// The targets that something rare has in a state.
pub(crate) enum Offers {
    /// It is not enabled.
    Nothing,
    /// It is enabled, with one target or none.
    Once(Target),
    /// Each number of entries below this one.
    Below(u32),
    /// Each incarnation whose bit is set.
    Slots(u64),
    /// Each payload whose count is not 0.
    Payloads(Counts),
    /// Each message whose count is not 0.
    Messages(Counts),
    /// Each message of which one of the counts is not 0, and which passes the test.
    MessagesThat([Counts; 2], fn(&Machine, &AnyState<'_>, u32) -> bool),
    /// Each label under which this recoverer can start.
    Starts(Slot),
}

/// A message, where any one will do.
pub(crate) const ANY_MESSAGE: Emission =
    Emission { payload: Payload(0), generation: Generation(0), justified: true, sender: 0 };

impl Machine {
    /// How many actions something rare offers.
    #[inline(never)]
    pub(crate) fn count_rare(&self, w: &AnyState<'_>, rare: &Rare) -> u32 {
        match (rare.offers)(self, w) {
            Offers::Nothing => 0,
            Offers::Once(_) => 1,
            Offers::Below(n) => n,
            Offers::Slots(bits) => bits.count_ones(),
            Offers::Payloads(counts) | Offers::Messages(counts) => w.distinct(counts),
            Offers::MessagesThat(counts, test) => self.messages_that(w, counts, test).count() as u32,
            Offers::Starts(slot) => self.start_choices(w, slot),
        }
    }

    /// The `k`-th action of something rare that offers more than `k`.
    #[inline(never)]
    pub(crate) fn nth_rare(&self, w: &AnyState<'_>, rare: &Rare, k: u32) -> Option<Action> {
        let target = match (rare.offers)(self, w) {
            Offers::Nothing => return None,
            Offers::Once(target) => target,
            Offers::Below(_) => Target::Entries(k),
            Offers::Slots(bits) => {
                Target::Slot((0..64).map(Slot).filter(|s| bits >> s.0 & 1 > 0).nth(k as usize)?)
            }
            Offers::Payloads(counts) => Target::Payload(Payload(w.nth_nonzero(counts, k)?)),
            Offers::Messages(counts) => Target::Message(self.emission_at(w.nth_nonzero(counts, k)?)),
            Offers::MessagesThat(counts, test) => {
                Target::Message(self.emission_at(self.messages_that(w, counts, test).nth(k as usize)?))
            }
            Offers::Starts(slot) => return Some(self.start_of(w, slot, k)),
        };
        Some(rare.action.with_target(target))
    }

    /// Whether something rare offers an action of its kind.
    pub(crate) fn has_rare(&self, w: &AnyState<'_>, rare: &Rare, action: Action) -> bool {
        match ((rare.offers)(self, w), action.target()) {
            (Offers::Once(target), given) => target == given,
            (Offers::Below(n), Target::Entries(given)) => given < n,
            (Offers::Slots(bits), Target::Slot(slot)) => slot.0 < 64 && bits >> slot.0 & 1 > 0,
            (Offers::Payloads(counts), Target::Payload(p)) => p.0 < counts.len() && w.count(counts, p.0) > 0,
            (Offers::Messages(counts), Target::Message(e)) => {
                self.knows(e) && w.count(counts, self.emission_index(e)) > 0
            }
            (Offers::MessagesThat(counts, test), Target::Message(e)) => {
                self.knows(e) && {
                    let index = self.emission_index(e);
                    counts.into_iter().any(|counts| w.count(counts, index) > 0) && test(self, w, index)
                }
            }
            (Offers::Starts(slot), _) => {
                (0..self.start_choices(w, slot)).any(|k| self.start_of(w, slot, k) == action)
            }
            _ => false,
        }
    }

    fn messages_that<'a, W: Bits>(
        &'a self,
        w: &'a World<W>,
        counts: [Counts; 2],
        test: fn(&Machine, &AnyState<'_>, u32) -> bool,
    ) -> impl Iterator<Item = u32> + 'a {
        let mut at = 0;
        std::iter::from_fn(move || {
            let index = counts.into_iter().filter_map(|counts| w.next_nonzero(counts, at)).min()?;
            at = index + 1;
            Some(index)
        })
        .filter(move |index| test(self, &w.any(), *index))
    }

    /// The incarnations that pass a test, a bit each.
    pub(crate) fn slots_that(&self, test: impl Fn(Slot) -> bool) -> Offers {
        let bits = self.slots().filter(|(slot, _)| test(*slot)).fold(0, |bits, (slot, _)| bits | 1 << slot.0);
        Offers::Slots(bits)
    }
}
