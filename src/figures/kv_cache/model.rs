//! What the figure shows: the caches of five kinds of attention and of the reader's model, for the reader's tokens.

use memory_wall_core::display::{Figure, Grouped, Percent};
use memory_wall_core::memory::kinds::{self, Kind};
use memory_wall_core::memory::{kv_cache, paging};
use memory_wall_core::{Bucket, Bytes, Checked, KvPrecision, Mode, evaluate, worked};

use crate::dials::Dial;
use crate::figures::{Answer, bindings, dash, pick};
use crate::live::Snapshot;
use crate::state::State;
use crate::words::{self, labels};

/// Powers of ten at the ends of the scale, in bytes: a megabyte to ten terabytes.
pub(super) const DECADES: (i32, i32) = (6, 13);
/// Tokens of each sequence that the dial asks about.
const ASKED: u32 = 4_096;

/// How many sequences fit beside the weights, on the page's first GPU.
pub static USERS: Dial = Dial {
    id: "users",
    question: labels::dial_question_users,
    unit: words::dial_unit_sequences,
    range: (1.0, 10_000.0),
    answer: || {
        let scenario = State::default().scenario().with_seq_length(ASKED);
        evaluate(&scenario).fit.map(|fit| fit.max_batch.into())
    },
};

/// A row: the reader's model, or a kind of attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    Yours,
    Kind(Kind),
}

impl Row {
    /// Every row, from the first to the last.
    pub const ALL: [Self; 6] = [
        Self::Yours,
        Self::Kind(Kind::MultiHead),
        Self::Kind(Kind::Grouped),
        Self::Kind(Kind::MultiQuery),
        Self::Kind(Kind::Sliding),
        Self::Kind(Kind::Latent),
    ];

    /// Its name in the prose and in the page.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Yours => "yours",
            Self::Kind(kind) => kind.id(),
        }
    }

    fn place(self) -> usize {
        Self::ALL.iter().position(|row| *row == self).unwrap_or_default()
    }

    /// The reader's scenario, generating, with the attention of the row.
    fn scenario(self, own: &Checked) -> Option<Checked> {
        match self {
            Self::Yours => Some(*own),
            Self::Kind(kind) => own.with(|it| it.architecture = kind.shape()).ok(),
        }
    }
}

/// What a row keeps.
#[derive(Clone, Copy, Default, PartialEq)]
struct Kept {
    /// Of a token, in 16 bits.
    token: Option<Bytes>,
    /// In 16, 8 and 4 bits.
    caches: [Option<Bytes>; 3],
    /// Sequences that fit on the GPU, all told.
    fits: Option<u32>,
}

impl Kept {
    fn of(row: Row, own: &Checked) -> Option<Self> {
        let scenario = row.scenario(own)?;
        let stored = |kv: KvPrecision| scenario.with(|it| it.kv = kv).ok();
        let caches = [KvPrecision::Bf16, KvPrecision::Int8, KvPrecision::Int4];
        Some(Self {
            token: stored(KvPrecision::Bf16).map(|scenario| kv_cache::bytes_per_token(&scenario)),
            caches: caches.map(|kv| stored(kv).map(|scenario| cache(&scenario))),
            fits: evaluate(&scenario).fit.map(|fit| fit.max_batch),
        })
    }
}

