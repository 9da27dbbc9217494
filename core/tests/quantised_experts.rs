//! Experts in 4 bits: which files load, on which cuts, and what a rank holds of them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

use memory_wall_core::engines::vllm::{Figures, Run};
use memory_wall_core::scenario::{Blocks, Unsupported};
use memory_wall_core::serving::Version;
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::{Engine, Scenario, ScenarioError, WeightFormat};

fn served(id: &str, weights: WeightFormat, tp: u32, minor: u32) -> Scenario {
    let mut scenario = Scenario { weights, ..Scenario::new(models::by_id(id).unwrap().architecture) };
    scenario.serving.engine = Engine::Vllm;
    (scenario.parallel.tp, scenario.serving.version) = (tp, Version { major: 0, minor });
    scenario
}

/// `AutoRound`'s file of Gemma 4 26B A4B in groups of 128 cuts the last group of 704: vLLM does not load it (pull request 43227, open).
#[test]
fn a_file_with_a_broken_group_loads_on_no_cut() {
    for tp in [1, 2] {
        for minor in [19, 22, 29] {
            let error = match served("gemma-4-26b-a4b", WeightFormat::Int4, tp, minor).check() {
                Err(ScenarioError::Runtime(error @ Unsupported::Blocks { blocks, .. })) => {
                    assert_eq!((blocks.block, blocks.ranks), (128, tp.into()));
                    error.to_string()
                }
                other => panic!("{tp} 0.{minor}: {other:?}"),
            };
            assert!(error.contains("which groups of 32 divide (int4-g32)") && !error.contains("0.13"), "{error}");
            // As it is served: groups of 32 (noonghunna/club-3090 pull request 333).
            assert!(served("gemma-4-26b-a4b", WeightFormat::Int4Group32, tp, minor).check().is_ok());
        }
    }
    let one = served("gemma-4-26b-a4b", WeightFormat::Int4, 1, 29).check().unwrap_err().to_string();
    assert!(one.contains("moe_intermediate_size 704, which groups"), "{one}");
    // Groups of the file are whole, and parts of them go to ranks since 0.13.
    for (id, tp) in [("qwen3-30b-a3b", 1), ("qwen3-30b-a3b", 4), ("qwen3-235b-a22b", 8)] {
        assert!(served(id, WeightFormat::Int4, tp, 29).check().is_ok(), "{id} {tp}");
    }
}

/// QuantTrio/GLM-4.6-AWQ over 8 ranks, 192 of each expert on one: vLLM pull request 30210, merged after 0.12.
#[test]
fn shared_experts_in_16_bits_have_no_groups_to_cut() {
    let refused = |minor| match served("glm-4.7", WeightFormat::Int4, 8, minor).check() {
        Ok(_) => None,
        Err(ScenarioError::Runtime(Unsupported::Blocks { blocks: Blocks { what, .. }, .. })) => Some(what),
        other => panic!("0.{minor}: {other:?}"),
    };
    assert_eq!([11, 12].map(refused), [Some("moe_intermediate_size"); 2]);
    assert_eq!([13, 29].map(refused), [None, None]);
}

/// Weights of gpt-oss that logs say: vLLM issue 23278 (0.10.1, Marlin's kernels), row S028 of `vllm_starts.csv`, rows V074, V044 and V046 of `vllm_runs.csv`. V074 does not say its release, and row S050, the 32.98 GiB, names no GPU: an H100 is taken.
#[test]
fn experts_in_mxfp4_are_padded_as_their_kernels_ask() {
    let of = |id, gpu, tp, minor, figures| {
        let scenario = Scenario { gpu: gpus::by_id(gpu), ..served(id, WeightFormat::Mxfp4, tp, minor) };
        let scenario = scenario.check().unwrap();
        Run { figures, ..Run::of(&scenario) }.weights() as f64 / f64::from(1 << 30)
    };
    for (id, gpu, tp, minor, logged, off) in [
        ("gpt-oss-120b", "h100-sxm", 1, 10, 65.9651, 0.003),
        ("gpt-oss-120b", "a100-80-sxm", 4, 10, 17.2217, 0.003),
        ("gpt-oss-120b", "h100-sxm", 1, 11, 64.38, 0.003),
        ("gpt-oss-120b", "h100-sxm", 2, 15, 32.98, 0.01),
        ("gpt-oss-20b", "h100-sxm", 1, 19, 13.64, 0.005),
        ("gpt-oss-20b", "h100-sxm", 2, 19, 7.01, 0.013),
    ] {
        let usual = of(id, gpu, tp, minor, Figures::Usual);
        assert!((usual / logged - 1.0).abs() < off, "{id} {gpu} {tp} 0.{minor}: {usual} {logged}");
        assert!(of(id, gpu, tp, minor, Figures::Most) > logged * 0.997, "{id} {gpu} {tp} 0.{minor}");
    }
    // 2,880 / 8 = 360 becomes 384 with Marlin's kernels and 512 with those of TensorRT-LLM, and a start is judged tight by the latter.
    let each = |inside: f64| 36.0 * 128.0 * 3.0 * 3_072.0 * inside * 17.0 / 32.0 / f64::from(1 << 30);
    let [usual, most, server] = [
        of("gpt-oss-120b", "rtxpro4500", 8, 29, Figures::Usual),
        of("gpt-oss-120b", "rtxpro4500", 8, 29, Figures::Most),
        of("gpt-oss-120b", "b200", 8, 29, Figures::Usual),
    ];
    assert!((most - usual - each(128.0)).abs() < 0.01 && (server - most).abs() < 0.01, "{usual} {most} {server}");
    assert!(usual / most < 0.86, "{usual} {most}");
}

/// The largest figure is no smaller than the usual one, on every GPU, release and cut.
#[test]
fn the_largest_padding_is_the_largest() {
    for gpu in ["h100-sxm", "h200-sxm", "a100-80-sxm", "b200", "rtx5090", "mi300x", "l40s"] {
        for (minor, tp) in
            [10, 11, 15, 18, 19, 24, 25, 29].into_iter().flat_map(|minor| [1, 2, 4, 8].map(|tp| (minor, tp)))
        {
            for id in ["gpt-oss-20b", "gpt-oss-120b"] {
                let scenario = Scenario { gpu: gpus::by_id(gpu), ..served(id, WeightFormat::Mxfp4, tp, minor) };
                // What a release does not have yet is refused.
                let Ok(scenario) = scenario.check() else { continue };
                let [least, usual, most] = [Figures::Least, Figures::Usual, Figures::Most]
                    .map(|figures| Run { figures, ..Run::of(&scenario) }.weights());
                assert!(least <= usual && usual <= most, "{id} {gpu} {tp} 0.{minor}: {least} {usual} {most}");
            }
        }
    }
}
