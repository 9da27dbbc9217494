//! Reading the texts: streamed, so that a log of any size takes no more memory than a line of it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Read};

use memory_wall_reports::{Found, Reader};

use crate::BadInput;
use crate::text::quote;

/// Bytes that are read at once.
const CHUNK: usize = 256 << 10;

/// All that is found in the files, one after another.
pub(super) fn all(files: &[OsString]) -> Result<Found, BadInput> {
    let mut reader = Reader::new();
    for path in files {
        one(path, &mut reader).map_err(|error| BadInput::new(format!("{} {}", name(path), reason(&error))))?;
        reader.next_source();
    }
    Ok(reader.finish())
}

fn one(path: &OsStr, reader: &mut Reader) -> io::Result<()> {
    if path == "-" {
        return stream(io::stdin().lock(), reader);
    }
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    stream(file, reader)
}

fn stream(mut source: impl Read, reader: &mut Reader) -> io::Result<()> {
    let mut buffer = vec![0; CHUNK];
    loop {
        match source.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => reader.feed(buffer.get(..length).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn name(path: &OsStr) -> String {
    if path == "-" { "standard input".into() } else { quote(&path.to_string_lossy()) }
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "does not exist".into(),
        ErrorKind::IsADirectory => "is a directory, not a file".into(),
        _ => format!("cannot be read: {error}"),
    }
}
