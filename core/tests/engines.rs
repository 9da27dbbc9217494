//! What must hold for every program that serves a model, and the figures of its formulas that are known.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

#[allow(dead_code, reason = "another file of tests uses the rest")]
#[path = "common/any.rs"]
mod any;
#[allow(dead_code, reason = "another file of tests uses the rest")]
#[path = "common/runs.rs"]
mod runs;

use any::{scenario, served};
use memory_wall_core::architecture::{Architecture, Indexer, Latent, Projection, SlidingWindow};
use memory_wall_core::engines::{How, vllm};
use memory_wall_core::memory::kv_cache::{self, CachedLayers};
use memory_wall_core::serving::Version;
use memory_wall_core::tables::gpus;
use memory_wall_core::worked::Item;
use memory_wall_core::{
    Bucket, Bytes, Checked, Engine, Evaluation, Implementation, KvPrecision, Mode, Parallelism, Scenario, Speculation,
    Verdict, WeightFormat, engines, evaluate, worked,
};
use proptest::prelude::*;
use runs::{model, thousandths, with};

fn config() -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { config } else { ProptestConfig { cases: 2_000, ..config } }
}

fn exact(scenario: &Scenario) -> Bytes {
    worked::total(|sink| kv_cache::terms(&scenario.check().unwrap(), sink))
}

