//! Schedules as text: each action has a label that reads as what happens and parses back to the same action.

use std::fmt::Write as _;

use crate::action::{Action, Emission};
use crate::ids::{Generation, Payload, Slot};
use crate::machine::{Compiled, Kind, Machine, Op, Role, Rule};
use crate::program::{FenceTo, Fire, Rows};
use crate::scenario::CrashKind;
use crate::world::{Words, World};

/// Why a label could not be followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduleError {
    /// Which label of the schedule, from 1.
    pub at: usize,
    /// The label.
    pub label: String,
    /// What is wrong.
    pub why: String,
    /// The labels of what is enabled there.
    pub enabled: Vec<String>,
}

impl std::fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "step {}, `{}`: {}", self.at, self.label, self.why)?;
        if !self.enabled.is_empty() {
            write!(f, "; enabled there: {}", self.enabled.join(" | "))?;
        }
        Ok(())
    }
}

impl std::error::Error for ScheduleError {}

impl Machine {
    /// The label of an action, such as `producer send order-1`, `arrive order-1 g0`, `crash`.
    pub fn label(&self, action: Action) -> String {
        match action {
            Action::Step { who, pc, item } => {
                let program = self.program(who);
                let text = program.steps.get(pc as usize).map_or_else(|| "?".to_owned(), step_text);
                let twin = program.steps[..(pc as usize).min(program.steps.len())]
                    .iter()
                    .filter(|s| step_text(s) == text)
                    .count();
                let mut label = format!("{} {text}", self.slot_name(who));
                if twin > 0 {
                    let _ = write!(label, " #{}", twin + 1);
                }
                if self.step_has(who, pc, |op| matches!(op, Op::Arm { rule: Rule::AnySuffix, .. })) {
                    let _ = write!(label, " from {item}");
                } else if self.step_has(who, pc, |op| matches!(op, Op::Arm { rule: Rule::Any, .. })) {
                    let batch = (0..self.events()).filter(|p| item >> p & 1 == 1).map(|p| self.item_label(p));
                    let _ = write!(label, " [{}]", batch.collect::<Vec<_>>().join(", "));
                } else if self.names_item(who, pc) {
                    let _ = write!(label, " {}", self.item_label(item));
                }
                label
            }
            Action::Interval(who) => format!("{} interval", self.slot_name(who)),
            Action::Arrive(e) => format!("arrive {}", self.emission_label(e)),
            Action::Lose(e) => format!("lose {}", self.emission_label(e)),
            Action::Copy(e) => format!("copy {}", self.emission_label(e)),
            Action::Crash(CrashKind::Kill) => "crash".to_owned(),
            Action::Crash(CrashKind::Pause) => "pause".to_owned(),
            Action::Truncate(keeps) => format!("truncate to {keeps}"),
            Action::Start(slot) => format!("start {}", self.slot_name(slot)),
            Action::Die(slot) => format!("{} dies", self.slot_name(slot)),
            Action::Ack(p) => format!("ack {}", self.item_label(p.0)),
            Action::LoseAck(p) => format!("lose-ack {}", self.item_label(p.0)),
            Action::Timeout(slot) => format!("{} timeout", self.slot_name(slot)),
            Action::SinkPersist => "sink persist".to_owned(),
            Action::FinishEffect(e) => format!("sink finish {}", self.emission_label(e)),
            Action::SinkCrash => "sink crash".to_owned(),
            Action::Evict => "sink forget".to_owned(),
            Action::Expire(e) => format!("sink expire {}", self.emission_label(e)),
            Action::Retain => "retain".to_owned(),
            Action::HarmCursor => "harm cursor".to_owned(),
        }
    }

