//! The common operations by their shapes.

use super::Work;
use crate::training::Optimizer;

/// One operation on tensors of one precision, `bytes` bytes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// One operation on each value: `relu`.
    Relu {
        /// Values.
        elements: u64,
    },
    /// GELU, in its form with tanh: eight operations on each value.
    Gelu {
        /// Values.
        elements: u64,
    },
    /// The sum of two tensors.
    Add {
        /// Values of each.
        elements: u64,
    },
    /// Dropout: a comparison and a scaling, and a mask of one byte a value for the backward pass.
    Dropout {
        /// Values.
        elements: u64,
    },
    /// Mean, variance, scale and shift in one kernel: eight operations a value.
    LayerNorm {
        /// Values.
        elements: u64,
    },
    /// Mean square and scale in one kernel: four operations a value.
    RmsNorm {
        /// Values.
        elements: u64,
    },
    /// Maximum, difference, exponential, sum and quotient in one kernel: five operations a value.
    Softmax {
        /// Values.
        elements: u64,
    },
    /// A matrix multiplication, (m × k) by (k × n).
    Gemm {
        /// Rows of the result.
        m: u64,
        /// Columns of the result.
        n: u64,
        /// What is summed over.
        k: u64,
    },
    /// A vector times a matrix of k × n.
    Gemv {
        /// Values of the result.
        n: u64,
        /// Values of the vector.
        k: u64,
    },
    /// Attention of a whole sequence with itself in one fused kernel, of which only the causal half is computed.
    FlashAttention {
        /// Sequences.
        batch: u64,
        /// Tokens of each.
        seq_length: u64,
        /// Query heads.
        heads: u64,
        /// Key and value heads.
        kv_heads: u64,
        /// Width of a head.
        head_dim: u64,
    },
    /// The same in three kernels that write all seq × seq scores and probabilities, masked ones too.
    EagerAttention {
        /// Sequences.
        batch: u64,
        /// Tokens of each.
        seq_length: u64,
        /// Query heads.
        heads: u64,
        /// Key and value heads.
        kv_heads: u64,
        /// Width of a head.
        head_dim: u64,
    },
    /// Attention of one new token with a cache: the cache is read once.
    KvRead {
        /// Sequences.
        batch: u64,
        /// Tokens in the cache of each.
        context: u64,
        /// Query heads.
        heads: u64,
        /// Key and value heads.
        kv_heads: u64,
        /// Width of a head.
        head_dim: u64,
    },
    /// Rows looked up in a table, by 4-byte indices.
    Gather {
        /// Rows looked up.
        rows: u64,
        /// Width of a row.
        width: u64,
    },
    /// One step of an optimizer in mixed precision: gradient, fp32 weight and states in; weight, fp32 weight and states out.
    OptimizerStep {
        /// Parameters.
        parameters: u64,
        /// The optimizer.
        optimizer: Optimizer,
    },
    /// Sums over all GPUs, by a ring: bytes that one GPU sends, and the additions that it does.
    AllReduce {
        /// Values.
        elements: u64,
        /// GPUs.
        ranks: u64,
    },
}