/// Served, without what its program and its GPU cannot offload.
fn serving(scenario: &Scenario) -> Scenario {
    served(Scenario { mode: Mode::Inference, ..*scenario })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_program_never_sets_aside_less_than_the_tokens_take(scenario in scenario()) {
        let scenario = serving(&scenario);
        for &engine in Engine::ALL {
            let served = served(with(&scenario, engine));
            if served.serving.engine != engine {
                continue;
            }
            let reserved = engines::reservation(&served.check().unwrap());
            prop_assert_eq!(reserved.exact, exact(&served));
            prop_assert!(reserved.bytes >= reserved.exact);
            prop_assert!(engine != Engine::Exact || reserved.how == How::Exact && reserved.bytes == reserved.exact);
            prop_assert!(!reserved.how.to_string().is_empty());
            let inspection = engines::inspect(&served.check().unwrap());
            let parts = inspection.parts.iter().filter(|part| part.bucket == Bucket::Overhead).map(|part| part.bytes);
            let overhead = worked::total(|sink| Bucket::Overhead.terms(&served.check().unwrap(), memory_wall_core::Phase::Forward, sink));
            prop_assert!(engine == Engine::Exact || parts.sum::<Bytes>() == overhead);
        }
    }

    #[test]
    fn nothing_falls_with_more_or_longer_sequences(scenario in scenario(), more in 1u32..2_000) {
        let scenario = serving(&scenario);
        let scenario = scenario.check().unwrap();
        let total = |scenario: &Checked| memory_wall_core::evaluate::total(scenario);
        let longer = scenario.with_seq_length(scenario.seq_length.saturating_add(more));
        let wider = scenario.with_batch(scenario.batch.saturating_add(more));
        // The first engine of vLLM reads whole prompts up to 32,768 tokens and longer ones in chunks: fewer tokens pass at once.
        let at_once = |scenario: &Checked| scenario.serving.batched_tokens(scenario.longest_request(), scenario.gpu);
        prop_assert!(total(&longer) >= total(&scenario) || at_once(&longer) < at_once(&scenario));
        prop_assert!(total(&wider) >= total(&scenario));
    }

    /// The verdict on vLLM is whether it starts, and whether the pool holds what the sequences need.
    #[test]
    fn a_share_of_the_gpu_is_judged_by_its_pool(scenario in scenario()) {
        let scenario = served(with(&Scenario { mode: Mode::Inference, ..scenario }, Engine::Vllm));
        let (Some(capacity), Engine::Vllm) = (scenario.capacity(), scenario.serving.engine) else { return Ok(()) };
        let scenario = scenario.check().unwrap();
        let evaluation = evaluate(&scenario);
        let fit = evaluation.fit.unwrap();
        let on = |stage| {
            let rank = scenario.at_stage(stage);
            vllm::Run::of(&rank).start(capacity, vllm::requested(&rank, capacity))
        };
        let start = on(evaluation.stage);
        let tightest = vllm::start(&scenario, capacity);
        prop_assert_eq!((tightest.verdict, tightest.margin), (fit.verdict, fit.margin));
        // It is the worst of all stages, whatever they hold.
        let stages: Vec<vllm::Start> = (0..scenario.parallel.pp).map(on).collect();
        let any = |verdict| stages.iter().any(|start| start.verdict == verdict);
        prop_assert_eq!(fit.verdict == Verdict::DoesNotFit, any(Verdict::DoesNotFit));
        prop_assert_eq!(fit.verdict.holds(), !any(Verdict::DoesNotFit) && !any(Verdict::Queues));
        prop_assert_eq!(fit.verdict == Verdict::Fits, fit.verdict.holds() && !any(Verdict::Tight));
        prop_assert_eq!(Some(fit.margin), stages.iter().map(|start| start.margin).min());
        prop_assert_eq!(tightest.refusal.is_some(), stages.iter().any(|start| start.refusal.is_some()));
        if tightest.refusal.is_none() {
            prop_assert_eq!(Some(tightest.requests.held), stages.iter().map(|start| start.requests.held).min());
        }
        // Without a common page no byte is missing.
        let pages = tightest.refusal != Some(vllm::Refusal::NoCommonPage);
        let capped = scenario.batch > scenario.serving.max_num_seqs;
        prop_assert_eq!(fit.margin.0 < 0 || !pages || capped, !fit.verdict.holds());
        prop_assert_eq!(tightest.refusal.is_some(), fit.verdict == Verdict::DoesNotFit);
        prop_assert!(fit.limit <= fit.capacity);
        let rank = scenario.at_stage(evaluation.stage);
        prop_assert_eq!(start.pool, vllm::pool(&rank, scenario.serving.version, capacity));
        prop_assert_eq!(start.pool.weights, evaluation.bytes(Bucket::Weights));
        prop_assert_eq!(start.pool.activation, evaluation.bytes(Bucket::Activations) + evaluation.bytes(Bucket::Logits));
        prop_assert_eq!(start.need, evaluation.bytes(Bucket::KvCache));
        let spare = start.pool.pool.0 - i128::try_from(start.need.0).unwrap();
        prop_assert!(fit.margin.0 == spare || fit.verdict == Verdict::DoesNotFit && fit.margin.0 <= spare);
        // What a share and what lies beside it take together is never more than there is.
        prop_assert!(start.outside.0 >= 0 || fit.verdict == Verdict::DoesNotFit);
        // What runs is what the pool holds, and the rest waits.
        let requests = tightest.requests;
        prop_assert_eq!(requests.running + requests.waiting, scenario.batch);
        prop_assert!(u64::from(requests.running) <= requests.held.min(scenario.serving.max_num_seqs.into()));
        if tightest.refusal.is_none() && requests.held < scenario.batch.into() {
            prop_assert_eq!(fit.verdict, Verdict::Queues);
        }
        if fit.verdict.holds() {
            prop_assert!(requests.held >= scenario.batch.into() && requests.concurrency >= 1.0);
        }
        // The longest that fits does, on the rank that is fullest then.
        let limits = [scenario.serving.max_model_len, scenario.architecture.trained_context, Some(10_000_000)];
        let most = limits.into_iter().flatten().min().unwrap();
        // Where the cap itself is too long for the pool, with a shorter one.
        let short = matches!(tightest.refusal, Some(vllm::Refusal::Length { .. }));
        let open = scenario.with(|it| it.serving.max_model_len = it.serving.max_model_len.filter(|_| !short));
        // Without the cap the first engine may read prompts as a whole, for which it is then told too few tokens.
        let Ok(open) = open else { return Ok(()) };
        let at = |seq_length| evaluate(&open.with_seq_length(seq_length)).fit.unwrap().verdict;
        prop_assert!(fit.max_seq <= most);
        prop_assert!(fit.max_seq == 0 || capped || at(fit.max_seq).holds());
        // The shortest request has a token of its prompt and one of its answer.
        prop_assert!(fit.max_seq == most || most < 2 || !at((fit.max_seq + 1).max(2)).holds());
    }

    #[test]
    fn stages_hold_the_cache_of_the_model(scenario in scenario()) {
        let mut scenario = with(&serving(&scenario), Engine::Exact);
        scenario.offload.kv_cache = false;
        scenario.parallel = Parallelism { pp: scenario.parallel.pp, ..Parallelism::ONE };
        let whole = Scenario { parallel: Parallelism::ONE, ..scenario };
        let sum: CachedLayers = (0..scenario.parallel.pp).fold(CachedLayers::default(), |sum, stage| {
            scenario.parallel.stage = stage;
            let here = CachedLayers::on(&scenario.check().unwrap());
            CachedLayers { full: sum.full + here.full, sliding: sum.sliding + here.sliding, linear: sum.linear + here.linear, indexed: sum.indexed + here.indexed, heavy: sum.heavy + here.heavy }
        });
        prop_assert_eq!(sum, CachedLayers::on(&whole.check().unwrap()));
    }
}

