//! What a number or a name in a report means.

names! {
    /// What a fact is about.
    What {
        Requested = "requested", "asked for when no memory was left";
        Need = "need", "held and asked for when it died: it needs at least that";
        Tensor = "tensor", "the tensor that was to be allocated";
        Buffer = "buffer", "a large buffer of the compiled program";
        Capacity = "capacity", "memory of the GPU";
        StatedCapacity = "stated_capacity", "memory of the GPUs, as the text says it";
        Free = "free", "free on the GPU";
        LargestFree = "largest_free", "largest piece that is free";
        FreeAfterWeights = "free_after_weights", "free on the GPU once the weights are there";
        Available = "available", "of it available to the model";
        FreeAfter = "free_after", "free on the GPU once the server stands";
        Used = "used", "in use on the GPU, by the driver";
        UsedShare = "used_share", "share of the GPU's memory that is in use";
        ProcessUsed = "process_used", "in use by this process";
        OtherProcess = "other_process", "in use by another process";
        Allowed = "allowed", "the most that the process may take";
        Allocated = "allocated", "allocated by PyTorch";
        ProgramAllocated = "program_allocated", "allocated by the program";
        OneAllocation = "one_allocation", "the most that one allocation may take";
        OverWorkingSet = "over_working_set", "more than the recommended working set";
        SystemReserved = "system_reserved", "reserved by the system";
        ProgramSize = "program_size", "the compiled program with its temporary buffers";
        SparseCore = "sparse_core", "the compiled program on the sparse core";
        VmemNeeded = "vmem_needed", "memory on the chip (VMEM) that the compiled program needs";
        Vmem = "vmem", "memory on the chip (VMEM)";
        Padding = "padding", "lost to padding";
        SomeProcess = "some_process", "in use by one process, this one or another";
        LargestAllocation = "largest_allocation", "largest allocation so far";
        Retried = "retried", "it went on without pipeline parallelism";
        PrivatePools = "private_pools", "of it in private pools (CUDA graphs)";
        ReservedFree = "reserved_free", "reserved by PyTorch and not allocated";
        Reserved = "reserved", "reserved by PyTorch";
        OtherAllocations = "other_allocations", "allocated beside PyTorch";
        PeakAllocated = "peak_allocated", "peak of what was allocated";
        PeakReserved = "peak_reserved", "peak of what was reserved";
        PeakActive = "peak_active", "peak of what was active";
        Stated = "stated_use", "in use, as the text says it";
        StatedPeak = "stated_peak", "peak of what was in use, as the text says it";
        StageKept = "stage_kept", "more allocated at the end of a stage than at its start";
        StagePeak = "stage_peak", "peak of a stage above what it kept";
        Active = "active", "active";
        RequestedByTensors = "requested_by_tensors", "requested by tensors, before rounding";
        InactiveSplit = "inactive_split", "free parts of segments that are in use";
        Retries = "alloc_retries", "allocations that had to be tried again";
        OutOfMemoryEvents = "ooms", "times that memory ran out";
        Weights = "weights", "weights";
        HostWeights = "host_weights", "weights in host memory";
        WeightsFp32 = "weights_fp32", "weights in 32 bits";
        Weights16Bits = "weights_16_bits", "weights in 16 bits";
        Weights8Bits = "weights_8_bits", "weights in 8 bits";
        Weights4Bits = "weights_4_bits", "weights in 4 bits";
        PlannedWeights = "planned_weights", "weights, by the program's own table";
        PlannedCache = "planned_cache", "caches, by the program's own table";
        PlannedProjector = "planned_projector", "encoder of images or sound, as estimated before the start";
        PlannedDraft = "planned_draft", "what guesses tokens ahead, as estimated before the start";
        PlannedStates = "planned_states", "weights and optimizer, by the program's own formula";
        PlannedActivations = "planned_activations", "activations, by the program's own formula";
        PlannedTotal = "planned_total", "all of it, by the program's own formula";
        Unaccounted = "unaccounted", "of others, or not accounted for";
        PlannedCompute = "planned_compute", "compute buffers, by the program's own table";
        DraftWeights = "draft_weights", "weights of the draft model";
        DraftCache = "draft_cache", "KV cache of the draft model";
        Checkpoint = "checkpoint", "size of the checkpoint's files";
        Consumed = "consumed", "weights and what is allocated beside PyTorch";
        PeakActivation = "peak_activation", "peak of activations in the profiled pass";
        ExecutionContext = "execution_context", "activations of the engine";
        NonTorch = "non_torch", "allocated beside PyTorch";
        Graphs = "cuda_graphs", "CUDA graphs";
        GraphsEstimated = "cuda_graphs_estimated", "CUDA graphs, as estimated before the start";
        Budget = "budget", "the share of the GPU that the server takes";
        NonKv = "non_kv", "everything but the KV cache";
        KvCache = "kv_cache", "KV cache";
        HostKvCache = "host_kv_cache", "KV cache in host memory";
        KeyCache = "key_cache", "keys of the cache";
        ValueCache = "value_cache", "values of the cache";
        KvTotal = "kv_total", "the whole KV cache";
        KvNeeded = "kv_needed", "KV cache that one request of the longest length needs";
        KvSuggested = "kv_suggested", "KV cache that the server suggests";
        KvPerToken = "kv_per_token", "KV cache of one token";
        RecurrentState = "recurrent_state", "states of recurrent layers";
        StateTotal = "state_total", "all states of recurrent layers";
        Compute = "compute_buffer", "compute buffer";
        HostCompute = "host_compute_buffer", "compute buffer in host memory";
        EncoderCompute = "encoder_compute", "compute buffer of the encoder";
        Output = "output_buffer", "output buffer";
        Projected = "projected", "projected use of the GPU";
        Placed = "placed", "planned for one GPU";
        Missing = "missing", "missing on the GPU, as the program says it";
        Total = "total", "total";
        Arguments = "arguments", "parameters of the compiled program";
        Constants = "constants", "constants of the compiled program";
        Outputs = "outputs", "results of the compiled program";
        Temporaries = "temporaries", "temporary buffers of the compiled program";
        Fragmentation = "fragmentation", "fragmentation";
        HostUsed = "host_used", "in use in host memory";
        ProjectedHost = "projected_host", "projected use of host memory";
        HostProcess = "host_process", "in use in host memory by one process";
        HostCapacity = "host_capacity", "host memory";
        HostLimit = "host_limit", "host memory that a job or a container may take";
        HostFree = "host_free", "free in host memory";
        Xid = "xid", "fault of the GPU (Xid)";
        AddressSpace = "address_space", "address space of the process";
        Unpinned = "unpinned", "host memory that could not be pinned";
        OffloadBuffer = "offload_buffer", "buffer on the GPU for layers that are not on it";
        Offloaded = "offloaded", "weights were left off the GPU";
        LargestLayer = "largest_layer", "largest layer";
        TrainingSize = "training_size", "training with Adam, as estimated";
        NotOffloaded = "not_offloaded", "model states with ZeRO, nothing offloaded";
        OptimizerOffloaded = "optimizer_offloaded", "model states with ZeRO, the optimizer offloaded";
        AllOffloaded = "all_offloaded", "model states with ZeRO, parameters and optimizer offloaded";
        GpuProcess = "gpu_process", "in use by a process of the GPU's list";
        PartCapacity = "mig_capacity", "memory of a MIG instance";
        PartUsed = "mig_used", "in use in a MIG instance";
        KvTokens = "kv_tokens", "tokens in the KV cache";
        KvUsedShare = "kv_used_share", "share of the KV cache that is in use";
        KvUsedBlocks = "kv_used_blocks", "blocks of the KV cache in use";
        GpuShare = "gpu_share", "share of the model that is on the GPU";
        WindowTokens = "window_tokens", "tokens in the cache of layers with a sliding window";
        KvBlocks = "kv_blocks", "blocks of the KV cache";
        HostKvBlocks = "host_kv_blocks", "blocks of the KV cache in host memory";
        BlockSize = "block_size", "tokens of a block";
        Cells = "cells", "cells of the KV cache";
        CachedLayers = "cached_layers", "layers with a cache";
        LongestPossible = "longest_possible", "longest request that the pool holds";
        WarmUpRequests = "warm_up_requests", "requests in the sampler's warm-up";
        PrefillTokens = "prefill_tokens", "tokens of the prefill that was tried";
        TotalTokens = "total_tokens", "tokens in all requests that were tried";
        Concurrency = "concurrency", "requests of the longest length at once";
        Parameters = "parameters", "parameters";
        TrainableParameters = "trainable_parameters", "parameters that learn";
        Layers = "layers", "layers";
        Heads = "heads", "query heads";
        KvHeads = "kv_heads", "key and value heads";
        HeadDim = "head_dim", "width of a head";
        HiddenSize = "hidden_size", "hidden size";
        IntermediateSize = "intermediate_size", "width of the MLP";
        VocabSize = "vocab_size", "entries of the vocabulary";
        Experts = "experts", "experts of a layer";
        TrainedContext = "trained_context", "context that the model was made for";
        Version = "version", "version";
        Build = "build", "build";
        Model = "model", "model";
        DraftModel = "draft_model", "draft model";
        Speculation = "speculation", "how tokens are guessed ahead";
        SpeculativeTokens = "speculative_tokens", "tokens that are guessed ahead at a time";
        Class = "model_class", "class of the model";
        Gpu = "gpu", "GPU";
        GpuCount = "gpu_count", "GPUs";
        Dtype = "dtype", "precision";
        Quantization = "quantization", "quantisation";
        FileType = "file_type", "type of the GGUF file";
        KvDtype = "kv_dtype", "precision of the KV cache";
        ValueDtype = "value_dtype", "precision of cached values";
        MaxModelLen = "max_model_len", "longest request that is accepted";
        LongestPrompt = "longest_prompt", "longest prompt";
        LongestAnswer = "longest_answer", "longest answer";
        MaxNumSeqs = "max_num_seqs", "sequences at once at most";
        MaxBatchedTokens = "max_num_batched_tokens", "tokens at once at most";
        Utilization = "utilization", "share of the GPU";
        FreeShare = "free_share", "share of the free memory that the cache takes";
        Equivalent = "equivalent_utilization", "share without counting CUDA graphs";
        EnforceEager = "enforce_eager", "no CUDA graphs";
        LanguageModelOnly = "language_model_only", "no vision tower";
        PrefixCaching = "prefix_caching", "prefix caching";
        EnableLora = "enable_lora", "adapters beside the model";
        MaxLoras = "max_loras", "adapters on the GPU at once";
        MaxLoraRank = "max_lora_rank", "rank that each adapter has room for";
        MaxCpuLoras = "max_cpu_loras", "adapters in host memory";
        TensorParallel = "tensor_parallel", "tensor-parallel ranks";
        PipelineParallel = "pipeline_parallel", "pipeline stages";
        Nodes = "nodes", "nodes";
        RolloutTensorParallel = "rollout_tensor_parallel", "tensor-parallel ranks of the server that generates";
        DataParallel = "data_parallel", "data-parallel ranks";
        ExpertParallel = "expert_parallel", "experts spread over ranks";
        Context = "context", "context in tokens";
        Parallel = "parallel", "sequences with a cache of their own";
        Unified = "unified_cache", "one cache for all sequences";
        Ubatch = "ubatch", "tokens of a physical batch";
        GpuLayers = "gpu_layers", "layers on the GPU";
        AllLayers = "all_layers", "layers that could be there";
        FlashAttention = "flash_attention", "flash attention";
        BatchSize = "batch_size", "sequences of a micro-batch on one GPU";
        SeqLength = "seq_length", "tokens of a sequence";
        GlobalBatch = "global_batch", "sequences of a step on all GPUs";
        MicroBatches = "micro_batches", "micro-batches of a step";
        Optimizer = "optimizer", "optimizer";
        Checkpointing = "checkpointing", "gradient checkpointing";
        LoraRank = "lora_rank", "rank of the adapters";
        Adapter = "adapter", "adapters";
        Load4bit = "load_in_4bit", "loaded in 4 bits";
        Load8bit = "load_in_8bit", "loaded in 8 bits";
        QuantizationBits = "quantization_bit", "bits in which the weights are loaded";
        Bf16 = "bf16", "bf16";
        Fp16 = "fp16", "fp16";
        ZeroStage = "zero_stage", "ZeRO stage";
        Attention = "attention", "implementation of attention";
        FusedLoss = "fused_loss", "loss in chunks";
        Compile = "compile", "torch.compile";
        Phase = "phase", "when it happened";
        Part = "part", "in which part of the model";
        Refusal = "refusal", "why it did not start";
        Ready = "ready", "the server stands";
    }
}

