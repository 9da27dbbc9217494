//! Guesses ahead: what they take, and which are refused.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

#[allow(dead_code, reason = "another file of tests uses the rest")]
#[path = "common/runs.rs"]
mod runs;

use memory_wall_core::architecture::Architecture;
use memory_wall_core::assumptions::Assumption;
use memory_wall_core::engines::vllm;
use memory_wall_core::roofline::Pass;
use memory_wall_core::roofline::latency::{Counting, estimate};
use memory_wall_core::serving::{Serving, Speculation, Version};
use memory_wall_core::spending::service;
use memory_wall_core::tables::drafts::{self, Draft};
use memory_wall_core::tables::gpus;
use memory_wall_core::tables::models;
use memory_wall_core::units::GIB;
use memory_wall_core::{Bytes, Checked, Engine, KvPrecision, Scenario, WeightFormat, evaluate};
use runs::with;

/// Llama 3.1 8B: q 4096+4096, k and v 4096+1024 each, o 4096+4096, gate and up 4096+14336 each, down 14336+4096 in 32 layers; two tables of 128,256+4,096.
/// Three starts of vLLM 0.25.1 on a GB10, three tokens guessed ahead by the model's own layer, requests of 262,144 tokens
/// (sostrowsk/dgx-spark-local-llm: `qwen36.log`, `qwen38-int4.log`, `qwen38-nvfp4.log`): "Setting attention block size to 1072 tokens", "Add 3 padding layers",
/// pools of 74.22, 80.17 and 76.4 GiB that hold 12.84, 4.54 and 8.36 requests.
#[test]
fn guesses_ahead_take_a_layer_and_states_as_vllm_logs_them() {
    let of = |model, kv| {
        let mut scenario = with(&Scenario::new(models::by_id(model).unwrap().architecture), Engine::Vllm);
        (scenario.serving.speculation, scenario.serving.num_speculative_tokens) = (Speculation::Mtp, 3);
        (scenario.serving.version, scenario.kv) = (Version { major: 0, minor: 25 }, kv);
        scenario
    };
    for (scenario, block, group, pool, concurrency) in [
        (of("qwen3.5-35b-a3b", KvPrecision::Bf16), 1_072, 11, 74.22, 12.84),
        (of("qwen3.5-27b", KvPrecision::Bf16), 800, 17, 80.17, 4.54),
        (of("qwen3.5-27b", KvPrecision::Fp8), 1_600, 17, 76.4, 8.36),
    ] {
        let scenario = scenario.check().unwrap();
        let pages = vllm::Run::of(&scenario).pages().unwrap();
        assert_eq!((pages.block(), pages.group_size, pages.groups), (block, group, 4));
        let held = (pool * GIB as f64 / pages.group_page() as f64).floor() / pages.blocks(262_144, 2_048) as f64;
        assert!((held - concurrency).abs() < 0.01, "{held} for {concurrency}");
    }
    // A layer of the 27B: attention with a gate, 3 × 5,120 × 17,408, the matrix that joins two states, and its norms.
    let mut scenario = of("qwen3.5-27b", KvPrecision::Bf16);
    let loaded = |scenario: &Scenario| vllm::Run::of(&scenario.check().unwrap()).weights();
    let alone = |scenario: &Scenario| {
        let serving = Serving { speculation: Speculation::None, ..scenario.serving };
        loaded(&Scenario { serving, ..*scenario })
    };
    let attention = 5_120 * (2 * 6_144 + 2 * 1_024 + 6_144);
    let vectors = (2 + 3) * 5_120 + 2 * 256;
    let joined = 2 * 5_120 * 5_120;
    let layer = attention + 3 * 5_120 * 17_408;
    assert_eq!(loaded(&scenario) - alone(&scenario), 2 * (layer + joined + vectors));
    // Files in 4 bits keep it in 16; one in fp8 has it in fp8, but for what joins.
    scenario.weights = WeightFormat::Int4;
    assert_eq!(loaded(&scenario) - alone(&scenario), 2 * (layer + joined + vectors));
    scenario.weights = WeightFormat::Fp8;
    assert_eq!(loaded(&scenario) - alone(&scenario), layer + 2 * (joined + vectors));
    // "Model loading took 18.5 GiB": the file of Qwen3.8 27B in INT4.
    scenario.weights = WeightFormat::Int4;
    let gib = loaded(&scenario) as f64 / GIB as f64;
    assert!((gib / 18.5 - 1.0).abs() < 0.03, "{gib}");
    // DeepSeek's own figure for its layer: 11.5 B parameters of its own.
    let deepseek = of("deepseek-v3", KvPrecision::Bf16);
    let own = (loaded(&deepseek) - alone(&deepseek)) / 2;
    assert!((11_500_000_000..11_700_000_000).contains(&own), "{own}");
    // Guesses by repetition need no layer, but the states are kept all the same.
    scenario.serving.speculation = Speculation::Ngram;
    assert_eq!(loaded(&scenario), alone(&scenario));
    let pages = vllm::Run::of(&scenario.check().unwrap()).pages().unwrap();
    assert_eq!((pages.block(), pages.group_size, pages.blocks(1, 1)), (800, 16, 1 + 3 * 4));
}

