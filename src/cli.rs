//! The command line: what can be said, and help that teaches it.

use std::str::FromStr;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, ColorChoice, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use dwsim_sim::engine::machine::Machine;
use dwsim_sim::model::scenario::Verdict;
use dwsim_sim::model::strategy::Strategy;
use dwsim_sim::search::explore::Timing;

use crate::output::Target;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const EXIT_CODES: &str = "\
Exit codes:
    0  as expected
    1  an expectation failed, or a verdict of --deny occurred
    2  the command line does not make sense
    3  inconclusive: what was expected was not seen, or was never put to the test; a schedule did not fit
    4  nothing to run
   65  a scenario, policy or schedule is wrong
   66  no such file
   70  dwsim itself is wrong
   74  cannot write a result
  130  interrupted, after reporting what there is";

/// Asks of a delivery stage: it committed, it sent, it died; on restart, did the other side already accept it?
///
/// dwsim crashes a stage at every point, loses, delays and reorders its messages, lets each re-drive policy recover
/// it under the same schedules, and counts duplicate, premature and lost deliveries against a journal that sees all.
#[derive(Debug, Parser)]
#[command(
    name = "dwsim",
    version,
    styles = STYLES,
    after_help = "Start with: dwsim run scenarios/zombie.ron",
    after_long_help = EXIT_CODES,
    infer_long_args = false,
    arg_required_else_help = true
)]
pub struct Cli {
    /// Whether to use colour. NO_COLOR and CLICOLOR_FORCE are obeyed where this says auto.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What dwsim can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run many seeds under every design and compare the designs: the shootout.
    Run(RunArgs),
    /// Show one run step by step: who did what, where each message went, where it went wrong.
    Replay(ReplayArgs),
    /// Try every schedule within the bounds: proved, or the shortest way to what goes wrong.
    Explore(ExploreArgs),
    /// Make a run that went wrong as small as it gets, as a scenario that says why each step is needed.
    Shrink(ShrinkArgs),
    /// Ask whether any policy that reads only this can be right, and what it would take.
    Bound(BoundArgs),
    /// Judge scenarios by what they expect of their designs: what CI calls.
    Check(CheckArgs),
    /// List policies, producers, scenarios, acts or surfaces, each with a line about it.
    List(ListArgs),
    /// Show a policy, producer or scenario as a file to copy, or say what an act or surface is.
    Show(ShowArgs),
    /// Write a scenario to start from, with a comment at every line.
    New(NewArgs),
    /// Print completions for a shell.
    Completions(CompletionsArgs),
    /// Print the manual page.
    Man,
}

const RUN_EXAMPLES: &str = "\
Examples:
  dwsim run scenarios/zombie.ron                         10,000 seeds of every design
  dwsim run scenarios/zombie.ron --seeds 1000000         more, for rare failures
  dwsim run scenarios/zombie.ron --policy ./mine.ron --policy fenced
                                                         your policy beside a shipped one, same seeds
  dwsim run scenarios/ --out junit=report.xml --deny duplicate
                                                         for CI: every scenario, a report, and exit 1
  dwsim show cursor > mine.ron                           a policy to start from";

/// Runs seeds.
#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES, after_long_help = format!("{RUN_EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct RunArgs {
    /// Scenario files; a folder stands for every .ron file below it, `-` for stdin.
    #[arg(required = true, value_name = "SCENARIO")]
    pub scenarios: Vec<String>,
    /// How many seeds, from seed 0; or A..B for the seeds from A up to B, B not included.
    #[arg(long, short = 'n', value_name = "N|A..B", default_value = "10000", allow_hyphen_values = true)]
    pub seeds: Seeds,
    #[command(flatten)]
    pub rows: RowArgs,
    /// Only this twin of each scenario.
    #[arg(long, value_name = "NAME", conflicts_with = "no_twins")]
    pub twin: Option<String>,
    /// Not the twins, only the scenarios themselves.
    #[arg(long)]
    pub no_twins: bool,
    /// How a seed drives a run: `timed` by a clock, with latencies, outages and crash places as the scenario says;
    /// `uniform` by a draw from all that can happen; `pct:3` by priorities that change 3 times; `swarm` as uniform,
    /// with a subset of the faults.
    #[arg(long, value_name = "timed|uniform|pct:D|swarm", default_value_t)]
    pub strategy: Strategy,
    /// More columns: resends, rescues dropped, time to the last owed acceptance; and every pair of designs.
    #[arg(long)]
    pub wide: bool,
    #[command(flatten)]
    pub report: ReportArgs,
    /// Exit with 1 where this verdict occurs; may be repeated.
    #[arg(long, value_enum, value_name = "VERDICT")]
    pub deny: Vec<Denied>,
    /// Keep the first seed of each failed expectation in SCENARIO.regressions, which `check` replays first.
    #[arg(long)]
    pub keep: bool,
    #[command(flatten)]
    pub jobs: JobsArgs,
}

