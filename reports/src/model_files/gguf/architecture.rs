//! The engine's shape of a GGUF model, from its keys and tensors.
//!
//! A shape is handed out only if the parameters that it has are, to the last one, those that the file's tensors hold.

use alloc::format;
use alloc::string::String;
use core::fmt;

use memory_wall_core::Architecture;
use memory_wall_core::architecture::{
    Biases, Latent, Mlp, Moe, Norm, Positions, Projection, ShapeError, SlidingWindow,
};

use super::kind::Sidecar;
use super::metadata::Scalar;
use super::{Gguf, Tensor, shown};

/// Why a file gives no shape.
#[derive(Clone, Debug, PartialEq)]
pub enum NoArchitecture {
    /// It is no model by itself.
    Sidecar(Sidecar),
    /// It is one of several files.
    Parts(u64),
    /// A family that is not modelled, or not from GGUF.
    Family(String),
    /// A key or tensor that is needed is not there.
    Missing(String),
    /// A key that says something that is not modelled.
    NotModelled(String),
    /// The numbers do not go together.
    Shape(ShapeError),
    /// The shape has another number of parameters than the file's tensors.
    Count {
        /// What the shape has.
        shape: u64,
        /// What the tensors have.
        tensors: u64,
    },
}

impl fmt::Display for NoArchitecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sidecar(kind) => write!(f, "this file holds {} and no model", kind.name()),
            Self::Parts(parts) => {
                write!(f, "the model is in {parts} files; only all of them together say its shape for certain")
            }
            Self::Family(family) => write!(f, "the architecture {family} is not read from GGUF files"),
            Self::Missing(what) => write!(f, "{what} is missing"),
            Self::NotModelled(what) => write!(f, "{what} is not modelled"),
            Self::Shape(error) => error.fmt(f),
            Self::Count { shape, tensors } => write!(
                f,
                "its keys describe a model of {shape} parameters and its tensors hold {tensors}: something in it is not modelled"
            ),
        }
    }
}

impl core::error::Error for NoArchitecture {}

/// What a family has that its file does not say.
#[derive(Clone, Copy)]
struct Family {
    name: &'static str,
    /// Every so many layers one sees the whole context, where there is a window.
    pattern: u32,
    /// The activation of an MLP without a gate.
    mlp: Mlp,
    traits: &'static [Trait],
}

/// Something that most families are not.
#[derive(Clone, Copy, PartialEq)]
enum Trait {
    /// Attention and MLP read the same input.
    Parallel,
    /// It overflows in fp16.
    Unstable,
    /// A bias in place of positions.
    Alibi,
    /// Training drops values.
    Dropout,
}

const fn plain(name: &'static str) -> Family {
    Family { name, pattern: 0, mlp: Mlp::Gelu, traits: &[] }
}

/// The families, as llama.cpp calls them.
///
/// Source: github.com/ggml-org/llama.cpp, gguf-py/gguf/constants.py (names) and src/llama-model.cpp (`set_swa_pattern`); the rest as in the engine's reader
/// of `config.json`; checked 2026-11-24.
const FAMILIES: [Family; 27] = [
    plain("llama"),
    plain("mistral3"),
    plain("qwen2"),
    plain("qwen2moe"),
    plain("qwen3"),
    plain("qwen3moe"),
    plain("gemma"),
    Family { pattern: 2, traits: &[Trait::Unstable], ..plain("gemma2") },
    Family { pattern: 6, traits: &[Trait::Unstable], ..plain("gemma3") },
    plain("phi3"),
    plain("granite"),
    plain("deepseek2"),
    Family { pattern: 2, ..plain("gpt-oss") },
    Family { pattern: 4, ..plain("olmo2") },
    Family { traits: &[Trait::Unstable], ..plain("glm4") },
    plain("glm4moe"),
    plain("smollm3"),
    Family { pattern: 4, ..plain("exaone4") },
    plain("seed_oss"),
    plain("ernie4_5"),
    plain("ernie4_5-moe"),
    plain("minimax-m2"),
    plain("starcoder2"),
    Family { mlp: Mlp::GeluNew, traits: &[Trait::Dropout], ..plain("gpt2") },
    Family { traits: &[Trait::Parallel], ..plain("falcon") },
    Family { traits: &[Trait::Alibi], ..plain("bloom") },
    Family { traits: &[Trait::Parallel], ..plain("gptneox") },
];

