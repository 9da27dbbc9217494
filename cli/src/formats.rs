//! What others call number formats and runtimes, with the nearest that is known here and what that is.

/// Names that mean the same, the nearest ids that are known, and what those are.
struct Hint {
    names: &'static [&'static str],
    ids: &'static [&'static str],
    what: &'static str,
}

const fn hint(names: &'static [&'static str], ids: &'static [&'static str], what: &'static str) -> Hint {
    Hint { names, ids, what }
}

/// Bits a weight of the mixes of llama.cpp: Llama 3.1 8B in `ggml-org/llama.cpp`, tools/quantize/README.md, read 2026-11-23.
const HINTS: [Hint; 20] = [
    hint(&["float32", "float", "f32", "full", "single"], &["fp32"], "single precision, 4 bytes"),
    hint(&["float16", "half", "f16"], &["fp16"], "half precision, 2 bytes"),
    hint(&["bfloat16", "bfloat", "auto"], &["bf16"], "bfloat16, 2 bytes, the usual format of published weights"),
    hint(
        &["float8", "fp8_e4m3", "fp8_e5m2", "float8_e4m3fn", "e4m3", "w8a8_fp8", "fp8_dynamic", "f8"],
        &["fp8"],
        "8-bit floats with one scale for a tensor",
    ),
    hint(
        &["int_quantized", "smoothquant"],
        &["w8a8"],
        "8-bit integers with a scale for each row, and activations in 8 bits",
    ),
    hint(
        &["w8a16", "bnb_8bit", "8bit", "load_in_8bit", "llm_int8"],
        &["int8"],
        "8-bit integers with a scale for each group of values",
    ),
    hint(
        &["int4_awq", "marlin", "autoround", "auto_round"],
        &["int4"],
        "4-bit integers in groups of 128 with scales and zero points, as AWQ and GPTQ store them",
    ),
    hint(
        &["torchao", "gpt_fast", "int4wo"],
        &["int4-g32", "int4"],
        "4-bit integers in groups of 32, and in groups of 128",
    ),
    hint(
        &["bnb_nf4", "bnb", "bitsandbytes", "4bit", "load_in_4bit", "qlora"],
        &["nf4", "nf4-dq"],
        "bitsandbytes' 4-bit formats, the second with double quantisation",
    ),
    hint(
        &["fp4", "nv_fp4", "modelopt_fp4", "mx_fp4", "float4", "f4"],
        &["nvfp4", "mxfp4"],
        "4-bit floats in blocks of 16, and in blocks of 32",
    ),
    hint(&["q2_k_s"], &["q2_k"], "Q2_K_S has 2.97 bits a weight: q2_k is Q2_K with 3.16"),
    hint(&["q4_1"], &["q4_0", "q5_0"], "4 and 5 bits with a scale for each 32 values"),
    hint(&["q5_1"], &["q5_0", "q6_k"], "5 bits with a scale for each 32 values, and 6 bits"),
    hint(&["gguf", "ggml"], &["q8_0", "q6_k", "q5_k", "q4_k"], "the usual formats in GGUF files"),
    hint(&["q8", "q8_k"], &["q8_0"], "8 bits with a scale for each 32 values"),
    hint(&["q4"], &["q4_k", "q4_0"], "4 bits in superblocks of 256, and in blocks of 32"),
    // As formats of the cache.
    hint(&["q8_0"], &["int8"], "8 bits a value; with --engine llamacpp the scales of q8_0 are counted too, half a bit"),
    hint(&["q4_0"], &["int4"], "4 bits a value; with --engine llamacpp the scales of q4_0 are counted too, half a bit"),
    hint(&["huggingface", "transformers"], &["hf"], "Hugging Face transformers"),
    hint(
        &["llama_factory", "trl", "peft", "axolotl"],
        &["transformers"],
        "the code of Hugging Face transformers, which these train",
    ),
];

