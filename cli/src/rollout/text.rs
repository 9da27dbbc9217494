//! A step of reinforcement learning, in lines for people.

use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::memory::overhead;
use memory_wall_core::{Bytes, Checked, Loss, Verdict};
use memory_wall_runtimes::rollout::{Held, Moment, Placed, Reference, Remedy, Rollout, Told};

use crate::text::{Side, Table, wrapped};
use crate::{inputs, words};

type Helps = [(Remedy, Told, Rollout)];

/// The answer.
#[expect(clippy::too_many_arguments, reason = "each is a part of the answer")]
pub(super) fn text(
    title: &str,
    trainer: &Checked,
    told: &Told,
    made: &Rollout,
    largest: [Option<u32>; 2],
    helps: &Helps,
    assumptions: &[String],
    unit: ByteUnit,
) -> String {
    let mut text = wrapped(title, 2) + &inputs::text(trainer, None);
    text += &wrapped(&asked(trainer, told), 2);
    text.push('\n');
    text += &moments(made, unit);
    text.push('\n');
    text += &wrapped(&peak(made, unit), 2);
    text += &wrapped(&logits(trainer, told, made, unit), 2);
    if let Some(line) = share(trainer, told, made, unit) {
        text += &wrapped(&line, 2);
    }
    if let Some((gpu, verdict)) = trainer.gpu.zip(made.verdict) {
        text.push('\n');
        for (name, value) in against(trainer, told, made, largest, verdict, gpu.name, unit) {
            text += &wrapped(&format!("{name:<18}  {value}"), 20);
        }
    }
    text += &help(helps, unit);
    text += "\nAssumptions:\n";
    for line in assumptions {
        text += &wrapped(&format!("- {line}"), 2);
    }
    text
}

/// What is asked, in the words of TRL.
fn asked(trainer: &Checked, told: &Told) -> String {
    let at_once = u64::from(trainer.batch) * u64::from(trainer.parallel.dp) * u64::from(told.steps(trainer));
    let place = match told.placed {
        Placed::Server => "vLLM on other GPUs".to_owned(),
        Placed::Colocate => {
            let over = if told.tp == 1 { String::new() } else { format!(", one over each {} GPUs", told.tp) };
            let sleep = if told.sleep { ", asleep during the training step" } else { "" };
            format!("vLLM on the same GPUs with {} of each{over}{sleep}", told.share)
        }
    };
    let reference = match told.reference {
        Reference::None => "no reference model (beta 0)",
        Reference::Resident if trainer.mode.adapts() => "the base model without adapters as reference",
        Reference::Resident => "a reference model on each GPU",
        Reference::Offloaded => "a reference model in host memory",
    };
    format!(
        "GRPO as TRL runs it: {} completions of each prompt, of up to {} tokens behind a prompt of up to {}; {} completions generated at once over all GPUs; {place}; {reference}",
        Grouped(told.generations.into()),
        Grouped(told.completion.into()),
        Grouped((trainer.seq_length - told.completion).into()),
        Grouped(at_once.into()),
    )
}

pub(crate) const fn moment(moment: Moment) -> &'static str {
    match moment {
        Moment::Generate => "vLLM generates",
        Moment::LogProbs => "Log-probabilities",
        Moment::Step => "Training step",
        Moment::Sync => "vLLM gets new weights",
    }
}

fn moments(made: &Rollout, unit: ByteUnit) -> String {
    let right = |name| (name, Side::Right);
    let columns =
        [("On each GPU", Side::Left)].into_iter().chain(["Trainer", "Reference", "vLLM", "Work", "Total"].map(right));
    let mut table = Table::new(&columns.collect::<Vec<_>>());
    for held in made.moments {
        let Held { trainer, reference, vllm, work, .. } = held;
        let sizes = [trainer, reference, vllm, work, held.total()].map(|span| words::size_range(span, unit));
        table.row([vec![moment(held.moment).to_owned()], sizes.to_vec()].concat());
    }
    table.text()
}

fn peak(made: &Rollout, unit: ByteUnit) -> String {
    let peak = made.peak();
    let when = match peak.moment {
        Moment::Generate => "while vLLM generates",
        Moment::LogProbs => "while log-probabilities are computed",
        Moment::Step => "in the training step",
        Moment::Sync => "while vLLM gets the new weights",
    };
    format!(
        "Peak: {when}, {}. \"Trainer\" is what stays allocated between two steps: weights, optimizer states, gradients that are kept, buffers, the CUDA context. \"Work\" is what the moment adds: activations, logits, gradients, gathered weights.",
        words::size_range(peak.total(), unit)
    )
}

