//! Fields for numbers: forgiving in what they read, exact in what they say when they cannot.

use memory_wall_core::Bytes;
use memory_wall_core::bounds::Bounds;
use memory_wall_core::display::{ByteUnit, Grouped, Size};
use memory_wall_core::number::{self, Kilo};
use memory_wall_core::profile;

use super::Quantity;
use crate::state::State;
use crate::state::decimal::Decimal;
use crate::state::dimensions::{Dimension, disagreeing};
use crate::state::trace;
use crate::words;

/// A field that may be left empty: a number of the reader's own.
pub struct Own {
    /// Its name in the page.
    pub control: &'static str,
    kind: Decimal,
    slot: fn(&mut State) -> &mut u64,
}

/// The peak of a GPU of the reader's own.
pub static ROOF_PEAK: Own = Own { control: "roof-peak", kind: Decimal::RATE, slot: |now| &mut now.roofline.own_gpu[0] };
/// Its bandwidth.
pub static ROOF_GBPS: Own = Own { control: "roof-gbps", kind: Decimal::RATE, slot: |now| &mut now.roofline.own_gpu[1] };
/// The FLOPs of an operation of the reader's own.
pub static OP_FLOPS: Own = Own { control: "op-flops", kind: Decimal::COUNT, slot: |now| &mut now.roofline.op[0] };
/// Its bytes.
pub static OP_BYTES: Own = Own { control: "op-bytes", kind: Decimal::COUNT, slot: |now| &mut now.roofline.op[1] };
/// The rows of a product of the reader's own.
pub static GEMM_M: Own = Own { control: "gemm-m", kind: Decimal::SIDE, slot: |now| &mut now.roofline.gemm[0] };
/// Its columns.
pub static GEMM_N: Own = Own { control: "gemm-n", kind: Decimal::SIDE, slot: |now| &mut now.roofline.gemm[1] };
/// What it sums over.
pub static GEMM_K: Own = Own { control: "gemm-k", kind: Decimal::SIDE, slot: |now| &mut now.roofline.gemm[2] };
/// A rate that was measured.
pub static RATE: Own = Own { control: "rate", kind: Decimal::RATE, slot: |now| &mut now.roofline.rate };
/// The GPUs that a model is trained on.
pub static TRAIN_GPUS: Own = Own { control: "train-gpus", kind: Decimal::SIDE, slot: |now| &mut now.spending.gpus };
/// The tokens that it is trained on.
pub static TRAIN_TOKENS: Own =
    Own { control: "train-tokens", kind: Decimal::COUNT, slot: |now| &mut now.spending.tokens };
/// What a GPU costs an hour.
pub static TRAIN_PRICE: Own = Own { control: "train-price", kind: Decimal::RATE, slot: |now| &mut now.spending.price };
/// The least share of the peak that is reached in training.
pub static MFU_FROM: Own = Own { control: "mfu-from", kind: Decimal::SHARE, slot: |now| &mut now.spending.mfu[0] };
/// The most.
pub static MFU_TO: Own = Own { control: "mfu-to", kind: Decimal::SHARE, slot: |now| &mut now.spending.mfu[1] };
/// What a GPU costs an hour, where the model is served.
pub static SERVE_PRICE: Own = Own { control: "serve-price", kind: Decimal::RATE, slot: |now| &mut now.spending.price };

/// What the driver counts in.
const MIB: u64 = 1 << 20;

/// The fields for what was measured, in the order of [`State::measured`].
pub static MEASURED: [&str; 3] = ["measured-allocated", "measured-reserved", "measured-used"];

