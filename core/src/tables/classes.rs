//! What kind of machine a GPU is built for, by which GPUs can stand in for each other.

use super::gpus::Gpu;
use crate::precision::{ComputePrecision, WeightFormat};

choices! {
    /// The kind of machine that an accelerator is built for.
    Class {
        /// A GPU for servers.
        DataCentre = "data-centre";
        /// A GPU for a desktop computer: `GeForce`, and NVIDIA's RTX for workstations.
        Desktop = "desktop";
        /// A GPU that shares its memory with the CPU of its computer.
        Unified = "unified";
        /// An accelerator that is no GPU: Google's TPU, Intel's Gaudi.
        Accelerator = "accelerator";
    }
}

impl Class {
    /// In words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::DataCentre => "data centre",
            Self::Desktop => "desktop or workstation",
            Self::Unified => "unified memory",
            Self::Accelerator => "accelerator",
        }
    }
}

impl Gpu {
    /// What it is built for, by its maker, its memory and its name: LPDDR is the memory of a whole computer, RTX stands in the names of desktop GPUs.
    ///
    /// ```
    /// use memory_wall_core::tables::{classes::Class, gpus};
    /// let class = |id| gpus::by_id(id).unwrap().class();
    /// assert_eq!([class("rtx4090"), class("l4")], [Class::Desktop, Class::DataCentre]);
    /// assert_eq!([class("gb10"), class("tpu-v4")], [Class::Unified, Class::Accelerator]);
    /// ```
    pub fn class(&self) -> Class {
        match self.vendor {
            "Google" | "Intel" => Class::Accelerator,
            _ if self.memory.starts_with("LPDDR") => Class::Unified,
            _ if self.id.starts_with("rtx") => Class::Desktop,
            _ => Class::DataCentre,
        }
    }

    /// Whether a run could move from the other GPU to this one: same maker, so the same programs, and same class of machine.
    pub fn is_like(&self, other: &Self) -> bool {
        self.vendor == other.vendor && self.class() == other.class()
    }

    /// Whether it has units that multiply in the format of these weights; formats that are unpacked to 16 bits first need none.
    pub fn multiplies(&self, weights: WeightFormat) -> bool {
        let units = match weights {
            WeightFormat::Bf16 => ComputePrecision::Bf16,
            WeightFormat::Fp16 => ComputePrecision::Fp16,
            WeightFormat::Fp8 | WeightFormat::Fp8Block => ComputePrecision::Fp8,
            _ => return true,
        };
        self.peaks.at(units).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::gpus::GPUS;

    #[test]
    fn every_gpu_has_the_class_that_its_maker_sells_it_as() {
        let of = |class: Class| GPUS.iter().filter(move |gpu| gpu.class() == class).map(|gpu| gpu.id);
        let desktop = [
            "rtx3060-12",
            "rtx3090",
            "rtx4070",
            "rtx4080",
            "rtx4090",
            "rtx5090",
            "rtxa6000",
            "rtx6000ada",
            "rtxpro6000",
        ];
        assert!(of(Class::Desktop).eq(desktop));
        assert!(of(Class::Unified).eq(["gb10", "m2ultra", "m3max", "m4max"]));
        assert!(of(Class::Accelerator).eq(["tpu-v4", "tpu-v5e", "tpu-v5p", "tpu-v6e", "gaudi2", "gaudi3"]));
        assert_eq!(of(Class::DataCentre).count(), GPUS.len() - desktop.len() - 10);
    }

    #[test]
    fn a_gpu_of_another_maker_or_class_does_not_stand_in() {
        let gpu = |id| crate::tables::gpus::by_id(id).unwrap();
        assert!(gpu("rtx6000ada").is_like(gpu("rtx4090")) && gpu("h200-sxm").is_like(gpu("t4")));
        for (one, other) in [("mi210", "rtx4090"), ("l40s", "rtx4090"), ("mi300x", "h100-sxm"), ("gb10", "h100-sxm")] {
            assert!(!gpu(one).is_like(gpu(other)), "{one} {other}");
        }
    }
}
