//! Parts of a layer that Megatron-LM computes again by their names (`--recompute-modules`).

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use memory_wall_core::communication::{self, Traffic};
use memory_wall_core::layout::{Layout, PipelineSplit};
use memory_wall_core::memory::activations::megatron;
use memory_wall_core::roofline::operations::{Direction, Listing};
use memory_wall_core::roofline::{Pass, Task};
use memory_wall_core::scenario::{CutError, TrainerOption};
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::{
    Attention, Bucket, Checked, Checkpointing, Implementation, Loss, Mode, Parallelism, Recipe, RecomputedModule,
    RecomputedModules, Scenario, ScenarioError, Verdict, ZeroStage, cost, evaluate, worked,
};

use RecomputedModule::{CoreAttention, LayerNorm, MlaUpProjection, Mlp, Moe, MoeActivation, SharedExperts};

const TOKENS: u128 = 4_096;

fn plain(model: &str) -> Scenario {
    let architecture = models::by_id(model).unwrap().architecture;
    let mut run = Scenario { mode: Mode::Training, seq_length: 4_096, ..Scenario::new(architecture) };
    run.training.implementation = Implementation::Megatron;
    run.training.recipe = run.usual_recipe();
    run
}

fn told(mut run: Scenario, modules: &[RecomputedModule]) -> Scenario {
    run.checkpointing = Checkpointing::Selective;
    run.training.recompute = RecomputedModules::of(|module| modules.contains(&module));
    run
}

fn kept(run: &Scenario, layers: u64) -> u128 {
    let run = run.check().unwrap();
    worked::total(|sink| megatron::layers(&run, layers, sink)).0
}

/// Bytes a token that a module takes off one layer.
fn freed(run: &Scenario, modules: &[RecomputedModule]) -> u128 {
    let bytes = kept(run, 1) - kept(&told(*run, modules), 1);
    assert!(bytes.is_multiple_of(TOKENS), "{bytes}");
    bytes / TOKENS
}

/// DeepSeek-V3: 128 heads of 128 + 64 and of 128, queries from 1,536 values and keys from 512; 8 of 256 experts of width 2,048, and one more for all.
#[test]
fn a_layer_of_latent_attention_and_experts_is_freed_of_what_each_module_makes() {
    let run = plain("deepseek-v3");
    let up = 4 * 128 * 192 + 2 * 128 * 128 + 2 * (1_536 + 512);
    let experts = 8 * (6 * 2_048 + 2 * 7_168) + 4 * 256;
    for (module, bytes) in [
        (CoreAttention, 0),
        (LayerNorm, 2 * 2 * 7_168),
        (MlaUpProjection, up),
        (MoeActivation, 8 * 2 * 2_048),
        (Mlp, 0),
        (Moe, experts + 6 * 2_048),
        (SharedExperts, 6 * 2_048),
    ] {
        assert_eq!(freed(&run, &[module]), bytes, "{}", module.id());
    }
    // What lies in one another is freed once.
    assert_eq!(freed(&run, &[Moe, MoeActivation, SharedExperts]), freed(&run, &[Moe]));
    assert_eq!(freed(&run, &[MoeActivation, SharedExperts]), 8 * 2 * 2_048 + 6 * 2_048);
    assert_eq!(freed(&run, &[LayerNorm, MlaUpProjection, MoeActivation]), 4 * 7_168 + up + 16 * 2_048);
    // 3 of 61 layers are dense, with a width of 18,432; their norm is a part of the first matrix.
    let all = kept(&run, 61);
    assert_eq!(all - kept(&told(run, &[Mlp]), 61), 3 * TOKENS * (2 * 7_168 + 6 * 18_432));
    assert_eq!(all - kept(&told(run, &[LayerNorm]), 61), TOKENS * 2 * 7_168 * (61 + 58));
}

#[test]
fn a_dense_layer_is_freed_of_its_mlp_and_of_its_scores() {
    // Llama 3.1 8B: 32 heads, width 4,096 and 14,336.
    let llama = plain("llama-3.1-8b");
    assert_eq!(freed(&llama, &[Mlp]), 2 * 4_096 + 6 * 14_336);
    // Both norms are parts of the matrices behind them.
    assert_eq!(freed(&llama, &[LayerNorm]), 0);
    assert_eq!(freed(&llama, &[CoreAttention]), 0);
    let eager = Scenario { attention: Attention::Eager, ..llama };
    assert_eq!(freed(&eager, &[CoreAttention]), 2 * 32 * TOKENS);
    assert_eq!(freed(&eager, &[CoreAttention, Mlp]), 2 * 32 * TOKENS + 2 * 4_096 + 6 * 14_336);
    assert_eq!(freed(&eager, &[Mlp]), 2 * 4_096 + 6 * 14_336);
    // Qwen3 30B A3B has heads of the usual kind, so that only the norm before its experts is by itself.
    assert_eq!(freed(&plain("qwen3-30b-a3b"), &[LayerNorm]), 2 * 2_048);
}

