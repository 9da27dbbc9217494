//! What the releases of vLLM since the oldest that is modelled have brought: models, formats, GPUs.

use core::fmt;

use super::{Scenario, Unsupported};
use crate::architecture::Projection;
use crate::precision::WeightFormat;
use crate::serving::{Engine, Version};
use crate::tables::capability::{self, BLACKWELL, Capability};
use crate::tables::models::MODELS;

/// What a release does not have yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Newer {
    /// A class for the model. Newer releases may run one of transformers in its place, with other memory.
    Model(&'static str),
    /// Kernels for the GPU in the packages that are published.
    Gpu(&'static str, Capability),
    /// The format of the weights.
    Weights(WeightFormat),
    /// A cache of the short vector of latent attention; before, every head's keys and values were cached.
    LatentCache,
    /// The option of the command.
    Option(&'static str),
}

impl fmt::Display for Newer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(name) => {
                write!(f, "has no class for {name}, and what it makes of transformers' own is not modelled")
            }
            Self::Gpu(name, has) => write!(f, "comes without kernels for {name}, whose compute capability is {has}"),
            Self::Weights(format) => write!(f, "does not load {} weights", format.id()),
            Self::Option(name) => write!(f, "has no {name}"),
            Self::LatentCache => {
                f.write_str("caches the keys and values of every head of latent attention, which is not modelled")
            }
        }
    }
}

/// The first release, `0.` before the number, that serves models whose id begins so; longer beginnings first. Others were known to the oldest.
///
/// # Assumes
/// A release counts when any of its patches does: gpt-oss came with 0.10.1. Models that the oldest serves through a class of the same shape are not here.
///
/// # Source
/// "New models" in vLLM's release notes, the pull requests that register the classes, and `min_vllm_version` of vllm-project/recipes (GLM-5 and 5.2). Read 2026-11-25.
const MODELS_SINCE: [(&str, u32); 54] = [
    ("qwen2.5-vl", 7),
    ("qwen3.8-2.4t", 27),
    ("qwen3.5", 17),
    ("qwen3-next", 10),
    ("qwen3-vl", 11),
    ("qwen3", 8),
    ("gpt-oss", 10),
    ("llama-4", 8),
    ("gemma-4", 19),
    ("gemma-3", 8),
    ("ministral-3-", 12),
    ("mistral-large-3", 12),
    ("mistral-small-4", 20),
    ("mistral-medium-3.5", 18),
    ("hy3", 20),
    ("ling-mini", 11),
    ("ling-flash", 11),
    ("ling-1t", 11),
    ("mimo-7b", 9),
    ("solar-open", 15),
    ("phi-4-mini", 7),
    ("kimi-k2.5", 15),
    ("kimi-linear", 11),
    ("granite-4.0-h", 9),
    ("falcon-h1", 9),
    ("smollm3", 10),
    ("glm-4-9b-0414", 8),
    ("glm-4.7-flash", 14),
    ("glm-5.2", 23),
    ("glm-5", 16),
    ("deepseek-v3.2", 11),
    ("deepseek-v4", 20),
    ("glm-4.5", 10),
    ("glm-4.7", 10),
    ("minimax-m2", 11),
    ("minimax-m3", 24),
    ("command-", 7),
    ("apertus", 11),
    ("olmo-3", 11),
    ("seed-oss", 10),
    ("exaone-4.0", 10),
    ("k-exaone", 14),
    ("dots-llm1", 9),
    ("ernie-4.5", 10),
    ("hunyuan-a13b", 9),
    ("hunyuan", 10),
    ("nemotron-h", 9),
    ("nemotron-nano-9b-v2", 10),
    ("nemotron-3-nano", 12),
    ("nemotron-3-super", 17),
    ("nemotron-3-ultra", 17),
    ("lfm2-8b-a1b", 11),
    ("lfm2-24b-a2b", 11),
    ("lfm2", 10),
];

/// The newest of these: a release from here on has them all.
const ALL_SINCE: Version = Version { major: 0, minor: 27 };

/// Whether the release of vLLM that serves a scenario has what the scenario needs.
///
/// # Errors
/// The first thing that a later release brought.
///
/// # Source
/// Blackwell: CUDA 12.4, with which releases before 0.9 come, has no kernels for it; vLLM 0.9.0 is the first whose packages are built with CUDA 12.8 (issue 16901: "no kernel image is available for execution on the
/// device"). MXFP4: 0.10.1, with gpt-oss. NVFP4: pull request 13571, in 0.8. Latent attention: 0.7.1. `--language-model-only`: pull request 34120, in the package of 0.17.0 and not in that of 0.16.0 (2026-11-28). Others read 2026-11-25.
pub(super) fn supported(scenario: &Scenario) -> Result<(), Unsupported> {
    let has = scenario.serving.version;
    if has >= ALL_SINCE {
        return Ok(());
    }
    let needs = |what, minor| {
        let needs = Version { major: 0, minor };
        if has < needs { Err(Unsupported::Release { what, has, needs }) } else { Ok(()) }
    };
    if let Some((name, minor)) = known_since(scenario) {
        needs(Newer::Model(name), minor)?;
    }
    if matches!(scenario.architecture.projection, Projection::Latent(_)) {
        needs(Newer::LatentCache, 7)?;
    }
    // Without a tower the option has no effect, and is not passed on.
    if scenario.serving.language_model_only && scenario.architecture.tower.is_some() {
        needs(Newer::Option("--language-model-only"), 17)?;
    }
    match scenario.weights {
        format @ WeightFormat::Mxfp4 => needs(Newer::Weights(format), 10)?,
        format @ WeightFormat::Nvfp4 => needs(Newer::Weights(format), 8)?,
        _ => {}
    }
    match scenario.gpu.and_then(|gpu| Some((gpu.name, capability::of(gpu)?))) {
        Some((name, capability)) if capability >= BLACKWELL => needs(Newer::Gpu(name, capability), 9),
        _ => Ok(()),
    }
}

