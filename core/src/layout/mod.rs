//! The stages of a pipeline as Megatron-LM's `--pipeline-model-parallel-layout` writes them.

use core::fmt;
use core::iter;

mod split;

pub use split::{PipelineSplit, SplitError};

/// Stages of a layout, with the chunks of each of them, at most.
pub const MOST_STAGES: usize = 128;

/// What each chunk of a pipeline's stages holds, in the order in which a micro-batch passes them: `Et|(tt|)*30mL`.
///
/// # Source
/// Megatron-LM at d98e8a6 (2026-08): `PipelineParallelLayerLayout` of `megatron/core/transformer/pipeline_parallel_layer_layout.py`. Read 2026-11-26.
///
/// # Example
/// ```
/// use memory_wall_core::layout::Layout;
/// let deepseek = Layout::read("Et|(tt|)*30mL").unwrap();
/// assert_eq!((deepseek.stages(), deepseek.layers(), deepseek.predicting()), (32, 61, 1));
/// assert_eq!(deepseek.to_string(), "Et|(tt|)*30mL");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    stages: u8,
    /// Layers of each stage.
    layers: [u8; MOST_STAGES],
    /// Layers that predict further tokens (MTP), and the stage that holds them.
    predicting: u8,
    predicted_at: u8,
}

/// Why a text is no layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutError {
    /// A letter that stands for nothing.
    Letter(char),
    /// A bracket that is not repeated, or a star without a number.
    Repetition,
    /// More stages than are modelled, or more layers in one of them.
    TooLong,
    /// Not one embedding, in front of all others.
    Embedding,
    /// Not one loss, behind all others.
    Loss,
    /// MTP layers in several stages, or in front of other layers.
    Prediction,
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Letter(letter) => write!(
                f,
                "has {letter:?}, and a layout has E (embedding), t (a layer), m (an MTP layer), L (loss) and | between stages"
            ),
            Self::Repetition => f.write_str("repeats as t*4 or (tt|)*30: a number stands behind the star"),
            Self::TooLong => {
                write!(f, "has more than {MOST_STAGES} stages or than 255 layers in a stage, which is not modelled")
            }
            Self::Embedding => f.write_str("starts with E, which it has once"),
            Self::Loss => f.write_str("ends with L, which it has once"),
            Self::Prediction => f.write_str("has its MTP layers (m) in one stage, behind all other layers"),
        }
    }
}

impl core::error::Error for LayoutError {}

impl Layout {
    /// Reads a layout as Megatron-LM does: commas mean nothing, `t*4` is `tttt`, and `(tt|)*3` is `tt|tt|tt|`.
    ///
    /// # Errors
    /// The text is none, or has more stages than are modelled.
    pub fn read(text: &str) -> Result<Self, LayoutError> {
        let mut reader = Reader::default();
        let mut letters = Letters(text);
        while let Some(letter) = letters.next() {
            if letter != '(' {
                let times = letters.times()?.unwrap_or(1);
                reader.put(letter, times)?;
                continue;
            }
            let (inner, rest) = letters.0.split_once(')').ok_or(LayoutError::Repetition)?;
            letters = Letters(rest);
            for _ in 0..letters.times()?.ok_or(LayoutError::Repetition)? {
                let mut inner = Letters(inner);
                while let Some(letter) = inner.next() {
                    let times = inner.times()?.unwrap_or(1);
                    reader.put(letter, times)?;
                }
            }
        }
        reader.done()
    }

    /// The layout that spreads layers as evenly as it goes. Stages with one layer less than the others are the first, which has the embedding, then the last,
    /// which has the loss, and then those behind the first, which hold the activations of most micro-batches. Nothing where it is not modelled, or where a stage
    /// would have no layer.
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::layout::Layout;
    /// assert_eq!(Layout::balanced(61, 16).unwrap().to_string(), "Et*3|t*3|(t*4|)*13t*3L");
    /// ```
    pub fn balanced(layers: u32, stages: u32) -> Option<Self> {
        let each = u8::try_from(layers.checked_div(stages)?).ok().filter(|each| *each > 0)?;
        let short = (stages - layers % stages) % stages;
        let mut layout =
            Self { stages: u8::try_from(stages).ok()?, layers: [0; MOST_STAGES], predicting: 0, predicted_at: 0 };
        let more = each.checked_add(u8::from(short > 0))?;
        let all = layout.layers.get_mut(..usize::from(layout.stages))?;
        all.fill(more);
        let last = all.len() - 1;
        for place in [0, last].into_iter().chain(1..last).take(short as usize) {
            if let Some(stage) = all.get_mut(place) {
                *stage = each;
            }
        }
        Some(layout)
    }

