//! The dedup memory holds the last so many keys, and forgets the oldest when one more comes.

use super::spec::Spec;
use crate::model::scenario::Keeps;

pub(super) const SPEC: Spec = Spec {
    headline: |stage, _| match stage.sink.dedup?.keeps {
        Keeps::Last(1) => Some("the sink remembers only the last key".to_owned()),
        Keeps::Last(n) => Some(format!("the sink remembers only the last {n} keys")),
        Keeps::For { .. } | Keeps::Forever => None,
    },
    never_struck: "the dedup memory never ran out of room",
    remedy: "write a smaller number in `sink: (dedup: (keeps: last(..)))`",
    ..Spec::PLAIN
};
