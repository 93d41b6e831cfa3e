//! The reports of `dwsim bound`: two states that look the same and how each batch fails, or the rule that is always
//! correct; and the four questions.

use dwsim_sim::analysis::bound::Failure;
use dwsim_sim::analysis::bound::table::TableRow;
use dwsim_sim::analysis::bound::triage::{Ask, Reply};
use dwsim_sim::analysis::bound::{Answer, Bound, Change, Confusable, Fails};
use dwsim_sim::model::decision::{Earlier, Redriven};
use dwsim_sim::model::program::{Surface, Surfaces};

use super::{
    Block, Cell, Cells, Column, Document, Fold, Heading, Holds, Level, Look, Row, Step, Table, Text, case,
};
use crate::rows::bound::{BoundReport, TriageReport, obliges};
use crate::style::Ink;
use crate::text;

/// Batches, or rows of a rule, beyond this many are folded.
const MOST_LINES: usize = 16;

/// What can be decided.
pub fn bound(report: &BoundReport) -> Document<'_> {
    let bound = &report.bound;
    let mut blocks = vec![
        case(format!("{}: what can be decided", report.of.title()), ""),
        Text::new(setting(bound)).into(),
        answer(bound).into(),
    ];
    match &bound.answer {
        Answer::Undecidable(group) => confusable(&mut blocks, bound, group),
        Answer::Decidable { rule, .. } => {
            let lines = rule.lines(&bound.payloads);
            let rows: Vec<Row> = lines.iter().map(rule_row).collect();
            // Every row shows the same surfaces: those that differ between rows.
            let mut columns =
                lines.first().map_or(Vec::new(), |line| line.shows.iter().map(surface).collect());
            columns.push("send".to_owned());
            let head = if columns.len() > 1 { columns.remove(0) } else { "observation".to_owned() };
            let columns: Vec<Column> =
                columns.into_iter().map(|name| Column::new(name, Holds::Words).opening_a_group()).collect();
            let table = |rows: &[Row]| {
                let (head, columns) = (head.clone(), columns.clone());
                Block::Table(Table { head, columns, rows: rows.to_vec(), may_overflow: false })
            };
            folded(&mut blocks, &rows, "observation", table);
        }
        Answer::Inconclusive(_) => {}
    }
    blocks.push(Text::new(sufficient(bound)).into());
    blocks.push(Block::Table(acceptance(bound)));
    Document { title: "dwsim bound".to_owned(), blocks, summary: None }
}

/// Four questions to ask of a deployment.
pub fn triage(report: &TriageReport) -> Document<'_> {
    let mut blocks = vec![case(format!("{}: four questions", report.of.title()), "")];
    for (i, (ask, reply)) in report.replies.iter().enumerate() {
        let (ink, word) = match reply {
            Reply::Yes(_) => (Ink::Doubt, "yes"),
            Reply::No => (Ink::Good, "no"),
            Reply::NotKnown => (Ink::Doubt, "not known: the search is not complete"),
        };
        let number = i + 1;
        blocks.push(Text::new(format!("{number}. {} ", question(*ask))).with(Look::Marked(ink), word).into());
        if let Reply::Yes(run) = reply {
            blocks.push(Block::List(vec![
                Text::new(format!("for example: {}", run.join(" | "))),
                Text::new(format!("so: {}", obliges(*ask))),
            ]));
        }
    }
    Document { title: "dwsim bound --triage".to_owned(), blocks, summary: None }
}

fn setting(bound: &Bound) -> String {
    let earlier = match bound.earlier {
        Earlier::Design => "earlier recoveries by the design itself",
        Earlier::AnyIndex => "earlier recoveries from any index",
    };
    format!(
        "reads {}; {} re-drive; {earlier}; {}, {}, {}{}",
        names(bound.reads),
        bound.redriven.name(),
        text::counted(bound.states, "state"),
        text::counted(bound.decisions, "recovery decision"),
        text::counted(bound.groups, "distinct observation"),
        if bound.complete { "" } else { " (search not complete)" },
    )
}

