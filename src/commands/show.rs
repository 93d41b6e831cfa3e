//! `dwsim show`: something by its name. What is a file is printed as one, to be copied and changed.

use dwsim_policies::Shipped;
use dwsim_reports::text;
use dwsim_sim::model::program::{Act, ActKind, BatchRule, Policy, Surface};
use dwsim_sim::model::suggest::nearest;
use dwsim_sim::model::words::Word;
use dwsim_sim::text::file::{Library, load_policy};

use crate::cli::ShowArgs;
use crate::exit::{Exit, Stop};
use crate::load::{same, suggestion};
use crate::output::{Terminal, print};
use crate::shipped::SCENARIOS;
use crate::theory::ROWS;

/// What a name may stand for, in the order in which names are looked up.
struct Meaning {
    kind: &'static str,
    name: String,
    text: String,
}

/// Prints the first meaning of a name, and says if there are more.
pub fn run(args: &ShowArgs, terminal: &Terminal) -> Result<Exit, Stop> {
    let all = meanings()?;
    let (kind, name) = match args.name.split_once('/') {
        Some((kind, name)) if all.iter().any(|meaning| meaning.kind == kind) => (Some(kind), name),
        _ => (None, args.name.trim_end_matches(".ron")),
    };
    let of_kind = |meaning: &&Meaning| kind.is_none_or(|kind| kind == meaning.kind);
    let mut found = all.iter().filter(of_kind).filter(|meaning| same(&meaning.name, name));
    let Some(first) = found.next() else {
        let known: Vec<&str> = all.iter().filter(of_kind).map(|meaning| meaning.name.as_str()).collect();
        let what = kind.unwrap_or("policy, producer, scenario, row of the theory, act, rule or surface");
        let help = match nearest(name, &known) {
            None if kind.is_none() => {
                "see `dwsim list` policies, producers, scenarios, acts, rules or surfaces".to_owned()
            }
            _ => suggestion(name, &known),
        };
        return Err(Stop::usage(format!("there is no {what} `{name}`; {help}")));
    };
    print(&first.text)?;
    let others: Vec<String> =
        found.map(|meaning| format!("dwsim show {}/{}", meaning.kind, meaning.name)).collect();
    if !others.is_empty() {
        let name = &first.name;
        terminal.say(&format!("`{name}` is something else too: {}", text::list(&others)));
    }
    Ok(Exit::AsExpected)
}

fn meanings() -> Result<Vec<Meaning>, Stop> {
    let file = |kind: &'static str, name: &str, text: &str| Meaning {
        kind,
        name: name.to_owned(),
        text: text.to_owned(),
    };
    let policies: Vec<Policy> = Shipped
        .policy_names()
        .into_iter()
        .map(|name| Ok(load_policy(name, Shipped.policy(name).unwrap_or_default())?))
        .collect::<Result<_, Stop>>()?;
    let mut all = Vec::new();
    for name in Shipped.policy_names() {
        all.push(file("policy", name, Shipped.policy(name).unwrap_or_default()));
    }
    for name in Shipped.producer_names() {
        all.push(file("producer", name, Shipped.producer(name).unwrap_or_default()));
    }
    all.extend(SCENARIOS.iter().map(|(name, text)| file("scenario", name, text)));
    all.extend(ROWS.iter().map(|row| file("theory", row.id, &row.text())));
    for kind in ActKind::ALL {
        let users = users(&policies, |act| act.kind() == kind);
        all.push(file("act", kind.name(), &format!("{kind}: {}\n{users}", kind.about())));
    }
    let word = |(rule, _): &(&'static str, &str)| rule.split('(').next().unwrap_or(rule);
    for rules in BatchRule::REGISTER.chunk_by(|a, b| word(a) == word(b)) {
        let lines: String = rules.iter().map(|(rule, about)| format!("arm({rule}): {about}\n")).collect();
        all.push(file("rule", word(&rules[0]), &lines));
    }
    for surface in Surface::ALL {
        let users = users(&policies, |act| *act == Act::Read(surface));
        all.push(file("surface", surface.name(), &format!("{surface}: {}\n{users}", surface.about())));
    }
    Ok(all)
}

/// The shipped policies that have such an act.
fn users(policies: &[Policy], has: impl Fn(&Act) -> bool) -> String {
    let users: Vec<String> =
        policies.iter().filter(|policy| policy.acts().any(&has)).map(|policy| policy.name.clone()).collect();
    if users.is_empty() { String::new() } else { text::paragraph("policies: ", "  ", &users.join(", ")) }
}
