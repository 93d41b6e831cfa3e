//! What went wrong in a run, in one sentence of plain words, made from its effects alone.

use dwsim_sim::model::program::Surface;
use dwsim_sim::model::record::{Effect, Finding, Lane, Record};
use dwsim_sim::model::verdict::Verdict;

use crate::text;

/// The sentence about a run's gravest finding, in the order of the register; none for a run in which nothing failed.
pub fn sentence(record: &Record) -> Option<String> {
    let gravest = record.findings.iter().filter(|f| f.verdict != Verdict::ExactlyOnce);
    gravest.min_by_key(|f| (f.verdict, f.step)).map(|finding| about(record, finding))
}

/// The sentence about one finding of a run.
pub fn about(record: &Record, finding: &Finding) -> String {
    let story = Story::of(record, &finding.payload);
    let said = match finding.verdict {
        Verdict::Duplicate => story.duplicate(finding),
        Verdict::Premature => story.premature(finding),
        Verdict::Lost => story.lost(),
        Verdict::Unfinished => Some(story.unfinished(finding)),
        Verdict::Phantom => story.phantom(),
        Verdict::GradeGap => story.grade_gap(),
        // The register's own words say it all.
        _ => None,
    };
    format!("{}.", said.unwrap_or_else(|| crate::timeline::finding_in_words(finding)))
}

/// What the record holds about one payload, and about the run around it. Steps count from 1.
#[derive(Default)]
struct Story<'a> {
    payload: &'a str,
    committed: Option<usize>,
    sends: Vec<Send>,
    fates: Vec<Fate>,
    crashes: Vec<usize>,
    resumes: Vec<usize>,
    reads: Vec<(usize, Surface)>,
    /// The steps at which a sink of two phases prepared it.
    prepared: Vec<usize>,
    batches: Vec<Batch>,
    /// The steps at which the source dropped entries of its log, from either end.
    drops: Vec<usize>,
    steps: usize,
}

/// The payload went out.
#[derive(Clone, Copy)]
struct Send {
    step: usize,
    generation: u16,
    lane: Lane,
}

/// A recoverer fixed what to send again.
struct Batch {
    step: usize,
    holds_it: bool,
    is_empty: bool,
}

/// The payload came to an end somewhere.
#[derive(Clone, Copy)]
struct Fate {
    step: usize,
    what: What,
}

#[derive(Clone, Copy, PartialEq)]
enum What {
    Accepted(u16),
    Dropped(u16),
    Absorbed,
    Rejected,
    /// Whether on the wire, or by the sink that had taken it in.
    LostInTransit {
        by_sink: bool,
    },
}

/// An acceptance, and the send that it came from.
#[derive(Clone, Copy)]
struct Delivery {
    sent: Send,
    accepted: usize,
}