impl Kernel {
    /// The short name, as in links and in JSON.
    pub const fn id(&self) -> &'static str {
        match self {
            Self::Relu { .. } => "relu",
            Self::Gelu { .. } => "gelu",
            Self::Add { .. } => "add",
            Self::Dropout { .. } => "dropout",
            Self::LayerNorm { .. } => "layer_norm",
            Self::RmsNorm { .. } => "rms_norm",
            Self::Softmax { .. } => "softmax",
            Self::Gemm { .. } => "gemm",
            Self::Gemv { .. } => "gemv",
            Self::FlashAttention { .. } => "flash_attention",
            Self::EagerAttention { .. } => "eager_attention",
            Self::KvRead { .. } => "kv_read",
            Self::Gather { .. } => "gather",
            Self::OptimizerStep { .. } => "optimizer_step",
            Self::AllReduce { .. } => "all_reduce",
        }
    }

    /// FLOPs and bytes.
    ///
    /// # Formula
    /// With b bytes a value. Elementwise on n values: f·n FLOPs, b·n read, b·n written, with f as each kind says; a sum reads twice as much; dropout writes n bytes of mask more.
    /// GEMM: 2·m·n·k FLOPs, b·(m·k + k·n) read, b·m·n written. Attention with itself: 4 FLOPs for each value of a query and each of the s·(s + 1)/2 pairs that the causal mask
    /// leaves; the eager form computes all s² and moves the scores four times. With a cache of c tokens: 4·c FLOPs for each value of a query.
    /// All-reduce over N GPUs: 2·(N − 1)/N·b·n bytes out and as many in.
    ///
    /// # Units
    /// FLOPs and bytes of one GPU. `bytes` is that of one value.
    ///
    /// # Assumes
    /// Each tensor crosses to memory once, however small; softmax, norms and GELU by the operations that their definitions need, an exponential counted as one.
    ///
    /// # Source
    /// NVIDIA, GPU Performance Background User's Guide (ReLU 0.25, a GEMM of 4096 × 1024 with batch 512: 315 FLOP/byte); definitions.
    ///
    /// # Example
    /// ```
    /// use memory_wall_core::roofline::{Accounting, Kernel};
    /// let all = Accounting::ReadsAndWrites;
    /// assert_eq!(Kernel::Relu { elements: 1 << 20 }.work(2).intensity(all).0, 0.25);
    /// let gemm = Kernel::Gemm { m: 4096, n: 4096, k: 4096 }.work(2);
    /// assert_eq!((gemm.intensity(all).0 * 10.0).round(), 13_653.0);
    /// // Who counts the inputs alone finds the well-known round figure.
    /// assert_eq!(gemm.intensity(Accounting::ReadsOnly).0, 2_048.0);
    /// ```
    pub fn work(&self, bytes: u64) -> Work {
        let b = u128::from(bytes);
        let each = |elements: u64, flops: u128, inputs: u128| {
            let n = u128::from(elements);
            Work { flops: flops * n, read: inputs * b * n, written: b * n }
        };
        match *self {
            Self::Relu { elements } => each(elements, 1, 1),
            Self::Gelu { elements } | Self::LayerNorm { elements } => each(elements, 8, 1),
            Self::Add { elements } => each(elements, 1, 2),
            Self::Dropout { elements } => {
                let work = each(elements, 2, 1);
                Work { written: work.written + u128::from(elements), ..work }
            }
            Self::RmsNorm { elements } => each(elements, 4, 1),
            Self::Softmax { elements } => each(elements, 5, 1),
            Self::Gemm { m, n, k } => gemm(m, n, k, b),
            Self::Gemv { n, k } => gemm(1, n, k, b),
            Self::FlashAttention { batch, seq_length, heads, kv_heads, head_dim } => {
                let [batch, s, q, kv] = wide([batch, seq_length, heads * head_dim, 2 * kv_heads * head_dim]);
                let pairs = s * (s + 1) / 2;
                Work { flops: batch * 4 * q * pairs, read: batch * s * (q + kv) * b, written: batch * s * q * b }
            }
            Self::EagerAttention { batch, seq_length, heads, kv_heads, head_dim } => {
                let [batch, s, q, kv, heads] =
                    wide([batch, seq_length, heads * head_dim, 2 * kv_heads * head_dim, heads]);
                // Scores are written, read by softmax, written as probabilities and read again.
                let scores = heads * s * s;
                Work {
                    flops: batch * (4 * q * s * s + 5 * scores),
                    read: batch * (s * (q + kv) + 2 * scores) * b,
                    written: batch * (s * q + 2 * scores) * b,
                }
            }
            Self::KvRead { batch, context, heads, kv_heads, head_dim } => {
                let [batch, c, q, kv] = wide([batch, context, heads * head_dim, 2 * kv_heads * head_dim]);
                Work { flops: batch * 4 * q * c, read: batch * (c * kv + q) * b, written: batch * q * b }
            }
            Self::Gather { rows, width } => {
                let [rows, width] = wide([rows, width]);
                Work { flops: 0, read: rows * (width * b + 4), written: rows * width * b }
            }
            Self::OptimizerStep { parameters, optimizer } => {
                let p = u128::from(parameters);
                let states = states_of(optimizer);
                Work { flops: step_flops(optimizer) * p, read: (b + 4 + states) * p, written: (b + 4 + states) * p }
            }
            Self::AllReduce { elements, ranks } => {
                let [n, ranks] = wide([elements, ranks.max(1)]);
                let sent = (2 * (ranks - 1) * n * b).div_ceil(ranks);
                Work { flops: ((ranks - 1) * n).div_ceil(ranks), read: sent, written: sent }
            }
        }
    }
}

fn wide<const N: usize>(values: [u64; N]) -> [u128; N] {
    values.map(u128::from)
}