    /// Its stages, with the chunks of each of them.
    pub const fn stages(&self) -> u32 {
        self.stages as u32
    }

    /// The layers of a model that it is made for.
    pub fn layers(&self) -> u32 {
        self.layers.iter().copied().map(u32::from).sum()
    }

    /// Layers of one stage; none of one that is not there.
    pub fn at(&self, stage: u32) -> u32 {
        usize::try_from(stage).ok().and_then(|stage| self.layers.get(stage)).copied().map_or(0, u32::from)
    }

    /// Layers that predict further tokens (MTP).
    pub const fn predicting(&self) -> u32 {
        self.predicting as u32
    }

    /// The stage that holds those.
    pub fn predicted_at(&self) -> Option<u32> {
        (self.predicting > 0).then_some(self.predicted_at.into())
    }

    /// What one stage is written as: its letter and how often, without the bar.
    fn written(&self, stage: u32) -> [(char, u32); 4] {
        let last = stage + 1 == self.stages();
        let predicting = if self.predicted_at() == Some(stage) { self.predicting() } else { 0 };
        [('E', u32::from(stage == 0)), ('t', self.at(stage)), ('m', predicting), ('L', u32::from(last))]
    }
}

/// As it is typed, in its shortest form.
impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = |f: &mut fmt::Formatter<'_>, stage: u32| {
            for (letter, times) in self.written(stage) {
                match times {
                    0 => {}
                    1 => write!(f, "{letter}")?,
                    2 => write!(f, "{letter}{letter}")?,
                    _ => write!(f, "{letter}*{times}")?,
                }
            }
            Ok(())
        };
        let mut stage = 0;
        while stage + 1 < self.stages() {
            let same = (stage..self.stages() - 1).take_while(|&it| self.written(it) == self.written(stage)).count();
            let same = u32::try_from(same).unwrap_or(1);
            if same > 2 && self.at(stage) > 0 {
                f.write_str("(")?;
                letters(f, stage)?;
                write!(f, "|)*{same}")?;
                stage += same;
            } else {
                letters(f, stage)?;
                f.write_str("|")?;
                stage += 1;
            }
        }
        letters(f, stage)
    }
}

/// The letters of a layout that are left; commas are none.
struct Letters<'a>(&'a str);

impl Letters<'_> {
    fn next(&mut self) -> Option<char> {
        self.0 = self.0.trim_start_matches(',');
        let letter = self.0.chars().next()?;
        self.0 = self.0.get(letter.len_utf8()..).unwrap_or_default();
        Some(letter)
    }

    /// The number behind a star, if one stands next.
    fn times(&mut self) -> Result<Option<u32>, LayoutError> {
        self.0 = self.0.trim_start_matches(',');
        let Some(rest) = self.0.strip_prefix('*') else { return Ok(None) };
        let rest = rest.trim_start_matches(',');
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != ',').unwrap_or(rest.len());
        let (digits, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
        self.0 = rest;
        let mut digits = digits.bytes().filter(u8::is_ascii_digit).map(|digit| u32::from(digit - b'0')).peekable();
        digits.peek().ok_or(LayoutError::Repetition)?;
        // More than any layout has, whatever follows.
        Ok(Some(digits.fold(0, |all: u32, digit| all.saturating_mul(10).saturating_add(digit).min(100_000))))
    }
}

/// What was read of a layout.
struct Reader {
    layout: Layout,
    /// The stage that is being read.
    stage: u8,
    embedding: bool,
    loss: bool,
}

impl Default for Reader {
    fn default() -> Self {
        let layout = Layout { stages: 1, layers: [0; MOST_STAGES], predicting: 0, predicted_at: 0 };
        Self { layout, stage: 0, embedding: false, loss: false }
    }
}

impl Reader {
    fn put(&mut self, letter: char, times: u32) -> Result<(), LayoutError> {
        iter::repeat_n((), times as usize).try_for_each(|()| self.one(letter))
    }

