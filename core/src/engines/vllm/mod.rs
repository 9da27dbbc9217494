//! vLLM: a share of the GPU, from which weights, one profiled forward pass and the driver's part are taken; the rest becomes pages.

mod adapters;
mod beside;
mod compressed;
mod pages;
mod prediction;
mod requests;
mod start;
mod version;
mod weights;
mod work;

pub use beside::{NonTorch, Span};
pub use pages::{BLOCK, Pages};
pub(crate) use requests::Roomier;
pub use requests::{Refusal, Requests, with_largest_share, with_mildest_settings};
pub(super) use start::limit;
pub use start::{Pool, Start, Tightness, pool, requested, start};
pub use version::{CONSTANTS, Captured, Constants, Graphs, Prompts, Sampler};

use super::gpu::Link;
use super::{How, Sink, amount, system};
use crate::architecture::{LinearKind, Tower};
use crate::checked::Checked;
use crate::memory::kv_cache;
use crate::serving::Version;
use crate::tables::capability;
use crate::tables::classes::Class;
use crate::tables::gpus::Gpu;
use crate::units::GIB;
use crate::worked::Item;

/// Recorded graphs on AMD's Instinct GPUs with the second engine, whatever the model: 3.2 GiB, up to 4.1.
const INSTINCT: Span = Span::of(5, 320, 410);

/// Recorded graphs of one process, where there is no smaller limit: numbers of sequences that they are recorded for, up to 512.
pub const CAPTURE_SIZES: u64 = 51;

/// The same in steps of 8, as releases before 0.11.1 record them.
const ALL_EIGHTS: u64 = 67;

impl Captured {
    /// Graphs that are recorded with so many sequences and batched tokens at most, and no more sequences than the release's own `limit`: for 1, 2 and 4 of them, and from 8
    /// on in steps.
    ///
    /// # Source
    /// vLLM 0.8.5, 0.10.2, 0.11.2 and 0.23, `VllmConfig._set_cudagraph_sizes`: 35 for 256 sequences in 0.7, 67 in 0.9, 51 since 0.11.1.
    /// A log of 0.11 with 128 sequences says 35 (`abinavChandar/demo_env_l4`).
    const fn sizes(self, limit: u64, max_num_seqs: u32, tokens: u64) -> u64 {
        let sequences = max_num_seqs as u64;
        let most = match self {
            Self::UpToSequences => sequences.next_multiple_of(8),
            Self::Eights => limit,
            Self::TwiceByEights | Self::Sixteens => {
                let twice = 2 * sequences;
                if twice < limit { twice } else { limit }
            }
        };
        let most = if most < tokens { most } else { tokens };
        match (self, most) {
            (_, 0..2) => 1,
            (_, 2..4) => 2,
            (_, 4..8) => 3,
            (Self::Sixteens, 256..) => 3 + 31 + (most - 256) / 16 + 1,
            _ => 3 + most / 8,
        }
    }
}

/// Sequences that a release records graphs for at most by itself.
///
/// # Source
/// vLLM pull request 49390 (0.28): 1,024 on compute capability 10, 512 elsewhere. Read 2026-11-25.
fn most_captured(version: Version, gpu: Option<&'static Gpu>) -> u64 {
    let server = gpu.and_then(capability::of).is_some_and(|has| has.major == 10);
    if server && version >= (Version { major: 0, minor: 28 }) { 1_024 } else { 512 }
}

/// A table of sines and cosines that a rank keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RopeTable {
    /// Positions, scaling included.
    pub positions: u64,
    /// Width that is rotated.
    pub width: u64,
}

/// The release from which the second runner serves every dense model.
const SECOND_RUNNER_FOR_DENSE: Version = Version { major: 0, minor: 25 };

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
    /// Graphs that are recorded; 0 where none are.
    pub capture_sizes: u64,
    /// The published count of the text model, where the shape gives another: the difference counts as matrices of the layers.
    pub text_parameters: Option<u64>,
    /// Parameters beside the text model: a vision tower.
    pub other_parameters: u64,
    /// Rotary tables; `None` is one as long as the context the model was made for.
    pub rope: Option<&'a [RopeTable]>,
    /// The image that the profile passes through; `None` for text.
    pub image: Option<Image>,
    /// Which figure is taken where logs leave a range (see [`Span`]).
    pub figures: Figures,
    /// Whether `FlashInfer`'s sampler is installed beside vLLM 0.8 to 0.16, as in its container images: it takes less than PyTorch's sort.
    pub flashinfer: bool,
}

