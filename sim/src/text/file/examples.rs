//! How a word or a field is written whose name alone does not say it: what a complaint shows in place of `(..)`.

/// Every word that is followed by parentheses, as it stands in a file.
const WORDS: &[&str] = &[
    "anywhere(times: 1)",
    "before(act: \"persist\")",
    "after(act: \"send\")",
    "last(2)",
    "since_accepted(\"1h\")",
    "since_seen(\"1h\")",
    "uniform(\"1ms\", \"20ms\")",
    "exponential(\"50ms\")",
    "provisional(expires: \"15m\")",
    "before_persist(flush: \"1s\")",
    "rolls_back(2)",
    "exactly(3)",
    "at(2)",
    "seeds(1000, timed)",
    "script([\"crash\", ..])",
    "each_event([commit, enqueue])",
    "each_batch(4, [fetch(4), send, persist])",
    "each(\"10s\", [persist])",
    "fetch(4)",
    "snapshot_from(now)",
    "read(history)",
    "arm(minus(accepted_record))",
    "past(cursor)",
    "minus(accepted_record)",
    "values_differ(contents)",
    "content_not_in(accepted_record)",
    "custom(\"my-rule\")",
    "of(outbox, all)",
    "fence(own)",
    "atomic([read(history), arm(all)])",
    "try(do: fence(own), else: stop)",
];

/// What holds fields, by the name that it has in the schema, with a few of them.
const FIELDS: &[(&str, &str)] = &[
    ("Source", "(events: 3)"),
    ("Event", "(insert: 1)"),
    ("Retention", "(drops: 2, after: \"1h\")"),
    ("Beginning", "(committed: 2, delivered: 1)"),
    ("Wire", "(latency: \"5ms\")"),
    ("Straggler", "(one_in: 20, delay: exponential(\"30s\"))"),
    ("Reply", "(loss: (one_in: 20))"),
    ("Sink", "(readable: accepted_record)"),
    ("Dedup", "(key: coordinate, keeps: last(2))"),
    ("Recovery", "(detect: \"5s\")"),
    ("Faults", "(crash: anywhere(times: 1))"),
    ("StrikeFile", "(times: 1)"),
    ("CursorFault", "(kind: expires)"),
    ("Judge", "(grade: retained)"),
    ("Retry", "(times: 3, after: \"2s\")"),
    ("Design", "(policy: \"cursor\")"),
    ("Expect", "(duplicate: never, lost: never)"),
    ("Twin", "(faults: (crash: anywhere(times: 0)))"),
];

/// How this word is written, where it is followed by parentheses.
pub fn of_word(word: &str) -> Option<&'static str> {
    WORDS.iter().copied().find(|example| example.strip_prefix(word).is_some_and(|rest| rest.starts_with('(')))
}

/// How this word is written among others: a few words mean something else in another list.
pub fn among<'a>(word: &'a str, others: &[&str]) -> &'a str {
    let alone = match word {
        "last" => others.contains(&"at"),
        "after" => others.contains(&"reachable"),
        "fence" => others.contains(&"history"),
        _ => false,
    };
    of_word(word).filter(|_| !alone).unwrap_or(word)
}

/// A few fields of what has this name in the schema.
pub fn of_fields(name: &str) -> Option<&'static str> {
    FIELDS.iter().find(|(known, _)| *known == name).map(|(_, example)| *example)
}
