//! What the figure shows beside its drawing: the plot in words, its points, its table, and what is read off a point.

use std::sync::Arc;

use crate::charts::roofline::Plot;
use crate::figures::{Answer, bindings};
use crate::live::Snapshot;

/// Something that is read off the selected point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Its name.
    Name,
    /// What holds it back.
    Bound,
    /// FLOP per byte.
    Intensity,
    /// The rate that it can reach.
    Rate,
    /// What share of its roof that is, or the reader's own rate.
    OfRoof,
    /// What share of the peak.
    OfPeak,
    /// How often it fits into the peak.
    Ceiling,
    /// Its time.
    Time,
    /// The reader's own rate in words.
    Own,
}

impl Reading {
    /// Every reading.
    pub const ALL: [Self; 9] = [
        Self::Name,
        Self::Bound,
        Self::Intensity,
        Self::Rate,
        Self::OfRoof,
        Self::OfPeak,
        Self::Ceiling,
        Self::Time,
        Self::Own,
    ];

    /// Its name in the page and in the prose.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Bound => "bound",
            Self::Intensity => "intensity",
            Self::Rate => "rate",
            Self::OfRoof => "of_roof",
            Self::OfPeak => "of_peak",
            Self::Ceiling => "ceiling",
            Self::Time => "time",
            Self::Own => "own",
        }
    }
}

/// The plot.
#[derive(PartialEq)]
pub struct Model(Arc<Plot>);

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// The plot in two or three sentences.
        Sentence,
        /// How long the passes take.
        Times,
        /// The points over the drawing.
        Dots,
        /// The points as rows of a table.
        Rows,
        /// What is read off the selected point.
        Read(Reading),
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "roofline";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        Self(Arc::clone(snapshot.roofline()))
    }

    fn answer(&self, binding: Binding) -> Answer {
        match binding {
            Binding::Sentence => Answer::Text(self.0.sentence()),
            Binding::Times => Answer::Text(self.0.times()),
            Binding::Dots => Answer::Html(self.0.dots_html()),
            Binding::Rows => Answer::Html(self.0.table_html()),
            Binding::Read(reading) => Answer::Text(self.0.reading(reading)),
        }
    }
}