/// The most that graphs of experts over data-parallel ranks were estimated to take: the estimate multiplies what one of two recorded graphs adds by their number.
///
/// # Source
/// vLLM issues 53013, Qwen3.8 2.4T over eight ranks of GB300 (tp 2, dp 4): "Estimated CUDA graph memory: 118.65 GiB total", in a dozen starts, none of which went on; and 45178, `MiniMax` M2.5
/// over two of B200: 245,840 tokens in place of 769,888 without the estimate, which are 62 GiB. Eight ranks of `DeepSeek` V4 Flash kept nearly all of their pool (recipes pull request 762). Read 2026-11-27.
const ESTIMATED_OVER_RANKS: u128 = crate::engines::hundredths(11_865);

/// Bytes of a batched token that gated delta nets hold while the estimate of graphs runs a long prompt: 128 KiB, of which a log shows 112.
///
/// # Source
/// vLLM issue 50780 ("the ~128 KiB/context-token transient is a 0.23→0.26 regression", charged as graphs; pull request 50848, open); 52872, a model with 48 such layers of 64 on one RTX 5090: 0.89 GiB with 8,192 batched
/// tokens, and 0.52 with 2,048, 3,072 and 4,096. That model has 48 value heads of 128; wider ones are taken to hold as much more, and none less. Read 2026-11-27.
const DELTA_NETS: u128 = 128 << 10;
const DELTA_NETS_USUALLY: u128 = 112;
const DELTA_NETS_WIDTH: u128 = 48 * 128;

/// What the estimate is at the least where gated delta nets are in it, by the same log.
const DELTA_NETS_LEAST: u128 = crate::engines::hundredths(52);

/// The first release whose estimate of graphs has it.
const DELTA_NETS_AS_GRAPHS: Version = Version { major: 0, minor: 26 };

/// Which figure of a range is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Figures {
    /// The smallest.
    Least,
    /// The usual one.
    #[default]
    Usual,
    /// The largest, by which a result is judged tight.
    Most,
}

/// The tower that is loaded: none where the model's language part alone is served.
///
/// # Source
/// `--language-model-only` sets the limits of all images to none, and towers are not made then (vLLM pull requests 34120, 22299 and 26000: of Qwen3-VL 235B on eight ranks 55.49 and 55.16 GiB,
/// which is the tower and the places for its further outputs). Read 2026-11-28.
fn tower(scenario: &Checked) -> Option<Tower> {
    scenario.architecture.tower.filter(|_| !scenario.serving.language_model_only)
}

impl<'a> Run<'a> {
    /// The scenario with the usual figures.
    pub fn of(scenario: &'a Checked) -> Self {
        let serving = &scenario.serving;
        let captured = Constants::on(serving.version, scenario.gpu).captured;
        let tower = tower(scenario);
        Self {
            scenario,
            version: serving.version,
            block_size: BLOCK,
            capture_sizes: if serving.enforce_eager {
                0
            } else {
                captured.sizes(
                    most_captured(serving.version, scenario.gpu),
                    // Each sequence brings its guesses along (`uniform_decode_query_len`).
                    serving.max_num_seqs.saturating_mul(1 + scenario.guessed_tokens()),
                    scenario.batched_tokens().into(),
                )
            },
            text_parameters: None,
            other_parameters: tower.map_or(0, |it| it.parameters.into()),
            rope: None,
            image: tower.map(|it| Image { tokens: it.tokens.into(), values: it.values.into(), bytes: None }),
            figures: Figures::Usual,
            flashinfer: false,
        }
    }

