//! How the figure is drawn, once, when the page is built.

use leptos::prelude::*;
use memory_wall_core::Bucket;
use memory_wall_core::display::{ByteUnit, Count, Figure, Percent, Size};
use memory_wall_core::frontier::{
    CHECKED, DIRECTIONS, Direction, HBM3, HBM4, STACKS, Status, WAFER, experts_read, stack, tokens_a_pass,
};
use memory_wall_core::hierarchy::Tier;
use memory_wall_core::precision::ComputePrecision;
use memory_wall_core::roofline::Roof;
use memory_wall_core::tables::gpus;
use memory_wall_core::tables::models::{self, Model};
use memory_wall_core::units::ByteRate;

use crate::figures::sort::{self, Operation};
use crate::figures::{bound_at, buckets, hierarchy, kv_cache, rig};
use crate::words;

/// Where each direction leads in the tutorial has a name.
#[allow(clippy::indexing_slicing, reason = "worked out by the compiler, which refuses a wrong place")]
const _: () = {
    let mut place = 0;
    while place < DIRECTIONS.len() {
        assert!(words::FRONTIER_FIGURE.has(DIRECTIONS[place].figure), "a direction leads where there are no words for");
        place += 1;
    }
};

/// What the calculator says with the settings of a link.
fn size(binding: buckets::Binding, query: &str) -> String {
    bound_at::<buckets::Model>(binding, query)
}

/// Something of a tier, of the GPU in a link.
fn tier(binding: fn(Tier) -> hierarchy::Binding, tier: Tier, at: &str) -> String {
    bound_at::<hierarchy::Model>(binding(tier), at)
}

/// The name of the model in a link.
fn named(at: &str) -> String {
    bound_at::<rig::Model>(rig::Binding::Model, at)
}

fn model(id: &str) -> Option<&'static Model> {
    models::by_id(id)
}

