//! Measured speeds held against the bound on time, its range, and one typical share for each runtime.

use memory_wall_core::architecture::{Architecture, Biases, Mlp, Moe, Norm, SlidingWindow};
use memory_wall_core::roofline::efficiency::{self, Runtime};
use memory_wall_core::roofline::latency::{Counting, estimate};
use memory_wall_core::roofline::operations::Kernels;
use memory_wall_core::roofline::{Efficiency, Pass};
use memory_wall_core::tables::gpus::{self, Gpu};
use memory_wall_core::units::ByteRate;
use memory_wall_core::{Checked, Engine, KvPrecision, Scenario, Serving, WeightFormat};

use super::reading::{check, counts, left_out};
use super::{inference, torchtitan};
use crate::csv;
use crate::{Bound, Data, Outcome, Row, Set, Use};

/// How far a measurement may lie below the bound: clocks above the printed ones, and rounding.
const SLACK: f64 = 0.02;
/// The upper end of the range is never further from the lower one than this.
const WIDEST: f64 = 0.35;

pub(super) fn sets(data: &Data) -> Vec<Set> {
    let file = data.file("speed.csv");
    let (mut bounds, mut ranges) = (Vec::new(), Vec::new());
    let mut typical = [Vec::new(), Vec::new(), Vec::new()];
    for row in file.rows() {
        let run = left_out(row).map_or_else(|| Run::read(row), Err);
        let alone = row.number("n_gpus") == Ok(1);
        bounds.push(shown(row, "s", run.clone().map(|run| run.above_bound())));
        // Scripts that launch each kernel from Python are held to the bound only.
        if !alone || row.text("use") == "lower_bound_only" {
            continue;
        }
        ranges.push(shown(row, "s", run.clone().map(|run| run.within_range())));
        let Some(runtime) = runtime(row.text("engine")) else { continue };
        let place = Runtime::ALL.iter().position(|it| *it == runtime).unwrap_or(0);
        if let Some(list) = typical.get_mut(place) {
            let mut line = shown(row, "s", run.and_then(|run| run.typical(runtime)));
            if line.counts == Use::Checked {
                line.counts = Use::Fitted;
            }
            list.push(line);
        }
    }
    let [gpt_fast, tensorrt, llama_cpp] = typical;
    let training = data.file("training_peaks.csv");
    let training =
        training.rows().filter(|row| row.text("kind").starts_with("tt_") && !row.text("throughput").is_empty());
    let set = |name, about, bound, rows| Set { name, about, bound, rows };
    vec![
        set(
            "speed-bound",
            "Whether a measured time is at least the bound, with 2% of slack; of mixtures in batches, the bound that reads no more experts than one token visits",
            Bound::NONE,
            bounds,
        ),
        set(
            "speed-range",
            "Whether a time measured on one card lies within the range, whose upper end is the bound divided by 0.35",
            Bound::right(0.9),
            ranges,
        ),
        set(
            "speed-gpt-fast",
            "Times of gpt-fast on one card, by one share for each format",
            Bound::mean(0.2),
            gpt_fast,
        ),
        set(
            "speed-tensorrt-llm",
            "Times of TensorRT-LLM on one card, prefill, or prefill and decoding together, by one share for each of the two and format",
            Bound::mean(0.2),
            tensorrt,
        ),
        set(
            "speed-llama-cpp",
            "Times of llama.cpp on one card, by one share for each pass and format",
            Bound::mean(0.2),
            llama_cpp,
        ),
        set(
            "speed-training",
            "Whether a training step of torchtitan in bf16 or fp8 took a time within the range, on H100 cards of 2.4 and 3.35 TB/s",
            Bound::NONE,
            training.map(|row| shown(row, "s", training_step(row))).collect(),
        ),
    ]
}

/// A step of torchtitan, whose log says tokens a second for each GPU.
fn training_step(row: csv::Row<'_>) -> Result<Outcome, String> {
    let [slower, usual] = [row.text("gpu").contains("2.4TB/s"), row.text("gpu") == "H100 SXM 80GB"];
    if row.text("throughput_unit") != "tokens/s/GPU" || !(slower || usual) {
        return Err(format!("{} on {:?} is not known", row.text("throughput_unit"), row.text("gpu")));
    }
    let scenario = torchtitan::scenario(row)?;
    // The GPU of most of these runs: an H100 with slower memory.
    let h100 = gpus::by_id("h100-sxm").ok_or("there is no H100")?;
    let bandwidth = if slower { ByteRate::from_gb_per_s(2_400.0) } else { h100.bandwidth };
    let gpu = Gpu { bandwidth, ..*h100 };
    let time = estimate(&scenario, &gpu, Pass::Training, Counting::of(&scenario));
    let [slow, fast] = time.speed(&scenario, &gpu).per_gpu;
    let measured = row.float("throughput")?;
    Ok(Outcome::Verdict {
        right: (slow..=fast * (1.0 + SLACK)).contains(&measured),
        why: format!(
            "{slow:.0} to {fast:.0} tokens/s a card, measured {measured:.0}: {:.2} of the bound",
            measured / fast
        ),
    })
}

