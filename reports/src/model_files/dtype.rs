//! How values are stored in a model file, with exact sizes.

use core::fmt;

/// A storage type: every `values` values take `bytes` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dtype {
    /// Its name, as the format's own programs write it.
    pub name: &'static str,
    /// Values in a block.
    pub values: u32,
    /// Bytes of a block, scales included.
    pub bytes: u32,
}

impl Dtype {
    const fn new(name: &'static str, values: u32, bytes: u32) -> Self {
        Self { name, values, bytes }
    }

    /// The bytes of so many values; `None` where that is no whole number of blocks, or too many.
    pub fn size(self, values: u64) -> Option<u64> {
        let blocks = values.checked_div(self.values.into())?;
        if !values.is_multiple_of(self.values.into()) {
            return None;
        }
        blocks.checked_mul(self.bytes.into())
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The types of safetensors.
///
/// Source: the names in safetensors 0.8.0 and github.com/huggingface/safetensors, safetensors/src/tensor.rs; checked 2026-11-24.
const SAFETENSORS: [Dtype; 22] = [
    Dtype::new("BOOL", 1, 1),
    Dtype::new("F4", 2, 1),
    Dtype::new("F6_E2M3", 4, 3),
    Dtype::new("F6_E3M2", 4, 3),
    Dtype::new("U8", 1, 1),
    Dtype::new("I8", 1, 1),
    Dtype::new("F8_E5M2", 1, 1),
    Dtype::new("F8_E4M3", 1, 1),
    Dtype::new("F8_E8M0", 1, 1),
    Dtype::new("F8_E4M3FNUZ", 1, 1),
    Dtype::new("F8_E5M2FNUZ", 1, 1),
    Dtype::new("I16", 1, 2),
    Dtype::new("U16", 1, 2),
    Dtype::new("F16", 1, 2),
    Dtype::new("BF16", 1, 2),
    Dtype::new("I32", 1, 4),
    Dtype::new("U32", 1, 4),
    Dtype::new("F32", 1, 4),
    Dtype::new("C64", 1, 8),
    Dtype::new("F64", 1, 8),
    Dtype::new("I64", 1, 8),
    Dtype::new("U64", 1, 8),
];

/// The types of ggml by their numbers; numbers that were given up are left out.
///
/// Source: `GGMLQuantizationType` and `GGML_QUANT_SIZES` in github.com/ggml-org/llama.cpp, gguf-py/gguf/constants.py; checked 2026-11-24.
const GGML: [(u32, Dtype); 34] = [
    (0, Dtype::new("F32", 1, 4)),
    (1, Dtype::new("F16", 1, 2)),
    (2, Dtype::new("Q4_0", 32, 18)),
    (3, Dtype::new("Q4_1", 32, 20)),
    (6, Dtype::new("Q5_0", 32, 22)),
    (7, Dtype::new("Q5_1", 32, 24)),
    (8, Dtype::new("Q8_0", 32, 34)),
    (9, Dtype::new("Q8_1", 32, 40)),
    (10, Dtype::new("Q2_K", 256, 84)),
    (11, Dtype::new("Q3_K", 256, 110)),
    (12, Dtype::new("Q4_K", 256, 144)),
    (13, Dtype::new("Q5_K", 256, 176)),
    (14, Dtype::new("Q6_K", 256, 210)),
    (15, Dtype::new("Q8_K", 256, 292)),
    (16, Dtype::new("IQ2_XXS", 256, 66)),
    (17, Dtype::new("IQ2_XS", 256, 74)),
    (18, Dtype::new("IQ3_XXS", 256, 98)),
    (19, Dtype::new("IQ1_S", 256, 50)),
    (20, Dtype::new("IQ4_NL", 32, 18)),
    (21, Dtype::new("IQ3_S", 256, 110)),
    (22, Dtype::new("IQ2_S", 256, 82)),
    (23, Dtype::new("IQ4_XS", 256, 136)),
    (24, Dtype::new("I8", 1, 1)),
    (25, Dtype::new("I16", 1, 2)),
    (26, Dtype::new("I32", 1, 4)),
    (27, Dtype::new("I64", 1, 8)),
    (28, Dtype::new("F64", 1, 8)),
    (29, Dtype::new("IQ1_M", 256, 56)),
    (30, Dtype::new("BF16", 1, 2)),
    (34, Dtype::new("TQ1_0", 256, 54)),
    (35, Dtype::new("TQ2_0", 256, 66)),
    (39, Dtype::new("MXFP4", 32, 17)),
    (40, Dtype::new("NVFP4", 64, 36)),
    (41, Dtype::new("Q1_0", 128, 18)),
];

impl Dtype {
    /// A type of safetensors by its name.
    pub fn of_safetensors(name: &[u8]) -> Option<Self> {
        SAFETENSORS.into_iter().find(|dtype| dtype.name.as_bytes() == name)
    }

    /// A type of ggml by its name, in letters of any size.
    pub fn of_ggml_name(name: &[u8]) -> Option<Self> {
        GGML.into_iter().map(|(_, dtype)| dtype).find(|dtype| dtype.name.as_bytes().eq_ignore_ascii_case(name))
    }

    /// A type of ggml by its number.
    pub fn of_ggml(number: u32) -> Option<Self> {
        GGML.into_iter().find(|(known, _)| *known == number).map(|(_, dtype)| dtype)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_core::WeightFormat;

    #[test]
    fn sizes_are_whole_blocks() {
        let q4 = Dtype::of_ggml(12).unwrap();
        assert_eq!((q4.size(512), q4.size(511), q4.size(0)), (Some(288), None, Some(0)));
        assert_eq!(Dtype::of_safetensors(b"F4").unwrap().size(7), None);
        assert_eq!(Dtype::of_safetensors(b"F32").unwrap().size(u64::MAX), None);
        assert_eq!(Dtype::of_ggml(4), None);
    }

    #[test]
    fn the_engine_has_the_same_blocks() {
        for (number, format) in [
            (2, WeightFormat::Q4Zero),
            (6, WeightFormat::Q5Zero),
            (8, WeightFormat::Q8Zero),
            (10, WeightFormat::Q2K),
            (11, WeightFormat::Q3K),
            (12, WeightFormat::Q4K),
            (13, WeightFormat::Q5K),
            (14, WeightFormat::Q6K),
            (20, WeightFormat::Iq4Nl),
            (23, WeightFormat::Iq4Xs),
            (39, WeightFormat::Mxfp4),
        ] {
            let (dtype, block) = (Dtype::of_ggml(number).unwrap(), format.block());
            assert_eq!((dtype.values, dtype.bytes), (block.values, block.bytes), "{dtype}");
        }
    }
}
