//! The lines to paste into a shell to see a failure again.

use dwsim_reports::escape::{file, shell};
use dwsim_reports::shootout::schedule_line;
use dwsim_sim::model::claim::Decision;
use dwsim_sim::model::program::Surface;

/// What a line to paste names.
#[derive(Clone, Copy)]
pub struct Paste<'a> {
    pub path: &'a str,
    pub twin: &'a str,
    pub design: &'a str,
}

impl Paste<'_> {
    pub(super) fn schedule(self, labels: impl Iterator<Item = String>, then_run_on: bool) -> String {
        schedule_line(self.path, self.design, self.twin, "", labels, then_run_on)
    }

    pub(super) fn bound(self, decision: &Decision) -> String {
        let mut line = format!("dwsim bound {} --design {}", file(self.path), shell(self.design));
        if !self.twin.is_empty() {
            line += &format!(" --twin {}", shell(self.twin));
        }
        if let Some(reads) = decision.reads {
            let names: Vec<&str> = reads.iter().map(Surface::name).collect();
            line += &format!(" --reads {}", names.join(","));
        }
        if let Some(redriven) = decision.redriven {
            line += &format!(" --redrive {}", redriven.name());
        }
        line + &format!(" --earlier {}", decision.earlier.flag())
    }

    pub(super) fn check(self) -> String {
        format!("dwsim check {}", file(self.path))
    }
}
