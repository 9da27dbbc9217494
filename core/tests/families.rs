//! Families of 2025 and later: what their classes do not build is refused by name, and defaults are those of the classes.

#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

use std::fs;
use std::path::Path;

use memory_wall_core::architecture::{Architecture, LinearKind, SlidingWindow};
use memory_wall_core::config::{Config, ConfigError};
use serde_json::{Value, json};

/// The file with some fields replaced, in the language model where it is a part; what is `null` here is taken out.
fn changed(id: &str, changes: &Value) -> Result<Architecture, ConfigError> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/configs/{id}.json"));
    let mut file: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let part = if file.get("text_config").is_some() { &mut file["text_config"] } else { &mut file };
    for (field, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => drop(part.as_object_mut().unwrap().remove(field)),
            value => part[field] = value.clone(),
        }
    }
    serde_json::from_value::<Config>(file).unwrap().architecture()
}

#[test]
fn what_a_class_does_not_build_is_refused_by_name() {
    for (id, changes, field) in [
        ("smollm3-3b", json!({"use_sliding_window": true}), "use_sliding_window"),
        (
            "smollm3-3b",
            json!({"layer_types": vec!["sliding_attention"; 36]}),
            "a kind of layer in layer_types that its class has not",
        ),
        ("ernie-4.5-0.3b", json!({"use_bias": true}), "use_bias"),
        ("ernie-4.5-21b-a3b", json!({"use_bias": true}), "use_bias"),
        (
            "ernie-4.5-21b-a3b",
            json!({"moe_layer_interval": 2, "moe_layer_start_index": 9}),
            "dense layers between those with experts",
        ),
        ("minimax-m2", json!({"shared_intermediate_size": 1_024}), "shared_intermediate_size"),
        ("minimax-m3", json!({"use_qk_norm": false}), "use_qk_norm"),
        ("minimax-m3", json!({"moe_layer_freq": [0, 1, 0]}), "moe_layer_freq"),
        ("minimax-m3", json!({"n_shared_experts": 2}), "n_shared_experts other than 1"),
        ("minimax-m3", json!({"sparse_attention_config": {"use_sparse_attention": false}}), "use_sparse_attention"),
        (
            "minimax-m3",
            json!({"sparse_attention_config": {"sparse_attention_freq": vec![1; 60], "sparse_block_size": 64}}),
            "a sparse_block_size other than 128",
        ),
        ("deepseek-v4-flash", json!({"compress_ratios": vec![2; 44]}), "a compress_ratio other than 0, 4 and 128"),
        ("deepseek-v4-flash", json!({"layer_types": vec!["sliding_attention"; 43]}), "layer_types"),
        ("deepseek-v3.2", json!({"compress_ratios": [4]}), "compress_ratios"),
        ("hy3", json!({"qk_norm": false}), "qk_norm"),
        ("hy3", json!({"mlp_layer_types": ["sparse", "dense"]}), "dense layers behind the first with experts"),
        ("solar-open-100b", json!({"first_k_dense_replace": 1}), "dense layers, which its class does not build"),
        ("ling-mini-2.0", json!({"use_bias": true}), "use_bias"),
        ("mimo-7b", json!({"attention_bias": false}), "attention_bias"),
        (
            "kimi-linear-48b-a3b",
            json!({"attn_res_block_size": 12}),
            "attn_res_block_size (residuals over blocks of layers)",
        ),
        ("kimi-linear-48b-a3b", json!({"routed_expert_hidden_size": 3_584}), "routed_expert_hidden_size"),
        ("kimi-linear-48b-a3b", json!({"dense_ffn_hidden": 18_432}), "dense_ffn_hidden"),
        ("kimi-linear-48b-a3b", json!({"mla_use_output_gate": true}), "mla_use_output_gate"),
        ("llama-3.1-8b", json!({"linear_attn_config": {"num_heads": 32}}), "linear_attn_config"),
        ("command-r7b", json!({"use_parallel_block": false}), "use_parallel_block"),
        ("command-r7b", json!({"use_qk_norm": true}), "use_qk_norm"),
        ("apertus-8b", json!({"post_norm": true}), "post_norm"),
        ("apertus-8b", json!({"hidden_act": "silu"}), "a hidden_act other than xielu"),
        ("glm-4.7-flash", json!({"mlp_layer_types": ["sparse"]}), "mlp_layer_types"),
        ("qwen3.5-9b", json!({"attn_output_gate": false}), "attn_output_gate"),
        ("granite-4.0-h-tiny", json!({"mamba_proj_bias": true}), "mamba_proj_bias"),
        ("granite-4.0-h-tiny", json!({"mamba_conv_bias": false}), "mamba_conv_bias"),
        (
            "granite-4.0-h-tiny",
            json!({"layer_types": vec!["multihead_latent_attention"; 40]}),
            "a kind of layer in layer_types that its class has not",
        ),
        ("nemotron-nano-9b-v2", json!({"use_bias": true}), "use_bias"),
        ("nemotron-nano-9b-v2", json!({"mlp_hidden_act": "silu"}), "a mlp_hidden_act other than relu2"),
        ("nemotron-nano-9b-v2", json!({"sliding_window": 4_096}), "sliding_window"),
        ("nemotron-nano-9b-v2", json!({"hybrid_override_pattern": "M?"}), "a kind of layer that its class has not"),
        ("nemotron-3-nano-30b", json!({"n_shared_experts": 2}), "n_shared_experts other than 1"),
        ("nemotron-3-nano-30b", json!({"block_configs": [{"block_type": "mamba"}]}), "block_configs"),
        ("falcon-h1-7b", json!({"projectors_bias": true}), "projectors_bias"),
        ("falcon-h1-7b", json!({"mlp_bias": true}), "mlp_bias"),
        ("falcon-h1-7b", json!({"num_experts": 8}), "num_experts"),
        ("jamba-mini", json!({"mamba_conv_bias": false}), "mamba_conv_bias"),
        ("jamba-mini", json!({"sliding_window": 4_096}), "sliding_window"),
        ("jamba-mini", json!({"kv_lora_rank": 512}), "kv_lora_rank"),
        ("hunyuan-4b", json!({"use_qk_norm": false}), "use_qk_norm"),
        ("hunyuan-4b", json!({"use_cla": true}), "use_cla"),
        ("hunyuan-4b", json!({"num_experts": 64}), "num_experts"),
        ("hunyuan-a13b", json!({"moe_intermediate_size": 1_024}), "moe_intermediate_size"),
        ("hunyuan-a13b", json!({"num_shared_expert": vec![2; 32]}), "num_shared_expert"),
        ("hunyuan-a13b", json!({"moe_topk": [8, 4]}), "a list whose numbers differ from layer to layer"),
        ("gemma-4-31b", json!({"hidden_size_per_layer_input": 256}), "hidden_size_per_layer_input"),
        ("gemma-4-31b", json!({"hidden_size_per_layer_input": null}), "hidden_size_per_layer_input"),
        ("gemma-4-31b", json!({"num_kv_shared_layers": 20}), "num_kv_shared_layers"),
        ("gemma-4-31b", json!({"use_bidirectional_attention": "all"}), "use_bidirectional_attention"),
        ("lfm2-1.2b", json!({"conv_bias": true}), "conv_bias"),
        ("lfm2-1.2b", json!({"block_ffn_dim_multiplier": 1.5}), "block_ffn_dim_multiplier"),
        ("seed-oss-36b", json!({"moe_num_experts": 8}), "moe_num_experts"),
        ("olmo-2-7b", json!({"mamba_d_state": 128}), "mamba_d_state"),
    ] {
        let message = changed(id, &changes).unwrap_err().to_string();
        assert_eq!(message, format!("the config has {field}, which is not modelled yet"), "{id}");
    }
    let message = changed("granite-4.0-h-tiny", &json!({"mamba_n_heads": 64})).unwrap_err().to_string();
    assert!(message.contains("mamba_n_heads and mamba_expand"), "{message}");
    let message = changed("granite-4.0-h-tiny", &json!({"layer_types": null})).unwrap_err().to_string();
    assert_eq!(message, "the config has no layer_types");
}

