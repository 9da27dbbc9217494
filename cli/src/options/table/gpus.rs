//! The options of GPUs, those of the table and one of your own, and of how a run is cut over them.

use super::{Known, switch, value};

/// What `--gpu` names where it is no GPU of one's own.
pub(super) const OF_THE_TABLE: &str =
    "a GPU of the list that memory-wall gpus prints: does it fit, and how much more would";

pub(super) fn gpus() -> Vec<Known> {
    vec![
        value(
            "--gpu",
            "ID",
            "an id that memory-wall gpus lists",
            format!("{OF_THE_TABLE}; own for a GPU of your own, which --gpu-memory and the options behind it describe"),
        ),
        value(
            "--gpu-memory",
            "SIZE",
            "GiB, as 110 or 22.49, or a size with its unit, as \"25.4 GB\"",
            "memory of the GPU that is there to be taken, in GiB or with a unit (110, 22.49, \"25.4 GB\", 24564MiB), where you know: free beside the system on memory that CPU and GPU share, or as much as it was told to lend (GTT on Strix Halo, iogpu.wired_limit_mb on macOS); default what is usual; of a GPU of your own all of it, as PyTorch reports it (torch.cuda.get_device_properties(0).total_memory)",
        ),
    ]
    .into_iter()
    .chain(own_gpu())
    .chain([
        value("--dp", "N", "a whole number of ranks", "data-parallel ranks, each with other sequences"),
        value("--tp", "N", "a whole number of ranks", "tensor-parallel ranks, which share each matrix"),
        value("--pp", "N", "a whole number of stages", "pipeline stages, each with some of the layers"),
        value(
            "--ep",
            "N",
            "a whole number of ranks",
            "expert-parallel ranks, over which the experts of a layer are spread: within dp; with megatron within tp x cp x dp; with vllm all of tp x dp (--enable-expert-parallel)",
        ),
        value(
            "--etp",
            "N",
            "a whole number of ranks",
            "megatron: ranks that share the matrices of each expert (--expert-tensor-parallel-size); default as many as tp, or 1 where ep does not divide cp x dp",
        ),
        value("--cp", "N", "a whole number of ranks", "context-parallel ranks, which share each sequence"),
        value(
            "--zero",
            "N",
            "0, 1, 2 or 3",
            "what data-parallel ranks share out in training: 0 nothing (default), 1 optimizer states, 2 gradients too, 3 weights too",
        ),
        value(
            "--sharding",
            "BY",
            "by-recipe, fsdp or deepspeed",
            "who shares it out in transformers code: by-recipe (default): deepspeed in the mixed recipes, with --zero 1 and where the optimizer alone is offloaded, else fsdp (FSDP2)",
        ),
        value("--shard", "N", "a whole number of ranks", "over how many of the dp ranks; default all"),
        value(
            "--virtual-stages",
            "N",
            "a whole number of chunks",
            "layer chunks of each pipeline rank, taken in turn; default 1",
        ),
        value(
            "--pipeline-schedule",
            "NAME",
            "1f1b, dualpipe or dualpipev",
            "how a pipeline works through its micro-batches: 1f1b (default), interleaved with --virtual-stages; DeepSeek's dualpipe, with two stages on each rank, and dualpipev, the same on half the ranks, both with the kernels of megatron",
        ),
        value(
            "--decoder-first-pipeline-num-layers",
            "N",
            "a whole number of layers",
            "megatron: layers of the first pipeline stage; the other stages share the rest",
        ),
        value(
            "--decoder-last-pipeline-num-layers",
            "N",
            "a whole number of layers",
            "megatron: layers of the last pipeline stage",
        ),
        switch("--account-for-embedding-in-pipeline-split", "megatron: the embedding counts as a layer of the first stage"),
        switch("--account-for-loss-in-pipeline-split", "megatron: the loss counts as a layer of the last stage"),
        value(
            "--pipeline-model-parallel-layout",
            "LAYOUT",
            "a layout such as \"Et|(tt|)*30mL\"",
            "megatron: what each chunk of the stages holds, in quotes: E embedding, t a layer, m an MTP layer, L the loss, | the next one; the chunks of a rank follow from it and --pp",
        ),
        switch("--sequence-parallel", "tensor-parallel ranks share norms and dropout too"),
    ])
    .collect()
}

/// What describes a GPU of one's own.
pub(super) fn own_gpu() -> Vec<Known> {
    let rate = "a whole number of TFLOP/s";
    let link = "a whole number of GB/s";
    vec![
        value(
            "--gpu-capability",
            "N.N",
            "an NVIDIA compute capability, such as 8.9",
            "own: NVIDIA's compute capability, by which vLLM, SGLang, TensorRT-LLM, llama.cpp, Hugging Face and bitsandbytes decide what they run; not stated, none of them is estimated",
        ),
        value("--gpu-bandwidth", "GBS", link, "own: bandwidth of its memory; not stated, no speed is said"),
        value(
            "--gpu-tflops",
            "N",
            rate,
            "own: dense peak in fp16 and bf16, without sparsity; not stated, no speed is said",
        ),
        value("--gpu-tflops-fp32", "N", rate, "own: peak in plain fp32"),
        value("--gpu-tflops-fp8", "N", rate, "own: dense peak in fp8; not stated, it is taken to have no such units"),
        value("--gpu-tflops-fp4", "N", rate, "own: dense peak in fp4; not stated, it is taken to have no such units"),
        value(
            "--gpu-tops-int8",
            "N",
            "a whole number of TOP/s",
            "own: dense peak in int8; not stated, it is taken to have no such units",
        ),
        value(
            "--gpu-link",
            "GBS",
            link,
            "own: links to the other GPUs of its computer together, in one direction (NVLink 4: 450, PCIe 4: 32); not stated, no speed is said of more than one GPU",
        ),
        value("--gpu-host-link", "GBS", link, "own: link to host memory, in one direction (PCIe 4: 32)"),
    ]
}
