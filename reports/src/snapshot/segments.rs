//! What the allocator held when the snapshot was taken: segments, their blocks, and the sums over both.

use alloc::vec::Vec;

use super::frames::StackId;

/// What a block is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockState {
    /// A tensor lies in it.
    Allocated,
    /// Its tensor is gone, and another stream may still work on it.
    Pending,
    /// Free.
    Free,
}

/// A part of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its address.
    pub address: u64,
    /// Its size.
    pub size: u64,
    /// What was asked for, where the file says so; otherwise its size.
    pub requested: u64,
    /// What it is used for.
    pub state: BlockState,
    /// Where it was allocated.
    pub stack: StackId,
}

/// A piece of memory that the allocator took from the driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its device.
    pub device: u64,
    /// Its address.
    pub address: u64,
    /// Its size.
    pub size: u64,
    /// Whether it holds tensors of 1 MiB or less.
    pub is_small: bool,
    /// Whether it grows in place (`expandable_segments`).
    pub is_expandable: bool,
    /// Whether it belongs to a pool of its own, such as that of a CUDA graph.
    pub is_private: bool,
    /// The stream that it belongs to.
    pub stream: u64,
    /// Its blocks in the order of their addresses.
    pub blocks: Vec<Block>,
}

impl Segment {
    /// Bytes of blocks in a state.
    pub fn bytes(&self, state: BlockState) -> u64 {
        self.blocks.iter().filter(|block| block.state == state).fold(0, |sum, block| sum.saturating_add(block.size))
    }

    /// Stretches of one state, in the order of their addresses, with their bytes.
    pub fn runs(&self) -> Vec<(BlockState, u64)> {
        let mut runs: Vec<(BlockState, u64)> = Vec::new();
        for block in &self.blocks {
            match runs.last_mut().filter(|(state, _)| *state == block.state) {
                Some((_, bytes)) => *bytes = bytes.saturating_add(block.size),
                None => runs.push((block.state, block.size)),
            }
        }
        runs
    }

    /// The largest free block.
    pub fn largest_free(&self) -> u64 {
        let free = self.blocks.iter().filter(|block| block.state == BlockState::Free);
        free.map(|block| block.size).max().unwrap_or(0)
    }

    /// Whether a tensor lies in it, so that it cannot be given back.
    pub fn is_used(&self) -> bool {
        self.blocks.iter().any(|block| block.state != BlockState::Free)
    }
}

/// The sums over the segments of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// What tensors asked for.
    pub requested: u64,
    /// The blocks that tensors lie in.
    pub allocated: u64,
    /// Those, and blocks whose tensor is gone but whose stream still works.
    pub active: u64,
    /// All segments.
    pub reserved: u64,
    /// Free memory in segments that hold a tensor: what fragmentation keeps.
    pub fragmented: u64,
    /// Segments without a tensor, which `torch.cuda.empty_cache()` gives back.
    pub cached: u64,
    /// The largest free block: the largest request that needs no new segment.
    pub largest_free: u64,
    /// Segments that hold a tensor.
    pub used_segments: u32,
    /// Segments.
    pub segments: u32,
    /// Memory in pools of their own.
    pub private: u64,
}

impl Totals {
    /// The sums over some segments.
    pub fn of<'a>(segments: impl IntoIterator<Item = &'a Segment>) -> Self {
        let mut totals = Self::default();
        let add = |sum: &mut u64, bytes: u64| *sum = sum.saturating_add(bytes);
        for segment in segments {
            let [allocated, pending, free] =
                [BlockState::Allocated, BlockState::Pending, BlockState::Free].map(|state| segment.bytes(state));
            for block in segment.blocks.iter().filter(|block| block.state == BlockState::Allocated) {
                add(&mut totals.requested, block.requested);
            }
            add(&mut totals.allocated, allocated);
            add(&mut totals.active, allocated.saturating_add(pending));
            add(&mut totals.reserved, segment.size);
            add(if segment.is_used() { &mut totals.fragmented } else { &mut totals.cached }, free);
            totals.largest_free = totals.largest_free.max(segment.largest_free());
            totals.used_segments += u32::from(segment.is_used());
            totals.segments += 1;
            add(&mut totals.private, if segment.is_private { segment.size } else { 0 });
        }
        totals
    }

    /// What rounding up to whole blocks takes.
    pub const fn rounding(&self) -> u64 {
        self.allocated.saturating_sub(self.requested)
    }

    /// What is reserved and not allocated.
    pub const fn unused(&self) -> u64 {
        self.reserved.saturating_sub(self.allocated)
    }
}
