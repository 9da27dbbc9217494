//! Model files and others as they are opened, one after another: of a model file the header comes in the pieces that it asks for.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use super::{File, Opened};
use crate::model_files::{Reader, Unreadable, Why};

/// Files that were opened, and the one that is being read.
#[derive(Default)]
pub struct Opening {
    opened: Vec<Opened>,
    source: u16,
    header: Option<Reader>,
}

impl Opening {
    /// The place of the file that is being read among all of them.
    pub const fn source(&self) -> u16 {
        self.source
    }

    /// Says which of all the files comes next.
    pub const fn at(&mut self, source: u16) {
        self.source = source;
    }

    /// Begins a model file, by its first bytes and its length.
    pub fn header(&mut self, head: &[u8], length: u64) {
        self.header = Reader::of(head, length);
    }

    /// The bytes of the header that are needed next; nothing once it is read.
    pub fn wants(&self) -> Option<Range<u64>> {
        self.header.as_ref()?.wants()
    }

    /// Takes the bytes that were wanted, or the first of them. A header that is broken ends with that.
    ///
    /// # Errors
    /// The header is broken, or passes a limit.
    pub fn give(&mut self, bytes: &[u8]) -> Result<(), Unreadable> {
        let given = self.header.as_mut().map_or(Ok(()), |header| header.give(bytes));
        if given.is_err() {
            self.header = None;
        }
        given
    }

    /// Keeps a file that was read, behind those that were handed over before it.
    pub fn open(&mut self, file: File) {
        let at = self.opened.partition_point(|opened| opened.source <= self.source);
        self.opened.insert(at, Opened { source: self.source, file });
    }

    /// The files that were opened.
    pub fn files(&self) -> &[Opened] {
        &self.opened
    }

    /// Ends a file: what comes then is another one.
    ///
    /// # Errors
    /// The header of a model file has not come as a whole.
    pub fn end(&mut self) -> Result<(), Unreadable> {
        let read = self.close();
        self.source = self.source.saturating_add(1);
        read
    }

    /// Ends a file whose place stays the one that was said.
    ///
    /// # Errors
    /// The header of a model file has not come as a whole.
    pub fn close(&mut self) -> Result<(), Unreadable> {
        match self.header.take().map(Reader::finish) {
            None => Ok(()),
            Some(Some(file)) => {
                self.open(File::Header(Box::new(file)));
                Ok(())
            }
            Some(None) => Err(Unreadable { at: 0, why: Why::Unknown }),
        }
    }

    /// The files that were opened.
    pub fn finish(self) -> Vec<Opened> {
        self.opened
    }
}
