//! Problems about a token in a layer, and about a server with many requests.

use memory_wall_core::display::{Count, Grouped};
use memory_wall_core::engines::vllm;
use memory_wall_core::{Attention, Bucket, Bytes, Engine, Scenario, Share};

use super::Set;
use crate::sections::quiz::numbers::{asked, gpu, model};
use crate::sections::quiz::served::{most, widths};
use crate::sections::quiz::written::{number, size};

pub(super) const WEIGHTS: [&str; 6] =
    ["llama-2-7b", "llama-3.1-8b", "llama-2-13b", "mistral-7b-v0.3", "llama-3.1-70b", "qwen2.5-14b"];

/// Parameters of attention and of the MLP in a layer, and the bytes that a token reads in all layers.
pub(super) fn weights(id: &str) -> Option<Set> {
    let model = model(id)?;
    let shape = model.architecture;
    let matrices = shape.parameters().matrices;
    let mlp = 3 * u64::from(shape.hidden_size) * u64::from(shape.intermediate_size);
    let attention = matrices.checked_div(shape.layers.into())?.checked_sub(mlp)?;
    let read = Bytes(u128::from(matrices) * 2);
    let [queries, keys] = widths(&shape);
    Some(Set {
        values: vec![
            ("model", model.name.into()),
            ("layers", number(shape.layers)),
            ("hidden", number(shape.hidden_size)),
            ("queries", number(queries)),
            ("keys", number(keys)),
            ("inner", number(shape.intermediate_size)),
            ("a", Count(attention).to_string()),
            ("b", Count(mlp).to_string()),
            ("c", size(read)),
        ],
        answers: vec![attention as f64, mlp as f64, read.0 as f64],
    })
}

pub(super) const POOL: [(&str, &str, u32, u32, [u32; 3]); 6] = [
    ("llama-2-7b", "a100-80-sxm", 92, 16, [2_048, 512, 512]),
    ("llama-3.1-8b", "a100-80-sxm", 90, 16, [4_096, 512, 1_024]),
    ("qwen2.5-7b", "rtx4090", 92, 32, [3_072, 768, 1_536]),
    ("llama-2-13b", "a100-80-sxm", 95, 16, [1_024, 256, 512]),
    ("mistral-7b-v0.3", "l40s", 85, 64, [4_096, 1_024, 2_048]),
    ("qwen2.5-32b", "h200-sxm", 90, 16, [8_192, 1_024, 4_096]),
];

/// The pool of a server, and the requests that it holds without and with a shared beginning.
pub(super) fn pool(
    (id, gpu_id, share, page, [prompt, answer, prefix]): (&str, &str, u32, u32, [u32; 3]),
) -> Option<Set> {
    let (model, gpu) = (model(id)?, gpu(gpu_id)?);
    let mut scenario = Scenario { seq_length: prompt + answer, ..Scenario::new(model.architecture) };
    scenario.serving.engine = Engine::Vllm;
    scenario.attention = Attention::Flash;
    scenario.serving.gpu_memory_utilization = Some(Share::percent(share));
    let scenario = scenario.on(gpu);
    let each = asked(&scenario)?.kv_bytes_per_token;
    let start = vllm::start(&scenario.check().ok()?, gpu.capacity);
    let weights = asked(&scenario)?.bytes(Bucket::Weights);
    let bytes = start.pool.tokens * each.0;
    let used = gpu.capacity.0 * u128::from(share) / 100;
    let other = used.checked_sub(weights.0 + bytes)?;
    let pages = u64::try_from(start.pool.tokens).ok()?.checked_div(page.into())?;
    let whole = prompt + answer;
    let [alone, together] = [0, prefix].map(|shared| most(pages, whole, page, shared));
    let [needs, common] = [whole, prefix].map(|tokens| tokens.div_ceil(page));
    Some(Set {
        values: vec![
            ("model", model.name.into()),
            ("gpu", gpu.name.into()),
            ("share", share.to_string()),
            ("capacity", size(gpu.capacity)),
            ("used", size(Bytes(used))),
            ("weights", size(weights)),
            ("other", size(Bytes(other))),
            ("each", size(each)),
            ("page", number(page)),
            ("prompt", number(prompt)),
            ("answer", number(answer)),
            ("prefix", number(prefix)),
            ("pages", Grouped(pages.into()).to_string()),
            ("needs", number(needs)),
            ("common", number(common)),
            ("own", number(needs.checked_sub(common)?)),
            ("a", size(Bytes(bytes))),
            ("b", alone.to_string()),
            ("c", together.to_string()),
        ],
        answers: vec![bytes as f64, alone as f64, together as f64],
    })
}
