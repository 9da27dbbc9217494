//! Lines of a text: cut out of a stream of bytes, without the colours of a terminal, each byte with its place.

use alloc::vec::Vec;

use crate::Place;
use crate::decode::Decoder;
use crate::fold::{self, HEAD};

/// The longest line that is read at once; a longer one is read in pieces.
pub const LONGEST_LINE: usize = 256 << 10;
/// Where no word ends in so many bytes, a long line is cut within one.
const LONGEST_WORD: usize = 4 << 10;

/// A stretch of a line's text that stands in one piece in the source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
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
    pub(crate) segments: Vec<Segment>,
}

impl Segment {
    /// Where it begins in the line's text.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }
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
    pub(crate) fn add(&mut self, raw: Raw<'_>) {
        if !self.text.is_empty() {
            self.text.push(b' ');
        }
        for (source, place) in raw.pieces() {
            let mut at = 0;
            while at < source.len() {
                let rest = source.get(at..).unwrap_or_default();
                let plain = memchr::memchr(0x1b, rest).unwrap_or(rest.len());
                if plain > 0 {
                    let place = Place { line: place.line, column: place.column + at };
                    self.add_at(rest.get(..plain).unwrap_or_default(), place);
                }
                at += plain + escape(rest.get(plain..).unwrap_or_default());
            }
        }
    }

    /// Adds a text that stands at a place.
    pub(crate) fn add_at(&mut self, text: &[u8], place: Place) {
        self.segments.push(Segment { at: self.text.len(), place });
        self.text.extend_from_slice(text);
    }

    /// Adds another line as it is.
    pub(crate) fn append(&mut self, other: &Self) {
        let length = self.text.len();
        self.segments.extend(other.segments.iter().map(|it| Segment { at: it.at + length, ..*it }));
        self.text.extend_from_slice(&other.text);
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

/// A line as it stands in the source: all of it, a piece of one that is too long to be held, or several into which a terminal folded one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Raw<'a> {
    /// The text.
    pub(crate) text: &'a [u8],
    /// Where it begins.
    pub(crate) place: Place,
    /// Where in the text further lines of the source begin.
    folds: &'a [usize],
}

impl<'a> Raw<'a> {
    /// The lines of the source, each with its place.
    fn pieces(self) -> impl Iterator<Item = (&'a [u8], Place)> {
        let ends = self.folds.iter().copied().chain([self.text.len()]);
        let mut from = 0;
        ends.enumerate().filter_map(move |(fold, end)| {
            let piece = self.text.get(from..end)?;
            from = end;
            let below = Place { line: self.place.line + fold, column: 1 };
            Some((piece, if fold == 0 { self.place } else { below }))
        })
    }
}

/// Cuts a stream into lines.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    decoder: Decoder,
    cutter: Cutter,
}

