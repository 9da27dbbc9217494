//! llama.cpp on a GPU: cells for the whole context, and one compute buffer, both allotted at the start.

use super::hf::widest_mlp;
use super::{CONTEXT, How, Sink, system};
use crate::checked::Checked;
use crate::memory::kv_cache::{self, CachedLayers};
use crate::memory::{Bucket, weights};
use crate::precision::{Block, KvPrecision};
use crate::scenario::Attention;
use crate::serving::Engine;
use crate::tables::classes::Class;
use crate::tables::gpus::Gpu;
use crate::units::{Bytes, GIB};
use crate::worked::{self, Factor, Item, Symbol, Term};

/// What was read; the program numbers builds, not versions.
pub const VERSION: &str = "builds with a cache of their own for windows (2025)";
/// Where the formulas come from.
pub const SOURCE: &str = "llama.cpp, llama-context.cpp and llama-kv-cache-iswa.cpp; equal to the buffers in public logs of Llama 3.1 8B and Qwen3 8B";

/// Contexts are multiples of this many cells.
pub const CELLS: u64 = 256;
/// Tokens that pass through the model at once (`n_ubatch`).
pub const CHUNK: u64 = 512;

/// The least that a process takes of a GPU before its first tensor.
///
/// # Source
/// On GPUs of desktops llama.cpp's own table of memory leaves 0.2 to 0.6 GiB beside its buffers.
pub const LEAST_CONTEXT: u128 = GIB / 5;

/// The weights on the GPUs: all but the token table and learned positions, which stay in host memory.
///
/// # Assumes
/// All layers are on GPUs (`-ngl 99`). A token table that is the output matrix too is there a second time. Where CPU and GPU share one memory that the system
/// has a part of, host memory counts too.
///
/// # Source
/// `load_tensors` in `llama-model.cpp`: "there is very little benefit to offloading the input layer, so always keep it on the CPU".
pub(super) fn on_gpus(scenario: &Checked, sink: Sink<'_>) {
    let shares = scenario.gpu.is_some_and(|gpu| system::usual(gpu).is_some());
    let is_output = scenario.ties() && scenario.local().head;
    weights::terms(scenario, &mut |term| {
        let on_gpu = match term.item {
            Item::EmbeddingTable => shares || is_output,
            Item::PositionTable => shares,
            _ => true,
        };
        if on_gpu {
            sink(term);
        }
    });
}

/// How much less than is counted a run may take: builds since August 2026 keep logits of one token for each sequence, so that the compute buffer is that of a layer,
/// and a context may be smaller than that of a data centre's GPU. Nothing with another program.
pub fn doubtful(scenario: &Checked) -> Bytes {
    if scenario.runtime() != Some(Engine::LlamaCpp) {
        return Bytes::ZERO;
    }
    let copies = if scenario.gpu.is_some_and(always_copies) { cache_copies(scenario) } else { Bytes::ZERO };
    buffer(scenario) - layer_buffer(scenario).max(copies) + Bytes(CONTEXT - LEAST_CONTEXT)
}

/// Cells of one sequence in layers that see everything.
fn cells(scenario: &Checked) -> u64 {
    kv_cache::tokens(scenario).next_multiple_of(CELLS)
}

/// The nearest format that the program has: `q8_0` for 8 bits, `q4_0` for 4.
const fn stored(kv: KvPrecision) -> Block {
    match kv {
        KvPrecision::Fp32 => Block::FP32,
        KvPrecision::Fp16 | KvPrecision::Bf16 => Block::BF16,
        KvPrecision::Fp8 | KvPrecision::Int8 => Block { values: 32, bytes: 34 },
        KvPrecision::Int4 => Block { values: 32, bytes: 18 },
    }
}

