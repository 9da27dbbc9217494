//! Known figures: what a textbook, a paper or a published checkpoint says, and what the engine must say.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod common;

use memory_wall_core::fusion::{Fusion, Layer};
use memory_wall_core::hierarchy::{Tier, tier_spec};
use memory_wall_core::tables::gpus;
use memory_wall_core::tables::models::{self, MODELS};
use memory_wall_core::{Bucket, Bytes, KvPrecision, Mode, Scenario, WeightFormat, evaluate, solve};

fn scenario(id: &str) -> Scenario {
    let Some(model) = models::by_id(id) else { panic!("no model {id}") };
    Scenario::new(model.architecture)
}

fn kv(id: &str, batch: u32, seq_length: u32) -> Bytes {
    evaluate(&Scenario { batch, seq_length, ..scenario(id) }.check().unwrap()).bytes(Bucket::KvCache)
}

#[test]
fn kv_caches() {
    for (id, batch, seq_length, bytes) in [
        // 2 × 32 layers × 32 heads × 128 × 2 bytes = 524,288 bytes a token.
        ("llama-2-7b", 1, 2_048, 1_073_741_824),
        ("llama-2-7b", 1, 8_192, 4_294_967_296),
        ("llama-2-7b", 1, 128_000, 67_108_864_000),
        // A quarter of the KV heads: 131,072 bytes a token, 1 GiB at 8,192.
        ("llama-3.1-8b", 1, 8_192, 1 << 30),
        ("generic-7b", 8, 32_768, 137_438_953_472),
        // A window of 4,096 tokens in every layer: nothing grows behind it.
        ("mistral-7b-v0.1", 1, 4_096, 131_072 * 4_096),
        ("mistral-7b-v0.1", 1, 32_768, 131_072 * 4_096),
        ("mistral-7b-v0.3", 1, 32_768, 131_072 * 32_768),
    ] {
        assert_eq!(kv(id, batch, seq_length), Bytes(bytes), "{id}, {batch} × {seq_length}");
    }
    assert_eq!(evaluate(&scenario("llama-2-7b").check().unwrap()).kv_bytes_per_token, Bytes(524_288));
    assert_eq!(evaluate(&scenario("llama-3.1-8b").check().unwrap()).kv_bytes_per_token, Bytes(131_072));
}

#[test]
fn kv_precisions() {
    for (kv, bytes) in [
        (KvPrecision::Fp32, 1_048_576),
        (KvPrecision::Fp16, 524_288),
        (KvPrecision::Bf16, 524_288),
        (KvPrecision::Fp8, 262_144),
        (KvPrecision::Int8, 262_144),
        (KvPrecision::Int4, 131_072),
    ] {
        let evaluation = evaluate(&Scenario { kv, ..scenario("llama-2-7b") }.check().unwrap());
        assert_eq!(evaluation.kv_bytes_per_token, Bytes(bytes), "{kv}");
    }
}

#[test]
fn the_cache_of_a_7b_outgrows_its_weights_at_26_703_tokens() {
    let start = evaluate(&scenario("generic-7b").check().unwrap());
    let weights = start.bytes(Bucket::Weights);
    assert_eq!(weights, Bytes(14_000_000_000));
    let crossover = u32::try_from(weights.0 / start.kv_bytes_per_token.0 + 1).unwrap();
    assert_eq!(crossover, 26_703);
    assert_eq!(solve::kv_cache_passes_weights(&scenario("generic-7b").check().unwrap()), Some(crossover));
    assert!(kv("generic-7b", 1, crossover) > weights);
    assert!(kv("generic-7b", 1, crossover - 1) <= weights);
}

#[test]
fn training_takes_16_bytes_a_parameter() {
    let evaluation = evaluate(&Scenario { mode: Mode::Training, ..scenario("generic-7b") }.check().unwrap());
    // 2 for the weights, 2 for the gradients, 4 + 4 + 4 for master copy and moments.
    assert_eq!(evaluation.bytes(Bucket::Weights), Bytes(14_000_000_000));
    assert_eq!(evaluation.bytes(Bucket::Gradients), Bytes(14_000_000_000));
    assert_eq!(evaluation.bytes(Bucket::Optimizer), Bytes(84_000_000_000));
    // In fp32 the weights are their own master copy: 4 + 4 + 8.
    let wide = evaluate(
        &Scenario { mode: Mode::Training, weights: WeightFormat::Fp32, ..scenario("generic-7b") }.check().unwrap(),
    );
    let states = |evaluation: &memory_wall_core::Evaluation| {
        [Bucket::Weights, Bucket::Gradients, Bucket::Optimizer]
            .map(|bucket| evaluation.bytes(bucket))
            .into_iter()
            .sum::<Bytes>()
    };
    assert_eq!(states(&evaluation), Bytes(112_000_000_000));
    assert_eq!(states(&wide), Bytes(112_000_000_000));
    assert_eq!(evaluation.bytes(Bucket::KvCache), Bytes::ZERO);
}