/// Which rows.
#[derive(Debug, Args)]
pub struct RowArgs {
    /// Run this policy instead of the scenario's designs: a design of the scenario, a shipped policy, or a file
    /// (anything with a `/` or ending in .ron); may be repeated.
    #[arg(long, short, value_name = "NAME|PATH")]
    pub policy: Vec<String>,
    /// Only this design of the scenario; may be repeated.
    #[arg(long, short, value_name = "NAME")]
    pub design: Vec<String>,
}

/// In which form the result is wanted.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The form of the result on stdout.
    #[arg(long, short, value_enum, default_value_t)]
    pub format: ReportFormat,
    /// Write the result to a file too, in any form; may be repeated.
    #[arg(long, short, value_name = "FORMAT=PATH")]
    pub out: Vec<Target<ReportFormat>>,
}

/// How much of the machine to use.
#[derive(Debug, Args)]
pub struct JobsArgs {
    /// How many threads; by default one for each core. The result does not depend on it.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
}

impl JobsArgs {
    /// How many threads.
    pub fn count(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(cores, usize::from)
    }
}

const REPLAY_EXAMPLES: &str = "\
Examples:
  dwsim replay scenarios/zombie.ron --policy sink-delta --seed 4
  dwsim replay scenarios/zombie.ron --policy fenced --seed 4           the same seed, another design
  dwsim replay scenarios/zombie.ron --policy sink-delta --seed 4 --format schedule > zombie.schedule
  dwsim replay scenarios/zombie.ron --policy fenced --schedule zombie.schedule
                                                                       the same steps, as far as they go
A schedule has one label on each line, `#` before a comment, `go 7` for seven steps of the producer.
After its last line the run goes on without further faults, unless that line is `stop`. Where a line does not fit the
design, the run is shown up to there, and the exit code is 3.";

/// Shows a run.
#[derive(Debug, Args)]
#[command(after_help = REPLAY_EXAMPLES, after_long_help = format!("{REPLAY_EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct ReplayArgs {
    #[command(flatten)]
    pub run: OneRunArgs,
    #[command(flatten)]
    pub timing: TimingArgs,
    /// The form of the result on stdout.
    #[arg(long, short, value_enum, default_value_t)]
    pub format: ReplayFormat,
}

/// One run of one design: by a seed, or by a schedule.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("row").args(["policy", "design"]).required(true))]
#[command(group = clap::ArgGroup::new("drive").args(["seed", "schedule"]).required(true))]
pub struct OneRunArgs {
    /// A scenario file, or `-` for stdin.
    pub scenario: String,
    /// The policy: a design of the scenario, a shipped policy, or a file.
    #[arg(long, short, value_name = "NAME|PATH")]
    pub policy: Option<String>,
    /// The design of the scenario.
    #[arg(long, short, value_name = "NAME")]
    pub design: Option<String>,
    /// The run of this seed.
    #[arg(long, short, value_name = "S", allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// How the seed drives the run.
    #[arg(long, value_name = "timed|uniform|pct:D|swarm", default_value_t, conflicts_with = "schedule")]
    pub strategy: Strategy,
    /// The run of this schedule; `-` for stdin.
    #[arg(long, value_name = "FILE")]
    pub schedule: Option<String>,
    /// In this twin of the scenario.
    #[arg(long, value_name = "NAME")]
    pub twin: Option<String>,
}

