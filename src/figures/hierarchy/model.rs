//! What the figure shows.

use memory_wall_core::display::{ByteUnit, Figure, Grouped, Percent, Size, THIN_SPACE};
use memory_wall_core::hierarchy::{Latency, Tier, TierSpec, tier_spec};
use memory_wall_core::roofline::Pass;
use memory_wall_core::roofline::latency::{self, Counting};
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::units::ByteRate;
use memory_wall_core::{Bucket, Bytes, Checked, Mode};

use crate::dials::Dial;
use crate::figures::{Answer, bindings, dash, pick};
use crate::live::Snapshot;
use crate::state::State;
use crate::words::{self, labels};

/// Powers of ten at the ends of the scale of what a tier holds, in bytes.
pub(super) const HOLDS: (i32, i32) = (6, 12);
/// Powers of ten at the ends of the scale of what it moves, in bytes a second.
pub(super) const MOVES: (i32, i32) = (9, 14);
/// How wide either side of the drawing is, in percent.
pub(super) const WING: f64 = 49.5;

/// What the figure shows.
#[derive(PartialEq)]
pub struct Model {
    unit: ByteUnit,
    gpu: &'static Gpu,
    /// The name of the model.
    name: String,
    /// Where the reader puts the weights.
    chosen: Tier,
    /// The tiers of the GPU; not every GPU has all.
    tiers: [Option<TierSpec>; Tier::EACH.len()],
    /// What one token reads.
    read: Bytes,
    weights: Bytes,
}

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// The chosen tier in words.
        Sentence,
        /// Minutes to host memory, if own memory were one minute away.
        Walk,
        /// Chips whose registers and caches would hold as much as the GPU's own memory.
        Chips,
        /// What a tier is called.
        Name(Tier),
        /// What it holds.
        Capacity(Tier),
        /// What it moves.
        Bandwidth(Tier),
        /// How long it takes to answer.
        Latency(Tier),
        /// How it stands beside own memory.
        Against(Tier),
        /// Tokens a second at most, if the weights lay there.
        Ceiling(Tier),
        /// How long the bar of what it holds is.
        Holds(Tier),
        /// Where that bar begins.
        HoldsFrom(Tier),
        /// How long the bar of what it moves is.
        Moves(Tier),
        /// Where that bar ends.
        MovesTo(Tier),
        /// Whether it is chosen.
        Chosen(Tier),
        /// Whether the GPU has none such.
        Absent(Tier),
        /// Whether nobody says what it holds.
        Open(Tier),
        /// Whether nobody says what it moves.
        Unrated(Tier),
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "hierarchy";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let state = &snapshot.state;
        let generating = state.scenario().with(|it| it.mode = Mode::Inference);
        Self {
            unit: state.unit,
            gpu: state.gpu,
            name: state.model_name(),
            chosen: state.tier,
            tiers: Tier::EACH.map(|tier| tier_spec(state.gpu, tier)),
            read: generating.map_or(Bytes::ZERO, |scenario| read_by(&scenario, state.gpu)),
            weights: snapshot.evaluation.bytes(Bucket::Weights),
        }
    }

    fn answer(&self, binding: Binding) -> Answer {
        match binding {
            Binding::Sentence => Answer::Text(self.sentence()),
            Binding::Walk => Answer::Text(
                self.tier_spec(Tier::Host)
                    .and_then(|host| host.slower_than_own(self.gpu))
                    .map_or_else(|| dash().into(), |times| Figure(times).to_string()),
            ),
            Binding::Chips => {
                let near = [Tier::Registers, Tier::L1, Tier::Cache];
                let held =
                    near.into_iter().filter_map(|tier| Some(self.tier_spec(tier)?.capacity?.value)).sum::<Bytes>();
                Answer::Text(Grouped(self.gpu.capacity.0.div_ceil(held.0.max(1))).to_string())
            }
            Binding::Name(tier) => Answer::Text(name(self.gpu, tier)),
            Binding::Capacity(tier) => Answer::Text(self.capacity(tier)),
            Binding::Bandwidth(tier) => {
                self.known(tier, words::tier_unpublished(), |spec| spec.bandwidth.map(|it| rate(it.value)))
            }
            Binding::Latency(tier) => {
                self.known(tier, words::tier_unknown(), |spec| spec.latency.map(|it| nanoseconds(it.value)))
            }
            Binding::Against(tier) => self.known(tier, words::tier_unknown(), |spec| against(self.gpu, spec)),
            Binding::Ceiling(tier) => self.known(tier, words::tier_unknown(), |spec| {
                spec.reads_per_second(self.read).map(|rate| Figure(rate).to_string())
            }),
            Binding::Holds(tier) => Answer::Percent(self.holds(tier)),
            Binding::HoldsFrom(tier) => Answer::Percent(WING - self.holds(tier)),
            Binding::Moves(tier) => Answer::Percent(self.moves(tier)),
            Binding::MovesTo(tier) => Answer::Percent(100.0 - WING + self.moves(tier)),
            Binding::Chosen(tier) => Answer::Flag(self.chosen == tier),
            Binding::Absent(tier) => Answer::Flag(self.tier_spec(tier).is_none()),
            Binding::Open(tier) => Answer::Flag(self.tier_spec(tier).is_some_and(|spec| spec.capacity.is_none())),
            Binding::Unrated(tier) => Answer::Flag(self.tier_spec(tier).is_some_and(|spec| spec.bandwidth.is_none())),
        }
    }
}

