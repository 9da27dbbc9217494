//! What only the section on time and money is asked: how many tokens, on how many GPUs, at which MFU and price.

use memory_wall_core::architecture::Architecture;
use memory_wall_core::scaling::{self, TOKENS_PER_PARAMETER};
use memory_wall_core::tables::gpus::Gpu;

use super::decimal::Decimal;

/// Levers of that section. A zero is a field left empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spending {
    /// GPUs that train.
    pub gpus: u64,
    /// Tokens that are trained on.
    pub tokens: u64,
    /// The MFU from and to, in thousandths of a percent.
    pub mfu: [u64; 2],
    /// What a GPU costs for an hour, in thousandths of a dollar.
    pub price: u64,
}

impl Default for Spending {
    /// A node of eight GPUs at 2 dollars an hour each, and the 2 trillion tokens of Llama 2.
    fn default() -> Self {
        Self { gpus: 8, tokens: 2_000_000_000_000, mfu: [0; 2], price: 2_000 }
    }
}

impl Spending {
    /// GPUs that train: one where none are said.
    pub fn gpus_in_use(&self) -> u64 {
        self.gpus.max(1)
    }

    /// Tokens that are trained on: where none are said, so many for each parameter as is usual.
    pub fn tokens_in_use(&self, shape: &Architecture) -> u64 {
        if self.tokens > 0 { self.tokens } else { shape.active_parameters().saturating_mul(TOKENS_PER_PARAMETER) }
    }

    /// The MFU from and to: the reader's own, lower end first, and where none is said that of public runs; `None` where none is known.
    pub fn mfu_in_use(&self, gpu: &Gpu) -> Option<[f64; 2]> {
        let own = self.mfu.map(|own| (own > 0).then(|| Decimal::SHARE.value(own) / 100.0));
        match own {
            [Some(one), Some(other)] => Some([one.min(other), one.max(other)]),
            [Some(one), None] | [None, Some(one)] => Some([one; 2]),
            [None, None] => scaling::mfu(self.gpus_in_use(), gpu),
        }
    }

    /// The price of a GPU for an hour in dollars, if one is said.
    pub fn price_in_use(&self) -> Option<f64> {
        (self.price > 0).then(|| Decimal::RATE.value(self.price))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_core::tables::{gpus, models};

    #[test]
    fn empty_fields_stand_for_what_is_usual() {
        let shape = models::by_id("llama-2-7b").unwrap().architecture;
        let gpu = gpus::by_id("a100-80-sxm").unwrap();
        let empty = Spending { gpus: 0, tokens: 0, mfu: [0; 2], price: 0 };
        assert_eq!((empty.gpus_in_use(), empty.tokens_in_use(&shape)), (1, 134_768_312_320));
        assert_eq!((empty.mfu_in_use(gpu), empty.price_in_use()), (Some(scaling::MFU), None));
        let own = Spending { mfu: [45_000, 30_000], ..empty };
        assert_eq!(own.mfu_in_use(gpu), Some([0.3, 0.45]), "in any order");
        assert_eq!(Spending { mfu: [0, 40_000], ..empty }.mfu_in_use(gpu), Some([0.4, 0.4]));
        // Many computers that only PCIe joins.
        let slow = gpus::by_id("rtx4090").unwrap();
        assert_eq!(Spending { gpus: 64, ..empty }.mfu_in_use(slow), None);
        assert_eq!(Spending { gpus: 64, mfu: [10_000, 0], ..empty }.mfu_in_use(slow), Some([0.1, 0.1]));
    }
}
