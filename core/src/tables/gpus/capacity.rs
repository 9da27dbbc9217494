//! How much memory a program finds on a GPU, and how that is known.

use core::fmt;

use super::Gpu;
use crate::units::{Bytes, GIB};

/// Where the capacity of a GPU comes from.
///
/// On Linux, PyTorch reports less than `nvidia-smi`: the driver keeps some memory for itself, and newer drivers keep more.
/// On Windows, PyTorch reports the driver's total, but the driver's own part is then missing from what is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CapacityBasis {
    /// `torch.cuda.get_device_properties(0).total_memory` on Linux, or the same figure from CUDA or HIP: out-of-memory messages and server logs print it.
    Torch,
    /// "of 15.75G hbm" in XLA's out-of-memory messages, or the same figure from a program on the TPU: what the runtime leaves of the memory. Such a message calls what
    /// the runtime keeps "reserved", 1.25 GiB of a TPU v4 and a quarter of a GiB of a v6e.
    Xla,
    /// No report names the GPU: the low end of a range, taken from GPUs of the same class.
    Estimated,
    /// Memory that the whole computer shares.
    Shared,
    /// The part of such memory that the system lets the GPU take unless it is told otherwise.
    Limit,
    /// The printed gigabytes, for want of a report.
    Printed,
    /// What the reader states of a GPU of their own.
    Stated,
}

impl CapacityBasis {
    /// In words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Torch => "reported by PyTorch on the device",
            Self::Xla => "reported by XLA on the device",
            Self::Estimated => "estimated from GPUs of the same class",
            Self::Shared => "printed size, shared with the whole computer",
            Self::Limit => "what the system lets the GPU take by itself of the computer's memory",
            Self::Stated => "as stated for a GPU of your own",
            Self::Printed => "printed size, no device report found",
        }
    }
}

/// What is known of the capacity of a GPU, to be said in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported {
    basis: CapacityBasis,
    least: Bytes,
    most: Bytes,
    printed_gb: u16,
}

impl Gpu {
    /// What a newer macOS lends it of the computer's memory, where an older one lends less.
    ///
    /// ```
    /// use memory_wall_core::tables::gpus;
    /// let newer = |id| gpus::by_id(id).and_then(gpus::Gpu::newer_lends).map(|bytes| bytes.as_gib());
    /// assert_eq!(newer("m4").map(|gib| (gib * 100.0).round()), Some(2_496.0));
    /// assert_eq!(newer("rtx4090"), None);
    /// ```
    pub fn newer_lends(&self) -> Option<Bytes> {
        let more = self.capacity_basis == CapacityBasis::Limit && self.capacity < self.capacity_most;
        more.then_some(self.capacity_most)
    }

    /// What is known of its capacity.
    pub const fn reported(&self) -> Reported {
        Reported {
            basis: self.capacity_basis,
            least: self.capacity,
            most: self.capacity_most,
            printed_gb: self.printed_gb,
        }
    }
}

/// A smallest and a largest capacity in GiB: "23.52 to 23.68 GiB".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    least: Bytes,
    most: Bytes,
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [least, most] = [self.least, self.most].map(|bytes| (bytes.0 * 100 + GIB / 2) / GIB);
        write!(f, "{}.{:02} to {}.{:02} GiB", least / 100, least % 100, most / 100, most % 100)
    }
}

impl Reported {
    /// The range, where more than one figure was seen or an estimate allows for more.
    pub fn range(self) -> Option<Range> {
        (self.least < self.most).then_some(Range { least: self.least, most: self.most })
    }
}

