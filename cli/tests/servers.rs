//! `SGLang`, TensorRT-LLM and Ollama in `estimate`: what they take by themselves, and what they refuse.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

mod common;

use common::{Run, json, run};

/// Text without the breaks of its lines.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_public_pool_is_within_the_range() {
    // 430,067 tokens in a log of Qwen3-4B at 0.85 on a GPU of 80 GB.
    let (code, it) =
        json("estimate --model qwen3-4b --engine sglang --gpu h100-sxm --mem-fraction-static 0.85 --seq 32k");
    let [low, high] = [0, 1].map(|end| it["tokens"][end].as_u64().unwrap());
    assert_eq!(code, 0);
    assert!(low < 430_067 && 430_067 < high, "{low} {high}");
    assert_eq!(it["engine"], "sglang");
}

#[test]
fn lines_say_what_goes_to_the_pool() {
    let Run { code, out, .. } = run("estimate --model llama-3.1-8b --engine trtllm --gpu h100-sxm --seq 8k --batch 64");
    assert_eq!(code, 3);
    for said in ["served by TensorRT-LLM", "kv_cache_free_gpu_memory_fraction 0.90", "the others wait", "Profiled pass"]
    {
        assert!(out.contains(said), "{said}\n{out}");
    }
    let Run { code, out, .. } = run("estimate --model llama-3.1-70b --engine sglang --gpu h100-sxm");
    assert_eq!(code, 1);
    assert!(out.contains("loaded weights leave no GPU memory for the KV cache"), "{out}");
}

#[test]
fn the_largest_is_held_and_one_more_is_not() {
    for question in ["context", "batch"] {
        for engine in ["sglang", "trtllm"] {
            let scenario = format!("--model llama-3.1-8b --engine {engine} --gpu rtx4090 --seq 2k");
            let (code, it) = json(&format!("solve --for {question} {scenario}"));
            assert_eq!(code, 0);
            let flag = if question == "batch" { "--batch" } else { "--seq" };
            let estimate = |step: &str| {
                let line = format!("estimate {scenario} {flag} {}", it[step]["value"]);
                // The last of two values for one option would be refused.
                json(&if question == "batch" { line } else { line.replacen(" --seq 2k", "", 1) }).1
            };
            assert_eq!(estimate("answer")["verdict"], it["answer"]["verdict"], "{question} {engine}");
            assert!(["fits", "tight"].contains(&it["answer"]["verdict"].as_str().unwrap()));
            assert!(!["fits", "tight"].contains(&estimate("next")["verdict"].as_str().unwrap()), "{question} {engine}");
        }
    }
    let Run { out, .. } = run("solve --for batch --model llama-3.1-8b --engine sglang --gpu rtx4090 --seq 2k");
    assert!(out.contains("At most:") && out.contains("One step further:"), "{out}");
}

#[test]
fn ollama_takes_context_batch_and_layers_by_itself() {
    let line = "estimate --model llama-3.3-70b --weights q4_k --engine ollama --gpu rtx4090";
    let Run { code, out, err } = run(line);
    assert_eq!(code, 0);
    assert!(err.contains("num_ctx is 32,768"), "{err}");
    assert!(out.contains("As Ollama runs it") && out.contains("of 81 layers on the GPU"), "{out}");
    let (_, fewer) = json(&format!("{line} --seq 4096"));
    let (_, usual) = json(line);
    assert!(fewer["layers_on_gpus"].as_u64() > usual["layers_on_gpus"].as_u64());
    let (_, told) = json(&format!("{line} --seq 4096 --ngl 10"));
    assert_eq!(told["layers_on_gpus"], 10);
    let Run { err, .. } =
        run("estimate --model qwen3.5-9b --weights q4_k --engine ollama --gpu rtx4090 --batch 4 --seq 4096");
    assert!(err.contains("one request at a time"), "{err}");
}