    /// The action that a label names in a state: the inverse of [`Machine::label`], which also takes a step by one of
    /// its acts alone (`recoverer-1 fire`), where it is the next one.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the label.
    pub fn parse_label<W: Words>(&self, w: &World<W>, label: &str) -> Result<Action, String> {
        let words: Vec<&str> = label.split_whitespace().collect();
        let emission = |rest: &[&str]| self.parse_emission(rest);
        let slot = |name: &str| self.parse_slot(name);
        Ok(match words.as_slice() {
            ["arrive", rest @ ..] => Action::Arrive(emission(rest)?),
            ["lose", rest @ ..] => Action::Lose(emission(rest)?),
            ["copy", rest @ ..] => Action::Copy(emission(rest)?),
            ["crash"] => Action::Crash(CrashKind::Kill),
            ["truncate", "to", keeps] => Action::Truncate(
                keeps
                    .parse()
                    .map_err(|_| format!("`{keeps}` is no number of entries, as in `truncate to 1`"))?,
            ),
            ["pause"] => Action::Crash(CrashKind::Pause),
            ["start", name] => Action::Start(slot(name)?),
            ["ack", rest @ ..] => Action::Ack(self.parse_payload(&rest.join(" "))?),
            ["lose-ack", rest @ ..] => Action::LoseAck(self.parse_payload(&rest.join(" "))?),
            ["sink", "persist"] => Action::SinkPersist,
            ["sink", "finish", rest @ ..] => Action::FinishEffect(emission(rest)?),
            ["sink", "crash"] => Action::SinkCrash,
            ["sink", "forget"] => Action::Evict,
            ["sink", "expire", rest @ ..] => Action::Expire(emission(rest)?),
            ["retain"] => Action::Retain,
            ["harm", "cursor"] => Action::HarmCursor,
            [name, "interval"] => Action::Interval(slot(name)?),
            [name, "dies"] => Action::Die(slot(name)?),
            [name, "timeout"] => Action::Timeout(slot(name)?),
            [name, rest @ ..] if !rest.is_empty() => self.parse_step(w, slot(name)?, &rest.join(" "))?,
            _ => {
                return Err(
                    "expected a label such as `crash`, `arrive order-1 g0` or `producer send order-1`"
                        .to_owned(),
                );
            }
        })
    }

    /// The labels of what is in flight in a state, such as `order-1 g0`, each as often as it is.
    pub(crate) fn in_flight_labels<W: Words>(&self, w: &World<W>) -> Vec<String> {
        let mut labels = Vec::new();
        let mut at = 0;
        while let Some(index) = w.next_nonzero(self.f.wire, at) {
            let label = self.emission_label(self.emission_at(index));
            labels.extend((0..w.count(self.f.wire, index)).map(|_| label.clone()));
            at = index + 1;
        }
        labels
    }

    /// The labels of everything that is enabled in a state.
    pub fn enabled_labels<W: Words>(&self, w: &World<W>) -> Vec<String> {
        (0..self.enabled(w)).filter_map(|k| self.nth(w, k)).map(|a| self.label(a)).collect()
    }

    /// The name of an incarnation's place: `producer`, `relay`, `recoverer-1`, `paused-1`.
    pub fn slot_name(&self, slot: Slot) -> String {
        match self.slots.get(slot.0 as usize).map(|s| s.role) {
            Some(Role::Producer) => "producer".to_owned(),
            Some(Role::Relay) => "relay".to_owned(),
            Some(Role::Recoverer(k)) => format!("recoverer-{}", k + 1),
            Some(Role::Zombie(k)) => format!("paused-{}", k + 1),
            None => "nobody".to_owned(),
        }
    }

    fn item_label(&self, item: u32) -> String {
        if item < self.messages() { self.payload_label(Payload(item)) } else { "?".to_owned() }
    }

    /// Whether a step's label says which item it works on.
    pub(crate) fn names_item(&self, who: Slot, pc: u16) -> bool {
        let per_item = |op: &Op| {
            matches!(
                op,
                Op::Commit
                    | Op::Enqueue
                    | Op::Send
                    | Op::Snapshot(_)
                    | Op::AwaitAck
                    | Op::Fire(Fire::Each | Fire::Wire)
            )
        };
        self.program(who).kind == Kind::Events || self.step_has(who, pc, per_item)
    }

    /// How many labels a step can have, by the item or the choice that they name.
    fn labelled_items(&self, who: Slot, pc: u16) -> u32 {
        if self.step_has(who, pc, |op| matches!(op, Op::Arm { rule: Rule::Any, .. })) {
            1 << self.events()
        } else if self.step_has(who, pc, |op| matches!(op, Op::Arm { rule: Rule::AnySuffix, .. })) {
            self.events() + 1
        } else if self.names_item(who, pc) {
            self.events()
        } else {
            1
        }
    }

    fn emission_label(&self, e: Emission) -> String {
        let mut label = format!("{} {}", self.item_label(e.payload.0), e.generation);
        if !e.justified {
            label.push_str(" early");
        }
        if self.attempts > 1 {
            let _ = write!(label, " try-{}", e.attempt);
        }
        label
    }

    fn parse_payload(&self, label: &str) -> Result<Payload, String> {
        let at = (0..self.messages()).map(Payload).find(|p| self.payload_label(*p) == label);
        at.ok_or_else(|| format!("this scenario has no event `{label}`"))
    }

