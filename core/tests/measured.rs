//! The engine against measured figures, to the byte. Every fixture says in its first lines where it comes from.
//!
//! No row is dropped in silence: each is compared, or skipped for a reason that is counted.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod common;

use common::{Row, Score, rows};
use memory_wall_core::architecture::{Biases, Mlp, Norm, Positions, SlidingWindow};
use memory_wall_core::memory::{activations, kv_cache, logits, optimizer};
use memory_wall_core::worked::{self, Item};
use memory_wall_core::{
    Architecture, Attention, Bytes, Checkpointing, KvPrecision, Mode, Phase, Scenario, WeightFormat, evaluate,
};

/// A Llama-type model of no consequence, of which a test replaces what its row states.
const BLANK: Architecture = Architecture::llama([1; 7]);

/// The shape that a row states in the columns which the fixtures share.
fn shape(row: &Row) -> Architecture {
    let common = Architecture {
        layers: row.dimension("layers"),
        hidden_size: row.dimension("hidden"),
        heads: row.dimension("heads"),
        kv_heads: row.dimension("kv_heads"),
        head_dim: row.dimension("head_dim"),
        intermediate_size: row.dimension("intermediate"),
        vocab_size: row.dimension("vocab"),
        tied_embeddings: row.is_set("tied"),
        ..BLANK
    };
    match row.text("arch") {
        "llama" | "mistral" => common,
        "qwen2" => Architecture { biases: Biases { qkv: true, attention_output: false, mlp: false }, ..common },
        "gpt2" => Architecture {
            mlp: if row.text("activation") == "gelu_new" { Mlp::GeluNew } else { Mlp::Gelu },
            norm: Norm::LayerNorm,
            dropout: true,
            positions: Positions::Learned(row.dimension("positions")),
            biases: Biases { qkv: true, attention_output: true, mlp: true },
            ..common
        },
        other => panic!("no shape for {other}"),
    }
}

/// A training step as a row states it.
fn training(row: &Row) -> Scenario {
    let scenario = Scenario {
        mode: Mode::Training,
        batch: row.dimension("batch"),
        seq_length: row.dimension("seq"),
        weights: if row.text("dtype") == "fp32" { WeightFormat::Fp32 } else { WeightFormat::Bf16 },
        checkpointing: if row.is_set("checkpointed") { Checkpointing::Full } else { Checkpointing::None },
        attention: if row.text("attn") == "eager" { Attention::Eager } else { Attention::Flash },
        ..Scenario::new(shape(row))
    };
    assert_eq!(scenario.check(), Ok(()));
    scenario
}

fn saved(scenario: &Scenario) -> Bytes {
    worked::total(|sink| activations::terms(scenario, Phase::Loss, sink))
}

fn loss(scenario: &Scenario) -> Bytes {
    worked::total(|sink| logits::terms(scenario, Phase::Loss, sink))
}

mod saved_activations {
    use super::*;

    const GEMMA: &str = "Gemma 2: soft-capped scores and four norms a layer are not modelled";
    const MIXTRAL: &str = "Mixtral: mixture of experts is not modelled";
    const QWEN3: &str = "Qwen3: norms on queries and keys are not modelled";
    const AUTOCAST: &str = "autocast is another recipe than 16-bit weights";
    const PADDING: &str = "a padding mask is not modelled: every sequence is full";
    const NO_DROPOUT: &str = "GPT-2 without dropout: the engine takes its published 0.1";
    const CPU_GPT2: &str = "GPT-2 on a CPU: dropout masks of 2 or 4 bytes and other LayerNorm statistics than on CUDA";
    const CPU_FP32: &str = "fp32 attention on a CPU is another kernel than on CUDA";
    const MQA_VIEWS: &str = "eager multi-query attention of one sequence keeps views of its only KV head";