impl What {
    /// Whether it is a setting that is on or off, and on by being there.
    pub const fn is_switch(self) -> bool {
        matches!(
            self,
            Self::EnforceEager
                | Self::LanguageModelOnly
                | Self::PrefixCaching
                | Self::EnableLora
                | Self::ExpertParallel
                | Self::Unified
                | Self::FlashAttention
                | Self::Checkpointing
                | Self::Load4bit
                | Self::Load8bit
                | Self::Bf16
                | Self::Fp16
                | Self::FusedLoss
                | Self::Compile
        )
    }
}

names! {
    /// Which program wrote a report, and of which kind it is.
    Kind {
        Cuda = "cuda_oom", "PyTorch ran out of GPU memory";
        Hip = "hip_oom", "PyTorch ran out of memory on an AMD GPU";
        Mps = "mps_oom", "PyTorch ran out of memory on an Apple GPU";
        Xpu = "xpu_oom", "PyTorch ran out of memory on an Intel GPU";
        Npu = "npu_oom", "PyTorch ran out of memory on an Ascend NPU";
        CudaError = "cuda_error", "an allocation by CUDA or HIP itself failed";
        Cublas = "cublas_alloc", "cuBLAS could not allocate its workspace";
        HostMemory = "host_oom", "host memory ran out";
        Killed = "killed", "a process was killed from outside";
        Ggml = "ggml_oom", "ggml could not allocate a buffer";
        Metal = "metal_oom", "Metal, Apple's driver, ran out of memory";
        Xla = "xla_oom", "XLA ran out of memory";
        TensorFlow = "tensorflow_oom", "TensorFlow or JAX ran out of memory";
        OnnxRuntime = "onnx_oom", "ONNX Runtime ran out of memory";
        Paddle = "paddle_oom", "Paddle ran out of memory";
        OutOfMemory = "out_of_memory", "a message that memory ran out";
        Traceback = "traceback", "a Python traceback";
        Vllm = "vllm", "log of vLLM";
        Sglang = "sglang", "log of SGLang";
        TensorRtLlm = "tensorrt_llm", "log of TensorRT or TensorRT-LLM";
        Tgi = "tgi", "log of Text Generation Inference";
        Lmdeploy = "lmdeploy", "log of LMDeploy";
        LlamaCpp = "llama_cpp", "log of llama.cpp";
        Ollama = "ollama", "log of Ollama";
        NvidiaSmi = "nvidia_smi", "nvidia-smi";
        Nvtop = "nvtop", "nvtop";
        RocmSmi = "rocm_smi", "rocm-smi";
        AmdSmi = "amd_smi", "amd-smi";
        XpuSmi = "xpu_smi", "xpu-smi";
        NpuSmi = "npu_smi", "npu-smi";
        Dcgm = "dcgm", "metrics of DCGM";
        Gpustat = "gpustat", "gpustat";
        MemoryStats = "memory_stats", "torch.cuda.memory_stats()";
        MemorySummary = "memory_summary", "torch.cuda.memory_summary()";
        Torch = "torch_figures", "PyTorch's figures as a script prints them";
        Lightning = "lightning", "output of Lightning";
        StableDiffusionCpp = "stable_diffusion_cpp", "log of stable-diffusion.cpp";
        Accelerate = "accelerate_estimate", "accelerate estimate-memory";
        DeepSpeed = "deepspeed", "DeepSpeed's see_memory_usage";
        Torchtitan = "torchtitan", "log of torchtitan";
        Litgpt = "litgpt", "log of LitGPT";
        Unsloth = "unsloth", "log of Unsloth";
        Megatron = "megatron", "log of Megatron-LM";
        Maxtext = "maxtext", "log of MaxText";
        ComfyUi = "comfyui", "log of ComfyUI";
        WebUi = "webui", "log of Stable Diffusion web UI";
        InvokeAi = "invokeai", "log of InvokeAI";
        System = "system", "the operating system";
        Mlc = "mlc", "log of MLC LLM";
        Mlx = "mlx", "output of MLX";
        LmStudio = "lm_studio", "message of LM Studio";
        Exllama = "exllama", "message of ExLlama";
        Transformers = "transformers", "message of transformers";
        Trainer = "trainer", "settings and log of a training run";
        Description = "description", "a description in words";
        Config = "config", "a model's config.json";
        Safetensors = "safetensors", "header of a safetensors file";
        Gguf = "gguf", "header of a GGUF file";
        Index = "index", "index of a checkpoint's files";
        Snapshot = "snapshot", "PyTorch's memory snapshot";
        MemoryReport = "memory_report", "report of memory_report.py";
        MemoryTimeline = "memory_timeline", "memory timeline of PyTorch's profiler";
    }
}

