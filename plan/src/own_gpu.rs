//! A GPU of the reader's own, as the options of a plan state it.
//!
//! A scenario has its GPU as a reference that lives as long as the program. So each GPU that is stated is kept once, in a list that only grows.

use alloc::boxed::Box;
use alloc::vec::Vec;

use memory_wall_core::bounds::Bounds;
use memory_wall_core::tables::capability::{self, Capability};
use memory_wall_core::tables::gpus::{CapacityBasis, GPUS, Gpu, OWN, Peak, Peaks};
use memory_wall_core::units::ByteRate;
use memory_wall_core::{Architecture, Scenario};
use once_cell::race::OnceBox;

use crate::option::{PlanOption, Scope};
use crate::plan::Plan;
use crate::value::{Kind, Value};

/// A GPU that is kept, and the next one.
struct Known {
    gpu: Gpu,
    next: OnceBox<Self>,
}

/// Every GPU that was stated.
static FIRST: OnceBox<Known> = OnceBox::new();

/// The GPU as one that lives as long as the program.
fn kept(gpu: Gpu) -> &'static Gpu {
    let mut place = &FIRST;
    loop {
        let known = place.get_or_init(|| Box::new(Known { gpu, next: OnceBox::new() }));
        if known.gpu == gpu {
            return &known.gpu;
        }
        place = &known.next;
    }
}

/// Changes the reader's own GPU in a scenario; no other one.
pub(crate) fn state(scenario: &mut Scenario, change: impl FnOnce(Gpu) -> Gpu) {
    if let Some(gpu) = scenario.gpu.filter(|gpu| gpu.is_own()) {
        scenario.gpu = Some(kept(change(*gpu)));
    }
}

/// The reader's own GPU of a scenario, if it has one.
fn own(scenario: &Scenario) -> Option<&'static Gpu> {
    scenario.gpu.filter(|gpu| gpu.is_own())
}

/// The names of all GPUs: those of the table, and the reader's own.
pub(crate) fn ids() -> Vec<&'static str> {
    GPUS.iter().chain([&OWN]).map(|gpu| gpu.id).collect()
}

/// The GPU with this name, of the table or the reader's own.
///
/// ```
/// use memory_wall_plan::gpu;
/// assert_eq!(gpu("l4").map(|gpu| gpu.name), Some("L4"));
/// assert!(gpu("own").is_some_and(|gpu| gpu.is_own()));
/// ```
pub fn gpu(id: &str) -> Option<&'static Gpu> {
    GPUS.iter().chain([&OWN]).find(|gpu| gpu.id == id)
}

/// Compute capabilities that can be stated: those of the table's GPUs.
const CAPABILITIES: [(&str, Capability); 11] = [
    ("7.0", Capability::new(7, 0)),
    ("7.5", Capability::new(7, 5)),
    ("8.0", Capability::new(8, 0)),
    ("8.6", Capability::new(8, 6)),
    ("8.9", Capability::new(8, 9)),
    ("9.0", Capability::new(9, 0)),
    ("10.0", Capability::new(10, 0)),
    ("10.3", Capability::new(10, 3)),
    ("11.0", Capability::new(11, 0)),
    ("12.0", Capability::new(12, 0)),
    ("12.1", Capability::new(12, 1)),
];

/// Its compute capability, which only GPUs of NVIDIA have.
pub(crate) const CAPABILITY: PlanOption = PlanOption {
    name: "gpu_capability",
    kind: Kind::Choice(|| CAPABILITIES.iter().map(|(word, _)| *word).collect()),
    scope: Scope::OwnGpu,
    get: |scenario| {
        let has = capability::of(own(scenario)?)?;
        CAPABILITIES.iter().find(|(_, known)| *known == has).map(|(word, _)| Value::Word(word))
    },
    set: |scenario, value| {
        if let Value::Word(word) = value
            && let Some((_, has)) = CAPABILITIES.iter().find(|(known, _)| known == word)
        {
            state(scenario, |gpu| gpu.with_capability(*has));
        }
    },
};

/// A number that is stated: the option's name, its range, and its place in a GPU.
macro_rules! stated {
    ($name:literal, $max:literal $unit:literal, |$gpu:ident| $get:expr, |$own:ident, $number:ident| $set:expr) => {
        PlanOption {
            name: $name,
            kind: Kind::Count(Bounds { name: $name, min: 1, max: $max, unit: $unit }),
            scope: Scope::OwnGpu,
            get: |scenario| own(scenario).and_then(|$gpu| $get).map(Value::Count),
            set: |scenario, value| {
                if let Value::Count($number) = *value {
                    state(scenario, |$own| $set);
                }
            },
        }
    };
}

/// A dense peak that is stated.
macro_rules! peak {
    ($name:literal, $unit:literal, $field:ident) => {
        stated!($name, 1_000_000 $unit, |gpu| gpu.peaks.$field.map(|peak| whole(peak.tflops())), |gpu, rate| Gpu {
            peaks: Peaks { $field: Peak::whole(rate), ..gpu.peaks },
            ..gpu
        })
    };
}

