//! From a file to a scenario: twins and designs are laid over the file, programs are looked up, and what contradicts
//! itself is refused where it stands. Whatever leaves here can run.

use std::collections::BTreeSet;
use std::ops::Range;

use super::diagnose::{Diagnostic, MOST, Text};
use super::library::{Checks, Library, Options};
use super::lookup::{Kind, Shelves};
use super::outline::{Node, Part};
use super::overlay::over;
use super::parameters::Substituted;
use super::program::Wrong;
use super::program_file::stem;
use super::schema::{self as file, Program};
use super::stage::{self, Complaints};
use super::values::{Named, Table};
use crate::model::claim::Claim;
use crate::model::label::looks_like_path;
use crate::model::program::{Act, Policy, Producer, Surface};
use crate::model::scenario::*;
use crate::model::suggest::{Misnamed, instead};

/// No scenario has more rows than this, its twins' included.
const MOST_STAGES: usize = 1_000;
/// No scenario has more events than this, summed over its rows.
const MOST_EVENTS: usize = 5_000_000;

/// Where a value of a case may come from, the most specific place first. The first place that says something is the
/// one whose value counts, so that is where a complaint about it belongs.
type Layers = Vec<Vec<Part>>;

/// The file under validation and what is wrong with it.
pub struct Validation<'a> {
    file: &'a Text,
    read: &'a Substituted,
    outline: Option<Node>,
    library: &'a dyn Library,
    checks: Checks,
    programs: Table<Program>,
    shelves: Shelves,
    events: usize,
    complaints: Vec<Diagnostic>,
}

