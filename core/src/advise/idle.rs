//! Why a fix does nothing for a scenario.

use core::fmt;

choices! {
    /// Why a fix does nothing, by a name that a language can put into words of its own.
    Idle {
        /// It acts on training only.
        TrainingOnly = "training-only";
        /// It acts on inference only.
        InferenceOnly = "inference-only";
        /// The model is frozen already: only adapters learn.
        AdaptersLearn = "adapters-learn";
        /// No stale tensor is counted in this estimate; a smaller margin than 10% may still be lost to fragmentation.
        NothingStale = "nothing-stale";
        /// The micro-batch is a single sequence already.
        SingleSequence = "single-sequence";
        /// Matrix multiplications run in 16 bits already.
        SixteenBits = "sixteen-bits";
        /// Flash attention is on already.
        FlashOn = "flash-on";
        /// The loss is chunked already.
        LossChunked = "loss-chunked";
        /// As much is recomputed already.
        MuchRecomputed = "much-recomputed";
        /// Every layer is recomputed already.
        AllRecomputed = "all-recomputed";
        /// The optimizer's states wait in host memory.
        StatesAway = "states-away";
        /// The optimizer keeps no two wide moments.
        NoMoments = "no-moments";
        /// The cache is quantised already.
        CacheQuantised = "cache-quantised";
        /// The weights are quantised already.
        WeightsQuantised = "weights-quantised";
        /// The weights have fewer than 8 bits already.
        FewBits = "few-bits";
        /// The model is frozen in 4 bits already.
        FrozenInFour = "frozen-in-four";
        /// Nothing is upcast to fp32.
        NotUpcast = "not-upcast";
        /// No routed experts are frozen in more bits than the format's.
        NoWideExperts = "no-wide-experts";
        /// Tensor parallelism beyond the GPUs of one computer is seldom worth its traffic.
        BeyondComputer = "beyond-computer";
        /// Twice as many ranks do not divide the heads, the MLP or the vocabulary of this model.
        NoDivisor = "no-divisor";
        /// There are not enough layers for twice as many stages.
        FewLayers = "few-layers";
        /// The code that trains does not cut a run so.
        CodeCannotCut = "code-cannot-cut";
        /// The code that trains has no such option.
        CodeLacks = "code-lacks";
        /// The code moves weights and optimizer states to host memory together or not at all.
        OnlyTogether = "only-together";
        /// The optimizer's states wait in host memory already.
        StatesOffloaded = "states-offloaded";
        /// The weights wait in host memory already.
        WeightsOffloaded = "weights-offloaded";
        /// The cache waits in host memory already.
        CacheOffloaded = "cache-offloaded";
        /// VLLM keeps the cache of running requests on the GPU.
        CacheKept = "cache-kept";
        /// Transformers keeps quantised weights on the GPU.
        QuantisedKept = "quantised-kept";
        /// A single GPU's trainer keeps quantised weights on the GPU.
        FrozenKept = "frozen-kept";
        /// llama.cpp computes on the CPU what is left in host memory.
        ComputedOnCpu = "computed-on-cpu";
        /// bitsandbytes takes the step on the GPU.
        StepOnGpu = "step-on-gpu";
        /// The GPU shares its memory with the CPU.
        SharedMemory = "shared-memory";
        /// No GPU is named.
        NoGpu = "no-gpu";
        /// This is the largest GPU of its maker and class that runs the scenario.
        LargestGpu = "largest-gpu";
        /// These states are sharded already.
        SharedOut = "shared-out";
        /// This model cannot be changed so.
        CannotChange = "cannot-change";
        /// The peak is elsewhere: it stays as it is.
        PeakElsewhere = "peak-elsewhere";
    }
}

impl Idle {
    /// Whether it may do something that is not modelled.
    pub const fn is_unknown(self) -> bool {
        matches!(self, Self::ComputedOnCpu)
    }

    /// The reason in English, as the command gives it.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::TrainingOnly => "it acts on training only",
            Self::InferenceOnly => "it acts on inference only",
            Self::AdaptersLearn => "the model is frozen already: only adapters learn",
            Self::NothingStale => {
                "no stale tensor is counted in this estimate; a smaller margin than 10% may still be lost to fragmentation"
            }
            Self::SingleSequence => "the micro-batch is a single sequence already",
            Self::SixteenBits => "matrix multiplications run in 16 bits already",
            Self::FlashOn => "flash attention is on already",
            Self::LossChunked => "the loss is chunked already",
            Self::MuchRecomputed => "as much is recomputed already",
            Self::AllRecomputed => "every layer is recomputed already",
            Self::StatesAway => "the optimizer's states wait in host memory",
            Self::NoMoments => "the optimizer keeps no two wide running averages",
            Self::CacheQuantised => "the cache is quantised already",
            Self::WeightsQuantised => "the weights are quantised already",
            Self::FewBits => "the weights have fewer than 8 bits already",
            Self::FrozenInFour => "the model is frozen in 4 bits already",
            Self::NotUpcast => "nothing is upcast to fp32",
            Self::NoWideExperts => "no routed experts are left wide beside quantised layers",
            Self::BeyondComputer => "tensor parallelism beyond the GPUs of one computer is seldom worth its traffic",
            Self::NoDivisor => "twice as many ranks do not divide the heads, the MLP or the vocabulary of this model",
            Self::FewLayers => "there are not enough layers for twice as many stages",
            Self::CodeCannotCut => "the training code of this scenario does not cut a run so; other code does",
            Self::CodeLacks => "the training code of this scenario has no such option; other code does",
            Self::OnlyTogether => "not by itself: weights and optimizer states go to host memory together",
            Self::StatesOffloaded => "the optimizer's states wait in host memory already",
            Self::WeightsOffloaded => "the weights wait in host memory already",
            Self::CacheOffloaded => "the cache waits in host memory already",
            Self::CacheKept => "vLLM keeps the cache of running requests on the GPU",
            Self::NoGpu => "no GPU is named",
            Self::QuantisedKept => "transformers keeps quantised weights on the GPU",
            Self::FrozenKept => {
                "accelerate trains beside quantised weights on the GPU only; FSDP and ZeRO-3 fetch them"
            }
            Self::ComputedOnCpu => {
                "llama.cpp computes on the CPU what is left in host memory; how slow that is is not modelled"
            }
            Self::StepOnGpu => "bitsandbytes takes the step of such an optimizer on the GPU",
            Self::SharedMemory => "the GPU shares its memory with the CPU",
            Self::LargestGpu => "no larger GPU of the same maker and class runs it",
            Self::SharedOut => "these states are sharded already",
            Self::CannotChange => "this model cannot be changed so",
            Self::PeakElsewhere => "the peak is elsewhere: it stays as it is",
        }
    }
}

impl fmt::Display for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence())
    }
}
