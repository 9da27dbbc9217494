//! What vLLM's kernels need of the matrices and the cache on a rank.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

#[allow(dead_code, reason = "another file of tests uses the rest")]
#[path = "common/runs.rs"]
mod runs;

use memory_wall_core::serving::Version;
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::{Engine, KvPrecision, Scenario, WeightFormat};
use runs::with;

/// The first of what is refused in a model with weights in a format, on so many GPUs, under vLLM 0.`minor`.
fn refused_by_vllm((model, weights): (&str, WeightFormat), (gpu, tp): (&str, u32), minor: u32) -> Option<String> {
    let mut scenario = with(&Scenario::new(models::by_id(model).unwrap().architecture), Engine::Vllm);
    scenario.weights = weights;
    (scenario.serving.version, scenario.parallel.tp) = (Version { major: 0, minor }, tp);
    scenario = scenario.on(gpus::by_id(gpu).unwrap());
    scenario.check().err().map(|error| error.to_string())
}

/// GLM-4.5-Air in fp8 on GPUs without units for it: 2 × 10,944 / 4 = 5,472 columns, as zai-org/GLM-V issue 178 says, and 2,736 on 8; on two ranks 5,472 rows, which
/// no kernel takes ("Invalid thread config"); newer releases pad. Experts of Nemotron 3: 2,688 / 4 = 672 (vLLM pull requests 36807 and 43908), 1,856 / 2 = 928 (37296).
#[test]
fn marlin_needs_whole_tiles() {
    use WeightFormat::{Fp8, Nvfp4};
    let (air, nano, large) = ("glm-4.5-air", "nemotron-3-nano-30b", "nemotron-3-super-120b");
    for (model, weights, gpu, tp, minor, says) in [
        (
            air,
            Fp8,
            "rtxa6000",
            4,
            10,
            "refuses the MLP whose matrix on a rank, 5,472 x 4,096, is no multiple of 64 by 128",
        ),
        (air, Fp8, "rtx3090", 8, 11, "2,736 x 4,096"),
        (air, Fp8, "rtxa6000", 2, 23, "4,096 x 5,472"),
        (
            large,
            Nvfp4,
            "h100-sxm",
            4,
            22,
            "refuses an expert whose matrix on a rank, 672 x 1,024, is no multiple of 64 by 128; 0.24 pads it",
        ),
        (large, Nvfp4, "a100-80-sxm", 4, 20, "compute capability 8.9 or newer, and A100 SXM4 80GB has 8.0"),
        (large, Fp8, "a100-80-sxm", 4, 24, "refuses an expert whose matrix on a rank, 672 x 1,024, is no"),
        (large, Fp8, "a100-80-sxm", 4, 29, "672 x 1,024"),
        (nano, Nvfp4, "h100-sxm", 2, 17, "928 x 2,688"),
        (nano, Fp8, "a100-80-sxm", 4, 17, "928 x 2,688"),
        ("nemotron-nano-9b-v2", Fp8, "a100-80-sxm", 2, 20, "the MLP"),
        ("nemotron-h-8b", Fp8, "a100-80-sxm", 4, 20, "Mamba-2"),
    ] {
        let refused = refused_by_vllm((model, weights), (gpu, tp), minor).unwrap_or_default();
        assert!(refused.contains(says), "{model} on {tp} {gpu} under 0.{minor}: {refused}");
    }
    for (model, weights, gpu, tp, minor) in [
        (air, Fp8, "rtxa6000", 1, 10),
        (air, Fp8, "rtxa6000", 4, 29),
        (air, Fp8, "h100-sxm", 4, 10),
        (large, Nvfp4, "h100-sxm", 2, 20),
        (large, Nvfp4, "b200", 4, 20),
        (large, Nvfp4, "h100-sxm", 4, 24),
        (large, Nvfp4, "a100-80-sxm", 4, 24),
        (nano, Nvfp4, "h100-sxm", 1, 17),
        (nano, Fp8, "l40s", 4, 22),
    ] {
        let refused = refused_by_vllm((model, weights), (gpu, tp), minor);
        assert_eq!(refused, None, "{model} on {tp} {gpu} under 0.{minor}");
    }
}

/// The kernels of `FlashInfer` keep an fp8 cache on compute capability 7.5 in 0.23 alone (vLLM issue 47549, pull request 47949).
#[test]
fn one_release_keeps_an_fp8_cache_on_turing() {
    for (minor, runs) in [(22, false), (23, true), (24, false)] {
        let mut scenario = with(&Scenario::new(models::by_id("qwen3-8b").unwrap().architecture), Engine::Vllm);
        (scenario.kv, scenario.serving.version) = (KvPrecision::Fp8, Version { major: 0, minor });
        assert_eq!(scenario.on(gpus::by_id("rtx2080ti-22").unwrap()).check().is_ok(), runs, "0.{minor}");
    }
}

/// Experts of Nemotron 3 Nano over 8 ranks are 232 wide, 14.5 groups of 16 (vLLM issue 49949, on H100 with a release that pads).
#[test]
fn groups_of_nvfp4_are_never_cut() {
    for gpu in ["h100-sxm", "b200"] {
        let refused = refused_by_vllm(("nemotron-3-nano-30b", WeightFormat::Nvfp4), (gpu, 8), 29).unwrap_or_default();
        assert!(refused.contains("no multiple of 16") && refused.contains("over 8 ranks is 232"), "{refused}");
        assert_eq!(refused_by_vllm(("nemotron-3-nano-30b", WeightFormat::Nvfp4), (gpu, 4), 29), None, "{gpu}");
    }
}
