//! Training: what trainers print of their memory, and the settings of a run in arguments, YAML and JSON.
//!
//! Read in November 2026: DeepSpeed's `see_memory_usage`, torchtitan's `components/metrics.py`, LitGPT's `generate/base.py`, the `Trainer` of
//! transformers, and the names of arguments in transformers, TRL, axolotl, LLaMA-Factory and DeepSpeed.

use super::{Settings, line};
use crate::pattern::{Hole, Pattern, Says};
use crate::settings::Key;
use crate::size::Unit;
use crate::what::{Kind, Refusal, What};

pub(super) const LINES: &[Pattern] = &[
    line(
        Kind::DeepSpeed,
        "{} Max_MA {} CA {} Max_CA {}",
        &[
            Hole::Size(What::Allocated),
            Hole::Size(What::PeakAllocated),
            Hole::Size(What::Reserved),
            Hole::Size(What::PeakReserved),
        ],
    ),
    // Its timer, in powers of 1,024.
    line(
        Kind::DeepSpeed,
        "MemAllocated={}, MaxMemAllocated={}",
        &[Hole::Size(What::Allocated), Hole::Size(What::PeakAllocated)],
    ),
    line(Kind::DeepSpeed, "CPU Virtual Memory:{}used = {}, percent", &[Hole::Skip, Hole::Size(What::HostUsed)]),
    line(Kind::Torchtitan, "CUDA capacity: {} with {} memory", &[Hole::Name(What::Gpu), Hole::Size(What::Capacity)])
        .saying(Says::Start),
    line(Kind::Torchtitan, "GPU capacity: {} with {} memory", &[Hole::Name(What::Gpu), Hole::Size(What::Capacity)])
        .saying(Says::Start),
    line(
        Kind::Torchtitan,
        "GPU capacity: {} ({}) with {} memory",
        &[Hole::Name(What::Gpu), Hole::Skip, Hole::Size(What::Capacity)],
    ),
    line(Kind::Torchtitan, "{} total parameters", &[Hole::Count(What::Parameters)]),
    line(Kind::Torchtitan, "{} CUDA memory allocation retries", &[Hole::Count(What::Retries)]),
    line(Kind::Torchtitan, "memory usage for model: {}(", &[Hole::Size(What::Reserved)]),
    line(Kind::Torchtitan, "step: {} loss: {}memory: {}(", &[Hole::Skip, Hole::Skip, Hole::Size(What::PeakReserved)]),
    line(Kind::Litgpt, "Memory used: {}", &[Hole::Decimal(What::PeakAllocated)]),
    // MaxText, whose GB are powers of 1,024, and MLX, whose GB are not.
    line(
        Kind::Maxtext,
        "Using (GB) {} / {} ({}%) on TPU_{}(",
        &[Hole::Of(What::Used, Unit::GIB), Hole::Of(What::Capacity, Unit::GIB), Hole::Skip, Hole::Device],
    ),
    line(
        Kind::Trainer,
        "Trainable parameters: {} ({}/{})",
        &[Hole::Skip, Hole::Letters(What::TrainableParameters), Hole::Letters(What::Parameters)],
    ),
    line(
        Kind::Trainer,
        "The longest sentence {} will be truncated to {}.",
        &[Hole::Skip, Hole::Count(What::SeqLength)],
    ),
    line(Kind::Trainer, "Trained Tokens {}, Peak mem {} GB", &[Hole::Skip, Hole::Of(What::PeakAllocated, Unit::GB)]),
    // torchtune, in powers of 1,024.
    line(Kind::Trainer, "peak_memory_active:{}", &[Hole::Of(What::PeakActive, Unit::GIB)]),
    line(Kind::Trainer, "peak_memory_alloc:{}", &[Hole::Of(What::PeakAllocated, Unit::GIB)]),
    line(Kind::Trainer, "peak_memory_reserved:{}", &[Hole::Of(What::PeakReserved, Unit::GIB)]),
    // Of Unsloth's desktop application, which would leave a part of the model in host memory. Its window breaks the lines.
    line(Kind::Unsloth, "About {} of this model does not fit", &[Hole::Size(What::Missing)])
        .saying(Says::Refuses(Refusal::SystemMemory)),
    line(Kind::Unsloth, "Only about {} is available", &[Hole::Size(What::HostFree)]).saying(Says::Within),
    line(Kind::Unsloth, "Unsloth {}: Fast {} patching", &[Hole::Name(What::Version), Hole::Skip]),
    line(Kind::Unsloth, "Unsloth: Fast {} patching release {}", &[Hole::Skip, Hole::Name(What::Version)]),
    // From 2025 on without the word in front of the GPU's name, which is read by itself.
    line(Kind::Unsloth, "Num GPUs = {}. Max memory: {} GB", &[Hole::Skip, Hole::Of(What::Capacity, Unit::GIB)]),
    line(Kind::Unsloth, "GPU: {}. Max memory: {} GB", &[Hole::Name(What::Gpu), Hole::Of(What::Capacity, Unit::GIB)]),
    line(
        Kind::Megatron,
        "memory (MB) | allocated: {} | max allocated: {} | reserved: {} | max reserved: {}",
        &[
            Hole::Of(What::Allocated, Unit::MIB),
            Hole::Of(What::PeakAllocated, Unit::MIB),
            Hole::Of(What::Reserved, Unit::MIB),
            Hole::Of(What::PeakReserved, Unit::MIB),
        ],
    ),
    // Up to 2.1, with the words of PyTorch 1.
    line(
        Kind::Megatron,
        "memory (MB) | allocated: {} | max allocated: {} | cached: {} | max cached: {}",
        &[
            Hole::Of(What::Allocated, Unit::MIB),
            Hole::Of(What::PeakAllocated, Unit::MIB),
            Hole::Of(What::Reserved, Unit::MIB),
            Hole::Of(What::PeakReserved, Unit::MIB),
        ],
    ),
    // verl, whose GB are powers of 1,024; what PyTorch holds is read by its name.
    line(
        Kind::Trainer,
        "cpu_memory: {'total': '{}', 'used': '{}', 'free': '{}'",
        &[Hole::Size(What::HostCapacity), Hole::Size(What::HostUsed), Hole::Size(What::HostFree)],
    ),
    line(
        Kind::Trainer,
        "device memory used/total (GB): {}/{}",
        &[Hole::Of(What::Used, Unit::GIB), Hole::Of(What::Capacity, Unit::GIB)],
    ),
    // Megatron Bridge, whose GB are powers of 1,000.
    line(Kind::Megatron, "mem-allocated-gigabytes: {}", &[Hole::Of(What::Allocated, Unit::GB)]),
    line(Kind::Megatron, "mem-reserved-gigabytes: {}", &[Hole::Of(What::Reserved, Unit::GB)]),
    line(Kind::Megatron, "mem-max-allocated-gigabytes: {}", &[Hole::Of(What::PeakAllocated, Unit::GB)]),
    line(Kind::Megatron, "mem-max-reserved-gigabytes: {}", &[Hole::Of(What::PeakReserved, Unit::GB)]),
    // What its formulas say, whose MB are powers of 1,024.
    line(Kind::Megatron, "Total number of parameters in billions: {}", &[Hole::Billions(What::Parameters)]),
    line(
        Kind::Megatron,
        "Theoretical memory footprints: weight and optimizer={} MB",
        &[Hole::Of(What::PlannedStates, Unit::MIB)],
    ),
    line(
        Kind::Megatron,
        "weight and optimizer={} MB, activation={} MB, total={} MB",
        &[Hole::Skip, Hole::Of(What::PlannedActivations, Unit::MIB), Hole::Of(What::PlannedTotal, Unit::MIB)],
    ),
    line(
        Kind::Megatron,
        "number of parameters on (tensor, pipeline) model parallel rank {}: {}",
        &[Hole::Skip, Hole::Count(What::Parameters)],
    ),
    // Unsloth's banner, and what its notebooks print.
    line(
        Kind::Trainer,
        "Batch size per device = {} | Gradient accumulation steps = {}",
        &[Hole::Count(What::BatchSize), Hole::Count(What::MicroBatches)],
    ),
    line(
        Kind::Trainer,
        "Batch size per device = {} | Gradient Accumulation steps = {}",
        &[Hole::Count(What::BatchSize), Hole::Count(What::MicroBatches)],
    ),
    line(
        Kind::Trainer,
        "Trainable parameters = {} of {} (",
        &[Hole::Count(What::TrainableParameters), Hole::Count(What::Parameters)],
    ),
    line(Kind::Trainer, "GPU = {}. Max memory = {} GB.", &[Hole::Name(What::Gpu), Hole::Of(What::Capacity, Unit::GIB)]),
    line(Kind::Trainer, "Peak reserved memory = {} GB.", &[Hole::Of(What::PeakReserved, Unit::GIB)]),
    line(Kind::Trainer, "{} GB of memory reserved.", &[Hole::Of(What::PeakReserved, Unit::GIB)]),
    // Of Axolotl: what is allocated, reserved beside it, and taken outside PyTorch. Its GB are powers of 1,024.
    line(
        Kind::Trainer,
        "GPU memory usage {}: {} (+{} cache, +{} misc)",
        &[Hole::Skip, Hole::Size(What::Allocated), Hole::Size(What::ReservedFree), Hole::Size(What::NonTorch)],
    ),
    line(
        Kind::Trainer,
        "GPU memory usage {}: {} (+{} misc)",
        &[Hole::Skip, Hole::Size(What::Allocated), Hole::Size(What::NonTorch)],
    ),
    line(Kind::Trainer, "memory/max_mem_allocated(gib)': {}", &[Hole::Of(What::PeakAllocated, Unit::GIB)]),
    line(Kind::Trainer, "memory/device_mem_reserved(gib)': {}", &[Hole::Of(What::Reserved, Unit::GIB)]),
    line(Kind::Trainer, "memory/max_allocated (GiB)': {}", &[Hole::Of(What::PeakAllocated, Unit::GIB)]),
    line(Kind::Trainer, "memory/max_allocated (GiB)': '{}'", &[Hole::Of(What::PeakAllocated, Unit::GIB)]),
    line(Kind::Trainer, "memory/device_reserved (GiB)': {}", &[Hole::Of(What::Reserved, Unit::GIB)]),
    line(Kind::Trainer, "memory/device_reserved (GiB)': '{}'", &[Hole::Of(What::Reserved, Unit::GIB)]),
    // Of ms-swift, in its log and in its file of it.
    line(Kind::Trainer, "memory(GiB)': {}", &[Hole::Of(What::PeakReserved, Unit::GIB)]),
    line(Kind::Trainer, "memory(GiB)\": {}", &[Hole::Of(What::PeakReserved, Unit::GIB)]),
    // TensorFlow's own limit, and the GPU. Its MB are powers of 1,024.
    line(
        Kind::Trainer,
        "Created device {} with {} MB memory: -> device: {}, name: {}, pci",
        &[Hole::Skip, Hole::Of(What::Allowed, Unit::MIB), Hole::Skip, Hole::Name(What::Gpu)],
    ),
    // Of Meta's recipes for Llama, whose GB are powers of 1,024.
    line(Kind::Trainer, "Max CUDA memory allocated was {} GB", &[Hole::Of(What::PeakAllocated, Unit::GIB)]),
    line(Kind::Trainer, "Max CUDA memory reserved was {} GB", &[Hole::Of(What::PeakReserved, Unit::GIB)]),
    line(Kind::Trainer, "Peak active CUDA memory was {} GB", &[Hole::Of(What::PeakActive, Unit::GIB)]),
    line(Kind::Trainer, "Model Contain {} Billion Parameters", &[Hole::Billions(What::Parameters)]),
    line(Kind::DeepSpeed, "DeepSpeed info: version={}, git-hash", &[Hole::Name(What::Version)]),
    line(Kind::DeepSpeed, "Config mesh_device {} world_size = {}", &[Hole::Skip, Hole::Count(What::GpuCount)]),
    // Of NeMo.
    line(
        Kind::Trainer,
        "max_memory_reserved: {} | max_memory_allocated: {} |",
        &[Hole::Of(What::PeakReserved, Unit::BYTE), Hole::Of(What::PeakAllocated, Unit::BYTE)],
    ),
    // Lightning's summary of a model, whose MB are powers of 1,000, and its parameters with three digits.
    line(Kind::Lightning, "{} Trainable params", &[Hole::Letters(What::TrainableParameters)]),
    line(Kind::Lightning, "{} Total params", &[Hole::Letters(What::Parameters)]),
    line(Kind::Lightning, "{} Total estimated model params size (MB)", &[Hole::Of(What::Weights, Unit::MB)]),
    line(Kind::Lightning, "Total estimated model params size (MB): {}", &[Hole::Of(What::Weights, Unit::MB)]),
    // verl's `scripts/diagnose.py`, which counts GPUs from 1, in powers of 1,024.
    line(Kind::Trainer, "{} Type    : {}", &[Hole::Device, Hole::Name(What::Gpu)]),
    line(Kind::Trainer, "{} Memory  : {}", &[Hole::Device, Hole::Size(What::Capacity)]).saying(Says::Within),
    line(Kind::Trainer, "CPU Memory      : {}", &[Hole::Size(What::HostCapacity)]),
    line(Kind::Trainer, "Instantaneous batch size per device = {}", &[Hole::Count(What::BatchSize)])
        .saying(Says::Start),
    line(Kind::Trainer, "Gradient Accumulation steps = {}", &[Hole::Count(What::MicroBatches)]),
    line(Kind::Trainer, "Number of trainable parameters = {}", &[Hole::Count(What::TrainableParameters)]),
    line(
        Kind::Trainer,
        "trainable params: {} || all params: {} ||",
        &[Hole::Count(What::TrainableParameters), Hole::Count(What::Parameters)],
    ),
];

