//! How the figure is drawn, once, when the page is built: a bar for what each GPU holds, one a way to cut the step.

use leptos::prelude::*;
use memory_wall_core::display::Percent;
use memory_wall_core::schemes::Scheme;
use memory_wall_core::{Bucket, cost};

use super::model::{Binding, Model, PARTS, Part};
use crate::charts::wall::pattern;
use crate::components::group;
use crate::figures::{bound, rig};
use crate::widgets::table::{self, Table};
use crate::words;

/// Height of one way in the drawing, and of what stands above the first, in pixels.
const ROW: usize = 70;
const TOP: usize = 24;

/// What follows the model.
fn live(binding: Binding) -> String {
    bound::<Model>(binding)
}

/// One part: a coloured ground under its masonry.
fn part(bucket: Bucket, [x, y, width, height]: [String; 4]) -> AnyView {
    view! {
        <g class=format!("segment segment-{}", bucket.id())>
            <rect class="ground" x=x.clone() y=y.clone() width=width.clone() height=height.clone()></rect>
            <rect x=x y=y width=width height=height fill=format!("url(#masonry-{})", pattern(bucket))></rect>
        </g>
    }
    .into_any()
}

fn name(scheme: Scheme) -> &'static str {
    words::scheme(scheme)
}

fn drawing() -> AnyView {
    let rows = Scheme::EACH
        .into_iter()
        .enumerate()
        .map(|(place, scheme)| {
            let top = TOP + ROW * place;
            let parts = PARTS
                .map(|bucket| {
                    let own = Part { scheme, bucket };
                    let [x, width] = [Binding::Start(own), Binding::Width(own)].map(live);
                    part(bucket, [x, (top + 24).to_string(), width, "18".into()])
                })
                .into_iter()
                .collect_view();
            let [over, illegal] = [Binding::Over(scheme), Binding::Illegal(scheme)].map(live);
            view! {
                <g class="way" data-way=scheme.id() data-over=over data-illegal=illegal>
                    <text class="way-name" x="0" y=top + 13>{name(scheme)}</text>
                    <text class="way-total" x="100%" y=top + 13>{live(Binding::Total(scheme))}</text>
                    {parts}
                    <text class="way-sent" x="0" y=top + 56>{live(Binding::Sends(scheme))}</text>
                    <text class="way-time" x="100%" y=top + 56>{live(Binding::Time(scheme))}</text>
                </g>
            }
        })
        .collect_view();
    let line = live(Binding::Line);
    view! {
        <svg class="ways" role="img" aria-labelledby="ways-title ways-sentence" height=TOP + ROW * Scheme::ALL.len()>
            {rows} <line class="capacity" x1=line.clone() x2=line.clone() y1="14" y2="100%"></line>
            <text class="ways-line" x=line y="5" dx="-6">{live(Binding::LineLabel)}</text>
        </svg>
    }
    .into_any()
}

/// Which part is which.
fn key() -> AnyView {
    let entries = PARTS
        .map(|bucket| {
            let place = ["0", "0", "100%", "100%"].map(Into::into);
            view! {
                <li>
                    <svg width="18" height="12" aria-hidden="true">{part(bucket, place)}</svg>
                    {words::bucket(bucket)}
                </li>
            }
        })
        .into_iter()
        .collect_view();
    view! { <ul class="ways-key" role="list">{entries}</ul> }.into_any()
}

fn table() -> AnyView {
    let rows = Scheme::EACH.map(|scheme| {
        let cells = [
            Binding::States(scheme),
            Binding::Less(scheme),
            Binding::Total(scheme),
            Binding::Sent(scheme),
            Binding::Links(scheme),
            Binding::Idle(scheme),
        ];
        view! {
            <tr>
                <th scope="row">{name(scheme)}</th>
                {cells.map(|cell| view! { <td>{live(cell)}</td> }).collect_view()}
            </tr>
        }
    });
    let heads = [
        words::parallel_head_way(),
        words::parallel_head_states(),
        words::parallel_head_less(),
        words::parallel_head_total(),
        words::parallel_head_sent(),
        words::parallel_head_links(),
        words::parallel_head_idle(),
    ];
    Table {
        name: words::parallel_table(),
        class: "ways-table",
        caption: Some(words::parallel_caption()),
        heads: table::heads(heads),
        rows: rows.collect_view().into_any(),
        note: None,
    }
    .folded()
}

/// The figure.
pub fn view() -> AnyView {
    view! {
        <div class="parallel">
            <p class="figure-title" id="ways-title">{words::parallel_title()} " " {bound::<rig::Model>(rig::Binding::Model)}</p>
            {group("parallel", "")} {drawing()} {key()}
            <p class="summary" id="ways-sentence">{live(Binding::Sentence)}</p>
            <p class="caption">
                {words::ParallelNote { share: &Percent(cost::COMPUTE_EFFICIENCY).to_string() }.text()}
            </p>
            {table()}
        </div>
    }
    .into_any()
}