/// A file of a family, and how its keys are asked for.
struct Keys<'a> {
    file: &'a Gguf,
    family: Family,
}

impl Keys<'_> {
    fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.family.name)
    }

    fn whole(&self, name: &str) -> Option<u32> {
        self.file.metadata.whole(&self.key(name)).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
    }

    fn needed(&self, name: &str) -> Result<u32, NoArchitecture> {
        self.uniform(name)?.ok_or_else(|| NoArchitecture::Missing(self.key(name)))
    }

    /// A number that is the same for all layers, if the file gives one for each.
    fn uniform(&self, name: &str) -> Result<Option<u32>, NoArchitecture> {
        match self.file.metadata.get(&self.key(name)) {
            Some(Scalar::List(list)) => match list.split_first() {
                Some((first, rest)) if rest.iter().all(|other| other == first) => {
                    Ok(Some(u32::try_from(*first).unwrap_or(u32::MAX)))
                }
                _ => Err(NoArchitecture::NotModelled(format!("{} that differs from layer to layer", self.key(name)))),
            },
            _ => Ok(self.whole(name)),
        }
    }

    fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.file.tensors.iter().find(|tensor| tensor.name == name)
    }

    /// A tensor of the first layer that has it.
    fn in_layer(&self, name: &str) -> Option<&Tensor> {
        let is_it = |tensor: &&Tensor| {
            let mut parts = tensor.name.splitn(3, '.');
            parts.next() == Some("blk") && parts.next().is_some() && parts.next() == Some(name)
        };
        self.file.tensors.iter().find(is_it)
    }

    fn has(&self, name: &str) -> bool {
        self.in_layer(name).is_some()
    }
}

impl Gguf {
    /// The model's shape.
    ///
    /// # Errors
    /// The file is no model or a part of one, its family or something in it is not modelled, or its tensors are not those of the shape.
    pub fn architecture(&self) -> Result<Architecture, NoArchitecture> {
        if let Some(sidecar) = self.sidecar() {
            return Err(NoArchitecture::Sidecar(sidecar));
        }
        if self.parts() > 1 {
            return Err(NoArchitecture::Parts(self.parts()));
        }
        let name = self.metadata.text("general.architecture");
        let name = name.ok_or_else(|| NoArchitecture::Missing("general.architecture".into()))?;
        let family = FAMILIES.into_iter().find(|family| family.name == name);
        let family = family.ok_or_else(|| NoArchitecture::Family(shown(name.as_bytes())))?;
        let keys = Keys { file: self, family };
        let shape = keys.shape()?;
        shape.check().map_err(NoArchitecture::Shape)?;
        let (counted, tensors) = (shape.parameters().total(), keys.parameters(shape.layers));
        if counted == tensors { Ok(shape) } else { Err(NoArchitecture::Count { shape: counted, tensors }) }
    }
}

