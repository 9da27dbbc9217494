//! Whether a shape can be.

use core::fmt;

use super::{Architecture, Compression, LinearKind, Positions, Projection, SlidingWindow};
use crate::bounds::{self, OutOfBounds};

/// A shape that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeError {
    /// A dimension is outside its range.
    OutOfBounds(OutOfBounds),
    /// Query heads cannot be shared out evenly.
    KvHeadsDoNotDivide {
        /// Query heads.
        heads: u32,
        /// Key and value heads.
        kv_heads: u32,
    },
    /// More layers of a kind than layers.
    TooManyLayers {
        /// The kind, in words.
        what: &'static str,
        /// How many of them.
        count: u32,
        /// All layers.
        layers: u32,
    },
    /// A token cannot visit more experts than there are.
    TooManyExperts {
        /// Experts that a token visits.
        per_token: u32,
        /// Experts.
        experts: u32,
    },
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfBounds(error) => error.fmt(f),
            Self::KvHeadsDoNotDivide { heads, kv_heads } => {
                write!(
                    f,
                    "kv_heads {kv_heads} does not divide heads {heads}: every KV head serves the same number of query heads"
                )
            }
            Self::TooManyLayers { what, count, layers } => {
                write!(f, "{count} {what} are more than the {layers} layers of the model")
            }
            Self::TooManyExperts { per_token, experts } => {
                write!(f, "a token cannot visit {per_token} of {experts} experts")
            }
        }
    }
}

impl core::error::Error for ShapeError {}

impl From<OutOfBounds> for ShapeError {
    fn from(error: OutOfBounds) -> Self {
        Self::OutOfBounds(error)
    }
}

impl Architecture {
    /// Checks every dimension against [`crate::bounds`] and the heads against each other.
    ///
    /// # Errors
    /// A dimension is outside its range, or dimensions do not go together.
    pub fn check(&self) -> Result<(), ShapeError> {
        for (bounds, value) in [
            (bounds::LAYERS, self.layers),
            (bounds::HIDDEN_SIZE, self.hidden_size),
            (bounds::HEADS, self.heads),
            (bounds::KV_HEADS, self.kv_heads),
            (bounds::HEAD_DIM, self.head_dim),
            (bounds::INTERMEDIATE_SIZE, self.intermediate_size),
            (bounds::VOCAB_SIZE, self.vocab_size),
        ] {
            bounds.check(value.into())?;
        }
        if let Positions::Learned(rows) = self.positions {
            bounds::POSITIONS.check(rows.into())?;
        }
        if let Some(sliding) = self.sliding_window {
            bounds::SLIDING_WINDOW.check(sliding.window.into())?;
            if sliding.layers > self.layers {
                let what = "layers with a sliding window";
                return Err(ShapeError::TooManyLayers { what, count: sliding.layers, layers: self.layers });
            }
        }
        if !self.heads.is_multiple_of(self.kv_heads) {
            return Err(ShapeError::KvHeadsDoNotDivide { heads: self.heads, kv_heads: self.kv_heads });
        }
        if let Some(SlidingWindow { kv_heads, head_dim, .. }) = self.sliding_window {
            bounds::KV_HEADS.check(kv_heads.unwrap_or(self.kv_heads).into())?;
            bounds::HEAD_DIM.check(head_dim.unwrap_or(self.head_dim).into())?;
        }
        self.check_latent()?;
        self.check_indexer()?;
        self.check_moe()?;
        self.check_layer_kinds()
    }

    fn check_latent(&self) -> Result<(), ShapeError> {
        let Projection::Latent(latent) = self.projection else { return Ok(()) };
        let queries = latent.q_lora_rank.unwrap_or(1);
        for width in [latent.kv_lora_rank, queries, latent.rope_dim, latent.nope_dim, latent.v_dim] {
            bounds::LATENT.check(width.into())?;
        }
        Ok(())
    }

    fn check_indexer(&self) -> Result<(), ShapeError> {
        let Some(it) = self.indexer else { return Ok(()) };
        bounds::HEADS.check(it.heads.into())?;
        bounds::HEAD_DIM.check(it.head_dim.into())?;
        bounds::SLIDING_WINDOW.check(it.topk.into())?;
        if u32::from(it.layers) > self.layers {
            let what = "layers with an indexer";
            return Err(ShapeError::TooManyLayers { what, count: it.layers.into(), layers: self.layers });
        }
        let Some(Compression { groups, output_rank, heavy, streams }) = self.compression else { return Ok(()) };
        bounds::LATENT.check(output_rank.into())?;
        bounds::HEADS.check(groups.into())?;
        bounds::HEADS.check(streams.get().into())?;
        let count = u32::from(it.layers) + u32::from(heavy);
        if count > self.layers {
            let what = "layers with compressed tokens";
            return Err(ShapeError::TooManyLayers { what, count, layers: self.layers });
        }
        Ok(())
    }

    fn check_moe(&self) -> Result<(), ShapeError> {
        let Some(moe) = self.moe else { return Ok(()) };
        bounds::EXPERTS.check(moe.experts.into())?;
        bounds::EXPERTS_PER_TOKEN.check(moe.experts_per_token.into())?;
        bounds::INTERMEDIATE_SIZE.check(moe.intermediate_size.into())?;
        if moe.shared_intermediate_size > 0 {
            bounds::INTERMEDIATE_SIZE.check(moe.shared_intermediate_size.into())?;
        }
        if moe.experts_per_token > moe.experts {
            return Err(ShapeError::TooManyExperts { per_token: moe.experts_per_token, experts: moe.experts });
        }
        if moe.dense_layers > self.mlps() {
            return Err(ShapeError::TooManyLayers {
                what: "dense layers",
                count: moe.dense_layers,
                layers: self.mlps(),
            });
        }
        Ok(())
    }

    fn check_layer_kinds(&self) -> Result<(), ShapeError> {
        let sliding = self.sliding_window.map_or(0, |sliding| sliding.layers);
        if let Some(it) = self.linear_attention {
            bounds::KV_HEADS.check(it.key_heads.into())?;
            bounds::HEADS.check(it.value_heads.into())?;
            bounds::HEAD_DIM.check(it.key_dim.into())?;
            bounds::HEAD_DIM.check(it.value_dim.into())?;
            bounds::CONV_KERNEL.check(it.conv_kernel.into())?;
            if let LinearKind::Mamba1 { dt_rank } = it.kind {
                bounds::LATENT.check(dt_rank.into())?;
            }
        }
        let most = self.layers.saturating_sub(sliding).saturating_sub(self.mlp_layers);
        if let Some(it) = self.linear_attention.filter(|it| it.layers > most) {
            let what = "layers with a state";
            return Err(ShapeError::TooManyLayers { what, count: it.layers, layers: most });
        }
        let count = [self.states_alone(), self.mlp_layers, self.shared_cache_layers]
            .into_iter()
            .fold(sliding, u32::saturating_add);
        if count > self.layers {
            let what = "layers with a window, with a state or without a cache of their own";
            return Err(ShapeError::TooManyLayers { what, count, layers: self.layers });
        }
        Ok(())
    }
}
