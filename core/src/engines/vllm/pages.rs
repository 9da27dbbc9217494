//! Pages of vLLM's pool: one size for all layers, handed out to groups of them.

use crate::architecture::{Indexer, Projection, SlidingWindow};
use crate::checked::Checked;
use crate::memory::kv_cache::{self, CachedLayers};
use crate::scenario::Scenario;
use crate::serving::Version;

use super::compressed::Packed;

/// Tokens of a page where nothing else is asked for.
pub const BLOCK: u32 = 16;

/// What a layer keeps of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// Every token.
    All,
    /// The last tokens, and those that are being read.
    Window(u64),
    /// So many states: the one at work and, with prefix caching, that of the last whole page.
    States(u64),
}

/// Layers of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) layers: u64,
    /// Tokens of one of its pages.
    pub(super) block: u64,
    pub(super) kept: Kept,
    /// Bytes of its layers in a block of compressed tokens; 0 elsewhere.
    pub(super) bytes: u128,
}

/// How the pool is cut for a model on one rank.
///
/// # Formula
/// A page of one layer: 2 × block × `kv_heads` × `head_dim` × bytes, latent attention block × (`kv_lora_rank` + `rope_dim`) × bytes.
/// Layers of several kinds (full, window, state) share the pool in groups of one size: the smallest number of layers of a kind,
/// or the largest where that is less than half as many again; each kind takes as many groups as it needs.
/// A sequence takes a page of its own for each block of tokens and group, with a window min(`window` − 1 + batched tokens × batches on their way, tokens) / block + 1, one for a state, and two since 0.28; one more for each token that is guessed ahead.
/// A draft's layers are layers that see everything.
///
/// # Units
/// Bytes, tokens.
///
/// # Assumes
/// Blocks of 16 tokens unless asked otherwise, of 64 beside an indexer, whose kernels have no others. Its keys have pages of their own size (`UniformTypeKVCacheSpecs`). Smaller pages get more tokens, if that comes out even. A state's page holds what the convolution saw before,
/// one token less than its kernel, and the recurrent state; where that is larger than a page of 16 tokens, all blocks grow until it fits (in steps of 16 tokens, 64 with latent attention).
///
/// # Source
/// vLLM 0.19.0, `v1/core/kv_cache_utils.py` and `v1/kv_cache_interface.py`; "GPU KV cache size" of 35 public logs within 0.03%.
/// States: `MambaStateShapeCalculator`, `MambaStateDtypeCalculator`, `MambaSpec.max_memory_usage_bytes`; with guesses (`num_speculative_blocks`) three logs of 0.25 in
/// sostrowsk/dgx-spark-local-llm, whose blocks and concurrency come out exactly. Read 2026-11-25.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pages {
    /// Bytes of one page of one layer.
    pub page: u128,
    /// Layers that share one place in the pool.
    pub group_size: u64,
    /// Groups of layers.
    pub groups: u64,
    /// Bytes of the pages of a draft's layers, or of an indexer's keys, that stand beside those of each place: where all layers see everything, each may have pages of its own size.
    pub beside: u128,
    pub(super) kinds: [Option<Kind>; 4],
    /// Batches whose tokens may be on their way at once: beside a window all of them keep their pages.
    pub(super) in_flight: u64,
    /// How the blocks of compressed tokens are counted.
    pub(super) packed: Option<Packed>,
}

