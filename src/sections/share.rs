//! Taking the settings elsewhere: as a link, as a figure for another page, as Markdown, as a picture for a camera.

use leptos::prelude::*;

use super::masonry::live;
use crate::heights;
use crate::registry;
use crate::words::{self, t};

/// The width whose height is copied: that of a column of text.
const WIDTH: u32 = 640;

/// The height of a figure there.
fn height(figure: &str) -> Option<u32> {
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
pub fn share() -> AnyView {
    let figures = registry::alone()
        .filter_map(|id| {
            let height = height(id)?;
            Some(view! {
                <option value=id data-height=height.to_string() selected=id == "buckets">
                    {words::choice("alone.title", id)}
                </option>
            })
        })
        .collect_view();
    view! {
        <details class="share" id="share" data-copied=t("share.copied") data-refused=t("share.refused")>
            <summary>{t("share.title")}</summary>
            <div class="share-panel">
                <div class="share-ways">
                    <p class="share-of">{live("rig_line")}</p>
                    <label for="share-link">{t("share.link")}</label>
                    <input id="share-link" type="text" readonly=true autocomplete="off" spellcheck="false" />
                    <p class="share-buttons">
                        {button("link", t("share.copy.link"))} {button("markdown", t("share.copy.markdown"))}
                        <button type="button" class="plain-button" data-share="native" hidden=true>
                            {t("share.native")}
                        </button>
                    </p>
                    <label for="share-figure">{t("share.figure")}</label>
                    <select id="share-figure" autocomplete="off">
                        {figures}
                    </select>
                    <p class="share-buttons">{button("embed", t("share.copy.embed"))}</p>
                    <p class="share-more"><a href="teach.html">{t("share.more")}</a></p>
                    <p class="share-said" role="status"></p>
                </div>
                <div class="share-code" hidden=true>
                    <svg id="share-qr" role="img" aria-label=t("share.qr")>
                        <rect class="qr-paper" width="100%" height="100%"></rect>
                        <path class="qr-ink" d=""></path>
                    </svg>
                    {button("qr", t("share.keep.qr"))}
                </div>
            </div>
        </details>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_by_itself_has_a_height() {
        for id in registry::alone() {
            assert!((100..20_000).contains(&height(id).unwrap_or_default()), "{id}");
        }
    }
}
