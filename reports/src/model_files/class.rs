//! What a tensor belongs to, by its name: as `transformers` and the original checkpoints name tensors, and as llama.cpp does.

use alloc::string::String;

use crate::by_name::ByName;
use crate::scan;

/// What a tensor belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// The embedding table, learned positions included.
    Embedding,
    /// Attention.
    Attention,
    /// Layers with a state in place of a cache: state-space models, linear attention, short convolutions.
    State,
    /// MLPs that every token passes through, shared experts included.
    Mlp,
    /// Routed experts.
    Experts,
    /// Routers of experts.
    Router,
    /// Norms.
    Norm,
    /// The output head.
    OutputHead,
    /// What sees or hears, and what projects that into the language model.
    Tower,
    /// Layers that predict further tokens.
    Prediction,
    /// What no rule knows.
    Other,
}

/// All of them, in the order in which they are shown.
pub const CLASSES: [Class; 11] = [
    Class::Embedding,
    Class::Attention,
    Class::State,
    Class::Mlp,
    Class::Experts,
    Class::Router,
    Class::Norm,
    Class::OutputHead,
    Class::Tower,
    Class::Prediction,
    Class::Other,
];

/// The first rule that holds decides. A word is found anywhere in the name, in small letters.
const RULES: [(Class, &[&str]); 12] = [
    (
        Class::Tower,
        &[
            "vision",
            "visual",
            "image",
            "audio",
            "vit.",
            "multi_modal",
            "multimodal",
            "mm_projector",
            "mm.",
            "patch_embed",
            "speech",
            "conformer",
            "connector.modality",
        ],
    ),
    (Class::Prediction, &["mtp", "nextn", "eh_proj", "shared_head"]),
    (Class::Router, &["gate_inp", "router", "e_score_correction", "exp_probs", "shared_expert_gate"]),
    (Class::Norm, &["norm", "ln_", ".ln1", ".ln2"]),
    (Class::Mlp, &["shared_expert", "shexp", "shared_mlp"]),
    (Class::Experts, &["experts", "_exps"]),
    (Class::OutputHead, &["lm_head", "embed_out", "output_layer"]),
    (
        Class::Embedding,
        &[
            "embed_tokens",
            "wte",
            "wpe",
            "word_embedding",
            "position_embedding",
            "embed_positions",
            "tok_embeddings",
            "token_embd",
            "position_embd",
            "embed_in",
            "per_layer_token",
        ],
    ),
    (
        Class::State,
        &["linear_attn", "mamba", "ssm", "shortconv", "short_conv", "a_log", "dt_proj", "dt_bias", ".conv."],
    ),
    (
        Class::Attention,
        &["attn", "attention", "q_proj", "k_proj", "v_proj", "o_proj", "qkv", ".wq.", ".wk.", ".wv.", ".wo."],
    ),
    (Class::Mlp, &["mlp", "ffn", "feed_forward", "fc1", "fc2", "gate_proj", "up_proj", "down_proj", "fc_in", "fc_out"]),
    (Class::Mlp, &["dense_h_to_4h", "dense_4h_to_h", ".w1.", ".w2.", ".w3."]),
];

impl Class {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Embedding => "embedding",
            Self::Attention => "attention",
            Self::State => "state-space and linear attention",
            Self::Mlp => "MLP",
            Self::Experts => "experts",
            Self::Router => "routers",
            Self::Norm => "norms",
            Self::OutputHead => "output head",
            Self::Tower => "vision and audio",
            Self::Prediction => "multi-token prediction",
            Self::Other => "other",
        }
    }

    /// What a tensor of this name belongs to.
    pub fn of(name: &str) -> Self {
        let small = name.to_ascii_lowercase();
        let begins = |starts: &[&str]| starts.iter().any(|start| small.starts_with(start));
        // What llama.cpp calls the tensors of its projectors.
        if begins(&["v.", "a.", "mm."]) {
            return Self::Tower;
        }
        // The original checkpoints of Llama, and llama.cpp.
        if begins(&["output."]) {
            return Self::OutputHead;
        }
        // A router is the gate of a mixture itself, and no gate of an MLP.
        let is_router = [".mlp.gate.", ".block_sparse_moe.gate.", ".feed_forward.gate.", ".moe.gate.", ".mixer.gate."];
        if scan::has_any(small.as_bytes(), &is_router) {
            return Self::Router;
        }
        let rule = RULES.iter().find(|(_, words)| scan::has_any(small.as_bytes(), words));
        rule.map_or(Self::Other, |(class, _)| *class)
    }
}

/// Forms of names that are known again.
const MOST_FORMS: usize = 4_096;