/// A field by what it sets.
#[derive(Clone, Copy)]
pub enum Field {
    /// What a slider sets too.
    Quantity(Quantity),
    /// One of the model's own dimensions.
    Dimension(Dimension),
    /// A size of the program that runs line by line.
    Trace(&'static trace::Size),
    /// A number of the reader's own.
    Own(&'static Own),
    /// A size that was measured, by its place in [`MEASURED`]; it may be left empty.
    Measured(usize),
}

impl Field {
    /// The legal range of a whole number; a number of the reader's own has another kind of range.
    fn bounds(self) -> Option<Bounds> {
        match self {
            Self::Quantity(quantity) => Some(quantity.bounds()),
            Self::Dimension(dimension) => Some(dimension.bounds()),
            Self::Trace(size) => Some(size.bounds),
            Self::Own(_) | Self::Measured(_) => None,
        }
    }

    /// Its value in the state; an empty field is zero.
    fn of(self, state: &State) -> u64 {
        match self {
            Self::Quantity(quantity) => quantity.of(state).into(),
            Self::Dimension(dimension) => dimension.of(&state.written()).into(),
            Self::Trace(size) => size.of(state.trace.program).into(),
            Self::Own(own) => *(own.slot)(&mut { *state }),
            Self::Measured(place) => state.measured.get(place).copied().unwrap_or(0),
        }
    }

    /// A value as the field shows it.
    fn written(self, value: u64, unit: ByteUnit) -> String {
        match self {
            Self::Own(_) | Self::Measured(_) if value == 0 => String::new(),
            Self::Measured(_) => Size::new(Bytes(value.into()), unit).to_string(),
            Self::Own(own) if own.kind.places > 0 => own.kind.write(value),
            _ => Grouped(value.into()).to_string(),
        }
    }

    /// What the field shows.
    pub fn text(self, state: &State) -> String {
        self.written(self.of(state), state.unit)
    }

    fn read(self, typed: &str) -> Option<u64> {
        if let Some(bounds) = self.bounds() {
            let value = number::read(typed, Kilo::Binary)?;
            return bounds.check(value).ok().map(u64::from);
        }
        match self {
            _ if typed.trim().is_empty() => Some(0),
            Self::Own(own) if own.kind == Decimal::SIDE => {
                number::read(typed, Kilo::Binary).filter(|side| (1..=own.kind.most()).contains(side))
            }
            Self::Own(own) => own.kind.read(typed),
            // PyTorch's functions give bytes, and the driver counts in MiB. Less than one is a unit forgotten.
            Self::Measured(place) => {
                profile::size(typed, if place == 2 { MIB } else { 1 }).filter(|bytes| *bytes >= MIB)
            }
            _ => None,
        }
    }

    /// Whether a text is another way to write what the field shows.
    pub fn says(self, typed: &str, shown: &str) -> bool {
        self.read(typed).is_some_and(|value| ByteUnit::EACH.iter().any(|unit| self.written(value, *unit) == shown))
    }

    /// What a text with a letter or a power in it stands for, to be shown beside it: `32k` is 32,768.
    pub fn reading(self, typed: &str, unit: ByteUnit) -> Option<String> {
        self.read(typed).filter(|_| number::is_spelled(typed)).map(|value| self.written(value, unit))
    }

    /// Whether the field shows a dimension that does not go together with another.
    pub fn disagrees(self, state: &State) -> bool {
        let Self::Dimension(dimension) = self else { return false };
        state.disagreement().is_some_and(|error| disagreeing(error).contains(&dimension))
    }

    /// Whether a text may become a number as it is being written: `1979.` or `2e`.
    pub fn is_begun(self, typed: &str) -> bool {
        let typed = typed.trim().trim_end_matches('+');
        matches!(self, Self::Own(_))
            && typed.strip_suffix(['.', 'e', 'E']).is_some_and(|start| self.read(start).is_some())
    }

    /// Puts what was typed into the state, or says in words why it cannot be used.
    pub fn put(self, state: &mut State, typed: &str) -> Result<(), String> {
        let Some(value) = self.read(typed) else { return Err(self.refusal(state, typed)) };
        // Whole numbers are within their bounds, which fit.
        let whole = u32::try_from(value).unwrap_or(u32::MAX);
        match self {
            Self::Quantity(quantity) => quantity.set(state, whole),
            Self::Dimension(dimension) => state.set_dimension(dimension, whole),
            Self::Trace(size) => *(size.slot)(&mut state.trace.program) = whole,
            Self::Own(own) => *(own.slot)(state) = value,
            Self::Measured(place) => {
                if let Some(slot) = state.measured.get_mut(place) {
                    *slot = value;
                    state.asked = None;
                }
            }
        }
        Ok(())
    }

    /// Why a text is no number for this field.
    fn refusal(self, state: &State, typed: &str) -> String {
        let short: String = typed.chars().take(40).collect();
        let group = |n: u64| Grouped(n.into()).to_string();
        if let Some(bounds) = self.bounds() {
            let [min, max] = [bounds.min, bounds.max].map(|n| group(n.into()));
            let kept = self.text(state);
            // 10M is more than ten million.
            let value =
                number::read(typed, Kilo::Binary).filter(|value| number::is_spelled(typed) && *value < u64::MAX);
            let short = value.map_or(short.clone(), |value| format!("{short} = {}", group(value)));
            let said = words::FieldError { value: &short, min: &min, max: &max, kept: &kept }.text();
            // These fields have their messages under all of them.
            return if matches!(self, Self::Dimension(_) | Self::Trace(_)) {
                format!("{}: {said}", bounds.name)
            } else {
                said
            };
        }
        match self {
            Self::Own(own) => {
                let max = group(own.kind.most());
                if own.kind.places > 0 {
                    words::FieldErrorDecimal { value: &short, max: &max }.text()
                } else {
                    words::FieldErrorWhole { value: &short, max: &max }.text()
                }
            }
            _ => words::FieldErrorSize { value: &short }.text(),
        }
    }

    /// The next whole number up or down, within its bounds; nothing for a field that has no next one.
    pub fn next(self, state: &State, up: bool) -> Option<String> {
        let bounds = self.bounds()?;
        let now = self.of(state);
        let next = if up { now + 1 } else { now.saturating_sub(1) };
        Some(self.written(next.max(bounds.min.into()).min(bounds.max.into()), state.unit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::trace::SIZES;

    fn field(control: &str) -> Field {
        let own = [&ROOF_PEAK, &ROOF_GBPS, &OP_FLOPS, &OP_BYTES, &GEMM_M, &GEMM_N, &GEMM_K, &RATE];
        let own = own.into_iter().map(|own| (own.control, Field::Own(own)));
        let dimensions = Dimension::ALL.into_iter().map(|dimension| (dimension.id(), Field::Dimension(dimension)));
        let sizes = SIZES.iter().map(|size| (size.name, Field::Trace(size)));
        let measured = MEASURED.iter().enumerate().map(|(place, name)| (*name, Field::Measured(place)));
        let quantities = [("seq", Quantity::SeqLength), ("batch", Quantity::Batch)];
        let quantities = quantities.into_iter().map(|(name, quantity)| (name, Field::Quantity(quantity)));
        let mut all = own.chain(dimensions).chain(sizes).chain(measured).chain(quantities);
        all.find(|(name, _)| *name == control).unwrap().1
    }

    #[test]
    fn what_is_typed_is_read_and_shown_in_one_way() {
        let mut state = State::default();
        for (control, typed, shown) in [
            ("seq", "128k", "131,072"),
            ("batch", " 16 ", "16"),
            ("layers", "40", "40"),
            ("roof-peak", "1979.5", "1979.5"),
            ("op-flops", "2.5e12", "2,500,000,000,000"),
            ("rate", ".5", "0.5"),
            ("rate", "", ""),
            ("features", "8k", "8,192"),
            ("gemm-m", "4k", "4,096"),
            ("op-flops", "4k", "4,000"),
        ] {
            assert_eq!(field(control).put(&mut state, typed), Ok(()), "{control}");
            assert_eq!(field(control).text(&state), shown, "{control}");
            assert!(field(control).says(typed, shown) && !field(control).says("nonsense", shown), "{control}");
        }
        assert_eq!((state.seq_length, state.batch, state.shape.layers), (131_072, 16, 40));
    }

    #[test]
    fn what_cannot_be_used_changes_nothing_and_says_why() {
        for (control, typed, reason) in [
            ("seq", "0", "“0” is not a whole number from 1 to 10,000,000. Still 2,048."),
            ("batch", "many", "“many” is not a whole number from 1 to 1,000,000. Still 1."),
            ("gemm-m", "1.5", "“1.5”"),
        ] {
            let mut state = State::default();
            let message = field(control).put(&mut state, typed).unwrap_err();
            assert!(message.contains(reason), "{control}: {message}");
            assert_eq!(state, State::default());
        }
        for (control, begun) in [("roof-peak", "1979."), ("op-flops", "2e"), ("op-flops", "2e+")] {
            assert!(field(control).is_begun(begun), "{begun}");
        }
        assert!(!field("roof-peak").is_begun("x.") && !field("seq").is_begun("1."));
        let long = field("seq").put(&mut State::default(), &"9".repeat(500)).unwrap_err();
        assert!(long.chars().count() < 120, "{long}");
    }

    #[test]
    fn a_size_that_was_measured_is_read_with_its_unit_and_shown_in_that_of_the_page() {
        let mut state = State::default();
        for (control, typed, shown, bytes) in [
            ("measured-allocated", "29 GiB", "31.1\u{202f}GB", 29 << 30),
            ("measured-reserved", "34359738368", "34.4\u{202f}GB", 32 << 30),
            ("measured-used", "33280", "34.9\u{202f}GB", 33_280 << 20),
        ] {
            assert_eq!(field(control).put(&mut state, typed), Ok(()));
            assert_eq!(field(control).text(&state), shown);
            assert_eq!(field(control).of(&state), bytes);
            assert!(field(control).says(typed, shown), "{control}");
        }
        for typed in ["14.2", "-1", "NaN", "1e99 GiB", "2000 TiB", "12"] {
            let message = field("measured-allocated").put(&mut state, typed).unwrap_err();
            assert!(message.contains("is no size"), "{message}");
        }
        assert_eq!(field("measured-allocated").put(&mut state, " "), Ok(()));
        assert_eq!(state.measured[0], 0);
    }

    #[test]
    fn arrows_step_by_one_within_the_range() {
        let state = State::default();
        assert_eq!(field("seq").next(&state, true).as_deref(), Some("2,049"));
        assert_eq!(field("batch").next(&state, false).as_deref(), Some("1"));
        assert_eq!(field("rate").next(&state, true), None);
    }
}
