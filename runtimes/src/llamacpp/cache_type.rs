//! Formats of `--cache-type-k` and `--cache-type-v`.

use memory_wall_core::KvPrecision;
use memory_wall_core::precision::Block;

memory_wall_core::choices! {
    /// A format of keys or of values.
    CacheType {
        /// fp32.
        F32 = "f32";
        /// fp16, the usual one.
        F16 = "f16";
        /// bf16.
        Bf16 = "bf16";
        /// 8 bits and a scale for 32 values.
        Q8Zero = "q8_0";
        /// 4 bits and a scale.
        Q4Zero = "q4_0";
        /// 4 bits, a scale and a minimum.
        Q4One = "q4_1";
        /// 4 bits of a table that isn't even, and a scale.
        Iq4Nl = "iq4_nl";
        /// 5 bits and a scale.
        Q5Zero = "q5_0";
        /// 5 bits, a scale and a minimum.
        Q5One = "q5_1";
    }
}

impl CacheType {
    /// The nearest to a format of the engine: `f16`, the usual one, for 16 bits of either kind, `q8_0` for 8, `q4_0` for 4.
    pub const fn nearest(kv: KvPrecision) -> Self {
        match kv {
            KvPrecision::Fp32 => Self::F32,
            KvPrecision::Fp16 | KvPrecision::Bf16 => Self::F16,
            KvPrecision::Fp8 | KvPrecision::Int8 => Self::Q8Zero,
            KvPrecision::Int4 => Self::Q4Zero,
        }
    }

    /// How values are packed.
    ///
    /// # Source
    /// `ggml-common.h` of ggml-org/llama.cpp: `block_q8_0` and its kin. Read 2026-11-25.
    pub const fn block(self) -> Block {
        let bytes = match self {
            Self::F32 => return Block::FP32,
            Self::F16 | Self::Bf16 => return Block::BF16,
            Self::Q8Zero => 34,
            Self::Q4Zero | Self::Iq4Nl => 18,
            Self::Q4One => 20,
            Self::Q5Zero => 22,
            Self::Q5One => 24,
        };
        Block { values: 32, bytes }
    }

    /// Whether values of this format are packed, which llama.cpp allows of values with flash attention only.
    pub const fn is_packed(self) -> bool {
        self.block().values > 1
    }
}
