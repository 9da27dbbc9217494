//! From texts to explanations: the model and the settings that are filled in, the estimate beside each figure, causes and changes.
//!
//! Figures of real logs stand in the tests of `accuracy`; here they are our own, or by hand.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use memory_wall_core::profile::Tensor;
use memory_wall_core::serving::Version;
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::{Engine, KvPrecision, Mode, Scenario, Verdict, WeightFormat};
use memory_wall_reports::explain::{
    Cause, Contradiction, Explanation, FoundModel, Known, Message, Note, Number, Stated, explain,
};
use memory_wall_reports::{Kind, Phase, Reader, Refusal, Size, What};

fn explained(texts: &[&str], stated: &Stated<'_>) -> Explanation {
    let mut reader = Reader::new();
    for text in texts {
        reader.feed(text.as_bytes());
        reader.next_source();
    }
    explain(&reader.finish(), &[], stated)
}

fn nothing() -> Stated<'static> {
    Stated { model: None, gpu: None, mode: None, adjust: &|_| (), sizes: false }
}

fn scenario(explanation: &Explanation) -> memory_wall_core::Checked {
    explanation.scenario.unwrap().unwrap()
}

/// The estimate of a term, in bytes or tokens.
fn estimated(explanation: &Explanation, what: What) -> i128 {
    let row = explanation
        .rows
        .iter()
        .find(|row| row.what == what)
        .unwrap_or_else(|| panic!("{what:?} in {:?}", explanation.rows));
    row.estimated.unwrap().value()
}

/// vLLM 0.19 with Llama 3.1 8B on an H100, as `accuracy/data/vllm_runs.csv` has it: 14.99, 1.89, 0.25 and 58.11 GiB, and 476,016 tokens.
const VLLM: &str = "(APIServer pid=1) INFO [utils.py:233] non-default args: {'model': 'meta-llama/Llama-3.1-8B-Instruct', 'max_model_len': 131072, 'gpu_memory_utilization': 0.95, 'max_num_batched_tokens': 8192}\n\
(EngineCore pid=2) INFO [core.py:93] Initializing a V1 LLM engine (v0.19.0) with config: model='meta-llama/Llama-3.1-8B-Instruct', dtype=torch.bfloat16, max_seq_len=131072, tensor_parallel_size=1, quantization=None, kv_cache_dtype=auto\n\
(EngineCore pid=2) INFO [gpu_model_runner.py:1] Model loading took 14.99 GiB memory and 3.2 seconds\n\
(EngineCore pid=2) INFO [gpu_worker.py:1] Available KV cache memory: 58.11 GiB\n\
(EngineCore pid=2) INFO [kv_cache_utils.py:1] GPU KV cache size: 476,016 tokens\n\
(EngineCore pid=2) INFO [gpu_worker.py:1] Free memory on device (78.66/79.19 GiB) on startup. Desired GPU memory utilization is (0.95, 75.23 GiB). Actual usage is 14.99 GiB for weight, 1.89 GiB for peak activation, 0.25 GiB for non-torch memory, and 0.88 GiB for CUDAGraph memory.\n";

#[test]
fn a_log_of_vllm_fills_the_estimate_in() {
    let explanation = explained(&[VLLM], &nothing());
    let scenario = scenario(&explanation);
    assert_eq!(explanation.model.as_ref().unwrap().preset.unwrap().id, "llama-3.1-8b");
    assert_eq!((scenario.serving.engine, scenario.serving.version), (Engine::Vllm, Version::MEASURED));
    assert_eq!(
        (scenario.weights, scenario.kv, scenario.serving.utilization()),
        (WeightFormat::Bf16, KvPrecision::Bf16, memory_wall_core::Share::percent(95))
    );
    let finer = VLLM.replace("0.95", "0.8417");
    let finer = explained(&[finer.as_str()], &nothing());
    assert_eq!(self::scenario(&finer).serving.utilization().to_string(), "0.8417");
    assert_eq!((scenario.seq_length, scenario.batched_tokens()), (131_072, 8_192));
    for row in &explanation.rows {
        let Some(difference) = row.difference() else { continue };
        let part = match row.what {
            // Exact, within the digits of the log.
            What::Weights | What::Budget | What::NonTorch => 0.0,
            What::KvTokens | What::KvCache | What::PeakActivation => 0.01,
            What::Graphs => 0.25,
            other => panic!("{other:?}"),
        };
        let slack = row.reported.value() as f64 * part + row.grain as f64 / 2.0 + 2.0;
        assert!(difference.unsigned_abs() as f64 <= slack, "{row:?}");
    }
    assert_eq!(explanation.rows.len(), 7);
    assert!(
        explanation.causes.is_empty()
            && explanation.changes.is_empty()
            && explanation.contradictions.is_empty()
            && explanation.stands
    );
}

