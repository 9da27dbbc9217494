//! What people say of their computer: its memory in words, Apple's chips, TPUs, and over how many ranks a model is split. The texts are
//! our own, in the shape of public issues.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use common::only;
use memory_wall_reports::explain::gpu_named;
use memory_wall_reports::{Device, Kind, Report, Value, What, read};

const REFUSAL: &str = "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.\n";

/// What is read of words that stand above a message.
fn beside(words: &str) -> Report {
    only(Kind::Sglang, &["hello\n", words, "\n", REFUSAL].concat())
}

/// The gigabytes of the computer.
fn host(words: &str) -> Option<i64> {
    let report = beside(words);
    assert!(report.all(What::HostCapacity).all(|fact| fact.device == Device::Host), "{words}");
    report.size(What::HostCapacity).map(|size| size.bytes >> 30)
}

/// The GPU, and how many there are.
fn gpu(words: &str) -> (Option<String>, u64) {
    let report = beside(words);
    (report.name(What::Gpu).map(str::to_owned), report.count(What::GpuCount).unwrap_or(1))
}

#[test]
fn a_computers_memory_is_read_in_words() {
    for (words, gigabytes) in [
        ("We have 64GB RAM.", 64),
        ("a box with 32 G of RAM", 32),
        ("two 3090s and 128gb ddr4 ram", 128),
        ("4x A6000, 256 GB of system memory", 256),
        ("an EPYC with 512GB DDR5-4800", 512),
        ("trained beside 744G CPU memory", 744),
        ("the node has **1.5TB of System RAM**", 1_536),
        ("- System RAM: 96GB", 96),
        ("cpu ram 2TB", 2_048),
        ("I want it all in my 192GB Ram without a disk", 192),
        ("a laptop with 16GB of ram", 16),
        ("a Mac with 48 GB unified memory", 48),
        // More than any GPU has.
        ("8x H100 with 1024GB RAM", 1_024),
        ("64GB RAM here, 64 GB of RAM there", 64),
    ] {
        assert_eq!(host(words), Some(gigabytes), "{words}");
    }
    for words in [
        // A GPU's, or what may be one.
        "24GB VRAM",
        "an RTX 3060 with 12GB RAM",
        "the GPU has 24GB RAM",
        "GPU RAM: 24GB",
        // What is used, needed, free or bought.
        "it uses 40GB of RAM",
        "it eats up to 60 GB RAM",
        "needs 64GB RAM",
        "at least 32GB of RAM",
        "48GB RAM used",
        "free RAM: 12GB",
        "I could buy 256GB RAM",
        // Two, of which nobody says which it was.
        "64GB RAM at home and 128GB RAM at work",
        // No memory of a computer.
        "64GB of disk",
        "a 7GB model",
        "512MB RAM",
        "system memory",
    ] {
        assert_eq!(host(words), None, "{words}");
    }
    // A program knows it better.
    let log = "msg=\"system memory\" total=\"31.2 GiB\" free=\"20.1 GiB\" free_swap=\"0 B\"\nI have 64GB RAM\n";
    let ollama = only(Kind::Ollama, log);
    assert_eq!(ollama.all(What::HostCapacity).count(), 1);
    // A GPU and the computer's memory are a machine; a memory alone is nothing that was left behind.
    let found = read(b"My 8x RTX 3090 are full.\nThe rest goes into my 192GB RAM.\n");
    assert_eq!(found.reports.first().map(|report| report.kind), Some(Kind::Description));
    assert!(read(b"We have 64GB RAM.\n").reports.is_empty());
}

