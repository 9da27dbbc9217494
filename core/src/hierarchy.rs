//! The memory hierarchy: from the registers of a GPU to the drive of its computer, how much each tier holds, how fast it moves and how long it takes to answer.
//!
//! Every figure says how it is known ([`Source`]), and what nobody publishes is `None`, never a guess.

use crate::tables::capability::{self, Capability};
use crate::tables::gpus::{CapacityBasis, Gpu};
use crate::units::{ByteRate, Bytes};

choices! {
    /// Where a byte can lie, nearest to the arithmetic first.
    Tier {
        /// The registers of all compute units.
        Registers = "registers";
        /// The L1 cache and shared memory of all compute units.
        L1 = "l1";
        /// The cache that all units share, with the last-level cache behind it where there is one.
        Cache = "cache";
        /// The GPU's own memory.
        Own = "own";
        /// The memory of another GPU of the same computer.
        Peer = "peer";
        /// The memory of the computer.
        Host = "host";
        /// A drive.
        Drive = "drive";
    }
}

choices! {
    /// How a figure is known.
    Source {
        /// The GPU's row, with the sources that it names.
        Gpu = "card";
        /// Computed from the row: units × clock × bytes a clock.
        Derived = "derived";
        /// Measured by others, on the GPUs of [`MEASURED`].
        Measured = "measured";
        /// One common product, as an example.
        Example = "example";
    }
}

/// A figure, and how it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known<T> {
    /// The figure.
    pub value: T,
    /// How it is known.
    pub source: Source,
}

impl<T> Known<T> {
    const fn new(value: T, source: Source) -> Self {
        Self { value, source }
    }
}

/// How long one read takes to come back, as a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latency {
    /// Nanoseconds on the fastest of the measured GPUs.
    pub from_ns: f64,
    /// Nanoseconds on the slowest.
    pub to_ns: f64,
}

/// One tier of one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TierSpec {
    /// Which.
    pub tier: Tier,
    /// What it holds; of registers and L1 all units together.
    pub capacity: Option<Known<Bytes>>,
    /// What it moves, read by all units together; of a link in one direction.
    pub bandwidth: Option<Known<ByteRate>>,
    /// How long it takes to answer.
    pub latency: Option<Known<Latency>>,
}

/// Registers of one streaming multiprocessor since Kepler: 65,536 of 4 bytes.
const REGISTERS_A_UNIT: u128 = 256 << 10;
/// Bytes that one streaming multiprocessor reads from L1 or shared memory in a clock: 32 lanes of 4 bytes.
const L1_BYTES_A_CLOCK: f64 = 128.0;
/// The example of a drive: one with four lanes of PCIe 4.0, read in order. Samsung prints 7,000 MB/s for its 980 PRO.
pub const DRIVE: ByteRate = ByteRate::from_gb_per_s(7.0);

/// A GPU whose latencies were measured, in clocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clocks {
    /// The GPU.
    pub gpu: &'static str,
    /// Its boost clock in MHz, by which clocks become nanoseconds.
    pub boost_mhz: u16,
    /// Clocks until L1 answers.
    pub l1: u16,
    /// Clocks until L2 answers.
    pub cache: u16,
    /// Clocks until its own memory answers.
    pub own: u16,
}

const fn clocks(gpu: &'static str, boost_mhz: u16, [l1, cache, own]: [u16; 3]) -> Clocks {
    Clocks { gpu, boost_mhz, l1, cache, own }
}

/// Measured latencies: `latency/README.md` of `github.com/markdewing/AI_kernels`.
pub const MEASURED: [Clocks; 6] = [
    clocks("V100", 1_530, [36, 221, 460]),
    clocks("GeForce RTX 4090", 2_520, [40, 296, 636]),
    clocks("GeForce RTX 5090", 2_407, [44, 360, 936]),
    clocks("GH200", 1_980, [40, 281, 690]),
    clocks("RTX PRO 6000", 2_617, [44, 352, 864]),
    clocks("B200", 1_965, [40, 295, 860]),
];

