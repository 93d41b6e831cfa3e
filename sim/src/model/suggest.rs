//! Names that were probably meant, for a name that is not known.

/// What to write in place of an unknown name.
pub fn instead(found: &str, known: &[&str]) -> String {
    match nearest(found, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "leave it out".to_owned(),
        None => format!("write {}", one_of(known)),
    }
}

/// `a`, `a or b`, `a, b or c`, each in backquotes.
pub fn one_of(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// The known name that `found` was probably meant to be: at most a third of it mistyped.
pub fn nearest<'a>(found: &str, known: &[&'a str]) -> Option<&'a str> {
    let folded = found.to_lowercase().replace('-', "_");
    let limit = (found.chars().count() / 3).max(1);
    known
        .iter()
        .map(|name| (distance(&folded, &name.to_lowercase().replace('-', "_")), *name))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// How many characters to insert, delete, replace or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// That a label names nothing here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misnamed {
    /// What is wrong.
    pub what: String,
    /// What to write instead.
    pub help: String,
    /// Whether only the step is unknown, so that another program may have it.
    pub is_step: bool,
}

impl Misnamed {
    /// That a label reads as none.
    pub(crate) fn new(what: impl Into<String>, help: impl Into<String>) -> Misnamed {
        Misnamed { what: what.into(), help: help.into(), is_step: false }
    }

    /// That `found` is none of the names that are known.
    pub(crate) fn among(what: String, found: &str, known: &[String]) -> Misnamed {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        Misnamed::new(
            what,
            match nearest(found, &known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write a name such as {}", one_of(&known[..known.len().min(MOST_NAMES)])),
            },
        )
    }
}

impl std::fmt::Display for Misnamed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; {}", self.what, self.help)
    }
}

impl std::error::Error for Misnamed {}

/// No more names than this are offered for one that is not known.
const MOST_NAMES: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_the_name_that_was_meant_and_a_stranger_finds_none() {
        let known = ["cursor", "sink-delta", "fenced"];
        assert_eq!(nearest("curser", &known), Some("cursor"));
        assert_eq!(nearest("sink_delta", &known), Some("sink-delta"));
        assert_eq!(nearest("fecned", &known), Some("fenced"));
        assert_eq!(nearest("outbox", &known), None);
    }
}
