//! The ids of published checkpoints on the Hugging Face Hub, by model of the table.

use memory_wall_core::WeightFormat;
use memory_wall_core::tables::models::{self, Model};

/// Model and repository. One model of the table may stand for several repositories of the same shape: the one here is the first release, or the one
/// that public code names most.
///
/// # Source
/// The tests and model lists of vLLM, transformers, axolotl and Megatron-LM, and the publishers' own pages, which name the repositories. Read 2026-11-25.
/// `generic-7b`, `gpt3-175b` and `opt-175b` have none: no such checkpoint is published for everyone.
#[rustfmt::skip] // one row a line reads as the table it is
static REPOSITORIES: &[(&str, &str)] = &[
    ("gpt2-small", "openai-community/gpt2"),
    ("gpt2-medium", "openai-community/gpt2-medium"),
    ("gpt2-xl", "openai-community/gpt2-xl"),
    ("gpt-neox-20b", "EleutherAI/gpt-neox-20b"),
    ("gpt-oss-20b", "openai/gpt-oss-20b"),
    ("gpt-oss-120b", "openai/gpt-oss-120b"),
    ("llama-2-7b", "meta-llama/Llama-2-7b-hf"),
    ("llama-2-13b", "meta-llama/Llama-2-13b-hf"),
    ("llama-2-70b", "meta-llama/Llama-2-70b-hf"),
    ("codellama-34b", "codellama/CodeLlama-34b-hf"),
    ("tinyllama-1.1b", "TinyLlama/TinyLlama-1.1B-Chat-v1.0"),
    ("llama-3-8b", "meta-llama/Meta-Llama-3-8B"),
    ("llama-3.1-8b", "meta-llama/Llama-3.1-8B"),
    ("llama-3.1-70b", "meta-llama/Llama-3.1-70B"),
    ("llama-3.1-405b", "meta-llama/Llama-3.1-405B"),
    ("llama-3.2-1b", "meta-llama/Llama-3.2-1B"),
    ("llama-3.2-3b", "meta-llama/Llama-3.2-3B"),
    ("llama-3.3-70b", "meta-llama/Llama-3.3-70B-Instruct"),
    ("llama-4-scout", "meta-llama/Llama-4-Scout-17B-16E-Instruct"),
    ("llama-4-maverick", "meta-llama/Llama-4-Maverick-17B-128E-Instruct"),
    ("mistral-7b-v0.1", "mistralai/Mistral-7B-v0.1"),
    ("mistral-7b-v0.3", "mistralai/Mistral-7B-v0.3"),
    ("mistral-nemo-12b", "mistralai/Mistral-Nemo-Base-2407"),
    ("ministral-8b-2410", "mistralai/Ministral-8B-Instruct-2410"),
    ("mistral-small-3-24b", "mistralai/Mistral-Small-24B-Base-2501"),
    ("mistral-small-3.1-24b", "mistralai/Mistral-Small-3.1-24B-Base-2503"),
    ("mistral-large-2", "mistralai/Mistral-Large-Instruct-2407"),
    ("ministral-3-3b", "mistralai/Ministral-3-3B-Base-2512"),
    ("ministral-3-8b", "mistralai/Ministral-3-8B-Base-2512"),
    ("ministral-3-14b", "mistralai/Ministral-3-14B-Base-2512"),
    ("mixtral-8x7b", "mistralai/Mixtral-8x7B-v0.1"),
    ("mixtral-8x22b", "mistralai/Mixtral-8x22B-v0.1"),
    ("mistral-small-4", "mistralai/Mistral-Small-4-119B-2603"),
    ("mistral-medium-3.5", "mistralai/Mistral-Medium-3.5-128B"),
    ("mistral-large-3", "mistralai/Mistral-Large-3-675B-Instruct-2512"),
    ("qwen1.5-moe-a2.7b", "Qwen/Qwen1.5-MoE-A2.7B"),
    ("qwen2.5-0.5b", "Qwen/Qwen2.5-0.5B"),
    ("qwen2.5-1.5b", "Qwen/Qwen2.5-1.5B"),
    ("qwen2.5-3b", "Qwen/Qwen2.5-3B"),
    ("qwen2.5-7b", "Qwen/Qwen2.5-7B"),
    ("qwen2.5-14b", "Qwen/Qwen2.5-14B"),
    ("qwen2.5-32b", "Qwen/Qwen2.5-32B"),
    ("qwq-32b", "Qwen/QwQ-32B"),
    ("qwen2.5-72b", "Qwen/Qwen2.5-72B"),
    ("qwen2.5-vl-3b", "Qwen/Qwen2.5-VL-3B-Instruct"),
    ("qwen2.5-vl-7b", "Qwen/Qwen2.5-VL-7B-Instruct"),
    ("qwen2.5-vl-32b", "Qwen/Qwen2.5-VL-32B-Instruct"),
    ("qwen3-0.6b", "Qwen/Qwen3-0.6B"),
    ("qwen3-1.7b", "Qwen/Qwen3-1.7B"),
    ("qwen3-4b", "Qwen/Qwen3-4B"),
    ("qwen3-4b-2507", "Qwen/Qwen3-4B-Instruct-2507"),
    ("qwen3-8b", "Qwen/Qwen3-8B"),
    ("qwen3-14b", "Qwen/Qwen3-14B"),
    ("qwen3-32b", "Qwen/Qwen3-32B"),
    ("qwen3-30b-a3b", "Qwen/Qwen3-30B-A3B"),
    ("qwen3-30b-a3b-2507", "Qwen/Qwen3-30B-A3B-Instruct-2507"),
    ("qwen3-235b-a22b", "Qwen/Qwen3-235B-A22B"),
    ("qwen3-235b-a22b-2507", "Qwen/Qwen3-235B-A22B-Instruct-2507"),
    ("qwen3-coder-480b-a35b", "Qwen/Qwen3-Coder-480B-A35B-Instruct"),
    ("qwen3-next-80b-a3b", "Qwen/Qwen3-Next-80B-A3B-Instruct"),
    ("qwen3-vl-2b", "Qwen/Qwen3-VL-2B-Instruct"),
    ("qwen3-vl-4b", "Qwen/Qwen3-VL-4B-Instruct"),
    ("qwen3-vl-8b", "Qwen/Qwen3-VL-8B-Instruct"),
    ("qwen3-vl-32b", "Qwen/Qwen3-VL-32B-Instruct"),
    ("qwen3-vl-30b-a3b", "Qwen/Qwen3-VL-30B-A3B-Instruct"),
    ("qwen3-vl-235b-a22b", "Qwen/Qwen3-VL-235B-A22B-Instruct"),
    ("qwen3.5-0.8b", "Qwen/Qwen3.5-0.8B"),
    ("qwen3.5-2b", "Qwen/Qwen3.5-2B"),
    ("qwen3.5-4b", "Qwen/Qwen3.5-4B"),
    ("qwen3.5-9b", "Qwen/Qwen3.5-9B"),
    ("qwen3.5-27b", "Qwen/Qwen3.5-27B"),
    ("qwen3.5-35b-a3b", "Qwen/Qwen3.5-35B-A3B"),
    ("qwen3.5-122b-a10b", "Qwen/Qwen3.5-122B-A10B"),
    ("qwen3.5-397b-a17b", "Qwen/Qwen3.5-397B-A17B"),
    ("qwen3.8-2.4t-a95b", "Qwen/Qwen3.8-2.4T-A95B"),
    ("gemma-2b", "google/gemma-2b"),
    ("gemma-7b", "google/gemma-7b"),
    ("gemma-2-2b", "google/gemma-2-2b"),
    ("gemma-2-9b", "google/gemma-2-9b"),
    ("gemma-2-27b", "google/gemma-2-27b"),
    ("gemma-3-270m", "google/gemma-3-270m"),
    ("gemma-3-1b", "google/gemma-3-1b-it"),
    ("gemma-3-4b", "google/gemma-3-4b-it"),
    ("gemma-3-12b", "google/gemma-3-12b-it"),
    ("gemma-3-27b-text", "google/gemma-3-27b-it"),
    ("gemma-4-12b", "google/gemma-4-12B-it"),
    ("gemma-4-31b", "google/gemma-4-31B"),
    ("gemma-4-26b-a4b", "google/gemma-4-26B-A4B"),
    ("phi-3-mini-4k", "microsoft/Phi-3-mini-4k-instruct"),
    ("phi-3-medium-4k", "microsoft/Phi-3-medium-4k-instruct"),
    ("phi-3.5-mini", "microsoft/Phi-3.5-mini-instruct"),
    ("phi-4", "microsoft/phi-4"),
    ("phi-4-mini", "microsoft/Phi-4-mini-instruct"),
    ("deepseek-v2-lite", "deepseek-ai/DeepSeek-V2-Lite"),
    ("deepseek-v2", "deepseek-ai/DeepSeek-V2"),
    ("deepseek-v3", "deepseek-ai/DeepSeek-V3"),
    ("deepseek-v3.2", "deepseek-ai/DeepSeek-V3.2"),
    ("deepseek-v4-flash", "deepseek-ai/DeepSeek-V4-Flash"),
    ("deepseek-v4-pro", "deepseek-ai/DeepSeek-V4-Pro"),
    ("r1-distill-qwen-1.5b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B"),
    ("r1-distill-qwen-7b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B"),
    ("r1-distill-llama-8b", "deepseek-ai/DeepSeek-R1-Distill-Llama-8B"),
    ("r1-distill-qwen-14b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B"),
    ("r1-distill-qwen-32b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B"),
    ("r1-distill-llama-70b", "deepseek-ai/DeepSeek-R1-Distill-Llama-70B"),
    ("granite-3.3-2b", "ibm-granite/granite-3.3-2b-instruct"),
    ("granite-3.3-8b", "ibm-granite/granite-3.3-8b-instruct"),
    ("granite-4.0-h-micro", "ibm-granite/granite-4.0-h-micro"),
    ("granite-4.0-h-tiny", "ibm-granite/granite-4.0-h-tiny"),
    ("granite-4.0-h-small", "ibm-granite/granite-4.0-h-small"),
    ("granite-4.1-3b", "ibm-granite/granite-4.1-3b"),
    ("granite-4.1-8b", "ibm-granite/granite-4.1-8b"),
    ("granite-4.1-30b", "ibm-granite/granite-4.1-30b"),
    ("falcon-7b", "tiiuae/falcon-7b"),
    ("falcon-40b", "tiiuae/falcon-40b"),
    ("falcon-180b", "tiiuae/falcon-180B"),
    ("falcon3-1b", "tiiuae/Falcon3-1B-Base"),
    ("falcon3-7b", "tiiuae/Falcon3-7B-Base"),
    ("falcon-h1-0.5b", "tiiuae/Falcon-H1-0.5B-Base"),
    ("falcon-h1-1.5b", "tiiuae/Falcon-H1-1.5B-Base"),
    ("falcon-h1-7b", "tiiuae/Falcon-H1-7B-Base"),
    ("smollm2-135m", "HuggingFaceTB/SmolLM2-135M"),
    ("smollm2-360m", "HuggingFaceTB/SmolLM2-360M"),
    ("smollm2-1.7b", "HuggingFaceTB/SmolLM2-1.7B"),
    ("smollm3-3b", "HuggingFaceTB/SmolLM3-3B"),
    ("starcoder2-3b", "bigcode/starcoder2-3b"),
    ("starcoder2-7b", "bigcode/starcoder2-7b"),
    ("yi-1.5-6b", "01-ai/Yi-1.5-6B"),
    ("yi-1.5-9b", "01-ai/Yi-1.5-9B"),
    ("yi-1.5-34b", "01-ai/Yi-1.5-34B"),
    ("bloom-176b", "bigscience/bloom"),
    ("kimi-k2", "moonshotai/Kimi-K2-Instruct"),
    ("kimi-k2-thinking", "moonshotai/Kimi-K2-Thinking"),
    ("kimi-k2.5", "moonshotai/Kimi-K2.5"),
    ("kimi-linear-48b-a3b", "moonshotai/Kimi-Linear-48B-A3B-Instruct"),
    ("glm-4-9b-0414", "zai-org/GLM-4-9B-0414"),
    ("glm-4.5-air", "zai-org/GLM-4.5-Air"),
    ("glm-4.5", "zai-org/GLM-4.5"),
    ("glm-4.7", "zai-org/GLM-4.7"),
    ("glm-4.7-flash", "zai-org/GLM-4.7-Flash"),
    ("glm-5", "zai-org/GLM-5"),
    ("glm-5.2", "zai-org/GLM-5.2"),
    ("minimax-m2", "MiniMaxAI/MiniMax-M2"),
    ("minimax-m3", "MiniMaxAI/MiniMax-M3"),
    ("dots-llm1", "rednote-hilab/dots.llm1.inst"),
    ("olmo-2-1b", "allenai/OLMo-2-0425-1B"),
    ("olmo-2-7b", "allenai/OLMo-2-1124-7B"),
    ("olmo-2-13b", "allenai/OLMo-2-1124-13B"),
    ("olmo-2-32b", "allenai/OLMo-2-0325-32B"),
    ("olmo-3-7b", "allenai/Olmo-3-1025-7B"),
    ("olmo-3-32b", "allenai/Olmo-3-1125-32B"),
    ("seed-oss-36b", "ByteDance-Seed/Seed-OSS-36B-Instruct"),
    ("exaone-4.0-1.2b", "LGAI-EXAONE/EXAONE-4.0-1.2B"),
    ("exaone-4.0-32b", "LGAI-EXAONE/EXAONE-4.0-32B"),
    ("k-exaone-236b-a23b", "LGAI-EXAONE/K-EXAONE-236B-A23B"),
    ("ernie-4.5-0.3b", "baidu/ERNIE-4.5-0.3B-PT"),
    ("ernie-4.5-21b-a3b", "baidu/ERNIE-4.5-21B-A3B-PT"),
    ("ernie-4.5-300b-a47b", "baidu/ERNIE-4.5-300B-A47B-PT"),
    ("hunyuan-0.5b", "tencent/Hunyuan-0.5B-Instruct"),
    ("hunyuan-1.8b", "tencent/Hunyuan-1.8B-Instruct"),
    ("hunyuan-4b", "tencent/Hunyuan-4B-Instruct"),
    ("hunyuan-a13b", "tencent/Hunyuan-A13B-Instruct"),
    ("hy3", "tencent/Hy3"),
    ("ling-mini-2.0", "inclusionAI/Ling-mini-2.0"),
    ("ling-flash-2.0", "inclusionAI/Ling-flash-2.0"),
    ("ling-1t", "inclusionAI/Ling-1T"),
    ("mimo-7b", "XiaomiMiMo/MiMo-7B-RL"),
    ("solar-open-100b", "upstage/Solar-Open-100B"),
    ("command-r7b", "CohereLabs/c4ai-command-r7b-12-2024"),
    ("command-a", "CohereLabs/c4ai-command-a-03-2025"),
    ("apertus-8b", "swiss-ai/Apertus-8B-Instruct-2509"),
    ("apertus-70b", "swiss-ai/Apertus-70B-Instruct-2509"),
    ("jamba-mini", "ai21labs/AI21-Jamba-1.5-Mini"),
    ("jamba-large", "ai21labs/AI21-Jamba-1.5-Large"),
    ("nemotron-h-8b", "nvidia/Nemotron-H-8B-Base-8K"),
    ("nemotron-nano-9b-v2", "nvidia/NVIDIA-Nemotron-Nano-9B-v2"),
    ("nemotron-3-nano-30b", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"),
    ("nemotron-3-super-120b", "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16"),
    ("nemotron-3-ultra-550b", "nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16"),
    ("lfm2-350m", "LiquidAI/LFM2-350M"),
    ("lfm2-700m", "LiquidAI/LFM2-700M"),
    ("lfm2-1.2b", "LiquidAI/LFM2-1.2B"),
    ("lfm2-2.6b", "LiquidAI/LFM2-2.6B"),
    ("lfm2-8b-a1b", "LiquidAI/LFM2-8B-A1B"),
    ("lfm2-24b-a2b", "LiquidAI/LFM2-24B-A2B"),
];

/// Further repositories of a model's shape under names that are not the same with another ending: later training, and models for code or thought.
///
/// # Source
/// The publishers' own pages and `config.json` there, and public code that serves them: vllm-project/recipes and the lists of models of vLLM. Read 2026-11-25.
#[rustfmt::skip] // one row a line reads as the table it is
static SAME_SHAPE: &[(&str, &str)] = &[
    ("deepseek-v3", "deepseek-ai/DeepSeek-V3-0324"),
    ("deepseek-v3", "deepseek-ai/DeepSeek-R1"),
    ("deepseek-v3", "deepseek-ai/DeepSeek-R1-0528"),
    ("deepseek-v3", "deepseek-ai/DeepSeek-V3.1"),
    ("deepseek-v3", "deepseek-ai/DeepSeek-V3.1-Terminus"),
    ("qwen2.5-7b", "Qwen/Qwen2.5-Coder-7B"),
    ("qwen2.5-14b", "Qwen/Qwen2.5-Coder-14B"),
    ("qwen2.5-32b", "Qwen/Qwen2.5-Coder-32B"),
    ("qwen3-4b-2507", "Qwen/Qwen3-4B-Thinking-2507"),
    ("qwen3-30b-a3b-2507", "Qwen/Qwen3-30B-A3B-Thinking-2507"),
    ("qwen3-30b-a3b-2507", "Qwen/Qwen3-Coder-30B-A3B-Instruct"),
    ("qwen3-235b-a22b-2507", "Qwen/Qwen3-235B-A22B-Thinking-2507"),
    ("qwen3-next-80b-a3b", "Qwen/Qwen3-Next-80B-A3B-Thinking"),
    ("qwen3.5-27b", "Qwen/Qwen3.6-27B"),
    ("qwen3.5-27b", "Qwen/Qwen3.8-27B"),
    ("qwen3.5-35b-a3b", "Qwen/Qwen3.6-35B-A3B"),
    ("mistral-small-3.1-24b", "mistralai/Mistral-Small-3.2-24B-Instruct-2506"),
    ("glm-4.7", "zai-org/GLM-4.6"),
    ("glm-5", "zai-org/GLM-5.1"),
    ("glm-5.2", "zai-org/GLM-5.3"),
    ("deepseek-v3.2", "deepseek-ai/DeepSeek-V3.2-Exp"),
    ("deepseek-v4-flash", "deepseek-ai/DeepSeek-V4-Flash-0731"),
    ("kimi-k2.5", "moonshotai/Kimi-K2.6"),
    ("kimi-k2.5", "moonshotai/Kimi-K2.7-Code"),
    ("hy3", "tencent/Hy3-preview"),
    ("ling-mini-2.0", "inclusionAI/Ring-mini-2.0"),
    ("ling-flash-2.0", "inclusionAI/Ring-flash-2.0"),
    ("ling-1t", "inclusionAI/Ring-1T"),
    ("minimax-m2", "MiniMaxAI/MiniMax-M2.1"),
    ("minimax-m2", "MiniMaxAI/MiniMax-M2.5"),
    ("minimax-m2", "MiniMaxAI/MiniMax-M2.7"),
];

/// Every repository by whose name a model is known, the first release before the others.
fn named() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    REPOSITORIES.iter().chain(SAME_SHAPE)
}

