//! Whether vLLM starts, and how many requests its pool then holds.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

#[allow(dead_code, reason = "another file of tests uses the rest")]
#[path = "common/runs.rs"]
mod runs;

use memory_wall_core::architecture::{Architecture, Moe, Tower};
use memory_wall_core::engines::vllm;
use memory_wall_core::scenario::{TensorSplit, Unsupported};
use memory_wall_core::serving::{Serving, Version};
use memory_wall_core::tables::{gpus, models};
use memory_wall_core::units::GIB;
use memory_wall_core::{
    Bucket, Bytes, Engine, KvPrecision, Mode, Scenario, ScenarioError, Share, Verdict, WeightFormat, evaluate,
};
use runs::{checked, model, started, thousandths, with};

#[test]
fn a_pool_holds_so_many_tokens_and_no_more() {
    let mut llama = Scenario { gpu: gpus::by_id("h100-sxm"), ..with(&model("llama-3.1-8b"), Engine::Vllm) };
    llama.serving.gpu_memory_utilization = Some(Share::percent(95));
    // Longer than the model was made for, so that the pool is what ends it.
    llama.architecture.trained_context = None;
    let fit = evaluate(&llama.check().unwrap()).fit.unwrap();
    let pool = vllm::pool(&llama.check().unwrap(), Version::NEWEST, llama.gpu.unwrap().capacity);
    assert_eq!(u128::from(fit.max_seq), pool.tokens);
    // Beside the share waits the context, 0.5 to 0.6 GiB; and a forward pass of 1.9 GiB runs again.
    for (percent, verdict) in [(95, Verdict::Fits), (97, Verdict::Tight), (100, Verdict::DoesNotFit)] {
        llama.serving.gpu_memory_utilization = Some(Share::percent(percent));
        assert_eq!(evaluate(&llama.check().unwrap()).fit.unwrap().verdict, verdict, "{percent}");
    }
}

/// Qwen3-Coder 480B in fp8 over eight data-parallel ranks, 0.10.1 on GPUs with 139.8 GiB: 48.66 GiB were left at 0.90 (vllm-project/recipes pull request 12).
#[test]
fn tokens_of_all_ranks_may_take_more_than_the_code_says() {
    let mut coder = Scenario { gpu: gpus::by_id("h200-sxm"), ..with(&model("qwen3-coder-480b-a35b"), Engine::Vllm) };
    (coder.weights, coder.parallel.dp, coder.parallel.ep) = (WeightFormat::Fp8Block, 8, 8);
    (coder.serving.version, coder.seq_length) = (Version { major: 0, minor: 10 }, 2_048);
    let (start, scenario) = (started(&coder), checked(&coder));
    let span = vllm::Run::of(&scenario).activation_span();
    let missing = start.pool.pool.0 - i128::try_from(4_866 * GIB / 100).unwrap();
    assert!((2 * GIB..3 * GIB).contains(&u128::try_from(missing).unwrap()), "{missing}");
    assert!(span.high - span.typical > u128::try_from(missing).unwrap(), "{span:?} {missing}");
}

/// vLLM issue 10517: the profile of Llama 3.1 8B in chunks of 512 tokens had not seen 1.25 GB of logits.
#[test]
fn chunks_of_the_first_engine_may_leave_the_sampler_out() {
    let mut llama = Scenario { gpu: gpus::by_id("rtx3090"), ..with(&model("llama-3.1-8b"), Engine::Vllm) };
    llama.serving.usual_batched_tokens = true;
    let at = |minor: u32, tokens: u32| {
        let mut served = llama;
        (served.serving.version, served.seq_length) = (Version { major: 0, minor }, tokens);
        vllm::Run::of(&checked(&served)).activation_span()
    };
    let chunks = at(6, 131_072);
    assert!(chunks.typical > 1_250_000_000 && chunks.low < chunks.typical - 1_250_000_000, "{chunks:?}");
    for (minor, tokens) in [(6, 20_000), (9, 131_072)] {
        let whole = at(minor, tokens);
        assert!(10 * whole.low > 9 * whole.typical, "0.{minor} {tokens}: {whole:?}");
    }
}

/// Rows S005 (0.7.3), S117 (0.26) and S119 (0.28) of `vllm_starts.csv`: "Model loading took" 5.20, 5.29 and 9.44 GiB.
#[test]
fn four_bits_may_take_more_since_0_26() {
    for (id, minor, logged, more) in
        [("qwen2.5-7b", 7, 520, false), ("qwen2.5-7b", 26, 529, true), ("qwen3-14b", 28, 944, true)]
    {
        let mut served = Scenario { weights: WeightFormat::Int4, ..with(&model(id), Engine::Vllm) };
        served.serving.version = Version { major: 0, minor };
        let scenario = checked(&served);
        let [usual, most] = [vllm::Figures::Usual, vllm::Figures::Most]
            .map(|it| vllm::Run { figures: it, ..vllm::Run::of(&scenario) }.weights());
        assert_eq!(usual < most, more, "{id} 0.{minor}");
        // Logs say hundredths of a GiB.
        assert!(logged * GIB / 100 <= most + GIB / 100 && 98 * logged * GIB / 10_000 <= usual, "{id} {usual} {most}");
    }
}