impl Pages {
    /// Cuts the pool of a release into pages of `block` tokens; `None` where the layers' pages are no multiples of each other, so that vLLM does not start.
    pub fn of(scenario: &Checked, block: u32, version: Version) -> Option<Self> {
        let held = CachedLayers::on(scenario);
        if scenario.architecture.compression.is_some() {
            // Windows and states lie in the pages of layers with an indexer.
            return (held.indexed > 0).then(|| Self::compressed(scenario, held, version));
        }
        let window = scenario.architecture.sliding_window;
        let beside_full = scenario.architecture.full_layers() > 0;
        let kept = beside_full && window.is_some_and(|window| !frees_beside_full(version, window));
        let held = if kept { CachedLayers { full: held.full + held.sliding, sliding: 0, ..held } } else { held };
        let [full, sliding] =
            [None, window].map(|window| of_values(scenario, u128::from(kv_cache::values_per_token(scenario, window))));
        let state = if held.linear > 0 { kv_cache::state_bytes(scenario) } else { 0 };
        let full = if kept { full.max(sliding) } else { full };
        let widest = match (held.full > 0, held.sliding > 0) {
            (true, false) => full,
            (false, true) => sliding,
            (true, true) => full.max(sliding),
            (false, false) => 0,
        };
        let shape = &scenario.architecture;
        let least = match shape.indexer {
            // `get_supported_kernel_block_sizes` of `minimax_m3/common/indexer.py`.
            Some(_) if shape.picks_blocks() => Indexer::BLOCK.into(),
            Some(_) => 64,
            None => 0,
        };
        let block = grown(u64::from(block).max(least), widest, state, scenario);
        let page = if widest == 0 { state } else { widest * u128::from(block) };
        // As many tokens as make a page of the common size.
        let block_of = |per_token: u128| {
            let tokens = page.checked_div(per_token)?;
            page.is_multiple_of(per_token).then(|| u64::try_from(tokens).unwrap_or(u64::MAX))
        };
        // A draft's layers have pages of their own size where every layer sees everything; elsewhere theirs are those of full layers.
        let draft = scenario.drafting();
        let alone = held.sliding == 0 && held.linear == 0;
        let beside = draft.filter(|_| alone).map_or(0, |draft| {
            let each = of_values(scenario, u128::from(kv_cache::draft_values_per_token(scenario, draft)));
            u128::from(draft.shape.layers) * each * u128::from(block)
        });
        let beside = beside + u128::from(held.indexed) * kv_cache::index_bytes(scenario) * u128::from(block);
        let added = draft.filter(|_| !alone).map_or(0, |draft| u64::from(draft.shape.layers));
        let mut kinds = [None; 4];
        let mut place = kinds.iter_mut();
        let mut add = |layers, block, kept| {
            if let Some(kind) = place.next() {
                *kind = Some(Kind { layers, block, kept, bytes: 0 });
            }
        };
        if held.full + added > 0 {
            add(held.full + added, block_of(full)?, Kept::All);
        }
        if let Some(window) = window
            && held.sliding > 0
        {
            add(held.sliding, block_of(sliding)?, Kept::Window(window.window.into()));
        }
        if held.linear > 0 {
            add(held.linear, block, Kept::States(states(scenario, version) + u64::from(scenario.guessed_tokens())));
        }
        // An indexer's keys lie in the pages of its layer.
        if held.indexed > 0 && kinds.iter().flatten().next().is_none() {
            return None;
        }
        let counts = || kinds.iter().flatten().map(|kind| kind.layers);
        let (least, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
        let group_size = if 2 * most < 3 * least { most } else { least };
        let groups = counts().map(|layers| layers.div_ceil(group_size.max(1))).sum();
        let in_flight = in_flight(scenario, version);
        Some(Self { page, group_size, groups, beside, kinds, in_flight, packed: None })
    }

    /// Whether some layers keep a state.
    pub fn keeps_states(&self) -> bool {
        self.kinds.iter().flatten().any(|kind| matches!(kind.kept, Kept::States(_)))
    }

    /// Bytes of one page of all layers of a group.
    pub fn group_page(&self) -> u128 {
        self.page * u128::from(self.group_size) + self.beside
    }

    /// Pages of a group that one sequence of `tokens` takes while `batched` tokens are read at once.
    pub fn blocks(&self, tokens: u64, batched: u64) -> u128 {
        match self.packed.and_then(|it| it.measure) {
            Some(measure) => {
                let bytes: u128 =
                    self.kinds.iter().flatten().map(|kind| kind.bytes * self.each(kind, tokens, batched)).sum();
                bytes.div_ceil(measure.max(1))
            }
            None => self.ids(tokens, batched),
        }
    }

    /// Bytes that one sequence is asked to find in the pool before a start.
    pub fn needs(&self, tokens: u64, batched: u64) -> u128 {
        self.ids(tokens, batched) * self.packed.map_or_else(|| self.group_page(), |it| it.asked)
    }

    fn ids(&self, tokens: u64, batched: u64) -> u128 {
        let groups = |kind: &Kind| u128::from(kind.layers.div_ceil(self.group_size.max(1)));
        self.kinds.iter().flatten().map(|kind| groups(kind) * self.each(kind, tokens, batched)).sum()
    }

    /// Pages of one group of a kind.
    fn each(&self, kind: &Kind, tokens: u64, batched: u64) -> u128 {
        let block = kind.block.max(1);
        let read = batched * self.in_flight;
        u128::from(match kind.kept {
            Kept::All => tokens.div_ceil(block),
            Kept::Window(window) => (window.saturating_sub(1) + read).min(tokens).div_ceil(block) + 1,
            Kept::States(states) => states,
        })
    }

    /// Tokens that a pool holds, as vLLM prints them before 0.21: "GPU KV cache size".
    ///
    /// ```
    /// use memory_wall_core::{Scenario, engines::vllm::Pages, serving::Version, tables::models};
    /// let llama = Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture).check().unwrap();
    /// // A log of vLLM 0.19 says 476,016 for a pool of 58.11 GiB.
    /// let pool = (58.11 * f64::from(1 << 30)) as u128;
    /// assert_eq!(Pages::of(&llama, 16, Version::MEASURED).unwrap().tokens(pool), 476_032);
    /// ```
    pub fn tokens(&self, pool: u128) -> u128 {
        let block = self.kinds.iter().flatten().map(|kind| kind.block).min().unwrap_or(0);
        let blocks = pool.checked_div(self.group_page()).unwrap_or(0);
        blocks.checked_div(self.groups.into()).unwrap_or(0) * u128::from(block)
    }

    /// Tokens of a page of layers that see everything, or of the first kind there is.
    pub fn block(&self) -> u64 {
        self.kinds.iter().flatten().map(|kind| kind.block).next().unwrap_or(0)
    }
}

/// Batches that a release may have on their way at once: one for each stage of a pipeline and, since it schedules one while another runs, one more.
///
/// # Assumes
/// Scheduling is asynchronous, as it is unless somebody turns it off; where n-grams are guessed it is not, which is on the safe side here.
///
/// # Source
/// vLLM: `VllmConfig.max_concurrent_batches` and `max_in_flight_tokens` (0.28.0, 0.33.0; `SlidingWindowSpec` of 0.25.1 reserves one batch), pull request
/// 47728. Issue 49878: Gemma 4 31B with batches of 32,768 tokens needs 45.79 GiB in 0.25.1 and 70.79 GiB in 0.26.0. Read 2026-11-27.
fn in_flight(scenario: &Checked, version: Version) -> u64 {
    if version < (Version { major: 0, minor: 26 }) {
        return 1;
    }
    u64::from(scenario.parallel.pp) + 1
}

/// Whether a release frees what has left the window, or the chunk, where other layers see everything. Before, such a model's pages are all kept.
///
/// # Assumes
/// A release is the first of its two numbers: 0.9.0 did not free, and what later releases of 0.9 did is not counted.
///
/// # Source
/// vLLM pull requests 14097 (0.8: windows are freed where all layers have one; "for models with global attention + sliding window attention, still
/// regard as global-attention-only model"), 17996 (groups of layers, 2025-06), 21761 (not for chunks, 2025-07) and 29627 (for chunks too, by which
/// 0.13 has it). Read 2026-11-25.
fn frees_beside_full(version: Version, window: SlidingWindow) -> bool {
    version >= Version { major: 0, minor: if window.chunked { 13 } else { 10 } }
}

/// States that a release keeps for each sequence: two with prefix caching (in the mode "align"), which is on by default since 0.28, and one without.
///
/// # Assumes
/// Before 0.28 prefix caching is off for such models unless asked for; before 0.15 vLLM refused to cache prefixes of them and served on without.
/// A build between 0.11 and 0.12 turned it on by itself for Granite 4 (vLLM issue 29393); no release is counted so.
///
/// # Source
/// vLLM pull requests 30877 (the mode "align") and 50991 (0.28: "enable prefix cache for hybrid model by default and change the default mode to `align`");
/// a log of 0.29 whose pool of 652 blocks of 784 tokens holds 38.35 requests of 8,192: 11 + 3 × 2 blocks each; asked for, logs of 0.20 to 0.27,
/// which come out alike (rows S071 and S110 to S115 of `accuracy/data/vllm_starts.csv`). Read 2026-11-27.
fn states(scenario: &Scenario, version: Version) -> u64 {
    let since = |minor| version >= (Version { major: 0, minor });
    1 + u64::from(since(15) && scenario.serving.prefix_caching.unwrap_or_else(|| since(28)))
}

/// Bytes of so many cached values.
fn of_values(scenario: &Checked, values: u128) -> u128 {
    let block = scenario.kv.block();
    (values * u128::from(block.bytes)).div_ceil(block.values.into())
}

/// The tokens of a page after it has grown to hold a state.
fn grown(block: u64, per_token: u128, state: u128, scenario: &Checked) -> u64 {
    let step = if matches!(scenario.architecture.projection, Projection::Latent(_)) { 64 } else { 16 };
    let steps = state.div_ceil((per_token * step).max(1));
    if per_token == 0 { block } else { block.max(u64::try_from(steps * step).unwrap_or(u64::MAX)) }
}

#[cfg(test)]
mod tests {
    extern crate alloc;

