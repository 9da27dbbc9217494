//! Ids as people type them: in capitals, and by the names of others.

mod common;

use common::run;

/// Issue 18: ids are the same in capitals.
#[test]
fn capitals_do_not_matter() {
    for (capitals, plain) in [
        (
            "estimate --model Llama-3.1-8B --gpu H100-SXM --weights FP8",
            "estimate --model llama-3.1-8b --gpu h100-sxm --weights fp8",
        ),
        (
            "estimate --model Llama-3.1-8B --engine vLLM --gpu L4",
            "estimate --model llama-3.1-8b --engine vllm --gpu l4",
        ),
        (
            "estimate --model gpt2-xl --mode LoRA --lora-targets Q,v --unit GiB",
            "estimate --model gpt2-xl --mode lora --lora-targets q,v --unit gib",
        ),
        (
            "estimate --model llama-3.1-8b --engine llamacpp --weights Q4_K_M",
            "estimate --model llama-3.1-8b --engine llamacpp --weights q4_k",
        ),
        ("solve --for Context --model GPT2-XL --gpu T4", "solve --for context --model gpt2-xl --gpu t4"),
        ("roofline --gpu T4 --model GPT2-XL --precision FP16", "roofline --gpu t4 --model gpt2-xl --precision fp16"),
    ] {
        let (given, wanted) = (run(capitals), run(plain));
        assert_eq!((given.code, given.out), (wanted.code, wanted.out), "{capitals}: {}", given.err);
    }
}

/// Issue 18: names of formats that people type.
#[test]
fn formats_by_the_names_of_others() {
    for (weights, hint) in [
        ("Q2_K_S", "q2_k (Q2_K_S has 2.97 bits a weight: q2_k is Q2_K with 3.16)"),
        ("marlin", "int4 (4-bit integers in groups of 128 with scales and zero points, as AWQ and GPTQ store them)"),
        ("bnb", "nf4 or nf4-dq (bitsandbytes' 4-bit formats, the second with double quantisation)"),
        ("int-quantized", "w8a8 (8-bit integers with a scale for each row, and activations in 8 bits)"),
        ("fp4", "nvfp4 or mxfp4 (4-bit floats in blocks of 16, and in blocks of 32)"),
        ("float16", "fp16 (half precision, 2 bytes)"),
        ("torch.bfloat16", "bf16 (bfloat16, 2 bytes, the usual format of published weights)"),
        ("fp8_e4m3", "fp8 (8-bit floats with one scale for a tensor)"),
    ] {
        let refused = run(&format!("estimate --model llama-2-7b --weights {weights}"));
        assert_eq!(refused.code, 2, "{weights}");
        assert!(refused.err.ends_with(&format!(", not {weights:?}, did you mean {hint}?\n")), "{}", refused.err);
    }
    // The mixes of llama.cpp by its own names, each with the bits of its own table; where CPU and GPU share one memory, all of a file is counted.
    for (weights, size) in [("Q4_K_S", "4.68 GB"), ("q3_k_l", "4.31 GB"), ("IQ4_XS", "4.48 GB"), ("q5_k_s", "5.59 GB")]
    {
        let counted = run(&format!("estimate --model llama-3.1-8b --weights {weights} --engine llamacpp --gpu gb10"));
        assert!(counted.code == 0 && counted.out.contains(size), "{weights}: {}", counted.out);
    }
    // What the list has under another spelling is found by its letters.
    let spelt = run("estimate --model llama-2-7b --weights q4-k").err;
    assert!(spelt.contains("did you mean q4_k"), "{spelt}");
}

/// Names of files are read as the format that they have, and a note says which.
#[test]
fn files_are_called_as_they_are_published() {
    for (name, id) in [("AWQ", "int4"), ("gptq", "int4"), ("w4a16", "int4"), ("bnb-4bit", "nf4-dq")] {
        let line =
            |weights: &str| run(&format!("estimate --model llama-3.1-8b --gpu l4 --engine vllm --weights {weights}"));
        let (named, plain) = (line(name), line(id));
        assert_eq!((named.code, &named.out), (plain.code, &plain.out), "{name}: {}", named.err);
        let taken = format!("--weights {} is taken for {id}: ", name.to_lowercase());
        assert!(named.err.contains(&taken) && !plain.err.contains("taken for"), "{}", named.err);
    }
    assert_eq!(run("estimate --model llama-3.1-8b --kv awq").code, 2);
}

/// What people ask for and is not modelled is refused by its name, with the reason.
#[test]
fn what_is_not_modelled_is_refused_by_name() {
    let config = |family: &str| format!("estimate --config {{\"model_type\":\"{family}\"}}");
    for (line, why) in [
        (
            "estimate --model llama-3.1-8b --engine tgi".into(),
            "--engine \"tgi\" is not modelled: its pool is what a warm-up",
        ),
        ("estimate --model llama-3.1-8b --engine LMStudio".into(), "it runs llama.cpp, mostly: --engine llamacpp"),
        (
            "estimate --model XiaomiMiMo/MiMo-V2-Flash".into(),
            "is not modelled: its keys and its values have different widths",
        ),
        ("estimate --model step-3.5-flash".into(), "is not modelled: its layers with a window have other numbers"),
        ("estimate --model google/gemma-3n-E4B-it".into(), "an embedding table for each layer"),
        (config("mimo_v2_flash"), "--config: model_type \"mimo_v2_flash\" is not modelled: its keys"),
        (config("bailing_hybrid"), "lightning attention"),
        (config("kimi_k3"), "text_config"),
        (
            "estimate --model llama-3.1-8b --weights IQ3_XXS".into(),
            "memory-wall explain FILE.gguf counts a file to the byte",
        ),
        ("estimate --model llama-3.1-8b --weights ud-q4_k_xl".into(), "chosen by measurement"),
        ("estimate --model llama-3.1-8b --mode training --fp8".into(), "say --fp8-recipe"),
        ("estimate --model deepseek-v3 --mode training --dualpipe".into(), "--pipeline-schedule dualpipe and"),
        ("estimate --model deepseek-v3 --mode training --pipeline-schedule GPipe".into(), "of every micro-batch"),
        ("estimate --model deepseek-v3 --mode training --pipeline-schedule zbv".into(), "gradients of weights back"),
        (
            "estimate --model deepseek-v3 --mode training --pipeline-schedule InterleavedZeroBubble".into(),
            "gradients of weights back",
        ),
        (
            "estimate --model deepseek-v3 --mode training --pipeline-schedule interleaved1f1b".into(),
            "1f1b with --virtual-stages",
        ),
        (
            "estimate --model deepseek-v3 --mode training --ema".into(),
            "none where it is kept and updated in host memory",
        ),
        ("estimate --model llama-3.1-8b --mode training --num-labels 1".into(), "a reward head has a few outputs"),
    ] {
        let line: String = line;
        let refused = run(&line);
        assert!(refused.code == 2 && refused.err.contains(why), "{line}: {}", refused.err);
    }
}
