//! A row of `vllm_runs.csv` as a run of the engine: what the columns say, and facts of the models that they do not.

use memory_wall_core::architecture::{Architecture, Latent, Mlp, Moe, Projection, SlidingWindow};
use memory_wall_core::engines::vllm::{BLOCK, Image, RopeTable, Run};
use memory_wall_core::serving::{Version, default_batch};
use memory_wall_core::tables::gpus;
use memory_wall_core::units::GIB;
use memory_wall_core::{Bytes, Checked, KvPrecision, Scenario, WeightFormat};

use crate::csv;
use crate::sets::reading::check;

/// Positions and width of a rotary table; the width is the head's where it is not named.
type Table = (u64, Option<u64>);

/// Rotary tables of a family, by how its ids begin.
/// From the models' published `config.json`; checked by the weights of their logs.
const ROPE: &[(&str, &[Table])] = &[
    ("llama-3", &[(131_072, None)]),
    ("llama-3-8b", &[(8_192, None)]),
    // Ten million positions: 2.5 GiB on every rank.
    ("llama-4", &[(10_485_760, None)]),
    ("codellama", &[(16_384, None)]),
    ("qwen1.5", &[(8_192, None)]),
    ("qwen2.5", &[(32_768, None)]),
    ("qwen3", &[(40_960, None)]),
    ("kimi-dev", &[(131_072, None)]),
    ("kimi-vl", &[(131_072, Some(64))]),
    ("granite", &[(131_072, None)]),
    ("phi-4", &[(16_384, None)]),
    ("phi-2", &[(2_048, Some(32))]),
    ("mixtral", &[(32_768, None)]),
    ("mistral-small", &[(131_072, None)]),
    ("mimo", &[(128_000, None)]),
    ("gemma", &[(8_192, None)]),
    // One for windows, and one of eight times the context for the other layers.
    ("gemma-3", &[(1_048_576, None), (131_072, None)]),
    ("deepseek-v2", &[(163_840, Some(64))]),
    ("gpt-oss", &[(131_072, Some(64))]),
];

/// An image at its largest: tokens, values of its pixels, bytes of one where they are not the model's own.
const IMAGES: &[(&str, Image)] = &[
    ("gemma-3", Image { tokens: 256, values: 3 * 896 * 896, bytes: None }),
    ("mistral-small", Image { tokens: 55 * 55, values: 3 * 1_540 * 1_540, bytes: None }),
    ("llama-4", Image { tokens: 17 * 144, values: 17 * 3 * 336 * 336, bytes: None }),
    ("granite-vision", Image { tokens: 8_289, values: 11 * 3 * 384 * 384, bytes: None }),
    ("mimo-vl", Image { tokens: 16_384, values: 65_536 * 1_176, bytes: None }),
    // 6 bytes were inferred from what two logs leave over.
    ("kimi-vl", Image { tokens: 1_057, values: 4 * 1_057 * 588, bytes: Some(6) }),
];

/// Graphs that a family records, where it is not up to 512 sequences.
const GRAPHS: &[(&str, u64)] = &[("gpt-oss", 83)];

/// Width of compressed queries, which no column states.
const QUERY_RANK: &[(&str, u32)] = &[("deepseek-v3", 1_536), ("deepseek-r1", 1_536)];

/// Dense layers in front of a mixture with latent attention, where it is not one.
const DENSE_LAYERS: &[(&str, u32)] = &[("deepseek-v3", 3), ("deepseek-r1", 3)];

/// The entry with the longest name that the id begins with.
fn of_family<T: Copy>(table: &[(&str, T)], id: &str) -> Option<T> {
    let found = table.iter().filter(|(name, _)| id.starts_with(name));
    found.max_by_key(|(name, _)| name.len()).map(|(_, value)| *value)
}

/// A row, read.
#[derive(Clone, Debug)]
pub(super) struct Read {
    pub(super) scenario: Checked,
    pub(super) version: Version,
    /// What vLLM sees of the GPU.
    pub(super) total: Bytes,
    /// The share that it takes.
    pub(super) requested: Bytes,
    /// What the row does not say and was taken as something, in words.
    pub(super) assumed: Vec<String>,
    block_size: u32,
    capture_sizes: Option<u64>,
    text_parameters: u64,
    other_parameters: u64,
    rope: Vec<RopeTable>,
    image: Option<Image>,
}

impl Read {
    /// The run, on the rank that `scenario` looks at.
    pub(super) fn run<'a>(&'a self, scenario: &'a Checked) -> Run<'a> {
        let usual = Run::of(scenario);
        Run {
            version: self.version,
            block_size: self.block_size,
            capture_sizes: self.capture_sizes.unwrap_or(usual.capture_sizes),
            text_parameters: Some(self.text_parameters),
            other_parameters: self.other_parameters,
            rope: Some(&self.rope),
            image: self.image,
            ..usual
        }
    }

    /// The scenario on one stage of its pipeline.
    pub(super) fn on_stage(&self, stage: u32) -> Checked {
        self.scenario.at_stage(stage)
    }

