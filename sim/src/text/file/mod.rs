//! Scenario files, and the programs in files of their own. This is the one place where text becomes a
//! [`Scenario`]: what comes out can run, and what cannot is refused with its file, line and
//! column, what is wrong there, and what to write instead.
//!
//! The way through: `parameters` are put in, `schema` says what `ron` reads, `validate` lays twins and designs over the
//! file and looks up programs (`lookup`), `stage` and `program` make the parts of a stage out of what the file says, and
//! `diagnose` and `explain` word what goes wrong at the places that `outline` finds.
//!
//! # What a scenario says, and what it means to say nothing
//!
//! | field | default |
//! |---|---|
//! | `about` | empty |
//! | `parameters` | none; `{"n": 4}` makes `"$n"` stand for 4 wherever a value stands |
//! | `programs` | none; `{"mine": Policy(..), "shop": Producer(..)}` |
//! | `source.events` | 2 inserts `order-1`, `order-2` at coordinates 1 and 2, each of its own key; or a list of `(at: 1, key: "k", insert: 7, label: "order-1")` with `insert`, `update` or `delete: true` |
//! | `source.events[].at`, `key`, `label` | one past the event before; the label; `order-N` |
//! | `source.base` | nothing: `{"k": 7}` is what source and sink hold of a key before any event |
//! | `source.scope` | every key |
//! | `source.fin` | the last event's coordinate |
//! | `source.every`, `act` | `"10ms"`, `"1ms"` |
//! | `source.outages`, `wire.outages`, `sink.outages` | none; `[("10s", "20s")]` |
//! | `source.retention` | nothing is dropped; `(drops: 1, after: "1s", while: any)` where given, else `while: running` or `down`; `after` counts from the commit, with `while: down` from the crash |
//! | `producer` | `"deliver-then-checkpoint"`, or `"commit-to-outbox"` beside a relay |
//! | `relay` | none: source and relay are one process |
//! | `wire.latency` | `uniform("1ms", "20ms")` |
//! | `wire.reorders`, `survives_crash` | `true` |
//! | `wire.loss`, `copies`, `reply.loss` | none; `"1/10"`, or `(chance: "1/10", times: 3)`, or `(one_in: 10)`; without `times` no bound (of copies, 1), without a chance 1/10 |
//! | `wire.straggler` | none; `(one_in: 10, delay: exponential("30s"))` where given |
//! | `wire.reply.latency` | as `wire.latency` |
//! | `wire.at_once` | 0: no limit |
//! | `sink.readable` | `[accepted_record, contents]`; further `stored_coordinate`, `dedup_keys` (of the dedup memory, or, without one, of the whole record); or `nothing` |
//! | `sink.stale_by`, `page`, `window` | 0: the whole, current truth |
//! | `sink.fence` | `arrival`; else `nowhere`, `fire`, `completion`, `cursor_store`, `lock_store` |
//! | `sink.dedup` | none; where given `(key: coordinate, scope: sink, keeps: forever, order: atomic, release_on_failure: false, survives: durable)` |
//! | `sink.acknowledges` | `after_persist`; else `before_persist(flush: "1s")` |
//! | `sink.acceptance` | `final`; else `provisional(expires: "30s")` |
//! | `sink.writes`, `contents_advance` | `append`, `acceptance` |
//! | `sink.batch` | `each_entry` |
//! | `sink.record_keeps` | everything |
//! | `sink.stored_coordinate` | `effect`: written with each effect; else `record`: the highest coordinate on the part of the record that is kept |
//! | `sink.rejects` | nothing |
//! | `recovery.detect`, `act` | `"5s"`, `"1ms"` |
//! | `recovery.recoverers`, `attempts` | 1; 4, or as many as recoverers |
//! | `recovery.lease` | none: no second recoverer in a timed run |
//! | `recovery.start`, `frontier`, `heal` | `step`, `last`, `free` |
//! | `recovery.bumps_generation` | `true` |
//! | `recovery.reset` | `oldest_retained`; else `earliest`, `latest`, `fail` |
//! | `faults.crash` | none; `anywhere(times: 1)`, `before(act: "persist")`, `after(act: "send")`, each with `times: 1`, `chance: "9/10"`, `kind: kill`, or `kind: pause` with `pause: exponential("30s")` and `wakes: "9/10"`, how likely it wakes at all in a timed run; `anywhere` with `after_end: true` |
//! | `faults.recoverer_dies` | none; written like `crash` |
//! | `faults.sink_crash` | none; `(times: 1, chance: "9/10")` where given |
//! | `faults.cursor` | none; `(kind: expires, chance: 1)` where given; else `rolls_back(2)`, `not_writable` |
//! | `judge` | `(frontier: last, when: quiescent, grade: journal, count: payload)`; with `count: instance` two events that are equal in everything are both owed |
//! | `start` | `(committed: 0, delivered: 0, status: running)`: how many of the events are committed and delivered before the run, and whether it starts `crashed` |
//! | `designs` | must be given: a list of policies, or a map from the row's name to `(policy: .., producer: .., relay: .., wire: .., sink: .., recovery: ..)`; the policy is by default the row's name |
//! | `expect` | nothing is expected; `{"cursor": (duplicate: sometimes, lost: never)}` with `sometimes`, `never`, `always`, `exactly(3)`; of `exactly_once`, `duplicate`, `premature`, `lost`, `unfinished`, `dirty`, `phantom`, `grade_gap` |
//! | `claims` | none; `{"every store": always(that: ..), "a way": reachable(of: "cursor", that: ..), "twins": pair(left: [..], right: [..], equal: [core], differ: [accepted_record], batches: each_fails), "no reading helps": undecidable(reads: [durable_local])}` |
//! | `check_by` | `[seeds(10000)]`, by the clock and in any order; `seeds(1000, timed)` by the clock alone, `seeds(1000, uniform)` in any order alone; further `explore`, `crash_at_every_step`, `script(["..", "stop"])`, which without `stop` runs on to quiescence; beside labels it knows `go 7` (steps of the process that delivers) and `relay until send order-2` |
//! | `twins` | none; each replaces fields one by one and has its own `expect` |
//!
//! A fault with `times: 0`, a chance of 0, `dedup: (keeps: nothing)`, `retention: (drops: 0)` and `lease: "0s"` switch
//! off in a twin what the scenario has.
//!
//! # What a program says
//!
//! A policy is `Policy(about: "..", stamps: crash_time, steps: [..])`, where `stamps: own` is the other choice. A producer
//! or relay is `Producer(about: "..", each_event: [..])`, or has
//! `run: [each_event([..]), each_batch(3, [..]), each("10s", [..])]`, and `retry: (times: 3, after: "2s")` for a reply that
//! it awaits.
//!
//! | step | what it is |
//! |---|---|
//! | `commit`, `enqueue`, `fetch(4)`, `send`, `send_batch`, `await_ack`, `persist`, `discard` | acts of a producer or relay |
//! | `snapshot` | send what the log makes of each key at the coordinate of the current event: rows, which are no deliveries |
//! | `snapshot_from(replica)`, `snapshot_from(now)` | the same, told of rows that lack the newest entry, or that are read a moment later |
//! | `read(SURFACE)`, `arm(RULE)`, `heal`, `recover`, `persist`, `release`, `resume` | acts of a recoverer; `recover` lets a crashed run pass for recovered and repairs nothing |
//! | `fence(successor)`, `fence(own)`, `fence(past_own)` | raise the fence |
//! | `fire`, `fire_each` | the batch lands on the sink at once: in one step, or entry by entry |
//! | `fire_wire`, `fire_wire_all` | the batch travels: put on the wire entry by entry, or in one step |
//! | `atomic([..])` | several acts in one step |
//! | `try(do: .., else: stop)` | a step that does not `wait` until it is enabled, but is `skip`ped, or is the last |
//!
//! # What a claim says
//!
//! `always(that: P)` and `reachable(that: P)` look at every reachable state of each design, or with `of: "cursor"` of one.
//! P is `running`, `crashed`, `recovered`, `duplicate`, `premature`, `at_least_once`, `exactly_once` (by the journal),
//! `retained_exactly_once`, `exactly_once_by(matched_cancellation)`, `covered`, `journal_is_log`, `dirty`, `phantom`, `accepted("order-1", 2)`, `wire_empty`,
//! `two_recoverers`, `recoverer_died`, `message_lost`, `forgot`, one of those in the table, or made of such by `not(P)`,
//! `all([P, ..])`, `iff(P, P)` and `implies(P, P)`. With `from: [..]` they look at what can be reached after that script.
//!
//! | predicate | what holds |
//! |---|---|
//! | `generation(1)`, `fence(1)`, `cursor(1)` | the counter stands there |
//! | `fenced_past` | the fence stands one past the current generation |
//! | `wire_below_fence` | everything in flight is of a generation below the fence |
//! | `settled` | arrivals and losses of what is in flight, in any order, leave the record as it is |
//! | `committed("order-1", 2)` | the journal holds the payload so many times |
//! | `exactly_once_per_instance` | the record holds each payload as often as it was committed; two events with equal coordinate, key and value are one payload committed twice |
//! | `record(["order-1 g0", ..])` | this is the record in order, with the generations that sent |
//! | `generations_fall` | something on the record is of an older generation than what was accepted before it |
//! | `record_hides` | what the sink shows of its record lacks an obligation that it accepted |
//! | `processes(last(2), "order-1", 1)` | a consumer of the record that remembers the last two entries, or `forever`, takes the payload for new so many times |
//! | `processes_each_once(forever)` | each obligation once, and nothing twice |
//! | `copies_within(2)` | entries of one payload lie at most two places apart |
//! | `sends(RULE, ["order-1"])` | a policy with this rule would send just these |
//! | `send_same(RULE, RULE)`, `sends_no_more(RULE, RULE)` | two rules would send the same; the first nothing that the second would not |
//!
//! `after(steps: [..], that: P)` says what holds at the end of a script; `refused(after: [..], step: "crash")` that a step is
//! not enabled there or gives way by its `else`, and `enabled(..)` that it can be done. `determined(among: P, by: [core], what: [accepted_record])` compares all
//! reachable states in which P holds: those that show the same through `by` show the same through `what`;
//! `confusable(..)` says that two of them do not.
//!
//! `pair(left: [..], right: [..])` follows two scripts and compares what they end in: `equal` and `differ` name surfaces, or
//! the views `core`, `durable_local`, `control_plane`, `channel_blind` and `retained`. With `batches: each_fails`, each
//! batch that an open `arm(any)` can pick next is wrong after one of the two; with `one_is_right` some batch is not, and
//! `after_batch: P` holds after each of them, on both sides, as soon as the run goes on. `strategies: each_fails(sees:
//! [core])` says it of everyone who decides step by step and looks at these surfaces before each step.
//! With `batch: is_right` the batch that the policy sends next is right after both, with `batch: fails` it is not. `view:
//! matched_cancellation`, `signed_net` or `truncated` judges a batch by how a consumer counts that can be told to take a
//! delivery back: each reversal takes back the newest delivery before it or is void, they are added up, or added up and
//! never less than nothing.
//! `choices(after: [..], batches: each_fails)`: whatever batches the recoverers pick that stand before an open `arm` after
//! the script, some schedule from there goes wrong; with `one_is_right`, not for each choice.
//!
//! `undecidable(reads: [durable_local])` looks at every state in which a recovery is to decide, groups them by what these
//! surfaces or views show, and claims that in some group no one batch is right; `decidable(..)` claims that in each one is.
//! What is not written is as the design has it: what it reads, and how its batch lands (`redrive: unfenced`, `fenced` or
//! `claim`). With `earlier: any_index` the recoveries before the decision have sent again all but the first m obligations,
//! for any m, instead of what the design sends.
//!
//! A rule is `nothing`, `all`, `past(cursor)`, `past(stored_coordinate)`, `unacknowledged`, `minus(accepted_record)`,
//! `minus(contents)`, `minus(dedup_keys)`, `minus(sent_ledger)`, `values_differ(contents)`,
//! `content_not_in(accepted_record)`, `latest` (of each key), `compensate` (all, each first taken back), `any`,
//! `any_suffix` or `custom("name")`. It starts from the live log, or, as in `of(journal, all)`, from
//! `journal`, `retained_history`, `live_history`, `outbox` or `sent_ledger`. What it computes from must have been read before.

mod claim;
mod diagnose;
mod examples;
mod explain;
mod fields;
mod library;
mod lookup;
mod outline;
mod overlay;
mod parameters;
mod program;
mod program_file;
mod schema;
mod stage;
mod validate;
mod values;
mod write;

pub use diagnose::{Diagnostic, Diagnostics};
pub(crate) use diagnose::{MOST, Text};
pub use library::{CheckedLines, Checks, Library, Options};
pub use program_file::{LONGEST_FILE, load_policy, load_producer};
pub use write::Scripted;

use crate::model::scenario::Scenario;
use parameters::Substituted;
use program_file::{admitted, parsed};

/// Reads a scenario. `path` is only for names and complaints; nothing is opened.
///
/// # Errors
/// Everything that is wrong with the file, each with its place and what to write instead.
pub fn load(
    path: &str,
    text: &str,
    library: &dyn Library,
    checks: Checks,
    options: &Options,
) -> Result<Scenario, Diagnostics> {
    let file = admitted(path, text)?;
    let read = Substituted::of(&file).map_err(Diagnostics)?;
    let scenario: schema::Scenario = parsed(&file, &read)?;
    validate::Validation::new(&file, &read, library, checks).scenario(&scenario, options).map_err(Diagnostics)
}
