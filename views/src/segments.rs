//! Segments with what is allocated, waits to be free, and is free in them.

use memory_wall_core::display::ByteUnit;
use memory_wall_reports::snapshot::{BlockState, Device, Segment};
use memory_wall_reports::values::Written;

use crate::{grouped, share, size};

/// Segments that are drawn; more of them could not be told apart.
const MOST: usize = 1 << 12;
/// Stretches of all of them together that are drawn.
const MOST_RUNS: usize = 1 << 16;
/// Rows of the table.
const ROWS: usize = 40;

/// For each segment its bytes, how many stretches it has, and for each of those its state (0 allocated, 1 pending, 2 free) and bytes.
pub(crate) fn map(device: &Device) -> Vec<f64> {
    let mut numbers = Vec::new();
    let mut left = MOST_RUNS;
    for segment in device.fragmented().into_iter().take(MOST) {
        let runs = segment.runs();
        let Some(rest) = left.checked_sub(runs.len()) else { break };
        left = rest;
        numbers.extend([segment.size as f64, runs.len() as f64]);
        numbers.extend(runs.iter().flat_map(|(state, bytes)| [f64::from(*state as u8), *bytes as f64]));
    }
    numbers
}

/// The sums over all segments, and the table: at its end a row for those that it has no room for.
pub(crate) fn summary(json: &mut Written, device: &Device, unit: ByteUnit) {
    let totals = &device.totals;
    json.name("segments").within('{', &mut |json| {
        json.name("count").number(totals.segments.into());
        json.name("used").text(&grouped(totals.used_segments));
        json.name("all").text(&grouped(totals.segments));
        json.name("reserved").text(&size(totals.reserved, unit));
        json.name("allocated").text(&size(totals.allocated, unit));
        json.name("pending").text(&size(totals.active.saturating_sub(totals.allocated), unit));
        json.name("waits").switch(totals.active > totals.allocated);
        json.name("fragmented").text(&size(totals.fragmented, unit));
        json.name("share").text(&share(totals.fragmented, totals.reserved));
        json.name("cached").text(&size(totals.cached, unit));
        json.name("largest").text(&size(totals.largest_free, unit));
        json.name("rows").within('[', &mut |json| {
            let segments = device.fragmented();
            for (segment, place) in segments.iter().zip(1_u64..).take(ROWS) {
                json.texts(&row(&grouped(place), std::slice::from_ref(segment), unit));
            }
            if let Some(rest @ [_, ..]) = segments.get(ROWS..) {
                let name = format!("{}–{}", grouped(ROWS as u64 + 1), grouped(segments.len() as u64));
                json.texts(&row(&name, rest, unit));
            }
        });
    });
}

/// Some segments: their name, pool, bytes, what is allocated, waits and is free, and the largest free block.
fn row(name: &str, segments: &[&Segment], unit: ByteUnit) -> [String; 7] {
    let sum = |of: &dyn Fn(&Segment) -> u64| segments.iter().fold(0, |sum: u64, it| sum.saturating_add(of(it)));
    let [allocated, pending, free] = [BlockState::Allocated, BlockState::Pending, BlockState::Free]
        .map(|state| size(sum(&|it| it.bytes(state)), unit));
    let largest = segments.iter().map(|it| it.largest_free()).max().unwrap_or(0);
    let mut pools = segments.iter().map(|it| pool(it));
    let pool = pools.next().filter(|first| pools.all(|other| other == *first)).unwrap_or_default();
    [name.to_owned(), pool, size(sum(&|it| it.size), unit), allocated, pending, free, size(largest, unit)]
}

/// What a segment is for, as PyTorch calls it.
fn pool(segment: &Segment) -> String {
    let words = [
        (segment.is_private, "private"),
        (segment.is_expandable, "expandable"),
        (true, if segment.is_small { "small" } else { "large" }),
    ];
    words.into_iter().filter(|(is, _)| *is).map(|(_, word)| word).collect::<Vec<_>>().join(", ")
}

/// One segment, by its place on the map.
pub(crate) fn segment(json: &mut Written, device: &Device, place: u32, unit: ByteUnit) {
    let segments = device.fragmented();
    let Some(segment) = segments.get(place as usize) else { return };
    let name = grouped(u64::from(place) + 1);
    json.name("cells").texts(&row(&name, std::slice::from_ref(segment), unit));
    json.name("cached").switch(!segment.is_used());
}
