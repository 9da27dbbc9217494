//! What kind of machine a GPU is built for, by which GPUs can stand in for each other.

use super::gpus::Gpu;
use crate::precision::{ComputePrecision, WeightFormat};

choices! {
    /// The kind of machine that an accelerator is built for.
    Class {
        /// A GPU for servers.
        DataCentre = "data-centre";
        /// A GPU for a desktop computer: `GeForce`, Radeon RX, Arc, and NVIDIA's RTX for workstations.
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
    /// What it is built for, by its maker, its memory and its name: LPDDR is the memory of a whole computer; RTX, RX and their like stand in the names of desktop GPUs.
    ///
    /// ```
    /// use memory_wall_core::tables::{classes::Class, gpus};
    /// let class = |id| gpus::by_id(id).unwrap().class();
    /// assert_eq!([class("rtx4090"), class("l4")], [Class::Desktop, Class::DataCentre]);
    /// assert_eq!([class("gb10"), class("tpu-v4")], [Class::Unified, Class::Accelerator]);
    /// ```
    pub fn class(&self) -> Class {
        match self.vendor {
            _ if ["rtx", "gtx", "rx", "radeon", "w7900", "r9700", "arc"]
                .iter()
                .any(|name| self.id.starts_with(name)) =>
            {
                Class::Desktop
            }
            "Google" | "Intel" => Class::Accelerator,
            _ if self.memory.starts_with("LPDDR") => Class::Unified,
            _ => Class::DataCentre,
        }
    }

    /// Whether a run could move from the other GPU to this one: same maker, so the same programs, and same class of machine.
    pub fn is_like(&self, other: &Self) -> bool {
        self.vendor == other.vendor && self.class() == other.class()
    }

    /// Whether it has units that multiply in the format of these weights; formats that are unpacked to 16 bits first need none.
    pub fn multiplies(&self, weights: WeightFormat) -> bool {
        // Of the reader's own GPU nothing is known before a rate is stated.
        if self.is_own() && self.peaks.fp16.is_none() {
            return true;
        }
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
            "gtx1660ti",
            "rtx2080ti",
            "rtx2080ti-22",
            "rtx3060-12",
            "rtx3060ti",
            "rtx3070",
            "rtx3080",
            "rtx3090",
            "rtx3090ti",
            "rtx4060",
            "rtx4060ti-16",
            "rtx4070",
            "rtx4070super",
            "rtx4070ti",
            "rtx4070tisuper",
            "rtx4080",
            "rtx4080super",
            "rtx4090",
            "rtx5060",
            "rtx5060ti-8",
            "rtx5060ti-16",
            "rtx5070",
            "rtx5070ti",
            "rtx5080",
            "rtx5090",
            "rtxa4000",
            "rtxa5000",
            "rtxa6000",
            "rtx4000ada",
            "rtx4500ada",
            "rtx5000ada",
            "rtx6000ada",
            "rtxpro4000",
            "rtxpro4500",
            "rtxpro5000",
            "rtxpro5000-72",
            "rtxpro6000",
            "rtxpro6000mq",
            "rtxpro6000se",
            "radeonvii",
            "rx7800xt",
            "rx7900xt",
            "rx7900xtx",
            "w7900",
            "rx9070xt",
            "r9700",
            "arc-a770",
            "arc-b580",
            "arc-pro-b50",
            "arc-pro-b60",
            "arc-pro-b70",
        ];
        assert!(of(Class::Desktop).eq(desktop));
        let unified = [
            "gb10",
            "jetson-thor",
            "strix-halo",
            "m1ultra",
            "m2pro",
            "m2max",
            "m2ultra",
            "m3max",
            "m3ultra",
            "m4",
            "m4pro",
            "m4max",
            "m5",
            "m5pro",
            "m5max",
        ];
        assert!(of(Class::Unified).eq(unified));
        let accelerators = ["tpu-v4", "tpu-v5e", "tpu-v5p", "tpu-v6e", "tpu-v7x", "gaudi2", "gaudi3"];
        assert!(of(Class::Accelerator).eq(accelerators));
        let others = desktop.len() + unified.len() + accelerators.len();
        assert_eq!(of(Class::DataCentre).count(), GPUS.len() - others);
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