/// By hand: 8 slots of rank 64, two bytes, the widths of all linear layers of Llama 3.1 8B.
#[test]
fn slots_for_adapters_are_read_and_counted_with_the_weights() {
    let plain = estimated(&explained(&[VLLM], &nothing()), What::Weights);
    let with = |from: &str, to: &str| explained(&[&VLLM.replace(from, to)], &nothing());
    let widths = 32 * (8_192 + 2 * 5_120 + 8_192 + 3 * 18_432) + 2 * (128_256 + 4_096);
    let model = "'max_num_batched_tokens': 8192}";
    let slots = with(model, "'enable_lora': True, 'max_loras': 8, 'max_lora_rank': 64, 'max_cpu_loras': 16}");
    assert_eq!(estimated(&slots, What::Weights) - plain, widths * 8 * 64 * 2);
    // What isn't said is vLLM's own: one of rank 16.
    assert_eq!(estimated(&with(model, "'enable_lora': True}"), What::Weights) - plain, widths * 16 * 2);
    // A dump of all arguments names slots that are never made.
    let start = "non-default args: {'model': 'meta-llama/Llama-3.1-8B-Instruct'";
    for (switch, more) in [("False", 0), ("True", widths * 4 * 32 * 2)] {
        let dump = format!(
            "args: Namespace(subparser='serve', model_tag='x', host=None, lora_modules=None, model='meta-llama/Llama-3.1-8B-Instruct', enable_lora={switch}, enable_lora_bias=False, max_loras=4, max_lora_rank=32, max_cpu_loras=None, fully_sharded_loras=False)\nINFO {start}"
        );
        assert_eq!(estimated(&with(start, &dump), What::Weights) - plain, more, "{switch}");
    }
    // Experts' slots are not modelled: that is said, and what is known is estimated.
    let mixture = VLLM.replace("Llama-3.1-8B-Instruct", "Mixtral-8x7B-Instruct-v0.1").replace("131072", "32768");
    let mixture = explained(&[&mixture.replace(model, "'enable_lora': True}")], &nothing());
    assert!(mixture.notes.contains(&Note::AdapterSlots) && scenario(&mixture).serving.max_loras.is_none());
    // A rank that vLLM refuses is said.
    let odd = with(model, "'enable_lora': True, 'max_lora_rank': 24}");
    assert!(odd.scenario.unwrap().unwrap_err().to_string().contains("no max_lora_rank of 24"));
}

/// Without its tower a model weighs less, in the estimate as in the log.
#[test]
fn a_log_says_whether_the_tower_is_left_out() {
    let told = |more: &str| {
        let log = VLLM.replace("meta-llama/Llama-3.1-8B-Instruct", "Qwen/Qwen3-VL-8B-Instruct");
        let log = log.replace("'max_num_batched_tokens': 8192}", &format!("'max_num_batched_tokens': 8192{more}}}"));
        explained(&[log.as_str()], &nothing())
    };
    let (whole, text) = (told(""), told(", 'language_model_only': True"));
    assert!(!scenario(&whole).serving.language_model_only && scenario(&text).serving.language_model_only);
    let tower = scenario(&whole).architecture.tower.unwrap();
    // Three further outputs have a place of 4,096 values for each token at once.
    let places = 3 * 8_192 * 4_096 * 2;
    assert_eq!(
        estimated(&whole, What::Weights) - estimated(&text, What::Weights),
        i128::from(tower.parameters) * 2 + places
    );
}

