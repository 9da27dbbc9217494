//! Throughput against latency as a chart: a line for each plan, from one sequence at once to the most that fit.

use leptos::prelude::*;
use memory_wall_app::charts::wall;
use memory_wall_app::figures::money;
use memory_wall_core::display::{Count, Figure, Grouped};
use memory_wall_plan::file::MOST;
use memory_wall_plan::frontier::{BATCHES, Point};

use crate::desk::{Desk, places};
use crate::words;

/// The most marks on an axis.
const MARKS: usize = 8;
/// Rows of the table: every number of sequences that is tried, and the most that fit.
const ROWS: usize = BATCHES.len() + 1;
/// Room between what is drawn and the edge, as a factor.
const ROOM: f64 = 1.25;
/// The least distance between two names, in hundredths of the height.
const APART: f64 = 7.0;

/// A mark on an axis: where, in hundredths, and what it says.
#[derive(Clone, Debug, Default, PartialEq)]
struct Mark {
    at: f64,
    text: String,
}

/// The line of a plan. Paths are in hundredths of the drawing.
#[derive(Clone, Debug, Default, PartialEq)]
struct Line {
    /// What nine of ten measured runs reach at least.
    slow: String,
    /// From there to the bound.
    band: String,
    /// A dot at each number of sequences.
    dots: String,
    /// Where its name is.
    label: [f64; 2],
}

/// Everything that is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Chart {
    marks: [Vec<Mark>; 2],
    lines: [Option<Line>; MOST],
}

/// An axis whose steps are factors.
#[derive(Clone, Copy)]
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// From the least to the most of these, with room at both ends.
    fn over(values: impl Iterator<Item = f64> + Clone) -> Self {
        let low = values.clone().fold(f64::INFINITY, f64::min) / ROOM;
        let high = values.fold(0.0, f64::max) * ROOM;
        Self { low: libm::log10(low), high: libm::log10(high) }
    }

    /// The place of a value, in hundredths.
    fn at(self, value: f64) -> f64 {
        (libm::log10(value) - self.low) / (self.high - self.low) * 100.0
    }

    /// Marks at 1, 2 and 5 times the powers of ten, or at these alone where that would be too many.
    fn marks(self) -> Vec<Mark> {
        let steps: &[f64] = if self.high - self.low < 2.2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        #[expect(clippy::cast_possible_truncation, reason = "powers of ten of rates are small")]
        let powers = (libm::floor(self.low) as i32)..=(libm::ceil(self.high) as i32);
        let values = powers.flat_map(|power| steps.iter().map(move |step| step * libm::pow(10.0, power.into())));
        let inside = values.filter(|value| (self.low..=self.high).contains(&libm::log10(*value)));
        inside.map(|value| Mark { at: self.at(value), text: said(value) }).take(MARKS).collect()
    }
}

/// A mark in few digits.
fn said(value: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "rates are positive and far below 2^64"
    )]
    if value >= 1.0 { Count(value as u64).to_string() } else { Figure(value).to_string().trim_end_matches('0').into() }
}

/// A place in the drawing, in hundredths of it.
fn place(share: f64) -> String {
    wall::percent(share).trim_end_matches('%').into()
}

impl Chart {
    /// The chart of these plans.
    pub(crate) fn of(plans: &[Vec<Point>]) -> Self {
        let all = || plans.iter().flatten();
        if all().next().is_none() {
            return Self::default();
        }
        let x = Axis::over(all().flat_map(|point| point.per_user));
        let y = Axis::over(all().flat_map(|point| point.in_all));
        let placed = |point: &Point, end: usize| {
            let of = |ends: &[f64; 2]| ends.get(end).copied().unwrap_or_default();
            [x.at(of(&point.per_user)), 100.0 - y.at(of(&point.in_all))]
        };
        let mut lines: [Option<Line>; MOST] = Default::default();
        for (line, points) in lines.iter_mut().zip(plans) {
            let Some(last) = points.last() else { continue };
            let slow: Vec<[f64; 2]> = points.iter().map(|point| placed(point, 1)).collect();
            let bound = points.iter().rev().map(|point| placed(point, 0));
            let band: Vec<[f64; 2]> = slow.iter().copied().chain(bound).collect();
            let dots = slow.iter().fold(String::new(), |mut path, [x, y]| {
                path.extend(["M", &place(*x), " ", &place(*y), "h0"]);
                path
            });
            *line = Some(Line { slow: path(&slow), band: path(&band) + "Z", dots, label: placed(last, 1) });
        }
        spread(&mut lines);
        Self { marks: [x.marks(), y.marks()], lines }
    }
}

/// A path through points.
fn path(points: &[[f64; 2]]) -> String {
    points.iter().enumerate().fold(String::new(), |mut path, (at, [x, y])| {
        path.extend([if at == 0 { "M" } else { "L" }, &place(*x), " ", &place(*y)]);
        path
    })
}

