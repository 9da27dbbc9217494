//! Ollama: its scheduler's lines, `key=value` in the style of Go's `slog`; the runner prints as llama.cpp does.
//!
//! Read in November 2026 in public logs of 0.4 to 0.18 and in `ml/device.go`, `server/sched.go`, `llm/memory.go`. Its GB and GiB are powers of 1,024
//! with two or three digits.

use super::{Settings, line};
use crate::formats::llama_cpp;
use crate::pattern::{Hole, Pattern, Says};
use crate::size::Unit;
use crate::what::{Kind, Refusal, What};

const fn ollama(text: &'static str, holes: &'static [Hole]) -> Pattern {
    line(Kind::Ollama, text, holes)
}

pub(super) const LINES: &[Pattern] = &[
    ollama("msg=\"Listening on {} (version {})\"", &[Hole::Skip, Hole::Name(What::Version)]),
    ollama("msg=\"inference compute\" {}name={} description=\"{}\"", &[Hole::Skip, Hole::Skip, Hole::Name(What::Gpu)]),
    ollama(
        "msg=\"inference compute\" {}total=\"{}\" available=\"{}\"",
        &[Hole::Skip, Hole::Size(What::Capacity), Hole::Size(What::Free)],
    ),
    ollama(
        "msg=\"inference compute\" {}compute={} driver={} name=\"{}\"",
        &[Hole::Skip, Hole::Skip, Hole::Skip, Hole::Name(What::Gpu)],
    ),
    ollama(
        "msg=\"system memory\" total=\"{}\" free=\"{}\"",
        &[Hole::Size(What::HostCapacity), Hole::Size(What::HostFree)],
    ),
    ollama(
        "msg=\"updating system memory data\" {}now.total=\"{}\" now.free=\"{}\"",
        &[Hole::Skip, Hole::Size(What::HostCapacity), Hole::Size(What::HostFree)],
    ),
    ollama(
        "msg=\"updating cuda memory data\" {}now.total=\"{}\" now.free=\"{}\"",
        &[Hole::Skip, Hole::Size(What::Capacity), Hole::Size(What::Free)],
    ),
    ollama("msg=\"updating cuda memory data\" {}name=\"{}\" overhead", &[Hole::Skip, Hole::Name(What::Gpu)]),
    ollama("architecture={} file_type={} name=", &[Hole::Name(What::Class), Hole::Name(What::FileType)]),
    ollama("architecture={} name={} description=", &[Hole::Skip, Hole::Name(What::Model)]),
    // What a layout takes, layer by layer.
    ollama("required.{}.Weights=\"[{}", &[Hole::Buffer, Hole::Sum(What::Weights)]),
    ollama("required.{}.Cache=\"[{}", &[Hole::Buffer, Hole::Sum(What::KvCache)]),
    ollama("required.{}.Graph={}", &[Hole::Buffer, Hole::Of(What::Compute, Unit::BYTE)]),
    ollama("\"available layer vram\"=\"{}\"", &[Hole::Size(What::Available)]),
    ollama("msg=\"loading model\" \"model layers\"={}", &[Hole::Count(What::AllLayers)]),
    ollama(
        "msg=\"gpu memory\" {}available=\"{}\" free=\"{}\"",
        &[Hole::Skip, Hole::Size(What::Available), Hole::Size(What::Free)],
    ),
    // The name of the device was that of its buffer from 0.7 to 0.11, and the layers stood in words.
    ollama("msg=\"model weights\" {}={} size=\"{}\"", &[Hole::Skip, Hole::Buffer, Hole::Size(What::Weights)]),
    ollama("msg=\"kv cache\" {}={} size=\"{}\"", &[Hole::Skip, Hole::Buffer, Hole::Size(What::KvCache)]),
    ollama("msg=\"compute graph\" device={} size=\"{}\"", &[Hole::Buffer, Hole::Size(What::Compute)]),
    ollama(
        "msg=\"compute graph\" backend={} buffer_type={} size=\"{}\"",
        &[Hole::Buffer, Hole::Skip, Hole::Size(What::Compute)],
    ),
    ollama("msg=\"total memory\" size=\"{}\"", &[Hole::Size(What::Total)]),
    ollama("msg=\"offloaded\" layers={}/{}", &[Hole::Count(What::GpuLayers), Hole::Count(What::AllLayers)]),
    // The estimate of releases before 0.12.
    ollama(
        "layers.requested={} layers.model={} layers.offload={}",
        &[Hole::Skip, Hole::Count(What::AllLayers), Hole::Count(What::GpuLayers)],
    ),
    ollama("msg=offload library={}layers.requested", &[Hole::Skip]).saying(Says::Start),
    ollama("gpu_count={} available=\"[{}", &[Hole::Skip, Hole::Sizes(What::Free)]),
    ollama("runner.parallel={} ", &[Hole::Count(What::Parallel)]),
    ollama("runner.size=\"{}\" runner.vram=\"{}\"", &[Hole::Size(What::Total), Hole::Size(What::Projected)]),
    ollama("memory.available=\"[{}", &[Hole::Sizes(What::Free)]),
    ollama("memory.required.allocations=\"[{}", &[Hole::Sizes(What::Placed)]),
    ollama("memory.required.full=\"{}\"", &[Hole::Size(What::Total)]),
    ollama("memory.required.partial=\"{}\"", &[Hole::Size(What::Projected)]),
    ollama("memory.required.kv=\"{}\"", &[Hole::Size(What::KvCache)]),
    ollama("memory.weights.total=\"{}\"", &[Hole::Size(What::Weights)]),
    ollama("projector.weights=\"{}\"", &[Hole::Size(What::PlannedProjector)]),
    ollama("projector.graph=\"{}\"", &[Hole::Size(What::EncoderCompute)]),
    ollama("memory.graph.full=\"{}\"", &[Hole::Size(What::Compute)]),
    ollama("msg=load request=\"{}Parallel:{} ", &[Hole::Skip, Hole::Count(What::Parallel)]).saying(Says::Start),
    ollama("msg=load request=\"{}KvSize:{} ", &[Hole::Skip, Hole::Count(What::Context)]),
    // Where the line is wrapped, these begin the next ones.
    ollama("KvSize:{} KvCacheType:", &[Hole::Count(What::Context)]),
    ollama("KvCacheType:{} NumThreads", &[Hole::Name(What::KvDtype)]),
    ollama("msg=load request=\"{}GPULayers:{}[", &[Hole::Skip, Hole::Count(What::GpuLayers)]),
    ollama(
        "model requires more system memory ({}) than is available ({})",
        &[Hole::Size(What::Requested), Hole::Size(What::HostFree)],
    )
    .saying(Says::Refuses(Refusal::SystemMemory)),
];

// The command of a runner stands behind the estimate of its memory, or before what it allocates.
pub(super) const SETTINGS: &[Settings] = &[
    Settings { mark: "ollama runner ", kind: Kind::Ollama, keys: llama_cpp::KEYS, behind: true, starts: false },
    Settings { mark: "ollama_llama_server ", kind: Kind::Ollama, keys: llama_cpp::KEYS, behind: true, starts: false },
];
