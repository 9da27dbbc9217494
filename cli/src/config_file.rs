//! Reading a `config.json` from a file or from standard input.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use memory_wall_core::config::Config;

use crate::BadInput;
use crate::text::{QUOTED, quote, shortened};

/// Published files have a few kilobytes; what is larger is something else, and is not read.
pub(crate) const LARGEST: u64 = 1 << 20;

/// A config and the name to show for it.
#[derive(Debug)]
pub(crate) struct Named {
    /// File name, or `standard input`.
    pub(crate) name: String,
    /// What stands in it.
    pub(crate) config: Config,
}

/// Reads the file at `path` that `option` names, or standard input for `-`; what begins as a JSON object is the config itself.
pub(crate) fn read(option: &str, path: &OsStr) -> Result<Named, BadInput> {
    let refused =
        |why: String| BadInput(format!("{option} {} {why}", quote(&shortened(&path.to_string_lossy(), QUOTED))));
    let inline = path.to_str().filter(|text| text.trim_start().starts_with('{'));
    let (name, text) = match inline {
        Some(text) => ("config.json".to_owned(), text.to_owned()),
        None => text(path, "config.json").map_err(refused)?,
    };
    let config =
        serde_json::from_str(&text).map_err(|error| refused(format!("cannot be read as a JSON object: {error}")))?;
    Ok(Named { name, config })
}

/// The name and the text of a file, or of standard input for `-`; why it cannot be read as a `what`.
pub(crate) fn text(path: &OsStr, what: &str) -> Result<(String, String), String> {
    let (name, bytes) = if path == "-" {
        ("standard input".to_owned(), limited(io::stdin().lock()))
    } else {
        let name = Path::new(path).file_name().unwrap_or(path);
        (name.to_string_lossy().into_owned(), open(path).and_then(limited))
    };
    let bytes = bytes.map_err(|error| reason(&error, what))?;
    let text = String::from_utf8(bytes)
        .map_err(|error| format!("is not UTF-8 text, from byte {} on", error.utf8_error().valid_up_to()))?;
    Ok((name, text))
}

fn open(path: &OsStr) -> io::Result<File> {
    let file = File::open(path)?;
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if about.len() > LARGEST {
        return Err(ErrorKind::FileTooLarge.into());
    }
    Ok(file)
}

/// Everything, or an error once it is more than [`LARGEST`]: a pipe does not say its size.
fn limited(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST { Err(ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

fn reason(error: &io::Error, what: &str) -> String {
    match error.kind() {
        ErrorKind::NotFound => "does not exist".into(),
        ErrorKind::IsADirectory => format!("is a directory, not a {what}"),
        ErrorKind::FileTooLarge => format!("is larger than 1 MiB, which no {what} is"),
        _ => format!("cannot be read: {error}"),
    }
}
