//! The dimensions of a model that a reader can change, as a page's fields and links have them.

use super::{Architecture, Projection};
use crate::bounds::{self, Bounds};

/// One dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// `layers`.
    Layers,
    /// `hidden_size`.
    HiddenSize,
    /// `heads`.
    Heads,
    /// `kv_heads`.
    KvHeads,
    /// `head_dim`.
    HeadDim,
    /// `intermediate_size`.
    IntermediateSize,
    /// `vocab_size`.
    VocabSize,
}

impl Dimension {
    /// Every dimension, in the order of links and fields.
    pub const ALL: [Self; 7] = [
        Self::Layers,
        Self::HiddenSize,
        Self::Heads,
        Self::KvHeads,
        Self::HeadDim,
        Self::IntermediateSize,
        Self::VocabSize,
    ];

    /// Its range, which carries its name too.
    pub const fn bounds(self) -> Bounds {
        match self {
            Self::Layers => bounds::LAYERS,
            Self::HiddenSize => bounds::HIDDEN_SIZE,
            Self::Heads => bounds::HEADS,
            Self::KvHeads => bounds::KV_HEADS,
            Self::HeadDim => bounds::HEAD_DIM,
            Self::IntermediateSize => bounds::INTERMEDIATE_SIZE,
            Self::VocabSize => bounds::VOCAB_SIZE,
        }
    }

    /// The field's term for it, also its key in a link.
    pub const fn id(self) -> &'static str {
        self.bounds().name
    }

    /// Its value in a shape.
    pub const fn of(self, shape: &Architecture) -> u32 {
        match self {
            Self::Layers => shape.layers,
            Self::HiddenSize => shape.hidden_size,
            Self::Heads => shape.heads,
            Self::KvHeads => shape.kv_heads,
            Self::HeadDim => shape.head_dim,
            Self::IntermediateSize => shape.intermediate_size,
            Self::VocabSize => shape.vocab_size,
        }
    }

    /// `shape` with this dimension set. A shape that equals the published one again is the published one.
    /// Any other has its parameters counted, never rounded, no more layers of a kind than layers, and no context that it was
    /// trained for: nobody has trained it.
    pub fn with(self, published: Architecture, mut shape: Architecture, value: u32) -> Architecture {
        match self {
            Self::Layers => shape.layers = value,
            Self::HiddenSize => shape.hidden_size = value,
            Self::Heads => shape.heads = value,
            Self::KvHeads => shape.kv_heads = value,
            Self::HeadDim => shape.head_dim = value,
            Self::IntermediateSize => shape.intermediate_size = value,
            Self::VocabSize => shape.vocab_size = value,
        }
        if Self::ALL.iter().all(|dimension| dimension.of(&shape) == dimension.of(&published)) {
            return published;
        }
        shape.rounded_parameters = None;
        shape.trained_context = None;
        // Kinds of layers that the published model mixes stay as many as there is room for; where every layer slides, all do.
        let mut room = shape.layers;
        if let (Some(sliding), Some(before)) = (&mut shape.sliding_window, published.sliding_window) {
            sliding.layers = if before.layers == published.layers { room } else { before.layers.min(room) };
            room -= sliding.layers;
        }
        if let (Some(linear), Some(before)) = (&mut shape.linear_attention, published.linear_attention) {
            linear.layers = before.layers.min(room);
            room -= if published.states_beside_attention { 0 } else { linear.layers };
        }
        shape.mlp_layers = published.mlp_layers.min(room);
        room -= shape.mlp_layers;
        shape.shared_cache_layers = published.shared_cache_layers.min(room);
        let mlps = shape.mlps();
        if let (Some(moe), Some(before)) = (&mut shape.moe, published.moe) {
            moe.dense_layers = before.dense_layers.min(mlps);
        }
        if let (Some(indexer), Some(before)) = (&mut shape.indexer, published.indexer) {
            indexer.layers = before.layers.min(u16::try_from(shape.layers).unwrap_or(u16::MAX));
        }
        if let (Some(compression), Some(before), Some(indexer)) =
            (&mut shape.compression, published.compression, shape.indexer)
        {
            let room = shape.layers.saturating_sub(indexer.layers.into());
            compression.heavy = before.heavy.min(u16::try_from(room).unwrap_or(u16::MAX));
        }
        // A latent head is a part with a position and a part without.
        if let Projection::Latent(latent) = &mut shape.projection {
            latent.nope_dim = shape.head_dim.saturating_sub(latent.rope_dim).max(1);
        }
        shape
    }
}