    fn skip_reason(row: &Row) -> Option<&'static str> {
        let cpu = row.text("device") == "cpu";
        let eager = row.text("attn") == "eager";
        match row.text("arch") {
            "gemma2" => return Some(GEMMA),
            "mixtral" => return Some(MIXTRAL),
            "qwen3" => return Some(QWEN3),
            "gpt2" if row.text("dropout") == "0" => return Some(NO_DROPOUT),
            "gpt2" if cpu => return Some(CPU_GPT2),
            _ => {}
        }
        if row.text("dtype") == "autocast_bf16" {
            Some(AUTOCAST)
        } else if row.is_set("padding") {
            Some(PADDING)
        } else if row.is_set("checkpointed") {
            None
        } else if cpu && !eager && row.text("dtype") == "fp32" {
            Some(CPU_FP32)
        } else if eager && row.number("kv_heads") == 1 && row.number("batch") == 1 {
            Some(MQA_VIEWS)
        } else {
            None
        }
    }

    #[test]
    fn equal_the_measured_bytes() {
        let mut layers = Score::default();
        let mut totals = Score::default();
        let mut parameters = Score::default();
        for row in rows("saved_activations.csv", include_str!("data/saved_activations.csv")) {
            if let Some(reason) = skip_reason(&row) {
                for score in [&mut layers, &mut totals, &mut parameters] {
                    score.skip(reason);
                }
                continue;
            }
            let mut scenario = training(&row);
            let all_layers = scenario.architecture.layers;
            scenario.architecture.sliding_window =
                row.optional("window").map(|_| SlidingWindow::over(all_layers, row.dimension("window")));
            let name = format!("case {}", row.text("case"));
            parameters.compare(&name, scenario.architecture.parameters().total().into(), row.number("params"));

            let layer = if row.is_set("checkpointed") {
                let mut checkpoints = Bytes::ZERO;
                activations::terms(&scenario, Phase::Loss, &mut |term| {
                    if term.item == Item::Checkpoints {
                        checkpoints += term.bytes();
                    }
                });
                checkpoints.0 / u128::from(all_layers)
            } else {
                activations::saved_per_layer(&scenario).0
            };
            // The CUDA kernel keeps the state of its random number generator, 24 bytes a call; the CPU's has none.
            let windowed = row.optional("window").is_some_and(|window| row.number("seq") > window);
            let random_state = if row.text("device") == "cpu"
                && row.text("attn") == "sdpa"
                && !row.is_set("checkpointed")
                && !windowed
            {
                24
            } else {
                0
            };
            layers.compare(&name, layer - random_state, row.number("per_layer"));
            totals.compare(
                &name,
                saved(&scenario).0 - random_state * u128::from(all_layers),
                row.number("live") - row.number("loss"),
            );
            // What stays of the loss until backward begins; its peak is in the other sets.
            let tokens = scenario.tokens();
            let kept = 4 * tokens * row.number("vocab") + 8 * tokens + if scenario.batch == 1 { 12 } else { 4 };
            assert_eq!(kept, row.number("loss"), "{name}");
        }
        let skipped = [
            (GEMMA, 27),
            (MIXTRAL, 25),
            (QWEN3, 19),
            (AUTOCAST, 21),
            (PADDING, 6),
            (NO_DROPOUT, 31),
            (CPU_GPT2, 10),
            (CPU_FP32, 18),
            (MQA_VIEWS, 5),
        ];
        layers.finish("saved activations, a layer", 122, &skipped);
        totals.finish("saved activations, whole model", 122, &skipped);
        parameters.finish("saved activations, parameters", 122, &skipped);
    }
}

mod step_peaks {
    use super::*;

    const GPT2: &str = "GPT-2 as measured has no dropout and the CPU's LayerNorm statistics";
    const AUTOCAST: &str = "autocast is another recipe than 16-bit weights";
    const OPTIMIZER: &str =
        "the peak is in the optimizer step of pure bf16 training, another recipe than a master copy";
    const LATE_BACKWARD: &str =
        "the peak is late in the backward pass, when nearly all gradients of pure bf16 training exist";
    const QWEN3: &str = "Qwen3: norms on queries and keys are not modelled";