fn runtime(engine: &str) -> Option<Runtime> {
    match engine {
        "gpt-fast" => Some(Runtime::GptFast),
        "TensorRT-LLM" => Some(Runtime::TensorRtLlm),
        engine if engine.starts_with("llama.cpp") => Some(Runtime::LlamaCpp),
        _ => None,
    }
}

fn shown(row: csv::Row<'_>, unit: &'static str, outcome: Result<Outcome, String>) -> Row {
    Row {
        id: row.text("row_id").into(),
        unit,
        counts: counts(row),
        outcome: Outcome::of(outcome),
        doubt: row.text("doubt").into(),
    }
}

/// What a row's time is made of, and the time that was measured.
#[derive(Clone)]
struct Run {
    scenario: Checked,
    gpu: &'static Gpu,
    kernels: Kernels,
    parts: Vec<Part>,
    measured: f64,
}

/// A pass with a context, so many times; a negative number takes away what came before a part of a prompt.
#[derive(Clone, Copy)]
struct Part {
    pass: Pass,
    seq_length: u32,
    times: f64,
}

impl Run {
    fn read(row: csv::Row<'_>) -> Result<Self, String> {
        let engine = row.text("engine");
        let llama_cpp = engine.starts_with("llama.cpp");
        if runtime(engine).is_none() && !engine.starts_with("LitGPT") && engine != "vLLM" {
            return Err(format!("engine {engine:?} is not known"));
        }
        let mut scenario = Scenario::new(shape(row)?);
        scenario.batch = row.number("batch")?;
        scenario.weights = weights(row.text("weight_dtype"), row.text("weight_quant"))?;
        scenario.kv = match row.text("kv_dtype") {
            "fp8" => KvPrecision::Fp8,
            "bf16" | "fp16" => KvPrecision::Bf16,
            other => return Err(format!("kv_dtype {other:?} is not known")),
        };
        if llama_cpp {
            // These runs computed 2,048 tokens at a time.
            scenario.serving = Serving { engine: Engine::LlamaCpp, max_num_batched_tokens: 2_048, ..Serving::DEFAULT };
        }
        let cards = row.number("n_gpus")?;
        match (cards, row.text("parallel_style")) {
            (1, _) => {}
            (_, "tensor" | "tp") => scenario.parallel.tp = cards,
            (_, "sequential") => scenario.parallel.pp = cards,
            (_, other) => return Err(format!("parallel_style {other:?} is not known")),
        }
        let scenario = check(&scenario)?;
        let gpu = match (row.text("gpu_id"), row.text("gpu")) {
            ("", name) if name.contains("GB10") => gpus::by_id("gb10"),
            (id, _) => gpus::by_id(id),
        };
        let gpu = gpu.ok_or_else(|| format!("the card {:?} is not known", row.text("gpu")))?;
        let (parts, measured) = parts(row, scenario.batch)?;
        let kernels = if llama_cpp { Kernels::Separate } else { Kernels::Fused };
        Ok(Self { scenario, gpu, kernels, parts, measured })
    }

    /// Each part's floor, lower and upper end, in seconds.
    fn times(&self) -> impl Iterator<Item = (Part, [f64; 3])> + '_ {
        self.parts.iter().map(|part| {
            let scenario = self.scenario.with_seq_length(part.seq_length);
            let counting = Counting { kernels: self.kernels, efficiency: Efficiency::LEAST };
            let time = estimate(&scenario, self.gpu, part.pass, counting);
            (*part, [time.floor.0, time.lower.0, time.upper.0].map(|seconds| seconds * part.times))
        })
    }

    fn total(&self) -> [f64; 3] {
        self.times().fold([0.0; 3], |sum, (_, more)| [sum[0] + more[0], sum[1] + more[1], sum[2] + more[2]])
    }

    fn above_bound(&self) -> Outcome {
        let [floor, ..] = self.total();
        Outcome::Verdict {
            right: floor <= self.measured * (1.0 + SLACK),
            why: format!("bound {}, measured {}", milliseconds(floor), milliseconds(self.measured)),
        }
    }

    fn within_range(&self) -> Outcome {
        let [_, lower, upper] = self.total();
        let upper = upper.min(lower / WIDEST);
        Outcome::Verdict {
            right: lower <= self.measured * (1.0 + SLACK) && self.measured <= upper,
            why: format!(
                "{} to {}, measured {}: {:.2} of the bound",
                milliseconds(lower),
                milliseconds(upper),
                milliseconds(self.measured),
                lower / self.measured
            ),
        }
    }

    fn typical(&self, runtime: Runtime) -> Result<Outcome, String> {
        let weights = self.scenario.weights;
        let mut predicted = 0.0;
        for (part, [_, lower, _]) in self.times() {
            let typical = efficiency::measured(runtime, part.pass, weights)
                .ok_or_else(|| format!("no share is known for {} with {weights} weights", runtime.id()))?;
            predicted += lower / typical.share;
        }
        Ok(Outcome::Compared { predicted, measured: self.measured, exact: false })
    }
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.2} ms", seconds * 1e3)
}