impl Model {
    fn tier_spec(&self, tier: Tier) -> Option<TierSpec> {
        pick(&self.tiers, tier as usize)
    }

    fn size(&self, bytes: Bytes) -> String {
        Size::new(bytes, self.unit).to_string()
    }

    /// Something of a tier; in its place stands a word where there is no such tier, and another where nobody knows it.
    fn known(&self, tier: Tier, unknown: &'static str, of: impl Fn(&TierSpec) -> Option<String>) -> Answer {
        let text = match self.tier_spec(tier) {
            Some(spec) => of(&spec).unwrap_or_else(|| unknown.into()),
            None => words::tier_none().into(),
        };
        Answer::Text(text)
    }

    fn capacity(&self, tier: Tier) -> String {
        let Some(spec) = self.tier_spec(tier) else { return words::tier_none().into() };
        let unknown = match tier {
            Tier::Host | Tier::Drive => words::tier_installed(),
            _ => words::tier_unpublished(),
        };
        spec.capacity.map_or_else(|| unknown.into(), |bytes| self.size(bytes.value))
    }

    fn holds(&self, tier: Tier) -> f64 {
        let capacity = self.tier_spec(tier).and_then(|spec| spec.capacity);
        capacity.map_or(0.0, |bytes| bar(HOLDS, bytes.value.0 as f64))
    }

    fn moves(&self, tier: Tier) -> f64 {
        let bandwidth = self.tier_spec(tier).and_then(|spec| spec.bandwidth);
        bandwidth.map_or(0.0, |rate| bar(MOVES, rate.value.0))
    }

    /// The chosen tier in words: its ceiling, how it stands beside own memory, and whether the weights find room.
    pub fn sentence(&self) -> String {
        let tier = name(self.gpu, self.chosen);
        let Some(spec) = self.tier_spec(self.chosen) else {
            return words::TierSentenceNone { tier: &tier, gpu: self.gpu.name }.text();
        };
        let mut said = match (spec.bandwidth, spec.reads_per_second(self.read)) {
            (Some(known), Some(times)) => words::TierSentenceCeiling {
                tier: &tier,
                rate: &rate(known.value),
                n: &Figure(times).to_string(),
                model: &self.name.clone(),
                bytes: &self.size(self.read),
            }
            .text(),
            _ => words::TierSentenceUnknown { tier: &tier }.text(),
        };
        if let Some(against) = against(self.gpu, &spec).filter(|_| self.chosen != Tier::Own) {
            said = said + " " + &words::TierSentenceAgainst { against: &against }.text();
        }
        if let Some(known) = spec.capacity.filter(|known| known.value < self.weights) {
            let share = Percent(known.value.share_of(self.weights)).to_string();
            said = said + " " + &words::TierSentenceRoom { share: &share }.text();
        }
        said
    }
}

/// How long a bar is, in percent of the drawing.
pub(super) fn bar((low, high): (i32, i32), amount: f64) -> f64 {
    let part = (libm::log10(amount.max(1.0)) - f64::from(low)) / f64::from(high - low);
    part.clamp(0.0, 1.0) * WING
}

fn rate(rate: ByteRate) -> String {
    format!("{}{THIN_SPACE}GB/s", Figure(rate.as_gb_per_s()))
}

/// `250–440 ns`: two digits are all that a range over six GPUs has.
pub fn nanoseconds(Latency { from_ns, to_ns }: Latency) -> String {
    let [from, to] = [from_ns, to_ns].map(|ns| {
        let step = if ns < 100.0 { 1 } else { 10 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some hundreds of nanoseconds")]
        let steps = (ns / f64::from(step) + 0.5) as u32;
        steps * step
    });
    format!("{from}–{to}{THIN_SPACE}ns")
}

fn name(gpu: &Gpu, tier: Tier) -> String {
    if tier == Tier::Cache && gpu.on_chip.llc_mib.is_some() {
        return words::tier_infinity().into();
    }
    let name = words::tier(tier);
    if tier == Tier::Own { format!("{name}, {}", gpu.memory) } else { name.into() }
}

/// Beside own memory.
fn against(gpu: &'static Gpu, spec: &TierSpec) -> Option<String> {
    let slower = spec.slower_than_own(gpu)?;
    Some(match spec.tier {
        Tier::Own => words::tier_measure().into(),
        _ if slower < 1.0 => words::TierFaster { n: &Figure(1.0 / slower).to_string() }.text(),
        _ => words::TierSlower { n: &Figure(slower).to_string() }.text(),
    })
}

/// Weights that one token of one sequence reads: of a mixture its own experts, of the embedding table a row. The same that a
/// step of decoding reads on the roofline.
pub fn read_by(scenario: &Checked, gpu: &'static Gpu) -> Bytes {
    let scenario = scenario.with_batch(1);
    Bytes(latency::estimate(&scenario, gpu, Pass::Decode, Counting::of(&scenario)).weights)
}

/// How long the walk to host memory is, if own memory were a minute away: on the page's first GPU.
pub static WALK: Dial = Dial {
    id: "walk",
    question: labels::dial_question_walk,
    unit: words::dial_unit_minutes,
    range: (1.0, 10_000.0),
    answer: || tier_spec(State::default().gpu, Tier::Host)?.slower_than_own(State::default().gpu),
};
