//! Which of the combinations that were found to tell the reader.

use super::search::{AS_QUICK, Found, Plan, search};
use crate::checked::Checked;
use crate::evaluate;
use crate::verdict::Verdict;

/// What to tell of the combinations on the same GPUs. Beside the recommended one there are others only where the run does not fit as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plans {
    /// The one to recommend: it fits with room to spare, and leaves results as they are where that is possible.
    pub recommended: Option<Plan>,
    /// One that may change results a little and is quicker by more than the estimate of time is uncertain.
    pub quicker: Option<Plan>,
    /// Where nothing is recommended: one that fits, however long it takes.
    pub slow: Option<Plan>,
    /// The same of what is tight, and may fail, where that is quicker than what fits.
    pub tight: Option<Plan>,
}

impl Plans {
    /// Searches all combinations of fixes for a scenario; nothing without a GPU.
    pub fn of(scenario: &Checked) -> Self {
        Self::among(scenario, [false, true].map(|lossy| search(scenario, lossy)))
    }

    /// The same where both searches are done: that of combinations that leave the results as they are, and that of those that may change them.
    pub fn among(scenario: &Checked, [exact, lossy]: [Found; 2]) -> Self {
        let recommended = exact.fits.or(lossy.fits);
        if evaluate::verdict(scenario).is_none_or(Verdict::holds) {
            return Self { recommended, ..Self::default() };
        }
        let quicker = |one: &Plan, other: Plan| one.effect.time_ratio * AS_QUICK < other.effect.time_ratio;
        if let Some(plan) = recommended {
            return Self { recommended, quicker: lossy.fits.filter(|lossy| quicker(lossy, plan)), ..Self::default() };
        }
        let slow = exact.slow.or(lossy.slow);
        let tight = exact.tight.or(lossy.tight).filter(|tight| slow.is_none_or(|slow| quicker(tight, slow)));
        Self { slow, tight, ..Self::default() }
    }
}