    /// Whether it is more than a dense model of text.
    pub(super) fn mixture_or_vision(&self) -> bool {
        self.scenario.architecture.moe.is_some() || self.other_parameters > 0
    }
}

/// Reads a row, or says what it lacks.
pub(super) fn read(row: csv::Row<'_>) -> Result<Read, String> {
    let id = row.text("model_id");
    let mut assumed = Vec::new();
    let engine = row.text("engine");
    if !engine.is_empty() && !engine.starts_with("vLLM") {
        return Err(format!("engine {engine:?} is another one"));
    }
    let version = version(row.text("engine_version"), &mut assumed)?;
    let shape = shape(row, id)?;
    let mut scenario = Scenario { seq_length: row.number_or("max_model_len", 1)?, ..Scenario::new(shape) };
    scenario.weights = weights(row)?;
    scenario.kv = cache_precision(row, scenario.weights)?;
    scenario.parallel.tp = row.number_or("tp", 1)?.max(1);
    scenario.parallel.pp = row.number_or("pp", 1)?.max(1);
    let total = bytes_of_gib(row.float("gpu_total_gib")?);
    scenario.gpu = card(row.text("gpu"), &mut assumed);
    scenario.serving.version = version;
    batch(row, total, &mut scenario, &mut assumed)?;
    reject(&scenario)?;
    let scenario = check(&scenario)?;
    let utilization = row.float("gpu_mem_util")?;
    let other_parameters = if row.text("m_params_other").is_empty() { 0 } else { row.whole("m_params_other")? };
    let rope = of_family(ROPE, id);
    if rope.is_none() {
        assumed.push("rotary tables not known, counted as none".into());
    }
    let width = |given: Option<u64>| given.unwrap_or(shape.head_dim.into());
    let image = if other_parameters > 0 { of_family(IMAGES, id) } else { None };
    if other_parameters > 0 && image.is_none() {
        assumed.push("image geometry not known, the encoder's profile counted as nothing".into());
    }
    Ok(Read {
        scenario,
        version,
        total,
        requested: Bytes(bytes_of(total.0 as f64 * utilization, f64::ceil)),
        assumed,
        block_size: row.number_or("block_size", BLOCK)?,
        capture_sizes: of_family(GRAPHS, id),
        text_parameters: row.whole("m_params_text")?,
        other_parameters,
        rope: rope
            .unwrap_or_default()
            .iter()
            .map(|(positions, given)| RopeTable { positions: *positions, width: width(*given) })
            .collect(),
        image,
    })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a size of memory, rounded first; the cast saturates"
)]
pub(super) fn bytes_of(bytes: f64, round: fn(f64) -> f64) -> u128 {
    round(bytes) as u128
}

/// Bytes of a printed number of GiB.
pub(super) fn bytes_of_gib(gib: f64) -> Bytes {
    Bytes(bytes_of(gib * GIB as f64, f64::round))
}

pub(super) fn version(text: &str, assumed: &mut Vec<String>) -> Result<Version, String> {
    if let Some(version) = Version::read(text) {
        return Ok(version);
    }
    if text.contains("before 0.17") {
        assumed.push("a version before 0.17, taken as 0.11".into());
        return Ok(Version { major: 0, minor: 11 });
    }
    Err(format!("engine_version {text:?} names no release"))
}

fn weights(row: csv::Row<'_>) -> Result<WeightFormat, String> {
    let dtype = row.text("dtype");
    let plain = match dtype.trim_start_matches("torch.") {
        "bfloat16" => WeightFormat::Bf16,
        "float16" => WeightFormat::Fp16,
        "float32" => WeightFormat::Fp32,
        _ => return Err(format!("dtype {dtype:?} is not known")),
    };
    match (row.text("weight_quant"), plain) {
        ("" | "bf16", plain) => Ok(plain),
        (quant, WeightFormat::Fp32) => Err(format!("weight_quant {quant:?} beside float32 is not modelled")),
        // One byte a weight; the scales, one a channel, are below 0.1%.
        ("fp8_dynamic" | "fp8_inflight" | "fp8", _) => Ok(WeightFormat::Fp8),
        ("int8_w8a8", _) => Ok(WeightFormat::W8a8),
        ("int4_w4a16_g128", _) => Ok(WeightFormat::Int4),
        ("mxfp4_experts", _) => Ok(WeightFormat::Mxfp4),
        (quant, _) => Err(format!("weight_quant {quant:?} is not known")),
    }
}

fn cache_precision(row: csv::Row<'_>, weights: WeightFormat) -> Result<KvPrecision, String> {
    match row.text("kv_cache_dtype") {
        "" | "auto" if weights == WeightFormat::Fp32 => Ok(KvPrecision::Fp32),
        "" | "auto" => Ok(KvPrecision::Bf16),
        dtype if dtype.starts_with("fp8") => Ok(KvPrecision::Fp8),
        dtype => Err(format!("kv_cache_dtype {dtype:?} is not known")),
    }
}

