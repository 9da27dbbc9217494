//! What the figure shows.

use memory_wall_core::WeightFormat;
use memory_wall_core::display::{ByteUnit, Count, Figure, Grouped, Percent, Size as Written};
use memory_wall_core::scaling::{Need, Purpose, Size, TOKENS_PER_PARAMETER, mfu, need, usable};
use memory_wall_core::tables::gpus::{self, Gpu};

use crate::dials::Dial;
use crate::figures::{Answer, bindings, dash, pick};
use crate::live::Snapshot;
use crate::words::{self, labels};

/// Powers of ten from one end of the scale to the other, from one GPU.
pub(super) const DECADES: u32 = 3;

/// What the figure shows.
#[derive(PartialEq)]
pub struct Model {
    unit: ByteUnit,
    gpu: &'static Gpu,
    purpose: Purpose,
    /// What each size needs.
    needs: [Option<Need>; 4],
}

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// What the GPU really has.
        Real,
        /// What of that can be filled.
        Usable,
        /// Whether the GPUs are for something else.
        Not(Purpose),
        /// What a size holds: what is divided.
        Bytes(Size),
        /// What its work adds.
        Added(Size),
        /// Its GPUs by division.
        Printed(Size),
        /// With the bytes that the GPU really has.
        RealGpus(Size),
        /// With a margin.
        Margin(Size),
        /// With what its work adds.
        Load(Size),
        /// In a legal cut.
        Cut(Size),
        /// In whole computers.
        Nodes(Size),
        /// Whether no number of GPUs is enough.
        None(Size),
        /// The tensor-parallel degree of its cut.
        Tp(Size),
        /// Stages of its pipeline, or groups among which its states are sharded.
        Groups(Size),
        /// How long its GPUs train it.
        Time(Size),
        /// The share of the peak that this time is worked out with.
        Share(Size),
        /// Tokens of a sequence that it trains on.
        Tokens(Size),
        /// Tokens that it trains on in all.
        TrainedOn(Size),
        /// Where its lane begins: at what division says.
        From(Size),
        /// Where its lane ends: at what is needed.
        To(Size),
        /// Its row in words.
        Sentence(Size),
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "scaling";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let state = &snapshot.state;
        let purpose = state.cluster.purpose;
        let weights = match state.weights_in_use() {
            // What cannot learn is kept in 16 bits to be trained.
            format if purpose == Purpose::Train && !format.trainable() => WeightFormat::Bf16,
            format => format,
        };
        let needs = Size::EACH.map(|size| need(size, purpose, weights, state.gpu));
        Self { unit: state.unit, gpu: state.gpu, purpose, needs }
    }

    fn answer(&self, binding: Binding) -> Answer {
        match binding {
            Binding::Real => Answer::Size(self.gpu.capacity),
            Binding::Usable => Answer::Size(usable(self.gpu)),
            Binding::Not(purpose) => Answer::Flag(self.purpose != purpose),
            Binding::Bytes(size) => Answer::size(self.need(size).map(|need| need.bytes)),
            Binding::Added(size) => Answer::size(self.need(size).map(|need| need.added)),
            Binding::Printed(size) => self.gpus(size, |need| Some(need.printed)),
            Binding::RealGpus(size) => self.gpus(size, |need| Some(need.real)),
            Binding::Margin(size) => self.gpus(size, |need| Some(need.margin)),
            Binding::Load(size) => self.gpus(size, |need| need.load),
            Binding::Cut(size) => self.gpus(size, |need| need.cut),
            Binding::Nodes(size) => self.gpus(size, |need| need.nodes),
            Binding::None(size) => Answer::Flag(self.need(size).is_none_or(|need| need.nodes.is_none())),
            Binding::Tp(size) => self.gpus(size, |need| Some(need.parallel.tp.into())),
            Binding::Groups(size) => self.gpus(size, |need| Some((need.parallel.pp * need.parallel.dp).into())),
            Binding::Time(size) => Answer::Text(self.trained_in(size)),
            Binding::Share(size) => Answer::Text(self.share(size)),
            Binding::Tokens(size) => Answer::Text(Grouped(size.tokens().into()).to_string()),
            Binding::TrainedOn(size) => Answer::Text(Count(size.training_tokens()).to_string()),
            Binding::From(size) => Answer::Percent(self.need(size).map_or(0.0, |need| along(need.printed))),
            Binding::To(size) => {
                Answer::Percent(self.need(size).map_or(0.0, |need| along(need.nodes.unwrap_or(need.printed))))
            }
            Binding::Sentence(size) => Answer::Text(self.sentence(size)),
        }
    }
}

