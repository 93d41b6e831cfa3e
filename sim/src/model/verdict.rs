//! The verdict register: what the oracle can say of a run, one entry for each verdict. Reports, command line, files and
//! JSON take every name and word from here; [`crate::engine::rules::judge`] says when each one holds.

use std::fmt;

/// What a verdict is called and how it is shown.
#[derive(PartialEq, Eq, Debug)]
pub struct Spec {
    /// The name in files, in JSON and on the command line, in snake case.
    pub name: &'static str,
    /// The name inside a sentence.
    pub words: &'static str,
    /// What it means, as the help of the command line says it.
    pub meaning: &'static str,
    /// What a design does whose runs show it: `duplicates`.
    pub does: &'static str,
    /// What is said of one payload, as a sentence without its full stop: `{payload}` is its label, `{times}` how often it
    /// is on the accepted record, `{step}` the step from which on it holds or after which it was judged.
    pub finding: &'static str,
    /// On which side of a report it stands.
    pub half: Half,
    /// Whether a report always has a column for it.
    pub column: Column,
    /// In which states it can hold.
    pub holds: Holds,
    /// Whether every run is judged for it.
    pub judged: Judged,
}

/// The sides of a report. They stay apart: an audit of what was accepted says nothing about what was not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Half {
    /// Nothing went wrong.
    Good,
    /// Something is on the accepted record that should not be, and can be seen there.
    Loud,
    /// Something is missing or wrong elsewhere, and the accepted record does not show it.
    Quiet,
}

/// Whether a report has a column for a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column {
    /// Always: exactly-once, and each verdict that excludes it.
    Always,
    /// Where some run shows it.
    WhereSeen,
}

/// In which states a verdict can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// From the step on that makes it true, for good: the accepted record never shrinks.
    FromAStepOn,
    /// In whatever state a run ends.
    AtTheEnd,
    /// Only where the run has come to rest.
    AtRest,
    /// Only where the run has come to rest and its record is safe, see [`Verdicts::UNSAFE`].
    AtRestAndSafe,
}

/// Which runs are judged for a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judged {
    /// Every run.
    Always,
    /// Runs of a scenario that names it: judging it takes room in every state.
    WhereAsked,
}

