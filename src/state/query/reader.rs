//! A query read as a state. What cannot be used is said, and the rest applies.

use memory_wall_core::bounds::{self, Bounds};
use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::hierarchy::Tier;
use memory_wall_core::number::{self, Kilo};
use memory_wall_core::roofline::operations::Kernels;
use memory_wall_core::roofline::{Accounting, Pass};
use memory_wall_core::scaling::Purpose;
use memory_wall_core::tables::gpus;
use memory_wall_core::{
    AdapterPrecision, Attention, Checkpointing, KvPrecision, Mode, Optimizer, Recipe, TargetSet, WeightFormat,
};

use super::{EMPTY, LONGEST, OPTIONS, VERSION, known};
use crate::state::cluster::GpuCount;
use crate::state::decimal::Decimal;
use crate::state::dimensions::{self, Dimension};
use crate::state::roofline::{self as levers, Dots, Precisions};
use crate::state::spending::Spending;
use crate::state::trace::{self, Trace};
use crate::state::{State, TakenBack};
use crate::words;

/// A state read from a query, and what of the query could not be used, in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The state: defaults where the query says nothing usable.
    pub state: State,
    /// One sentence for each part that was not used.
    pub notices: Vec<String>,
}

/// How many keys a notice names.
const NAMED: usize = 10;

/// Reads a query, with or without its `?`.
pub fn decode(query: &str) -> Decoded {
    let mut reader = Reader { pairs: Vec::new(), notices: Vec::new() };
    reader.split(query.strip_prefix('?').unwrap_or(query));
    let mut state = State::default();

    if let Some(version) = reader.take("v")
        && version != VERSION
    {
        reader.notices.push(words::NoticeVersion { value: &shown(&version) }.text());
    }
    if let Some(model) = reader.choice("model", State::model_by_id, state.model.name) {
        state.choose_model(model);
    }
    reader.dimensions(&mut state);
    reader.pick("mode", Mode::from_id, &mut state.mode, Mode::id);
    reader.count("batch", bounds::BATCH, &mut state.batch);
    reader.count("seq", bounds::SEQ_LENGTH, &mut state.seq_length);
    if let Some(weights) = reader.choice("weights", WeightFormat::from_id, state.weights.id()) {
        state.weights = weights;
        if state.weights_in_use() != weights {
            let value = weights.id();
            reader.notices.push(match state.mode {
                Mode::Qlora => words::NoticeQlora { value }.text(),
                _ => words::NoticeTraining { value }.text(),
            });
        }
    }
    reader.pick("kv", KvPrecision::from_id, &mut state.kv, KvPrecision::id);
    reader.pick("optimizer", Optimizer::from_id, &mut state.optimizer, Optimizer::id);
    reader.pick("checkpointing", Checkpointing::from_id, &mut state.checkpointing, Checkpointing::id);
    reader.pick("attention", Attention::from_id, &mut state.attention, Attention::id);
    if let Some(gpu) = reader.choice("gpu", gpus::by_id, state.gpu.name) {
        state.gpu = gpu;
    }
    reader.pick("unit", ByteUnit::from_id, &mut state.unit, ByteUnit::id);
    reader.pick("tier", Tier::from_id, &mut state.tier, Tier::id);
    reader.pick("recipe", Recipe::from_id, &mut state.recipe, Recipe::id);
    reader.pick("targets", TargetSet::from_id, &mut state.targets, TargetSet::id);
    reader.pick("adapters", AdapterPrecision::from_id, &mut state.adapters, AdapterPrecision::id);
    // From here on the state can be evaluated. The roofline asks for that, and nothing read after this changes it.
    reader.mend(&mut state);
    reader.roofline(&mut state);
    reader.trace(&mut state.trace);
    reader.pick("cards", GpuCount::from_id, &mut state.cluster.gpus, GpuCount::id);
    reader.pick("scale", Purpose::from_id, &mut state.cluster.purpose, Purpose::id);
    reader.spending(&mut state.spending);
    reader.name_the_rest();
    Decoded { state, notices: reader.notices }
}

/// The pairs of a query that nobody has asked for yet, and the notices so far.
struct Reader {
    pairs: Vec<(String, String)>,
    notices: Vec<String>,
}

