//! Reading `config.json`: published files, the defaults and contradictions of each family, and files that nobody published.

#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

#[allow(dead_code, reason = "another file of tests uses the rest")]
mod common;
#[path = "common/hostile.rs"]
mod hostile;
#[path = "common/mutations.rs"]
mod mutations;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use memory_wall_core::architecture::{Architecture, Mlp, Moe, Positions, Projection, SlidingWindow};
use memory_wall_core::config::{Config, ConfigError, FAMILIES};
use memory_wall_core::tables::models::{self, MODELS};
use memory_wall_core::{Bytes, Scenario, WeightFormat, evaluate};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

/// The files under `configs/`, by the name of the model.
fn files() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/configs");
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|it| it == "json") {
            let id = path.file_stem().unwrap().to_str().unwrap().to_owned();
            files.push((id, fs::read_to_string(path).unwrap()));
        }
    }
    files.sort();
    files
}

fn file(id: &str) -> Value {
    let (_, text) = files().into_iter().find(|(name, _)| name == id).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The file with some fields replaced; what is `null` here is taken out.
fn changed(id: &str, changes: &Value) -> String {
    let mut json = file(id);
    for (field, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => drop(json.as_object_mut().unwrap().remove(field)),
            value => json[field] = value.clone(),
        }
    }
    json.to_string()
}

#[test]
fn every_published_file_is_read_as_the_model_it_describes() {
    let rows = common::rows("EXPECTED.csv", include_str!("configs/EXPECTED.csv"));
    let files = files();
    let names: Vec<_> = files.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(names, rows.iter().map(|row| row.text("id")).collect::<Vec<_>>());
    for ((id, text), row) in files.iter().zip(&rows) {
        let config: Config = serde_json::from_str(text).unwrap();
        let architecture = config.architecture().unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(architecture.parameters().total(), row.number("parameters"), "{id}");
        assert_eq!(architecture.active_parameters(), row.number("active_parameters"), "{id}");
        let cache = evaluate(&Scenario::new(architecture).check().unwrap()).kv_bytes_per_token;
        assert_eq!(cache, Bytes(row.number("kv_bytes_per_token_bf16").into()), "{id}");
        assert_eq!(architecture.trained_context.map(u64::from), row.optional("trained_context"), "{id}");
        assert_eq!(config.stored_weights().map_or("", WeightFormat::id), row.text("stored_weights"), "{id}");
        assert_eq!(config.remarks().len() as u64, row.number("remarks"), "{id}");
        if let Some(preset) = models::by_id(id) {
            assert_eq!(architecture, preset.architecture, "{id}");
        }
    }
    // No preset without a file, but for the two that were never published as one.
    let missing: Vec<_> = MODELS.iter().map(|model| model.id).filter(|id| !names.contains(id)).collect();
    assert_eq!(missing, ["generic-7b", "gpt3-175b"]);
    // No family without a file; that of a part counts.
    let read: BTreeSet<_> = files
        .iter()
        .map(|(_, text)| serde_json::from_str::<Config>(text).unwrap().language_family().unwrap().to_owned())
        .collect();
    assert_eq!(read, FAMILIES.iter().map(|family| (*family).to_owned()).collect());
}

fn read(json: &str) -> Result<Architecture, ConfigError> {
    match serde_json::from_str::<Config>(json) {
        Ok(config) => config.architecture(),
        Err(error) => panic!("{error}"),
    }
}

fn message(json: &str) -> String {
    match read(json) {
        Ok(architecture) => panic!("read as {architecture:?}"),
        Err(error) => error.to_string(),
    }
}

const LLAMA: &str = r#"{"model_type":"llama","architectures":["LlamaForCausalLM"],"hidden_act":"silu","hidden_size":4096,
    "intermediate_size":14336,"max_position_embeddings":131072,"num_attention_heads":32,"num_hidden_layers":32,"num_key_value_heads":8,
    "rope_scaling":{"factor":8.0,"rope_type":"llama3"},"rms_norm_eps":1e-05,"tie_word_embeddings":false,"vocab_size":128256,
    "attention_bias":false,"bos_token_id":128000,"eos_token_id":[128001,128008],"torch_dtype":"bfloat16","pretraining_tp":1}"#;