/// What a direction does to an earlier figure, in a sentence with the engine's numbers.
fn said(direction: &Direction) -> Option<String> {
    let figure = |number: f64| Figure(number).to_string();
    Some(match direction.id {
        "formats" => {
            let h100 = gpus::by_id("h100-sxm")?;
            let [wide, narrow] = [ComputePrecision::Bf16, ComputePrecision::Fp8].map(|it| Roof::of(h100, it));
            let model = named("v=1");
            let from = tier(hierarchy::Binding::Ceiling, Tier::Own, "v=1");
            let to = tier(hierarchy::Binding::Ceiling, Tier::Own, "weights=mxfp4");
            let gpu = h100.name;
            let bf16 = figure(wide?.ridge().0);
            let fp8 = figure(narrow?.ridge().0);
            words::FrontierSaidFormats { model: &model, from: &from, to: &to, gpu, bf16: &bf16, fp8: &fp8 }.text()
        }
        "experts" => {
            let mixtral = model("mixtral-8x7b")?;
            let moe = mixtral.architecture.moe?;
            let model = mixtral.name;
            let active = Count(mixtral.architecture.active_parameters()).to_string();
            let all = Count(mixtral.parameters()).to_string();
            let weights = size(buckets::Binding::Size(Bucket::Weights), "model=mixtral-8x7b");
            let experts = moe.experts.to_string();
            let read = figure(experts_read(&moe, 16));
            let batch = "16";
            words::FrontierSaidExperts {
                model,
                active: &active,
                all: &all,
                weights: &weights,
                batch,
                read: &read,
                experts: &experts,
            }
            .text()
        }
        "latent" => {
            let model = named("model=deepseek-v3");
            let token = size(buckets::Binding::KvBytesPerToken, "model=deepseek-v3");
            let whole = bound_at::<kv_cache::Model>(kv_cache::Binding::Whole, "model=deepseek-v3");
            words::FrontierSaidLatent { model: &model, token: &token, whole: &whole }.text()
        }
        "speculative" => {
            let n = figure(tokens_a_pass(0.8, 4));
            let guessed = "4";
            let share = Percent(0.8).to_string();
            words::FrontierSaidSpeculative { guessed, share: &share, n: &n }.text()
        }
        "caches" => {
            let mi300x = gpus::by_id("mi300x")?;
            let share = mi300x.cache()?.0 as f64 / (2 * model("llama-2-7b")?.parameters()) as f64;
            let gpu = mi300x.name;
            let cache = tier(hierarchy::Binding::Capacity, Tier::Cache, "gpu=mi300x");
            let share = Percent(share).to_string();
            let model = named("v=1");
            words::FrontierSaidCaches { gpu, cache: &cache, share: &share, model: &model }.text()
        }
        "wafer" => {
            let (capacity, rate) = WAFER;
            let large = model("llama-3.1-70b")?;
            let times = figure(rate.as_gb_per_s() / gpus::by_id("a100-80-sxm")?.bandwidth.as_gb_per_s());
            let gpu = bound_at::<rig::Model>(rig::Binding::Gpu, "v=1");
            let held = Size::new(capacity, ByteUnit::Gb).to_string();
            let model = large.name;
            let n = (u128::from(large.parameters()) * 2).div_ceil(capacity.0).to_string();
            words::FrontierSaidWafer { capacity: &held, times: &times, gpu: &gpu, model, n: &n }.text()
        }
        "co_design" => {
            let large = model("deepseek-v3")?;
            let active = large.architecture.active_parameters() as f64 / large.parameters() as f64;
            let model = large.name;
            let share = Percent(active).to_string();
            let token = size(buckets::Binding::KvBytesPerToken, "model=deepseek-v3");
            words::FrontierSaidCoDesign { model, share: &share, token: &token }.text()
        }
        "hbm4" => {
            let b200 = gpus::by_id("b200")?;
            let now = Roof::of(b200, ComputePrecision::Bf16)?;
            let bandwidth = stack(HBM4).as_gb_per_s() * f64::from(STACKS);
            let next = Roof { bandwidth: ByteRate::from_gb_per_s(bandwidth), ..now };
            words::FrontierSaidHbm4 {
                hbm3: &figure(stack(HBM3).as_gb_per_s()),
                now: &figure(b200.bandwidth.as_gb_per_s() / f64::from(STACKS)),
                hbm4: &figure(stack(HBM4).as_gb_per_s()),
                n: &STACKS.to_string(),
                gpu: b200.name,
                from: &figure(now.ridge().0),
                to: &figure(next.ridge().0),
            }
            .text()
        }
        "cxl" => words::FrontierSaidCxl {
            rate: &tier(hierarchy::Binding::Bandwidth, Tier::Host, "gpu=h100-sxm"),
            n: &tier(hierarchy::Binding::Ceiling, Tier::Host, "gpu=h100-sxm"),
            own: &tier(hierarchy::Binding::Ceiling, Tier::Own, "gpu=h100-sxm"),
        }
        .text(),
        "near" => words::FrontierSaidNear {
            intensity: &bound_at::<sort::Model>(sort::Binding::Intensity(Operation::Cache), "v=1"),
        }
        .text(),
        _ => words::FrontierSaidInside {
            weights: &size(buckets::Binding::Size(Bucket::Weights), "v=1"),
            n: &Count(model("llama-2-7b")?.parameters()).to_string(),
        }
        .text(),
    })
}

fn row(direction: &Direction) -> AnyView {
    let figure = direction.figure;
    view! {
        <li data-status=direction.status.id()>
            <p class="next-name">
                <strong>{words::FRONTIER_NAME.of(direction.id)}</strong>
                " "
                {said(direction).unwrap_or_default()}
            </p>
            <p class="next-source">
                <a href=format!("#{figure}")>{words::FRONTIER_FIGURE.of(figure)}</a>
                " · "
                {direction.source}
            </p>
        </li>
    }
    .into_any()
}

/// The figure: what comes next, by how far it has come.
pub fn view() -> AnyView {
    let groups = Status::ALL
        .iter()
        .map(|status| {
            let rows = DIRECTIONS.iter().filter(|direction| direction.status == *status).map(row).collect_view();
            view! {
                <div class="next-group" role="group" aria-label=words::status(*status)>
                    <p class="next-status" aria-hidden="true">{words::status(*status)}</p>
                    <ul>{rows}</ul>
                </div>
            }
        })
        .collect_view();
    view! {
        <div class="next">
            <p class="figure-title">{words::frontier_title()}</p>
            <p class="caption">{words::FrontierChecked { date: CHECKED }.text()}</p>
            {groups}
        </div>
    }
    .into_any()
}