/// Graphs lie beside the share up to 0.20, and come out of it since.
#[test]
fn each_release_counts_graphs_where_it_takes_them() {
    let mut llama = Scenario { gpu: gpus::by_id("h100-sxm"), ..with(&model("llama-3.3-70b"), Engine::Vllm) };
    llama.parallel.tp = 2;
    let at = |minor: u32, percent: u32| {
        let mut served = llama;
        served.serving.version = Version { major: 0, minor };
        served.serving.gpu_memory_utilization = Some(Share::percent(percent));
        (started(&served), evaluate(&checked(&served)).fit.unwrap())
    };
    let ((old, old_fit), (new, new_fit)) = (at(19, 95), at(21, 95));
    let graphs = old.pool.cuda_graphs;
    assert_eq!(old.pool.pool.0 - new.pool.pool.0, i128::try_from(graphs.0).unwrap());
    assert_eq!(new.outside.0 - old.outside.0, i128::try_from(graphs.0).unwrap());
    assert_eq!(old_fit.limit.0 - new_fit.limit.0, graphs.0);
    // Where none is named, the newest decides; and what it says is never better than what an older one says with room beside the share.
    assert_eq!(llama.serving.version, Version::NEWEST);
    assert!(new_fit.max_batch <= old_fit.max_batch && new_fit.max_seq <= old_fit.max_seq);
    // Largest figures of the logs alone do not refuse: they make a result tight.
    let mut t4 =
        Scenario { weights: WeightFormat::Int4, gpu: gpus::by_id("t4"), ..with(&model("llama-3.1-8b"), Engine::Vllm) };
    (t4.serving.max_num_seqs, t4.serving.max_num_batched_tokens) = (256, 2_048);
    t4.serving.version = Version::MEASURED;
    let verdicts = (85..=95).map(|percent| {
        t4.serving.gpu_memory_utilization = Some(Share::percent(percent));
        let start = started(&t4);
        let may = matches!(start.tightness, Some(vllm::Tightness::Start(vllm::Refusal::Graphs { .. })));
        assert_eq!(start.verdict, evaluate(&checked(&t4)).fit.unwrap().verdict, "{percent}");
        (start.refusal.is_some(), may, start.verdict)
    });
    let verdicts: Vec<_> = verdicts.collect();
    assert!(verdicts.contains(&(false, true, Verdict::Tight)), "{verdicts:?}");
    assert!(verdicts.iter().all(|(refused, _, verdict)| *refused == (*verdict == Verdict::DoesNotFit)), "{verdicts:?}");
}

/// Five requests of which one may run were called a fit.
#[test]
fn requests_beyond_max_num_seqs_wait() {
    let mut llama = Scenario { gpu: gpus::by_id("h100-sxm"), ..with(&model("llama-3.1-8b"), Engine::Vllm) };
    (llama.batch, llama.serving.max_num_seqs, llama.serving.usual_seqs) = (5, 1, false);
    let start = started(&llama);
    assert_eq!((start.verdict, start.requests.running, start.requests.waiting), (Verdict::Queues, 1, 4));
    assert!(start.margin.0 > 0);
    assert_eq!(evaluate(&checked(&llama)).fit.unwrap().max_batch, 1);
    llama.serving.max_num_seqs = 5;
    assert_eq!(started(&llama).verdict, Verdict::Fits);
}

/// vLLM takes no more tokens at once by itself than its sequences can have.
#[test]
fn few_short_requests_are_read_in_small_batches() {
    let mut llama = Scenario { gpu: gpus::by_id("rtx4090"), ..with(&model("llama-3.2-3b"), Engine::Vllm) }
        .on(gpus::by_id("rtx4090").unwrap());
    (llama.serving.max_num_seqs, llama.serving.usual_seqs, llama.seq_length) = (2, false, 512);
    assert_eq!((llama.batched_tokens(), llama.serving.max_num_batched_tokens), (1_024, 2_048));
    let small = started(&llama).pool.activation;
    llama.serving.usual_batched_tokens = false;
    assert_eq!(llama.batched_tokens(), 2_048);
    assert!(small < started(&llama).pool.activation);
}

#[test]
fn newer_samplers_take_less() {
    let mut qwen = Scenario::new(Architecture::llama([40, 5_120, 40, 8, 128, 17_408, 151_936]));
    qwen.serving.gpu_memory_utilization = Some(Share::percent(95));
    // "torch peak memory increase" of Qwen3 14B in four releases: 5.635 and 2.232 GiB.
    for (minor, activation) in [(15, 5_635), (16, 5_635), (17, 2_232), (18, 2_232)] {
        let pool = vllm::pool(&qwen.check().unwrap(), Version { major: 0, minor }, Bytes(85_029_615_042));
        assert_eq!(thousandths(pool.activation), activation, "0.{minor}");
    }
}