impl Reader {
    fn split(&mut self, query: &str) {
        let cut = (0..=LONGEST.min(query.len())).rev().find(|end| query.is_char_boundary(*end)).unwrap_or(0);
        let (mut read, rest) = query.split_at_checked(cut).unwrap_or((query, ""));
        if !rest.is_empty() {
            self.notices.push(words::notice_long().into());
            // Half of a part would be another value: `seq=128000` cut to `seq=128`.
            if !rest.starts_with('&') {
                read = read.rsplit_once('&').map_or("", |(whole, _)| whole);
            }
        }
        let mut twice = Vec::new();
        for pair in read.split('&').filter(|pair| !pair.is_empty()) {
            // A link that was copied out of a page's text has its `&` written as `&amp;`.
            let pair = pair.strip_prefix("amp;").unwrap_or(pair);
            let (key, value) = pair.split_once('=').filter(|(key, _)| !key.is_empty()).unwrap_or((pair, ""));
            let (key, value) = (percent_decoded(key), percent_decoded(value));
            if is_elsewhere(&key) {
                continue;
            }
            if self.pairs.iter().all(|(known, _)| *known != key) {
                self.pairs.push((key, value));
            } else if let Some(key) = known(&key).filter(|key| !twice.contains(key)) {
                twice.push(key);
            }
        }
        // All in one sentence: a link can repeat every key.
        if !twice.is_empty() {
            let more = if twice.len() > NAMED { ", …" } else { "" };
            twice.truncate(NAMED);
            self.notices.push(words::NoticeTwice { key: &format!("{}{more}", words::joined(&twice, ", ")) }.text());
        }
    }

    fn take(&mut self, key: &str) -> Option<String> {
        let place = self.pairs.iter().position(|(known, _)| known == key)?;
        Some(self.pairs.remove(place).1)
    }

    fn choice<T>(&mut self, key: &str, find: impl FnOnce(&str) -> Option<T>, kept: &str) -> Option<T> {
        let value = self.take(key)?;
        // All names are in small letters.
        let found = find(&value.trim().to_ascii_lowercase());
        if found.is_none() {
            self.refuse(key, &value, kept);
        }
        found
    }

    fn refuse(&mut self, key: &str, value: &str, kept: &str) {
        self.notices.push(words::NoticeValue { key, value: &shown(value), kept }.text());
    }

    fn pick<T: Copy>(&mut self, key: &str, find: fn(&str) -> Option<T>, slot: &mut T, id: fn(T) -> &'static str) {
        if let Some(value) = self.choice(key, find, id(*slot)) {
            *slot = value;
        }
    }

    fn count(&mut self, key: &str, bounds: Bounds, slot: &mut u32) {
        let Some(text) = self.take(key) else { return };
        // A link never changes its meaning: a `k` in it has always been a thousand.
        if let Some(value) = number::read(&text, Kilo::Decimal).and_then(|value| bounds.check(value).ok()) {
            *slot = value;
            return;
        }
        let [min, max, kept] = [bounds.min, bounds.max, *slot].map(|n| Grouped(n.into()).to_string());
        self.notices.push(words::NoticeNumber { key, value: &shown(&text), min: &min, max: &max, kept: &kept }.text());
    }

    /// All dimensions at once: heads and KV heads have to go together, whichever is named first.
    fn dimensions(&mut self, state: &mut State) {
        let mut shape = state.shape;
        for dimension in Dimension::ALL {
            let mut value = dimension.of(&shape);
            self.count(dimension.id(), dimension.bounds(), &mut value);
            shape = dimension.with(state.model.architecture, shape, value);
        }
        match shape.check() {
            Ok(()) => state.shape = shape,
            Err(error) => {
                let error = dimensions::refusal(error);
                self.notices.push(words::NoticeShape { error: &error, model: state.model.name }.text());
            }
        }
    }

    /// Puts back to its default what keeps the state from being evaluated, and says so.
    fn mend(&mut self, state: &mut State) {
        let (mended, taken) = state.mended();
        self.notices.extend(taken.map(|taken| match taken {
            TakenBack::Optimizer => words::NoticeOptimizer { gpu: mended.gpu.name, kept: mended.optimizer.id() }.text(),
            TakenBack::Quantised => words::NoticeQuantised { gpu: mended.gpu.name, kept: mended.mode.id() }.text(),
            TakenBack::Targets => words::NoticeTargets { value: state.targets.id(), kept: mended.targets.id() }.text(),
            TakenBack::Dimensions => {
                words::NoticeShape { error: words::shape_adapters(), model: mended.model.name }.text()
            }
            TakenBack::Everything => words::notice_together().into(),
        }));
        *state = mended;
    }

