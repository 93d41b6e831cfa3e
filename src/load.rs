//! From paths and names to cases that can run: reads files and stdin, and finds policies and designs by name.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Path;

use dwsim_policies::Shipped;
use dwsim_sim::analysis::campaign::compile_case;
use dwsim_sim::analysis::claim::Judged;
use dwsim_sim::engine::machine::Machine;
use dwsim_sim::load;
use dwsim_sim::model::claim::Claim;
use dwsim_sim::model::label::looks_like_path;
use dwsim_sim::model::program::Policy;
use dwsim_sim::model::scenario::{Case, Design, NotApplicable, Scenario, Stage};
use dwsim_sim::model::suggest::{nearest, one_of};
use dwsim_sim::model::view::Rules;
use dwsim_sim::search::explore::Limits;
use dwsim_sim::text::file::{Diagnostics, LONGEST_FILE, Library, Options, load_policy};

use crate::exit::{Exit, Stop};
use crate::shipped::SCENARIOS;

/// What of each scenario is wanted. A name that some scenarios lack leaves those out; one that all lack is an error.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// Rows of the file. Empty, with `policies` empty too: all of them.
    pub designs: &'a [String],
    /// Rows of the file, shipped policies, or files of policies.
    pub policies: &'a [String],
    /// Which twins.
    pub twins: Twins<'a>,
}

/// Which twins of a scenario.
#[derive(Clone, Copy, Debug, Default)]
pub enum Twins<'a> {
    /// The scenario itself and every twin.
    #[default]
    All,
    /// Only the scenario itself.
    Without,
    /// Only the twin of this name.
    Only(&'a str),
}

impl Twins<'_> {
    fn include(self, case: &Case) -> bool {
        match self {
            Twins::All => true,
            Twins::Without => case.twin.is_empty(),
            Twins::Only(name) => !case.twin.is_empty() && same(&case.twin, name),
        }
    }
}

/// A scenario from a path.
#[derive(Debug)]
pub struct Loaded {
    /// The path as the user typed it, or as a folder that they typed gave it.
    pub path: String,
    /// What it says.
    pub scenario: Scenario,
}

/// The scenarios at paths, with only what is wanted of them.
pub fn scenarios(paths: &[String], wanted: Wanted<'_>) -> Result<Vec<Loaded>, Stop> {
    let files = files(paths)?;
    let policies = wanted.policies.iter().map(|name| Asked::new(name)).collect::<Result<Vec<_>, _>>()?;
    let mut wrong = Vec::new();
    let mut loaded = Vec::new();
    for path in files {
        let text = read(&path)?;
        match whole(&path, &text, &policies) {
            Ok(whole) => loaded.push((path, whole)),
            Err(diagnostics) => wrong.extend(diagnostics.0),
        }
    }
    if !wrong.is_empty() {
        return Err(Diagnostics(wrong).into());
    }
    choose(loaded, wanted, &policies)
}

/// The dangerous schedules that are shipped, with these policies for designs.
pub fn dangerous(policies: &[String]) -> Result<Scenario, Stop> {
    let asked = policies.iter().map(|name| Asked::new(name)).collect::<Result<Vec<_>, _>>()?;
    let path = "dangerous.ron";
    let (_, text) = SCENARIOS.iter().find(|(name, _)| *name == "dangerous").unwrap_or(&("", ""));
    let loaded = vec![(path.to_owned(), whole(path, text, &asked)?)];
    let wanted = Wanted { policies, ..Wanted::default() };
    let mut chosen = choose(loaded, wanted, &asked)?;
    Ok(chosen.remove(0).scenario)
}

/// A program for each design of a case, or why it cannot run.
pub fn compile(path: &str, case: &Case) -> Result<Vec<Result<Machine, NotApplicable>>, Stop> {
    compile_case(case, &Rules::new())
        .map_err(|wrong| Stop::Because(Exit::BadInput, format!("{path}: {wrong}")))
}

/// A program for a stage that has run before.
pub fn compile_stage(path: &str, stage: &Stage) -> Result<Machine, Stop> {
    Machine::compile(stage, &Rules::new())
        .map_err(|wrong| Stop::Because(Exit::BadInput, format!("{path}: {wrong}")))
}

/// What comes of a claim about a design's stage.
pub fn judge_claim(path: &str, claim: &Claim, stage: &Stage, limits: Limits) -> Result<Judged, Stop> {
    claim
        .judge(stage, &Rules::new(), limits)
        .map_err(|wrong| Stop::Because(Exit::BadInput, format!("{path}: {wrong}")))
}