/// Repositories that hold a model of the table in another format than its own does.
///
/// # Source
/// The publishers' pages, and public code that serves them. AWQ's are 4 bits in groups of 128, Qwen's FP8 has a scale for each block of 128 × 128. Read 2026-11-25.
#[rustfmt::skip] // one row a line reads as the table it is
static QUANTISED: &[(&str, WeightFormat, &str)] = &[
    ("llama-3.1-8b", WeightFormat::Int4, "hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4"),
    ("llama-3.1-70b", WeightFormat::Int4, "hugging-quants/Meta-Llama-3.1-70B-Instruct-AWQ-INT4"),
    ("llama-3.1-405b", WeightFormat::Fp8, "meta-llama/Llama-3.1-405B-Instruct-FP8"),
    ("llama-3.1-405b", WeightFormat::Int4, "hugging-quants/Meta-Llama-3.1-405B-Instruct-AWQ-INT4"),
    ("llama-3.3-70b", WeightFormat::Int4, "casperhansen/llama-3.3-70b-instruct-awq"),
    ("qwen2.5-7b", WeightFormat::Int4, "Qwen/Qwen2.5-7B-Instruct-AWQ"),
    ("qwen2.5-32b", WeightFormat::Int4, "Qwen/Qwen2.5-32B-Instruct-AWQ"),
    ("qwen2.5-72b", WeightFormat::Int4, "Qwen/Qwen2.5-72B-Instruct-AWQ"),
    ("qwen3-8b", WeightFormat::Int4, "Qwen/Qwen3-8B-AWQ"),
    ("qwen3-8b", WeightFormat::Fp8Block, "Qwen/Qwen3-8B-FP8"),
    ("qwen3-32b", WeightFormat::Int4, "Qwen/Qwen3-32B-AWQ"),
    ("qwen3-32b", WeightFormat::Fp8Block, "Qwen/Qwen3-32B-FP8"),
    ("qwen3-235b-a22b", WeightFormat::Fp8Block, "Qwen/Qwen3-235B-A22B-FP8"),
    ("kimi-k2-thinking", WeightFormat::Fp8Block, "moonshotai/Kimi-K2-Instruct-0905"),
];