    use super::*;
    use crate::architecture::{Architecture, Latent, LinearAttention, LinearKind};
    use crate::precision::KvPrecision;
    use crate::serving::Engine;

    fn scenario(architecture: Architecture) -> Scenario {
        let mut scenario = Scenario::new(architecture);
        scenario.serving.engine = Engine::Vllm;
        scenario
    }

    fn gemma_3_27b() -> Scenario {
        scenario(Architecture {
            sliding_window: Some(SlidingWindow::over(52, 1_024)),
            ..Architecture::llama([62, 5_376, 32, 16, 128, 21_504, 262_208])
        })
    }

    fn cut(scenario: &Checked) -> (u128, u64, u64) {
        Pages::of(scenario, BLOCK, Version::MEASURED)
            .map_or((0, 0, 0), |pages| (pages.page, pages.group_size, pages.groups))
    }

    #[test]
    fn since_0_26_two_batches_keep_their_pages_beside_a_window() {
        let architecture = crate::tables::models::by_id("gemma-4-31b").unwrap().architecture;
        let scenario = scenario(architecture).check().unwrap();
        let needs = |minor| {
            let pages = Pages::of(&scenario, BLOCK, Version { major: 0, minor }).unwrap();
            pages.needs(262_144, 32_768) as f64 / f64::from(1 << 30)
        };
        // What 0.25.1 and 0.26.0 said in vLLM's issue 49878.
        for (minor, said) in [(25, 45.79), (26, 70.79)] {
            let needed = needs(minor);
            assert!((needed - said).abs() < 0.01, "{needed} of {said}");
        }
    }