/// What `KimiLinearConfig` of transformers adds to a file that it saves.
#[test]
fn a_kimi_linear_that_was_saved_again_is_the_same() {
    let kimi = |changes| changed("kimi-linear-48b-a3b", &changes);
    let kinds = (1..=27).map(|it| if it % 4 == 0 || it == 27 { "full_attention" } else { "linear_attention" });
    let saved = json!({
        "dense_ffn_hidden": 9_216, "mla_use_output_gate": false, "attn_res_block_size": 0, "activation_situ_beta": 1.0,
        "linear_head_dim": 128, "linear_num_heads": 32, "linear_conv_kernel_dim": 4, "qk_head_dim": 192, "head_dim": 64,
        "layer_types": kinds.collect::<Vec<_>>(),
    });
    assert_eq!(kimi(saved).unwrap(), kimi(json!({})).unwrap());
}

#[test]
fn each_layer_of_kimi_linear_stands_in_one_list_once() {
    let listed = |attending: &[i64], linear: &[i64]| {
        let inner = json!({"num_heads": 32, "head_dim": 128, "full_attn_layers": attending, "kda_layers": linear});
        changed("kimi-linear-48b-a3b", &json!({"num_hidden_layers": 4, "linear_attn_config": inner}))
    };
    assert_eq!(listed(&[4], &[3, 1, 2]).unwrap().linear_attention.unwrap().layers, 3);
    let contradiction = ConfigError::Contradiction { one: "linear_attn_config", other: "num_hidden_layers" };
    for (attending, linear) in
        [([4], [1, 2, 2]), ([3], [1, 2, 3]), ([4], [0, 1, 2]), ([5], [1, 2, 3]), ([4], [1, 2, -3])]
    {
        assert_eq!(listed(&attending, &linear).unwrap_err(), contradiction, "{attending:?} {linear:?}");
    }
    assert_eq!(listed(&[4], &[1, 2]).unwrap_err(), contradiction);
}

