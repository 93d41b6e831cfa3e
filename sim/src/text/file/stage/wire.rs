//! The wire: delays, and faults that may strike each message.

use super::{Complaints, MILLISECOND, SECOND, chance, delay, ratio, spans};
use crate::model::ratio::Ratio;
use crate::model::scenario::{Chance, Delay, Reply, Straggler, Wire};
use crate::text::file::fields::Fields;
use crate::text::file::outline::Part;

/// The section `wire` as a file writes it.
pub mod file {
    use serde::Deserialize;
    use serde::de::Deserializer;

    use crate::text::file::overlay::{Overlay, chance_over, over, parts, sections};
    use crate::text::file::values::{Probability, Time, Wait, Within, reread};

    sections! {
        Wire {
            instant: bool,
            latency: Wait,
            reorders: bool,
            loss: Strikes,
            straggler: Straggler,
            copies: Strikes,
            survives_crash: bool,
            reply: Reply,
            at_once: u32,
            outages: Vec<(Time, Time)>,
        }

        Reply {
            latency: Wait,
            loss: Strikes,
        }
    }

    parts! {
        /// A fault that may strike often: `"1/10"`, `(one_in: 10, times: 3)` or `(chance: "1/10", times: 3)`.
        StrikesFile {
            chance: Probability,
            one_in: Within<1, { u64::MAX }>,
            times: u32,
        }

        Straggler {
            chance: Probability,
            one_in: Within<1, { u64::MAX }>,
            delay: Wait,
        }
    }

    /// A fault that may strike often, or only how likely it is.
    #[derive(Clone, PartialEq, Debug)]
    pub struct Strikes(pub StrikesFile);

    impl<'de> Deserialize<'de> for Strikes {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let raw = <&ron::value::RawValue>::deserialize(deserializer)?.trim().get_ron();
            if raw.starts_with('(') {
                return reread(raw).map(Strikes);
            }
            let chance = reread(raw)?;
            Ok(Strikes(StrikesFile { chance: Some(chance), ..StrikesFile::default() }))
        }
    }

    impl Overlay for Strikes {
        fn over(&self, base: &Strikes) -> Strikes {
            let (Strikes(this), Strikes(base)) = (self, base);
            let (chance, one_in) = chance_over((&this.chance, &this.one_in), (&base.chance, &base.one_in));
            Strikes(StrikesFile { chance, one_in, times: over(&this.times, &base.times) })
        }
    }

    impl Overlay for Straggler {
        fn over(&self, base: &Straggler) -> Straggler {
            let (chance, one_in) = chance_over((&self.chance, &self.one_in), (&base.chance, &base.one_in));
            Straggler { chance, one_in, delay: over(&self.delay, &base.delay) }
        }
    }
}

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

/// The section as a file writes it, without what it would mean by saying nothing.
pub fn written(wire: &Wire) -> Fields {
    use crate::text::file::fields::{chance, delay, spans, strikes};

    let mut fields = Fields::default();
    fields.say_unless("instant", wire.instant, false, bool::to_string);
    fields.say_unless("latency", wire.latency, Delay::Uniform(1_000, 20_000), delay);
    fields.say_unless("reorders", wire.reorders, true, bool::to_string);
    fields.say_unless("loss", wire.loss, None, strikes);
    if let Some(straggler) = &wire.straggler {
        let text = format!("(chance: {}, delay: {})", chance(&straggler.chance), delay(&straggler.delay));
        fields.say("straggler", text);
    }
    fields.say_unless("copies", wire.copies, None, strikes);
    fields.say_unless("survives_crash", wire.survives_crash, true, bool::to_string);
    let mut reply = Fields::default();
    reply.say_unless("latency", wire.reply.latency, wire.latency, delay);
    reply.say_unless("loss", wire.reply.loss, None, strikes);
    if !reply.0.is_empty() {
        fields.say("reply", reply.text());
    }
    fields.say_unless("at_once", wire.at_once, 0, u32::to_string);
    fields.say_unless("outages", wire.outages.clone(), vec![], |s| spans(s));
    fields
}