fn of(evaluation: &Evaluation, buckets: &[Bucket]) -> u128 {
    thousandths(buckets.iter().map(|bucket| evaluation.bytes(*bucket)).sum())
}

#[test]
fn one_model_under_every_program() {
    let llama = Scenario { seq_length: 8_192, ..model("llama-3.1-8b") };
    for (engine, weights, work, overhead) in [
        (Engine::Hf, 14_958, 844, 541),
        (Engine::LlamaCpp, 13_979, 252, 510),
        // Weights with rotary tables, the profile, 0.51 of context and 0.904 of graphs and 0.28 beside PyTorch.
        (Engine::Vllm, 14_989, 1_885, 1_694),
    ] {
        let evaluation = evaluate(&with(&llama, engine).check().unwrap());
        assert_eq!(of(&evaluation, &[Bucket::Weights]), weights, "{engine:?}");
        assert_eq!(of(&evaluation, &[Bucket::KvCache]), 1_000, "{engine:?}");
        assert_eq!(of(&evaluation, &[Bucket::Activations, Bucket::Logits]), work, "{engine:?}");
        assert_eq!(of(&evaluation, &[Bucket::Overhead]), overhead, "{engine:?}");
    }
}

#[test]
fn latent_attention_is_cached_as_the_short_vector() {
    let latent = Latent { kv_lora_rank: 512, q_lora_rank: None, rope_dim: 64, nope_dim: 128, v_dim: 128 };
    let mut lite = Scenario::new(Architecture {
        projection: Projection::Latent(latent),
        ..Architecture::llama([27, 2_048, 16, 16, 192, 10_944, 102_400])
    });
    lite.seq_length = 4_096;
    let compressed = Bytes(27 * 576 * 4_096 * 2);
    assert_eq!(exact(&lite), compressed);
    assert_eq!(engines::reservation(&with(&lite, Engine::Vllm).check().unwrap()).bytes, compressed);
    assert_eq!(engines::reservation(&with(&lite, Engine::LlamaCpp).check().unwrap()).bytes, compressed);
    // 31,104 bytes a token, as runs of 5.23 have it; 276,480 as whole heads, up to 4.57.
    let short = engines::reservation(&with(&lite, Engine::Hf).check().unwrap());
    assert_eq!((short.bytes, short.how), (Bytes(31_104 * 4_096), How::Compressed));
    // A rank of two has all of the one vector.
    lite.parallel.tp = 2;
    assert_eq!(exact(&lite), compressed);
    assert_eq!(engines::reservation(&with(&lite, Engine::Hf).check().unwrap()).bytes, compressed);
}