#[test]
fn weights_of_13b() {
    assert_eq!(evaluate(&scenario("llama-2-13b").check().unwrap()).bytes(Bucket::Weights), Bytes(26_031_728_640));
}

/// Llama 2 7B by hand. Matrices of a layer: 4 × 4096² + 3 × 4096 × 11008 = 202,375,168; of 32 layers: 6,476,005,376.
/// What stays wide: 2 × 32000 × 4096 (embedding, head) + 65 × 4096 (norms) = 262,410,240, in 16 bits 524,820,480 bytes.
#[test]
fn weight_formats() {
    const WIDE: u128 = 524_820_480;
    for (weights, bytes) in [
        (WeightFormat::Fp32, 26_953_662_464),        // 4 × 6,738,415,616
        (WeightFormat::Fp16, 13_476_831_232),        // 2 × 6,738,415,616
        (WeightFormat::Bf16, 13_476_831_232),        // the same
        (WeightFormat::Fp8, 6_476_005_376 + WIDE),   // 1 byte a value
        (WeightFormat::Int8, 6_577_192_960 + WIDE),  // 50,593,792 groups of 128 × 130 bytes
        (WeightFormat::Int4, 3_364_487_168 + WIDE),  // 25,296,896 pairs of groups × 133 bytes
        (WeightFormat::Nf4, 3_642_753_024 + WIDE),   // 101,187,584 blocks of 64 × 36 bytes
        (WeightFormat::Nf4Dq, 3_340_771_328 + WIDE), // 395,264 superblocks of 16,384 × 8,452 bytes
        (WeightFormat::Mxfp4, 3_440_377_856 + WIDE), // 202,375,168 blocks of 32 × 17 bytes
    ] {
        let evaluation = evaluate(&Scenario { weights, ..scenario("llama-2-7b") }.check().unwrap());
        assert_eq!(evaluation.bytes(Bucket::Weights), Bytes(bytes), "{weights}");
    }
}

#[test]
fn every_model_has_the_parameters_and_the_cache_of_its_checkpoint() {
    let rows = common::rows("model_counts.csv", include_str!("data/model_counts.csv"));
    for model in MODELS {
        let Some(row) = rows.iter().find(|row| row.text("id") == model.id) else {
            assert_eq!(model.id, "generic-7b", "a real model without a row");
            continue;
        };
        let evaluation = evaluate(&Scenario::new(model.architecture).check().unwrap());
        let parameters = row.number("parameters");
        assert_eq!(evaluation.parameters.total(), parameters, "{}", model.id);
        let active = row.optional("active_parameters");
        assert_eq!(active.is_some(), model.architecture.moe.is_some(), "{}", model.id);
        assert_eq!(model.architecture.active_parameters(), active.unwrap_or(parameters), "{}", model.id);
        if let Some(bytes) = row.optional("kv_bytes_per_token_bf16") {
            assert_eq!(evaluation.kv_bytes_per_token, Bytes(bytes.into()), "{}", model.id);
        }
        if let Some(published) = row.optional("published") {
            let not_counted = row.optional("not_counted").unwrap_or(0);
            assert_eq!(published - not_counted, parameters, "{}", model.id);
            // A total that counts a tied head twice says how large the head is.
            if row.text("seen").ends_with("tied head twice") {
                assert_eq!(not_counted, evaluation.parameters.embedding, "{}", model.id);
            }
        }
        assert!(!row.text("seen").is_empty(), "{}", model.id);
    }
    assert_eq!(rows.len() + 1, MODELS.len());
    assert_eq!(rows.iter().filter(|row| row.optional("kv_bytes_per_token_bf16").is_some()).count(), 24);
    // Of these no total is known to the last digit: a paper or a card rounds it.
    let rounded: Vec<_> =
        rows.iter().filter(|row| row.optional("published").is_none()).map(|row| row.text("id")).collect();
    assert_eq!(
        rounded,
        [
            "opt-175b",
            "mistral-large-3",
            "mistral-small-4",
            "solar-open-100b",
            "mimo-7b",
            "command-r7b",
            "command-a",
            "apertus-70b",
            "nemotron-3-ultra-550b"
        ]
    );
    let textbook = evaluate(&scenario("generic-7b").check().unwrap());
    assert_eq!((textbook.parameters.total(), textbook.kv_bytes_per_token), (7_000_000_000, Bytes(524_288)));
}

#[test]
fn ceilings_of_14_gb_by_tier() {
    let a100 = gpus::by_id("a100-80-sxm").unwrap();
    for (tier, tokens_a_second, slower) in [
        // 2,039, 300, 31.5 and 7 GB/s over 14 GB.
        (Tier::Own, 145.6, 1.0),
        (Tier::Peer, 21.4, 6.8),
        (Tier::Host, 2.25, 64.7),
        (Tier::Drive, 0.5, 291.3),
    ] {
        let spec = tier_spec(a100, tier).unwrap();
        let ceiling = spec.reads_per_second(Bytes(14_000_000_000)).unwrap();
        assert!((ceiling / tokens_a_second - 1.0).abs() < 3e-3, "{tier:?}: {ceiling}");
        let ratio = spec.slower_than_own(a100).unwrap();
        assert!((ratio / slower - 1.0).abs() < 3e-3, "{tier:?}: {ratio}");
    }
}