/// The text of a file, or of stdin for `-`.
pub fn read(path: &str) -> Result<String, Stop> {
    let cannot = |error: std::io::Error| cannot_read(path, &error);
    let mut bytes = Vec::new();
    // One byte more than a file may have is enough to refuse it.
    let most = LONGEST_FILE as u64 + 1;
    if path == "-" {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes).map_err(cannot)?;
    } else {
        fs::File::open(path).map_err(cannot)?.take(most).read_to_end(&mut bytes).map_err(cannot)?;
    }
    String::from_utf8(bytes).map_err(|wrong| {
        let valid = wrong.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&wrong.as_bytes()[..valid]);
        let (line, column) =
            (1 + before.matches('\n').count(), 1 + before.chars().rev().take_while(|c| *c != '\n').count());
        let byte = wrong.as_bytes()[valid];
        Stop::Because(
            Exit::BadInput,
            format!(
                "{path}:{line}:{column}: the byte 0x{byte:02x} is not UTF-8; save the file as UTF-8 text"
            ),
        )
    })
}

fn cannot_read(path: &str, error: &std::io::Error) -> Stop {
    Stop::Because(
        Exit::NoInput,
        match error.kind() {
            ErrorKind::NotFound => format!("there is no file {path}{}", shipped_instead(path)),
            _ => format!("cannot read {path}: {error}"),
        },
    )
}

/// What to do about a missing file that has the name of a shipped scenario, or of the folder that holds them.
fn shipped_instead(path: &str) -> String {
    let name = path.strip_prefix("scenarios/").unwrap_or(path).trim_end_matches(".ron");
    if path == "scenarios" {
        return "; name a scenario or a folder of scenarios".to_owned();
    }
    match SCENARIOS.iter().find(|(shipped, _)| *shipped == name) {
        Some(_) => format!("; the shipped one is printed by: dwsim show scenario/{name}"),
        None => String::new(),
    }
}

/// Every file that the paths stand for: a folder stands for the `.ron` files below it, in the order of their paths.
pub fn files(paths: &[String]) -> Result<Vec<String>, Stop> {
    let mut files = Vec::new();
    for path in paths {
        if Path::new(path).is_dir() {
            let mut found = Vec::new();
            below(path, &mut found)?;
            found.sort();
            files.extend(found);
        } else {
            files.push(path.clone());
        }
    }
    if files.is_empty() {
        let message = format!("there is no .ron file below {}", paths.join(", "));
        return Err(Stop::Because(Exit::NothingToRun, message));
    }
    if files.iter().filter(|path| *path == "-").count() > 1 {
        return Err(Stop::usage("stdin (`-`) can be read only once"));
    }
    Ok(files)
}

fn below(folder: &str, found: &mut Vec<String>) -> Result<(), Stop> {
    let cannot =
        |error: std::io::Error| Stop::Because(Exit::NoInput, format!("cannot read {folder}: {error}"));
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let name = entry.file_name().into_string().map_err(|name| {
            Stop::Because(
                Exit::NoInput,
                format!("{folder}: the name of {} is not UTF-8", Path::new(&name).display()),
            )
        })?;
        let path = format!("{}/{name}", folder.trim_end_matches('/'));
        if Path::new(&path).is_dir() {
            below(&path, found)?;
        } else if name.ends_with(".ron") {
            found.push(path);
        }
    }
    Ok(())
}

/// Whether two names are the same to a person: `-` and `_` are alike.
pub fn same(a: &str, b: &str) -> bool {
    a.replace('_', "-") == b.replace('_', "-")
}

/// What to say after an unknown name.
pub fn suggestion(name: &str, known: &[&str]) -> String {
    match nearest(name, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "there are none".to_owned(),
        None => format!("there is {}", one_of(known)),
    }
}

/// What `--policy` asked for.
struct Asked {
    name: String,
    /// The program, unless only a design of a scenario can be meant.
    program: Option<Policy>,
}

impl Asked {
    /// A policy from a file goes by its path, so that a row, and the line that replays it, say which file it was. The
    /// path is written so that no design can have its name.
    fn new(name: &str) -> Result<Asked, Stop> {
        if looks_like_path(name) {
            let is_plain = name.starts_with('.') || Path::new(name).is_absolute();
            let path = if is_plain { name.to_owned() } else { format!("./{name}") };
            let program = Policy { name: path.clone(), ..load_policy(name, &read(name)?)? };
            return Ok(Asked { name: path, program: Some(program) });
        }
        let shipped = Shipped.policy_names().into_iter().find(|known| same(known, name));
        let program = shipped
            .and_then(|name| Some((name, Shipped.policy(name)?)))
            .map(|(name, text)| load_policy(name, text))
            .transpose()?;
        Ok(Asked { name: name.to_owned(), program })
    }
}

