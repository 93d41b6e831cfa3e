//! What came of the expectations, in each form.

use dwsim_reports::check::{CheckLine, CheckReport, Expects, Outcome};
use dwsim_reports::forms::{Form, Page, Report};
use dwsim_reports::{WIDTH, github, json, junit};
use dwsim_sim::model::scenario::{Often, Verdict};

/// The report in a form.
fn shown(form: &str, rows: &CheckReport) -> String {
    let form = Form::named(form).expect("a form");
    form.show(Report::Check(rows), &Page::default()).expect("it shows every report")
}

fn line(scenario: &str, design: &str, verdict: Verdict, expected: Often, outcome: Outcome) -> CheckLine {
    CheckLine {
        scenario: scenario.into(),
        path: format!("scenarios/{scenario}.ron"),
        twin: String::new(),
        design: design.into(),
        expects: Expects::Verdict(verdict, expected),
        by: "10000 seeds, timed".into(),
        outcome,
        detail: String::new(),
        reproduce: None,
    }
}

fn report() -> CheckReport {
    use Verdict::{Duplicate, Lost};
    let failed = CheckLine {
        detail: "it occurred in 12 of 10,000 runs, first at seed 99".into(),
        reproduce: Some("dwsim replay scenarios/zombie.ron --policy fenced --seed 99".into()),
        ..line("zombie", "fenced", Duplicate, Often::Never, Outcome::Failed)
    };
    let inconclusive = CheckLine {
        twin: "wire wiped at the crash".into(),
        detail: "not seen in 10,000 runs, so its rate is below 0.04%; more seeds may find it".into(),
        ..line("zombie", "cursor", Duplicate, Often::Sometimes, Outcome::Inconclusive)
    };
    let vacuous = CheckLine {
        detail: "no message was ever in flight at a crash, so nothing could have gone wrong".into(),
        ..line("silence", "skip", Duplicate, Often::Never, Outcome::Vacuous)
    };
    CheckReport {
        seed_epoch: 1,
        partial: false,
        cases: vec![
            line("checkpoint-window", "cursor", Duplicate, Often::Exactly(2), Outcome::Met),
            line("zombie", "sink-delta", Duplicate, Often::Sometimes, Outcome::Met),
            failed,
            inconclusive,
            line("silence", "skip", Lost, Often::Sometimes, Outcome::Met),
            vacuous,
        ],
        warnings: vec!["silence: the named fault `copies` never struck".into()],
    }
}

