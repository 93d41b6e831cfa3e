//! `dwsim list`: what there is, a line for each.

use dwsim_policies::Shipped;
use dwsim_reports::text;
use dwsim_sim::load;
use dwsim_sim::model::program::{ActKind, BatchRule, Surface};
use dwsim_sim::model::words::Word;
use dwsim_sim::text::file::{Library, Options, load_policy, load_producer};

use crate::cli::{ListArgs, ListWhat};
use crate::exit::{Exit, Stop};
use crate::load;
use crate::output::print;
use crate::shipped::SCENARIOS;

/// Lists.
pub fn run(args: &ListArgs) -> Result<Exit, Stop> {
    let lines = match &args.what {
        ListWhat::Policies => each(Shipped.policy_names(), |name| {
            let text = Shipped.policy(name).unwrap_or_default();
            Ok(load_policy(name, text)?.about)
        })?,
        ListWhat::Producers => each(Shipped.producer_names(), |name| {
            let text = Shipped.producer(name).unwrap_or_default();
            Ok(load_producer(name, text)?.about)
        })?,
        ListWhat::Scenarios { path: None } => SCENARIOS
            .iter()
            .map(|(name, text)| {
                Ok(((*name).to_owned(), load(name, text, &Shipped, &Options::default())?.about))
            })
            .collect::<Result<_, Stop>>()?,
        ListWhat::Scenarios { path: Some(path) } => {
            let loaded = load::scenarios(std::slice::from_ref(path), load::Wanted::default())?;
            loaded.into_iter().map(|loaded| (loaded.path, loaded.scenario.about)).collect()
        }
        ListWhat::Acts => words_of::<ActKind>(),
        ListWhat::Rules => lines_of(&BatchRule::REGISTER),
        ListWhat::Surfaces => words_of::<Surface>(),
    };
    print(&table(&lines)).map(|()| Exit::AsExpected)
}

fn each(
    names: Vec<&str>,
    about: impl Fn(&str) -> Result<String, Stop>,
) -> Result<Vec<(String, String)>, Stop> {
    names.into_iter().map(|name| Ok((name.to_owned(), about(name)?))).collect()
}

fn words_of<W: Word>() -> Vec<(String, String)> {
    W::ALL.iter().map(|word| (word.word().to_owned(), word.about().to_owned())).collect()
}

fn lines_of(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(name, about)| ((*name).to_owned(), (*about).to_owned())).collect()
}

fn table(lines: &[(String, String)]) -> String {
    let names = lines.iter().map(|(name, _)| text::width(name)).max().unwrap_or(0);
    lines
        .iter()
        .map(|(name, about)| format!("{name:<names$}  {about}").trim_end().to_owned() + "\n")
        .collect()
}
