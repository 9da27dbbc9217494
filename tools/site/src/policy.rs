//! The content security policy: nothing but the page's own files, and its few inline scripts and styles, by their hashes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::page;

/// SHA-256 in base64, as policies and integrity attributes write it.
pub(crate) fn hash(content: impl AsRef<[u8]>) -> String {
    STANDARD.encode(Sha256::digest(content))
}

/// The policy for a page, as its `meta` element.
pub(crate) fn meta(html: &str) -> String {
    let (scripts, styles) = (hashed(inline_scripts(html)), hashed(inline_styles(html)));
    format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{scripts}; \
         style-src 'self'{styles}; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'\" />"
    )
}

/// What marks a page's own files where `'self'` does not: to WebKit a sandboxed frame has no self.
pub(crate) const OWN: &str = "own";

/// The policy for a page that shows in frames, as [`meta`], which also allows the files whose elements carry [`OWN`]. The mark is
/// no secret, and need not be: nothing in these pages is made of what somebody else wrote.
pub(crate) fn framed(html: &str) -> String {
    ["script-src", "style-src"]
        .iter()
        .fold(meta(html), |meta, what| meta.replace(&format!("{what} 'self'"), &format!("{what} 'self' 'nonce-{OWN}'")))
}

/// The policy for a page without a program: its own scripts and style sheet, and what of its own host an audit asks for as the page.
pub(crate) fn still() -> String {
    meta(&page::later()).replace(" 'wasm-unsafe-eval'", "")
}

/// The policy for a page that is one file: its own scripts and styles by their hashes, and of other things only what `scripts`
/// and `more` allow.
pub(crate) fn alone(html: &str, scripts: &str, more: &str) -> String {
    let (scripts, styles) = (scripts.to_owned() + &hashed(inline_scripts(html)), hashed(inline_styles(html)));
    format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src{scripts}; style-src{styles}; \
         img-src data:; {more}base-uri 'none'; form-action 'none'\" />"
    )
}

/// The hashes of these texts as sources of a policy.
fn hashed<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    texts.fold(String::new(), |all, text| all + " 'sha256-" + &hash(text) + "'")
}

/// The text of every style sheet in the page.
fn inline_styles(html: &str) -> impl Iterator<Item = &str> {
    html.split("<style>").skip(1).filter_map(|after| after.split("</style>").next())
}

/// The text of every script that has no `src` and is run: a block of data is not.
fn inline_scripts(html: &str) -> impl Iterator<Item = &str> {
    html.split("<script").skip(1).filter_map(|after| {
        let (tag, body) = after.split_once('>')?;
        if tag.contains(" src=") || tag.contains("text/plain") {
            None
        } else {
            body.split_once("</script>").map(|(script, _)| script)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_scripts_are_allowed_by_hash_and_others_by_origin() {
        let meta = meta("<style>a</style><script type=\"module\">\nhi\n</script><script src=\"a.js\"></script>");
        assert_eq!(meta.matches("sha256-").count(), 2);
        assert!(meta.contains(&format!("style-src 'self' 'sha256-{}';", hash("a"))), "{meta}");
        // The text between the tags, line breaks included, as browsers hash it.
        assert!(meta.contains(&format!("'sha256-{}'", hash("\nhi\n"))), "{meta}");
        assert!(meta.contains("default-src 'none'") && !meta.contains("unsafe-inline"));
        let framed = framed("<script src=\"a.js\" nonce=\"own\"></script>");
        assert!(
            framed.contains("script-src 'self' 'nonce-own' ") && framed.contains("style-src 'self' 'nonce-own';"),
            "{framed}"
        );
        let alone = alone("<style>a</style><script>b</script>", "", "");
        assert!(
            alone.contains(&format!("script-src 'sha256-{}'; style-src 'sha256-{}';", hash("b"), hash("a"))),
            "{alone}"
        );
        assert!(!alone.contains("'self'") && !alone.contains("unsafe"), "{alone}");
        assert_eq!(hash(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }
}
