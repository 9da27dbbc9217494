//! What to do about a run that does not fit: the ladder of fixes, cheapest first, and the quickest combination of them.
//!
//! Every rung is a change to the scenario, so that the engine itself says what it saves; nothing is a rule of thumb.

mod idle;
mod rung;
mod search;

use crate::checked::Checked;
use crate::cost;
use crate::evaluate::{self, Verdict};
use crate::units::{Bytes, SignedBytes};

pub use idle::Idle;
pub use rung::{Effort, Risk, Rung};
pub use search::{Found, Plan, TOO_SLOW, quickest, search};

/// What one fix does to a scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// The scenario with the fix.
    pub scenario: Checked,
    /// The peak with it, on the fullest card.
    pub total: Bytes,
    /// The peak without it less the peak with it: negative makes it worse.
    pub saved: SignedBytes,
    /// The time of the same work as a multiple of that without the fix, by a rough estimate ([`cost::time_ratio`]): below 1 is faster.
    pub time_ratio: f64,
    /// GPUs in all.
    pub gpus: u64,
    /// Whether it fits then; `None` without a GPU.
    pub verdict: Option<Verdict>,
}

impl Effect {
    /// The effect of a changed scenario.
    fn of(original: &Checked, before: Bytes, scenario: &Checked) -> Self {
        let total = evaluate::total(scenario);
        Self {
            scenario: *scenario,
            total,
            saved: before.minus(total),
            time_ratio: cost::time_ratio(original, scenario),
            gpus: scenario.parallel.ranks(),
            verdict: evaluate::verdict(scenario),
        }
    }
}

/// Every rung of the ladder with its effect on the scenario, or the reason why it does nothing here.
///
/// ```
/// use memory_wall_core::{Mode, Scenario, advise::{Rung, ladder}, tables::{gpus, models}};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// (scenario.mode, scenario.gpu) = (Mode::Training, gpus::by_id("h100-sxm"));
/// let scenario = scenario.check().unwrap();
/// let (_, flash) = ladder(&scenario).find(|(rung, _)| *rung == Rung::FlashAttention).unwrap();
/// assert_eq!(flash.unwrap_err().to_string(), "flash attention is on already");
/// ```
pub fn ladder(scenario: &Checked) -> impl Iterator<Item = (Rung, Result<Effect, Idle>)> {
    let scenario = *scenario;
    let before = evaluate::total(&scenario);
    Rung::ALL.iter().map(move |rung| {
        let effect = rung.apply(&scenario).and_then(|changed| {
            let effect = Effect::of(&scenario, before, &changed);
            // A bigger card saves nothing and still helps.
            if effect.saved.0 == 0 && *rung != Rung::BiggerCard {
                return Err(Idle::PeakElsewhere);
            }
            Ok(effect)
        });
        (*rung, effect)
    })
}
