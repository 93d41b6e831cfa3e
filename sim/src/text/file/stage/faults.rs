//! What may go wrong: where in a program a fault strikes, how often and how.

use super::{Complaints, SECOND, delay, ratio};
use crate::model::program::{Act, ActKind, Producer};
use crate::model::ratio::Ratio;
use crate::model::scenario::{Crash, CrashKind, CursorFault, CursorFaultKind, Delay, Faults, Strike, Window};
use crate::model::suggest::{instead, one_of};
use crate::model::words::Word;
use crate::text::file::schema as file;
use crate::text::file::values::{Probability, Wait, Within};

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
    let sink_crash = given.sink_crash.as_ref().and_then(|given| {
        let strike = Strike {
            times: given.times.map_or(1, Within::get),
            at: Window::Anywhere,
            chance: given.chance.map_or(ratio(9, 10), |chance| chance.0),
        };
        (strike.times > 0).then_some(strike)
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
    let truncation = given.truncation.as_ref().and_then(|given| {
        let strike = Strike {
            times: given.times.map_or(1, Within::get),
            at: Window::Anywhere,
            chance: given.chance.map_or(ratio(9, 10), |chance| chance.0),
        };
        (strike.times > 0).then_some(strike)
    });
    Faults { crash, truncation, recoverer_dies, sink_crash, cursor }
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