#[test]
fn where_a_file_is_silent_the_default_of_its_class_holds() {
    let read = |id, changes| changed(id, &changes).unwrap();
    let silent = read("olmo-3-7b", json!({"layer_types": null, "sliding_window": null}));
    assert_eq!(silent.sliding_window, Some(SlidingWindow::over(24, 4_096)));
    let silent = read("seed-oss-36b", json!({"attention_bias": null, "attention_out_bias": null}));
    assert_eq!((silent.biases.qkv, silent.biases.attention_output), (true, false));
    let silent = read("glm-4.5-air", json!({"use_qk_norm": null, "attention_bias": null}));
    assert_eq!((silent.qk_norm, silent.biases.qkv), (false, false));
    let silent = read("ernie-4.5-21b-a3b", json!({"moe_layer_end_index": -1}));
    assert_eq!(silent, read("ernie-4.5-21b-a3b", json!({})));
    let silent = read("qwen3.5-27b", json!({"layer_types": null}));
    assert_eq!(silent, read("qwen3.5-27b", json!({})));
    let silent = read("lfm2-1.2b", json!({"layer_types": null}));
    assert_eq!(silent, read("lfm2-1.2b", json!({})));
    // Two thirds of the width in the file, in steps of 256, unless it says that it stands as it is.
    assert_eq!(read("lfm2-1.2b", json!({})).intermediate_size, 8_192);
    assert_eq!(read("lfm2-1.2b", json!({"block_auto_adjust_ff_dim": false})).intermediate_size, 12_288);
}

#[test]
fn a_granite_without_experts_or_states_is_a_dense_model() {
    let hybrid = changed("granite-4.0-h-micro", &json!({})).unwrap();
    assert_eq!(hybrid.linear_attention.map(|it| (it.kind, it.layers)), Some((LinearKind::Mamba2, 36)));
    assert_eq!((hybrid.moe, hybrid.intermediate_size), (None, 8_192));
    let dense = changed("granite-4.0-h-micro", &json!({"layer_types": vec!["attention"; 40]})).unwrap();
    assert_eq!(dense.linear_attention, None);
}