    fn roofline(&mut self, state: &mut State) {
        let mut now = state.roofline;
        self.pick("dots", Dots::from_id, &mut now.dots, Dots::id);
        let of_inference = |id: &str| Pass::from_id(id).filter(|pass| *pass != Pass::Training);
        self.pick("pass", of_inference, &mut now.pass, Pass::id);
        let mut kernels = now.kernels_in_use(&state.scenario());
        self.pick("kernels", Kernels::from_id, &mut kernels, Kernels::id);
        now.choose_kernels(kernels, &state.scenario());
        self.pick("accounting", Accounting::from_id, &mut now.accounting, Accounting::id);
        self.pick("precisions", Precisions::from_id, &mut now.precisions, Precisions::id);
        if let Some(versus) = self.choice("vs", levers::gpus, words::roofline_none()) {
            now.versus = versus;
        }
        self.numbers("roof", Decimal::RATE, &mut now.own_gpu);
        self.numbers("op", Decimal::COUNT, &mut now.op);
        self.numbers("gemm", Decimal::SIDE, &mut now.gemm);
        let mut rate = [now.rate];
        self.numbers("rate", Decimal::RATE, &mut rate);
        [now.rate] = rate;
        state.roofline = now;
    }

    fn spending(&mut self, now: &mut Spending) {
        for (key, slot, kind) in [
            ("gpus", &mut now.gpus, Decimal::SIDE),
            ("train_tokens", &mut now.tokens, Decimal::COUNT),
            ("price", &mut now.price, Decimal::RATE),
        ] {
            if self.pairs.iter().any(|(known, value)| known == key && value == EMPTY) {
                self.take(key);
                *slot = 0;
                continue;
            }
            let mut list = [*slot];
            self.numbers(key, kind, &mut list);
            [*slot] = list;
        }
        self.numbers("mfu", Decimal::SHARE, &mut now.mfu);
    }

    fn trace(&mut self, now: &mut Trace) {
        for (key, kept) in [("tape", words::roofline_none()), ("step", now.step.id()), ("card", now.gpu.id())] {
            if let Some(value) = self.take(key)
                && !now.act(key, &value)
            {
                self.refuse(key, &value, kept);
            }
        }
        for size in &trace::SIZES {
            self.count(size.name, size.bounds, (size.slot)(&mut now.program));
        }
    }

    fn numbers<const N: usize>(&mut self, key: &str, kind: Decimal, slot: &mut [u64; N]) {
        let Some(text) = self.take(key) else { return };
        if let Some(numbers) = levers::read(&text, kind) {
            *slot = numbers;
        } else {
            let max = Grouped(kind.most().into()).to_string();
            let (value, max) = (&shown(&text), &max);
            self.notices.push(if N == 1 {
                words::NoticeListOne { key, value, max }.text()
            } else {
                words::NoticeList { key, value, n: &N.to_string(), max }.text()
            });
        }
    }

    fn name_the_rest(&mut self) {
        const NAMED: usize = 3;
        for (key, value) in self.pairs.iter().take(NAMED) {
            self.notices.push(if OPTIONS.contains(&key.as_str()) {
                words::NoticeOption { key: &shown(key), value: &shown(value) }.text()
            } else {
                words::NoticeUnknown { key: &shown(key) }.text()
            });
        }
        let more = self.pairs.len().saturating_sub(NAMED);
        if more == 1 {
            self.notices.push(words::notice_unknown_other().into());
        } else if more > 0 {
            self.notices.push(words::NoticeUnknownMany { n: &more.to_string() }.text());
        }
    }
}

/// Whether mail programs and other sites add a key to links that they pass on.
/// Whether a key is somebody else's: put into links by others, or of a figure with a program of its own, which reads it itself.
fn is_elsewhere(key: &str) -> bool {
    key.starts_with("minute.")
        || key.starts_with("utm_")
        || ["fbclid", "gclid", "msclkid", "mc_cid", "mc_eid", "igshid"].contains(&key)
}

/// Foreign text as it is quoted in a notice: short, and without control or direction characters.
fn shown(text: &str) -> String {
    const LENGTH: usize = 40;
    let hidden = |c: &char| {
        c.is_control()
            || matches!(
                *c,
                '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
            )
    };
    let mut seen = text.chars().filter(|c| !hidden(c));
    let mut short: String = seen.by_ref().take(LENGTH).collect();
    if seen.next().is_some() {
        short.push('…');
    }
    short
}

/// `%41` and `+` undone; what is not valid stays as it is or becomes U+FFFD.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let mut ahead = rest.clone();
        let hex = |byte: Option<u8>| {
            byte.and_then(|byte| char::from(byte).to_digit(16)).and_then(|digit| u8::try_from(digit).ok())
        };
        match (byte, hex(ahead.next()), hex(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(high * 16 + low);
                rest = ahead;
            }
            (b'+', ..) => bytes.push(b' '),
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