fn confusable(blocks: &mut Vec<Block<'_>>, bound: &Bound, group: &Confusable) {
    if group.shows.is_empty() {
        blocks.push(Text::new("The recoverer reads nothing, so all states look the same to it.").into());
    } else {
        blocks.push(Text::new("The recoverer sees:").into());
        blocks.push(Block::List(group.shows.iter().map(|read| Text::new(shown(read))).collect()));
    }
    for (i, member) in group.members.iter().enumerate() {
        let step = |(step, label): (usize, &String)| {
            let parts = group.members.len() > 1 && step + 1 == group.parts_at;
            Step { label: label.clone(), note: if parts { "the worlds part here" } else { "" }.to_owned() }
        };
        let title = format!("World {}", world(i));
        blocks.push(Block::Heading(Heading { level: Level::Part, title, about: String::new() }));
        blocks.push(Block::Steps(member.labels.iter().enumerate().map(step).collect()));
        let state = format!(
            "accepted: {}; in flight: {}; owed: {}",
            batch(&member.accepted),
            batch(&member.in_flight),
            batch(&member.owed)
        );
        blocks.push(Text::new(state).into());
    }
    blocks.push(Text::new("Every batch fails:").into());
    let (one_by_one, premature) = without_uncommitted(group);
    let mut lines: Vec<Text> = one_by_one.iter().map(|fails| Text::new(failing(bound, fails))).collect();
    if let Some((payloads, member)) = premature {
        let any = text::list(&members(payloads, &bound.payloads)).replace(" and ", " or ");
        let line = format!(
            "send any batch with {any}: delivers an uncommitted payload in world {} (premature)",
            world(member)
        );
        lines.insert(lines.len().min(MOST_LINES - 1), Text::new(line));
    }
    folded(blocks, &lines, "batch", |lines| Block::List(lines.to_vec()));
}

/// The first of some lines, and the others behind a fold.
fn folded<'a, T>(blocks: &mut Vec<Block<'a>>, lines: &[T], noun: &str, block: impl Fn(&[T]) -> Block<'a>) {
    let (shown, rest) = lines.split_at(MOST_LINES.min(lines.len()));
    if !shown.is_empty() {
        blocks.push(block(shown));
    }
    if !rest.is_empty() {
        blocks.push(Block::Fold(Fold {
            summary: format!(
                "{} more {noun}{}",
                rest.len(),
                match (rest.len(), noun) {
                    (1, _) => "",
                    (_, noun) if noun.ends_with("ch") => "es",
                    _ => "s",
                }
            ),
            shown_by: Some("--format json has them all"),
            blocks: vec![block(rest)],
        }));
    }
}

/// The failures without the batches that hold a payload that is not committed in one world, and those payloads and
/// that world: half of the batches, or more, fail in this plain way, and one line says so for them all.
fn without_uncommitted(group: &Confusable) -> (Vec<&Fails>, Option<(u32, usize)>) {
    let all = || group.failures.iter();
    let premature = |fails: &&Fails| matches!(fails.how, Failure::Premature(_)) && fails.then.is_empty();
    let payloads = all().filter(premature).fold(0, |set, fails| match fails.how {
        Failure::Premature(payload) => set | 1 << payload.0,
        Failure::Duplicate(_) | Failure::Lost(_) => set,
    });
    let Some(world) = all().find(premature).map(|fails| fails.member) else { return (all().collect(), None) };
    let holds_one = |fails: &&Fails| fails.batch & payloads != 0;
    if !all().filter(holds_one).all(|fails| premature(&fails) && fails.member == world) {
        return (all().collect(), None);
    }
    (all().filter(|fails| !holds_one(fails)).collect(), Some((payloads, world)))
}

fn failing(bound: &Bound, fails: &Fails) -> String {
    let then =
        if fails.then.is_empty() { String::new() } else { format!(", after {}", fails.then.join(", ")) };
    format!(
        "send {}: {} in world {}{then}",
        batch(&members(fails.batch, &bound.payloads)),
        outcome(fails.how, &bound.payloads),
        world(fails.member)
    )
}