#[test]
fn tensor_parallel_ranks_are_freed_of_their_parts() {
    let mut run = plain("deepseek-v3");
    run.parallel = Parallelism { tp: 2, sequence_parallel: true, ..Parallelism::ONE };
    assert_eq!(freed(&run, &[LayerNorm]), 2 * 7_168);
    assert_eq!(freed(&run, &[MlaUpProjection]), 4 * 64 * 192 + 2 * 64 * 128 + 1_536 + 512);
    assert_eq!(freed(&run, &[SharedExperts]), 3 * 2_048);
}

/// One layer is whole again while its backward pass runs, so that no module takes all that it frees off the peak.
#[test]
fn the_layer_that_is_computed_again_stays_in_the_peak() {
    let run = plain("llama-3.1-8b");
    let acts = |run: Scenario| evaluate(&run.check().unwrap()).bytes(Bucket::Activations).0;
    let none = acts(run);
    let mlp = acts(told(run, &[Mlp]));
    let layer = TOKENS * (2 * 4_096 + 6 * 14_336);
    let forward = kept(&told(run, &[Mlp]), 32);
    assert!(mlp >= forward && mlp <= forward + layer + 4 * TOKENS * 4_096, "{mlp} {forward}");
    assert!(mlp < none - 30 * layer, "{mlp} {none}");
}

#[test]
fn what_is_computed_again_takes_time() {
    let gpu = gpus::by_id("h100-sxm").unwrap();
    let again = |run: Scenario| {
        let run = run.check().unwrap();
        let mut flops = [0; 3];
        Listing::new(&run, gpu, Pass::Training).each(&mut |it| {
            let place = match it.task {
                _ if it.direction != Direction::Recompute => return,
                Task::QkvProjection => 0,
                Task::MlpUp | Task::MlpDown | Task::SharedExperts | Task::ExpertsUp | Task::ExpertsDown => 1,
                _ => 2,
            };
            flops[place] += u128::from(it.times) * it.work.flops;
        });
        flops
    };
    let deepseek = plain("deepseek-v3");
    // 1,536 × 128 × 192 and 512 × 128 × 256 parameters in each of 61 layers.
    let up = 2 * TOKENS * 61 * (1_536 * 128 * 192 + 512 * 128 * 256);
    assert_eq!(again(told(deepseek, &[MlaUpProjection]))[0], up);
    assert_eq!(again(told(deepseek, &[Mlp]))[1], 2 * TOKENS * 3 * 3 * 7_168 * 18_432);
    let expert = 3 * 7_168 * 2_048;
    assert_eq!(again(told(deepseek, &[SharedExperts]))[1], 2 * TOKENS * 58 * expert);
    assert_eq!(again(told(deepseek, &[Moe]))[1], 2 * TOKENS * 58 * 9 * expert);
    assert_eq!(again(told(deepseek, &[MoeActivation]))[..2], [0, 0]);
    assert!(again(told(deepseek, &[MoeActivation]))[2] > 0);
    assert_eq!(again(told(deepseek, &[LayerNorm])), [0, 0, 4 * TOKENS * 7_168 * (61 + 58)]);
    // Megatron-LM goes around fused attention too: 3.9% more time was measured for Moonlight.
    assert!(again(told(deepseek, &[CoreAttention]))[2] > 0);
    assert_eq!(again(deepseek), [0; 3]);
    // The rough time that ranks fixes agrees with the order.
    let ratio = |modules: &[RecomputedModule]| {
        let one = deepseek.check().unwrap();
        cost::time_ratio(&one, &told(deepseek, modules).check().unwrap())
    };
    assert!((ratio(&[MoeActivation]) - 1.0).abs() < 1e-9);
    assert!(1.0 < ratio(&[Mlp]) && ratio(&[Mlp]) < ratio(&[Moe]) && ratio(&[Moe]) < 4.0 / 3.0);
    assert!(1.0 < ratio(&[MlaUpProjection]) && ratio(&[MlaUpProjection]) < ratio(&[Moe]));
}

#[test]
fn what_is_computed_again_is_exchanged_again() {
    let mut run = plain("deepseek-v3");
    run.parallel = Parallelism { tp: 2, dp: 8, ep: 8, etp: Some(1), sequence_parallel: true, ..Parallelism::ONE };
    run.parallel.zero = ZeroStage::Optimizer;
    let sent = |run: Scenario, traffic| communication::bytes(&run.check().unwrap(), traffic).0;
    assert_eq!(2 * sent(told(run, &[Moe]), Traffic::Expert), 3 * sent(run, Traffic::Expert));
    let tensor = |modules: &[RecomputedModule]| sent(told(run, modules), Traffic::Tensor);
    // 61 layers exchange four times each way; 58 and 3 of them once more.
    assert_eq!(8 * 61 * (tensor(&[Moe]) - tensor(&[])), 2 * 58 * tensor(&[]));
    assert_eq!(8 * 61 * (tensor(&[Mlp]) - tensor(&[])), 2 * 3 * tensor(&[]));
}