fn logits(trainer: &Checked, told: &Told, made: &Rollout, unit: ByteUnit) -> String {
    let tokens = u64::from(trainer.batch) * u64::from(told.completion);
    let counted = format!("of {} tokens of completions", Grouped(tokens.into()));
    let scored = words::size(Bytes(made.logits.scored), unit);
    if trainer.training.loss == Loss::Chunked {
        return format!(
            "Logits {counted}: {scored} for log-probabilities, which TRL computes without Liger; Liger's loss takes {}.",
            words::size_range(made.logits.forward, unit)
        );
    }
    format!(
        "Logits {counted} over the vocabulary: {scored} for log-probabilities, {} when the loss is computed, {} when its backward pass begins.",
        words::size_range(made.logits.forward, unit),
        words::size_range(made.logits.backward, unit)
    )
}

fn share(trainer: &Checked, told: &Told, made: &Rollout, unit: ByteUnit) -> Option<String> {
    let vllm = made.generator?;
    let (pool, requests) = (vllm.start.pool, vllm.start.requests);
    let held = if vllm.start.refusal.is_some() {
        String::new()
    } else if requests.waiting == 0 {
        format!(": all {} completions at once", Grouped(vllm.sequences.into()))
    } else {
        format!(
            ": {} of {} completions at once; the others wait, which costs time but no memory",
            Grouped(requests.running.into()),
            Grouped(vllm.sequences.into())
        )
    };
    let seq_length = Grouped(trainer.seq_length.into());
    let each = if told.tp == 1 { "" } else { " on each GPU" };
    if pool.pool.0 <= 0 {
        return Some(format!(
            "vLLM may take {}{each}: weights of {} and what it computes with leave nothing of it for the KV cache.",
            words::size(pool.requested, unit),
            words::size(pool.weights, unit),
        ));
    }
    Some(format!(
        "vLLM takes {}{each}: {} for weights and {} for its KV cache, which holds requests of {seq_length} tokens{held}.",
        words::size(pool.requested, unit),
        words::size(pool.weights, unit),
        words::size(pool.pool.magnitude(), unit),
    ))
}

/// The verdict, in words.
pub(crate) fn verdict(trainer: &Checked, made: &Rollout, verdict: Verdict) -> String {
    match (made.generator.and_then(|it| it.refusal()), verdict) {
        (Some(refusal), _) => format!("does not fit: {refusal}"),
        (None, Verdict::DoesNotFit) => "does not fit".into(),
        (None, Verdict::Fits) => {
            let part = if overhead::tight_percent(trainer) > overhead::TIGHT_PERCENT { "fifth" } else { "tenth" };
            format!("fits, with more than a {part} of the GPU to spare")
        }
        (None, _) => "tight: fits by calculation, with less to spare than fragmentation and ranges can take".into(),
    }
}

fn against(
    trainer: &Checked,
    told: &Told,
    made: &Rollout,
    [batch, completion]: [Option<u32>; 2],
    said: Verdict,
    gpu: &str,
    unit: ByteUnit,
) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let ranks = trainer.parallel.ranks();
    lines.push(("GPU", format!("{} × {gpu}", Grouped(ranks.into()))));
    if let Some(limit) = made.limit {
        lines.push(("Room", words::size(limit, unit)));
    }
    lines.push(("Verdict", verdict(trainer, made, said)));
    if let Some(margin) = made.margin() {
        lines.push(("Margin", format!("{}, by the largest figures", words::signed(margin, unit))));
    }
    if let Some(batch) = batch {
        let what = Grouped(told.completion.into());
        lines.push((
            "Largest batch",
            match batch {
                0 => format!("none fits with completions of {what} tokens"),
                _ => format!("{} on each GPU with completions of {what} tokens", Grouped(batch.into())),
            },
        ));
    }
    if let Some(completion) = completion {
        let what = Grouped(trainer.batch.into());
        lines.push((
            "Longest completion",
            match completion {
                0 => format!("none fits behind the same prompt at batch {what}"),
                _ => format!("{} tokens behind the same prompt at batch {what}", Grouped(completion.into())),
            },
        ));
    }
    lines.push((
        "num_generations",
        "does not change the memory: it says how many of the sequences belong to one prompt".into(),
    ));
    lines
}

