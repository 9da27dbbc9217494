//! Runtimes, models and formats that people ask for by name and that are not modelled: they are refused with the reason, not as a misspelling.

use crate::BadInput;
use crate::text::quote;

/// Names, as lower-case words with dashes, and why what they name is not modelled.
type Absent = (&'static [&'static str], &'static str);

/// Programs that serve models.
///
/// # Source
/// huggingface/text-generation-inference, `server/text_generation_server/models/flash_causal_lm.py`, `warmup`; the README of each other program. Read 2026-11-27.
const RUNTIMES: [Absent; 6] = [
    (
        &["tgi", "text-generation-inference", "text-generation-launcher"],
        "its pool is what a warm-up pass of max_batch_prefill_tokens leaves, by rules of its own; memory-wall explain reads what it prints",
    ),
    (
        &["lmstudio", "lm-studio", "koboldcpp", "llamafile", "jan", "text-generation-webui"],
        "it runs llama.cpp, mostly: --engine llamacpp",
    ),
    (
        &["ik-llama.cpp", "ik-llama", "ktransformers"],
        "it places experts and compute buffers by rules of its own; --engine llamacpp places them by llama.cpp's",
    ),
    (
        &["mlx", "mlx-lm", "omlx"],
        "it takes memory as it needs it, and its quantised formats are others; --engine llamacpp counts Metal's limit",
    ),
    (
        &["exllama", "exllamav2", "exllamav3", "tabbyapi", "exl2", "exl3"],
        "its quantised formats have as many bits in each tensor as a measurement gave it",
    ),
    (
        &["lmdeploy", "turbomind", "mlc", "mlc-llm", "deepspeed-mii", "mindie", "aphrodite", "max"],
        "how it shares out a GPU is not modelled",
    ),
];

/// Beginnings of models' names, with the words of their `model_type`.
///
/// # Source
/// `modular_mimo_v2_flash.py`, `modular_solar_open2.py`, `modeling_kimi_linear.py` and `modeling_gemma3n.py` of transformers; `step3p5.py`, `step3_text.py`, `bailing_moe_linear.py` and `minimax_text_01.py` of vLLM and `SGLang`;
/// vLLM pull request 51129 (open in August 2026). Read 2026-11-27.
const MODELS: [Absent; 9] = [
    (&["mimo-v2"], "its keys and its values have different widths (192 and 128)"),
    (
        &["step-3.5", "step-3.7", "step3p5", "step3p7"],
        "its layers with a window have other numbers of query heads (96) than the others (64), each with a gate",
    ),
    (&["step-3", "step3"], "its attention makes queries by a product of matrices (MFA)"),
    (
        &["ling-2.5", "ring-2.5", "ling-2.6", "ring-2.6", "ling-3", "bailing-hybrid", "bailing-moe-linear"],
        "most of its layers have lightning attention, or delta attention with gates of full width, beside latent attention with gates",
    ),
    (
        &["kimi-k3"],
        "it has residuals over blocks of layers, gated latent attention and experts in a width of their own",
    ),
    (
        &["solar-open-2", "solar-open2"],
        "it has Kimi delta attention beside whole heads, which no release of vLLM or llama.cpp is known to serve",
    ),
    (
        &["gemma-3n", "gemma3n", "gemma-4-e2b", "gemma-4-e4b"],
        "it has an embedding table for each layer, and layers that share a cache",
    ),
    (&["minimax-text", "minimax-m1", "minimax-vl"], "most of its layers have lightning attention"),
    (
        &[
            "llama-3.1-nemotron-ultra",
            "llama-3-1-nemotron-ultra",
            "llama-3.3-nemotron-super",
            "llama-3-3-nemotron-super",
            "nemotron-nas",
        ],
        "its layers differ from one another in width, and some have no attention",
    ),
];

