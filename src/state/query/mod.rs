//! The state as a link's query: readable, versioned, defaults left out, keys in a fixed order.
//!
//! `v=1&model=llama-3.1-8b&seq=128000&gpu=h100-sxm`. Reading never fails: what cannot be used is named, the rest applies.

mod reader;
mod writer;

pub use reader::{Decoded, decode};
pub use writer::encode;

use super::dimensions::Dimension;

/// The longest query that is read; links made here are far shorter.
pub const LONGEST: usize = 2_000;

/// The version that is written. Version 1 links open for ever.
const VERSION: &str = "1";

/// A field that the reader has emptied.
const EMPTY: &str = "-";

/// Every key that is understood, in the order in which they are written; dimensions carry their own names.
const KEYS: [&str; 38] = [
    "v",
    "model",
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
    // The roofline's own.
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
    // The program line by line: its own.
    "tape",
    "features",
    "rows",
    "tokens",
    "step",
    "card",
    // Of many GPUs.
    "cards",
    "scale",
    // How training keeps its states.
    "recipe",
    // Where adapters are, and in which precision.
    "targets",
    "adapters",
    // Of time and money: GPUs that train, tokens, MFU from and to in percent, and dollars for a GPU and hour.
    "gpus",
    "train_tokens",
    "mfu",
    "price",
];

/// What a link to a figure by itself may say beside the state; `frame.js` takes what it can use.
pub const OPTIONS: [&str; 7] = ["theme", "lang", "predict", "reveal", "ui", "id", "only"];

/// Every key that a link may have.
pub fn keys() -> impl Iterator<Item = &'static str> {
    KEYS.into_iter().chain(Dimension::ALL.map(Dimension::id))
}

fn known(key: &str) -> Option<&'static str> {
    keys().find(|known| *known == key)
}
