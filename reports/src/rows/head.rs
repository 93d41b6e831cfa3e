//! How the report of a case begins, whether it was run or explored.

/// What a case is called and what it is about.
#[derive(Clone, PartialEq, Debug)]
pub struct Head {
    /// The path as the user typed it.
    pub path: String,
    /// The scenario's name.
    pub scenario: String,
    /// The twin's name, or empty.
    pub twin: String,
    /// The story.
    pub about: String,
    /// What may strike, in a sentence.
    pub faults: String,
}

impl Head {
    /// `zombie`, or `zombie, twin "wire wiped at the crash"`.
    pub fn title(&self) -> String {
        match self.twin.as_str() {
            "" => self.scenario.clone(),
            twin => format!("{}, twin \"{twin}\"", self.scenario),
        }
    }
}
