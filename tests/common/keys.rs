//! The keys of a link and what can be chosen for them, written once more by hand.

use std::collections::BTreeMap;

use memory_wall_app::state::State;
use memory_wall_app::state::cluster::GpuCount;
use memory_wall_app::state::roofline::{Dots, Precisions};
use memory_wall_app::state::trace::{self, TraceGpu};
use memory_wall_core::allocation_trace::Step;
use memory_wall_core::display::ByteUnit;
use memory_wall_core::hierarchy::Tier;
use memory_wall_core::roofline::Accounting;
use memory_wall_core::roofline::operations::Kernels;
use memory_wall_core::scaling::Purpose;
use memory_wall_core::tables::gpus::GPUS;
use memory_wall_core::{
    AdapterPrecision, Attention, Checkpointing, KvPrecision, Mode, Optimizer, Recipe, TargetSet, WeightFormat,
};

/// Every key of a link, in the order in which they are written.
pub(crate) const KEYS: [&str; 45] = [
    "v",
    "model",
    "layers",
    "hidden_size",
    "heads",
    "kv_heads",
    "head_dim",
    "intermediate_size",
    "vocab_size",
    "mode",
    "batch",
    "seq",
    "weights",
    "kv",
    "optimizer",
    "checkpointing",
    "attention",
    "gpu",
    "unit",
    "tier",
    "dots",
    "pass",
    "kernels",
    "accounting",
    "precisions",
    "vs",
    "roof",
    "op",
    "gemm",
    "rate",
    "tape",
    "features",
    "rows",
    "tokens",
    "step",
    "card",
    "cards",
    "scale",
    "recipe",
    "targets",
    "adapters",
    "gpus",
    "train_tokens",
    "mfu",
    "price",
];

/// Everything that can be chosen by name, by its key.
pub(crate) fn choices() -> BTreeMap<&'static str, Vec<&'static str>> {
    fn ids<T: Copy>(all: &[T], id: fn(T) -> &'static str) -> Vec<&'static str> {
        all.iter().copied().map(id).collect()
    }
    BTreeMap::from([
        ("model", State::models().map(|model| model.id).collect()),
        ("mode", ids(Mode::ALL, Mode::id)),
        ("weights", ids(WeightFormat::ALL, WeightFormat::id)),
        ("kv", ids(KvPrecision::ALL, KvPrecision::id)),
        ("optimizer", ids(Optimizer::ALL, Optimizer::id)),
        ("checkpointing", ids(Checkpointing::ALL, Checkpointing::id)),
        ("attention", ids(Attention::ALL, Attention::id)),
        ("gpu", GPUS.iter().map(|gpu| gpu.id).collect()),
        ("unit", ids(&ByteUnit::EACH, ByteUnit::id)),
        ("tier", ids(Tier::ALL, Tier::id)),
        ("dots", ids(Dots::ALL, Dots::id)),
        ("pass", vec!["prefill", "decode"]),
        ("kernels", ids(Kernels::ALL, Kernels::id)),
        ("accounting", ids(Accounting::ALL, Accounting::id)),
        ("cards", ids(GpuCount::ALL, GpuCount::id)),
        ("scale", ids(Purpose::ALL, Purpose::id)),
        ("precisions", ids(Precisions::ALL, Precisions::id)),
        ("tape", trace::SWITCHES.to_vec()),
        ("step", ids(Step::ALL, Step::id)),
        ("card", ids(&TraceGpu::ALL, TraceGpu::id)),
        ("recipe", ids(Recipe::ALL, Recipe::id)),
        ("targets", ids(TargetSet::ALL, TargetSet::id)),
        ("adapters", ids(AdapterPrecision::ALL, AdapterPrecision::id)),
    ])
}
