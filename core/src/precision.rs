//! Number formats: how many bytes a stored value takes, with the scales that block formats carry.

use core::fmt;

use crate::worked::Item;

/// A storage format as exact block arithmetic: every `values` values take `bytes` bytes, scales included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// Values in a block.
    pub values: u32,
    /// Bytes of a block, its scales and zero points included.
    pub bytes: u32,
}

impl Block {
    /// One fp32 value.
    pub const FP32: Self = Self::new(1, 4);
    /// One 16-bit value.
    pub const BF16: Self = Self::new(1, 2);
    /// llama.cpp's `Q5_1`: 5 bits with a scale and an offset for 32 values.
    pub const Q5_1: Self = Self::new(32, 24);
    /// llama.cpp's `Q6_K`.
    pub const Q6_K: Self = Self::new(256, 210);

    const fn new(values: u32, bytes: u32) -> Self {
        Self { values, bytes }
    }

    /// Bits that a value takes on average, scales included: 4.5 for `nf4`.
    pub fn bits_per_value(self) -> f64 {
        f64::from(self.bytes) * 8.0 / f64::from(self.values)
    }
}

/// Values along each side of a block of fp8 weights that share a scale.
pub const FP8_BLOCK: u64 = 128;

macro_rules! formats {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $id:literal, $label:literal, $values:literal, $bytes:literal;)* }) => {
        choices! {
            $(#[$doc])*
            $name { $($(#[$vdoc])* $variant = $id;)* }
        }

        impl $name {
            /// The name to show.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$variant => $label),* }
            }

            /// Its exact storage.
            pub const fn block(self) -> Block {
                match self { $(Self::$variant => Block::new($values, $bytes)),* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.label())
            }
        }
    };
}

formats! {
    /// How weights are stored.
    ///
    /// Formats below 16 bits hold the matrices of the layers; [`WeightFormat::kept`] says what becomes of the other tensors.
    ///
    /// Source: layout of each format as its own documentation states it (GPTQ and AWQ with group size 128;
    /// llm-compressor's `int-quantized` for W8A8; bitsandbytes NF4 with block 64, with and without double quantisation; OCP Microscaling v1.0 for MXFP4;
    /// NVIDIA's NVFP4 with one fp8 scale for 16 values; DeepSeek-V3 for fp8 in blocks of 128 × 128; the block structures of llama.cpp).
    WeightFormat {
        /// IEEE single precision: 4 bytes.
        Fp32 = "fp32", "fp32", 1, 4;
        /// IEEE half precision: 2 bytes.
        Fp16 = "fp16", "fp16", 1, 2;
        /// bfloat16: 2 bytes.
        Bf16 = "bf16", "bf16", 1, 2;
        /// 8-bit float (E4M3), one scale for a tensor: 1 byte (the scale is 4 bytes for millions of values).
        Fp8 = "fp8", "fp8", 1, 1;
        /// 8-bit integers in groups of 128 with one 16-bit scale: 8.125 bits.
        Int8 = "int8", "int8 (group 128)", 128, 130;
        /// 8-bit integers with one scale for a row, multiplied with activations in 8 bits: 1 byte (the scale is 2 or 4 bytes for thousands of values).
        W8a8 = "w8a8", "int8 (W8A8)", 1, 1;
        /// 4-bit integers in groups of 128 with a 16-bit scale and a 4-bit zero point (AWQ, GPTQ): 4.156 bits.
        Int4 = "int4", "int4 (group 128)", 256, 133;
        /// 4-bit integers in groups of 32 with a 16-bit scale and a 16-bit zero point (torchao, gpt-fast): 5 bits.
        Int4Group32 = "int4-g32", "int4 (group 32)", 32, 20;
        /// 4-bit normal float in blocks of 64 with an fp32 scale: 4.5 bits.
        Nf4 = "nf4", "nf4", 64, 36;
        /// NF4 with its scales quantised again (QLoRA): 4.127 bits.
        Nf4Dq = "nf4-dq", "nf4, double quantised", 16_384, 8_452;
        /// 4-bit float in blocks of 32 with an 8-bit shared exponent: 4.25 bits.
        Mxfp4 = "mxfp4", "mxfp4", 32, 17;
        /// 4-bit float in blocks of 16 with an fp8 scale: 4.5 bits.
        Nvfp4 = "nvfp4", "nvfp4", 16, 9;
        /// 8-bit float with an fp32 scale for each 128 × 128 values: 8.002 bits.
        Fp8Block = "fp8-block", "fp8 (block 128)", 16_384, 16_388;
        /// llama.cpp, 8 bits with a 16-bit scale for 32 values: 8.5 bits.
        Q8Zero = "q8_0", "GGUF Q8_0", 32, 34;
        /// llama.cpp, 6 bits in superblocks of 256: 6.5625 bits.
        Q6K = "q6_k", "GGUF Q6_K", 256, 210;
        /// llama.cpp's `Q5_K_M`, which it calls `Q5_K` too: 5.5 bits in superblocks of 256, in a mix with `Q6_K`.
        Q5K = "q5_k", "GGUF Q5_K_M", 256, 176;
        /// llama.cpp's `Q5_K_S`: 5.5 bits in superblocks of 256.
        Q5KS = "q5_k_s", "GGUF Q5_K_S", 256, 176;
        /// llama.cpp, 5 bits with a 16-bit scale for 32 values: 5.5 bits.
        Q5Zero = "q5_0", "GGUF Q5_0", 32, 22;
        /// llama.cpp's `Q4_K_M`, which it calls `Q4_K` too: 4.5 bits in superblocks of 256, in a mix with `Q6_K`.
        Q4K = "q4_k", "GGUF Q4_K_M", 256, 144;
        /// llama.cpp's `Q4_K_S`: 4.5 bits in superblocks of 256, in a mix with `Q5_K`.
        Q4KS = "q4_k_s", "GGUF Q4_K_S", 256, 144;
        /// llama.cpp's `IQ4_NL`: 4 bits of a table of values, with a 16-bit scale for 32: 4.5 bits, in a mix with `Q5_K`.
        Iq4Nl = "iq4_nl", "GGUF IQ4_NL", 32, 18;
        /// llama.cpp, 4 bits with a 16-bit scale for 32 values: 4.5 bits.
        Q4Zero = "q4_0", "GGUF Q4_0", 32, 18;
        /// llama.cpp's `IQ4_XS`: the same values in superblocks of 256: 4.25 bits, in a mix with `Q5_K`.
        Iq4Xs = "iq4_xs", "GGUF IQ4_XS", 256, 136;
        /// llama.cpp's `Q3_K_L`: 3.4375 bits in superblocks of 256, in a mix with `Q5_K`.
        Q3KL = "q3_k_l", "GGUF Q3_K_L", 256, 110;
        /// llama.cpp's `Q3_K_M`, which it calls `Q3_K` too: 3.4375 bits in superblocks of 256, in a mix with `Q4_K` and `Q5_K`.
        Q3K = "q3_k", "GGUF Q3_K_M", 256, 110;
        /// llama.cpp's `Q3_K_S`: 3.4375 bits in superblocks of 256.
        Q3KS = "q3_k_s", "GGUF Q3_K_S", 256, 110;
        /// llama.cpp's `Q2_K`: 2.625 bits in superblocks of 256, in a mix with `Q3_K` and `Q4_K`.
        Q2K = "q2_k", "GGUF Q2_K", 256, 84;
    }
}

impl WeightFormat {
    /// Whether values are stored one by one (fp32, fp16, bf16, fp8, W8A8) rather than in blocks with scales.
    pub const fn is_plain(self) -> bool {
        self.block().values == 1
    }

    /// Whether gradients can flow into weights of this format: 16 and 32 bits.
    pub const fn trainable(self) -> bool {
        matches!(self, Self::Fp32 | Self::Fp16 | Self::Bf16)
    }

    /// Bytes of one value of the tensors that are never quantised, and of activations: 4 with fp32 weights, otherwise 2.
    pub const fn unquantised_bytes(self) -> u32 {
        match self {
            Self::Fp32 => 4,
            _ => 2,
        }
    }

    /// Its name in a sentence: a GGUF format as its files are called, of which the id says less, and another by its id.
    pub const fn named(self) -> &'static str {
        if self.is_gguf() { self.label() } else { self.id() }
    }

    /// Whether this is a layout of llama.cpp, which quantises the tables too and keeps vectors in fp32.
    pub const fn is_gguf(self) -> bool {
        matches!(
            self,
            Self::Q8Zero
                | Self::Q6K
                | Self::Q5K
                | Self::Q5KS
                | Self::Q5Zero
                | Self::Q4K
                | Self::Q4KS
                | Self::Iq4Nl
                | Self::Q4Zero
                | Self::Iq4Xs
                | Self::Q3KL
                | Self::Q3K
                | Self::Q3KS
                | Self::Q2K
        )
    }

    /// The layout in which a kind of tensor is kept when the model is stored in this format.
    ///
    /// Plain formats hold everything. Quantisers shrink the matrices of the layers and leave embedding, head, routers, norms and biases
    /// in 16 bits; MXFP4 and NVFP4 of a mixture of experts shrink the experts only (gpt-oss). llama.cpp shrinks the embedding as well,
    /// gives the output head (of a tied model: the table) `Q6_K` unless the format is wider, and keeps routers, norms and biases in fp32.
    pub fn kept(self, item: Item, mixture: bool, tied: bool) -> Block {
        if self.trainable() {
            return self.block();
        }
        let experts_only = mixture && matches!(self, Self::Mxfp4 | Self::Nvfp4);
        match item {
            Item::Experts => self.block(),
            Item::LayerMatrices if !experts_only => self.block(),
            Item::EmbeddingTable if self.is_gguf() && !tied => self.block(),
            Item::EmbeddingTable | Item::OutputHead if self.is_gguf() => match self {
                Self::Q8Zero => self.block(),
                _ => Block::Q6_K,
            },
            _ if self.is_gguf() => Block::FP32,
            _ => Block::BF16,
        }
    }

    /// Whether the format holds the matrices of the layers only (everything below 16 bits).
    pub const fn layers_only(self) -> bool {
        !self.trainable()
    }
}

formats! {
    /// How the KV cache is stored. Scales, where an engine keeps any, are per tensor or per head: below 0.1%, not counted.
    KvPrecision {
        /// IEEE single precision: 4 bytes.
        Fp32 = "fp32", "fp32", 1, 4;
        /// IEEE half precision: 2 bytes.
        Fp16 = "fp16", "fp16", 1, 2;
        /// bfloat16: 2 bytes.
        Bf16 = "bf16", "bf16", 1, 2;
        /// 8-bit float: 1 byte.
        Fp8 = "fp8", "fp8", 1, 1;
        /// 8-bit integers: 1 byte.
        Int8 = "int8", "int8", 1, 1;
        /// 4-bit integers: half a byte.
        Int4 = "int4", "int4", 2, 1;
    }
}

choices! {
    /// A format in which a GPU's units multiply. TF32 lives here only: it is a way to compute on fp32 data, never a way to store it.
    ComputePrecision {
        /// Plain single precision, outside the matrix units on most GPUs.
        Fp32 = "fp32";
        /// fp32 data, rounded to 10 mantissa bits inside the matrix units.
        Tf32 = "tf32";
        /// Half precision.
        Fp16 = "fp16";
        /// bfloat16.
        Bf16 = "bf16";
        /// 8-bit float.
        Fp8 = "fp8";
        /// 8-bit integers.
        Int8 = "int8";
        /// 4-bit float.
        Fp4 = "fp4";
    }
}

impl ComputePrecision {
    /// Bytes of one operand in memory: TF32 reads fp32 data, so 4; `None` where it is not a whole byte (fp4).
    pub const fn operand_bytes(self) -> Option<u32> {
        match self {
            Self::Fp32 | Self::Tf32 => Some(4),
            Self::Fp16 | Self::Bf16 => Some(2),
            Self::Fp8 | Self::Int8 => Some(1),
            Self::Fp4 => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_per_value_match_the_published_layouts() {
        for (format, bits) in [
            (WeightFormat::Bf16, 16.0),
            (WeightFormat::Int8, 8.125),
            (WeightFormat::Int4, 4.15625),
            (WeightFormat::Int4Group32, 5.0),
            (WeightFormat::Nf4, 4.5),
            (WeightFormat::Nf4Dq, 4.126_953_125),
            (WeightFormat::Mxfp4, 4.25),
        ] {
            assert!((format.block().bits_per_value() - bits).abs() < 1e-12, "{format}");
        }
    }

    #[test]
    fn ids_are_unique_and_found_again() {
        for &format in WeightFormat::ALL {
            assert_eq!(WeightFormat::from_id(format.id()), Some(format));
        }
        for &format in KvPrecision::ALL {
            assert_eq!(KvPrecision::from_id(format.id()), Some(format));
        }
        assert_eq!(WeightFormat::from_id("tf32"), None, "tf32 is a way to compute, not to store");
    }
}
