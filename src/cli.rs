//! The command line: what can be said, and help that teaches it.

use std::marker::PhantomData;
use std::str::FromStr;

use clap::builder::styling::{AnsiColor, Styles};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ColorChoice, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use dwsim_reports::forms::{FORMS, Form, Kind};
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
    1  an expectation failed, or a verdict that --deny names occurred
    2  wrong usage: an unknown option or a bad value
    3  inconclusive: a `sometimes` was not reached, a named fault never struck, or a schedule did not fit
    4  nothing to run
   65  a scenario, policy or schedule file has an error
   66  no such file
   70  a bug in dwsim
   74  a result cannot be written
  130  interrupted; the report covers the work done so far";

/// Tests the recovery of a delivery stage: it committed, sent, and died; did the other side already accept it?
///
/// dwsim crashes a stage at every point, loses, delays and reorders its messages, lets each re-drive policy recover
/// it under the same schedules, and counts duplicate, premature and lost deliveries against the journal.
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
    /// When to use colour. With `auto`, NO_COLOR and CLICOLOR_FORCE decide.
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
    /// Show one run step by step: each act, the path of each message, and the step at which it failed.
    Replay(ReplayArgs),
    /// Try every schedule within the bounds: proved, or the shortest counterexample.
    Explore(ExploreArgs),
    /// Shrink a failing run to the smallest schedule, as a scenario that says why each step is needed.
    Shrink(ShrinkArgs),
    /// Decide whether any policy with these reads can be correct, and which reads would suffice.
    Bound(BoundArgs),
    /// Check the expectations that scenarios state. This is the command for CI.
    Check(CheckArgs),
    /// List policies, producers, scenarios, acts, rules or surfaces, one line each.
    List(ListArgs),
    /// Print a policy, producer or scenario as a file to copy, or explain an act, rule or surface.
    Show(ShowArgs),
    /// Write a starter scenario with a comment on every line.
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
    /// Scenario files, folders (every .ron file below them), or `-` for stdin.
    #[arg(required = true, value_name = "SCENARIO")]
    pub scenarios: Vec<String>,
    /// Number of seeds, from seed 0; or a range A..B, without B.
    #[arg(long, short = 'n', value_name = "N|A..B", default_value = "10000", allow_hyphen_values = true)]
    pub seeds: Seeds,
    #[command(flatten)]
    pub rows: RowArgs,
    /// Run only this twin of each scenario.
    #[arg(long, value_name = "NAME", conflicts_with = "no_twins")]
    pub twin: Option<String>,
    /// Run the scenarios without their twins.
    #[arg(long)]
    pub no_twins: bool,
    /// How a seed drives a run: `timed` by a clock, with latencies, outages and crash places as the scenario says;
    /// `uniform` by a draw from all that can happen; `pct:3` by priorities that change 3 times; `swarm` as uniform,
    /// with a subset of the faults.
    #[arg(long, value_name = "timed|uniform|pct:D|swarm", default_value_t)]
    pub strategy: Strategy,
    /// Add columns for resends, dropped rescues and repair time, and compare every pair of designs.
    #[arg(long)]
    pub wide: bool,
    #[command(flatten)]
    pub report: ReportArgs<Run>,
    /// Exit with 1 if this verdict occurs. May be repeated.
    #[arg(long, value_parser = verdict(), value_name = "VERDICT")]
    pub deny: Vec<Verdict>,
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
    /// (a name with a `/` or ending in .ron). May be repeated.
    #[arg(long, short, value_name = "NAME|PATH")]
    pub policy: Vec<String>,
    /// Run only this design of the scenario. May be repeated.
    #[arg(long, short, value_name = "NAME")]
    pub design: Vec<String>,
}

/// The forms of a command's report, as the register of forms has them.
#[derive(Debug, Args)]
pub struct ReportArgs<C: Reports> {
    /// Format of the result on stdout.
    #[arg(long, short, value_parser = form_of::<C>(), default_value = FORMS[0].name)]
    pub format: &'static Form,
    /// Also write the result to a file, in any of these formats. May be repeated.
    #[arg(long, short, value_name = "FORMAT=PATH", value_parser = Target::parse::<C>)]
    pub out: Vec<Target>,
    #[arg(skip)]
    command: PhantomData<C>,
}

/// A command that reports.
pub trait Reports: Clone + Send + Sync + 'static {
    /// The kinds of its reports.
    const KINDS: &'static [Kind];

    /// The forms that can show them all.
    fn forms() -> impl Iterator<Item = &'static Form> {
        FORMS.iter().filter(|form| Self::KINDS.iter().all(|kind| form.can_show(*kind)))
    }
}

/// `run`.
#[derive(Clone, Debug)]
pub struct Run;
/// `check`.
#[derive(Clone, Debug)]
pub struct Check;
/// `explore`.
#[derive(Clone, Debug)]
pub struct Explore;
/// `bound`.
#[derive(Clone, Debug)]
pub struct Bound;
/// `replay`.
#[derive(Clone, Debug)]
pub struct Replay;

