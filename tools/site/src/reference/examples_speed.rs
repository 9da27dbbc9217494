//! The worked numbers of the roofline, of many GPUs and of clusters.

use memory_wall_core::communication::{self, Traffic};
use memory_wall_core::hierarchy::{Tier, tier_spec};
use memory_wall_core::precision::ComputePrecision;
use memory_wall_core::roofline::latency::{Counting, Estimate, estimate};
use memory_wall_core::roofline::{Accounting, Efficiency, Kernel, Pass, Roof, crossover};
use memory_wall_core::scaling::{Purpose, Size, need, usable};
use memory_wall_core::schemes::{self, Scheme};
use memory_wall_core::tables::gpus::{self, Gpu};
use memory_wall_core::units::{Bytes, GB, Intensity};
use memory_wall_core::{Bucket, Checked, Implementation, Parallelism, Phase, WeightFormat, ZeroStage, cost, worked};

use super::examples::{Example, changed, model, quantity, training, whole};
use super::sheet::Answer;
use crate::math::Value;

const TERA: (f64, &str) = (1e12, "TFLOP/s");
const FAST: (f64, &str) = (1e9, "GB/s");
const INTENSITY: (f64, &str) = (1.0, "FLOP/byte");

fn card(id: &str) -> Result<&'static Gpu, String> {
    gpus::by_id(id).ok_or(format!("there is no card {id}"))
}

/// The examples, in the order of the sheet.
pub(super) fn all() -> Result<Vec<Example>, String> {
    let mut all = roofline()?;
    all.extend(many_gpus()?);
    all.extend(clusters()?);
    Ok(all)
}

/// A bar beneath a roof: the peak and the bandwidth of a GPU in bf16.
fn rates(roof: Roof) -> [Value; 2] {
    [quantity("P_peak", roof.peak.0, TERA), quantity("B", roof.bandwidth.0, FAST)]
}

fn roofline() -> Result<Vec<Example>, String> {
    let (a100, h100) = (card("a100-80-sxm")?, card("h100-sxm")?);
    let roof = |gpu| Roof::of(gpu, ComputePrecision::Bf16).ok_or("there is no roof");
    let (roof, faster) = (roof(a100)?, roof(h100)?);
    let seven = changed(&model("generic-7b")?, |it| it.gpu = Some(a100))?;
    let low = Intensity(3.0);
    let product = Kernel::Gemm { m: 4_096, n: 4_096, k: 4_096 }.work(2);
    let intensity = product.intensity(Accounting::ReadsAndWrites).0;
    // With next to no context a step of decoding is the reading of the weights.
    let eight = changed(&model("llama-3.1-8b")?, |it| (it.seq_length, it.gpu) = (1, Some(h100)))?;
    let step = estimate(&eight, h100, Pass::Decode, Counting::of(&eight));
    let own = tier_spec(a100, Tier::Own).ok_or("there is no memory")?;
    let weights = worked::total(|sink| Bucket::Weights.terms(&seven, Phase::Forward, sink));
    let reads = own.reads_per_second(weights).ok_or("the memory has no bandwidth")?;
    let batch = crossover::batch(&eight, h100).ok_or("no batch computes")?;
    let [first, second] = [1_u32, 2].map(|batch| {
        let scenario = eight.with_batch(batch);
        estimate(&scenario, h100, Pass::Decode, Counting::of(&scenario))
    });
    let others = |step: &Estimate| step.moved - step.weights;
    let speed = step.speed(&eight, h100).per_gpu[1];
    Ok(vec![
        Example::new("attainable", &seven, Answer::FlopsPerSecond(roof.attainable(low).0))
            .with(rates(roof))
            .with([quantity("I", low.0, INTENSITY)]),
        Example::new("ridge", &seven, Answer::FlopsPerByte(roof.ridge().0)).with(rates(roof)),
        Example::new("intensity", &seven, Answer::FlopsPerByte(intensity))
            .with(["X", "Y", "Z"].map(|name| whole(name, 4_096_u32))),
        Example::new(
            "least-time",
            &seven,
            Answer::Seconds(roof.seconds(product.flops, product.read + product.written).0),
        )
        .with(rates(roof))
        .with([whole("flops", product.flops), whole("moved", product.read + product.written)]),
        Example::new("decode", &eight, Answer::Seconds(step.lower.0))
            .with([whole("moved", step.moved), quantity("B", faster.bandwidth.0, FAST)]),
        Example::new("range", &eight, Answer::Seconds(step.upper.0)).with([
            Value {
                name: "lower",
                number: step.lower.0,
                shown: memory_wall_core::display::Duration(step.lower.0).to_string(),
            },
            Value {
                name: "share",
                number: Efficiency::LEAST.bandwidth,
                shown: Efficiency::LEAST.bandwidth.to_string(),
            },
        ]),
        Example::new("speed", &eight, Answer::PerSecond(speed)).with([Value {
            name: "lower",
            number: step.lower.0,
            shown: memory_wall_core::display::Duration(step.lower.0).to_string(),
        }]),
        Example::new("crossover", &eight, Answer::Count(batch.into())).with([
            whole("W", first.weights),
            whole("F", second.work.flops - first.work.flops),
            quantity("R", faster.ridge().0, INTENSITY),
            whole("c", others(&second) - others(&first)),
        ]),
        Example::new("tier", &seven, Answer::PerSecond(reads))
            .with([whole("weights", weights.0), quantity("B", roof.bandwidth.0, FAST)]),
    ])
}