/// Tokens that a repository of another format was made for, where that is less than the model of the table was.
///
/// # Source
/// `max_position_embeddings` of Qwen/Qwen2.5-7B-Instruct-AWQ, and of 32B and 72B, is 32,768; that of the base models, which the table has, is 131,072.
/// Read 2026-11-27.
pub(crate) fn shorter(repository: &str) -> Option<u32> {
    repository.starts_with("Qwen/Qwen2.5-").then_some(32_768)
}

/// What vLLM is told so that such a repository takes four times as much. It changes no memory by itself.
///
/// # Source
/// The page of each of these repositories, "Processing long texts": `YaRN`, factor 4 of 32,768. In vLLM's words:
/// <https://docs.vllm.ai/en/stable/features/context_extension/>; `rope_theta` is that of their `config.json`. Read 2026-11-27.
pub(crate) const YARN: &str = "{\"rope_parameters\": {\"rope_type\": \"yarn\", \"rope_theta\": 1000000, \"factor\": 4.0, \"original_max_position_embeddings\": 32768}}";

/// What the names of quantised repositories end with, and the format that it stands for: longer ends first.
///
/// # Source
/// The names under hugging-quants, `RedHatAI`, unsloth, nvidia and Qwen. Read 2026-11-25.
const ENDS: [(&str, WeightFormat); 11] = [
    ("-quantized.w8a8", WeightFormat::W8a8),
    ("-AWQ-INT4", WeightFormat::Int4),
    ("-GPTQ-INT4", WeightFormat::Int4),
    ("-AWQ", WeightFormat::Int4),
    ("-GPTQ", WeightFormat::Int4),
    ("-quantized.w4a16", WeightFormat::Int4),
    ("-FP8-dynamic", WeightFormat::Fp8),
    ("-FP8", WeightFormat::Fp8),
    ("-NVFP4", WeightFormat::Nvfp4),
    ("-FP4", WeightFormat::Nvfp4),
    ("-bnb-4bit", WeightFormat::Nf4Dq),
];