/// Steps that only a clock brings about, switched off.
#[derive(Debug, Default, Args)]
pub struct TimingArgs {
    /// Nothing that the sink remembers or prepared expires.
    #[arg(long)]
    pub no_expiry: bool,
    /// No sender gives up waiting for a reply.
    #[arg(long)]
    pub no_timeout: bool,
    /// No recoverer starts while another lives.
    #[arg(long)]
    pub no_suspicion: bool,
}

impl TimingArgs {
    fn all(&self) -> impl Iterator<Item = (&'static str, Timing)> {
        let switches = [
            (self.no_expiry, "--no-expiry", Timing::Expiry),
            (self.no_timeout, "--no-timeout", Timing::Timeout),
            (self.no_suspicion, "--no-suspicion", Timing::Suspicion),
        ];
        switches.into_iter().filter(|(off, ..)| *off).map(|(_, switch, timing)| (switch, timing))
    }

    /// Whether some are.
    pub fn any(&self) -> bool {
        self.all().next().is_some()
    }

    /// Takes the steps from a machine.
    pub fn switch_off(&self, machine: &mut Machine) {
        self.all().for_each(|(_, timing)| machine.without(timing));
    }

    /// The switches as they go on a line to paste, each after a space.
    pub fn switches(&self) -> String {
        self.all().map(|(switch, _)| format!(" {switch}")).collect()
    }
}

const SHRINK_EXAMPLES: &str = "\
Examples:
  dwsim shrink scenarios/zombie.ron --design sink-delta --seed 4
  dwsim shrink scenarios/zombie.ron --design sink-delta --seed 4 --output zombie-small.ron
                                                         a scenario to paste into a bug report, or to keep
  dwsim check zombie-small.ron                           and to run again for ever";

/// Makes a run that went wrong small.
#[derive(Debug, Args)]
#[command(after_help = SHRINK_EXAMPLES)]
pub struct ShrinkArgs {
    #[command(flatten)]
    pub run: OneRunArgs,
    /// What the small scenario must show; by default the first of these that the run shows.
    #[arg(long, value_enum, value_name = "VERDICT")]
    pub verdict: Option<Denied>,
    /// Write the scenario to this file instead of stdout. No file is overwritten.
    #[arg(long, short, value_name = "FILE.ron")]
    pub output: Option<String>,
}

const EXPLORE_EXAMPLES: &str = "\
Examples:
  dwsim explore scenarios/zombie.ron                     every schedule of every design
  dwsim explore scenarios/zombie.ron --design fenced     proved within bounds, or the shortest way to what goes wrong
  dwsim explore scenarios/zombie.ron --map               what comes of a crash at each act
  dwsim explore scenarios/zombie.ron --save found        the counterexamples, as scenarios that check accepts";

/// Explores every schedule.
#[derive(Debug, Args)]
#[command(after_help = EXPLORE_EXAMPLES, after_long_help = format!("{EXPLORE_EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct ExploreArgs {
    /// Scenario files; a folder stands for every .ron file below it, `-` for stdin.
    #[arg(required = true, value_name = "SCENARIO")]
    pub scenarios: Vec<String>,
    #[command(flatten)]
    pub rows: RowArgs,
    /// Only this twin of each scenario; without it, the scenarios themselves.
    #[arg(long, value_name = "NAME")]
    pub twin: Option<String>,
    /// Give up on a design when it has more distinct states than this.
    #[arg(long, value_name = "N", default_value = "20000000")]
    pub max_states: u64,
    /// Give up on a design before its states take more memory than this (512M, 4G): inconclusive, with what was covered.
    #[arg(long, value_name = "BYTES", default_value = "4G")]
    pub memory: Bytes,
    #[command(flatten)]
    pub timing: TimingArgs,
    /// A table of what can come of a crash, by the act before which it strikes.
    #[arg(long)]
    pub map: bool,
    /// The form of the result on stdout.
    #[arg(long, short, value_enum, default_value_t)]
    pub format: ExploreFormat,
    /// Write each counterexample into this folder, as a scenario with its schedule. No file is overwritten.
    #[arg(long, value_name = "FOLDER")]
    pub save: Option<String>,
    #[command(flatten)]
    pub jobs: JobsArgs,
}

