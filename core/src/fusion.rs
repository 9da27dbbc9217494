//! Fusion: the same layer as three kernels and as one, and what travels to the GPU's memory and back each time.
//!
//! The layer is GELU(xW + b) with dropout, the first half of the MLP of GPT-2 and BERT. A kernel is one program that the GPU runs: it reads its inputs
//! from memory and writes its outputs back, so each kernel that is saved saves a round trip.

use crate::precision::ComputePrecision;
use crate::tables::gpus::Gpu;
use crate::units::Bytes;

choices! {
    /// How the layer is cut into kernels.
    Fusion {
        /// Every operation is a kernel of its own, as written.
        Separate = "separate";
        /// The product, and one kernel for all that follows it value by value: what a compiler such as `torch.compile` usually makes of it.
        Pointwise = "pointwise";
        /// One kernel: what follows the product is done before its result leaves the chip.
        Epilogue = "epilogue";
    }
}

choices! {
    /// One kernel.
    Kernel {
        /// y = xW + b: one kernel in `nn.Linear`, which adds the bias where the product's result is still on the chip.
        Product = "product";
        /// GELU(y).
        Gelu = "gelu";
        /// Dropout, with a mask of one byte a value.
        Dropout = "dropout";
        /// GELU and dropout in one.
        Rest = "rest";
        /// Everything in one.
        Everything = "everything";
    }
}

impl Fusion {
    /// Its kernels, in order.
    pub const fn kernels(self) -> &'static [Kernel] {
        match self {
            Self::Separate => &[Kernel::Product, Kernel::Gelu, Kernel::Dropout],
            Self::Pointwise => &[Kernel::Product, Kernel::Rest],
            Self::Epilogue => &[Kernel::Everything],
        }
    }
}

/// The layer's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Tokens at once.
    pub tokens: u64,
    /// Width of x.
    pub in_features: u32,
    /// Width of the result.
    pub out_features: u32,
    /// Bytes of one value of x, W, b and the result.
    pub bytes_per_value: u32,
}

/// What one kernel, or all of them, move and compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trip {
    /// From the GPU's memory.
    pub read: Bytes,
    /// To the GPU's memory.
    pub written: Bytes,
    /// Of the matrix product; additions value by value take no time beside it.
    pub flops: u128,
}

impl Trip {
    /// Both ways.
    pub fn bytes(self) -> Bytes {
        self.read + self.written
    }
}

impl Layer {
    /// The result of the product, which the kernels hand on to each other.
    pub fn intermediate(&self) -> Bytes {
        Bytes(self.values() * u128::from(self.bytes_per_value))
    }

    fn values(&self) -> u128 {
        u128::from(self.tokens) * u128::from(self.out_features)
    }

