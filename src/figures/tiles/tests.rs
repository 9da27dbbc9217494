use leptos::prelude::RenderHtml as _;

use super::view::{Layer, moved, view};

#[test]
fn what_flash_attention_saves_is_the_scores_four_times() {
    let layer = Layer::new().unwrap();
    // Written, read by softmax, written as probabilities, and read again.
    assert_eq!(moved(layer.eager) - moved(layer.flash), 4 * layer.scores());
    assert_eq!(layer.scores(), 32 * 2_048 * 2_048 * 2);
}

#[test]
fn the_tiles_up_to_the_one_at_work_are_drawn() {
    let html = view().to_html();
    // Ten rows up to the diagonal, six tiles of the next one, and the one at work.
    assert_eq!(html.matches("h6v6h-6z").count(), (1..=10).sum::<usize>() + 6 + 1);
    let html = html.replace('\u{202f}', " ");
    for text in ["268 MB", "1.14 GB", "67.1 MB", "17.0 times"] {
        assert!(html.contains(text), "{text}: {html}");
    }
}
