//! What a scenario claims beyond how often a verdict occurs: that two schedules look alike and no batch is right after
//! both, that some state can be reached, that a law holds in every state or at the end of a schedule, that a step is
//! refused there, that no policy with these reads can be right, or that some is.

use crate::model::decision::{Earlier, Redriven};
use crate::model::ids::Payload;
use crate::model::program::{BatchRule, Surface, Surfaces};
use crate::model::words::words;

/// A claim of a scenario, by its name.
#[derive(Clone, PartialEq, Debug)]
pub struct Claim {
    /// What the file calls it.
    pub name: String,
    /// The designs that it is about; none means all of the case.
    pub of: Option<String>,
    /// The schedule after which it is claimed: where looking at states begins. Empty means the start.
    pub from: Vec<String>,
    /// What is claimed.
    pub says: Says,
}

/// What is claimed.
#[derive(Clone, PartialEq, Debug)]
pub enum Says {
    /// Two schedules end in states that these surfaces do not tell apart and those do.
    Pair(Pair),
    /// A state in which this holds can be reached.
    Reachable(Predicate),
    /// This holds in every reachable state.
    Always(Predicate),
    /// This holds right where looking begins.
    Holds(Predicate),
    /// This step, by its label, is enabled there, or is not.
    Enabled(String, bool),
    /// Among the reachable states in which `among` holds, those that show the same through `by` show the same through
    /// `what`, or they do not.
    Determined {
        /// The states that are compared.
        among: Predicate,
        /// What is seen.
        by: Surfaces,
        /// What is asked.
        what: Surfaces,
        /// Whether the one decides the other.
        decides: bool,
    },
    /// What comes of every choice of the open batches there, one for each recoverer that is about to arm, when the
    /// schedule is picked after them.
    Choices(Batches),
    /// Some policy that reads only this can be right, or none can.
    Decision(Decision),
}

impl Says {
    /// How it is judged, as an expectation's line says it.
    pub fn judged_by(&self) -> &'static str {
        match self {
            Says::Pair(_) => "a pair of scripts",
            Says::Reachable(_) | Says::Always(_) => "every state",
            Says::Holds(_) | Says::Enabled(..) => "a script",
            Says::Determined { .. } => "every two states",
            Says::Choices(_) => "every batch and schedule",
            Says::Decision(_) => "every decision",
        }
    }
}

/// Whether every recovery decision can be made right through some surfaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision {
    /// Whether it can.
    pub is_decidable: bool,
    /// What is read; what the design reads, unless something is named.
    pub reads: Option<Surfaces>,
    /// Who made the recoveries before the decision.
    pub earlier: Earlier,
    /// How the batch lands; as the design lands it, unless something is named.
    pub redriven: Option<Redriven>,
}

/// Two schedules and how their ends compare.
#[derive(Clone, PartialEq, Debug)]
pub struct Pair {
    /// The one.
    pub left: Vec<String>,
    /// The other.
    pub right: Vec<String>,
    /// Surfaces that show the same.
    pub equal: Surfaces,
    /// Surfaces that do not.
    pub differ: Surfaces,
    /// What comes of the batches that can be sent next.
    pub batches: Batches,
    /// What holds after every such batch, on both sides, as soon as the run goes on.
    pub after_batch: Option<Predicate>,
    /// What comes of strategies that look at these surfaces again before each step.
    pub strategies: (Batches, Surfaces),
    /// How deliveries are counted where a batch is judged; none means as the record holds them.
    pub view: Option<Count>,
}

words! {
    /// How a consumer counts deliveries on a record that also takes them back (§8).
    Count {
        /// Each reversal takes back the newest delivery before it, or is void.
        MatchedCancellation = "matched_cancellation",
        /// Deliveries less reversals.
        SignedNet = "signed_net",
        /// The same, but never less than nothing.
        Truncated = "truncated",
    }
}

/// What a consumer remembers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Remembers {
    /// The last so many entries that it received, absorbed ones included.
    Last(u32),
    /// Everything.
    Forever,
}

/// What comes of a batch, sent after the one schedule and after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Batches {
    /// Nobody asks.
    Unasked,
    /// Each that an open `arm` can pick fails after one of the two: a policy that cannot tell them apart is wrong
    /// somewhere.
    EachFails,
    /// Some such batch is right after both.
    OneIsRight,
    /// The policy's own is right after both.
    OwnIsRight,
    /// The policy's own fails after one of the two.
    OwnFails,
}

