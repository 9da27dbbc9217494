//! Keys, values and states: formulas and figures that others state, and caches that were run. Equal to the byte.

use memory_wall_core::architecture::{Architecture, Latent, LinearAttention, LinearKind, Projection, SlidingWindow};
use memory_wall_core::engines::{self, hf};
use memory_wall_core::memory::kv_cache;
use memory_wall_core::worked::Item;
use memory_wall_core::{Bytes, Checked, KvPrecision, Scenario, bounds};

use super::reading::{bytes, check};
use crate::csv;
use crate::{Bound, Data, Row, Set};

pub(super) fn sets(data: &Data) -> Vec<Set> {
    let stated = data.file("kv_cache.csv").rows().map(stated).collect();
    let run = data.file("kv_cache_run.csv").rows().flat_map(run).collect();
    vec![
        Set {
            name: "kv-cache",
            about: "Bytes of caches and states that public tools, logs and definitions state",
            bound: Bound::EXACT,
            rows: stated,
        },
        Set {
            name: "kv-cache-run",
            about: "Bytes of caches of small models run in transformers: what is used, and what the tensors hold",
            bound: Bound::EXACT,
            rows: run,
        },
    ]
}

/// Bytes of the cache without states, or of the states alone.
fn cache(scenario: &Checked, states: bool) -> u64 {
    let mut sum = Bytes::ZERO;
    kv_cache::terms(scenario, &mut |term| {
        if (term.item == Item::LinearStates) == states {
            sum += term.bytes();
        }
    });
    u64::try_from(sum.0).unwrap_or(u64::MAX)
}

fn stated(row: csv::Row<'_>) -> Row {
    let predicted = scenario(row).and_then(|scenario| match row.text("quantity") {
        "total" => Ok(cache(&scenario, false)),
        "per_token" => Ok(cache(&scenario.with_seq_length(1), false)),
        // States do not grow with the context, so a total of theirs is one at any length.
        "linear_state" => Ok(cache(&scenario, true)),
        "marginal_per_token_past_window" => {
            let longer =
                bounds::SEQ_LENGTH.check(u64::from(scenario.seq_length) + 1).map_err(|error| error.to_string())?;
            Ok(cache(&scenario.with_seq_length(longer), false) - cache(&scenario, false))
        }
        other => Err(format!("quantity {other:?} is not known")),
    });
    bytes(row.text("case_id").into(), row, predicted, row.whole("expected_bytes"))
}

fn scenario(row: csv::Row<'_>) -> Result<Checked, String> {
    let count = |column| row.number_or(column, 0);
    let [full, sliding, latent, linear] =
        [count("full_layers")?, count("swa_layers")?, count("mla_layers")?, count("linear_layers")?];
    if full > 0 && latent > 0 {
        return Err("full layers with heads beside latent ones: a model has one kind of projection".into());
    }
    let others = count("no_kv_layers")?;
    let layers = full.saturating_add(sliding).saturating_add(latent).saturating_add(linear).saturating_add(others);
    let stated = |column: &str| !row.text(column).is_empty();
    // Of a model without a kind of layers the file may leave that kind's columns empty.
    let [heads, head_dim] = if stated("full_kv_heads") {
        [row.number("full_kv_heads")?, width(row, "full")?]
    } else if sliding > 0 {
        [row.number("swa_kv_heads")?, width(row, "swa")?]
    } else {
        [1, 1]
    };
    let mut shape = Architecture {
        layers,
        heads,
        kv_heads: heads,
        head_dim,
        shared_cache_layers: others,
        ..Architecture::llama([1; 7])
    };
    if sliding > 0 {
        shape.sliding_window = Some(SlidingWindow {
            kv_heads: Some(row.number_or("swa_kv_heads", heads)?),
            head_dim: Some(if stated("swa_k_dim") { width(row, "swa")? } else { head_dim }),
            ..SlidingWindow::over(sliding, row.number("swa_window")?)
        });
    }
    if latent > 0 {
        let [kv_lora_rank, rope_dim] = [row.number("mla_kv_lora_rank")?, row.number("mla_rope_dim")?];
        shape.projection =
            Projection::Latent(Latent { kv_lora_rank, rope_dim, q_lora_rank: None, nope_dim: 1, v_dim: 1 });
    }
    if linear > 0 {
        shape.linear_attention = Some(state(row, linear)?);
    }
    let scenario = Scenario {
        batch: row.number_or("batch", 1)?,
        seq_length: row.number_or("ctx_tokens", 1)?,
        kv: precision(row.number_or("kv_bits", 16)?)?,
        ..Scenario::new(shape)
    };
    check(&scenario)
}

