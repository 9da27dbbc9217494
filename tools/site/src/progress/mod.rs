//! The scripts that follow the reader through the page, in a file of their own: what remembers which sections were read, and what lays
//! out those that come.

use std::path::Path;

use crate::{read, script, style, write};

/// Writes it, and returns the tag that loads it.
pub(crate) fn tag(root: &Path, staging: &Path) -> Result<String, String> {
    let scripts = ["progress", "ahead"];
    let scripts = scripts.map(|name| read(&root.join(format!("tools/site/src/progress/{name}.js"))));
    let own = script::without_comments(&scripts.into_iter().collect::<Result<String, _>>()?);
    let (name, digest) = style::named("progress", &own, "js");
    write(&staging.join(&name), &own)?;
    Ok(format!("<script defer src=\"./{name}\" integrity=\"sha256-{digest}\"></script>"))
}
