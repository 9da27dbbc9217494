//! One textbook model with five kinds of attention: what each of them keeps of a token.

use crate::architecture::{Architecture, Latent, Projection, SlidingWindow};
use crate::memory::kv_cache;
use crate::scenario::Scenario;
use crate::units::Bytes;

choices! {
    /// A kind of attention, by what it keeps for later tokens.
    Kind {
        /// Every head has a key and a value of its own.
        MultiHead = "mha";
        /// Heads share keys and values in groups: eight pairs.
        Grouped = "gqa";
        /// All heads share one key and one value.
        MultiQuery = "mqa";
        /// Every head has its own, but five layers of six keep the last 1,024 tokens only.
        Sliding = "sliding";
        /// One short vector, from which keys and values of all heads are made again.
        Latent = "latent";
    }
}

impl Kind {
    /// The textbook's 7B with this kind of attention, and nothing else changed.
    ///
    /// # Assumes
    /// 32 layers, 32 query heads of 128, `hidden_size` 4096. Eight KV heads are those of Llama 3.1 8B; window and share of layers
    /// those of Gemma 3; the latent vector of 512 values and 64 for the position that of `DeepSeek`-V2 and V3.
    ///
    /// # Source
    /// The published config.json of those models; Touvron et al. 2023 for the shape.
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::memory::{kinds::Kind, kv_cache};
    /// use memory_wall_core::{Bytes, Scenario};
    /// let token = |kind: Kind| kv_cache::bytes_per_token(&Scenario::new(kind.shape()).check().unwrap());
    /// assert_eq!(token(Kind::MultiHead), Bytes(2 * 32 * 32 * 128 * 2));
    /// assert_eq!(token(Kind::Grouped), Bytes(131_072));
    /// // Once, not once for keys and once for values.
    /// assert_eq!(token(Kind::Latent), Bytes(32 * (512 + 64) * 2));
    /// ```
    pub const fn shape(self) -> Architecture {
        let kv_heads = match self {
            Self::Grouped => 8,
            Self::MultiQuery => 1,
            _ => 32,
        };
        let plain = Architecture::llama([32, 4096, 32, kv_heads, 128, 11_008, 32_000]);
        match self {
            Self::Sliding => Architecture { sliding_window: Some(SlidingWindow::over(27, 1_024)), ..plain },
            Self::Latent => {
                let latent = Latent { kv_lora_rank: 512, q_lora_rank: None, rope_dim: 64, nope_dim: 128, v_dim: 128 };
                Architecture { projection: Projection::Latent(latent), head_dim: 192, ..plain }
            }
            _ => plain,
        }
    }

    /// What one layer of that model stores for one token.
    ///
    /// # Formula
    /// 2 × `kv_heads` × `head_dim` × 2, or (`kv_lora_rank` + `rope_dim`) × 2 with a latent vector.
    ///
    /// # Units
    /// Bytes, with 16-bit values.
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::{Bytes, memory::kinds::Kind};
    /// assert_eq!(Kind::MultiHead.token_in_a_layer(), Bytes(2 * 32 * 128 * 2));
    /// assert_eq!(Kind::MultiQuery.token_in_a_layer(), Bytes(512));
    /// assert_eq!(Kind::Latent.token_in_a_layer(), Bytes(1_152));
    /// ```
    pub fn token_in_a_layer(self) -> Bytes {
        let shape = self.shape();
        let token = Scenario::new(shape).check().map_or(Bytes::ZERO, |scenario| kv_cache::bytes_per_token(&scenario));
        Bytes(token.0 / u128::from(shape.layers.max(1)))
    }
}

/// Bytes of a token if latent attention kept whole heads, keys with their position and values, instead of the vector; `None` without one.
///
/// # Formula
/// `layers` × `heads` × (`nope_dim` + `rope_dim` + `v_dim`) × 2.
///
/// # Units
/// Bytes, with 16-bit values.
///
/// # Example
/// ```
/// use memory_wall_core::{memory::kinds, tables::models};
/// let shape = models::by_id("deepseek-v3").unwrap().architecture;
/// assert_eq!(kinds::whole_heads(&shape), Some(4_997_120));
/// ```
pub fn whole_heads(shape: &Architecture) -> Option<u64> {
    let Projection::Latent(latent) = shape.projection else { return None };
    let head = u64::from(latent.nope_dim) + u64::from(latent.rope_dim) + u64::from(latent.v_dim);
    Some(u64::from(shape.layers) * u64::from(shape.heads) * head * 2)
}

/// What the shortcut `hidden_size` × `kv_heads` / `heads` makes of the width of all keys, as a multiple of the truth.
///
/// # Formula
/// `hidden_size` / (`heads` × `head_dim`): 1 only where the heads are as wide together as the model.
///
/// # Units
/// A ratio.
///
/// # Assumes
/// A key and a value for each KV head; a latent vector has no such ratio.
///
/// # Example
/// ```
/// use memory_wall_core::{memory::kinds, tables::models};
/// let ratio = |id| kinds::shortcut(&models::by_id(id).unwrap().architecture);
/// assert_eq!(ratio("qwen3-30b-a3b"), Some(0.5));
/// assert_eq!(ratio("llama-2-7b"), Some(1.0));
/// assert_eq!(ratio("deepseek-v3"), None);
/// ```
pub fn shortcut(shape: &Architecture) -> Option<f64> {
    let wide = u64::from(shape.heads) * u64::from(shape.head_dim);
    // Widths of models, far below 2^53.
    let ratio = f64::from(shape.hidden_size) / (wide.max(1) as f64);
    (shape.projection == Projection::Heads).then_some(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::kv_cache;
    use crate::{Bytes, Scenario, worked};

    #[test]
    fn the_figures_of_textbooks_at_4096_tokens() {
        let cache = |kind: Kind| {
            let scenario = Scenario { seq_length: 4_096, ..Scenario::new(kind.shape()) };
            let scenario = scenario.check().unwrap();
            worked::total(|sink| kv_cache::terms(&scenario, sink))
        };
        assert_eq!(cache(Kind::MultiHead), Bytes(2_147_483_648));
        assert_eq!(cache(Kind::Grouped), Bytes(536_870_912));
        assert_eq!(cache(Kind::MultiQuery), Bytes(67_108_864));
        // 27 layers of 1,024 tokens and 5 of 4,096, in 32 layers of 4,096.
        assert_eq!(cache(Kind::Sliding).0 * (32 * 4_096), 2_147_483_648 * (27 * 1_024 + 5 * 4_096));
        assert_eq!(cache(Kind::Latent), Bytes(150_994_944));
    }
}