/// Prefix caching in a log is used only for models whose layers keep a state: there it changes how many states a request takes.
#[test]
fn a_log_says_whether_prefixes_of_a_delta_net_are_cached() {
    let told = |model: &str, on: &str| {
        let log = VLLM.replace("meta-llama/Llama-3.1-8B-Instruct", model).replace("v0.19.0", "v0.20.0");
        let log = log.replace("kv_cache_dtype=auto", &format!("kv_cache_dtype=auto, enable_prefix_caching={on}"));
        scenario(&explained(&[log.as_str()], &nothing())).serving.prefix_caching
    };
    assert_eq!(told("Qwen/Qwen3.5-35B-A3B", "True"), Some(true));
    assert_eq!(told("Qwen/Qwen3.5-35B-A3B", "False"), Some(false));
    assert_eq!(told("meta-llama/Llama-3.1-8B-Instruct", "True"), None);
    // A command may say that it is off.
    let command = |switch: &str| {
        let text = format!("vllm serve Qwen/Qwen3.5-35B-A3B {switch} --max-model-len 8192\n");
        scenario(&explained(&[text.as_str()], &nothing())).serving
    };
    assert_eq!(command("--no-enable-prefix-caching").prefix_caching, Some(false));
    assert_eq!(command("--enable-prefix-caching").prefix_caching, Some(true));
    assert_eq!(command("--no-enable-prefix-caching").max_model_len, Some(8_192));
    // What is not modelled is refused by name, as by the command.
    let mamba = VLLM
        .replace("meta-llama/Llama-3.1-8B-Instruct", "ibm-granite/granite-4.0-h-tiny")
        .replace("v0.19.0", "v0.20.0");
    let mamba = mamba.replace("kv_cache_dtype=auto", "kv_cache_dtype=auto, enable_prefix_caching=True");
    let refused = explained(&[mamba.as_str()], &nothing()).scenario.unwrap().unwrap_err().to_string();
    assert!(refused.contains("prefix caching beside Mamba layers"), "{refused}");
}

#[test]
fn a_refusal_of_vllm_is_mended_first_by_what_is_free() {
    let refusal = "(EngineCore pid=2) ERROR ValueError: To serve at least one request with the model's max seq len (131072), (16.00 GiB KV cache is needed, which is larger than the available KV cache memory (3.50 GiB). Based on the available memory, the estimated maximum model length is 28672. Try increasing\n";
    let log = "INFO non-default args: {'model': 'meta-llama/Llama-3.1-8B-Instruct', 'gpu_memory_utilization': 0.85}\nINFO Initializing a V1 LLM engine (v0.19.0) with config: model='meta-llama/Llama-3.1-8B-Instruct', dtype=torch.bfloat16, max_seq_len=131072\n";
    let explanation = explained(&[log, refusal], &Stated { gpu: gpus::by_id("rtx4090"), ..nothing() });
    // 131,072 tokens of 131,072 bytes.
    assert_eq!(estimated(&explanation, What::KvNeeded), 16 << 30);
    assert!(
        matches!(explanation.causes[0], Cause::Refused { why: Refusal::Length, needed: Some(needed), available: Some(3_758_096_384) } if needed == 16 << 30)
    );
    let kinds: Vec<&str> = explanation.changes.iter().map(|change| change.kind.id()).collect();
    assert_eq!(kinds.len(), 3);
    let first = &explanation.changes[0];
    assert_eq!(
        (kinds[0], first.scenario.serving.max_model_len, first.verdict.is_some_and(Verdict::holds)),
        ("shorter-requests", Some(28_672), true)
    );
}

