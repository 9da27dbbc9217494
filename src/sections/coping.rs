//! Section 11: which technique shrinks which bucket, to be painted before it is shown; and what comes next.
//!
//! All of it is computed when the page is built and works without the program: ticks are the browser's own, and the style
//! sheet shows the answers once the reasons are open.

use leptos::prelude::*;
use memory_wall_core::coping::{ASKED, COUNTS, Technique};
use memory_wall_core::display::{Count, Figure, Grouped, Percent};
use memory_wall_core::frontier::{
    DIRECTIONS, Direction, HBM3, HBM4, STACKS, Status, WAFER, experts_read, stack, tokens_a_pass,
};
use memory_wall_core::precision::ComputePrecision;
use memory_wall_core::roofline::Roof;
use memory_wall_core::tables::gpus;
use memory_wall_core::tables::models::{self, Model};
use memory_wall_core::{Bucket, Mode};

use super::masonry::live;
use crate::live::bucket_name;
use crate::words::{self, fill, fill_with, t};

/// What became of a bucket, in a word: a share less or more, or the same.
fn effect(left: f64) -> String {
    if left < COUNTS {
        // Whole percents would say that nothing is left.
        format!("−{}%", Figure((1.0 - left) * 100.0))
    } else if left < 1.0 - COUNTS {
        format!("−{}", Percent(1.0 - left))
    } else if left > 1.0 + COUNTS {
        format!("+{}", Percent(left - 1.0))
    } else {
        t("coping.same").into()
    }
}

/// One cell: a tick to be set, and the answer beside it.
fn cell(technique: Technique, bucket: Bucket) -> AnyView {
    let Some(left) = technique.left(bucket) else {
        return view! {
            <td class="paint paint-none">
                <span aria-hidden="true">"–"</span>
                <span class="visually-hidden">{t("coping.none")}</span>
            </td>
        }
        .into_any();
    };
    let shrinks = technique.shrinks(bucket);
    let name = format!("{}: {}", words::choice("coping.technique", technique.id()), bucket_name(bucket));
    view! {
        <td class="paint" data-shrinks=shrinks.then_some("")>
            <label>
                <input type="checkbox" autocomplete="off" aria-label=name />
                <span class="paint-truth">{effect(left)}</span>
            </label>
        </td>
    }
    .into_any()
}

fn rows(mode: Mode) -> AnyView {
    let techniques = Technique::ALL.iter().copied().filter(|technique| technique.mode() == mode);
    let rows = techniques
        .map(|technique| {
            view! {
                <tr>
                    <th scope="row">{words::choice("coping.technique", technique.id())}</th>
                    {ASKED.map(|bucket| cell(technique, bucket)).into_iter().collect_view()}
                </tr>
            }
        })
        .collect_view();
    let head = if mode == Mode::Inference { "coping.serving" } else { "coping.training" };
    view! {
        <tbody>
            <tr class="paint-head">
                <th scope="colgroup" colspan=ASKED.len() + 1>{t(head)}</th>
            </tr>
            {rows}
        </tbody>
    }
    .into_any()
}

/// How many cells of all shrink.
fn shrinking() -> usize {
    Technique::ALL.iter().flat_map(|technique| ASKED.map(|bucket| technique.shrinks(bucket))).filter(|it| *it).count()
}

/// Why each technique does what it does.
fn reasons() -> AnyView {
    let rows = Technique::ALL
        .iter()
        .map(|technique| {
            view! {
                <dt>{words::choice("coping.technique", technique.id())}</dt>
                <dd>{words::choice("coping.why", technique.id())}</dd>
            }
        })
        .collect_view();
    view! { <dl class="paint-reasons">{rows}</dl> }.into_any()
}

