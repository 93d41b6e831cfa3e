//! What may go wrong: where in a program a fault strikes, how often and how.

use super::{Complaints, SECOND, delay, ratio};
use crate::model::program::{Act, ActKind, Producer};
use crate::model::ratio::Ratio;
use crate::model::scenario::{Crash, CrashKind, CursorFault, CursorFaultKind, Delay, Faults, Strike, Window};
use crate::model::suggest::{instead, one_of};
use crate::model::words::Word;
use crate::text::file::fields::Fields;
use crate::text::file::values::{Probability, Wait, Within};

/// The section `faults` as a file writes it.
pub mod file {
    use serde::Deserialize;

    use crate::model::scenario::CrashKind;
    use crate::text::file::overlay::{Overlay, over, parts, sections, wholes, words};
    use crate::text::file::values::{Name, Probability, Wait, Within};

    sections! {
        Faults {
            crash: Crash,
            truncation: StrikeFile,
            recoverer_dies: Crash,
            sink_crash: StrikeFile,
            cursor: CursorFault,
        }

        /// How often a fault strikes: `(times: 1, chance: "1/2")`.
        StrikeFile {
            times: Within<0, 15>,
            chance: Probability,
        }

        CursorFault {
            kind: CursorFaultKind,
            chance: Probability,
        }
    }

    words! {
        CursorFaultKind { Expires, RollsBack(Within<1, { u32::MAX as u64 }>), NotWritable, }

        /// Where a fault strikes: `anywhere(times: 1)`, `before(act: "persist")`, `after(act: "send", times: 2)`.
        Crash {
            Anywhere {
                times: Option<Within<0, 15>>,
                chance: Option<Probability>,
                kind: Option<CrashKind>,
                pause: Option<Wait>,
                wakes: Option<Probability>,
                after_end: Option<bool>,
            },
            Before {
                act: Name,
                times: Option<Within<0, 15>>,
                chance: Option<Probability>,
                kind: Option<CrashKind>,
                pause: Option<Wait>,
                wakes: Option<Probability>,
            },
            After {
                act: Name,
                times: Option<Within<0, 15>>,
                chance: Option<Probability>,
                kind: Option<CrashKind>,
                pause: Option<Wait>,
                wakes: Option<Probability>,
            },
        }
    }

    wholes! { CursorFaultKind }

    /// A crash in the same kind of place keeps what it says nothing of; one in another kind of place is another crash.
    impl Overlay for Crash {
        fn over(&self, base: &Crash) -> Crash {
            // A process that is killed does not come back, so it takes no pause along, nor a chance to wake.
            let pause_over = |kind: &Option<CrashKind>, pause: &Option<Wait>, base: &Option<Wait>| match kind
            {
                Some(CrashKind::Kill) => *pause,
                _ => over(pause, base),
            };
            let wakes_over = |kind: &Option<CrashKind>,
                              wakes: &Option<Probability>,
                              base: &Option<Probability>| match kind {
                Some(CrashKind::Kill) => *wakes,
                _ => over(wakes, base),
            };
            let mut crash = self.clone();
            match (&mut crash, base) {
                (
                    Crash::Anywhere { times, chance, kind, pause, wakes, after_end },
                    Crash::Anywhere { times: t, chance: c, kind: k, pause: p, wakes: w, after_end: a },
                ) => {
                    (*times, *chance, *after_end) = (over(times, t), over(chance, c), over(after_end, a));
                    (*pause, *wakes) = (pause_over(kind, pause, p), wakes_over(kind, wakes, w));
                    *kind = over(kind, k);
                }
                (
                    Crash::Before { act: _, times, chance, kind, pause, wakes },
                    Crash::Before { act: _, times: t, chance: c, kind: k, pause: p, wakes: w },
                )
                | (
                    Crash::After { act: _, times, chance, kind, pause, wakes },
                    Crash::After { act: _, times: t, chance: c, kind: k, pause: p, wakes: w },
                ) => {
                    (*times, *chance) = (over(times, t), over(chance, c));
                    (*pause, *wakes) = (pause_over(kind, pause, p), wakes_over(kind, wakes, w));
                    *kind = over(kind, k);
                }
                _ => {}
            }
            crash
        }
    }
}