/// Who publishes models of others again under the names that they have, as they are or in fewer bits.
const UPLOADERS: [&str; 8] =
    ["NousResearch", "unsloth", "hugging-quants", "RedHatAI", "neuralmagic", "casperhansen", "TheBloke", "nvidia"];

/// What a repository's name may end with beside the name in the table: the same shape after more training.
const TRAINED_FURTHER: [&str; 7] = ["-instruct", "-chat", "-chat-hf", "-it", "-base", "-pt", "-hf"];

/// The repository of a model; nothing for one that is not published there.
///
/// # Example
/// ```
/// use memory_wall_plan::hub;
/// assert_eq!(hub::repository("llama-3.1-8b"), Some("meta-llama/Llama-3.1-8B"));
/// assert_eq!(hub::repository("gpt3-175b"), None);
/// ```
pub fn repository(model: &str) -> Option<&'static str> {
    REPOSITORIES.iter().find(|(id, _)| *id == model).map(|(_, repository)| *repository)
}

/// The model of a repository's id, which may be one that was trained further from the same shape.
///
/// # Example
/// ```
/// use memory_wall_plan::hub;
/// assert_eq!(hub::model("meta-llama/Llama-3.1-8B-Instruct").map(|model| model.id), Some("llama-3.1-8b"));
/// assert!(hub::model("somebody/Llama-3.1-8B").is_none());
/// ```
pub fn model(repository: &str) -> Option<&'static Model> {
    let found = named().find(|(_, other)| other.eq_ignore_ascii_case(repository)).or_else(|| {
        // An instructed model of one publisher has the shape of its base model.
        named().find(|(_, other)| stem(other).eq_ignore_ascii_case(stem(repository)))
    });
    found.and_then(|(id, _)| models::by_id(id))
}