/// Formats of weights.
///
/// # Source
/// llama.cpp, `llama-quant.cpp`: the mixes of `IQ1_S` to `IQ3_M` and `TQ1_0`; Unsloth's "Dynamic 2.0" files have a type for each tensor that was measured. Read 2026-11-27.
const FORMATS: [Absent; 4] = [
    (
        &["ud-"],
        "each of its tensors has a type that was chosen by measurement: memory-wall explain FILE.gguf counts a file to the byte",
    ),
    (
        &["iq1-", "iq2-", "iq3-", "tq1-", "tq2-"],
        "which tensors of its mix are wider is not modelled: memory-wall explain FILE.gguf counts a file to the byte",
    ),
    (&["exl2", "exl3"], "each of its tensors has as many bits as a measurement gave it"),
    (&["hqq", "aqlm", "quip", "vptq", "spqr", "bitnet"], "its scales and code books are not modelled"),
];

/// Schedules of a pipeline.
///
/// # Source
/// torchtitan, `job_config.py` (`pipeline_parallel_schedule`), which names those of PyTorch's `torch.distributed.pipelining`. Read 2026-11-27.
const SCHEDULES: [Absent; 3] = [
    (&["gpipe"], "it holds the activations of every micro-batch until all have gone forward"),
    (
        &["zb", "zerobubble", "zero-bubble"],
        "a zero-bubble schedule holds gradients of weights back, with all that they are made of",
    ),
    (&["interleaved"], "1f1b with --virtual-stages takes chunks of layers in turn"),
];

/// Why a schedule of a pipeline is not modelled.
pub(crate) fn schedule(option: &str, text: &str) -> Option<BadInput> {
    let word = word(text);
    refused(option, text, &SCHEDULES, |name| word.contains(name))
}

/// Why a runtime is not modelled.
pub(crate) fn runtime(option: &str, text: &str) -> Option<BadInput> {
    let word = word(text);
    refused(option, text, &RUNTIMES, |name| *name == word)
}

/// Why a model is not modelled, by its name, or by that of its family in a `config.json`.
pub(crate) fn model(option: &str, text: &str) -> Option<BadInput> {
    let word = word(text.rsplit('/').next().unwrap_or(text));
    refused(option, text, &MODELS, |name| names(&word, name))
}

/// Whether a name stands in a word: from its start or behind a `-`, and not as the beginning of a larger number.
fn names(word: &str, name: &str) -> bool {
    word.match_indices(name).any(|(at, _)| {
        let [before, behind] = [word.get(..at), word.get(at + name.len()..)].map(Option::unwrap_or_default);
        let is_cut = name.ends_with(|last: char| last.is_ascii_digit())
            && behind.starts_with(|next: char| next.is_ascii_digit());
        (before.is_empty() || before.ends_with('-')) && !is_cut
    })
}

/// Why a format is not modelled.
pub(crate) fn format(option: &str, text: &str) -> Option<BadInput> {
    let word = word(text);
    refused(option, text, &FORMATS, |name| word.starts_with(name))
}

fn refused(option: &str, text: &str, table: &[Absent], is: impl Fn(&&str) -> bool) -> Option<BadInput> {
    let (_, why) = table.iter().find(|(names, _)| names.iter().any(&is))?;
    Some(BadInput(format!("{option} {} is not modelled: {why}", quote(text))))
}

fn word(text: &str) -> String {
    text.trim().to_lowercase().replace(['_', ' '], "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_core::WeightFormat;
    use memory_wall_core::config::FAMILIES;
    use memory_wall_core::tables::models;

    #[test]
    fn nothing_that_is_modelled_is_refused() {
        for model in models::MODELS {
            assert!(super::model("--model", model.id).is_none(), "{}", model.id);
        }
        for family in FAMILIES {
            assert!(super::model("--config", family).is_none(), "{family}");
        }
        for id in WeightFormat::ALL.iter().map(|it| it.id()) {
            assert!(format("--weights", id).is_none(), "{id}");
        }
        for own in ["my-llama-step-3000", "sibling-3b", "restep3"] {
            assert!(super::model("--model", own).is_none(), "{own}");
        }
        assert!(
            super::model("--model", "stepfun-ai/Step-3").is_some() && super::model("--config", "step3_text").is_some()
        );
        for id in ["exact", "hf", "vllm", "llamacpp", "ollama", "sglang", "trtllm", "llama.cpp"] {
            assert!(runtime("--engine", id).is_none(), "{id}");
        }
    }
}
