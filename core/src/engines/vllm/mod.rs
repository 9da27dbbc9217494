//! vLLM: a share of the card, from which weights, one profiled forward pass and the driver's part are taken; the rest becomes pages.

mod beside;
mod cut;
mod pages;
mod requests;
mod start;
mod version;
mod weights;
mod work;

pub use beside::{NonTorch, Span};
pub use cut::FP8_BLOCK;
pub(super) use cut::supported;
pub use pages::{BLOCK, Pages};
pub(crate) use requests::roomier;
pub use requests::{Refusal, Requests};
pub use start::{Pool, Start, default_batch, pool, requested, start};
pub use version::{CONSTANTS, Constants, Version};

use super::card::Link;
use super::{How, Sink, amount};
use crate::checked::Checked;
use crate::memory::kv_cache;
use crate::units::GIB;
use crate::worked::Item;

/// Where the formulas come from.
pub const SOURCE: &str = "vLLM 0.19.0 (PyPI), gpu_worker.determine_available_memory and kv_cache_utils; public start-up logs of 0.11 to 0.19";

/// Recorded graphs of one process: numbers of sequences that they are recorded for, up to 512.
pub const CAPTURE_SIZES: u64 = 51;

/// A table of sines and cosines that a rank keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RopeTable {
    /// Positions, scaling included.
    pub positions: u64,
    /// Width that is rotated.
    pub width: u64,
}

/// An image at its largest, which the start-up profile passes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// Tokens that it becomes.
    pub tokens: u64,
    /// Values of its pixels.
    pub values: u64,
    /// Bytes of such a value, where it is not the model's own precision.
    pub bytes: Option<u64>,
}

/// A scenario as vLLM runs it: with what a shape does not say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run<'a> {
    /// Model, settings and cut; `serving` holds what vLLM is told.
    pub scenario: &'a Checked,
    /// The release.
    pub version: Version,
    /// Tokens of a page.
    pub block_size: u32,
    /// Graphs that are recorded.
    pub capture_sizes: u64,
    /// The published count of the text model, where the shape gives another: the difference counts as matrices of the layers.
    pub text_parameters: Option<u64>,
    /// Parameters beside the text model: a vision tower.
    pub other_parameters: u64,
    /// Rotary tables; `None` is one as long as the context the model was made for.
    pub rope: Option<&'a [RopeTable]>,
    /// The image that the profile passes through; `None` for text.
    pub image: Option<Image>,
    /// Whether the upper end is counted where logs leave a range (see [`Span`]), and not the usual figure.
    pub cautious: bool,
}

impl<'a> Run<'a> {
    /// The scenario on the newest release that was measured.
    pub fn of(scenario: &'a Checked) -> Self {
        Self {
            scenario,
            version: Version::MEASURED,
            block_size: BLOCK,
            capture_sizes: CAPTURE_SIZES,
            text_parameters: None,
            other_parameters: 0,
            rope: None,
            image: None,
            cautious: true,
        }
    }

    fn constants(&self) -> &'static Constants {
        Constants::of(self.version)
    }

    /// Bytes of a value in the model's own precision.
    fn bytes(&self) -> u64 {
        self.scenario.weights.unquantised_bytes().into()
    }

    /// Tokens that are read at once.
    fn batched(&self) -> u64 {
        self.scenario.serving.max_num_batched_tokens.into()
    }

    /// The pages; `None` where vLLM cannot make them.
    pub fn pages(&self) -> Option<Pages> {
        Pages::of(self.scenario, self.block_size)
    }

    /// What the pages of all sequences take, or the exact cache where there are no pages.
    pub(super) fn cache(&self, exact: u128) -> (u128, How) {
        let Some(pages) = self.pages() else { return (exact, How::NoCommonPage) };
        let blocks = pages.blocks(kv_cache::tokens(self.scenario), self.batched());
        let how = How::Pages { block: pages.block(), group_size: pages.group_size, groups: pages.groups, blocks };
        (blocks * pages.group_page() * u128::from(self.scenario.batch), how)
    }

    /// What is allocated beside PyTorch while vLLM starts.
    pub fn non_torch(&self) -> u128 {
        self.counted(self.non_torch_span())
    }

    /// What the process takes before its first tensor: total less free memory in the logs.
    pub fn context(&self) -> u128 {
        self.counted(self.context_span())
    }

    /// What logs say of the memory beside PyTorch.
    pub fn non_torch_span(&self) -> Span {
        let parallel = &self.scenario.parallel;
        self.constants().non_torch.on(Link::of(self.scenario.gpu), parallel.tp, parallel.pp)
    }

    /// What logs say of the memory before the first tensor.
    pub fn context_span(&self) -> Span {
        let parallel = &self.scenario.parallel;
        let mixture = self.scenario.architecture.moe.is_some();
        beside::context(Link::of(self.scenario.gpu), parallel.tp > 1 || parallel.pp > 1, mixture)
    }

    const fn counted(&self, span: Span) -> u128 {
        if self.cautious { span.cautious() } else { span.typical }
    }

    /// Recorded graphs.
    ///
    /// # Formula
    /// 0.44 GiB + 0.0145 GiB × `layers` / `pp` + 0.30 GiB for a mixture, for 51 graphs; in proportion for other numbers.
    ///
    /// # Units
    /// Bytes.
    ///
    /// # Assumes
    /// A fit on 33 logs of 0.17 to 0.19: off by 10% on average, by 39% at most.
    ///
    /// # Source
    /// "Graph capturing finished ... took" in public logs.
    pub fn cuda_graphs(&self) -> u128 {
        let shape = &self.scenario.architecture;
        let layers = u128::from(shape.layers / self.scenario.parallel.pp.max(1));
        let mixture = if shape.moe.is_some() { 30 * GIB } else { 0 };
        let of_all = 44 * GIB + GIB * layers * 145 / 100 + mixture;
        of_all * u128::from(self.capture_sizes) / u128::from(CAPTURE_SIZES) / 100
    }

    /// Context, the driver's and the communication library's part, graphs.
    pub(super) fn overhead(&self, sink: Sink<'_>) {
        let non_torch = self.non_torch();
        let alone = self.constants().non_torch.alone.typical.min(non_torch);
        amount(Item::DeviceContext, self.context(), sink);
        amount(Item::EngineWorkspace, alone, sink);
        amount(Item::Communication, non_torch - alone, sink);
        amount(Item::CudaGraphs, self.cuda_graphs(), sink);
    }
}