/// The name of the model of the list that a scenario has the shape of, and the first release that knows it.
fn known_since(scenario: &Scenario) -> Option<(&'static str, u32)> {
    debug_assert_eq!(scenario.serving.engine, Engine::Vllm);
    let shape = scenario.architecture.but_rotary();
    let model = MODELS.iter().find(|model| model.architecture.but_rotary() == shape)?;
    let (_, minor) = MODELS_SINCE.iter().find(|(id, _)| model.id.starts_with(id))?;
    Some((model.name, *minor))
}

#[cfg(test)]
mod tests {
    extern crate alloc;
    use super::*;
    use crate::scenario::ScenarioError;
    use crate::tables::{gpus, models};
    use alloc::string::ToString;

    fn told(model: &str, gpu: &str, weights: WeightFormat, minor: u32) -> Option<Unsupported> {
        let mut scenario = Scenario::new(models::by_id(model).unwrap().architecture);
        (scenario.serving.engine, scenario.weights, scenario.gpu) = (Engine::Vllm, weights, gpus::by_id(gpu));
        scenario.serving.version = Version { major: 0, minor };
        match scenario.check() {
            Err(ScenarioError::Runtime(error)) => Some(error),
            Ok(_) => None,
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn an_old_release_serves_no_newer_model_format_or_gpu() {
        use WeightFormat::{Bf16, Fp8, Int4, Mxfp4, Nvfp4};
        for (model, gpu, weights, first) in [
            ("gpt-oss-20b", "h100-sxm", Mxfp4, 10),
            ("qwen3-8b", "h100-sxm", Bf16, 8),
            ("qwen3.5-27b", "h100-sxm", Fp8, 17),
            ("qwen3-next-80b-a3b", "h200", Bf16, 10),
            ("llama-4-scout", "h200", Bf16, 8),
            ("gemma-4-31b", "h200", Bf16, 19),
            ("deepseek-v2-lite", "h100-sxm", Bf16, 7),
            ("llama-3.1-8b", "h100-sxm", Nvfp4, 8),
            ("llama-3.1-8b", "rtx5090", Int4, 9),
            ("llama-3.1-8b", "b200", Bf16, 9),
            ("llama-3.1-8b", "gb10", Bf16, 9),
            ("llama-3.1-8b", "h100-sxm", Bf16, 6),
        ] {
            for minor in 6..20 {
                let refused = told(model, gpu, weights, minor);
                let newer = matches!(refused, Some(Unsupported::Release { .. }));
                assert_eq!(newer, minor < first, "{model} on {gpu} under 0.{minor}: {refused:?}");
            }
        }
        // vLLM 0.16.1rc1 served Qwen3.5.
        let said = told("qwen3.5-27b", "h100-sxm", Fp8, 16).unwrap().to_string();
        assert!(said.ends_with("is 0.17, and nightly builds shortly before it may"), "{said}");
        let said = told("llama-3.1-8b", "rtx5090", Int4, 8).unwrap().to_string();
        assert_eq!(
            said,
            "vLLM 0.8 comes without kernels for GeForce RTX 5090, whose compute capability is 12.0: the first release that serves this is 0.9"
        );
    }

    #[test]
    fn an_old_release_does_not_know_how_to_leave_the_tower_out() {
        let refused = |model: &str, minor| {
            let mut scenario = Scenario::new(models::by_id(model).unwrap().architecture);
            (scenario.serving.engine, scenario.gpu) = (Engine::Vllm, gpus::by_id("h100-sxm"));
            scenario.serving.version = Version { major: 0, minor };
            assert!(scenario.check().is_ok(), "{model} under 0.{minor}");
            scenario.serving.language_model_only = true;
            scenario.check().err().map(|error| error.to_string())
        };
        let said = refused("qwen3-vl-8b", 16).unwrap();
        assert!(said.contains("vLLM 0.16 has no --language-model-only: the first release"), "{said}");
        assert_eq!(refused("qwen3-vl-8b", 17), None);
        // Nothing is left out of a model without a tower.
        assert_eq!(refused("qwen3-8b", 16), None);
    }

    #[test]
    fn every_beginning_is_that_of_a_model_and_the_longest_comes_first() {
        for (place, (id, minor)) in MODELS_SINCE.iter().enumerate() {
            assert!(MODELS.iter().any(|model| model.id.starts_with(id)), "{id}");
            let (earlier, _) = MODELS_SINCE.split_at(place);
            assert!(!earlier.iter().any(|(other, _)| id.starts_with(other)), "{id}");
            assert!(*minor <= ALL_SINCE.minor, "{id}");
        }
    }
}