#[test]
fn an_indexer_keeps_a_key_of_its_own() {
    let token = |scenario: &Scenario| kv_cache::bytes_per_token(&scenario.check().unwrap()).0;
    let of = |id: &str, kv| Scenario { kv, ..with(&model(id), Engine::Vllm) };
    // A latent vector of 576 values, or of 656 bytes in fp8; a key of 128 bytes and a scale of 4.
    assert_eq!(token(&of("deepseek-v3.2", KvPrecision::Bf16)), 61 * (1_152 + 132));
    assert_eq!(token(&of("deepseek-v3.2", KvPrecision::Fp8)), 61 * (656 + 132));
    // Bytes that vLLM 0.28 stored of two prompts of GLM-5.3 with TP 8 in fp8 (vllm-project/recipes, pull request 893), of the whole blocks of 64 tokens behind which nothing follows.
    let glm = token(&of("glm-5.2", KvPrecision::Fp8));
    assert_eq!(glm, 78 * 656 + 21 * 132);
    assert_eq!([8 * glm * 64 * 2_164, 8 * glm * 64 * 692], [59_763_793_920, 19_111_157_760]);
    // Pages of 64 tokens, as "[158][4372, 64, 132]" of GLM-5 in a log of 0.21 with its layer that guesses ahead: 79 layers of two kinds.
    let glm = Scenario { seq_length: 100, ..of("glm-5", KvPrecision::Bf16) };
    assert_eq!(engines::reservation(&glm.check().unwrap()).bytes, Bytes(78 * (1_152 + 132) * 128));
    let mut guessing = glm;
    (guessing.serving.speculation, guessing.serving.num_speculative_tokens) = (Speculation::Mtp, 1);
    assert_eq!(token(&guessing), 79 * (1_152 + 132));
    // A stage of two has its share, and tensor parallelism none.
    let mut cut = of("glm-5.2", KvPrecision::Fp8);
    (cut.parallel.pp, cut.parallel.tp) = (2, 8);
    assert_eq!(token(&cut), 39 * 656 + 11 * 132);
    cut.parallel.stage = 1;
    assert_eq!(token(&cut), 39 * 656 + 10 * 132);
    // transformers caches whole heads: a run of its class (5.17) with these widths, 8 layers and heads, and every fourth indexer shared.
    let mut small = model("glm-5.2");
    let Projection::Latent(latent) = &mut small.architecture.projection else { panic!("no latent attention") };
    (latent.nope_dim, latent.v_dim) = (128, 128);
    (small.architecture.layers, small.architecture.heads, small.architecture.kv_heads) = (8, 8, 8);
    small.architecture.indexer = small.architecture.indexer.map(|it| Indexer { layers: 4, ..it });
    small.architecture.moe = None;
    let run = Scenario { batch: 2, seq_length: 27, ..with(&small, Engine::Hf) };
    let reserved = engines::reservation(&run.check().unwrap());
    assert_eq!((reserved.bytes, reserved.how), (Bytes(2_267_136), How::WholeHeads));
    // Refused by name: training but as transformers does it, old GPUs, and llama.cpp.
    let refused = |change: &dyn Fn(&mut Scenario)| {
        let mut scenario = model("deepseek-v3.2");
        change(&mut scenario);
        scenario.check().unwrap_err().to_string()
    };
    let on_a100 = |it: &mut Scenario| {
        it.serving.engine = Engine::Vllm;
        *it = it.on(gpus::by_id("a100-80-sxm").unwrap());
    };
    assert!(refused(&on_a100).starts_with("vLLM's kernels for sparse attention need compute capability 9.0, and "));
    let told = "with sparse attention, whose tokens an indexer picks (DSA), is not modelled";
    let megatron =
        |it: &mut Scenario| (it.mode, it.training.implementation) = (Mode::Training, Implementation::Megatron);
    assert_eq!(refused(&megatron), format!("training outside of transformers {told}"));
    let llamacpp = |it: &mut Scenario| (it.serving.engine, it.weights) = (Engine::LlamaCpp, WeightFormat::Q4K);
    assert_eq!(refused(&llamacpp), format!("llama.cpp {told}"));
}