/// What the figure shows.
#[derive(PartialEq)]
pub struct Model {
    rows: [Kept; Row::ALL.len()],
    /// What the GPU has beside everything that is no cache.
    room: Bytes,
    room_label: String,
    sentence: String,
    shape: String,
    shortcut: Option<f64>,
    /// Bytes of a token if latent attention kept whole heads, and how many times what it keeps that is.
    whole: Option<(Bytes, f64)>,
}

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// What a row keeps in 16 bits.
        Bf16(Row),
        /// What it keeps in 8 bits.
        Int8(Row),
        /// What it keeps in 4 bits.
        Int4(Row),
        /// Where that in 16 bits stands.
        AtBf16(Row),
        /// Where that in 8 bits stands.
        AtInt8(Row),
        /// Where that in 4 bits stands.
        AtInt4(Row),
        /// What it keeps of a token, in 16 bits.
        Token(Row),
        /// How many sequences fit.
        Fits(Row),
        /// Where the room for the cache ends.
        Room,
        /// How much room there is, in words.
        RoomLabel,
        /// The reader's cache in words.
        Sentence,
        /// Whether the heads of the reader's model are as wide together as the model.
        ShapeSentence,
        /// What the shortcut `hidden_size` × `kv_heads` / `heads` makes of the width of all keys.
        Shortcut,
        /// What whole heads in place of a latent vector would cost a token.
        Whole,
        /// How many times the vector that is.
        Saving,
        /// The least share of a cache that held tokens before pages.
        UsefulLow,
        /// The largest.
        UsefulHigh,
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "kv_cache";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let own = generating(snapshot);
        let shape = &snapshot.state.shape;
        let token = kv_cache::bytes_per_token(&own).0.max(1);
        let room = room(snapshot, &own);
        Self {
            rows: Row::ALL.map(|row| Kept::of(row, &own).unwrap_or_default()),
            room,
            room_label: words::CacheRoom { room: &snapshot.size(room) }.text(),
            sentence: sentence(snapshot, &own),
            shape: shape_sentence(snapshot),
            shortcut: kinds::shortcut(shape),
            whole: kinds::whole_heads(shape).map(|whole| (Bytes(whole.into()), whole as f64 / token as f64)),
        }
    }

    fn answer(&self, binding: Binding) -> Answer {
        let kept = |row: Row| pick(&self.rows, row.place());
        let stored = |row: Row, format: usize| pick(&kept(row).caches, format);
        let at = |bytes: Option<Bytes>| Answer::Percent(x(bytes.map_or(0.0, |bytes| bytes.0 as f64)));
        let or_dash = |text: Option<String>| Answer::Text(text.unwrap_or_else(|| dash().into()));
        let [low, high] = paging::USEFUL_BEFORE_PAGES;
        match binding {
            Binding::Bf16(row) => Answer::size(stored(row, 0)),
            Binding::Int8(row) => Answer::size(stored(row, 1)),
            Binding::Int4(row) => Answer::size(stored(row, 2)),
            Binding::AtBf16(row) => at(stored(row, 0)),
            Binding::AtInt8(row) => at(stored(row, 1)),
            Binding::AtInt4(row) => at(stored(row, 2)),
            Binding::Token(row) => Answer::size(kept(row).token),
            Binding::Fits(row) => Answer::Count(kept(row).fits.unwrap_or_default().into()),
            Binding::Room => at(Some(self.room)),
            Binding::RoomLabel => Answer::Text(self.room_label.clone()),
            Binding::Sentence => Answer::Text(self.sentence.clone()),
            Binding::ShapeSentence => Answer::Text(self.shape.clone()),
            Binding::Shortcut => or_dash(self.shortcut.map(|ratio| Percent(ratio).to_string())),
            Binding::Whole => Answer::Size(self.whole.map_or(Bytes::ZERO, |(bytes, _)| bytes)),
            Binding::Saving => or_dash(self.whole.map(|(_, times)| Figure(times).to_string())),
            Binding::UsefulLow => Answer::Text(Percent(low).to_string()),
            Binding::UsefulHigh => Answer::Text(Percent(high).to_string()),
        }
    }
}

/// The reader's settings, generating.
pub(in crate::figures) fn generating(snapshot: &Snapshot) -> Checked {
    let own = snapshot.state.scenario();
    own.with(|it| it.mode = Mode::Inference).unwrap_or(own)
}

/// Where a size stands, in percent of the drawing.
pub(super) fn x(bytes: f64) -> f64 {
    let (low, high) = DECADES;
    let part = (libm::log10(bytes.max(1.0)) - f64::from(low)) / f64::from(high - low);
    part.clamp(0.0, 1.0) * 100.0
}

fn cache(scenario: &Checked) -> Bytes {
    worked::total(|sink| kv_cache::terms(scenario, sink))
}

/// What the GPU has beside everything that is no cache.
fn room(of: &Snapshot, own: &Checked) -> Bytes {
    let evaluation = evaluate(own);
    let rest = evaluation.total.0.saturating_sub(evaluation.bytes(Bucket::KvCache).0);
    Bytes(of.state.gpu.capacity.0.saturating_sub(rest))
}

fn sentence(of: &Snapshot, own: &Checked) -> String {
    let n = |n: u32| Grouped(n.into()).to_string();
    words::CacheSentence {
        model: &of.state.model_name(),
        batch: &n(own.batch),
        seq: &n(own.seq_length),
        kv: own.kv.label(),
        cache: &of.size(cache(own)),
        token: &of.size(kv_cache::bytes_per_token(own)),
        n: &evaluate(own).fit.map(|fit| n(fit.max_batch)).unwrap_or_default(),
        gpu: of.state.gpu.name,
    }
    .text()
}

/// Whether the heads of the reader's model are as wide together as the model.
fn shape_sentence(of: &Snapshot) -> String {
    let shape = &of.state.shape;
    let n = |n: u32| Grouped(n.into()).to_string();
    let wide = u64::from(shape.heads) * u64::from(shape.head_dim);
    let shortcut = kinds::shortcut(shape);
    let is_same = wide == u64::from(shape.hidden_size);
    let model = of.state.model_name();
    let heads = n(shape.heads);
    let head_dim = n(shape.head_dim);
    let wide = Grouped(wide.into()).to_string();
    let hidden = n(shape.hidden_size);
    let part = shortcut.map(|ratio| Percent(ratio).to_string()).unwrap_or_default();
    match shortcut {
        None => words::CacheShapeLatent { model: &model }.text(),
        Some(_) if is_same => {
            words::CacheShapeSame { model: &model, heads: &heads, head_dim: &head_dim, wide: &wide }.text()
        }
        Some(_) => words::CacheShapeOther {
            model: &model,
            heads: &heads,
            head_dim: &head_dim,
            wide: &wide,
            hidden: &hidden,
            share: &part,
        }
        .text(),
    }
}
