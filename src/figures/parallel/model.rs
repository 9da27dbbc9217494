//! What the figure shows.

use memory_wall_core::display::{ByteUnit, Duration, Figure, Percent, Size};
use memory_wall_core::schemes::{Scheme, sent_per_token, states};
use memory_wall_core::units::ByteRate;
use memory_wall_core::{Bucket, Bytes, Checked, Optimizer, Scenario, ZeroStage, communication, cost, evaluate};

use crate::dials::Dial;
use crate::figures::{Answer, bindings, dash, training};
use crate::live::Snapshot;
use crate::state::State;
use crate::state::cluster::GpuCount;
use crate::words::{self, labels};

/// What a GPU holds in training, in the order of a bar.
pub(super) const PARTS: [Bucket; 6] =
    [Bucket::Weights, Bucket::Gradients, Bucket::Optimizer, Bucket::Activations, Bucket::Logits, Bucket::Overhead];

/// A part of the bar of one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The way to cut the step.
    pub scheme: Scheme,
    /// What the part stands for.
    pub bucket: Bucket,
}

impl Part {
    /// Every part of every bar.
    #[allow(clippy::indexing_slicing, reason = "worked out by the compiler, which refuses a wrong place")]
    pub const ALL: [Self; Scheme::EACH.len() * PARTS.len()] = {
        let mut all = [Self { scheme: Scheme::Data, bucket: Bucket::Weights }; Scheme::EACH.len() * PARTS.len()];
        let mut place = 0;
        while place < all.len() {
            all[place] = Self { scheme: Scheme::EACH[place / PARTS.len()], bucket: PARTS[place % PARTS.len()] };
            place += 1;
        }
        all
    };

    /// Its name in the prose.
    pub fn id(self) -> String {
        format!("{}.{}", self.scheme.id(), self.bucket.id())
    }
}

/// What a GPU holds in one of the ways.
#[derive(PartialEq)]
pub(super) struct Row {
    buckets: [(Bucket, Bytes); 7],
    total: Bytes,
    states: Bytes,
    /// Bytes that it sends for each token of the step.
    pub(super) sent: Bytes,
    /// Time on the links, as a share of the time that the arithmetic takes.
    links: f64,
    /// Share of the step in which it waits for other stages.
    idle: f64,
}

impl Row {
    fn of(run: &Checked, state: &State) -> Self {
        let held = evaluate(run);
        Self {
            buckets: held.buckets,
            total: held.total,
            states: states(run),
            sent: sent_per_token(run),
            links: cost::traffic_share(run, state.gpu),
            idle: cost::bubble(run),
        }
    }
}

/// One GPU whose optimizer's states lie in host memory.
#[derive(PartialEq)]
struct Offloaded {
    /// The states that remain on it.
    kept: Bytes,
    /// What crosses to host memory and back in a step.
    crossing: Bytes,
    link: Option<ByteRate>,
}

/// What the figure shows.
#[derive(PartialEq)]
pub struct Model {
    unit: ByteUnit,
    capacity: Bytes,
    gpus: GpuCount,
    /// One a way; none where the model cannot be cut so.
    rows: [Option<Row>; 6],
    /// The right end of the drawing.
    most: Bytes,
    /// FLOPs in the time in which a byte comes from the GPU's own memory, or goes to another GPU.
    ridge: Option<f64>,
    link: Option<f64>,
    /// How many times less the states weigh on very many GPUs with ZeRO-1 and ZeRO-2.
    limits: [Option<f64>; 2],
    offloaded: Option<Offloaded>,
}

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// Where the line is that says what a GPU has.
        Line,
        /// What is written at the line.
        LineLabel,
        /// The figure in words.
        Sentence,
        /// Whether a GPU holds more than it has.
        Over(Scheme),
        /// Whether the model cannot be cut so.
        Illegal(Scheme),
        /// What a GPU holds at the peak of a step.
        Total(Scheme),
        /// Its weights, gradients and optimizer's states.
        States(Scheme),
        /// How many times less they are than where everything is copied.
        Less(Scheme),
        /// What it sends for each token.
        Sent(Scheme),
        /// Time on the links, as a share of the time that the arithmetic takes.
        Links(Scheme),
        /// The share of the step in which it waits for other stages.
        Idle(Scheme),
        /// What stands under its bar of what it sends.
        Sends(Scheme),
        /// What stands there of the time.
        Time(Scheme),
        /// Where a part of a bar begins.
        Start(Part),
        /// How wide it is.
        Width(Part),
        /// FLOPs for each byte of its own memory at which a GPU is busy.
        Ridge,
        /// The same for each byte that it sends to another.
        Link,
        /// How many times less the states are on very many GPUs with ZeRO-1.
        Limit1,
        /// The same with ZeRO-2.
        Limit2,
        /// The states that remain on a GPU whose optimizer's states lie in host memory.
        Kept,
        /// What then crosses to host memory and back in a step.
        Host,
        /// How long that takes at least.
        HostTime,
    }
}

