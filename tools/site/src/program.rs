//! The program as files: the glue and the WebAssembly that Trunk staged, and both as one plain script for frames that may fetch nothing.

use std::io::Write as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha384};

use crate::{read, style, write};

/// A staged file: its name, and its digest as integrity attributes write it.
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) integrity: String,
}

/// What the program consists of.
pub(crate) struct Program {
    /// The script that wasm-bindgen writes.
    pub(crate) glue: File,
    /// The WebAssembly.
    pub(crate) wasm: File,
    /// Both as one script without imports.
    pub(crate) plain: String,
}

/// Finds the program among the staged files. It is called after the glue was squeezed.
pub(crate) fn staged(staging: &Path) -> Result<Program, String> {
    let [glue, wasm] = ["js", "wasm"].map(|ending| named(staging, ending));
    let (glue, wasm) = (glue?, wasm?);
    let script = plain(&read(&staging.join(&glue))?, &bytes(staging, &wasm)?)?;
    let (plain, _) = style::named("program", &script, "js");
    write(&staging.join(&plain), &script)?;
    Ok(Program { glue: file(staging, glue)?, wasm: file(staging, wasm)?, plain })
}

/// The one staged file of the program with this ending.
fn named(staging: &Path, ending: &str) -> Result<String, String> {
    let files =
        std::fs::read_dir(staging).map_err(|error| format!("{} cannot be listed: {error}", staging.display()))?;
    let names = files.flatten().map(|file| file.file_name().to_string_lossy().into_owned());
    let mut own = names.filter(|name| name.starts_with("memory-wall-app") && name.ends_with(&format!(".{ending}")));
    own.next().ok_or(format!("Trunk staged no program that ends with .{ending}"))
}

fn bytes(staging: &Path, name: &str) -> Result<Vec<u8>, String> {
    std::fs::read(staging.join(name)).map_err(|error| format!("{name} cannot be read: {error}"))
}

fn file(staging: &Path, name: String) -> Result<File, String> {
    let digest = STANDARD.encode(Sha384::digest(bytes(staging, &name)?));
    Ok(File { name, integrity: format!("sha384-{digest}") })
}

/// Glue and WebAssembly as one script that any page can load, wherever it stands: it leaves `memoryWall()`, which starts the
/// program. The bytes are packed, since written out they would weigh twice as much.
fn plain(glue: &str, wasm: &[u8]) -> Result<String, String> {
    const EXPORTS: &str = "export { initSync, __wbg_init as default };";
    const FALLBACK: &str = "new URL('memory-wall-app_bg.wasm', import.meta.url)";
    let (whole, rest) = (glue.matches(EXPORTS).count(), glue.matches(FALLBACK).count());
    if whole != 1 || rest != 1 {
        return Err("wasm-bindgen writes its glue in another way than program.rs knows".into());
    }
    let glue = glue.replace(EXPORTS, "").replace(FALLBACK, "undefined").replace("export function", "function");
    let packed = packed(wasm).map_err(|error| format!("the program cannot be packed: {error}"))?;
    Ok(format!(
        "(() => {{\n'use strict';\n{glue}\nconst packed = '{}';\nwindow.memoryWall = () => {{\n\
         const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));\n\
         const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));\n\
         return __wbg_init({{ module_or_path: new Response(unpacked, {{ headers: {{ 'Content-Type': 'application/wasm' }} }}) }});\n\
         }};\n}})();\n",
        STANDARD.encode(packed)
    ))
}

fn packed(data: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plain_script_has_no_imports_and_holds_the_program() {
        let glue = "export function f() {}\nmodule_or_path = new URL('memory-wall-app_bg.wasm', import.meta.url);\nexport { initSync, __wbg_init as default };\n";
        let script = plain(glue, b"\0asm").unwrap();
        assert!(!script.contains("export") && !script.contains("import"), "{script}");
        let packed = script.split("packed = '").nth(1).unwrap().split('\'').next().unwrap();
        let mut unpacked = Vec::new();
        let mut decoder = flate2::write::GzDecoder::new(&mut unpacked);
        decoder.write_all(&STANDARD.decode(packed).unwrap()).unwrap();
        decoder.finish().unwrap();
        assert_eq!(unpacked, b"\0asm");
        assert!(plain("export { something };", b"").is_err(), "another glue is noticed");
    }
}
