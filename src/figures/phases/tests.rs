use leptos::prelude::RenderHtml as _;

use super::view::{Request, view};

#[test]
fn prefill_is_compute_bound_and_decode_waits_for_memory() {
    let request = Request::new().unwrap();
    let (compute, memory) = request.shares(&request.prefill);
    assert!(compute > 0.7 && memory.iter().sum::<f64>() < 0.5, "{compute} {memory:?}");
    for step in &request.decode {
        let (compute, memory) = request.shares(step);
        let moved: f64 = memory.iter().sum();
        assert!(compute < 0.02 && moved > 0.99 && moved < 1.0 + 1e-9, "{compute} {memory:?}");
    }
    // Each step reads one token more.
    assert!(request.decode.windows(2).all(|pair| pair[0].moved < pair[1].moved));
}

#[test]
fn every_step_is_drawn_in_every_lane() {
    let html = view().to_html();
    assert_eq!(html.matches("<circle").count(), 13);
    // Arithmetic, weights and cache.
    assert_eq!(html.matches('V').count(), 3 * 13 + html.matches("KV").count());
}