/// How many times less ZeRO-1 makes the states of a GPU on eight GPUs.
pub static ZERO: Dial = Dial {
    id: "zero",
    question: labels::dial_question_zero,
    unit: words::dial_unit_times,
    range: (1.0, 100.0),
    answer: || {
        let step = step(&State::default());
        Some(states(&step).0 as f64 / states(&Scheme::Zero1.over(&step, 8)?).0 as f64)
    },
};

/// The reader's model as a training step on one GPU.
fn step(state: &State) -> Checked {
    training::own(state).without_gpu()
}

impl crate::figures::Model for Model {
    const ID: &'static str = "parallel";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let state = &snapshot.state;
        let (step, gpu, gpus) = (step(state), state.gpu, state.cluster.gpus);
        let rows = Scheme::EACH.map(|scheme| Some(Row::of(&scheme.over(&step, gpus.count())?, state)));
        let most = rows.iter().flatten().map(|row| row.total).fold(gpu.capacity, Bytes::max);
        let per_byte = |rate: ByteRate| Some(gpu.peaks.bf16?.tflops() * 1e12 / rate.0);
        let limits = [ZeroStage::Optimizer, ZeroStage::Gradients].map(|zero| {
            let many = step.with(|it| (it.parallel.dp, it.parallel.zero) = (1_000_000, zero)).ok()?;
            Some(states(&step).0 as f64 / states(&many).0 as f64)
        });
        // As in ZeRO-Offload: gradients wait beside the states, and DeepSpeed's Adam takes the step there, whatever takes it on a GPU.
        let away = |it: &mut Scenario| {
            (it.offload.optimizer, it.parallel.zero, it.optimizer) = (true, ZeroStage::Gradients, Optimizer::AdamW);
        };
        let alone = Scheme::Data.over(&step, 1).and_then(|run| run.with(away).ok());
        let offloaded = alone.map(|run| Offloaded {
            kept: states(&run),
            crossing: communication::bytes(&run, communication::Traffic::Host),
            link: gpu.host_link,
        });
        let (ridge, link) = (per_byte(gpu.bandwidth), gpu.peer_link.and_then(per_byte));
        Self { unit: state.unit, capacity: gpu.capacity, gpus, rows, most, ridge, link, limits, offloaded }
    }

    fn answer(&self, binding: Binding) -> Answer {
        let [limit1, limit2] = self.limits;
        let text = match binding {
            Binding::Line => return self.place(self.capacity),
            Binding::Start(part) => return self.place(self.part(part).0),
            Binding::Width(part) => return self.place(self.part(part).1),
            Binding::Over(scheme) => {
                return Answer::Flag(self.row(scheme).is_some_and(|row| row.total > self.capacity));
            }
            Binding::Illegal(scheme) => return Answer::Flag(self.row(scheme).is_none()),
            Binding::Kept => return Answer::size(self.offloaded.as_ref().map(|it| it.kept)),
            Binding::Host => return Answer::size(self.offloaded.as_ref().map(|it| it.crossing)),
            Binding::LineLabel => words::WallLine { capacity: &self.size(self.capacity) }.text(),
            Binding::Sentence => self.sentence(),
            Binding::Total(scheme) => self.total(scheme),
            Binding::States(scheme) => self.said(scheme, &|row| self.size(row.states)),
            Binding::Less(scheme) => self.said(scheme, &|row| {
                let whole = self.row(Scheme::Data).map_or(0.0, |row| row.states.0 as f64);
                words::ParallelTimes { n: &Figure(whole / (row.states.0 as f64).max(1.0)).to_string() }.text()
            }),
            Binding::Sent(scheme) => self.sent(scheme),
            Binding::Links(scheme) => self.said(scheme, &|row| Percent(row.links).to_string()),
            Binding::Idle(scheme) => self.idle(scheme),
            Binding::Sends(scheme) => self
                .sending(scheme)
                .map_or_else(String::new, |row| words::ParallelSends { sent: &self.size(row.sent) }.text()),
            Binding::Time(scheme) => self.time(scheme),
            Binding::Ridge => figure(self.ridge),
            Binding::Link => figure(self.link),
            Binding::Limit1 => figure(limit1),
            Binding::Limit2 => figure(limit2),
            Binding::HostTime => {
                let seconds = self.offloaded.as_ref().and_then(|it| Some(it.crossing.0 as f64 / it.link?.0));
                seconds.map_or_else(|| dash().into(), |seconds| Duration(seconds).to_string())
            }
        };
        Answer::Text(text)
    }
}