#[test]
fn an_indexer_that_picks_blocks_keeps_its_keys_in_16_bits() {
    let token = |scenario: &Scenario| kv_cache::bytes_per_token(&scenario.check().unwrap()).0;
    let of = |kv, tp| {
        let mut scenario = Scenario { kv, seq_length: 100, ..with(&model("minimax-m3"), Engine::Vllm) };
        scenario.parallel.tp = tp;
        scenario
    };
    // Keys and values of 4 heads in 60 layers, of which a rank of 8 has one head; a key of 128 values in 57 layers on every rank (`MLAAttentionSpec` of `minimax_m3/common/indexer.py`).
    assert_eq!(token(&of(KvPrecision::Bf16, 1)), 60 * 2 * 4 * 128 * 2 + 57 * 256);
    assert_eq!(token(&of(KvPrecision::Fp8, 1)), 60 * 2 * 4 * 128 + 57 * 256);
    let cut = of(KvPrecision::Bf16, 8);
    assert_eq!(token(&cut), 60 * 2 * 128 * 2 + 57 * 256);
    // Pages of 128 tokens.
    assert_eq!(engines::reservation(&cut.check().unwrap()).bytes, Bytes(token(&cut) * 128));
    // A rank has one head of the indexer's four, and its key.
    let held = |tp| {
        let scenario = of(KvPrecision::Bf16, tp);
        let without = Architecture { indexer: None, ..scenario.architecture };
        let [with, without] = [scenario.architecture, without].map(|it| it.parameters_on(&scenario.parallel).total());
        with - without
    };
    assert_eq!([held(1), held(8)], [57 * (6_144 * 5 * 128 + 256), 57 * (6_144 * 2 * 128 + 256)]);
    // Every other way to run it is refused by name.
    let refused = |change: &dyn Fn(&mut Scenario)| {
        let mut scenario = model("minimax-m3");
        change(&mut scenario);
        scenario.check().unwrap_err().to_string()
    };
    let told = "with sparse attention that reads blocks of keys (MSA) is not modelled";
    assert_eq!(refused(&|it| it.mode = Mode::Training), format!("training {told}"));
    for engine in [Engine::Hf, Engine::LlamaCpp] {
        assert_eq!(refused(&|it| it.serving.engine = engine), format!("{} {told}", engine.label()));
    }
    // Older GPUs than those of sparse attention over latent vectors run it.
    let mut old = of(KvPrecision::Bf16, 8);
    old = old.on(gpus::by_id("a100-80-sxm").unwrap());
    assert!(old.check().is_ok());
}

#[test]
fn two_layers_of_an_offloaded_cache_are_on_the_gpu() {
    let mut llama = Scenario { seq_length: 8_192, ..with(&model("llama-3.1-8b"), Engine::Hf) };
    llama.offload.kv_cache = true;
    assert_eq!(exact(&llama), Bytes((1 << 30) / 16));
    assert_eq!(engines::reservation(&llama.check().unwrap()).how, How::InHostMemory);
}

