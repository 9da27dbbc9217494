//! Questions on time and money.

use memory_wall_core::display::{Count, Percent};
use memory_wall_core::published::RUNS;
use memory_wall_core::scaling::MFU;
use memory_wall_core::spending::{dense_peak, gpu_hours, price_per_million, training_flops};

use super::facts::A100;
use super::numbers::{Values, Variant, gpu, model};
use super::written::{figure, flops};
use crate::figures::money;

/// A model on so many billion tokens, at an MFU in percent.
pub(super) fn hours((id, billions, gpu_id, percent): (&str, u64, &str, u32)) -> Option<Variant> {
    let (model, gpu) = (model(id)?, gpu(gpu_id)?);
    let (parameters, tokens) = (model.architecture.active_parameters(), billions * 1_000_000_000);
    let (work, peak) = (training_flops(parameters, tokens), dense_peak(gpu)?);
    let mfu = f64::from(percent) / 100.0;
    let answer = gpu_hours(work, peak, mfu);
    Some(Variant {
        values: vec![
            ("model", model.name.into()),
            ("parameters", Count(parameters).to_string()),
            ("tokens", Count(tokens).to_string()),
            ("gpu", gpu.name.into()),
            ("peak", flops(peak)),
            ("mfu", percent.to_string()),
            ("flops", money::power_of_ten(work)),
            ("answer", money::numbers([answer; 2])),
        ],
        answer,
        slips: vec![("forward", answer / 3.0), ("peak", answer * mfu), ("seconds", answer * 3_600.0)],
    })
}

/// So many tokens a second on so many GPUs, for so many dollars an hour each.
pub(super) fn price((rate, gpus, dollars): (u32, u32, f64)) -> Variant {
    let answer = price_per_million(rate.into(), gpus.into(), dollars);
    let one = (gpus > 1).then(|| ("one", answer / f64::from(gpus)));
    Variant {
        values: vec![
            ("rate", money::numbers([rate.into(); 2])),
            ("gpus", gpus.to_string()),
            ("price", figure(dollars)),
            ("seconds", money::numbers([1e6 / f64::from(rate); 2])),
            ("answer", figure(answer)),
        ],
        answer,
        slips: one.into_iter().chain([("seconds", answer * 3_600.0)]).collect(),
    }
}

/// The run of the section, on a node and on two.
pub(super) fn double() -> Option<Values> {
    const GPUS: u32 = 64;
    let parameters = model("llama-2-7b")?.architecture.active_parameters();
    let work = training_flops(parameters, 2_000_000_000_000);
    let hours = gpu_hours(work, dense_peak(gpu(A100)?)?, MFU[0]);
    Some(vec![
        ("gpus", GPUS.to_string()),
        ("twice", (2 * GPUS).to_string()),
        ("hours", money::numbers([hours; 2])),
        ("time", money::lasts([hours * 3_600.0 / f64::from(GPUS); 2])),
    ])
}

/// A run of which both are known: what its steps reach, and the hours of all of it.
pub(super) fn whole() -> Option<Values> {
    let run = RUNS.iter().find(|run| run.stated.is_some_and(|[least, most]| least < most))?;
    let [least, most] = run.stated?.map(|end| Percent(end).to_string());
    Some(vec![("name", run.name.into()), ("least", least), ("most", most), ("whole", Percent(run.mfu()?).to_string())])
}