fn many_gpus() -> Result<Vec<Example>, String> {
    let seven = training("generic-7b")?;
    let cut = |parallel: Parallelism| {
        changed(&seven, |it| {
            it.parallel = parallel;
            if parallel.pp > 1 || parallel.cp > 1 {
                // Stock code has no schedule for a pipeline, and cuts sequences beside FSDP2 alone.
                it.training.implementation = Implementation::Megatron;
            }
        })
    };
    let eight = whole("N", 8_u32);
    let held = |scheme: Scheme| {
        let run = scheme.over(&seven, 8).ok_or("the model cannot be cut so")?;
        Ok::<_, String>(Answer::Bytes(schemes::states(&run)))
    };
    let sent = |scenario: &Checked, traffic| Answer::Bytes(communication::bytes(scenario, traffic));
    let data = cut(Parallelism { dp: 8, ..Parallelism::ONE })?;
    let fully = cut(Parallelism { dp: 8, zero: ZeroStage::Weights, ..Parallelism::ONE })?;
    let bytes = |bucket: Bucket| worked::total(|sink| bucket.terms(&seven, Phase::OptimizerStep, sink)).0;
    let (weights, gradients) = (whole("W", bytes(Bucket::Weights)), whole("G", bytes(Bucket::Gradients)));
    let states = [weights.clone(), gradients.clone(), eight.clone()];
    let ranks = Parallelism { dp: 4, tp: 8, pp: 2, ..Parallelism::ONE };
    let stream = whole("A", u64::from(seven.architecture.hidden_size) * seven.tokens() * seven.activation_bytes());
    let tensor = cut(Parallelism { tp: 8, ..Parallelism::ONE })?;
    let pipeline = cut(Parallelism { pp: 4, stage: 1, ..Parallelism::ONE })?;
    let pipeline = changed(&pipeline, |it| it.training.micro_batches = 8)?;
    let context = cut(Parallelism { cp: 4, ..Parallelism::ONE })?;
    let here = context.local();
    let experts = Parallelism { dp: 8, ep: 8, ..Parallelism::ONE };
    let mixtral = changed(&training("mixtral-8x7b")?, |it| it.parallel = experts)?;
    let routed = u64::from(mixtral.architecture.hidden_size) * mixtral.tokens() * mixtral.activation_bytes();
    let a100 = card("a100-80-sxm")?;
    let offload = changed(&seven, |it| (it.offload.optimizer, it.gpu) = (true, Some(a100)))?;
    let host = a100.host_link.ok_or("there is no link")?;
    let seconds = cost::offload_seconds(&offload).ok_or("nothing is offloaded")?;
    Ok(vec![
        Example::new("ranks", &cut(ranks)?, Answer::Count(ranks.ranks())).with([
            whole("dp", ranks.dp),
            whole("tp", ranks.tp),
            whole("pp", ranks.pp),
            whole("cp", ranks.cp),
        ]),
        Example::new("zero1", &seven, held(Scheme::Zero1)?).with([eight.clone()]),
        Example::new("zero2", &seven, held(Scheme::Zero2)?).with([eight.clone()]),
        Example::new("zero3", &seven, held(Scheme::Zero3)?).with([eight]),
        Example::new("all-reduce", &data, sent(&data, Traffic::Data)).with(states.clone()),
        Example::new("zero3-traffic", &fully, sent(&fully, Traffic::Data)).with(states),
        Example::new("tensor", &tensor, sent(&tensor, Traffic::Tensor)).with([stream.clone()]),
        Example::new("pipeline", &pipeline, sent(&pipeline, Traffic::Pipeline)).with([stream]),
        Example::new("in-flight", &pipeline, Answer::Count(pipeline.at_stage(0).local().chunks_in_flight))
            .with([whole("p", pipeline.parallel.pp)]),
        Example::new("ring", &context, sent(&context, Traffic::Context))
            .with([whole("T", u64::from(context.batch) * here.seq_length), whole("C", context.parallel.cp)]),
        Example::new("experts", &mixtral, sent(&mixtral, Traffic::Expert))
            .with([whole("A", routed), whole("e", mixtral.parallel.ep)]),
        Example::new("offload", &offload, sent(&offload, Traffic::Host)).with([weights, gradients]),
        Example::new("offload-time", &offload, Answer::Seconds(seconds))
            .with([whole("moved", communication::bytes(&offload, Traffic::Host).0), quantity("B_host", host.0, FAST)]),
    ])
}

fn clusters() -> Result<Vec<Example>, String> {
    let a100 = card("a100-80-sxm")?;
    let needed = need(Size::B700, Purpose::Hold, WeightFormat::Fp16, a100).ok_or("no number of cards holds it")?;
    let scenario = changed(&model("generic-7b")?, |it| it.gpu = Some(a100))?;
    let on = |id, count: u64, each: Bytes| {
        Example::new(id, &scenario, Answer::Count(count)).with([whole("needed", needed.bytes.0), whole("each", each.0)])
    };
    Ok(vec![
        on("cards-printed", needed.printed, Bytes(u128::from(a100.printed_gb) * GB)),
        on("cards-real", needed.real, a100.capacity),
        Example::new("usable", &scenario, Answer::Bytes(usable(a100))).with([whole("capacity", a100.capacity.0)]),
        on("cards-margin", needed.margin, usable(a100)),
    ])
}
