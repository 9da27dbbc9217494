use leptos::prelude::RenderHtml as _;
use memory_wall_core::memory::kinds::Kind;

use super::view::{KINDS, blocks, share, view};

#[test]
fn what_is_filled_is_as_large_as_what_is_stored() {
    let area = |kind: Kind| {
        let (count, width) = blocks(&kind.shape());
        f64::from(count) * width
    };
    for kind in KINDS {
        assert!((area(kind) / area(Kind::MultiHead) - share(kind)).abs() < 1e-12, "{}", kind.id());
    }
}

#[test]
fn every_query_head_has_a_line_and_every_kind_its_bytes() {
    let html = view().to_html();
    let count = |piece: &str| html.matches(piece).count();
    // Heads; lines; keys with their values; the vector.
    assert_eq!((count("h8v8h-8z"), count(" 33m"), count("zm0 13"), count("h18v26")), (4 * 32, 4 * 32, 32 + 8 + 1, 1));
    let html = html.replace('\u{202f}', " ");
    for text in ["16.4 kB", "4.10 kB", "512 B", "1.15 kB", "524 kB a token in 32 layers", "25% of the memory", "7.0%"] {
        assert!(html.contains(text), "{text}: {html}");
    }
}
