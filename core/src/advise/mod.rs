//! What to do about a run that does not fit: the ladder of fixes, cheapest first, and the gentlest combination of them.
//!
//! Every mitigation is a change to the scenario, so that the engine itself says what it saves; nothing is a rule of thumb.

mod burden;
mod idle;
mod mitigation;
mod plans;
mod search;

use crate::checked::Checked;
use crate::cost;
use crate::evaluate;
use crate::units::{Bytes, SignedBytes};
use crate::verdict::Verdict;

pub use burden::single_reverts;
pub use idle::Idle;
pub use mitigation::{Effort, Mitigation, Risk};
pub use plans::Plans;
pub use search::{AS_QUICK, Found, Plan, Quickest, TOO_SLOW, gentlest, search};

/// What one fix does to a scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// The scenario with the fix.
    pub scenario: Checked,
    /// The peak with it, on the fullest GPU.
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

/// Every mitigation of the ladder with its effect on the scenario, or the reason why it does nothing here.
///
/// ```
/// use memory_wall_core::{Mode, Scenario, advise::{Mitigation, ladder}, tables::{gpus, models}};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// (scenario.mode, scenario.gpu) = (Mode::Training, gpus::by_id("h100-sxm"));
/// let scenario = scenario.check().unwrap();
/// let (_, flash) = ladder(&scenario).find(|(mitigation, _)| *mitigation == Mitigation::FlashAttention).unwrap();
/// assert_eq!(flash.unwrap_err().to_string(), "flash attention is on already");
/// ```
pub fn ladder(scenario: &Checked) -> impl Iterator<Item = (Mitigation, Result<Effect, Idle>)> {
    let scenario = *scenario;
    let before = evaluate::total(&scenario);
    Mitigation::ALL.iter().map(move |mitigation| {
        let effect = mitigation.apply(&scenario).and_then(|changed| {
            let effect = Effect::of(&scenario, before, &changed);
            // A bigger GPU saves nothing and still helps.
            if effect.saved.0 == 0 && *mitigation != Mitigation::BiggerGpu {
                return Err(Idle::PeakElsewhere);
            }
            Ok(effect)
        });
        (*mitigation, effect)
    })
}
