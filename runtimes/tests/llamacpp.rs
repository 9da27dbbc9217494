//! What llama.cpp does with layers, experts and caches, by its own rules; buffers of public logs are held in the crate `memory-wall-accuracy`.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use memory_wall_core::engines::system;
use memory_wall_core::evaluate::verdict;
use memory_wall_core::tables::gpus::{self, Gpu};
use memory_wall_core::tables::models;
use memory_wall_core::units::{ByteRate, GIB};
use memory_wall_core::{
    Attention, Bucket, Bytes, Checked, Engine, Scenario, Verdict, WeightFormat, evaluate, memory, worked,
};
use memory_wall_runtimes::llamacpp::{
    ALL, CacheType, Found, Order, Placement, Refused, Settings, fewest_cpu_moe, fitted, most_gpu_layers, place, speed,
};

fn gpu(id: &str) -> &'static Gpu {
    gpus::by_id(id).unwrap()
}

fn scenario(model: &str, weights: WeightFormat, seq_length: u32) -> Scenario {
    let mut scenario = Scenario::new(models::by_id(model).unwrap().architecture);
    (scenario.weights, scenario.seq_length, scenario.serving.engine) = (weights, seq_length, Engine::LlamaCpp);
    scenario
}

fn on(model: &str, weights: WeightFormat, seq_length: u32, id: &str) -> Checked {
    Scenario { gpu: Some(gpu(id)), ..scenario(model, weights, seq_length) }.check().unwrap()
}

fn seventy() -> Checked {
    on("llama-3.3-70b", WeightFormat::Q4K, 8_192, "rtx4090")
}

fn all_weights(placement: &Placement) -> u128 {
    placement.devices.iter().map(|device| device.weights).sum::<u128>() + placement.host.weights
}

fn all_cache(placement: &Placement) -> u128 {
    placement.devices.iter().map(|device| device.cache + device.states).sum::<u128>()
        + placement.host.cache
        + placement.host.states
}

/// 24.96 GiB of 32 on an M4 with a newer macOS, 21.33 with an older one.
#[test]
fn what_only_a_newer_macos_lends_is_tight() {
    let placed = |seq_length| place(&on("qwen3-32b", WeightFormat::Q4K, seq_length, "m4"), &Settings::DEFAULT).unwrap();
    let newer = |placement: &Placement| placement.devices.iter().any(|device| device.newer);
    let [short, longer, long] = [1_024, 16_384, 40_960].map(placed);
    assert_eq!([newer(&short), newer(&longer), newer(&long)], [false, true, false]);
    assert_eq!(
        [short.verdict(), longer.verdict(), long.verdict()],
        [Verdict::Fits, Verdict::Tight, Verdict::DoesNotFit]
    );
}

/// 4,757,131,264 bytes at once were too many for Vulkan on a Strix Halo (llama.cpp issue 15009).
#[test]
fn a_compute_buffer_beyond_what_vulkan_lends_is_tight() {
    let placed = |id, attention| {
        let scenario = on("qwen3-30b-a3b-2507", WeightFormat::Q8Zero, 70_000, id);
        let scenario = Scenario { attention, ..*scenario }.check().unwrap();
        place(&scenario, &Settings::DEFAULT).unwrap().verdict()
    };
    assert_eq!(placed("strix-halo", Attention::Eager), Verdict::Tight);
    assert_eq!(placed("strix-halo", Attention::Flash), Verdict::Fits);
    assert_eq!(placed("rtxpro6000", Attention::Eager), Verdict::Fits);
}

/// 2,304 MiB more of cache, 128 of mask and 512 of copies between two runs of one server with 131,072 and 262,144 cells in `q4_0` on an RTX 3090 Ti, 18.40 and
/// 21.28 GiB; the 1.30 GiB of Qwen3.5 4B in `q8_0` are the whole compute buffer (unslothai/unsloth pull request 6718). Read 2026-11-26.
#[test]
fn flash_attention_copies_a_packed_cache_on_cuda() {
    let placed = |model, weights, seq_length, id, kind| {
        let settings = Settings { cache_k: Some(kind), cache_v: Some(kind), ..Settings::DEFAULT };
        place(&on(model, weights, seq_length, id), &settings).unwrap().devices.first().copied().unwrap()
    };
    let four = placed("qwen3.5-4b", WeightFormat::Q8Zero, 262_144, "rtx4090", CacheType::Q8Zero);
    assert_eq!(four.copies, GIB);
    assert!((four.compute.low..=four.compute.high).contains(&(GIB * 130 / 100)), "{:?}", four.compute);
    let plain = placed("qwen3.5-4b", WeightFormat::Q8Zero, 262_144, "rtx4090", CacheType::F16);
    assert_eq!((plain.copies, four.compute.low), (0, plain.compute.low.max(GIB)));
    // Metal reads it as it is, Vulkan too: there the lower end has no copies, as ROCm's build is another one.
    let [metal, amd] = ["m3max", "rx7900xtx"]
        .map(|id| placed("qwen3.5-4b", WeightFormat::Q8Zero, 262_144, id, CacheType::Q8Zero).compute);
    assert_eq!((metal, amd.low, amd.high), (plain.compute, plain.compute.low, four.compute.high));
}

