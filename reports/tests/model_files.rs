//! Headers of model files: exact bytes by class and type, shapes that are checked against the tensors, and reading by pieces.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that fails may panic, and the sizes here are small"
)]

mod made;

use made::headers::{GgufHeader, U32, llama_1b, safetensors};
use memory_wall_core::tables::models;
use memory_wall_core::{Bytes, WeightFormat};
use memory_wall_reports::model_files::{
    Class, Gguf, ModelFile, ModelJson, NoArchitecture, Reader, Scalar, Sidecar, breakdown, kv_bytes_per_token, read,
    read_model_json,
};

/// Reads a header of a file that is said to be as long as it promises.
fn gguf(header: &GgufHeader) -> Gguf {
    let bytes = header.bytes();
    let length = (bytes.len() as u64).next_multiple_of(32) + header.data();
    let mut reader = Reader::of(&bytes, length).unwrap();
    while let Some(range) = reader.wants() {
        let end = bytes.len().min(range.end as usize);
        reader.give(&bytes[range.start as usize..end]).unwrap_or_else(|error| panic!("{error}"));
    }
    let Some(ModelFile::Gguf(file)) = reader.finish() else { panic!() };
    file
}

#[test]
fn a_gguf_header_gives_the_shape_that_the_engine_knows() {
    let file = gguf(&llama_1b());
    let preset = models::by_id("llama-3.2-1b").unwrap().architecture;
    assert_eq!(file.architecture().unwrap(), preset);
    assert_eq!(kv_bytes_per_token(preset), Some(Bytes(2 * 16 * 8 * 64 * 2)));
    assert_eq!((file.version, file.missing, file.sidecar()), (3, 0, None));
    assert_eq!((file.mix(), file.weights()), (Some("Q8_0"), Some(WeightFormat::Q8Zero)));
    assert_eq!(file.most_common().map(|dtype| dtype.name), Some("Q8_0"));
    assert_eq!(file.metadata.length("tokenizer.ggml.tokens"), Some(3_000));
    assert_eq!(file.metadata.get("llama.block_count"), Some(&Scalar::Whole(16)));
}

#[test]
fn bytes_by_class_and_type_are_those_of_a_hand_calculation() {
    let file = gguf(&llama_1b());
    let shares: Vec<_> =
        breakdown(&file.tensors).iter().map(|it| (it.class, it.dtype.name, it.tensors, it.bytes)).collect();
    // 34 bytes for 32 values.
    let q8 = |values: u64| values / 32 * 34;
    assert_eq!(
        shares,
        [
            (Class::Embedding, "Q8_0", 1, q8(2_048 * 128_256)),
            (Class::Attention, "Q8_0", 64, q8(16 * 2_048 * (2 * 2_048 + 2 * 512))),
            (Class::Mlp, "Q8_0", 48, q8(16 * 3 * 2_048 * 8_192)),
            (Class::Norm, "F32", 33, 33 * 2_048 * 4),
            (Class::Other, "F32", 1, 128),
        ]
    );
}

#[test]
fn versions_2_and_3_read_alike_and_others_are_named() {
    let header = llama_1b();
    let read = |version| read(&header.version(version));
    let (Ok(ModelFile::Gguf(two)), Ok(ModelFile::Gguf(three))) = (read(2), read(3)) else { panic!() };
    assert_eq!((two.version, three.version), (2, 3));
    assert_eq!(two.tensors, three.tensors);
    assert_eq!(read(1).unwrap_err().to_string(), "byte 4: GGUF version 1 is not read; 2 and 3 are");
    assert_eq!(read(9).unwrap_err().to_string(), "byte 4: GGUF version 9 is not read; 2 and 3 are");
    assert!(read(3_u32.swap_bytes()).unwrap_err().to_string().contains("other byte order"));
}