    /// What one kernel reads, writes and computes.
    ///
    /// # Formula
    /// With T tokens, widths I and O and v bytes a value: the product with its bias reads v(TI + IO + O), writes vTO and takes 2TIO FLOPs.
    /// GELU reads and writes vTO; dropout reads vTO and writes (v + 1)TO, the one byte being the mask that the backward pass asks for.
    /// Kernels in one read what the first reads and write what the last writes.
    ///
    /// # Units
    /// Bytes and FLOPs.
    ///
    /// # Assumes
    /// Every input is read once and every output written once: the product's tiles find what they share in the caches. What a kernel wrote has left the chip
    /// before the next one reads it; [`Layer::stays_on_chip`] says when it has not.
    ///
    /// # Source
    /// Ivanov et al. 2020, "Data Movement Is All You Need"; one byte a value is the mask of PyTorch's `native_dropout`;
    /// the bias is part of the product in its `addmm` (`gemm_and_bias` in aten/src/ATen/native/cuda/Blas.cpp).
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::{Bytes, fusion::{Kernel, Layer}};
    /// let layer = Layer { tokens: 2_048, in_features: 4_096, out_features: 11_008, bytes_per_value: 2 };
    /// let product = layer.trip(Kernel::Product);
    /// assert_eq!(product.read, Bytes(2 * (2_048 * 4_096 + 4_096 * 11_008 + 11_008)));
    /// assert_eq!(product.flops, 2 * 2_048 * 4_096 * 11_008);
    /// assert_eq!(layer.trip(Kernel::Gelu).bytes(), Bytes(4 * 2_048 * 11_008));
    /// ```
    pub fn trip(&self, kernel: Kernel) -> Trip {
        let [inputs, outputs, value] = [self.in_features, self.out_features, self.bytes_per_value].map(u128::from);
        let operands = (u128::from(self.tokens) * inputs + inputs * outputs + outputs) * value;
        let flops = 2 * self.values() * inputs;
        let (result, mask) = (self.values() * value, self.values());
        let (read, written, flops) = match kernel {
            Kernel::Product => (operands, result, flops),
            Kernel::Gelu => (result, result, 0),
            Kernel::Dropout | Kernel::Rest => (result, result + mask, 0),
            Kernel::Everything => (operands, result + mask, flops),
        };
        Trip { read: Bytes(read), written: Bytes(written), flops }
    }

    /// All kernels of a cut together.
    pub fn total(&self, fusion: Fusion) -> Trip {
        fusion.kernels().iter().map(|kernel| self.trip(*kernel)).fold(Trip::default(), |sum, trip| Trip {
            read: sum.read + trip.read,
            written: sum.written + trip.written,
            flops: sum.flops + trip.flops,
        })
    }

    /// The peak that the product runs at: of its own width, or the nearest wider one that the GPU publishes.
    fn peak(&self, gpu: &Gpu) -> Option<f64> {
        use ComputePrecision::{Bf16, Fp16, Fp32, Tf32};
        let order = if self.bytes_per_value >= 4 { [Tf32, Fp32, Fp32] } else { [Bf16, Fp16, Fp32] };
        order.into_iter().find_map(|precision| gpu.peaks.at(precision)).map(|rate| rate.0)
    }

    /// Seconds that the matrix product computes, at the GPU's dense peak; 0 where none is published.
    pub fn product_seconds(&self, gpu: &Gpu) -> f64 {
        self.peak(gpu).map_or(0.0, |peak| self.trip(Kernel::Product).flops as f64 / peak)
    }

    /// Seconds of one kernel: computing or moving, whichever takes longer.
    ///
    /// # Formula
    /// max(bytes ÷ bandwidth, FLOPs ÷ peak).
    ///
    /// # Units
    /// Seconds.
    ///
    /// # Assumes
    /// Printed bandwidth and dense peak, both reached; no time to start a kernel. So real kernels are slower, the product most of all.
    ///
    /// # Source
    /// Williams, Waterman and Patterson 2009, "Roofline".
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::{fusion::{Kernel, Layer}, tables::gpus};
    /// let a100 = gpus::by_id("a100-80-sxm").unwrap();
    /// let layer = Layer { tokens: 2_048, in_features: 4_096, out_features: 11_008, bytes_per_value: 2 };
    /// let us = |kernel| (layer.seconds(kernel, a100) * 1e6).round();
    /// assert_eq!((us(Kernel::Product), us(Kernel::Gelu)), (592.0, 44.0));
    /// ```
    pub fn seconds(&self, kernel: Kernel, gpu: &Gpu) -> f64 {
        let trip = self.trip(kernel);
        let moving = trip.bytes().0 as f64 / gpu.bandwidth.0;
        if trip.flops > 0 { moving.max(self.product_seconds(gpu)) } else { moving }
    }

    /// Seconds of all kernels of a cut, one after the other.
    pub fn total_seconds(&self, fusion: Fusion, gpu: &Gpu) -> f64 {
        fusion.kernels().iter().map(|kernel| self.seconds(*kernel, gpu)).sum()
    }