impl fmt::Display for Reported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.basis, self.range()) {
            (CapacityBasis::Torch, None) => f.write_str("The capacity is what PyTorch reports on the device."),
            (CapacityBasis::Torch, Some(range)) => write!(
                f,
                "The capacity is the smallest figure that PyTorch reports on this GPU: {range} were seen, depending on the driver."
            ),
            (CapacityBasis::Xla, _) => f.write_str(
                "The capacity is what XLA reports on this TPU: a part of the memory is reserved for the runtime.",
            ),
            (CapacityBasis::Estimated, None) => f.write_str("The capacity is estimated from GPUs of the same class."),
            (CapacityBasis::Estimated, Some(range)) => write!(
                f,
                "The capacity is the low end of an estimate, {range}: no report of PyTorch that names this GPU was found for that end."
            ),
            (CapacityBasis::Stated, _) => {
                f.write_str("The capacity is the number that you gave for a GPU of your own.")
            }
            (CapacityBasis::Printed, _) => {
                f.write_str("The capacity of this GPU is its printed number: no report of a device was found.")
            }
            (CapacityBasis::Limit, range) => {
                write!(
                    f,
                    "The capacity is what the system lets the GPU take by itself of the computer's {} GB",
                    self.printed_gb
                )?;
                if let Some(range) = range {
                    write!(f, ", at the least: {range} were reported or are estimated, with older and newer macOS")?;
                }
                f.write_str(
                    "; a setting of the system raises it (iogpu.wired_limit_mb on macOS, ttm.pages_limit on Linux).",
                )?;
                if range.is_some() {
                    f.write_str(
                        " The longest context and the largest batch may need a newer macOS, and are tight then.",
                    )?;
                }
                Ok(())
            }
            (CapacityBasis::Shared, _) => f.write_str("The capacity is the memory of the whole computer."),
        }
    }
}

/// Bytes of a number of GiB, as reports print it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the size of a GPU, which is positive and below 2^53"
)]
pub(super) const fn of_gib(gib: f64) -> Bytes {
    Bytes((gib * 1_073_741_824.0) as u128)
}

/// A capacity: a number of bytes, or `[GiB]` where that is what was printed.
macro_rules! capacity {
    ([$gib:literal]) => {
        capacity::of_gib($gib)
    };
    ($bytes:literal) => {
        Bytes($bytes)
    };
}

/// The largest figure beside the smallest; `_` where there is one figure.
macro_rules! capacity_most {
    ($least:tt _) => {
        capacity!($least)
    };
    ($least:tt $most:tt) => {
        capacity!($most)
    };
}

pub(super) use {capacity, capacity_most};

#[cfg(test)]
mod tests {
    extern crate alloc;

    use alloc::{format, string::ToString};

    use super::*;
    use crate::tables::gpus::{GPUS, by_id};
    use crate::units::MIB;

    #[test]
    fn a_capacity_of_pytorch_is_a_figure_that_its_source_quotes() {
        for gpu in GPUS {
            let gib = format!("{:.2} GiB", gpu.capacity.as_gib());
            let quoted = gpu.sources().iter().any(|source| source.contains(&gib));
            let seen = matches!(gpu.capacity_basis, CapacityBasis::Torch | CapacityBasis::Xla | CapacityBasis::Limit);
            assert!(!seen || quoted, "{}: no source says {gib}", gpu.id);
            let ranged = gpu.sources().iter().any(|source| source.contains("stimated"));
            assert!(gpu.capacity_basis != CapacityBasis::Estimated || ranged, "{}: an estimate says so", gpu.id);
            assert!(gpu.capacity <= gpu.capacity_most, "{}", gpu.id);
            let range = gpu.reported().range().is_some();
            assert!(gpu.capacity_basis != CapacityBasis::Estimated || range, "{}: an estimate is a range", gpu.id);
        }
    }

    #[test]
    fn a_reported_capacity_names_where_it_was_reported() {
        let reported = |gpu: &&Gpu| matches!(gpu.capacity_basis, CapacityBasis::Torch | CapacityBasis::Xla);
        for gpu in GPUS.iter().filter(reported) {
            let least = format!("{:.2} GiB", gpu.capacity.as_gib());
            // Before the next figure a repository or a page is named.
            let public = |source: &str| {
                let (_, behind) = source.split_once(&least)?;
                let own = behind.split(" GiB").next()?;
                Some(["github.com/", "huggingface.co/"].iter().any(|host| own.contains(host)))
            };
            let named = gpu.sources().iter().any(|source| public(source) == Some(true));
            assert!(named, "{}: no repository is named for {least}", gpu.id);
        }
    }