/// "27.1 GB to be taken" of a GPU with 25.8 GB was called tight.
#[test]
fn a_share_and_what_lies_beside_it_are_no_more_than_the_gpu() {
    let mut llama = Scenario {
        weights: WeightFormat::Int4,
        kv: KvPrecision::Fp8,
        seq_length: 1_024,
        ..with(&model("llama-3.2-1b"), Engine::Vllm)
    };
    (llama.serving.max_num_seqs, llama.serving.max_num_batched_tokens) = (256, 2_048);
    for gpu in ["rtx4090", "t4", "l4"] {
        llama.gpu = gpus::by_id(gpu);
        llama.kv = if gpu == "t4" { KvPrecision::Bf16 } else { KvPrecision::Fp8 };
        let capacity = llama.gpu.unwrap().capacity;
        let mut refused = 0;
        for percent in 80..=100 {
            llama.serving.gpu_memory_utilization = Some(Share::percent(percent));
            let start = started(&llama);
            let fit = evaluate(&checked(&llama)).fit.unwrap();
            let too_much = start.outside.0 < 0;
            assert_eq!(fit.verdict == Verdict::DoesNotFit, too_much, "{gpu} {percent}");
            assert_eq!(start.refusal.is_some(), too_much, "{gpu} {percent}");
            assert_eq!(
                too_much,
                Share::percent(percent) > vllm::Run::of(&checked(&llama)).largest_share(capacity),
                "{gpu} {percent}"
            );
            assert_eq!((fit.max_seq, fit.max_batch) == (0, 0), too_much, "{gpu} {percent}");
            refused += u32::from(too_much);
        }
        assert!((1..20).contains(&refused), "{gpu} {refused}");
    }
}

/// 0.9 takes the context out of the share, and asks for the share of what is free beside it all the same; 0.8 and the first engine don't ask.
#[test]
fn a_share_of_all_lacks_the_context_where_a_release_asks_what_is_free() {
    let mut llama = Scenario { gpu: gpus::by_id("a100-40-sxm"), ..with(&model("llama-3.2-1b"), Engine::Vllm) };
    llama.serving.gpu_memory_utilization = Some(Share::percent(100));
    let mut start = |minor, eager| {
        llama.serving.version = Version { major: 0, minor };
        llama.serving.enforce_eager = eager;
        started(&llama)
    };
    for minor in [9, 10, 19, 24] {
        let start = start(minor, false);
        assert!(matches!(start.refusal, Some(vllm::Refusal::Share { .. })), "0.{minor}");
        assert!(start.margin.0 < 0, "0.{minor}: {:?}", start.margin);
    }
    assert!(matches!(start(6, false).refusal, Some(vllm::Refusal::Graphs { .. })));
    assert!(matches!(start(8, false).refusal, Some(vllm::Refusal::Graphs { .. })));
    let beside = start(6, true);
    assert!(beside.margin.0 < 0 && beside.refusal.is_some_and(|it| it.to_string().contains("allots its KV cache")));
    assert_eq!(start(8, true).refusal, None, "all of it comes out of the share");
}

/// vLLM issue 13061: 0.7 loads the model and profiles with a share of 0.98, and then finds 131,072 tokens more than the pool holds.
#[test]
fn the_first_engine_does_not_ask_what_is_free() {
    let mut qwen = Scenario { gpu: gpus::by_id("rtx4090"), ..with(&model("r1-distill-qwen-14b"), Engine::Vllm) };
    qwen.serving.version = Version { major: 0, minor: 7 };
    (qwen.parallel.tp, qwen.serving.gpu_memory_utilization) = (2, Some(Share::percent(98)));
    qwen.serving.max_model_len = Some(131_072);
    (qwen.serving.max_num_seqs, qwen.serving.max_num_batched_tokens) = (256, 2_048);
    let refusal = started(&qwen).refusal;
    let Some(vllm::Refusal::Length { max_model_len: 131_072, estimated, .. }) = refusal else { panic!("{refusal:?}") };
    assert!(estimated.abs_diff(81_536) < 2_000, "{estimated}");
}

