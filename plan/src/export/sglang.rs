//! `python -m sglang.launch_server`.
//!
//! # Source
//! `SGLang` 0.5.23: `srt/server_args.py`. Read 2026-11-25.

use memory_wall_core::{KvPrecision, WeightFormat};

use super::sheet::{Datum, Sheet};
use super::{ExportError, Target};

pub(super) fn write(sheet: &mut Sheet<'_>) -> Result<(), ExportError> {
    let scenario = sheet.scenario;
    let parallel = &scenario.parallel;
    sheet.command_with_model(&["python", "-m", "sglang.launch_server", "--model-path"]);
    sheet.weights("SGLang reads such a checkpoint as it is stored");
    match scenario.kv {
        KvPrecision::Fp8 => sheet.set("--kv-cache-dtype", "fp8_e4m3", &["kv"]),
        KvPrecision::Bf16 if scenario.weights != WeightFormat::Bf16 => {
            sheet.set("--kv-cache-dtype", "bfloat16", &["kv"]);
        }
        KvPrecision::Int8 | KvPrecision::Int4 => {
            return Err(sheet.cannot("has no KV cache of 8 or 4 bit integers: kv takes fp8, bf16 or fp16 there"));
        }
        KvPrecision::Bf16 | KvPrecision::Fp16 | KvPrecision::Fp32 => sheet.implied("kv"),
    }
    sheet.degree("--tp-size", parallel.tp, "tp");
    sheet.degree("--pp-size", parallel.pp, "pp");
    sheet.degree("--dp-size", parallel.dp, "dp");
    if scenario.architecture.moe.is_some() && parallel.dp > 1 {
        sheet.note("dp: each of SGLang's data-parallel ranks holds all experts, and --enable-dp-attention, which shares them, counts ranks in another way");
    }
    if parallel.ep > 1 {
        if !Target::Sglang.experts_within(scenario) {
            return Err(sheet.cannot(
                "spreads experts over the ranks of tensor parallelism (--ep-size): ep divides tp there, with dp 1",
            ));
        }
        sheet.set("--ep-size", parallel.ep, &["ep"]);
    }
    if !sheet.own("--context-length", "context_length") {
        let lengths: &[&str] = if sheet.says("max_model_len") { &["max_model_len", "seq"] } else { &["seq"] };
        sheet.set("--context-length", scenario.longest_request(), lengths);
    }
    // A batch that nobody stated is no bound: the server would run one request at a time.
    let bounded = sheet.says("batch") || sheet.says("max_num_seqs");
    if !sheet.own("--max-running-requests", "max_running_requests") && bounded {
        sheet.at_once("--max-running-requests");
    }
    sheet.own("--mem-fraction-static", "mem_fraction_static");
    sheet.own("--chunked-prefill-size", "chunked_prefill_size");
    sheet.own("--max-total-tokens", "max_total_tokens");
    if !sheet.own("--disable-cuda-graph", "disable_cuda_graph") && scenario.serving.enforce_eager {
        sheet.set("--disable-cuda-graph", Datum::Switch, &["enforce_eager"]);
    }
    sheet.leave("batch", "requests arrive as they come; --max-running-requests bounds how many run at once");
    sheet.leave("seq", "requests may be shorter than --context-length");
    sheet.implied("attention");
    sheet.leave(
        "gpu_memory_utilization",
        "--mem-fraction-static is another share, that of weights and cache alone (mem_fraction_static)",
    );
    sheet.leave("max_num_seqs", "--max-running-requests is what the plan counts at once, its batch");
    sheet.leave("max_num_batched_tokens", "--chunked-prefill-size counts the tokens of a prompt alone");
    sheet.leave(
        "offload",
        "--cpu-offload-gb takes the GB of weights on each GPU that wait in host memory, and the plan says all",
    );
    sheet.counted_for("sglang");
    Ok(())
}
