//! What sections are drawn with: masonry, and the directives by which the page names what follows the state.

use leptos::prelude::*;
use memory_wall_core::Bucket;

use crate::charts::wall::pattern;
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
    let define = |id: &'static str, width: &'static str, height: &'static str, path: &'static str| {
        view! {
            <pattern id=format!("masonry-{id}") width=width height=height patternUnits="userSpaceOnUse">
                <path class="mortar" d=path></path>
            </pattern>
        }
    };
    view! {
        <svg class="patterns" width="0" height="0" aria-hidden="true" focusable="false">
            <defs>
                {define("solid", "24", "24", "")}
                {define("brick", "26", "14", "M0 .5H26M0 7.5H26M6.5 0V7M19.5 7V14")}
                {define("header", "13", "14", "M0 .5H13M0 7.5H13M3.5 0V7M10 7V14")}
                {define("diagonal", "9", "9", "M-2 2L2 -2M0 9L9 0M7 11L11 7")}
                {define("dots", "9", "9", "M3 4.5H5M7.5 0H9.5M-1.5 0H.5M7.5 9H9.5M-1.5 9H.5")}
                {define("rule", "8", "6", "M0 3H8")}
                {define("open", "12", "12", "M0 .5H12M.5 0V12M0 12L12 0M0 0L12 12")}
            </defs>
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