/// Moves names down that would stand on one another.
fn spread(lines: &mut [Option<Line>]) {
    let mut labels: Vec<&mut [f64; 2]> = lines.iter_mut().flatten().map(|line| &mut line.label).collect();
    labels.sort_by(|one, other| one[1].total_cmp(&other[1]));
    let mut floor = f64::NEG_INFINITY;
    for [_, y] in labels {
        *y = y.max(floor);
        floor = *y + APART;
    }
}

/// What a plan has at a row of the table: at a number of sequences, or at the most that fit.
fn at_row(points: &[Point], row: usize) -> Option<&Point> {
    match BATCHES.get(row) {
        Some(batch) => points.iter().find(|point| point.sequences == u64::from(*batch)),
        None => points.last(),
    }
}

/// A range in words, from the slower end on.
fn rates([best, worst]: [f64; 2]) -> String {
    money::numbers([worst, best])
}

/// The chart, what it says in a sentence, and the same as a table.
#[component]
pub(crate) fn Frontier(desk: Desk) -> impl IntoView {
    let chart = Memo::new(move |_| {
        let points = |place| desk.frontier(place, <[Point]>::to_vec).unwrap_or_default();
        Chart::of(&places().map(points).collect::<Vec<_>>())
    });
    let none = move || chart.with(|chart| chart.lines.iter().all(Option::is_none));
    let summary = move || {
        let each = places().filter_map(|place| {
            desk.frontier(place, |points| {
                let (first, last) = (points.first()?, points.last()?);
                let sentence = words::FrontierPlan {
                    name: &desk.name(place),
                    alone: &rates(first.per_user),
                    n: &Grouped(last.sequences.into()).to_string(),
                    each: &rates(last.per_user),
                    all: &rates(last.in_all),
                };
                Some(sentence.text())
            })
            .flatten()
        });
        each.collect::<Vec<_>>().join(" ")
    };
    view! {
        <div class="frontier" hidden=none>
            <h3 id="frontier-title">{words::frontier_title()}</h3>
            <p class="caption">{words::frontier_about()}</p>
            <svg class="frontier-chart" role="img" aria-labelledby="frontier-title" aria-describedby="frontier-summary">
                {(0..2).map(|axis| view! { <Marks chart axis /> }).collect_view()}
                <svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%">
                    {places().map(|place| view! { <Drawn desk chart place /> }).collect_view()}
                </svg>
                <text class="axis" x="0" y="-10">{words::frontier_all()}</text>
                <text class="axis axis-end" x="100%" y="100%" dy="36">{words::frontier_user()}</text>
                {places().map(|place| view! { <Name desk chart place /> }).collect_view()}
            </svg>
            <p class="caption" id="frontier-summary">{summary}</p>
            <details class="more">
                <summary>{words::frontier_table()}</summary>
                <Table desk />
            </details>
        </div>
    }
}

/// The marks of an axis, with a line through the drawing at each.
#[component]
fn Marks(chart: Memo<Chart>, axis: usize) -> impl IntoView {
    let marks = (0..MARKS)
        .map(|nth| {
            let mark =
                Memo::new(move |_| chart.with(|chart| chart.marks.get(axis).and_then(|marks| marks.get(nth)).cloned()));
            let hidden = move || mark.with(Option::is_none).then_some("none");
            let text = move || mark.get().map(|mark| mark.text).unwrap_or_default();
            let share = move || mark.get().map(|mark| mark.at).unwrap_or_default();
            let at = wall::percent;
            // The first axis is at the bottom, the second at the left.
            let below = axis == 0;
            let x = move || if below { at(share()) } else { at(0.0) };
            let y = move || if below { at(0.0) } else { at(100.0 - share()) };
            let far_x = move || if below { at(share()) } else { at(100.0) };
            let far_y = move || if below { at(100.0) } else { at(100.0 - share()) };
            let [dx, dy] = if below { ["0", "18"] } else { ["-8", "4"] };
            view! {
                <g display=hidden>
                    <line x1=x x2=far_x y1=y y2=far_y></line>
                    <text class="mark" class:mark-end=!below x=x y=far_y dx=dx dy=dy>
                        {text}
                    </text>
                </g>
            }
        })
        .collect_view();
    view! { <g class="marks">{marks}</g> }
}

/// The line of a plan.
#[component]
fn Drawn(desk: Desk, chart: Memo<Chart>, place: usize) -> impl IntoView {
    let line = move |of: fn(&Line) -> &String| {
        move || chart.with(|chart| chart.lines.get(place).and_then(Option::as_ref).map(|line| of(line).clone()))
    };
    view! {
        <g class="line" data-place=place.to_string() data-chosen=move || (desk.chosen() == place).then_some("")>
            <path class="band" d=line(|line| &line.band)></path>
            <path class="slow" d=line(|line| &line.slow)></path>
            <path class="dots" d=line(|line| &line.dots)></path>
        </g>
    }
}

