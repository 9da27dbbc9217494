//! The verdicts of runtimes for whose settings a scenario has no place, in sentences.

use memory_wall_core::display::{ByteUnit, Grouped, Size};
use memory_wall_core::{Bytes, Verdict};
use memory_wall_plan::runtime::{Layers, Pool, Remark, Rollout};
use memory_wall_runtimes::Span;
use memory_wall_runtimes::llamacpp::Placement;
use memory_wall_runtimes::pool::Trouble;

use crate::figures;
use crate::sentence::{self, Said, said};
use crate::words;

/// Where the layers are.
pub(crate) fn split(placement: &Placement) -> String {
    let [on, all, experts] = [placement.on_gpus, placement.all, placement.cpu_moe].map(|count| count.to_string());
    match placement.cpu_moe {
        0 => words::LayersSplit { on: &on, all: &all }.text(),
        _ => words::LayersExperts { on: &on, all: &all, experts: &experts }.text(),
    }
}

/// What a GPU lacks, may lack or has to spare for what takes between so many bytes.
fn margin(total: Span, room: u128, unit: ByteUnit) -> String {
    let size = |bytes: u128| Size::new(Bytes(bytes), unit).to_string();
    if total.low > room {
        words::LayersOver { margin: &size(total.low - room) }.text()
    } else if total.high > room {
        words::LayersRange { margin: &size(total.high - room) }.text()
    } else {
        words::LayersSpare { margin: &size(room - total.high) }.text()
    }
}

/// The verdict on layers on GPUs and in host memory.
pub(crate) fn layers(layers: &Layers, unit: ByteUnit) -> Said {
    let placement = &layers.placement;
    let mut why = vec![split(placement)];
    if let Some(device) = placement.fullest() {
        why.push(margin(device.total(), device.room, unit));
    }
    let [_, need] = placement.host.total().ends();
    let need = Size::new(need, unit).to_string();
    why.push(match placement.host_verdict {
        None if placement.devices.iter().any(|device| device.shares) => words::HostShared { need: &need }.text(),
        None => words::HostOpen { need: &need }.text(),
        Some(Verdict::DoesNotFit) => words::HostOver { need: &need }.text(),
        Some(Verdict::Tight) => words::HostTight { need: &need }.text(),
        Some(_) => words::HostFits { need: &need }.text(),
    });
    if layers.speed.is_none() {
        why.push(words::layers_no_speed().into());
    }
    why.extend(layers.remarks.iter().map(remark));
    let verdict = placement.verdict();
    said(verdict.id(), words::VERDICT.of(verdict.id()), why.join(" "))
}

fn remark(remark: &Remark) -> String {
    let grouped = |tokens: u32| Grouped(tokens.into()).to_string();
    match *remark {
        Remark::TookContext(tokens) => words::RemarkContext { tokens: &grouped(tokens) }.text(),
        Remark::CutContext { most, asked } => words::RemarkCut { most: &grouped(most), asked: &grouped(asked) }.text(),
        Remark::OneAtATime => words::remark_one().into(),
        Remark::SharedMemory => words::remark_shared().into(),
    }
}

/// The verdict on a server with a pool.
pub(crate) fn pool(pool: &Pool) -> Said {
    let start = &pool.start;
    let server = start.server.label();
    let grouped = |count: u128| Grouped(count).to_string();
    let room = words::PoolRoom { held: &figures::counts(start.held) }.text();
    let batch = u128::from(pool.scenario.batch);
    let why = match (start.trouble, start.verdict) {
        (Some(Trouble::NoPool), _) => words::PoolNone { server }.text(),
        (Some(Trouble::States { requests }), _) => {
            words::PoolStates { server, requests: &grouped(requests.into()) }.text()
        }
        (Some(Trouble::TooLong { accepts }), _) => words::PoolLong { server, tokens: &grouped(accepts.into()) }.text(),
        (Some(Trouble::TooSmall { holds }), _) => words::PoolSmall { tokens: &grouped(holds.into()) }.text(),
        (None, Verdict::Queues) => {
            let running = grouped(start.held.high.min(start.most.into()));
            words::PoolQueues { running: &running, all: &grouped(batch) }.text()
        }
        (None, Verdict::Tight) if start.held.low.min(start.most.into()) < batch => room + " " + words::pool_tight(),
        (None, Verdict::Tight) if start.many => words::PoolMany { server, most: &grouped(start.most.into()) }.text(),
        (None, Verdict::Tight) => words::PoolCramped { server }.text(),
        (None, _) => room,
    };
    said(start.verdict.id(), words::VERDICT.of(start.verdict.id()), why)
}

/// Which moment of a step is the fullest, and what it takes.
pub(crate) fn fullest(rollout: &Rollout, unit: ByteUnit) -> String {
    let held = rollout.made.peak();
    words::RolloutFullest { moment: figures::moment(held.moment), total: &figures::sizes(held.total(), unit) }.text()
}

