//! What people say of a run beside its message: GPUs and models whose sentences hold links, other names or a computer's memory. The texts
//! are our own, in the shape of public issues.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use common::only;
use memory_wall_reports::{Kind, Report, What};

const REFUSAL: &str = "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.\n";

/// What is read of words that stand above a message.
fn beside(words: &str) -> Report {
    only(Kind::Sglang, &["hello\n", words, "\n", REFUSAL].concat())
}

/// The GPU, and how many there are.
fn gpu(words: &str) -> (Option<String>, u64) {
    let report = beside(words);
    (report.name(What::Gpu).map(str::to_owned), report.count(What::GpuCount).unwrap_or(1))
}

fn model(words: &str) -> Option<String> {
    beside(words).name(What::Model).map(str::to_owned)
}

#[test]
fn names_beside_a_link_are_read_and_those_in_it_are_not() {
    let words =
        "on 4 * Nvidia A100 80G GPUs with [Qwen2.5-7B-Instruct](https://huggingface.co/Qwen/Qwen2.5-7B-Instruct)";
    assert_eq!(gpu(words), (Some("NVIDIA A100 80GB".into()), 4));
    assert_eq!(model(words).as_deref(), Some("Qwen2.5-7B-Instruct"));
    for words in ["see https://example.org/h100/Qwen3-8B for it", "(http://example.org/a?gpu=RTX-4090&m=Qwen/Qwen3-8B)"]
    {
        assert_eq!((gpu(words).0, model(words)), (None, None), "{words}");
    }
}

#[test]
fn numbers_and_memory_are_read_where_they_touch_the_name() {
    for (words, name, count) in [
        ("run on 4xV100x32G machine", "NVIDIA V100 32GB", 4),
        ("an H100x8 node", "NVIDIA H100", 8),
        ("is full on 8gpus H20 .", "NVIDIA H20", 8),
        ("GTX3090 24GB GPUs are here", "RTX 3090 24GB", 1),
        ("a Nvidia A100 with 40GB memory", "NVIDIA A100 40GB", 1),
        ("my RTX 4070 with 12 GB VRAM", "RTX 4070 12GB", 1),
        ("fails to start with 3090 24GB with the old engine by default", "RTX 3090 24GB", 1),
        ("AMD MI300 (rocm)", "AMD MI300", 1),
        ("on 8 \u{d7} NVIDIA GeForce RTX 4090D (24 GB) here", "RTX 4090 D 24GB", 8),
        ("GPUs: 2x 4090 (2x24GB)", "RTX 4090", 2),
        ("2x 4060 Ti  16Gb, with more than enough VRAM", "RTX 4060 Ti 16GB", 2),
        // The label says what, and the sentence how many.
        ("- GPU type: NVIDIA L20\nit dies on 4 L20 GPUs", "NVIDIA L20", 4),
    ] {
        assert_eq!(gpu(words), (Some(name.into()), count), "{words}");
    }
    // Memory of the computer, or of nobody knows what.
    assert_eq!(gpu("a Nvidia A100 with 512GB memory").0.as_deref(), Some("NVIDIA A100"));
    assert_eq!(gpu("my RTX 4090 with 64GB memory").0.as_deref(), Some("RTX 4090"));
    assert_eq!(gpu("GTX 1080 here").0.as_deref(), Some("GTX 1080"));
    assert_eq!(gpu("- GPU type: NVIDIA L20\nit dies on 4 L40 GPUs"), (Some("NVIDIA L20".into()), 1));
}

#[test]
fn the_writers_own_counts_more_than_what_may_be_anothers() {
    let words = "Qwen2.5-7B runs out on my A100.\nNo issues with other models such as Qwen2.5-3B.";
    assert_eq!(model(words).as_deref(), Some("Qwen2.5-7B"));
    let words = "It works with Qwen3-4B and with Qwen3-1.7B.\nQwen3-8B runs out.";
    assert_eq!(model(words).as_deref(), Some("Qwen3-8B"));
    assert_eq!(gpu("It ran on 2 V100(32 G) successfully.\nBut not on 4 V100."), (Some("NVIDIA V100".into()), 4));
    // In one line nobody says which is which, and two of the writer's own are two.
    for words in [
        "I tested both, Llama-3.2-1B on 2 A40 48Gb and an eight billion model of the same family which has eight H100 90gb",
        "OOM on H100.\nOOM on A100 too.",
    ] {
        assert_eq!(gpu(words).0, None, "{words}");
    }
}