/// What may go wrong. `delivering` is the program that a crash strikes; its acts are the places it has.
pub fn faults(given: &file::Faults, delivering: &Producer, wrong: &mut Complaints) -> Faults {
    let acts: Vec<&str> = delivering
        .sections
        .iter()
        .flat_map(|(_, steps)| steps)
        .flat_map(|step| &step.acts)
        .map(Act::name)
        .collect();
    let crash = given.crash.as_ref().and_then(|given| {
        let blow = blow("crash", given, &acts, &delivering.name, wrong);
        let kind = blow.kind.unwrap_or(CrashKind::Kill);
        if blow.pause.is_some() && kind == CrashKind::Kill {
            let at = ["faults".into(), "crash".into(), "pause".into()];
            wrong.add(
                at,
                "a process that is killed does not come back",
                "write kind: pause, or leave this out",
            );
        }
        if blow.wakes.is_some() && kind == CrashKind::Kill {
            let at = ["faults".into(), "crash".into(), "wakes".into()];
            wrong.add(at, "a process that is killed does not wake", "write kind: pause, or leave this out");
        }
        (blow.strike.times > 0).then_some(Crash {
            times: blow.strike.times,
            at: blow.strike.at,
            chance: blow.strike.chance,
            kind,
            pause: delay(blow.pause, Delay::Exponential(30 * SECOND)),
            wakes: blow.wakes.map_or(ratio(9, 10), |chance| chance.0),
            after_end: blow.after_end.unwrap_or(true),
        })
    });
    let recoverer_dies = given.recoverer_dies.as_ref().and_then(|given| {
        let acts: Vec<&str> =
            ActKind::ALL.into_iter().filter(|kind| kind.is_a_recoverers()).map(ActKind::name).collect();
        let blow = blow("recoverer_dies", given, &acts, "recoverer", wrong);
        if blow.kind.is_some() || blow.pause.is_some() || blow.wakes.is_some() || blow.after_end.is_some() {
            wrong.add(
                ["faults".into(), "recoverer_dies".into()],
                "a recoverer that dies is gone, and dies only while it runs",
                "leave out `kind`, `pause`, `wakes` and `after_end`",
            );
        }
        (blow.strike.times > 0).then_some(blow.strike)
    });
    let cursor = given.cursor.as_ref().and_then(|given| {
        use file::CursorFaultKind as K;
        let chance = given.chance.map_or(Ratio::ALWAYS, |chance| chance.0);
        (chance != Ratio::NEVER).then_some(CursorFault {
            kind: match given.kind.as_ref().unwrap_or(&K::Expires) {
                K::Expires => CursorFaultKind::Expires,
                K::RollsBack(n) => CursorFaultKind::RollsBack(n.get()),
                K::NotWritable => CursorFaultKind::NotWritable,
            },
            chance,
        })
    });
    Faults {
        crash,
        truncation: strike(&given.truncation),
        recoverer_dies,
        sink_crash: strike(&given.sink_crash),
        cursor,
    }
}

/// A fault that strikes anywhere; none when it cannot strike at all.
fn strike(given: &Option<file::StrikeFile>) -> Option<Strike> {
    let given = given.as_ref()?;
    let strike = Strike {
        times: given.times.map_or(1, Within::get),
        at: Window::Anywhere,
        chance: given.chance.map_or(ratio(9, 10), |chance| chance.0),
    };
    (strike.times > 0).then_some(strike)
}

/// What a file says of a fault that strikes a program.
struct Blow {
    strike: Strike,
    kind: Option<CrashKind>,
    pause: Option<Wait>,
    wakes: Option<Probability>,
    after_end: Option<bool>,
}

