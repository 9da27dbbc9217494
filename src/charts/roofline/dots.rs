//! The points: the model's passes and operations, textbook kernels, the reader's own.

use memory_wall_core::Checked;
use memory_wall_core::precision::ComputePrecision;
use memory_wall_core::roofline::latency::{Counting, Estimate, estimate};
use memory_wall_core::roofline::operations::Unit;
use memory_wall_core::roofline::rates::Rates;
use memory_wall_core::roofline::tasks::{TaskTotal, by_task};
use memory_wall_core::roofline::{Accounting, Bound, Kernel, Pass, Roof, Work};
use memory_wall_core::units::Intensity;

use crate::state::State;
use crate::state::roofline::{Dots, complete};
use crate::words;

/// What a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A pass as a whole.
    Pass,
    /// All operations of one kind in a pass.
    Task,
    /// A textbook kernel.
    Kernel,
    /// The reader's own.
    Own,
}

/// A point's name for programs: unique in a plot, and the same while levers move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// What it is.
    pub kind: Kind,
    /// Which one.
    pub id: &'static str,
}

impl Key {
    /// No point.
    pub const NONE: Self = Self { kind: Kind::Own, id: "" };
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match self.kind {
            Kind::Pass => "pass",
            Kind::Task => "task",
            Kind::Kernel => "kernel",
            Kind::Own => "own",
        };
        write!(f, "{kind}-{}", self.id)
    }
}

/// One point, and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    /// Its name for programs.
    pub key: Key,
    /// Its name on the page.
    pub name: String,
    /// Operations.
    pub flops: u128,
    /// Bytes, as the accounting counts them.
    pub bytes: u128,
    /// FLOP per byte, so counted.
    pub intensity: f64,
    /// FLOP/s that it can reach at most.
    pub rate: f64,
    /// FLOP/s of its roof over its counted intensity: more than `rate` for what mixes fast and slow operations, and for what
    /// writes bytes that the accounting leaves out.
    pub roof: f64,
    /// FLOP/s of the units that it runs on.
    pub peak: f64,
    /// What holds most of its time back.
    pub bound: Bound,
    /// The least time in seconds.
    pub seconds: f64,
    /// The time that programs usually stay under.
    pub upper: Option<f64>,
    /// Its share of the pass.
    pub share: Option<f64>,
    /// Whether it runs on vector units.
    pub on_vectors: bool,
    /// Whether it is read off before the reader chooses.
    pub leads: bool,
}

impl Dot {
    /// Whether it stands anywhere: what computes nothing or moves nothing has no place on logarithmic axes.
    pub fn has_place(&self) -> bool {
        self.flops > 0 && self.bytes > 0
    }

    /// A kernel under a roof.
    fn kernel(key: Key, name: String, work: Work, roof: Roof, accounting: Accounting) -> Self {
        let bytes = work.read + work.written;
        let intensity = work.intensity(Accounting::ReadsAndWrites);
        let reached = roof.attainable(intensity).0;
        Self {
            key,
            name,
            flops: work.flops,
            bytes: work.bytes(accounting),
            intensity: work.intensity(accounting).0,
            rate: reached,
            roof: roof.attainable(work.intensity(accounting)).0,
            peak: roof.peak.0,
            bound: roof.bound(intensity),
            seconds: roof.seconds(work.flops, bytes).0,
            upper: None,
            share: None,
            on_vectors: false,
            leads: false,
        }
    }

    /// Work of the model, of which `moved` bytes cross to memory and which takes at least `seconds`.
    fn of_model(
        key: Key,
        name: String,
        (work, moved): (Work, u128),
        seconds: f64,
        roof: Roof,
        accounting: Accounting,
    ) -> Self {
        // Who counts reads alone counts no more than what crosses.
        let bytes = if accounting == Accounting::ReadsOnly { work.read.min(moved) } else { moved };
        let [true_intensity, counted] = [moved, bytes].map(|bytes| Intensity(work.flops as f64 / bytes.max(1) as f64));
        Self {
            key,
            name,
            flops: work.flops,
            bytes,
            intensity: counted.0,
            rate: work.flops as f64 / seconds.max(f64::MIN_POSITIVE),
            roof: roof.attainable(counted).0,
            peak: roof.peak.0,
            bound: roof.bound(true_intensity),
            seconds,
            upper: None,
            share: None,
            on_vectors: false,
            leads: false,
        }
    }
}