impl Reports for Run {
    const KINDS: &'static [Kind] = &[Kind::Run];
}
impl Reports for Check {
    const KINDS: &'static [Kind] = &[Kind::Check];
}
impl Reports for Explore {
    const KINDS: &'static [Kind] = &[Kind::Explore];
}
impl Reports for Bound {
    const KINDS: &'static [Kind] = &[Kind::Bound, Kind::Triage];
}
impl Reports for Replay {
    const KINDS: &'static [Kind] = &[Kind::Replay];
}

/// The form of that name, of those that the command has.
fn form_of<C: Reports>() -> impl TypedValueParser<Value = &'static Form> {
    let names = C::forms().map(|form| PossibleValue::new(form.name).help(form.about));
    PossibleValuesParser::new(names).map(|name| Form::named(&name).unwrap_or(&FORMS[0]))
}

/// How much of the machine to use.
#[derive(Debug, Args)]
pub struct JobsArgs {
    /// Number of threads (default: one for each core). The result does not depend on it.
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
  dwsim replay scenarios/zombie.ron --policy sink-delta --seed 0
  dwsim replay scenarios/zombie.ron --policy fenced --seed 0           the same seed, another design
  dwsim replay scenarios/zombie.ron --policy sink-delta --seed 0 --format schedule > zombie.schedule
  dwsim replay scenarios/zombie.ron --policy fenced --schedule zombie.schedule
                                                                       the same steps, as far as they go
A schedule has one label on each line, `#` before a comment, `go 7` for seven steps of the producer.
After its last line the run goes on without further faults, unless that line is `stop`. If a line does not fit the
design, the run is shown up to that line, and the exit code is 3.";

/// Shows a run.
#[derive(Debug, Args)]
#[command(after_help = REPLAY_EXAMPLES, after_long_help = format!("{REPLAY_EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct ReplayArgs {
    #[command(flatten)]
    pub run: OneRunArgs,
    #[command(flatten)]
    pub timing: TimingArgs,
    #[command(flatten)]
    pub report: ReportArgs<Replay>,
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
    /// Show the run of this seed.
    #[arg(long, short, value_name = "S", allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// How the seed drives the run.
    #[arg(long, value_name = "timed|uniform|pct:D|swarm", default_value_t, conflicts_with = "schedule")]
    pub strategy: Strategy,
    /// Follow the schedule in this file (`-` for stdin).
    #[arg(long, value_name = "FILE")]
    pub schedule: Option<String>,
    /// Use this twin of the scenario.
    #[arg(long, value_name = "NAME")]
    pub twin: Option<String>,
}