/// The matrix.
pub fn matrix() -> AnyView {
    let scenario = Technique::Lora.before();
    let [batch, seq] = [scenario.batch, scenario.seq_length].map(|n| Grouped(n.into()).to_string());
    let heads = ASKED.map(|bucket| view! { <th scope="col">{bucket_name(bucket)}</th> }).into_iter().collect_view();
    view! {
        <div class="matrix">
            <p class="figure-title" id="matrix-title">{t("coping.matrix")}</p>
            <p class="caption">{fill("coping.matrix.key", &[("batch", &batch), ("seq", &seq)])}</p>
            <div class="table-scroll" tabindex="0" role="group" aria-labelledby="matrix-title">
                <table class="paint-table">
                    <thead>
                        <tr>
                            <th scope="col">{t("coping.technique")}</th>
                            {heads}
                        </tr>
                    </thead>
                    {rows(Mode::Inference)} {rows(Mode::Training)}
                </table>
            </div>
            <p class="paint-score">
                <span class="paint-hits"></span>
                {fill("coping.hits", &[("n", &shrinking().to_string())])}
                " "
                <span class="paint-misses"></span>
                {t("coping.misses")}
            </p>
            <details class="guess paint-open">
                <summary>{t("coping.reveal")}</summary>
                {reasons()}
            </details>
        </div>
    }
    .into_any()
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
            let values = [
                ("model", live("model at v=1")),
                ("from", live("tier.own.ceiling at v=1")),
                ("to", live("tier.own.ceiling at weights=mxfp4")),
                ("gpu", h100.name.into()),
                ("bf16", figure(wide?.ridge().0)),
                ("fp8", figure(narrow?.ridge().0)),
            ];
            fill_with("frontier.said.formats", &values)
        }
        "experts" => {
            let mixtral = model("mixtral-8x7b")?;
            let moe = mixtral.architecture.moe?;
            let values = [
                ("model", mixtral.name.into()),
                ("active", Count(mixtral.architecture.active_parameters()).to_string()),
                ("all", Count(mixtral.parameters).to_string()),
                ("weights", live("weights at model=mixtral-8x7b")),
                ("experts", moe.experts.to_string()),
                ("read", figure(experts_read(&moe, 16))),
                ("batch", "16".into()),
            ];
            fill_with("frontier.said.experts", &values)
        }
        "latent" => {
            let values = [
                ("model", live("model at model=deepseek-v3")),
                ("token", live("kv_bytes_per_token at model=deepseek-v3")),
                ("whole", live("cache.whole at model=deepseek-v3")),
            ];
            fill_with("frontier.said.latent", &values)
        }
        "speculative" => {
            let values =
                [("n", figure(tokens_a_pass(0.8, 4))), ("guessed", "4".into()), ("share", Percent(0.8).to_string())];
            fill_with("frontier.said.speculative", &values)
        }
        "caches" => {
            let card = gpus::by_id("mi300x")?;
            let share = card.cache()?.0 as f64 / (2 * model("llama-2-7b")?.parameters) as f64;
            let values = [
                ("gpu", card.name.into()),
                ("cache", live("tier.cache.capacity at gpu=mi300x")),
                ("share", Percent(share).to_string()),
                ("model", live("model at v=1")),
            ];
            fill_with("frontier.said.caches", &values)
        }
        "wafer" => {
            let (capacity, rate) = WAFER;
            let large = model("llama-3.1-70b")?;
            let values = [
                ("times", figure(rate.as_gb_per_s() / gpus::by_id("a100-80-sxm")?.bandwidth.as_gb_per_s())),
                ("gpu", live("gpu at v=1")),
                (
                    "capacity",
                    memory_wall_core::display::Size::new(capacity, memory_wall_core::display::ByteUnit::Gb).to_string(),
                ),
                ("model", large.name.into()),
                ("n", (u128::from(large.parameters) * 2).div_ceil(capacity.0).to_string()),
            ];
            fill_with("frontier.said.wafer", &values)
        }
        "co_design" => {
            let large = model("deepseek-v3")?;
            let active = large.architecture.active_parameters() as f64 / large.parameters as f64;
            let values = [
                ("model", large.name.into()),
                ("share", Percent(active).to_string()),
                ("token", live("kv_bytes_per_token at model=deepseek-v3")),
            ];
            fill_with("frontier.said.co_design", &values)
        }
        "hbm4" => {
            let card = gpus::by_id("b200")?;
            let now = Roof::of(card, ComputePrecision::Bf16)?;
            let bandwidth = stack(HBM4).as_gb_per_s() * f64::from(STACKS);
            let next = Roof { bandwidth: memory_wall_core::units::ByteRate::from_gb_per_s(bandwidth), ..now };
            let values = [
                ("hbm3", figure(stack(HBM3).as_gb_per_s())),
                ("now", figure(card.bandwidth.as_gb_per_s() / f64::from(STACKS))),
                ("hbm4", figure(stack(HBM4).as_gb_per_s())),
                ("n", STACKS.to_string()),
                ("gpu", card.name.into()),
                ("from", figure(now.ridge().0)),
                ("to", figure(next.ridge().0)),
            ];
            fill_with("frontier.said.hbm4", &values)
        }
        "cxl" => {
            let values = [
                ("rate", live("tier.host.bandwidth at gpu=h100-sxm")),
                ("n", live("tier.host.ceiling at gpu=h100-sxm")),
                ("own", live("tier.own.ceiling at gpu=h100-sxm")),
            ];
            fill_with("frontier.said.cxl", &values)
        }
        "near" => fill("frontier.said.near", &[("intensity", live("sort.intensity.cache at v=1").as_str())]),
        _ => {
            let values =
                [("weights", live("weights at v=1")), ("n", Count(model("llama-2-7b")?.parameters).to_string())];
            fill_with("frontier.said.inside", &values)
        }
    })
}

fn row(direction: &Direction) -> AnyView {
    let figure = direction.figure;
    view! {
        <li data-status=direction.status.id()>
            <p class="next-name">
                <strong>{words::choice("frontier.name", direction.id)}</strong>
                " "
                {said(direction).unwrap_or_default()}
            </p>
            <p class="next-source">
                <a href=format!("#{figure}")>{words::choice("frontier.figure", figure)}</a>
                " · "
                {direction.source}
            </p>
        </li>
    }
    .into_any()
}

/// What comes next, by how far it has come.
pub fn frontier() -> AnyView {
    let groups = Status::ALL
        .iter()
        .map(|status| {
            let rows = DIRECTIONS.iter().filter(|direction| direction.status == *status).map(row).collect_view();
            view! {
                <div class="next-group" role="group" aria-label=words::choice("frontier.status", status.id())>
                    <p class="next-status" aria-hidden="true">{words::choice("frontier.status", status.id())}</p>
                    <ul>{rows}</ul>
                </div>
            }
        })
        .collect_view();
    view! {
        <div class="next">
            <p class="figure-title">{t("frontier.title")}</p>
            <p class="caption">{fill("frontier.checked", &[("date", memory_wall_core::frontier::CHECKED)])}</p>
            {groups}
        </div>
    }
    .into_any()
}