#[test]
fn a_pattern_says_what_each_layer_of_nemotron_is() {
    let read = |id, changes| changed(id, &changes);
    let nano = read("nemotron-3-nano-30b", json!({})).unwrap();
    assert_eq!((nano.layers, nano.mlp_layers, nano.full_layers(), nano.norms_per_layer), (52, 23, 6, 1));
    assert_eq!((nano.mlps(), nano.moe_layers(), nano.has_dense_mlp()), (23, 23, false));
    // The same as a list, by the names of today and by those before.
    for [state, attention] in [["linear_attention", "full_attention"], ["mamba", "attention"]] {
        let kinds: Vec<&str> = "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME"
            .chars()
            .map(|letter| match letter {
                'M' => state,
                '*' => attention,
                _ => "moe",
            })
            .collect();
        let listed = json!({"hybrid_override_pattern": null, "layers_block_type": kinds});
        assert_eq!(read("nemotron-3-nano-30b", listed).unwrap(), nano);
    }
    // Whatever stages it is cut into, each layer is of one kind, and the kinds are those of the whole.
    for cut in 0..=nano.layers {
        let [before, behind] = [nano.kinds_between(0, cut), nano.kinds_between(cut, nano.layers)];
        assert_eq!(before.full + before.linear + before.dense + before.moe, cut);
        assert_eq!((before.full + behind.full, before.linear + behind.linear, before.moe + behind.moe), (6, 23, 23));
    }
    // MLPs among the experts are dense layers among them.
    let mixed = json!({"hybrid_override_pattern": "M-ME*E", "num_hidden_layers": 6});
    let mixed = read("nemotron-3-nano-30b", mixed).unwrap();
    assert_eq!((mixed.mlps(), mixed.moe_layers(), mixed.has_dense_mlp()), (3, 2, true));
    let longer = read("nemotron-nano-9b-v2", json!({"num_hidden_layers": 57})).unwrap_err().to_string();
    assert!(longer.contains("hybrid_override_pattern and num_hidden_layers"), "{longer}");
    let silent = read("nemotron-nano-9b-v2", json!({"hybrid_override_pattern": null})).unwrap_err().to_string();
    assert_eq!(silent, "the config has no hybrid_override_pattern");
    // Experts behind a projection are smaller by as much as it is narrower.
    let [wide, narrow] = [json!(null), json!(1_024)].map(|latent_size| {
        read("nemotron-3-super-120b", json!({"moe_latent_size": latent_size})).unwrap().parameters()
    });
    assert_eq!(wide.experts, 4 * narrow.experts);
    assert_eq!(narrow.matrices - wide.matrices, 40 * 2 * 4_096 * 1_024);
}

#[test]
fn every_layer_of_falcon_h1_attends_beside_its_state() {
    let read = |changes| changed("falcon-h1-7b", &changes);
    let shape = read(json!({})).unwrap();
    let states = shape.linear_attention.unwrap();
    assert_eq!((states.kind, states.layers, shape.full_layers()), (LinearKind::Mamba2, 44, 44));
    for cut in 0..=44 {
        let here = shape.kinds_between(0, cut);
        assert_eq!((here.full, here.linear, here.dense), (cut, cut, cut));
    }
    // Widths that the file leaves to the class.
    for silent in [json!({"mamba_d_head": "auto"}), json!({"mamba_d_head": null})] {
        assert_eq!(read(silent).unwrap(), shape);
    }
    let plain = read(json!({"mamba_rms_norm": false})).unwrap();
    assert_eq!(shape.parameters().total() - plain.parameters().total(), 44 * 3_072);
    let message = read(json!({"mamba_n_heads": 25})).unwrap_err().to_string();
    assert!(message.contains("mamba_n_heads and mamba_d_ssm"), "{message}");
}

#[test]
fn experts_and_attention_of_jamba_come_once_in_some_layers() {
    let read = |changes| changed("jamba-mini", &changes).unwrap();
    let shape = read(json!({}));
    let states = shape.linear_attention.unwrap();
    assert_eq!((states.kind, states.layers, shape.full_layers()), (LinearKind::Mamba1 { dt_rank: 256 }, 28, 4));
    assert_eq!(read(json!({"mamba_dt_rank": "auto"})), shape);
    assert_eq!(read(json!({"attn_layer_period": null, "expert_layer_offset": null})), shape);
    // Every second layer holds experts, whatever stages the model is cut into.
    for cut in 0..=shape.layers {
        let here = shape.kinds_between(0, cut);
        assert_eq!((here.moe, here.dense), (cut / 2, cut - cut / 2));
    }
    let later = read(json!({"attn_layer_offset": 7, "expert_layer_period": 3, "expert_layer_offset": 2}));
    assert_eq!((later.full_layers(), later.moe_layers()), (4, 10));
    let outside = changed("jamba-mini", &json!({"attn_layer_offset": 8})).unwrap_err().to_string();
    assert!(outside.contains("attn_layer_offset and attn_layer_period"), "{outside}");
    let dense = read(json!({"num_experts": 1, "num_experts_per_tok": 1}));
    assert_eq!((dense.moe, dense.intermediate_size), (None, 14_336));
}