/// A full training step of Llama 3.2 1B, batch 4, 2,048 tokens, that died of the logits: 4 x 2,048 x 128,256 x 2 bytes are 1.96 GiB.
const LOGITS: &str = "Traceback (most recent call last):\n  File \"/x/train.py\", line 9, in main\n    loss.backward()\n  File \"/x/torch/_tensor.py\", line 626, in backward\n    torch.autograd.backward(\n\
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0 has a total capacity of 23.64 GiB of which 0.50 GiB is free. Including non-PyTorch memory, this process has 23.10 GiB memory in use. Of the allocated memory 22.00 GiB is allocated by PyTorch, and 0.60 GiB is reserved by PyTorch but unallocated.\n";

#[test]
fn a_request_is_matched_with_a_tensor_of_the_stated_run() {
    let stated = Stated {
        model: Some(FoundModel::listed(models::by_id("llama-3.2-1b").unwrap(), Known::Stated)),
        mode: Some(Mode::Training),
        adjust: &|scenario: &mut Scenario| (scenario.batch, scenario.seq_length) = (4, 2_048),
        sizes: true,
        ..nothing()
    };
    let explanation = explained(&[LOGITS], &stated);
    assert_eq!(
        explanation.tensors.iter().map(|candidate| (candidate.tensor, candidate.bytes().0)).collect::<Vec<_>>(),
        [(Tensor::Logits, 2_101_346_304)]
    );
    assert!(matches!(explanation.causes[0], Cause::Tensor(candidate) if candidate.tensor == Tensor::Logits));
    assert!(explanation.causes.contains(&Cause::When(Phase::Backward, None)));
    // Held and asked for: 22.00 + 1.96 GiB.
    let row = &explanation.rows[0];
    assert_eq!((row.what, row.reported), (What::Need, Number::Bytes(23_622_320_128 + 2_104_533_975)));
    assert_eq!(explanation.changes.len(), 3);
}

#[test]
fn without_a_model_the_message_is_told_alone() {
    let explanation = explained(&[LOGITS], &nothing());
    assert!(
        explanation.model.is_none()
            && explanation.scenario.is_none()
            && explanation.rows.iter().all(|row| row.estimated.is_none())
    );
    assert_eq!(explanation.capacity.unwrap().0, 25_383_256_719);
    assert!(
        matches!(explanation.causes[..], [Cause::When(Phase::Backward, None), Cause::Full { missing, .. }] if missing > 0)
    );
    let sentences: Vec<String> = explanation.causes.iter().map(ToString::to_string).collect();
    assert_eq!(sentences[0], "It happened in the backward pass.");
    assert!(sentences[1].contains("22.0 GiB of 23.6 GiB"), "{sentences:?}");
}

#[test]
fn causes_follow_from_the_numbers_of_the_message() {
    let message = |free: &str, process: &str, other: &str, allocated: &str, reserved: &str| {
        format!(
            "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 80.00 GiB of which {free} GiB is free. {other}Including non-PyTorch memory, this process has {process} GiB memory in use. Of the allocated memory {allocated} GiB is allocated by PyTorch, and {reserved} GiB is reserved by PyTorch but unallocated."
        )
    };
    let first = |text: String| explained(&[&text], &nothing()).causes[0];
    assert!(matches!(first(message("0.50", "79.00", "", "60.00", "18.50")), Cause::Fragmentation { .. }));
    assert!(matches!(
        first(message("0.50", "39.00", "Process 7 has 40.00 GiB memory in use. ", "37.00", "1.00")),
        Cause::OtherProcess { holds: 42_949_672_960, .. }
    ));
    // The other process isn't told, and follows from what is left.
    assert!(matches!(first(message("0.50", "39.00", "", "37.00", "1.00")), Cause::OtherProcess { .. }));
    assert!(matches!(first(message("0.50", "79.00", "", "77.00", "1.00")), Cause::Full { .. }));
    // Six GiB of a process are outside PyTorch.
    let outside = explained(&[&message("0.50", "79.00", "", "72.00", "1.00")], &nothing());
    assert!(outside.causes.contains(&Cause::Outside { bytes: 6 << 30 }));
    // It is said once: what no cause says stands beside the numbers of the message.
    let numbers = Message {
        process: Some(Size::exact(9)),
        allocated: Some(Size::exact(4)),
        reserved_free: Some(Size::exact(2)),
        ..Message::default()
    };
    assert_eq!(numbers.outside_unsaid(&[]), Some(3));
    assert_eq!(numbers.outside_unsaid(&[Cause::Outside { bytes: 3 }]), None);
    // In a container the process is told as another.
    let container = "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 80.00 GiB of which 0.50 GiB is free. Process 99 has 79.00 GiB memory in use. Of the allocated memory 77.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated.";
    let causes = explained(&[container], &nothing()).causes;
    assert!(matches!(causes[0], Cause::Full { .. }), "{causes:?}");
}