#[test]
fn one_request_of_max_model_len_must_go_into_the_pool() {
    let mut llama =
        Scenario { gpu: gpus::by_id("l4"), seq_length: 2_048, ..with(&model("llama-3.1-8b"), Engine::Vllm) };
    (llama.serving.max_num_seqs, llama.serving.max_num_batched_tokens) = (256, 2_048);
    let alone = started(&llama);
    assert_eq!((alone.refusal, alone.requests.max_model_len), (None, 2_048));
    // The same requests, and a cap that the pool cannot hold.
    llama.serving.max_model_len = Some(131_072);
    let start = started(&llama);
    let Some(vllm::Refusal::Length { max_model_len, needed, available, estimated }) = start.refusal else {
        panic!("{:?}", start.refusal)
    };
    assert_eq!((max_model_len, needed, available), (131_072, Bytes(16 * GIB), start.pool.pool.magnitude()));
    assert_eq!(u128::from(estimated), start.pool.tokens);
    assert_eq!(evaluate(&checked(&llama)).fit.unwrap().verdict, Verdict::DoesNotFit);
    assert!(start.requests.concurrency < 1.0);
    // With the estimated length it starts, and holds exactly one of these: tight, since by the largest figures in logs it does not.
    llama.serving.max_model_len = Some(estimated);
    let start = started(&llama);
    assert_eq!((start.refusal, evaluate(&checked(&llama)).fit.unwrap().verdict), (None, Verdict::Tight));
    assert!(matches!(start.tightness, Some(vllm::Tightness::Start(vllm::Refusal::Length { .. }))), "{start:?}");
    assert!((start.requests.concurrency - 1.0).abs() < 0.01, "{}", start.requests.concurrency);
    // More than fit wait: vLLM starts.
    llama.batch = 1_000;
    let start = started(&llama);
    assert_eq!((start.refusal, start.verdict), (None, Verdict::Queues));
    assert_eq!(u64::from(start.requests.running), start.requests.held.min(256));
    assert_eq!(start.requests.running + start.requests.waiting, 1_000);
    // A request that is longer than the cap is none.
    llama.seq_length = estimated + 1;
    let longer = Unsupported::TooLong { seq_length: estimated + 1, max_model_len: estimated };
    assert_eq!(llama.check(), Err(ScenarioError::Runtime(longer)));
}

/// Requests of one token are prepared with fewer graphs than longer ones, which may then find no room beside the share.
#[test]
fn the_longest_request_that_fits_starts_too() {
    let mut deep = with(&model("llama-3.2-1b"), Engine::Vllm);
    deep.architecture = Architecture { layers: 1_024, ..Architecture::llama([1_024, 64, 4, 4, 16, 64, 64]) };
    (deep.gpu, deep.batch, deep.seq_length) = (gpus::by_id("t4"), 1, 1);
    (deep.weights, deep.kv) = (WeightFormat::Fp16, KvPrecision::Fp16);
    deep.serving.version = Version { major: 0, minor: 11 };
    deep.serving = deep.serving.on(deep.gpu.unwrap());
    let mut between = 0;
    for percent in 20..95 {
        deep.serving.gpu_memory_utilization = Some(Share::percent(percent));
        let fit = evaluate(&checked(&deep)).fit.unwrap();
        let starts = |seq_length| started(&Scenario { seq_length, ..deep }).refusal.is_none();
        assert!(fit.max_seq == 0 || starts(fit.max_seq), "{percent}: {}", fit.max_seq);
        between += u32::from(starts(1) && !starts(2));
    }
    assert!(between > 0, "no share tells them apart");
}

/// A log of vLLM 0.29: Qwen3.8 27B, of the shape of Qwen3.5 27B, on 96 GB at 0.90 stopped with 1,024 sequences and 635 blocks, and started with 256.
#[test]
fn every_sequence_needs_a_block_for_its_state() {
    let mut hybrid = Scenario { gpu: gpus::by_id("rtxpro6000"), ..with(&model("qwen3.5-27b"), Engine::Vllm) };
    hybrid.serving = hybrid.serving.on(hybrid.gpu.unwrap());
    (hybrid.serving.gpu_memory_utilization, hybrid.serving.max_model_len) = (Some(Share::percent(90)), Some(8_192));
    let told =
        |scenario: &Scenario| (started(scenario).refusal, started(scenario).verdict, started(scenario).margin.0 < 0);
    let (refusal, verdict, missing) = told(&hybrid);
    let Some(vllm::Refusal::States { sequences: 1_024, blocks, .. }) = refusal else { panic!("{refusal:?}") };
    assert!((600..670).contains(&blocks), "{blocks}");
    assert_eq!((verdict, missing), (Verdict::DoesNotFit, true));
    let fewer = Scenario { serving: Serving { max_num_seqs: 256, usual_seqs: false, ..hybrid.serving }, ..hybrid };
    assert_eq!(told(&fewer).0, None);
    // Its pool of 31.24 GiB held "314,187 tokens", 38.35 requests of 8,192: 652 blocks of 784 tokens, and 11 + 3 × 2 of them each.
    let scenario = checked(&fewer);
    let run = vllm::Run::of(&scenario);
    let pages = run.pages().unwrap();
    let pool = 3_124 * GIB / 100;
    assert_eq!((pages.block(), pool / pages.group_page()), (784, 652));
    assert_eq!((pages.blocks(8_192, 8_192), run.held_tokens(&pages, pool)), (17, 314_187));
    let eager = Scenario { serving: Serving { enforce_eager: true, ..hybrid.serving }, ..hybrid };
    assert_eq!(told(&eager).0, None);
    // What is advised starts.
    let plan = memory_wall_core::advise::gentlest(&checked(&hybrid)).unwrap();
    assert_eq!(vllm::start(&plan.effect.scenario, hybrid.gpu.unwrap().capacity).refusal, None);
}

