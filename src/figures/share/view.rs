//! How the panel is drawn, once, when the page is built.

use leptos::prelude::*;

use crate::figures::{bound, rig};
use crate::heights;
use crate::registry;
use crate::words;

/// The width whose height is copied: that of a column of text.
const WIDTH: u32 = 640;

/// The height of a figure there.
pub(super) fn height(figure: &str) -> Option<u32> {
    let rows = heights::all().ok()?;
    rows.iter().find(|row| row.figure == figure && row.only.is_none())?.of(WIDTH)
}

fn button(act: &'static str, label: &'static str) -> AnyView {
    view! {
        <button type="button" class="plain-button" data-share=act>
            {label}
        </button>
    }
    .into_any()
}

/// The panel. It is filled by the program, since only it knows the address.
pub fn view() -> AnyView {
    let figures = registry::alone()
        .filter_map(|id| {
            let height = height(id)?;
            Some(view! {
                <option value=id data-height=height.to_string() selected=id == "buckets">
                    {words::figure_title(id)}
                </option>
            })
        })
        .collect_view();
    view! {
        <details class="share" id="share" data-copied=words::share_copied() data-refused=words::share_refused()>
            <summary>{words::share_title()}</summary>
            <div class="share-panel">
                <div class="share-ways">
                    <p class="share-of">{bound::<rig::Model>(rig::Binding::Line)}</p>
                    <label for="share-link">{words::share_link()}</label>
                    <input id="share-link" type="text" readonly=true autocomplete="off" spellcheck="false" />
                    <p class="share-buttons">
                        {button("link", words::share_copy_link())} {button("markdown", words::share_copy_markdown())}
                        <button type="button" class="plain-button" data-share="native" hidden=true>
                            {words::share_native()}
                        </button>
                    </p>
                    <label for="share-figure">{words::share_figure()}</label>
                    <select id="share-figure" autocomplete="off">
                        {figures}
                    </select>
                    <p class="share-buttons">{button("embed", words::share_copy_embed())}</p>
                    <p class="share-more"><a href="teach.html">{words::share_more()}</a> " " <a href="plan.html">{words::share_planner()}</a></p>
                    <p class="share-said" role="status"></p>
                </div>
                <div class="share-code" hidden=true>
                    <svg id="share-qr" role="img" aria-label=words::share_qr()>
                        <rect class="qr-paper" width="100%" height="100%"></rect>
                        <path class="qr-ink" d=""></path>
                    </svg>
                    {button("qr", words::share_keep_qr())}
                </div>
            </div>
        </details>
    }
    .into_any()
}
