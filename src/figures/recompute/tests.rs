use leptos::prelude::RenderHtml as _;

use super::view::{Run, view};

#[test]
fn a_layer_that_is_computed_again_is_held_beside_all_inputs() {
    let run = Run::new().unwrap();
    let [all, inputs] = run.all;
    // Stock code, and one value of 16 bits a place.
    assert_eq!((all.0, inputs.0), (32 * (186_504 * 2_048 + 24), 32 * 2 * 4_096 * 2_048));
    // The engine's layer at work has what a layer saves where nothing is computed again.
    assert_eq!((run.again, run.peak().0), (run.layer[0], inputs.0 + all.0 / 32));
    assert!(run.peak() < all);
}

#[test]
fn every_layer_is_drawn() {
    let html = view().to_html();
    // A dash of 8 and a gap of 2 for each of 32 layers, in three strips, and the layer at work.
    assert_eq!((html.matches("h320").count(), html.matches("\"8 2\"").count()), (3, 3));
    assert_eq!(html.matches("layer-again").count(), 1);
    let html = html.replace('\u{202f}', " ");
    for text in ["12.2 GB", "537 MB", "919 MB", "382 MB", "16.8 MB"] {
        assert!(html.contains(text), "{text}: {html}");
    }
}