macro_rules! register {
    ($($(#[$about:meta])* $verdict:ident { $($part:ident: $value:expr,)* })*) => {
        /// What the oracle can say of a run, in the order of a report's columns: the gravest failure first.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Verdict { $($(#[$about])* $verdict,)* }

        impl Verdict {
            /// Every verdict, in order.
            pub const ALL: [Verdict; [$(Verdict::$verdict),*].len()] = [$(Verdict::$verdict),*];

            /// Its entry.
            pub const fn spec(self) -> &'static Spec {
                match self { $(Verdict::$verdict => &Spec { $($part: $value,)* },)* }
            }
        }
    };
}

register! {
    /// Everything that is owed was accepted once, and nothing else was.
    ExactlyOnce {
        name: "exactly_once",
        words: "exactly-once",
        meaning: "All that is owed was accepted once, and nothing else",
        does: "is exactly-once",
        finding: "every payload that is owed is on the accepted record once",
        half: Half::Good,
        column: Column::Always,
        holds: Holds::AtRestAndSafe,
        judged: Judged::Always,
    }
    /// Some payload is on the accepted record more than once.
    Duplicate {
        name: "duplicate",
        words: "duplicate",
        meaning: "Accepted more than once",
        does: "duplicates",
        finding: "{payload} is on the accepted record {times}, since step {step}",
        half: Half::Loud,
        column: Column::Always,
        holds: Holds::FromAStepOn,
        judged: Judged::Always,
    }
    /// Some accepted emission is not justified by the journal.
    Premature {
        name: "premature",
        words: "premature",
        meaning: "Accepted, but not committed when it was sent",
        does: "delivers what was never committed",
        finding: "{payload} was accepted although the journal did not hold it when it was sent, since step {step}",
        half: Half::Loud,
        column: Column::Always,
        holds: Holds::FromAStepOn,
        judged: Judged::Always,
    }
    /// Some obligation at the frontier is not on the accepted record of a run at rest, or was passed over by a stage that
    /// stands still.
    Lost {
        name: "lost",
        words: "lost",
        meaning: "Owed and not accepted",
        does: "loses",
        finding: "{payload} is owed and not on the accepted record, judged after step {step}",
        half: Half::Quiet,
        column: Column::Always,
        holds: Holds::AtTheEnd,
        judged: Judged::Always,
    }
    /// The run ended before it came to rest: before it was quiescent, or down with nothing left that recovers it, or with
    /// a process that waits or stopped in the middle of its program; and not all that is owed was passed over.
    Unfinished {
        name: "unfinished",
        words: "unfinished",
        meaning: "The run did not come to rest",
        does: "does not finish",
        finding: "{payload} is owed by a stage that stands still and has not passed it, judged after step {step}",
        half: Half::Quiet,
        column: Column::Always,
        holds: Holds::AtTheEnd,
        judged: Judged::Always,
    }
    /// On some key in scope, the sink's contents differ from the committed image.
    Dirty {
        name: "dirty",
        words: "dirty",
        meaning: "The sink's contents differ from what was committed",
        does: "leaves wrong contents",
        finding: "the sink's contents differ from what was committed, judged after step {step}",
        half: Half::Quiet,
        column: Column::WhereSeen,
        holds: Holds::AtRest,
        judged: Judged::WhereAsked,
    }
    /// Something accepted was committed and is no longer in the source's live log.
    Phantom {
        name: "phantom",
        words: "phantom",
        meaning: "Accepted, and no longer in the source's log",
        does: "keeps what the source's log no longer holds",
        finding: "{payload} was accepted and is no longer in the source's log, judged after step {step}",
        half: Half::Loud,
        column: Column::WhereSeen,
        holds: Holds::AtTheEnd,
        judged: Judged::Always,
    }
    /// Exactly-once against what retention kept, and yet lost against the journal.
    GradeGap {
        name: "grade_gap",
        words: "grade gap",
        meaning: "Exactly-once by what the source kept, lost by its journal",
        does: "loses what the source dropped",
        finding: "{payload} was committed and is not on the accepted record, and the source no longer holds it, judged \
                  after step {step}",
        half: Half::Quiet,
        column: Column::WhereSeen,
        holds: Holds::AtRestAndSafe,
        judged: Judged::Always,
    }
}

const HAZARDS: usize = {
    let (mut n, mut i) = (0, 0);
    while i < Verdict::ALL.len() {
        n += Verdict::ALL[i].is_hazard() as usize;
        i += 1;
    }
    n
};

impl Verdict {
    /// Everything that can go wrong, in order.
    pub const FAILURES: [Verdict; Verdict::ALL.len() - 1] = {
        let [Verdict::ExactlyOnce, failures @ ..] = Verdict::ALL else { panic!("the good one comes first") };
        failures
    };

    /// Those that stay true once they are.
    pub const HAZARDS: [Verdict; HAZARDS] = {
        let (mut hazards, mut n, mut i) = ([Verdict::ExactlyOnce; HAZARDS], 0, 0);
        while i < Verdict::ALL.len() {
            if Verdict::ALL[i].is_hazard() {
                hazards[n] = Verdict::ALL[i];
                n += 1;
            }
            i += 1;
        }
        hazards
    };

    /// The name of each.
    pub const NAMES: [&str; Verdict::ALL.len()] = {
        let (mut names, mut i) = ([""; Verdict::ALL.len()], 0);
        while i < names.len() {
            names[i] = Verdict::ALL[i].name();
            i += 1;
        }
        names
    };

    /// The name in files, in JSON and on the command line.
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// The verdict of this name.
    pub fn named(name: &str) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|verdict| verdict.name() == name)
    }

    /// Whether it stays true once it is, so that a schedule can end where it becomes true.
    pub const fn is_hazard(self) -> bool {
        matches!(self.spec().holds, Holds::FromAStepOn)
    }

    /// Whether a run is judged for it only where a scenario names it.
    pub const fn must_be_asked_for(self) -> bool {
        matches!(self.spec().judged, Judged::WhereAsked)
    }

    /// The failures of which each run shows one that is not exactly-once.
    pub fn against_exactly_once() -> impl Iterator<Item = Verdict> {
        Verdict::FAILURES.into_iter().filter(|verdict| verdict.spec().column == Column::Always)
    }
}