/// Bytes a second of so many bytes in each clock.
fn at_boost(gpu: &Gpu, bytes_a_clock: f64) -> Option<Known<ByteRate>> {
    let hertz = f64::from(gpu.on_chip.boost_mhz?) * 1e6;
    Some(Known::new(ByteRate(bytes_a_clock * hertz), Source::Derived))
}

/// One tier of a GPU; `None` where the GPU has none: other GPUs without links, host memory where it is the GPU's own.
///
/// # Formula
/// Registers: units × 256 KiB. L1: units × KiB of the row; bandwidth units × 128 bytes × boost clock. L2: bytes a clock × boost clock.
/// Own memory and links: the row. Latency: clocks ÷ boost clock, least and most of [`MEASURED`].
///
/// # Units
/// Bytes, bytes a second, nanoseconds.
///
/// # Assumes
/// Every unit reads at once, at the boost clock. Links are counted in one direction, those to other GPUs together. Registers, L1 bandwidth and latencies
/// are those of NVIDIA GPUs and left out for others; the generations of the T4, which reads half as much from L1 a clock, and of the P40 are left out too. Latencies are of idle GPUs with HBM or GDDR.
///
/// # Source
/// NVIDIA A100 whitepaper (registers and L1 of a unit; L2: 5,120 bytes a clock, V100 2,048); AMD CDNA 3 white paper (Infinity Cache of the MI300X: 17.2 TB/s);
/// `markdewing/AI_kernels` (latencies); Samsung 980 PRO data sheet (drive); the GPU's own row for the rest.
///
/// # Example
/// ```
/// use memory_wall_core::{hierarchy::{Tier, tier_spec}, tables::gpus};
/// let a100 = gpus::by_id("a100-80-sxm").unwrap();
/// let l1 = tier_spec(a100, Tier::L1).unwrap();
/// assert_eq!(l1.capacity.unwrap().value.0, 108 * 192 * 1024);
/// // 108 × 128 bytes × 1.41 GHz.
/// assert_eq!(l1.bandwidth.unwrap().value.as_gb_per_s().round(), 19_492.0);
/// ```
pub fn tier_spec(gpu: &Gpu, tier: Tier) -> Option<TierSpec> {
    let nvidia = gpu.vendor == "NVIDIA";
    let chip = gpu.on_chip;
    let units = chip.units.map(u128::from);
    let row = |rate: Option<ByteRate>| rate.map(|rate| Known::new(rate, Source::Gpu));
    let own = Some(Known::new(gpu.capacity, Source::Gpu));
    let (capacity, bandwidth) = match tier {
        Tier::Registers => {
            let bytes = units.filter(|_| nvidia).map(|units| Bytes(units * REGISTERS_A_UNIT));
            (bytes.map(|bytes| Known::new(bytes, Source::Derived)), None)
        }
        Tier::L1 => {
            let bytes = units.zip(chip.l1_kib).map(|(units, kib)| Bytes(units * u128::from(kib) * 1_024));
            let full = |has: Capability| has.major > 7 || has == Capability::new(7, 0);
            let clocked = chip.units.filter(|_| capability::of(gpu).is_some_and(full));
            let rate = clocked.and_then(|units| at_boost(gpu, f64::from(units) * L1_BYTES_A_CLOCK));
            (bytes.map(|bytes| Known::new(bytes, Source::Derived)), rate)
        }
        Tier::Cache => {
            let rate = match gpu.id {
                id if id.starts_with("v100") => at_boost(gpu, 2_048.0),
                id if id.starts_with("a100") => at_boost(gpu, 5_120.0),
                "mi300x" => row(Some(ByteRate::from_gb_per_s(17_200.0))),
                _ => None,
            };
            (gpu.cache().map(|bytes| Known::new(bytes, Source::Gpu)), rate)
        }
        Tier::Own => (own, row(Some(gpu.bandwidth))),
        Tier::Peer => (own, Some(row(Some(gpu.peer_link?))?)),
        Tier::Host if gpu.shares_memory() => return None,
        Tier::Host => (None, row(gpu.host_link)),
        Tier::Drive => (None, Some(Known::new(DRIVE, Source::Example))),
    };
    let latency = match tier {
        Tier::L1 => Some(latency(|clocks| clocks.l1)),
        Tier::Cache => Some(latency(|clocks| clocks.cache)),
        Tier::Own if !gpu.shares_memory() => Some(latency(|clocks| clocks.own)),
        _ => None,
    };
    Some(TierSpec { tier, capacity, bandwidth, latency: latency.filter(|_| nvidia) })
}

