//! The plan that is shown over a range: sequences by length, and other GPUs.

use leptos::prelude::*;
use memory_wall_core::Verdict;
use memory_wall_core::display::{Count, Grouped, Margin};
use memory_wall_plan::Value;
use memory_wall_plan::maps::{self, BATCHES, Elsewhere, LENGTHS};

use crate::desk::Desk;
use crate::figures;
use crate::words;

/// A length of context in few letters: `32k`.
fn short(tokens: u32) -> String {
    if tokens.is_multiple_of(1_024) { format!("{}k", tokens / 1_024) } else { tokens.to_string() }
}

/// Whether so many sequences of such a length fit: each cell can be taken.
#[component]
pub(crate) fn Requests(desk: Desk) -> impl IntoView {
    let heads = LENGTHS.map(|tokens| view! { <th scope="col">{short(tokens)}</th> }).into_iter().collect_view();
    let rows = BATCHES
        .into_iter()
        .enumerate()
        .map(|(row, batch)| {
            let cells = LENGTHS
                .into_iter()
                .enumerate()
                .map(|(column, tokens)| {
                    let verdict = move || desk.map(row, column);
                    let id = move || verdict().map_or("none", Verdict::id);
                    let here = move || desk.scenario(|it| (it.batch, it.seq_length)) == Some((batch, tokens));
                    let label = move || {
                        words::MapCell {
                            batch: &Grouped(batch.into()).to_string(),
                            seq: &Grouped(tokens.into()).to_string(),
                            verdict: words::MAP_LONG.of(id()),
                        }
                        .text()
                    };
                    view! {
                        <td>
                            <button
                                type="button"
                                class="cell"
                                data-verdict=id
                                aria-label=label
                                aria-pressed=move || if here() { "true" } else { "false" }
                                on:click=move |_| {
                                    desk.edit(
                                        None,
                                        |board| {
                                            board.put("batch", Some(Value::Count(batch)));
                                            board.put("seq", Some(Value::Count(tokens)));
                                        },
                                    );
                                }
                            >
                                {move || words::MAP_SHORT.of(id())}
                            </button>
                        </td>
                    }
                })
                .collect_view();
            view! {
                <tr>
                    <th scope="row">{Grouped(batch.into()).to_string()}</th>
                    {cells}
                </tr>
            }
        })
        .collect_view();
    view! {
        <div class="table-scroll" tabindex="0" role="group" aria-labelledby="map-caption">
            <table class="map">
                <caption id="map-caption">{words::map_caption()}</caption>
                <thead>
                    <tr>
                        <td></td>
                        {heads}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

/// By what the table of GPUs is sorted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Count,
    Speed,
    Spare,
}

impl Order {
    const ALL: [Self; 3] = [Self::Count, Self::Speed, Self::Spare];

    const fn id(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Speed => "speed",
            Self::Spare => "spare",
        }
    }

    /// What comes first is least.
    fn key(self, there: &Elsewhere) -> f64 {
        let margin = there.reply.spare().map_or(0.0, |margin| margin.0 as f64);
        match self {
            Self::Count => there.reply.gpus() as f64 * 1e18 - margin,
            Self::Speed => -speed(there).unwrap_or_default(),
            Self::Spare => -margin,
        }
    }
}

/// The better end of the rate on all GPUs: tokens that are written, or learned from.
fn speed(there: &Elsewhere) -> Option<f64> {
    let trained = || there.reply.answers().and_then(|answers| answers.trained).map(|trained| trained.rate[0]);
    there.reply.written().map(|[_, best]| best).or_else(trained)
}

/// The GPUs that hold the plan, asked for when the reader wants to know: it is some hundred runs.
#[component]
pub(crate) fn Gpus(desk: Desk) -> impl IntoView {
    let found = RwSignal::new(Vec::<Elsewhere>::new());
    let asked = RwSignal::new(false);
    let order = RwSignal::new(Order::Count);
    // Of a plan that has changed it is not known any more.
    let plan = Memo::new(move |_| desk.sheet(|sheet| sheet.asked.plan.clone()));
    Effect::new(move || {
        // Asked, and not only tracked: else the first answer would count as a change.
        plan.with(|_| ());
        found.set(Vec::new());
        asked.set(false);
    });
    let rows = move || {
        let unit = desk.unit();
        let order = order.get();
        let mut all = found.get();
        all.sort_by(|one, other| order.key(one).total_cmp(&order.key(other)));
        let row = |there: Elsewhere| {
            let spare = there.reply.spare().map(|bytes| Margin { bytes, unit }.to_string());
            let need = there.reply.needed().map(|span| figures::sizes(span, unit));
            let rate = speed(&there).map(|rate| words::GpusUpTo { n: &rounded(rate) }.text());
            let name = there.gpu.name;
            let plan = there.plan;
            view! {
                <tr>
                    <th scope="row">{name}</th>
                    <td class="numeric">{Grouped(there.reply.gpus().into()).to_string()}</td>
                    <td class="numeric">{need}</td>
                    <td class="numeric">{spare}</td>
                    <td class="numeric">{rate}</td>
                    <td>
                        <button
                            type="button"
                            class="plain-button"
                            aria-label=words::GpusTake { gpu: name }.text()
                            on:click=move |_| {
                                let plan = plan.clone();
                                desk.edit(None, |board| board.replace(board.chosen(), plan));
                            }
                        >
                            {words::gpus_take_short()}
                        </button>
                    </td>
                </tr>
            }
        };
        all.into_iter().map(row).collect_view()
    };
    let sorts = Order::ALL
        .into_iter()
        .map(|by| {
            view! {
                <button
                    type="button"
                    class="plain-button"
                    aria-pressed=move || if order.get() == by { "true" } else { "false" }
                    on:click=move |_| order.set(by)
                >
                    {words::ORDER.of(by.id())}
                </button>
            }
        })
        .collect_view();
    let none = move || asked.get() && found.with(Vec::is_empty);
    view! {
        <div class="gpus">
            <p class="acts">
                <button
                    type="button"
                    class="plain-button"
                    on:click=move |_| {
                        let all = plan.with_untracked(|plan| plan.as_ref().map(maps::everywhere)).unwrap_or_default();
                        desk.spoken.set(words::GpusFound { n: &all.len().to_string() }.text());
                        found.set(all);
                        asked.set(true);
                    }
                >
                    {words::gpus_ask()}
                </button>
                <span class="unit-choice" role="group" aria-label=words::gpus_sort() hidden=move || found.with(Vec::is_empty)>
                    {sorts}
                </span>
            </p>
            <p class="caption" hidden=move || !none()>
                {words::gpus_none()}
            </p>
            <div class="table-scroll" tabindex="0" role="group" aria-labelledby="gpus-caption" hidden=move || found.with(Vec::is_empty)>
                <table class="compared">
                    <caption id="gpus-caption">{words::gpus_caption()}</caption>
                    <thead>
                        <tr>
                            <th scope="col">{words::gpus_gpu()}</th>
                            <th scope="col" class="numeric">{words::gpus_count()}</th>
                            <th scope="col" class="numeric">{words::FIGURE.of("total")}</th>
                            <th scope="col" class="numeric">{words::FIGURE.of("spare")}</th>
                            <th scope="col" class="numeric">{words::gpus_rate()}</th>
                            <td></td>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </div>
    }
}

/// A rate in few digits.
fn rounded(rate: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "rates are positive and far below 2^64"
    )]
    let whole = rate.clamp(0.0, 1e15) as u64;
    Count(whole).to_string()
}
