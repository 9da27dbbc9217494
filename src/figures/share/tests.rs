use super::view::height;
use crate::registry;

#[test]
fn every_figure_by_itself_has_a_height() {
    for id in registry::alone() {
        assert!((100..30_000).contains(&height(id).unwrap_or_default()), "{id}");
    }
}
