//! What no policy could do, told: the states that look the same and how each batch fails, or the rule that was found.

use dwsim_sim::analysis::bound::right::Failure;
use dwsim_sim::analysis::bound::triage::{Ask, Reply};
use dwsim_sim::analysis::bound::{Answer, Bound, Change, Confusable, Fails};
use dwsim_sim::model::decision::{Earlier, Redriven};
use dwsim_sim::model::program::Surfaces;
use serde_json::{Value, json};

use crate::escape::{markdown_fence, plain};
use crate::style::{Ink, Style};
use crate::{SCHEMA, text};

/// More batches, or lines of a rule, are counted and not listed for a person; the JSON has them all.
const MOST_LINES: usize = 16;

/// What a design's question came to.
#[derive(Clone, Debug)]
pub struct BoundReport {
    /// The scenario's name.
    pub scenario: String,
    /// The twin's name, or empty.
    pub twin: String,
    /// The design's name.
    pub design: String,
    /// The answer.
    pub bound: Bound,
}

/// The four questions of a deployment, answered for a design.
#[derive(Clone, Debug)]
pub struct TriageReport {
    /// The scenario's name.
    pub scenario: String,
    /// The twin's name, or empty.
    pub twin: String,
    /// The design's name.
    pub design: String,
    /// The answers.
    pub replies: Vec<(Ask, Reply)>,
}

/// For a person at a terminal.
pub fn human(report: &BoundReport, style: Style) -> String {
    let bound = &report.bound;
    let title = format!("{}: what can be decided", title(&report.scenario, &report.twin, &report.design));
    let earlier = match bound.earlier {
        Earlier::Design => "earlier recoveries by the design itself",
        Earlier::AnyIndex => "earlier recoveries from any index",
    };
    let mut out = format!("{}\n", style.paint(Ink::Heading, &plain(&title)));
    out += &text::paragraph("  ", "  ", &format!("reads {}", names(bound.reads)));
    out += &text::paragraph(
        "  ",
        "  ",
        &format!(
            "{} re-drive, {earlier}; {}, {} to decide in, seen in {}{}",
            bound.redriven.name(),
            text::counted(bound.states, "state"),
            text::count(bound.decisions),
            text::counted(bound.groups, "way"),
            if bound.complete { "" } else { ", not all" },
        ),
    );
    out.push('\n');
    let (ink, says) = sentence(bound);
    out += &format!("{}\n", style.paint(ink, text::paragraph("", "", &says).trim_end()));
    match &bound.answer {
        Answer::Undecidable(group) => confusable(&mut out, bound, group),
        Answer::Decidable { rule, .. } => {
            out.push('\n');
            let lines = rule.lines(&bound.payloads);
            for line in lines.iter().take(MOST_LINES) {
                let seen: Vec<String> = line
                    .shows
                    .iter()
                    .map(|(surface, shown)| format!("{}: {shown}", words(surface.name())))
                    .collect();
                let seen = if seen.is_empty() { "always".to_owned() } else { seen.join("; ") };
                out += &text::paragraph("  ", "      ", &format!("{seen} -> send {}", batch(&line.batch)));
            }
            more(&mut out, lines.len().saturating_sub(MOST_LINES), "sights");
        }
        Answer::Inconclusive(_) => {}
    }
    out.push('\n');
    out += &text::paragraph("", "  ", &sufficient(bound));
    out += "with the same reads, by what the sink does:\n";
    for acceptance in &bound.acceptance {
        let verdict = match acceptance.decidable {
            Some(true) => style.paint(Ink::Good, "decidable"),
            Some(false) => style.paint(Ink::Bad, "undecidable"),
            None => style.paint(Ink::Doubt, "not known"),
        };
        let supported = if acceptance.supported { "" } else { " (this sink does not do that)" };
        out += &format!("  {:<34} {verdict}{supported}\n", change(acceptance.change));
    }
    out
}

