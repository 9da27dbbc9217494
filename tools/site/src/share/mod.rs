//! The script of the panel that hands the settings on, and the library that draws QR codes, each a file of its own.

use std::path::Path;

use crate::{read, script, style, write};

/// Writes both, and returns the tag that loads the first; that loads the second when somebody asks for a code.
pub(crate) fn tag(root: &Path, staging: &Path) -> Result<String, String> {
    let library = read(&root.join("tools/site/vendor/uqr/index.mjs"))?;
    let own = script::without_comments(&read(&root.join("tools/site/src/share/share.js"))?);
    let (qr, qr_digest) = style::named("qr", &library, "js");
    let (share, digest) = style::named("share", &own, "js");
    write(&staging.join(&qr), &library)?;
    write(&staging.join(&share), &own)?;
    let library = format!(" data-qr=\"./{qr}\" data-qr-integrity=\"sha256-{qr_digest}\"");
    Ok(script::near("figure-share", &share, &digest, &library))
}
