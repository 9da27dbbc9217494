//! Reading what was handed over: texts are streamed, so that a log of any size takes no more memory than a line of it; of model files
//! only the header is read, and other files are loaded as a whole.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read, Seek, SeekFrom};

use memory_wall_reports::files::{self, LARGEST};
use memory_wall_reports::{How, Pile, Sources};

use crate::BadInput;
use crate::text::quote;

/// Bytes that are read at once.
const CHUNK: usize = 256 << 10;
/// Bytes that say of which kind a file is.
const HEAD: u64 = files::HEAD as u64;

/// All that is found in the files, one after another.
pub(super) fn all(paths: &[OsString]) -> Result<Sources, BadInput> {
    let mut pile = Pile::default();
    for path in paths {
        one(&mut pile, path).map_err(|error| BadInput::new(format!("{} {}", name(path), reason(&error))))?;
        pile.end();
    }
    Ok(pile.finish())
}

fn one(pile: &mut Pile, path: &OsStr) -> io::Result<()> {
    if path == "-" {
        return piped(pile, io::stdin().lock());
    }
    let mut file = File::open(path)?;
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    // A pipe can't be read twice.
    if !about.is_file() {
        return piped(pile, file);
    }
    let length = about.len();
    let head = start(&mut file)?;
    file.rewind()?;
    take(pile, &head, length, file)
}

/// Something that can only be read once: a text is streamed, the rest is loaded.
fn piped(pile: &mut Pile, mut source: impl Read) -> io::Result<()> {
    let mut bytes = start(&mut source)?;
    if files::recognise(&bytes, u64::MAX).is_none() {
        pile.text(&bytes);
        return stream(pile, source);
    }
    source.take(LARGEST).read_to_end(&mut bytes)?;
    let head = bytes.get(..files::HEAD).unwrap_or(&bytes).to_vec();
    take(pile, &head, bytes.len() as u64, Cursor::new(bytes))
}

/// A file by its first bytes.
fn take(pile: &mut Pile, head: &[u8], length: u64, mut source: impl Read + Seek) -> io::Result<()> {
    match pile.begin(head, length) {
        How::Text => stream(pile, source),
        How::Refused => Ok(()),
        How::Header => {
            let mut bytes = Vec::new();
            while let Some(range) = pile.wants() {
                bytes.clear();
                source.seek(SeekFrom::Start(range.start))?;
                source.by_ref().take(range.end.saturating_sub(range.start)).read_to_end(&mut bytes)?;
                pile.give(&bytes);
            }
            Ok(())
        }
        How::Whole | How::Snapshot => {
            let mut bytes = Vec::new();
            source.read_to_end(&mut bytes)?;
            pile.whole(&bytes);
            Ok(())
        }
    }
}

fn stream(pile: &mut Pile, mut source: impl Read) -> io::Result<()> {
    let mut buffer = vec![0; CHUNK];
    loop {
        match source.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => pile.text(buffer.get(..length).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The first bytes.
fn start(source: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    source.take(HEAD).read_to_end(&mut head)?;
    Ok(head)
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
