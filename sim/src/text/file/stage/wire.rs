//! The wire: delays, and faults that may strike each message.

use super::{Complaints, MILLISECOND, SECOND, chance, delay, ratio, spans};
use crate::model::ratio::Ratio;
use crate::model::scenario::{Chance, Delay, Reply, Straggler, Wire};
use crate::text::file::outline::Part;
use crate::text::file::schema as file;

/// What lies between.
pub fn wire(given: &file::Wire, wrong: &mut Complaints) -> Wire {
    let latency = delay(given.latency, Delay::Uniform(MILLISECOND, 20 * MILLISECOND));
    let straggler = given.straggler.as_ref().and_then(|given| {
        let at = [Part::from("wire"), Part::from("straggler")];
        let chance = chance(&at, given.chance, given.one_in, ratio(1, 10), wrong);
        let delay = delay(given.delay, Delay::Exponential(30 * SECOND));
        (chance != Ratio::NEVER).then_some(Straggler { chance, delay })
    });
    let reply = given.reply.clone().unwrap_or_default();
    Wire {
        latency,
        instant: given.instant.unwrap_or(false),
        reorders: given.reorders.unwrap_or(true),
        loss: strikes(&["wire".into(), "loss".into()], &given.loss, wrong),
        straggler,
        copies: copies(&given.copies, wrong),
        survives_crash: given.survives_crash.unwrap_or(true),
        reply: Reply {
            latency: delay(reply.latency, latency),
            loss: strikes(&["wire".into(), "reply".into(), "loss".into()], &reply.loss, wrong),
        },
        at_once: given.at_once.unwrap_or(0),
        outages: spans("wire", &given.outages, wrong),
    }
}

/// A fault that may strike often; none when it cannot strike at all.
fn strikes(at: &[Part], strikes: &Option<file::Strikes>, wrong: &mut Complaints) -> Option<Chance> {
    let file::Strikes(given) = strikes.as_ref()?;
    let chance = chance(at, given.chance, given.one_in, ratio(1, 10), wrong);
    (chance != Ratio::NEVER && given.times != Some(0)).then_some(Chance { chance, times: given.times })
}

/// Copies make more messages out of nothing, so they have a bound even where none is said.
fn copies(given: &Option<file::Strikes>, wrong: &mut Complaints) -> Option<Chance> {
    const MOST: u32 = 15;
    let at: [Part; 2] = ["wire".into(), "copies".into()];
    let copies = strikes(&at, given, wrong)?;
    let times = copies.times.unwrap_or(1);
    if times > MOST {
        wrong.add(at, format!("{times} copies are too many"), format!("write times: {MOST} or fewer"));
    }
    Some(Chance { times: Some(times.min(MOST)), ..copies })
}