/// The model's passes with their times.
pub(super) fn estimates(state: &State, scenario: &Checked) -> Vec<Estimate> {
    let counting = Counting { kernels: state.roofline.kernels_in_use(scenario), ..Counting::of(scenario) };
    Pass::of(scenario.mode).iter().map(|&pass| estimate(scenario, state.gpu, pass, counting)).collect()
}

/// A pass as a point.
pub(super) fn of_pass(state: &State, rates: &Rates, pass: &Estimate) -> Dot {
    let id = pass.pass.id();
    let key = Key { kind: Kind::Pass, id };
    let name = words::pass(pass.pass).to_owned();
    let accounting = state.roofline.accounting;
    let dot = Dot::of_model(key, name, (pass.work, pass.moved), pass.lower.0, rates.matrix, accounting);
    Dot {
        bound: pass.bound(),
        upper: Some(pass.upper.0),
        leads: pass.pass == state.roofline.pass_in_use(state.mode),
        ..dot
    }
}

fn of_task(state: &State, rates: &Rates, total: &TaskTotal, whole: f64) -> Option<Dot> {
    let on_vectors = total.unit == Unit::Vector;
    let roof = rates.roof(total.unit)?;
    let id = total.task.id();
    let name = words::task(total.task).to_owned();
    let key = Key { kind: Kind::Task, id };
    let dot = Dot::of_model(key, name, (total.work, total.moved), total.lower.0, roof, state.roofline.accounting);
    Some(Dot { bound: total.bound, share: Some(total.lower.0 / whole), on_vectors, ..dot })
}

/// The kernels of textbooks, on 16.8 million values or matrices of 4,096.
fn textbook() -> [(Kernel, &'static str); 6] {
    const ELEMENTS: u64 = 1 << 24;
    const SIDE: u64 = 4_096;
    [
        (Kernel::Add { elements: ELEMENTS }, words::roofline_kernel_add()),
        (Kernel::Relu { elements: ELEMENTS }, words::roofline_kernel_relu()),
        (Kernel::Softmax { elements: ELEMENTS }, words::roofline_kernel_softmax()),
        (Kernel::LayerNorm { elements: ELEMENTS }, words::roofline_kernel_layer_norm()),
        (Kernel::Gemv { n: SIDE, k: SIDE }, words::roofline_kernel_gemv()),
        (Kernel::Gemm { m: SIDE, n: SIDE, k: SIDE }, words::roofline_kernel_gemm()),
    ]
}

/// All points that the state asks for, in the order of the table.
pub(super) fn all(
    state: &State,
    scenario: &Checked,
    rates: &Rates,
    precision: ComputePrecision,
    passes: &[Estimate],
) -> Vec<Dot> {
    let levers = &state.roofline;
    let mut dots = Vec::new();
    // fp4 is half a byte: counted as one, then halved.
    let each = precision.operand_bytes();
    let work_of = |kernel: Kernel| {
        let Work { flops, read, written } = kernel.work(each.unwrap_or(1).into());
        let half = if each.is_some() { 1 } else { 2 };
        Work { flops, read: read / half, written: written / half }
    };
    let mut put = |kind, id, name: &str, work| {
        let leads = kind == Kind::Own || id == "gemm";
        let dot = Dot::kernel(Key { kind, id }, name.into(), work, rates.matrix, levers.accounting);
        dots.push(Dot { leads, ..dot });
    };
    if let Some([flops, bytes]) = complete(levers.op) {
        // As much as is given moves, whichever way it is counted.
        put(Kind::Own, "op", words::roofline_own_op(), Work { flops: flops.into(), read: bytes.into(), written: 0 });
    }
    if let Some([m, n, k]) = complete(levers.gemm) {
        put(Kind::Own, "gemm", words::roofline_own_gemm(), work_of(Kernel::Gemm { m, n, k }));
    }
    if levers.dots == Dots::Textbook {
        for (kernel, name) in textbook() {
            put(Kind::Kernel, kernel.id(), name, work_of(kernel));
        }
        return dots;
    }
    dots.extend(passes.iter().map(|pass| of_pass(state, rates, pass)));
    let pass = levers.pass_in_use(state.mode);
    let tasks = by_task(scenario, state.gpu, pass, levers.kernels_in_use(scenario));
    let whole: f64 = tasks.iter().flatten().map(|total| total.lower.0).sum();
    dots.extend(tasks.iter().flatten().filter_map(|total| of_task(state, rates, total, whole)));
    dots
}