impl Kind {
    /// Whether it is a file, which has no lines.
    pub const fn is_file(self) -> bool {
        matches!(
            self,
            Self::Config
                | Self::Safetensors
                | Self::Gguf
                | Self::Index
                | Self::Snapshot
                | Self::MemoryReport
                | Self::MemoryTimeline
        )
    }
}

names! {
    /// What a run was doing, by the functions of its traceback.
    Phase {
        Load = "load", "loading the weights";
        KvCache = "kv_cache", "allocating or growing the KV cache";
        Profile = "profile", "the pass that a server profiles at its start";
        WarmUp = "warm_up", "the sampler's warm-up of a server";
        GraphCapture = "graph_capture", "capturing CUDA graphs";
        Wake = "wake", "waking a server that slept, while the training beside it holds memory";
        Forward = "forward", "the forward pass";
        Loss = "loss", "the logits and the loss";
        Backward = "backward", "the backward pass";
        OptimizerFirstStep = "optimizer_first_step", "the optimizer's first step, which makes its states";
        OptimizerStep = "optimizer_step", "the optimizer's step";
        OptimizerForeach = "optimizer_foreach", "the optimizer's step in its foreach form";
        Generate = "generate", "generating";
        Save = "save", "gathering the weights to save them";
    }
}

impl Phase {
    /// Whether only a training run passes through it.
    pub const fn trains(self) -> bool {
        matches!(
            self,
            Self::Loss | Self::Backward | Self::OptimizerFirstStep | Self::OptimizerStep | Self::OptimizerForeach
        )
    }
}