fn confusable(out: &mut String, bound: &Bound, group: &Confusable) {
    if group.shows.is_empty() {
        *out += "\nNothing is read, so everything looks the same:\n";
    } else {
        *out += "\nWhat the recoverer sees:\n";
    }
    for (surface, shown) in &group.shows {
        *out += &text::paragraph("  ", "      ", &format!("{}: {shown}", words(surface.name())));
    }
    for (i, member) in group.members.iter().enumerate() {
        *out += &format!("\nworld {}\n", world(i));
        for (step, label) in member.labels.iter().enumerate() {
            let parts = group.members.len() > 1 && step + 1 == group.parts_at;
            *out += &format!(
                "  {:>3}. {}{}\n",
                step + 1,
                plain(label),
                if parts { "   <- they part here" } else { "" }
            );
        }
        *out += &text::paragraph(
            "       ",
            "         ",
            &format!(
                "accepted: {}; in flight: {}; owed: {}",
                batch(&member.accepted),
                batch(&member.in_flight),
                batch(&member.owed)
            ),
        );
    }
    *out += "\nevery batch fails:\n";
    let (told, made_up) = without_made_up(group);
    for fails in told.iter().take(MOST_LINES) {
        *out += &text::paragraph("  ", "      ", &failing(bound, fails));
    }
    more(out, told.len().saturating_sub(MOST_LINES), "batches");
    if let Some((payloads, member)) = made_up {
        let any = members(payloads, &bound.payloads);
        let sent = text::list(&any).replace(" and ", " or ");
        let line = format!("send {sent}, alone or with others: makes it up in world {}", world(member));
        *out += &text::paragraph("  ", "      ", &line);
    }
}

/// The failures without the batches that hold what was made up in one world, and those payloads and that world: half
/// of the batches, or more, fail in this plain way, and one line tells of them all.
fn without_made_up(group: &Confusable) -> (Vec<&Fails>, Option<(u32, usize)>) {
    let all = || group.failures.iter();
    let made_up = |fails: &&Fails| matches!(fails.how, Failure::Premature(_)) && fails.then.is_empty();
    let payloads = all().filter(made_up).fold(0, |set, fails| match fails.how {
        Failure::Premature(payload) => set | 1 << payload.0,
        Failure::Duplicate(_) | Failure::Lost(_) => set,
    });
    let Some(world) = all().find(made_up).map(|fails| fails.member) else { return (all().collect(), None) };
    let holds_one = |fails: &&Fails| fails.batch & payloads != 0;
    if !all().filter(holds_one).all(|fails| made_up(&fails) && fails.member == world) {
        return (all().collect(), None);
    }
    (all().filter(|fails| !holds_one(fails)).collect(), Some((payloads, world)))
}

fn failing(bound: &Bound, fails: &Fails) -> String {
    let sent: Vec<String> = members(fails.batch, &bound.payloads);
    let then =
        if fails.then.is_empty() { String::new() } else { format!(", after {}", fails.then.join(", ")) };
    format!(
        "send {}: {} in world {}{then}",
        batch(&sent),
        outcome(fails.how, &bound.payloads),
        world(fails.member)
    )
}

fn more(out: &mut String, untold: usize, noun: &str) {
    if untold > 0 {
        *out += &format!("  and {untold} more {noun}; --format json has them all\n");
    }
}

/// The answer in one plain sentence.
fn sentence(bound: &Bound) -> (Ink, String) {
    let reads = match bound.reads.is_empty() {
        true => "reads nothing".to_owned(),
        false => format!("reads only {}", names(bound.reads)),
    };
    match &bound.answer {
        Answer::Undecidable(group) => {
            let why = match (group.fork, group.members.len()) {
                (Some(fork), _) => {
                    let payload = &bound.payloads[fork.payload as usize];
                    format!(
                        "sending {payload} again {} in world {}, not sending it {} in world {}",
                        outcome(fork.with.1, &bound.payloads),
                        world(fork.with.0),
                        outcome(fork.without.1, &bound.payloads),
                        world(fork.without.0)
                    )
                }
                (None, 1) => "in this one world every batch fails".to_owned(),
                (None, n) => format!("each batch fails in one of these {n} worlds, which look the same"),
            };
            (Ink::Bad, format!("undecidable: a recoverer that {reads} cannot be right here: {why}"))
        }
        Answer::Decidable { same, .. } => {
            let same = match same.as_slice() {
                [] => "no shipped rule does the same".to_owned(),
                same => format!("so does the rule of {}", text::list(same)),
            };
            (Ink::Good, format!("decidable: a recoverer that {reads} can be right every time; {same}"))
        }
        Answer::Inconclusive(why) => (Ink::Doubt, format!("inconclusive: {why}")),
    }
}

