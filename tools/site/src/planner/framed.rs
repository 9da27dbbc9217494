//! The planner for frames in other people's pages: `plan-frame.html`, whose script speaks with the page around.

use std::path::Path;

use super::Files;
use crate::page::{self, put};
use crate::wording::Words;
use crate::{embed, figures, policy, read, style, words, write};

/// The name by which the planner goes among figures.
pub(crate) const NAME: &str = "planner";
/// Its file.
pub(crate) const FILE: &str = "plan-frame.html";

/// Writes the page and its script.
pub(super) fn build(root: &Path, staging: &Path, files: &Files, own: &Words, said: &str) -> Result<(), String> {
    let frame = embed::around(include_str!("frame.js"));
    let (frame_name, _) = style::named("framed", &frame, "js");
    write(&staging.join(&frame_name), &frame)?;
    let mut html = read(&root.join("embed.html"))?.replace("\"../", "\"./");
    let still = format!(
        "{} <a href=\"./plan.html\" target=\"_blank\" rel=\"noopener\">{}</a>",
        own.say("still"),
        words::alone_planner()
    );
    let content = format!(
        "<section class=\"section\"><div id=\"planner\">{}</div></section><script type=\"text/plain\" id=\"planner-words\">{said}</script>",
        memory_wall_planner::html()
    );
    let Files { plain, glue, wasm, wasm_digest, far, sheet } = files;
    let attributes = ["planner", "exchange"].iter().zip(plain.iter().zip(glue).zip(wasm.iter().zip(wasm_digest)));
    let attributes = attributes.fold(String::new(), |all, (name, ((plain, glue), (wasm, digest)))| {
        all + &format!(
            " data-{name}-plain=\"./{plain}\" data-{name}-glue=\"./{glue}\" data-{name}-program=\"./{wasm}\" data-{name}-integrity=\"{digest}\""
        )
    });
    let apart = far
        .as_ref()
        .map(|(far, digest)| format!(" data-planner-far=\"./{far}\" data-planner-far-integrity=\"{digest}\""));
    let apart = apart.unwrap_or_default();
    let nonce = policy::OWN;
    for (mark, text) in [
        ("{{lang}}", page::language()),
        ("{{figure}}", NAME.to_owned()),
        ("{{title}}", own.say("head.title")),
        ("{{description}}", own.say("head.description")),
        ("{{anchor}}", "calculator".to_owned()),
        ("{{whole}}", words::alone_whole().to_owned()),
        ("{{planner}}", words::alone_planner().to_owned()),
        ("{{failed}}", words::alone_failed().to_owned()),
        ("{{waits}}", String::new()),
        ("<!-- oembed -->", String::new()),
        ("<!-- patterns -->", figures::patterns()),
        ("<!-- notice -->", String::new()),
        ("<!-- still -->", page::still(&still)),
        ("<!-- content -->", content),
        ("<!-- style -->", format!("<link rel=\"stylesheet\" href=\"./{sheet}\" nonce=\"{nonce}\" />")),
        (
            "<!-- frame -->",
            format!("<script src=\"./{frame_name}\" nonce=\"{nonce}\" data-version=\"1\"{attributes}{apart}></script>"),
        ),
    ] {
        put(&mut html, mark, &text)?;
    }
    let policy = policy::framed(&html);
    put(&mut html, "<!-- policy -->", &policy)?;
    write(&staging.join(FILE), &html)
}