/// A head and a draft model as public logs say: Llama 3.1 8B with its EAGLE-3 head, "Loading model weights took 15.7847 GB" and 252,800 tokens in pages of 128 of a pool of 34,184,553,369
/// bytes (vLLM 0.9.1 on Ascend); Qwen3 8B in AWQ with one, 30,784 tokens in 4.34 GiB, 23,024 in 3.25 and 38,784 in 5.47 (0.31 and 0.30 on an RTX 5070 Ti);
/// Qwen3 4B with Qwen3 0.6B, "Model loading took 8.67 GiB" (0.14 on H20).
#[test]
fn heads_and_draft_models_take_weights_and_a_cache_as_vllm_logs_them() {
    let of = |model: &str, draft: &str, method| {
        let mut scenario = with(&Scenario::new(models::by_id(model).unwrap().architecture), Engine::Vllm);
        (scenario.draft, scenario.serving.speculation) = (drafts::by_id(draft), method);
        scenario.serving.num_speculative_tokens = 3;
        scenario
    };
    let gib = |scenario: &Scenario| vllm::Run::of(&scenario.check().unwrap()).weights() as f64 / GIB as f64;
    let pages = |scenario: &Scenario| vllm::Run::of(&scenario.check().unwrap()).pages().unwrap();
    let llama = of("llama-3.1-8b", "eagle3-llama-3.1-8b", Speculation::Eagle3);
    let alone =
        gib(&Scenario { draft: None, serving: Serving { speculation: Speculation::None, ..llama.serving }, ..llama });
    // 8,192 × 6,144 for the first layer's queries, keys and values, 4,096² for its output, its MLP, what joins three states, 32,000 rows, five norms, and where each row stands.
    let values = 8_192 * 6_144 + 4_096 * 4_096 + 3 * 4_096 * 14_336 + 3 * 4_096 * 4_096 + 32_000 * 4_096 + 4 * 4_096;
    let bytes = f64::from(2 * values + 8 * 32_000);
    assert!((gib(&llama) - alone - bytes / GIB as f64).abs() < 1e-9);
    assert!((gib(&llama) / 15.7847 - 1.0).abs() < 0.001, "{}", gib(&llama));
    // Blocks of 128 are eight of 16.
    let blocks = 34_184_553_369 / (8 * pages(&llama).group_page());
    assert_eq!(128 * blocks, 252_800);
    let qwen = of("qwen3-8b", "eagle3-qwen3-8b", Speculation::Eagle3);
    for (hundredths, tokens) in [(434_u128, 30_784_u128), (325, 23_024), (547, 38_784)] {
        let holds = pages(&qwen).tokens(hundredths * GIB / 100);
        assert!(holds.abs_diff(tokens) < tokens / 500, "{holds} for {tokens}");
    }
    let pair = of("qwen3-4b", "qwen3-0.6b", Speculation::DraftModel);
    assert!((gib(&pair) / 8.67 - 1.0).abs() < 0.005, "{}", gib(&pair));
    // 36 and 28 layers, eight heads of 128 each.
    assert_eq!(pages(&pair).group_page(), (36 + 28) * 16 * 2 * 8 * 128 * 2);
    let mut cut = llama;
    cut.parallel.tp = 2;
    assert_eq!(pages(&cut).group_page(), 33 * 16 * 2 * 4 * 128 * 2);
    // The exact cache has the layer too, and beside layers with a window it is a full one more: gpt-oss, 12 and 13 of them.
    let cache = |scenario: &Scenario| memory_wall_core::memory::kv_cache::bytes_per_token(&scenario.check().unwrap());
    assert_eq!(cache(&llama), Bytes(33 * 2 * 8 * 128 * 2));
    let mut oss = of("gpt-oss-20b", "eagle3-llama-3.1-8b", Speculation::Eagle3);
    let shape = Architecture::llama([1, 2_880, 64, 8, 64, 17_280, 201_088]);
    oss.draft = Some(Draft { id: "", repository: "", shape, guessed_vocabulary: 32_000, reads: Some(2_880) });
    oss.weights = WeightFormat::Mxfp4;
    assert_eq!((pages(&oss).group_size, pages(&oss).groups), (13, 2));
}