/// A change as options.
pub(crate) fn change(remedy: Remedy, told: &Told) -> String {
    match remedy {
        Remedy::Sleep => "--vllm-enable-sleep-mode".into(),
        Remedy::SmallerShare => format!("--vllm-gpu-memory-utilization {}", told.share),
        Remedy::ShorterRequests => {
            told.max_model_len.map_or_else(String::new, |longest| format!("--vllm-max-model-length {longest}"))
        }
        Remedy::Checkpointing => "--checkpointing full".into(),
        Remedy::Liger => "--loss chunked (use_liger_kernel)".into(),
        Remedy::Zero3 => "--zero 3".into(),
        Remedy::NoReference => "--reference none (beta 0)".into(),
        Remedy::HalfBatch => "half of --batch, twice --micro-batches".into(),
        Remedy::Server => "--vllm-mode server, on other GPUs".into(),
    }
}

fn help(helps: &Helps, unit: ByteUnit) -> String {
    if helps.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&[("What makes room", Side::Left), ("Peak", Side::Right), ("Fits", Side::Left)]);
    for (remedy, told, made) in helps {
        let fits = made.verdict.map_or("", words::fits);
        table.row([change(*remedy, told), words::size_range(made.peak().total(), unit), fits.into()]);
    }
    format!("\n{}", table.text())
}

/// What the figures stand on.
pub(super) fn assumptions(trainer: &Checked, told: &Told, made: &Rollout) -> Vec<String> {
    let mut lines = vec![
        "GRPO is as TRL 1.10.0.dev0 runs it (f2cd577, 2026-07-24): only completion tokens have logits, log-probabilities are recomputed to correct vLLM's (vllm_importance_sampling_correction is on), and entropy is computed for 128 tokens at a time.".to_owned(),
        "Logits are fp32 under accelerate's autocast (bf16 is on by default) and 16-bit with DeepSpeed. Their bytes are what PyTorch 2.15 allocated on a CPU, 0.4% less than in a run on an H100 (huggingface/trl issue 3678).".to_owned(),
        "Rewards are functions, so no reward model is on the GPU. All prompts and completions have their full length.".to_owned(),
    ];
    if told.placed == Placed::Colocate {
        lines.push(
            "vLLM is release 0.25, the newest that TRL supports. It runs in the trainer's process, so the CUDA context is counted once. TRL sets max_num_batched_tokens to 4,096 and max_num_seqs to the sequences that one vLLM generates.".into(),
        );
        if let Some(context) = trainer.architecture.trained_context.filter(|_| told.max_model_len.is_none()) {
            lines.push(format!("Without vllm_max_model_length vLLM takes max_position_embeddings of the checkpoint's config.json: {} is assumed, as the model of the table has it. A checkpoint of the same shape may say otherwise: Qwen2.5's instructed ones say 32,768.", Grouped(context.into())));
        }
        lines.push(if told.sleep {
            "Asleep (level 2), vLLM keeps its CUDA graphs and memory outside PyTorch: a range from public logs, up to 2 GiB where several GPUs share one vLLM. Reports of defects name more.".into()
        } else {
            "Without sleep mode, vLLM keeps its weights, its KV cache and its CUDA graphs during the training step. The working space of its forward passes goes back to the PyTorch allocator that the trainer uses too.".into()
        });
    } else {
        lines.push("The server's GPUs are not counted here: memory-wall estimate --engine vllm estimates them.".into());
    }
    if told.reference == Reference::Offloaded {
        lines.push("An offloaded reference brings two layers and its embedding tables at least during its forward pass, and all of its weights at most; no run backs this range.".into());
    }
    if made.moments.iter().any(|held| held.moment == Moment::Sync && held.work.high > 0) {
        lines.push("To send weights to vLLM, ZeRO-3 gathers the embedding table at least; with adapters and DeepSpeed, TRL gathers the whole model to merge them.".into());
    }
    if trainer.training.loss == Loss::Chunked {
        lines.push("Liger's loss is read from its code (ead96b6, 2026-08-21): it holds the gradient of the output head twice in the precision of the weights, and at most once more in fp32. No run backs this range.".into());
    }
    lines.push("Not modelled: generation during the training step (async GRPO), trainer states that move to host memory during generation (verl's param_offload), buffers that send weights between computers.".into());
    lines
}