    /// Those of the release on the scenario's GPU.
    pub fn constants(&self) -> &'static Constants {
        Constants::on(self.version, self.scenario.gpu)
    }

    /// Bytes of a value in the model's own precision.
    fn bytes(&self) -> u64 {
        self.scenario.weights.unquantised_bytes().into()
    }

    /// Tokens that are read at once.
    fn batched(&self) -> u64 {
        self.scenario.batched_tokens().into()
    }

    /// The pages; `None` where vLLM cannot make them.
    pub fn pages(&self) -> Option<Pages> {
        Pages::of(self.scenario, self.block_size, self.version)
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

    /// What the system holds of a memory that it shares with the GPU.
    pub fn system(&self) -> u128 {
        system::held(self.scenario).map_or(0, |span| self.counted(span))
    }

    /// What logs say of the memory beside PyTorch.
    pub fn non_torch_span(&self) -> Span {
        let parallel = &self.scenario.parallel;
        if self.scenario.gpu.is_some_and(|gpu| gpu.class() == Class::Unified) {
            return beside::unified(self.weights(), parallel.tp > 1 || parallel.pp > 1);
        }
        let link = Link::of(self.scenario.gpu);
        let constants = self.constants();
        let span = constants.non_torch.on(link, parallel.tp, parallel.pp);
        // What compiling takes is known of GPUs on PCIe; what is not compiled takes no more than a start that finds everything compiled.
        let counts_all =
            if matches!(link, Link::Pcie) { !self.scenario.serving.enforce_eager } else { parallel.ranks() > 1 };
        let most = match parallel.tp {
            _ if counts_all => span.typical,
            1 => beside::WITHOUT_COMPILING,
            _ if constants.since >= version::SINCE_0_21.since => beside::RANK_WITHOUT_COMPILING,
            _ => span.typical,
        };
        Span { typical: span.typical.min(most), ..span }
    }

    /// What logs say of the memory before the first tensor.
    pub fn context_span(&self) -> Span {
        let parallel = &self.scenario.parallel;
        let mixture = self.scenario.architecture.moe.is_some();
        let ranks = self.constants().communication_first && (parallel.tp > 1 || parallel.pp > 1);
        beside::context(Link::of(self.scenario.gpu), ranks, mixture)
    }

    const fn counted(&self, span: Span) -> u128 {
        match self.figures {
            Figures::Least => span.low,
            Figures::Usual => span.typical,
            Figures::Most => span.high,
        }
    }

    /// Where the graphs of this model lie.
    ///
    /// # Source
    /// vLLM 0.21.0 (`determine_available_memory` estimates no graphs on `ROCm`); 0.23.0, 0.25.1 and 0.28.0, `use_v2_model_runner`: the second runner, which estimates
    /// none before 0.29, serves Llama, Mistral and Qwen3 without quantisation in 0.23 and 0.24, and every dense model that is not a hybrid from 0.25 on.
    pub fn graphs_lie(&self) -> Graphs {
        let scenario = self.scenario;
        let lie = self.constants().graphs;
        if lie == Graphs::Beside || scenario.gpu.is_some_and(|gpu| gpu.vendor == "AMD") {
            return Graphs::Beside;
        }
        match lie {
            Graphs::Either if self.not_dense() => Graphs::Inside,
            Graphs::Either if self.version >= SECOND_RUNNER_FOR_DENSE => Graphs::Beside,
            Graphs::Either if !scenario.weights.trainable() => Graphs::Inside,
            _ => lie,
        }
    }

    /// Whether the first runner serves the model in all releases.
    fn not_dense(&self) -> bool {
        let shape = &self.scenario.architecture;
        shape.moe.is_some() || shape.linear_attention.is_some()
    }

    /// Recorded graphs.
    pub fn cuda_graphs(&self) -> u128 {
        self.counted(self.graphs_span())
    }

    /// What logs say of recorded graphs.
    ///
    /// # Formula
    /// 0.44 GiB + 0.0145 GiB × `layers` / `pp` + 0.30 GiB for a mixture, for the graphs that there are without a limit; in proportion for other numbers.
    /// Usually that on H100 and its kin since 0.17, 0.65 of it elsewhere and before; between a twentieth of it and 1.6 times it and 0.25 GiB more.
    /// Since 0.26, of models with gated delta nets, 112 KiB a batched token at least on one GPU, where no tokens are guessed, and up to 128.
    /// Twice that where adapters are served. With experts over data-parallel ranks up to 119 GiB for all graphs, where their estimate comes out of the share.
    /// With the first engine 0.05 GiB + 0.005 GiB × `layers`, up to 0.75 GiB. Later on AMD's Instinct 3.2 GiB, up to 4.1; up to that on its other GPUs, of which there is no log.
    ///
    /// # Units
    /// Bytes.
    ///
    /// # Assumes
    /// Equal starts vary tenfold, as free memory before and after is what is measured: ten of Gemma 4 31B on a GB10 log −0.2 to 1.3 GiB.
    /// The line is a fit on 33 logs of 0.17 to 0.19 on H100, off by 10% on average there.
    ///
    /// # Source
    /// "Graph capturing finished ... took" and "Estimated CUDA graph memory" in the logs of `vllm_runs.csv` and `vllm_starts.csv`:
    /// the range holds nine of ten of them. Read 2026-11-24.
    pub fn graphs_span(&self) -> Span {
        let once = self.graphs_once();
        // Recorded with adapters and without (`cudagraph_specialize_lora`, on by default).
        let times = if self.scenario.serving.max_loras.is_some() { 2 } else { 1 };
        Span { low: once.low, typical: times * once.typical, high: times * once.high }
    }

    /// Whether graphs of experts over data-parallel ranks are estimated before the pool is sized.
    pub(crate) fn estimates_over_ranks(&self) -> bool {
        let parallel = &self.scenario.parallel;
        parallel.dp > 1 && parallel.ep > 1 && self.capture_sizes > 0 && self.graphs_lie() == Graphs::Inside
    }

    fn graphs_once(&self) -> Span {
        if self.capture_sizes == 0 {
            return Span::known(0);
        }
        let scenario = self.scenario;
        let shape = &scenario.architecture;
        let drafted = scenario.drafting().map_or(0, |draft| draft.shape.layers);
        let layers = u128::from(shape.layers / scenario.parallel.pp.max(1) + drafted);
        let captured = self.constants().captured;
        if captured == Captured::UpToSequences {
            let fit = (5 * GIB + GIB * layers / 2) / 100;
            return Span { low: fit / 2, typical: fit, high: (3 * fit).max(75 * GIB / 100) };
        }
        let amd = scenario.gpu.filter(|gpu| gpu.vendor == "AMD");
        if amd.is_some_and(|gpu| gpu.class() == Class::DataCentre) {
            return INSTINCT;
        }
        let mixture = if shape.moe.is_some() { 30 * GIB } else { 0 };
        let all = u128::from(if captured == Captured::Sixteens { CAPTURE_SIZES } else { ALL_EIGHTS });
        let fit = (44 * GIB + GIB * layers * 145 / 100 + mixture) / 100 * u128::from(self.capture_sizes) / all;
        let switch = Link::of(scenario.gpu) == Link::Switch && self.version >= (Version { major: 0, minor: 17 });
        let typical = if switch { fit } else { 65 * fit / 100 };
        let high = 16 * fit / 10 + GIB / 4;
        // No log of AMD's other GPUs was found: they may take what an Instinct does.
        let high = amd.map_or(high, |_| high.max(INSTINCT.high));
        let shared = scenario.gpu.is_some_and(|gpu| gpu.class() == Class::Unified);
        let several = scenario.parallel.tp > 1 || scenario.parallel.pp > 1;
        let high = if shared && several { high.max(beside::UNIFIED_GRAPHS) } else { high };
        let (typical, high) = match self.in_delta_nets() {
            0 => (typical, high),
            // No log of it was found with ranks, and with guesses some backends record no whole passes.
            bytes if several || scenario.guessed_tokens() > 0 => (typical, high.max(bytes + fit)),
            bytes => (typical.max(DELTA_NETS_USUALLY * bytes / 128).max(DELTA_NETS_LEAST), high.max(bytes + fit)),
        };
        let estimated = ESTIMATED_OVER_RANKS * u128::from(self.capture_sizes) / all;
        Span { low: fit / 20, typical, high: if self.estimates_over_ranks() { high.max(estimated) } else { high } }
    }

    /// What gated delta nets hold of a long prompt, which is taken for graphs while these are estimated.
    fn in_delta_nets(&self) -> u128 {
        let delta = self.scenario.architecture.linear_attention.filter(|it| it.kind == LinearKind::GatedDelta);
        let Some(delta) = delta.filter(|_| self.version >= DELTA_NETS_AS_GRAPHS) else { return 0 };
        let width = u128::from(delta.value_heads) * u128::from(delta.value_dim);
        let bytes = DELTA_NETS * u128::from(self.batched()) * width.max(DELTA_NETS_WIDTH) / DELTA_NETS_WIDTH;
        bytes.max(DELTA_NETS_LEAST)
    }

    /// Context, the driver's and the communication library's part, graphs.
    pub(super) fn overhead(&self, sink: Sink<'_>) {
        let non_torch = self.non_torch();
        // On one GPU nothing communicates, whatever the logs say.
        let parallel = &self.scenario.parallel;
        let alone = match (parallel.tp, parallel.pp) {
            (1, 1) => non_torch,
            _ => self.constants().non_torch.on(Link::of(self.scenario.gpu), 1, 1).typical.min(non_torch),
        };
        amount(Item::DeviceContext, self.context(), sink);
        amount(Item::EngineWorkspace, alone, sink);
        amount(Item::Communication, non_torch - alone, sink);
        amount(Item::CudaGraphs, self.cuda_graphs(), sink);
    }
}