#[test]
fn one_model_under_two_names_is_one() {
    for (words, name) in [
        ("Llama 3 8b leaks\nwith `meta-llama/Meta-Llama-3-8B-Instruct` here", "Meta-Llama-3-8B-Instruct"),
        ("llama3.2-3B is full\nthe script for llama32-3B", "llama3.2-3B"),
        ("mpt-7b does not fit", "mpt-7b"),
    ] {
        assert_eq!(model(words).as_deref(), Some(name), "{words}");
    }
    for words in ["Qwen2-57B and then Qwen2.5-7B", "Meta-Llama-3-8B or Llama-3-70B"] {
        assert_eq!(model(words), None, "{words}");
    }
}

#[test]
fn apples_chips_have_the_memory_that_is_said_apart() {
    for (words, name) in [
        ("CPU: Apple M3 Max\nRAM: 128GB", "Apple M3 Max 128GB"),
        ("a MacBook Pro with 128GB memory and M3 Max processor", "Apple M3 Max 128GB"),
        ("in my MacBook with M2 Max and 96GB RAM", "Apple M2 Max 96GB"),
        ("My M4 Max only has 128GB ram", "Apple M4 Max 128GB"),
    ] {
        assert_eq!(gpu(words).0.as_deref(), Some(name), "{words}");
    }
    for words in [
        "CPU: Apple M3 Max",
        "It works on an M3 Max\nRAM: 128GB",
        "an M3 Max, then an M4 Pro\nRAM: 64GB",
        "an M3 Max\n64GB RAM at home\n128GB RAM at work",
    ] {
        assert_eq!(gpu(words).0, None, "{words}");
    }
}

/// A number that stands beside PyTorch's message: the batch, the tokens of a sequence, the rank of adapters, the context.
fn number(words: &str, what: What) -> Option<u64> {
    let text = ["hello\n", words, "\nRuntimeError: CUDA out of memory.\n"].concat();
    let found = memory_wall_reports::read(text.as_bytes());
    found.reports.iter().find_map(|report| report.count(what))
}

#[test]
fn settings_are_read_in_words() {
    for (words, what, count) in [
        ("with a batch size of 2 here", What::BatchSize, 2),
        ("batch_size: 4", What::BatchSize, 4),
        ("- batch-size = 16", What::BatchSize, 16),
        ("It is full at bs=8, and that is little", What::BatchSize, 8),
        ("setting batch_size to 1 etc.", What::BatchSize, 1),
        ("a micro batch size of 3.", What::BatchSize, 3),
        ("sequence length 4096", What::SeqLength, 4_096),
        ("seq len 4k", What::SeqLength, 4_096),
        ("lora_rank = 32  # larger is smarter", What::LoraRank, 32),
        ("LoRA with rank 64", What::LoraRank, 64),
        ("context length: 8192", What::Context, 8_192),
        ("on 2x 3090 with 32k context", What::Context, 32_768),
        ("with 18000 context length", What::Context, 18_000),
        ("n_ctx = 2048", What::Context, 2_048),
        ("62K context it is", What::Context, 63_488),
        ("a context of 100k tokens", What::Context, 100_000),
    ] {
        assert_eq!(number(words, what), Some(count), "{words}");
    }
    for (words, what) in [
        // Of all GPUs, of others, proposed, tried in turn, or no number.
        ("a global batch size of 64", What::BatchSize),
        ("max_batch_size: 24", What::BatchSize),
        ("train_batch_size: 64", What::BatchSize),
        ("log_prob_micro_batch_size=8", What::BatchSize),
        ("Try a batch size of 1", What::BatchSize),
        ("Reducing the batch size to 4 resolves it", What::BatchSize),
        ("batch size 1-8", What::BatchSize),
        ("batch size 1, 2 and 4", What::BatchSize),
        ("batch size 8 or 16", What::BatchSize),
        ("batch size 2\nbatch size 4", What::BatchSize),
        ("a batch size 2x as large", What::BatchSize),
        ("bs 16", What::BatchSize),
        ("rank 64", What::LoraRank),
        ("n_ctx_train = 131072", What::Context),
        ("8K+ context", What::Context),
        ("the full 16k context", What::Context),
        ("needs 128k context", What::Context),
        ("the model supports 128k context", What::Context),
        ("context 2", What::Context),
        ("128 000 context", What::Context),
        ("context length 50 %", What::Context),
        ("at context-8192-x.log", What::Context),
    ] {
        assert_eq!(number(words, what), None, "{words}");
    }
    // What a program says of itself is not said again, and a server's batches are others.
    let log = "max_seq_length: 512\nsequence length 4096\ncontext 8192\nbatch size of 2\n";
    let report = only(Kind::Trainer, log);
    assert_eq!((report.count(What::SeqLength), report.count(What::Context)), (Some(512), None));
    assert_eq!(report.count(What::BatchSize), Some(2));
    assert_eq!(beside("batch size of 2").count(What::BatchSize), None);
}