#[test]
fn nothing_is_lost_wherever_layers_are() {
    for (model, weights) in [
        ("llama-3.3-70b", WeightFormat::Q4K),
        ("qwen3-30b-a3b", WeightFormat::Q4K),
        ("qwen3.5-27b", WeightFormat::Q8Zero),
        ("gpt-oss-20b", WeightFormat::Mxfp4),
        ("gemma-3-27b-text", WeightFormat::Q4K),
        ("deepseek-v3", WeightFormat::Q8Zero),
    ] {
        let scenario = on(model, weights, 4_096, "rtx3090");
        let file = worked::total(|sink| memory::weights::terms(&scenario, sink)).0;
        let cache = memory_wall_core::engines::reservation(&scenario).bytes.0;
        for (gpu_layers, cpu_moe) in [(ALL, 0), (0, 0), (7, 0), (ALL, 5), (20, ALL)] {
            if cpu_moe > 0 && scenario.architecture.moe.is_none() {
                continue;
            }
            let settings = Settings { gpu_layers, cpu_moe, ..Settings::DEFAULT };
            let placement = place(&scenario, &settings).unwrap();
            let counted = all_weights(&placement);
            // A table that is the head too is there twice while the head is on a GPU.
            let twice = if scenario.architecture.tied_embeddings && placement.devices[0].output {
                placement.host.input
            } else {
                0
            };
            let difference = counted.abs_diff(file + twice);
            assert!(difference * 10_000 < file * 2, "{model} -ngl {gpu_layers} {cpu_moe}: {counted} and not {file}");
            assert_eq!(all_cache(&placement), cache, "{model} -ngl {gpu_layers}");
        }
    }
}

/// With all layers on the GPU the engine holds the same weights there: the token table stays in host memory.
#[test]
fn the_engine_holds_what_all_layers_on_the_gpu_hold() {
    for (model, weights) in [
        ("llama-3.3-70b", WeightFormat::Q4K),
        ("llama-3.2-1b", WeightFormat::Q8Zero),
        ("qwen3-30b-a3b", WeightFormat::Q4K),
        ("gpt-oss-20b", WeightFormat::Mxfp4),
        ("gpt2-xl", WeightFormat::Fp16),
    ] {
        let scenario = on(model, weights, 1_024, "rtx3090");
        let engine = evaluate(&scenario).bytes(Bucket::Weights).0;
        let placed = place(&scenario, &Settings::DEFAULT).unwrap().devices[0].weights;
        assert!(engine.abs_diff(placed) * 10_000 < placed * 2, "{model}: {engine} and {placed}");
    }
    // One memory for both holds the table too.
    let shared = on("llama-3.3-70b", WeightFormat::Q4K, 1_024, "gb10");
    let file = worked::total(|sink| memory::weights::terms(&shared, sink));
    assert_eq!(evaluate(&shared).bytes(Bucket::Weights), file);
}

