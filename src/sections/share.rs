//! Taking the settings elsewhere: as a link, as a figure for another page, as Markdown, as a picture for a camera.

use leptos::prelude::*;

use super::masonry::live;
use crate::registry;
use crate::words::{self, t};

/// The heights that figures by themselves need: a line each, `figure 320:920 480:810 …`.
const HEIGHTS: &str = include_str!("../../tools/site/src/embed/heights.txt");

/// The height that is copied is the one of this width: that of a column of text.
const WIDTH: &str = "640:";

/// The height of a figure in a column of text.
fn height(figure: &str) -> Option<&'static str> {
    let line = HEIGHTS.lines().find(|line| line.split(' ').next() == Some(figure))?;
    line.split(' ').find_map(|pair| pair.strip_prefix(WIDTH))
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
                <option value=id data-height=height selected=id == "buckets">
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
            let pixels: u32 = height(id).and_then(|height| height.parse().ok()).unwrap_or_default();
            assert!((100..20_000).contains(&pixels), "{id}");
        }
    }
}
