//! What is asked beyond one card: what the cards are for, and how many there are.

use memory_wall_core::scaling::Purpose;

/// How many cards share a training step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cards {
    /// One.
    One,
    /// Two.
    Two,
    /// Half a computer.
    Four,
    /// A computer.
    Eight,
    /// Two computers.
    Sixteen,
    /// Eight computers.
    SixtyFour,
}

impl Cards {
    /// Every number that is offered.
    pub const ALL: &[Self] = &[Self::One, Self::Two, Self::Four, Self::Eight, Self::Sixteen, Self::SixtyFour];

    /// The number.
    pub const fn count(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Four => 4,
            Self::Eight => 8,
            Self::Sixteen => 16,
            Self::SixtyFour => 64,
        }
    }

    /// The name in links.
    pub const fn id(self) -> &'static str {
        match self {
            Self::One => "1",
            Self::Two => "2",
            Self::Four => "4",
            Self::Eight => "8",
            Self::Sixteen => "16",
            Self::SixtyFour => "64",
        }
    }

    /// Reads a name from a link.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|cards| cards.id() == id)
    }
}

/// The settings of the sections on many cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Cards that share a training step.
    pub cards: Cards,
    /// What the cards of the table from 7 to 700 billion parameters are for.
    pub purpose: Purpose,
}

impl Default for Cluster {
    fn default() -> Self {
        Self { cards: Cards::Eight, purpose: Purpose::Hold }
    }
}