impl Keys<'_> {
    /// The parameters that the tensors of so many layers and of the tables hold; tables of rotations are computed and no parameters.
    fn parameters(&self, layers: u32) -> u64 {
        let counts = |tensor: &&Tensor| {
            let mut parts = tensor.name.split('.');
            let layer =
                (parts.next() == Some("blk")).then(|| parts.next().and_then(|number| number.parse::<u32>().ok()));
            !tensor.name.starts_with("rope_") && layer.is_none_or(|layer| layer.is_some_and(|layer| layer < layers))
        };
        self.file.tensors.iter().filter(counts).fold(0, |sum: u64, tensor| sum.saturating_add(tensor.values()))
    }

    fn shape(&self) -> Result<Architecture, NoArchitecture> {
        let further = self.whole("nextn_predict_layers").unwrap_or(0);
        let layers = self.needed("block_count")?.saturating_sub(further);
        let hidden = self.needed("embedding_length")?;
        let heads = self.needed("attention.head_count")?;
        let kv_heads = self.uniform("attention.head_count_kv")?.unwrap_or(heads);
        let table = self.tensor("token_embd.weight");
        let vocab = side(table, 1).ok_or_else(|| NoArchitecture::Missing("token_embd.weight".into()))?;
        let projection = self.projection(heads)?;
        let head_dim = match projection {
            Projection::Latent(latent) => latent.nope_dim.saturating_add(latent.rope_dim),
            Projection::Heads => {
                let width = hidden.checked_div(heads).unwrap_or(0);
                let [keys, values] =
                    ["key", "value"].map(|kind| self.whole(&format!("attention.{kind}_length")).unwrap_or(width));
                if keys != values {
                    return Err(NoArchitecture::NotModelled(
                        "attention.key_length unlike attention.value_length".into(),
                    ));
                }
                keys
            }
        };
        let moe = self.moe(layers)?;
        let experts = moe.map(|moe| moe.intermediate_size);
        let intermediate = self.uniform("feed_forward_length")?.filter(|width| *width > 0).or(experts);
        let intermediate = intermediate.ok_or_else(|| NoArchitecture::Missing(self.key("feed_forward_length")))?;
        let rms = self.file.metadata.get(&self.key("attention.layer_norm_rms_epsilon")).is_some();
        let q_norm = side(self.in_layer("attn_q_norm.weight"), 0);
        let capped = ["attn_logit_softcapping", "final_logit_softcapping"];
        Ok(Architecture {
            projection,
            mlp: self.mlp(intermediate),
            norm: if rms { Norm::RmsNorm } else { Norm::LayerNorm },
            norms_per_layer: self.norms(hidden),
            qk_norm: q_norm.is_some(),
            wide_qk_norm: q_norm.is_some_and(|width| heads > 1 && width == heads.saturating_mul(head_dim)),
            embedding_norm: self.tensor("token_embd_norm.weight").is_some(),
            parallel_residual: self.family.traits.contains(&Trait::Parallel),
            soft_capped: capped.iter().any(|key| self.file.metadata.get(&self.key(key)).is_some()),
            unstable_in_fp16: self.family.traits.contains(&Trait::Unstable),
            dual_chunks: false,
            rotary_stretch: 1,
            rotary_in_windows: false,
            attention_sinks: self.has("attn_sinks.weight") || self.has("attn_sinks"),
            fused_qkv: self.has("attn_qkv.weight"),
            dropout: self.family.traits.contains(&Trait::Dropout),
            positions: match side(self.tensor("position_embd.weight"), 1) {
                Some(rows) => Positions::Learned(rows),
                None if self.family.traits.contains(&Trait::Alibi) => Positions::Alibi,
                None => Positions::Rotary,
            },
            biases: Biases {
                qkv: self.has("attn_q.bias") || self.has("attn_qkv.bias"),
                attention_output: self.has("attn_output.bias"),
                mlp: self.has("ffn_up.bias"),
            },
            tied_embeddings: self.tensor("output.weight").is_none(),
            sliding_window: self.window(layers)?,
            moe,
            trained_context: self.whole("context_length"),
            ..Architecture::llama([layers, hidden, heads, kv_heads, head_dim, intermediate, vocab])
        })
    }

    /// Whether an MLP has a gate: as a matrix of its own, or beside `up` in one of twice the width.
    fn mlp(&self, intermediate: u32) -> Mlp {
        let up = side(self.in_layer("ffn_up.weight"), 1);
        let fused = up == intermediate.checked_mul(2);
        let gated =
            self.has("ffn_gate.weight") || self.has("ffn_gate_exps.weight") || self.has("ffn_gate_up_exps.weight");
        if gated || fused { Mlp::Gated } else { self.family.mlp }
    }

    /// Norms of the residual width in the first layer.
    fn norms(&self, hidden: u32) -> u32 {
        let is_one = |tensor: &&Tensor| {
            let name = tensor.name.strip_prefix("blk.0.").unwrap_or("");
            let own =
                ["attn_q_norm", "attn_k_norm", "attn_q_a_norm", "attn_kv_a_norm", "attn_sub_norm", "ffn_sub_norm"];
            name.contains("norm")
                && name.ends_with(".weight")
                && !own.iter().any(|own| name.starts_with(own))
                && tensor.shape.first() == Some(&u64::from(hidden))
        };
        u32::try_from(self.file.tensors.iter().filter(is_one).count()).unwrap_or(u32::MAX)
    }

    fn projection(&self, heads: u32) -> Result<Projection, NoArchitecture> {
        let Some(kv_lora_rank) = self.whole("attention.kv_lora_rank") else { return Ok(Projection::Heads) };
        // Newer files give the widths of a head before and after compression.
        let key = self.whole("attention.key_length_mla").or(self.whole("attention.key_length"));
        let value = self.whole("attention.value_length_mla").or(self.whole("attention.value_length"));
        let rope_dim = self.needed("rope.dimension_count")?;
        let (Some(key), Some(v_dim), true) = (key, value, heads > 0) else {
            return Err(NoArchitecture::Missing(self.key("attention.key_length")));
        };
        let q_lora_rank = self.whole("attention.q_lora_rank").filter(|rank| *rank > 0);
        let nope_dim = key.saturating_sub(rope_dim);
        Ok(Projection::Latent(Latent { kv_lora_rank, q_lora_rank, rope_dim, nope_dim, v_dim }))
    }

    fn moe(&self, layers: u32) -> Result<Option<Moe>, NoArchitecture> {
        let Some(experts) = self.whole("expert_count").filter(|experts| *experts > 0) else { return Ok(None) };
        let width = match self.whole("expert_feed_forward_length") {
            Some(width) => width,
            // Mixtral gives the width of its experts as that of the MLP.
            None => self.needed("feed_forward_length")?,
        };
        let shared = match self.whole("expert_shared_feed_forward_length") {
            Some(width) => width,
            None => self.whole("expert_shared_count").unwrap_or(0).saturating_mul(width),
        };
        let dense_layers = self.whole("leading_dense_block_count").unwrap_or(0).min(layers);
        Ok(Some(Moe {
            shared_intermediate_size: shared,
            shared_gate: self.has("ffn_gate_inp_shexp.weight"),
            dense_layers,
            router_bias: self.has("ffn_gate_inp.bias") || self.has("exp_probs_b.bias") || self.has("exp_probs_b"),
            expert_biases: self.has("ffn_up_exps.bias"),
            ..Moe::of(experts, self.needed("expert_used_count")?, width)
        }))
    }

    fn window(&self, layers: u32) -> Result<Option<SlidingWindow>, NoArchitecture> {
        let window = self.whole("attention.sliding_window").filter(|window| *window > 0);
        // llama.cpp gives Phi-3 the whole context, whatever its file says.
        let Some(window) = window.filter(|_| self.family.name != "phi3") else { return Ok(None) };
        let sliding = match self.file.metadata.get(&self.key("attention.sliding_window_pattern")) {
            Some(Scalar::List(list)) => {
                u32::try_from(list.iter().filter(|slides| **slides != 0).count()).unwrap_or(layers)
            }
            Some(Scalar::Whole(pattern)) => every(layers, u32::try_from(*pattern).unwrap_or(u32::MAX)),
            _ if self.family.pattern > 0 => every(layers, self.family.pattern),
            _ => {
                let what = format!("{} without the layers that it is for", self.key("attention.sliding_window"));
                return Err(NoArchitecture::NotModelled(what));
            }
        };
        Ok((sliding > 0).then_some(SlidingWindow::over(sliding, window)))
    }
}

/// Layers with a window, where every `pattern`-th sees the whole context.
fn every(layers: u32, pattern: u32) -> u32 {
    layers - layers.checked_div(pattern).unwrap_or(0)
}

/// A dimension of a tensor.
fn side(tensor: Option<&Tensor>, place: usize) -> Option<u32> {
    tensor.and_then(|tensor| tensor.shape.get(place)).map(|side| u32::try_from(*side).unwrap_or(u32::MAX))
}