impl<'a> Story<'a> {
    fn of(record: &'a Record, payload: &'a str) -> Story<'a> {
        let mut story = Story { payload, steps: record.moments.len(), ..Story::default() };
        for (i, moment) in record.moments.iter().enumerate() {
            for effect in &moment.effects {
                story.note(i + 1, moment.lane, effect);
            }
        }
        story
    }

    fn note(&mut self, step: usize, lane: Lane, effect: &'a Effect) {
        let me = |payload: &String| payload == self.payload;
        match effect {
            Effect::Committed(p) if me(p) => self.committed = self.committed.or(Some(step)),
            Effect::Sent { payload, generation, .. } if me(payload) => {
                self.sends.push(Send { step, generation: *generation, lane });
            }
            Effect::Accepted { payload, generation, .. } if me(payload) => {
                self.fates.push(Fate { step, what: What::Accepted(*generation) });
            }
            Effect::Dropped { payload, generation, .. } if me(payload) => {
                self.fates.push(Fate { step, what: What::Dropped(*generation) });
            }
            Effect::Absorbed(p) if me(p) => self.fates.push(Fate { step, what: What::Absorbed }),
            Effect::Rejected(p) if me(p) => self.fates.push(Fate { step, what: What::Rejected }),
            Effect::LostInTransit(p) if me(p) => {
                self.fates.push(Fate { step, what: What::LostInTransit { by_sink: lane == Lane::Sink } });
            }
            Effect::Read { surface, .. } => self.reads.push((step, *surface)),
            Effect::Armed(batch) => {
                let holds_it = batch.iter().any(me);
                self.batches.push(Batch { step, holds_it, is_empty: batch.is_empty() });
            }
            Effect::Prepared(p) if me(p) => self.prepared.push(step),
            Effect::Retained(_) | Effect::LogCut(_) => self.drops.push(step),
            Effect::Crashed => self.crashes.push(step),
            Effect::Resumed(_) => self.resumes.push(step),
            _ => {}
        }
    }

    /// Each acceptance with the send that it came from: one of the same step, which landed directly, else the
    /// earliest of its generation that is not used up. Equal messages are interchangeable, so no other pairing of
    /// those in flight would tell another story.
    fn deliveries(&self) -> Vec<Delivery> {
        let mut unused = self.sends.clone();
        let mut deliveries = Vec::new();
        for fate in &self.fates {
            let What::Accepted(generation) = fate.what else { continue };
            let direct = unused.iter().position(|s| s.generation == generation && s.step == fate.step);
            let flown = || unused.iter().position(|s| s.generation == generation && s.step < fate.step);
            if let Some(from) = direct.or_else(flown) {
                deliveries.push(Delivery { sent: unused.remove(from), accepted: fate.step });
            }
        }
        deliveries
    }

    fn duplicate(&self, finding: &Finding) -> Option<String> {
        let opening = format!("{} was accepted {}", self.payload, text::times(finding.times));
        let acceptances: Vec<usize> =
            self.fates.iter().filter(|f| matches!(f.what, What::Accepted(_))).map(|f| f.step).collect();
        let [first, second, further @ ..] = &acceptances[..] else { return None };
        let more = and_further(further);
        let deliveries = self.deliveries();
        if deliveries.len() < 2 {
            let sent = self.sends.first()?;
            return Some(format!(
                "{opening}: sent once, at step {}, it arrived at step {first} and a copy of it at step {second}{more}",
                sent.step
            ));
        }
        let (mut old, mut new) = (deliveries[0], deliveries[1]);
        if old.sent.step > new.sent.step {
            (old, new) = (new, old);
        }
        let crash = self.last_crash(old.sent.step, new.sent.step);
        Some(format!("{opening}: {}{more}", self.two_ways(old, new, crash)))
    }

    /// How the older and the newer send of one payload both came to be accepted.
    fn two_ways(&self, old: Delivery, new: Delivery, crash: Option<usize>) -> String {
        let Some(crash) = crash else {
            return match (old.sent.lane, new.sent.lane) {
                (Lane::Recoverer(a), Lane::Recoverer(b)) if a != b => format!(
                    "recoverer {a} sent it at step {} and recoverer {b} at step {}, and both were accepted (steps {} and {})",
                    old.sent.step, new.sent.step, old.accepted, new.accepted
                ),
                _ => {
                    let arrived = if old.accepted < new.accepted {
                        format!("it arrived at step {} and at step {}", old.accepted, new.accepted)
                    } else {
                        let (first, second) = (new.accepted, old.accepted);
                        format!("the second arrived first, at step {first}, and the first at step {second}")
                    };
                    format!(
                        "sent by g{} at step {} and again by g{} at step {}, {arrived}",
                        old.sent.generation, old.sent.step, new.sent.generation, new.sent.step
                    )
                }
            };
        };
        if old.accepted > crash { self.straggler(old, new, crash) } else { self.window(old, new, crash) }
    }

    /// The older send was in flight at the crash.
    fn straggler(&self, old: Delivery, new: Delivery, crash: usize) -> String {
        let again = format!("was sent again at step {}", new.sent.step);
        let read = self.sink_read(crash, new.sent.step).filter(|(step, _)| *step < old.accepted);
        let generation = old.sent.generation;
        let until = read.map_or(crash, |(step, _)| step);
        let state = match self.prepared.first() {
            Some(prepared) if *prepared < until => "prepared and not yet complete",
            _ => "still in flight",
        };
        let came = if self.prepared.is_empty() { "arrived" } else { "took effect" };
        let flight = match read {
            Some((_, surface)) => format!(
                "sent by g{generation} before the crash, it was {state} when recovery read {}",
                the(surface)
            ),
            None => format!("sent by g{generation}, it was {state} at the crash at step {crash}"),
        };
        if old.accepted > new.sent.step {
            let arrived = match new.accepted == new.sent.step {
                true => format!("{came} at step {}", old.accepted),
                false => format!(
                    "both {came}, at steps {} and {}",
                    old.accepted.min(new.accepted),
                    old.accepted.max(new.accepted)
                ),
            };
            format!("{flight}, {again}, and {arrived}")
        } else {
            format!("{flight}, {came} at step {} all the same, and {again}", old.accepted)
        }
    }

    /// The older send was accepted before the crash, and whoever sent again did not know it.
    fn window(&self, old: Delivery, new: Delivery, crash: usize) -> String {
        let before = format!("it arrived at step {}, before the crash at step {crash}", old.accepted);
        let again = format!("was sent again at step {}", new.sent.step);
        let steps = crash..=new.sent.step;
        match self.reads.iter().rfind(|(step, surface)| steps.contains(step) && !surface.is_committed_log()) {
            Some((step, surface)) => {
                format!(
                    "{before}, but {} that recovery read at step {step} did not say so, and it {again}",
                    the(*surface)
                )
            }
            None => format!("{before}, and {again} without asking the sink"),
        }
    }

    fn premature(&self, finding: &Finding) -> Option<String> {
        let accepted = self.fates.iter().find(|f| matches!(f.what, What::Accepted(_)))?.step;
        let sent = self.sends.first().map_or(accepted, |s| s.step);
        let opening = format!("{} was accepted at step {accepted}", finding.payload);
        Some(match (self.committed, self.crashes.iter().find(|crash| **crash > sent)) {
            (Some(committed), _) => {
                format!("{opening}: it was sent at step {sent}, before it was committed at step {committed}")
            }
            (None, Some(crash)) => format!(
                "{opening} and never committed: it was sent at step {sent}, and the crash at step {crash} came \
                 before its commit"
            ),
            (None, None) => format!("{opening} and never committed: it was sent at step {sent}"),
        })
    }

    fn lost(&self) -> Option<String> {
        let opening = format!("{} was lost", self.payload);
        let after = self.without_it();
        let Some(fate) = self.fates.last() else {
            let committed =
                self.committed.map_or(String::new(), |step| format!("committed at step {step}, "));
            // A crash before the commit has no part in it.
            let crash = self.crashes.iter().find(|crash| self.committed.is_none_or(|step| **crash > step));
            return Some(match (self.sends.last(), crash) {
                (Some(sent), _) => format!("{opening}: sent at step {}, it never arrived{after}", sent.step),
                (None, Some(crash)) => {
                    format!("{opening}: {committed}it had not been sent at the crash at step {crash}{after}")
                }
                (None, None) => format!("{opening}: {committed}it was never sent"),
            });
        };
        Some(match fate.what {
            What::LostInTransit { by_sink } => {
                let sent =
                    self.sends.last().map_or(String::new(), |sent| format!("sent at step {}, ", sent.step));
                let lost = if by_sink { "taken in and then lost by the sink" } else { "lost on the wire" };
                format!("{opening}: {sent}it was {lost} at step {}{after}", fate.step)
            }
            What::Dropped(generation) => format!(
                "{opening}: sent by g{generation}, it was refused by the fence at step {}{after}",
                fate.step
            ),
            What::Rejected => {
                format!("{opening}: the sink refused it at step {}, and always will", fate.step)
            }
            What::Absorbed => format!(
                "{opening}: the sink's dedup memory took it at step {} for one that it knew{after}",
                fate.step
            ),
            What::Accepted(_) => return None,
        })
    }

    /// Why nobody sent it again, as the end of a sentence about a loss.
    fn without_it(&self) -> String {
        let Some(crash) = self.crashes.last() else { return ", and nothing sent it again".to_owned() };
        let batch = self
            .batches
            .iter()
            .rfind(|batch| batch.step > *crash && self.committed.is_none_or(|step| batch.step > step));
        match batch {
            Some(batch) if batch.is_empty => {
                format!(", and the batch that recovery armed at step {} was empty", batch.step)
            }
            Some(batch) if !batch.holds_it => {
                format!(", and the batch that recovery armed at step {} did not hold it", batch.step)
            }
            _ => ", and nothing sent it again".to_owned(),
        }
    }

    fn phantom(&self) -> Option<String> {
        let accepted = self.fates.iter().find(|f| matches!(f.what, What::Accepted(_)))?.step;
        let committed = self.committed?;
        Some(format!(
            "{} was committed at step {committed} and accepted at step {accepted}, and {} no longer in the source's log",
            self.payload,
            self.is_gone_since(committed)
        ))
    }

    fn grade_gap(&self) -> Option<String> {
        let committed = self.committed?;
        Some(format!(
            "{} was committed at step {committed} and never accepted, and {} no longer in the source's log to be sent \
             again",
            self.payload,
            self.is_gone_since(committed)
        ))
    }

    /// Since when the log lacks it, where only one step can have dropped it.
    fn is_gone_since(&self, committed: usize) -> String {
        match self.drops.iter().filter(|step| **step > committed).collect::<Vec<_>>()[..] {
            [step] => format!("since step {step} it is"),
            _ => "it is".to_owned(),
        }
    }

    fn unfinished(&self, finding: &Finding) -> String {
        let what = match finding.payload.as_str() {
            "" => format!(
                "the run did not come to rest by its end at step {}, and owes nothing that is committed",
                finding.step.max(self.steps)
            ),
            payload => format!("{payload} is still owed at the end, step {}", finding.step.max(self.steps)),
        };
        match self.crashes.last() {
            Some(crash) if !self.resumes.iter().any(|resume| resume > crash) => {
                format!("{what}: after the crash at step {crash} nothing brought the run back to running")
            }
            _ if finding.payload.is_empty() => what,
            _ => format!(
                "{what}: the process that delivers stands still, and by its own books has not passed it"
            ),
        }
    }

    fn last_crash(&self, from: usize, to: usize) -> Option<usize> {
        self.crashes.iter().copied().rfind(|crash| (from..to).contains(crash))
    }

    /// The last read of something of the sink's in these steps.
    fn sink_read(&self, from: usize, to: usize) -> Option<(usize, Surface)> {
        self.reads.iter().copied().rfind(|(step, s)| (from..=to).contains(step) && s.is_the_sinks())
    }
}

/// The acceptances after the first two, as the end of a sentence about these.
fn and_further(steps: &[usize]) -> String {
    match steps {
        [] => String::new(),
        [step] => format!("; it was accepted once more at step {step}"),
        [steps @ .., last] => {
            let steps: Vec<String> = steps.iter().map(usize::to_string).collect();
            format!("; it was accepted again at steps {} and {last}", steps.join(", "))
        }
    }
}

/// A surface as the object of a sentence: `the accepted record`.
fn the(surface: Surface) -> String {
    match surface {
        Surface::AcceptedRecord => "the record".to_owned(),
        Surface::Acks => "the acknowledgements".to_owned(),
        other => format!("the {}", other.name().replace('_', " ")),
    }
}
