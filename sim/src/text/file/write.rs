//! From a stage back to a file: what is written here loads to an equal stage. Fields that say what a file means by
//! saying nothing are left out, and programs that the library knows go by their names, so that what comes out reads
//! like something a person wrote.

use std::fmt::Write as _;

use super::fields::{Fields, WIDTH, list, quoted, time, word};
use super::library::Library;
use super::program_file::{load_policy, load_producer};
use super::stage;
use crate::model::program::{
    Act, BatchRule, Cadence, Else, Obligations, Policy, Producer, Rows, Stamps, Step,
};
use crate::model::scenario::{Often, Stage};
use crate::model::verdict::Verdict;

/// A scenario of one design, judged by one schedule.
#[derive(Clone, Debug)]
pub struct Scripted<'a> {
    /// Comment lines for the head of the file.
    pub story: Vec<String>,
    /// The story in a sentence.
    pub about: &'a str,
    /// The name of the one row.
    pub design: &'a str,
    /// What it runs under.
    pub stage: &'a Stage,
    /// What the schedule must come to.
    pub expect: Vec<(Verdict, Often)>,
    /// The labels of the schedule, each with a comment or an empty one.
    pub steps: Vec<(String, String)>,
    /// Whether the run goes on to quiescence after the last label.
    pub then_run_on: bool,
}

impl Scripted<'_> {
    /// The text of the file.
    pub fn text(&self, library: &dyn Library) -> String {
        let stage = self.stage;
        let mut out = String::new();
        for line in &self.story {
            let _ = writeln!(out, "{}", format!("// {line}").trim_end());
        }
        let mut programs = Vec::new();
        out += "Scenario(\n";
        let mut line = |text: String| {
            let _ = writeln!(out, "    {text},");
        };
        if !self.about.is_empty() {
            line(format!("about: {}", quoted(self.about)));
        }
        let producer = known_producer(&stage.producer, library, &mut programs);
        let relay = stage.relay.as_ref().map(|relay| known_producer(relay, library, &mut programs));
        let policy = &stage.policy;
        if !is_shipped_policy(policy, library) {
            programs.push(format!("{}: {}", quoted(&policy.name), policy_text(policy)));
        }
        if !programs.is_empty() {
            line(format!("programs: {{\n        {},\n    }}", programs.join(",\n        ")));
        }
        section(&mut line, "source", stage::source::written(&stage.source));
        section(&mut line, "start", stage::source::start_written(&stage.start));
        line(format!("producer: {producer}"));
        if let Some(relay) = relay {
            line(format!("relay: {relay}"));
        }
        section(&mut line, "wire", stage::wire::written(&stage.wire));
        section(&mut line, "sink", stage::sink::written(stage));
        section(&mut line, "recovery", stage::recovery::written(&stage.recovery));
        section(&mut line, "faults", stage::faults::written(&stage.faults));
        section(&mut line, "judge", stage::judge::written(&stage.judge));
        let design = quoted(self.design);
        line(if self.design == policy.name {
            format!("designs: [{design}]")
        } else {
            format!("designs: {{ {design}: (policy: {}) }}", quoted(&policy.name))
        });
        let expect: Vec<String> =
            self.expect.iter().map(|(v, often)| format!("{}: {}", v.name(), often_text(*often))).collect();
        line(format!("expect: {{ {design}: ({}) }}", expect.join(", ")));
        let mut script = String::new();
        let stop = (!self.then_run_on).then(|| ("stop".to_owned(), String::new()));
        for (label, why) in self.steps.iter().chain(&stop) {
            let comment = if why.is_empty() { String::new() } else { format!(" // {why}") };
            let _ = writeln!(script, "        {},{comment}", quoted(label));
        }
        line(format!("check_by: [script([\n{script}    ])]"));
        out + ")\n"
    }
}

fn section(line: &mut impl FnMut(String), name: &str, fields: Fields) {
    if fields.0.is_empty() {
        return;
    }
    let short = format!("{name}: {}", fields.text());
    if short.len() + 5 <= WIDTH && !short.contains('\n') {
        line(short);
    } else {
        line(format!("{name}: (\n        {},\n    )", fields.0.join(",\n        ")));
    }
}

fn often_text(often: Often) -> String {
    match often {
        Often::Exactly(n) => format!("exactly({n})"),
        Often::Sometimes => "sometimes".to_owned(),
        Often::Never => "never".to_owned(),
        Often::Always => "always".to_owned(),
    }
}

