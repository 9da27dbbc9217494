//! The parameters of adapters, which decide whether a scenario has any, and so belong to its check.

use super::Checked;
use crate::architecture::{Latent, Moe, Projection, SlidingWindow};
use crate::training::LoraTargets;

/// Parameters of all adapters on the rank that is looked at.
///
/// # Formula
/// `rank` × (inputs + outputs) of each target. With h = `hidden_size`, q and k the widths of queries and keys, f = `intermediate_size`, V = `vocab_size`:
/// queries h + q, keys and values h + k each, output q + h, each matrix of the MLP h + f, head h + V.
/// Latent attention has other matrices: queries are made in one step or, compressed, in two, and keys and values together in two, which
/// carry adapters if either is a target.
///
/// # Units
/// Parameters, not bytes.
///
/// # Assumes
/// `mlp` means dense MLPs and shared experts; routed experts and routers carry none, as `peft` leaves the fused experts of `transformers` alone.
/// Layers with linear attention or a state carry none in place of attention. Tensor-parallel ranks divide the long side that the matrix beside it divides
/// and copy the other; a pipeline stage has the adapters of its layers, the last one those of the head.
///
/// # Source
/// Hu et al. 2021, section 4; equal to the counts that LitGPT prints (set `litgpt-trainable-parameters` of the crate `memory-wall-accuracy`).
///
/// # Example
/// ```
/// use memory_wall_core::{LoraTargets, Mode, Scenario, memory::adapters, tables::models};
/// let mut scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture);
/// scenario.mode = Mode::Lora;
/// (scenario.training.lora.rank, scenario.training.lora.targets) = (8, LoraTargets::QV);
/// let scenario = scenario.check().unwrap();
/// assert_eq!(adapters::parameters(&scenario), 4_194_304);
/// ```
pub fn parameters(scenario: &Checked) -> u64 {
    let mut sides = 0;
    each(scenario, &mut |matrices, pair| sides += matrices * (pair[0] + pair[1]));
    u64::from(scenario.training.lora.rank) * sides
}

/// The same of the thin matrices that have so many values at least.
pub(crate) fn in_large(scenario: &Checked, least: u64) -> u64 {
    let rank = u64::from(scenario.training.lora.rank);
    let mut values = 0;
    each(scenario, &mut |matrices, pair| {
        values += pair.map(|side| rank * side).into_iter().filter(|it| *it >= least).sum::<u64>() * matrices;
    });
    values
}

/// Hands over how many targets there are of each kind, with their inputs and outputs.
fn each(scenario: &Checked, sink: &mut dyn FnMut(u64, [u64; 2])) {
    let (shape, local, lora) = (&scenario.architecture, scenario.local(), scenario.training.lora);
    let (start, end) = scenario.parallel.layers_of_stage(shape.layers);
    let kinds = shape.kinds_between(start, end);
    let h = u64::from(shape.hidden_size);
    attention(scenario, None, &mut |pair| sink(kinds.full.into(), pair));
    if shape.sliding_window.is_some() {
        attention(scenario, shape.sliding_window, &mut |pair| sink(kinds.sliding.into(), pair));
    }
    if lora.targets.mlp {
        let matrices = |layers: u32| shape.mlp.matrices() * u64::from(layers);
        sink(matrices(kinds.dense), [h, local.intermediate_size]);
        if let Some(Moe { shared_intermediate_size: shared @ 1.., .. }) = shape.moe {
            sink(matrices(kinds.moe), [h, u64::from(shared).div_ceil(scenario.parallel.tp.into())]);
        }
    }
    if lora.targets.head && local.head {
        sink(1, [h, local.vocab_size]);
    }
}

/// Inputs and outputs of the targets in one layer's attention.
fn attention(scenario: &Checked, window: Option<SlidingWindow>, sink: &mut dyn FnMut([u64; 2])) {
    let (shape, targets) = (&scenario.architecture, scenario.training.lora.targets);
    let tp = u64::from(scenario.parallel.tp);
    let heads = scenario.local().heads;
    let h = u64::from(shape.hidden_size);
    if let Projection::Latent(it) = shape.projection {
        return latent(&it, targets, [h, heads], sink);
    }
    let [kv_heads, head_dim] = shape.cached_heads(window);
    // Where keys serve as values there is no matrix of values.
    let values = targets.v && !(shape.keys_as_values && window.is_none());
    let [q, k] = [heads, u64::from(kv_heads).div_ceil(tp)].map(|heads| heads * u64::from(head_dim));
    // A gate on the output is made by the matrix of the queries.
    let queries = if shape.gated_attention { 2 * q } else { q };
    let of = [(targets.q, [h, queries]), (targets.k, [h, k]), (values, [h, k]), (targets.o, [q, h])];
    of.into_iter().filter(|(chosen, _)| *chosen).for_each(|(_, pair)| sink(pair));
}