/// Names under which llama.cpp knows a file too, and other spellings of runtimes, with the id that means the same.
const SAME: [(&str, &str); 12] = [
    ("int8-w8a8", "w8a8"),
    ("w8a8-int8", "w8a8"),
    ("w8a8_int8", "w8a8"),
    ("q3_k_m", "q3_k"),
    ("q4_k_m", "q4_k"),
    ("q5_k_m", "q5_k"),
    ("llama.cpp", "llamacpp"),
    ("llama-cpp", "llamacpp"),
    ("llama-server", "llamacpp"),
    ("tensorrt-llm", "trtllm"),
    ("trt-llm", "trtllm"),
    ("trtllm-serve", "trtllm"),
];

/// What files of weights are called where they are published, with the format that is counted: what is called `bnb-4bit` there is stored with double quantisation.
///
/// # Source
/// `quantization_config` of the files of each kind in `core/tests/configs`: groups of 128; `bnb_4bit_use_double_quant`. Read 2026-11-27.
const STORED: [(&str, &str); 7] = [
    ("awq", "int4"),
    ("awq_marlin", "int4"),
    ("gptq", "int4"),
    ("gptq_marlin", "int4"),
    ("w4a16", "int4"),
    ("bnb-4bit", "nf4-dq"),
    ("bnb_4bit", "nf4-dq"),
];

/// The id that a word means: itself, or another name of the very same.
pub(crate) fn same<'a>(option: &str, text: &'a str) -> &'a str {
    let of_weights = STORED.iter().filter(|_| option == "--weights");
    SAME.iter().chain(of_weights).find(|(name, _)| name.eq_ignore_ascii_case(text)).map_or(text, |(_, id)| id)
}

/// What a format was taken for, where its name is that of a kind of file.
pub(crate) fn note(text: &str) -> Option<String> {
    let (name, id) = STORED.iter().find(|(name, _)| name.eq_ignore_ascii_case(text.trim()))?;
    let how = if *id == "int4" { "4-bit integers in groups of 128" } else { "NF4 with double quantisation" };
    Some(format!("--weights {name} is taken for {id}: {how}"))
}

/// The nearest ids of a list for a name that people type, and what they are.
pub(crate) fn nearest(name: &str, ids: &[&'static str]) -> Option<(Vec<&'static str>, &'static str)> {
    let name = name.trim().to_lowercase().replace(['-', ' '], "_");
    let name = name.trim_start_matches("torch.");
    let hint = HINTS.iter().find(|hint| hint.names.contains(&name))?;
    let known: Vec<&str> = hint.ids.iter().copied().filter(|id| ids.contains(id)).collect();
    (!known.is_empty()).then_some((known, hint.what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_core::{Engine, Implementation, KvPrecision, WeightFormat};

    #[test]
    fn every_hint_names_ids_that_are_known() {
        let all: Vec<&str> = [
            WeightFormat::ALL.iter().map(|it| it.id()).collect::<Vec<_>>(),
            Engine::ALL.iter().map(|it| it.id()).collect(),
            Implementation::ALL.iter().map(|it| it.id()).collect(),
        ]
        .concat();
        for hint in &HINTS {
            assert!(hint.ids.iter().all(|id| all.contains(id)), "{:?}", hint.ids);
            for name in hint.names {
                assert_eq!(nearest(name, &all).unwrap().1, hint.what, "{name} stands under one hint only");
            }
        }
    }

    #[test]
    fn only_what_the_option_takes_is_named() {
        let cache: Vec<&str> = KvPrecision::ALL.iter().map(|it| it.id()).collect();
        assert_eq!(nearest("Q8_0", &cache).unwrap().0, ["int8"]);
        assert_eq!(nearest("torch.float16", &cache).unwrap().0, ["fp16"]);
        assert_eq!(nearest("marlin", &["bf16"]), None);
    }

    #[test]
    fn runtimes_are_known_by_the_names_of_their_programs() {
        let engines = ["llamacpp", "trtllm"];
        for (name, id) in SAME.iter().filter(|(_, id)| engines.contains(id)) {
            assert_eq!(same("--engine", &name.to_uppercase()), *id);
        }
        assert_eq!(same("--engine", "vllm"), "vllm");
        assert_eq!([same("--weights", "AWQ"), same("--kv", "AWQ")], ["int4", "AWQ"]);
    }
}
