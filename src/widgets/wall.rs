//! The wall: buckets as courses of masonry, stacked against the line of what the card really has.

use leptos::prelude::*;
use memory_wall_core::display::{ByteUnit, Size};
use memory_wall_core::{Bucket, Bytes, Evaluation};

use super::bind::{flag, text, view};
use crate::words::{self, fill};

/// One course of the wall; all measures in percent of the drawing's height, from the top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
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

/// Where everything in the drawing stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The courses, bottom first; those of nothing have no height.
    pub courses: [Course; 7],
    /// The line of the card.
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
    let mut courses = evaluation.buckets.map(|(bucket, bytes)| {
        let height = height(bytes);
        below += height;
        let top = 100.0 - below;
        Course { bucket, bytes, top, height, label: top + height / 2.0 }
    });
    part_labels(&mut courses);
    Layout {
        courses,
        line: 100.0 - height(capacity),
        top: 100.0 - below,
        over: total > capacity,
        ticks: ticks(scale, unit).into_iter().map(|bytes| (100.0 - height(bytes), bytes)).collect(),
    }
}

/// Moves labels apart: from the bottom up so that none touches the one below, then from the top down so that none leaves the drawing.
fn part_labels(courses: &mut [Course; 7]) {
    let mut lowest = 100.0 - LABEL_GAP / 2.0;
    for course in courses.iter_mut().filter(|course| course.bytes > Bytes::ZERO) {
        course.label = course.label.min(lowest);
        lowest = course.label - LABEL_GAP;
    }
    let mut highest = LABEL_GAP / 2.0;
    for course in courses.iter_mut().rev().filter(|course| course.bytes > Bytes::ZERO) {
        course.label = course.label.max(highest);
        highest = course.label + LABEL_GAP;
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
    // At most six marks, each far below 2^127 bytes.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let marks = (0..=(count.clamp(0.0, 8.0) as u32)).map(|mark| Bytes((f64::from(mark) * step * giga).round() as u128));
    marks.collect()
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

/// A bucket's name.
pub fn bucket_name(bucket: Bucket) -> String {
    words::choice("bucket", bucket.id())
}

/// Two decimals, from integers: formatting floats would add a tenth to the program for nothing.
pub fn percent(value: f64) -> String {
    // Between 0 and 100 here.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let hundredths = (value.clamp(0.0, 10_000.0) * 100.0).round() as u32;
    format!("{}.{:02}%", hundredths / 100, hundredths % 100)
}

/// The patterns of all masonry, once in a page.
#[component]
pub fn Patterns() -> impl IntoView {
    let define = |id: &'static str, width: &'static str, height: &'static str, path: &'static str| {
        view! {
            <pattern id=format!("masonry-{id}") width=width height=height patternUnits="userSpaceOnUse">
                <path class="mortar" d=path></path>
            </pattern>
        }
    };
    view! {
        <svg class="patterns" width="0" height="0" aria-hidden="true" focusable="false">
            <defs>
                {define("solid", "24", "24", "")}
                {define("brick", "26", "14", "M0 .5H26M0 7.5H26M6.5 0V7M19.5 7V14")}
                {define("header", "13", "14", "M0 .5H13M0 7.5H13M3.5 0V7M10 7V14")}
                {define("diagonal", "9", "9", "M-2 2L2 -2M0 9L9 0M7 11L11 7")}
                {define("dots", "9", "9", "M3 4.5H5M7.5 0H9.5M-1.5 0H.5M7.5 9H9.5M-1.5 9H.5")}
                {define("rule", "8", "6", "M0 3H8")}
                {define("open", "12", "12", "M0 .5H12M.5 0V12M0 12L12 0M0 0L12 12")}
            </defs>
        </svg>
    }
}

/// One course, a coloured ground under its mortar. Also the swatch of a bucket in a table.
#[component]
pub fn CourseRect(
    bucket: Bucket,
    x: &'static str,
    width: &'static str,
    #[prop(into)] y: Signal<String>,
    #[prop(into)] height: Signal<String>,
) -> impl IntoView {
    view! {
        <g class=format!("course course-{}", bucket.id())>
            <rect class="ground" x=x width=width y=y height=height></rect>
            <rect x=x width=width y=y height=height fill=format!("url(#masonry-{})", pattern(bucket))></rect>
        </g>
    }
}

/// The wall of one evaluation, with its axis, its labels and the line of the card.
#[component]
pub fn Wall(
    #[prop(into)] layout: Signal<Layout>,
    #[prop(into)] unit: Signal<ByteUnit>,
    /// What the line stands for, in words.
    #[prop(into)]
    line_label: Signal<String>,
    /// The whole picture in a sentence.
    #[prop(into)]
    summary: Signal<String>,
) -> impl IntoView {
    let size = move |bytes: Bytes| Size::new(bytes, unit.get()).to_string();
    let courses = Bucket::ALL
        .into_iter()
        .enumerate()
        .map(|(place, bucket)| {
            let of = move |pick: fn(&Course) -> f64| layout.with(|layout| layout.courses.get(place).map_or(0.0, pick));
            let empty = flag(move || {
                layout.with(|layout| layout.courses.get(place).is_none_or(|course| course.bytes == Bytes::ZERO))
            });
            let y = Signal::derive(move || percent(of(|course| course.top)));
            let height = Signal::derive(move || percent(of(|course| course.height)));
            let middle = text(move || percent(of(|course| course.top + course.height / 2.0)));
            let label = text(move || percent(of(|course| course.label)));
            let bytes =
                move || layout.with(|layout| layout.courses.get(place).map_or(Bytes::ZERO, |course| course.bytes));
            view! {
                <g class="layer" data-bucket=bucket.id() data-empty=empty>
                    <CourseRect bucket x="13%" width="36%" y height />
                    <line class="leader" x1="49.5%" x2="53%" y1=middle y2=label></line>
                    <text class="course-label" x="54%" y=label>
                        <tspan class="course-name">{bucket_name(bucket)}</tspan>
                        " "
                        <tspan class="course-size">{text(move || size(bytes()))}</tspan>
                    </text>
                </g>
            }
        })
        .collect_view();
    let ticks = view(move || {
        layout.with(|layout| {
            layout
                .ticks
                .iter()
                .map(|&(at, bytes)| {
                    view! {
                        <line class="tick" x1="11.5%" x2="13%" y1=percent(at) y2=percent(at)></line>
                        <text class="tick-label" x="10.5%" y=percent(at)>{size(bytes)}</text>
                    }
                })
                .collect_view()
                .into_any()
        })
    });
    let line = text(move || percent(layout.with(|layout| layout.line)));
    let over = flag(move || layout.with(|layout| layout.over));
    view! {
        <svg class="wall" role="img" aria-label=text(move || fill("wall.title", &[("summary", &summary.get())])) data-over=over>
            {ticks}
            {courses}
            <line class="capacity" x1="11.5%" x2="100%" y1=line y2=line></line>
            <text class="capacity-label" x="14%" y=line dy="-7">{line_label}</text>
        </svg>
    }
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
            let layout = of(&State { mode, seq_length, batch, ..State::default() });
            let mut floor = 100.0;
            for course in &layout.courses {
                assert!((course.top + course.height - floor).abs() < 1e-9);
                floor = course.top;
            }
            assert!(layout.top >= 0.0 && layout.line >= 0.0);
            let mut labels: Vec<f64> =
                layout.courses.iter().filter(|course| course.bytes > Bytes::ZERO).map(|course| course.label).collect();
            assert!(labels.iter().all(|label| (0.0..=100.0).contains(label)), "{labels:?}");
            labels.sort_by(f64::total_cmp);
            assert!(labels.windows(2).all(|pair| pair[1] - pair[0] > LABEL_GAP - 1e-9), "{labels:?}");
        }
    }

    #[test]
    fn the_axis_has_a_few_round_marks() {
        for unit in ByteUnit::ALL {
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