/// A scenario with the file's own rows, and with rows for the programs that were asked for.
struct Whole {
    own: Scenario,
    asked: Option<Scenario>,
}

fn whole(path: &str, text: &str, policies: &[Asked]) -> Result<Whole, Diagnostics> {
    let programs: Vec<Policy> = policies.iter().filter_map(|asked| asked.program.clone()).collect();
    let own = load(path, text, &Shipped, &Options::default())?;
    let asked = match programs.as_slice() {
        [] => None,
        policies => Some(load(path, text, &Shipped, &Options { policies })?),
    };
    Ok(Whole { own, asked })
}

/// Leaves of each scenario what is wanted.
fn choose(whole: Vec<(String, Whole)>, wanted: Wanted<'_>, policies: &[Asked]) -> Result<Vec<Loaded>, Stop> {
    let cases: Vec<&Case> = whole.iter().flat_map(|(_, whole)| &whole.own.cases).collect();
    names_that_nothing_has(&cases, wanted, policies)?;
    let everything = wanted.designs.is_empty() && policies.is_empty();
    let mut chosen = Vec::new();
    for (path, Whole { own, asked }) in whole {
        let asked_cases = asked.map_or_else(Vec::new, |asked| asked.cases);
        let mut cases = Vec::new();
        for (i, mut case) in own.cases.into_iter().enumerate().filter(|(_, case)| wanted.twins.include(case))
        {
            if !everything {
                let programs = asked_cases.get(i).map_or(&[][..], |case| &case.designs);
                case.designs = rows_of(&case.designs, programs, wanted.designs, policies);
            }
            if !case.designs.is_empty() {
                cases.push(case);
            }
        }
        if !cases.is_empty() {
            let name = if path == "-" { "stdin".to_owned() } else { own.name };
            chosen.push(Loaded { path, scenario: Scenario { name, about: own.about, cases } });
        }
    }
    Ok(chosen)
}

/// Complains about a name that is in no case at all.
fn names_that_nothing_has(cases: &[&Case], wanted: Wanted<'_>, policies: &[Asked]) -> Result<(), Stop> {
    let is_wanted = |case: &&&Case| wanted.twins.include(case);
    if let Twins::Only(name) = wanted.twins
        && !cases.iter().any(|case| is_wanted(&case))
    {
        let twins = distinct(cases.iter().map(|case| case.twin.as_str()).filter(|twin| !twin.is_empty()));
        return Err(Stop::usage(format!("there is no twin `{name}`; {}", suggestion(name, &twins))));
    }
    let rows = cases.iter().filter(is_wanted).flat_map(|case| &case.designs).map(|row| row.name.as_str());
    let rows = distinct(rows);
    let is_row = |name: &str| rows.iter().any(|row| same(row, name));
    if let Some(name) = wanted.designs.iter().find(|name| !is_row(name)) {
        return Err(Stop::usage(format!("there is no design `{name}`; {}", suggestion(name, &rows))));
    }
    if let Some(Asked { name, .. }) =
        policies.iter().find(|asked| asked.program.is_none() && !is_row(&asked.name))
    {
        let known = distinct(rows.iter().copied().chain(Shipped.policy_names()));
        let help = suggestion(name, &known);
        return Err(Stop::usage(format!("there is no design or policy `{name}`; {help}")));
    }
    Ok(())
}

/// Each name once, in the order in which they come.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

/// The rows that were asked for, each once. `programs` has one for each policy that is a program, in their order.
fn rows_of(own: &[Design], programs: &[Design], designs: &[String], policies: &[Asked]) -> Vec<Design> {
    let own = |name: &str| own.iter().find(|row| same(&row.name, name));
    let mut programs = programs.iter();
    let named = designs.iter().map(|name| own(name)).collect::<Vec<_>>();
    let asked = policies.iter().map(|asked| {
        let program = if asked.program.is_some() { programs.next() } else { None };
        own(&asked.name).or(program)
    });
    let mut rows: Vec<Design> = Vec::new();
    for row in named.into_iter().chain(asked).flatten() {
        if !rows.iter().any(|known| known.name == row.name) {
            rows.push(row.clone());
        }
    }
    rows
}
