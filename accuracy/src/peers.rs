//! Side by side: what other calculators say about the same cases, what we say, and the calculation by hand.
//!
//! The figures of the others are stored, so that no test needs them installed. The page `docs/side-by-side.md` shows them.

mod ours;
mod page;
mod sum;

pub use ours::ours;
pub use page::parts;
pub use sum::worth;

use crate::csv::{File, Row};

/// What stands for a calculation by hand in the column of tools.
const BY_HAND: &str = "by hand";

/// How far from the calculation by hand a figure still agrees with it: half a percent.
pub const AGREES: f64 = 0.005;

/// One quantity that several calculators give.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its name in the data; the word before the first dash is its kind.
    pub id: String,
    /// What is asked, in words.
    pub quantity: String,
    /// `bytes` or `parameters`.
    pub unit: String,
    /// The calculation by hand.
    pub hand: f64,
    /// Its arithmetic, as [`worth`] reads it.
    pub sum: String,
    /// The same in words.
    pub words: String,
    /// What the others say.
    pub figures: Vec<Figure>,
}

/// How a figure was obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The tool, or the function named, was run.
    Run,
    /// The arithmetic of its formula; a test works it out.
    Formula,
    /// The figure is printed at the place named.
    Published,
}

impl How {
    /// The word in the data and on the page.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Formula => "formula",
            Self::Published => "published",
        }
    }
}

/// What one calculator says.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its name.
    pub tool: String,
    /// Which one of it.
    pub version: String,
    /// How the figure was obtained.
    pub how: How,
    /// Whether it answers the question of the case, or one of its own.
    pub same_question: bool,
    /// The call, the formula or the place.
    pub call: String,
    /// The figure, in the unit of the case.
    pub output: f64,
    /// How coarsely it is printed, in the unit of the case; 0 of figures that are not.
    pub rounded_to: f64,
    /// Why it differs, or which question it answers.
    pub note: String,
}

impl Figure {
    /// The figure over the calculation by hand.
    pub fn ratio(&self, case: &Case) -> f64 {
        self.output / case.hand
    }

    /// Whether it agrees with the calculation by hand, or is that figure as coarsely as it is printed.
    pub fn agrees(&self, case: &Case) -> bool {
        (self.ratio(case) - 1.0).abs() <= AGREES || (self.output - case.hand).abs() <= self.rounded_to / 2.0
    }
}

/// The cases that the project carries, or what is wrong with a row.
pub fn cases() -> Result<Vec<Case>, String> {
    read(include_str!("../data/peers.csv"))
}

/// The cases of a text in the columns of `peers.csv`.
pub fn read(text: &str) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = Vec::new();
    for row in File::read(text).rows() {
        let id = row.text("case_id");
        if row.text("tool") == BY_HAND {
            if cases.iter().any(|case| case.id == id) {
                return Err(format!("{id} is calculated by hand twice"));
            }
            cases.push(Case {
                id: id.into(),
                quantity: row.text("quantity").into(),
                unit: row.text("unit").into(),
                hand: row.float("output")?,
                sum: row.text("call").into(),
                words: row.text("note").into(),
                figures: Vec::new(),
            });
            continue;
        }
        match cases.last_mut() {
            Some(case) if case.id == id => case.figures.push(figure(row)?),
            _ => return Err(format!("{id} begins without a calculation by hand")),
        }
    }
    Ok(cases)
}

fn figure(row: Row<'_>) -> Result<Figure, String> {
    let known = [How::Run, How::Formula, How::Published].into_iter().find(|how| how.id() == row.text("how"));
    let same_question = match row.text("answers") {
        "same" => true,
        "other" => false,
        other => return Err(format!("answers {other:?} is neither same nor other")),
    };
    Ok(Figure {
        tool: row.text("tool").into(),
        version: row.text("version").into(),
        how: known.ok_or_else(|| format!("how {:?} is not known", row.text("how")))?,
        same_question,
        call: row.text("call").into(),
        output: row.float("output")?,
        rounded_to: if row.text("rounded_to").is_empty() { 0.0 } else { row.float("rounded_to")? },
        note: row.text("note").into(),
    })
}
