//! Schedules as text: each action has a label that reads as what happens and parses back to the same action.

use std::fmt::Write as _;

use crate::engine::machine::{Compiled, Kind, Machine, Op, Role, Rule};
use crate::engine::steps;
use crate::engine::world::{Words, World};
use crate::model::action::{Action, Emission};
use crate::model::ids::{Generation, Payload, Slot, Target};
use crate::model::program::{FenceTo, Fire, Rows};
use crate::model::suggest::{Misnamed, nearest};

/// Why a label could not be followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduleError {
    /// Which label of the schedule, from 1.
    pub at: usize,
    /// The label.
    pub label: String,
    /// What is wrong.
    pub why: String,
    /// Whether the schedule is in order and only does not fit the program: what the label names is not enabled there, or
    /// is a step of another program.
    pub is_misfit: bool,
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

/// No more labels of steps than this are compared with one that is not known.
const MOST_LABELS: usize = 1_000;

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
                } else if self.names_item(who, pc) && !(self.is_by_entry(who, pc) && item == self.no_entry())
                {
                    let _ = write!(label, " {}", self.item_label(item));
                }
                label
            }
            other => {
                let known = steps::labels().find(|(_, action)| action.with_target(other.target()) == other);
                let template = known.map_or("?", |(template, _)| template);
                let target = match other.target() {
                    Target::None => String::new(),
                    Target::Slot(slot) => self.slot_name(slot),
                    Target::Payload(p) => self.item_label(p.0),
                    Target::Message(e) => self.emission_label(e),
                    Target::Entries(n) => n.to_string(),
                };
                template.replace("{}", &target)
            }
        }
    }

    /// The action that a label names in a state: the inverse of [`Machine::label`], which also takes a step by one of
    /// its acts alone (`recoverer-1 fire`), where it is the next one.
    ///
    /// # Errors
    /// What is wrong with the label.
    pub fn parse_label<W: Words>(&self, w: &World<W>, label: &str) -> Result<Action, Misnamed> {
        self.read_label(label, |who, text| self.parse_step(w, who, text))
    }

    /// Whether a label names something that this machine has, enabled or not.
    pub(crate) fn check_label(&self, label: &str) -> Result<(), Misnamed> {
        self.read_label(label, |who, text| self.find_step(who, text)).map(|_| ())
    }

    fn read_label(
        &self,
        label: &str,
        step: impl Fn(Slot, &str) -> Result<Action, Misnamed>,
    ) -> Result<Action, Misnamed> {
        let words: Vec<&str> = label.split_whitespace().collect();
        for (template, action) in steps::labels() {
            if let Some(named) = words_at_hole(template, action, &words) {
                return Ok(action.with_target(self.read_target(action.target(), named)?));
            }
        }
        match words.as_slice() {
            [name, rest @ ..] if !rest.is_empty() => step(self.parse_slot(name)?, &rest.join(" ")),
            _ => Err(Misnamed::new(
                "this is no label",
                "write one such as `crash`, `arrive order-1 g0` or `producer send order-1`",
            )),
        }
    }

    /// What words name, of the kind that `like` is.
    fn read_target(&self, like: Target, words: &[&str]) -> Result<Target, Misnamed> {
        Ok(match like {
            Target::None => Target::None,
            Target::Slot(_) => Target::Slot(self.parse_slot(&words.join(" "))?),
            Target::Payload(_) => Target::Payload(self.parse_payload(&words.join(" "))?),
            Target::Message(_) => Target::Message(self.parse_emission(words)?),
            Target::Entries(_) => {
                let number = words.join(" ");
                Target::Entries(number.parse().map_err(|_| {
                    Misnamed::new(format!("`{number}` is no number of entries"), "write `truncate to 1`")
                })?)
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

    /// Whether a step fires one entry of its batch at a time.
    fn is_by_entry(&self, who: Slot, pc: u16) -> bool {
        self.program(who).steps.get(pc as usize).is_some_and(|step| step.by_entry)
    }

    /// How many labels a step can have, by the item or the choice that they name.
    fn labelled_items(&self, who: Slot, pc: u16) -> u32 {
        if self.step_has(who, pc, |op| matches!(op, Op::Arm { rule: Rule::Any, .. })) {
            1 << self.events()
        } else if self.step_has(who, pc, |op| matches!(op, Op::Arm { rule: Rule::AnySuffix, .. })) {
            self.events() + 1
        } else if self.is_by_entry(who, pc) {
            self.no_entry() + 1
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
        let (process, attempt) = self.process_and_attempt(e);
        if process > 0 {
            let _ = write!(label, " process-{}", process + 1);
        }
        if self.attempts > 1 {
            let _ = write!(label, " try-{attempt}");
        }
        label
    }

    fn parse_payload(&self, label: &str) -> Result<Payload, Misnamed> {
        let all = || (0..self.messages()).map(Payload);
        all().find(|p| self.payload_label(*p) == label).ok_or_else(|| {
            let known: Vec<String> = all().map(|p| self.payload_label(p).to_owned()).collect();
            Misnamed::among(format!("this scenario has no event `{label}`"), label, &known)
        })
    }

    fn parse_emission(&self, words: &[&str]) -> Result<Emission, Misnamed> {
        let is_generation =
            |w: &&str| w.len() > 1 && w.starts_with('g') && w[1..].bytes().all(|b| b.is_ascii_digit());
        let wrong = |what: String| {
            Misnamed::new(what, "write an event and the generation that sent it, as in `order-1 g0`")
        };
        let at = words.iter().rposition(is_generation);
        let at = at.ok_or_else(|| wrong(format!("`{}` names no message", words.join(" "))))?;
        let generation =
            words[at][1..].parse().map_err(|_| wrong(format!("`{}` is no generation", words[at])))?;
        let mut e = Emission {
            payload: self.parse_payload(&words[..at].join(" "))?,
            generation: Generation(generation),
            justified: true,
            sender: 0,
        };
        // Processes are counted from 1, attempts from 0.
        let (mut process, mut attempt) = (1, 0);
        for word in &words[at + 1..] {
            let number = |of: &str| word.strip_prefix(of)?.parse::<u32>().ok();
            match (*word, number("process-"), number("try-")) {
                ("early", ..) => e.justified = false,
                (_, Some(n @ 1..), _) => process = n,
                (_, _, Some(n)) => attempt = n,
                _ => return Err(wrong(format!("`{word}` cannot stand after the generation"))),
            }
        }
        let sender = (process - 1).saturating_mul(self.attempts).saturating_add(attempt);
        e.sender = u8::try_from(sender)
            .map_err(|_| wrong(format!("`{}` names no process of this scenario", words.join(" "))))?;
        Ok(e)
    }

    /// The place that [`Machine::slot_name`] names.
    pub(crate) fn parse_slot(&self, name: &str) -> Result<Slot, Misnamed> {
        let all: Vec<Slot> = self.slots().map(|(slot, _)| slot).collect();
        all.iter().copied().find(|s| self.slot_name(*s) == name).ok_or_else(|| {
            let known: Vec<String> = all.iter().map(|s| self.slot_name(*s)).collect();
            Misnamed::among(format!("nobody here is called `{name}`"), name, &known)
        })
    }

    /// A step of an incarnation, by its acts or by one of them, which is of the next step where that has it.
    pub(crate) fn parse_step<W: Words>(
        &self,
        w: &World<W>,
        who: Slot,
        text: &str,
    ) -> Result<Action, Misnamed> {
        let next = match self.step_of(w, who) {
            Action::Step { item, .. } if w.get(self.slot(who).pc) == 0 => Action::Step { who, pc: 0, item },
            next => next,
        };
        let found = self.find_step(who, text)?;
        let (Action::Step { pc, .. }, Action::Step { item: next_item, .. }) = (found, next) else {
            return Ok(found);
        };
        Ok(if self.is_whole_step(found, text) {
            // A step that names no item is told by its place; whatever item the incarnation holds is the one.
            if self.labelled_items(who, pc) > 1 { found } else { Action::Step { who, pc, item: next_item } }
        } else if self.is_act_of(next, text) {
            next
        } else {
            found
        })
    }

    /// The first step of an incarnation's program that goes by this text whole, or else that has it for an act.
    pub(crate) fn find_step(&self, who: Slot, text: &str) -> Result<Action, Misnamed> {
        let steps = || {
            (0..self.program(who).steps.len() as u16).flat_map(|pc| {
                (0..self.labelled_items(who, pc)).map(move |item| Action::Step { who, pc, item })
            })
        };
        let whole = steps().find(|a| self.is_whole_step(*a, text));
        whole.or_else(|| steps().find(|a| self.is_act_of(*a, text))).ok_or_else(|| {
            let name = self.slot_name(who);
            let labels: Vec<String> = steps().take(MOST_LABELS).map(|a| self.label(a)).collect();
            let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
            let help = match nearest(&format!("{name} {text}"), &labels) {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    let known: Vec<String> = self.program(who).steps.iter().map(step_text).collect();
                    format!("its steps are {}", known.join(" | "))
                }
            };
            Misnamed { what: format!("{name} has no step `{text}`"), help, is_step: true }
        })
    }

    fn is_whole_step(&self, step: Action, text: &str) -> bool {
        let Action::Step { who, .. } = step else { return false };
        self.label(step).strip_prefix(&self.slot_name(who)).is_some_and(|label| label.trim_start() == text)
    }

    /// Whether the text is one of the acts of a step, with or without the item that it works on.
    fn is_act_of(&self, step: Action, text: &str) -> bool {
        let Action::Step { who, pc, item } = step else { return false };
        let Some(step) = self.program(who).steps.get(pc as usize) else { return false };
        let with_item =
            |act: &str| self.names_item(who, pc) && text == format!("{act} {}", self.item_label(item));
        step.acts.iter().map(act_text).any(|act| act == text || with_item(&act))
    }
}

/// The words of a label that stand where its template has a hole; none where it is another label. A name of a process is
/// one word, what a message or an event is called may be several.
fn words_at_hole<'a, 'b>(template: &'a str, action: Action, words: &'b [&'a str]) -> Option<&'b [&'a str]> {
    let mut parts = template.split("{}").map(|part| part.split_whitespace().collect::<Vec<_>>());
    let (before, after) = (parts.next()?, parts.next());
    let rest = words.strip_prefix(before.as_slice())?;
    let Some(after) = after else { return rest.is_empty().then_some(rest) };
    let named = rest.strip_suffix(after.as_slice())?;
    let is_a_word = !matches!(action.target(), Target::Slot(_) | Target::Entries(_)) || named.len() == 1;
    is_a_word.then_some(named)
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
