//! The plan that is shown over a range: sequences by length.

use leptos::prelude::*;
use memory_wall_core::Verdict;
use memory_wall_core::display::Grouped;
use memory_wall_plan::Value;
use memory_wall_plan::maps::{BATCHES, LENGTHS};

use crate::desk::Desk;
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