names! {
    /// A part of a model.
    Part {
        Embedding = "embedding", "the embedding table";
        Attention = "attention", "attention";
        Mlp = "mlp", "the MLP";
        Experts = "experts", "the experts";
        Norm = "norm", "a norm";
        Head = "head", "the output head and its logits";
    }
}

names! {
    /// Why a server did not start.
    Refusal {
        Share = "share", "less memory was free than the share asks for";
        NoBlocks = "no_blocks", "nothing was left for the KV cache";
        Length = "length", "the KV cache does not hold one request of the longest length";
        Profiling = "profiling", "another process changed the free memory while the server profiled";
        Sampler = "sampler", "memory ran out in the sampler's warm-up";
        StateBlocks = "state_blocks", "the pool holds fewer states than sequences may run at once";
        Prefill = "prefill", "memory does not hold the prefill that was tried";
        MaxTotalTokens = "max_total_tokens", "memory does not hold one request of the longest length";
        TotalTokens = "total_tokens", "memory does not hold the tokens of all requests that were tried";
        ModelBuffer = "model_buffer", "the weights could not be allocated";
        CacheBuffer = "cache_buffer", "the KV cache could not be allocated";
        Buffer = "buffer", "a buffer could not be allocated";
        ComputeBuffer = "compute_buffer", "the compute buffer could not be allocated";
        Driver = "driver", "the driver found no memory on the GPU";
        AllocationLimit = "allocation_limit", "one buffer is larger than the driver gives at once";
        Weights = "weights", "the GPU was full before all weights were loaded";
        SystemMemory = "system_memory", "the model needs more system memory than there is";
        Fit = "fit", "the settings could not be made to fit the free memory";
        RequestSlots = "request_slots", "more requests came at once than the server has slots for";
        Component = "component", "the GPU had too little for a part of the executor";
        StaticShare = "static_share", "the share for weights and cache is too small";
        Offloaded = "offloaded", "the GPU does not hold all weights, and quantized ones may not lie elsewhere";
        Guardrails = "guardrails", "by its own estimate the model needs more than its guardrails allow";
        Resources = "resources", "more buffers exist at once than Metal allows";
    }
}