impl<'a> Validation<'a> {
    /// Nothing is wrong yet.
    pub fn new(
        file: &'a Text,
        read: &'a Substituted,
        library: &'a dyn Library,
        checks: Checks,
    ) -> Validation<'a> {
        Validation {
            file,
            read,
            outline: Node::of(&read.text),
            library,
            checks,
            programs: Table::default(),
            shelves: Shelves::default(),
            events: 0,
            complaints: Vec::new(),
        }
    }

    /// The scenario, or everything that is wrong.
    pub fn scenario(mut self, file: &file::Scenario, options: &Options) -> Result<Scenario, Vec<Diagnostic>> {
        self.programs = file.programs.clone().unwrap_or_default();
        let mut cases = vec![self.case("", file, &vec![vec![]], options)];
        let twins = file.twins.clone().unwrap_or_default();
        let rows =
            |twin: &file::Twin| twin.designs.as_ref().or(file.designs.as_ref()).map_or(0, |d| d.0.len());
        let stages: usize = twins.0.iter().map(|(_, twin)| rows(twin)).sum();
        if stages > MOST_STAGES {
            let help = format!("write at most {MOST_STAGES}");
            self.complain(
                &[vec!["twins".into()]],
                &Wrong::new(&[], format!("the twins have {stages} rows"), help),
            );
        }
        for (name, twin) in &twins.0 {
            if self.complaints.len() >= MOST {
                break;
            }
            let layers = vec![vec!["twins".into(), name.as_str().into()], vec![]];
            cases.push(self.case(name, &laid_over(twin, file), &layers, options));
        }
        self.programs_that_nobody_uses();
        if self.complaints.is_empty() {
            let about = file.about.clone().unwrap_or_default().0;
            let name = stem(self.file.path()).to_owned();
            Ok(Scenario { name, about, cases })
        } else {
            Err(self.complaints)
        }
    }

    fn case(&mut self, twin: &str, file: &file::Scenario, layers: &Layers, options: &Options) -> Case {
        let expect = file.expect.clone().unwrap_or_default();
        let named = self.designs(file, layers);
        let mut designs = Vec::new();
        for (name, row, layers) in &named {
            if self.complaints.len() >= MOST {
                break;
            }
            designs.extend(self.design(name, row, file, layers));
        }
        self.expectations(&expect, &named, &designs, layers);
        for design in &mut designs {
            design.expect = expect.get(&design.name).map(expected).unwrap_or_default();
        }
        let claims = self.claims(file, &designs, layers);
        if self.complaints.is_empty() {
            self.scripts(file, &claims, &designs, layers);
        }
        if !options.policies.is_empty() && self.complaints.is_empty() {
            designs = options
                .policies
                .iter()
                .filter_map(|policy| self.chosen(policy, &designs, file, layers))
                .collect();
        }
        let check_by = file.check_by.as_ref().map_or_else(
            || vec![CheckBy::Seeds { count: 10_000, under: Under::Both }],
            |ways| check_by(ways),
        );
        Case { twin: twin.to_owned(), designs, check_by, claims }
    }

    /// The rows of a case, and for each the places that its settings may come from.
    fn designs(&mut self, file: &file::Scenario, layers: &Layers) -> Vec<(String, file::Design, Layers)> {
        let rows = file.designs.as_ref().map_or(&[][..], |designs| &designs.0);
        if rows.is_empty() {
            let wrong = Wrong::new(
                &["designs".into()],
                "no design is named that could run",
                "write designs: [\"cursor\", \"fenced\"]",
            );
            self.complain(layers, &wrong);
        }
        if rows.len() > MOST_STAGES {
            let wrong = Wrong::new(
                &["designs".into()],
                format!("{} designs are too many", rows.len()),
                format!("write at most {MOST_STAGES}"),
            );
            self.complain(layers, &wrong);
            return Vec::new();
        }
        let owner = layers
            .iter()
            .find(|layer| self.find(layer, &["designs".into()]).is_some())
            .cloned()
            .unwrap_or_default();
        let mut seen = BTreeSet::new();
        let mut named = Vec::new();
        for (i, (name, row)) in rows.iter().enumerate() {
            let place =
                |part: Part| owner.iter().cloned().chain(["designs".into(), part]).collect::<Vec<Part>>();
            let own = match self.find(&place(name.as_str().into()), &[]) {
                Some(_) => place(name.as_str().into()),
                None => place(i.into()),
            };
            if !seen.insert(name) {
                self.complain(
                    std::slice::from_ref(&own),
                    &Wrong::new(&[], format!("the design `{name}` is named twice"), "keep one of the two"),
                );
            }
            named.push((name.clone(), row.clone(), [vec![own], layers.clone()].concat()));
        }
        named
    }

    fn design(
        &mut self,
        name: &str,
        row: &file::Design,
        file: &file::Scenario,
        layers: &Layers,
    ) -> Option<Design> {
        let policy = match &row.policy {
            Some(named) => self.program(name, named, layers, &["policy".into()])?,
            None => self.program(name, &Named::By(name.to_owned()), &layers[..1], &[])?,
        };
        let stage = self.stage(policy, row, file, layers)?;
        Some(Design { name: name.to_owned(), stage, expect: Expect::default() })
    }

    /// A row for a policy that was chosen on the command line: the file's own row of that name if it runs the same
    /// program, else the policy on the file's stage, of which the file expects nothing.
    fn chosen(
        &mut self,
        policy: &Policy,
        rows: &[Design],
        file: &file::Scenario,
        layers: &Layers,
    ) -> Option<Design> {
        let same = |row: &&Design| {
            let program =
                |stage: &Stage| stage.policy.steps == policy.steps && stage.policy.stamps == policy.stamps;
            row.name == policy.name && row.stage.as_ref().is_ok_and(|stage| program(stage))
        };
        if let Some(row) = rows.iter().find(same) {
            return Some(row.clone());
        }
        let stage = self.stage(policy.clone(), &file::Design::default(), file, layers)?;
        Some(Design { name: policy.name.clone(), stage, expect: Expect::default() })
    }

    fn stage(
        &mut self,
        policy: Policy,
        row: &file::Design,
        file: &file::Scenario,
        layers: &Layers,
    ) -> Option<Result<Box<Stage>, NotApplicable>> {
        let relay = row.relay.as_ref().or(file.relay.as_ref());
        let relay = match relay {
            Some(named) => Some(self.program("relay", named, layers, &["relay".into()])?),
            None => None,
        };
        let usual = if relay.is_some() { "commit-to-outbox" } else { "deliver-then-checkpoint" };
        let usual = Named::By(usual.to_owned());
        let producer = row.producer.as_ref().or(file.producer.as_ref()).unwrap_or(&usual);
        let producer = self.program("producer", producer, layers, &["producer".into()])?;

        let mut wrong = Complaints(Vec::new());
        roles(&producer, relay.as_ref(), &mut wrong);
        let source = stage::source(&file.source.clone().unwrap_or_default(), &mut wrong);
        self.events += source.events.len();
        if self.events > MOST_EVENTS {
            let help = "write fewer events, designs or twins";
            let message = format!("all rows together have more than {MOST_EVENTS} events");
            wrong.0.push(Wrong::new(&["source".into(), "events".into()], message, help));
        }
        let start = stage::start(&file.start.clone().unwrap_or_default(), &source, &mut wrong);
        let given = over(&row.wire, &file.wire).unwrap_or_default();
        let wire = stage::wire(&given, &mut wrong);
        let given = over(&row.sink, &file.sink).unwrap_or_default();
        let sink = stage::sink(&given, &source.events, &mut wrong);
        let given = over(&row.recovery, &file.recovery).unwrap_or_default();
        let recovery = stage::recovery(&given, source.fin, &mut wrong);
        let faults = stage::faults(
            &file.faults.clone().unwrap_or_default(),
            relay.as_ref().unwrap_or(&producer),
            &mut wrong,
        );
        let mut judge = stage::judge(&file.judge.clone().unwrap_or_default(), source.fin, &mut wrong);
        claims(file, &source.events, &mut wrong);
        for (_, expect) in file.expect.iter().flat_map(|table| &table.0) {
            expect.0.iter().for_each(|(verdict, _)| judge.ask_for(*verdict));
        }
        for wrong in &wrong.0 {
            self.complain(layers, wrong);
        }
        let stage = Stage { source, start, producer, relay, wire, sink, recovery, policy, faults, judge };
        if !wrong.0.is_empty() {
            return None;
        }
        if let Some(reason) = missing(&stage) {
            return Some(Err(NotApplicable(reason)));
        }
        if let Err(large) = (self.checks.size)(&stage) {
            self.complain(
                layers,
                &Wrong::new(&large.part().map(Part::from), large.to_string(), large.help()),
            );
            return None;
        }
        Some(Ok(Box::new(stage)))
    }

    /// What is claimed of the case. Events are the scenario's, so that any design's will do.
    fn claims(&mut self, file: &file::Scenario, designs: &[Design], layers: &Layers) -> Vec<Claim> {
        let runs = designs.iter().find_map(|design| design.stage.as_ref().ok());
        let Some(stage) = runs else { return Vec::new() };
        let claims = claims(file, &stage.source.events, &mut Complaints(Vec::new()));
        let names: Vec<&str> = designs.iter().map(|design| design.name.as_str()).collect();
        for claim in &claims {
            if let Some(of) = claim.of.as_ref().filter(|of| !names.contains(&of.as_str())) {
                let at = ["claims".into(), claim.name.as_str().into()];
                let message = format!("`{of}` is not among the designs, so nothing can be claimed of it");
                self.complain_about_key(layers, &Wrong::new(&at, message, instead(of, &names)));
            }
        }
        claims
    }

    /// Each line of a script names something that one of the designs has that follow it: those of which something is
    /// expected, or those that the claim is about. Whether it is enabled when its turn comes is for the run to tell.
    fn scripts(&mut self, file: &file::Scenario, claims: &[Claim], designs: &[Design], layers: &Layers) {
        let mut lines: Vec<(Vec<Part>, &str, Option<&Claim>)> = Vec::new();
        for (i, way) in file.check_by.iter().flatten().enumerate() {
            let file::CheckBy::Script(steps) = way else { continue };
            let steps =
                steps.split_last().filter(|(last, _)| last.0 == "stop").map_or(&steps[..], |(_, s)| s);
            let place = |j: usize| vec!["check_by".into(), i.into(), 0.into(), j.into()];
            lines.extend(steps.iter().enumerate().map(|(j, line)| (place(j), line.0.as_str(), None)));
        }
        for ((name, given), claim) in file.claims.iter().flat_map(|claims| &claims.0).zip(claims) {
            let place = |at| [vec!["claims".into(), name.as_str().into()], at].concat();
            lines.extend(given.script_lines().into_iter().map(|(at, line)| (place(at), line, Some(claim))));
        }
        if lines.is_empty() {
            return;
        }
        let texts: Vec<&str> = lines.iter().map(|(_, line, _)| *line).collect();
        let found = |design: &Design| (self.checks.lines)(design.stage.as_ref().ok()?, &texts);
        let checked: Vec<(&Design, Vec<Option<Misnamed>>)> =
            designs.iter().filter_map(|design| Some((design, found(design)?))).collect();
        for (i, (at, line, claim)) in lines.into_iter().enumerate() {
            let follows = |design: &Design| match claim {
                Some(claim) => claim.of.as_ref().is_none_or(|of| *of == design.name),
                None => !design.expect.verdicts.is_empty(),
            };
            let followers = checked.iter().filter(|(design, _)| follows(design));
            let mut wrong = followers.map(|(_, found)| found[i].as_ref());
            if let Some(Some(first)) = wrong.next()
                && wrong.all(|other| other.is_some())
            {
                self.complain(layers, &Wrong::new(&at, format!("`{line}`: {}", first.what), &first.help));
            }
        }
    }

    fn expectations(
        &mut self,
        expect: &Table<file::Expect>,
        named: &[(String, file::Design, Layers)],
        rows: &[Design],
        layers: &Layers,
    ) {
        let names: Vec<&str> = named.iter().map(|(name, ..)| name.as_str()).collect();
        for (name, _) in &expect.0 {
            let at = ["expect".into(), name.as_str().into()];
            if !names.contains(&name.as_str()) {
                let wrong = Wrong::new(
                    &at,
                    format!("`{name}` is not among the designs, so nothing can be expected of it"),
                    instead(name, &names),
                );
                self.complain_about_key(layers, &wrong);
            }
            if let Some(Err(NotApplicable(reason))) =
                rows.iter().find(|row| row.name == *name).map(|row| &row.stage)
            {
                let wrong = Wrong::new(
                    &at,
                    format!("`{name}` cannot run here: {reason}"),
                    "expect nothing of it, or give it a sink that has what it needs",
                );
                self.complain_about_key(layers, &wrong);
            }
        }
    }

    /// The program that is named or written at `at`. Where there is none, that is a complaint.
    fn program<K: Kind>(
        &mut self,
        own_name: &str,
        named: &Named<K::File>,
        layers: &[Vec<Part>],
        at: &[Part],
    ) -> Option<K> {
        let name = match named {
            Named::Inline(file) => return self.checked(K::check(own_name, file), layers, at),
            Named::By(name) => name,
        };
        let known = K::shelf(&mut self.shelves).get(name).cloned();
        let found = known.unwrap_or_else(|| self.look_up::<K>(name));
        if found.is_none() {
            self.unknown::<K>(name, layers, at);
        }
        K::shelf(&mut self.shelves).insert(name.clone(), found.clone());
        found
    }

    fn look_up<K: Kind>(&mut self, name: &str) -> Option<K> {
        let own = self.programs.clone();
        if let Some(program) = own.get(name) {
            let at = vec!["programs".into(), name.into()];
            return self.checked(K::check(name, K::written(program)?), &[at], &[]);
        }
        K::shipped(self.library, name)?.map_err(|wrong| self.complaints.extend(wrong.0)).ok()
    }

    fn checked<T>(&mut self, program: Result<T, Vec<Wrong>>, layers: &[Vec<Part>], at: &[Part]) -> Option<T> {
        let wrongs = match program {
            Ok(program) => return Some(program),
            Err(wrongs) => wrongs,
        };
        for mut wrong in wrongs {
            wrong.at.splice(0..0, at.iter().cloned());
            self.complain(layers, &wrong);
        }
        None
    }

    /// Says that there is no such program, unless there is one and something else was wrong with it.
    fn unknown<K: Kind>(&mut self, name: &str, layers: &[Vec<Part>], at: &[Part]) {
        let kind = K::NAME;
        let message = match self.programs.get(name) {
            Some(program) if K::written(program).is_some() => return,
            Some(Program::Policy(_)) => format!("`{name}` is a policy, not a {kind}"),
            Some(Program::Producer(_)) => format!("`{name}` is a producer, not a {kind}"),
            None if K::shipped_names(self.library).contains(&name) => return,
            None => format!("there is no {kind} `{name}`"),
        };
        let own = self.programs.0.iter().filter(|(_, program)| K::written(program).is_some());
        let known: Vec<&str> =
            own.map(|(name, _)| name.as_str()).chain(K::shipped_names(self.library)).collect();
        let help = if looks_like_path(name) {
            format!("copy the {kind} under `programs` and name it here, or run the file with --policy")
        } else {
            instead(name, &known)
        };
        self.complain(layers, &Wrong::new(at, message, help));
    }

    fn programs_that_nobody_uses(&mut self) {
        for (name, program) in self.programs.0.clone() {
            let used = match program {
                Program::Policy(_) => self.shelves.policies.contains_key(&name),
                Program::Producer(_) => self.shelves.producers.contains_key(&name),
            };
            if !used && self.complaints.is_empty() {
                let wrong = Wrong::new(
                    &["programs".into(), name.as_str().into()],
                    format!("the program `{name}` is used nowhere"),
                    "name it in a design, or leave it out",
                );
                self.complain_about_key(&[vec![]], &wrong);
            }
        }
    }

    fn find(&self, layer: &[Part], at: &[Part]) -> Option<&Node> {
        self.outline.as_ref()?.at(layer)?.at(at)
    }

    fn complain(&mut self, layers: &[Vec<Part>], wrong: &Wrong) {
        if self.complaints.len() >= MOST {
            return;
        }
        let span = self.place(layers, &wrong.at);
        match self.overlaid_by(layers, &wrong.at) {
            Some(over) => {
                let message = format!("in the {over}: {}", wrong.message);
                self.push(span, &Wrong { message, ..wrong.clone() });
            }
            None => self.push(span, wrong),
        }
    }

    /// Complains about the name of a map entry, not about what it stands for.
    fn complain_about_key(&mut self, layers: &[Vec<Part>], wrong: &Wrong) {
        let span = match wrong.at.split_last() {
            Some((last, parents)) => layers.iter().find_map(|layer| {
                self.find(layer, parents)?.item(last)?.key.as_ref().map(|key| key.span.clone())
            }),
            None => None,
        };
        let span = span.unwrap_or_else(|| self.place(layers, &wrong.at));
        self.push(span, wrong);
    }

    /// The first place that says what `at` names. Where none does, what is nearest to it: something is missing there.
    fn place(&self, layers: &[Vec<Part>], at: &[Part]) -> Range<usize> {
        let nearest = |known: usize| layers.iter().find_map(|layer| self.find(layer, &at[..known]));
        match (nearest(at.len()), (0..at.len()).rev().find_map(nearest)) {
            (Some(node), _) => node.span.clone(),
            (None, Some(node)) => node.head(&self.read.text),
            (None, None) => 0..0,
        }
    }

    /// Who lays a section of its own over the value at `at`, so that a reader of that value alone would not see what
    /// is wrong with it.
    fn overlaid_by(&self, layers: &[Vec<Part>], at: &[Part]) -> Option<String> {
        let owner = layers.iter().position(|layer| self.find(layer, at).is_some())?;
        let section = at.first()?;
        let over =
            layers[..owner].iter().find(|layer| self.find(layer, std::slice::from_ref(section)).is_some())?;
        match &over[..] {
            [.., Part::Name(kind), Part::Name(name)] => {
                Some(format!("{} `{name}`", kind.trim_end_matches('s')))
            }
            _ => None,
        }
    }

    fn push(&mut self, span: Range<usize>, wrong: &Wrong) {
        let complaint = self.file.diagnostic(self.read.original_span(span), &*wrong.message, &*wrong.help);
        if self.complaints.len() < MOST && !self.complaints.contains(&complaint) {
            self.complaints.push(complaint);
        }
    }
}