const BOUND_EXAMPLES: &str = "\
Examples:
  dwsim bound scenarios/zombie.ron                       with what the design reads
  dwsim bound scenarios/zombie.ron --reads history,accepted-record --redrive unfenced
  dwsim bound scenarios/theory/obs-bound.ron --reads core,generation --earlier any-index
  dwsim bound scenarios/zombie.ron --triage              four questions to ask of a deployment";

/// Asks what can be decided.
#[derive(Debug, Args)]
#[command(after_help = BOUND_EXAMPLES)]
pub struct BoundArgs {
    /// A scenario file, or `-` for stdin.
    pub scenario: String,
    /// Whose stage; the scenario's first design that can run, unless one is named.
    #[arg(long, short, value_name = "NAME")]
    pub design: Option<String>,
    /// In this twin of the scenario.
    #[arg(long, value_name = "NAME")]
    pub twin: Option<String>,
    /// What the recoverer reads: surfaces, or views of the paper (core, durable-local, control-plane, channel-blind,
    /// retained); what the design reads, unless some are named.
    #[arg(long, value_name = "SURFACE,..", value_delimiter = ',')]
    pub reads: Vec<String>,
    /// Who made the recoveries before.
    #[arg(long, value_enum, default_value_t)]
    pub earlier: EarlierName,
    /// How the batch lands; as the design lands it, unless one is named.
    #[arg(long, value_enum)]
    pub redrive: Option<RedriveName>,
    /// Answer four questions about the deployment instead.
    #[arg(long)]
    pub triage: bool,
    /// Give up when there are more distinct states than this.
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub max_states: u64,
    /// The form of the result on stdout.
    #[arg(long, short, value_enum, default_value_t)]
    pub format: ExploreFormat,
}

/// Who made the recoveries before the one that is decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum EarlierName {
    /// The design's own policy.
    #[default]
    Design,
    /// Whoever sent all obligations again but the first m, for any m.
    AnyIndex,
}

/// How a batch lands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum RedriveName {
    /// At once, with no fence.
    Unfenced,
    /// At once, and fences off the crashed sender in the same step.
    Fenced,
    /// Under a fence at the recoverer's own generation, raised in the same step.
    Claim,
}

/// Judges expectations.
#[derive(Debug, Args)]
#[command(after_long_help = EXIT_CODES)]
pub struct CheckArgs {
    /// Scenario files; a folder stands for every .ron file below it, `-` for stdin.
    #[arg(value_name = "PATH", default_value = "scenarios")]
    pub paths: Vec<String>,
    /// Hold a policy against the five dangerous schedules and two controls that are shipped, instead of scenarios: to what
    /// is expected there of the best of the shipped policies.
    #[arg(long, requires = "policy", conflicts_with_all = ["paths", "seeds", "keep"])]
    pub dangerous: bool,
    /// The policy: a shipped one, or a file; repeat it for more.
    #[arg(long, short = 'p', value_name = "POLICY", requires = "dangerous")]
    pub policy: Vec<String>,
    /// So many seeds (or A..B) wherever a scenario is judged by seeds, whatever it says itself.
    #[arg(long, short = 'n', value_name = "N|A..B", allow_hyphen_values = true)]
    pub seeds: Option<Seeds>,
    #[command(flatten)]
    pub report: ReportArgs,
    /// Keep the first seed of each failed expectation in SCENARIO.regressions, which `check` replays first.
    #[arg(long)]
    pub keep: bool,
    #[command(flatten)]
    pub jobs: JobsArgs,
}

/// Lists.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// What to list.
    #[command(subcommand)]
    pub what: ListWhat,
}

/// What can be listed.
#[derive(Debug, Subcommand)]
pub enum ListWhat {
    /// The shipped re-drive policies.
    Policies,
    /// The shipped producers and relays.
    Producers,
    /// Scenarios: those below a path, or the shipped ones.
    Scenarios {
        /// A folder or a file.
        path: Option<String>,
    },
    /// The acts that programs are made of.
    Acts,
    /// The rules by which `arm` computes what to send again.
    Rules,
    /// What a recoverer can read.
    Surfaces,
}

/// Shows something by name.
#[derive(Debug, Args)]
#[command(after_help = "Example: dwsim show cursor > mine.ron")]
pub struct ShowArgs {
    /// A policy, producer, scenario, act or surface; KIND/NAME where a name has several meanings.
    pub name: String,
}