/// What was run, and how long it took in seconds.
fn parts(row: csv::Row<'_>, batch: u32) -> Result<(Vec<Part>, f64), String> {
    let prompt = row.number_or("prompt_tokens", 0)?;
    let output = row.number_or("output_tokens", 0)?;
    let once = |pass, seq_length: u32| Part { pass, seq_length: seq_length.max(1), times: 1.0 };
    match row.text("phase") {
        "decode" => {
            let rate = row.float("value")?;
            let sequences = match row.text("per") {
                "GPU (all sequences)" => f64::from(batch),
                "sequence" | "sequence (batch 1)" => 1.0,
                other => return Err(format!("tokens/s per {other:?} is not known")),
            };
            let context = match row.text("context_tokens_mid") {
                // The length of the prompt is not stated: without one, half of the answer.
                "" => output / 2,
                _ => row.number("context_tokens_mid")?,
            };
            Ok((vec![once(Pass::Decode, context)], sequences / rate))
        }
        "prefill" => {
            let measured = row.float("time_seconds")?;
            let mut parts = vec![once(Pass::Prefill, prompt)];
            // Tokens that were in the cache already: the middle of the span lies behind them.
            let middle = row.number_or("context_tokens_mid", prompt / 2)?;
            let before = middle.saturating_sub(prompt / 2);
            if before > 0 {
                parts = vec![once(Pass::Prefill, before + prompt), Part { times: -1.0, ..once(Pass::Prefill, before) }];
            }
            Ok((parts, measured))
        }
        "prefill+decode" => {
            // The prefill gives the first token.
            let decode = Part { times: f64::from(output.saturating_sub(1)), ..once(Pass::Decode, prompt + output / 2) };
            Ok((vec![once(Pass::Prefill, prompt), decode], row.float("time_seconds")?))
        }
        other => Err(format!("phase {other:?} is not known")),
    }
}

fn weights(dtype: &str, quant: &str) -> Result<WeightFormat, String> {
    match (dtype, quant) {
        ("int4", "int4 group 32") => Ok(WeightFormat::Int4Group32),
        ("bnb.nf4" | "bnb.fp4", _) => Ok(WeightFormat::Nf4),
        ("bnb.nf4-dq" | "bnb.fp4-dq", _) => Ok(WeightFormat::Nf4Dq),
        (known, _) => WeightFormat::from_id(known).ok_or_else(|| format!("weights {known:?} are not modelled")),
    }
}

