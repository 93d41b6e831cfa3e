//! From a stage back to a file: what is written here loads to an equal stage. Fields that say what a file means by
//! saying nothing are left out, and programs that the library knows go by their names, so that what comes out reads
//! like something a person wrote.

use std::fmt::{Display, Write as _};

use super::library::Library;
use super::program_file::{load_policy, load_producer};
use super::values::dialect;
use crate::model::program::{
    Act, BatchRule, Cadence, Else, Obligations, Policy, Producer, Rows, Stamps, Step,
};
use crate::model::ratio::Ratio;
use crate::model::scenario::*;
use crate::model::words::Word;

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

/// No line is longer, where it can be broken.
const WIDTH: usize = 110;

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
        section(&mut line, "source", source(&stage.source));
        section(&mut line, "start", start(&stage.start));
        line(format!("producer: {producer}"));
        if let Some(relay) = relay {
            line(format!("relay: {relay}"));
        }
        section(&mut line, "wire", wire(&stage.wire));
        section(&mut line, "sink", sink(stage));
        section(&mut line, "recovery", recovery(&stage.recovery));
        section(&mut line, "faults", faults(&stage.faults));
        section(&mut line, "judge", judge(&stage.judge));
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

/// Fields of a section that say something.
#[derive(Default)]
struct Fields(Vec<String>);

impl Fields {
    fn say(&mut self, name: &str, value: impl Display) {
        self.0.push(format!("{name}: {value}"));
    }

    fn say_unless<T: PartialEq>(
        &mut self,
        name: &str,
        value: T,
        default: T,
        text: impl FnOnce(&T) -> String,
    ) {
        if value != default {
            self.say(name, text(&value));
        }
    }

