//! The forms of a report, in one table: what each is called, which reports it can show, and how. The command reads its
//! `--format` and `--out` from here.
//!
//! A form that shows blocks ([`crate::document`]) shows every report. One that shows rows names the reports that it
//! has a function for. To add a form, write its file and a line in [`FORMS`].

pub mod github;
pub mod html;
pub mod human;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod mermaid;
pub mod schedule;
pub mod svg;

use dwsim_sim::model::scenario::Verdict;

use crate::document::{self, Document};
use crate::rows::bound::{BoundReport, TriageReport};
use crate::rows::check::CheckReport;
use crate::rows::exploration::ExplorationReport;
use crate::rows::shootout::Shootout;
use crate::rows::timeline::Replay;
use crate::{Style, WIDTH};

/// A report of any kind.
#[derive(Clone, Copy, Debug)]
pub enum Report<'a> {
    /// What `run` found.
    Run(&'a Shootout),
    /// What `check` found.
    Check(&'a CheckReport),
    /// What `explore` found.
    Explore(&'a ExplorationReport),
    /// What `bound` found.
    Bound(&'a BoundReport),
    /// What `bound --triage` found.
    Triage(&'a TriageReport),
    /// What `replay` shows.
    Replay(&'a Replay<'a>),
}

/// The kinds of reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Of `run`.
    Run,
    /// Of `check`.
    Check,
    /// Of `explore`.
    Explore,
    /// Of `bound`.
    Bound,
    /// Of `bound --triage`.
    Triage,
    /// Of `replay`.
    Replay,
}

/// How a report is to be shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// Whether the form may use colour, where it has any.
    pub style: Style,
    /// How many columns there are, where the form has lines.
    pub width: usize,
    /// Whether to show every column and line, however wide and long.
    pub wide: bool,
    /// The verdicts that a CI server counts as failures.
    pub deny: Vec<Verdict>,
}

/// A form of reports.
#[derive(Debug)]
pub struct Form {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it is for, in a line of help.
    pub about: &'static str,
    /// How a file of it ends, without the dot.
    pub extension: &'static str,
    /// What it shows.
    pub shows: Shows,
}

/// What a form shows.
#[derive(Debug)]
pub enum Shows {
    /// Blocks, and so every report.
    Blocks(fn(&Document<'_>, &Page) -> String),
    /// Rows of some reports.
    Rows(Rows),
}

/// A function for each kind of report that a form can show.
#[derive(Debug)]
pub struct Rows {
    run: Option<fn(&Shootout, &Page) -> String>,
    check: Option<fn(&CheckReport) -> String>,
    explore: Option<fn(&ExplorationReport) -> String>,
    bound: Option<fn(&BoundReport) -> String>,
    triage: Option<fn(&TriageReport) -> String>,
    replay: Option<fn(&Replay<'_>) -> String>,
}

const NONE: Rows = Rows { run: None, check: None, explore: None, bound: None, triage: None, replay: None };

/// Every form. The first one is the default.
pub static FORMS: [Form; 10] = [
    Form {
        name: "human",
        about: "Tables, sentences and lanes for a terminal",
        extension: "txt",
        shows: Shows::Blocks(human::document),
    },
    Form {
        name: "json",
        about: "One JSON object",
        extension: "json",
        shows: Shows::Rows(Rows {
            run: Some(|rows, _| json::shootout(rows)),
            check: Some(json::check),
            explore: Some(json::exploration),
            bound: Some(json::bound),
            triage: Some(json::triage),
            replay: Some(|replay| json::timeline(&replay.timeline)),
        }),
    },
    Form {
        name: "ndjson",
        about: "One JSON object on each line",
        extension: "ndjson",
        shows: Shows::Rows(Rows {
            run: Some(|rows, _| json::shootout_lines(rows)),
            check: Some(json::check_lines),
            ..NONE
        }),
    },
    Form {
        name: "markdown",
        about: "For a pull request or a wiki",
        extension: "md",
        shows: Shows::Blocks(markdown::document),
    },
    Form {
        name: "html",
        about: "One file for a browser",
        extension: "html",
        shows: Shows::Blocks(html::document),
    },
    Form {
        name: "junit",
        about: "JUnit XML, for CI servers",
        extension: "xml",
        shows: Shows::Rows(Rows {
            run: Some(|rows, page| junit::shootout(rows, &page.deny)),
            check: Some(junit::check),
            ..NONE
        }),
    },
    Form {
        name: "github",
        about: "Annotations of a GitHub workflow",
        extension: "txt",
        shows: Shows::Rows(Rows {
            run: Some(|rows, page| github::shootout(rows, &page.deny)),
            check: Some(github::check),
            ..NONE
        }),
    },
    Form {
        name: "mermaid",
        about: "A Mermaid sequence diagram",
        extension: "mmd",
        shows: Shows::Rows(Rows { replay: Some(|replay| mermaid::timeline(&replay.timeline)), ..NONE }),
    },
    Form {
        name: "svg",
        about: "A drawing",
        extension: "svg",
        shows: Shows::Rows(Rows { replay: Some(|replay| svg::timeline(&replay.timeline)), ..NONE }),
    },
    Form {
        name: "schedule",
        about: "One label on each line, for `replay --schedule`",
        extension: "schedule",
        shows: Shows::Rows(Rows { replay: Some(schedule::replay), ..NONE }),
    },
];

impl Form {
    /// The form of that name.
    pub fn named(name: &str) -> Option<&'static Form> {
        FORMS.iter().find(|form| form.name.eq_ignore_ascii_case(name))
    }

    /// Whether it is the form for a terminal.
    pub fn is_default(&self) -> bool {
        self.name == FORMS[0].name
    }

    /// Whether it can show that kind of report.
    pub fn can_show(&self, kind: Kind) -> bool {
        let Shows::Rows(rows) = &self.shows else { return true };
        match kind {
            Kind::Run => rows.run.is_some(),
            Kind::Check => rows.check.is_some(),
            Kind::Explore => rows.explore.is_some(),
            Kind::Bound => rows.bound.is_some(),
            Kind::Triage => rows.triage.is_some(),
            Kind::Replay => rows.replay.is_some(),
        }
    }

    /// The report in this form; none where it cannot show it.
    pub fn show(&self, report: Report<'_>, page: &Page) -> Option<String> {
        match &self.shows {
            Shows::Blocks(show) => Some(show(&report.document(page.wide), page)),
            Shows::Rows(rows) => match report {
                Report::Run(report) => rows.run.map(|show| show(report, page)),
                Report::Check(report) => rows.check.map(|show| show(report)),
                Report::Explore(report) => rows.explore.map(|show| show(report)),
                Report::Bound(report) => rows.bound.map(|show| show(report)),
                Report::Triage(report) => rows.triage.map(|show| show(report)),
                Report::Replay(report) => rows.replay.map(|show| show(report)),
            },
        }
    }
}

impl<'a> Report<'a> {
    /// Its blocks; `wide` asks for every column and line.
    pub fn document(self, wide: bool) -> Document<'a> {
        match self {
            Report::Run(report) => document::shootout(report, wide),
            Report::Check(report) => document::check(report),
            Report::Explore(report) => document::exploration(report),
            Report::Bound(report) => document::bound(report),
            Report::Triage(report) => document::triage(report),
            Report::Replay(report) => document::replay(report),
        }
    }
}

impl Page {
    /// How wide prose may be: lines that are longer read badly.
    pub fn prose(&self) -> usize {
        self.width.min(WIDTH)
    }
}

impl Default for Page {
    fn default() -> Page {
        Page { style: Style::Plain, width: WIDTH, wide: false, deny: Vec::new() }
    }
}
