//! Where llama.cpp's layers are, for programs.

use memory_wall_core::{Checked, Verdict};
use memory_wall_runtimes::llamacpp::{Device, Placement, SOURCE, Speed, VERSION};
use serde::Serialize;

use super::ends;
use super::inputs::Inputs;
use crate::runtime::Layers;

/// The answer to `estimate`.
#[derive(Debug, Serialize)]
pub(crate) struct Placed<'a> {
    model: &'a str,
    scenario: Inputs,
    engine: &'static str,
    version: &'static str,
    source: &'static str,
    #[serde(flatten)]
    step: Step,
    assumptions: Vec<String>,
}

/// The answer to a question about layers.
#[derive(Debug, Serialize)]
pub(crate) struct Solved<'a> {
    #[serde(rename = "for")]
    question: &'static str,
    model: &'a str,
    scenario: Inputs,
    answer: Option<Counted>,
    next: Option<Counted>,
}

#[derive(Debug, Serialize)]
struct Counted {
    value: u32,
    #[serde(flatten)]
    step: Step,
}

#[derive(Debug, Serialize)]
struct Step {
    layers_on_gpus: u32,
    layers: u32,
    layers_with_experts_on_host: u32,
    devices: Vec<OnDevice>,
    host: OnHost,
    verdict: &'static str,
    decode_tokens_per_second: Option<[f64; 2]>,
}

#[derive(Debug, Serialize)]
struct OnDevice {
    gpu: &'static str,
    layers: u32,
    output: bool,
    weights_bytes: u128,
    cache_bytes: u128,
    states_bytes: u128,
    compute_bytes: [u128; 2],
    context_bytes: [u128; 2],
    total_bytes: [u128; 2],
    capacity_bytes: u128,
    room_bytes: u128,
    verdict: &'static str,
}

#[derive(Debug, Serialize)]
struct OnHost {
    layers: u32,
    weights_bytes: u128,
    cache_bytes: u128,
    states_bytes: u128,
    compute_bytes: [u128; 2],
    output_bytes: u128,
    total_bytes: [u128; 2],
    verdict: Option<&'static str>,
}

impl<'a> Placed<'a> {
    pub(crate) fn new(
        model: &'a str,
        scenario: &Checked,
        placement: &Placement,
        speed: Option<Speed>,
        assumptions: Vec<String>,
    ) -> Self {
        Self {
            model,
            scenario: Inputs::new(scenario),
            engine: "llamacpp",
            version: VERSION,
            source: SOURCE,
            step: Step::new(placement, speed),
            assumptions,
        }
    }
}

impl<'a> Solved<'a> {
    /// Of the answer and one step further.
    pub(crate) fn new(
        question: Layers,
        model: &'a str,
        scenario: &Checked,
        [answer, next]: [&Option<(u32, Placement)>; 2],
        speed: impl Fn(&Placement) -> Option<Speed>,
    ) -> Self {
        let counted = |found: &Option<(u32, Placement)>| {
            found
                .as_ref()
                .map(|(value, placement)| Counted { value: *value, step: Step::new(placement, speed(placement)) })
        };
        Self {
            question: question.id(),
            model,
            scenario: Inputs::new(scenario),
            answer: counted(answer),
            next: counted(next),
        }
    }
}

impl Step {
    fn new(placement: &Placement, speed: Option<Speed>) -> Self {
        let host = &placement.host;
        Self {
            layers_on_gpus: placement.on_gpus,
            layers: placement.all,
            layers_with_experts_on_host: placement.cpu_moe,
            devices: placement.devices.iter().map(OnDevice::new).collect(),
            host: OnHost {
                layers: host.layers,
                weights_bytes: host.weights,
                cache_bytes: host.cache,
                states_bytes: host.states,
                compute_bytes: ends(host.compute),
                output_bytes: host.output,
                total_bytes: ends(host.total()),
                verdict: placement.host_verdict.map(Verdict::id),
            },
            verdict: placement.verdict().id(),
            decode_tokens_per_second: speed
                .filter(|_| placement.verdict().holds())
                .map(|speed| speed.tokens_per_second()),
        }
    }
}

impl OnDevice {
    fn new(device: &Device) -> Self {
        Self {
            gpu: device.gpu.id,
            layers: device.layers,
            output: device.output,
            weights_bytes: device.weights,
            cache_bytes: device.cache,
            states_bytes: device.states,
            compute_bytes: ends(device.compute),
            context_bytes: ends(device.context),
            total_bytes: ends(device.total()),
            capacity_bytes: device.gpu.capacity.0,
            room_bytes: device.room,
            verdict: device.verdict().id(),
        }
    }
}