fn is_shipped_policy(policy: &Policy, library: &dyn Library) -> bool {
    let text = library.policy(&policy.name);
    text.and_then(|text| load_policy(&policy.name, text).ok()).is_some_and(|known| known == *policy)
}

/// The name of a producer or relay; one that the library does not know is written out among the programs.
fn known_producer(producer: &Producer, library: &dyn Library, programs: &mut Vec<String>) -> String {
    let text = library.producer(&producer.name);
    let known = text.and_then(|text| load_producer(&producer.name, text).ok());
    if known.is_none_or(|known| known != *producer) {
        programs.push(format!("{}: {}", quoted(&producer.name), producer_text(producer)));
    }
    quoted(&producer.name)
}

fn policy_text(policy: &Policy) -> String {
    let mut fields = Fields::default();
    fields.say_unless("about", policy.about.as_str(), "", |about| quoted(about));
    fields.say_unless("stamps", policy.stamps, Stamps::CrashTime, word);
    fields.say("steps", steps(&policy.steps));
    format!("Policy{}", fields.text())
}

fn producer_text(producer: &Producer) -> String {
    let mut fields = Fields::default();
    fields.say_unless("about", producer.about.as_str(), "", |about| quoted(about));
    match producer.sections.as_slice() {
        [(Cadence::EachEvent, acts)] => fields.say("each_event", steps(acts)),
        sections => {
            let each = sections.iter().map(|(cadence, acts)| match cadence {
                Cadence::EachEvent => format!("each_event({})", steps(acts)),
                Cadence::EachBatch(n) => format!("each_batch({n}, {})", steps(acts)),
                Cadence::EachInterval(ticks) => format!("each({}, {})", time(ticks), steps(acts)),
            });
            fields.say("run", list(each));
        }
    }
    if let Some(retry) = producer.retry {
        fields.say("retry", format!("(times: {}, after: {})", retry.times, time(&retry.after)));
    }
    format!("Producer{}", fields.text())
}

fn steps(steps: &[Step]) -> String {
    list(steps.iter().map(|step| {
        let acts = match step.acts.as_slice() {
            [one] => act(one),
            several => format!("atomic({})", list(several.iter().map(act))),
        };
        match step.otherwise {
            Else::Wait => acts,
            otherwise => format!("try(do: {acts}, else: {})", word(&otherwise)),
        }
    }))
}

fn act(act: &Act) -> String {
    match act {
        Act::Fetch(n) => format!("fetch({n})"),
        Act::Read(surface) => format!("read({surface})"),
        Act::Arm(rule) => format!("arm({})", batch_rule(rule)),
        Act::Fence(to) => format!("fence({to})"),
        Act::Snapshot(Rows::AtEvent) => "snapshot".to_owned(),
        Act::Snapshot(rows) => format!("snapshot_from({})", word(rows)),
        Act::Fire(how) => how.name().to_owned(),
        other => other.name().to_owned(),
    }
}

fn batch_rule(rule: &BatchRule) -> String {
    let (of, rule) = match rule {
        BatchRule::Nothing => return "nothing".to_owned(),
        BatchRule::Any => return "any".to_owned(),
        BatchRule::Custom(name) => return format!("custom({})", quoted(name)),
        BatchRule::All(of) => (of, "all"),
        BatchRule::PastCursor(of) => (of, "past(cursor)"),
        BatchRule::PastStoredCoordinate(of) => (of, "past(stored_coordinate)"),
        BatchRule::Unacknowledged(of) => (of, "unacknowledged"),
        BatchRule::NotAccepted(of) => (of, "minus(accepted_record)"),
        BatchRule::NotHeld(of) => (of, "minus(contents)"),
        BatchRule::KeyUnknown(of) => (of, "minus(dedup_keys)"),
        BatchRule::NotSent(of) => (of, "minus(sent_ledger)"),
        BatchRule::ValueDiffers(of) => (of, "values_differ(contents)"),
        BatchRule::ContentUnknown(of) => (of, "content_not_in(accepted_record)"),
        BatchRule::Latest(of) => (of, "latest"),
        BatchRule::Compensate(of) => (of, "compensate"),
        BatchRule::AnySuffix(of) => (of, "any_suffix"),
    };
    match of {
        Obligations::History => rule.to_owned(),
        of => format!("of({of}, {rule})"),
    }
}
