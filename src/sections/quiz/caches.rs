//! Questions about the KV cache, with fresh numbers.

use memory_wall_core::architecture::{Architecture, Projection, SlidingWindow};
use memory_wall_core::display::Grouped;
use memory_wall_core::memory::paging::Served;
use memory_wall_core::{Bucket, Bytes, Scenario};

use super::numbers::{Variant, asked, in_gib, model};
use super::written::{gib, number, size};

pub(super) fn cache((id, batch, tokens): (&str, u32, u32)) -> Option<Variant> {
    let model = model(id)?;
    let shape = model.architecture;
    let bytes = asked(&Scenario { batch, seq_length: tokens, ..Scenario::new(shape) })?.bytes(Bucket::KvCache);
    let exact = bytes.0 as f64;
    let mut slips = vec![
        ("half", exact / 2.0),
        ("layers", exact / f64::from(shape.layers)),
        ("batch", exact / f64::from(batch)),
        ("gib", in_gib(bytes)),
    ];
    if shape.heads != shape.kv_heads {
        slips.push(("heads", exact * f64::from(shape.heads) / f64::from(shape.kv_heads)));
    }
    Some(Variant {
        values: vec![
            ("model", model.name.into()),
            ("layers", number(shape.layers)),
            ("kv_heads", number(shape.kv_heads)),
            ("head_dim", number(shape.head_dim)),
            ("batch", number(batch)),
            ("tokens", number(tokens)),
            ("size", size(bytes)),
            ("gib", gib(bytes)),
        ],
        answer: exact,
        slips,
    })
}

pub(super) fn context((id, free, batch): (&str, u32, u32)) -> Option<Variant> {
    let model = model(id)?;
    let each = asked(&Scenario::new(model.architecture))?.kv_bytes_per_token;
    let free = Bytes(u128::from(free) * 1_000_000_000);
    let all = free.0 / each.0.max(1);
    let tokens = all / u128::from(batch);
    let answer = tokens as f64;
    Some(Variant {
        values: vec![
            ("model", model.name.into()),
            ("free", size(free)),
            ("each", size(each)),
            ("batch", number(batch)),
            ("all", Grouped(all).to_string()),
            ("answer", Grouped(tokens).to_string()),
        ],
        answer,
        slips: vec![("batch", all as f64), ("half", answer / 2.0), ("double", answer * 2.0)],
    })
}

/// A latent cache.
pub(super) fn latent((id, batch, tokens): (&str, u32, u32)) -> Option<Variant> {
    let model = model(id)?;
    let shape = model.architecture;
    let Projection::Latent(latent) = shape.projection else { return None };
    let bytes = asked(&Scenario { batch, seq_length: tokens, ..Scenario::new(shape) })?.bytes(Bucket::KvCache);
    let exact = bytes.0 as f64;
    let values = latent.kv_lora_rank + latent.rope_dim;
    // Keys and values of all heads, as `DeepSeek` has them before they are compressed.
    let heads = u128::from(shape.heads) * u128::from(latent.nope_dim + latent.rope_dim + latent.v_dim);
    let whole = Bytes(bytes.0 / u128::from(values.max(1)) * heads);
    Some(Variant {
        values: vec![
            ("model", model.name.into()),
            ("layers", number(shape.layers)),
            ("latent", number(latent.kv_lora_rank)),
            ("rope", number(latent.rope_dim)),
            ("batch", number(batch)),
            ("tokens", number(tokens)),
            ("size", size(bytes)),
            ("whole", size(whole)),
        ],
        answer: exact,
        slips: vec![
            ("double", exact * 2.0),
            ("rope", exact * f64::from(latent.kv_lora_rank) / f64::from(values)),
            ("half", exact / 2.0),
            ("layers", exact / f64::from(shape.layers)),
            ("gib", in_gib(bytes)),
        ],
    })
}

/// One sequence of a model in which some layers keep only the latest tokens.
pub(super) fn windows((id, tokens): (&str, u32)) -> Option<Variant> {
    let model = model(id)?;
    let shape = model.architecture;
    let sliding = shape.sliding_window?;
    let of = |layers: Option<u32>| {
        let sliding_window = layers.map(|layers| SlidingWindow { layers, ..sliding });
        let shape = Architecture { sliding_window, ..shape };
        Some(asked(&Scenario { seq_length: tokens, ..Scenario::new(shape) })?.bytes(Bucket::KvCache))
    };
    let (bytes, all, window) = (of(Some(sliding.layers))?, of(None)?, of(Some(shape.layers))?);
    let exact = bytes.0 as f64;
    Some(Variant {
        values: vec![
            ("model", model.name.into()),
            ("layers", number(shape.layers)),
            ("kv_heads", number(shape.kv_heads)),
            ("head_dim", number(shape.head_dim)),
            ("sliding", number(sliding.layers)),
            ("full", number(shape.full_layers())),
            ("window", number(sliding.window)),
            ("tokens", number(tokens)),
            ("size", size(bytes)),
            ("all", size(all)),
        ],
        answer: exact,
        slips: vec![("all", all.0 as f64), ("window", window.0 as f64), ("half", exact / 2.0), ("gib", in_gib(bytes))],
    })
}

/// Sequences that are all as long, in pages.
pub(super) fn pages((batch, tokens, page): (usize, u32, u32)) -> Option<Variant> {
    let lengths = vec![tokens; batch];
    let served = Served { tokens: &lengths, longest: tokens, page, shared: 0 };
    let blocks = |tokens: u64| tokens / u64::from(page.max(1));
    let answer = blocks(served.pages());
    let count = u64::try_from(batch).ok()?;
    let each = answer.checked_div(count)?;
    Some(Variant {
        values: vec![
            ("page", number(page)),
            ("batch", batch.to_string()),
            ("tokens", number(tokens)),
            ("each", each.to_string()),
            ("answer", answer.to_string()),
            ("room", Grouped(served.pages().into()).to_string()),
            ("used", Grouped(served.used().into()).to_string()),
        ],
        answer: answer as f64,
        slips: vec![
            ("floor", (count * blocks(tokens.into())) as f64),
            ("together", served.used().div_ceil(page.into()) as f64),
            ("tokens", served.used() as f64),
        ],
    })
}
