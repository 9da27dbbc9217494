//! DeepSpeed's JSON file.

use alloc::string::ToString;

use super::Meaning;
use super::reading::{Item, Reading, all, because, flat, says, unknown, unread};
use crate::node::Node;

const WITHOUT_EFFECT: &[&str] = &[
    "gradient_clipping",
    "steps_per_print",
    "wall_clock_breakdown",
    "zero_optimization.overlap_comm",
    "zero_optimization.round_robin_gradients",
    "zero_optimization.offload_optimizer.pin_memory",
    "zero_optimization.offload_param.pin_memory",
    "zero_optimization.stage3_gather_16bit_weights_on_model_save",
    "zero_allow_untested_optimizer",
    "bf16.check_grad_overflow",
    "bf16.bf16_optimizer_states",
    "torch_autocast.dtype",
    "optimizer.params",
    "optimizer.params.lr",
    "optimizer.params.betas",
    "optimizer.params.eps",
    "optimizer.params.weight_decay",
];

pub(super) fn read(reading: &mut Reading, node: &Node) {
    reading.say("mode", "training");
    let items = flat(node);
    let in_sixteen_bits =
        items.iter().any(|item| ["bf16.enabled", "fp16.enabled"].contains(&item.name.as_str()) && item.on());
    let shards =
        items.iter().any(|item| item.name == "zero_optimization.stage" && item.count().is_some_and(|stage| stage > 0));
    for item in items {
        let meaning = match item.name.as_str() {
            "torch_autocast.enabled" if item.on() && in_sixteen_bits => Meaning::WithoutEffect,
            "torch_autocast.enabled" if item.on() && shards => because(
                all([("weights", "fp32"), ("recipe", "fp32")]),
                "autocast under ZeRO is counted in fp32 throughout, which is no less than it takes",
            ),
            _ => meaning(&item),
        };
        reading.keep(&item, meaning);
    }
    // In one precision throughout it would be counted as FSDP's.
    let recipe = reading.plan.get("recipe").map(ToString::to_string);
    if shards && recipe.is_some_and(|recipe| ["pure", "fp32"].contains(&recipe.as_str())) {
        reading.say("sharding", "deepspeed");
    }
    ranks(reading, node);
}

fn meaning(item: &Item) -> Meaning {
    let text = item.text();
    if text == "auto" {
        return unread("the trainer fills this in");
    }
    match item.name.as_str() {
        "train_micro_batch_size_per_gpu" => says("batch", text),
        "gradient_accumulation_steps" => says("micro_batches", text),
        "zero_optimization.stage" => says("zero", text),
        "zero_optimization.offload_optimizer.device" => offloaded(text, "optimizer"),
        "zero_optimization.offload_param.device" => offloaded(text, "parameters"),
        "bf16.enabled" if item.on() => all([("weights", "bf16"), ("recipe", "mixed")]),
        "fp16.enabled" if item.on() => all([("weights", "fp16"), ("recipe", "mixed")]),
        "bf16.bf16_master_weights_and_grads" if item.on() => says("recipe", "pure"),
        "torch_autocast.enabled" if item.on() => all([("weights", "fp32"), ("recipe", "autocast")]),
        "bf16.enabled" | "fp16.enabled" | "torch_autocast.enabled" => Meaning::WithoutEffect,
        "data_types.grad_accum_dtype" => match text {
            "fp32" => says("recipe", "mixed-fp32-grads"),
            "bf16" | "fp16" => Meaning::WithoutEffect,
            _ => unknown(),
        },
        "optimizer.type" => optimizer(text),
        "tensor_parallel.autotp_size" => says("tp", text),
        "train_batch_size" => {
            Meaning::Says(alloc::vec::Vec::new(), Some("with the micro-batches it says how many ranks there are"))
        }
        name if name.starts_with("scheduler.") || WITHOUT_EFFECT.contains(&name) => Meaning::WithoutEffect,
        _ => unknown(),
    }
}

fn offloaded(device: &str, what: &str) -> Meaning {
    match device {
        "none" => Meaning::WithoutEffect,
        "cpu" => says("offload", what),
        _ => unread("offload to a drive is not modelled"),
    }
}

fn optimizer(name: &str) -> Meaning {
    let known = ["adamw", "adam", "lion", "muon"].into_iter().find(|known| known.eq_ignore_ascii_case(name));
    match known {
        // Both have two moments.
        Some("adam") => says("optimizer", "adamw"),
        Some(known) => says("optimizer", known),
        None => unknown(),
    }
}

/// What two settings say together: both kinds of offload, and the ranks by the sequences of a step.
fn ranks(reading: &mut Reading, node: &Node) {
    let at = |path: [&str; 3]| {
        let [first, second, third] = path;
        let found = node.value.get(first)?.value.get(second)?.value.get(third)?;
        found.value.text()
    };
    let waits = |part| at(["zero_optimization", part, "device"]) == Some("cpu");
    if waits("offload_optimizer") && waits("offload_param") {
        reading.say("offload", "optimizer,parameters");
    }
    let parts = [reading.said_count("batch"), reading.said_count("micro_batches")];
    let [Some(batch), Some(parts)] = parts else { return };
    let all = node.value.get("train_batch_size").and_then(|found| found.value.count());
    let each = batch.checked_mul(parts).filter(|each| *each > 0);
    if let (Some(all), Some(each)) = (all, each)
        && all.is_multiple_of(each)
    {
        reading.say("dp", &alloc::format!("{}", all / each));
    }
}