    fn one(&mut self, letter: char) -> Result<(), LayoutError> {
        if self.loss {
            return Err(LayoutError::Loss);
        }
        let first = letter == 'E';
        if first == self.embedding && matches!(letter, 'E' | 't' | 'm' | 'L' | '|') {
            return Err(LayoutError::Embedding);
        }
        let count = match letter {
            'E' => {
                self.embedding = true;
                return Ok(());
            }
            'L' => {
                self.loss = true;
                return Ok(());
            }
            't' if self.layout.predicting > 0 => return Err(LayoutError::Prediction),
            't' => self.layout.layers.get_mut(usize::from(self.stage)),
            'm' if self.layout.predicting > 0 && self.layout.predicted_at != self.stage => {
                return Err(LayoutError::Prediction);
            }
            'm' => {
                self.layout.predicted_at = self.stage;
                Some(&mut self.layout.predicting)
            }
            '|' => {
                self.stage += 1;
                self.layout.stages += 1;
                let fits = usize::from(self.stage) < MOST_STAGES;
                return if fits { Ok(()) } else { Err(LayoutError::TooLong) };
            }
            other => return Err(LayoutError::Letter(other)),
        };
        let more = count.and_then(|count| count.checked_add(1).map(|more| (count, more)));
        let (count, more) = more.ok_or(LayoutError::TooLong)?;
        *count = more;
        Ok(())
    }

    const fn done(self) -> Result<Layout, LayoutError> {
        match (self.embedding, self.loss) {
            (false, _) => Err(LayoutError::Embedding),
            (_, false) => Err(LayoutError::Loss),
            _ => Ok(self.layout),
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::string::ToString;

    use super::*;

    #[test]
    fn published_layouts_are_read_and_written() {
        // Megatron-Bridge, recipes of DeepSeek-V3; Megatron-LM's own example.
        for (text, stages, count, short) in [
            ("Et|(tt|)*30mL", 32, 61, "Et|(tt|)*30mL"),
            ("Et*4|(tttt|)*14tmL", 16, 61, "Et*4|(t*4|)*14tmL"),
            ("Et*4|(t*4|)*14tmL", 16, 61, "Et*4|(t*4|)*14tmL"),
            ("Ettt|(tt|)*29,m|L", 32, 61, "Et*3|(tt|)*29m|L"),
            ("Et*15|t*15|t*16|t*15L", 4, 61, "Et*15|t*15|t*16|t*15L"),
            ("E||L", 3, 0, "E||L"),
            ("Ett|ttL", 2, 4, "Ett|ttL"),
        ] {
            let layout = Layout::read(text).unwrap();
            assert_eq!((layout.stages(), layout.layers()), (stages, count), "{text}");
            assert_eq!(layout.to_string(), short);
            assert_eq!(Layout::read(short), Ok(layout));
        }
        let alone = Layout::read("Ettt|(tt|)*29,m|L").unwrap();
        assert_eq!([0, 1, 29, 30, 31].map(|stage| alone.at(stage)), [3, 2, 2, 0, 0]);
        assert_eq!((alone.predicting(), alone.predicted_at()), (1, Some(30)));
    }

    #[test]
    fn layers_are_spread_as_evenly_as_it_goes() {
        for layers in 1..=300 {
            for stages in 1..=128 {
                let Some(layout) = Layout::balanced(layers, stages) else {
                    assert!(layers < stages || layers.div_ceil(stages) > 255, "{layers} over {stages}");
                    continue;
                };
                assert_eq!((layout.stages(), layout.layers()), (stages, layers));
                let of = |stage| layout.at(stage);
                let (least, most) = ((0..stages).map(of).min().unwrap(), (0..stages).map(of).max().unwrap());
                assert!(
                    most - least <= 1 && of(0) == least && (least == most || stages < 3 || of(stages - 1) <= of(1))
                );
                assert_eq!(Layout::read(&layout.to_string()), Ok(layout));
            }
        }
        assert_eq!([Layout::balanced(61, 129), Layout::balanced(61, 0), Layout::balanced(15, 16)], [None; 3]);
    }

    #[test]
    fn what_is_no_layout_is_refused() {
        for (text, error) in [
            ("", LayoutError::Embedding),
            ("tt|ttL", LayoutError::Embedding),
            ("EEt|tL", LayoutError::Embedding),
            ("Ett|tt", LayoutError::Loss),
            ("EttL|tt", LayoutError::Loss),
            ("Et t|L", LayoutError::Letter(' ')),
            ("Etd|L", LayoutError::Letter('d')),
            ("E(tt|L", LayoutError::Repetition),
            ("E(tt|)L", LayoutError::Repetition),
            ("Et*|L", LayoutError::Repetition),
            ("E(t|)*128L", LayoutError::TooLong),
            ("Et*99999999999|L", LayoutError::TooLong),
            ("Etm|tL", LayoutError::Prediction),
            ("Et|m|mL", LayoutError::Prediction),
        ] {
            assert_eq!(Layout::read(text), Err(error), "{text}");
        }
        assert_eq!(Layout::read("E(t|)*127L").map(|layout| layout.stages()), Ok(128));
    }
}