/// A number of three digits, or a dash where there is none.
fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| dash().into(), |value| Figure(value).to_string())
}

impl Model {
    /// What a GPU holds in one of the ways.
    pub(super) fn row(&self, scheme: Scheme) -> Option<&Row> {
        self.rows.get(scheme as usize)?.as_ref()
    }

    /// The same if it sends anything: a single one has nobody to talk to.
    fn sending(&self, scheme: Scheme) -> Option<&Row> {
        self.row(scheme).filter(|row| row.sent > Bytes::ZERO)
    }

    /// Where so many bytes end in the drawing.
    fn place(&self, bytes: Bytes) -> Answer {
        Answer::Percent(bytes.share_of(self.most) * 100.0)
    }

    /// What stands before a part of a bar, and the part itself.
    fn part(&self, part: Part) -> (Bytes, Bytes) {
        let mut before = Bytes::ZERO;
        for (bucket, bytes) in self.row(part.scheme).iter().flat_map(|row| row.buckets) {
            if bucket == part.bucket {
                return (before, bytes);
            }
            before += bytes;
        }
        (Bytes::ZERO, Bytes::ZERO)
    }

    fn size(&self, bytes: Bytes) -> String {
        Size::new(bytes, self.unit).to_string()
    }

    /// What is said of a way, or that the model cannot be cut so.
    fn said(&self, scheme: Scheme, say: &dyn Fn(&Row) -> String) -> String {
        self.row(scheme).map_or_else(|| words::parallel_illegal().into(), say)
    }

    fn total(&self, scheme: Scheme) -> String {
        self.said(scheme, &|row| self.size(row.total))
    }

    fn sent(&self, scheme: Scheme) -> String {
        self.said(scheme, &|row| self.size(row.sent))
    }

    fn idle(&self, scheme: Scheme) -> String {
        self.said(scheme, &|row| Percent(row.idle).to_string())
    }

    fn time(&self, scheme: Scheme) -> String {
        let Some(row) = self.sending(scheme) else { return String::new() };
        let links = Percent(row.links).to_string();
        let idle = Percent(row.idle).to_string();

        match scheme {
            Scheme::Tensor => words::ParallelTimeWaits { links: &links }.text(),
            Scheme::Pipeline => words::ParallelTimeIdle { idle: &idle }.text(),
            _ => words::ParallelTimeHidden { links: &links }.text(),
        }
    }

    fn sentence(&self) -> String {
        let gpus = self.gpus.id().to_owned();
        let data = self.total(Scheme::Data);
        let zero3 = self.total(Scheme::Zero3);
        let sent = self.sent(Scheme::Zero3);
        let tensor = self.sent(Scheme::Tensor);
        let idle = self.idle(Scheme::Pipeline);

        if Scheme::EACH.into_iter().all(|scheme| self.sending(scheme).is_none()) {
            return words::ParallelSentenceOne { data: &data }.text();
        }
        let mut sentence = words::ParallelSentence { gpus: &gpus, data: &data, zero3: &zero3, sent: &sent }.text();
        if self.row(Scheme::Tensor).is_some() {
            sentence.push(' ');
            sentence += &words::ParallelSentenceTensor { tensor: &tensor }.text();
        }
        if self.row(Scheme::Pipeline).is_some() {
            sentence.push(' ');
            sentence += &words::ParallelSentencePipeline { idle: &idle }.text();
        }
        sentence
    }
}