#[test]
fn drafts_that_do_not_go_with_a_model_are_refused_by_name() {
    let refused = |model: &str, draft: &str, method, change: fn(&mut Scenario)| {
        let mut scenario = with(&Scenario::new(models::by_id(model).unwrap().architecture), Engine::Vllm);
        (scenario.draft, scenario.serving.speculation) = (drafts::by_id(draft), method);
        change(&mut scenario);
        scenario.check().map(|_| ()).unwrap_err().to_string()
    };
    let as_it_is = |_: &mut Scenario| ();
    for (model, draft, method, words) in [
        ("llama-3.1-8b", "", Speculation::Eagle3, "is not named"),
        ("llama-3.1-8b", "llama-3.2-1b", Speculation::Eagle3, "a model of its own with draft_model"),
        ("llama-3.1-8b", "eagle3-llama-3.1-8b", Speculation::DraftModel, "goes with the methods eagle and eagle3"),
        (
            "llama-3.1-70b",
            "eagle3-llama-3.1-8b",
            Speculation::Eagle3,
            "reads states 4,096 wide, and those of the model are 8,192",
        ),
        ("qwen2.5-7b", "qwen2.5-0.5b", Speculation::DraftModel, "the draft knows 151,936 tokens and the model 152,064"),
        ("gemma-3-27b-text", "gemma-3-1b", Speculation::DraftModel, "only drafts of dense layers with plain attention"),
    ] {
        let said = refused(model, draft, method, as_it_is);
        assert!(said.contains(words), "{said}");
    }
    let old = refused("llama-3.1-8b", "llama-3.2-1b", Speculation::DraftModel, |it| it.serving.version.minor = 14);
    assert!(old.contains("from vLLM 0.15 on"), "{old}");
    let cut = refused("llama-3.1-405b", "llama-3.2-1b", Speculation::DraftModel, |it| it.parallel.tp = 64);
    assert!(cut.contains("the 32 heads of the draft cannot be cut over 64"), "{cut}");
}

#[test]
fn guesses_ahead_that_are_not_modelled_are_refused_by_name() {
    let refused = |model, change: fn(&mut Scenario)| {
        let mut scenario = with(&Scenario::new(models::by_id(model).unwrap().architecture), Engine::Vllm);
        scenario.serving.speculation = Speculation::Mtp;
        change(&mut scenario);
        scenario.check().unwrap_err().to_string()
    };
    assert!(refused("llama-3.1-8b", |_| ()).contains("brings no layers for guessing ahead"));
    let old = refused("glm-4.5-air", |it| it.serving.version = Version { major: 0, minor: 10 });
    assert!(old.contains("from vLLM 0.11 on"), "{old}");
    assert!(refused("glm-4.5-air", |it| it.parallel.pp = 2).contains("several pipeline stages"));
    let window = refused("gemma-3-4b", |it| it.serving.speculation = Speculation::Ngram);
    assert!(window.contains("sliding window"), "{window}");
    // Other programs know nothing of it, and it changes nothing there.
    let mut exact = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture);
    exact.serving.speculation = Speculation::Mtp;
    assert!(exact.check().is_ok());
}

/// 18.6 and 21.5 tokens a second in the same logs: more than one token a step, and never more than four.
#[test]
fn the_fast_end_of_a_step_writes_all_that_was_guessed() {
    let gb10 = gpus::by_id("gb10").unwrap();
    for (model, weights, kv, measured) in [
        ("qwen3.5-27b", WeightFormat::Int4, KvPrecision::Bf16, 18.6),
        ("qwen3.5-27b", WeightFormat::Nvfp4, KvPrecision::Fp8, 21.5),
    ] {
        let plain = Scenario {
            gpu: Some(gb10),
            weights,
            kv,
            seq_length: 1_024,
            ..Scenario::new(models::by_id(model).unwrap().architecture)
        };
        let mut guessing = with(&plain, Engine::Vllm);
        guessing.serving.version = Version { major: 0, minor: 25 };
        let plain = guessing.check().unwrap();
        (guessing.serving.speculation, guessing.serving.num_speculative_tokens) = (Speculation::Mtp, 3);
        let guessing = guessing.check().unwrap();
        let speed = |it: &Checked| estimate(it, gb10, Pass::Decode, Counting::of(it)).speed(it, gb10);
        let ([slow, fast], [ours, most]) = (speed(&plain).per_user, speed(&guessing).per_user);
        assert!(fast < measured, "{model}: {fast} is no bound where tokens are guessed ahead");
        // States keep a few values more.
        let near = |one: f64, other: f64| (one / other - 1.0).abs() < 0.001;
        assert!(near(ours, slow) && near(most, fast * 4.0), "{model}: {ours} to {most}");
        assert!((ours..=most).contains(&measured), "{model}: {ours} to {most}");
        let (one, four) = (service(&plain, gb10).unwrap(), service(&guessing, gb10).unwrap());
        assert!(near(four.tpot[0].0 * 4.0, one.tpot[0].0) && near(four.tpot[1].0, one.tpot[1].0), "{model}");
        assert!(near(four.written[0], one.written[0] * 4.0) && near(four.written[1], one.written[1]), "{model}");
        let said = |it: &Checked| evaluate(it).assumptions.iter().any(|it| it == Assumption::Guesses(3));
        assert!(said(&guessing) && !said(&plain));
    }
}