#[test]
fn a_header_is_read_the_same_in_any_pieces() {
    let bytes = llama_1b().bytes();
    let whole = read(&bytes).unwrap();
    for piece in [1_000, 4_097, 70_000] {
        let mut reader = Reader::of(&bytes, bytes.len() as u64).unwrap();
        let mut asked = 0;
        while let Some(range) = reader.wants() {
            let start = range.start as usize;
            let end = bytes.len().min(range.end as usize).min(start + piece);
            reader.give(&bytes[start..end]).unwrap_or_else(|error| panic!("{piece}: {error}"));
            asked += 1;
        }
        assert_eq!(reader.finish().unwrap(), whole);
        assert!(asked >= bytes.len() / piece, "{asked}");
    }
}

#[test]
fn long_values_are_not_asked_for() {
    let mut header = llama_1b();
    // A hundred megabytes of numbers, and a text of as many, of which nothing is there.
    let long: u64 = 100_000_000;
    header.key("tokenizer.ggml.scores", 9, &[&U32.to_le_bytes()[..], &(long / 4).to_le_bytes()].concat());
    let bytes = header.bytes();
    let place = bytes.windows(21).position(|window| window == b"tokenizer.ggml.scores").unwrap() + 21 + 4 + 12;
    let length = bytes.len() as u64 + long + header.data();
    let at = |byte: u64| {
        let byte = byte as usize;
        if byte < place { byte } else { byte.saturating_sub(long as usize).max(place) }
    };
    let mut reader = Reader::of(&bytes, length).unwrap();
    let mut given = 0;
    while let Some(range) = reader.wants() {
        let start = at(range.start);
        let end = if start < place { place } else { bytes.len() };
        let part = &bytes[start..end.min(start + (range.end - range.start) as usize)];
        given += part.len();
        reader.give(part).unwrap();
    }
    let Some(ModelFile::Gguf(file)) = reader.finish() else { panic!() };
    assert_eq!(file.metadata.get("tokenizer.ggml.scores"), Some(&Scalar::LongList(long / 4)));
    assert_eq!(file.tensors.len(), 3 + 16 * 9);
    assert!(given < 2 * bytes.len());
}

#[test]
fn a_file_that_was_cut_in_its_data_says_how_much_is_missing() {
    let header = llama_1b();
    let bytes = header.bytes();
    let Ok(ModelFile::Gguf(file)) = read(&bytes) else { panic!() };
    let padding = (bytes.len() as u64).next_multiple_of(32) - bytes.len() as u64;
    assert_eq!(file.missing, header.data() + padding);
    assert_eq!(file.data, (bytes.len() as u64).next_multiple_of(32));
}

#[test]
fn sidecars_are_named_and_give_no_shape() {
    let said = |edit: &dyn Fn(&mut GgufHeader)| {
        let mut header = GgufHeader::default();
        edit(&mut header);
        gguf(&header)
    };
    let projector = said(&|it| {
        it.string("general.architecture", "clip").tensor("v.blk.0.attn_q.weight", &[64, 64], 1, (1, 2));
        it.tensor("mm.0.weight", &[64], 0, (1, 4));
    });
    assert_eq!(projector.sidecar(), Some(Sidecar::Projector));
    assert!(projector.tensors.iter().all(|tensor| tensor.class == Class::Tower));
    assert_eq!(projector.architecture(), Err(NoArchitecture::Sidecar(Sidecar::Projector)));
    let prediction = said(&|it| {
        it.string("general.architecture", "qwen3").tensor("blk.64.nextn.eh_proj.weight", &[64, 64], 1, (1, 2));
    });
    assert_eq!(prediction.sidecar(), Some(Sidecar::Prediction));
    let adapter = said(&|it| {
        it.string("general.type", "adapter").tensor("blk.0.attn_q.weight.lora_a", &[64, 8], 1, (1, 2));
    });
    assert_eq!(adapter.sidecar(), Some(Sidecar::Adapter));
    let vocabulary = said(&|it| {
        it.string("general.architecture", "llama").strings("tokenizer.ggml.tokens", 10);
    });
    assert_eq!(vocabulary.sidecar(), Some(Sidecar::Vocabulary));
    assert!(vocabulary.architecture().unwrap_err().to_string().contains("a vocabulary without a model"));
}