/// The width of a head. Where keys and values differ, their mean: the cache holds one of each.
fn width(row: csv::Row<'_>, kind: &str) -> Result<u32, String> {
    let key = row.number(&format!("{kind}_k_dim"))?;
    let value = row.number_or(&format!("{kind}_v_dim"), key)?;
    match key.saturating_add(value) {
        both if both.is_multiple_of(2) => Ok(both / 2),
        _ => Err(format!("{kind}_k_dim {key} and {kind}_v_dim {value} have no whole mean")),
    }
}

fn state(row: csv::Row<'_>, layers: u32) -> Result<LinearAttention, String> {
    for (column, bytes) in
        [("linear_conv_elem_bytes", kv_cache::CONV_BYTES), ("linear_state_elem_bytes", kv_cache::STATE_BYTES)]
    {
        let given = row.number_or(column, u32::try_from(bytes).unwrap_or(0))?;
        if u64::from(given) != bytes {
            return Err(format!("{column} {given}: states are modelled with {bytes}"));
        }
    }
    Ok(LinearAttention {
        kind: LinearKind::GatedDelta,
        layers,
        key_heads: row.number("linear_k_heads")?,
        value_heads: row.number("linear_v_heads")?,
        key_dim: row.number("linear_k_dim")?,
        value_dim: row.number("linear_v_dim")?,
        conv_kernel: row.number("linear_conv_kernel")?,
        fp32_state: true,
    })
}

fn precision(bits: u32) -> Result<KvPrecision, String> {
    match bits {
        32 => Ok(KvPrecision::Fp32),
        16 => Ok(KvPrecision::Bf16),
        8 => Ok(KvPrecision::Int8),
        4 => Ok(KvPrecision::Int4),
        _ => Err(format!("kv_bits {bits} is no precision of the engine")),
    }
}

/// Tokens that the script which measured gave its static caches; the file does not say.
const STATIC_TOKENS: u32 = 64;

/// Two rows: what is used, and what the tensors hold.
fn run(row: csv::Row<'_>) -> [Row; 2] {
    let scenario = run_scenario(row);
    let name = |what: &str| format!("{} {} {} {what}", row.text("name"), row.text("dtype"), row.text("cache"));
    let compared = |of: fn(&Checked) -> Bytes| {
        let whole = |bytes: Bytes| u64::try_from(bytes.0).unwrap_or(u64::MAX);
        match (row.text("cache"), &scenario) {
            ("DynamicCache", Ok(scenario)) => Ok(whole(of(scenario))),
            ("StaticCache", Ok(scenario)) if scenario.seq_length <= STATIC_TOKENS => {
                Ok(whole(hf::fixed(scenario, STATIC_TOKENS)))
            }
            ("StaticCache", Ok(_)) => {
                Err(format!("more tokens than the {STATIC_TOKENS} of the script's static caches"))
            }
            (other, Ok(_)) => Err(format!("cache {other:?} is not known")),
            (_, Err(reason)) => Err(reason.clone()),
        }
    };
    // With a decoding step behind the prompt, a window's tensor holds the window; without one, the prompt.
    let held = if row.number_or("decode", 1) == Ok(0) { hf::after_prompt } else { exact };
    let of = |what, predicted, column| {
        let mut compared = bytes(name(what), row, predicted, row.whole(column));
        if row.text("cache") == "StaticCache" {
            compared.doubt =
                format!("the file does not say for how many tokens it was made: {STATIC_TOKENS}, as in the script");
        }
        compared
    };
    [of("used", compared(hf::used), "kv_logical_bytes"), of("held", compared(held), "kv_storage_bytes")]
}

fn exact(scenario: &Checked) -> Bytes {
    engines::reservation(scenario).exact
}

fn run_scenario(row: csv::Row<'_>) -> Result<Checked, String> {
    let [layers, heads, kv_heads, head_dim] =
        [row.number("layers")?, row.number("heads")?, row.number("kv_heads")?, row.number("head_dim")?];
    let mut shape = Architecture { layers, heads, kv_heads, head_dim, ..Architecture::llama([1; 7]) };
    let kinds = row.text("layer_types");
    let mut sliding = 0;
    for kind in kinds.split(';') {
        match kind.trim() {
            "DynamicSlidingWindowLayer" | "StaticSlidingWindowLayer" => sliding += 1,
            "DynamicLayer" | "StaticLayer" => {}
            other => return Err(format!("a cache layer {other:?} is not known")),
        }
    }
    if sliding > 0 {
        shape.sliding_window = Some(SlidingWindow::over(sliding, row.number("window")?));
    }
    let kv = match row.text("dtype") {
        "fp32" => KvPrecision::Fp32,
        "bf16" => KvPrecision::Bf16,
        "fp16" => KvPrecision::Fp16,
        other => return Err(format!("dtype {other:?} is no precision of the engine")),
    };
    let scenario =
        Scenario { batch: row.number("batch")?, seq_length: row.number("tokens")?, kv, ..Scenario::new(shape) };
    check(&scenario)
}
