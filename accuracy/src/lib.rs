//! The engine held against public measured runs: one prediction a row, errors shown, nothing dropped in silence.
//!
//! The rows come with the crate, or from a folder with files of the same names and columns ([`Data`]).
//! Each file of [`sets`] turns rows of one kind into a [`Set`].

pub mod csv;
pub mod data;
pub mod peers;
pub mod sets;
pub mod table;

pub use data::Data;

/// What became of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Predicted and compared.
    Compared {
        /// The engine's figure, in the unit of the row.
        predicted: f64,
        /// The measured one.
        measured: f64,
        /// Whether the two are equal to the byte or token, where that can be said.
        exact: bool,
    },
    /// A run that failed for want of memory: whether the engine says so.
    Verdict {
        /// Whether the engine says "does not fit".
        right: bool,
        /// What it needs and what there was, in words.
        why: String,
    },
    /// Not modelled, for this reason.
    NotModelled(String),
}

impl Outcome {
    /// Two numbers of bytes, tokens or parameters, which can be equal.
    pub fn whole(predicted: u128, measured: u64) -> Self {
        Self::Compared {
            predicted: predicted as f64,
            measured: measured as f64,
            exact: predicted == u128::from(measured),
        }
    }

    /// What came out, or why nothing did.
    pub fn of(result: Result<Self, String>) -> Self {
        result.unwrap_or_else(Self::NotModelled)
    }
}

/// How a row counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Held to the bound; the coefficients never saw it.
    Checked,
    /// Held to the bound; a coefficient was fitted on it.
    Fitted,
    /// Shown only, with its cause of doubt.
    Reported,
}

/// One row of a set.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name in the data.
    pub id: String,
    /// The unit of both figures: `bytes`, `GiB`, `GB`, `tokens`, `parameters`.
    pub unit: &'static str,
    /// How it counts.
    pub counts: Use,
    /// What became of it.
    pub outcome: Outcome,
    /// Why to be careful, empty where there is no doubt.
    pub doubt: String,
}

impl Row {
    /// A row that is held to the bound, without doubt.
    pub fn checked(id: String, unit: &'static str, outcome: Outcome) -> Self {
        Self { id, unit, counts: Use::Checked, outcome, doubt: String::new() }
    }

    /// Predicted over measured, less one; `None` where there is nothing to compare.
    pub fn error(&self) -> Option<f64> {
        match self.outcome {
            Outcome::Compared { exact: true, .. } => Some(0.0),
            Outcome::Compared { predicted, measured, .. } if measured.abs() > 0.0 => Some(predicted / measured - 1.0),
            // Nothing was measured and something predicted.
            Outcome::Compared { .. } => Some(1.0),
            _ => None,
        }
    }
}

/// What a set is held to; errors as shares, 0.01 is 1%.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Each row's error at most; `None` is not held.
    pub each: Option<f64>,
    /// The mean of all errors without their signs at most.
    pub mean: Option<f64>,
    /// The median of them at most.
    pub median: Option<f64>,
    /// What nine of ten of them are within.
    pub nine_of_ten: Option<f64>,
    /// The share of verdicts that has to be right.
    pub right: f64,
}

impl Bound {
    /// Equal to the byte.
    pub const EXACT: Self = Self::of(0.0, 0.0);
    /// Shown, not held.
    pub const NONE: Self = Self { each: None, mean: None, median: None, nine_of_ten: None, right: 1.0 };

    /// Each row and the mean.
    pub const fn of(each: f64, mean: f64) -> Self {
        Self { each: Some(each), mean: Some(mean), ..Self::NONE }
    }

    /// Each row.
    pub const fn each(each: f64) -> Self {
        Self { each: Some(each), ..Self::NONE }
    }

    /// The mean.
    pub const fn mean(mean: f64) -> Self {
        Self { mean: Some(mean), ..Self::NONE }
    }

    /// A share of the verdicts.
    pub const fn right(share: f64) -> Self {
        Self { right: share, ..Self::NONE }
    }

    /// The median, and what nine of ten rows are within.
    pub const fn spread(median: f64, nine_of_ten: f64) -> Self {
        Self { median: Some(median), nine_of_ten: Some(nine_of_ten), ..Self::NONE }
    }
}

/// Rows of one kind and what they are held to.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    /// Its name: lower case, with dashes.
    pub name: &'static str,
    /// What it compares, in one sentence.
    pub about: &'static str,
    /// What it is held to.
    pub bound: Bound,
    /// Its rows.
    pub rows: Vec<Row>,
}

impl Set {
    /// The rows that are held to the bound and could be compared.
    pub fn held(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.counts != Use::Reported && row.error().is_some())
    }

    /// The rows that count one way and could be compared.
    pub fn counted(&self, counts: Use) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.counts == counts && row.error().is_some())
    }

    /// The mean error without signs of some rows; `None` of none.
    pub fn mean_abs_error<'a>(rows: impl Iterator<Item = &'a Row>) -> Option<f64> {
        let errors: Vec<f64> = rows.filter_map(Row::error).map(f64::abs).collect();
        #[expect(clippy::cast_precision_loss, reason = "a set has far fewer rows than a float counts exactly")]
        let count = errors.len() as f64;
        (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / count)
    }

    /// The largest error without sign of some rows; `None` of none.
    pub fn max_abs_error<'a>(rows: impl Iterator<Item = &'a Row>) -> Option<f64> {
        rows.filter_map(Row::error).map(f64::abs).reduce(f64::max)
    }

    /// The error without sign that this share of some rows does not exceed; `None` of none.
    pub fn quantile<'a>(rows: impl Iterator<Item = &'a Row>, share: f64) -> Option<f64> {
        let mut errors: Vec<f64> = rows.filter_map(Row::error).map(f64::abs).collect();
        errors.sort_by(f64::total_cmp);
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a set has far fewer rows than a float counts exactly, and the share is between 0 and 1"
        )]
        let place = (errors.len() as f64 * share).ceil() as usize;
        errors.get(place.saturating_sub(1)).copied()
    }

    /// The share of the held verdicts that is right; `None` without any.
    pub fn share_right(&self) -> Option<f64> {
        let held = self.rows.iter().filter(|row| row.counts != Use::Reported);
        let (right, all) = held.fold((0_u32, 0_u32), |(right, all), row| match row.outcome {
            Outcome::Verdict { right: is, .. } => (right + u32::from(is), all + 1),
            _ => (right, all),
        });
        (all > 0).then(|| f64::from(right) / f64::from(all))
    }

    /// Whether the bound holds, and enough of the verdicts are right; rows that are not modelled do not count, and are shown.
    pub fn ok(&self) -> bool {
        let within = |error: Option<f64>, bound: Option<f64>| match (error, bound) {
            (Some(error), Some(bound)) => error <= bound,
            _ => true,
        };
        within(Self::max_abs_error(self.held()), self.bound.each)
            && within(Self::mean_abs_error(self.held()), self.bound.mean)
            && within(Self::quantile(self.held(), 0.5), self.bound.median)
            && within(Self::quantile(self.held(), 0.9), self.bound.nine_of_ten)
            && self.share_right().is_none_or(|share| share >= self.bound.right)
    }
}

/// Every set, in the order in which they are shown. A file that the data does not have makes an empty set.
pub fn all(data: &Data) -> Vec<Set> {
    sets::SETS.iter().flat_map(|set| set(data)).collect()
}
