//! The state as a link's query: readable, versioned, defaults left out, keys in a fixed order.
//!
//! `v=1&model=llama-3.1-8b&seq=128000&gpu=h100-sxm`. Reading never fails: what cannot be used is named, the rest applies.

use memory_wall_core::bounds::{self, Bounds};
use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::hierarchy::Tier;
use memory_wall_core::number::{self, Kilo};
use memory_wall_core::roofline::operations::Kernels;
use memory_wall_core::roofline::{Accounting, Pass};
use memory_wall_core::scaling::Purpose;
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::{
    AdapterPrecision, Attention, Checkpointing, KvPrecision, Mode, Optimizer, Recipe, TargetSet, WeightFormat,
};

use super::cluster::Cards;
use super::decimal::Decimal;
use super::dimensions::{self, Dimension};
use super::roofline::{self as levers, Dots, Levers, Precisions};
use super::tape::{self, Tape};
use super::{State, TakenBack};
use crate::words::{fill, t};

/// The longest query that is read; links made here are far shorter.
pub const LONGEST: usize = 2_000;

/// The version that is written. Version 1 links open for ever.
const VERSION: &str = "1";

/// Every key that is understood, in the order in which they are written; dimensions carry their own names.
const KEYS: [&str; 34] = [
    "v",
    "model",
    "mode",
    "batch",
    "seq",
    "weights",
    "kv",
    "optimizer",
    "checkpointing",
    "attention",
    "gpu",
    "unit",
    "tier",
    // The roofline's own.
    "dots",
    "pass",
    "kernels",
    "accounting",
    "precisions",
    "vs",
    "roof",
    "op",
    "gemm",
    "rate",
    // The program line by line: its own.
    "tape",
    "features",
    "rows",
    "tokens",
    "step",
    "card",
    // Of many cards.
    "cards",
    "scale",
    // How training keeps its states.
    "recipe",
    // Where adapters are, and in which precision.
    "targets",
    "adapters",
];

/// The state as a query without `?`; empty for the default state.
pub fn encode(state: &State) -> String {
    let default = State::default();
    let mut query = Writer(String::new());
    query.put("model", state.model.id, default.model.id);
    for dimension in Dimension::ALL {
        query.count(dimension.name(), dimension.of(&state.shape), dimension.of(&state.model.architecture));
    }
    query.put("mode", state.mode.id(), default.mode.id());
    query.count("batch", state.batch, default.batch);
    query.count("seq", state.seq_length, default.seq_length);
    // What is computed with: a choice that waits for inference to come back stays on this page.
    // What the mode would use anyway is not written.
    let unsaid = State { weights: default.weights, ..*state };
    query.put("weights", state.weights_in_use().id(), unsaid.weights_in_use().id());
    query.put("kv", state.kv.id(), default.kv.id());
    query.put("optimizer", state.optimizer.id(), default.optimizer.id());
    query.put("checkpointing", state.checkpointing.id(), default.checkpointing.id());
    query.put("attention", state.attention.id(), default.attention.id());
    query.put("gpu", state.gpu.id, default.gpu.id);
    query.put("unit", state.unit.id(), default.unit.id());
    query.put("tier", state.tier.id(), default.tier.id());
    query.roofline(state);
    query.tape(state);
    query.put("cards", state.cluster.cards.id(), default.cluster.cards.id());
    query.put("scale", state.cluster.purpose.id(), default.cluster.purpose.id());
    query.put("recipe", state.recipe.id(), default.recipe.id());
    query.put("targets", state.targets.id(), default.targets.id());
    query.put("adapters", state.adapters.id(), default.adapters.id());
    if query.0.is_empty() { query.0 } else { format!("v={VERSION}{}", query.0) }
}

/// What is written so far; defaults are left out.
struct Writer(String);

impl Writer {
    fn put(&mut self, key: &str, now: &str, default: &str) {
        if now != default {
            for part in ["&", key, "=", now] {
                self.0.push_str(part);
            }
        }
    }

