//! Which kind of file it is, by its content: what a name says is not looked at.

mod facts;
mod holdings;
mod opening;
#[cfg(feature = "estimate")]
mod shape;

use alloc::boxed::Box;
use core::fmt;

#[cfg(feature = "estimate")]
pub(crate) use facts::model_name;
pub use holdings::{Holding, Holdings};
pub use opening::Opening;

use crate::Found;
use crate::memory_report::{MemoryReport, NoReport};
use crate::model_files::{ModelFile, ModelJson, Reader, read_model_json};
use crate::order::sorted;
use crate::scan;
use crate::snapshot::{AtPeak, MemoryTimeline, not_read};
#[cfg(feature = "snapshots")]
use crate::snapshot::{Refused, Snapshot};
use crate::values::JsonError;

/// What the first bytes of a file say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A model file, of which [`Reader`] asks for the header alone.
    Model,
    /// A pickle: a memory snapshot, if it is to be read, which is loaded as a whole and given to [`read`].
    Pickle,
    /// JSON, most likely, of whatever kind: to be loaded as a whole and given to [`read`].
    Json,
    /// A file that is not read, and why.
    Refused(&'static str),
}

/// What a file is that begins with these bytes, of which the first 64 are enough; nothing where it is a text, or not known.
///
/// # Example
/// ```
/// use memory_wall_reports::files::{Kind, recognise};
/// assert_eq!(recognise(b"GGUF\x03\0\0\0", 100), Some(Kind::Model));
/// assert_eq!(recognise(b"\x80\x04\x95", 100), Some(Kind::Pickle));
/// assert_eq!(recognise(b" {\"a\": 1}", 9), Some(Kind::Json));
/// assert_eq!(recognise(b"torch.OutOfMemoryError: CUDA out of memory.", 43), None);
/// ```
pub fn recognise(head: &[u8], length: u64) -> Option<Kind> {
    if let Some(why) = not_read(head) {
        return Some(Kind::Refused(why));
    }
    if Reader::of(head, length).is_some() {
        return Some(Kind::Model);
    }
    if is_pickle(head) {
        return Some(Kind::Pickle);
    }
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    // A log may begin with a bracket too, but not before one of these.
    let opens = match text {
        [b'{', rest @ ..] => matches!(rest.trim_ascii_start().first(), Some(b'"' | b'}') | None),
        [b'[', rest @ ..] => matches!(rest.trim_ascii_start().first(), Some(b'[' | b'{' | b']') | None),
        _ => false,
    };
    opens.then_some(Kind::Json)
}

/// The most bytes of a file that is loaded as a whole.
pub const LARGEST: u64 = 300 << 20;

/// A file that was read: a model file by its header, the others as a whole.
#[derive(Debug)]
pub enum File {
    /// A safetensors or GGUF file.
    Header(Box<ModelFile>),
    /// A memory snapshot.
    #[cfg(feature = "snapshots")]
    Snapshot(Box<Snapshot>),
    /// The fullest moment of a memory snapshot that another program read.
    Peak(Box<AtPeak>),
    /// A report of `memory_report.py`.
    Report(Box<MemoryReport>),
    /// The memory timeline of PyTorch's profiler.
    Timeline(MemoryTimeline),
    /// A JSON file of a model.
    Model(ModelJson),
}

/// Why a file is not read.
#[derive(Clone, Debug, PartialEq)]
pub enum NotRead {
    /// A snapshot that is broken, or would run code.
    #[cfg(feature = "snapshots")]
    Snapshot(Refused),
    /// A report that cannot be used.
    Report(NoReport),
    /// No JSON.
    Json(JsonError),
}