#[test]
fn experts_in_every_second_layer_are_counted_as_they_stand() {
    let maverick = changed("llama-4-maverick", &json!({})).unwrap();
    let moe = maverick.moe.unwrap();
    assert_eq!((moe.dense_layers, moe.alternating, maverick.moe_layers()), (24, true, 24));
    let here = maverick.kinds_between(0, 12);
    assert_eq!((here.dense, here.moe), (6, 6));
    // The layers as a list say the same, and one of them elsewhere is refused.
    let mut listed: Vec<u32> = (1..48).step_by(2).collect();
    assert_eq!(changed("llama-4-maverick", &json!({"moe_layers": listed})).unwrap(), maverick);
    listed[0] = 0;
    let message = changed("llama-4-maverick", &json!({"moe_layers": listed})).unwrap_err().to_string();
    assert!(message.contains("dense layers between those with experts"), "{message}");
    let sparse = changed("qwen3-30b-a3b", &json!({"decoder_sparse_step": 3})).unwrap().moe.unwrap();
    assert_eq!((sparse.dense_layers, sparse.alternating), (32, true));
    let first = changed("ernie-4.5-21b-a3b", &json!({})).unwrap().moe.unwrap();
    assert_eq!((first.dense_layers, first.alternating), (1, false));
}

#[test]
fn numbers_that_hunyuan_lists_for_each_layer_are_read_as_one() {
    let listed = changed("hunyuan-a13b", &json!({})).unwrap();
    let said_once = json!({"moe_topk": 8, "moe_intermediate_size": 3_072, "num_shared_expert": 1});
    assert_eq!(changed("hunyuan-a13b", &said_once).unwrap(), listed);
    let silent = changed("hunyuan-a13b", &json!({"moe_topk": null, "moe_intermediate_size": null})).unwrap();
    assert_eq!(silent.moe.unwrap().experts_per_token, 1);
    let outside = changed("hunyuan-a13b", &json!({"moe_topk": [0, 0]})).unwrap_err().to_string();
    assert!(outside.starts_with("moe_topk in the config"), "{outside}");
}

#[test]
fn layers_of_gemma_4_that_see_everything_have_heads_of_their_own() {
    let read = |id, changes| changed(id, &changes).unwrap();
    let shape = read("gemma-4-31b", json!({}));
    assert_eq!((shape.full_layers(), shape.cached_heads(None)), (10, [4, 512]));
    assert_eq!(shape.cached_heads(shape.sliding_window), [16, 256]);
    // Keys that serve as values leave out a matrix of 4 heads, and nothing of the windowed layers.
    let apart = read("gemma-4-31b", json!({"attention_k_eq_v": false, "num_global_key_value_heads": null}));
    assert_eq!((apart.kv_heads, apart.keys_as_values), (16, false));
    let heads = Architecture { kv_heads: 4, ..apart };
    assert_eq!(heads.parameters().matrices - shape.parameters().matrices, 10 * 5_376 * 4 * 512);
    // Experts stand beside an MLP as wide as without them, behind norms of their own.
    let mixture = read("gemma-4-26b-a4b", json!({}));
    let moe = mixture.moe.unwrap();
    assert_eq!((moe.shared_intermediate_size, mixture.norms_per_layer), (2_112, 8));
    let dense = read("gemma-4-26b-a4b", json!({"enable_moe_block": false}));
    assert_eq!((dense.moe, dense.norms_per_layer), (None, 4));
    let silent = read("gemma-4-12b", json!({"hidden_size_per_layer_input": null, "sliding_window": null}));
    assert_eq!(silent.sliding_window.unwrap().window, 1_024);
    assert_eq!(read("gemma-4-12b", json!({"use_bidirectional_attention": "vision"})), silent);
}

/// The class of `transformers` alone, without a file, has 284,325,869,015 parameters on PyTorch's meta device.
#[test]
fn compressed_layers_are_those_of_the_class_where_a_file_is_silent() {
    let silent = changed("deepseek-v4-flash", &json!({"compress_ratios": null})).unwrap();
    assert_eq!(silent.parameters().total(), 284_325_869_015);
    let listed = changed("deepseek-v4-flash", &json!({"num_hidden_layers": 4})).unwrap();
    assert_eq!((listed.indexer.unwrap().layers, listed.compression.unwrap().heavy), (1, 1));
    let short = changed("deepseek-v4-flash", &json!({"num_hidden_layers": 45}));
    assert_eq!(short, Err(ConfigError::Contradiction { one: "compress_ratios", other: "num_hidden_layers" }));
}