/// The scenario that a twin is: the file with the twin's fields in place of its own, and the twin's expectations.
fn laid_over(twin: &file::Twin, file: &file::Scenario) -> file::Scenario {
    file::Scenario {
        source: over(&twin.source, &file.source),
        start: over(&twin.start, &file.start),
        producer: twin.producer.clone().or_else(|| file.producer.clone()),
        relay: twin.relay.clone().or_else(|| file.relay.clone()),
        wire: over(&twin.wire, &file.wire),
        sink: over(&twin.sink, &file.sink),
        recovery: over(&twin.recovery, &file.recovery),
        faults: over(&twin.faults, &file.faults),
        judge: over(&twin.judge, &file.judge),
        designs: twin.designs.clone().or_else(|| file.designs.clone()),
        expect: twin.expect.clone(),
        check_by: twin.check_by.clone().or_else(|| file.check_by.clone()),
        claims: twin.claims.clone(),
        ..file::Scenario::default()
    }
}

/// A producer commits and, where no relay does it, sends; a relay fetches and sends.
fn roles(producer: &Producer, relay: Option<&Producer>, wrong: &mut Complaints) {
    let has = |program: &Producer, wanted: fn(&Act) -> bool| {
        program.sections.iter().flat_map(|(_, steps)| steps).flat_map(|step| &step.acts).any(wanted)
    };
    let sends: fn(&Act) -> bool = |act| matches!(act, Act::Send | Act::SendBatch);
    let mut refuse =
        |role: &str, message: String, help: &str| wrong.0.push(Wrong::new(&[role.into()], message, help));
    if !has(producer, |act| matches!(act, Act::Commit)) {
        refuse(
            "producer",
            format!("`{}` commits nothing, so nothing is ever owed", producer.name),
            "write a producer with `commit`",
        );
    }
    match relay {
        None if !has(producer, sends) => {
            refuse(
                "producer",
                format!("`{}` sends nothing", producer.name),
                "write a producer with `send`, or add a relay",
            );
        }
        Some(_) if has(producer, sends) => {
            refuse(
                "producer",
                format!("`{}` sends by itself, beside the relay", producer.name),
                "leave `send` to the relay: producer: \"commit-to-outbox\"",
            );
        }
        _ => {}
    }
    let Some(relay) = relay else { return };
    if has(relay, |act| matches!(act, Act::Commit | Act::Enqueue)) {
        refuse(
            "relay",
            format!("`{}` commits, which is the producer's to do", relay.name),
            "write a relay of fetch, send and persist",
        );
    } else if !has(relay, |act| matches!(act, Act::Fetch(_))) || !has(relay, sends) {
        refuse(
            "relay",
            format!("`{}` does not both fetch and send", relay.name),
            "write a relay of fetch, send and persist",
        );
    }
}