#[test]
fn shared_layers_have_no_cache_and_windows_may_have_heads_of_their_own() {
    let shape = Architecture {
        shared_cache_layers: 15,
        sliding_window: Some(SlidingWindow { kv_heads: Some(4), head_dim: Some(64), ..SlidingWindow::over(10, 512) }),
        ..Architecture::llama([35, 2_048, 8, 2, 256, 8_192, 262_144])
    };
    let scenario = Scenario { seq_length: 4_096, ..Scenario::new(shape) };
    assert_eq!(exact(&scenario), Bytes(2 * 10 * 2 * 256 * 4_096 * 2 + 2 * 10 * 4 * 64 * 512 * 2));
    let mut items = Vec::new();
    kv_cache::terms(&scenario.check().unwrap(), &mut |term| items.push(term.item));
    assert_eq!(items, [Item::FullLayers, Item::WindowLayers]);
}

#[test]
fn one_gpu_has_no_communication() {
    for id in gpus::GPUS.iter().map(|gpu| gpu.id) {
        let scenario = Scenario { gpu: gpus::by_id(id), ..with(&model("llama-3.1-8b"), Engine::Vllm) };
        let Ok(scenario) = scenario.check() else { continue };
        let inspection = engines::inspect(&scenario);
        let item = |item| inspection.parts.iter().any(|part| part.item == item);
        assert!(!item(Item::Communication) && item(Item::EngineWorkspace), "{id}");
    }
}

/// `DeepSeek`-V4-Flash in vLLM on GPUs that have kernels for it.
fn compressed(minor: u32) -> Scenario {
    let mut scenario = with(&model("deepseek-v4-flash"), Engine::Vllm);
    (scenario.weights, scenario.kv) = (WeightFormat::Mxfp4, KvPrecision::Fp8);
    scenario.serving.version = Version { major: 0, minor };
    (scenario.serving.max_num_batched_tokens, scenario.serving.usual_batched_tokens) = (16_384, false);
    scenario
}

#[test]
fn compressed_tokens_stand_beside_a_window_of_whole_ones() {
    let flash = Scenario { seq_length: 1_024, ..model("deepseek-v4-flash") };
    // A vector of 512 values: of 128 tokens in 43 layers, for 4 tokens in 21 with a key of 128, and for 128 in 20.
    let vectors = 43 * 128 + 21 * 256 + 20 * 8;
    assert_eq!(exact(&flash), Bytes(2 * (512 * vectors + 128 * 21 * 256)));
    let served = Scenario { seq_length: 1_024, ..compressed(22) };
    assert_eq!(exact(&served), Bytes(584 * vectors + 132 * 21 * 256));
    // The same on each of several ranks, which share the layers of a pipeline out.
    let mut cut = served;
    cut.parallel.tp = 8;
    assert_eq!(exact(&cut), exact(&served));
    (cut.parallel.tp, cut.parallel.pp) = (1, 4);
    let parts = (0..4).map(|stage| {
        cut.parallel.stage = stage;
        exact(&cut).0
    });
    assert_eq!(Bytes(parts.sum()), exact(&served));
}

