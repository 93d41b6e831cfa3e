//! Runs that start with something done: events that were committed and delivered before, a process that is down.

use crate::engine::machine::{Kind, Machine};
use crate::engine::rules::status;
use crate::engine::world::{BitsMut, World};
use crate::model::action::Emission;
use crate::model::ids::{Generation, Payload, Slot};
use crate::model::scenario::Advance;

impl Machine {
    /// Makes a state in which nothing has happened yet the one that the scenario starts in.
    pub(super) fn begin<W: BitsMut>(&self, w: &mut World<W>) {
        let start = self.stage.start;
        for p in 0..start.committed {
            self.commit(w, p, &mut ());
            w.put(self.f.outbox, p, 1);
        }
        for p in 0..start.delivered {
            let e = Emission { payload: Payload(p), generation: Generation(0), justified: true, sender: 0 };
            w.put(self.f.sent, p, 1);
            if self.stage.sink.contents_advance == Advance::Send {
                self.write_contents(&mut w.any_mut(), p);
            }
            self.accept_known(&mut w.any_mut(), e);
        }
        w.set(self.f.cursor, start.delivered);
        let producer = Slot(0);
        w.set(self.slot(producer).item, start.committed.min(self.events().saturating_sub(1)));
        if start.committed == self.events() {
            w.set(self.slot(producer).pc, self.end(producer));
        }
        let deliverer = self.slot(self.deliverer);
        if self.program(self.deliverer).kind == Kind::Relay {
            for field in [deliverer.item, deliverer.low, deliverer.high] {
                w.set(field, start.delivered);
            }
        }
        if start.crashed {
            w.set(self.f.status, status::CRASHED);
        }
    }
}