/// All of them ran wholly on the GPU: XiongjieDai/GPU-Benchmarks-on-LLM-Inference, `4080_v3.ipynb` (39.44 tokens/s), and
/// geerlingguy/ai-benchmarks, issues 45 (163 tokens/s) and 40 (84). Read 2026-11-26.
#[test]
fn what_ran_with_all_layers_on_the_gpu_is_not_refused() {
    for (model, weights, seq_length, id) in [
        ("llama-3-8b", WeightFormat::Fp16, 4_096, "rtx4080"),
        ("gpt-oss-20b", WeightFormat::Mxfp4, 640, "rtx4070ti"),
        ("gpt-oss-20b", WeightFormat::Mxfp4, 640, "rtx3060-12"),
    ] {
        let scenario = on(model, weights, seq_length, id);
        assert_eq!(place(&scenario, &Settings::DEFAULT).unwrap().verdict(), Verdict::Tight, "{model} {id}");
        assert_eq!(verdict(&scenario), Some(Verdict::Tight), "{model} {id}");
        let fit = evaluate(&scenario).fit.unwrap();
        assert!(fit.margin.0 >= 0 && fit.max_seq >= seq_length && fit.max_batch >= 1, "{model} {id}: {fit:?}");
    }
    let larger = on("gpt-oss-20b", WeightFormat::Mxfp4, 131_072, "rtx4070ti");
    assert_eq!(verdict(&larger), Some(Verdict::DoesNotFit));
}

#[test]
fn the_output_layer_goes_first_and_before_december_2025_last() {
    let place = |gpu_layers, order| {
        let placement = place(&seventy(), &Settings { gpu_layers, order, ..Settings::DEFAULT }).unwrap();
        (placement.devices[0].layers, placement.devices[0].output, placement.on_gpus)
    };
    assert_eq!(place(33, Order::OutputFirst), (32, true, 33));
    assert_eq!(place(33, Order::OutputLast), (33, false, 33));
    assert_eq!(place(0, Order::OutputFirst), (0, false, 0));
    for order in [Order::OutputFirst, Order::OutputLast] {
        assert_eq!(place(81, order), (80, true, 81));
        assert_eq!(place(ALL, order), (80, true, 81));
    }
}

#[test]
fn shares_and_memory_decide_which_gpu_has_a_layer() {
    let layers = |gpus: &[&str], tensor_split: &[u32]| {
        let gpus = gpus.iter().map(|id| gpu(id)).collect();
        let settings = Settings { gpus, tensor_split: tensor_split.to_vec(), ..Settings::DEFAULT };
        let placement = place(&seventy(), &settings).unwrap();
        placement.devices.iter().map(|device| device.layers).collect::<Vec<_>>()
    };
    assert_eq!(layers(&["rtx3090", "rtx3090"], &[]), [41, 39]);
    assert_eq!(layers(&["rtx3090", "rtx3090"], &[28, 53]), [28, 52]);
    assert_eq!(layers(&["rtx3090", "rtx3060-12"], &[]), [55, 25]);
    assert_eq!(layers(&["rtx3090", "rtx3060-12"], &[0, 1]), [0, 80]);
}

/// The fullest GPU decides, and host memory where it is said.
#[test]
fn verdicts_are_those_of_the_fullest() {
    let verdict = |gpu_layers, host: Option<u128>| {
        let host_memory = host.map(|gib| Bytes(gib * GIB));
        place(&seventy(), &Settings { gpu_layers, host_memory, ..Settings::DEFAULT }).unwrap().verdict()
    };
    assert_eq!(verdict(30, Some(64)), Verdict::Fits);
    assert_eq!(verdict(30, Some(16)), Verdict::DoesNotFit);
    assert_eq!(verdict(60, Some(64)), Verdict::DoesNotFit);
    assert_eq!(verdict(30, None), Verdict::Fits);
}

#[test]
fn the_answer_fits_and_one_layer_more_does_not() {
    let settings = Settings { host_memory: Some(Bytes(64 * GIB)), ..Settings::DEFAULT };
    let Found { answer, next } = most_gpu_layers(&seventy(), &settings).unwrap();
    let ((count, placement), (more, beyond)) = (answer.unwrap(), next.unwrap());
    assert_eq!((count, more), (44, 45));
    assert_eq!(placement.on_gpus, 44);
    assert!(placement.verdict().holds());
    assert_eq!(beyond.verdict(), Verdict::DoesNotFit);
    // What llama.cpp finds by itself leaves a GiB, so it is fewer.
    let (found, placement) = fitted(&seventy(), &Settings::DEFAULT).unwrap();
    assert!((35..count).contains(&found.gpu_layers), "{}", found.gpu_layers);
    assert!(placement.verdict().holds());
    // A small model goes on the GPU as a whole.
    let small = on("llama-3.1-8b", WeightFormat::Q4K, 4_096, "rtx4090");
    assert_eq!(fitted(&small, &Settings::DEFAULT).unwrap().0.gpu_layers, ALL);
}

