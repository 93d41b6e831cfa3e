//! The shootout in each of its forms, from campaigns written by hand.

mod common;

use common::*;
use dwsim_reports::forms::{Form, Page, Report};
use dwsim_reports::shootout::{Failure, Shootout, replay_line};
use dwsim_reports::{Style, WIDTH, github, json, junit, sentence};
use dwsim_sim::analysis::bound::regret::Regret;
use dwsim_sim::analysis::tally::Tally;
use dwsim_sim::model::scenario::Verdict;
use dwsim_sim::model::strategy::Strategy;

/// The report in a form.
fn shown(form: &str, rows: &Shootout) -> String {
    on(form, rows, &Page::default())
}

fn on(form: &str, rows: &Shootout, page: &Page) -> String {
    Form::named(form).expect("a form").show(Report::Run(rows), page).expect("it shows every report")
}

fn zombie_rows() -> Shootout {
    let sentence = sentence::sentence(&straggler()).expect("a duplicate has a sentence");
    Shootout::new(
        &zombie(),
        &[Failure {
            case: 0,
            design: 1,
            seed: 17,
            verdict: Verdict::Duplicate,
            sentence,
            regret: Regret::YourInterface,
        }],
        vec![],
    )
}

fn hopeless_rows() -> Shootout {
    let sentence = "order-1 was lost: sent at step 3, it was lost on the wire at step 4.".to_owned();
    Shootout::new(
        &hopeless(),
        &[Failure {
            case: 0,
            design: 0,
            seed: 3,
            verdict: Verdict::Lost,
            sentence,
            regret: Regret::NotKnown,
        }],
        vec![],
    )
}

#[test]
fn the_zombie_is_a_table_a_story_and_pairs() {
    insta::assert_snapshot!(shown("human", &zombie_rows()));
}

#[test]
fn wide_adds_what_recovery_cost() {
    insta::assert_snapshot!(on("human", &zombie_rows(), &Page { wide: true, ..Page::default() }));
}

#[test]
fn where_no_design_wins_the_report_says_so_and_says_how_each_one_fails() {
    insta::assert_snapshot!(shown("human", &hopeless_rows()));
}

#[test]
fn colour_changes_no_letter() {
    let mut coloured = on("human", &zombie_rows(), &Page { style: Style::Coloured, ..Page::default() });
    assert!(coloured.contains("\u{1b}[31m"), "duplicates are red");
    while let Some(start) = coloured.find('\u{1b}') {
        let end = coloured[start..].find('m').expect("every escape ends");
        coloured.replace_range(start..=start + end, "");
    }
    let trimmed: String = coloured.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    assert_eq!(trimmed, shown("human", &zombie_rows()));
}

#[test]
fn markdown_has_the_same_rows() {
    insta::assert_snapshot!(shown("markdown", &hopeless_rows()));
}

#[test]
fn json_is_one_object() {
    insta::assert_snapshot!(json::shootout(&hopeless_rows()));
}

#[test]
fn ndjson_is_a_line_for_each_design_with_all_that_it_needs() {
    let lines = json::shootout_lines(&zombie_rows());
    assert_eq!(lines.lines().count(), 5);
    let second: serde_json::Value = serde_json::from_str(lines.lines().nth(1).unwrap()).unwrap();
    assert_eq!(second["schema"], "dwsim.report/1");
    assert_eq!((&second["scenario"], &second["policy"]), (&"zombie".into(), &"sink-delta".into()));
    assert_eq!(second["verdicts"]["duplicate"], 812);
    assert_eq!(second["first_failing_seed"]["duplicate"], "17");
}

#[test]
fn a_seed_beyond_two_to_the_53_survives_json() {
    let found = [(Verdict::Lost, 1, u64::MAX)];
    let rows =
        Shootout::new(&campaign(vec![case("s", "", "", vec![design("d", &found)], vec![])]), &[], vec![]);
    let parsed: serde_json::Value = serde_json::from_str(&json::shootout(&rows)).unwrap();
    assert_eq!(parsed["scenarios"][0]["policies"][0]["first_failing_seed"]["lost"], u64::MAX.to_string());
}

