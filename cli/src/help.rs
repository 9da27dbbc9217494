//! What `memory-wall help` prints.

use memory_wall_core::bounds;
use memory_wall_core::config::FAMILIES;
use memory_wall_core::display::Grouped;
use memory_wall_core::{KvPrecision, Optimizer, WeightFormat};

/// Name and version.
pub(crate) fn version() -> String {
    format!("memory-wall {}\n", env!("CARGO_PKG_VERSION"))
}

/// Usage, options and exit codes.
pub(crate) fn text() -> String {
    let weights = list(WeightFormat::ALL.iter().map(|format| format.id()));
    let kv = list(KvPrecision::ALL.iter().map(|format| format.id()));
    let optimizers = list(Optimizer::ALL.iter().map(|optimizer| optimizer.id()));
    let families = FAMILIES.join(", ");
    let most_sequences = Grouped(bounds::BATCH.max.into());
    let most_tokens = Grouped(bounds::SEQ_LENGTH.max.into());
    format!(
        "\
memory-wall: how much GPU memory a large language model needs

Usage:
  memory-wall estimate --model ID | --config FILE [options]
  memory-wall models [--json]     models that --model knows
  memory-wall gpus [--json]       cards that --gpu knows
  memory-wall help                this text
  memory-wall --version

Options of estimate:
  --model ID             a model of the list
  --config FILE          a config.json as published ({families});
                         - reads standard input
  --mode MODE            inference (default), training
  --batch N              sequences at the same time, 1 (default) to {most_sequences}
  --seq N                tokens in each, 1 to {most_tokens}; default 2048
  --weights P            {weights}; default bf16
  --kv P                 {kv}; default bf16
  --optimizer NAME       {optimizers}; default adamw
  --checkpointing KIND   none (default), selective, full
  --attention KIND       flash (default), eager
  --gpu ID               a card of the list: does it fit, and how much more would
  --unit UNIT            gb (default, powers of 1,000), gib (powers of 1,024)
  --json                 everything in bytes, for programs

Exit code: 0 it fits, or no card is named; 1 it does not fit; 2 the input cannot be used.

Example:
  memory-wall estimate --model llama-2-7b --seq 128000 --gpu a100-80-sxm
"
    )
}

fn list<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    ids.collect::<Vec<_>>().join(", ")
}