#[test]
fn a_module_that_no_layer_has_is_refused() {
    let refused = |run: Scenario| match run.check().err() {
        Some(ScenarioError::Cut(CutError::Lacks(_, TrainerOption::Recompute(module)))) => Some(module),
        other => {
            assert_eq!(other, None);
            None
        }
    };
    let llama = plain("llama-3.1-8b");
    for module in [MlaUpProjection, Moe, MoeActivation, SharedExperts] {
        assert_eq!(refused(told(llama, &[CoreAttention, module])), Some(module));
    }
    for module in [CoreAttention, LayerNorm, Mlp] {
        assert_eq!(refused(told(llama, &[module])), None);
    }
    assert_eq!(refused(told(plain("qwen3-30b-a3b"), &[MlaUpProjection])), Some(MlaUpProjection));
    assert_eq!(refused(told(plain("qwen3-30b-a3b"), &[Moe, Mlp])), None);
    // Without selective checkpointing nothing is asked of them.
    let full = Scenario { checkpointing: Checkpointing::Full, ..told(llama, &[Moe]) };
    assert_eq!(refused(full), None);
    let mut stock = told(llama, &[CoreAttention]);
    stock.training.implementation = Implementation::Transformers;
    assert_eq!(refused(stock), None);
    assert_eq!(refused(told(stock, &[Mlp])), Some(Mlp));
    assert_eq!(refused(told(stock, &[CoreAttention, Mlp])), Some(Mlp));
}

/// A recipe with 16-bit gradients, a compiled loss and the distributed optimizer.
fn recipe(
    model: &str,
    gpu: &str,
    layout: &str,
    parallel: Parallelism,
    batch: u32,
    modules: &[RecomputedModule],
) -> Checked {
    let mut run = told(plain(model), modules);
    let split = PipelineSplit { layout: Layout::read(layout).ok(), ..PipelineSplit::default() };
    let sequence_parallel = parallel.tp > 1;
    run.parallel = Parallelism { split, sequence_parallel, zero: ZeroStage::Optimizer, etp: Some(1), ..parallel };
    (run.training.recipe, run.training.loss) = (Recipe::Mixed, Loss::Compiled);
    run.training.micro_batches = batch / parallel.dp;
    run.gpu = gpus::by_id(gpu);
    run.check().unwrap()
}

/// Megatron-Bridge at 067f987 (2026-08), `src/megatron/bridge/perf_recipes`: `deepseek_v3_pretrain_1024gpu_h100_bf16_config`,
/// `deepseek_v3_pretrain_256gpu_b200_bf16_config` and `kimi_k2_pretrain_256gpu_b200_bf16_config`. Read 2026-11-26.
#[test]
fn published_runs_go_on_their_gpus() {
    let one = Parallelism::ONE;
    let deepseek = Parallelism { tp: 2, pp: 8, virtual_stages: 4, ep: 64, dp: 64, ..one };
    let of =
        |modules: &[RecomputedModule]| recipe("deepseek-v3", "h100-sxm", "Et|(tt|)*30mL", deepseek, 16_384, modules);
    let wide = |ep| Parallelism { pp: 16, ep, dp: 16, ..one };
    let b200 = recipe("deepseek-v3", "b200", "Et*4|(t*4|)*14tmL", wide(8), 4_096, &[MlaUpProjection]);
    let kimi = recipe("kimi-k2", "b200", "Et*4|(t*4|)*14tL", wide(16), 2_048, &[MlaUpProjection]);
    let verdict = |run: &Checked| evaluate(run).fit.unwrap().verdict;
    for run in [of(&[MlaUpProjection, Mlp]), b200, kimi] {
        assert_eq!(verdict(&run), Verdict::Fits);
    }
    assert_eq!(verdict(&of(&[CoreAttention])), Verdict::Tight);
    // With gradients in fp32, as --bf16 alone has them, the modules decide.
    let wider = |modules: &[RecomputedModule]| of(modules).with(|it| it.training.recipe = Recipe::MixedFp32Gradients);
    assert_eq!(verdict(&wider(&[CoreAttention]).unwrap()), Verdict::DoesNotFit);
    assert_ne!(verdict(&wider(&[MlaUpProjection, Mlp]).unwrap()), Verdict::DoesNotFit);
}