#[test]
fn what_they_do_not_do_is_refused_in_one_line() {
    for (line, message) in [
        ("estimate --model llama-3.1-8b --weights q4_k --engine sglang --gpu rtx4090", "does not load GGUF Q4_K_M"),
        ("estimate --model llama-3.1-8b --engine trtllm --gpu mi300x", "does not run on"),
        ("estimate --model llama-3.1-8b --engine sglang --gpu v100-sxm2-32", "compute capability 7.5 or newer"),
        ("estimate --model llama-3.1-8b --weights fp8 --engine trtllm --gpu a100-80-sxm", "no kernels for fp8 weights"),
        (
            "estimate --model qwen3-235b-a22b --weights fp8-block --engine sglang --gpu h100-sxm --tp 8",
            "1,536 over 8 ranks is 192; as many expert-parallel ranks",
        ),
        (
            "estimate --model qwen2.5-14b --weights int4 --engine sglang --gpu rtx4090 --tp 8",
            "13,824 over 8 ranks is 1,728",
        ),
        (
            "estimate --model qwen3-235b-a22b --engine trtllm --gpu h200-sxm --tp 8 --ep 16",
            "16 ranks do not divide 8 tensor-parallel ranks",
        ),
        ("estimate --model falcon-7b --engine trtllm --gpu h100-sxm", "has no class for this model"),
        ("solve --for batch --model smollm3-3b --engine trtllm --gpu h100-sxm", "has no class for this model"),
        ("estimate --model llama-3.1-8b --engine sglang", "none is named: --gpu ID"),
        ("estimate --model llama-3.1-8b --engine sglang --gpu rtx4090 --dp 2", "leave dp, pp and cp at 1"),
        ("advise --model llama-3.1-8b --engine sglang --gpu rtx4090", "advise does not know SGLang"),
        ("advise --model llama-3.1-8b --weights q4_k --engine ollama --gpu rtx4090", "advise does not know Ollama"),
        ("roofline --model llama-3.1-8b --engine trtllm --gpu h100-sxm", "roofline does not know TensorRT-LLM"),
        (
            "solve --for gpus --model llama-3.1-8b --engine sglang --gpu rtx4090",
            "does not know SGLang: context and batch do",
        ),
        ("explain - --engine sglang", "explain does not know SGLang"),
        (
            "estimate --model llama-3.1-8b --engine triton --gpu rtx4090",
            "exact, hf, vllm, llamacpp, ollama, sglang or trtllm",
        ),
    ] {
        let Run { code, err, .. } = run(line);
        assert_eq!(code, 2, "{line}\n{err}");
        assert!(err.contains(message), "{line}\n{err}");
    }
    let Run { err, .. } = run("estimate --model llama-3.1-8b --engine vllm --gpu h100-sxm --mem-fraction-static 0.8");
    assert!(err.contains("--mem-fraction-static has no effect without --engine sglang"), "{err}");
}

#[test]
fn a_listed_model_and_its_config_have_the_same_class() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/tests/configs");
    let mut compared = 0;
    for model in memory_wall_core::tables::models::MODELS {
        let config = format!("{folder}/{}.json", model.id);
        if !std::path::Path::new(&config).exists() {
            continue;
        }
        let has_class = |source: String| {
            let Run { err, .. } =
                run(&format!("estimate {source} --weights bf16 --engine trtllm --gpu b200 --seq 128"));
            !err.contains("has no class")
        };
        let both = [has_class(format!("--model {}", model.id)), has_class(format!("--config {config}"))];
        assert!(both[0] == both[1], "{} {both:?}", model.id);
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
}

/// `--ep-size 8 --tp-size 8` is how `SGLang` serves fp8 experts whose parts would be broken blocks.
#[test]
fn expert_parallel_ranks_are_tensor_parallel_ones() {
    let line =
        "estimate --model qwen3-235b-a22b --weights fp8-block --engine sglang --gpu h100-sxm --tp 8 --ep 8 --seq 8k";
    let Run { code, out, .. } = run(line);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("experts over 8 of its ranks"), "{out}");
    assert_eq!(json(line).1["expert_ranks"], 8);
    assert_eq!(run(&line.replace("estimate", "solve --for batch")).code, 0);
}

#[test]
fn shared_memory_is_not_all_for_a_pool() {
    let Run { code, out, .. } = run("estimate --model glm-4.5-air --weights fp8 --engine sglang --gpu gb10 --seq 8192");
    assert_eq!(code, 1);
    assert!(
        out.contains("the system and other programs hold 10.80 GiB") && out.contains("leave no GPU memory"),
        "{out}"
    );
}

/// `NewLlamaServer` in `llm/server.go`.
#[test]
fn ollama_clamps_the_context_to_what_the_model_was_made_for() {
    let line = "estimate --model phi-4 --weights q4_k --engine ollama --gpu rtx4060ti-16";
    let Run { err, .. } = run(&format!("{line} --seq 32768"));
    assert!(err.contains("num_ctx is 16,384, not 32,768"), "{err}");
    let [asked, made] = [32_768, 16_384].map(|seq| json(&format!("{line} --seq {seq}")).1);
    assert_eq!(asked["layers_on_gpus"], made["layers_on_gpus"]);
    assert_eq!(asked["devices"], made["devices"]);
}