    fn parse_emission(&self, words: &[&str]) -> Result<Emission, String> {
        let is_generation =
            |w: &&str| w.len() > 1 && w.starts_with('g') && w[1..].bytes().all(|b| b.is_ascii_digit());
        let at = words
            .iter()
            .rposition(is_generation)
            .ok_or("expected an event and the generation that sent it, as in `order-1 g0`")?;
        let generation = words[at][1..].parse().map_err(|_| format!("`{}` is no generation", words[at]))?;
        let mut e = Emission {
            payload: self.parse_payload(&words[..at].join(" "))?,
            generation: Generation(generation),
            justified: true,
            attempt: 0,
        };
        for word in &words[at + 1..] {
            match (*word, word.strip_prefix("try-").and_then(|n| n.parse().ok())) {
                ("early", _) => e.justified = false,
                (_, Some(attempt)) => e.attempt = attempt,
                _ => return Err(format!("did not expect `{word}` after the generation")),
            }
        }
        Ok(e)
    }

    /// The place that [`Machine::slot_name`] names.
    pub(crate) fn parse_slot(&self, name: &str) -> Result<Slot, String> {
        let all: Vec<Slot> = self.slots().map(|(slot, _)| slot).collect();
        all.iter().copied().find(|s| self.slot_name(*s) == name).ok_or_else(|| {
            let names: Vec<String> = all.iter().map(|s| self.slot_name(*s)).collect();
            format!("nobody here is called `{name}`; there are {}", names.join(", "))
        })
    }

    /// A step of an incarnation, by its acts or by one of them.
    pub(crate) fn parse_step<W: Words>(&self, w: &World<W>, who: Slot, text: &str) -> Result<Action, String> {
        let steps = &self.program(who).steps;
        let next = match self.step_of(w, who) {
            Action::Step { item, .. } if w.get(self.slot(who).pc) == 0 => Action::Step { who, pc: 0, item },
            next => next,
        };
        let Action::Step { pc: next_pc, item: next_item, .. } = next else {
            return Err("no step".to_owned());
        };
        let exact = (0..steps.len() as u16)
            .flat_map(|pc| {
                let items = self.labelled_items(who, pc);
                (0..items).map(move |item| Action::Step { who, pc, item })
            })
            .find(|a| self.label(*a) == format!("{} {text}", self.slot_name(who)));
        // A step that names no item is told by its place; whatever item the incarnation holds is the one.
        if let Some(Action::Step { pc, item, .. }) = exact {
            let item = if self.labelled_items(who, pc) > 1 { item } else { next_item };
            return Ok(Action::Step { who, pc, item });
        }
        let abbreviated = steps.get(next_pc as usize).is_some_and(|s| {
            let mut acts: Vec<String> = s.acts.iter().map(act_text).collect();
            if self.names_item(who, next_pc) {
                let named: Vec<String> =
                    acts.iter().map(|a| format!("{a} {}", self.item_label(next_item))).collect();
                acts.extend(named);
            }
            acts.iter().any(|a| a == text)
        });
        if abbreviated {
            return Ok(next);
        }
        let known: Vec<String> = steps.iter().map(step_text).collect();
        Err(format!("{} has no step `{text}`; its steps are {}", self.slot_name(who), known.join(" | ")))
    }
}

/// A step as its label writes it: its acts, joined by `+` where they are one atom.
pub(crate) fn step_text(step: &Compiled) -> String {
    step.acts.iter().map(act_text).collect::<Vec<_>>().join(" + ")
}

fn act_text(op: &Op) -> String {
    match op {
        Op::Read { surface, .. } => format!("read {surface}"),
        Op::Snapshot(Rows::Replica) => "snapshot replica".to_owned(),
        Op::Snapshot(Rows::Now) => "snapshot now".to_owned(),
        Op::Fence(FenceTo::Successor) => "fence".to_owned(),
        Op::Fence(FenceTo::Own) => "fence own".to_owned(),
        Op::Fence(FenceTo::PastOwn) => "fence past_own".to_owned(),
        Op::Fire(Fire::All) => "fire".to_owned(),
        Op::Fire(Fire::Each) => "fire each".to_owned(),
        Op::Fire(Fire::Wire) => "fire wire".to_owned(),
        Op::Fire(Fire::WireAll) => "fire wire_all".to_owned(),
        other => other.name().to_owned(),
    }
}