/// Where, how often and how a fault strikes a program with these acts.
fn blow(
    fault: &'static str,
    given: &file::Crash,
    acts: &[&str],
    program: &str,
    wrong: &mut Complaints,
) -> Blow {
    let (at, times, chance, kind, pause, wakes, after_end) = match given {
        file::Crash::Anywhere { times, chance, kind, pause, wakes, after_end } => {
            (Window::Anywhere, times, chance, kind, pause, wakes, *after_end)
        }
        file::Crash::Before { act, times, chance, kind, pause, wakes } => {
            (Window::Before(act.0.clone()), times, chance, kind, pause, wakes, None)
        }
        file::Crash::After { act, times, chance, kind, pause, wakes } => {
            (Window::After(act.0.clone()), times, chance, kind, pause, wakes, None)
        }
    };
    if let Window::Before(act) | Window::After(act) = &at
        && !acts.contains(&act.as_str())
    {
        let mut known = acts.to_vec();
        known.sort_unstable();
        known.dedup();
        let place = ["faults".into(), fault.into(), "act".into()];
        let is_act = ActKind::named(act).is_some();
        let help = if is_act { format!("write {}", one_of(&known)) } else { instead(act, &known) };
        wrong.add(place, format!("no step of `{program}` holds an act `{act}`"), help);
    }
    let strike = Strike {
        at,
        times: times.map_or(1, Within::get),
        chance: chance.map_or(ratio(9, 10), |chance| chance.0),
    };
    Blow { strike, kind: *kind, pause: *pause, wakes: *wakes, after_end }
}

/// The section as a file writes it, without what it would mean by saying nothing.
pub fn written(faults: &Faults) -> Fields {
    use crate::text::file::fields::{chance, delay, quoted};

    let mut fields = Fields::default();
    let usual = Ratio::new(9, 10).unwrap_or(Ratio::ALWAYS);
    let blow = |at: &Window, times: u8, ratio: Ratio| {
        let mut said = Fields::default();
        let place = match at {
            Window::Anywhere => "anywhere",
            Window::Before(act) => {
                said.say("act", quoted(act));
                "before"
            }
            Window::After(act) => {
                said.say("act", quoted(act));
                "after"
            }
        };
        said.say("times", times);
        said.say_unless("chance", ratio, usual, chance);
        (place, said)
    };
    if let Some(crash) = &faults.crash {
        let (place, mut said) = blow(&crash.at, crash.times, crash.chance);
        if crash.kind == CrashKind::Pause {
            said.say("kind", "pause");
            said.say_unless("pause", crash.pause, Delay::Exponential(30_000_000), delay);
            said.say_unless("wakes", crash.wakes, usual, chance);
        }
        said.say_unless("after_end", crash.after_end, true, bool::to_string);
        fields.say("crash", format!("{place}{}", said.text()));
    }
    let strike = |strike: &Strike| blow(&Window::Anywhere, strike.times, strike.chance).1.text();
    if let Some(truncation) = &faults.truncation {
        fields.say("truncation", strike(truncation));
    }
    if let Some(dies) = &faults.recoverer_dies {
        let (place, said) = blow(&dies.at, dies.times, dies.chance);
        fields.say("recoverer_dies", format!("{place}{}", said.text()));
    }
    if let Some(crash) = &faults.sink_crash {
        fields.say("sink_crash", strike(crash));
    }
    if let Some(CursorFault { kind, chance: ratio }) = &faults.cursor {
        let mut said = Fields::default();
        said.say(
            "kind",
            match kind {
                CursorFaultKind::RollsBack(events) => format!("rolls_back({events})"),
                CursorFaultKind::Expires => "expires".to_owned(),
                CursorFaultKind::NotWritable => "not_writable".to_owned(),
            },
        );
        said.say_unless("chance", *ratio, Ratio::ALWAYS, chance);
        fields.say("cursor", said.text());
    }
    fields
}