    fn count(&mut self, key: &str, now: u32, default: u32) {
        if now != default {
            self.put(key, &now.to_string(), "");
        }
    }

    /// The roofline's own settings; a list with an empty field is none yet.
    fn roofline(&mut self, state: &State) {
        let (now, default) = (state.roofline, Levers::default());
        self.put("dots", now.dots.id(), default.dots.id());
        self.put("pass", now.pass.id(), default.pass.id());
        if let Some(kernels) = now.kernels {
            self.put("kernels", kernels.id(), Kernels::of(&state.scenario()).id());
        }
        self.put("accounting", now.accounting.id(), default.accounting.id());
        self.put("precisions", now.precisions.id(), default.precisions.id());
        let versus = match now.versus.map(|gpu| gpu.map(|gpu| gpu.id)) {
            [Some(first), Some(second)] => Some(format!("{first},{second}")),
            [one, other] => one.or(other).map(Into::into),
        };
        let lists = [
            ("vs", versus),
            ("roof", levers::written(now.card, Decimal::RATE)),
            ("op", levers::written(now.op, Decimal::COUNT)),
            ("gemm", levers::written(now.gemm, Decimal::SIDE)),
            ("rate", levers::written([now.rate], Decimal::RATE)),
        ];
        for (key, list) in lists {
            self.put(key, &list.unwrap_or_default(), "");
        }
    }

    /// The program line by line, where the reader stands in it, and its card.
    fn tape(&mut self, state: &State) {
        let (Tape { program, step, card }, default) = (state.tape, Tape::default());
        self.put("tape", &tape::written(&program), "");
        for size in &tape::SIZES {
            self.count(size.name, size.of(program), size.of(default.program));
        }
        self.put("step", step.id(), default.step.id());
        self.put("card", card.id(), default.card.id());
    }
}

/// A state read from a query, and what of the query could not be used, in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The state: defaults where the query says nothing usable.
    pub state: State,
    /// One sentence for each part that was not used.
    pub notices: Vec<String>,
}

