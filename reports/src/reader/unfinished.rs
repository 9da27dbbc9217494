//! Lines that a terminal or a logger broke in the middle of what they say: they are read together with the next one.

use alloc::vec::Vec;

use super::State;
use crate::fold;
use crate::line::Line;
use crate::pattern::Unread;
use crate::report::Device;

/// Bytes of the shortest line that may have been wrapped between words.
const SHORTEST: usize = 40;
/// What stands in front of lines that are set in: two of them are alike in nothing else.
const SET_IN: &[u8] = b"    ";

/// Patterns of one line that may go on.
const MOST: usize = 8;

/// A line that ended within patterns.
#[derive(Debug)]
pub(super) struct Unfinished {
    line: Line,
    patterns: Vec<Begun>,
}

/// A pattern that began.
#[derive(Clone, Copy, Debug)]
struct Begun {
    mark: usize,
    at: usize,
    device: Device,
    unread: Unread,
}

impl State {
    /// Keeps what a pattern could not read where it may go on in the next line; else its number is odd, if there is one.
    pub(super) fn hold(&mut self, mark: usize, line: &Line, at: usize, device: Device, unread: Unread) {
        if !unread.ends || line.text.len() < SHORTEST {
            self.doubtful.extend(unread.odd);
            return;
        }
        let held = self.unfinished.get_or_insert_with(|| {
            let mut line = line.clone();
            line.text.truncate(line.text.strip_suffix(b"\r").unwrap_or(&line.text).len());
            Unfinished { line, patterns: Vec::new() }
        });
        if held.patterns.len() < MOST {
            held.patterns.push(Begun { mark, at, device, unread });
        }
    }

    /// Reads what began in the line before and ends in this one: only where all of a pattern's words stand in both together.
    pub(super) fn go_on(&mut self, next: &Line) {
        let Some(Unfinished { line, mut patterns }) = self.unfinished.take() else { return };
        for between in [&b""[..], b" "] {
            if fold::alike(&line.text, &next.text) && !next.text.starts_with(SET_IN) {
                break;
            }
            let mut whole = line.clone();
            whole.text.extend_from_slice(between);
            whole.append(next);
            patterns.retain(|begun| {
                let reading = self.patterns.get(begun.mark);
                let reads = reading.is_some_and(|it| it.read(&whole.text, begun.at, |at| whole.place(at)).is_ok());
                if reads {
                    self.pattern(begun.mark, &whole, begun.at, begun.device);
                }
                !reads
            });
        }
        self.doubtful.extend(patterns.iter().filter_map(|begun| begun.unread.odd));
    }
}
