//! The script that remembers which sections were read, a file of its own.

use std::path::Path;

use crate::{read, script, style, write};

/// Writes it, and returns the tag that loads it.
pub(crate) fn tag(root: &Path, staging: &Path) -> Result<String, String> {
    let own = script::without_comments(&read(&root.join("tools/site/src/progress/progress.js"))?);
    let (name, digest) = style::named("progress", &own, "js");
    write(&staging.join(&name), &own)?;
    Ok(format!("<script defer src=\"./{name}\" integrity=\"sha256-{digest}\"></script>"))
}
