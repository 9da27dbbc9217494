//! Compute buffers: what llama.cpp allots on each device for one pass.

use memory_wall_core::Checked;
use memory_wall_core::engines::llamacpp::{CHUNK, layer_buffer};

use super::Settings;
use super::cache::cells;
use super::layers::Model;
use crate::Span;

/// The buffer of a pass through layers, and of its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    layer: u128,
    logits: u128,
    /// What is handed from device to device: the hidden states and the mask.
    handed: u128,
}

/// Copies of what GPUs hand on that llama.cpp keeps where several work in turn (`GGML_SCHED_MAX_COPIES`).
const COPIES: u128 = 4;

impl Moments {
    /// # Formula
    /// Of a layer the engine's own for 512 tokens, times `ubatch` / 512, a factor of each of its terms; of the end 4 × `ubatch` × (V + h).
    pub(super) fn of(model: &Model, scenario: &Checked, settings: &Settings) -> Self {
        let ubatch = u128::from(settings.ubatch);
        let shape = &scenario.architecture;
        let [hidden, vocab] = [shape.hidden_size, shape.vocab_size].map(u128::from);
        let layer = model.ranks.first().map_or(0, |rank| layer_buffer(rank).0) * ubatch / u128::from(CHUNK);
        let handed = ubatch * (4 * hidden + 2 * u128::from(cells(scenario)));
        Self { layer, logits: 4 * ubatch * (hidden + vocab), handed }
    }

    /// The buffer of a GPU.
    ///
    /// # Formula
    /// At least that of a layer. At most, with everything on one GPU, the larger of a layer's and of the end's, and a mask more. Where something is left to the CPU
    /// the first GPU multiplies it when many tokens come at once, and holds a copy of one tensor: the sum of a layer, the end and the largest such tensor. Where
    /// several GPUs work in turn, three copies more of what they hand on. Both ends have the 16-bit copies of a layer's cache where flash attention always makes
    /// them, the upper end where it may.
    ///
    /// # Assumes
    /// The upper end has a twentieth more for what allocation rounds. Builds since August 2026 keep logits of one token for each sequence, so that the end is small;
    /// older ones keep those of all tokens.
    ///
    /// # Source
    /// Logs in `llamacpp_starts.csv` of the crate `memory-wall-accuracy`: 137.79 MiB with the output matrix of Mistral 7B on the CPU. `ggml-backend.cpp`: "by
    /// starting a new split, the memory of the previously offloaded weights can be reused".
    pub(super) fn gpu(&self, left: Left, has_output: bool, several: bool, cached: Span) -> Span {
        let end = if has_output || left.head > 0 { self.logits + left.head } else { 0 };
        let most = if left.head > 0 || left.tensor > 0 {
            self.layer + end + left.tensor
        } else {
            self.layer.max(end) + self.handed
        };
        let copies = if several { (COPIES - 1) * self.handed } else { 0 };
        let high = most + copies + cached.high;
        Span::new(self.layer.max(cached.low), high + high / 20)
    }

    /// The buffers in host memory: what is handed on, and where layers are left to the CPU up to a pass of theirs.
    pub(super) fn host(&self, has_layers: bool) -> Span {
        let most = if has_layers { self.logits } else { 2 * self.handed };
        Span::new(self.handed, most.max(2 * self.handed))
    }
}

/// What is left to the CPU and passes through the first GPU.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Left {
    /// The output matrix.
    pub(super) head: u128,
    /// The largest other tensor.
    pub(super) tensor: u128,
}
