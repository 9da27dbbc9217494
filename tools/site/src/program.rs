//! The program as files: the glue and the WebAssembly that Trunk staged, and both as one plain script for frames that may fetch nothing.

use std::io::Write as _;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, write::GzEncoder};

use crate::far::Far;
use crate::{far, minute, optimised, released, script, style, write};

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
    /// The far parts, which come later; none while somebody works on the page.
    pub(crate) far: Option<Far>,
    /// All of it as one script without imports.
    pub(crate) plain: String,
    /// The script of the minute of a server, with its own program.
    pub(crate) minute: minute::File,
}

/// What Trunk calls its files.
pub(crate) const STAGED: &str = "memory-wall-app";

/// Takes the program that Trunk staged, and stages it squeezed and in its two forms in its place.
pub(crate) fn staged(root: &Path, staging: &Path) -> Result<Program, String> {
    let far = far::taken(staging, STAGED)?;
    let (wasm, mut glue) = squeezed(staging, STAGED)?;
    let put = |stem: &str, content: &[u8], ending: &str| {
        let (name, digest) = style::named(stem, content, ending);
        write(&staging.join(&name), content)?;
        Ok::<_, String>(File { name, integrity: format!("sha256-{digest}") })
    };
    let parts = far.iter().map(|far| put("far", far, "wasm")).collect::<Result<Vec<_>, _>>()?;
    if !parts.is_empty() {
        glue = far::glued(&glue, &parts);
    }
    let plain = plain(&glue, &wasm, &far, STAGED, &[])?;
    let far = if parts.is_empty() { None } else { Some(Far { parts, needs: far::needs(staging)? }) };
    Ok(Program {
        far,
        glue: put("glue", glue.as_bytes(), "js")?,
        wasm: put("memory-wall", &wasm, "wasm")?,
        plain: put("program", plain.as_bytes(), "js")?.name,
        minute: minute::staged(root, staging)?,
    })
}

/// Makes every program that Trunk staged smaller, as many at once as there are cores: it is most of what a release waits for.
pub(crate) fn small(staging: &Path) -> Result<(), String> {
    // While somebody works on the page, nobody waits for what only makes it smaller.
    if !released() {
        return Ok(());
    }
    let listed = |error| format!("{} cannot be listed: {error}", staging.display());
    let mut waiting = Vec::new();
    for entry in std::fs::read_dir(staging).map_err(listed)? {
        let entry = entry.map_err(listed)?;
        if entry.file_name().to_string_lossy().ends_with("_bg.wasm") {
            waiting.push((entry.metadata().map_err(listed)?.len(), entry.path()));
        }
    }
    // The largest is taken first, so that none is still to do when all others are done.
    waiting.sort();
    let waiting = Mutex::new(waiting);
    let next = || waiting.lock().map_or(None, |mut waiting| waiting.pop());
    let work = || std::iter::from_fn(next).try_for_each(|(_, path)| made_small(&path));
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        let threads = (0..cores).map(|_| scope.spawn(work)).collect::<Vec<_>>();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a program was given up".to_owned())?)
    })
}

/// Writes a program anew: without what it says when it panics, with tables by columns and its functions in a better order; some
/// in parts.
fn made_small(path: &Path) -> Result<(), String> {
    let size = |program: &[u8]| packed(program).map_or(usize::MAX, |packed| packed.len());
    let is_tutorial = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(STAGED));
    // A test finds what in the tutorial would write values as for debugging, and nothing may.
    let mut quiet = optimised::quiet(path, !is_tutorial)?;
    if let Some(first) = far::cut_off(path, &quiet, |part| memory_wall_squeeze::ordered(part, size))? {
        quiet = first;
    }
    let turned = memory_wall_squeeze::by_columns(&quiet, size)?;
    write(path, memory_wall_squeeze::ordered(&turned, size)?)
}

/// The glue and the WebAssembly of a program, whose files go.
pub(crate) fn taken(staging: &Path, program: &str) -> Result<(String, Vec<u8>), String> {
    let glue = String::from_utf8_lossy(&content(staging, program, "js")?).into_owned();
    Ok((glue, content(staging, program, "wasm")?))
}

/// The WebAssembly and the glue of a program with short names between them.
pub(crate) fn squeezed(staging: &Path, program: &str) -> Result<(Vec<u8>, String), String> {
    let (glue, wasm) = taken(staging, program)?;
    memory_wall_squeeze::shortened(&wasm, &script::without_comments(&glue))
}