fn latency(pick: fn(&Clocks) -> u16) -> Known<Latency> {
    let ns = |gpu: &Clocks| f64::from(pick(gpu)) * 1e3 / f64::from(gpu.boost_mhz);
    let from_ns = MEASURED.iter().map(ns).fold(f64::INFINITY, f64::min);
    let to_ns = MEASURED.iter().map(ns).fold(0.0, f64::max);
    Known::new(Latency { from_ns, to_ns }, Source::Measured)
}

impl TierSpec {
    /// How many times a second this tier can be read for so many bytes: the ceiling on tokens a second of one sequence whose weights lie there.
    ///
    /// # Formula
    /// bandwidth ÷ bytes.
    ///
    /// # Units
    /// Once a second.
    ///
    /// # Assumes
    /// Every byte is read once for each token and nothing else takes time. Whether the tier can hold the bytes is another question.
    ///
    /// # Source
    /// Arithmetic; Pope et al. 2022 show that generating for few sequences is bound by reading the weights.
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::{Bytes, hierarchy::{Tier, tier_spec}, tables::gpus};
    /// let a100 = gpus::by_id("a100-80-sxm").unwrap();
    /// let from = |tier| tier_spec(a100, tier).unwrap().reads_per_second(Bytes(14_000_000_000)).unwrap();
    /// assert_eq!(from(Tier::Own).round(), 146.0);
    /// assert_eq!((from(Tier::Host) * 100.0).round(), 225.0);
    /// ```
    pub fn reads_per_second(&self, bytes: Bytes) -> Option<f64> {
        let rate = self.bandwidth?.value;
        (bytes > Bytes::ZERO).then(|| rate.0 / bytes.0 as f64)
    }

    /// How many times slower than the GPU's own memory; below 1 for what is faster.
    ///
    /// # Formula
    /// bandwidth of the GPU's own memory ÷ bandwidth of the tier.
    ///
    /// # Units
    /// A ratio.
    ///
    /// # Assumes
    /// Printed rates on both sides.
    ///
    /// # Source
    /// As for [`tier_spec`].
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::{hierarchy::{Tier, tier_spec}, tables::gpus};
    /// let a100 = gpus::by_id("a100-80-sxm").unwrap();
    /// // Over PCIe 4.0: about an hour for a walk of a minute.
    /// assert_eq!(tier_spec(a100, Tier::Host).unwrap().slower_than_own(a100).unwrap().round(), 65.0);
    /// ```
    pub fn slower_than_own(&self, gpu: &Gpu) -> Option<f64> {
        Some(gpu.bandwidth.0 / self.bandwidth?.value.0)
    }
}