fn sufficient(bound: &Bound) -> String {
    let redriven = bound.redriven.name();
    match bound.sufficient.as_slice() {
        [] if !bound.complete => {
            "cheapest reads that suffice: not known, not every state was looked at".to_owned()
        }
        [] => format!(
            "no reads suffice under the {redriven} re-drive, not even all of them: acceptance must change"
        ),
        sets => {
            let sets: Vec<String> = sets.iter().map(|set| names(*set)).collect();
            format!("cheapest reads that suffice under the {redriven} re-drive: {}", sets.join("; or "))
        }
    }
}

fn change(change: Change) -> &'static str {
    match change {
        Change::Redriven(Redriven::Unfenced) => "accept whatever arrives (unfenced)",
        Change::Redriven(Redriven::Fenced) => "refuse the crashed sender (fenced)",
        Change::Redriven(Redriven::Claim) => "refuse all but the claimant (claim)",
        Change::Dedup => "know every key for ever (dedup)",
    }
}

fn change_word(change: Change) -> &'static str {
    match change {
        Change::Redriven(redriven) => redriven.name(),
        Change::Dedup => "dedup_for_ever",
    }
}

fn outcome(failure: Failure, labels: &[String]) -> String {
    match failure {
        Failure::Duplicate(p) => format!("duplicates {}", labels[p.0 as usize]),
        Failure::Premature(p) => format!("makes {} up", labels[p.0 as usize]),
        Failure::Lost(p) => format!("loses {}", labels[p.0 as usize]),
    }
}

