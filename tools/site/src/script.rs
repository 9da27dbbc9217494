//! The glue between page and program, as wasm-bindgen writes it, without its comments and indentation.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha384};

use crate::{read, write};

/// Squeezes the staged script and puts its new integrity value into the page.
pub(crate) fn squeezed(staging: &Path, html: &str) -> Result<String, String> {
    let files =
        std::fs::read_dir(staging).map_err(|error| format!("{} cannot be listed: {error}", staging.display()))?;
    let mut html = html.to_owned();
    for path in files.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "js"))
    {
        let script = read(&path)?;
        let short = without_comments(&script);
        html = html.replace(&integrity(&script), &integrity(&short));
        write(&path, &short)?;
    }
    Ok(html)
}

fn integrity(script: &str) -> String {
    format!("sha384-{}", STANDARD.encode(Sha384::digest(script.as_bytes())))
}

/// Whole lines of comment and the white space around lines go. The glue has no text that spans lines, so no more is needed to be safe.
pub(crate) fn without_comments(script: &str) -> String {
    let mut out = String::with_capacity(script.len());
    let mut comment = false;
    for line in script.lines().map(str::trim) {
        let starts = line.starts_with("/*");
        let ends = line.ends_with("*/");
        if comment || starts {
            comment = !ends;
        } else if !line.is_empty() && !line.starts_with("//") {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_lines_of_comment_go() {
        let script =
            "/**\n * a\n */\nexport function f() {\n    // b\n    return 'http://x /* y */'; // c\n}\n/* d */\nf();\n";
        assert_eq!(without_comments(script), "export function f() {\nreturn 'http://x /* y */'; // c\n}\nf();\n");
    }
}
