//! The layout of the wall: a segment for each bucket, stacked against the line of what the GPU really has.

use memory_wall_core::display::ByteUnit;
use memory_wall_core::{Bucket, Bytes, Evaluation};

/// One bucket in the wall; all measures in percent of the drawing's height, from the top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// What it is made of.
    pub bucket: Bucket,
    /// How much.
    pub bytes: Bytes,
    /// Its upper edge.
    pub top: f64,
    /// Its height.
    pub height: f64,
    /// The middle of its label, moved apart from its neighbours' where they would touch.
    pub label: f64,
}

/// The pattern of a bucket's masonry, so that no bucket is told by colour alone.
pub const fn pattern(bucket: Bucket) -> &'static str {
    match bucket {
        Bucket::Weights => "solid",
        Bucket::KvCache => "brick",
        Bucket::Activations => "header",
        Bucket::Gradients => "diagonal",
        Bucket::Optimizer => "dots",
        Bucket::Logits => "rule",
        Bucket::Overhead => "open",
    }
}

/// The joints of that pattern: width and height of what is repeated, and its path.
pub const fn masonry(bucket: Bucket) -> [&'static str; 3] {
    match bucket {
        Bucket::Weights => ["24", "24", ""],
        Bucket::KvCache => ["26", "14", "M0 .5H26M0 7.5H26M6.5 0V7M19.5 7V14"],
        Bucket::Activations => ["13", "14", "M0 .5H13M0 7.5H13M3.5 0V7M10 7V14"],
        Bucket::Gradients => ["9", "9", "M-2 2L2 -2M0 9L9 0M7 11L11 7"],
        Bucket::Optimizer => ["9", "9", "M3 4.5H5M7.5 0H9.5M-1.5 0H.5M7.5 9H9.5M-1.5 9H.5"],
        Bucket::Logits => ["8", "6", "M0 3H8"],
        Bucket::Overhead => ["12", "12", "M0 .5H12M.5 0V12M0 12L12 0M0 0L12 12"],
    }
}

/// Where everything in the drawing stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The segments, bottom first; those of nothing have no height.
    pub segments: [Segment; 7],
    /// The line of the GPU.
    pub line: f64,
    /// The top of the wall.
    pub top: f64,
    /// Whether the wall rises above the line.
    pub over: bool,
    /// Marks of the axis, each with what it stands for.
    pub ticks: Vec<(f64, Bytes)>,
}

/// The least distance of two labels, in percent of the height.
const LABEL_GAP: f64 = 5.6;

/// Lays the wall out: the scale holds the taller of wall and line, with room above.
pub fn layout(evaluation: &Evaluation, capacity: Bytes, unit: ByteUnit) -> Layout {
    let total = evaluation.total;
    let tallest = total.max(capacity).0.max(1) as f64;
    let scale = tallest * if total > capacity { 1.06 } else { 1.14 };
    let height = |bytes: Bytes| bytes.0 as f64 / scale * 100.0;
    let mut below = 0.0;
    let mut segments = evaluation.buckets.map(|(bucket, bytes)| {
        let height = height(bytes);
        below += height;
        let top = 100.0 - below;
        Segment { bucket, bytes, top, height, label: top + height / 2.0 }
    });
    part_labels(&mut segments);
    Layout {
        segments,
        line: 100.0 - height(capacity),
        top: 100.0 - below,
        over: total > capacity,
        ticks: ticks(scale, unit).into_iter().map(|bytes| (100.0 - height(bytes), bytes)).collect(),
    }
}

/// Moves labels apart: from the bottom up so that none touches the one below, then from the top down so that none leaves the drawing.
fn part_labels(segments: &mut [Segment; 7]) {
    let mut lowest = 100.0 - LABEL_GAP / 2.0;
    for segment in segments.iter_mut().filter(|segment| segment.bytes > Bytes::ZERO) {
        segment.label = segment.label.min(lowest);
        lowest = segment.label - LABEL_GAP;
    }
    let mut highest = LABEL_GAP / 2.0;
    for segment in segments.iter_mut().rev().filter(|segment| segment.bytes > Bytes::ZERO) {
        segment.label = segment.label.max(highest);
        highest = segment.label + LABEL_GAP;
    }
}

/// Three to seven round sizes up to `scale` bytes.
fn ticks(scale: f64, unit: ByteUnit) -> Vec<Bytes> {
    let giga = unit.giga() as f64;
    let rough = scale / giga / 6.0;
    let mut step = 1e-3;
    // From a thousandth of a giga up by 1, 2, 5, 10, ...: some forty rounds reach any scale.
    for factor in [2.0, 2.5, 2.0].into_iter().cycle().take(90) {
        if step >= rough {
            break;
        }
        step *= factor;
    }
    let count = (scale / giga / step).floor();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most six marks, each far below 2^127 bytes"
    )]
    let marks = (0..=(count.clamp(0.0, 8.0) as u32)).map(|mark| Bytes((f64::from(mark) * step * giga).round() as u128));
    marks.collect()
}

/// Two decimals, from integers: formatting floats would add a tenth to the program for nothing.
pub fn percent(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 100 here")]
    let hundredths = (value.clamp(0.0, 10_000.0) * 100.0).round() as u32;
    format!("{}.{:02}%", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::State;
    use memory_wall_core::{Mode, evaluate};

    fn of(state: &State) -> Layout {
        layout(&evaluate(&state.scenario()), state.gpu.capacity, state.unit)
    }

    #[test]
    fn courses_stand_on_each_other_and_labels_never_touch() {
        for (mode, seq_length, batch) in [
            (Mode::Inference, 2_048, 1),
            (Mode::Inference, 10_000_000, 1_000_000),
            (Mode::Training, 1, 1),
            (Mode::Training, 4_096, 8),
        ] {
            let layout = of(&State { mode, batch, seq_length, ..State::default() });
            let mut floor = 100.0;
            for segment in &layout.segments {
                assert!((segment.top + segment.height - floor).abs() < 1e-9);
                floor = segment.top;
            }
            assert!(layout.top >= 0.0 && layout.line >= 0.0);
            let mut labels: Vec<f64> = layout
                .segments
                .iter()
                .filter(|segment| segment.bytes > Bytes::ZERO)
                .map(|segment| segment.label)
                .collect();
            assert!(labels.iter().all(|label| (0.0..=100.0).contains(label)), "{labels:?}");
            labels.sort_by(f64::total_cmp);
            assert!(labels.windows(2).all(|pair| pair[1] - pair[0] > LABEL_GAP - 1e-9), "{labels:?}");
        }
    }

    #[test]
    fn the_axis_has_a_few_round_marks() {
        for unit in ByteUnit::EACH {
            for seq_length in [1, 2_048, 128_000, 10_000_000] {
                let ticks = of(&State { seq_length, unit, ..State::default() }).ticks;
                assert!((3..=9).contains(&ticks.len()), "{ticks:?}");
                assert!(ticks.iter().all(|(at, _)| (0.0..=100.0).contains(at)));
            }
        }
    }

    #[test]
    fn the_line_is_crossed_exactly_when_it_does_not_fit() {
        let fits = of(&State::default());
        assert!(!fits.over && fits.top > fits.line);
        let too_much = of(&State { seq_length: 200_000, ..State::default() });
        assert!(too_much.over && too_much.top < too_much.line);
    }
}
