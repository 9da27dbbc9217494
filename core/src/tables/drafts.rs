//! What guesses tokens ahead for a larger model: a small model of its own, or a head that was trained to read the larger one's states.

use super::models;
use crate::architecture::Architecture;

/// A model or a head that guesses tokens ahead for another model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The name in plans and on the command line; empty where its dimensions come from a file.
    pub id: &'static str,
    /// Where it is published; empty for a model of the table, and where its dimensions come from a file.
    pub repository: &'static str,
    /// Its shape; of a head, that of its layers, and the vocabulary that it reads.
    pub shape: Architecture,
    /// Tokens that it can guess: many EAGLE-3 heads know the most frequent ones alone.
    pub guessed_vocabulary: u32,
    /// The hidden size of the model that it was trained for; `None` for a model of its own.
    pub reads: Option<u32>,
}

impl Draft {
    const fn head(
        id: &'static str,
        repository: &'static str,
        shape: [u32; 7],
        guessed_vocabulary: u32,
        reads: u32,
    ) -> Self {
        Self { id, repository, shape: Architecture::llama(shape), guessed_vocabulary, reads: Some(reads) }
    }

    /// A model of its own.
    pub const fn model(id: &'static str, shape: Architecture) -> Self {
        Self { id, repository: "", shape, guessed_vocabulary: shape.vocab_size, reads: None }
    }
}

/// EAGLE-3 heads that are published: one layer each, `[layers, hidden_size, heads, kv_heads, head_dim, intermediate_size, vocab_size]`.
///
/// # Source
/// Llama 3.1 8B: as `SpecForge` (github.com/sgl-project/SpecForge) trains it in its tests, 425 million parameters, which a log of vLLM confirms
/// within 0.1%. Qwen3 30B-A3B: `configs/qwen3-30B-eagle3.json` there. Qwen3 8B: the dimensions of a layer of the model, as two starts of vLLM 0.30 and
/// 0.31 show by their pools. Read 2026-11-26.
pub const HEADS: [Draft; 3] = [
    Draft::head(
        "eagle3-llama-3.1-8b",
        "yuhuili/EAGLE3-LLaMA3.1-Instruct-8B",
        [1, 4_096, 32, 8, 128, 14_336, 128_256],
        32_000,
        4_096,
    ),
    Draft::head("eagle3-qwen3-8b", "AngelSlim/Qwen3-8B_eagle3", [1, 4_096, 32, 8, 128, 12_288, 151_936], 32_000, 4_096),
    Draft::head(
        "eagle3-qwen3-30b-a3b",
        "AngelSlim/Qwen3-a3B_eagle3",
        [1, 2_048, 32, 4, 128, 6_144, 151_936],
        32_000,
        2_048,
    ),
];

/// The draft with this name: a head, or a model of the table.
///
/// ```
/// use memory_wall_core::tables::drafts::by_id;
/// assert_eq!(by_id("eagle3-llama-3.1-8b").and_then(|draft| draft.reads), Some(4_096));
/// assert_eq!(by_id("qwen3-0.6b").map(|draft| (draft.shape.layers, draft.reads)), Some((28, None)));
/// ```
pub fn by_id(id: &str) -> Option<Draft> {
    let head = HEADS.iter().find(|head| head.id == id).copied();
    head.or_else(|| models::by_id(id).map(|model| Draft::model(model.id, model.architecture)))
}

/// The head that is published in this repository, whoever keeps a copy of it.
///
/// ```
/// use memory_wall_core::tables::drafts;
/// let of = |name| drafts::in_repository(name).map(|head| head.id);
/// assert_eq!(of("models/EAGLE3-LLaMA3.1-Instruct-8B"), Some("eagle3-llama-3.1-8b"));
/// assert_eq!(of("RedHatAI/Qwen3-8B-speculator.eagle3"), Some("eagle3-qwen3-8b"));
/// assert_eq!(of("me/eagle3"), None);
/// ```
pub fn in_repository(name: &str) -> Option<Draft> {
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().len();
    let tail = |path: &'static str| path.get(path.len() - last(path)..).unwrap_or_default();
    let given = name.get(name.len() - last(name)..).unwrap_or_default();
    let is = |own: &str| own.eq_ignore_ascii_case(given);
    let others = [("Qwen3-8B-speculator.eagle3", "eagle3-qwen3-8b")];
    let head = HEADS.iter().find(|head| is(tail(head.repository))).copied();
    head.or_else(|| others.iter().find(|(own, _)| is(own)).and_then(|(_, id)| by_id(id)))
}