impl Gpu {
    /// Whether GPU and computer have one memory between them, so that there is none behind a link.
    pub fn shares_memory(&self) -> bool {
        self.capacity_basis == CapacityBasis::Shared || self.memory.starts_with("LPDDR")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::gpus::{GPUS, by_id};

    fn of(id: &str, tier: Tier) -> Option<TierSpec> {
        tier_spec(by_id(id).unwrap(), tier)
    }

    fn gb_per_s(id: &str, tier: Tier) -> Option<f64> {
        of(id, tier)?.bandwidth.map(|rate| rate.value.as_gb_per_s())
    }

    #[test]
    fn measured_latencies_are_higher_than_that_of_a_processors_memory() {
        let of = |tier| of("a100-80-sxm", tier).unwrap().latency.unwrap().value;
        // 460 clocks of a V100 are 301 ns; the least are 636 of an RTX 4090, the most 860 of a B200.
        let own = of(Tier::Own);
        assert!((own.from_ns - 252.4).abs() < 0.1 && (own.to_ns - 437.7).abs() < 0.1, "{own:?}");
        let cache = of(Tier::Cache);
        assert!((cache.from_ns - 117.5).abs() < 0.1 && (cache.to_ns - 150.1).abs() < 0.1, "{cache:?}");
        let l1 = of(Tier::L1);
        assert!((l1.from_ns - 15.9).abs() < 0.1 && (l1.to_ns - 23.5).abs() < 0.1, "{l1:?}");
    }

    #[test]
    fn what_is_not_published_is_nothing() {
        assert_eq!(gb_per_s("a100-80-sxm", Tier::Registers), None);
        assert_eq!(gb_per_s("h100-sxm", Tier::Cache), None);
        assert_eq!(gb_per_s("mi300x", Tier::L1), None);
        assert_eq!(of("mi300x", Tier::Own).unwrap().latency, None);
        assert_eq!(of("gb10", Tier::Own).unwrap().latency, None, "measured on HBM and GDDR alone");
        assert_eq!(of("tpu-v5e", Tier::Host).unwrap().bandwidth, None);
        assert!(of("b300", Tier::L1).unwrap().capacity.is_none());
    }

    #[test]
    fn a_tier_that_a_gpu_lacks_is_not_specified() {
        assert_eq!(of("t4", Tier::Peer), None);
        assert_eq!(of("m4max", Tier::Host), None);
        assert_eq!(of("gb10", Tier::Host), None);
        assert!(of("gb200", Tier::Host).is_some());
    }

    #[test]
    fn published_rates_come_out() {
        for (id, tier, rate) in [
            ("v100-sxm2-32", Tier::Cache, 3_133.0),
            ("a100-80-sxm", Tier::Cache, 7_219.0),
            ("mi300x", Tier::Cache, 17_200.0),
            ("a100-80-sxm", Tier::Own, 2_039.0),
            ("a100-80-sxm", Tier::Peer, 300.0),
            ("a100-80-sxm", Tier::Host, 31.5),
            ("a100-80-sxm", Tier::Drive, 7.0),
        ] {
            assert!((gb_per_s(id, tier).unwrap() - rate).abs() < 0.5, "{id} {tier:?}");
        }
        assert_eq!(of("a100-80-sxm", Tier::Registers).unwrap().capacity.unwrap().value, Bytes(27 << 20));
        // Pages of host memory over PCIe 5.0, once said to be 300 times slower.
        let mi300x = by_id("mi300x").unwrap();
        assert!((of("mi300x", Tier::Host).unwrap().slower_than_own(mi300x).unwrap() - 84.1).abs() < 0.1);
    }

    #[test]
    fn further_out_is_slower() {
        for gpu in GPUS {
            let order = [Tier::L1, Tier::Cache, Tier::Own, Tier::Peer, Tier::Host, Tier::Drive];
            let rates = order.map(|tier| tier_spec(gpu, tier).and_then(|spec| spec.bandwidth).map(|rate| rate.value.0));
            let mut nearer = f64::INFINITY;
            for rate in rates.into_iter().flatten() {
                assert!(rate < nearer, "{}", gpu.id);
                nearer = rate;
            }
            for tier in Tier::ALL.iter().filter_map(|tier| tier_spec(gpu, *tier)) {
                assert_eq!(tier.reads_per_second(Bytes::ZERO), None);
            }
        }
    }
}
