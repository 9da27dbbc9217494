//! Lines of a text: cut out of a stream of bytes, without the colours of a terminal, each byte with its place.

use alloc::vec::Vec;

use crate::Place;

/// The longest line that is read; what stands behind is skipped.
pub const LONGEST_LINE: usize = 256 << 10;

/// A stretch of a line's text that stands in one piece in the source.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// Where it begins in the line's text.
    at: usize,
    /// Where that stands in the source.
    place: Place,
}

/// A line, or several that belong together, as one text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    /// The text.
    pub(crate) text: Vec<u8>,
    segments: Vec<Segment>,
}

impl Line {
    /// The place of a byte of the text.
    pub(crate) fn place(&self, at: usize) -> Place {
        let segment = self.segments.iter().rev().find(|segment| segment.at <= at);
        segment.map_or(Place { line: 1, column: at + 1 }, |segment| Place {
            line: segment.place.line,
            column: segment.place.column + (at - segment.at),
        })
    }

    /// Its line.
    pub(crate) fn number(&self) -> usize {
        self.place(0).line
    }

    /// Adds a line of the source behind a space, without what colours it in a terminal.
    pub(crate) fn add(&mut self, source: &[u8], number: usize) {
        if !self.text.is_empty() {
            self.text.push(b' ');
        }
        let mut column = 0;
        while column < source.len() {
            let rest = source.get(column..).unwrap_or_default();
            let plain = memchr::memchr(0x1b, rest).unwrap_or(rest.len());
            if plain > 0 {
                self.segments.push(Segment { at: self.text.len(), place: Place { line: number, column: column + 1 } });
                self.text.extend_from_slice(rest.get(..plain).unwrap_or_default());
            }
            column += plain + escape(rest.get(plain..).unwrap_or_default());
        }
    }

    /// Adds a text that stands at a place.
    pub(crate) fn add_at(&mut self, text: &[u8], place: Place) {
        self.segments.push(Segment { at: self.text.len(), place });
        self.text.extend_from_slice(text);
    }

    /// Empties it, and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.segments.clear();
    }
}

/// The length of a terminal's escape sequence at the beginning of a text: `ESC [ 33;20 m`, `ESC ] ... BEL`, or the escape alone.
fn escape(text: &[u8]) -> usize {
    match text {
        [0x1b, b'[', rest @ ..] => {
            let inner = rest.iter().take_while(|byte| !(0x40..=0x7e).contains(*byte)).count();
            (2 + inner + 1).min(text.len())
        }
        [0x1b, b']', rest @ ..] => {
            let inner = rest.iter().take(256).take_while(|byte| **byte != 7).count();
            (2 + inner + 1).min(text.len())
        }
        [0x1b, ..] => 1,
        _ => 0,
    }
}

/// Cuts a stream into lines.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// The beginning of a line whose end has not come.
    pending: Vec<u8>,
    /// The number of lines that came before.
    number: usize,
    /// Whether the line is longer than is read, and its rest is skipped.
    skipping: bool,
    /// Lines that were cut.
    pub(crate) cut: u64,
    /// Whether anything has come yet, and whether it is UTF-16.
    begun: bool,
    wide: bool,
}

impl Lines {
    /// Takes the next bytes and hands on the lines that end in them. A carriage return ends a line too, as progress bars use it, but is not counted.
    pub(crate) fn feed(&mut self, bytes: &[u8], each: impl FnMut(&[u8], usize)) {
        if !self.begun && !bytes.is_empty() {
            self.begun = true;
            // The mark of UTF-16, as the shell of Windows writes what is sent to a file.
            self.wide = bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF");
        }
        if self.wide {
            // What is read is letters of ASCII, whose other byte is 0.
            let narrow: Vec<u8> = bytes.iter().copied().filter(|byte| !matches!(byte, 0 | 0xFE | 0xFF)).collect();
            self.cut_up(&narrow, each);
        } else {
            self.cut_up(bytes, each);
        }
    }

    fn cut_up(&mut self, mut bytes: &[u8], mut each: impl FnMut(&[u8], usize)) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at_checked(end).unwrap_or_default();
            bytes = rest.get(1..).unwrap_or_default();
            self.number += 1;
            if self.pending.is_empty() && !self.skipping {
                self.cut += u64::from(line.len() > LONGEST_LINE);
                each(line.get(..LONGEST_LINE).unwrap_or(line), self.number);
            } else {
                self.keep(line);
                each(&self.pending, self.number);
                self.pending.clear();
            }
            self.skipping = false;
        }
        self.keep(bytes);
    }

    /// The last line, where the text does not end with a line's end.
    pub(crate) fn finish(&mut self, mut each: impl FnMut(&[u8], usize)) {
        if !self.pending.is_empty() {
            each(&self.pending, self.number + 1);
        }
        self.pending = Vec::new();
    }

    /// The lines that came.
    pub(crate) fn count(&self) -> usize {
        self.number + usize::from(!self.pending.is_empty())
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = LONGEST_LINE - self.pending.len().min(LONGEST_LINE);
        match bytes.get(..room) {
            Some(first) if bytes.len() > room => {
                self.pending.extend_from_slice(first);
                self.cut += u64::from(!self.skipping);
                self.skipping = true;
            }
            _ => self.pending.extend_from_slice(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec;

    fn lines(chunks: &[&[u8]]) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        let mut lines = Lines::default();
        let mut keep = |line: &[u8], number| found.push((String::from_utf8_lossy(line).into_owned(), number));
        for chunk in chunks {
            lines.feed(chunk, &mut keep);
        }
        lines.finish(&mut keep);
        found
    }

    #[test]
    fn lines_are_the_same_however_the_stream_is_cut() {
        let text = b"one\n\ntwo three\nfour";
        let whole = lines(&[text]);
        let expected = [("one", 1), ("", 2), ("two three", 3), ("four", 4)];
        assert_eq!(whole, expected.map(|(line, number)| (String::from(line), number)));
        for at in 0..=text.len() {
            assert_eq!(lines(&[&text[..at], &text[at..]]), whole, "{at}");
        }
    }

    #[test]
    fn long_lines_are_cut_once() {
        let long = vec![b'x'; 3 * LONGEST_LINE];
        let mut reader = Lines::default();
        let mut lengths = Vec::new();
        for chunk in long.chunks(1_000) {
            reader.feed(chunk, |line, _| lengths.push(line.len()));
        }
        reader.feed(b"\nshort\n", |line, _| lengths.push(line.len()));
        assert_eq!((lengths, reader.cut), (vec![LONGEST_LINE, 5], 1));
    }

    #[test]
    fn colours_do_not_move_places() {
        let mut line = Line::default();
        line.add(b"\x1b[31mred\x1b[0m 7\x1b", 4);
        line.add(b"next", 5);
        assert_eq!(line.text, b"red 7 next");
        assert_eq!(line.place(0), Place { line: 4, column: 6 });
        assert_eq!(line.place(4), Place { line: 4, column: 14 });
        assert_eq!(line.place(6), Place { line: 5, column: 1 });
    }
}