/// The same for latent attention.
fn latent(it: &Latent, targets: LoraTargets, [h, heads]: [u64; 2], sink: &mut dyn FnMut([u64; 2])) {
    let [rank, rope, nope, v] = [it.kv_lora_rank, it.rope_dim, it.nope_dim, it.v_dim].map(u64::from);
    if targets.q {
        let wide = heads * (nope + rope);
        if let Some(short) = it.q_lora_rank.map(u64::from) {
            sink([h, short]);
            sink([short, wide]);
        } else {
            sink([h, wide]);
        }
    }
    if targets.k || targets.v {
        sink([h, rank + rope]);
        sink([rank, heads * (nope + v)]);
    }
    if targets.o {
        sink([heads * v, h]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::Architecture;
    use crate::parallelism::Parallelism;
    use crate::scenario::Mode;
    use crate::scenario::Scenario;
    use crate::tables::models;
    use crate::training::Implementation;

    fn with(architecture: Architecture, rank: u32, targets: LoraTargets) -> Scenario {
        let mut scenario = Scenario { mode: Mode::Lora, ..Scenario::new(architecture) };
        (scenario.training.lora.rank, scenario.training.lora.targets) = (rank, targets);
        scenario
    }

    #[test]
    fn counts_are_the_printed_ones() {
        let falcon = Architecture::llama([60, 8_192, 128, 8, 64, 32_768, 65_024]);
        let phi = Architecture::llama([24, 2_048, 32, 32, 64, 8_192, 51_200]);
        assert_eq!(parameters(&with(falcon, 8, LoraTargets::QV).check().unwrap()), 12_042_240);
        assert_eq!(parameters(&with(phi, 8, LoraTargets::QV).check().unwrap()), 1_572_864);
    }

    #[test]
    fn ranks_divide_the_side_that_the_matrix_divides() {
        let llama = models::by_id("llama-3.1-8b").unwrap().architecture;
        let targets = LoraTargets { head: true, ..LoraTargets::ALL_LINEAR };
        let mut scenario = with(llama, 16, targets);
        let whole = 32 * (2 * (4_096 + 4_096) + 2 * (4_096 + 1_024) + 3 * (4_096 + 14_336)) + 4_096 + 128_256;
        assert_eq!(parameters(&scenario.check().unwrap()), 16 * whole);
        scenario.training.implementation = Implementation::Torchtitan;
        scenario.parallel = Parallelism { tp: 2, pp: 2, stage: 0, ..Parallelism::ONE };
        scenario.training.micro_batches = 2;
        let layer = 2 * (4_096 + 2_048) + 2 * (4_096 + 512) + 3 * (4_096 + 7_168);
        assert_eq!(parameters(&scenario.check().unwrap()), 16 * 16 * layer);
        scenario.parallel.stage = 1;
        assert_eq!(parameters(&scenario.check().unwrap()), 16 * (16 * layer + 4_096 + 64_128));
    }

    #[test]
    fn routed_experts_carry_none() {
        let mixtral = Architecture {
            moe: Some(Moe::of(8, 2, 14_336)),
            ..Architecture::llama([32, 4_096, 32, 8, 128, 14_336, 32_000])
        };
        let attention = 2 * (4_096 + 4_096) + 2 * (4_096 + 1_024);
        assert_eq!(parameters(&with(mixtral, 16, LoraTargets::ALL_LINEAR).check().unwrap()), 16 * 32 * attention);
        let shared = Moe { shared_intermediate_size: 512, dense_layers: 2, ..Moe::of(8, 2, 14_336) };
        let shared = Architecture { moe: Some(shared), ..mixtral };
        let mlps = 2 * 3 * (4_096 + 14_336) + 30 * 3 * (4_096 + 512);
        assert_eq!(
            parameters(&with(shared, 16, LoraTargets::ALL_LINEAR).check().unwrap()),
            16 * (32 * attention + mlps)
        );
    }

    #[test]
    fn latent_attention_has_two_steps_for_keys_and_values() {
        let it = Latent { kv_lora_rank: 512, q_lora_rank: None, rope_dim: 64, nope_dim: 128, v_dim: 128 };
        let deepseek = Architecture {
            projection: Projection::Latent(it),
            ..Architecture::llama([27, 2_048, 16, 16, 192, 10_944, 102_400])
        };
        let (down, up) = (2_048 + 512 + 64, 512 + 16 * 256);
        assert_eq!(
            parameters(&with(deepseek, 8, LoraTargets::QV).check().unwrap()),
            8 * 27 * (2_048 + 16 * 192 + down + up)
        );
        let compressed =
            Architecture { projection: Projection::Latent(Latent { q_lora_rank: Some(1_536), ..it }), ..deepseek };
        let queries = (2_048 + 1_536) + (1_536 + 16 * 192);
        assert_eq!(parameters(&with(compressed, 8, LoraTargets::QV).check().unwrap()), 8 * 27 * (queries + down + up));
    }
}