/// The name of a plan at the end of its line.
#[component]
fn Name(desk: Desk, chart: Memo<Chart>, place: usize) -> impl IntoView {
    let label = move || chart.with(|chart| chart.lines.get(place).and_then(Option::as_ref).map(|line| line.label));
    let chosen = move || desk.chosen() == place;
    // Towards the middle, where there is room.
    let left = move || label().is_some_and(|[x, _]| x > 60.0);
    let at = move |axis: usize| wall::percent(label().and_then(|at| at.get(axis).copied()).unwrap_or_default());
    view! {
        <text
            class="line-name"
            class:line-name-left=left
            data-chosen=move || chosen().then_some("")
            display=move || label().is_none().then_some("none")
            x=move || at(0)
            y=move || at(1)
            dx=move || if left() { "-4" } else { "4" }
            dy="-9"
        >
            {move || desk.name(place)}
        </text>
    }
}

/// The same as a table.
#[component]
fn Table(desk: Desk) -> impl IntoView {
    let cell = move |place: usize, row: usize| desk.frontier(place, |points| at_row(points, row).copied()).flatten();
    let heads = places()
        .map(|place| {
            view! {
                <th scope="col" class="numeric">
                    {move || desk.name(place)}
                </th>
            }
        })
        .collect_view();
    let rows = (0..ROWS)
        .map(|row| {
            let head = BATCHES
                .get(row)
                .map_or_else(|| words::frontier_most().to_owned(), |it| Grouped((*it).into()).to_string());
            let cells = places()
                .map(|place| {
                    let text = move || {
                        cell(place, row).map(|point| {
                            let (each, all) = (rates(point.per_user), rates(point.in_all));
                            let n = Grouped(point.sequences.into()).to_string();
                            if row < BATCHES.len() {
                                words::FrontierCell { each: &each, all: &all }.text()
                            } else {
                                words::FrontierCellMost { n: &n, each: &each, all: &all }.text()
                            }
                        })
                    };
                    view! {
                        <td class="numeric">
                            {text}
                        </td>
                    }
                })
                .collect_view();
            view! {
                <tr hidden=move || places().all(|place| cell(place, row).is_none())>
                    <th scope="row">{head}</th>
                    {cells}
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="table-scroll" tabindex="0" role="group" aria-labelledby="frontier-caption">
            <table class="compared" id="frontier" data-plans=move || desk.count().to_string()>
                <caption id="frontier-caption">{words::frontier_caption()}</caption>
                <thead>
                    <tr>
                        <th scope="col">{words::FIGURE.of("sequences")}</th>
                        {heads}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use memory_wall_plan::frontier::frontier;
    use memory_wall_plan::reply::Reply;

    use super::*;
    use crate::board::Board;

    fn points(of: impl Iterator<Item = (f64, f64)>) -> Vec<Point> {
        let point =
            |(each, all): (f64, f64)| Point { sequences: 1, per_user: [each * 2.0, each], in_all: [all * 2.0, all] };
        of.map(point).collect()
    }

    #[test]
    fn everything_is_inside_the_drawing() {
        let plans =
            [points([(100.0, 100.0), (10.0, 5_000.0)].into_iter()), Vec::new(), points([(3.0, 3.0)].into_iter())];
        let chart = Chart::of(&plans);
        assert!(chart.lines[1].is_none() && chart.lines[3].is_none());
        for line in chart.lines.iter().flatten() {
            let numbers = line.band.split(['M', 'L', 'Z', ' ']).filter(|text| !text.is_empty());
            assert!(numbers.map(|text| text.parse::<f64>().unwrap()).all(|at| (0.0..=100.0).contains(&at)), "{line:?}");
            assert_eq!(line.slow.matches(['M', 'L']).count(), line.dots.matches("h0").count());
        }
        for marks in &chart.marks {
            assert!(marks.len() >= 2 && marks.iter().all(|mark| (0.0..=100.0).contains(&mark.at)), "{marks:?}");
        }
        assert_eq!(Chart::of(&[Vec::new()]), Chart::default());
    }

    #[test]
    fn marks_are_short() {
        for (value, text) in [(0.002, "0.002"), (0.05, "0.05"), (0.1, "0.1"), (1.0, "1"), (5_000.0, "5\u{202f}k")] {
            assert_eq!(said(value), text);
        }
    }

    #[test]
    fn names_do_not_stand_on_one_another() {
        let same = || points([(10.0, 10.0)].into_iter());
        let chart = Chart::of(&[same(), same(), same()]);
        let mut heights: Vec<f64> = chart.lines.iter().flatten().map(|line| line.label[1]).collect();
        heights.sort_by(f64::total_cmp);
        assert!(heights.windows(2).all(|pair| pair[1] - pair[0] >= APART - 1e-9), "{heights:?}");
    }

    #[test]
    fn rows_are_the_numbers_that_were_tried_and_the_most() {
        let board = Board::default();
        let reply = Reply::of(&board.sheets()[2].asked.plan, board.sheets()[2].asked.spending).unwrap();
        let points = frontier(&reply);
        assert_eq!(at_row(&points, 0).unwrap().sequences, 1);
        assert_eq!(at_row(&points, ROWS - 1), points.last());
        assert_eq!(points.last().unwrap().sequences, reply.most_sequences().unwrap());
        assert!(at_row(&points, BATCHES.len() - 1).is_none());
    }
}