#[test]
fn a_shape_that_is_not_that_of_the_tensors_is_refused_in_words() {
    let mut more = llama_1b();
    more.tensor("blk.0.attn_something.weight", &[2_048], 0, (1, 4));
    let refused = gguf(&more).architecture().unwrap_err();
    let parameters = models::by_id("llama-3.2-1b").unwrap().architecture.parameters().total();
    assert_eq!(refused, NoArchitecture::Count { shape: parameters, tensors: parameters + 2_048 });
    assert!(refused.to_string().contains("something in it is not modelled"));
    let mut other = GgufHeader::default();
    other.string("general.architecture", "mamba").tensor("token_embd.weight", &[64, 64], 0, (1, 4));
    assert_eq!(
        gguf(&other).architecture().unwrap_err().to_string(),
        "the architecture mamba is not read from GGUF files"
    );
    let mut split = llama_1b();
    split.number("split.count", 3);
    assert!(gguf(&split).architecture().unwrap_err().to_string().contains("in 3 files"));
    let mut heads = llama_1b();
    heads.numbers("llama.attention.head_count_kv.x", &[8, 4]);
    assert!(gguf(&heads).architecture().is_ok(), "a key that nobody asks for");
}

#[test]
fn a_mixture_is_read_with_its_experts() {
    // Shaped like Qwen3-30B-A3B, two layers of it.
    let mut header = GgufHeader::default();
    header
        .string("general.architecture", "qwen3moe")
        .number("general.file_type", 32)
        .number("qwen3moe.block_count", 2)
        .number("qwen3moe.context_length", 40_960)
        .number("qwen3moe.embedding_length", 2_048)
        .number("qwen3moe.feed_forward_length", 6_144)
        .number("qwen3moe.attention.head_count", 32)
        .numbers("qwen3moe.attention.head_count_kv", &[4, 4])
        .number("qwen3moe.attention.key_length", 128)
        .number("qwen3moe.attention.value_length", 128)
        .number("qwen3moe.expert_count", 128)
        .number("qwen3moe.expert_used_count", 8)
        .number("qwen3moe.expert_feed_forward_length", 768)
        .key("qwen3moe.attention.layer_norm_rms_epsilon", 6, &1e-6_f32.to_le_bytes())
        .tensor("token_embd.weight", &[2_048, 151_936], 30, (1, 2))
        .tensor("output.weight", &[2_048, 151_936], 30, (1, 2))
        .tensor("output_norm.weight", &[2_048], 0, (1, 4));
    for layer in 0..2 {
        for (name, shape) in [
            ("attn_q", vec![2_048, 4_096]),
            ("attn_k", vec![2_048, 512]),
            ("attn_v", vec![2_048, 512]),
            ("attn_output", vec![4_096, 2_048]),
            ("ffn_gate_inp", vec![2_048, 128]),
            ("ffn_gate_exps", vec![2_048, 768, 128]),
            ("ffn_up_exps", vec![2_048, 768, 128]),
            ("ffn_down_exps", vec![768, 2_048, 128]),
            ("attn_norm", vec![2_048]),
            ("ffn_norm", vec![2_048]),
            ("attn_q_norm", vec![128]),
            ("attn_k_norm", vec![128]),
        ] {
            header.tensor(&format!("blk.{layer}.{name}.weight"), &shape, 30, (1, 2));
        }
    }
    let file = gguf(&header);
    let preset = models::by_id("qwen3-30b-a3b").unwrap().architecture;
    let mut expected = preset;
    expected.layers = 2;
    let read = file.architecture().unwrap();
    assert_eq!(read.moe, expected.moe);
    assert_eq!(read.parameters(), expected.parameters());
    assert_eq!((read.qk_norm, read.kv_heads, read.head_dim), (true, 4, 128));
    let experts: u64 = breakdown(&file.tensors).iter().filter(|it| it.class == Class::Experts).map(|it| it.bytes).sum();
    assert_eq!(experts, 2 * 3 * 2_048 * 768 * 128 * 2);
}

