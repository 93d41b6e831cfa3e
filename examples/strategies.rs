//! How many seeds each strategy needs until one shows a known failure: the table of `docs/strategies.md`.
//! `cargo run --example strategies` prints it; the numbers are counts of seeds, the same in every build profile.

use dwsim_policies::Shipped;
use dwsim_sim::analysis::campaign::compile_case;
use dwsim_sim::engine::machine::Machine;
use dwsim_sim::load;
use dwsim_sim::model::scenario::Verdict;
use dwsim_sim::model::strategy::Strategy;
use dwsim_sim::model::view::Rules;
use dwsim_sim::schedulers::record_seed;
use dwsim_sim::text::file::Options;

const STRATEGIES: [Strategy; 4] = [Strategy::Timed, Strategy::Uniform, Strategy::Pct(2), Strategy::Swarm];
/// How many ranges of seeds the median is over.
const RANGES: u64 = 9;
/// Seeds in a range: a search that finds nothing in so many gives up and prints `> 2000`.
const RANGE: u64 = 2_000;

const FAILURES: [(&str, &str, Verdict); 7] = [
    ("zombie", "sink-delta", Verdict::Duplicate),
    ("checkpoint-window", "cursor", Verdict::Duplicate),
    ("lost-message", "sink-delta", Verdict::Lost),
    ("second-recoverer", "sink-delta-stepwise", Verdict::Duplicate),
    ("paused-process", "sink-delta", Verdict::Duplicate),
    ("reordered-wire", "sink-cursor", Verdict::Duplicate),
    ("transport-copy", "fenced", Verdict::Duplicate),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let titles: Vec<String> = STRATEGIES.iter().map(Strategy::to_string).collect();
    println!("| scenario | design | verdict | {} |", titles.join(" | "));
    println!("|---|---|---|{}", "---:|".repeat(STRATEGIES.len()));
    for (scenario, design, verdict) in FAILURES {
        let machine = machine(scenario, design)?;
        let cells = STRATEGIES.map(|strategy| median(&machine, strategy, verdict));
        println!("| {scenario} | {design} | {} | {} |", verdict.name(), cells.join(" | "));
    }
    Ok(())
}

fn machine(scenario: &str, design: &str) -> Result<Machine, Box<dyn std::error::Error>> {
    let path = format!("{}/scenarios/{scenario}.ron", env!("CARGO_MANIFEST_DIR"));
    let scenario = load(&path, &std::fs::read_to_string(&path)?, &Shipped, &Options::default())?;
    let case = scenario.cases.first().ok_or("a scenario has a case")?;
    let row = case.designs.iter().position(|row| row.name == design);
    let row = row.ok_or_else(|| format!("{path} has no design {design}"))?;
    compile_case(case, &Rules::new())?.swap_remove(row).map_err(|why| why.0.into())
}

/// The median number of seeds up to and with the first that shows it; a range without one counts as longer than any.
fn median(machine: &Machine, strategy: Strategy, verdict: Verdict) -> String {
    let shows = |seed: &u64| record_seed(machine, strategy, *seed).verdicts.contains(&verdict);
    let needed = |range: u64| (range * RANGE..(range + 1) * RANGE).position(|seed| shows(&seed));
    let mut needed: Vec<usize> =
        (0..RANGES).map(|range| needed(range).map_or(usize::MAX, |n| n + 1)).collect();
    needed.sort_unstable();
    match needed[needed.len() / 2] {
        usize::MAX => format!("> {RANGE}"),
        n => n.to_string(),
    }
}
