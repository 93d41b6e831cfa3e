//! The source, the wire or the sink is out for a span of time. Only a clock knows spans; without one, whatever an outage
//! delays can be as late anyway.

use super::spec::Spec;

pub(super) const SPEC: Spec = Spec {
    headline: |stage, head| {
        let out =
            [("source", &stage.source.outages), ("wire", &stage.wire.outages), ("sink", &stage.sink.outages)];
        let told =
            out.into_iter().filter(|(_, spans)| head.is_timed && !spans.is_empty()).map(|(what, spans)| {
                match spans.len() {
                    1 => format!("1 outage of the {what}"),
                    n => format!("{n} outages of the {what}"),
                }
            });
        let told: Vec<String> = told.collect();
        (!told.is_empty()).then(|| told.join("; "))
    },
    never_struck: "nothing ever happened during an outage",
    remedy: "write a longer span in `outages`",
    usual_clock: |stage| {
        stage.source.outages.clear();
        stage.wire.outages.clear();
        stage.sink.outages.clear();
    },
    ..Spec::PLAIN
};