/// What the cache takes from the start.
///
/// # Formula
/// The exact cache with other numbers of tokens: `seq_length` rounded up to 256; in layers with a window
/// min(that, `window` + 512) rounded up to 256. 8 bits are `q8_0` with 34 bytes for 32 values, 4 bits `q4_0` with 18.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// One stream of cells for each sequence (`--kv-unified` off), chunks of 512 tokens. The latent vector of DeepSeek is stored once.
/// States of linear layers as they are. A model whose layers all have a window (Mistral 7B v0.1, Phi-3 mini) has the whole cache: `models/llama.cpp` reads no
/// window, and `models/phi3.cpp` switches it off.
///
/// # Source
/// `llama-kv-cache-iswa.cpp`; 64.00 MiB for 512 and 1,024.00 MiB for 8,192 tokens of Llama 3.1 8B in public logs.
pub(super) fn cache(scenario: &Checked) -> (u128, How) {
    let shape = &scenario.architecture;
    let held = CachedLayers::on(scenario);
    let Block { values, bytes } = stored(scenario.kv);
    let full = cells(scenario);
    let mut sum = u128::from(held.linear) * kv_cache::state_bytes(scenario);
    let mut window_cells = 0;
    let mut layers = |layers: u64, cells: u64, width: u64| {
        let [layers, cells, width] = [layers, cells, width].map(u128::from);
        sum += (layers * cells * width * u128::from(bytes)).div_ceil(values.into());
    };
    layers(held.full, full, kv_cache::values_per_token(scenario, None));
    if let Some(window) = shape.sliding_window
        && held.sliding > 0
    {
        // Where every layer has a window, llama.cpp keeps the whole cache.
        let mixed = shape.kinds_between(0, shape.layers).full > 0;
        let cells = if mixed { (u64::from(window.window) + CHUNK).next_multiple_of(CELLS) } else { full };
        window_cells = full.min(cells);
        layers(held.sliding, window_cells, kv_cache::values_per_token(scenario, Some(window)));
    }
    (sum * u128::from(scenario.batch), How::Cells { full, window: window_cells })
}