/// A repository that holds a model in a format in which it is not published first.
///
/// # Example
/// ```
/// use memory_wall_core::WeightFormat;
/// use memory_wall_plan::hub;
/// assert_eq!(hub::quantised("qwen3-32b", WeightFormat::Int4), Some("Qwen/Qwen3-32B-AWQ"));
/// assert_eq!(hub::quantised("qwen3-32b", WeightFormat::Nvfp4), None);
/// ```
pub fn quantised(model: &str, weights: WeightFormat) -> Option<&'static str> {
    let row = QUANTISED.iter().find(|(id, format, _)| *id == model && *format == weights);
    row.map(|(_, _, repository)| *repository)
}

/// The model of a repository's id, and the format that its name says; also of one that publishes the model of another again.
///
/// # Example
/// ```
/// use memory_wall_core::WeightFormat;
/// use memory_wall_plan::hub;
/// let of = |id| hub::stored(id).map(|(model, weights)| (model.id, weights));
/// assert_eq!(of("Qwen/Qwen3-8B-FP8"), Some(("qwen3-8b", Some(WeightFormat::Fp8Block))));
/// assert_eq!(of("NousResearch/Meta-Llama-3.1-8B"), Some(("llama-3.1-8b", None)));
/// assert_eq!(of("somebody/Llama-3.1-8B"), None);
/// ```
pub fn stored(repository: &str) -> Option<(&'static Model, Option<WeightFormat>)> {
    if let Some(model) = model(repository) {
        return Some((model, None));
    }
    if let Some((id, format, _)) = QUANTISED.iter().find(|(.., other)| other.eq_ignore_ascii_case(repository)) {
        return models::by_id(id).map(|model| (model, Some(*format)));
    }
    let (plain, weights) = ENDS.iter().find_map(|(end, format)| Some((without(repository, end)?, *format))).unzip();
    let plain = plain.unwrap_or(repository);
    let (owner, name) = plain.split_once('/')?;
    let uploaded = UPLOADERS.iter().any(|other| other.eq_ignore_ascii_case(owner));
    let found = model(plain).or_else(|| by_name(name).filter(|_| uploaded))?;
    // Qwen's own have a scale for each block.
    let weights = weights.map(|format| match format {
        WeightFormat::Fp8 if owner.eq_ignore_ascii_case("Qwen") => WeightFormat::Fp8Block,
        format => format,
    });
    Some((found, weights))
}