#[test]
fn apples_chips_count_with_their_memory() {
    for (words, name) in [
        ("on an M3 Max 64GB", "Apple M3 Max 64GB"),
        ("M1 Max with 32Gb of RAM.", "Apple M1 Max 32GB"),
        ("- Mac Studio M3 Ultra, 256 GB unified memory", "Apple M3 Ultra 256GB"),
        ("a 96GB M2 Max MacBook", "Apple M2 Max 96GB"),
        ("env: apple m2 pro 16gb", "Apple M2 Pro 16GB"),
        ("Mac mini M4 24GB", "Apple M4 24GB"),
        ("on my M2 with 16GB RAM, it dies", "Apple M2 16GB"),
        ("Hardware: Apple M4 Max (36GB unified memory)", "Apple M4 Max 36GB"),
    ] {
        assert_eq!(gpu(words), (Some(name.into()), 1), "{words}");
    }
    for words in [
        "on an M3 Max",
        "on M2 of 3 hosts",
        "M3 of 5 modules, 64GB",
        "M4 Max 64GB and M3 Ultra 96GB",
        "M3 Max 64GB. M3 Max 128GB.",
    ] {
        assert_eq!(gpu(words).0, None, "{words}");
    }
    // One with less than the largest of its name is none of the table.
    assert_eq!(gpu_named("Apple M4 Max 36GB", None).map(|gpu| gpu.id), None);
    assert_eq!(gpu_named("Apple M4 Max 128GB", None).map(|gpu| gpu.id), Some("m4max"));
}

#[test]
fn slices_of_tpus_are_so_many_chips() {
    for (words, name, chips) in [
        ("OOM on v6e with the newest image", "TPU v6e", 1),
        ("on TPU v5e-8, single host", "TPU v5e", 8),
        ("a v5litepod-4 of the cloud", "TPU v5e", 4),
        ("on a TPU VM v5-litepod-16", "TPU v5e", 16),
        // These are called by their cores.
        ("on TPU v4-32 it is full", "TPU v4", 16),
        ("on a v5p-8", "TPU v5p", 4),
    ] {
        assert_eq!(gpu(words), (Some(name.into()), chips), "{words}");
        assert!(
            gpu_named(name, None).is_some_and(|gpu| gpu.id == name.to_ascii_lowercase().replace(' ', "-")),
            "{name}"
        );
    }
    for words in ["release v4-32 of it", "image/v5e-8", "v5 lite", "on v5e-8, then on v6e-8"] {
        assert_eq!(gpu(words).0, None, "{words}");
    }
}

#[test]
fn ranks_are_read_in_words() {
    let count = |words: &str, what| beside(words).count(what);
    for words in [
        "tensor parallel 4",
        "with tensor parallel size 4.",
        "we run tensor-parallel=4 here",
        "with tp 4",
        "Llama (TP=4)",
        "for TP4 it dies",
        "llm: tensor_parallel_size=4,",
        "started with --tp 4 by hand",
    ] {
        assert_eq!(count(words, What::TensorParallel), Some(4), "{words}");
    }
    assert_eq!(count("TP=2, PP=4", What::PipelineParallel), Some(4));
    assert_eq!(count("TP=2 DP=8", What::DataParallel), Some(8));
    let experts = |words: &str| beside(words).flag(What::ExpertParallel);
    assert_eq!((experts("TP=8 EP=8"), experts("TP=8 EP=1"), experts("TP=8")), (Some(true), Some(false), None));
    for words in [
        // The rank that writes, a prompt of a benchmark, a count that is none.
        "[2026-01-01 10:00:00 TP4] ready",
        "rank TP4] ready",
        "pp 512",
        "pp512, tg128",
        "TP=0",
        "TP=4096",
        "1.5k tps",
        // Advice, and two that contradict.
        "you should use tensor parallel 4",
        "TP=4 and then TP=8",
    ] {
        assert_eq!(count(words, What::TensorParallel), None, "{words}");
        assert_eq!(count(words, What::PipelineParallel), None, "{words}");
    }
}