const KEYS: &[Key] = &[
    ("per_device_train_batch_size", What::BatchSize),
    ("micro_batch_size", What::BatchSize),
    ("train_micro_batch_size_per_gpu", What::BatchSize),
    ("micro_train_batch_size", What::BatchSize),
    ("zero_stage", What::ZeroStage),
    ("deepspeed", What::ZeroStage),
    ("pretrain", What::Model),
    ("max_len", What::SeqLength),
    ("max_seq_len", What::SeqLength),
    ("prompt_max_len", What::LongestPrompt),
    ("generate_max_len", What::LongestAnswer),
    ("max_prompt_length", What::LongestPrompt),
    // LLaMA-Factory up to 0.2.
    ("max_source_length", What::LongestPrompt),
    ("max_target_length", What::LongestAnswer),
    ("max_completion_length", What::LongestAnswer),
    // verl.
    ("data.max_prompt_length", What::LongestPrompt),
    ("data.max_response_length", What::LongestAnswer),
    ("data.train_batch_size", What::GlobalBatch),
    ("actor_rollout_ref.model.path", What::Model),
    ("actor_rollout_ref.model.enable_gradient_checkpointing", What::Checkpointing),
    ("actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu", What::BatchSize),
    ("actor_rollout_ref.rollout.gpu_memory_utilization", What::Utilization),
    ("actor_rollout_ref.rollout.tensor_model_parallel_size", What::RolloutTensorParallel),
    // On each node: what is said of nodes in the same command multiplies them.
    ("nproc_per_node", What::GpuCount),
    ("trainer.n_gpus_per_node", What::GpuCount),
    ("num_gpus", What::GpuCount),
    ("nnodes", What::Nodes),
    ("trainer.nnodes", What::Nodes),
    ("num_nodes", What::Nodes),
    ("num_node", What::Nodes),
    ("actor_num_gpus_per_node", What::GpuCount),
    ("vllm_gpu_memory_utilization", What::Utilization),
    ("train_batch_size", What::GlobalBatch),
    ("global_batch_size", What::GlobalBatch),
    ("tensor_model_parallel_size", What::TensorParallel),
    ("pipeline_model_parallel_size", What::PipelineParallel),
    ("gradient_accumulation_iters", What::MicroBatches),
    ("gradient_accumulation_steps", What::MicroBatches),
    ("max_seq_length", What::SeqLength),
    ("max_length", What::SeqLength),
    ("model_max_length", What::SeqLength),
    ("sequence_len", What::SeqLength),
    ("cutoff_len", What::SeqLength),
    ("optim", What::Optimizer),
    ("optimizer", What::Optimizer),
    ("gradient_checkpointing", What::Checkpointing),
    ("activation_checkpointing", What::Checkpointing),
    ("grad_checkpoint", What::Checkpointing),
    ("lora_r", What::LoraRank),
    ("lora_rank", What::LoraRank),
    ("adapter", What::Adapter),
    ("finetuning_type", What::Adapter),
    ("load_in_4bit", What::Load4bit),
    ("load_in_8bit", What::Load8bit),
    ("quantization_bit", What::QuantizationBits),
    ("bf16", What::Bf16),
    ("fp16", What::Fp16),
    ("attn_implementation", What::Attention),
    ("use_liger_kernel", What::FusedLoss),
    ("liger_fused_linear_cross_entropy", What::FusedLoss),
    ("torch_compile", What::Compile),
    ("precision", What::Dtype),
    ("checkpoint_dir", What::Model),
    ("model_name_or_path", What::Model),
    ("base_model", What::Model),
    ("model_name", What::Model),
];

