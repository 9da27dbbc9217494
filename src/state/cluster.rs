//! What is asked beyond one GPU: what the GPUs are for, and how many there are.

use memory_wall_core::scaling::Purpose;

/// How many GPUs share a training step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuCount {
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

impl GpuCount {
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
        Self::ALL.iter().copied().find(|gpus| gpus.id() == id)
    }
}

/// The settings of the sections on many GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// GPUs that share a training step.
    pub gpus: GpuCount,
    /// What the GPUs of the table from 7 to 700 billion parameters are for.
    pub purpose: Purpose,
}

impl Default for Cluster {
    fn default() -> Self {
        Self { gpus: GpuCount::Eight, purpose: Purpose::Hold }
    }
}