/// The model of a repository's name without its owner, as folders and files have it; Meta's names may begin with its own.
pub(crate) fn by_name(name: &str) -> Option<&'static Model> {
    let bare = |name: &'_ str| -> alloc::string::String {
        let name = stem(name).to_ascii_lowercase();
        name.strip_prefix("meta-").map(Into::into).unwrap_or(name)
    };
    let wanted = bare(name);
    let row = named().find(|(_, repository)| repository.split_once('/').is_some_and(|(_, name)| bare(name) == wanted));
    row.and_then(|(id, _)| models::by_id(id)).or_else(|| models::by_id(name))
}

/// A repository's id without the word for how it was trained further.
fn stem(repository: &str) -> &str {
    TRAINED_FURTHER.iter().find_map(|end| without(repository, end)).unwrap_or(repository)
}

/// A text without its end, whatever the case of its letters.
pub(crate) fn without<'a>(text: &'a str, end: &str) -> Option<&'a str> {
    let (start, found) = text.split_at_checked(text.len().checked_sub(end.len())?)?;
    found.eq_ignore_ascii_case(end).then_some(start)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;
    use memory_wall_core::tables::models::MODELS;

    #[test]
    fn every_model_has_its_repository_or_none_that_is_published() {
        let without: alloc::vec::Vec<_> =
            MODELS.iter().map(|model| model.id).filter(|id| repository(id).is_none()).collect();
        assert_eq!(without, ["generic-7b", "gpt3-175b", "opt-175b"]);
        for (id, name) in REPOSITORIES {
            assert!(models::by_id(id).is_some(), "{id}");
            assert_eq!(model(name).unwrap().id, *id, "{name}");
            // Safe in a shell, in YAML and in JSON as it stands.
            assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._/".contains(&byte)), "{name}");
        }
        for (id, format, name) in QUANTISED {
            let (model, weights) = stored(name).unwrap();
            assert_eq!((model.id, weights), (*id, Some(*format)), "{name}");
        }
    }

    #[test]
    fn later_names_of_the_same_shape_are_known() {
        let of = |id| stored(id).map(|(model, weights)| (model.id, weights));
        for (id, name) in SAME_SHAPE {
            assert_eq!(of(name), Some((*id, None)), "{name}");
            assert_ne!(repository(id), Some(*name), "{name} stands in the first table");
        }
        assert_eq!(of("Qwen/Qwen3.6-27B-FP8"), Some(("qwen3.5-27b", Some(WeightFormat::Fp8Block))));
        assert_eq!(
            of("Qwen/Qwen3-Coder-30B-A3B-Instruct-FP8"),
            Some(("qwen3-30b-a3b-2507", Some(WeightFormat::Fp8Block)))
        );
        assert_eq!(of("zai-org/GLM-4.6-FP8"), Some(("glm-4.7", Some(WeightFormat::Fp8))));
        assert_eq!(of("Qwen/Qwen2.5-Coder-32B-Instruct-AWQ"), Some(("qwen2.5-32b", Some(WeightFormat::Int4))));
        assert_eq!(of("nvidia/Llama-3.3-70B-Instruct-FP4"), Some(("llama-3.3-70b", Some(WeightFormat::Nvfp4))));
        assert_eq!(of("nvidia/DeepSeek-R1-0528-FP4"), Some(("deepseek-v3", Some(WeightFormat::Nvfp4))));
    }

    #[test]
    fn quantised_and_uploaded_again_is_recognised_by_the_name() {
        use WeightFormat::{Fp8, Fp8Block, Int4, Nf4Dq, Nvfp4, W8a8};
        for (name, id, weights) in [
            ("Qwen/Qwen3-235B-A22B-FP8", "qwen3-235b-a22b", Some(Fp8Block)),
            ("hugging-quants/Meta-Llama-3.1-70B-Instruct-AWQ-INT4", "llama-3.1-70b", Some(Int4)),
            ("Qwen/Qwen2.5-14B-Instruct-GPTQ-Int4", "qwen2.5-14b", Some(Int4)),
            ("RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic", "llama-3.3-70b", Some(Fp8)),
            ("RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w8a8", "llama-3.1-8b", Some(W8a8)),
            ("nvidia/Llama-3.1-8B-Instruct-NVFP4", "llama-3.1-8b", Some(Nvfp4)),
            ("unsloth/Qwen3-8B-bnb-4bit", "qwen3-8b", Some(Nf4Dq)),
            ("NousResearch/Meta-Llama-3.1-8B-Instruct", "llama-3.1-8b", None),
        ] {
            let found = stored(name).unwrap();
            assert_eq!((found.0.id, found.1), (id, weights), "{name}");
        }
        for name in
            ["NousResearch/Hermes-3-Llama-3.1-8B", "somebody/Qwen3-8B-AWQ", "Qwen/Qwen2.5-Omni-7B-AWQ", "-AWQ", ""]
        {
            assert!(stored(name).is_none(), "{name}");
        }
    }

    #[test]
    fn only_the_same_shape_is_recognised() {
        for (name, id) in [
            ("google/gemma-2-9b-it", Some("gemma-2-9b")),
            ("google/gemma-3-27b-pt", Some("gemma-3-27b-text")),
            ("meta-llama/Llama-2-7b-chat-hf", Some("llama-2-7b")),
            ("Qwen/Qwen2.5-7B-Instruct", Some("qwen2.5-7b")),
            ("Qwen/Qwen2.5-7B-Instruct-AWQ", None),
            ("Qwen/Qwen2.5-VL-7B-Instruct", Some("qwen2.5-vl-7b")),
            ("Qwen/Qwen2.5-Omni-7B-Instruct", None),
            ("é-it", None),
            ("", None),
        ] {
            assert_eq!(model(name).map(|model| model.id), id, "{name}");
        }
    }
}