#[test]
fn experts_are_left_before_layers() {
    let mixture = on("qwen3-30b-a3b", WeightFormat::Q4K, 32_768, "rtx3060-12");
    let Found { answer, next } = fewest_cpu_moe(&mixture, &Settings::DEFAULT).unwrap();
    let ((count, placement), (less, beyond)) = (answer.unwrap(), next.unwrap());
    assert_eq!((count, less), (26, 25));
    assert_eq!((placement.on_gpus, placement.host.layers, placement.cpu_moe), (49, 0, 26));
    assert_eq!(beyond.verdict(), Verdict::DoesNotFit);
    let (found, placement) = fitted(&mixture, &Settings::DEFAULT).unwrap();
    assert!(found.gpu_layers == ALL && found.cpu_moe > count && placement.host.layers == 0);
    assert_eq!(fewest_cpu_moe(&seventy(), &Settings::DEFAULT), Err(Refused::NoExperts));
}

#[test]
fn keys_and_values_have_formats_of_their_own() {
    let cache = |cache_k, cache_v| {
        let settings = Settings { cache_k, cache_v, ..Settings::DEFAULT };
        place(&on("llama-3.1-8b", WeightFormat::Q8Zero, 8_192, "rtx4090"), &settings).unwrap().devices[0].cache
    };
    let half = 512_u128 << 20;
    assert_eq!(cache(None, None), 2 * half);
    assert_eq!(cache(Some(CacheType::Q8Zero), None), half * 17 / 32 + half);
    assert_eq!(cache(Some(CacheType::Q8Zero), Some(CacheType::Q5One)), half * 17 / 32 + half * 12 / 32);
    assert_eq!(cache(Some(CacheType::F32), Some(CacheType::Q4Zero)), 2 * half + half * 9 / 32);
    // Packed values need flash attention, packed keys don't.
    let eager = scenario("llama-3.1-8b", WeightFormat::Q8Zero, 8_192);
    let eager = Scenario { attention: Attention::Eager, gpu: Some(gpu("rtx4090")), ..eager }.check().unwrap();
    let values = Settings { cache_v: Some(CacheType::Q8Zero), ..Settings::DEFAULT };
    assert_eq!(place(&eager, &values), Err(Refused::PackedValues(CacheType::Q8Zero)));
    let keys = Settings { cache_k: Some(CacheType::Q8Zero), ..Settings::DEFAULT };
    assert!(place(&eager, &keys).is_ok());
}

/// Gemma 3 27B at 8,192: 10 layers see everything, 52 a window of 1,024 tokens; 8,192 bytes a cell and layer.
#[test]
fn windows_hold_the_chunk_too_and_share_a_cache_by_sequences() {
    let cache = |settings: Settings, batch| {
        let gemma = scenario("gemma-3-27b-text", WeightFormat::Q4K, 8_192);
        let gemma = Scenario { batch, gpu: Some(gpu("a100-80-sxm")), ..gemma }.check().unwrap();
        place(&gemma, &settings).unwrap().devices[0].cache
    };
    let cells = |full: u128, window: u128| 8_192 * (10 * full + 52 * window);
    let with = |change: fn(&mut Settings)| {
        let mut settings = Settings::DEFAULT;
        change(&mut settings);
        settings
    };
    assert_eq!(cache(Settings::DEFAULT, 1), cells(8_192, 1_536));
    assert_eq!(cache(with(|it| it.ubatch = 2_048), 1), cells(8_192, 3_072));
    assert_eq!(cache(with(|it| it.swa_full = true), 1), cells(8_192, 8_192));
    assert_eq!(cache(Settings::DEFAULT, 4), 4 * cells(8_192, 1_536));
    assert_eq!(cache(with(|it| it.unified = true), 4), cells(8_192, 4_608));
    let host = with(|it| it.cache_on_host = true);
    assert_eq!(cache(host, 1), 0);
}

/// 512 of each period's four layers have a state in Qwen3.5, and the last attends.
#[test]
fn a_period_ends_with_the_layer_that_sees_everything() {
    let scenario = on("qwen3.5-9b", WeightFormat::Q8Zero, 8_192, "rtx4090");
    let placed = |gpu_layers| place(&scenario, &Settings { gpu_layers, ..Settings::DEFAULT }).unwrap().devices[0];
    let (one, two, four) = (placed(2), placed(3), placed(5));
    assert!(one.cache > 0 && one.states == 0);
    assert!(two.cache == one.cache && two.states > 0);
    assert_eq!((four.cache, four.states), (one.cache, 3 * two.states));
}

