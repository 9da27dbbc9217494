//! Texts and files that are handed over together, one after another and piece by piece.
//!
//! Without the feature `estimate` only texts are read here: the reports of files come from the programs that read them.

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
#[cfg(feature = "estimate")]
use alloc::string::ToString as _;
use alloc::vec::Vec;
#[cfg(feature = "estimate")]
use core::ops::Range;

#[cfg(all(feature = "snapshots", feature = "estimate"))]
use crate::files::NotRead;
use crate::files::{self, Kind, LARGEST};
#[cfg(feature = "estimate")]
use crate::files::{Opened, Opening};
use crate::{Found, Reader, Report, handover};

/// How the next file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// As a text, in pieces.
    Text,
    /// Its header alone, as [`Pile::wants`] says.
    Header,
    /// In one piece.
    Whole,
    /// As a memory snapshot, in one piece.
    Snapshot,
    /// Not at all.
    Refused,
}

/// What was read.
#[derive(Default)]
pub struct Sources {
    /// What the texts and the files say.
    pub found: Found,
    /// The files.
    #[cfg(feature = "estimate")]
    pub files: Vec<Opened>,
    /// What could not be read, by its place among all of it, and why.
    pub unread: Vec<(u16, String)>,
}

/// What has been handed over so far.
#[derive(Default)]
pub struct Pile {
    reader: Reader,
    #[cfg(feature = "estimate")]
    opening: Opening,
    source: u16,
    unread: Vec<(u16, String)>,
    handed: Vec<Report>,
}

impl Pile {
    /// How the next file is read, by its first bytes, of which [`files::HEAD`] are enough, and its length.
    pub fn begin(&mut self, head: &[u8], length: u64) -> How {
        match files::recognise(head, length) {
            None => How::Text,
            Some(Kind::Json | Kind::Pickle) if files::is_snapshot(head) && length <= LARGEST => How::Snapshot,
            // A log with an object in each line may be of any size.
            Some(Kind::Json) if length > LARGEST => How::Text,
            Some(Kind::Json) => How::Whole,
            Some(Kind::Pickle) => {
                self.refuse(format!("it is larger than the {} MB that are read", LARGEST / 1_000_000));
                How::Refused
            }
            Some(Kind::Refused(why)) => {
                self.refuse(why.to_owned());
                How::Refused
            }
            Some(Kind::Model) => {
                #[cfg(feature = "estimate")]
                self.opening.header(head, length);
                How::Header
            }
        }
    }

    /// The next piece of a text.
    pub fn text(&mut self, bytes: &[u8]) {
        self.reader.feed(bytes);
    }

    /// The bytes of the header that are needed next; nothing once it is read.
    #[cfg(feature = "estimate")]
    pub fn wants(&self) -> Option<Range<u64>> {
        self.opening.wants()
    }

    /// The piece of the header that was wanted.
    #[cfg(feature = "estimate")]
    pub fn give(&mut self, bytes: &[u8]) {
        if let Err(why) = self.opening.give(bytes) {
            self.refuse(why.to_string());
        }
    }

    /// A file as a whole.
    #[cfg(feature = "estimate")]
    pub fn whole(&mut self, bytes: &[u8]) {
        match files::read(bytes) {
            Ok(Some(file)) => self.opening.open(file),
            Ok(None) => self.reader.feed(bytes),
            Err(why) => {
                self.refuse(why.to_string());
                // What isn't JSON after all may be a log whose first line looks like it.
                #[cfg(feature = "snapshots")]
                if matches!(why, NotRead::Snapshot(_)) {
                    return;
                }
                self.reader.feed(bytes);
            }
        }
    }

    /// The report of a file that another program read, as [`handover::write`] encodes it.
    pub fn handed(&mut self, bytes: &[u8]) {
        for report in handover::read(bytes).unwrap_or_default() {
            self.handed.push(Report { source: self.source, ..report });
        }
    }

    /// Ends a file: what comes then is another one.
    pub fn end(&mut self) {
        #[cfg(feature = "estimate")]
        if let Err(why) = self.opening.end() {
            self.refuse(why.to_string());
        }
        self.source = self.source.saturating_add(1);
        self.reader.next_source();
    }

    /// All that was read. What was refused as one kind of file and read as a text is not among what could not be read.
    pub fn finish(self) -> Sources {
        let (mut found, mut unread) = (self.reader.finish(), self.unread);
        found.reports.extend(self.handed);
        unread.retain(|(source, _)| !found.reports.iter().any(|report| report.source == *source));
        #[cfg(feature = "estimate")]
        let files = self.opening.finish();
        #[cfg(feature = "estimate")]
        files::add(&mut found, &files);
        files::in_order(&mut found);
        Sources {
            found,
            #[cfg(feature = "estimate")]
            files,
            unread,
        }
    }

    /// Says why the file is not read.
    pub fn refuse(&mut self, why: String) {
        self.unread.push((self.source, why));
    }
}
