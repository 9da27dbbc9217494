//! The GPU as a person or a banner names it: in words of any kind, of which nothing but the name may be kept.

use alloc::vec::Vec;

use super::State;
use crate::line::Line;
use crate::name;
use crate::report::{Device, Fact, Report};
use crate::what::{Kind, What};

/// Bytes of what a person says of the GPU, and of the words in front of its colon.
const LONGEST_NAME: usize = 96;
const LONGEST_WORD: usize = 32;

/// Words without a digit that names of GPUs have beside their makers' and series'.
const WORDS: [&str; 17] = [
    "RX",
    "XT",
    "XTX",
    "Ti",
    "Super",
    "PCIe",
    "NVL",
    "Ada",
    "Generation",
    "Blackwell",
    "Pro",
    "Max",
    "Ultra",
    "AI",
    "GPU",
    "GB",
    "GiB",
];

impl State {
    /// Keeps the first GPU that a person or a list of the environment names: `**GPU:** RTX 3090 (24 GB)`, `GPU 0,1: NVIDIA H200`.
    pub(super) fn keep_name(&mut self, line: &Line, at: usize) {
        if self.prose.last().is_some_and(|(source, _)| *source == self.source) {
            return;
        }
        let rest = line.text.get(at..).unwrap_or_default();
        let rest = rest.get(..LONGEST_NAME).unwrap_or(rest);
        let Some(colon) = rest.iter().take(LONGEST_WORD).position(|byte| matches!(byte, b':' | b'|')) else { return };
        let marks = |byte: &u8| byte.is_ascii_digit() || b" :|*`x".contains(byte);
        let front = colon + rest.iter().skip(colon).take_while(|byte| marks(byte)).count();
        // How many there are stands in front: what lies on several is not judged by one.
        let mut count = rest.get(colon..front).unwrap_or_default().iter().filter(|byte| byte.is_ascii_digit());
        let counted = count.next().is_some_and(|first| *first != b'1' || count.next().is_some());
        let mut names = rest.get(front..).unwrap_or_default().split(|byte| b",;(|[*`+".contains(byte));
        let name = names.next().unwrap_or_default();
        // Of two nobody says which one it was.
        if counted || !is_name(name) || names.any(|other| name::value(What::Gpu, other).is_some()) {
            return;
        }
        let Some(value) = name::value(What::Gpu, name) else { return };
        let fact = Fact { place: line.place(at + front), device: Device::Unsaid, what: What::Gpu, value };
        self.prose.push((self.source, fact));
    }

    /// Gives the name to the report of its text that says what went wrong, or to its last one; where a program names a GPU in it, it is
    /// none.
    pub(super) fn name_gpus(&mut self) {
        for (source, fact) in core::mem::take(&mut self.prose) {
            if self.found.reports.iter().any(|report| report.source == source && report.has(What::Gpu)) {
                continue;
            }
            let own = |report: &&mut Report| report.source == source;
            let mut reports: Vec<&mut Report> = self.found.reports.iter_mut().filter(own).collect();
            let failed = reports.iter().rposition(|report| report.is_failure());
            let at = failed.or_else(|| reports.len().checked_sub(1));
            if let Some(report) = at.and_then(|at| reports.get_mut(at)) {
                report.add(fact);
            }
        }
    }

    /// The name in Unsloth's banner, with its maker: `\\   /|    NVIDIA L4. Num GPUs = 1. Max memory: 22.03 GB.`
    pub(super) fn banner(&mut self, line: &Line, at: usize) {
        let from = at.saturating_sub(LONGEST_NAME);
        let front = line.text.get(from..at).unwrap_or_default();
        let name = front.rsplit(|byte| *byte == b'|').next().unwrap_or_default().trim_ascii_start();
        if let Some(value) = name::value(What::Gpu, name) {
            let place = line.place(at - name.len());
            let fact = Fact { place, device: Device::Unsaid, what: What::Gpu, value };
            self.report(Kind::Unsloth, false, place.line).add(fact);
        }
    }
}

/// Whether a text is a GPU's name and nothing else: maker, series, digits and memory. A host name, a sentence or a size is not.
fn is_name(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let known = |piece: &[u8]| {
        let mut words = name::GPU_WORDS.iter().chain(&WORDS);
        words.any(|word| piece.eq_ignore_ascii_case(word.as_bytes()))
    };
    let word = |word: &[u8]| {
        let mut pieces = word.split(|byte| *byte == b'-');
        let first = pieces.next().unwrap_or_default();
        // At most three letters in front of digits: "MI300X", "24GB", "4090".
        let letters = first.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        let number = first.iter().any(u8::is_ascii_digit)
            && first.len() < 10
            && (letters < 4
                && first.iter().skip(letters).all(|byte| byte.is_ascii_digit() || b"ABDGRSTXbgit".contains(byte)));
        // "A100-SXM4-80GB", "RTX-3090", and no "H100-07".
        (number || known(first))
            && pieces.all(|piece| {
                let digits = piece.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let behind = piece.get(digits..).unwrap_or_default();
                known(piece)
                    || ["SXM", "HBM"].iter().any(|word| piece.starts_with(word.as_bytes())) && piece.len() == 4
                    || digits > 1 && behind == b"GB"
                    || digits > 2 && behind.is_empty()
            })
    };
    text.first().is_some_and(u8::is_ascii_uppercase)
        && text.iter().any(u8::is_ascii_digit)
        && text.split(|byte| *byte == b' ').filter(|it| !it.is_empty()).all(word)
}