const MLX_KEYS: &[Key] = &[
    ("model", What::Model),
    ("batch_size", What::BatchSize),
    ("max_seq_length", What::SeqLength),
    ("grad_checkpoint", What::Checkpointing),
    ("fine_tune_type", What::Adapter),
];

/// The calls that make adapters in code.
const ADAPTER_KEYS: &[Key] = &[("r", What::LoraRank)];

const fn adapters(mark: &'static str) -> Settings {
    Settings { mark, kind: Kind::Trainer, keys: ADAPTER_KEYS, behind: true, starts: false }
}

/// The command of MLX.
const fn mlx(mark: &'static str) -> Settings {
    Settings { mark, kind: Kind::Trainer, keys: MLX_KEYS, behind: true, starts: false }
}

const fn settings(mark: &'static str) -> Settings {
    Settings { mark, kind: Kind::Trainer, keys: KEYS, behind: false, starts: false }
}

pub(super) const SETTINGS: &[Settings] = &[
    settings("per_device_train_batch_size"),
    settings("train_micro_batch_size_per_gpu"),
    settings("micro_batch_size"),
    // OpenRLHF.
    settings("micro_train_batch_size"),
    settings("zero_stage"),
    settings("--deepspeed"),
    settings("deepspeed: "),
    settings("--pretrain "),
    settings("--max_len "),
    settings("--max_seq_len "),
    settings("--prompt_max_len "),
    settings("--generate_max_len "),
    settings("max_prompt_length"),
    settings("max_completion_length"),
    settings("data.max_prompt_length="),
    settings("data.max_response_length="),
    settings("data.train_batch_size="),
    settings("actor_rollout_ref.model."),
    settings("actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu="),
    settings("actor_rollout_ref.rollout.gpu_memory_utilization="),
    settings("actor_rollout_ref.rollout.tensor_model_parallel_size="),
    settings("nproc_per_node"),
    settings("trainer.n_gpus_per_node="),
    settings("--num_gpus "),
    settings("grad_checkpoint: "),
    settings("--actor_num_gpus_per_node "),
    settings("--vllm_gpu_memory_utilization "),
    settings("--model_max_length "),
    settings("gradient_accumulation_steps"),
    settings("global_batch_size"),
    settings("tensor_model_parallel_size"),
    settings("pipeline_model_parallel_size"),
    settings("--max_length "),
    settings("max_seq_length"),
    settings("sequence_len"),
    settings("cutoff_len"),
    settings("gradient_checkpointing"),
    settings("lora_r"),
    settings("finetuning_type"),
    settings("load_in_4bit"),
    settings("load_in_8bit"),
    settings("quantization_bit"),
    settings("model_name_or_path"),
    settings("base_model"),
    settings("--optim"),
    settings("optim="),
    settings("optimizer: "),
    settings("adapter: "),
    adapters("LoraConfig("),
    adapters("get_peft_model("),
    mlx("mlx_lm.lora "),
    mlx("mlx_lm lora "),
    // LitGPT: its command, its settings as a dictionary of several lines, and the line that names the model.
    settings("--checkpoint_dir "),
    settings("'checkpoint_dir': "),
];
