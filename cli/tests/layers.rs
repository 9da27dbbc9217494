//! Layers of llama.cpp on GPUs and in host memory: `estimate` places them, `solve` finds how many.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

mod common;

use common::{Run, json, run};

const SEVENTY: &str = "--model llama-3.3-70b --weights q4_k --engine llamacpp --gpu rtx4090 --seq 8192";
const MIXTURE: &str = "--model qwen3-30b-a3b --weights q4_k --engine llamacpp --gpu rtx3060-12 --seq 32k";

#[test]
fn solve_and_estimate_say_the_same_of_layers() {
    for (question, flag, scenario, answer) in [("ngl", "--ngl", SEVENTY, 44), ("n-cpu-moe", "--n-cpu-moe", MIXTURE, 26)]
    {
        let scenario = format!("{scenario} --host-memory 64 --host-bandwidth 80");
        let (code, it) = json(&format!("solve --for {question} {scenario}"));
        assert_eq!((code, it["for"].as_str().unwrap()), (0, question));
        assert_eq!(it["answer"]["value"], answer);
        for step in ["answer", "next"] {
            let count = &it[step]["value"];
            let (code, estimate) = json(&format!("estimate {scenario} {flag} {count}"));
            assert_eq!(code, i32::from(step == "next"), "{question} {step}");
            for key in ["devices", "host", "verdict", "layers_on_gpus", "decode_tokens_per_second"] {
                assert_eq!(estimate[key], it[step][key], "{question} {step} {key}");
            }
        }
        let [low, high] = [0, 1].map(|end| it["answer"]["decode_tokens_per_second"][end].as_f64().unwrap());
        assert!(low > 0.5 && high > low, "{low} {high}");
    }
}

#[test]
fn lines_say_where_layers_are_and_what_it_stands_on() {
    let Run { code, out, .. } = run(&format!("estimate {SEVENTY} --ngl 40 --host-memory 64"));
    assert_eq!(code, 0);
    for said in [
        "llama.cpp puts 40 of 81 layers on the GPU, the output layer counted as one.",
        "39 + output",
        "host memory           41",
        "--host-bandwidth says how fast that is",
        "35% of each bandwidth",
    ] {
        assert!(out.contains(said), "{said}\n{out}");
    }
    let Run { out, .. } = run(&format!("estimate {SEVENTY} --ngl 40 --cache-type-k q8_0 --cache-type-v q4_0"));
    assert!(out.contains("q8_0 and q4_0 KV cache"), "{out}");
    let all = run(&format!("estimate {SEVENTY} --ngl 99"));
    assert!(all.code == 1 && all.out.contains("Decoding: of what does not fit no speed is said."), "{}", all.out);
    assert!(!all.out.contains("tokens a second"), "{}", all.out);
    let Run { code, out, .. } = run(&format!("estimate {SEVENTY} --ngl 60"));
    assert_eq!(code, 1);
    assert!(out.contains("It does not fit on the GPU"), "{out}");
    let Run { out, .. } = run(&format!("estimate {SEVENTY} --fit --device rtx3090,rtx3060-12 --tensor-split 3,1"));
    assert!(out.contains("rtx3060-12"), "{out}");
}

#[test]
fn what_does_not_go_together_is_refused_in_one_line() {
    for (line, message) in [
        (format!("estimate {SEVENTY} --ngl 1 --fit"), "--fit finds how many layers go on the GPU"),
        (format!("estimate {SEVENTY} --n-cpu-moe 4"), "and this model has none"),
        (format!("estimate {MIXTURE} --n-cpu-moe 4 --cpu-moe"), "one of them says how many"),
        (format!("estimate {SEVENTY} --device rtx3090,rtx3090 --tensor-split 1"), "1 shares for 2 GPUs"),
        (format!("estimate {SEVENTY} --tensor-split 1,b"), "--tensor-split takes whole numbers"),
        (format!("estimate {SEVENTY} --device rtx9"), "--device \"rtx9\" is not known"),
        (format!("estimate {SEVENTY} --ngl 4 --tp 2"), "leave tp, pp, dp, ep and cp at 1"),
        (
            format!("estimate {SEVENTY} --attention eager --cache-type-v q8_0"),
            "V cache quantization requires flash_attn",
        ),
        (
            format!("solve --for context {SEVENTY} --ngl 4"),
            "solve --for context takes llama.cpp as it serves with everything on the GPU",
        ),
        ("solve --for ngl --model llama-3.1-8b --gpu rtx4090".into(), "it needs --engine llamacpp"),
        ("solve --for layers --model llama-3.1-8b --gpu rtx4090".into(), "--for takes context"),
        (format!("advise {SEVENTY} --ngl 4"), "advise has no option \"--ngl\""),
    ] {
        let Run { code, err, .. } = run(&line);
        assert_eq!(code, 2, "{line}\n{err}");
        assert!(err.contains(message), "{line}\n{err}");
    }
    let Run { err, .. } = run("estimate --model llama-3.1-8b --gpu rtx4090 --ngl 4");
    assert!(err.contains("--ngl has no effect without --engine llamacpp"), "{err}");
}

#[test]
fn a_plan_places_layers_too() {
    let plan = std::env::temp_dir().join(format!("layers-{}.json", std::process::id()));
    let text = r#"{"version": 1, "model": "llama-3.3-70b", "weights": "q4_k", "engine": "llamacpp", "gpu": "rtx3090",
        "seq": 8192, "device": ["rtx3090", "rtx3060-12"], "tensor_split": [2, 1], "ngl": 60, "cache_type_k": "q8_0"}"#;
    std::fs::write(&plan, text).unwrap();
    let (_, it) = json(&format!("estimate --plan {}", plan.display()));
    assert_eq!(it["layers_on_gpus"], 60);
    assert_eq!([&it["devices"][0]["layers"], &it["devices"][1]["layers"]], [40, 19]);
    let Run { code, err, .. } = run(&format!("advise --plan {}", plan.display()));
    std::fs::remove_file(&plan).unwrap();
    assert_eq!(code, 2);
    assert!(err.contains("is an option of estimate and solve"), "{err}");
}

/// On a GB10 every way to ask for the same run gets one verdict, and host memory counts once.
#[test]
fn options_do_not_give_shared_memory_twice() {
    let line = "estimate --model glm-4.5-air --weights q8_0 --engine llamacpp --gpu gb10 --seq 65536";
    for option in ["", " --ubatch 512", " --ngl 99", " --host-memory 128"] {
        assert_eq!(run(&format!("{line}{option}")).code, 1, "{option}");
    }
    let ngl =
        run("solve --for ngl --model mistral-large-2 --weights q8_0 --engine llamacpp --gpu gb10 --host-memory 128");
    assert_eq!(ngl.code, 1, "{}", ngl.out);
    assert!(ngl.out.contains("CPU and GPU share"), "{}", ngl.out);
    assert!(ngl.err.contains("--host-memory has no effect"), "{}", ngl.err);
}
