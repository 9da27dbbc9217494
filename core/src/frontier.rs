//! What comes next against the memory wall: directions, how far each has come, and the figures that they change.

use crate::architecture::Moe;
use crate::units::{ByteRate, Bytes};

choices! {
    /// How far a direction has come.
    Status {
        /// It can be bought or downloaded, and is in daily use.
        Shipped = "shipped";
        /// First products, previews and samples.
        Early = "early";
        /// Prototypes in papers.
        Lab = "lab";
    }
}

/// One direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Direction {
    /// Its short name.
    pub id: &'static str,
    /// How far it has come.
    pub status: Status,
    /// Where that is known from.
    pub source: &'static str,
    /// The figure of the page that it changes, by its anchor.
    pub figure: &'static str,
}

const fn direction(id: &'static str, status: Status, figure: &'static str, source: &'static str) -> Direction {
    Direction { id, status, source, figure }
}

/// The day on which statuses were last checked.
pub const CHECKED: &str = "2026-11-21";

/// Every direction, the most mature first.
#[rustfmt::skip] // one row a line reads as the table it is
pub static DIRECTIONS: [Direction; 11] = [
    direction("formats", Status::Shipped, "figure-hierarchy", "OCP Microscaling Formats v1.0, 2023; NVIDIA Blackwell data sheet, 2024"),
    direction("experts", Status::Shipped, "calculator", "Jiang et al. 2024, Mixtral of Experts (arXiv 2401.04088)"),
    direction("latent", Status::Shipped, "figure-kv_cache", "DeepSeek-AI 2024, DeepSeek-V2 (arXiv 2405.04434)"),
    direction("speculative", Status::Shipped, "figure-roofline", "Leviathan et al. 2023 (ICML); in vLLM since 2024"),
    direction("caches", Status::Shipped, "figure-hierarchy", "AMD CDNA 3 white paper, 2023"),
    direction("wafer", Status::Shipped, "figure-hierarchy", "Cerebras CS-3 and WSE-3, March 2024"),
    direction("co_design", Status::Shipped, "figure-kv_cache", "Zhao et al. 2025, Insights into DeepSeek-V3 (ISCA; arXiv 2505.09343)"),
    direction("hbm4", Status::Early, "figure-roofline", "JEDEC JESD270-4, April 2025; TrendForce, 8 January 2026: mass production from spring 2026"),
    direction("cxl", Status::Early, "figure-hierarchy", "Li et al. 2023, Pond (ASPLOS); Astera Labs, 18 November 2025: preview in Azure"),
    direction("near", Status::Early, "figure-sort", "Lee et al. 2021 (ISCA): HBM with arithmetic in its banks, on samples"),
    direction("inside", Status::Lab, "figure-hierarchy", "Le Gallo et al. 2023 (Nature Electronics): a chip of 64 analogue cores"),
];

/// Bandwidth of one stack of memory.
///
/// # Formula
/// bits of the interface × bits a second of a pin / 8.
///
/// # Units
/// Bytes a second.
///
/// # Source
/// JEDEC JESD238A (HBM3: 1,024 bits, 6.4 Gbit/s) and JESD270-4 (HBM4: 2,048 bits, 8 Gbit/s).
///
/// # Example
/// ```
/// use memory_wall_core::frontier::{HBM3, HBM4, stack};
/// assert!((stack(HBM4).as_gb_per_s() - 2_048.0).abs() < 1e-9);
/// assert!((stack(HBM3).as_gb_per_s() - 819.2).abs() < 1e-9);
/// ```
pub fn stack([bits, gbit_per_s]: [f64; 2]) -> ByteRate {
    ByteRate::from_gb_per_s(bits * gbit_per_s / 8.0)
}

/// Bits of the interface and Gbit/s of a pin: HBM3.
pub const HBM3: [f64; 2] = [1_024.0, 6.4];
/// The same of HBM4.
pub const HBM4: [f64; 2] = [2_048.0, 8.0];
/// Stacks beside one large GPU of today.
pub const STACKS: u32 = 8;

/// Memory on one wafer, and its bandwidth. Source: Cerebras, WSE-3: 44 GB of SRAM, 21 PB/s.
pub const WAFER: (Bytes, ByteRate) = (Bytes(44_000_000_000), ByteRate::from_gb_per_s(21_000_000.0));

/// Tokens that one reading of the weights brings when a small model guesses ahead and the large one checks.
///
/// # Formula
/// (1 − αⁿ⁺¹) / (1 − α), with n tokens guessed and a share α of them accepted, each by itself.
///
/// # Units
/// Tokens a pass of the large model; the small one is not counted.
///
/// # Source
/// Leviathan et al. 2023, equation 1.
///
/// # Example
/// ```
/// use memory_wall_core::frontier::tokens_a_pass;
/// assert!((tokens_a_pass(0.8, 4) - 3.3616).abs() < 1e-9);
/// assert!((tokens_a_pass(0.0, 4) - 1.0).abs() < 1e-9);
/// ```
pub fn tokens_a_pass(accepted: f64, guessed: u32) -> f64 {
    let mut sum = 1.0;
    let mut chance = 1.0;
    for _ in 0..guessed {
        chance *= accepted;
        sum += chance;
    }
    sum
}

/// Different experts of a layer that a batch asks for, if every choice is as likely.
///
/// # Formula
/// `experts` × (1 − (1 − `experts_per_token` / `experts`)ᵇᵃᵗᶜʰ).
///
/// # Example
/// ```
/// use memory_wall_core::{architecture::Moe, frontier::experts_read};
/// let mixtral = Moe::of(8, 2, 14_336);
/// assert!((experts_read(&mixtral, 1) - 2.0).abs() < 1e-9);
/// assert!(experts_read(&mixtral, 16) > 7.9);
/// ```
pub fn experts_read(moe: &Moe, batch: u32) -> f64 {
    let experts = f64::from(moe.experts);
    let miss = 1.0 - f64::from(moe.experts_per_token) / experts.max(1.0);
    // A batch of some dozens: a walk, since the core has no powers.
    let missed = (0..batch).fold(1.0, |missed, _| missed * miss);
    experts * (1.0 - missed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_direction_has_a_source_and_its_own_name() {
        for (place, direction) in DIRECTIONS.iter().enumerate() {
            assert!(direction.source.contains("20"), "{}: a source has a year", direction.id);
            assert!(DIRECTIONS.iter().skip(place + 1).all(|other| other.id != direction.id));
        }
        for status in Status::ALL {
            assert!(DIRECTIONS.iter().any(|direction| direction.status == *status));
        }
    }
}
