//! Experts in 4 bits: which files load, on which cuts, and what a rank holds of them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

use memory_wall_core::scenario::{Blocks, Unsupported};
use memory_wall_core::serving::Version;
use memory_wall_core::tables::models;
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