    fn skip_reason(row: &Row) -> Option<&'static str> {
        if row.text("phase") == "optimizer" {
            Some(OPTIMIZER)
        } else if row.text("arch") == "gpt2" {
            Some(GPT2)
        } else if row.text("dtype") == "autocast_bf16" {
            Some(AUTOCAST)
        } else if row.text("arch") == "qwen3" {
            Some(QWEN3)
        } else if row.number("grads") > 0 {
            Some(LATE_BACKWARD)
        } else {
            None
        }
    }

    #[test]
    fn equal_activations_and_loss_at_the_start_of_backward() {
        let mut score = Score::default();
        for row in rows("step_peaks.csv", include_str!("data/step_peaks.csv")) {
            if let Some(reason) = skip_reason(&row) {
                score.skip(reason);
                continue;
            }
            let scenario = training(&row);
            assert_eq!(scenario.architecture.parameters().total(), row.number("params"));
            let name = format!("{} {} × {}", row.text("model"), row.text("batch"), row.text("seq"));
            let parts = ["act_layers", "act_head", "logits", "ce_temp", "other_temp"];
            let measured = parts.iter().map(|part| row.number(part)).sum();
            score.compare(&name, (saved(&scenario) + loss(&scenario)).0, measured);
        }
        let skipped = [(GPT2, 5), (AUTOCAST, 2), (OPTIMIZER, 9), (LATE_BACKWARD, 3), (QWEN3, 1)];
        score.finish("training step peaks", 9, &skipped);
    }
}

mod loss_alone {
    use super::*;

    const KEPT: &str = "outputs kept alive beside the loss: a habit of the training script, not of the model";
    const SOFTCAP: &str = "soft-capped logits (Gemma) are not modelled";

    fn skip_reason(row: &Row) -> Option<&'static str> {
        if !row.text("softcap").is_empty() {
            Some(SOFTCAP)
        } else if row.is_set("outputs_kept") {
            Some(KEPT)
        } else {
            None
        }
    }

    #[test]
    fn equals_the_measured_peak() {
        let mut score = Score::default();
        for row in rows("logits_ce.csv", include_str!("data/logits_ce.csv")) {
            if let Some(reason) = skip_reason(&row) {
                score.skip(reason);
                continue;
            }
            assert_eq!(row.text("loss"), "hf");
            let scenario = Scenario {
                mode: Mode::Training,
                seq_length: row.dimension("tokens"),
                weights: WeightFormat::from_id(row.text("dtype")).unwrap(),
                ..Scenario::new(Architecture {
                    hidden_size: row.dimension("hidden"),
                    vocab_size: row.dimension("vocab"),
                    ..BLANK
                })
            };
            score.compare(row.text("tokens"), loss(&scenario).0, row.number("peak_backward"));
        }
        score.finish("loss alone", 2, &[(KEPT, 2), (SOFTCAP, 4)]);
    }
}

mod kv {
    use super::*;

    const LATENT: &str = "multi-head latent attention is not modelled";
    const LINEAR: &str = "layers without a KV cache (linear attention) are not modelled";
    const TWO_SHAPES: &str = "layers with and without a window have different KV heads or dimensions: not modelled";
    const RESERVED: &str = "a static cache reserves its largest length from the start, and the row does not state it";