    fn text(&self) -> String {
        format!("({})", self.0.join(", "))
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

/// A text in quotes, as the dialect of the files reads it.
fn quoted(text: &str) -> String {
    dialect().to_string(text).unwrap_or_else(|_| format!("{text:?}"))
}

/// A word of the language.
fn word<T: Word>(value: &T) -> String {
    value.word().to_owned()
}

/// A duration in the greatest unit that it is a whole number of.
fn time(ticks: &u64) -> String {
    let units =
        [(86_400_000_000, "d"), (3_600_000_000, "h"), (60_000_000, "m"), (1_000_000, "s"), (1_000, "ms")];
    let unit = units.into_iter().find(|(size, _)| *ticks > 0 && ticks.is_multiple_of(*size));
    let (size, name) = unit.unwrap_or((1, if *ticks == 0 { "s" } else { "us" }));
    format!("\"{}{name}\"", ticks / size)
}

fn delay(delay: &Delay) -> String {
    match delay {
        Delay::Constant(ticks) => time(ticks),
        Delay::Uniform(low, high) => format!("uniform({}, {})", time(low), time(high)),
        Delay::Exponential(mean) => format!("exponential({})", time(mean)),
    }
}

fn chance(ratio: &Ratio) -> String {
    format!("\"{}/{}\"", ratio.num(), ratio.den())
}

fn strikes(chances: &Option<Chance>) -> String {
    match chances {
        Some(Chance { chance: c, times: None }) => chance(c),
        Some(Chance { chance: c, times: Some(times) }) => format!("(chance: {}, times: {times})", chance(c)),
        None => "(times: 0)".to_owned(),
    }
}

fn spans(spans: &[Span]) -> String {
    let each = spans.iter().map(|s| format!("({}, {})", time(&s.from), time(&s.to)));
    format!("[{}]", each.collect::<Vec<_>>().join(", "))
}

fn list(names: impl Iterator<Item = String>) -> String {
    format!("[{}]", names.collect::<Vec<_>>().join(", "))
}

fn often_text(often: Often) -> String {
    match often {
        Often::Exactly(n) => format!("exactly({n})"),
        Often::Sometimes => "sometimes".to_owned(),
        Often::Never => "never".to_owned(),
        Often::Always => "always".to_owned(),
    }
}

fn frontier(frontier: &Frontier) -> String {
    match frontier {
        Frontier::Last => "last".to_owned(),
        Frontier::At(c) => format!("at({})", c.0),
    }
}

/// Whether a number of events that is not spelled out stands for these.
fn is_a_count(source: &Source) -> bool {
    source.keys.len() == source.events.len()
        && source.base.iter().all(Option::is_none)
        && (1..).zip(&source.events).all(|(i, e)| {
            let name = format!("order-{i}");
            e.coordinate.0 == i
                && e.key.0 == i - 1
                && e.value == Some(i64::from(i))
                && e.label == name
                && source.keys[e.key.0 as usize] == name
        })
}

fn source(source: &Source) -> Fields {
    let mut fields = Fields::default();
    if is_a_count(source) {
        fields.say("events", source.events.len());
    } else {
        let mut last = 0;
        let events: Vec<String> = (1..)
            .zip(&source.events)
            .map(|(i, event)| {
                let mut said = Fields::default();
                let key = &source.keys[event.key.0 as usize];
                said.say_unless("at", event.coordinate.0, last + 1, u32::to_string);
                said.say_unless("key", key, &event.label, |k| quoted(k));
                match (event.kind, event.value) {
                    (EventKind::Update, Some(value)) => said.say("update", value),
                    (_, Some(value)) => said.say("insert", value),
                    (_, None) => said.say("delete", true),
                }
                said.say_unless("label", &event.label, &format!("order-{i}"), |l| quoted(l));
                last = event.coordinate.0;
                said.text()
            })
            .collect();
        let one_line = format!("[{}]", events.join(", "));
        fields.say(
            "events",
            if one_line.len() < WIDTH - 30 {
                one_line
            } else {
                format!("[\n            {},\n        ]", events.join(",\n            "))
            },
        );
    }
    let base = source.keys.iter().zip(&source.base);
    let base: Vec<String> =
        base.filter_map(|(key, value)| value.map(|value| format!("{}: {value}", quoted(key)))).collect();
    if !base.is_empty() {
        fields.say("base", format!("{{{}}}", base.join(", ")));
    }
    if source.events.windows(2).any(|pair| pair[1].coordinate < pair[0].coordinate) {
        fields.say("coordinates", "reused");
    }
    let last = source.events.iter().map(|e| e.coordinate).max().unwrap_or_default();
    fields.say_unless("commits", source.commits, Commits::All, word);
    fields.say_unless("cursor", source.cursor, CursorIs::Count, word);
    if source.scope.contains(&false) {
        let owed = source.keys.iter().zip(&source.scope).filter(|(_, owed)| **owed);
        fields.say("scope", list(owed.map(|(key, _)| quoted(key))));
    }
    fields.say_unless("fin", source.fin, last, |c| c.0.to_string());
    fields.say_unless("every", source.every, Delay::Constant(10_000), delay);
    fields.say_unless("act", source.act, Delay::Constant(1_000), delay);
    fields.say_unless("outages", source.outages.clone(), vec![], |s| spans(s));
    if let Some(Retention { drops, during, after }) = source.retention {
        let mut said = Fields::default();
        said.say("drops", drops);
        said.say("after", time(&after));
        said.say_unless("while", during, RetentionWhile::Any, word);
        fields.say("retention", said.text());
    }
    fields
}

fn start(start: &Beginning) -> Fields {
    let mut fields = Fields::default();
    fields.say_unless("committed", start.committed, 0, u32::to_string);
    fields.say_unless("delivered", start.delivered, 0, u32::to_string);
    if start.crashed {
        fields.say("status", "crashed");
    }
    fields
}

fn wire(wire: &Wire) -> Fields {
    let mut fields = Fields::default();
    fields.say_unless("instant", wire.instant, false, bool::to_string);
    fields.say_unless("latency", wire.latency, Delay::Uniform(1_000, 20_000), delay);
    fields.say_unless("reorders", wire.reorders, true, bool::to_string);
    fields.say_unless("loss", wire.loss, None, strikes);
    if let Some(straggler) = &wire.straggler {
        let text = format!("(chance: {}, delay: {})", chance(&straggler.chance), delay(&straggler.delay));
        fields.say("straggler", text);
    }
    fields.say_unless("copies", wire.copies, None, strikes);
    fields.say_unless("survives_crash", wire.survives_crash, true, bool::to_string);
    let mut reply = Fields::default();
    reply.say_unless("latency", wire.reply.latency, wire.latency, delay);
    reply.say_unless("loss", wire.reply.loss, None, strikes);
    if !reply.0.is_empty() {
        fields.say("reply", reply.text());
    }
    fields.say_unless("at_once", wire.at_once, 0, u32::to_string);
    fields.say_unless("outages", wire.outages.clone(), vec![], |s| spans(s));
    fields
}

fn sink(stage: &Stage) -> Fields {
    let sink = &stage.sink;
    let mut fields = Fields::default();
    let readable: Vec<&str> = sink.readable.iter().map(|surface| surface.name()).collect();
    match readable.as_slice() {
        ["accepted_record", "contents"] => {}
        [] => fields.say("readable", "nothing"),
        [one] => fields.say("readable", one),
        several => fields.say("readable", format!("[{}]", several.join(", "))),
    }
    fields.say_unless("stale_by", sink.read.stale_by, 0, u32::to_string);
    fields.say_unless("page", sink.read.page, 0, u32::to_string);
    fields.say_unless("window", sink.read.window, 0, u32::to_string);
    fields.say_unless("fence", sink.fence, FenceCheck::Arrival, word);
    if let Some(dedup) = &sink.dedup {
        let mut said = Fields::default();
        said.say_unless("key", dedup.key, DedupKey::Coordinate, word);
        said.say_unless("scope", dedup.scope, DedupScope::Sink, word);
        match &dedup.keeps {
            Keeps::Forever => said.say("keeps", "forever"),
            Keeps::Last(n) => said.say("keeps", format!("last({n})")),
            Keeps::For { ticks, since_last_seen: false } => {
                said.say("keeps", format!("since_accepted({})", time(ticks)));
            }
            Keeps::For { ticks, since_last_seen: true } => {
                said.say("keeps", format!("since_seen({})", time(ticks)));
            }
        }
        said.say_unless("order", dedup.order, DedupOrder::Atomic, word);
        said.say_unless("release_on_failure", dedup.release_on_failure, false, bool::to_string);
        said.say_unless("survives", dedup.survives, Durability::Durable, word);
        fields.say("dedup", said.text());
    }
    if let Acknowledges::BeforePersist { flush } = &sink.acknowledges {
        fields.say("acknowledges", format!("before_persist(flush: {})", delay(flush)));
    }
    if let Acceptance::Provisional { expires } = &sink.acceptance {
        fields.say("acceptance", format!("provisional(expires: {})", time(expires)));
    }
    fields.say_unless("writes", sink.writes, Writes::Append, word);
    fields.say_unless("contents_advance", sink.contents_advance, Advance::Acceptance, word);
    fields.say_unless("batch", sink.batch, BatchAcceptance::EachEntry, word);
    if let Some(entries) = sink.record_keeps {
        fields.say("record_keeps", entries);
    }
    fields.say_unless("stored_coordinate", sink.stored_coordinate, StoredCoordinate::Effect, word);
    if !sink.rejects.is_empty() {
        let label = |p: &crate::model::ids::Payload| quoted(&stage.source.events[p.0 as usize].label);
        fields.say("rejects", list(sink.rejects.iter().map(label)));
    }
    fields.say_unless("outages", sink.outages.clone(), vec![], |s| spans(s));
    fields
}

fn recovery(recovery: &Recovery) -> Fields {
    let mut fields = Fields::default();
    fields.say_unless("detect", recovery.detect, Delay::Constant(5_000_000), delay);
    fields.say_unless("recoverers", recovery.recoverers, 1, u8::to_string);
    fields.say_unless("attempts", recovery.attempts, u16::from(recovery.recoverers).max(4), u16::to_string);
    if let Some(lease) = recovery.lease {
        fields.say("lease", time(&lease));
    }
    fields.say_unless("act", recovery.act, Delay::Constant(1_000), delay);
    fields.say_unless("start", recovery.start, Start::Step, word);
    fields.say_unless("frontier", recovery.frontier, Frontier::Last, frontier);
    fields.say_unless("heal", recovery.heal, Heal::Free, word);
    fields.say_unless("bumps_generation", recovery.bumps_generation, true, bool::to_string);
    fields.say_unless("reset", recovery.reset, CursorReset::OldestRetained, word);
    fields
}

fn faults(faults: &Faults) -> Fields {
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

fn judge(judge: &Judge) -> Fields {
    let mut fields = Fields::default();
    fields.say_unless("frontier", judge.frontier, Frontier::Last, frontier);
    fields.say_unless("when", judge.when, When::Quiescent, word);
    fields.say_unless("grade", judge.grade, Grade::Journal, word);
    fields.say_unless("count", judge.count, Counted::Payload, word);
    fields
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
