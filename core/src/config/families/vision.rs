//! Language models of families that see, whose classes are those of a family without images but for what they take where the file is silent: that the file has to say.

use crate::architecture::Architecture;
use crate::bounds;

use super::super::ConfigError;
use super::super::fields::{CONTEXT, Fields};
use super::{llama, mixture};

/// Qwen2.5-VL.
pub(super) fn qwen2_5_vl(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    fields.number("num_key_value_heads", bounds::KV_HEADS)?;
    llama::qwen2(fields)
}

/// Qwen3-VL. Its class has no windows.
pub(super) fn qwen3_vl(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    fields.must_be("use_sliding_window", false)?;
    fields.number("max_position_embeddings", CONTEXT)?;
    llama::qwen3(fields)
}

/// Qwen3-VL with experts.
pub(super) fn qwen3_vl_moe(fields: Fields<'_>) -> Result<Architecture, ConfigError> {
    fields.must_be("use_sliding_window", false)?;
    fields.number("max_position_embeddings", CONTEXT)?;
    fields.number("num_key_value_heads", bounds::KV_HEADS)?;
    fields.number("num_experts", bounds::EXPERTS)?;
    fields.number("num_experts_per_tok", bounds::EXPERTS_PER_TOKEN)?;
    fields.number("moe_intermediate_size", bounds::INTERMEDIATE_SIZE)?;
    mixture::qwen3_moe(fields)
}
