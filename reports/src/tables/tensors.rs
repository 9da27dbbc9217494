//! A GGUF file's tensors, one a line, as `gguf_dump.py` and llama.cpp's loader list them: exact values and bytes once all are there.
//!
//! Read in November 2026: `gguf-py/gguf/scripts/gguf_dump.py`, and `llama_model_loader` of the builds up to b2600, which printed each tensor.

use super::{Row, offset};
use crate::model_files::Dtype;
use crate::report::{Device, Value};
use crate::scan::{self, Number};
use crate::size::Size;
use crate::what::What;

/// The tensors that have come.
#[derive(Debug)]
pub(crate) struct Tensors {
    /// How many the file has, where that is told.
    all: Option<u64>,
    seen: u64,
    values: Option<u64>,
    bytes: Option<u64>,
    layers: u64,
    /// Whether the width of the MLP has been told.
    wide: bool,
}

/// One of them.
struct Tensor<'a> {
    number: u64,
    name: &'a [u8],
    dtype: Dtype,
    dimensions: [u64; 4],
    /// Where its dimensions stand.
    at: &'a [u8],
}

impl Tensor<'_> {
    fn values(&self) -> Option<u64> {
        self.dimensions.iter().try_fold(1_u64, |product, dimension| product.checked_mul(*dimension))
    }
}

impl Tensors {
    /// Before the first of so many.
    pub(crate) const fn of(all: Option<u64>) -> Self {
        Self { all, seen: 0, values: Some(0), bytes: Some(0), layers: 0, wide: false }
    }

    /// How many tensors the head of the list says that the file has. `text` starts after the words by which the head was found.
    pub(crate) fn told(text: &[u8]) -> Option<u64> {
        let number = Number::read(text)?;
        let words = scan::unspaced(number.rest);
        number.count().filter(|_| words.starts_with(b"tensors from") || words.starts_with(b"tensor(s)"))
    }

    /// Whether a line is one of the list.
    pub(crate) fn is_row(text: &[u8]) -> bool {
        tensor(text).is_some()
    }

    pub(super) fn line(&mut self, text: &[u8], row: Row<'_>) -> bool {
        let Some(tensor) = tensor(text) else { return false };
        let place = offset(text, tensor.at);
        let mut count = |what, value| row(Device::Unsaid, what, Value::Count(value), place);
        let [width, rows, ..] = tensor.dimensions;
        if tensor.name == b"token_embd.weight" {
            count(What::HiddenSize, width);
            count(What::VocabSize, rows);
        }
        let block = tensor.name.strip_prefix(b"blk.").and_then(Number::read);
        if let Some(block) = block
            && let Some(number) = block.count()
        {
            self.layers = self.layers.max(number.saturating_add(1));
            if block.rest == b".ffn_up.weight" && !self.wide {
                self.wide = true;
                count(What::HiddenSize, width);
                count(What::IntermediateSize, rows);
            }
        }
        // From 0 or from 1, without a gap: else some are missing, and sums would be of a part.
        let next = tensor.number == self.seen || tensor.number == self.seen + 1;
        let values = tensor.values().filter(|_| next);
        self.values = self.values.zip(values).and_then(|(sum, values)| sum.checked_add(values));
        let bytes = values.and_then(|values| tensor.dtype.size(values));
        self.bytes = self.bytes.zip(bytes).and_then(|(sum, bytes)| sum.checked_add(bytes));
        self.seen += 1;
        if Some(self.seen) == self.all
            && let (Some(values), Some(bytes)) = (self.values, self.bytes.and_then(|bytes| i64::try_from(bytes).ok()))
        {
            count(What::Layers, self.layers);
            count(What::Parameters, values);
            row(Device::Unsaid, What::Checkpoint, Value::Size(Size::exact(bytes)), place);
        }
        true
    }
}

/// `|    0 | token_embd.weight | Token Embedding (W) | (~131M) 131072000 | 2560 x 51200 x 1 x 1 | Q6_K |`,
/// `  2:  201326592 |   768, 262144,     1,     1 | Q8_0    | token_embd.weight`, or
/// `llama_model_loader: - tensor    0:   token_embd.weight q4_0     [   768, 32000,     1,     1 ]`.
fn tensor(text: &[u8]) -> Option<Tensor<'_>> {
    let words = |text| <[u8]>::split(text, u8::is_ascii_whitespace).filter(|word: &&[u8]| !word.is_empty());
    let (number, name, dtype, dimensions);
    if let Some(rest) = scan::behind(text, "llama_model_loader: - tensor") {
        number = Number::read(rest)?;
        let mut behind = words(number.rest.strip_prefix(b":")?);
        (name, dtype) = (behind.next()?, behind.next()?);
        dimensions = scan::behind(number.rest, "[")?;
    } else if let Some(rest) = text.trim_ascii_start().strip_prefix(b"|") {
        let mut cells = rest.split(|byte| *byte == b'|').map(<[u8]>::trim_ascii);
        number = Number::read(cells.next()?)?;
        name = cells.next()?;
        (dimensions, dtype) = (cells.nth(2)?, cells.next()?);
    } else {
        let mut cells = text.split(|byte| *byte == b'|').map(<[u8]>::trim_ascii);
        number = Number::read(cells.next()?)?;
        number.rest.strip_prefix(b":")?;
        (dimensions, dtype, name) = (cells.next()?, cells.next()?, cells.next()?);
    }
    let mut each = [1; 4];
    let mut behind = dimensions;
    for (at, dimension) in each.iter_mut().enumerate() {
        let read = Number::read(behind)?;
        *dimension = read.count()?;
        behind = scan::unspaced(read.rest);
        match behind.strip_prefix(b",").or_else(|| behind.strip_prefix(b"x ")) {
            Some(rest) => behind = rest,
            None if at == 0 || behind.is_empty() || behind.starts_with(b"]") => break,
            None => return None,
        }
    }
    let dtype = Dtype::of_ggml_name(dtype)?;
    Some(Tensor { number: number.count()?, name, dtype, dimensions: each, at: scan::unspaced(dimensions) })
}