#[test]
fn decoding_is_as_fast_as_both_memories_together() {
    let host_bandwidth = Some(ByteRate::from_gb_per_s(80.0));
    let placed = |gpu_layers| place(&seventy(), &Settings { gpu_layers, ..Settings::DEFAULT }).unwrap();
    let at = |gpu_layers| speed(&seventy(), &placed(gpu_layers), host_bandwidth).unwrap();
    let (none, some, all) = (at(0), at(40), at(ALL));
    assert!(none.least.0 > some.least.0 && some.least.0 > all.least.0);
    // 42 GB over 80 GB/s, the table's 0.6 GB left out.
    assert!((0.52..0.57).contains(&none.least.0), "{:?}", none.least);
    assert!(all.on_host.0.abs() < 1e-12 && some.most.0 > some.least.0);
    assert_eq!(speed(&seventy(), &placed(40), None), None);
    // Of 128 experts a token visits 8.
    let mixture = on("qwen3-30b-a3b", WeightFormat::Q4K, 4_096, "rtx4090");
    let settings = Settings { cpu_moe: ALL, ..Settings::DEFAULT };
    let placement = place(&mixture, &settings).unwrap();
    let on_host = speed(&mixture, &placement, host_bandwidth).unwrap().on_host.0;
    let whole = placement.host.experts as f64 / 80e9;
    assert!((on_host / (whole / 16.0) - 1.0).abs() < 0.01, "{on_host} {whole}");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let refused = |scenario: Checked, settings: Settings| place(&scenario, &settings).unwrap_err();
    let without = scenario("llama-3.1-8b", WeightFormat::Q8Zero, 512);
    assert_eq!(refused(without.check().unwrap(), Settings::DEFAULT), Refused::NoGpu);
    let mut other = without;
    (other.serving.engine, other.gpu) = (Engine::Exact, Some(gpu("rtx4090")));
    assert_eq!(refused(other.check().unwrap(), Settings::DEFAULT), Refused::NotServed);
    let cut = seventy().with(|it| it.parallel.pp = 2).unwrap();
    assert_eq!(refused(cut, Settings::DEFAULT), Refused::Ranks);
    let three = Settings { tensor_split: vec![1, 2, 3], ..Settings::DEFAULT };
    assert_eq!(refused(seventy(), three), Refused::Shares { shares: 3, gpus: 1 });
    assert_eq!(refused(seventy(), Settings { tensor_split: vec![0], ..Settings::DEFAULT }), Refused::NoShare);
    let mac = on("llama-3.1-8b", WeightFormat::Q8Zero, 512, "m3max");
    let some = Settings { gpu_layers: 10, ..Settings::DEFAULT };
    assert!(matches!(refused(mac, some), Refused::SharedMemory(_)));
    assert_eq!(place(&mac, &Settings::DEFAULT).err(), None);
}

/// The one rule of `engines::system`: what the system holds of a GB10 is not there twice, nor is what the host has of the file.
#[test]
fn shared_memory_counts_once() {
    let air = |weights, seq_length| on("glm-4.5-air", weights, seq_length, "gb10");
    let long = air(WeightFormat::Q8Zero, 65_536);
    let whole = place(&long, &Settings::DEFAULT).unwrap();
    let device = whole.devices.first().unwrap();
    let others = system::held(&long).unwrap().typical + whole.host.total().high;
    assert_eq!((device.shares, device.room), (true, gpu("gb10").capacity.0 - others));
    // What is stated to be there counts, whatever the GPU.
    let stated = |id| Scenario {
        gpu_memory: Some(memory_wall_core::Bytes(20 << 30)),
        ..*on("llama-3.1-8b", WeightFormat::Q4K, 2_048, id)
    };
    for id in ["gb10", "rtx4090"] {
        let placed = place(&stated(id).check().unwrap(), &Settings::DEFAULT).unwrap();
        let (device, host) = (placed.devices.first().unwrap(), placed.host.total().high);
        assert_eq!(device.room, 20 * GIB - if device.shares { host } else { 0 }, "{id}");
    }
    assert_eq!((whole.verdict(), verdict(&long)), (Verdict::DoesNotFit, Some(Verdict::DoesNotFit)));
    assert!(most_gpu_layers(&long, &Settings::DEFAULT).unwrap().answer.is_none());
    let told = Settings { host_memory: Some(Bytes(128 * GIB)), ..Settings::DEFAULT };
    assert_eq!(place(&long, &told).unwrap().host_verdict, None);
    // Half as large a file goes in whole, and nothing is left to the CPU.
    let (settings, fitted) = fitted(&air(WeightFormat::Q4K, 8_192), &Settings::DEFAULT).unwrap();
    assert_eq!((settings.gpu_layers, fitted.on_gpus, fitted.verdict()), (ALL, fitted.all, Verdict::Fits));
}