    #[test]
    fn one_kind_is_one_group() {
        let llama = scenario(Architecture::llama([32, 4_096, 32, 8, 128, 14_336, 128_256]));
        assert_eq!(cut(&llama.check().unwrap()), (65_536, 32, 1));
        assert_eq!(cut(&Scenario { kv: KvPrecision::Fp8, ..llama }.check().unwrap()), (32_768, 32, 1));
        let mut two = llama;
        two.parallel.tp = 2;
        assert_eq!(cut(&two.check().unwrap()), (32_768, 32, 1));
    }

    #[test]
    fn two_kinds_share_groups_of_the_smaller() {
        // 10 full and 52 windowed layers: groups of 10, so that the windowed ones pad to 60.
        assert_eq!(cut(&gemma_3_27b().check().unwrap()), (131_072, 10, 7));
        // 10 and 14 are near enough to be padded to 14.
        let near = Architecture {
            layers: 24,
            sliding_window: Some(SlidingWindow::over(14, 1_024)),
            ..gemma_3_27b().architecture
        };
        assert_eq!(cut(&scenario(near).check().unwrap()), (131_072, 14, 2));
    }

    #[test]
    fn a_window_keeps_what_is_being_read_and_a_page_more() {
        let Some(pages) = Pages::of(&gemma_3_27b().check().unwrap(), BLOCK, Version::MEASURED) else {
            panic!("no pages")
        };
        // One group of 2,000 pages for everything, six of 576 for the window of 1,023 and 8,192 tokens on their way, and one more each.
        assert_eq!(pages.blocks(32_000, 8_192), 2_000 + 6 * 577);
        assert_eq!(pages.blocks(16, 8_192), 1 + 6 * 2);
    }

