//! A run as a schedule file that replays it: a label on each line.

use crate::rows::timeline::Replay;

/// The whole run. It ends with `stop`, so that nothing is added to it.
pub fn replay(replay: &Replay<'_>) -> String {
    let mut out = format!("# {}\n", replay.heading);
    if let Some(line) = &replay.line {
        out += &format!("# {line}\n");
    }
    for moment in &replay.timeline.record.moments {
        out += &format!("{}\n", moment.label);
    }
    out + "stop\n"
}