    fn skip_reason(row: &Row) -> Option<&'static str> {
        match row.text("kind") {
            "mla" => return Some(LATENT),
            "linear_state" | "hybrid_linear" => return Some(LINEAR),
            _ => {}
        }
        let same = |full, sliding| row.text(full) == row.text(sliding);
        let two_shapes = row.optional("swa_layers").is_some()
            && !(same("full_kv_heads", "swa_kv_heads") && same("full_dim", "swa_dim"));
        two_shapes.then_some(TWO_SHAPES)
    }

    fn cache(scenario: &Scenario) -> u128 {
        worked::total(|sink| kv_cache::terms(scenario, sink)).0
    }

    fn precision(bits: u64) -> KvPrecision {
        match bits {
            32 => KvPrecision::Fp32,
            16 => KvPrecision::Bf16,
            8 => KvPrecision::Fp8,
            4 => KvPrecision::Int4,
            _ => panic!("no KV precision of {bits} bits"),
        }
    }

    #[test]
    fn caches_that_others_state() {
        let mut score = Score::default();
        for row in rows("kv_cache.csv", include_str!("data/kv_cache.csv")) {
            if let Some(reason) = skip_reason(&row) {
                score.skip(reason);
                continue;
            }
            let sliding = row
                .optional("swa_layers")
                .map(|_| SlidingWindow::over(row.dimension("swa_layers"), row.dimension("window")));
            let heads = row.dimension("full_kv_heads");
            let scenario = Scenario {
                batch: row.dimension("batch"),
                seq_length: row.optional("ctx").map_or(1, |_| row.dimension("ctx")),
                kv: precision(row.number("bits")),
                ..Scenario::new(Architecture {
                    layers: row.dimension("full_layers") + sliding.map_or(0, |sliding| sliding.layers),
                    heads,
                    kv_heads: heads,
                    head_dim: row.dimension("full_dim"),
                    sliding_window: sliding,
                    ..BLANK
                })
            };
            assert_eq!(scenario.check(), Ok(()));
            let engine = match row.text("quantity") {
                "total" => cache(&scenario),
                "per_token" => evaluate(&scenario).kv_bytes_per_token.0,
                "marginal_per_token_past_window" => {
                    let longer = Scenario { seq_length: scenario.seq_length + 1, ..scenario };
                    cache(&longer) - cache(&scenario)
                }
                other => panic!("no quantity {other}"),
            };
            score.compare(row.text("case"), engine, row.number("bytes"));
        }
        score.finish("KV caches that others state", 9, &[(LATENT, 3), (LINEAR, 6), (TWO_SHAPES, 2)]);
    }

    #[test]
    fn caches_that_were_run() {
        let mut score = Score::default();
        for row in rows("kv_cache_run.csv", include_str!("data/kv_cache_run.csv")) {
            if row.text("cache") == "StaticCache" {
                score.skip(RESERVED);
                continue;
            }
            let scenario = Scenario {
                batch: row.dimension("batch"),
                seq_length: row.dimension("tokens"),
                kv: precision(if row.text("dtype") == "fp32" { 32 } else { 16 }),
                ..Scenario::new(Architecture {
                    layers: row.dimension("layers"),
                    heads: row.dimension("heads"),
                    kv_heads: row.dimension("kv_heads"),
                    head_dim: row.dimension("head_dim"),
                    sliding_window: row
                        .optional("window")
                        .map(|_| SlidingWindow::over(row.dimension("sliding_layers"), row.dimension("window"))),
                    ..BLANK
                })
            };
            assert_eq!(scenario.check(), Ok(()));
            score.compare(row.text("name"), cache(&scenario), row.number("storage"));
        }
        score.finish("KV caches that were run", 12, &[(RESERVED, 2)]);
    }
}

mod real_gpu {
    use super::*;

    const OWN_CODE: &str = "the forward graph of the student's own modules is other code than transformers";
    const AUTOCAST: &str = "autocast is another recipe than 16-bit weights";

    fn skip_reason(row: &Row) -> Option<&'static str> {
        if row.text("dtype") == "autocast_bf16" {
            Some(AUTOCAST)
        } else {
            row.text("what").starts_with("forward").then_some(OWN_CODE)
        }
    }

    #[test]
    fn parameters_gradients_and_optimizer_states_on_a_card() {
        let architecture = Architecture {
            layers: 32,
            hidden_size: 2_560,
            heads: 32,
            kv_heads: 32,
            head_dim: 80,
            intermediate_size: 10_240,
            vocab_size: 10_000,
            ..BLANK
        };
        assert_eq!(architecture.parameters().total(), 3_406_809_600);
        let mut score = Score::default();
        for row in rows("real_gpu.csv", include_str!("data/real_gpu.csv")) {
            if let Some(reason) = skip_reason(&row) {
                score.skip(reason);
                continue;
            }
            let scenario = Scenario {
                mode: Mode::Training,
                batch: 4,
                seq_length: row.dimension("context"),
                weights: WeightFormat::Fp32,
                ..Scenario::new(architecture)
            };
            let evaluation = evaluate(&scenario);
            let engine = match row.text("what") {
                "AdamW state" => worked::total(|sink| optimizer::terms(&scenario, Phase::Loss, sink)).0,
                "gradients" => evaluation.bytes(memory_wall_core::Bucket::Gradients).0,
                _ => {
                    // Allocated before the step: that code keeps sines and cosines of half a head in each of its 32 layers,
                    // and the ids of 4 sequences in 64 bits.
                    let tables = 32 * 2 * 40 * 4 * row.number("context");
                    let ids = 4 * 8 * row.number("context");
                    evaluation.bytes(memory_wall_core::Bucket::Weights).0 + u128::from(tables + ids)
                }
            };
            score.compare(row.text("what"), engine, row.number("bytes"));
        }
        score.finish("snapshots of a card", 9, &[(OWN_CODE, 3), (AUTOCAST, 3)]);
    }
}
