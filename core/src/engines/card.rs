//! What a program's own buffers depend on in a card.

use crate::tables::gpus::Gpu;

/// Streaming multiprocessors, by how the card's id begins; longer beginnings first.
const MULTIPROCESSORS: [(&str, u64); 8] = [
    ("h100-pcie", 114),
    ("h100", 132),
    ("h200", 132),
    ("h20", 78),
    ("a100", 108),
    ("b200", 148),
    ("gb200", 148),
    ("b300", 160),
];

/// Streaming multiprocessors of a card; those of an H100 where the card is not in the list.
pub(super) fn multiprocessors(gpu: Option<&Gpu>) -> u64 {
    let of = |gpu: &Gpu| MULTIPROCESSORS.iter().find(|(id, _)| gpu.id.starts_with(id)).map(|(_, count)| *count);
    gpu.and_then(of).unwrap_or(132)
}

/// The workspace that PyTorch gives cuBLAS on other cards than Hopper's.
pub(super) const SMALL_WORKSPACE: u64 = 4_096 * 1_024 * 2 + 16 * 1_024 * 8;

/// The workspace that PyTorch gives cuBLAS (`CUDABlas.cpp`): 32 MiB on Hopper, and where no card is named.
pub(super) fn cublas_workspace(gpu: Option<&Gpu>) -> u64 {
    let hopper = gpu.is_none_or(|gpu| ["h100", "h200", "h20"].iter().any(|id| gpu.id.starts_with(id)));
    if hopper { 32 << 20 } else { SMALL_WORKSPACE }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::gpus;

    #[test]
    fn cards_are_told_apart() {
        let of = |id| (multiprocessors(gpus::by_id(id)), cublas_workspace(gpus::by_id(id)));
        assert_eq!(of("h200-sxm"), (132, 33_554_432));
        assert_eq!(of("h20"), (78, 33_554_432));
        assert_eq!(of("a100-80-sxm"), (108, 8_519_680));
        assert_eq!(of("no such card"), (132, 33_554_432));
    }
}