/// For tools.
pub fn json(report: &BoundReport) -> String {
    let bound = &report.bound;
    let surfaces = |set: Surfaces| set.iter().map(|s| s.name()).collect::<Vec<_>>();
    let shown = |shows: &[(dwsim_sim::model::program::Surface, String)]| -> Value {
        shows
            .iter()
            .map(|(surface, shown)| (surface.name().to_owned(), json!(shown)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let failure = |how: Failure| match how {
        Failure::Duplicate(p) => json!({"verdict": "duplicate", "payload": bound.payloads[p.0 as usize]}),
        Failure::Premature(p) => json!({"verdict": "premature", "payload": bound.payloads[p.0 as usize]}),
        Failure::Lost(p) => json!({"verdict": "lost", "payload": bound.payloads[p.0 as usize]}),
    };
    let (decidable, group, rule, same, why) = match &bound.answer {
        Answer::Undecidable(group) => {
            let members: Vec<Value> = group.members.iter().map(|m| json!({
                "schedule": m.labels, "accepted": m.accepted, "in_flight": m.in_flight, "owed": m.owed,
            })).collect();
            let batches: Vec<Value> = group.failures.iter().map(|f| json!({
                "batch": members_of(f, bound), "member": f.member, "how": failure(f.how), "then": f.then,
            })).collect();
            let group = json!({
                "shows": shown(&group.shows), "members": members, "parts_at": group.parts_at, "batches": batches,
            });
            (Some(false), group, Value::Null, Value::Null, None)
        }
        Answer::Decidable { rule, same } => {
            let lines: Vec<Value> = rule
                .lines(&bound.payloads)
                .iter()
                .map(|line| json!({"shows": shown(&line.shows), "batch": line.batch}))
                .collect();
            (Some(true), Value::Null, json!(lines), json!(same), None)
        }
        Answer::Inconclusive(why) => (None, Value::Null, Value::Null, Value::Null, Some(why)),
    };
    let acceptance: Vec<Value> = bound
        .acceptance
        .iter()
        .map(|a| {
            json!({
                "sink": change_word(a.change), "supported": a.supported, "decidable": a.decidable,
            })
        })
        .collect();
    pretty(&json!({
        "schema": SCHEMA, "scenario": report.scenario, "twin": twin(&report.twin), "design": report.design,
        "reads": surfaces(bound.reads), "redrive": bound.redriven.name(), "earlier": bound.earlier.name(),
        "states": bound.states, "complete": bound.complete, "decisions": bound.decisions, "sights": bound.groups,
        "decidable": decidable, "why": why, "group": group, "rule": rule, "same": same,
        "sufficient": bound.sufficient.iter().map(|set| surfaces(*set)).collect::<Vec<_>>(),
        "acceptance": acceptance,
    }))
}

/// For a pull request or a wiki: the sentence, and the rest as it stands on a terminal.
pub fn markdown(report: &BoundReport) -> String {
    let (_, says) = sentence(&report.bound);
    fenced(&says, &human(report, Style::Plain))
}

/// The triage for a person.
pub fn triage_human(report: &TriageReport, style: Style) -> String {
    let title = format!("{}: four questions", title(&report.scenario, &report.twin, &report.design));
    let mut out = format!("{}\n", style.paint(Ink::Heading, &plain(&title)));
    for (ask, reply) in &report.replies {
        let (ink, word) = match reply {
            Reply::Yes(_) => (Ink::Doubt, "yes"),
            Reply::No => (Ink::Good, "no"),
            Reply::NotKnown => (Ink::Doubt, "not known: not every state was looked at"),
        };
        out += &format!("\n{} {}\n", question(*ask), style.paint(ink, word));
        if let Reply::Yes(run) = reply {
            out += &text::paragraph("  run: ", "       ", &plain(&run.join(" | ")));
            out += &text::paragraph("  so: ", "      ", obliges(*ask));
        }
    }
    out
}

/// The triage for tools.
pub fn triage_json(report: &TriageReport) -> String {
    let replies: Vec<Value> = report.replies.iter().map(|(ask, reply)| {
        let (yes, run) = match reply {
            Reply::Yes(run) => (Some(true), Some(run)),
            Reply::No => (Some(false), None),
            Reply::NotKnown => (None, None),
        };
        json!({"ask": ask.name(), "yes": yes, "run": run, "obliges": yes.filter(|y| *y).map(|_| obliges(*ask))})
    }).collect();
    pretty(&json!({
        "schema": SCHEMA, "scenario": report.scenario, "twin": twin(&report.twin), "design": report.design,
        "triage": replies,
    }))
}

/// The triage for a pull request or a wiki.
pub fn triage_markdown(report: &TriageReport) -> String {
    fenced("Four questions of a deployment", &triage_human(report, Style::Plain))
}

fn question(ask: Ask) -> &'static str {
    match ask {
        Ask::ReadsOnlyItself => "Does recovery read only its own durable state?",
        Ask::OldSends => "Can an old send arrive after the read?",
        Ask::Overlap => "Can two recoverers overlap?",
        Ask::Expires => "Can dedup or journal evidence expire before replay ends?",
    }
}

fn obliges(ask: Ask) -> &'static str {
    match ask {
        Ask::ReadsOnlyItself => {
            "a cursor is no evidence of delivery; read the sink's accepted record, or have the sink deduplicate"
        }
        Ask::OldSends => {
            "no read of the sink is enough; have the sink check a fence on arrival, raised in the same step as the read and the re-drive"
        }
        Ask::Overlap => {
            "two honest reads go stale against each other; claim the sink and arm in one step, and fire through the gate"
        }
        Ask::Expires => {
            "the guarantee ends with the evidence; keep keys and journal for longer than the oldest effect that may be replayed"
        }
    }
}

fn fenced(says: &str, whole: &str) -> String {
    let (open, close) = markdown_fence(whole);
    format!("**{}**\n\n{open}{whole}{close}", crate::escape::markdown(says))
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

fn twin(name: &str) -> Option<&str> {
    (!name.is_empty()).then_some(name)
}

fn title(scenario: &str, twin: &str, design: &str) -> String {
    let twin = if twin.is_empty() { String::new() } else { format!(", twin \"{twin}\"") };
    format!("{scenario}{twin}, {design}")
}

fn world(member: usize) -> char {
    char::from(b'A' + (member % 26) as u8)
}

fn words(name: &str) -> String {
    name.replace('_', " ")
}

fn names(set: Surfaces) -> String {
    match set.is_empty() {
        true => "nothing".to_owned(),
        false => text::list(&set.iter().map(|s| words(s.name())).collect::<Vec<_>>()),
    }
}

fn batch(labels: &[String]) -> String {
    if labels.is_empty() { "nothing".to_owned() } else { labels.join(", ") }
}

fn members(batch: u32, labels: &[String]) -> Vec<String> {
    labels.iter().enumerate().filter(|(p, _)| batch >> p & 1 == 1).map(|(_, label)| label.clone()).collect()
}

fn members_of(fails: &Fails, bound: &Bound) -> Vec<String> {
    members(fails.batch, &bound.payloads)
}
