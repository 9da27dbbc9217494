//! States that layers keep in place of a cache: what a server holds of them.

use memory_wall_core::Checked;
use memory_wall_core::memory::kv_cache::CachedLayers;

use super::{MAX_BATCH_SIZE, Server, Told};
use crate::Span;

/// States of one request on a rank: fp32 in `SGLang` where they recur, in TensorRT-LLM as the model's config says, from the model's 16 bits to fp32.
///
/// # Source
/// NVIDIA/TensorRT-LLM issue 8642 (135 GiB are 2 bytes a value) and pull request 18985 ("~25.1 MiB/slot", 2 bytes a value of Qwen3.5 4B); `mamba_ssm_cache_dtype` of its `KvCacheConfig`, whose
/// `auto` follows `mamba_ssm_dtype` of the config. Read 2026-11-26.
pub(super) fn of_request(server: Server, scenario: &Checked) -> Span {
    let Some(linear) = scenario.architecture.linear_attention else { return Span::default() };
    let tp = scenario.parallel.tp;
    let (channels, recurrent) = linear.state(tp);
    let before = u128::from(linear.conv_kernel).saturating_sub(1);
    let layers = u128::from(CachedLayers::on(scenario).linear);
    let of = |bytes: u128| layers * (u128::from(channels) * before * 2 + u128::from(recurrent) * bytes);
    match server {
        Server::Sglang => Span::exactly(of(4)),
        Server::TensorRtLlm => Span::new(of(2), of(4)),
    }
}

/// The part of the pool for states.
///
/// # Formula
/// `SGLang`: 9 of 19 parts of the pool. TensorRT-LLM: the state of a request × `max_batch_size`.
///
/// # Source
/// `SGLang`: 0.9 bytes for each byte of KV cache (`--mamba-full-memory-ratio`). NVIDIA/TensorRT-LLM, `mamba_cache_manager.py`: `conv_states` and `ssm_states` of
/// `max_batch_size` × `pp_size` slots, made with the manager; "a hybrid model's fixed per-sequence recurrent state (~25.1 MiB/slot) demand ~50.3 GiB of live GPU quota, exceeding the whole KV
/// budget" with the default of 2,048 (pull request 18985). Read 2026-11-26.
pub(super) fn held(server: Server, told: &Told, pool: Span, state: Span) -> Span {
    match server {
        _ if state.high == 0 => Span::default(),
        Server::Sglang => Span::new(pool.low * 9 / 19, pool.high * 9 / 19),
        Server::TensorRtLlm => {
            let requests = u128::from(told.requests.unwrap_or(MAX_BATCH_SIZE));
            Span::new(state.low * requests, state.high * requests)
        }
    }
}

/// States that one request holds: in `SGLang` with those of prefixes, which the radix cache keeps (`MAMBA_CACHE_SIZE_MAX_RUNNING_REQUESTS_RATIO`).
pub(super) const fn a_request(server: Server) -> u128 {
    match server {
        Server::Sglang => 3,
        Server::TensorRtLlm => 1,
    }
}
