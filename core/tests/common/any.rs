//! Any legal scenario: every kind of model, mode, engine and cut, over the whole range of `bounds`.

use memory_wall_core::architecture::{
    Biases, Indexer, Latent, LinearAttention, LinearKind, Mlp, Moe, Norm, NormWeight, Positions, Projection,
    SlidingWindow,
};
use memory_wall_core::bounds::{self, Bounds};
use memory_wall_core::engines::vllm::CONSTANTS;
use memory_wall_core::layout::{Layout, PipelineSplit};
use memory_wall_core::scenario::{CutError, Demand, TrainerOption};
use memory_wall_core::tables::drafts::Draft;
use memory_wall_core::tables::gpus::GPUS;
use memory_wall_core::{
    AdapterPrecision, Architecture, Attention, Bytes, Checkpointing, Engine, Fp8, Fp8Recipe, Gradients, Implementation,
    KvPrecision, Lora, LoraTargets, Loss, Mode, Moments, Offload, Optimizer, Parallelism, PipelineSchedule, Recipe,
    RecomputedModules, Scenario, ScenarioError, Serving, Sharding, Share, Speculation, StepKernel, Stock, Training,
    WeightFormat, ZeroStage,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A value of an input: its ends, something small, or anything, large and small magnitudes alike.
pub(crate) fn within(Bounds { min, max, .. }: Bounds) -> impl Strategy<Value = u32> {
    prop_oneof![
        1 => Just(min),
        1 => Just(max),
        3 => min..=max.min(min + 70),
        6 => (0.0..=1.0).prop_map(move |share: f64| {
            let value = libm::exp(libm::log(f64::from(min)) + share * libm::log(f64::from(max) / f64::from(min)));
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
            let value = value.round() as u32;
            value.clamp(min, max)
        }),
    ]
}

/// A value that many ranks divide.
fn multiple(bounds: Bounds, of: u32) -> impl Strategy<Value = u32> {
    within(Bounds { max: (bounds.max / of).max(1), ..bounds }).prop_map(move |value| value * of)
}

/// One of the divisors of a number.
fn divisor(of: u32, index: Index) -> u32 {
    let divisors: Vec<u32> = (1..=of.min(4_096)).filter(|divisor| of.is_multiple_of(*divisor)).collect();
    *index.get(&divisors)
}

/// Some of the layers.
fn some(layers: u32, share: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the layers")]
    let some = (share * f64::from(layers)).round() as u32;
    some.min(layers)
}

prop_compose! {
    fn moe(tp: u32)(
        experts in within(bounds::EXPERTS),
        visited in any::<Index>(),
        intermediate_size in multiple(bounds::INTERMEDIATE_SIZE, tp),
        shared in prop_oneof![Just(0), within(bounds::INTERMEDIATE_SIZE)],
        dense in 0.0..=1.0,
        [shared_gate, router_bias, expert_biases, alternating] in any::<[bool; 4]>(),
        latent_size in proptest::option::weighted(0.2, within(bounds::HIDDEN_SIZE)),
    ) -> (Moe, f64) {
        let experts_per_token = 1 + u32::try_from(visited.index(experts as usize)).unwrap();
        (Moe {
            experts,
            experts_per_token,
            intermediate_size,
            shared_intermediate_size: shared,
            shared_gate,
            dense_layers: 0,
            router_bias,
            expert_biases,
            latent_size,
            alternating,
        }, dense)
    }
}

prop_compose! {
    fn linear()(
        (key_heads, value_heads) in (within(bounds::KV_HEADS), within(bounds::HEADS)),
        (key_dim, value_dim) in (within(bounds::HEAD_DIM), within(bounds::HEAD_DIM)),
        (conv_kernel, fp32_state) in (within(bounds::CONV_KERNEL), any::<bool>()),
        kind in select([LinearKind::GatedDelta, LinearKind::Kda, LinearKind::Mamba2, LinearKind::PlainMamba2, LinearKind::Mamba1 { dt_rank: 160 }, LinearKind::ShortConv].as_slice()),
        share in 0.0..=1.0,
    ) -> (LinearAttention, f64) {
        (LinearAttention { kind, layers: 0, key_heads, value_heads, key_dim, value_dim, conv_kernel, fp32_state }, share)
    }
}

fn latent() -> impl Strategy<Value = Projection> {
    (
        within(bounds::LATENT),
        proptest::option::of(within(bounds::LATENT)),
        within(bounds::LATENT),
        within(bounds::LATENT),
        within(bounds::LATENT),
    )
        .prop_map(|(kv_lora_rank, q_lora_rank, rope_dim, nope_dim, v_dim)| {
            Projection::Latent(Latent { kv_lora_rank, q_lora_rank, rope_dim, nope_dim, v_dim })
        })
}

fn indexer() -> impl Strategy<Value = Indexer> {
    let heads = within(bounds::HEADS).prop_map(|heads| u16::try_from(heads).unwrap());
    let head_dim = within(bounds::HEAD_DIM).prop_map(|width| u16::try_from(width).unwrap());
    (heads, head_dim, 1..=u16::MAX).prop_map(|(heads, head_dim, topk)| Indexer { heads, head_dim, topk, layers: 1 })
}

/// A model that `tp` ranks divide.
pub(crate) fn architecture(tp: u32) -> impl Strategy<Value = Architecture> {
    let sizes = (
        within(bounds::LAYERS),
        within(bounds::HIDDEN_SIZE),
        multiple(bounds::HEADS, tp),
        any::<Index>(),
        within(bounds::HEAD_DIM),
        multiple(bounds::INTERMEDIATE_SIZE, tp),
        multiple(bounds::VOCAB_SIZE, tp),
    );
    let kinds = (
        prop_oneof![4 => Just(Projection::Heads), 1 => latent()],
        select([Mlp::Gated, Mlp::Relu, Mlp::Gelu, Mlp::Xielu, Mlp::GeluNew].as_slice()),
        select([Norm::RmsNorm, Norm::LayerNorm, Norm::Unbiased].as_slice()),
        1..=4u32,
        prop_oneof![
            Just(Positions::Rotary),
            Just(Positions::Alibi),
            within(bounds::POSITIONS).prop_map(Positions::Learned)
        ],
        any::<[bool; 15]>(),
    );
    let parts = (
        proptest::option::of((within(bounds::SLIDING_WINDOW), 0.0..=1.0)),
        proptest::option::of(within(bounds::KV_HEADS)),
        proptest::option::of(within(bounds::HEAD_DIM)),
        proptest::option::weighted(0.2, linear()),
        proptest::option::weighted(0.2, 0.0..=1.0),
        proptest::option::weighted(0.1, 0.0..=1.0),
        proptest::option::weighted(0.3, moe(tp)),
        proptest::option::of(within(bounds::POSITIONS)),
        proptest::option::weighted(0.1, 1..=10_000_000_000_000u64),
        (proptest::option::weighted(0.1, indexer()), 0.0..=1.0),
    );
    (sizes, kinds, parts).prop_map(move |(sizes, kinds, parts)| {
        let (layers, hidden_size, heads, kv_index, head_dim, intermediate_size, vocab_size) = sizes;
        let (projection, mlp, norm, norms_per_layer, positions, flags) = kinds;
        let [
            qkv,
            attention_output,
            biased_mlp,
            tied,
            qk_norm,
            wide,
            embedding_norm,
            gated,
            parallel,
            capped,
            sinks,
            dropout,
            fused_qkv,
            beside,
            keys_as_values,
        ] = flags;
        let (sliding, own_kv_heads, own_head_dim, linear, shared_cache, alone, moe, trained_context, rounded, indexer) =
            parts;
        // KV heads that divide the query heads, and that the ranks divide or that divide the ranks.
        let kv_heads = divisor(heads, kv_index);
        let kv_heads = if kv_heads.is_multiple_of(tp) || tp.is_multiple_of(kv_heads) { kv_heads } else { heads };
        let sliding_layers = sliding.map_or(0, |(_, share)| some(layers, share));
        let linear_layers = linear.map_or(0, |(_, share)| some(layers - sliding_layers, share));
        let beside = beside && linear.is_some();
        let attending = layers - sliding_layers - linear_layers;
        let mlp_layers = alone.map_or(0, |share| some(attending, share));
        let mlps = if mlp_layers > 0 { mlp_layers } else { layers };
        Architecture {
            layers,
            hidden_size,
            heads,
            kv_heads,
            head_dim,
            intermediate_size,
            vocab_size,
            projection,
            indexer: indexer
                .0
                .map(|parts| Indexer { layers: u16::try_from(some(layers, indexer.1)).unwrap(), ..parts }),
            compression: None,
            mlp,
            norm,
            norm_weight: match layers % 3 {
                0 => NormWeight::Rounded,
                1 => NormWeight::InFp32,
                _ => NormWeight::WithFp32Copy,
            },
            norms_per_layer,
            qk_norm,
            wide_qk_norm: wide,
            embedding_norm,
            gated_attention: gated,
            keys_as_values,
            parallel_residual: parallel,
            soft_capped: capped,
            unstable_in_fp16: capped,
            dual_chunks: false,
            rotary_stretch: u8::try_from(1 + layers % 64).unwrap(),
            rotary_in_windows: capped,
            attention_sinks: sinks,
            fused_qkv,
            joined_rotation: layers % 2 == 1,
            dropout,
            positions,
            biases: Biases { qkv, attention_output, mlp: biased_mlp },
            tied_embeddings: tied,
            sliding_window: sliding.map(|(window, _)| SlidingWindow {
                window,
                layers: sliding_layers,
                kv_heads: own_kv_heads,
                head_dim: own_head_dim,
                chunked: window % 2 == 0,
            }),
            shared_cache_layers: shared_cache.map_or(0, |share| some(attending - mlp_layers, share)),
            linear_attention: linear.map(|(linear, _)| LinearAttention { layers: linear_layers, ..linear }),
            states_beside_attention: beside,
            mlp_layers,
            moe: moe.map(|(moe, dense)| Moe { dense_layers: some(mlps, dense), ..moe }),
            trained_context,
            tower: None,
            prediction_layers: layers % 2,
            rounded_parameters: rounded,
        }
    })
}

prop_compose! {
    fn fp8()(
        recipe in prop_oneof![1 => Just(Fp8Recipe::None), 1 => select(Fp8Recipe::ALL)],
        [param_gather, input_store] in any::<[bool; 2]>(),
    ) -> Fp8 {
        Fp8 { recipe, param_gather: param_gather && recipe != Fp8Recipe::None, input_store }
    }
}

prop_compose! {
    fn training()(
        (recipe, gradients) in (select(Recipe::ALL), select(Gradients::ALL)),
        step in select(StepKernel::ALL),
        (implementation, sharding) in (select(Implementation::ALL), select(Sharding::ALL)),
        (fp8, moments) in (fp8(), select(Moments::ALL)),
        loss in select(Loss::ALL),
        micro_batches in prop_oneof![2 => Just(1), 1 => within(bounds::MICRO_BATCHES)],
        (rank, precision) in (within(bounds::LORA_RANK), select(AdapterPrecision::ALL)),
        [q, k, v, o, mlp, head, dropout, upcast, experts] in any::<[bool; 9]>(),
        ([compile, async_tp, reshard_after_forward], modules) in (any::<[bool; 3]>(), any::<u8>()),
        [cpu, padding, outputs_kept, grouped_experts, reentrant] in any::<[bool; 5]>(),
    ) -> Training {
        // An adapter has at least one place.
        let targets = LoraTargets { q: q || !(k || v || o || mlp || head), k, v, o, mlp, head };
        Training {
            recipe,
            gradients,
            moments,
            fp8,
            step,
            implementation,
            sharding,
            recompute: RecomputedModules::of(|module| modules >> module as u8 & 1 == 1),
            loss,
            compile,
            async_tp,
            reshard_after_forward,
            micro_batches,
            lora: Lora { rank, targets, precision, upcast, experts, dropout },
            stock: Stock {
                cpu,
                padding,
                outputs_kept,
                efficient_kernel: padding && reentrant,
                wide_attention: padding != reentrant,
                grouped_experts,
                reentrant,
            },
        }
    }
}

prop_compose! {
    fn serving()(
        engine in select(Engine::ALL),
        max_num_seqs in within(bounds::MAX_NUM_SEQS),
        max_num_batched_tokens in within(bounds::MAX_NUM_BATCHED_TOKENS),
        [usual_seqs, usual_batched_tokens, enforce_eager, language_model_only] in any::<[bool; 4]>(),
        gpu_memory_utilization in proptest::option::of((100..=10_000_u32).prop_map(Share::hundredths)),
        max_model_len in proptest::option::of(within(bounds::MAX_MODEL_LEN)),
        max_loras in proptest::option::weighted(0.2, within(bounds::MAX_LORAS)),
        max_lora_rank in select([1_u32, 16, 64, 512].as_slice()),
        speculation in select(Speculation::ALL),
        num_speculative_tokens in within(bounds::NUM_SPECULATIVE_TOKENS),
        version in select(CONSTANTS.as_slice()).prop_map(|constants| constants.since),
        prefix_caching in proptest::option::of(any::<bool>()),
    ) -> Serving {
        Serving {
            engine,
            max_num_seqs,
            max_num_batched_tokens,
            usual_seqs,
            usual_batched_tokens,
            enforce_eager,
            language_model_only,
            prefix_caching,
            gpu_memory_utilization,
            max_model_len,
            max_loras,
            max_lora_rank,
            speculation,
            num_speculative_tokens,
            version,
        }
    }
}

/// A cut that goes with the model; `tp` divides it already.
fn parallel(shape: Architecture, tp: u32) -> impl Strategy<Value = Parallelism> {
    let (layers, experts) = (shape.layers, shape.moe.map_or(1, |moe| moe.experts));
    (
        1..=layers.min(64),
        any::<Index>(),
        prop_oneof![1 => Just(1u32), 2 => select([2u32, 3, 8, 64, 1_000_000].as_slice())],
        prop_oneof![2 => Just(1u32), 1 => within(bounds::CP)],
        select(ZeroStage::ALL),
        any::<[Index; 3]>(),
        any::<[bool; 3]>(),
        (0..8_u32, any::<[Index; 3]>()),
        prop_oneof![2 => Just(PipelineSchedule::OneForwardOneBackward), 1 => select(PipelineSchedule::ALL)],
    )
        .prop_map(
            move |(
                pp,
                chunks,
                dp,
                cp,
                zero,
                [expert, shard, stage],
                [cut, hybrid, sequence_parallel],
                told,
                schedule,
            )| {
                let pp = if cut { pp } else { 1 };
                let virtual_stages = 1 + u32::try_from(chunks.index((layers / pp) as usize)).unwrap();
                let split = if pp > 1 { split(layers, pp, virtual_stages, told) } else { PipelineSplit::default() };
                let ep = divisor(dp, expert);
                Parallelism {
                    dp,
                    tp,
                    pp,
                    cp,
                    etp: None,
                    ep: if experts.is_multiple_of(ep) { ep } else { 1 },
                    zero,
                    shard: hybrid.then(|| divisor(dp, shard)),
                    sequence_parallel,
                    virtual_stages: if cut { virtual_stages } else { 1 },
                    schedule,
                    split,
                    stage: u32::try_from(stage.index(pp as usize)).unwrap(),
                }
            },
        )
}

/// What Megatron-LM may be told of the stages of a pipeline; nothing in half of the cases.
fn split(layers: u32, pp: u32, virtual_stages: u32, (kind, places): (u32, [Index; 3])) -> PipelineSplit {
    let even = PipelineSplit::default();
    let [one, two, three] = places.map(|place| u32::try_from(place.index(1 + layers as usize)).unwrap());
    let chunks = pp * virtual_stages;
    match kind {
        0 => PipelineSplit { first: Some(one), ..even },
        1 => PipelineSplit { first: Some(one), last: Some(layers - one), ..even },
        2 => PipelineSplit { embedding: one % 2 == 0, loss: one % 3 == 0, ..even },
        3 if chunks <= 128 => {
            // Layers up to three places, and MTP layers in the last chunk of a rank.
            let at = [one, two, three].map(|place| place % chunks);
            let predicted = chunks - 1 - two % pp;
            let stages: Vec<String> = (0..chunks)
                .map(|chunk| {
                    let here: u32 = at.iter().map(|at| u32::from(*at == chunk)).sum();
                    let rest = layers - 3 * (layers / 3);
                    let layers = here * (layers / 3) + if chunk == 0 { rest } else { 0 };
                    let behind = chunk == predicted && at.iter().all(|at| *at <= predicted);
                    format!("{}{}", "t".repeat(layers as usize), if behind { "m" } else { "" })
                })
                .collect();
            PipelineSplit { layout: Layout::read(&format!("E{}L", stages.join("|"))).ok(), ..even }
        }
        _ => even,
    }
}

/// A scenario on one GPU or on many.
pub(crate) fn scenario() -> impl Strategy<Value = Scenario> {
    let degrees = prop_oneof![2 => Just(1u32), 1 => select([2u32, 3, 4, 8, 16].as_slice())];
    degrees.prop_flat_map(|tp| architecture(tp).prop_flat_map(move |shape| with_shape(shape, tp)))
}

/// A scenario on one GPU.
pub(crate) fn on_one_gpu() -> impl Strategy<Value = Scenario> {
    architecture(1).prop_flat_map(|shape| with_shape(shape, 1)).prop_map(alone)
}

fn with_shape(architecture: Architecture, tp: u32) -> impl Strategy<Value = Scenario> {
    let what = (
        (within(bounds::BATCH), within(bounds::SEQ_LENGTH)),
        select(Mode::ALL),
        select(WeightFormat::ALL),
        select(KvPrecision::ALL),
        select(Optimizer::ALL),
        select(Checkpointing::ALL),
        select(Attention::ALL),
    );
    let how = (
        training(),
        serving(),
        parallel(architecture, tp),
        prop_oneof![3 => Just([false; 3]), 1 => any::<[bool; 3]>()],
        proptest::option::weighted(0.8, select(GPUS)),
    );
    (what, how).prop_map(
        move |(
            ((batch, seq_length), mode, weights, kv, optimizer, checkpointing, attention),
            (training, serving, parallel, [optimizer_away, parameters, kv_cache], gpu),
        )| {
            let weights = mode.nearest(weights);
            let Architecture { hidden_size, heads, kv_heads, head_dim, intermediate_size, vocab_size, .. } =
                architecture;
            let draft = Draft {
                id: "",
                repository: "",
                shape: Architecture::llama([1, hidden_size, heads, kv_heads, head_dim, intermediate_size, vocab_size]),
                guessed_vocabulary: vocab_size,
                reads: (serving.speculation != Speculation::DraftModel).then_some(hidden_size),
            };
            let scenario = Scenario {
                architecture,
                mode,
                batch,
                seq_length,
                weights,
                kv,
                optimizer,
                checkpointing,
                attention,
                training,
                serving,
                draft: Some(draft),
                parallel,
                offload: Offload { optimizer: optimizer_away, parameters, kv_cache },
                gpu: gpu.and_then(|gpu| GPUS.iter().find(|card| card.id == gpu.id)),
                host_memory: batch.is_multiple_of(3).then_some(seq_length),
                // Half of it, now and then.
                gpu_memory: gpu.map(|gpu| Bytes(gpu.capacity.0 / 2)).filter(|_| batch.is_multiple_of(4)),
            };
            let scenario = served(scenario);
            // Not every program and GPU can offload.
            let offload = if Offload::check(&scenario).is_ok() { scenario.offload } else { Offload::default() };
            let scenario = Scenario { offload, ..scenario };
            // Some models have no matrix in the chosen places.
            if scenario.check() == Err(ScenarioError::NoAdapters) {
                let weights = if scenario.weights.trainable() { scenario.weights } else { WeightFormat::Bf16 };
                let mut scenario = Scenario { mode: Mode::Training, weights, ..scenario };
                // What is asked where all parameters learn is not asked of adapters.
                trained(&mut scenario);
                return scenario;
            }
            scenario
        },
    )
}

/// The scenario on one GPU, where it offloads what can be offloaded there.
pub(crate) fn alone(mut scenario: Scenario) -> Scenario {
    scenario.parallel = Parallelism::ONE;
    if Offload::check(&scenario).is_err() {
        scenario.offload = Offload::default();
    }
    scenario
}

/// The scenario as its training code can run it; by torchtitan, which cuts everything, where it cuts something else.
fn trained(scenario: &mut Scenario) {
    // Megatron-LM cuts the width of an expert where it spreads experts.
    if let Err(ScenarioError::Parallel(_)) = scenario.check() {
        scenario.parallel.ep = 1;
    }
    let cut = Scenario {
        training: Training { implementation: Implementation::Torchtitan, ..scenario.training },
        ..*scenario
    };
    while let Err(ScenarioError::Cut(error)) = scenario.check() {
        let training = &mut scenario.training;
        match error {
            CutError::Lacks(_, TrainerOption::Optimizer(_)) => scenario.optimizer = Optimizer::AdamW,
            CutError::Lacks(_, TrainerOption::Loss(_)) => training.loss = Loss::Plain,
            CutError::Lacks(_, TrainerOption::Compile) => training.compile = false,
            CutError::Lacks(_, TrainerOption::AsyncTensor | TrainerOption::AsyncUncompiled) => {
                training.async_tp = false;
            }
            CutError::Lacks(_, TrainerOption::WholeWeights) => training.reshard_after_forward = true,
            CutError::Lacks(_, TrainerOption::Selective) => scenario.checkpointing = Checkpointing::Full,
            CutError::Lacks(_, TrainerOption::Recompute(_)) => training.recompute = RecomputedModules::CORE_ATTENTION,
            CutError::Lacks(_, TrainerOption::Half) => scenario.weights = WeightFormat::Bf16,
            CutError::Lacks(_, TrainerOption::Eager) => scenario.attention = Attention::Flash,
            CutError::Lacks(_, TrainerOption::Recipe(_)) => training.recipe = Recipe::Autocast,
            CutError::Lacks(_, TrainerOption::Sharding(_)) | CutError::Sharded(..) => {
                training.sharding = Sharding::ByRecipe;
            }
            CutError::Lacks(_, TrainerOption::PartShards(_)) => scenario.parallel.zero = ZeroStage::Weights,
            CutError::Split(_) | CutError::Lacks(_, TrainerOption::Split)
                if scenario.parallel.split != PipelineSplit::default() =>
            {
                scenario.parallel.split = PipelineSplit::default();
            }
            CutError::Fp8(why) => match why.option() {
                "moments" => training.moments = Moments::ByRecipe,
                "activation_func_fp8_input_store" => training.fp8.input_store = false,
                "fp8_param_gather" => training.fp8.param_gather = false,
                _ => training.fp8 = Fp8 { input_store: training.fp8.input_store, ..Fp8::NONE },
            },
            CutError::Lacks(_, TrainerOption::PartOffload) => scenario.offload = Offload::default(),
            CutError::MicroBatches { multiple, .. } => training.micro_batches = multiple,
            CutError::NoInterleaving(_) => scenario.parallel.virtual_stages = 1,
            CutError::BothWays(..) if scenario.parallel.pp > 1 && training.micro_batches < 4 * scenario.parallel.pp => {
                // Of an odd number of stages the half runs.
                if !scenario.parallel.pp.is_multiple_of(2) {
                    scenario.parallel.schedule = PipelineSchedule::DualPipeV;
                }
                (scenario.parallel.virtual_stages, training.micro_batches) = (1, 4 * scenario.parallel.pp);
            }
            CutError::BothWays(..) | CutError::Lacks(_, TrainerOption::Schedule(_)) => {
                scenario.parallel.schedule = PipelineSchedule::OneForwardOneBackward;
            }
            CutError::Asks(_, Demand::MicroBatches { stages, .. }) => training.micro_batches = stages,
            CutError::Asks(_, Demand::SequenceParallel) => scenario.parallel.sequence_parallel = true,
            CutError::Asks(_, Demand::Tokens { seq_length, multiple }) => {
                scenario.seq_length = (seq_length - seq_length % multiple).max(multiple);
            }
            CutError::Asks(_, Demand::KvHeads { .. }) => scenario.parallel = Parallelism::ONE,
            _ => *scenario = cut,
        }
    }
}

/// The scenario as its runtime can run it; without one where there is no way.
pub(crate) fn served(mut scenario: Scenario) -> Scenario {
    let engine = scenario.serving.engine;
    // Apple's GPUs come one in a computer.
    let several = scenario.parallel.ranks() > 1;
    scenario.gpu = scenario.gpu.filter(|gpu| gpu.vendor != "Apple" || !several);
    // Elsewhere than in vLLM experts are spread within the data-parallel ranks.
    let vllm = scenario.mode == Mode::Inference && engine == Engine::Vllm;
    if !vllm && scenario.parallel.check(&scenario.architecture).is_err() {
        scenario.parallel.ep = 1;
    }
    if Offload::check(&scenario).is_err() {
        scenario.offload = Offload::default();
    }
    if scenario.mode.trains() && scenario.architecture.norm == Norm::Unbiased {
        scenario.architecture.norm = Norm::LayerNorm;
    }
    if scenario.mode.trains() && scenario.architecture.mlp == Mlp::Xielu {
        scenario.architecture.mlp = Mlp::Gelu;
    }
    if scenario.mode.trains()
        && let Some(states) = scenario.architecture.linear_attention.as_mut().filter(|it| it.kind == LinearKind::Kda)
    {
        states.kind = LinearKind::GatedDelta;
    }
    // Sparse attention is not trained, and not served by llama.cpp, nor with whole heads by transformers.
    let blocks = scenario.architecture.picks_blocks() && engine == Engine::Hf;
    if scenario.mode.trains() || engine == Engine::LlamaCpp || blocks {
        scenario.architecture.indexer = None;
    }
    trained(&mut scenario);
    if scenario.mode.trains() && matches!(scenario.check(), Err(ScenarioError::Runtime(_))) {
        // bitsandbytes does not run on every accelerator, which is asked after what the training code cannot do.
        scenario.gpu = None;
        trained(&mut scenario);
    }
    if scenario.mode != Mode::Inference || engine == Engine::Exact {
        return scenario;
    }
    if !engine.loads(scenario.weights) {
        scenario.weights = WeightFormat::Bf16;
    }
    if !engine.caches(scenario.kv) {
        scenario.kv = KvPrecision::Bf16;
    }
    if let Some(gpu) = scenario.gpu {
        scenario = scenario.on(gpu);
    }
    let ep = scenario.parallel.ep;
    let parallel = &mut scenario.parallel;
    parallel.cp = 1;
    if engine == Engine::Vllm {
        let all = u64::from(parallel.tp) * u64::from(parallel.dp);
        parallel.ep = u32::try_from(all).ok().filter(|all| ep > 1 && *all <= bounds::EP.max).unwrap_or(1);
        let serving = &mut scenario.serving;
        serving.max_num_batched_tokens = serving.max_num_batched_tokens.max(serving.max_num_seqs);
        // No request is longer than the model was made for, nor than the cap.
        let most = scenario.architecture.trained_context.unwrap_or(u32::MAX);
        scenario.seq_length = scenario.seq_length.min(most);
        scenario.serving.max_model_len =
            scenario.serving.max_model_len.map(|length| length.clamp(scenario.seq_length, most));
    } else {
        parallel.ep = 1;
    }
    // Three ranks do not divide the rows to which vLLM pads a vocabulary.
    if let Err(ScenarioError::Runtime(_) | ScenarioError::Parallel(_)) = scenario.check() {
        scenario.serving.engine = Engine::Exact;
        scenario.parallel.ep = 1;
    }
    scenario
}
