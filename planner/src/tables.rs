//! The plans compared: every figure, the memory part by part with its difference, and the inputs in which they differ.

use leptos::prelude::*;
use memory_wall_app::words::bucket_name;
use memory_wall_core::Bucket;
use memory_wall_core::display::{Grouped, Margin, Percent, Size};
use memory_wall_plan::file::MOST;
use memory_wall_plan::{OPTIONS, Plan, PlanOption};

use crate::desk::{Desk, places};
use crate::figures::{self, GROUPS};
use crate::gpus;
use crate::inputs;
use crate::outcome::Outcome;
use crate::own_model;
use crate::words;

/// A table with the plans as its columns: it says how many there are, and its style hides the others, so that no cell has to.
#[component]
fn Compared(desk: Desk, id: &'static str, caption: &'static str, children: Children) -> impl IntoView {
    let heads = places()
        .map(|place| {
            view! {
                <th scope="col" class="numeric">
                    {move || desk.name(place)}
                </th>
            }
        })
        .collect_view();
    view! {
        <div class="table-scroll" tabindex="0" role="group" aria-labelledby=format!("{id}-caption")>
            <table class="compared" id=id data-plans=move || desk.count().to_string()>
                <caption id=format!("{id}-caption")>{caption}</caption>
                <thead>
                    <tr>
                        <td></td>
                        {heads}
                    </tr>
                </thead>
                {children()}
            </table>
        </div>
    }
}

/// Every figure of every plan. One that differs from the first plan's is marked.
#[component]
pub(crate) fn Figures(desk: Desk) -> impl IntoView {
    let mut first = 0;
    let groups = GROUPS
        .iter()
        .map(|group| {
            let begin = first;
            first += group.figures.len();
            let end = first;
            let rows = group
                .figures
                .iter()
                .zip(begin..)
                .map(|(figure, at)| {
                    let text = move |place: usize| desk.figure(place, at);
                    let cells = places()
                        .map(|place| {
                            let differs = move || desk.exists(place) && text(place) != text(0);
                            view! {
                                <td class="numeric" data-differs=move || differs().then_some("")>
                                    {move || text(place)}
                                </td>
                            }
                        })
                        .collect_view();
                    view! {
                        <tr data-figure=figure.id hidden=move || places().all(|place| text(place).is_empty())>
                            <th scope="row">{words::FIGURE.of(figure.id)}</th>
                            {cells}
                        </tr>
                    }
                })
                .collect_view();
            let empty = move || {
                places().all(|place| {
                    desk.outcome(place, |it| {
                        it.figures().get(begin..end).is_none_or(|all| all.iter().all(String::is_empty))
                    })
                    .unwrap_or(true)
                })
            };
            view! {
                <tbody hidden=empty>
                    <tr class="group-row">
                        <th scope="rowgroup" colspan="5">
                            {words::GROUP.of(group.id)}
                        </th>
                    </tr>
                    {rows}
                </tbody>
            }
        })
        .collect_view();
    view! {
        <Compared desk id="figures" caption=words::table_figures()>
            {groups}
        </Compared>
    }
}

/// What a part of the wall takes in a plan, with the difference to the first plan.
fn size(desk: Desk, place: usize, bucket: Option<Bucket>) -> [String; 2] {
    let bytes = |outcome: &Outcome| outcome.bytes(bucket);
    let Some(own) = desk.outcome(place, bytes).flatten() else { return [const { String::new() }; 2] };
    let unit = desk.unit();
    let size = Size::new(own, unit).to_string();
    let Some(first) = desk.outcome(0, bytes).flatten().filter(|first| place > 0 && *first != own) else {
        return [size, String::new()];
    };
    let change = own.minus(first);
    let margin = Margin { bytes: change, unit }.to_string();
    if first.0 == 0 {
        return [size, margin];
    }
    let share = Percent(change.magnitude().share_of(first));
    let sign = if change.0 < 0 { "\u{2212}" } else { "+" };
    [size, format!("{margin} ({sign}{share})")]
}

