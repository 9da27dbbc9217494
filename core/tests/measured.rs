//! The engine's KV caches against measured figures, to the byte. Every fixture says in its first lines where it comes from.
//!
//! No row is dropped in silence: each is compared, or skipped for a reason that is counted.
//! What else was measured is held against the engine in the crate `memory-wall-accuracy`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

mod common;

use common::{Row, Score, rows};
use memory_wall_core::architecture::SlidingWindow;
use memory_wall_core::memory::kv_cache;
use memory_wall_core::worked;
use memory_wall_core::{Architecture, KvPrecision, Scenario, evaluate};

/// A Llama-type model of no consequence, of which a test replaces what its row states.
const BLANK: Architecture = Architecture::llama([1; 7]);

mod kv {
    use super::*;

    const LATENT: &str = "multi-head latent attention is not modelled";
    const LINEAR: &str = "layers without a KV cache (linear attention) are not modelled";
    const TWO_SHAPES: &str = "layers with and without a window have different KV heads or dimensions: not modelled";
    const RESERVED: &str = "a static cache reserves its largest length from the start, and the row does not state it";

    fn skip_reason(row: &Row) -> Option<&'static str> {
        match row.text("kind") {
            "mla" => return Some(LATENT),
            "linear_state" | "hybrid_linear" => return Some(LINEAR),
            _ => {}
        }
        let same = |full, sliding| row.text(full) == row.text(sliding);
        let two_shapes = row.optional("swa_layers").is_some()
            && !(same("full_kv_heads", "swa_kv_heads") && same("full_dim", "swa_dim"));
        two_shapes.then_some(TWO_SHAPES)
    }

    fn cache(scenario: &Scenario) -> u128 {
        worked::total(|sink| kv_cache::terms(scenario, sink)).0
    }

    fn precision(bits: u64) -> KvPrecision {
        match bits {
            32 => KvPrecision::Fp32,
            16 => KvPrecision::Bf16,
            8 => KvPrecision::Fp8,
            4 => KvPrecision::Int4,
            _ => panic!("no KV precision of {bits} bits"),
        }
    }

    #[test]
    fn caches_that_others_state() {
        let mut score = Score::default();
        for row in rows("kv_cache.csv", include_str!("data/kv_cache.csv")) {
            if let Some(reason) = skip_reason(&row) {
                score.skip(reason);
                continue;
            }
            let sliding = row
                .optional("swa_layers")
                .map(|_| SlidingWindow::over(row.dimension("swa_layers"), row.dimension("window")));
            let heads = row.dimension("full_kv_heads");
            let scenario = Scenario {
                batch: row.dimension("batch"),
                seq_length: row.optional("ctx").map_or(1, |_| row.dimension("ctx")),
                kv: precision(row.number("bits")),
                ..Scenario::new(Architecture {
                    layers: row.dimension("full_layers") + sliding.map_or(0, |sliding| sliding.layers),
                    heads,
                    kv_heads: heads,
                    head_dim: row.dimension("full_dim"),
                    sliding_window: sliding,
                    ..BLANK
                })
            };
            assert_eq!(scenario.check(), Ok(()));
            let engine = match row.text("quantity") {
                "total" => cache(&scenario),
                "per_token" => evaluate(&scenario).kv_bytes_per_token.0,
                "marginal_per_token_past_window" => {
                    let longer = Scenario { seq_length: scenario.seq_length + 1, ..scenario };
                    cache(&longer) - cache(&scenario)
                }
                other => panic!("no quantity {other}"),
            };
            score.compare(row.text("case"), engine, row.number("bytes"));
        }
        score.finish("KV caches that others state", 9, &[(LATENT, 3), (LINEAR, 6), (TWO_SHAPES, 2)]);
    }

    #[test]
    fn caches_that_were_run() {
        let mut score = Score::default();
        for row in rows("kv_cache_run.csv", include_str!("data/kv_cache_run.csv")) {
            if row.text("cache") == "StaticCache" {
                score.skip(RESERVED);
                continue;
            }
            let scenario = Scenario {
                batch: row.dimension("batch"),
                seq_length: row.dimension("tokens"),
                kv: precision(if row.text("dtype") == "fp32" { 32 } else { 16 }),
                ..Scenario::new(Architecture {
                    layers: row.dimension("layers"),
                    heads: row.dimension("heads"),
                    kv_heads: row.dimension("kv_heads"),
                    head_dim: row.dimension("head_dim"),
                    sliding_window: row
                        .optional("window")
                        .map(|_| SlidingWindow::over(row.dimension("sliding_layers"), row.dimension("window"))),
                    ..BLANK
                })
            };
            assert_eq!(scenario.check(), Ok(()));
            score.compare(row.text("name"), cache(&scenario), row.number("storage"));
        }
        score.finish("KV caches that were run", 12, &[(RESERVED, 2)]);
    }
}