/// Pull request 49390: since 0.28 servers of the Blackwell generation record graphs for up to 1,024 sequences, 83 sizes in place of 51.
#[test]
fn servers_of_blackwell_record_more_graphs() {
    let sizes = |gpu: &str, minor| {
        let mut llama = Scenario { gpu: gpus::by_id(gpu), ..with(&model("llama-3.1-8b"), Engine::Vllm) };
        llama.serving.version = Version { major: 0, minor };
        vllm::Run::of(&checked(&llama)).capture_sizes
    };
    assert_eq!(
        [sizes("b200", 27), sizes("b200", 28), sizes("h100-sxm", 28), sizes("rtxpro6000", 28)],
        [51, 83, 51, 51]
    );
}

/// vLLM 0.27 on 96 GB counted 939 and 1,011 blocks for states with Qwen3.8 27B, fewer than its 1,024 sequences (vllm-project/recipes pull request 831).
#[test]
fn about_as_many_blocks_for_states_as_sequences_is_tight() {
    let gpu = gpus::by_id("rtxpro6000mq");
    for weights in [WeightFormat::Fp8Block, WeightFormat::Nvfp4] {
        let mut hybrid = Scenario { gpu, weights, ..with(&model("qwen3.5-27b"), Engine::Vllm) };
        hybrid.seq_length = 262_144;
        hybrid.serving.version = Version { major: 0, minor: 27 };
        hybrid.serving = hybrid.serving.on(hybrid.gpu.unwrap());
        let start = started(&hybrid);
        assert_eq!((start.refusal, start.verdict), (None, Verdict::Tight), "{weights}");
        let Some(vllm::Tightness::Start(vllm::Refusal::States { sequences: 1_024, .. })) = start.tightness else {
            panic!("{weights}: {:?}", start.tightness)
        };
        hybrid.serving.max_num_seqs = 256;
        assert_eq!(started(&hybrid).verdict, Verdict::Fits, "{weights}");
    }
}

/// vLLM issue 33155: gpt-oss 120B on one H100 with a share of 0.97, one sequence and 5,120 tokens, is out of memory under 0.14.1.
#[test]
fn kernels_of_mxfp4_may_take_more_on_hopper() {
    let verdict = |minor, percent| {
        let mut scenario = with(&Scenario::new(models::by_id("gpt-oss-120b").unwrap().architecture), Engine::Vllm);
        (scenario.weights, scenario.seq_length) = (WeightFormat::Mxfp4, 5_120);
        let serving = &mut scenario.serving;
        (serving.version, serving.gpu_memory_utilization) =
            (Version { major: 0, minor }, Some(Share::percent(percent)));
        (serving.max_num_seqs, serving.usual_seqs) = (1, false);
        let scenario = scenario.on(gpus::by_id("h100-sxm").unwrap()).check().unwrap();
        vllm::start(&scenario, scenario.capacity().unwrap()).verdict
    };
    assert_eq!((verdict(14, 97), verdict(14, 90)), (Verdict::Tight, Verdict::Fits));
    assert_eq!(verdict(19, 97), Verdict::Fits);
}

/// vLLM issue 17238: Qwen2.5 32B in 8 bits on two RTX 3090 has no memory for the cache under 0.8.1, which takes 1,024 sequences by itself, and starts with 8.
#[test]
fn the_first_releases_of_0_8_take_more_sequences() {
    let verdict = |minor, told: Option<u32>| {
        let mut scenario = with(&Scenario::new(models::by_id("qwen2.5-32b").unwrap().architecture), Engine::Vllm);
        (scenario.weights, scenario.seq_length, scenario.parallel.tp) = (WeightFormat::Int8, 4_096, 2);
        let serving = &mut scenario.serving;
        (serving.version, serving.enforce_eager) = (Version { major: 0, minor }, true);
        (serving.gpu_memory_utilization, serving.max_model_len) = (Some(Share::percent(90)), Some(4_096));
        if let Some(told) = told {
            (serving.max_num_seqs, serving.usual_seqs) = (told, false);
        }
        let scenario = scenario.on(gpus::by_id("rtx3090").unwrap()).check().unwrap();
        vllm::start(&scenario, scenario.capacity().unwrap()).verdict
    };
    assert_eq!((verdict(8, None), verdict(8, Some(8))), (Verdict::Tight, Verdict::Fits));
}