#[test]
fn html_is_one_page_without_scripts() {
    let page = shown("html", &hopeless_rows());
    assert!(!page.contains("<script") && !page.contains("://"), "nothing is fetched or run");
    insta::assert_snapshot!(page);
}

#[test]
fn junit_fails_a_design_only_for_a_denied_verdict() {
    assert!(junit::shootout(&hopeless_rows(), &[]).contains("failures=\"0\""));
    insta::assert_snapshot!(junit::shootout(&hopeless_rows(), &[Verdict::Lost]), @r###"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="dwsim" tests="3" failures="2" errors="0" skipped="1">
      <testsuite name="mail-sender" tests="3" failures="2" errors="0" skipped="1">
        <testcase classname="mail-sender" name="skip">
          <failure message="lost in 488 of 10,000 runs (first: seed 3)">order-1 was lost: sent at step 3, it was lost on the wire at step 4.
    dwsim replay scenarios/mail-sender.ron --policy skip --seed 3</failure>
          <system-out>lost in 488 of 10,000 runs (first: seed 3); dirty in 488 of 10,000 runs (first: seed 3)</system-out>
        </testcase>
        <testcase classname="mail-sender" name="keyed, last 2">
          <failure message="lost in 2,085 of 10,000 runs (first: seed 1)"/>
          <system-out>duplicate in 5,012 of 10,000 runs (first: seed 0); premature in 4 of 10,000 runs (first: seed 2718); lost in 2,085 of 10,000 runs (first: seed 1); unfinished in 12 of 10,000 runs (first: seed 99)</system-out>
        </testcase>
        <testcase classname="mail-sender" name="sink-delta">
          <skipped message="this sink shows no accepted record"/>
        </testcase>
      </testsuite>
    </testsuites>
    "###);
}

#[test]
fn github_annotates_what_failed_and_errs_for_what_was_denied() {
    insta::assert_snapshot!(github::shootout(&zombie_rows(), &[]), @r###"
    ::notice file=scenarios/zombie.ron,title=zombie%3A cursor::duplicate in 5,012 of 10,000 runs (first: seed 0)
    ::notice file=scenarios/zombie.ron,title=zombie%3A sink-delta::duplicate in 812 of 10,000 runs (first: seed 17)%0Aorder-2 was accepted twice: sent by g0 before the crash, it was still in flight when recovery read the record, was sent again at step 13, and arrived at step 15.%0Adwsim replay scenarios/zombie.ron --policy sink-delta --seed 17
    ::notice file=scenarios/zombie.ron,title=zombie%2C twin "wire wiped at the crash"%3A cursor::duplicate in 2,999 of 10,000 runs (first: seed 0)
    "###);
    insta::assert_snapshot!(github::shootout(&hopeless_rows(), &[Verdict::Lost]), @r###"
    ::error file=scenarios/mail-sender.ron,title=mail-sender%3A skip::lost in 488 of 10,000 runs (first: seed 3); dirty in 488 of 10,000 runs (first: seed 3)%0Aorder-1 was lost: sent at step 3, it was lost on the wire at step 4.%0Adwsim replay scenarios/mail-sender.ron --policy skip --seed 3
    ::error file=scenarios/mail-sender.ron,title=mail-sender%3A keyed%2C last 2::duplicate in 5,012 of 10,000 runs (first: seed 0); premature in 4 of 10,000 runs (first: seed 2718); lost in 2,085 of 10,000 runs (first: seed 1); unfinished in 12 of 10,000 runs (first: seed 99)
    "###);
}

#[test]
fn an_interrupted_campaign_says_that_it_is_partial_in_every_form() {
    let mut interrupted = zombie();
    interrupted.partial = true;
    let rows = Shootout::new(&interrupted, &[], vec![]);
    assert!(shown("human", &rows).contains("Partial: interrupted"));
    assert!(shown("markdown", &rows).contains("Partial: interrupted"));
    assert!(shown("html", &rows).contains("Partial: interrupted"));
    assert!(json::shootout(&rows).contains("\"partial\": true"));
}

#[test]
fn a_design_without_any_run_has_no_rate() {
    let mut none = design("cursor", &[]);
    none.tally = Ok(Tally::new());
    let rows = Shootout::new(&campaign(vec![case("s", "", "story", vec![none], vec![])]), &[], vec![]);
    let table = shown("human", &rows);
    assert!(table.contains("0 -"), "{table}");
    assert!(!table.contains("Every design"), "nothing was judged: {table}");
    assert!(json::shootout(&rows).contains("\"rate\": null"));
}

#[test]
fn the_line_to_paste_names_all_that_it_needs_and_survives_a_shell() {
    let line = replay_line("my scenarios/it's.ron", "keyed, last 2", 7, "wire wiped", Strategy::Uniform);
    assert_eq!(
        line,
        r"dwsim replay 'my scenarios/it'\''s.ron' --policy 'keyed, last 2' --seed 7 --twin 'wire wiped' --strategy uniform"
    );
}

/// Property: whatever is found, however long the names, no line is wider than it may be. Lines to paste are exempt:
/// broken, they would not paste.
#[test]
fn no_line_is_wider_than_a_report_may_be() {
    use Verdict::{Duplicate, ExactlyOnce, Lost, Premature, Unfinished};
    for name_length in 1..=48 {
        for runs in [1_u64, 7, 10_000, 1_000_000, 10_000_000] {
            for found in
                [vec![], vec![Duplicate], vec![Duplicate, Lost], vec![Duplicate, Premature, Lost, Unfinished]]
            {
                let name: String = "keyed, last 2 and so on ".chars().cycle().take(name_length).collect();
                let mut tested = design(name.trim(), &[]);
                let tally = tested.tally.as_mut().expect("it ran");
                tally.runs = runs;
                tally.counts[ExactlyOnce as usize] = runs / 3;
                for (i, verdict) in found.iter().enumerate() {
                    tally.counts[*verdict as usize] = runs.div_ceil(i as u64 + 2);
                    tally.first_seed[*verdict as usize] = Some(runs - 1);
                }
                let reason =
                    "this sink shows no accepted record, and it keeps no keys, so nothing can be compared";
                let designs = vec![tested, not_applicable("sink-delta", reason)];
                let about = "a story that takes more than a line ".repeat(4);
                let rows =
                    Shootout::new(&campaign(vec![case("s", "", &about, designs, vec![])]), &[], vec![]);
                for width in [WIDTH, 200, 80, 60, 40] {
                    let page = Page { width, ..Page::default() };
                    for line in on("human", &rows, &page).lines() {
                        assert!(
                            line.chars().count() <= width,
                            "{name_length} {runs} {found:?} {width}:\n{line}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn a_hostile_name_ends_no_cell_no_tag_and_no_line() {
    let hostile = "a|b\n<script>alert(1)</script>\u{1b}[2J::set-output\"'&";
    let found = [(Verdict::Lost, 1, 1)];
    let mut bad = campaign(vec![case(hostile, hostile, hostile, vec![design(hostile, &found)], vec![])]);
    bad.cases[0].faults = hostile.to_owned();
    bad.cases[0].designs.push(not_applicable(hostile, hostile));
    let told = Failure {
        case: 0,
        design: 0,
        seed: 1,
        verdict: Verdict::Lost,
        sentence: hostile.to_owned(),
        regret: Regret::NotKnown,
    };
    let rows = Shootout::new(&bad, &[told], vec![]);
    let page = shown("html", &rows);
    assert!(!page.contains("<script") && !page.contains('\u{1b}'));
    let xml = junit::shootout(&rows, &[Verdict::Lost]);
    assert!(!xml.contains("<script") && !xml.contains('\u{1b}'));
    assert!(
        !shown("markdown", &rows).contains("<script>alert")
            || shown("markdown", &rows).contains("```console")
    );
    assert!(!on("human", &rows, &Page { wide: true, ..Page::default() }).contains('\u{1b}'));
    for line in github::shootout(&rows, &[]).lines() {
        assert!(line.starts_with("::notice "), "{line}");
    }
    serde_json::from_str::<serde_json::Value>(&json::shootout(&rows)).expect("valid JSON");
}
