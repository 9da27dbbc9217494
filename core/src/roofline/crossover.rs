//! The batch from which generating is held back by computing rather than by memory.

use super::operations::{Kernels, Listing, Routing};
use super::{Pass, multiplies_in};
use crate::bisect;
use crate::bounds;
use crate::checked::Checked;
use crate::tables::gpus::{Gpu, OnChip};

/// What a decoding step does for a batch, on one GPU.
struct Step {
    flops: f64,
    weights: f64,
    /// Bytes besides weights.
    others: f64,
}

impl Step {
    fn of(scenario: &Checked, gpu: &Gpu, batch: u32) -> Self {
        // Of all stages of a pipeline together, as if on one GPU.
        let scenario = scenario.without_pipeline().with_batch(batch);
        // Whose cache is not known keeps every activation.
        let gpu = &Gpu { on_chip: OnChip { l2_mib: None, llc_mib: None, ..gpu.on_chip }, ..*gpu };
        let listing = Listing {
            scenario: &scenario,
            gpu,
            pass: Pass::Decode,
            kernels: Kernels::Fused,
            routing: Routing::Uniform,
        };
        let (mut flops, mut weights, mut moved) = (0, 0, 0);
        listing.each(&mut |operation| {
            let times = u128::from(operation.times);
            flops += operation.work.flops * times;
            weights += operation.weights * times;
            if operation.unit != super::operations::Unit::Link {
                moved += operation.moved() * times;
            }
        });
        Self { flops: flops as f64, weights: weights as f64, others: (moved - weights) as f64 }
    }

    fn computes(&self, ridge: f64) -> bool {
        self.flops >= ridge * (self.weights + self.others)
    }
}

/// The smallest batch whose decoding step as a whole takes longer to compute than to read; `None` if none within the bounds does.
///
/// # Formula
/// With W bytes of weights, c bytes of cache and F FLOPs a sequence, and the ridge R: batch·F ≥ R·(W + batch·c), so batch = ⌈W / (F/R − c)⌉,
/// and none if F/R ≤ c: then each sequence brings more reading than computing. A mixture reads more experts as the batch grows; there the batch is found by halving.
///
/// # Units
/// Sequences on one replica.
///
/// # Assumes
/// Every cache is `seq_length` long. Activations stay in the GPU's caches. The step is taken as a whole; its matrices alone cross at R × bytes a weight / 2.
///
/// # Example
/// ```
/// use memory_wall_core::{Scenario, roofline::crossover, tables::{gpus, models}};
/// let mut scenario = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
/// let h100 = gpus::by_id("h100-sxm").unwrap();
/// scenario.seq_length = 1;
/// assert_eq!(crossover::batch(&scenario.check().unwrap(), h100), Some(297));
/// // With a long context the cache is what is read, and no batch changes that.
/// scenario.seq_length = 8_192;
/// assert_eq!(crossover::batch(&scenario.check().unwrap(), h100), None);
/// ```
pub fn batch(scenario: &Checked, gpu: &Gpu) -> Option<u32> {
    let ridge = multiplies_in(scenario, gpu).1.0 / gpu.bandwidth.0;
    let most = bounds::BATCH.max;
    if scenario.architecture.moe.is_some() {
        let computes = |batch| Step::of(scenario, gpu, batch).computes(ridge);
        if !computes(most) {
            return None;
        }
        return Some(bisect::last(0, most, |batch| !computes(batch)) + 1);
    }
    let one = Step::of(scenario, gpu, 1);
    let gained = one.flops / ridge - one.others;
    if gained <= 0.0 {
        return None;
    }
    let exact = one.weights / gained;
    // Rounded up by hand: the core has no floating point functions of its own. In range by the filter.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the largest batch")]
    let whole = exact.min(f64::from(most) + 1.0) as u32;
    let up = if f64::from(whole) < exact { whole + 1 } else { whole };
    Some(up.max(1)).filter(|&batch| batch <= most)
}