#[test]
fn published_files_give_the_published_counts() {
    let gpt2_xl = r#"{"activation_function":"gelu_new","architectures":["GPT2LMHeadModel"],"attn_pdrop":0.1,"model_type":"gpt2",
        "n_ctx":1024,"n_embd":1600,"n_head":25,"n_layer":48,"n_positions":1024,"vocab_size":50257}"#;
    let mistral = r#"{"model_type":"mistral","hidden_size":4096,"intermediate_size":14336,"num_attention_heads":32,"num_hidden_layers":32,
        "num_key_value_heads":8,"max_position_embeddings":32768,"sliding_window":4096,"tie_word_embeddings":false,"vocab_size":32000}"#;
    let qwen = r#"{"model_type":"qwen2","hidden_size":3584,"intermediate_size":18944,"num_attention_heads":28,"num_hidden_layers":28,
        "num_key_value_heads":4,"max_position_embeddings":131072,"max_window_layers":28,"sliding_window":131072,"tie_word_embeddings":false,
        "use_sliding_window":false,"use_mrope":false,"vocab_size":152064}"#;
    for (json, id) in
        [(LLAMA, "llama-3.1-8b"), (gpt2_xl, "gpt2-xl"), (mistral, "mistral-7b-v0.1"), (qwen, "qwen2.5-7b")]
    {
        let preset = models::by_id(id).map(|model| model.architecture);
        assert_eq!(read(json).ok(), preset, "{id}");
    }
}

#[test]
fn old_llama_files_without_kv_heads_are_multi_head() {
    let json = LLAMA.replace("\"num_key_value_heads\":8,", "");
    assert_eq!(read(&json).map(|shape| shape.kv_heads), Ok(32));
}

#[test]
fn where_a_file_is_silent_the_default_of_its_class_holds() {
    let base = r#"{"model_type":"FAMILY","hidden_size":4096,"intermediate_size":64,"num_attention_heads":32,"num_hidden_layers":2,"vocab_size":100}"#;
    let of = |family: &str| read(&base.replace("FAMILY", family)).map(|shape| (shape.kv_heads, shape.sliding_window));
    assert_eq!(of("llama"), Ok((32, None)));
    assert_eq!(of("mistral"), Ok((8, Some(SlidingWindow::over(2, 4_096)))));
    assert_eq!(of("qwen2"), Ok((32, None)));
    let uneven = base.replace("FAMILY", "llama").replace("4096", "4097");
    assert_eq!(message(&uneven), "the config has no head_dim, and hidden_size 4097 is not a multiple of the 32 heads");
}

#[test]
fn deep_and_long_lists_cost_what_they_weigh() {
    let numbers = "1,".repeat(200_000);
    let json = format!("{{\"model_type\":\"x\",\"junk\":{}{numbers}1{}}}", "[".repeat(100), "]".repeat(100));
    assert!(message(&json).starts_with("model_type \"x\" is not supported"));
}