/// Bandwidth of its memory.
pub(crate) const BANDWIDTH: PlanOption = stated!(
    "gpu_bandwidth", 1_000_000 "GB/s",
    |gpu| Some(whole(gpu.bandwidth.as_gb_per_s())).filter(|rate| *rate > 0),
    |gpu, rate| Gpu { bandwidth: ByteRate::from_gb_per_s(rate.into()), ..gpu }
);
/// Its dense peak in 16 bits.
pub(crate) const RATE: PlanOption = stated!(
    "gpu_tflops", 1_000_000 "TFLOP/s",
    |gpu| gpu.peaks.fp16.map(|peak| whole(peak.tflops())),
    |gpu, rate| gpu.with_16_bits(Peak::whole(rate))
);
/// Its peak in fp32.
pub(crate) const FP32: PlanOption = peak!("gpu_tflops_fp32", "TFLOP/s", fp32);
/// Its dense peak in fp8.
pub(crate) const FP8: PlanOption = peak!("gpu_tflops_fp8", "TFLOP/s", fp8);
/// Its dense peak in fp4.
pub(crate) const FP4: PlanOption = peak!("gpu_tflops_fp4", "TFLOP/s", fp4);
/// Its dense peak in int8.
pub(crate) const INT8: PlanOption = peak!("gpu_tops_int8", "TOP/s", int8);
/// Its links to other GPUs together, in one direction.
pub(crate) const LINK: PlanOption = stated!(
    "gpu_link", 100_000 "GB/s",
    |gpu| gpu.peer_link.map(|link| whole(link.as_gb_per_s())),
    |gpu, rate| Gpu { peer_link: Some(ByteRate::from_gb_per_s(rate.into())), ..gpu }
);
/// Its link to host memory, in one direction.
pub(crate) const HOST_LINK: PlanOption = stated!(
    "gpu_host_link", 100_000 "GB/s",
    |gpu| gpu.host_link.map(|link| whole(link.as_gb_per_s())),
    |gpu, rate| Gpu { host_link: Some(ByteRate::from_gb_per_s(rate.into())), ..gpu }
);

/// A whole number that a GPU has as a fraction.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was a whole number of 32 bits")]
fn whole(number: f64) -> u32 {
    libm::round(number) as u32
}

/// What describes the reader's own GPU beside its memory.
const DESCRIBED: [&PlanOption; 9] = [&CAPABILITY, &BANDWIDTH, &RATE, &FP32, &FP8, &FP4, &INT8, &LINK, &HOST_LINK];

impl Plan {
    /// Puts the plan on another GPU: what was stated of the one before is said no more.
    ///
    /// ```
    /// use memory_wall_plan::{Plan, gpu};
    /// let mut plan = Plan::new("");
    /// plan.describe(gpu("l4").unwrap());
    /// assert_eq!(plan.get("gpu_bandwidth").unwrap().to_string(), "300");
    /// plan.put_on(gpu("l40s").unwrap());
    /// assert!(plan.get("gpu_bandwidth").is_none() && plan.get("gpu_memory").is_none());
    /// ```
    pub fn put_on(&mut self, gpu: &'static Gpu) {
        for name in DESCRIBED.iter().map(|option| option.name).chain(["gpu_memory"]) {
            self.unset(name);
        }
        self.set("gpu", Value::Word(gpu.id));
    }

    /// Describes a GPU of the table by its numbers, as one of the reader's own that begins with them.
    pub fn describe(&mut self, gpu: &'static Gpu) {
        self.put_on(&OWN);
        self.set("gpu_memory", Value::Memory(gpu.capacity));
        let stated = kept(Gpu { capacity_basis: CapacityBasis::Stated, ..*gpu });
        let scenario = Scenario { gpu: Some(stated), ..Scenario::new(Architecture::llama([1; 7])) };
        for option in DESCRIBED {
            if let Some(value) = option.of(&scenario) {
                self.set(option.name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_core::Bytes;

    #[test]
    fn each_gpu_is_kept_once() {
        let one = kept(OWN.with_memory(Bytes(5)));
        let other = kept(OWN.with_memory(Bytes(6)));
        assert!(core::ptr::eq(one, kept(OWN.with_memory(Bytes(5)))) && !core::ptr::eq(one, other));
    }

    #[test]
    fn capabilities_are_those_of_the_table() {
        let of = |gpu: &Gpu| capability::of(gpu);
        for has in GPUS.iter().filter_map(of) {
            assert!(
                CAPABILITIES.iter().any(|(word, known)| *known == has && *word == alloc::format!("{has}")),
                "{has}"
            );
        }
        assert!(CAPABILITIES.iter().all(|(_, has)| GPUS.iter().filter_map(of).any(|known| known == *has)));
    }

    #[test]
    fn what_is_stated_is_said_back() {
        let mut plan = Plan::new("");
        plan.set("model", Value::Word("llama-3.1-8b"));
        plan.set("gpu", Value::Word("own"));
        plan.set("gpu_memory", Value::Memory(Bytes(24 << 30)));
        plan.set("gpu_capability", Value::Word("8.9"));
        let options = [&BANDWIDTH, &RATE, &FP32, &FP8, &FP4, &INT8, &LINK, &HOST_LINK];
        for (option, count) in options.iter().zip(101..) {
            plan.set(option.name, Value::Count(count));
        }
        let scenario = plan.scenario().unwrap();
        let gpu = scenario.gpu.unwrap();
        assert_eq!((gpu.capacity, gpu.peaks.bf16.map(Peak::tflops)), (Bytes(24 << 30), Some(102.0)));
        assert_eq!(scenario.untimed(), None);
        let again = Plan::of(&scenario, "", Some("llama-3.1-8b"));
        for (option, value) in plan.said() {
            assert_eq!(again.get(option.name), Some(value), "{}", option.name);
        }
        // Of a GPU of the table nothing is stated.
        plan.set("gpu", Value::Word("l4"));
        plan.unset("gpu_memory");
        assert_eq!(plan.scenario().unwrap().gpu, super::gpu("l4"));
    }
}
