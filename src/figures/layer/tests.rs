use leptos::prelude::RenderHtml as _;
use memory_wall_core::memory::kinds::Kind;

use super::view::{Step, model, steps, view};

#[test]
fn the_layers_are_all_matrices_and_norms_of_the_model() {
    let shape = model().unwrap().architecture;
    let counts = shape.parameters();
    let layer: u64 = steps(&shape).iter().map(Step::parameters).sum();
    // One norm more stands behind the last layer.
    let all = layer * u64::from(shape.layers) + u64::from(shape.hidden_size);
    assert_eq!(all, counts.matrices + counts.vectors);
}

#[test]
fn what_is_stored_is_what_the_cache_keeps() {
    let html = view().to_html().replace('\u{202f}', " ");
    assert_eq!(html.matches("data-stored").count(), 2);
    assert_eq!(Kind::MultiHead.token_in_a_layer().0, 16_384);
    for text in ["4,096 × 11,008", "90.2 MB", "33.6 MB", "16.4 kB", "405 MB", "13.0 GB"] {
        assert!(html.contains(text), "{text}: {html}");
    }
}