#[test]
fn slots_for_adapters_are_part_of_what_vllm_loads() {
    let mut scenario = with(&Scenario::new(models::by_id("llama-3.1-8b").unwrap().architecture), Engine::Vllm);
    (scenario.gpu, scenario.serving.enforce_eager) = (gpus::by_id("h100-sxm"), true);
    let checked = |scenario: &Scenario| scenario.check().unwrap();
    let loaded = |scenario: &Scenario| vllm::Run::of(&checked(scenario)).weights();
    let plain = loaded(&scenario);
    (scenario.serving.max_loras, scenario.serving.max_lora_rank) = (Some(8), 64);
    let widths = 32 * (8_192 + 2 * 5_120 + 8_192 + 3 * 18_432) + 2 * (128_256 + 4_096);
    assert_eq!(loaded(&scenario) - plain, widths * 8 * 64 * 2);
    // On two ranks each cut side is halved, and the other is there twice.
    let mut cut = scenario;
    cut.parallel.tp = 2;
    let alone = Scenario { serving: Serving { max_loras: None, ..cut.serving }, ..cut };
    let halves = 32 * (2 * (4_096 + 2_048) + 2 * (4_096 + 512) + 3 * (4_096 + 7_168)) + 2 * (128_256 + 4_096);
    assert_eq!(loaded(&cut) - loaded(&alone), halves * 8 * 64 * 2);
    // The pool is smaller by as much.
    let pool = |scenario: &Scenario| vllm::pool(&checked(scenario), Version::NEWEST, Bytes(80 * GIB)).pool.0;
    let without = Scenario { serving: Serving { max_loras: None, ..scenario.serving }, ..scenario };
    assert_eq!(pool(&without) - pool(&scenario), i128::try_from(widths * 8 * 64 * 2).unwrap());
    // Graphs are recorded with adapters and without.
    let graphs = |scenario: &Scenario| {
        let serving = Serving { enforce_eager: false, ..scenario.serving };
        vllm::Run::of(&checked(&Scenario { serving, ..*scenario })).cuda_graphs()
    };
    assert_eq!(graphs(&scenario), 2 * graphs(&without));
    let refused = |scenario: Scenario| scenario.check().unwrap_err().to_string();
    scenario.serving.max_lora_rank = 24;
    assert!(refused(scenario).contains("no max_lora_rank of 24"), "{}", refused(scenario));
    scenario.serving.max_lora_rank = 16;
    let mixture = Scenario { architecture: models::by_id("mixtral-8x7b").unwrap().architecture, ..scenario };
    assert!(refused(mixture).contains("max_loras is known for dense models"), "{}", refused(mixture));
    scenario.serving.version = Version { major: 0, minor: 7 };
    assert!(refused(scenario).contains("first engine"), "{}", refused(scenario));
}

/// Gemma 3 27B: a tower and projector of 423,060,224 parameters, and one image of 3 x 896 x 896 values with its 256 tokens of 5,376 in the profile.
#[test]
fn a_vision_tower_is_loaded_and_profiled() {
    let seeing = with(&Scenario::new(models::by_id("gemma-3-27b-text").unwrap().architecture), Engine::Vllm);
    let blind = Scenario { architecture: Architecture { tower: None, ..seeing.architecture }, ..seeing };
    let of = |scenario: &Scenario| {
        let scenario = scenario.check().unwrap();
        let run = vllm::Run::of(&scenario);
        [run.weights(), run.activation()]
    };
    let ([weights, activation], [without, less]) = (of(&seeing), of(&blind));
    assert_eq!(weights - without, 2 * (416_866_032 + 1_152 * 5_376 + 1_152));
    let images = 8_192 / 256 * (3 * 896 * 896 + 256 * 5_376) * 2;
    assert_eq!(activation - less, images);
}

/// vLLM pull request 26000, Qwen3-VL 235B on eight ranks: "Model loading took" 55.49 GiB, and 55.16 without the tower.
#[test]
fn the_language_part_alone_has_no_tower() {
    let mut seeing = with(&model("qwen3-vl-235b-a22b"), Engine::Vllm);
    (seeing.parallel.tp, seeing.gpu) = (8, gpus::by_id("h100-sxm"));
    let of = |language_model_only| {
        let serving = Serving { language_model_only, ..seeing.serving };
        let scenario = checked(&Scenario { serving, ..seeing });
        let run = vllm::Run::of(&scenario);
        assert_eq!(run.tower() == 0, language_model_only);
        (run.weights(), run.activation())
    };
    let ((weights, pass), (alone, shorter)) = (of(false), of(true));
    let less = (weights - alone) as f64 / GIB as f64;
    assert!((less - 0.33).abs() < 0.02, "{less}");
    assert!(shorter < pass, "{shorter} {pass}");
}

/// Qwen3-VL 8B: three outputs of layers within its tower have a place for all batched tokens, and an image of 16,384 tokens is four times 4,096 wide.
#[test]
fn further_outputs_of_a_tower_are_held() {
    let scenario = with(&Scenario::new(models::by_id("qwen3-vl-8b").unwrap().architecture), Engine::Vllm);
    // Without the pass of the tower itself, which takes more than that of the model.
    let tower = Tower { width: 0, ..scenario.architecture.tower.unwrap() };
    let seeing = Architecture { tower: Some(tower), ..scenario.architecture };
    let plain = Architecture { tower: Some(Tower { levels: 0, ..tower }), ..scenario.architecture };
    let of = |architecture| {
        let scenario = Scenario { architecture, ..scenario }.check().unwrap();
        let run = vllm::Run::of(&scenario);
        [run.weights(), run.activation()]
    };
    let ([weights, activation], [without, less]) = (of(seeing), of(plain));
    assert_eq!(weights - without, 3 * 8_192 * 4_096 * 2);
    assert_eq!(activation - less, 3 * 16_384 * 4_096 * 2);
}

