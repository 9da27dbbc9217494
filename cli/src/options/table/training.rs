//! The options of training, LoRA and QLoRA.

use memory_wall_core::{Checkpointing, Fp8Recipe, Implementation, Moments, Optimizer, Recipe, Training};

use super::{Known, list, switch, value};

pub(super) fn training() -> Vec<Known> {
    let start = Training::DEFAULT;
    vec![
        value(
            "--recipe",
            "NAME",
            "a recipe such as mixed or pure",
            format!(
                "precisions of weights, gradients and states: {}; default mixed, with megatron mixed-fp32-grads, with torchtitan or --sharding fsdp autocast",
                list(Recipe::ALL.iter().map(|it| it.id()))
            ),
        ),
        value(
            "--gradients",
            "HABIT",
            "by-recipe, kept or freed",
            "between two steps: kept in buffers (Megatron-LM, DeepSpeed), freed (PyTorch); by-recipe (default): kept in the mixed recipes",
        ),
        value(
            "--moments",
            "D",
            "by-recipe, bf16 or fp8",
            format!(
                "Megatron-LM: what AdamW keeps its two moments in (--exp-avg-dtype): {}; default by-recipe, which is fp32; with the others of the master copy only the 2 bytes beyond bf16 are kept, but for fp8 recipes other than delayed",
                list(Moments::ALL.iter().map(|it| it.id()))
            ),
        ),
        value(
            "--fp8-recipe",
            "NAME",
            "an fp8 recipe such as blockwise",
            format!(
                "matrices of the layers are multiplied in fp8: {}; default none. Megatron-LM (Transformer Engine) saves their inputs in 8 bits and keeps fp8 copies of the weights; torchtitan (torchao: rowwise, before mid-2025 tensorwise too) casts each time and saves what it saves without",
                list(Fp8Recipe::ALL.iter().map(|it| it.id()))
            ),
        ),
        switch(
            "--fp8-param-gather",
            "Megatron-LM: the matrices are kept in fp8 alone, beside the optimizer's master copy; for mxfp8 with --reuse-grad-buf-for-mxfp8-param-ag",
        ),
        switch("--activation-func-fp8-input-store", "Megatron-LM: the input of SwiGLU is saved in fp8"),
        value(
            "--optimizer",
            "NAME",
            "an optimizer such as adamw",
            format!("{}; default adamw", list(Optimizer::ALL.iter().map(|it| it.id()))),
        ),
        value(
            "--step",
            "KIND",
            "fused or foreach",
            "fused (default, as Hugging Face's Trainer with PyTorch 2.8 or newer), foreach: as with older ones and by torch.optim.AdamW itself, which makes a copy",
        ),
        value(
            "--implementation",
            "NAME",
            "transformers, megatron, torchtitan or litgpt",
            format!("whose code runs: {}; default transformers", list(Implementation::ALL.iter().map(|it| it.id()))),
        ),
        value(
            "--checkpointing",
            "KIND",
            "none, selective, per-op or full",
            format!(
                "what is recomputed: {}; default none, in qlora full, as peft does",
                list(Checkpointing::ALL.iter().map(|it| it.id()))
            ),
        ),
        value(
            "--recompute-modules",
            "LIST",
            "some of core_attn, layernorm, mla_up_proj, moe_act, mlp, moe and shared_experts, with commas between them",
            "Megatron-LM with --checkpointing selective: parts of a layer that are computed again, with commas between; default core_attn. layernorm frees norms before latent attention and experts alone: elsewhere they are a part of the matrix behind them",
        ),
        value("--loss", "KIND", "plain, chunked or compiled", "plain (default), chunked, compiled"),
        switch("--chunked-loss", "the same as --loss chunked"),
        switch("--compile", "torch.compile fuses elementwise kernels"),
        switch("--async-tp", "torchtitan: tensor-parallel ranks exchange parts while they multiply"),
        switch("--no-reshard-after-forward", "torchtitan: gathered weights stay until the backward pass"),
        value(
            "--micro-batches",
            "N",
            "a whole number of micro-batches",
            "micro-batches of one optimizer step; default 1",
        ),
        value("--lora-rank", "N", "a whole number", format!("rank of the adapters; default {}", start.lora.rank)),
        value(
            "--lora-targets",
            "LIST",
            "all, attention, or some of q, k, v, o, mlp and head, with commas between them",
            "layers with an adapter, with commas between: q, k, v, o, mlp, head; attention is q, k, v and o, all (default) is every one but the head",
        ),
        value(
            "--lora-dtype",
            "D",
            "fp32 or bf16",
            "precision of the adapters in transformers code: fp32 (default, as peft makes them: each saves an fp32 copy of its input), bf16 (autocast_adapter_dtype=False)",
        ),
        switch("--lora-dropout", "the adapters' inputs pass through dropout"),
        switch(
            "--reentrant-checkpointing",
            "with ZeRO-3 (FSDP): re-entrant checkpoints (use_reentrant=True), as transformers before 4.52 makes them by itself; FSDP then holds every layer's input and gradient until the backward pass ends",
        ),
        switch(
            "--no-kbit-upcast",
            "qlora without peft's prepare_model_for_kbit_training, as in TRL: tables, norms and hidden states stay in 16 bits",
        ),
        switch(
            "--quantised-experts",
            "qlora that quantises routed experts too, as transformers 4 and Unsloth do: bitsandbytes leaves them in 16 bits, since transformers 5 does not hold them as linear layers, and peft then upcasts them to fp32 (in 16 bits with --no-kbit-upcast)",
        ),
    ]
}
