//! `trtllm-serve` of TensorRT-LLM.
//!
//! # Source
//! TensorRT-LLM, `tensorrt_llm/commands/serve.py` at 00209af (2026). Read 2026-11-25.

use super::Target;
use super::sheet::Sheet;

pub(super) fn write(sheet: &mut Sheet<'_>) {
    let scenario = sheet.scenario;
    let parallel = &scenario.parallel;
    sheet.command_with_model(&["trtllm-serve", "serve"]);
    sheet.degree("--tp_size", parallel.tp, "tp");
    sheet.degree("--pp_size", parallel.pp, "pp");
    sheet.degree("--cp_size", parallel.cp, "cp");
    if Target::TrtllmServe.experts_within(scenario) {
        sheet.set("--ep_size", parallel.ep, &["ep"]);
    }
    if !sheet.own("--max_batch_size", "max_batch_size") {
        sheet.at_once("--max_batch_size");
    }
    if !sheet.own("--max_seq_len", "max_seq_len") {
        let lengths: &[&str] = if sheet.says("max_model_len") { &["max_model_len", "seq"] } else { &["seq"] };
        sheet.set("--max_seq_len", scenario.longest_request(), lengths);
    }
    if !sheet.own("--max_num_tokens", "max_num_tokens") && !scenario.serving.usual_batched_tokens {
        sheet.set("--max_num_tokens", scenario.serving.max_num_batched_tokens, &["max_num_batched_tokens"]);
    }
    sheet.own("--kv_cache_free_gpu_memory_fraction", "kv_cache_free_gpu_memory_fraction");
    sheet.leave("batch", "requests arrive as they come; --max_batch_size bounds how many run at once");
    sheet.leave("seq", "requests may be shorter than --max_seq_len");
    sheet.implied("attention");
    sheet
        .leave("dp", "one server has one copy of the model; its attention DP is a setting of its YAML file (--config)");
    sheet.leave("ep", "--ep_size spreads experts over the ranks of tensor parallelism, and this plan over others");
    sheet.leave("weights", "TensorRT-LLM reads a checkpoint as it is stored: the model has to be one in this format");
    sheet.leave(
        "kv",
        "the cache follows the checkpoint; kv_cache_config.dtype of the YAML file (--config) says another type",
    );
    sheet.leave(
        "gpu_memory_utilization",
        "--free_gpu_memory_fraction is another share, of what is free beside the weights",
    );
    sheet.counted_for("trtllm");
}