/// A set of verdicts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Verdicts(u32);

impl Verdicts {
    /// No verdict.
    pub const NONE: Verdicts = Verdicts(0);
    /// Every verdict.
    pub const ALL: Verdicts = Verdicts::of(&Verdict::ALL);
    /// A record with one of these is unsafe.
    pub const UNSAFE: Verdicts = Verdicts::of(&[Verdict::Duplicate, Verdict::Premature]);
    /// What stays true once it is.
    pub const HAZARDS: Verdicts = Verdicts::of(&Verdict::HAZARDS);

    /// These verdicts.
    pub const fn of(verdicts: &[Verdict]) -> Verdicts {
        let (mut set, mut i) = (Verdicts::NONE, 0);
        while i < verdicts.len() {
            set = set.with(verdicts[i]);
            i += 1;
        }
        set
    }

    /// These, and one more.
    #[must_use]
    pub const fn with(self, verdict: Verdict) -> Verdicts {
        Verdicts(self.0 | 1 << verdict as u32)
    }

    /// These, and one more where `holds`.
    #[must_use]
    #[inline]
    pub const fn with_if(self, verdict: Verdict, holds: bool) -> Verdicts {
        Verdicts(self.0 | (holds as u32) << verdict as u32)
    }

    /// Those that are in both sets.
    #[must_use]
    pub const fn and(self, other: Verdicts) -> Verdicts {
        Verdicts(self.0 & other.0)
    }

    /// Those that are in one of the sets.
    #[must_use]
    pub const fn or(self, other: Verdicts) -> Verdicts {
        Verdicts(self.0 | other.0)
    }

    /// Those that are not in the other set.
    #[must_use]
    pub const fn except(self, other: Verdicts) -> Verdicts {
        Verdicts(self.0 & !other.0)
    }

    /// Whether it is one of them.
    #[inline]
    pub const fn has(self, verdict: Verdict) -> bool {
        self.0 >> verdict as u32 & 1 == 1
    }

    /// Whether there are none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// A bit for each, in order.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// In order.
    pub fn iter(self) -> impl Iterator<Item = Verdict> {
        Verdict::ALL.into_iter().filter(move |verdict| self.has(*verdict))
    }
}

impl FromIterator<Verdict> for Verdicts {
    fn from_iter<I: IntoIterator<Item = Verdict>>(verdicts: I) -> Verdicts {
        verdicts.into_iter().fold(Verdicts::NONE, Verdicts::with)
    }
}

impl fmt::Debug for Verdicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_word_of_the_file_language_and_finds_its_verdict() {
        for verdict in Verdict::ALL {
            assert_eq!(Verdict::named(verdict.name()), Some(verdict));
            assert!(verdict.name().chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{verdict:?}");
            assert!(!verdict.spec().meaning.ends_with('.') && !verdict.spec().finding.ends_with('.'));
        }
        assert_eq!(Verdict::named("exactly-once"), None);
    }

    #[test]
    fn unsafe_verdicts_are_hazards_and_exclude_exactly_once() {
        assert_eq!(Verdicts::UNSAFE.except(Verdicts::HAZARDS), Verdicts::NONE);
        let against: Verdicts = Verdict::against_exactly_once().collect();
        assert_eq!(Verdicts::UNSAFE.except(against), Verdicts::NONE);
        assert_eq!(Verdicts::ALL.iter().count(), Verdict::ALL.len());
    }
}