/// vLLM issue 40291: the model is larger than the GPU, and 0.3 GiB that lie free between weights are not why.
#[test]
fn memory_that_runs_out_while_weights_load_is_not_fragmented() {
    let oom = "CUDA out of memory. Tried to allocate 84.00 MiB. GPU 0 has a total capacity of 31.35 GiB of which 93.06 MiB is free. Including non-PyTorch memory, this process has 30.33 GiB memory in use. Of the allocated memory 29.39 GiB is allocated by PyTorch, and 309.08 MiB is reserved by PyTorch but unallocated.\n";
    let loading = format!(
        "(EngineCore pid=1) ERROR [gpu_model_runner.py:4818] Failed to load model - not enough GPU memory. Try lowering --gpu-memory-utilization to free memory for weights, increasing --tensor-parallel-size, or using --quantization. (original error: {oom}"
    );
    let causes = explained(&[&loading], &nothing()).causes;
    assert!(matches!(causes.first(), Some(Cause::Refused { why: Refusal::Weights, .. })), "{causes:?}");
    assert!(!causes.iter().any(|cause| matches!(cause, Cause::Fragmentation { .. })), "{causes:?}");
    // By itself the message is that of a GPU with little left, of which the same is said.
    let alone = explained(&[oom], &nothing()).causes;
    assert!(matches!(alone.first(), Some(Cause::NearlyFull { .. })), "{alone:?}");
}

#[test]
fn the_first_step_of_the_optimizer_is_named() {
    let text = "Traceback (most recent call last):\n  File \"/x/torch/optim/adamw.py\", line 1, in _init_group\n    state[\"exp_avg\"] = torch.zeros_like(p)\nCUDA out of memory. Tried to allocate 500.00 MiB. GPU 0 has a total capacity of 23.64 GiB of which 20.00 MiB is free. Of the allocated memory 22.90 GiB is allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.";
    assert!(matches!(explained(&[text], &nothing()).causes[0], Cause::FirstStep));
}

#[test]
fn a_message_and_the_settings_of_its_run_belong_together() {
    let yaml = "base_model: meta-llama/Llama-3.2-1B\nsequence_len: 2048\nmicro_batch_size: 4\noptimizer: adamw_torch_fused\nbf16: true\ngradient_checkpointing: true\n";
    let explanation = explained(&[LOGITS, yaml], &nothing());
    let scenario = scenario(&explanation);
    assert_eq!((scenario.mode, scenario.batch, scenario.seq_length), (Mode::Training, 4, 2_048));
    assert_eq!(scenario.checkpointing, memory_wall_core::Checkpointing::Full);
    assert_eq!(explanation.tensors[0].tensor, Tensor::Logits);
    assert!(explanation.notes.contains(&Note::RecipeAssumed));
    // Without the length there is no estimate, and what is missing is said.
    let short = yaml.replace("sequence_len: 2048\n", "");
    let explanation = explained(&[LOGITS, &short], &nothing());
    assert!(explanation.scenario.is_none());
    assert_eq!(
        explanation.notes.iter().find(|note| matches!(note, Note::Missing(_))).unwrap().to_string(),
        "Tokens of a sequence is not in the text; --seq states it."
    );
}