    /// Gemma 3 27B under 0.8, and Llama 4 Scout under 0.8 to 0.12, as vLLM's own post of April 2025 counts it: 1,456,192 tokens in the pool hold
    /// one request of a million, and no more.
    #[test]
    fn old_releases_keep_every_token_where_one_layer_does() {
        let of = |shape: &Scenario, minor| {
            let Some(pages) = Pages::of(&shape.check().unwrap(), BLOCK, Version { major: 0, minor }) else {
                panic!("no pages")
            };
            pages.blocks(64_000, 8_192) * pages.group_page()
        };
        let gemma = gemma_3_27b();
        let all = 64_000 * 62 * 16 * 128 * 2 * 2;
        assert_eq!([6, 8, 9].map(|minor| of(&gemma, minor)), [all; 3]);
        assert!(of(&gemma, 10) < all / 2);
        let chunks = scenario(Architecture {
            sliding_window: Some(SlidingWindow::chunks(36, 8_192)),
            ..Architecture::llama([48, 5_120, 40, 8, 128, 16_384, 202_048])
        });
        let all = 64_000 * 48 * 8 * 128 * 2 * 2;
        assert_eq!([8, 10, 12].map(|minor| of(&chunks, minor)), [all; 3]);
        assert!(of(&chunks, 13) < all);
        // A window in every layer was freed already.
        let uniform = scenario(Architecture {
            sliding_window: Some(SlidingWindow::over(32, 4_096)),
            ..Architecture::llama([32, 4_096, 32, 8, 128, 14_336, 32_000])
        });
        assert_eq!(of(&uniform, 8), of(&uniform, 19));
    }

    #[test]
    fn a_latent_cache_is_whole_on_every_rank() {
        let latent = Latent { kv_lora_rank: 512, q_lora_rank: None, rope_dim: 64, nope_dim: 128, v_dim: 128 };
        let mut scenario = scenario(Architecture {
            projection: Projection::Latent(latent),
            ..Architecture::llama([27, 2_048, 16, 16, 192, 10_944, 102_400])
        });
        assert_eq!(cut(&scenario.check().unwrap()), (16 * 576 * 2, 27, 1));
        scenario.parallel.tp = 8;
        assert_eq!(cut(&scenario.check().unwrap()), (16 * 576 * 2, 27, 1));
    }

    #[test]
    fn pages_of_several_sizes_come_out_even_or_not_at_all() {
        // 4 heads of 512 and 16 of 256: half the tokens of a page.
        let shape = |kv_heads, head_dim| Architecture {
            sliding_window: Some(SlidingWindow {
                window: 1_024,
                layers: 50,
                kv_heads: Some(kv_heads),
                head_dim: Some(head_dim),
                chunked: false,
            }),
            ..Architecture::llama([60, 5_376, 32, 4, 512, 21_504, 262_144])
        };
        let Some(pages) = Pages::of(&scenario(shape(16, 256)).check().unwrap(), BLOCK, Version::MEASURED) else {
            panic!("no pages")
        };
        assert_eq!((pages.page, pages.block(), pages.groups), (16 * 2 * 16 * 256 * 2, 32, 6));
        assert_eq!(Pages::of(&scenario(shape(3, 256)).check().unwrap(), BLOCK, Version::MEASURED), None);
    }