/// Starts of vLLM: on two GH200 (issue 44376, 0.22) "6.66 GiB KV cache is needed" for 30,000 tokens and 13,528 in 5.44 GiB; on two H200 (0.23, a record in `uv-xiao/pto-cu`) 1,247,687 tokens in
/// 32.08 GiB where 131,072 are the longest; on two H20 with a layer that predicts (issue 51041, 0.26) 1,009,661 in 7.01 GiB where 912,128 are, and 150,992 in 7.71 GiB where 121,344 are, which 16,384 tokens at once give.
#[test]
fn pages_of_compressed_tokens_are_those_of_logs() {
    let pages = |it: &Scenario| vllm::Pages::of(&it.check().unwrap(), 16, it.serving.version).unwrap();
    let flash = pages(&compressed(22));
    let gib = |tokens| flash.needs(tokens, 16_384) as f64 / f64::from(1 << 30);
    assert_eq!(format!("{:.2}", gib(30_000)), "6.66");
    assert!((5.435..5.445).contains(&gib(13_528)) && gib(13_529) > gib(13_528));
    // Places for 22 pages of 64 vectors, 21 of 64 keys and 20 of two vectors, in units of 576 bytes.
    assert_eq!(flash.group_page(), 22 * 37_440 + 21 * 8_640 + 20 * 1_728);
    let held = |pages: &vllm::Pages, gib: f64, longest: u64, batched| {
        let blocks = (gib * f64::from(1 << 30) / pages.group_page() as f64).floor();
        blocks / pages.blocks(longest, batched) as f64 * longest as f64
    };
    // Logs round the pool to a hundredth of a GiB.
    let is = |pages: &vllm::Pages, gib: f64, longest, batched, tokens: f64| {
        let [low, high] = [gib - 0.005, gib + 0.005].map(|gib| held(pages, gib, longest, batched));
        assert!((low..=high).contains(&tokens), "{low} {high} {tokens}");
    };
    is(&flash, 32.08, 131_072, 8_192, 1_247_687.0);
    let mut guessing = compressed(26);
    guessing.architecture.layers = 44;
    guessing.architecture.sliding_window = Some(SlidingWindow::over(44, 128));
    let guessing = pages(&guessing);
    is(&guessing, 7.01, 912_128, 8_192, 1_009_661.0);
    is(&guessing, 7.71, 121_344, 16_384, 150_992.0);
    // Blocks of V4-Pro before pull request 48993, with keys in fp8: 30 of 31 places.
    let pro = Scenario { architecture: model("deepseek-v4-pro").architecture, ..compressed(22) };
    assert_eq!(pages(&pro).group_page(), 1_473_408);
    // Behind it a block is that of V4-Flash in a log of a later fork, 1,002,240 bytes (guqiong96/Lvllm pull request 111).
    assert_eq!(pages(&compressed(27)).group_page(), 1_002_240);
}

/// The published files hold 156,015,698,140 and 850,748,205,004 bytes beside the layer that predicts, tables of 64-bit numbers for the first three layers and biases of routers included.
#[test]
fn weights_with_experts_in_mxfp4_are_those_of_the_files() {
    for (id, file) in [("deepseek-v4-flash", 156_015_698_140_u128), ("deepseek-v4-pro", 850_748_205_004)] {
        let scenario = Scenario { weights: WeightFormat::Mxfp4, ..model(id) };
        let held = worked::total(|sink| memory_wall_core::memory::weights::terms(&scenario.check().unwrap(), sink)).0;
        let tables = 3 * 129_280 * 6 * 8;
        assert!((held + tables).abs_diff(file) * 50_000 < file, "{id}: {held} of {file}");
    }
}

#[test]
fn what_is_not_modelled_of_compressed_tokens_is_refused_by_name() {
    let refused = |change: &dyn Fn(&mut Scenario)| {
        let mut scenario = compressed(29);
        change(&mut scenario);
        scenario.check().unwrap_err().to_string()
    };
    assert!(compressed(29).check().is_ok());
    let told = "with attention over compressed tokens (CSA and HCA) is not modelled";
    for engine in [Engine::Hf, Engine::LlamaCpp] {
        let said = refused(&|it| (it.serving.engine, it.kv) = (engine, KvPrecision::Bf16));
        assert_eq!(said, format!("{} {told}", engine.label()));
    }
    assert_eq!(refused(&|it| it.mode = Mode::Training), format!("training {told}"));
    let said = refused(&|it| it.kv = KvPrecision::Bf16);
    assert_eq!(
        said,
        "vLLM's cache of compressed tokens is modelled in fp8 alone, as vLLM is mostly told for such models (--kv fp8)"
    );
    assert!(refused(&|it| it.serving.version.minor = 19).contains("DeepSeek-V4-Flash"));
    assert!(refused(&|it| it.gpu = gpus::by_id("a100-80-sxm")).contains("compute capability"));
    // Eight groups of heads are no more ranks.
    assert!(refused(&|it| it.parallel.tp = 16).contains("o_groups"));
}
