//! A read of the sink lacks the newest entries of its record, or shows only a part of it.

use super::spec::Spec;
use crate::model::scenario::SinkRead;

pub(super) const SPEC: Spec = Spec {
    headline: |stage, _| {
        let SinkRead { stale_by, page, window } = stage.sink.read;
        let entries = |n: u32| if n == 1 { "entry".to_owned() } else { format!("{n} entries") };
        let told = [
            (stale_by > 0, format!("lack the newest {}", entries(stale_by))),
            (page > 0, format!("show the oldest {} only", entries(page))),
            (window > 0, format!("show the newest {} only", entries(window))),
        ];
        let told: Vec<String> = told.into_iter().filter_map(|(is_so, text)| is_so.then_some(text)).collect();
        (!told.is_empty()).then(|| format!("reads of the sink {}", told.join(" and ")))
    },
    never_struck: "no recoverer ever read the sink's record",
    remedy: "write a policy that reads `accepted_record`",
    ..Spec::PLAIN
};