#[test]
fn fusing_a_small_layer_in_fp32_saves_a_few_percent() {
    // A demonstration of compilers: 512 rows through 1,024 × 1,024 in fp32. Without TF32 the product alone takes 55 us at 19.5 TFLOP/s;
    // a trip of 2 MiB both ways takes 2 us, and there is none, since 2 MiB stay in 40 MiB of L2.
    let a100 = gpus::by_id("a100-40-sxm").unwrap();
    let layer = Layer { tokens: 512, in_features: 1_024, out_features: 1_024, bytes_per_value: 4 };
    let product = layer.total(Fusion::Epilogue).flops as f64 / a100.peaks.fp32.unwrap().tflops() / 1e6;
    assert!((product - 55.1).abs() < 0.1, "{product}");
    assert_eq!(layer.intermediate(), Bytes(2 << 20));
    assert_eq!(layer.stays_on_chip(a100), Some(true));
}

/// Every build gives the same answers: the one feature there is reads files, and the engine asks for it nowhere else.
#[test]
fn no_feature_changes_an_answer() {
    let manifest = include_str!("../Cargo.toml");
    let features = manifest.split_once("[features]").unwrap().1.split("\n[").next().unwrap();
    let names: Vec<&str> = features.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name).collect();
    assert_eq!(names, ["serde"]);
    for (file, source) in [
        ("evaluate", include_str!("../src/evaluate/mod.rs")),
        ("memory", include_str!("../src/memory/mod.rs")),
        ("engines", include_str!("../src/engines/mod.rs")),
        ("assumptions", include_str!("../src/assumptions/mod.rs")),
    ] {
        assert!(!source.contains("feature ="), "{file}");
    }
}

/// Held against the sizes that llama.cpp's own table gives for Llama 3.1 8B, in bits a weight.
#[test]
fn mixes_of_llama_cpp_are_counted_as_whole_files() {
    for (weights, of_file) in [
        (WeightFormat::Q2K, 3.1593),
        (WeightFormat::Q3K, 3.9960),
        (WeightFormat::Q4K, 4.8944),
        (WeightFormat::Q5K, 5.7036),
    ] {
        let scenario = Scenario { weights, ..scenario("llama-3.1-8b") }.check().unwrap();
        let evaluation = evaluate(&scenario);
        let bits = evaluation.bytes(Bucket::Weights).0 as f64 * 8.0 / evaluation.parameters.total() as f64;
        assert!((of_file / bits - 1.0).abs() < 0.001, "{weights}: {bits} and not {of_file}");
        let said = evaluation.assumptions.iter().map(|it| it.to_string()).find(|it| it.starts_with("GGUF")).unwrap();
        assert!(said.contains("whole file of llama.cpp"), "{said}");
    }
}

/// Shapes of the states that transformers 5.23 keeps of one sequence: the convolution in 16 bits, what recurs in 32.
#[test]
fn states_of_hybrid_models_do_not_grow_with_the_context() {
    for (id, states) in [
        ("granite-4.0-h-micro", 36 * ((4_096 + 2 * 128) * 4 * 2 + 64 * 64 * 128 * 4)),
        ("granite-4.0-h-small", 36 * ((8_192 + 2 * 128) * 4 * 2 + 128 * 64 * 128 * 4)),
        ("nemotron-nano-9b-v2", 27 * ((10_240 + 2 * 8 * 128) * 4 * 2 + 128 * 80 * 128 * 4)),
        ("nemotron-3-nano-30b", 23 * ((4_096 + 2 * 8 * 128) * 4 * 2 + 64 * 64 * 128 * 4)),
        ("falcon-h1-0.5b", 36 * ((1_536 + 2 * 128) * 4 * 2 + 24 * 64 * 128 * 4)),
        ("falcon-h1-7b", 44 * ((3_072 + 2 * 256) * 4 * 2 + 24 * 128 * 256 * 4)),
        ("jamba-mini", 28 * (8_192 * 4 * 2 + 8_192 * 16 * 4)),
        ("qwen3.5-27b", 48 * ((6_144 + 2 * 2_048) * 4 * 2 + 48 * 128 * 128 * 4)),
        ("lfm2-1.2b", 10 * 2_048 * 3 * 2),
        ("lfm2-24b-a2b", 30 * 2_048 * 3 * 2),
    ] {
        for seq_length in [1, 4_096] {
            let evaluation = evaluate(&Scenario { seq_length, ..scenario(id) }.check().unwrap());
            let tokens = evaluation.kv_bytes_per_token.0 * u128::from(seq_length);
            assert_eq!(evaluation.bytes(Bucket::KvCache), Bytes(tokens + states), "{id}");
        }
    }
}
