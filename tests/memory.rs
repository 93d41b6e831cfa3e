//! A dedup memory holds as many keys as its scenario says, however many that are.

mod common;

use dwsim_sim::model::verdict::Verdict;
use dwsim_sim::schedulers::{Script, judge_script};

/// Five thousand orders go out within seconds, and all of them are sent again after a crash.
fn is_duplicated(keeps: &str) -> bool {
    let text = format!(
        r#"Scenario(source: (events: 5000, every: "1ms"), wire: (instant: true), faults: (crash: anywhere(times: 1)),
            sink: (dedup: (key: coordinate, keeps: {keeps})), designs: ["resend-all"])"#
    );
    let machines = common::machines(&common::scenario("long.ron", &text));
    let labels = ["go 20000".to_owned(), "crash".to_owned()];
    let script = Script { labels: &labels, then_run_on: true };
    let (judgement, _) = judge_script(&machines[0].1, script).expect("the script fits");
    judgement.is(Verdict::Duplicate)
}

#[test]
fn a_memory_that_is_longer_than_the_replay_forgets_nothing_of_it() {
    for keeps in ["forever", "since_accepted(\"24h\")", "since_seen(\"24h\")", "last(5000)", "last(10000)"] {
        assert!(!is_duplicated(keeps), "{keeps}");
    }
    for keeps in ["last(4096)", "last(4999)", "last(1)"] {
        assert!(is_duplicated(keeps), "{keeps}");
    }
}