#[test]
fn a_config_is_the_model_of_a_log_with_an_unknown_name() {
    let config = include_str!("../../cli/tests/configs/llama-3.1-8b.json");
    let log = VLLM.replace("meta-llama/Llama-3.1-8B-Instruct", "acme/our-own-assistant");
    let explanation = explained(&[&log, config], &nothing());
    let model = explanation.model.as_ref().unwrap();
    assert_eq!((model.known, &*model.name), (Known::Config, "our-own-assistant"));
    assert_eq!(estimated(&explanation, What::Weights), 16_060_522_496 + 128 * 131_072 * 2);
    assert!(explanation.contradictions.is_empty());
}

#[test]
fn contradictions_are_named() {
    let config = include_str!("../../cli/tests/configs/qwen2.5-7b.json");
    let explanation = explained(&[VLLM, config], &nothing());
    assert!(
        explanation.contradictions.iter().any(|it| matches!(it, Contradiction::Models(..))),
        "{:?}",
        explanation.contradictions
    );
    let smi = "| NVIDIA-SMI 580.1 |\n|   0  NVIDIA L4   On  |   00000000:8D:00.0 Off |  0 |\n| N/A   39C    P0   104W /  325W |     803MiB /  23034MiB |      0%      Default |\n";
    let explanation = explained(&[LOGITS, VLLM, smi], &nothing());
    assert!(
        explanation.contradictions.iter().any(|it| matches!(it, Contradiction::Capacities(..))),
        "{:?}",
        explanation.contradictions
    );
    // Weights of another precision than the name says.
    let eight = VLLM.replace("took 14.99", "took 8.49").replace("is 14.99", "is 8.49");
    let explanation = explained(&[&eight], &nothing());
    assert!(explanation.contradictions.iter().any(|it| matches!(it, Contradiction::Weights { .. })));
}

#[test]
fn llama_cpp_is_compared_buffer_by_buffer() {
    // Qwen3 8B, 32,768 tokens: 36 layers x 8 heads x 128 x 2 x 2 bytes x 32,768 = 4,608 MiB, and 304.75 MiB of working space.
    let log = "print_info: general.name          = Qwen3 8B\nprint_info: file type   = Q4_K - Medium\nprint_info: n_layer               = 36\nllama_context: n_ctx         = 32768\nllama_context: n_seq_max     = 1\n\
llama_kv_cache:      CUDA0 KV buffer size =  4608.00 MiB\nsched_reserve:      CUDA0 compute buffer size =   304.75 MiB\n";
    let explanation = explained(&[log], &nothing());
    let scenario = scenario(&explanation);
    assert_eq!((scenario.serving.engine, scenario.weights), (Engine::LlamaCpp, WeightFormat::Q4K));
    assert_eq!(estimated(&explanation, What::KvCache), 4_608 << 20);
    assert!(explanation.rows.iter().all(|row| row.what != What::KvCache || row.agrees()));
    let wrong = log.replace("n_layer               = 36", "n_layer               = 40");
    let explanation = explained(&[&wrong], &nothing());
    assert!(matches!(
        explanation.contradictions[..],
        [Contradiction::Shape { what: What::Layers, reported: 40, model: 36 }]
    ));
}

