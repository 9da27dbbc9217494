//! The plans side by side: name, verdict, wall, and the changes that help.

use leptos::prelude::*;
use memory_wall_app::charts::wall::{self, pattern};
use memory_wall_app::words::bucket_name;
use memory_wall_core::display::Size;
use memory_wall_core::{Bucket, Verdict};
use memory_wall_plan::changes::TOLD;

use crate::desk::{Desk, places};
use crate::outcome::Offer;
use crate::words;

/// A share of a drawing as its attributes have it.
pub(crate) fn percent(share: f64) -> String {
    wall::percent(share * 100.0)
}

/// What the parts of the walls are.
#[component]
pub(crate) fn Legend(desk: Desk) -> impl IntoView {
    let parts = Bucket::EACH
        .into_iter()
        .map(|bucket| {
            let there = move || {
                places().any(|place| {
                    desk.outcome(place, |outcome| outcome.bytes(Some(bucket)).is_some_and(|bytes| bytes.0 > 0))
                        .unwrap_or_default()
                })
            };
            view! {
                <li hidden=move || !there()>
                    <span class=format!("swatch swatch-{}", bucket.id())></span>
                    {bucket_name(bucket)}
                </li>
            }
        })
        .collect_view();
    view! {
        <ul class="legend" aria-label=words::legend()>
            {parts}
        </ul>
    }
}

/// A place for a plan, hidden where there is none.
#[component]
pub(crate) fn Column(desk: Desk, place: usize) -> impl IntoView {
    let exists = move || desk.exists(place);
    let chosen = move || desk.chosen() == place;
    let name = move || desk.name(place);
    let id = format!("plan-{place}");
    let field = NodeRef::<leptos::html::Input>::new();
    let first = name();
    Effect::new(move || {
        let now = name();
        if let Some(field) = field.get()
            && field.value().trim() != now
        {
            field.set_value(&now);
        }
    });
    let verdict = move || desk.outcome(place, |outcome| outcome.said.verdict.clone()).unwrap_or_default();
    let why = move || desk.outcome(place, |outcome| outcome.said.why.clone()).unwrap_or_default();
    let act = move |label: &'static str,
                    icon: &'static str,
                    can: fn(&crate::board::Board, usize) -> bool,
                    run: fn(Desk, usize)| {
        let can = move || desk.with(|board| can(board, place));
        view! {
            <button
                type="button"
                class="plan-act"
                aria-label=move || format!("{label}: {}", name())
                title=label
                disabled=move || !can()
                on:click=move |_| run(desk, place)
            >
                <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
                    <path d=icon></path>
                </svg>
            </button>
        }
    };
    view! {
        <article
            class="plan"
            id=id
            hidden=move || !exists()
            data-chosen=move || chosen().then_some("")
            data-verdict=move || desk.outcome(place, |outcome| outcome.said.id).unwrap_or_default()
        >
            <div class="plan-head">
                <input
                    type="text"
                    class="plan-name"
                    aria-label=words::PlanName { n: &(place + 1).to_string() }.text()
                    autocomplete="off"
                    spellcheck="false"
                    maxlength="80"
                    value=first
                    node_ref=field
                    on:change=move |event| {
                        let name = event_target_value(&event);
                        desk.edit(None, |board| board.rename(place, &name));
                    }
                />
                <span class="plan-acts">
                    {act(words::plan_left(), "M13 8H3M7 4L3 8L7 12", |_, place| place > 0, |desk, place| desk.edit(None, |board| board.move_left(place)))}
                    {act(
                        words::plan_duplicate(),
                        "M6 6H14V14H6ZM3 10H2V2H10V3",
                        |board, _| board.has_room(),
                        |desk, place| desk.edit(None, |board| board.duplicate(place)),
                    )}
                    {act(
                        words::plan_remove(),
                        "M3 3L13 13M13 3L3 13",
                        |board, _| board.sheets().len() > 1,
                        |desk, place| desk.edit(None, |board| board.remove(place)),
                    )}
                </span>
            </div>
            <p class="verdict">
                <strong>{verdict}</strong>
                " "
                <span class="why">{why}</span>
            </p>
            <Drawing desk place />
            <button
                type="button"
                class="plan-choose"
                aria-pressed=move || if chosen() { "true" } else { "false" }
                on:click=move |_| desk.choose(place)
            >
                <span>{words::plan_choose()}</span>
                <span class="visually-hidden">{name}</span>
            </button>
            <div class="offers" aria-busy=move || if desk.busy.get() { "true" } else { "false" }>
                <p class="offers-title" hidden=move || desk.offered(place, 0, |_| ()).is_none()>
                    {move || {
                        let fits = desk.outcome(place, |outcome| outcome.said.id == Verdict::Fits.id());
                        if fits == Some(true) { words::offers_fits() } else { words::offers() }
                    }}
                </p>
                {(0..TOLD).map(|nth| view! { <Offered desk place nth /> }).collect_view()}
            </div>
        </article>
    }
}