#[test]
fn an_unknown_family_fails_closed_and_says_what_it_saw() {
    let text = message(r#"{"model_type":"mamba","hidden_size":4096,"vocab_size":50280}"#);
    assert_eq!(
        text,
        format!(
            "model_type \"mamba\" is not supported; supported are {}; \
             understood of its fields, but not used: hidden_size, vocab_size",
            FAMILIES.join(", ")
        )
    );
    assert_eq!(message("{}"), "the config has no model_type, so its family is not known");
    assert!(message(r#"{"model_type":7}"#).contains("no model_type"));
}

#[test]
fn bad_fields_are_named() {
    for (from, to, text) in [
        ("\"hidden_size\":4096", "\"hidden_size\":\"4096\"", "hidden_size in the config is text, not a whole number"),
        (
            "\"hidden_size\":4096",
            "\"hidden_size\":-1",
            "hidden_size in the config is a number that is not whole and positive, not a whole number",
        ),
        ("\"hidden_size\":4096,", "", "the config has no hidden_size"),
        (
            "\"num_hidden_layers\":32",
            "\"num_hidden_layers\":0",
            "num_hidden_layers in the config: layers 0 is outside 1 to 1,024",
        ),
        (
            "\"vocab_size\":128256",
            "\"vocab_size\":99999999999",
            "vocab_size in the config: vocab_size 99,999,999,999 is outside 1 to 10,000,000 tokens",
        ),
        (
            "\"num_key_value_heads\":8",
            "\"num_key_value_heads\":5",
            "the config describes no possible model: kv_heads 5 does not divide heads 32: every KV head serves the same number of query heads",
        ),
        (
            "\"attention_bias\":false",
            "\"attention_bias\":3",
            "attention_bias in the config is a whole number, not true or false",
        ),
        (
            "\"hidden_size\":4096",
            "\"num_local_experts\":8,\"hidden_size\":4096",
            "the config has num_local_experts, which is not modelled yet",
        ),
    ] {
        let json = LLAMA.replace(from, to);
        assert_ne!(json, LLAMA);
        assert_eq!(message(&json), text);
    }
}

#[test]
fn qwen_windows_apply_to_the_layers_behind_the_first() {
    let json = r#"{"model_type":"qwen2","hidden_size":64,"intermediate_size":64,"num_attention_heads":4,"num_key_value_heads":2,"num_hidden_layers":10,
        "vocab_size":100,"max_window_layers":7,"sliding_window":128,"use_sliding_window":true}"#;
    assert_eq!(read(json).map(|shape| shape.sliding_window), Ok(Some(SlidingWindow::over(3, 128))));
}

#[test]
fn a_part_of_a_model_is_read_and_said_so() {
    let config: Config = serde_json::from_value(file("gemma-3-4b")).unwrap();
    let remarks: Vec<_> = config.remarks().iter().map(ToString::to_string).collect();
    assert_eq!(
        remarks,
        [
            "Of the gemma3 model only the language model (gemma3_text) is counted; what sees and projects images, or hears, comes on top."
        ]
    );
    let config: Config = serde_json::from_value(file("deepseek-v3")).unwrap();
    let remarks: Vec<_> = config.remarks().iter().map(ToString::to_string).collect();
    assert_eq!(
        remarks,
        [
            "The checkpoint holds 1 more layer that predicts further tokens and is not loaded by transformers; it is not counted."
        ]
    );
    assert_eq!(message(r#"{"model_type":"gemma3"}"#), "the config has no text_config");
    assert_eq!(
        message(r#"{"model_type":"gemma3","text_config":7}"#),
        "text_config in the config is a whole number, not an object"
    );
    let other = r#"{"model_type":"gemma3","text_config":{"model_type":"llama"}}"#;
    assert_eq!(message(other), "model_type and that of text_config in the config contradict each other");
    let nested = r#"{"model_type":"gemma3","text_config":{"model_type":"gemma3_text","text_config":{"a":1}}}"#;
    assert_eq!(message(nested), "the config has text_config, which is not modelled yet");
    // Newer files of Qwen2.5-VL have the language model apart, as those of others do.
    let flat = file("qwen2.5-vl-7b");
    let mut apart = json!({"model_type": "qwen2_5_vl", "vision_config": flat["vision_config"], "text_config": flat});
    apart["text_config"]["model_type"] = "qwen2_5_vl_text".into();
    apart["text_config"].as_object_mut().unwrap().remove("vision_config");
    assert_eq!(read(&apart.to_string()), read(&flat.to_string()));
    // A tower is that of a model that sees, where one that does not has the same shape.
    let tower = |id: &str| read(&file(id).to_string()).unwrap().tower.map(|tower| tower.parameters);
    assert_eq!((tower("qwen3-vl-4b"), tower("qwen3-4b-2507")), (Some(415_347_712), None));
    // LLaVA is built around many families.
    let mut llava = json!({"model_type": "llava", "vision_config": {"hidden_size": 1024}});
    llava["text_config"] = file("llama-2-7b");
    assert_eq!(read(&llava.to_string()).unwrap().parameters().total(), 6_738_415_616);
}

#[test]
fn what_a_class_does_not_build_is_refused_by_name() {
    for (id, changes, field) in [
        ("llama-2-7b", json!({"num_experts": 8}), "num_experts"),
        ("llama-2-7b", json!({"kv_lora_rank": 512}), "kv_lora_rank"),
        ("llama-2-7b", json!({"layer_types": ["sliding_attention"]}), "layer_types, which its class does not read"),
        ("llama-2-7b", json!({"is_encoder_decoder": true}), "is_encoder_decoder"),
        ("llama-2-7b", json!({"hidden_act": "relu"}), "a hidden_act other than silu or a GELU"),
        ("phi-4", json!({"lm_head_bias": true}), "lm_head_bias"),
        ("phi-4", json!({"embd_layer": {"image": 1}}), "embd_layer"),
        ("gemma-3-1b", json!({"num_kv_shared_layers": 10}), "num_kv_shared_layers"),
        ("gemma-3-1b", json!({"use_bidirectional_attention": true}), "use_bidirectional_attention"),
        ("opt-125m", json!({"word_embed_proj_dim": 512}), "a word_embed_proj_dim other than hidden_size"),
        ("opt-125m", json!({"do_layer_norm_before": false}), "do_layer_norm_before"),
        ("opt-125m", json!({"activation_function": "tanh"}), "an activation_function other than a GELU or a ReLU"),
        ("falcon-7b", json!({"n_layer": 32}), "n_layer"),
        ("falcon-40b", json!({"num_ln_in_parallel_attn": 3}), "a num_ln_in_parallel_attn other than 1 or 2"),
        ("deepseek-v3", json!({"moe_layer_freq": 2}), "a moe_layer_freq other than 1"),
        ("deepseek-v3", json!({"attention_bias": true}), "attention_bias"),
        (
            "qwen3-30b-a3b",
            json!({"decoder_sparse_step": 2, "mlp_only_layers": [5]}),
            "dense layers between those with experts",
        ),
        ("qwen3-30b-a3b", json!({"mlp_only_layers": [5]}), "dense layers between those with experts"),
        ("qwen1.5-moe-a2.7b", json!({"use_sliding_window": true}), "use_sliding_window"),
        ("qwen2.5-7b", json!({"vision_config": {"depth": 32}}), "vision_config"),
        (
            "k-exaone-236b-a23b",
            json!({"mlp_layer_types": ([vec!["sparse"; 47], vec!["dense"]].concat())}),
            "dense layers behind the first with experts",
        ),
        (
            "gpt-oss-20b",
            json!({"layer_types": vec!["linear_attention"; 24]}),
            "a kind of layer in layer_types that its class has not",
        ),
    ] {
        assert_eq!(
            message(&changed(id, &changes)),
            format!("the config has {field}, which is not modelled yet"),
            "{id}"
        );
    }
    // Saying that something is not there changes nothing.
    let idle = json!({"num_experts": 0, "is_encoder_decoder": false, "pruned_heads": {}, "layer_types": vec!["full_attention"; 32]});
    assert_eq!(read(&changed("llama-2-7b", &idle)), read(&changed("llama-2-7b", &json!({}))));
}

#[test]
fn what_classes_take_otherwise_has_to_be_in_the_file() {
    for (id, field) in [
        ("qwen2.5-vl-7b", "num_key_value_heads"),
        ("qwen3-vl-8b", "max_position_embeddings"),
        ("qwen3-vl-30b-a3b", "num_experts"),
        ("dots-llm1", "n_routed_experts"),
    ] {
        let mut json = file(id);
        if json.get("text_config").is_some() { &mut json["text_config"] } else { &mut json }
            .as_object_mut()
            .unwrap()
            .remove(field);
        assert_eq!(message(&json.to_string()), format!("the config has no {field}"), "{id}");
    }
    // Windows of dots.llm1 begin behind layer `max_window_layers`.
    let windows = read(&changed("dots-llm1", &json!({"max_window_layers": 60}))).map(|shape| shape.sliding_window);
    assert_eq!(windows, Ok(Some(SlidingWindow::over(2, 4_096))));
}

#[test]
fn contradictions_are_refused() {
    for (id, changes, one, other) in [
        ("gpt2-xl", json!({"hidden_size": 1024}), "n_embd", "hidden_size"),
        ("gpt2-xl", json!({"num_hidden_layers": 12}), "n_layer", "num_hidden_layers"),
        ("bloom-176b", json!({"hidden_size": 1024}), "n_embed", "hidden_size"),
        ("falcon-rw-1b", json!({"num_kv_heads": 8}), "num_kv_heads", "multi_query"),
        ("gpt-oss-20b", json!({"experts_per_token": 8}), "num_experts_per_tok", "experts_per_token"),
        ("gpt-oss-20b", json!({"num_hidden_layers": 25}), "layer_types", "num_hidden_layers"),
        ("qwen3-30b-a3b", json!({"mlp_only_layers": [48]}), "mlp_only_layers", "num_hidden_layers"),
        ("k-exaone-236b-a23b", json!({"mlp_layer_types": ["dense"]}), "mlp_layer_types", "num_hidden_layers"),
        ("qwen1.5-moe-a2.7b", json!({"head_dim": 64}), "head_dim", "hidden_size"),
        ("qwen3-next-80b-a3b", json!({"linear_num_key_heads": 5}), "linear_num_value_heads", "linear_num_key_heads"),
    ] {
        let text = format!("{one} and {other} in the config contradict each other");
        assert_eq!(message(&changed(id, &changes)), text, "{id}");
    }
    let twice = r#"{"model_type":"llama","hidden_size":64,"hidden_size":128}"#;
    let error = serde_json::from_str::<Config>(twice).unwrap_err().to_string();
    assert!(error.starts_with("a field is given twice, with different values"), "{error}");
    let same = changed("llama-2-7b", &json!({})).replacen('{', "{\"hidden_size\":4096,", 1);
    assert!(read(&same).is_ok());
}

/// Each line is a rule of a class of `transformers` 4.57.6 that a published file relies on or a reader is likely to meet.
#[test]
fn classes_keep_their_own_defaults() {
    let of = |id: &str, changes: Value| read(&changed(id, &changes)).unwrap_or_else(|error| panic!("{id}: {error}"));
    // Falcon 7B's file may say 71 KV heads; its class makes one.
    assert_eq!(of("falcon-7b", json!({"num_kv_heads": 71})).kv_heads, 1);
    assert_eq!(of("falcon-40b", json!({"num_ln_in_parallel_attn": 1})).norms_per_layer, 1);
    assert_eq!(of("falcon-rw-1b", json!({})).positions, Positions::Alibi);
    // Two rows more than the context.
    let opt = of("opt-125m", json!({}));
    assert_eq!((opt.positions, opt.trained_context), (Positions::Learned(2_050), Some(2_048)));
    assert_eq!((opt.mlp, opt.dropout), (Mlp::Relu, true));
    assert!(!of("opt-125m", json!({"dropout": 0.0})).dropout);
    assert!(!of("gpt2-small", json!({"attn_pdrop": 0, "embd_pdrop": 0, "resid_pdrop": 0.0})).dropout);
    // Where the head width is silent, some classes have a default and some divide.
    assert_eq!(of("qwen3-8b", json!({"head_dim": null})).head_dim, 128);
    assert_eq!(of("gemma-2b", json!({"head_dim": null})).head_dim, 256);
    assert_eq!(of("qwen2.5-7b", json!({})).head_dim, 128);
    assert_eq!(of("gpt-oss-20b", json!({"head_dim": null, "num_key_value_heads": null})).kv_heads, 8);
    assert_eq!(message(&changed("qwen3-30b-a3b", &json!({"head_dim": null}))), "the config has no head_dim");
    // A table of rotations grows with the scale of positions and with their axes, and Qwen3.5 rotates a quarter of a head; one of YaRN where the file has not the product.
    let stretch = |id: &str, changes: Value| of(id, changes).rotary_stretch;
    assert_eq!(
        ["gemma-3-12b", "gemma-3-1b", "qwen3-vl-8b", "qwen2.5-vl-7b", "qwen3.5-9b"].map(|id| stretch(id, json!({}))),
        [8, 1, 4, 4, 1]
    );
    assert_eq!(stretch("llama-2-7b", json!({"rope_scaling": {"type": "linear", "factor": 2.5}})), 3);
    let yarn = |original: u64| json!({"rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": original}});
    assert_eq!([1_024, 4_096, 4_097].map(|original| stretch("llama-2-7b", yarn(original))), [1, 4, 5]);
    let linear = |factor: Value| stretch("llama-2-7b", json!({"rope_scaling": {"type": "linear", "factor": factor}}));
    assert_eq!([json!(1e30), json!(-4.0), json!(0), json!("8"), json!(u64::MAX)].map(linear), [64, 1, 1, 1, 64]);
    let axes = |axes: Value| stretch("qwen2.5-vl-7b", json!({"rope_scaling": {"mrope_section": axes}}));
    assert_eq!([json!([u64::MAX, 1]), json!([]), json!([-1, "x"])].map(axes), [4, 1, 1]);
    // Qwen2.5-1M asks for dual chunk attention, which changes no number.
    let dual = json!({"dual_chunk_attention_config": {"chunk_size": 262_144, "local_size": 8_192}});
    for id in ["qwen2.5-7b", "qwen3-8b", "qwen3-30b-a3b", "qwen1.5-moe-a2.7b"] {
        let (with, without) = (of(id, dual.clone()), of(id, json!({"dual_chunk_attention_config": null})));
        assert_eq!((with.dual_chunks, without.dual_chunks), (true, false), "{id}");
        assert_eq!(with.parameters(), without.parameters(), "{id}");
    }
    // Alternating layers, where the file does not list them.
    assert_eq!(of("gpt-oss-20b", json!({"layer_types": null})), of("gpt-oss-20b", json!({})));
    assert_eq!(
        of("gemma-3-1b", json!({"sliding_window_pattern": 2})).sliding_window,
        Some(SlidingWindow::over(13, 512))
    );
    assert_eq!(of("gemma-2-9b", json!({"layer_types": vec!["full_attention"; 42]})).sliding_window, None);
    assert_eq!(of("qwen3-next-80b-a3b", json!({"full_attention_interval": 8})).linear_attention.unwrap().layers, 42);
    assert_eq!(
        of("qwen3-30b-a3b", json!({"use_sliding_window": true, "sliding_window": 512})).sliding_window,
        Some(SlidingWindow::over(48, 512))
    );
    // Soft caps are off only where both are null.
    let mut uncapped = file("gemma-2-9b");
    uncapped["attn_logit_softcapping"] = Value::Null;
    assert!(read(&uncapped.to_string()).unwrap().soft_capped);
    uncapped["final_logit_softcapping"] = Value::Null;
    assert!(!read(&uncapped.to_string()).unwrap().soft_capped);
    // Compressed queries: null is none, silence the default of the class.
    let queries = |shape: Architecture| match shape.projection {
        Projection::Latent(latent) => latent.q_lora_rank,
        Projection::Heads => panic!("no latent attention"),
    };
    assert_eq!(queries(of("deepseek-v2-lite", json!({}))), None);
    assert_eq!(queries(of("deepseek-v2-lite", json!({"q_lora_rank": null}))), Some(1_536));
    // Dense layers first; all of them dense is no mixture.
    assert_eq!(
        of("qwen3-30b-a3b", json!({"mlp_only_layers": [1, 0]})).moe,
        Some(Moe { dense_layers: 2, ..Moe::of(128, 8, 768) })
    );
    assert_eq!(of("qwen3-30b-a3b", json!({"num_experts": 0})).moe, None);
    assert_eq!(of("deepseek-v3", json!({"first_k_dense_replace": 100})).moe, None);
    // A tie that is null is none, also where silence is one.
    let mut untied = file("gpt2-small");
    untied["tie_word_embeddings"] = Value::Null;
    assert!(!read(&untied.to_string()).unwrap().tied_embeddings);
    // Null where the class cannot do with it.
    let mut broken = file("gemma-2b");
    broken["num_key_value_heads"] = Value::Null;
    assert_eq!(message(&broken.to_string()), "num_key_value_heads in the config is null, not a whole number");
}

#[test]
fn layouts_of_quantisers_are_recognised_only_where_they_are_certain() {
    let stored = |id: &str, stored: Value| {
        let config: Config = serde_json::from_str(&changed(id, &json!({"quantization_config": stored}))).unwrap();
        assert!(config.is_quantised());
        config.stored_weights()
    };
    let gptq = |changes: &Value| {
        let mut it = json!({"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": true});
        it.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        stored("llama-2-7b", it)
    };
    assert_eq!(gptq(&json!({})), Some(WeightFormat::Int4));
    for change in [
        json!({"bits": 8}),
        json!({"group_size": 32}),
        json!({"group_size": -1}),
        json!({"lm_head": true}),
        json!({"dynamic": {"-:.*down.*": {}}}),
        json!({"modules_to_not_convert": ["self_attn"]}),
        json!({"modules_to_not_convert": ["gate"]}),
        json!({"quant_method": "hqq"}),
    ] {
        assert_eq!(gptq(&change), None, "{change}");
    }
    let router = json!({"quant_method": "awq", "bits": 4, "group_size": 128, "modules_to_not_convert": ["gate"]});
    assert_eq!(stored("mixtral-8x7b", router), Some(WeightFormat::Int4));
    let bnb = |changes: &Value| {
        let mut it = json!({"load_in_4bit": true, "bnb_4bit_quant_type": "nf4"});
        it.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        stored("llama-2-7b", it)
    };
    assert_eq!(bnb(&json!({})), Some(WeightFormat::Nf4));
    assert_eq!(bnb(&json!({"bnb_4bit_use_double_quant": true})), Some(WeightFormat::Nf4Dq));
    assert_eq!(bnb(&json!({"bnb_4bit_quant_type": "fp4"})), None);
    assert_eq!(bnb(&json!({"load_in_4bit": false, "load_in_8bit": true})), None);
    assert_eq!(stored("llama-2-7b", json!({"quant_method": "fp8"})), Some(WeightFormat::Fp8));
    assert_eq!(stored("llama-2-7b", json!({"quant_method": "fp8", "weight_block_size": [64, 64]})), None);
    assert_eq!(stored("llama-2-7b", json!({"quant_method": "mxfp4"})), None, "only gpt-oss is stored like this");
    assert_eq!(stored("llama-2-7b", json!({"quant_method": "compressed-tensors", "config_groups": {}})), None);
    // As llm-compressor writes W8A8: scales of weights by row, of activations by token; weights alone in 8 bits are another format.
    let eight = json!({"num_bits": 8, "type": "int", "strategy": "channel", "symmetric": true});
    let token = json!({"num_bits": 8, "type": "int", "strategy": "token", "dynamic": true});
    let w8a8 = |weights: &Value, inputs: &Value| {
        let group = json!({"targets": ["Linear"], "weights": weights, "input_activations": inputs});
        let groups = json!({"group_0": group});
        let method = json!({"quant_method": "compressed-tensors", "config_groups": groups, "ignore": ["lm_head"]});
        stored("llama-2-7b", method)
    };
    assert_eq!(w8a8(&eight, &token), Some(WeightFormat::W8a8));
    assert_eq!(w8a8(&eight, &Value::Null), None);
    assert_eq!(w8a8(&json!({"num_bits": 4, "type": "int", "strategy": "channel"}), &token), None);
    assert_eq!(w8a8(&json!({"num_bits": 8, "type": "int", "strategy": "group"}), &token), None);
    assert_eq!(w8a8(&eight, &json!({"num_bits": 8, "type": "float"})), None);
    assert_eq!(stored("llama-2-7b", json!([1])), None);
    let plain: Config = serde_json::from_value(file("llama-2-7b")).unwrap();
    assert!(!plain.is_quantised() && plain.quantisation().is_none() && plain.stored_weights().is_none());
    let awq: Config = serde_json::from_value(file("qwen2.5-7b-awq")).unwrap();
    assert_eq!(awq.quantisation(), Some("awq"));
}

#[test]
fn bytes_that_are_no_config_are_survived() {
    for bytes in
        [&b""[..], b"{", b"[]", b"null", b"\xff", b"{\"model_type\":\"llama\"", b"{\"a\":1e999}", b"{\"\":{\"\":{}}}"]
    {
        assert!(!hostile::ask_everything(bytes));
    }
    for (id, text) in files() {
        assert!(hostile::ask_everything(text.as_bytes()), "{id}");
    }
}

fn cases() -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { config } else { ProptestConfig { cases: 20_000, ..config } }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn mutated_files_are_read_or_refused(seed in any::<prop::sample::Index>(), mutations in prop::collection::vec(mutations::mutation(), 0..6)) {
        let bytes = mutations::apply(seed.get(mutations::seeds()), &mutations);
        hostile::ask_everything(&bytes);
    }
}

#[test]
fn mutations_reach_both_answers() {
    let mut runner = TestRunner::deterministic();
    let strategy = (any::<prop::sample::Index>(), prop::collection::vec(mutations::mutation(), 1..6));
    let models = (0..1_000)
        .filter(|_| {
            let (seed, mutations) = strategy.new_tree(&mut runner).unwrap().current();
            hostile::ask_everything(&mutations::apply(seed.get(mutations::seeds()), &mutations))
        })
        .count();
    assert!((200..800).contains(&models), "{models} of 1,000 were read as a model");
}

/// A head as `yuhuili` publishes them, whose width may be another than the model's, one of `speculators` with its layers inside, and a model of its own.
#[test]
fn what_guesses_ahead_is_read_from_its_file() {
    let read = |text: &str, is_head| serde_json::from_str::<Config>(text).unwrap().draft(is_head);
    let llama = "\"hidden_size\": 6144, \"intermediate_size\": 16384, \"num_attention_heads\": 48, \"num_key_value_heads\": 8, \"num_hidden_layers\": 1, \"vocab_size\": 128256, \"tie_word_embeddings\": false";
    let text = format!(
        "{{\"architectures\": [\"LlamaForCausalLMEagle3\"], \"model_type\": \"llama\", {llama}, \"target_hidden_size\": 8192, \"draft_vocab_size\": 32000}}"
    );
    let head = read(&text, true).unwrap();
    assert_eq!((head.shape.hidden_size, head.reads, head.guessed_vocabulary), (6_144, Some(8_192), 32_000));
    let inside = format!(
        "{{\"speculators_model_type\": \"eagle3\", \"draft_vocab_size\": 32000, \"transformer_layer_config\": {{\"model_type\": \"llama\", {llama}}}}}"
    );
    let head = read(&inside, true).unwrap();
    assert_eq!((head.shape.layers, head.reads, head.guessed_vocabulary), (1, Some(6_144), 32_000));
    let model = read(&text, false).unwrap();
    assert_eq!((model.reads, model.guessed_vocabulary), (None, 128_256));
    let wrong = text.replace("32000", "\"many\"");
    assert!(read(&wrong, true).unwrap_err().to_string().contains("draft_vocab_size"));
}