/// The classes of many names, each form of which is looked at once: layers and experts have the same names but for their numbers, in which no
/// rule has a word.
#[derive(Debug, Default)]
pub(super) struct Forms {
    known: ByName<Class>,
    form: String,
}

impl Forms {
    /// What a tensor of this name belongs to.
    pub(super) fn class(&mut self, name: &str) -> Class {
        self.form.clear();
        for part in name.split('.') {
            let number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            self.form.push_str(if number { "0" } else { part });
            self.form.push('.');
        }
        if let Some(class) = self.known.get(&self.form) {
            return *class;
        }
        let class = Class::of(name);
        if self.known.len() < MOST_FORMS {
            self.known.insert(&self.form, class);
        }
        class
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_form_are_of_one_class() {
        let mut forms = Forms::default();
        for name in [
            "model.layers.0.self_attn.q_proj.weight",
            "model.layers.17.self_attn.q_proj.weight",
            "model.layers.17.mlp.experts.3.w1.weight",
            "model.layers.18.mlp.experts.200.w1.weight",
            "v.blk.0.attn_q.weight",
            "",
            "7",
        ] {
            assert_eq!(forms.class(name), Class::of(name), "{name}");
        }
        assert_eq!(forms.known.len(), 5);
        let words = RULES.iter().flat_map(|(_, words)| words.iter()).flat_map(|word| word.split('.'));
        assert!(words.filter(|part| !part.is_empty()).all(|part| !part.bytes().all(|byte| byte.is_ascii_digit())));
    }

    #[test]
    fn names_of_published_checkpoints() {
        use Class::{Attention, Embedding, Experts, Mlp, Norm, Other, OutputHead, Prediction, Router, State, Tower};
        for (name, class) in [
            ("model.embed_tokens.weight", Embedding),
            ("model.layers.0.self_attn.q_proj.weight", Attention),
            ("model.layers.0.self_attn.q_norm.weight", Norm),
            ("model.layers.0.mlp.down_proj.weight", Mlp),
            ("model.layers.0.mlp.gate_proj.qweight", Mlp),
            ("model.layers.3.mlp.gate.weight", Router),
            ("model.layers.3.mlp.gate.e_score_correction_bias", Router),
            ("model.layers.3.mlp.experts.17.up_proj.weight", Experts),
            ("model.layers.3.mlp.experts.gate_up_proj_blocks", Experts),
            ("model.layers.3.mlp.shared_experts.up_proj.weight", Mlp),
            ("model.layers.3.mlp.shared_expert_gate.weight", Router),
            ("model.layers.3.mlp.router.bias", Router),
            ("model.layers.0.block_sparse_moe.experts.0.w1.weight", Experts),
            ("model.layers.0.block_sparse_moe.gate.weight", Router),
            ("model.layers.5.linear_attn.in_proj_qkvz.weight", State),
            ("model.layers.5.linear_attn.norm.weight", Norm),
            ("model.norm.weight", Norm),
            ("lm_head.weight", OutputHead),
            ("visual.blocks.0.attn.qkv.weight", Tower),
            ("model.vision_tower.encoder.layers.0.mlp.fc1.weight", Tower),
            ("multi_modal_projector.linear_1.weight", Tower),
            ("mtp.layers.0.mlp.experts.1.up_proj.weight", Prediction),
            ("transformer.wte.weight", Embedding),
            ("h.0.attn.c_proj.weight", Attention),
            ("h.0.mlp.c_proj.weight", Mlp),
            ("h.0.ln_1.bias", Norm),
            ("gpt_neox.layers.0.mlp.dense_h_to_4h.weight", Mlp),
            ("layers.0.attention.wq.weight", Attention),
            ("layers.0.feed_forward.w1.weight", Mlp),
            ("output.weight", OutputHead),
            ("blk.0.attn_q.weight", Attention),
            ("blk.0.attn_output.weight", Attention),
            ("blk.0.attn_norm.weight", Norm),
            ("blk.0.ffn_gate_exps.weight", Experts),
            ("blk.0.ffn_gate_shexp.weight", Mlp),
            ("blk.0.ffn_gate_inp.weight", Router),
            ("blk.0.ffn_up.weight", Mlp),
            ("blk.0.ssm_a", State),
            ("blk.61.nextn.eh_proj.weight", Prediction),
            ("token_embd.weight", Embedding),
            ("output_norm.weight", Norm),
            ("rope_freqs.weight", Other),
            ("v.blk.0.attn_q.weight", Tower),
            ("mm.0.weight", Tower),
        ] {
            assert_eq!(Class::of(name), class, "{name}");
        }
    }
}