/// Buffers of a public log of Mistral 7B, of which 20 of 33 layers were on the GPU.
/// `ikawrakow/ik_llama.cpp#749`: a type that is none of llama.cpp's, and one that the engine doesn't have. Nothing follows from 16 bits.
#[test]
fn weights_of_an_unknown_type_are_not_estimated() {
    for name in
        ["Llama-3.1-8B-Instruct-IQ4_KSS.gguf", "Llama-3.1-8B-Instruct-Q4_1.gguf", "Llama-3.1-8B-Instruct-IQ2_M.gguf"]
    {
        let command = format!("llama-server -m {name} -c 8192 -ngl 99\n");
        let explanation = explained(&[&command], &nothing());
        assert!(explanation.model.is_some() && explanation.scenario.is_none(), "{name}");
        assert!(explanation.notes.contains(&Note::WeightsUnknown), "{name}");
        let stated = Stated { adjust: &|scenario: &mut Scenario| scenario.weights = WeightFormat::Q4K, ..nothing() };
        assert_eq!(scenario(&explained(&[&command], &stated)).weights, WeightFormat::Q4K);
    }
    // The cache doesn't depend on it: 32 layers, 8 heads, 128 wide, keys and values of 2 bytes, 8,192 tokens.
    let log = "llama-server -m Llama-3.1-8B-Instruct-IQ2_M.gguf -c 8192\nllama_kv_cache:      CUDA0 KV buffer size =  1024.00 MiB\n";
    assert_eq!(estimated(&explained(&[log], &nothing()), What::KvCache), 1 << 30);
    let known = "llama-server -m Llama-3.1-8B-Instruct-UD-Q4_K_XL.gguf -c 8192 -ngl 99\n";
    assert_eq!(scenario(&explained(&[known], &nothing())).weights, WeightFormat::Q4K);
}

#[test]
fn layers_in_host_memory_are_told_from_those_on_the_gpu() {
    let log = "print_info: general.name          = Mistral-7B-Instruct-v0.1\nprint_info: file type   = Q4_K - Medium\nprint_info: n_layer               = 32\n\
load_tensors: offloaded 20/33 layers to GPU\nload_tensors:        CUDA0 model buffer size =  2495.31 MiB\nload_tensors:   CPU_Mapped model buffer size =  4165.37 MiB\n\
llama_context: n_ctx         = 768\nllama_context: n_seq_max     = 1\nllama_kv_cache_unified:        CPU KV buffer size =    36.00 MiB\nllama_kv_cache_unified:      CUDA0 KV buffer size =    60.00 MiB\n";
    let explanation = explained(&[log], &nothing());
    assert!(explanation.notes.contains(&Note::PartlyOffloaded));
    for what in [What::Weights, What::KvCache] {
        assert!(explanation.rows.iter().find(|row| row.what == what).unwrap().agrees(), "{:?}", explanation.rows);
    }
}

#[test]
fn a_pool_is_compared_with_what_its_share_leaves() {
    // Without memory or share the pool is what its tokens take: 131,072 bytes each.
    let log = "[2026-01-01] server_args=ServerArgs(model_path='meta-llama/Llama-3.1-8B', tp_size=1)\n[2026-01-01] KV Cache is allocated. dtype: torch.bfloat16, #tokens: 409600, K size: 25.00 GB, V size: 25.00 GB\n";
    let explanation = explained(&[log], &nothing());
    assert_eq!(estimated(&explanation, What::KvCache), 409_600 * 131_072);
    assert!(explanation.rows.iter().find(|row| row.what == What::KvCache).unwrap().agrees());
    assert!(explanation.notes.contains(&Note::Pool(Kind::Sglang)));
    // 78.50 GiB were free and 85% of that are for weights of 14.96 GiB, for up to 0.4 more that loading takes, and for the pool.
    let log = log.replace("tp_size=1", "tp_size=1, mem_fraction_static=0.85").replace(
        "[2026-01-01] KV Cache",
        "[2026-01-01 10:00:00] Load weight begin. avail mem=78.50 GB\n[2026-01-01] KV Cache",
    );
    let explanation = explained(&[&log], &nothing());
    let pool = 0.85 * 78.5 - 14.958 - 0.2;
    let off = estimated(&explanation, What::KvCache) as f64 / f64::from(1 << 30) - pool;
    assert!(off.abs() < 0.01, "{off}");
    let tokens = estimated(&explanation, What::KvTokens) as f64 / (pool * 8_192.0);
    assert!((tokens - 1.0).abs() < 0.001, "{tokens}");
}