/// Steps that only a clock causes, switched off.
#[derive(Debug, Default, Args)]
pub struct TimingArgs {
    /// Disable expiry of dedup keys and prepared messages.
    #[arg(long)]
    pub no_expiry: bool,
    /// Disable reply timeouts.
    #[arg(long)]
    pub no_timeout: bool,
    /// Never start a recoverer while another one is alive.
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
  dwsim shrink scenarios/zombie.ron --design sink-delta --seed 0
  dwsim shrink scenarios/zombie.ron --design sink-delta --seed 0 --output zombie-small.ron
                                                         a scenario to paste into a bug report, or to keep
  dwsim check zombie-small.ron                           and to run again for ever";

/// Shrinks a failing run.
#[derive(Debug, Args)]
#[command(after_help = SHRINK_EXAMPLES)]
pub struct ShrinkArgs {
    #[command(flatten)]
    pub run: OneRunArgs,
    /// Verdict that the shrunk scenario must show (default: the first in this list that the run shows).
    #[arg(long, value_parser = verdict(), value_name = "VERDICT")]
    pub verdict: Option<Verdict>,
    /// Write the scenario to this file instead of stdout. An existing file is never overwritten.
    #[arg(long, short, value_name = "FILE.ron")]
    pub output: Option<String>,
}

const EXPLORE_EXAMPLES: &str = "\
Examples:
  dwsim explore scenarios/zombie.ron                     every schedule of every design
  dwsim explore scenarios/zombie.ron --design fenced     proved within bounds, or the shortest counterexample
  dwsim explore scenarios/zombie.ron --map               the outcomes of a crash before each act
  dwsim explore scenarios/zombie.ron --save found        the counterexamples, as scenarios that check accepts";

/// Explores every schedule.
#[derive(Debug, Args)]
#[command(after_help = EXPLORE_EXAMPLES, after_long_help = format!("{EXPLORE_EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct ExploreArgs {
    /// Scenario files, folders (every .ron file below them), or `-` for stdin.
    #[arg(required = true, value_name = "SCENARIO")]
    pub scenarios: Vec<String>,
    #[command(flatten)]
    pub rows: RowArgs,
    /// Explore this twin of each scenario (default: the scenario itself).
    #[arg(long, value_name = "NAME")]
    pub twin: Option<String>,
    /// Stop exploring a design beyond this number of distinct states.
    #[arg(long, value_name = "N", default_value = "20000000")]
    pub max_states: u64,
    /// Stop exploring a design before its states take more memory than this (512M, 4G). The result is inconclusive and
    /// says what was covered.
    #[arg(long, value_name = "BYTES", default_value = "4G")]
    pub memory: Bytes,
    #[command(flatten)]
    pub timing: TimingArgs,
    /// Add a table of the outcomes of a crash before each act.
    #[arg(long)]
    pub map: bool,
    #[command(flatten)]
    pub report: ReportArgs<Explore>,
    /// Write each counterexample to this folder, as a scenario with its schedule. Existing files are never overwritten.
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

/// Decides what reads suffice.
#[derive(Debug, Args)]
#[command(after_help = BOUND_EXAMPLES)]
pub struct BoundArgs {
    /// A scenario file, or `-` for stdin.
    pub scenario: String,
    /// Design to analyse (default: the first that can run).
    #[arg(long, short, value_name = "NAME")]
    pub design: Option<String>,
    /// Use this twin of the scenario.
    #[arg(long, value_name = "NAME")]
    pub twin: Option<String>,
    /// Surfaces that the recoverer reads (default: those that the design reads), or a named view: core, durable-local,
    /// control-plane, channel-blind, retained.
    #[arg(long, value_name = "SURFACE,..", value_delimiter = ',')]
    pub reads: Vec<String>,
    /// Which recoveries came before this decision.
    #[arg(long, value_enum, default_value_t)]
    pub earlier: EarlierName,
    /// How the batch is delivered (default: as the design does it).
    #[arg(long, value_enum)]
    pub redrive: Option<RedriveName>,
    /// Answer four questions about the deployment instead.
    #[arg(long)]
    pub triage: bool,
    /// Stop beyond this number of distinct states.
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub max_states: u64,
    #[command(flatten)]
    pub report: ReportArgs<Bound>,
}

/// Which recoveries came before the one that is decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum EarlierName {
    /// Recoveries by the design's own policy.
    #[default]
    Design,
    /// Recoveries that sent all obligations again except the first m, for any m.
    AnyIndex,
}

/// How a batch lands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum RedriveName {
    /// At once, with no fence.
    Unfenced,
    /// At once, and in the same step the sink is fenced against the crashed sender.
    Fenced,
    /// Under a fence at the recoverer's own generation, raised in the same step.
    Claim,
}

/// Judges expectations.
#[derive(Debug, Args)]
#[command(after_long_help = EXIT_CODES)]
pub struct CheckArgs {
    /// Scenario files, folders (every .ron file below them), or `-` for stdin.
    #[arg(value_name = "PATH", default_value = "scenarios")]
    pub paths: Vec<String>,
    /// Test your policy on the shipped dangerous schedules. It must do as well as the best shipped policy.
    #[arg(long, requires = "policy", conflicts_with_all = ["paths", "seeds", "keep"])]
    pub dangerous: bool,
    /// Policy to test: a shipped one or a file. May be repeated.
    #[arg(long, short = 'p', value_name = "POLICY", requires = "dangerous")]
    pub policy: Vec<String>,
    /// Override the number of seeds of every scenario.
    #[arg(long, short = 'n', value_name = "N|A..B", allow_hyphen_values = true)]
    pub seeds: Option<Seeds>,
    #[command(flatten)]
    pub report: ReportArgs<Check>,
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
    /// The shipped scenarios, or those below a path.
    Scenarios {
        /// A folder or a file.
        path: Option<String>,
    },
    /// The acts that programs are made of.
    Acts,
    /// The rules by which `arm` computes what to send again.
    Rules,
    /// The surfaces that a recoverer can read.
    Surfaces,
}

/// Shows something by name.
#[derive(Debug, Args)]
#[command(after_help = "Example: dwsim show cursor > mine.ron")]
pub struct ShowArgs {
    /// Name of a policy, producer, scenario, act, rule or surface; KIND/NAME if a name has several meanings.
    pub name: String,
}

/// Writes a template.
#[derive(Debug, Args)]
#[command(after_help = "Example: dwsim new my-outbox && dwsim run my-outbox.ron")]
pub struct NewArgs {
    /// Name or path of the scenario (`my-outbox` becomes my-outbox.ron), or `-` for stdout. An existing file is never
    /// overwritten.
    pub name: String,
}

/// Prints completions.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
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

/// Reads the name of a verdict.
fn verdict() -> impl TypedValueParser<Value = Verdict> {
    let names = Verdict::ALL.map(|v| PossibleValue::new(v.name()).help(v.spec().meaning));
    PossibleValuesParser::new(names).map(|name| Verdict::named(&name).expect("only names get here"))
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