/// Reads a query, with or without its `?`.
pub fn decode(query: &str) -> Decoded {
    let mut reader = Reader { pairs: Vec::new(), notices: Vec::new() };
    reader.split(query.strip_prefix('?').unwrap_or(query));
    let mut state = State::default();

    if let Some(version) = reader.take("v")
        && version != VERSION
    {
        reader.notices.push(fill("notice.version", &[("value", &shown(&version))]));
    }
    if let Some(model) = reader.choice("model", models::by_id, state.model.name) {
        state.choose_model(model);
    }
    reader.dimensions(&mut state);
    reader.pick("mode", Mode::from_id, &mut state.mode, Mode::id);
    reader.count("batch", bounds::BATCH, &mut state.batch);
    reader.count("seq", bounds::SEQ_LENGTH, &mut state.seq_length);
    if let Some(weights) = reader.choice("weights", WeightFormat::from_id, state.weights.id()) {
        state.weights = weights;
        if state.weights_in_use() != weights {
            let key = if state.mode == Mode::Qlora { "notice.qlora" } else { "notice.training" };
            reader.notices.push(fill(key, &[("value", weights.id())]));
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
    reader.tape(&mut state.tape);
    reader.pick("cards", Cards::from_id, &mut state.cluster.cards, Cards::id);
    reader.pick("scale", Purpose::from_id, &mut state.cluster.purpose, Purpose::id);
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
            self.notices.push(t("notice.long").into());
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
            if is_tracking(&key) {
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
            self.notices.push(fill("notice.twice", &[("key", &twice.join(", "))]));
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
        self.notices.push(fill("notice.value", &[("key", key), ("value", &shown(value)), ("kept", kept)]));
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
        let values = [("key", key), ("value", &shown(&text)), ("min", &min), ("max", &max), ("kept", &kept)];
        self.notices.push(fill("notice.number", &values));
    }

    /// All dimensions at once: heads and KV heads have to go together, whichever is named first.
    fn dimensions(&mut self, state: &mut State) {
        let mut shape = state.shape;
        for dimension in Dimension::ALL {
            let mut value = dimension.of(&shape);
            self.count(dimension.name(), dimension.bounds(), &mut value);
            shape = dimension.with(state.model.architecture, shape, value);
        }
        match shape.check() {
            Ok(()) => state.shape = shape,
            Err(error) => {
                let error = dimensions::refusal(error);
                self.notices.push(fill("notice.shape", &[("error", &error), ("model", state.model.name)]));
            }
        }
    }

    /// Puts back to its default what keeps the state from being evaluated, and says so.
    fn mend(&mut self, state: &mut State) {
        let (mended, taken) = state.mended();
        self.notices.extend(taken.map(|taken| match taken {
            TakenBack::Targets => {
                fill("notice.targets", &[("value", state.targets.id()), ("kept", mended.targets.id())])
            }
            TakenBack::Dimensions => {
                fill("notice.shape", &[("error", t("shape.adapters")), ("model", mended.model.name)])
            }
            TakenBack::Everything => t("notice.together").into(),
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
        if let Some(versus) = self.choice("vs", levers::cards, t("roofline.none")) {
            now.versus = versus;
        }
        self.numbers("roof", Decimal::RATE, &mut now.card);
        self.numbers("op", Decimal::COUNT, &mut now.op);
        self.numbers("gemm", Decimal::SIDE, &mut now.gemm);
        let mut rate = [now.rate];
        self.numbers("rate", Decimal::RATE, &mut rate);
        [now.rate] = rate;
        state.roofline = now;
    }

    fn tape(&mut self, now: &mut Tape) {
        for (key, kept) in [("tape", t("roofline.none")), ("step", now.step.id()), ("card", now.card.id())] {
            if let Some(value) = self.take(key)
                && !now.act(key, &value)
            {
                self.refuse(key, &value, kept);
            }
        }
        for size in &tape::SIZES {
            self.count(size.name, size.bounds, (size.slot)(&mut now.program));
        }
    }

    fn numbers<const N: usize>(&mut self, key: &str, kind: Decimal, slot: &mut [u64; N]) {
        let Some(text) = self.take(key) else { return };
        if let Some(numbers) = levers::read(&text, kind) {
            *slot = numbers;
        } else {
            let max = Grouped(kind.most().into()).to_string();
            let values = [("key", key), ("value", &shown(&text)), ("n", &N.to_string()), ("max", &max)];
            let name = if N == 1 { "notice.list.one" } else { "notice.list" };
            self.notices.push(fill(name, &values));
        }
    }

    fn name_the_rest(&mut self) {
        const NAMED: usize = 3;
        for (key, value) in self.pairs.iter().take(NAMED) {
            let is_option = OPTIONS.contains(&key.as_str());
            let name = if is_option { "notice.option" } else { "notice.unknown" };
            self.notices.push(fill(name, &[("key", &shown(key)), ("value", &shown(value))]));
        }
        let more = self.pairs.len().saturating_sub(NAMED);
        if more == 1 {
            self.notices.push(t("notice.unknown.other").into());
        } else if more > 0 {
            self.notices.push(fill("notice.unknown.many", &[("n", &more.to_string())]));
        }
    }
}

/// What a link to a figure by itself may say beside the state; `frame.js` takes what it can use.
pub const OPTIONS: [&str; 7] = ["theme", "lang", "predict", "reveal", "ui", "id", "only"];

/// Whether mail programs and other sites add a key to links that they pass on.
fn is_tracking(key: &str) -> bool {
    key.starts_with("utm_") || ["fbclid", "gclid", "msclkid", "mc_cid", "mc_eid", "igshid"].contains(&key)
}

/// Every key that a link may have.
pub fn keys() -> impl Iterator<Item = &'static str> {
    KEYS.into_iter().chain(Dimension::ALL.map(Dimension::name))
}

fn known(key: &str) -> Option<&'static str> {
    keys().find(|known| *known == key)
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
