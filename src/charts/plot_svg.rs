//! The host of a chart in the prerendered page: SVG whose colours are the style sheet's.

use leptos::prelude::*;
use memory_wall_core::display::ByteUnit;
use plotters::backend::SVGBackend;
use plotters::drawing::IntoDrawingArea;

use super::context::{self, Chart};
use super::ink::Palette;

/// The size of the drawing; the style sheet scales it with the column.
const SIZE: (u32, u32) = (720, 400);

/// The chart as SVG text that follows the theme.
pub fn svg(chart: &Chart, unit: ByteUnit) -> String {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        // Writing into a string does not fail; a drawing that did would show as an empty box, which a test looks for.
        let _ = context::draw(&area, chart, &Palette::STAND_INS, unit, 1.0);
        let _ = area.present();
    }
    Palette::into_properties(&text)
}

/// The host.
#[component]
pub fn Plot(#[prop(into)] chart: Signal<Chart>, #[prop(into)] unit: Signal<ByteUnit>) -> impl IntoView {
    let svg = svg(&chart.get_untracked(), unit.get_untracked());
    view! { <div class="plot" role="img" aria-label=chart.with_untracked(Chart::sentence) inner_html=svg></div> }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::State;

    #[test]
    fn the_drawing_has_its_curves_and_names_and_no_colour_of_its_own() {
        let text = svg(&Chart::of(&State::default().scenario()), ByteUnit::Gb);
        for part in [
            "KV cache",
            "Weights",
            "total",
            "100k",
            "10\u{202f}GB",
            "var(--kv_cache)",
            "var(--weights)",
            "var(--line)",
            "<polyline",
        ] {
            assert!(text.contains(part), "{part} is missing");
        }
        assert!(!text.contains("#0102"), "a stand-in colour is left");
        assert!(!text.contains("style="), "inline styles are against the security policy");
    }
}