/// What the sink of a stage lacks that its policy needs.
fn missing(stage: &Stage) -> Option<String> {
    let sink = &stage.sink;
    let fences = stage.policy.acts().any(|act| matches!(act, Act::Fence(_)));
    if fences && sink.fence == FenceCheck::Nowhere {
        return Some("this sink checks no fence".to_owned());
    }
    let hidden = stage.policy.reads().iter().find(|surface| !sink.lets_read(*surface))?;
    let reason = match hidden {
        Surface::Contents => "this sink does not show its contents",
        Surface::StoredCoordinate => "this sink shows no stored coordinate",
        Surface::DedupKeys => "this sink shows no dedup keys",
        _ => "this sink shows no accepted record",
    };
    Some(reason.to_owned())
}

fn claims(file: &file::Scenario, events: &[Event], wrong: &mut Complaints) -> Vec<Claim> {
    let Some(claims) = &file.claims else { return Vec::new() };
    let labels: Vec<&str> = events.iter().map(|event| event.label.as_str()).collect();
    claims.0.iter().map(|(name, given)| super::claim::claim(name, given, &labels, wrong)).collect()
}

fn expected(given: &file::Expect) -> Expect {
    let often = |often: &file::Often| match often {
        file::Often::Sometimes => Often::Sometimes,
        file::Often::Never => Often::Never,
        file::Often::Always => Often::Always,
        file::Often::Exactly(n) => Often::Exactly(*n),
    };
    Expect { verdicts: given.0.iter().map(|(verdict, given)| (*verdict, often(given))).collect() }
}

fn check_by(ways: &[file::CheckBy]) -> Vec<CheckBy> {
    let way = |way: &file::CheckBy| match way {
        file::CheckBy::Seeds(n, under) => CheckBy::Seeds {
            count: n.get(),
            under: match under {
                None => Under::Both,
                Some(file::Under::Timed) => Under::Timed,
                Some(file::Under::Uniform) => Under::Uniform,
            },
        },
        file::CheckBy::Explore => CheckBy::Explore,
        file::CheckBy::CrashAtEveryStep => CheckBy::CrashAtEveryStep,
        file::CheckBy::Script(steps) => {
            let mut labels: Vec<String> = steps.iter().map(|step| step.0.clone()).collect();
            let then_run_on = labels.pop_if(|last| last == "stop").is_none();
            CheckBy::Script { labels, then_run_on }
        }
    };
    ways.iter().map(way).collect()
}