/// Of a memory that CPU and GPU share, the system holds 10.8 GiB as a rule.
#[test]
fn layers_leave_room_for_the_system_on_shared_memory() {
    let placement =
        |id: &str, tokens| place(&on("llama-3.3-70b", WeightFormat::Q8Zero, tokens, id), &Settings::DEFAULT).unwrap();
    let (least, most) = (placement("gb10", 2_048), placement("gb10", 131_072));
    assert_eq!((least.verdict(), most.verdict()), (Verdict::Fits, Verdict::DoesNotFit));
    let total = most.devices.first().unwrap().total();
    assert!(total.high < gpu("gb10").capacity.0, "{total:?}");
}

/// `common/fit.cpp`: "filling dense layers back-to-front", each GPU up to its own free memory less 1,024 MiB.
#[test]
fn fit_fills_unequal_gpus_from_the_last() {
    let used = |placement: &Placement, at: usize| {
        let it = placement.devices[at];
        it.weights + it.cache + it.states + it.compute.high + it.context.low
    };
    let room = |placement: &Placement, at: usize| placement.devices[at].room - GIB;
    let two = Settings { gpus: vec![gpu("rtx3090"), gpu("rtx3060-12")], ..Settings::DEFAULT };
    let (found, placement) = fitted(&seventy(), &two).unwrap();
    // The smaller GPU, which is the last, has the output layer and as many others as leave a GiB; so has the first.
    assert!(placement.devices[1].output && !placement.devices[0].output);
    assert_eq!(found.gpu_layers, found.tensor_split.iter().sum::<u32>());
    for at in [0, 1] {
        assert!(used(&placement, at) <= room(&placement, at), "{at}");
        let mut more = found.clone();
        more.tensor_split[at] += 1;
        more.gpu_layers += 1;
        let beyond = place(&seventy(), &more).unwrap();
        assert!(used(&beyond, at) > room(&beyond, at), "{at}");
    }
    let [first, last] = [0, 1].map(|at| placement.devices[at].layers + u32::from(placement.devices[at].output));
    assert_eq!(found.tensor_split, [first, last]);
    assert!(first + last < 81 && placement.host.layers == 81 - first - last);
    // By their memory the shares would be 2 to 1; the other way round the larger one has the output layer.
    let other = Settings { gpus: vec![gpu("rtx3060-12"), gpu("rtx3090")], ..Settings::DEFAULT };
    let (_, swapped) = fitted(&seventy(), &other).unwrap();
    assert_eq!([0, 1].map(|at| swapped.devices[at].layers), [20, 41]);
    assert!(swapped.devices[1].output);
    // What goes on both as it is is left alone, and so are shares that were told.
    let small = on("llama-3.1-8b", WeightFormat::Q4K, 4_096, "rtx3090");
    let whole = fitted(&small, &two).unwrap().0;
    assert!(whole.gpu_layers == ALL && whole.tensor_split.is_empty());
    let told = Settings { tensor_split: vec![1, 1], ..two.clone() };
    assert_eq!(fitted(&seventy(), &told).unwrap().0.gpu_layers, ALL);
    // Of a mixture all layers go on the GPUs, and the experts of the first on the first of them.
    let mixture = on("glm-4.5-air", WeightFormat::Q4K, 8_192, "rtx3090");
    let (found, placement) = fitted(&mixture, &two).unwrap();
    assert_eq!((placement.host.layers, found.last_moe), (0, true));
    assert!((1..46).contains(&found.cpu_moe) && placement.devices[0].experts > 0, "{}", found.cpu_moe);
    for at in [0, 1] {
        assert!(used(&placement, at) <= room(&placement, at), "{at}");
    }
    let less = Settings { cpu_moe: found.cpu_moe - 1, ..found.clone() };
    let beyond = place(&mixture, &less).unwrap();
    assert!([0, 1].iter().any(|at| used(&beyond, *at) > room(&beyond, *at)));
}
