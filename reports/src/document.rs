//! A report as a document: what is said and in which order, apart from any markup.
//!
//! Each kind of rows becomes blocks in one file below, and each form ([`crate::forms`]) shows blocks. So the order of a
//! report is written once, and what one form says, every other says as well. Text in a block is as it came, names from
//! users' files included: a form escapes what it writes.

mod bound;
mod check;
mod exploration;
mod replay;
mod shootout;

use dwsim_sim::model::verdict::Verdict;

use crate::rows::rate::Rate;
use crate::rows::timeline::Timeline;
use crate::style::Ink;
use crate::text;

pub use bound::{bound, triage};
pub use check::check;
pub use exploration::exploration;
pub use replay::{replay, run};
pub use shootout::{shootout, unmet};

/// A report.
#[derive(Clone, PartialEq, Debug)]
pub struct Document<'a> {
    /// What a page is called. A terminal does not show it.
    pub title: String,
    /// What it says, from top to bottom.
    pub blocks: Vec<Block<'a>>,
    /// The one line to take away: below the title of a page, and at the end on a terminal, above the next prompt.
    pub summary: Option<Text>,
}

/// A piece of a report.
#[derive(Clone, PartialEq, Debug)]
pub enum Block<'a> {
    /// Opens a section.
    Heading(Heading),
    /// A paragraph.
    Text(Text),
    /// Points under the paragraph before them.
    List(Vec<Text>),
    /// A table whose first column names the rows.
    Table(Table),
    /// Numbered steps.
    Steps(Vec<Step>),
    /// A run: lanes where there are columns to draw them in, numbered steps elsewhere.
    Run(Timeline<'a>),
    /// Text in which every space counts.
    Code(String),
    /// One line for a shell, never broken. It belongs to the block before it.
    Paste(String),
    /// A drawing.
    Picture(Picture<'a>),
    /// What a reader may skip.
    Fold(Fold<'a>),
}

/// The title of a section.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heading {
    /// Of a case, or of something in it.
    pub level: Level,
    /// The title.
    pub title: String,
    /// What the section is about, in a sentence; may be empty.
    pub about: String,
}

/// How deep a section is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// A scenario, a twin, a run.
    Case,
    /// Something in it.
    Part,
}

/// Words, some of them marked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Text(pub Vec<Piece>);

/// Words that look alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The words.
    pub text: String,
    /// What they are.
    pub look: Look,
}

/// What words are. Nothing is said by looks alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// Nothing special.
    Plain,
    /// To be typed.
    Code,
    /// Emphasised.
    Strong,
    /// Emphasised, and good, bad or doubtful.
    Marked(Ink),
}

/// Rows under columns.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// The heading of the first column, which names the rows.
    pub head: String,
    /// The other columns.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Row>,
    /// Whether it may be wider than a terminal: the reader asked for all columns.
    pub may_overflow: bool,
}

/// A column that is not the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its heading.
    pub name: String,
    /// What its cells are.
    pub holds: Holds,
    /// Whether a group of columns begins here.
    pub opens_group: bool,
}

/// What the cells of a column are, which decides how they are aligned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// Words, which may be broken over lines.
    Words,
    /// Short words, such as a seed, which may not.
    Name,
    /// Whole numbers.
    Number,
    /// Counts with their rates.
    Rate,
}

/// A row.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// What it is about.
    pub head: String,
    /// What it says.
    pub cells: Cells,
}

/// The cells of a row.
#[derive(Clone, PartialEq, Debug)]
pub enum Cells {
    /// One for each column.
    Each(Vec<Cell>),
    /// One across all columns: why there are none.
    Across(String),
}

/// A cell.
#[derive(Clone, PartialEq, Debug)]
pub struct Cell {
    /// What it holds.
    pub value: Value,
    /// Good, bad or doubtful.
    pub ink: Option<Ink>,
}

/// What a cell holds.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// Words.
    Words(String),
    /// A whole number.
    Number(u64),
    /// A count with its rate.
    Rate(Rate),
}

/// A numbered step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// What is done.
    pub label: String,
    /// What to notice there; may be empty.
    pub note: String,
}

/// A drawing, and what stands for it in a form without drawings.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture<'a> {
    /// An `svg` element, escaped already.
    pub svg: String,
    /// What it shows, for those who do not see it.
    pub title: String,
    /// The same without a drawing.
    pub instead: Vec<Block<'a>>,
}

/// What a reader may skip: closed at first on a page, left out on a terminal.
#[derive(Clone, PartialEq, Debug)]
pub struct Fold<'a> {
    /// What is in it: `3 more pairs`.
    pub summary: String,
    /// How a terminal can show it: `--wide shows all`. Without this a terminal does not mention it.
    pub shown_by: Option<&'static str>,
    /// What is in it.
    pub blocks: Vec<Block<'a>>,
}

impl Text {
    /// Plain words.
    pub fn new(text: impl Into<String>) -> Text {
        Text::default().and(text)
    }

    /// Opens with words that say how good or bad the rest is.
    pub fn marked(ink: Ink, text: impl Into<String>) -> Text {
        Text::default().with(Look::Marked(ink), text)
    }

    /// Opens with emphasis.
    pub fn strong(text: impl Into<String>) -> Text {
        Text::default().with(Look::Strong, text)
    }

    /// Goes on with plain words.
    pub fn and(self, text: impl Into<String>) -> Text {
        self.with(Look::Plain, text)
    }

    /// Goes on with something to type.
    pub fn code(self, text: impl Into<String>) -> Text {
        self.with(Look::Code, text)
    }

    /// Goes on with words of that look.
    pub fn with(mut self, look: Look, text: impl Into<String>) -> Text {
        self.0.push(Piece { text: text.into(), look });
        self
    }

    /// The words without their looks.
    pub fn words(&self) -> String {
        self.0.iter().map(|piece| piece.text.as_str()).collect()
    }
}

impl Cell {
    /// Words.
    pub fn words(text: impl Into<String>) -> Cell {
        Cell { value: Value::Words(text.into()), ink: None }
    }

    /// A whole number.
    pub fn number(number: u64) -> Cell {
        Cell { value: Value::Number(number), ink: None }
    }

    /// A count with its rate.
    pub fn rate(rate: Rate) -> Cell {
        Cell { value: Value::Rate(rate), ink: None }
    }

    /// The same, good, bad, doubtful or neither.
    pub fn inked(self, ink: Option<Ink>) -> Cell {
        Cell { ink, ..self }
    }
}

impl Column {
    /// A column.
    pub fn new(name: impl Into<String>, holds: Holds) -> Column {
        Column { name: name.into(), holds, opens_group: false }
    }

    /// The same, as the first of a group.
    pub fn opening_a_group(self) -> Column {
        Column { opens_group: true, ..self }
    }
}

impl From<Text> for Block<'_> {
    fn from(text: Text) -> Self {
        Block::Text(text)
    }
}

/// A section of a case, with what it is about.
fn case<'a>(title: String, about: &str) -> Block<'a> {
    Block::Heading(Heading { level: Level::Case, title, about: about.to_owned() })
}

/// A column for each verdict. Failures that the accepted record shows and those that it does not are groups of their
/// own: an audit of the one says nothing about the other.
fn verdicts(verdicts: &[Verdict], holds: Holds) -> Vec<Column> {
    let opens = |i: usize| i == 0 || verdicts[i - 1].spec().half != verdicts[i].spec().half;
    let column = |(i, verdict): (usize, &Verdict)| {
        let column = Column::new(text::verdict(*verdict), holds);
        if opens(i) { column.opening_a_group() } else { column }
    };
    verdicts.iter().enumerate().map(column).collect()
}