impl Model {
    fn need(&self, size: Size) -> Option<Need> {
        pick(&self.needs, size as usize)
    }

    /// A number of GPUs, or that there is none.
    fn gpus(&self, size: Size, of: fn(Need) -> Option<u64>) -> Answer {
        Answer::Text(count(self.need(size).and_then(of)))
    }

    /// The GPUs of a size in whole computers.
    fn nodes(&self, size: Size) -> Option<u64> {
        self.need(size)?.nodes
    }

    /// The share of the peak that the time is worked out with.
    fn share(&self, size: Size) -> String {
        let share = self.nodes(size).and_then(|gpus| mfu(gpus, self.gpu));
        share.map_or_else(
            || words::scaling_unknown().into(),
            |share| {
                let [from, to] = share.map(|end| Percent(end).to_string());
                words::ScalingShare { from: &from, to: &to }.text()
            },
        )
    }

    /// How long the GPUs of a size train it, as a range in years or days.
    fn trained_in(&self, size: Size) -> String {
        const DAY: f64 = 86_400.0;
        const YEAR: f64 = 365.25 * DAY;
        let Some(gpus) = self.nodes(size) else { return words::scaling_none().into() };
        let Some(range) = size.training_seconds(gpus, self.gpu) else { return words::scaling_unknown().into() };
        let long = range[1] >= 2.0 * YEAR;
        let [from, to] = range.map(|seconds| Figure(seconds / if long { YEAR } else { DAY }).to_string());
        if long {
            words::ScalingYears { from: &from, to: &to }.text()
        } else {
            words::ScalingDays { from: &from, to: &to }.text()
        }
    }

    /// A row in words.
    fn sentence(&self, size: Size) -> String {
        let Some(need) = self.need(size) else { return dash().into() };
        let (name, what) = (words::size(size), words::purpose_what(self.purpose));
        let bytes = Written::new(need.bytes, self.unit).to_string();
        let gpu = self.gpu.name;
        let printed = count(Some(need.printed));
        let real = count(Some(need.real));
        let nodes = count(need.nodes);
        let mut sentence = if need.nodes.is_some() {
            words::ScalingSentence {
                size: name,
                bytes: &bytes,
                what,
                printed: &printed,
                real: &real,
                gpu,
                nodes: &nodes,
            }
            .text()
        } else {
            words::ScalingSentenceNone { size: name, bytes: &bytes, what, printed: &printed, gpu }.text()
        };
        if self.purpose == Purpose::Train && need.nodes.is_some() {
            let known = self.nodes(size).and_then(|gpus| size.training_seconds(gpus, self.gpu)).is_some();
            let tokens = Grouped(size.tokens().into()).to_string();
            let trained_on = Count(size.training_tokens()).to_string();
            let each = TOKENS_PER_PARAMETER.to_string();
            let time = self.trained_in(size);
            let share = self.share(size);

            for said in [
                words::ScalingSentenceTrain { tokens: &tokens }.text(),
                if known {
                    words::ScalingSentenceTime { trained_on: &trained_on, each: &each, time: &time, share: &share }
                        .text()
                } else {
                    words::scaling_sentence_untimed().into()
                },
            ] {
                sentence.push(' ');
                sentence += &said;
            }
        }
        sentence
    }
}

/// Where so many GPUs stand on the scale, in percent.
pub(super) fn along(gpus: u64) -> f64 {
    (libm::log10(gpus.max(1) as f64) / f64::from(DECADES)).clamp(0.0, 1.0) * 100.0
}

/// A number of GPUs, or that there is none.
fn count(gpus: Option<u64>) -> String {
    gpus.map_or_else(|| words::scaling_none().into(), |gpus| Grouped(gpus.into()).to_string())
}

/// The GPUs of 80 GB that hold 70 billion parameters with what Adam keeps of them.
pub static DIAL: Dial = Dial {
    id: "cards",
    question: labels::dial_question_cards,
    unit: words::dial_unit_gpus,
    range: (1.0, 1_000.0),
    answer: || {
        let need = need(Size::B70, Purpose::Train, WeightFormat::Bf16, gpus::by_id("a100-80-sxm")?)?;
        Some(need.printed as f64)
    },
};