fn gemm(m: u64, n: u64, k: u64, b: u128) -> Work {
    let [m, n, k] = wide([m, n, k]);
    Work { flops: 2 * m * n * k, read: (m * k + k * n) * b, written: m * n * b }
}

/// Bytes of states for each parameter.
const fn states_of(optimizer: Optimizer) -> u128 {
    match optimizer {
        Optimizer::AdamW | Optimizer::PagedAdamW => 8,
        Optimizer::AdamW8bit | Optimizer::PagedAdamW8bit => 2,
        Optimizer::Lion | Optimizer::SgdMomentum | Optimizer::Muon => 4,
        Optimizer::Adafactor | Optimizer::Sgd => 0,
    }
}

/// Operations on each parameter in a step; those on whole matrices, as Muon does them, come on top.
pub(super) const fn step_flops(optimizer: Optimizer) -> u128 {
    match optimizer {
        Optimizer::AdamW | Optimizer::PagedAdamW => 14,
        Optimizer::AdamW8bit | Optimizer::PagedAdamW8bit => 22,
        Optimizer::Adafactor => 12,
        Optimizer::Lion | Optimizer::SgdMomentum | Optimizer::Muon => 8,
        Optimizer::Sgd => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roofline::Accounting::{ReadsAndWrites, ReadsOnly};

    fn intensity(kernel: Kernel) -> f64 {
        kernel.work(2).intensity(ReadsAndWrites).0
    }

    #[test]
    fn intensities_are_those_that_the_sources_give() {
        let n = 1 << 24;
        for (kernel, expected) in [
            (Kernel::Relu { elements: n }, 0.25),
            (Kernel::Add { elements: n }, 1.0 / 6.0),
            (Kernel::Dropout { elements: n }, 0.4),
            (Kernel::LayerNorm { elements: n }, 2.0),
            (Kernel::Softmax { elements: n }, 1.25),
            (Kernel::Gemm { m: 4_096, n: 4_096, k: 4_096 }, 4_096.0 / 3.0),
            // NVIDIA's linear layer: 1,024 inputs, 4,096 outputs, a batch of 512, and one of 1.
            (Kernel::Gemm { m: 512, n: 4_096, k: 1_024 }, 315.0),
            (Kernel::Gemv { n: 4_096, k: 1_024 }, 1.0),
        ] {
            let found = intensity(kernel);
            assert!((found / expected - 1.0).abs() < 2e-3, "{}: {found}", kernel.id());
        }
        // fp32, and fp8 that is added up in fp8.
        let gemm = Kernel::Gemm { m: 4_096, n: 4_096, k: 4_096 };
        assert!((gemm.work(4).intensity(ReadsAndWrites).0 - 682.67).abs() < 0.01);
        assert!((gemm.work(2).intensity(ReadsOnly).0 - 2_048.0).abs() < 1e-9);
    }

    #[test]
    fn fused_attention_moves_what_eager_attention_would_write_many_times_over() {
        let (batch, seq_length, heads, kv_heads, head_dim) = (1, 4_096, 32, 8, 128);
        let flash = Kernel::FlashAttention { batch, seq_length, heads, kv_heads, head_dim };
        let eager = Kernel::EagerAttention { batch, seq_length, heads, kv_heads, head_dim };
        assert!(intensity(flash) > 20.0 * intensity(eager));
        // The causal half: 4 × 4096 × 4096 × 4097 / 2.
        assert_eq!(flash.work(2).flops, 4 * 4_096 * (4_096 * 4_097 / 2));
    }

    #[test]
    fn one_token_with_its_cache_computes_a_flop_for_each_byte_and_query_of_a_group() {
        let read =
            |kv_heads| intensity(Kernel::KvRead { batch: 7, context: 100_000, heads: 32, kv_heads, head_dim: 128 });
        assert!((read(32) - 1.0).abs() < 1e-3 && (read(8) - 4.0).abs() < 1e-3 && (read(1) - 32.0).abs() < 0.1);
    }

    #[test]
    fn an_all_reduce_of_one_gpu_moves_nothing() {
        assert_eq!(Kernel::AllReduce { elements: 100, ranks: 1 }.work(2), Work::default());
        assert_eq!(Kernel::AllReduce { elements: 100, ranks: 4 }.work(2).written, 300);
    }

    #[test]
    fn a_step_of_adamw_reads_and_writes_fourteen_bytes_a_parameter() {
        let work = Kernel::OptimizerStep { parameters: 10, optimizer: Optimizer::AdamW }.work(2);
        assert_eq!((work.read, work.written), (140, 140));
    }
}
