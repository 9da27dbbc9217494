//! How the figure is drawn, once, when the page is built. Nothing in it follows the reader's settings.

use leptos::prelude::*;
use memory_wall_core::Bytes;
use memory_wall_core::display::{ByteUnit, Figure, Grouped, Size};
use memory_wall_core::roofline::Kernel;
use memory_wall_core::tables::models::{self, Model};

use crate::sections::masonry::kept_unit;
use crate::words;

/// Tokens of the sequence.
const TOKENS: u64 = 2_048;
/// Tiles along each side of the scores, and the one at work: its row and column.
pub(super) const TILES: usize = 16;
const AT: (usize, usize) = (10, 6);
/// The side of the scores in the drawing, and where it begins: behind the tensors beside it.
const SIDE: f64 = 96.0;
const LEFT: f64 = 12.0;
const TOP: f64 = 24.0;

/// Attention in one layer of the tutorial's model.
pub(super) struct Layer {
    model: &'static Model,
    pub(super) eager: Kernel,
    pub(super) flash: Kernel,
}

impl Layer {
    pub(super) fn new() -> Option<Self> {
        let model = models::by_id("llama-2-7b")?;
        let shape = model.architecture;
        let [heads, kv_heads, head_dim] = [shape.heads, shape.kv_heads, shape.head_dim].map(u64::from);
        let (batch, seq_length) = (1, TOKENS);
        Some(Self {
            model,
            eager: Kernel::EagerAttention { batch, seq_length, heads, kv_heads, head_dim },
            flash: Kernel::FlashAttention { batch, seq_length, heads, kv_heads, head_dim },
        })
    }

    /// Bytes of the scores of all heads, in 16 bits.
    pub(super) fn scores(&self) -> u128 {
        u128::from(self.model.architecture.heads) * u128::from(TOKENS).pow(2) * 2
    }
}

/// What a kernel reads and writes, in 16 bits.
pub(super) fn moved(kernel: Kernel) -> u128 {
    let work = kernel.work(2);
    work.read + work.written
}

/// Queries and the result down the sides, keys and values along the top, each as wide beside the scores as a head is beside the tokens.
fn strips(layer: &Layer) -> AnyView {
    let wide = f64::from(layer.model.architecture.head_dim) / TOKENS as f64 * SIDE;
    let down = |x: f64| format!("M{x} {TOP}h{wide}v{SIDE}h-{wide}z");
    let along = |y: f64| format!("M{LEFT} {y}h{SIDE}v{wide}h-{SIDE}z");
    let after = LEFT + SIDE + 3.0;
    let path = [down(LEFT - wide - 3.0), along(TOP - 2.0 * wide - 5.0), along(TOP - wide - 3.0), down(after)].concat();
    let label = |x: f64, y: f64, text: &'static str| view! { <text x=x y=y>{text}</text> };
    view! {
        <path class="tile-stored" d=path></path>
        {label(LEFT - 6.0, TOP - 3.0, "Q")}
        {label(LEFT + SIDE / 2.0, 5.0, "K, V")}
        {label(after + 3.0, TOP - 3.0, "O")}
    }
    .into_any()
}

/// A way to compute it: its name, its picture and its bytes.
fn panel(name: &'static str, bytes: String, scores: AnyView, layer: &Layer) -> AnyView {
    let across = LEFT + SIDE + 12.0;
    view! {
        <li>
            <p>
                <b>{name}</b>
            </p>
            <svg class="drawing" viewBox=format!("0 0 {across} {}", TOP + SIDE + 1.0) aria-hidden="true">
                {scores} {strips(layer)}
            </svg>
            <p>{bytes}</p>
        </li>
    }
    .into_any()
}

/// The figure.
pub fn view() -> AnyView {
    let Some(layer) = Layer::new() else { return ().into_any() };
    let size = |bytes| Size::new(Bytes(bytes), ByteUnit::Gb).to_string();
    let [eager, flash] = [layer.eager, layer.flash].map(moved);
    let model = layer.model.name;
    let tokens = Grouped(TOKENS.into()).to_string();
    let heads = layer.model.architecture.heads.to_string();
    let scores = size(layer.scores());
    let ratio = Figure(eager as f64 / flash as f64).to_string();
    let (eager, flash) = (size(eager), size(flash));

    let step = SIDE / TILES as f64;
    let (row, column) = AT;
    let tile = format!("h{step}v{step}h-{step}z");
    // Rows up to the diagonal, and the row at work as far as it has come.
    let done = (0..=row).fold(String::new(), |done, at| {
        let count = if at == row { column } else { at + 1 };
        done + &format!("M{LEFT} {}", TOP + step * at as f64) + &format!("{tile}m{step} 0").repeat(count)
    });
    let now = format!("M{} {}{tile}", LEFT + step * column as f64, TOP + step * row as f64);
    let square = format!("M{LEFT} {TOP}h{SIDE}v{SIDE}h-{SIDE}z");
    let tiles = view! {
        <path class="tile-frame" d=square.clone()></path>
        <path class="tile-done" d=done></path>
        <path class="tile-now" d=now></path>
    };
    let whole = view! { <path class="tile-stored" d=square></path> };
    let sentence = words::TilesSentence { heads: &heads, times: &ratio }.text();
    view! {
        <div class="tiles">
            <p class="figure-title">{words::TilesTitle { model, tokens: &tokens }.text()}</p>
            <ul class="tile-ways">
                {panel(words::tiles_eager(), words::TilesEagerBytes { scores: &scores, eager: &eager }.text(), whole.into_any(), &layer)}
                {panel(words::tiles_flash(), words::TilesFlashBytes { flash: &flash }.text(), tiles.into_any(), &layer)}
            </ul>
            <p class="summary">{sentence}</p>
            {kept_unit()}
        </div>
    }
    .into_any()
}