    #[test]
    fn no_capacity_is_larger_than_a_driver_of_today_reports() {
        // GiB in public out-of-memory messages and logs of 2024 to 2026.
        for (id, gib) in [
            ("a100-80-sxm", 79.14),
            ("a100-80-pcie", 79.14),
            ("h100-sxm", 79.10),
            ("h200-sxm", 139.72),
            ("b200", 178.35),
            ("l40s", 44.31),
            ("mi300x", 191.45),
            ("rtx4090", 23.51),
            ("rtx5090", 31.33),
        ] {
            let capacity = by_id(id).unwrap().capacity.as_gib();
            assert!(capacity <= gib + 0.005, "{id}: {capacity} and not {gib}");
        }
    }

    #[test]
    fn a_tpu_holds_what_xla_says_that_it_does() {
        // "of {}G hbm" in XLA's messages, of which it prints two digits.
        for (id, printed) in [("tpu-v4", "30.75"), ("tpu-v5e", "15.75"), ("tpu-v5p", "95.74"), ("tpu-v6e", "31.25")] {
            let gpu = by_id(id).unwrap();
            assert_eq!(format!("{:.2}", gpu.capacity.as_gib()), printed, "{id}");
            assert_eq!(gpu.capacity_basis, CapacityBasis::Xla, "{id}");
            assert!(gpu.reported().to_string().contains("reserved for the runtime"), "{id}");
        }
    }

    #[test]
    fn no_gpu_takes_the_total_of_nvidia_smi_for_what_a_program_finds() {
        // `memory.total` of nvidia-smi in MiB.
        for (id, driver) in [
            ("t4", 15_360),
            ("a10", 23_028),
            ("a40", 46_068),
            ("l4", 23_034),
            ("l40s", 46_068),
            ("a100-80-sxm", 81_920),
            ("h100-sxm", 81_559),
            ("gb200", 189_471),
            ("rtx3060-12", 12_288),
            ("rtx3070", 8_192),
            ("rtx3080", 10_240),
            ("rtx4060", 8_188),
            ("rtx3090", 24_576),
            ("rtx4070", 12_282),
            ("rtx4080", 16_376),
            ("rtx4090", 24_564),
            ("rtx5090", 32_607),
            ("rtxa6000", 49_140),
            ("rtx6000ada", 49_140),
            ("rtxpro6000", 97_887),
        ] {
            let lost = driver * MIB - by_id(id).unwrap().capacity.0;
            // 0.25 to 3 GiB of the largest.
            assert!((MIB * 250..MIB * 3_000).contains(&lost), "{id}: {lost}");
        }
        assert!(by_id("rtx4090").unwrap().capacity.0 <= 25_450_000_000);
    }

    #[test]
    fn what_is_known_of_a_capacity_is_said() {
        let said = |id| by_id(id).unwrap().reported().to_string();
        assert!(said("rtx4090").contains("23.49 to 23.68 GiB"), "{}", said("rtx4090"));
        assert!(said("rtx4070").contains("estimate, 11.50 to 11.75 GiB"), "{}", said("rtx4070"));
        assert!(said("a100-80-sxm").contains("79.14 to 79.35 GiB"), "{}", said("a100-80-sxm"));
        // 121.69 GiB of a GB10 is public, and messages of 119.61 do not say on which GPU.
        assert!(said("gb10").contains("119.61 to 121.69 GiB") && said("gb10").ends_with("for that end."));
        assert_eq!(said("h100-nvl"), "The capacity is what PyTorch reports on the device.");
        // Issue 18: Metal takes two thirds of 32 GiB and refuses the rest, ollama/ollama issue 434; Linux lends half.
        assert_eq!(by_id("m4").unwrap().capacity.0 / MIB, 21_841);
        assert!(by_id("strix-halo").unwrap().capacity.0 <= 63_968 * MIB);
        assert!(
            said("m3max").contains("96.00 to 107.52 GiB") && said("m3max").contains("iogpu.wired_limit_mb"),
            "{}",
            said("m3max")
        );
        for gpu in GPUS.iter().filter(|gpu| gpu.vendor == "Apple") {
            assert!(gpu.capacity_most.as_gib() < 0.94 * f64::from(gpu.printed_gb), "{}", gpu.id);
        }
    }

    #[test]
    fn an_eighty_gigabyte_gpu_holds_neither_80_gb_nor_80_gib() {
        let a100 = by_id("a100-80-sxm").map(|gpu| gpu.capacity);
        assert_eq!(a100, Some(Bytes(84_974_239_744)));
    }
}