pub(super) fn card(name: &str, assumed: &mut Vec<String>) -> Option<&'static gpus::Gpu> {
    let known = [
        ("H100", "h100-sxm"),
        ("H200", "h200-sxm"),
        ("A100", "a100-80-sxm"),
        ("B200", "b200"),
        ("RTX 3090", "rtx3090"),
        ("RTX 4090", "rtx4090"),
        ("RTX 5090", "rtx5090"),
        ("GB10", "gb10"),
        ("L4", "l4"),
    ];
    let found = known.into_iter().find(|(word, _)| name.contains(word)).and_then(|(_, id)| gpus::by_id(id));
    if found.is_none() {
        assumed.push(format!("GPU {name:?} taken as an H100"));
    }
    found
}

/// What vLLM is told about its batch, or what it takes by itself.
fn batch(row: csv::Row<'_>, total: Bytes, scenario: &mut Scenario, assumed: &mut Vec<String>) -> Result<(), String> {
    let (sequences, tokens) = default_batch(scenario.serving.version, total, scenario.gpu);
    for (column, default, place) in [
        ("max_num_seqs", sequences, &mut scenario.serving.max_num_seqs),
        ("max_num_batched_tokens", tokens, &mut scenario.serving.max_num_batched_tokens),
    ] {
        *place = row.number_or(column, default)?;
        if row.text(column).is_empty() {
            assumed.push(format!("{column} {default}, vLLM's default on such a card"));
        }
    }
    scenario.serving.check().map_err(|error| error.to_string())
}

/// Cuts that vLLM does not start with, or that the engine does not take.
fn reject(scenario: &Scenario) -> Result<(), String> {
    let (shape, parallel) = (&scenario.architecture, &scenario.parallel);
    for (what, count) in [("heads", shape.heads), ("the padded vocabulary", shape.vocab_size.next_multiple_of(64))] {
        if !count.is_multiple_of(parallel.tp) {
            return Err(format!("vLLM rejects it: tp {} does not divide {what}, {count}", parallel.tp));
        }
    }
    if parallel.pp > shape.layers {
        return Err(format!("pp {} is more than the {} layers", parallel.pp, shape.layers));
    }
    Ok(())
}

/// The shape that the columns `m_*` state.
fn shape(row: csv::Row<'_>, id: &str) -> Result<Architecture, String> {
    let of = |column: &str| row.number(&format!("m_{column}"));
    let or = |column: &str, default: u32| row.number_or(&format!("m_{column}"), default);
    let [layers, hidden_size, heads, vocab_size] = [of("layers")?, of("hidden")?, of("heads")?, of("vocab")?];
    let head_dim = or("head_dim", hidden_size / heads.max(1))?;
    // A mixture without dense layers states no width of theirs, or none at all.
    let intermediate_size = or("ffn", 1)?.max(1);
    let mut shape = Architecture {
        mlp: match row.text("m_mlp") {
            "gated" | "" => Mlp::Gated,
            "plain" => Mlp::Gelu,
            other => return Err(format!("m_mlp {other:?} is not known")),
        },
        tied_embeddings: row.is_set("m_tied_embeddings"),
        ..Architecture::llama([
            layers,
            hidden_size,
            heads,
            or("kv_heads", heads)?,
            head_dim,
            intermediate_size,
            vocab_size,
        ])
    };
    let kv_lora_rank = or("mla_kv_lora_rank", 0)?;
    if kv_lora_rank > 0 {
        let rope_dim = of("mla_rope_dim")?;
        let nope = head_dim.checked_sub(rope_dim).filter(|width| *width > 0);
        let nope_dim = nope.ok_or("m_mla_rope_dim leaves no room in m_head_dim")?;
        // No column says so; in the models with latent attention so far values are as wide as keys without position.
        let v_dim = nope_dim;
        let q_lora_rank = of_family(QUERY_RANK, id);
        shape.projection = Projection::Latent(Latent { kv_lora_rank, q_lora_rank, rope_dim, nope_dim, v_dim });
    }
    let experts = or("experts", 0)?;
    if experts > 0 {
        let dense = if kv_lora_rank > 0 { of_family(DENSE_LAYERS, id).unwrap_or(1) } else { 0 };
        shape.moe = Some(Moe {
            shared_intermediate_size: or("shared_expert_ffn", 0)?,
            dense_layers: or("dense_first_layers", row.number_or("dense_first_layers", dense)?)?,
            ..Moe::of(experts, of("experts_active")?, of("moe_ffn")?)
        });
    }
    let sliding = or("swa_layers", 0)?;
    if sliding > 0 {
        shape.sliding_window = Some(SlidingWindow::over(sliding, of("swa_window")?));
    }
    let stated = or("full_attn_layers", layers.saturating_sub(sliding))?;
    if stated.saturating_add(sliding) < layers {
        return Err(format!(
            "{stated} full and {sliding} windowed layers of {layers}: the states of the others are not stated"
        ));
    }
    shape.check().map_err(|error| error.to_string())?;
    Ok(shape)
}