/// Writes a template.
#[derive(Debug, Args)]
#[command(after_help = "Example: dwsim new my-outbox && dwsim run my-outbox.ron")]
pub struct NewArgs {
    /// The scenario's name or path (`my-outbox` becomes my-outbox.ron), or `-` for stdout. No file is overwritten.
    pub name: String,
}

/// Prints completions.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// For which shell.
    pub shell: Shell,
}

/// An amount of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bytes(pub u64);

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Bytes, String> {
        let (digits, unit) = match text.trim_end_matches(['B', 'b']).trim_end_matches('i') {
            digits if digits.ends_with(['K', 'k']) => (&digits[..digits.len() - 1], 1 << 10),
            digits if digits.ends_with(['M', 'm']) => (&digits[..digits.len() - 1], 1 << 20),
            digits if digits.ends_with(['G', 'g']) => (&digits[..digits.len() - 1], 1 << 30),
            digits => (digits, 1_u64),
        };
        let number = digits.trim().replace('_', "").parse::<u64>().ok();
        match number.and_then(|number| number.checked_mul(unit)) {
            Some(bytes) if bytes >= 1 << 20 => Ok(Bytes(bytes)),
            _ => Err("write an amount such as 512M or 4G, at least 1M".to_owned()),
        }
    }
}

/// Which seeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seeds {
    /// The first one.
    pub first: u64,
    /// How many.
    pub count: u64,
}

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Seeds, String> {
        let number = |digits: &str| {
            let digits = digits.trim().replace('_', "");
            digits.parse::<u64>().map_err(|_| {
                "write a number such as 10000, or a range such as 500..600; seeds are below 2^64".to_owned()
            })
        };
        let (first, end) = match text.split_once("..") {
            Some((first, end)) => (number(first)?, number(end)?),
            None => (0, number(text)?),
        };
        match end.checked_sub(first) {
            Some(count) if count > 0 => Ok(Seeds { first, count }),
            _ => Err("there are no seeds in it".to_owned()),
        }
    }
}

/// The verdicts that can be denied.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Denied {
    /// Accepted more than once.
    Duplicate,
    /// Accepted, but not committed when it was sent.
    Premature,
    /// Owed and not accepted.
    Lost,
    /// The run did not come to rest.
    Unfinished,
    /// The sink's contents differ from what was committed.
    Dirty,
}

impl From<Denied> for Verdict {
    fn from(denied: Denied) -> Verdict {
        match denied {
            Denied::Duplicate => Verdict::Duplicate,
            Denied::Premature => Verdict::Premature,
            Denied::Lost => Verdict::Lost,
            Denied::Unfinished => Verdict::Unfinished,
            Denied::Dirty => Verdict::Dirty,
        }
    }
}

/// The forms of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ReportFormat {
    /// Tables and sentences for a terminal.
    #[default]
    Human,
    /// One JSON object.
    Json,
    /// One JSON object on each line.
    Ndjson,
    /// For a pull request or a wiki.
    Markdown,
    /// JUnit XML, for CI servers.
    Junit,
    /// One file for a browser.
    Html,
    /// Annotations of a GitHub workflow.
    Github,
}

/// The forms of an exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ExploreFormat {
    /// Sentences, tables and lanes for a terminal.
    #[default]
    Human,
    /// One JSON object.
    Json,
    /// For a pull request or a wiki.
    Markdown,
}

/// The forms of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ReplayFormat {
    /// Lanes for a terminal.
    #[default]
    Human,
    /// One JSON object.
    Json,
    /// A Mermaid sequence diagram.
    Mermaid,
    /// A drawing.
    Svg,
    /// One label on each line, for --schedule.
    Schedule,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn seeds_are_a_number_or_a_range() {
        assert_eq!("10_000".parse(), Ok(Seeds { first: 0, count: 10_000 }));
        assert_eq!("500..600".parse(), Ok(Seeds { first: 500, count: 100 }));
        assert_eq!("18446744073709551615".parse(), Ok(Seeds { first: 0, count: u64::MAX }));
        for wrong in ["0", "7..7", "9..3", "", "..", "-1", "1e6", "18446744073709551616"] {
            assert!(wrong.parse::<Seeds>().is_err(), "{wrong}");
        }
    }
}
