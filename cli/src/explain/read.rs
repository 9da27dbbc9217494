//! Reading what was handed over: texts are streamed, so that a log of any size takes no more memory than a line of it; of model files
//! only the header is read, and other files are loaded as a whole.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read, Seek, SeekFrom};

use memory_wall_reports::files::{self, Kind, LARGEST};
use memory_wall_reports::files::{Opened, add};
use memory_wall_reports::model_files::{self, ModelFile, Unreadable};
use memory_wall_reports::{Found, Reader};

use crate::BadInput;
use crate::text::quote;

/// Bytes that are read at once.
const CHUNK: usize = 256 << 10;
/// Bytes that say of which kind a file is.
const HEAD: u64 = 64;

/// What was read.
pub(super) struct Sources {
    /// What the texts and the files say.
    pub(super) found: Found,
    /// The files.
    pub(super) files: Vec<Opened>,
    /// What could not be read, by its place among all of it, and why.
    pub(super) unread: Vec<(u16, String)>,
}

/// All that is found in the files, one after another.
pub(super) fn all(paths: &[OsString]) -> Result<Sources, BadInput> {
    let mut sources = Reading { reader: Reader::new(), files: Vec::new(), unread: Vec::new(), source: 0 };
    for path in paths {
        sources.one(path).map_err(|error| BadInput::new(format!("{} {}", name(path), reason(&error))))?;
        sources.reader.next_source();
        sources.source = sources.source.saturating_add(1);
    }
    let Reading { reader, files, mut unread, .. } = sources;
    let mut found = reader.finish();
    // What isn't JSON after all may be a log whose first line looks like it.
    unread.retain(|(source, _)| !found.reports.iter().any(|report| report.source == *source));
    add(&mut found, &files);
    Ok(Sources { found, files, unread })
}

/// What has been read so far.
struct Reading {
    reader: Reader,
    files: Vec<Opened>,
    unread: Vec<(u16, String)>,
    source: u16,
}

impl Reading {
    fn one(&mut self, path: &OsStr) -> io::Result<()> {
        if path == "-" {
            return self.piped(io::stdin().lock());
        }
        let mut file = File::open(path)?;
        let about = file.metadata()?;
        if about.is_dir() {
            return Err(ErrorKind::IsADirectory.into());
        }
        // A pipe can't be read twice.
        if !about.is_file() {
            return self.piped(file);
        }
        let length = about.len();
        let head = start(&mut file)?;
        file.rewind()?;
        self.take(&head, length, file)
    }

    /// Something that can only be read once: a text is streamed, the rest is loaded.
    fn piped(&mut self, mut source: impl Read) -> io::Result<()> {
        let mut bytes = start(&mut source)?;
        if files::recognise(&bytes, u64::MAX).is_none() {
            self.reader.feed(&bytes);
            return self.stream(source);
        }
        source.take(LARGEST).read_to_end(&mut bytes)?;
        let head = bytes.get(..64).unwrap_or(&bytes).to_vec();
        self.take(&head, bytes.len() as u64, Cursor::new(bytes))
    }

    /// A file by its first bytes.
    fn take(&mut self, head: &[u8], length: u64, mut source: impl Read + Seek) -> io::Result<()> {
        match files::recognise(head, length) {
            None => self.stream(source),
            Some(Kind::Refused(why)) => {
                self.refuse(why.to_owned());
                Ok(())
            }
            Some(Kind::Model) => {
                match header(head, length, &mut source)? {
                    Ok(file) => self.open(files::File::Header(Box::new(file))),
                    Err(why) => self.refuse(why.to_string()),
                }
                Ok(())
            }
            // Logs with a JSON object in each line may be of any size.
            Some(Kind::Json) if length > LARGEST => self.stream(source),
            Some(Kind::Pickle) if length > LARGEST => {
                self.refuse(format!("it is larger than the {} MB that are read", LARGEST / 1_000_000));
                Ok(())
            }
            Some(Kind::Pickle | Kind::Json) => {
                let mut bytes = Vec::new();
                source.read_to_end(&mut bytes)?;
                self.whole(&bytes);
                Ok(())
            }
        }
    }

    fn whole(&mut self, bytes: &[u8]) {
        match files::read(bytes) {
            Ok(Some(file)) => self.open(file),
            Ok(None) => self.reader.feed(bytes),
            Err(why) => {
                self.refuse(why.to_string());
                if !matches!(why, files::NotRead::Snapshot(_)) {
                    self.reader.feed(bytes);
                }
            }
        }
    }

    fn open(&mut self, file: files::File) {
        self.files.push(Opened { source: self.source, file });
    }

    fn refuse(&mut self, why: String) {
        self.unread.push((self.source, why));
    }

    fn stream(&mut self, mut source: impl Read) -> io::Result<()> {
        let mut buffer = vec![0; CHUNK];
        loop {
            match source.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(length) => self.reader.feed(buffer.get(..length).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// The first bytes.
fn start(source: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    source.take(HEAD).read_to_end(&mut head)?;
    Ok(head)
}

/// The header of a model file, of which nothing else is read.
fn header(head: &[u8], length: u64, source: &mut (impl Read + Seek)) -> io::Result<Result<ModelFile, Unreadable>> {
    let unknown = Unreadable { at: 0, why: model_files::Why::Unknown };
    let Some(mut reader) = model_files::Reader::of(head, length) else { return Ok(Err(unknown)) };
    let mut bytes = Vec::new();
    while let Some(range) = reader.wants() {
        bytes.clear();
        source.seek(SeekFrom::Start(range.start))?;
        source.by_ref().take(range.end.saturating_sub(range.start)).read_to_end(&mut bytes)?;
        if let Err(why) = reader.give(&bytes) {
            return Ok(Err(why));
        }
    }
    Ok(reader.finish().ok_or(unknown))
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