impl fmt::Display for NotRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(feature = "snapshots")]
            Self::Snapshot(refused) => refused.fmt(f),
            Self::Report(error) => error.fmt(f),
            Self::Json(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for NotRead {}

/// Bytes in which a snapshot in JSON names one of its parts.
pub const HEAD: usize = 1 << 16;

/// Whether a pickle or a JSON file that begins with these bytes, of which the first [`HEAD`] count, is most likely a memory snapshot.
pub fn is_snapshot(bytes: &[u8]) -> bool {
    let names = |word: &[u8]| names(bytes, word);
    // An index has a total size too.
    let total = || names(b"\"total_size\"") && !names(INDEX);
    is_pickle(bytes) || names(b"\"segments\"") || names(b"\"device_traces\"") || total()
}

/// What the index of a checkpoint's files has.
const INDEX: &[u8] = b"\"weight_map\"";

/// Whether the beginning of a file has a word.
fn names(bytes: &[u8], word: &[u8]) -> bool {
    scan::find(bytes.get(..HEAD).unwrap_or(bytes), word).is_some()
}

const fn is_pickle(head: &[u8]) -> bool {
    matches!(head, [0x80, 1..=9, ..])
}

/// Reads a pickle or a JSON file, whatever it holds; nothing where it is JSON that no reader here knows.
///
/// # Errors
/// It is of a kind that is known, and broken.
pub fn read(bytes: &[u8]) -> Result<Option<File>, NotRead> {
    // An index may have millions of entries, which are not read once for each other kind of file.
    if names(bytes, INDEX)
        && let Some(index) = read_model_json(bytes).map_err(NotRead::Json)?
    {
        return Ok(Some(File::Model(index)));
    }
    #[cfg(feature = "snapshots")]
    if is_snapshot(bytes) {
        match Snapshot::read(bytes) {
            Ok(snapshot) => return Ok(Some(File::Snapshot(Box::new(snapshot)))),
            Err(Refused::NoSnapshot) if !is_pickle(bytes) => {}
            Err(refused) => return Err(NotRead::Snapshot(refused)),
        }
    }
    match MemoryReport::read(bytes) {
        Ok(report) => return Ok(Some(File::Report(Box::new(report)))),
        Err(NoReport::Json(error)) => return Err(NotRead::Json(error)),
        Err(NoReport::Other) => {}
        Err(error) => return Err(NotRead::Report(error)),
    }
    if let Ok(timeline) = MemoryTimeline::read(bytes) {
        return Ok(Some(File::Timeline(timeline)));
    }
    Ok(read_model_json(bytes).map_err(NotRead::Json)?.map(File::Model))
}

/// A file that was read beside the texts.
#[derive(Debug)]
pub struct Opened {
    /// Its place among all that was read, as in [`crate::Report::source`].
    pub source: u16,
    /// The file.
    pub file: File,
}

/// Adds the files to what was found in the texts, in the order in which all of them were handed over.
pub fn add(found: &mut Found, files: &[Opened]) {
    found.reports.extend(files.iter().map(|opened| opened.file.report(opened.source)));
    in_order(found);
}

/// Puts reports in the order in which their texts and files were handed over.
pub(crate) fn in_order(found: &mut Found) {
    // Stable: reports of one text stay in their order.
    found.reports = sorted(core::mem::take(&mut found.reports), |report| (report.source.into(), 0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString as _;

    #[test]
    fn files_are_told_by_their_content() {
        let kind = |text: &str| match read(text.as_bytes()) {
            Ok(Some(File::Snapshot(_) | File::Peak(_))) => "snapshot",
            Ok(Some(File::Report(_))) => "report",
            Ok(Some(File::Timeline(_))) => "timeline",
            Ok(Some(File::Model(ModelJson::Config(_)))) => "config",
            Ok(Some(File::Model(ModelJson::Index(_)))) => "index",
            Ok(Some(File::Header(_))) => "header",
            Ok(None) => "nothing",
            Err(_) => "broken",
        };
        for (text, expected) in [
            (r#"{"segments": [], "device_traces": []}"#, "snapshot"),
            (r#"[{"total_size": 5, "blocks": []}]"#, "snapshot"),
            (r#"{"schema": "memory-wall-report/1"}"#, "report"),
            ("[[5], [[0, 1, 0, 0, 0, 0, 0, 0, 0]]]", "timeline"),
            (r#"{"metadata": {"total_size": 5}, "weight_map": {}}"#, "index"),
            (r#"{"model_type": "llama"}"#, "config"),
            (r#"{"allocated_bytes.all.current": 5}"#, "nothing"),
            ("{", "broken"),
            (r#"{"schema": "memory-wall-report/7"}"#, "broken"),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
        assert!(read(b"\x80\x04N.").unwrap_err().to_string().contains("neither the segments nor the traces"));
    }

    #[test]
    fn beginnings_tell_kinds() {
        for (head, kind) in [
            (&b"\x1f\x8b\x08"[..], "refused"),
            (b"PK\x03\x04", "refused"),
            (b"\x80\x02}q\x00.", "pickle"),
            (b"[{\"device\": 0", "json"),
            (b"\xEF\xBB\xBF{\n \"a\"", "json"),
            (b"[2026-11-24 10:00:00] INFO", "text"),
            (b"{'loss': 1.5}", "text"),
            (b"\x3c\0\0\0\0\0\0\0{\"test\"", "model"),
            (b"", "text"),
        ] {
            let found = match recognise(head, 1_000) {
                Some(Kind::Refused(_)) => "refused",
                Some(Kind::Pickle) => "pickle",
                Some(Kind::Json) => "json",
                Some(Kind::Model) => "model",
                None => "text",
            };
            assert_eq!(found, kind, "{head:?}");
        }
    }
}