/// Qwen3.8 27B as vLLM serves it on so many GPUs.
fn qwen_27b(gpu: &str, tp: u32, minor: u32) -> Scenario {
    let mut scenario = with(&Scenario::new(models::by_id("qwen3.5-27b").unwrap().architecture), Engine::Vllm);
    (scenario.gpu, scenario.parallel.tp) = (gpus::by_id(gpu), tp);
    let serving = &mut scenario.serving;
    serving.version = Version { major: 0, minor };
    (serving.max_num_batched_tokens, serving.usual_batched_tokens) = (8_192, false);
    (serving.max_num_seqs, serving.usual_seqs) = (2, false);
    scenario
}

/// "2.58 GiB for peak activation" on one GPU (0.29, row S101) and "1.66 GiB" on two (0.27.1, noonghunna/club-3090 pull request 1139): the tower's pass over one image, and not the model's.
#[test]
fn a_tower_may_take_more_than_its_model() {
    let gib = |scenario: &Scenario| {
        let bytes = vllm::Run::of(&scenario.check().unwrap()).activation();
        format!("{:.2}", bytes as f64 / GIB as f64)
    };
    let [one, two] = [qwen_27b("rtxpro6000", 1, 29), qwen_27b("rtx3090", 2, 27)];
    assert_eq!([gib(&one), gib(&two)], ["2.58", "1.66"]);
    // Three further outputs of the tower of Qwen3-VL 8B wait for its last: 3 × 16,384 tokens × 4,096 × 2 bytes more.
    let architecture = models::by_id("qwen3-vl-8b").unwrap().architecture;
    assert_eq!(gib(&Scenario { architecture, ..one }), "2.95");
    // No log of an older release shows the pass.
    let older = qwen_27b("rtxpro6000", 1, 18);
    assert_eq!(vllm::Run::of(&older.check().unwrap()).tower(), 0);
    // As many images as fit among the batched tokens.
    let mut more = one;
    more.serving.max_num_batched_tokens = 32_768;
    assert_eq!(gib(&more), "5.16");
    // Two thirds of a GPU that the model alone would leave room on.
    let mut small = Scenario { weights: WeightFormat::Fp8Block, kv: KvPrecision::Fp8, ..qwen_27b("rtx3090", 2, 27) };
    small.serving.max_model_len = Some(200_000);
    let blind = Scenario { architecture: Architecture { tower: None, ..small.architecture }, ..small };
    let pool = |it: &Scenario| {
        let it = it.check().unwrap();
        vllm::pool(&it, it.serving.version, it.capacity().unwrap()).pool.0
    };
    assert!(pool(&blind) - pool(&small) > i128::try_from(GIB).unwrap());
}

/// GLM-5.3 in fp8 on eight H200 under 0.28: "FP8 weights take 94.46 GiB per rank, leaving 25.94 GiB of KV" for requests of 1,048,576 tokens (vllm-project/recipes pull request 893).
#[test]
fn sparse_attention_reserves_its_workspace_with_the_weights() {
    let mut scenario = with(&Scenario::new(models::by_id("glm-5.2").unwrap().architecture), Engine::Vllm);
    (scenario.weights, scenario.kv) = (WeightFormat::Fp8Block, KvPrecision::Fp8);
    (scenario.parallel.tp, scenario.serving.max_model_len) = (8, Some(1_048_576));
    scenario.serving.version = Version { major: 0, minor: 28 };
    let scenario = scenario.on(gpus::by_id("h200-sxm").unwrap());
    let of = |scenario: &Scenario| {
        let scenario = scenario.check().unwrap();
        let run = vllm::Run::of(&scenario);
        [run.weights(), run.activation()].map(|bytes| bytes as f64 / GIB as f64)
    };
    let [weights, activation] = of(&scenario);
    assert!((weights / 94.46 - 1.0).abs() < 0.005, "{weights}");
    // What is reserved is no part of the forward pass: the pool is the same.
    let serving = Serving { usual_batched_tokens: false, usual_seqs: false, ..scenario.serving };
    let [plain, more] = of(&Scenario { serving, ..scenario }.on(gpus::by_id("b200").unwrap()));
    assert!((weights + activation - plain - more).abs() < 0.1 && plain < 89.0, "{plain} {more}");
}

/// Marlin's kernels have a scale for 128 values of each column: 15.25 GiB of weights and what lies beside PyTorch in a log of two RTX 3090 (noonghunna/club-3090 pull request 1139).
#[test]
fn fp8_blocks_take_more_below_compute_capability_8_9() {
    let loaded = |gpu| {
        let fp8 = Scenario { weights: WeightFormat::Fp8Block, ..qwen_27b(gpu, 2, 27) };
        vllm::Run::of(&fp8.check().unwrap()).weights()
    };
    let more = loaded("rtx3090") - loaded("rtx4090");
    let values = 12_100_000_000_u128;
    assert!(more.abs_diff(values / 64 - values / 4_096) < more / 50, "{more}");
}