#[test]
fn a_safetensors_header_gives_exact_bytes() {
    let json = r#"{"__metadata__":{"format":"pt"},
        "model.embed_tokens.weight":{"dtype":"BF16","shape":[10,4],"data_offsets":[0,80]},
        "model.layers.0.self_attn.q_proj.weight":{"dtype":"F8_E4M3","shape":[4,4],"data_offsets":[80,96]},
        "model.layers.0.mlp.experts.0.up_proj.weight":{"dtype":"F4","shape":[4,4],"data_offsets":[96,104]},
        "model.norm.weight":{"dtype":"F32","shape":[4],"data_offsets":[104,120]},
        "empty":{"dtype":"I64","shape":[0],"data_offsets":[120,120]}}   "#;
    let Ok(ModelFile::Safetensors(file)) = read(&safetensors(json, 120)) else { panic!() };
    assert_eq!((file.header, file.missing), (8 + json.len() as u64, 0));
    assert_eq!(file.metadata, [("format".to_owned(), "pt".to_owned())]);
    let shares: Vec<_> =
        breakdown(&file.tensors).iter().map(|it| (it.class, it.dtype.name, it.values, it.bytes)).collect();
    assert_eq!(
        shares,
        [
            (Class::Embedding, "BF16", 40, 80),
            (Class::Attention, "F8_E4M3", 16, 16),
            (Class::Experts, "F4", 16, 8),
            (Class::Norm, "F32", 4, 16),
            (Class::Other, "I64", 0, 0),
        ]
    );
    let Ok(ModelFile::Safetensors(cut)) = read(&safetensors(json, 100)) else { panic!() };
    assert_eq!((cut.missing, cut.trailing), (20, 0));
    let Ok(ModelFile::Safetensors(long)) = read(&safetensors(json, 125)) else { panic!() };
    assert_eq!((long.missing, long.trailing), (0, 5));
}

#[test]
fn json_files_of_models_are_told_apart() {
    let index = br#"{"metadata": {"total_size": 16060522496}, "weight_map": {"lm_head.weight": "model-00002-of-00002.safetensors",
        "model.embed_tokens.weight": "model-00001-of-00002.safetensors", "model.norm.weight": "model-00002-of-00002.safetensors"}}"#;
    let Ok(Some(ModelJson::Index(index))) = read_model_json(index) else { panic!() };
    assert_eq!((index.total_size, index.files.len()), (Some(16_060_522_496), 2));
    assert_eq!(index.tensors[Class::OutputHead as usize], 1);
    let config = br#"{"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32, "num_key_value_heads": 8,
        "head_dim": 64, "intermediate_size": 8192, "vocab_size": 128256, "tie_word_embeddings": true, "max_position_embeddings": 131072}"#;
    let Ok(Some(ModelJson::Config(config))) = read_model_json(config) else { panic!() };
    assert_eq!(config.architecture, Ok(models::by_id("llama-3.2-1b").unwrap().architecture));
    let unknown = br#"{"model_type": "whisper", "hidden_size": 8}"#;
    let Ok(Some(ModelJson::Config(unknown))) = read_model_json(unknown) else { panic!() };
    assert!(unknown.architecture.unwrap_err().to_string().contains("whisper"));
    assert!(matches!(read_model_json(br#"{"a": 1}"#), Ok(None)));
    assert!(matches!(read_model_json(b"[1]"), Ok(None)));
    assert_eq!(read_model_json(b"{\n1}").unwrap_err().place.line, 2);
}
