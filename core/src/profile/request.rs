//! The request that a run died of, and the tensors of the estimated scenario that have its size.

use crate::architecture::Architecture;
use crate::checked::Checked;
use crate::units::Bytes;

/// What a run asked for when no memory was left, as precisely as the message says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// What it asked for.
    pub bytes: Bytes,
    /// One unit of the last digit in the message: 0.01 GiB in "1.96 GiB".
    pub grain: Bytes,
}

choices! {
    /// A tensor that training or generating allocates in one piece.
    Tensor {
        /// The scores of every token for every word of the vocabulary, or their gradient.
        Logits = "logits";
        /// The attention scores of one layer.
        Scores = "scores";
        /// The wide activations inside the MLP of one layer.
        Mlp = "mlp";
        /// The activations between two layers.
        Stream = "stream";
        /// The keys or the values of one layer.
        Cache = "cache";
        /// The embedding table or output head, its gradient or a state of its optimizer.
        Table = "table";
        /// One matrix of an MLP, its gradient or a state of its optimizer.
        Matrix = "matrix";
    }
}

/// A tensor with its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Which one.
    pub tensor: Tensor,
    /// Its dimensions; those that it lacks are 1.
    pub shape: [u64; 5],
    /// Bytes of a value.
    pub bytes_per_value: u64,
}

impl Candidate {
    /// Its size.
    pub fn bytes(&self) -> Bytes {
        Bytes(self.shape.iter().map(|n| u128::from(*n)).product::<u128>() * u128::from(self.bytes_per_value))
    }
}

const MIB: u128 = 1 << 20;
/// PyTorch's allocator asks the driver for at least this much for any tensor larger than 1 MiB.
const LARGE_BLOCK: u128 = 20 * MIB;

/// What PyTorch's allocator asks the driver for to hold a tensor.
///
/// # Formula
/// 2 MiB up to 1 MiB, 20 MiB below 10 MiB, then the next multiple of 2 MiB.
///
/// # Source
/// PyTorch, c10/cuda/CUDACachingAllocator.cpp, `get_allocation_size`, whose result is the size in the message.
fn block(bytes: u128) -> u128 {
    if bytes <= MIB {
        2 * MIB
    } else if bytes < 10 * MIB {
        LARGE_BLOCK
    } else {
        bytes.next_multiple_of(2 * MIB)
    }
}

impl Request {
    /// Whether the size is that of the allocator's own blocks, which hold tensors of many sizes.
    pub const fn is_block(&self) -> bool {
        self.bytes.0 <= LARGE_BLOCK
    }

    /// Whether PyTorch's message would say this for a tensor of `bytes`.
    fn says(&self, bytes: Bytes) -> bool {
        // Half a digit, and a byte for what was cut off when it was read.
        block(bytes.0).abs_diff(self.bytes.0) <= self.grain.0 / 2 + 1
    }
}

impl Tensor {
    /// Its dimensions on the rank that is looked at.
    fn shape(self, scenario: &Checked) -> [u64; 5] {
        let Architecture { hidden_size, head_dim, .. } = scenario.architecture;
        let local = scenario.local();
        let (batch, tokens) = (u64::from(scenario.batch), local.seq_length);
        let hidden = u64::from(hidden_size);
        match self {
            Self::Logits => [batch, tokens, local.vocab_size, 1, 1],
            Self::Scores => [batch, local.heads, tokens, u64::from(scenario.seq_length), 1],
            Self::Mlp => [batch, tokens, local.intermediate_size, 1, 1],
            Self::Stream => [batch, tokens, hidden, 1, 1],
            Self::Cache => [batch, local.kv_heads, tokens, head_dim.into(), 1],
            Self::Table => [local.vocab_size, hidden, 1, 1, 1],
            Self::Matrix => [hidden, local.intermediate_size, 1, 1, 1],
        }
    }
}

/// The tensors that a scenario has and that are compared with a request; experts' tensors are not among them.
pub fn looked_at(scenario: &Checked) -> impl Iterator<Item = Tensor> {
    let shape = &scenario.architecture;
    // Where every layer is a mixture no layer has an MLP of `intermediate_size`.
    let dense = shape.has_dense_mlp();
    Tensor::ALL.iter().copied().filter(move |tensor| dense || !matches!(tensor, Tensor::Mlp | Tensor::Matrix))
}

/// The tensors of a scenario whose size a failed request has, in 16 bits and in fp32.
///
/// # Formula
/// The product of the dimensions and the bytes of a value, rounded as PyTorch's allocator rounds it, within half of the message's last digit.
///
/// # Units
/// Bytes.
///
/// # Assumes
/// The scenario is the run that died: another batch or sequence length has tensors of other sizes. Several tensors may have one size, and
/// a request of 20 MiB or less is a block of the allocator that says nothing of the tensor in it: then there are none.
///
/// # Source
/// The shapes of the tensors; PyTorch, c10/cuda/CUDACachingAllocator.cpp (rounding).
///
/// # Example
/// ```
/// use memory_wall_core::{Mode, Scenario, profile::{Tensor, candidates, read}, tables::models};
/// let mut scenario = Scenario::new(models::by_id("llama-3.2-1b").unwrap().architecture);
/// (scenario.mode, scenario.batch, scenario.seq_length) = (Mode::Training, 4, 2_048);
/// let scenario = scenario.check().unwrap();
/// let request = read("Tried to allocate 1.96 GiB. GPU 0").asked.unwrap();
/// let found: Vec<_> = candidates(&scenario, &request).collect();
/// // 4 × 2,048 × 128,256 × 2 bytes.
/// assert_eq!(found.len(), 1);
/// assert_eq!((found[0].tensor, found[0].bytes().0), (Tensor::Logits, 2_101_346_304));
/// ```
pub fn candidates(scenario: &Checked, request: &Request) -> impl Iterator<Item = Candidate> {
    let tensors = looked_at(scenario).flat_map(|tensor| {
        let shape = tensor.shape(scenario);
        [2, 4].map(|bytes_per_value| Candidate { tensor, shape, bytes_per_value })
    });
    tensors.filter(|it| !request.is_block() && request.says(it.bytes()))
}