/// The compute buffer.
///
/// # Formula
/// The larger of logits, 4 × 512 × (V + h), and a layer: with flash attention 4 × 512 × (4h + 2f) + 2 × 512 × cells,
/// without 4 × 512 × (a × cells + cells + 4h). A cache that is not in 16 bits adds copies of one layer's keys and values that are.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// Chunks of 512 tokens (`n_ubatch`), fp32 throughout. The term of a layer with flash attention is an upper estimate, not checked for very long contexts or mixtures.
///
/// # Source
/// Public logs: Llama 3.1 8B 258.50 MiB up to 2,048 tokens and 560.00 MiB at 8,192 without flash attention; Qwen3 8B 304.75 MiB at 32,768 with it.
pub(super) fn work(bucket: Bucket, scenario: &Checked, sink: Sink<'_>) {
    let [of_logits, of_layer] = [logits, layer].map(|moment| {
        worked::total(|sink: Sink<'_>| moment(Bucket::Activations, scenario, sink))
            + worked::total(|sink: Sink<'_>| moment(Bucket::Logits, scenario, sink))
    });
    let fullest = if of_logits >= of_layer { logits } else { layer };
    fullest(bucket, scenario, sink);
}

/// The compute buffer in all.
fn buffer(scenario: &Checked) -> Bytes {
    [Bucket::Activations, Bucket::Logits]
        .map(|bucket| worked::total(|sink: Sink<'_>| work(bucket, scenario, sink)))
        .into_iter()
        .sum()
}

/// The compute buffer, where it is larger than what Vulkan lends at once on a GPU that many run with Vulkan.
///
/// # Assumes
/// Weights and cache are cut into smaller buffers. Builds since September 2025 cut the compute buffer too, but no single tensor of it: without flash attention the scores
/// of one layer are nearly all of it. Builds with `ROCm` or SYCL have no such limit.
///
/// # Source
/// llama.cpp issues 15009 (4,757,131,264 bytes on Strix Halo) and 18160, pull request 15815; 4 GiB by RADV, 2 GiB by AMDVLK (GPUOpen-Drivers/AMDVLK issue 413). Read 2026-11-25.
pub fn beyond_vulkan(scenario: &Checked) -> Option<Bytes> {
    let gpu = scenario.gpu.filter(|_| scenario.runtime() == Some(Engine::LlamaCpp))?;
    let buffer = buffer(scenario);
    larger_than_vulkan_lends(gpu, buffer).then_some(buffer)
}

/// Whether one buffer is larger than what Vulkan lends at once, on a GPU that many run with Vulkan.
pub fn larger_than_vulkan_lends(gpu: &Gpu, buffer: Bytes) -> bool {
    let by_vulkan = match gpu.vendor {
        "AMD" => gpu.class() != Class::DataCentre,
        "Intel" => gpu.id.starts_with("arc"),
        _ => false,
    };
    by_vulkan && buffer.0 >= 4 * GIB
}

fn logits(bucket: Bucket, scenario: &Checked, sink: Sink<'_>) {
    let shape = &scenario.architecture;
    if !scenario.local().head {
        return;
    }
    let chunk = Factor::new(Symbol::ChunkTokens, CHUNK);
    let [four, hidden, vocab] = [
        Factor::new(Symbol::BytesPerValue, 4),
        Factor::new(Symbol::HiddenSize, shape.hidden_size.into()),
        Factor::new(Symbol::VocabSize, shape.vocab_size.into()),
    ];
    match bucket {
        Bucket::Logits => sink(&Term { item: Item::LastLogits, factors: &[chunk, vocab, four], divisor: 1 }),
        _ => sink(&Term { item: Item::LayerWorkspace, factors: &[chunk, hidden, four], divisor: 1 }),
    }
}

/// Whether flash attention on a GPU may copy a cache of other than 16 bits: CUDA and `ROCm` do, Vulkan, Metal and SYCL do not.
pub fn may_copy(gpu: &Gpu) -> bool {
    matches!(gpu.vendor, "NVIDIA" | "AMD")
}

/// Whether it does so with every build that people use there.
pub fn always_copies(gpu: &Gpu) -> bool {
    gpu.vendor == "NVIDIA"
}

/// 16-bit copies of the keys and values of one layer, which flash attention reads in place of a cache in another format.
///
/// # Formula
/// 2 × cells × `batch` × values of a token in one layer; nothing for a cache in 16 bits.
///
/// # Assumes
/// Before June 2026 builds took as much from a pool as the context filled; since then it is a part of the compute buffer, for the whole cache.
///
/// # Source
/// `ggml_cuda_flash_attn_ext_get_alloc_size` in `ggml-cuda/fattn.cu`, llama.cpp pull request 23907; 1.30 GiB of compute buffer with 262,144 cells in `q8_0` of
/// Qwen3.5 4B (unslothai/unsloth pull request 6718). Read 2026-11-26.
fn copies(scenario: &Checked, sink: Sink<'_>) {
    let is_copied = !matches!(scenario.kv, KvPrecision::Fp16 | KvPrecision::Bf16);
    if is_copied && scenario.attention == Attention::Flash && scenario.gpu.is_none_or(may_copy) {
        let values = Factor::number(kv_cache::values_per_token(scenario, None));
        let cells = Factor::new(Symbol::SeqLength, cells(scenario));
        let batch = Factor::new(Symbol::Batch, scenario.batch.into());
        sink(&Term { item: Item::AttentionTensors, factors: &[Factor::number(2), cells, batch, values], divisor: 1 });
    }
}

fn cache_copies(scenario: &Checked) -> Bytes {
    worked::total(|sink: Sink<'_>| copies(scenario, sink))
}

/// What a layer takes of the compute buffer, copies of its cache aside.
pub fn layer_buffer(scenario: &Checked) -> Bytes {
    worked::total(|sink: Sink<'_>| tensors(scenario, sink))
}

fn layer(bucket: Bucket, scenario: &Checked, sink: Sink<'_>) {
    if bucket != Bucket::Logits {
        tensors(scenario, sink);
        copies(scenario, sink);
    }
}

fn tensors(scenario: &Checked, sink: Sink<'_>) {
    let shape = &scenario.architecture;
    let chunk = Factor::new(Symbol::ChunkTokens, CHUNK);
    let hidden = Factor::new(Symbol::HiddenSize, shape.hidden_size.into());
    let cells = Factor::new(Symbol::SeqLength, cells(scenario));
    let mut product = |item, factors: &[Factor]| sink(&Term { item, factors, divisor: 1 });
    product(Item::LayerWorkspace, &[Factor::number(16), chunk, hidden]);
    if scenario.attention == Attention::Flash {
        let width = Factor::new(Symbol::IntermediateSize, widest_mlp(scenario));
        product(Item::LayerWorkspace, &[Factor::number(8), chunk, width]);
        product(Item::AttentionMask, &[Factor::number(2), chunk, cells]);
    } else {
        let heads = Factor::new(Symbol::Heads, scenario.local().heads);
        product(Item::AttentionScores, &[Factor::number(4), chunk, heads, cells]);
        product(Item::AttentionMask, &[Factor::number(4), chunk, cells]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::{Architecture, SlidingWindow};
    use crate::scenario::Scenario;
    use crate::tables::{gpus, models};

    const MIB: u128 = 1 << 20;

    fn served(architecture: Architecture, seq_length: u32, attention: Attention) -> Scenario {
        let mut scenario = Scenario { seq_length, attention, ..Scenario::new(architecture) };
        scenario.serving.engine = Engine::LlamaCpp;
        scenario
    }

    fn buffers(scenario: &Checked) -> (u128, Bytes) {
        let work = [Bucket::Activations, Bucket::Logits]
            .map(|bucket| worked::total(|sink: Sink<'_>| super::work(bucket, scenario, sink)));
        (cache(scenario).0, work.into_iter().sum())
    }

    #[test]
    fn buffers_are_those_of_public_logs() {
        let Some(llama) = models::by_id("llama-3.1-8b") else { panic!("no model") };
        for (seq_length, cache, compute) in [(512, 64.0, 258.5), (2_048, 256.0, 258.5), (8_192, 1_024.0, 560.0)] {
            let (kv, work) = buffers(&served(llama.architecture, seq_length, Attention::Eager).check().unwrap());
            assert_eq!((kv as f64 / MIB as f64, work.0 as f64 / MIB as f64), (cache, compute), "{seq_length}");
        }
        let qwen3 = Architecture::llama([36, 4_096, 32, 8, 128, 12_288, 151_936]);
        let (_, work) = buffers(&served(qwen3, 32_768, Attention::Flash).check().unwrap());
        assert_eq!(work.0, 304 * MIB + 3 * MIB / 4);
    }

    #[test]
    fn caches_in_other_formats_are_copied() {
        let Some(model) = models::by_id("qwen3.5-4b") else { panic!("no model") };
        let with = |kv, gpu| {
            let scenario =
                Scenario { kv, gpu: gpus::by_id(gpu), ..served(model.architecture, 262_144, Attention::Flash) };
            buffers(&scenario.check().unwrap()).1
        };
        let [plain, copied] = [KvPrecision::Bf16, KvPrecision::Int8].map(|kv| with(kv, "rtx4090"));
        // 2 bytes × 262,144 cells × 2 × 4 kv_heads × 256; the log says 1.30 GiB of all.
        let extra = 2 * 262_144 * 2 * 4 * 256;
        assert!(copied.0 >= extra && copied.0 <= plain.0 + extra);
        assert!((copied.0 as f64 / GIB as f64 - 1.30).abs() < 0.01, "{copied:?}");
        assert_eq!(with(KvPrecision::Int8, "m3max"), with(KvPrecision::Bf16, "m3max"), "Metal reads it as it is");
    }

    #[test]
    fn windows_keep_a_chunk_more() {
        let gemma = Architecture {
            sliding_window: Some(SlidingWindow::over(52, 1_024)),
            ..Architecture::llama([62, 5_376, 32, 16, 128, 21_504, 262_208])
        };
        assert_eq!(buffers(&served(gemma, 131_072, Attention::Flash).check().unwrap()).0, 10_864 * MIB);
        let oss = Architecture {
            sliding_window: Some(SlidingWindow::over(12, 128)),
            ..Architecture::llama([24, 2_880, 64, 8, 64, 2_880, 201_088])
        };
        assert_eq!(buffers(&served(oss, 131_072, Attention::Flash).check().unwrap()).0, 3_090 * MIB);
    }

    #[test]
    fn windows_in_every_layer_are_not_used() {
        for (id, bytes) in [("mistral-7b-v0.1", 131_072), ("phi-3-mini-4k", 393_216)] {
            let Some(model) = models::by_id(id) else { panic!("no model") };
            let scenario = served(model.architecture, 4_096, Attention::Flash).check().unwrap();
            assert_eq!(buffers(&scenario).0, 4_096 * bytes, "{id}: keys and values of every token");
        }
        let Some(model) = models::by_id("mistral-7b-v0.1") else { panic!("no model") };
        let long = served(model.architecture, 32_768, Attention::Flash).check().unwrap();
        assert_eq!(buffers(&long).0, 4_096 * MIB);
    }
}