#[test]
fn adapters_are_those_of_training() {
    let adapter = |words: &str| {
        let text = ["hello\n", words, "\nRuntimeError: CUDA out of memory.\n"].concat();
        let found = memory_wall_reports::read(text.as_bytes());
        found.reports.iter().find_map(|report| report.name(What::Adapter)).map(str::to_owned)
    };
    assert_eq!(adapter("QLoRA finetuning is full").as_deref(), Some("qlora"));
    assert_eq!(adapter("training with LoRA.").as_deref(), Some("lora"));
    for words in ["LoRA is here", "training rather than LoRA", "see train_lora.py", "the train/lora-sft.yaml"] {
        assert_eq!(adapter(words), None, "{words}");
    }
}

#[test]
fn the_memory_of_unnamed_gpus_is_told_as_the_text_says_it() {
    let stated = |words: &str| beside(words).size(What::StatedCapacity).map(|size| size.bytes >> 30);
    for (words, gigabytes) in [
        ("I have 24GB of VRAM", 24),
        ("on a 24GB GPU", 24),
        ("a 16 GB card", 16),
        ("the results with a GPU with 24GB of memory", 24),
        ("VRAM: 12 GB", 12),
        ("| VRAM | 24 GB GDDR6X |", 24),
    ] {
        assert_eq!(stated(words), Some(gigabytes), "{words}");
    }
    for words in [
        "it uses 77GB of RAM and 96GB of VRAM",
        "needs 24GB VRAM",
        "a model for 24GB GPUs",
        "4GB of VRAM free",
        "24GB RAM",
        "my RTX 4090 has 24GB of VRAM",
        "my old card was an RTX 3060 with 12GB VRAM, and now it is an RTX 4090",
        "16GB VRAM at home\n24GB VRAM at work",
    ] {
        assert_eq!(stated(words), None, "{words}");
    }
}

#[test]
fn two_things_of_a_run_describe_it() {
    let kinds = |text: &str| {
        memory_wall_reports::read(text.as_bytes()).reports.iter().map(|report| report.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds("Qwen3-8B\nbatch size of 2\n"), [Kind::Description]);
    assert_eq!(kinds("2x RTX 3090 here\nwith 32k context\n"), [Kind::Description]);
    for text in ["batch size of 2\ncontext 8192\n", "Qwen3-8B is here\n", "2x RTX 3090\n", "24GB of VRAM\n"] {
        assert_eq!(kinds(text), [], "{text}");
    }
}

#[test]
fn chips_tags_and_stages_are_read_in_peoples_short_forms() {
    assert_eq!(gpu("it does not start on gfx1151 due to that").0.as_deref(), Some("AMD gfx1151"));
    assert_eq!(
        model("it is full with (qwen3-coder:30b-a3b-q4_K_M) now").as_deref(),
        Some("qwen3-coder-30b-a3b-q4_K_M")
    );
    assert_eq!(model("unsloth/Qwen3-30B-A3B-GGUF:UD-Q4_K_XL").as_deref(), Some("Qwen3-30B-A3B-GGUF-UD-Q4_K_XL"));
    assert_eq!(model("ollama run deepseek-r1:32b.").as_deref(), Some("deepseek-r1-32b"));
    for words in ["llama3:latest is full", "see qwen3:8080/x", "gfx is slow"] {
        assert_eq!((model(words), gpu(words).0), (None, None), "{words}");
    }
    let stage = |words: &str| beside(words).count(What::ZeroStage);
    assert_eq!(stage("try to finetune it with zero 3,but it dies"), Some(3));
    for words in ["finetuned zero 3 times", "it is zero 3, so what"] {
        assert_eq!(stage(words), None, "{words}");
    }
}

#[test]
fn a_short_word_for_it_is_a_message_too_and_its_opposite_is_none() {
    let kinds = |text: &str| {
        memory_wall_reports::read(text.as_bytes()).reports.iter().map(|report| report.kind).collect::<Vec<_>>()
    };
    for text in [
        "it fails with OOM at step 3\n",
        "Run out of application memory Build 9\n",
        "(CUDA OOM)\n",
        "it runs out of VRAM\n",
    ] {
        assert_eq!(kinds(text), [Kind::OutOfMemory], "{text}");
    }
    for text in [
        "it runs without OOM now\n",
        "to avoid running out of memory, say\n",
        "never OOM again\n",
        "it fails to show the OOM warning when it should\n",
        "ZOOM is on, and BOOM.\n",
    ] {
        assert_eq!(kinds(text), [], "{text}");
    }
}