#[test]
fn a_line_for_each_scenario_and_details_for_what_was_not_met() {
    insta::assert_snapshot!(shown("human", &report()), @r###"
    scenario          │ outcome  expectations
    ──────────────────┼──────────────────────────────────────────
    checkpoint-window │ met      1 met
    zombie            │ failed   1 met, 1 failed, 1 inconclusive
    silence           │ vacuous  1 met, 1 vacuous

    not as expected: zombie: fenced, duplicate never (10000 seeds, timed): it occurred in 12 of 10,000 runs,
      first at seed 99.
      dwsim replay scenarios/zombie.ron --policy fenced --seed 99

    inconclusive: zombie: cursor in twin "wire wiped at the crash", duplicate sometimes (10000 seeds, timed):
      not seen in 10,000 runs, so its rate is below 0.04%; more seeds may find it.

    vacuous: silence: skip, duplicate never (10000 seeds, timed): no message was ever in flight at a crash, so
      nothing could have gone wrong.

    warning: silence: the named fault `copies` never struck

    6 expectations of 3 scenarios: 3 met, 1 failed, 1 inconclusive, 1 vacuous
    "###);
}

#[test]
fn markdown_lists_what_was_not_met() {
    insta::assert_snapshot!(shown("markdown", &report()), @r###"
    6 expectations of 3 scenarios: 3 met, 1 failed, 1 inconclusive, 1 vacuous

    | scenario | outcome | expectations |
    |---|---|---|
    | checkpoint-window | met | 1 met |
    | zombie | failed | 1 met, 1 failed, 1 inconclusive |
    | silence | vacuous | 1 met, 1 vacuous |

    **not as expected**: zombie: fenced, duplicate never (10000 seeds, timed): it occurred in 12 of 10,000 runs, first at seed 99.

    ```console
    dwsim replay scenarios/zombie.ron --policy fenced --seed 99
    ```

    **inconclusive**: zombie: cursor in twin "wire wiped at the crash", duplicate sometimes (10000 seeds, timed): not seen in 10,000 runs, so its rate is below 0.04%; more seeds may find it.

    **vacuous**: silence: skip, duplicate never (10000 seeds, timed): no message was ever in flight at a crash, so nothing could have gone wrong.

    **warning**: silence: the named fault \`copies\` never struck

    <details><summary>every expectation</summary>

    ### checkpoint-window

    | expectation | outcome | detail |
    |---|---|---|
    | cursor, duplicate exactly(2) (10000 seeds, timed) | met |  |

    ### zombie

    | expectation | outcome | detail |
    |---|---|---|
    | sink-delta, duplicate sometimes (10000 seeds, timed) | met |  |
    | fenced, duplicate never (10000 seeds, timed) | failed | it occurred in 12 of 10,000 runs, first at seed 99 |
    | cursor in twin "wire wiped at the crash", duplicate sometimes (10000 seeds, timed) | inconclusive | not seen in 10,000 runs, so its rate is below 0.04%; more seeds may find it |

    ### silence

    | expectation | outcome | detail |
    |---|---|---|
    | skip, lost sometimes (10000 seeds, timed) | met |  |
    | skip, duplicate never (10000 seeds, timed) | vacuous | no message was ever in flight at a crash, so nothing could have gone wrong |

    </details>
    "###);
}

#[test]
fn json_and_ndjson_hold_every_expectation() {
    insta::assert_snapshot!(json::check(&report()));
    let lines = json::check_lines(&report());
    assert_eq!(lines.lines().count(), report().cases.len() + report().warnings.len());
    let warning = r#""partial":false,"warning":"silence: the named fault `copies` never struck"}"#;
    assert!(lines.trim_end().ends_with(warning), "{lines}");
}

#[test]
fn junit_tells_failures_from_what_was_not_decided() {
    insta::assert_snapshot!(junit::check(&report()), @r###"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="dwsim" tests="7" failures="1" errors="2" skipped="1">
      <testsuite name="checkpoint-window" tests="1" failures="0" errors="0" skipped="0">
        <testcase classname="checkpoint-window" name="cursor, duplicate exactly(2) (10000 seeds, timed)"/>
      </testsuite>
      <testsuite name="zombie" tests="3" failures="1" errors="1" skipped="0">
        <testcase classname="zombie" name="sink-delta, duplicate sometimes (10000 seeds, timed)"/>
        <testcase classname="zombie" name="fenced, duplicate never (10000 seeds, timed)">
          <failure message="failed: it occurred in 12 of 10,000 runs, first at seed 99">dwsim replay scenarios/zombie.ron --policy fenced --seed 99</failure>
        </testcase>
        <testcase classname="zombie" name="cursor in twin &quot;wire wiped at the crash&quot;, duplicate sometimes (10000 seeds, timed)">
          <error message="inconclusive: not seen in 10,000 runs, so its rate is below 0.04%; more seeds may find it"/>
        </testcase>
      </testsuite>
      <testsuite name="silence" tests="2" failures="0" errors="1" skipped="0">
        <testcase classname="silence" name="skip, lost sometimes (10000 seeds, timed)"/>
        <testcase classname="silence" name="skip, duplicate never (10000 seeds, timed)">
          <error message="vacuous: no message was ever in flight at a crash, so nothing could have gone wrong"/>
        </testcase>
      </testsuite>
      <testsuite name="warnings" tests="1" failures="0" errors="0" skipped="1">
        <testcase classname="warnings" name="warning 1">
          <skipped message="silence: the named fault `copies` never struck"/>
        </testcase>
      </testsuite>
    </testsuites>
    "###);
}

#[test]
fn github_annotates_the_file_that_expected_it() {
    insta::assert_snapshot!(github::check(&report()), @r###"
    ::error file=scenarios/zombie.ron,title=failed%3A fenced%2C duplicate never (10000 seeds%2C timed)::it occurred in 12 of 10,000 runs, first at seed 99%0Adwsim replay scenarios/zombie.ron --policy fenced --seed 99
    ::warning file=scenarios/zombie.ron,title=inconclusive%3A cursor in twin "wire wiped at the crash"%2C duplicate sometimes (10000 seeds%2C timed)::not seen in 10,000 runs, so its rate is below 0.04%25; more seeds may find it
    ::warning file=scenarios/silence.ron,title=vacuous%3A skip%2C duplicate never (10000 seeds%2C timed)::no message was ever in flight at a crash, so nothing could have gone wrong
    ::warning::silence: the named fault `copies` never struck
    ::notice::6 expectations of 3 scenarios: 3 met, 1 failed, 1 inconclusive, 1 vacuous
    "###);
}

#[test]
fn html_shows_every_line() {
    let page = shown("html", &report());
    assert_eq!(
        page.matches("<tr><th scope=\"row\">").count(),
        report().scenarios().len() + report().cases.len()
    );
    assert!(!page.contains("<script"));
}

#[test]
fn an_empty_check_says_so() {
    let empty = shown("human", &CheckReport::default());
    assert!(empty.contains("0 expectations of 0 scenarios: nothing was expected"), "{empty}");
}

#[test]
fn no_line_is_wider_than_a_report_may_be() {
    let mut long = report();
    for case in &mut long.cases {
        case.design = "a design with a rather long name, and more".into();
        case.detail = case.detail.repeat(4);
        case.reproduce = None;
    }
    for line in shown("human", &long).lines() {
        assert!(line.chars().count() <= WIDTH, "{line}");
    }
}
