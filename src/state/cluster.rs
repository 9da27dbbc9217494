//! What is asked beyond one card: what the cards are for.

use memory_wall_core::scaling::Purpose;

/// The settings of the sections on many cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// What the cards of the table from 7 to 700 billion parameters are for.
    pub purpose: Purpose,
}

impl Default for Cluster {
    fn default() -> Self {
        Self { purpose: Purpose::Hold }
    }
}
