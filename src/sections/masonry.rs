//! What sections are drawn with: masonry, and the directives by which the page names what follows the state.

use leptos::prelude::*;
use memory_wall_core::Bucket;

use crate::charts::wall::{masonry, pattern};
use crate::figures::{bound, rig};
use crate::words;

/// The binding with this name as a directive that the prerenderer fills in and the browser keeps in step. Views of figures use
/// [`bound`].
pub fn live(name: &str) -> String {
    format!("{{{{live {name}}}}}")
}

/// Says of an example whose sizes are fixed that they stay in GB, to who has chosen GiB.
pub fn kept_unit() -> AnyView {
    let in_gb = bound::<rig::Model>(rig::Binding::InGb);
    view! { <p class="caption" hidden=in_gb>{words::control_unit_kept()}</p> }.into_any()
}

/// The patterns of all masonry, once in a page.
pub fn patterns() -> AnyView {
    let define = |bucket: Bucket| {
        let [width, height, path] = masonry(bucket);
        view! {
            <pattern id=format!("masonry-{}", pattern(bucket)) width=width height=height patternUnits="userSpaceOnUse">
                <path class="mortar" d=path></path>
            </pattern>
        }
    };
    view! {
        <svg class="patterns" width="0" height="0" aria-hidden="true" focusable="false">
            <defs>{Bucket::EACH.map(define).into_iter().collect_view()}</defs>
        </svg>
    }
    .into_any()
}

/// One segment, a coloured ground under its mortar. Also the swatch of a bucket in a table.
#[component]
pub fn SegmentRect(bucket: Bucket, x: &'static str, width: &'static str, y: String, height: String) -> impl IntoView {
    view! {
        <g class=format!("segment segment-{}", bucket.id())>
            <rect class="ground" x=x width=width y=y.clone() height=height.clone()></rect>
            <rect x=x width=width y=y height=height fill=format!("url(#masonry-{})", pattern(bucket))></rect>
        </g>
    }
}