/// Qwen3 235B in blocks of fp8 runs on eight ranks with whole experts alone, 1,536 / 8 being 192.
#[test]
fn a_server_that_has_started_has_whole_experts() {
    let log = "[2026-01-01] server_args=ServerArgs(model_path='Qwen/Qwen3-235B-A22B-Instruct-2507-FP8', tp_size=8, ep_size=8, mem_fraction_static=0.85)\n\
[2026-01-01 10:00:00] Load weight begin. avail mem=138.00 GB\n[2026-01-01] KV Cache is allocated. dtype: torch.bfloat16, #tokens: 3000000, K size: 33.00 GB, V size: 33.00 GB\n";
    assert!(estimated(&explained(&[log], &nothing()), What::KvTokens) > 1_000_000);
}

#[test]
fn tensorrt_llms_pool_is_a_share_of_what_a_pass_leaves() {
    let log = "[TRT-LLM] [I] TensorRT LLM version: 1.2.0\n[TRT-LLM] [I] Prefetching /models/Llama-3.1-8B-Instruct to memory\n\
[TRT-LLM] [I] Peak memory during memory usage profiling (torch + non-torch): 18.00 GiB, available KV cache memory when calculating max tokens: 54.99 GiB, fraction is set 0.9, kv size is 131072. device total memory 79.10 GiB\n\
[TensorRT-LLM][INFO] [MemUsageChange] Allocated 54.99 GiB for max tokens in paged KV cache (450496)\n";
    let explanation = explained(&[log], &nothing());
    assert!(explanation.notes.contains(&Note::Pool(Kind::TensorRtLlm)));
    let pool = estimated(&explanation, What::KvCache) as f64 / f64::from(1 << 30);
    assert!((53.0..58.0).contains(&pool), "{pool}");
    assert!((0.95..1.05).contains(&(estimated(&explanation, What::KvTokens) as f64 / 450_496.0)));
}

#[test]
fn a_log_that_ends_early_says_so() {
    let log = VLLM.lines().take(3).collect::<Vec<_>>().join("\n");
    let explanation = explained(&[&log], &nothing());
    // What is cut off is no cause, and asks for no change.
    assert!(explanation.causes.is_empty() && explanation.changes.is_empty());
    let note = explanation.notes.iter().find(|note| **note == Note::EndsEarly(Kind::Vllm)).unwrap();
    assert!(note.to_string().contains("either the rest is not in the text"));
}

#[test]
fn every_sentence_is_one() {
    let stated = nothing();
    for text in [VLLM, LOGITS] {
        let explanation = explained(&[text], &stated);
        let sentences =
            explanation.causes.iter().map(ToString::to_string).chain(explanation.notes.iter().map(ToString::to_string));
        for sentence in sentences {
            assert!(
                sentence.ends_with('.') && sentence.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()),
                "{sentence}"
            );
        }
    }
}

#[test]
fn xlas_capacity_names_the_tpu() {
    for (capacity, id) in [("15.75G", "tpu-v5e"), ("30.75G", "tpu-v4"), ("31.25G", "tpu-v6e"), ("95.74G", "tpu-v5p")] {
        let text = format!(
            "RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 120.49G of {capacity} hbm. Exceeded hbm capacity by 24.75G.\n"
        );
        let explanation = explained(&[&text], &nothing());
        assert_eq!(explanation.gpu.map(|gpu| gpu.id), Some(id), "{capacity}");
    }
}

#[test]
fn unsloth_is_said_by_its_name() {
    // The banner as Unsloth 2025.2 prints it, with numbers of our own.
    let log = "==((====))==  Unsloth 2025.2.15: Fast Llama patching. Transformers: 4.48.2.\n   \\\\   /|    GPU: NVIDIA L4. Max memory: 22.168 GB. Platform: Linux.\nNumber of trainable parameters = 41,943,040\n";
    let explanation = explained(&[log], &nothing());
    assert!(explanation.notes.contains(&Note::Unsloth), "{:?}", explanation.notes);
    assert!(Note::Unsloth.to_string().contains("--loss chunked"));
    assert!(explained(&["Number of trainable parameters = 41,943,040\n"], &nothing()).notes.is_empty());
}