#[test]
fn names_are_none_of_their_neighbours() {
    // An L40S is no L40, and a GLM-4.5 Air no GLM-4.5.
    assert_eq!(gpu("full on GPU L40S"), (Some("NVIDIA L40S".into()), 1));
    assert_eq!(gpu("on 2x NVIDIA L40S here"), (Some("NVIDIA L40S".into()), 2));
    assert_eq!(gpu("our H100s are full"), (Some("NVIDIA H100".into()), 1));
    assert_eq!(gpu("on 2 GH200 GPUs (96 GB each)"), (Some("NVIDIA GH200 96GB".into()), 2));
    let model = |words: &str| beside(words).name(What::Model).map(str::to_owned);
    assert_eq!(model("Model: GLM-4.5 Air in 4 bits").as_deref(), Some("GLM-4.5-Air"));
    assert_eq!(model("Model: GLM-4.5 in 4 bits").as_deref(), Some("GLM-4.5"));
    assert_eq!(model("loading Llama-3-70B-Instruct.Q5_K_M.gguf.").as_deref(), Some("Llama-3-70B-Instruct.Q5_K_M.gguf"));
    assert_eq!(model("loading /srv/alice/Llama-3-70B.Q5_K_M.gguf").as_deref(), None);
    // "8 GPUs" of several nodes and "16 GPUs" of all: neither is taken.
    assert_eq!(gpu("on 4 A100 each.\nWe have 16xA100."), (Some("NVIDIA A100".into()), 1));
    for (words, count) in [("I got 8 3090 GPUs", 8), ("with my 8 RTX3090s", 8), ("Number: 2 RTX 3090", 2)] {
        assert_eq!(gpu(words), (Some("RTX 3090".into()), count), "{words}");
    }
}

#[test]
fn a_word_of_one_sentence_says_nothing_of_the_next() {
    assert_eq!(gpu("A small one works just fine. I have an RTX 4070 here.").0.as_deref(), Some("RTX 4070"));
    assert_eq!(gpu("It works on an RTX 3090, e.g. with 2 of them.").0, None);
    let far = ["an RTX 3090 and ", &"many ".repeat(30), "words that are the default"].concat();
    assert_eq!(gpu(&far).0.as_deref(), Some("RTX 3090"));
}

#[test]
fn more_programs_say_what_they_lack() {
    let sizes = |text: &str, kind, what| only(kind, text).size(what).map(|size| size.bytes);
    let vmem = "Ran out of memory in memory space vmem while allocating on stack for %fusion. Scoped allocation with size 24.00M and limit 16.00M exceeded scoped vmem limit by 8.00M.\n";
    assert_eq!(sizes(vmem, Kind::Xla, What::VmemNeeded), Some(24 << 20));
    assert_eq!(sizes(vmem, Kind::Xla, What::Vmem), Some(16 << 20));
    let triton = "[TensorRT-LLM][INFO] Max tokens in paged KV cache: 1024. Allocating 536870912 bytes.\n";
    assert_eq!(sizes(triton, Kind::TensorRtLlm, What::KvCache), Some(512 << 20));
    assert_eq!(only(Kind::TensorRtLlm, triton).count(What::KvTokens), Some(1_024));
    // A block of Markdown is no model file, though it has a bracket behind eight letters.
    let report = "```json\n{\n  \"ram_capacity\": \"31.75 GB\",\n  \"ram_unused\": \"20.50 GB\",\n  \"vram_recommended_capacity\": \"8.00 GB\",\n  \"vram_unused\": \"6.50 GB\"\n}\n```\n";
    assert_eq!(memory_wall_reports::files::recognise(report.as_bytes(), 200), None);
    assert_eq!(sizes(report, Kind::LmStudio, What::HostCapacity), Some(127 << 28));
    assert_eq!(sizes(report, Kind::LmStudio, What::Capacity), Some(8 << 30));
    assert_eq!(sizes(report, Kind::LmStudio, What::Free), Some(13 << 29));
    // Swiss groups of digits.
    let vllm = only(Kind::Vllm, "the estimated maximum model length is 13'528.\n");
    assert_eq!(vllm.count(What::LongestPossible), Some(13_528));
    only(Kind::Killed, "exitcode -9\n");
    only(Kind::OutOfMemory, "llama runner exited, you may not have enough available memory to run this model\n");
    // A flag is on where several ranks share the experts.
    let value = &beside("EP=8").facts.iter().find(|fact| fact.what == What::ExpertParallel).unwrap().value.clone();
    assert_eq!(value, &Value::Flag(true));
}
