//! What the calculator is operated with: model, precision and card; sequence length, batch and mode; and what matters less often.

use leptos::prelude::*;
use memory_wall_core::display::ByteUnit;
use memory_wall_core::tables::gpus::{GPUS, Gpu};
use memory_wall_core::tables::models::{MODELS, Model};
use memory_wall_core::{
    AdapterPrecision, Attention, Checkpointing, KvPrecision, Mode, Optimizer, Recipe, TargetSet, WeightFormat,
};

use super::masonry::{flag, live};
use crate::controls::{Pick, SLIDERS, Slider};
use crate::state::State;
use crate::state::dimensions::Dimension;
use crate::widgets::choice::{self, Choice, plain, worded};
use crate::widgets::{field, slider};
use crate::words::{self, t};

/// What is chosen before the reader has chosen.
fn first(control: &str) -> &'static str {
    Pick::by_control(control).map_or("", |pick| pick.chosen(&State::default()))
}

/// A list to choose from.
pub(super) fn list(control: &str, label: &'static str, choices: Vec<Choice>) -> AnyView {
    choice::select(control, label, choices, first(control), None)
}

/// A row of buttons to choose from, hidden in the mode where it changes nothing.
pub(super) fn row(control: &str, label: &'static str, choices: Vec<Choice>) -> AnyView {
    let hidden = flag(&format!("control.idle.{control}"));
    let shown = live(&format!("control.chosen.{control}"));
    choice::radios(control, label.into(), choices, first(control), shown, [None, Some(hidden)])
}

/// The formats of the weights; the page hides those that the mode cannot use.
pub(super) fn formats(control: &str) -> AnyView {
    let choices = WeightFormat::ALL.iter().map(|format| plain(format.id(), format.label())).collect();
    choice::select(control, t("control.weights"), choices, first(control), Some(live("control.offered")))
}

/// Every card.
pub(super) fn cards() -> impl Iterator<Item = Choice> {
    GPUS.iter().map(|gpu: &Gpu| Choice { id: gpu.id, label: gpu.name.into(), group: gpu.vendor })
}

/// A slider by its name in the page.
pub(super) fn lever(control: &str) -> Option<AnyView> {
    Slider::by_control(control).map(slider::slider)
}

/// Model, precision and card as one line of three lists.
pub(super) fn rig_row() -> AnyView {
    let models =
        MODELS.iter().map(|model: &Model| Choice { id: model.id, label: model.name.into(), group: model.family });
    view! {
        <div class="rig-row">
            {list("model", t("control.model"), models.collect())} {formats("weights")}
            {list("gpu", t("control.gpu"), cards().collect())}
        </div>
    }
    .into_any()
}

/// Sequence length, batch and mode: the three levers that are always there.
pub(super) fn levers() -> AnyView {
    let modes = Mode::ALL.iter().map(|mode| worded("control.mode", mode.id())).collect();
    view! {
        <div class="part">
            {SLIDERS.iter().take(2).map(slider::slider).collect_view()} {row("mode", t("control.mode"), modes)}
        </div>
    }
    .into_any()
}

/// How the states of training can be kept.
pub(super) fn recipes() -> Vec<Choice> {
    Recipe::ALL.iter().map(|one| worded("control.recipe", one.id())).collect()
}

/// The layers that carry an adapter.
pub(super) fn targets() -> Vec<Choice> {
    TargetSet::ALL.iter().map(|one| worded("control.targets", one.id())).collect()
}

/// The precisions of adapters.
pub(super) fn adapters() -> Vec<Choice> {
    AdapterPrecision::ALL.iter().map(|one| worded("control.adapters", one.id())).collect()
}

/// What matters less often: KV precision, attention, optimizer, checkpointing, the model's own dimensions.
pub(super) fn more() -> AnyView {
    let kv = KvPrecision::ALL.iter().map(|kv| plain(kv.id(), kv.label())).collect();
    let attention = Attention::ALL.iter().map(|one| worded("control.attention", one.id())).collect();
    let optimizer = Optimizer::ALL.iter().map(|one| worded("control.optimizer", one.id())).collect();
    let checkpointing = Checkpointing::ALL.iter().map(|one| worded("control.checkpointing", one.id())).collect();
    view! {
        <details class="more">
            <summary>{t("control.more")}</summary>
            <div class="more-inner">
                {list("kv", t("control.kv"), kv)} {list("attention", t("control.attention"), attention)}
                {list("optimizer", t("control.optimizer"), optimizer)} {list("recipe", t("control.recipe"), recipes())}
                {list("targets", t("control.targets"), targets())} {list("adapters", t("control.adapters"), adapters())}
                {list("checkpointing", t("control.checkpointing"), checkpointing)} {dimensions()}
            </div>
        </details>
    }
    .into_any()
}

/// The model's own dimensions as fields.
fn dimensions() -> AnyView {
    let fields = Dimension::ALL.map(|one| (one.name(), words::choice("dimension", one.name())));
    view! {
        <fieldset class="dimensions">
            <legend>{t("control.dimensions")}</legend>
            {field::grid(&fields, "control control-dimension")}
            <p class="dimension-count" id="dimension-count" data-waits=flag("control.waits")>{live("control.counted")}</p>
            <button type="button" class="plain-button" aria-disabled=live("control.unchanged") data-act="published">
                {live("control.published")}
            </button>
        </fieldset>
    }
    .into_any()
}

/// Back to where the page started.
pub(super) fn reset() -> AnyView {
    view! {
        <button type="button" class="plain-button reset" data-act="reset">
            {t("control.reset")}
        </button>
    }
    .into_any()
}

/// GB or GiB, for every size on the page.
pub(super) fn units() -> AnyView {
    let button = |unit: ByteUnit| {
        let id = unit.id();
        view! {
            <button
                type="button"
                data-unit=id
                aria-pressed=live(&format!("control.unit.{id}"))
                title=words::choice("control.unit", &format!("{id}.hint"))
                data-act=format!("unit {id}")
            >
                {words::choice("control.unit", id)}
            </button>
        }
    };
    view! {
        <span class="units" role="group" aria-label=t("control.unit")>
            {ByteUnit::EACH.map(button).into_iter().collect_view()}
        </span>
    }
    .into_any()
}