/// Two of a stage's layers are on the GPU, of its average size: with 1,024 layers over 35 stages, every second one of those behind the 612th dense ones a mixture, a stage with fewer layers can hold more.
#[test]
fn the_worst_stage_is_found_with_weights_in_host_memory() {
    let mixtral = models::by_id("mixtral-8x7b").unwrap().architecture;
    let moe = mixtral.moe.map(|moe| Moe { dense_layers: 612, alternating: true, intermediate_size: 58, ..moe });
    let architecture = Architecture { layers: 1_024, intermediate_size: 4_000_000, hidden_size: 64, moe, ..mixtral };
    let mut scenario = with(&Scenario::new(architecture), Engine::Vllm);
    (scenario.gpu, scenario.parallel.pp, scenario.offload.parameters) = (gpus::by_id("a100-80-sxm"), 35, true);
    let scenario = scenario.check().unwrap();
    let capacity = scenario.capacity().unwrap();
    let margins = (0..35).map(|stage| {
        let rank = scenario.at_stage(stage);
        vllm::Run::of(&rank).start(capacity, vllm::requested(&rank, capacity)).margin
    });
    assert_eq!(Some(vllm::start(&scenario, capacity).margin), margins.min());
}

/// A decoding worker of 16 GB300, each with a sixteenth of the experts of Qwen3.8 2.4T in NVFP4 and all else whole ("Model loading took 168.89 GiB", "Setting attention block
/// size to 1056 tokens" with states in 16 bits; NVIDIA/srt-slurm, the test of its `memory_report`, 2026-08-13).
#[test]
fn a_rank_of_sixteen_loads_a_sixteenth_of_the_experts() {
    let mut qwen = Scenario {
        weights: WeightFormat::Nvfp4,
        gpu: gpus::by_id("gb300"),
        ..with(&model("qwen3.8-2.4t-a95b"), Engine::Vllm)
    };
    (qwen.parallel.dp, qwen.parallel.ep) = (16, 16);
    let loaded = started(&qwen).pool.weights;
    let logged = 168.89 * GIB as f64;
    assert!((loaded.0 as f64 / logged - 1.0).abs() < 5e-3, "{}", loaded.0 as f64 / GIB as f64);
}

/// Kimi Linear over two GPUs: "Setting attention block size to 960 tokens" and "Padding mamba page size by 1.89%" (vLLM issue 28228, November 2025).
/// A state of delta attention has three convolutions in 16 bits and 16 heads of 128 × 128 in fp32; a token of latent attention 576 values.
#[test]
fn a_page_holds_a_state_of_delta_attention() {
    let mut kimi = with(&model("kimi-linear-48b-a3b"), Engine::Vllm);
    (kimi.parallel.tp, kimi.serving.version) = (2, Version { major: 0, minor: 11 });
    let pages = vllm::Pages::of(&checked(&kimi), 16, kimi.serving.version).unwrap();
    let state = 3 * 2_048 * 3 * 2 + 16 * 128 * 128 * 4;
    assert_eq!((pages.block(), pages.page), (960, 960 * 576 * 2));
    // Ten-thousandths of the state that its page is larger.
    assert_eq!((pages.page - state) * 10_000 / state, 188);
    // 20 layers with a state and 7 without are three groups of seven and one of seven.
    assert_eq!((pages.group_size, pages.groups), (7, 4));
}

/// Every program serves it, and two ranks do by halves of its heads, but for llama.cpp, which has its matrices whole; what trains it is refused by name.
#[test]
fn delta_attention_is_served_and_not_trained() {
    let state = |scenario: &Scenario| evaluate(&checked(scenario)).bytes(Bucket::KvCache);
    for engine in [Engine::Exact, Engine::Hf, Engine::LlamaCpp, Engine::Vllm] {
        let mut kimi = with(&model("kimi-linear-48b-a3b"), engine);
        let whole = state(&kimi);
        assert!(whole.0 > 0, "{engine:?}");
        kimi.parallel.tp = 2;
        match engine {
            Engine::LlamaCpp => {
                let split = ScenarioError::Runtime(Unsupported::TensorSplit(TensorSplit::NotImplemented));
                assert_eq!(kimi.check().unwrap_err(), split);
            }
            Engine::Hf => {}
            // The latent vectors of the other layers are on each rank.
            _ => assert!((whole.0 / 2 + 1..whole.0).contains(&state(&kimi).0), "{engine:?}"),
        }
        (kimi.parallel.tp, kimi.mode) = (1, Mode::Training);
        assert_eq!(
            kimi.check().unwrap_err(),
            ScenarioError::Runtime(Unsupported::Untrained("Kimi delta attention (KDA)"))
        );
    }
}
