//! How the figure is drawn, once, when the page is built: a picture of the default settings.

use leptos::prelude::*;
use memory_wall_core::display::{ByteUnit, Grouped, Size};
use memory_wall_core::{Bucket, Bytes, evaluate};

use crate::charts::wall::percent;
use crate::sections::masonry::{SegmentRect, kept_unit};
use crate::state::State;
use crate::words;

/// The columns: tokens of the one sequence.
const COLUMNS: [u32; 5] = [2_048, 32_768, 65_536, 128_000, 160_000];
/// Where each column stands, and how wide it is, in percent of the width.
const PLACES: [&str; 5] = ["3%", "22.4%", "41.8%", "61.2%", "80.6%"];
const WIDTH: &str = "16.4%";

/// The figure.
pub fn view() -> AnyView {
    let state = State::default();
    let capacity = state.gpu.capacity;
    let walls = COLUMNS.map(|seq_length| evaluate(&State { seq_length, ..state }.scenario()));
    let tallest = walls.iter().map(|wall| wall.total).max().unwrap_or(capacity).max(capacity);
    let scale = tallest.0 as f64 * 1.02;
    let percent = |bytes: f64| percent(bytes / scale * 100.0);
    let line = percent(scale - capacity.0 as f64);
    let size = |bytes: Bytes| Size::new(bytes, ByteUnit::Gb).to_string();
    let said = walls.iter().zip(COLUMNS).map(|(wall, tokens)| {
        words::OpeningColumn { seq: &Grouped(tokens.into()).to_string(), total: &size(wall.total) }.text()
    });
    let said = said.collect::<Vec<_>>().join(", ");
    let shown_capacity = size(capacity);
    let label =
        words::OpeningWall { model: state.model.name, gpu: state.gpu.name, columns: &said, capacity: &shown_capacity }
            .text();
    let columns = walls
        .iter()
        .zip(PLACES)
        .zip(COLUMNS)
        .enumerate()
        .map(|(place, ((wall, x), tokens))| {
            let mut below = 0.0;
            let segments = wall
                .buckets
                .iter()
                .filter(|(_, bytes)| *bytes > Bytes::ZERO)
                .map(|(bucket, bytes)| {
                    let bytes = bytes.0 as f64;
                    below += bytes;
                    view! { <SegmentRect bucket=*bucket x width=WIDTH y=percent(scale - below) height=percent(bytes) /> }
                })
                .collect_view();
            let over = wall.total > capacity;
            view! {
                <svg class=format!("column column-{place}") overflow="visible" data-over=over.then_some("")>
                    {segments}
                    <svg x=x width=WIDTH overflow="visible">
                        <text class="column-tokens" x="50%" y="100%" dy="16">{Grouped(tokens.into()).to_string()}</text>
                        <text class="column-total" x="50%" y="100%" dy="34">{size(wall.total)}</text>
                    </svg>
                </svg>
            }
        })
        .collect_view();
    let caption = words::OpeningCaption { model: state.model.name, weights: state.weights.label() }.text();
    let line_label = format!("{}: {}", state.gpu.name, words::WallLine { capacity: &shown_capacity }.text());
    view! {
        <div class="opening-wall">
            <svg class="wall" role="img" aria-label=label overflow="visible">
                {columns}
                <line class="capacity" x1="0" x2="100%" y1=line.clone() y2=line.clone()></line>
                <text class="capacity-label" x="0" y=line dy="-8">{line_label}</text>
            </svg>
            <p class="opening-key">
                <span class="key">{words::opening_axis()}</span>
                {[Bucket::Weights, Bucket::KvCache, Bucket::Activations]
                    .map(|bucket| {
                        view! {
                            <span class="key">
                                <svg class="swatch" aria-hidden="true">
                                    <SegmentRect bucket x="0" width="100%" y="0".to_owned() height="100%".to_owned() />
                                </svg>
                                {words::bucket(bucket)}
                            </span>
                        }
                    })
                    .into_iter()
                    .collect_view()}
            </p>
            <p class="caption">{caption}</p>
            {kept_unit()}
        </div>
    }
    .into_any()
}
