//! How full a GPU is by sequences and their length, as a picture: finer than the table beside it, which says the same to those who do not see it.

use leptos::html;
use leptos::prelude::*;
use memory_wall_core::Verdict;
use memory_wall_core::display::Grouped;
use memory_wall_plan::Value;
use memory_wall_plan::maps::{BATCHES, LENGTHS};
use memory_wall_plan::reply::Reply;

use crate::browser;
use crate::desk::Desk;
use crate::words;

/// Steps from a length to twice as many tokens, and from a number of sequences to twice as many.
const STEPS: [u32; 2] = [8, 4];
/// Columns of cells: lengths from the first to the last of the table.
#[cfg(any(test, target_arch = "wasm32"))]
pub(crate) const COLUMNS: usize = 57;
/// Rows of cells: numbers of sequences from the first to the last of the table.
#[cfg(any(test, target_arch = "wasm32"))]
pub(crate) const ROWS: usize = 33;

/// Tokens of a sequence in a column.
pub(crate) fn tokens(column: usize) -> u32 {
    raised(LENGTHS[0], column, STEPS[0])
}

/// Sequences in a row.
pub(crate) fn sequences(row: usize) -> u32 {
    raised(BATCHES[0], row, STEPS[1])
}

fn raised(first: u32, nth: usize, steps: u32) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between the first and the last of a table"
    )]
    let rounded = libm::round(f64::from(first) * libm::exp2(nth as f64 / f64::from(steps))) as u32;
    rounded
}

/// The place of a number between the first and the last of a table, as a share.
#[cfg(any(test, target_arch = "wasm32"))]
fn share(value: u32, ends: [u32; 2]) -> f64 {
    let [first, last] = ends.map(f64::from);
    libm::log2(f64::from(value) / first) / libm::log2(last / first)
}

/// Where a plan is in the picture, as shares from the left and from the top; nothing where it is outside.
#[cfg(any(test, target_arch = "wasm32"))]
pub(crate) fn here(reply: &Reply) -> Option<[f64; 2]> {
    let scenario = reply.scenario();
    let at = [
        share(scenario.seq_length, [tokens(0), tokens(COLUMNS - 1)]),
        share(scenario.batch, [sequences(0), sequences(ROWS - 1)]),
    ];
    // Cells stand around their numbers.
    let [columns, rows] = [COLUMNS, ROWS].map(|count| count as f64);
    let [x, y] = at;
    let middle = [(x * (columns - 1.0) + 0.5) / columns, (y * (rows - 1.0) + 0.5) / rows];
    at.iter().all(|at| (-0.001..=1.001).contains(at)).then_some(middle)
}

/// Whether there is a picture: with a GPU, and where layers do not move with the number of sequences.
fn is_pictured(reply: &Reply) -> bool {
    let moves = matches!(reply, Reply::Layers(layers) if layers.placing.fit);
    reply.capacity().is_some() && !moves
}

/// The picture, with what is under the pointer in words.
#[component]
pub(crate) fn Heat(desk: Desk) -> impl IntoView {
    let place = NodeRef::<html::Canvas>::new();
    let picture = browser::Picture::default();
    let shown = picture.clone();
    let under = RwSignal::new(None::<[usize; 2]>);
    Effect::new(move || {
        let reply = desk.rested();
        if let Some(canvas) = place.get() {
            shown.show(&canvas, reply.filter(is_pictured));
        }
    });
    let words = move || {
        let Some([row, column]) = under.get() else { return words::heat_about().to_owned() };
        let (batch, seq) = (sequences(row), tokens(column));
        let verdict = desk.rested().and_then(|reply| reply.verdict_at(batch, seq)).map_or("none", Verdict::id);
        words::MapCell {
            batch: &Grouped(batch.into()).to_string(),
            seq: &Grouped(seq.into()).to_string(),
            verdict: words::MAP_LONG.of(verdict),
        }
        .text()
    };
    view! {
        <div class="heat" aria-hidden="true" hidden=move || !desk.rested().is_some_and(|reply| is_pictured(&reply))>
            <canvas
                node_ref=place
                on:pointermove=move |event| under.set(browser::cell(&event))
                on:pointerleave=move |_| under.set(None)
                on:click=move |event| {
                    if let Some([row, column]) = browser::cell(&event) {
                        desk.edit(
                            None,
                            |board| {
                                board.put("batch", Some(Value::Count(sequences(row))));
                                board.put("seq", Some(Value::Count(tokens(column))));
                            },
                        );
                    }
                }
            ></canvas>
            <p class="caption">{words}</p>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_go_from_the_first_to_the_last_of_the_table() {
        assert_eq!([tokens(0), tokens(8), tokens(COLUMNS - 1)], [1_024, 2_048, 131_072]);
        assert_eq!([sequences(0), sequences(4), sequences(ROWS - 1)], [1, 2, 256]);
        let board = crate::board::Board::default();
        let asked = &board.sheets()[0].asked;
        let [x, y] = here(&Reply::of(&asked.plan, asked.spending).unwrap()).unwrap();
        // 8,192 tokens and 32 sequences, each in the middle of its cell.
        assert!((x * COLUMNS as f64 - 24.5).abs() < 1e-9 && (y * ROWS as f64 - 20.5).abs() < 1e-9, "{x} {y}");
        assert!((0..ROWS - 1).all(|row| sequences(row) <= sequences(row + 1)));
    }
}