#[test]
fn ollama_runs_where_cpu_and_gpu_share_their_memory() {
    let it = json("estimate --model qwen3-8b --engine ollama --weights q4_k --gpu m4max --seq 8192");
    assert_eq!((it.0, it.1["layers_on_gpus"].as_u64()), (0, Some(37)));
    // What doesn't fit isn't left to the CPU, which would free nothing.
    let Run { code, out, err } =
        run("estimate --model llama-3.1-405b --engine ollama --weights q4_k --gpu gb10 --seq 8192");
    assert_eq!(code, 1, "{out} {err}");
}

/// The option is vLLM's, so an old number is not blamed on a release of vLLM.
#[test]
fn a_release_is_that_of_vllm_alone() {
    let line = "estimate --model llama-3.1-8b --gpu h100-sxm --engine sglang";
    let Run { code, err, .. } = run(&format!("{line} --engine-version 0.5.10"));
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("names a release of vLLM, and --engine is sglang"), "{err}");
    let help = flat(&run("help estimate").out);
    assert!(help.contains("solve finds context and batch for sglang and trtllm, and nothing for ollama"), "{help}");
}

#[test]
fn requests_and_their_tokens_are_not_said_in_one_breath() {
    let text = flat(&run("estimate --model llama-3.1-8b --gpu h100-sxm --engine sglang --seq 4096").out);
    assert!(text.contains("of 4,096 tokens each. SGLang runs at most"), "{text}");
}

#[test]
fn which_ollama_is_meant_is_said() {
    let text = flat(&run("estimate --engine ollama --model qwen3.5-27b --weights q4_k --gpu rtx4090 --seq 32768").out);
    assert!(text.contains("0.30 and later") && text.contains("Older releases run many models"), "{text}");
}

/// llama.cpp's own logs: 24.96 GiB of 32 on an M4 with a newer macOS; 4.76 GB at once were too many for Vulkan on a Strix Halo.
#[test]
fn a_tight_run_of_llama_cpp_says_why() {
    for (engine, words) in
        [("llamacpp", "tight: fits with the 26.8 GB"), ("ollama", "Tight on the GPU: it fits with the 26.8 GB")]
    {
        let line = format!("estimate --engine {engine} --model qwen3-32b --weights q4_k --gpu m4 --seq 16384");
        let Run { code, out, .. } = run(&line);
        let text = flat(&out);
        assert!(code == 0 && text.contains(words) && text.contains("newer macOS lends"), "{text}");
    }
    for more in ["", " --ngl 99"] {
        let line = format!(
            "estimate --engine llamacpp --model qwen3-30b-a3b-2507 --weights q8_0 --gpu strix-halo --seq 70000 --attention eager{more}"
        );
        let text = flat(&run(&line).out);
        assert!(text.contains("a build with Vulkan may not start"), "{text}");
    }
}

/// `max_mamba_cache_size // 3` of `resolve_max_num_reqs`: 65 MB of states a request, three of them for each that runs.
#[test]
fn states_bound_what_sglang_runs_at_once() {
    let line = "estimate --model qwen3.5-35b-a3b --weights fp8-block --gpu rtxpro6000se --engine sglang --seq 16384";
    let text = flat(&run(line).out);
    let most: u64 = text.split_once("SGLang runs at most ").unwrap().1.split(' ').next().unwrap().parse().unwrap();
    // 23.9 GB of states, three of them for each request that runs.
    assert_eq!(most, 123, "{text}");
    let plain = flat(&run("estimate --model qwen3-30b-a3b --weights fp8 --gpu rtxpro6000se --engine sglang").out);
    assert!(plain.contains("SGLang runs at most 4,096 requests at once"), "{plain}");
}

/// Their experts are stored in MXFP4, and nobody serves them in 16 bits.
#[test]
fn deepseek_v4_comes_as_it_is_published() {
    for model in ["deepseek-v4-flash", "deepseek-v4-pro"] {
        let line = format!("estimate --model {model} --kv fp8 --gpu b300 --tp 8 --engine vllm --seq 8192");
        let told = run(&line);
        assert!(flat(&told.err).contains("(mxfp4): mxfp4 weights, as --weights is not given"), "{}", told.err);
        assert!(flat(&told.out).contains("Verdict fits"), "{}", told.out);
    }
    let told = run("estimate --model deepseek-v4-flash --gpu h200-sxm --tp 4 --engine vllm");
    assert!(flat(&told.err).contains("(--kv fp8)"), "{}", told.err);
}
