//! A share of a GPU's memory, as a program is told it: `0.92`, or finer.

use core::fmt;

use crate::bounds::{OutOfBounds, UTILIZATION};
use crate::number;
use crate::units::Bytes;

/// A share, in hundredths of a percent: what vLLM advises has four digits.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, Share};
/// let share = Share::read_percent("92.5").unwrap();
/// assert_eq!((share.to_string(), share.in_percent().to_string()), ("0.925".into(), "92.5".into()));
/// assert_eq!((Share::percent(92).to_string(), share.of(Bytes(1_000))), ("0.92".into(), Bytes(925)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Share(u32);

impl Share {
    /// Nothing of it.
    pub const NONE: Self = Self(0);

    /// Whole percent.
    pub const fn percent(percent: u32) -> Self {
        Self(percent.saturating_mul(100))
    }

    /// Hundredths of a percent.
    pub const fn hundredths(hundredths: u32) -> Self {
        Self(hundredths)
    }

    /// Percent with up to two places, as `92`, `92.5` or `84.17`; anything else is nothing.
    pub fn read_percent(text: &str) -> Option<Self> {
        Self::read(text, 2)
    }

    /// A fraction with up to four places that count, as `0.9`, `.925` or `1.0`; anything else is nothing.
    ///
    /// ```
    /// use memory_wall_core::Share;
    /// assert_eq!(Share::read_fraction(".8417"), Share::read_percent("84.17"));
    /// assert_eq!((Share::read_fraction("0.84173"), Share::read_fraction("9e-1")), (None, None));
    /// ```
    pub fn read_fraction(text: &str) -> Option<Self> {
        Self::read(text, 4)
    }

    fn read(text: &str, places: usize) -> Option<Self> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let whole = if whole.is_empty() && !part.is_empty() { 0 } else { number::grouped(whole)? };
        let part = part.trim_end_matches('0');
        let missing = u32::try_from(places.checked_sub(part.len())?).ok()?;
        let digits = if part.is_empty() { 0 } else { number::grouped(part)? };
        let one = 10_u64.checked_pow(u32::try_from(places).ok()?)?;
        let value = whole.saturating_mul(one).saturating_add(digits * 10_u64.checked_pow(missing)?);
        Some(Self(u32::try_from(value).unwrap_or(u32::MAX)))
    }

    /// So much of a memory, rounded up as vLLM does.
    pub const fn of(self, total: Bytes) -> Bytes {
        Bytes((total.0 * self.0 as u128).div_ceil(10_000))
    }

    /// As a fraction of one.
    pub fn fraction(self) -> f64 {
        f64::from(self.0) / 10_000.0
    }

    /// In percent, for a sentence.
    pub const fn in_percent(self) -> InPercent {
        InPercent(self)
    }

    /// In percent, without the hundredths.
    pub const fn whole_percent(self) -> u32 {
        self.0 / 100
    }

    /// The share, where it is in range.
    ///
    /// # Errors
    /// It is outside its range; what is named is rounded away from that.
    pub fn check(self) -> Result<Self, OutOfBounds> {
        let over = self.0 > UTILIZATION.max * 100;
        UTILIZATION.check(if over { self.0.div_ceil(100) } else { self.whole_percent() }.into())?;
        Ok(self)
    }
}

/// As programs write it: `0.92`, `0.925`.
impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / 10_000, self.0 % 10_000);
        match part {
            part if part % 100 == 0 => write!(f, "{whole}.{:02}", part / 100),
            part if part % 10 == 0 => write!(f, "{whole}.{:03}", part / 10),
            part => write!(f, "{whole}.{part:04}"),
        }
    }
}

/// A share in percent: `92`, `92.5`, `84.17`.
#[derive(Clone, Copy, Debug)]
pub struct InPercent(Share);

impl fmt::Display for InPercent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Share(hundredths)) = *self;
        let (whole, part) = (hundredths / 100, hundredths % 100);
        match part {
            0 => write!(f, "{whole}"),
            part if part % 10 == 0 => write!(f, "{whole}.{}", part / 10),
            part => write!(f, "{whole}.{part:02}"),
        }
    }
}