/// The model, by its name, or by the dimensions that the row states.
fn shape(row: csv::Row<'_>) -> Result<Architecture, String> {
    let id = match row.text("model_id") {
        "qwen2.5-coder-7b" => "qwen2.5-7b",
        "qwen3-coder-30b-a3b" => "qwen3-30b-a3b",
        id => id,
    };
    if let Ok(known) = inference::shape(id) {
        return Ok(known);
    }
    let dimension = |column| row.number(column).map_err(|error| format!("the shape of {id:?} is not known: {error}"));
    let gated = row.text("m_mlp") == "gated";
    let mut shape = Architecture::llama([
        dimension("m_layers")?,
        dimension("m_hidden")?,
        dimension("m_heads")?,
        dimension("m_kv_heads")?,
        dimension("m_head_dim")?,
        dimension("m_ffn")?,
        dimension("m_vocab")?,
    ]);
    shape.tied_embeddings = row.is_set("m_tied_embeddings");
    if !gated {
        shape.mlp = Mlp::Gelu;
        shape.norm = Norm::LayerNorm;
        shape.biases = Biases { mlp: true, ..Biases::default() };
        // GPT-J and Falcon: one norm before attention and MLP side by side.
        (shape.norms_per_layer, shape.parallel_residual) = (1, true);
    }
    let experts = row.number_or("m_experts", 0)?;
    if experts > 0 {
        shape.moe = Some(Moe::of(experts, dimension("m_experts_active")?, dimension("m_moe_ffn")?));
    }
    let windows = row.number_or("m_swa_layers", 0)?;
    if windows > 0 {
        shape.sliding_window = Some(SlidingWindow::over(windows, dimension("m_swa_window")?));
    }
    Ok(shape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// The share in hundredths that makes the mean error least.
    fn best(error: impl Fn(f64) -> f64) -> f64 {
        let shares = (20..120).map(|hundredth| f64::from(hundredth) / 100.0);
        shares.min_by(|one, other| error(*one).total_cmp(&error(*other))).unwrap()
    }

    /// A run's bound, in prefill and in decoding.
    fn lower(run: &Run) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for (part, [_, lower, _]) in run.times() {
            sums[usize::from(part.pass == Pass::Decode)] += lower;
        }
        sums
    }

    /// Runs of one pass give its share. Where only whole runs were measured, the share of decoding is what is left to choose;
    /// of a format without any run of prefill alone both shares are one.
    #[test]
    fn the_typical_shares_are_those_that_fit_the_rows_best() {
        let data = Data::carried();
        let file = data.file("speed.csv");
        let mut groups = BTreeMap::<(&str, &str), Vec<Run>>::new();
        for row in file.rows().filter(|row| row.text("use") == "threshold" && row.number("n_gpus") == Ok(1)) {
            // One model of vLLM on one GPU is too little for a typical share: its times are compared with the bound and the range alone.
            let Some(runtime) = runtime(row.text("engine")) else { continue };
            let run = Run::read(row).unwrap();
            groups.entry((runtime.id(), run.scenario.weights.id())).or_default().push(run);
        }
        let mut found = 0;
        for ((runtime, weights), runs) in groups {
            let error_of = |shares: [f64; 2], runs: &[&Run]| {
                let errors = runs.iter().map(|run| {
                    let [prefill, decode] = lower(run);
                    ((prefill / shares[0] + decode / shares[1]) / run.measured - 1.0).abs()
                });
                errors.sum::<f64>()
            };
            let only = |pass: Pass| -> Vec<&Run> {
                runs.iter().filter(|run| run.parts.iter().all(|part| part.pass == pass)).collect()
            };
            let [prefills, decodes] = [only(Pass::Prefill), only(Pass::Decode)];
            let whole: Vec<&Run> = runs.iter().filter(|run| lower(run).iter().all(|part| *part > 0.0)).collect();
            let prefill = (!prefills.is_empty()).then(|| best(|share| error_of([share, 1.0], &prefills)));
            let decode = (!decodes.is_empty()).then(|| best(|share| error_of([1.0, share], &decodes)));
            let counted = [&prefills, &decodes].map(|only| if only.is_empty() { whole.len() } else { only.len() });
            let (prefill, decode) = match (prefill, decode) {
                _ if whole.is_empty() => (prefill, decode),
                (Some(prefill), None) => (Some(prefill), Some(best(|share| error_of([prefill, share], &whole)))),
                _ => {
                    let both = best(|share| error_of([share, share], &whole));
                    (Some(both), Some(both))
                }
            };
            for ((pass, share), runs) in [(Pass::Prefill, prefill), (Pass::Decode, decode)].into_iter().zip(counted) {
                let row = efficiency::TYPICAL
                    .iter()
                    .find(|row| (row.runtime.id(), row.pass, row.weights.id()) == (runtime, pass, weights));
                let known = row.map(|row| row.share);
                assert_eq!(known, share, "{runtime} {} {weights}", pass.id());
                assert!(
                    row.is_none_or(|row| usize::try_from(row.runs) == Ok(runs)),
                    "{runtime} {} {weights}: {runs} runs",
                    pass.id()
                );
                found += usize::from(row.is_some());
            }
        }
        // Steps of training have a file of their own.
        let others = efficiency::TYPICAL.iter().filter(|row| row.runtime != Runtime::Transformers);
        assert_eq!(found, others.count(), "a share without rows");
    }

    /// Decoding over several cards. Whole runs of large batches (S057, S059), which may have run in waves, take longer.
    #[test]
    fn decoding_over_several_gpus_lies_within_the_range() {
        let data = Data::carried();
        let mut runs = 0;
        for row in data.file("speed.csv").rows() {
            if [row.text("use"), row.text("phase")] != ["threshold", "decode"] || row.number("n_gpus") == Ok(1) {
                continue;
            }
            let run = Run::read(row).unwrap();
            let [floor, _, upper] = run.total();
            assert!(floor <= run.measured * (1.0 + SLACK) && run.measured <= upper, "{}: {upper}", row.text("row_id"));
            runs += 1;
        }
        assert_eq!(runs, 13);
    }
}