/// The verdict on a trainer and the vLLM that generates for it.
pub(crate) fn rollout(rollout: &Rollout, unit: ByteUnit) -> Said {
    let made = &rollout.made;
    let fullest = fullest(rollout, unit);
    let Some((verdict, limit)) = made.verdict.zip(made.limit) else {
        return said(sentence::OPEN, words::verdict_open(), fullest);
    };
    let (refusal, doubt) = (made.generator.and_then(|it| it.refusal()), made.generator.and_then(|it| it.doubt()));
    let room = margin(Span::new(made.least(), made.peak().total().high), limit.0, unit);
    let start = match (refusal, doubt) {
        (Some(refusal), _) => Some(sentence::sentence(&refusal)),
        (None, Some(refusal)) => Some(words::VerdictTightStart { refusal: &refusal }.text()),
        (None, None) => None,
    };
    let why: Vec<String> = start.into_iter().chain([fullest, room]).collect();
    said(verdict.id(), words::VERDICT.of(verdict.id()), why.join(" "))
}

#[cfg(test)]
mod tests {
    use memory_wall_plan::answers::Spending;
    use memory_wall_plan::reply::Reply;

    use super::*;
    use crate::link;

    fn why(options: &str) -> (&'static str, String) {
        let (plans, notices) = link::read(&format!("v=1&plan=a&{options}"));
        assert_eq!(notices, []);
        let said = sentence::verdict(&Reply::of(&plans[0].plan, Spending::default()), ByteUnit::Gb);
        (said.id, said.why)
    }

    #[test]
    fn layers_are_said_with_both_memories() {
        let base = "model=llama-3.3-70b&weights=q4_k&seq=8192&engine=llamacpp&gpu=rtx4090";
        let (id, said) = why(&format!("{base}&ngl=35&host_memory=64"));
        assert_eq!(id, "fits", "{said}");
        assert!(said.starts_with("35 of 81 layers are on the GPU.") && said.contains("which it has"), "{said}");
        assert!(said.contains("bandwidth"), "{said}");
        let (id, said) = why(&format!("{base}&ngl=81"));
        assert!(id == "does_not_fit" && said.contains("lacks at least"), "{id} {said}");
        let (id, said) = why(&format!("{base}&ngl=40&host_memory=8&host_bandwidth=80"));
        assert!(id == "does_not_fit" && said.contains("waits for the drive") && !said.contains("bandwidth"), "{said}");
        assert!(why(&format!("{base}&ngl=40&tp=2")).1.starts_with("llama.cpp spreads layers"));
        assert!(why(&format!("{base}&ngl=40&fit=1")).1.starts_with("--fit finds"));
        let (_, said) = why("model=llama-3.1-8b&weights=q4_k&gpu=rtx4090&engine=ollama");
        assert!(said.contains("num_ctx is 32,768"), "{said}");
        assert_eq!(why("model=llama-3.1-8b&engine=ollama").0, sentence::OPEN);
    }

    #[test]
    fn a_trainer_that_generates_is_said_with_its_fullest_moment() {
        let base = "model=qwen2.5-7b&mode=training&gpu=h100-sxm&dp=8&zero=3&batch=4&seq=1024&rl=grpo";
        let (id, said) = why(base);
        assert!(id == "fits" && said.starts_with("Fullest moment: training step, "), "{id} {said}");
        assert!(said.contains(" to spare."), "{said}");
        // A vLLM with most of the GPU leaves too little for the step, and asleep it leaves enough.
        let (id, said) = why(&format!("{base}&vllm_gpu_memory_utilization=75"));
        assert!(id == "does_not_fit" && said.contains("lacks at least"), "{id} {said}");
        let (id, said) = why(&format!("{base}&vllm_gpu_memory_utilization=75&vllm_enable_sleep_mode=1"));
        assert!(id != "does_not_fit" && said.contains("while vLLM generates"), "{id} {said}");
        // What vLLM refuses is said in its words, with its options as TRL calls them.
        let (id, said) = why(&base.replace("qwen2.5-7b", "llama-3.1-8b"));
        assert!(id == "does_not_fit" && said.contains("vllm_max_model_length 131,072"), "{id} {said}");
        let (id, said) = why(&format!("{base}&num_generations=5"));
        assert!(id == sentence::REFUSED && said.contains("num_generations 5"), "{id} {said}");
        assert_eq!(why(&base.replace("&gpu=h100-sxm", "")).0, sentence::OPEN);
        assert_eq!(why(&base.replace("&gpu=h100-sxm", "&vllm_mode=server")).0, sentence::OPEN);
    }

    #[test]
    fn pools_are_said_with_their_requests() {
        let base = "model=llama-3.1-8b&gpu=h100-sxm&seq=8192";
        let (id, said) = why(&format!("{base}&engine=sglang&batch=8"));
        assert!(id == "fits" && said.starts_with("The pool has room for "), "{id} {said}");
        let (id, said) = why(&format!("{base}&engine=trtllm&batch=4000"));
        assert!(id == "queues" && said.contains("of 4,000 requests"), "{id} {said}");
        let (id, said) = why("model=llama-3.3-70b&weights=bf16&gpu=h100-sxm&engine=sglang");
        assert!(id == "does_not_fit" && said.contains("SGLang does not start"), "{id} {said}");
        let (id, said) = why(&format!("{base}&engine=sglang&context_length=4096"));
        assert!(id == "does_not_fit" && said.contains("4,096"), "{id} {said}");
        let (id, said) = why("model=llama-3.1-8b&gpu=t4&engine=trtllm");
        assert!(id == sentence::REFUSED && said.contains("T4"), "{id} {said}");
    }
}