    /// Whether the intermediate result fits into the cache that all units share, so that the next kernel may find it there and the trip is not made;
    /// `None` where the cache is not known.
    pub fn stays_on_chip(&self, gpu: &Gpu) -> Option<bool> {
        gpu.cache().map(|cache| self.intermediate() <= cache)
    }

    /// The share of the separate kernels' time that the product takes: no fusion can win more than the rest.
    pub fn product_share(&self, gpu: &Gpu) -> f64 {
        self.seconds(Kernel::Product, gpu) / self.total_seconds(Fusion::Separate, gpu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::gpus::{GPUS, by_id};

    const LAYER: Layer = Layer { tokens: 2_048, in_features: 4_096, out_features: 11_008, bytes_per_value: 2 };

    #[test]
    fn each_kernel_saved_is_a_round_trip_saved() {
        let result = 2_048 * 11_008 * 2_u128;
        let [separate, pointwise, epilogue] =
            [Fusion::Separate, Fusion::Pointwise, Fusion::Epilogue].map(|cut| LAYER.total(cut));
        // `nn.Linear` adds its bias within the product, so it costs no round trip that a fusion could save.
        assert_eq!(separate.bytes().0 - pointwise.bytes().0, 2 * result);
        assert_eq!(pointwise.bytes().0 - epilogue.bytes().0, 2 * result);
        assert_eq!([separate, pointwise, epilogue].map(|trip| trip.flops), [LAYER.trip(Kernel::Product).flops; 3]);
        // 106,976,768 + 45,088,768 for the product with its bias, 90,177,536 + 112,721,920 for the others.
        assert_eq!(separate.bytes(), Bytes(354_964_992));
    }

    #[test]
    fn it_pays_by_as_much_as_the_product_leaves() {
        let a100 = by_id("a100-80-sxm").unwrap();
        let times = [Fusion::Separate, Fusion::Pointwise, Fusion::Epilogue].map(|cut| LAYER.total_seconds(cut, a100));
        let expected = [691.5e-6, 647.2e-6, 592.0e-6];
        for (time, expected) in times.into_iter().zip(expected) {
            assert!((time / expected - 1.0).abs() < 2e-3, "{time} {expected}");
        }
        assert!((LAYER.product_share(a100) - 0.856).abs() < 1e-3);
    }

    #[test]
    fn what_fits_into_the_cache_makes_no_trip() {
        let a100 = by_id("a100-80-sxm").unwrap();
        assert_eq!(LAYER.stays_on_chip(a100), Some(false), "45.1 MB against 41.9");
        assert_eq!(Layer { tokens: 1_024, ..LAYER }.stays_on_chip(a100), Some(true));
        assert_eq!(LAYER.stays_on_chip(by_id("b200").unwrap()), Some(true));
        assert_eq!(LAYER.stays_on_chip(by_id("m4max").unwrap()), None);
        // An often shown example, two products of 512 × 1,024 × 1,024 in fp32: it never leaves the L2, and arithmetic takes nearly all its time.
        let small = Layer { tokens: 512, in_features: 1_024, out_features: 1_024, bytes_per_value: 4 };
        assert_eq!(small.stays_on_chip(a100), Some(true));
    }

    #[test]
    fn every_cut_is_at_least_as_fast_as_the_one_before() {
        for gpu in GPUS {
            for tokens in [1, 128, 100_000, 10_000_000_000_000] {
                let layer = Layer { tokens, ..LAYER };
                let [separate, pointwise, epilogue] =
                    [Fusion::Separate, Fusion::Pointwise, Fusion::Epilogue].map(|cut| layer.total_seconds(cut, gpu));
                assert!(separate > pointwise && pointwise > epilogue && epilogue > 0.0, "{} {tokens}", gpu.id);
                assert!((0.0..1.0).contains(&layer.product_share(gpu)), "{} {tokens}", gpu.id);
            }
        }
    }
}
