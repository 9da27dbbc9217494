//! Headers of model files, as their own programs write them.

/// A GGUF header under construction.
#[derive(Clone, Default)]
pub(crate) struct GgufHeader {
    keys: Vec<Vec<u8>>,
    tensors: Vec<(String, Vec<u64>, u32, u64)>,
}

pub(crate) fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
}

pub(crate) const U32: u32 = 4;
pub(crate) const F32: u32 = 6;
pub(crate) const STRING: u32 = 8;
pub(crate) const ARRAY: u32 = 9;

impl GgufHeader {
    /// A key with its value as bytes.
    pub(crate) fn key(&mut self, key: &str, kind: u32, value: &[u8]) -> &mut Self {
        self.keys.push([&text(key)[..], &kind.to_le_bytes(), value].concat());
        self
    }

    pub(crate) fn number(&mut self, key: &str, number: u32) -> &mut Self {
        self.key(key, U32, &number.to_le_bytes())
    }

    pub(crate) fn string(&mut self, key: &str, value: &str) -> &mut Self {
        self.key(key, STRING, &text(value))
    }

    /// A list of strings, such as a vocabulary.
    pub(crate) fn strings(&mut self, key: &str, count: u64) -> &mut Self {
        let mut value = [&STRING.to_le_bytes()[..], &count.to_le_bytes()].concat();
        for number in 0..count {
            value.extend(text(&format!("token{number}")));
        }
        self.key(key, ARRAY, &value)
    }

    pub(crate) fn numbers(&mut self, key: &str, numbers: &[u32]) -> &mut Self {
        let mut value = [&U32.to_le_bytes()[..], &(numbers.len() as u64).to_le_bytes()].concat();
        value.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        self.key(key, ARRAY, &value)
    }

    /// A tensor of a type with its block, behind those before it.
    pub(crate) fn tensor(&mut self, name: &str, shape: &[u64], kind: u32, block: (u64, u64)) -> &mut Self {
        let count = shape.iter().fold(1, |all: u64, side| all.wrapping_mul(*side));
        let bytes = count / block.0 * block.1;
        self.tensors.push((name.into(), shape.to_vec(), kind, bytes));
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.version(3)
    }

    pub(crate) fn version(&self, version: u32) -> Vec<u8> {
        let mut out = [&b"GGUF"[..], &version.to_le_bytes()].concat();
        out.extend((self.tensors.len() as u64).to_le_bytes());
        out.extend((self.keys.len() as u64).to_le_bytes());
        out.extend(self.keys.iter().flatten());
        let mut offset: u64 = 0;
        for (name, shape, kind, bytes) in &self.tensors {
            out.extend(text(name));
            out.extend((shape.len() as u32).to_le_bytes());
            out.extend(shape.iter().flat_map(|side| side.to_le_bytes()));
            out.extend(kind.to_le_bytes());
            out.extend(offset.to_le_bytes());
            offset = (offset + bytes).next_multiple_of(32);
        }
        out
    }

    /// Bytes of data with padding, but for that of the last tensor.
    pub(crate) fn data(&self) -> u64 {
        let last = self.tensors.last().map_or(0, |tensor| tensor.3);
        let before = self.tensors.iter().rev().skip(1).map(|tensor| tensor.3.next_multiple_of(32));
        before.sum::<u64>() + last
    }
}

/// Llama 3.2 1B as `convert_hf_to_gguf.py` and `llama-quantize ... Q8_0` write it, with a shorter vocabulary list.
pub(crate) fn llama_1b() -> GgufHeader {
    const Q8: (u32, (u64, u64)) = (8, (32, 34));
    let mut header = GgufHeader::default();
    header
        .string("general.architecture", "llama")
        .string("general.type", "model")
        .string("general.name", "Llama 3.2 1B")
        .number("general.file_type", 7)
        .number("llama.block_count", 16)
        .number("llama.context_length", 131_072)
        .number("llama.embedding_length", 2_048)
        .number("llama.feed_forward_length", 8_192)
        .number("llama.attention.head_count", 32)
        .number("llama.attention.head_count_kv", 8)
        .number("llama.attention.key_length", 64)
        .number("llama.attention.value_length", 64)
        .number("llama.rope.dimension_count", 64)
        .number("llama.vocab_size", 128_256)
        .key("llama.attention.layer_norm_rms_epsilon", F32, &1e-5_f32.to_le_bytes())
        .strings("tokenizer.ggml.tokens", 3_000)
        .tensor("rope_freqs.weight", &[32], 0, (1, 4))
        .tensor("token_embd.weight", &[2_048, 128_256], Q8.0, Q8.1)
        .tensor("output_norm.weight", &[2_048], 0, (1, 4));
    for layer in 0..16 {
        let mut matrix = |name: &str, shape: [u64; 2]| {
            header.tensor(&format!("blk.{layer}.{name}.weight"), &shape, Q8.0, Q8.1);
        };
        matrix("attn_q", [2_048, 2_048]);
        matrix("attn_k", [2_048, 512]);
        matrix("attn_v", [2_048, 512]);
        matrix("attn_output", [2_048, 2_048]);
        matrix("ffn_gate", [2_048, 8_192]);
        matrix("ffn_up", [2_048, 8_192]);
        matrix("ffn_down", [8_192, 2_048]);
        header.tensor(&format!("blk.{layer}.attn_norm.weight"), &[2_048], 0, (1, 4));
        header.tensor(&format!("blk.{layer}.ffn_norm.weight"), &[2_048], 0, (1, 4));
    }
    header
}

/// A safetensors file: its header's JSON, and so many bytes of data.
pub(crate) fn safetensors(json: &str, data: usize) -> Vec<u8> {
    [&(json.len() as u64).to_le_bytes()[..], json.as_bytes(), &vec![0; data]].concat()
}