    #[test]
    fn a_state_makes_the_pages_grow() {
        let linear = LinearAttention {
            kind: LinearKind::GatedDelta,
            layers: 36,
            key_heads: 16,
            value_heads: 32,
            key_dim: 128,
            value_dim: 128,
            conv_kernel: 4,
            fp32_state: false,
        };
        let next = scenario(Architecture {
            linear_attention: Some(linear),
            ..Architecture::llama([48, 2_048, 16, 2, 256, 5_120, 151_936])
        });
        // 8,192 channels × 3 × 2 bytes and 32 × 128 × 128 × 2: "Setting attention block size to 544 tokens". A token of attention takes 2,048 bytes.
        assert_eq!(kv_cache::state_bytes(&next.check().unwrap()), 8_192 * 3 * 2 + 32 * 128 * 128 * 2);
        assert_eq!(cut(&next.check().unwrap()), (544 * 2_048, 12, 4));
        // Qwen3.5 35B asks for fp32: 1,056 tokens.
        let wide = LinearAttention { fp32_state: true, ..linear };
        let wide = scenario(Architecture { linear_attention: Some(wide), ..next.architecture });
        assert_eq!(cut(&wide.check().unwrap()), (1_056 * 2_048, 12, 4));
        let blocks = |minor| {
            let pages = Pages::of(&next.check().unwrap(), BLOCK, Version { major: 0, minor });
            pages.map(|pages| pages.blocks(1, 8_192))
        };
        assert_eq!([19, 27, 28].map(blocks), [Some(1 + 3), Some(1 + 3), Some(1 + 3 * 2)]);
    }

    /// Two starts of Qwen3.6 35B-A3B in NVFP4 with an fp8 cache under 0.20, told to cache prefixes: 4,123 blocks of 2,096 tokens hold 108.50 requests
    /// of 65,536 tokens on a GB10, and 15 of them 1.50 requests of 8,192 on another GPU.
    #[test]
    fn prefix_caching_takes_a_state_more_where_it_is_asked_for() {
        let mut qwen = scenario(crate::tables::models::by_id("qwen3.5-35b-a3b").unwrap().architecture);
        qwen.kv = KvPrecision::Fp8;
        let mut next = qwen;
        next.architecture = crate::tables::models::by_id("qwen3-next-80b-a3b").unwrap().architecture;
        let told = |prefix_caching, minor, tokens| {
            let mut told = if minor < 17 { next } else { qwen };
            (told.serving.prefix_caching, told.serving.version.minor) = (prefix_caching, minor);
            let told = told.check().unwrap();
            Pages::of(&told, BLOCK, told.serving.version).map_or(0, |pages| pages.blocks(tokens, 8_192))
        };
        assert_eq!(told(Some(true), 20, 65_536), 32 + 3 * 2);
        assert_eq!(told(Some(true), 20, 8_192), 4 + 3 * 2);
        // By itself, and told not to; before the mode "align" it was ignored (Qwen3-Next, whose pages are half as long).
        assert_eq!(
            [(None, 20), (Some(false), 29), (Some(true), 14)].map(|(on, minor)| told(on, minor, 8_192)),
            [4 + 3, 4 + 3, 8 + 3]
        );
        assert_eq!([(None, 29), (Some(true), 29)].map(|(on, minor)| told(on, minor, 8_192)), [4 + 3 * 2; 2]);
    }

    /// Mamba layers had a mode of their own before 0.28, which keeps a state for each page.
    #[test]
    fn prefix_caching_beside_mamba_layers_is_refused_before_it_was_aligned() {
        let mut granite = scenario(crate::tables::models::by_id("granite-4.0-h-tiny").unwrap().architecture);
        granite.serving.prefix_caching = Some(true);
        granite.serving.version.minor = 27;
        let said = granite.check().err().map(|it| alloc::string::ToString::to_string(&it)).unwrap_or_default();
        assert!(
            said.contains("prefix caching beside Mamba layers or short convolutions before 0.28 is not modelled"),
            "{said}"
        );
        granite.serving.version.minor = 28;
        assert!(granite.check().is_ok());
    }
}