impl Lines {
    /// Takes the next bytes and hands on the lines that end in them.
    pub(crate) fn feed(&mut self, bytes: &[u8], mut each: impl FnMut(Raw<'_>)) {
        let cutter = &mut self.cutter;
        self.decoder.feed(bytes, |text| cutter.feed(text, &mut each));
    }

    /// The last line, where the text does not end with a line's end.
    pub(crate) fn finish(&mut self, mut each: impl FnMut(Raw<'_>)) {
        let cutter = &mut self.cutter;
        self.decoder.finish(|text| cutter.feed(text, &mut each));
        cutter.finish(&mut each);
    }

    /// The lines that came, once it is finished.
    pub(crate) const fn count(&self) -> usize {
        self.cutter.number
    }

    /// Lines that were longer than [`LONGEST_LINE`], and read in pieces.
    pub(crate) const fn cut(&self) -> u64 {
        self.cutter.cut
    }
}

/// Lines of a text in UTF-8.
#[derive(Debug, Default)]
struct Cutter {
    /// The beginning of the text, until it says whether it was folded.
    head: Vec<u8>,
    /// Whether it has said so.
    known: bool,
    /// Columns at which a terminal folded it.
    width: Option<usize>,
    /// The beginning of a line whose end has not come.
    pending: Vec<u8>,
    /// Bytes of that line that were handed on as pieces.
    passed: usize,
    /// The number of lines that came before.
    number: usize,
    /// Lines that were too long.
    cut: u64,
    folded: Folded,
}

impl Cutter {
    fn feed(&mut self, bytes: &[u8], each: &mut dyn FnMut(Raw<'_>)) {
        if self.known {
            self.cut_up(bytes, each);
            return;
        }
        let (head, rest) = bytes.split_at_checked(HEAD - self.head.len()).unwrap_or((bytes, &[]));
        self.head.extend_from_slice(head);
        if self.head.len() == HEAD {
            self.begin(each);
            self.cut_up(rest, each);
        }
    }

    fn finish(&mut self, each: &mut dyn FnMut(Raw<'_>)) {
        if !self.known {
            self.begin(each);
        }
        let line = core::mem::take(&mut self.pending);
        if !line.is_empty() || self.passed > 0 {
            self.end(&line, each);
        }
        self.folded.hand_on(each);
    }

    fn begin(&mut self, each: &mut dyn FnMut(Raw<'_>)) {
        let head = core::mem::take(&mut self.head);
        (self.known, self.width) = (true, fold::width(&head));
        self.cut_up(&head, each);
    }

    fn cut_up(&mut self, mut bytes: &[u8], each: &mut dyn FnMut(Raw<'_>)) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at_checked(end).unwrap_or_default();
            bytes = rest.get(1..).unwrap_or_default();
            if self.pending.is_empty() && line.len() <= LONGEST_LINE {
                self.end(line, each);
            } else {
                self.keep(line, each);
                let line = core::mem::take(&mut self.pending);
                self.end(&line, each);
                // Its memory is used again.
                self.pending = line;
                self.pending.clear();
            }
        }
        self.keep(bytes, each);
    }

    /// A line, or the last piece of a long one.
    fn end(&mut self, line: &[u8], each: &mut dyn FnMut(Raw<'_>)) {
        self.number += 1;
        let place = Place { line: self.number, column: core::mem::take(&mut self.passed) + 1 };
        match self.width {
            Some(width) => self.folded.take(line, place, width, each),
            None => each(Raw { text: line, place, folds: &[] }),
        }
    }

    /// Adds to a line that has not ended. One that is too long is handed on in pieces, cut between words.
    fn keep(&mut self, mut bytes: &[u8], each: &mut dyn FnMut(Raw<'_>)) {
        while self.pending.len() + bytes.len() > LONGEST_LINE {
            let (first, rest) = bytes.split_at_checked(LONGEST_LINE - self.pending.len()).unwrap_or((bytes, &[]));
            self.pending.extend_from_slice(first);
            bytes = rest;
            self.cut += u64::from(self.passed == 0);
            let last = self.pending.len().saturating_sub(LONGEST_WORD);
            let space = self.pending.iter().skip(last).rposition(u8::is_ascii_whitespace);
            let end = space.map_or(self.pending.len(), |space| last + space + 1);
            let place = Place { line: self.number + 1, column: self.passed + 1 };
            each(Raw { text: self.pending.get(..end).unwrap_or_default(), place, folds: &[] });
            self.passed += end;
            self.pending.drain(..end);
        }
        self.pending.extend_from_slice(bytes);
    }
}

/// Lines into which a terminal folded one, which go on.
#[derive(Debug, Default)]
struct Folded {
    text: Vec<u8>,
    folds: Vec<usize>,
    /// Where the first of them begins; nothing where there is none.
    place: Option<Place>,
}

impl Folded {
    fn take(&mut self, line: &[u8], place: Place, width: usize, each: &mut dyn FnMut(Raw<'_>)) {
        if self.place.is_some() && fold::alike(&self.text, line) {
            self.hand_on(each);
        }
        let full = fold::is_full(line, width) && self.text.len() + line.len() < LONGEST_LINE;
        let line = if full { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
        if self.place.is_none() && !full {
            each(Raw { text: line, place, folds: &[] });
            return;
        }
        if self.place.is_some() {
            self.folds.push(self.text.len());
        }
        self.place = self.place.or(Some(place));
        self.text.extend_from_slice(line);
        if !full {
            self.hand_on(each);
        }
    }

    fn hand_on(&mut self, each: &mut dyn FnMut(Raw<'_>)) {
        if let Some(place) = self.place.take() {
            each(Raw { text: &self.text, place, folds: &self.folds });
        }
        self.text.clear();
        self.folds.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    fn lines(chunks: &[&[u8]]) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        let mut lines = Lines::default();
        let mut keep = |raw: Raw<'_>| found.push((String::from_utf8_lossy(raw.text).into_owned(), raw.place.line));
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
    fn long_lines_come_in_pieces_that_end_between_words() {
        let long: Vec<u8> = b"seven  ".iter().copied().cycle().take(3 * LONGEST_LINE).collect();
        let mut pieces: Vec<(Place, usize)> = Vec::new();
        let mut reader = Lines::default();
        for chunk in long.chunks(1_000) {
            reader.feed(chunk, |raw| pieces.push((raw.place, raw.text.len())));
        }
        reader.feed(b"\nshort\n", |raw| pieces.push((raw.place, raw.text.len())));
        reader.finish(|_| ());
        assert_eq!((reader.cut(), reader.count()), (1, 2));
        let (short, long) = pieces.split_last().unwrap();
        assert_eq!(*short, (Place { line: 2, column: 1 }, 5));
        let mut column = 1;
        for (place, length) in long {
            assert_eq!(*place, Place { line: 1, column });
            assert!(*length <= LONGEST_LINE);
            column += length;
        }
        assert_eq!(column, 3 * LONGEST_LINE + 1);
        let ends = long.iter().rev().skip(1).all(|(place, length)| matches!((place.column + length - 1) % 7, 0 | 6));
        assert!(ends, "{long:?}");
    }

    #[test]
    fn folded_lines_are_whole_again_with_the_places_of_their_parts() {
        let text = "a line that is folded at seventy-two columns goes on in the middle of some words and of the number 123,456 tokens, as terminals do with what is longer";
        let cut: Vec<&str> = [0, 72, 144].map(|at| &text[at..text.len().min(at + 72)]).into();
        let source = alloc::format!("first\n{}\nlast\n", cut.join("\n"));
        assert_eq!(
            lines(&[source.as_bytes()]),
            [("first", 1), (text, 2), ("last", 5)].map(|(line, number)| (String::from(line), number))
        );
        let mut places = Vec::new();
        let mut reader = Lines::default();
        let mut keep = |raw: Raw<'_>| {
            let mut line = Line::default();
            line.add(raw);
            places.push(line.place(text.find("tokens").unwrap()));
        };
        reader.feed(source.as_bytes(), &mut keep);
        reader.finish(&mut keep);
        let column = text.find("tokens").unwrap() - 72 + 1;
        assert_eq!(places.get(1), Some(&Place { line: 3, column }));
    }

    #[test]
    fn colours_do_not_move_places() {
        let mut line = Line::default();
        let raw = |text, line| Raw { text, place: Place { line, column: 1 }, folds: &[] };
        line.add(raw(b"\x1b[31mred\x1b[0m 7\x1b", 4));
        line.add(raw(b"next", 5));
        assert_eq!(line.text, b"red 7 next");
        assert_eq!(line.place(0), Place { line: 4, column: 6 });
        assert_eq!(line.place(4), Place { line: 4, column: 14 });
        assert_eq!(line.place(6), Place { line: 5, column: 1 });
    }
}
