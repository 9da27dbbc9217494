//! vLLM's pool for compressed tokens (`DeepSeek` V4).

use super::Pages;
use super::pages::{Kept, Kind};
use crate::architecture::Compression;
use crate::checked::Checked;
use crate::memory::kv_cache::{self, CachedLayers};
use crate::serving::Version;

/// How blocks of the pool are counted where groups of layers lie in them with pages of several sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packed {
    /// Bytes by which a request's are divided into blocks: those of the first group; `None` where each group's are counted.
    pub measure: Option<u128>,
    /// Bytes of a block where a start asks for those of a request.
    pub asked: u128,
}

/// Pages begin at multiples of so many bytes.
const ALIGNED: u128 = 576;

impl Pages {
    /// The pool of compressed tokens.
    ///
    /// # Formula
    /// Pages of 256 tokens, rounded up to 576 bytes: in a layer with an indexer 64 vectors, and 64 index keys, in others two vectors. In pages as large lie, in groups of layers, windows in blocks of 64 tokens, and what has not been
    /// compressed yet, in blocks of 4 tokens for 8 and of 8 tokens for 128. A group has the number of layers that pads least. A block holds the pages of the largest group of each size.
    ///
    /// # Assumes
    /// Vectors of 584 bytes on every GPU: on some Blackwell GPUs vLLM keeps 512. From 0.27 on groups lie over each other, each request's blocks are counted group by group, and two batches are on their way at once.
    ///
    /// # Source
    /// vLLM: `_get_kv_cache_groups_uniform_groups`, `get_max_concurrency_for_kv_cache_config`, `_max_memory_usage_bytes_from_groups`, `CompressorStateCache`, `DeepseekV4IndexerCache`, `VllmConfig.max_in_flight_tokens` (0.27.1); pull request 48993. Four logs of 0.22 to 0.26, in the tests. Read 2026-11-26.
    pub(super) fn compressed(scenario: &Checked, held: CachedLayers, version: Version) -> Self {
        let CachedLayers { sliding, indexed, heavy, .. } = held;
        let vector = u128::from(kv_cache::values_per_token(scenario, None));
        let [many, few] = [Compression::SPARSE, Compression::HEAVY].map(|tokens| u128::from(256 / tokens));
        let [vectors, keys, few] = [many * vector, many * kv_cache::index_bytes(scenario), few * vector]
            .map(|bytes| bytes.next_multiple_of(ALIGNED));
        let least = indexed.max(heavy).max(1);
        let counts = [least, sliding, indexed, heavy];
        let padding = |size: &u64| counts.iter().map(|layers| layers.next_multiple_of(*size) - layers).sum::<u64>();
        let group = (least..=sliding.max(least)).rev().min_by_key(padding).unwrap_or(least);
        let windows = sliding.div_ceil(group);
        // Layers of the largest group.
        let places = u128::from(least.max(sliding.div_ceil(windows.max(1))));
        let [all, picking, others] = [sliding, indexed, heavy].map(u128::from);
        let first = picking * (vectors + keys) + others * few;
        let window = scenario.architecture.sliding_window.map_or(0, |it| it.window.into());
        let kind = |layers, block, kept, bytes| (layers > 0).then_some(Kind { layers, block, kept, bytes });
        let kinds = [
            kind(1, 256, Kept::All, first),
            kind(windows, 64, Kept::Window(window), all * vectors),
            kind(1, 4, Kept::Window(u64::from(2 * Compression::SPARSE)), picking * (vectors + keys)),
            kind(heavy.min(1), 8, Kept::Window(Compression::HEAVY.into()), others * vectors),
        ];
        let dense = version >= Version { major: 0, minor: 27 };
        let page = if dense { first.max(places * vectors) } else { places * vectors + picking * keys + others * few };
        let packed = Packed {
            measure: (!dense).then_some(first),
            asked: places * (vectors + keys + if heavy > 0 { few } else { 0 }),
        };
        // Four logs of its 0.26 have one batch on its way.
        let in_flight = if dense { 2 } else { 1 };
        let groups = kinds.iter().flatten().map(|kind| kind.layers).sum();
        Self { page, group_size: 1, groups, beside: 0, kinds, in_flight, packed: Some(packed) }
    }

    /// Whether every release counts tokens by the requests that the pool holds.
    pub(super) fn by_requests(&self) -> bool {
        self.packed.is_some()
    }
}
