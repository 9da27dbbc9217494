//! What vLLM takes of the reader's GPU when it starts, and what its pool of pages holds.

use memory_wall_core::display::{Figure, Grouped, Percent};
use memory_wall_core::engines::vllm::{self, Refusal, Run, Start};
use memory_wall_core::{Bytes, Checked, Engine};

use crate::live::Snapshot;
use crate::words::{fill_with, t};

/// Values of `gpu_memory_utilization` that are compared, in percent.
pub const SHARES: [u32; 3] = [80, 90, 95];
/// The one that vLLM takes by itself.
const DEFAULT: u32 = 90;

/// A start with one request of the reader's length; `None` where vLLM does not run the reader's settings.
fn start(of: &Snapshot, own: &Checked, percent: u32) -> Option<Start> {
    let gpu = of.state.gpu;
    let (max_num_seqs, max_num_batched_tokens) = vllm::default_batch(gpu.capacity, Some(gpu));
    let served = own.with_batch(1).with(|it| {
        it.serving.engine = Engine::Vllm;
        it.serving.max_num_seqs = max_num_seqs;
        it.serving.max_num_batched_tokens = max_num_batched_tokens;
        it.serving.utilization_percent = percent;
        *it = it.on(gpu);
    });
    let served = served.ok()?;
    Some(Run::of(&served).start(gpu.capacity, vllm::requested(&served, gpu.capacity)))
}

/// The pool; nothing where weights and a forward pass leave none.
fn pool(start: &Start) -> Bytes {
    Bytes(u128::try_from(start.pool.pool.0).unwrap_or(0))
}

/// How many requests of the reader's length the pool holds at once.
fn requests(start: &Start) -> f64 {
    pool(start).0 as f64 / start.need.0.max(1) as f64
}

/// The largest share that leaves room for what lies beside it, in percent, where vLLM runs out of memory beside its pool; 0 where none does.
fn too_large(start: &Start) -> Option<u32> {
    match start.refusal? {
        Refusal::Share { largest, .. } | Refusal::Graphs { largest, .. } => Some(largest),
        Refusal::NoCommonPage => Some(0),
        // The pool itself says these: it holds less than one request.
        Refusal::NoBlocks { .. } | Refusal::Length { .. } => None,
    }
}

/// The text with this name; `None` for a name that is not known.
pub fn value(of: &Snapshot, own: &Checked, part: &str) -> Option<String> {
    if part == "sentence" {
        return Some(sentence(of, own));
    }
    let (percent, what) = part.split_once('.').unwrap_or(("90", part));
    let percent = SHARES.into_iter().find(|share| share.to_string() == percent)?;
    let start = start(of, own, percent);
    let said = |say: &dyn Fn(&Start) -> String| start.as_ref().map_or_else(|| t("cache.program.no").into(), say);
    if what != "taken" && start.as_ref().and_then(too_large).is_some() {
        return Some(t("cache.vllm.stops").into());
    }
    Some(match what {
        "taken" => said(&|start| of.size(start.pool.requested)),
        "bytes" => said(&|start| of.size(pool(start))),
        "tokens" => said(&|start| Grouped(start.pool.tokens).to_string()),
        "requests" => said(&|start| Figure(requests(start)).to_string()),
        "times" => said(&|start| Figure(requests(start) / f64::from(own.batch)).to_string()),
        _ => return None,
    })
}

fn sentence(of: &Snapshot, own: &Checked) -> String {
    let gpu = of.state.gpu.name.to_owned();
    let Some(start) = start(of, own, DEFAULT) else { return fill_with("cache.vllm.no", &[("gpu", gpu)]) };
    let beside = too_large(&start);
    let values = [
        ("largest", Percent(f64::from(beside.unwrap_or(0)) / 100.0).to_string()),
        ("gpu", gpu),
        ("share", Percent(f64::from(DEFAULT) / 100.0).to_string()),
        ("taken", of.size(start.pool.requested)),
        ("weights", of.size(start.pool.weights)),
        ("work", of.size(start.pool.activation + start.pool.non_torch)),
        ("pool", of.size(pool(&start))),
        ("tokens", Grouped(start.pool.tokens).to_string()),
        ("seq", Grouped(own.seq_length.into()).to_string()),
        ("n", Figure(requests(&start)).to_string()),
    ];
    let key = match beside {
        Some(0) => "cache.vllm.no",
        Some(_) => "cache.vllm.beside",
        None if requests(&start) < 1.0 => "cache.vllm.refuses",
        None => "cache.vllm.starts",
    };
    fill_with(key, &values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::query;
    use memory_wall_core::display::THIN_SPACE;

    fn at(query: &str, name: &str) -> String {
        let decoded = query::decode(query);
        assert_eq!(decoded.notices, Vec::<String>::new());
        Snapshot::of(decoded.state).value(&format!("cache.vllm.{name}")).unwrap().replace(THIN_SPACE, " ")
    }

    #[test]
    fn vllm_takes_its_share_whatever_the_settings_need() {
        let said = at("v=1", "sentence");
        assert!(said.contains("90% of A100 SXM4 80GB") && said.contains("76.7 GB"), "{said}");
        // One sequence of 2,048 tokens needs 1.07 GB, and the pool is dozens of times that.
        let gb = |query: &str, name: &str| at(query, name).trim_end_matches(" GB").parse::<f64>().unwrap();
        assert!(gb("v=1", "bytes") > 55.0, "{}", at("v=1", "bytes"));
        assert_eq!(at("seq=4096&batch=8", "bytes"), at("v=1", "bytes"));
        assert!(gb("v=1", "80.bytes") < gb("v=1", "90.bytes") && gb("v=1", "90.bytes") < gb("v=1", "95.bytes"));
    }

    #[test]
    fn tokens_and_requests_of_the_pool_agree() {
        let number = |name: &str| at("seq=4096", name).replace(',', "").parse::<f64>().unwrap();
        for share in SHARES {
            let [tokens, requests] = ["tokens", "requests"].map(|what| number(&format!("{share}.{what}")));
            assert!((tokens / 4_096.0 / requests - 1.0).abs() < 0.01, "{share}: {tokens} {requests}");
        }
    }

    #[test]
    fn where_the_pool_is_too_small_vllm_refuses_to_start() {
        for query in ["model=llama-3.1-70b", "seq=1000000"] {
            let said = at(query, "sentence");
            assert!(said.contains("refuses to start") && said.contains("max_model_len"), "{query}: {said}");
        }
        // The pool would do, but what lies beside the share finds no room: on a T4 at 90%, on an RTX 4090 at 95%.
        let t4 = "model=llama-3.1-8b&weights=int4&gpu=t4";
        assert!(at(t4, "sentence").contains("89% is the largest share that leaves room"), "{}", at(t4, "sentence"));
        for (query, name) in
            [(t4, "90.tokens"), (t4, "95.requests"), ("model=llama-3.1-8b&weights=int4&gpu=rtx4090", "95.bytes")]
        {
            assert_eq!(at(query, name), "does not start", "{query} {name}");
        }
        assert_ne!(at(t4, "80.tokens"), "does not start");
        assert_eq!(at("weights=q6_k", "bytes"), "not offered");
        assert!(at("weights=q6_k", "sentence").contains("does not run"), "{}", at("weights=q6_k", "sentence"));
    }
}
