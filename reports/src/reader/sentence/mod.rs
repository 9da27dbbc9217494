//! The GPU and the model in a person's own sentences: `OOM with Qwen3-8B on 2x A100 80GB`. Nothing but these names is kept.
//!
//! A text may name several, of which nobody says which one the run used: then none is taken. A sentence about what is needed, what works
//! or what somebody else has names none either, and what a program says counts more than all of it.

mod gpus;
mod models;
mod words;

use alloc::string::String;

use super::State;
use crate::line::Line;
use crate::name;
use crate::report::{Device, Fact, Value};
use crate::scan;
use crate::what::What;

use gpus::gpus;
use models::{models, stage};

/// Bytes of a line that a person writes, and lines of one text that are looked at.
const LONGEST_LINE: usize = 1 << 10;
const MOST_LINES: u16 = 400;
/// Bytes of a label in front of a colon.
const LONGEST_LABEL: usize = 24;

/// The texts by which lines with such names are found, beside the first line of each text.
pub(super) fn marks() -> impl Iterator<Item = &'static [u8]> {
    words::MARKS.split('|').map(str::as_bytes)
}

/// What a person names in a text.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) source: u16,
    pub(super) fact: Fact,
    pub(super) count: u64,
    /// What two names of one thing have in common, and the memory of a GPU where it is said.
    core: String,
    gigabytes: u64,
    /// Whether it was only named where it may be another's.
    hedged: bool,
    several: bool,
}

impl Said {
    /// Whether it is the only one that the text names, and the run's.
    pub(super) const fn is_one(&self) -> bool {
        !self.hedged && !self.several
    }
}

/// A name in a sentence.
struct Mention {
    at: usize,
    name: String,
    core: String,
    gigabytes: u64,
    count: u64,
    /// Whether it may be a word for something else.
    weak: bool,
}

impl State {
    /// Keeps what a sentence names.
    pub(super) fn sentence(&mut self, line: &Line) {
        let text = &line.text;
        // Each line once, whatever marks it has: a long one has thousands, and none is looked through before.
        if text.len() > LONGEST_LINE || self.sentences.1 >= MOST_LINES || self.sentences.0 == line.number() {
            return;
        }
        let heading = text.starts_with(b"##") || text.starts_with(b"#") && line.number() == 1;
        let comment =
            text.trim_ascii_start().first() == Some(&b'#') || scan::has_any(text, &["==", "\", line ", "://", "//"]);
        if comment && !heading {
            return;
        }
        self.sentences = (line.number(), self.sentences.1 + 1);
        let small = text.to_ascii_lowercase();
        let hedged = words::HEDGES.split('|').any(|word| scan::has(&small, word));
        // An item of a list may be one of those that something is said of above it.
        let item = text.trim_ascii_start();
        let item = (item.starts_with(b"- ") || item.starts_with(b"* ")) && item.split(|byte| *byte == b' ').count() < 6;
        // What stands behind a label is read with it, or is left alone: a host may be called by its GPU.
        let labelled =
            text.iter().take(LONGEST_LABEL).position(|byte| *byte == b':').and_then(|colon| text.get(..colon));
        let labelled = labelled.is_some_and(|label| scan::has_any(label, &["GPU", "Hardware"]));
        for gpu in gpus(text).into_iter().filter(|_| !labelled) {
            let bare = item && gpu.count == 1 && gpu.gigabytes == 0;
            self.said(What::Gpu, gpu, line, hedged || bare);
        }
        if let Some(stage) = stage(text) {
            self.said(What::ZeroStage, stage, line, hedged);
        }
        for model in models(text) {
            self.said(What::Model, model, line, hedged);
        }
    }

    fn said(&mut self, what: What, mention: Mention, line: &Line, hedged: bool) {
        let Some(value) = name::value(what, mention.name.as_bytes()) else { return };
        let hedged = hedged || mention.weak;
        let Mention { at, core, gigabytes, count, .. } = mention;
        let fact = Fact { place: line.place(at), device: Device::Unsaid, what, value };
        let source = self.source;
        let Some(known) = self.said.iter_mut().find(|known| known.source == source && known.fact.what == what) else {
            self.said.push(Said { source, fact, count, core, gigabytes, hedged, several: false });
            return;
        };
        let (short, long) = if core.len() < known.core.len() { (&core, &known.core) } else { (&known.core, &core) };
        let alike = if what == What::Gpu { short == long } else { long.starts_with(short.as_str()) };
        let sized = gigabytes > 0 && known.gigabytes > 0 && gigabytes != known.gigabytes;
        if !alike || sized {
            known.several = true;
            return;
        }
        let longer = name_length(&fact) > name_length(&known.fact);
        let fuller = gigabytes > known.gigabytes || core.len() > known.core.len() || core == known.core && longer;
        if fuller && (!hedged || known.hedged) || known.hedged && !hedged {
            (known.fact, known.core, known.gigabytes) = (fact, core, gigabytes);
        }
        known.count = known.count.max(if hedged { 1 } else { count });
        known.hedged &= hedged;
    }
}

fn name_length(fact: &Fact) -> usize {
    if let Value::Name(name) = &fact.value { name.len() } else { 0 }
}
