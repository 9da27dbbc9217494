//! How the figure is drawn, once, when the page is built. Nothing in it follows the reader's settings.

use std::fmt::Write as _;

use leptos::prelude::*;
use memory_wall_core::Bytes;
use memory_wall_core::architecture::{Architecture, Projection};
use memory_wall_core::display::{ByteUnit, Percent, Size};
use memory_wall_core::memory::kinds::Kind;

use crate::sections::masonry::kept_unit;
use crate::words;

/// The kinds that differ in what a head shares, in the order of the picture.
pub(super) const KINDS: [Kind; 4] = [Kind::MultiHead, Kind::Grouped, Kind::MultiQuery, Kind::Latent];

/// From one query head to the next, and how wide the key and the value of one are.
const STEP: f64 = 10.0;
const WIDTH: f64 = 8.0;
/// Where the stored values begin, and how high keys and values are each.
const TOP: f64 = 42.0;
const TALL: f64 = 13.0;

fn size(bytes: Bytes) -> String {
    Size::new(bytes, ByteUnit::Gb).to_string()
}

/// What a kind stores, beside what multi-head attention does.
pub(super) fn share(kind: Kind) -> f64 {
    kind.token_in_a_layer().share_of(Kind::MultiHead.token_in_a_layer())
}

/// How many stored blocks there are, and how wide each is: a key and a value of one head are one unit, and a latent vector is as many
/// as it has values.
pub(super) fn blocks(shape: &Architecture) -> (u32, f64) {
    match shape.projection {
        Projection::Heads => (shape.kv_heads, WIDTH),
        Projection::Latent(latent) => {
            let pair = 2.0 * f64::from(Kind::MultiHead.shape().head_dim);
            (1, WIDTH * f64::from(latent.kv_lora_rank + latent.rope_dim) / pair)
        }
    }
}

/// Query heads, lines to what they use, and the stored blocks: three paths, whose steps are relative so that they repeat.
fn drawn(kind: Kind) -> AnyView {
    let shape = kind.shape();
    let (count, width) = blocks(&shape);
    let group = shape.heads / count.max(1);
    let latent = matches!(shape.projection, Projection::Latent(_));
    let span = STEP * f64::from(group);
    let below = TOP - 9.0;
    let [mut lines, mut stored] = [format!("M{} 9", STEP / 2.0), format!("M{} {TOP}", (span - width) / 2.0)];
    for head in 0..shape.heads {
        let aside = f64::from(group - 1) / 2.0 * STEP - f64::from(head % group.max(1)) * STEP;
        // Writing to a string cannot fail.
        let _ = write!(lines, "l{aside} {below}m{} -{below}", STEP - aside);
    }
    for _ in 0..count {
        let part = |tall: f64| format!("h{width}v{tall}h-{width}z");
        let _ = if latent {
            write!(stored, "{}", part(2.0 * TALL))
        } else {
            write!(stored, "{}m0 {TALL}{}m{span} -{TALL}", part(TALL), part(TALL))
        };
    }
    let heads = format!("M1 1{}", "h8v8h-8zm10 0".repeat(shape.heads as usize));
    let across = STEP * f64::from(shape.heads);
    view! {
        <svg class="drawing" viewBox=format!("0 0 {across} {}", TOP + 2.0 * TALL + 1.0) aria-hidden="true">
            <path class="head-lines" data-again=latent.then_some("") d=lines></path>
            <path class="head-query" d=heads></path>
            <path class="head-stored" d=stored></path>
        </svg>
    }
    .into_any()
}

/// What a kind is called here.
fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::MultiHead => words::heads_kind_mha(),
        Kind::Grouped => words::heads_kind_gqa(),
        Kind::MultiQuery => words::heads_kind_mqa(),
        Kind::Latent => words::heads_kind_latent(),
        Kind::Sliding => words::cache_kind(kind),
    }
}

/// One kind: its name, its picture and what it stores.
fn panel(kind: Kind) -> AnyView {
    let shape = kind.shape();
    let layer = kind.token_in_a_layer();
    let [heads, kv, layers] = [shape.heads, shape.kv_heads, shape.layers].map(|n| n.to_string());
    let all = Bytes(layer.0 * u128::from(shape.layers));
    let stored = match shape.projection {
        Projection::Latent(latent) => {
            let values = (latent.kv_lora_rank + latent.rope_dim).to_string();
            words::HeadsStoredLatent { n: &heads, values: &values }.text()
        }
        Projection::Heads if shape.kv_heads == 1 => words::HeadsStoredHead { n: &heads }.text(),
        Projection::Heads => words::HeadsStoredHeads { n: &heads, kv: &kv }.text(),
    };
    view! {
        <li>
            <p class="head-kind">
                <b>{name(kind)}</b>
                " "
                <span>{stored}</span>
            </p>
            {drawn(kind)}
            <p>
                <b>{size(layer)}</b>
                " "
                {words::heads_layer()}
                <span class="head-all">{words::HeadsToken { token: &size(all), layers: &layers }.text()}</span>
            </p>
        </li>
    }
    .into_any()
}

/// The figure.
pub fn view() -> AnyView {
    let shape = Kind::MultiHead.shape();
    let percent = |kind| Percent(share(kind)).to_string();
    let sentence = words::HeadsSentence {
        n: &shape.heads.to_string(),
        layers: &shape.layers.to_string(),
        group: &(shape.heads / Kind::Grouped.shape().kv_heads).to_string(),
        gqa: &percent(Kind::Grouped),
        mqa: &percent(Kind::MultiQuery),
        latent: &percent(Kind::Latent),
    }
    .text();
    view! {
        <div class="heads">
            <p class="figure-title">{words::heads_title()}</p>
            <p class="caption">{words::heads_key()}</p>
            {kept_unit()}
            <ul class="head-kinds">{KINDS.map(panel).collect_view()}</ul>
            <p class="summary">{sentence}</p>
        </div>
    }
    .into_any()
}
