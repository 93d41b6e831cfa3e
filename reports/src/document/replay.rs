//! The report of `dwsim replay`, and a run within a report.

use dwsim_sim::model::scenario::Verdict;

use super::{Block, Document, Text, case};
use crate::rows::timeline::{Replay, Timeline, finding_in_words};
use crate::style::Ink;
use crate::text;

/// One run, step by step, and what it comes to.
pub fn replay<'a>(replay: &Replay<'a>) -> Document<'a> {
    let mut blocks = vec![case(replay.heading.clone(), "")];
    blocks.extend(run(&replay.timeline));
    blocks.extend(replay.line.clone().map(Block::Paste));
    Document { title: "dwsim replay".to_owned(), blocks, summary: None }
}

/// A run, the verdicts, what they rest on, and the fingerprint.
pub fn run<'a>(timeline: &Timeline<'a>) -> Vec<Block<'a>> {
    let good = timeline.record.verdicts == [Verdict::ExactlyOnce];
    let ink = if good { Ink::Good } else { Ink::Bad };
    let verdicts = Text::new("verdict: ").with(super::Look::Marked(ink), timeline.verdicts_in_words());
    let findings = timeline.record.findings.iter();
    let findings: Vec<Text> = findings
        .map(|finding| {
            Text::new(format!("{}: {}.", text::verdict(finding.verdict), finding_in_words(finding)))
        })
        .collect();
    let mut blocks = vec![Block::Run(timeline.clone()), verdicts.into()];
    if !findings.is_empty() {
        blocks.push(Block::List(findings));
    }
    blocks.push(Text::new(format!("fingerprint: {:032x}", timeline.record.fingerprint)).into());
    blocks
}
