//! What `quantization_config` says of a stored checkpoint, and which of our formats that is.

use alloc::string::String;

use super::fields::Fields;
use super::value::{Object, Value};
use crate::precision::WeightFormat;

/// Parts of a model that our formats keep wide anyway, by how the names of their modules end or what they contain.
const KEPT_WIDE: [&str; 10] = [
    "lm_head",
    "embed_tokens",
    "norm",
    "mlp.gate",
    "block_sparse_moe.gate",
    "shared_expert_gate",
    "router",
    "vision_tower",
    "vision_model",
    "multi_modal_projector",
];

/// The name of the method, where the checkpoint is stored quantised.
pub(super) fn method(stored: &Object) -> Option<&str> {
    let fields = Fields(stored);
    match fields.get("quant_method") {
        Some(Value::Text(method)) => Some(method),
        // Older files of bitsandbytes leave the method out.
        _ if fields.present("load_in_4bit") || fields.present("load_in_8bit") => Some("bitsandbytes"),
        _ => None,
    }
}

/// The format of ours in which the layers are stored, where bytes and tensors are the same for certain.
pub(super) fn format(stored: &Object, model: Fields<'_>, family: Option<&str>) -> Option<WeightFormat> {
    let fields = Fields(stored);
    let kept_wide = ["modules_to_not_convert", "llm_int8_skip_modules", "ignored_layers", "ignore"];
    let usual = kept_wide.into_iter().all(|list| match fields.get(list) {
        None | Some(Value::Nothing) => true,
        Some(Value::List(names)) => names.iter().all(|name| is_kept_wide(name, family)),
        Some(_) => false,
    });
    match method(stored)? {
        // gpt-oss keeps attention in 16 bits, as our format does of any mixture.
        "mxfp4" => (family == Some("gpt_oss")).then_some(WeightFormat::Mxfp4),
        _ if !usual => None,
        "gptq" | "awq" => four_bits(fields),
        // Experts in MXFP4 beside matrices in blocks of fp8, as our format is of this family.
        "fp8" if family == Some("deepseek_v4") && is(model, "expert_dtype", &Value::Text(String::from("fp4"))) => {
            Some(WeightFormat::Mxfp4)
        }
        "fp8" => match fields.get("weight_block_size") {
            None | Some(Value::Nothing) => Some(WeightFormat::Fp8),
            Some(Value::List(sizes)) if sizes[..] == [Value::Whole(128), Value::Whole(128)] => {
                Some(WeightFormat::Fp8Block)
            }
            Some(_) => None,
        },
        "bitsandbytes" => normal_floats(fields),
        "compressed-tensors" => compressed(fields),
        _ => None,
    }
}

fn is_kept_wide(name: &Value, family: Option<&str>) -> bool {
    let Value::Text(name) = name else { return false };
    // In Mixtral only the router is called that; elsewhere it would be a matrix of the MLP as well.
    if name == "gate" {
        return family == Some("mixtral");
    }
    KEPT_WIDE.into_iter().any(|part| name.ends_with(part)) || name.contains("vision_")
}

fn is(fields: Fields<'_>, field: &str, value: &Value) -> bool {
    fields.get(field) == Some(value)
}

/// GPTQ and AWQ: 4 bits in groups of 128, each with a scale and a zero point, the head left alone.
fn four_bits(fields: Fields<'_>) -> Option<WeightFormat> {
    let four = ["bits", "w_bit"].into_iter().any(|bits| is(fields, bits, &Value::Whole(4)));
    let grouped = ["group_size", "q_group_size"].into_iter().any(|size| is(fields, size, &Value::Whole(128)));
    let head = is(fields, "lm_head", &Value::Switch(true));
    // Rules that give single modules another width.
    let uneven = fields.get("dynamic").is_some_and(|rules| !rules.is_idle());
    (four && grouped && !head && !uneven).then_some(WeightFormat::Int4)
}

/// bitsandbytes: only its 4-bit normal floats; its 8-bit weights carry a scale for each row, which no format here has.
fn normal_floats(fields: Fields<'_>) -> Option<WeightFormat> {
    let four = is(fields, "load_in_4bit", &Value::Switch(true));
    if !four || !is(fields, "bnb_4bit_quant_type", &Value::Text(String::from("nf4"))) {
        return None;
    }
    match fields.get("bnb_4bit_use_double_quant") {
        Some(Value::Switch(true)) => Some(WeightFormat::Nf4Dq),
        None | Some(Value::Nothing | Value::Switch(false)) => Some(WeightFormat::Nf4),
        Some(_) => None,
    }
}

/// compressed-tensors: one group over all linear layers, in 8 bits with a scale for a tensor or for each row of one: floats, or integers beside activations in 8-bit integers.
fn compressed(fields: Fields<'_>) -> Option<WeightFormat> {
    let Some(Value::Object(groups)) = fields.get("config_groups") else { return None };
    let (1, Some(Value::Object(group))) = (groups.len(), groups.values().next()) else { return None };
    let linear = match group.get("targets") {
        Some(Value::List(targets)) => targets[..] == [Value::Text(String::from("Linear"))],
        _ => false,
    };
    let Some(Value::Object(weights)) = group.get("weights") else { return None };
    let weights = Fields(weights);
    let eight = |fields: Fields<'_>, kind| {
        is(fields, "num_bits", &Value::Whole(8)) && is(fields, "type", &Value::Text(String::from(kind)))
    };
    let format = if eight(weights, "float") {
        WeightFormat::Fp8
    } else {
        let Some(Value::Object(inputs)) = group.get("input_activations") else { return None };
        (eight(weights, "int") && eight(Fields(inputs), "int")).then_some(WeightFormat::W8a8)?
    };
    let scales = ["tensor", "channel"].into_iter().any(|it| is(weights, "strategy", &Value::Text(String::from(it))));
    (linear && scales).then_some(format)
}