/// A change that helps, to be pressed.
#[component]
fn Offered(desk: Desk, place: usize, nth: usize) -> impl IntoView {
    let of = move |part: fn(&Offer) -> &String| {
        move || desk.offered(place, nth, |offer| part(offer).clone()).unwrap_or_default()
    };
    view! {
        <button
            type="button"
            class="offer"
            hidden=move || desk.offered(place, nth, |_| ()).is_none()
            on:click=move |_| desk.accept(place, nth)
        >
            <span class="offer-name">{of(|offer| &offer.name)}</span>
            " "
            <code>{of(|offer| &offer.options)}</code>
            " "
            <span class="offer-effect">{of(|offer| &offer.effect)}</span>
        </button>
    }
}

/// The wall of a plan.
#[component]
fn Drawing(desk: Desk, place: usize) -> impl IntoView {
    let parts = Bucket::EACH
        .into_iter()
        .enumerate()
        .map(|(at, bucket)| {
            let of = move |which: usize| {
                let share = desk.wall(place, |wall| wall.parts.get(at)?.get(which).copied()).flatten();
                percent(share.unwrap_or_default())
            };
            let id = bucket.id();
            view! {
                <g class=format!("segment segment-{id}")>
                    <rect class="ground" x="0" width="100%" y=move || of(0) height=move || of(1)></rect>
                    <rect x="0" width="100%" y=move || of(0) height=move || of(1) fill=format!("url(#masonry-{})", pattern(bucket))></rect>
                </g>
            }
        })
        .collect_view();
    let line = move |limit: bool| {
        let at = desk.wall(place, |wall| if limit { wall.limit } else { wall.line }).flatten();
        (percent(at.unwrap_or_default()), at.is_none().then_some("none"))
    };
    let label = move || line_label(desk, place);
    let summary = move || summary(desk, place);
    view! {
        <svg class="plan-wall" role="img" aria-label=summary data-over=move || desk.wall(place, |wall| wall.over).unwrap_or_default().then_some("")>
            <svg class="bricks" x="18%" width="64%" height="100%">
                {parts}
            </svg>
            <line class="limit" x1="12%" x2="88%" y1=move || line(true).0 y2=move || line(true).0 display=move || line(true).1></line>
            <line class="capacity" x1="0" x2="100%" y1=move || line(false).0 y2=move || line(false).0 display=move || line(false).1></line>
            <text class="capacity-label" x="50%" y=move || line(false).0 dy="-6">
                {label}
            </text>
        </svg>
    }
}

/// What stands at the line of a wall: what its GPU has.
pub(crate) fn line_label(desk: Desk, place: usize) -> String {
    desk.outcome(place, |outcome| {
        let capacity = outcome.reply.as_ref().ok()?.capacity()?;
        let size = Size::new(capacity, desk.unit()).to_string();
        Some(words::WallLine { capacity: &size }.text())
    })
    .flatten()
    .unwrap_or_default()
}

/// A wall in words.
pub(crate) fn summary(desk: Desk, place: usize) -> String {
    desk.outcome(place, |outcome| {
        let unit = desk.unit();
        let parts = Bucket::EACH.into_iter().filter_map(|bucket| {
            let bytes = outcome.bytes(Some(bucket)).filter(|bytes| bytes.0 > 0)?;
            Some(format!("{} {}", bucket_name(bucket), Size::new(bytes, unit)))
        });
        let parts = parts.collect::<Vec<_>>().join(", ");
        let total = outcome.bytes(None).map(|bytes| Size::new(bytes, unit).to_string()).unwrap_or_default();
        words::WallSummary { name: outcome.name(), parts: &parts, total: &total }.text()
    })
    .unwrap_or_default()
}