/// The memory of the fullest GPU, part by part.
#[component]
pub(crate) fn Buckets(desk: Desk) -> impl IntoView {
    let row = move |bucket: Option<Bucket>| {
        let bytes = move |place: usize| desk.outcome(place, |outcome| outcome.bytes(bucket)).flatten();
        let cells = places()
            .map(|place| {
                let cell = Memo::new(move |_| size(desk, place, bucket));
                let exact = move || bytes(place).map(|it| words::TableExact { n: &Grouped(it.0).to_string() }.text());
                view! {
                    <td class="numeric" title=exact>
                        {move || cell.with(|[size, _]| size.clone())}
                        <span class="delta">{move || cell.with(|[_, delta]| delta.clone())}</span>
                    </td>
                }
            })
            .collect_view();
        let (id, name) = bucket.map_or(("total", words::table_total()), |bucket| (bucket.id(), bucket_name(bucket)));
        view! {
            <tr data-bucket=id hidden=move || places().all(|place| bytes(place).is_none_or(|bytes| bytes.0 == 0))>
                <th scope="row">
                    <span class=format!("swatch swatch-{id}")></span>
                    {name}
                </th>
                {cells}
            </tr>
        }
    };
    view! {
        <Compared desk id="buckets" caption=words::table_buckets()>
            <tbody>{Bucket::EACH.map(|bucket| row(Some(bucket))).into_iter().collect_view()}</tbody>
            <tfoot>{row(None)}</tfoot>
        </Compared>
    }
}

/// What each option comes to in a plan, in the order of the table.
fn values(plan: &Plan) -> Vec<String> {
    let scenario = plan.scenario();
    let of = |option: &PlanOption| match option.name {
        "config" => plan.own_model().map(own_model::own),
        _ => scenario
            .as_ref()
            .and_then(|scenario| plan.value(option, scenario))
            .map(|value| inputs::value(option, &value)),
    };
    OPTIONS.iter().map(|option| of(option).unwrap_or_default()).collect()
}

/// The inputs in which the plans differ.
#[component]
pub(crate) fn Differences(desk: Desk) -> impl IntoView {
    let columns: [_; MOST] = std::array::from_fn(|place| {
        Memo::new(move |_| desk.outcome(place, |outcome| values(&outcome.asked.plan)).unwrap_or_default())
    });
    let rows = OPTIONS
        .iter()
        .enumerate()
        .map(|(row, option)| {
            let value = move |column: &Memo<Vec<String>>| column.with(|all| all.get(row).cloned().unwrap_or_default());
            let alike = move || {
                let mut all = columns.iter().take(desk.count()).map(value);
                let first = all.next();
                all.all(|value| Some(value) == first)
            };
            let cells = columns
                .into_iter()
                .map(|column| {
                    view! {
                        <td class="numeric">{move || value(&column)}</td>
                    }
                })
                .collect_view();
            view! {
                <tr data-option=option.name hidden=alike>
                    <th scope="row">{inputs::label(option.name)}</th>
                    {cells}
                </tr>
            }
        })
        .collect_view();
    let single = move || desk.count() < 2;
    view! {
        <div hidden=single>
            <Compared desk id="differences" caption=words::table_differences()>
                <tbody>{rows}</tbody>
            </Compared>
        </div>
    }
}

/// Every table that can be taken along: the plans, and the GPUs that hold the one that is shown, where somebody has asked for them.
pub(crate) fn all(desk: Desk) -> Vec<Vec<Vec<String>>> {
    [rows(desk), gpus::rows(desk)].into_iter().filter(|rows| !rows.is_empty()).collect()
}

/// A table of all plans as rows of texts, for what is copied: names, verdicts, figures, and the parts of the wall.
pub(crate) fn rows(desk: Desk) -> Vec<Vec<String>> {
    let (all, unit) = (desk.all_outcomes(<[_]>::to_vec), desk.unit());
    let row = |name: &str, of: &dyn Fn(&Outcome) -> String| {
        std::iter::once(name.to_owned()).chain(all.iter().map(|outcome| of(outcome))).collect::<Vec<_>>()
    };
    let figures = figures::all().enumerate().map(|(at, figure)| {
        let texts = (0..all.len()).map(|place| desk.figure(place, at));
        std::iter::once(words::FIGURE.of(figure.id).to_owned()).chain(texts).collect()
    });
    let sizes = Bucket::EACH.into_iter().map(|bucket| {
        let size = |outcome: &Outcome| {
            let bytes = outcome.bytes(Some(bucket)).filter(|bytes| bytes.0 > 0);
            bytes.map(|bytes| Size::new(bytes, unit).to_string()).unwrap_or_default()
        };
        row(bucket_name(bucket), &size)
    });
    let heads = [
        row(words::table_plan(), &|outcome| outcome.name().to_owned()),
        row(words::table_verdict(), &|outcome| outcome.said.verdict.clone()),
    ];
    let says = |row: &Vec<String>| row.iter().skip(1).any(|text| !text.is_empty());
    heads.into_iter().chain(figures.chain(sizes).filter(says)).collect()
}