/// The answer in one sentence.
fn answer(bound: &Bound) -> Text {
    let reads = match bound.reads.is_empty() {
        true => "a recoverer that reads nothing".to_owned(),
        false => format!("a recoverer that reads only {}", names(bound.reads)),
    };
    match &bound.answer {
        Answer::Undecidable(group) => {
            let why = match (group.fork, group.members.len()) {
                // A paused process wakes, or it does not.
                (Some(fork), 1) => format!(
                    "one state has two futures; sending {} again {} if the paused process wakes, not sending it {} if \
                     it never does",
                    bound.payloads[fork.payload as usize],
                    outcome(fork.with.1, &bound.payloads),
                    outcome(fork.without.1, &bound.payloads),
                ),
                (Some(fork), _) => format!(
                    "sending {} again {} in world {}, not sending it {} in world {}",
                    bound.payloads[fork.payload as usize],
                    outcome(fork.with.1, &bound.payloads),
                    world(fork.with.0),
                    outcome(fork.without.1, &bound.payloads),
                    world(fork.without.0)
                ),
                (None, 1) => "in this one world every batch fails".to_owned(),
                (None, n) => format!("each batch fails in one of these {n} worlds, which look the same"),
            };
            Text::marked(Ink::Bad, "undecidable").and(format!(": {reads} cannot always be correct: {why}"))
        }
        Answer::Decidable { same, .. } => {
            let same = match same.as_slice() {
                [] => "no shipped policy has this rule".to_owned(),
                same => format!("this rule is that of {}", text::list(same)),
            };
            Text::marked(Ink::Good, "decidable").and(format!(": {reads} can always be correct; {same}"))
        }
        Answer::Inconclusive(why) => Text::marked(Ink::Doubt, "inconclusive").and(format!(": {why}")),
    }
}

fn sufficient(bound: &Bound) -> String {
    let redriven = bound.redriven.name();
    match bound.sufficient.as_slice() {
        [] if !bound.complete => {
            "Cheapest reads that suffice: not known, the search is not complete.".to_owned()
        }
        [] => format!(
            "No reads suffice under the {redriven} re-drive, not even all of them: the sink must accept differently."
        ),
        sets => {
            let sets: Vec<String> = sets.iter().map(|set| names(*set)).collect();
            format!("Cheapest reads that suffice under the {redriven} re-drive: {}.", sets.join("; or "))
        }
    }
}

/// What is read, and the batch that is always correct there.
fn rule_row(line: &TableRow) -> Row {
    let mut shows = line.shows.iter().map(|(_, shown)| shown.clone());
    let head = shows.next().unwrap_or("any".to_owned());
    Row { head, cells: Cells::Each(shows.chain([batch(&line.batch)]).map(Cell::words).collect()) }
}

fn acceptance(bound: &Bound) -> Table {
    let rows = bound.acceptance.iter().map(|acceptance| {
        let (ink, word) = match acceptance.decidable {
            Some(true) => (Ink::Good, "decidable"),
            Some(false) => (Ink::Bad, "undecidable"),
            None => (Ink::Doubt, "not known"),
        };
        let offered = if acceptance.supported { "yes" } else { "no" };
        Row {
            head: change(acceptance.change).to_owned(),
            cells: Cells::Each(vec![Cell::words(word).inked(Some(ink)), Cell::words(offered)]),
        }
    });
    Table {
        head: "same reads, other sink behaviour".to_owned(),
        columns: vec![
            Column::new("answer", Holds::Name).opening_a_group(),
            Column::new("this sink can", Holds::Name),
        ],
        rows: rows.collect(),
        may_overflow: false,
    }
}

fn change(change: Change) -> &'static str {
    match change {
        Change::Redriven(Redriven::Unfenced) => "accept whatever arrives (unfenced)",
        Change::Redriven(Redriven::Fenced) => "refuse the crashed sender (fenced)",
        Change::Redriven(Redriven::Claim) => "refuse all but the claimant (claim)",
        Change::Dedup => "remember every key (dedup)",
    }
}

fn outcome(failure: Failure, labels: &[String]) -> String {
    match failure {
        Failure::Duplicate(p) => format!("duplicates {}", labels[p.0 as usize]),
        Failure::Premature(p) => format!("delivers {} uncommitted", labels[p.0 as usize]),
        Failure::Lost(p) => format!("loses {}", labels[p.0 as usize]),
    }
}

fn question(ask: Ask) -> &'static str {
    match ask {
        Ask::ReadsOnlyItself => "Does recovery read only its own durable state?",
        Ask::OldSends => "Can an old send arrive after the read?",
        Ask::Overlap => "Can two recoverers overlap?",
        Ask::Expires => "Can dedup or journal evidence expire before replay ends?",
    }
}

/// `accepted record`.
fn surface((surface, _): &(Surface, String)) -> String {
    words(surface.name())
}

/// `accepted record: order-1`.
fn shown((surface, shown): &(Surface, String)) -> String {
    format!("{}: {shown}", words(surface.name()))
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