/// Something that holds in a state or does not.
#[derive(Clone, PartialEq, Debug)]
pub enum Predicate {
    /// It does not.
    Not(Box<Predicate>),
    /// All of them do.
    All(Vec<Predicate>),
    /// The two hold in the same states.
    Iff(Box<Predicate>, Box<Predicate>),
    /// Where the one holds, the other does.
    Implies(Box<Predicate>, Box<Predicate>),
    /// The delivering process runs.
    Running,
    /// It crashed, and nobody healed.
    Crashed,
    /// The contents were healed and the run goes not on yet.
    Recovered,
    /// Some payload is on the record more than once.
    Duplicate,
    /// Something accepted is not justified.
    Premature,
    /// By the journal, no obligation at the judge's frontier is missing on the record.
    AtLeastOnce,
    /// At least once by the journal, and no hazard.
    ExactlyOnce,
    /// Each obligation at the judge's frontier counts once, and nothing else counts that was not committed.
    ExactlyOnceBy(Count),
    /// The same by what retention kept.
    RetainedExactlyOnce,
    /// Every obligation below the retention floor is on the record.
    Covered,
    /// The live log holds what the journal holds.
    JournalIsLog,
    /// The contents differ from the committed image.
    Dirty,
    /// Something accepted is no longer in the live log.
    Phantom,
    /// The record holds this payload so many times.
    Accepted(Payload, u32),
    /// Nothing is in flight.
    WireEmpty,
    /// Two recoverers live at once.
    TwoRecoverers,
    /// A recoverer died.
    RecovererDied,
    /// A message was lost on the wire.
    MessageLost,
    /// The dedup memory does not know something that was accepted.
    Forgot,
    /// The current generation.
    Generation(u32),
    /// Where the fence stands.
    Fence(u32),
    /// Where the durable cursor stands, as a count of events.
    Cursor(u32),
    /// The fence stands one past the current generation.
    FencedPast,
    /// Everything in flight is of a generation below the fence.
    WireBelowFence,
    /// Arrivals and losses of what is in flight, in any order, leave the record as it is.
    Settled,
    /// The journal holds this payload so many times.
    Committed(Payload, u32),
    /// The record holds each committed payload as often as it was committed, up to the judge's frontier.
    ExactlyOncePerInstance,
    /// The record in order: payloads with the generations that sent them.
    Record(Vec<(Payload, u32)>),
    /// Something on the record is of an older generation than what was accepted before it.
    GenerationsFall,
    /// What the sink shows of its record lacks an obligation that it accepted.
    RecordHides,
    /// A consumer that remembers processes this payload so many times.
    Processes(Remembers, Payload, u32),
    /// A consumer that remembers processes each obligation once, and nothing twice.
    ProcessesEachOnce(Remembers),
    /// Entries of one payload lie at most so far apart on the record.
    CopiesWithin(u32),
    /// The rule would send exactly these payloads here.
    Sends(BatchRule, Vec<Payload>),
    /// Two rules would send the same here.
    SendSame(BatchRule, BatchRule),
    /// The one rule would send nothing here that the other would not.
    SendsNoMore(BatchRule, BatchRule),
}

impl Claim {
    /// The surfaces that it compares: they are kept in the state even if the policy reads none of them.
    pub(crate) fn observes(&self) -> Surfaces {
        match &self.says {
            Says::Pair(pair) => pair.equal.and(pair.differ).and(pair.strategies.1),
            Says::Determined { by, what, .. } => by.and(*what),
            _ => Surfaces::NONE,
        }
        .and(self.predicate().map_or(Surfaces::NONE, Predicate::observes))
    }

    /// What it says of states one by one.
    pub(crate) fn predicate(&self) -> Option<&Predicate> {
        match &self.says {
            Says::Pair(pair) => pair.after_batch.as_ref(),
            Says::Reachable(p) | Says::Always(p) | Says::Holds(p) => Some(p),
            Says::Determined { among, .. } => Some(among),
            Says::Enabled(..) | Says::Choices(_) | Says::Decision(_) => None,
        }
    }
}

impl Predicate {
    /// Whether some part of it satisfies `test`.
    fn has(&self, test: &dyn Fn(&Predicate) -> bool) -> bool {
        match self {
            Predicate::Not(p) => p.has(test),
            Predicate::All(all) => all.iter().any(|p| p.has(test)),
            Predicate::Iff(p, q) | Predicate::Implies(p, q) => p.has(test) || q.has(test),
            part => test(part),
        }
    }

    /// Whether it looks at the sink's contents, which are kept only where somebody does.
    pub(crate) fn looks_at_contents(&self) -> bool {
        self.has(&|part| *part == Predicate::Dirty)
    }

    /// Whether it looks at the record in order, which is kept only where somebody does.
    pub(crate) fn looks_at_order(&self) -> bool {
        self.has(&|part| match part {
            Predicate::Record(_) | Predicate::GenerationsFall | Predicate::CopiesWithin(_) => true,
            Predicate::Processes(memory, ..) | Predicate::ProcessesEachOnce(memory) => {
                *memory != Remembers::Forever
            }
            _ => false,
        })
    }

    /// The surfaces that it looks at, which are kept only where somebody does.
    pub(crate) fn observes(&self) -> Surfaces {
        match self {
            Predicate::Not(p) => p.observes(),
            Predicate::All(all) => all.iter().map(Predicate::observes).fold(Surfaces::NONE, Surfaces::and),
            Predicate::Iff(p, q) | Predicate::Implies(p, q) => p.observes().and(q.observes()),
            Predicate::Cursor(_) => Surfaces::NONE.with(Surface::Cursor),
            Predicate::RecordHides => Surfaces::NONE.with(Surface::AcceptedRecord),
            Predicate::Sends(rule, _) => rule.needs(),
            Predicate::SendSame(one, other) | Predicate::SendsNoMore(one, other) => {
                one.needs().and(other.needs())
            }
            _ => Surfaces::NONE,
        }
    }
}