/// The content of the one file of a program with this ending, which goes.
fn content(staging: &Path, program: &str, ending: &str) -> Result<Vec<u8>, String> {
    let files =
        std::fs::read_dir(staging).map_err(|error| format!("{} cannot be listed: {error}", staging.display()))?;
    let is_own = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(program) && name.ends_with(&format!(".{ending}"))
    };
    let path = files.flatten().map(|file| file.path()).find(is_own);
    let path = path.ok_or(format!("Trunk staged no {program} that ends with .{ending}"))?;
    taken_out(&path)
}

/// The content of a file, which goes.
pub(crate) fn taken_out(path: &Path) -> Result<Vec<u8>, String> {
    let content = std::fs::read(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    std::fs::remove_file(path).map_err(|error| format!("{} cannot be removed: {error}", path.display()))?;
    Ok(content)
}

/// Glue and WebAssembly as one script that any page can load, wherever it stands: it leaves `memoryWall()`, which starts the
/// program, with its far parts if it has any, and promises these of its functions. The bytes are packed, since written out they would
/// weigh twice as much.
pub(crate) fn plain(
    glue: &str,
    wasm: &[u8],
    far: &[Vec<u8>],
    staged: &str,
    functions: &[&str],
) -> Result<String, String> {
    const EXPORTS: &str = "export { initSync, __wbg_init as default };";
    let fallback = format!("new URL('{staged}_bg.wasm', import.meta.url)");
    let (whole, rest) = (glue.matches(EXPORTS).count(), glue.matches(&fallback).count());
    if whole != 1 || rest != 1 {
        return Err("wasm-bindgen writes its glue in another way than program.rs knows".into());
    }
    let glue = glue.replace(EXPORTS, "").replace(&fallback, "undefined");
    let glue = glue.replace("export function", "function").replace("export class", "class");
    let glue = glue.replace("export async function", "async function");
    if glue.lines().any(|line| line.starts_with("export ")) {
        return Err("wasm-bindgen exports something that program.rs does not know".into());
    }
    if let Some(missing) = functions.iter().find(|name| !glue.contains(&format!("function {name}("))) {
        return Err(format!("the program has no function {missing}"));
    }
    let handed =
        if functions.is_empty() { String::new() } else { format!(".then(() => ({{ {} }}))", functions.join(", ")) };
    let text = |wasm: &[u8]| {
        let packed = packed(wasm).map_err(|error| format!("the program cannot be packed: {error}"))?;
        Ok::<_, String>(STANDARD.encode(packed))
    };
    let program = text(wasm)?;
    // Nothing starts before all parts are there.
    let parts = far.iter().map(|far| Ok(format!("unpacked('{}')", text(far)?))).collect::<Result<Vec<_>, String>>()?;
    let (awaited, comes) = if parts.is_empty() {
        ("", String::new())
    } else {
        ("document.documentElement.dataset.far = 'now';\n", format!(".then(() => far({}))", parts.join(", ")))
    };
    Ok(format!(
        "(() => {{\n'use strict';\n{glue}\nconst unpacked = (packed) => {{\n\
         const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));\n\
         const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));\n\
         return new Response(unpacked, {{ headers: {{ 'Content-Type': 'application/wasm' }} }});\n}};\n\
         const packed = '{program}';\nwindow.memoryWall = () => {{\n{awaited}\
         return __wbg_init({{ module_or_path: unpacked(packed) }}){comes}{handed};\n\
         }};\n}})();\n"
    ))
}

pub(crate) fn packed(data: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plain_script_has_no_imports_and_holds_the_program() {
        let glue = "export class A {}\nexport function f() {}\nexport async function g() {}\nmodule_or_path = new URL('memory-wall-app_bg.wasm', import.meta.url);\nexport { initSync, __wbg_init as default };\n";
        let script = plain(glue, b"\0asm", &[], STAGED, &["f"]).unwrap();
        assert!(script.contains(".then(() => ({ f }))"), "{script}");
        assert!(!script.contains("export") && !script.contains("import"), "{script}");
        let packed = script.split("packed = '").nth(1).unwrap().split('\'').next().unwrap();
        let mut unpacked = Vec::new();
        let mut decoder = flate2::write::GzDecoder::new(&mut unpacked);
        decoder.write_all(&STANDARD.decode(packed).unwrap()).unwrap();
        decoder.finish().unwrap();
        assert_eq!(unpacked, b"\0asm");
        assert!(plain("export { something };", b"", &[], STAGED, &[]).is_err(), "another glue is noticed");
        assert!(plain(glue, b"", &[], STAGED, &["h"]).is_err(), "and one that lacks a function");
        assert!(
            plain(&format!("export const a = 1;\n{glue}"), b"", &[], STAGED, &[]).is_err(),
            "so is one that exports more"
        );
    }
}
