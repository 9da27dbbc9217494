//! What the calculator is operated with: model, precision and card; sequence length, batch and mode; and what matters less often.

use leptos::prelude::*;
use memory_wall_core::display::{ByteUnit, Grouped};
use memory_wall_core::tables::gpus::{self, GPUS, Gpu};
use memory_wall_core::tables::models::{self, MODELS, Model};
use memory_wall_core::{Attention, Bucket, Bytes, Checkpointing, KvPrecision, Mode, Optimizer, WeightFormat, bounds};

use crate::live::verdict_words;
use crate::rig::Rig;
use crate::state::State;
use crate::state::dimensions::Dimension;
use crate::widgets::bind::{state, switch, text};
use crate::widgets::choice::{Choice, Radios, Select};
use crate::widgets::number_field::NumberField;
use crate::widgets::slider::Slider;
use crate::widgets::stops::Stops;
use crate::words::{self, fill, t};

/// A list to choose from: what it is called, what it offers, what it reads from the state and what it writes.
#[derive(Clone, Copy)]
pub(super) struct Picker {
    /// Its name in the page and in links.
    pub(super) control: &'static str,
    /// Its label's words.
    pub(super) label: &'static str,
    /// Whether it matters in training or in inference; `None` for both.
    pub(super) trains: Option<bool>,
    pub(super) choices: fn(Mode) -> Vec<Choice>,
    pub(super) chosen: fn(&State) -> &'static str,
    pub(super) pick: fn(&mut State, &str),
}

/// The rig: what is set once and named in the bar.
pub(super) const RIG: [Picker; 3] = [
    Picker {
        control: "model",
        label: "control.model",
        trains: None,
        choices: |_| {
            let choice = |model: &Model| Choice { id: model.id, label: model.name.into(), group: model.family };
            MODELS.iter().map(choice).collect()
        },
        chosen: |state| state.model.id,
        pick: |state, id| {
            if let Some(model) = models::by_id(id) {
                state.choose_model(model);
            }
        },
    },
    Picker {
        control: "weights",
        label: "control.weights",
        trains: None,
        choices: |mode| {
            let offered = WeightFormat::ALL.iter().filter(|format| match mode {
                Mode::Inference => true,
                Mode::Training | Mode::Lora => format.trainable(),
                Mode::Qlora => !format.trainable(),
            });
            offered.map(|format| plain(format.id(), format.label())).collect()
        },
        chosen: |state| state.weights_in_use().id(),
        pick: |state, id| state.weights = WeightFormat::from_id(id).unwrap_or(state.weights),
    },
    Picker {
        control: "gpu",
        label: "control.gpu",
        trains: None,
        choices: |_| {
            let choice = |gpu: &Gpu| Choice { id: gpu.id, label: gpu.name.into(), group: gpu.vendor };
            GPUS.iter().map(choice).collect()
        },
        chosen: |state| state.gpu.id,
        pick: |state, id| state.gpu = gpus::by_id(id).unwrap_or(state.gpu),
    },
];

/// What matters less often.
const MORE: [Picker; 4] = [
    Picker {
        control: "kv",
        label: "control.kv",
        trains: Some(false),
        choices: |_| KvPrecision::ALL.iter().map(|kv| plain(kv.id(), kv.label())).collect(),
        chosen: |state| state.kv.id(),
        pick: |state, id| state.kv = KvPrecision::from_id(id).unwrap_or(state.kv),
    },
    Picker {
        control: "attention",
        label: "control.attention",
        trains: None,
        choices: |_| Attention::ALL.iter().map(|choice| worded("control.attention", choice.id())).collect(),
        chosen: |state| state.attention.id(),
        pick: |state, id| state.attention = Attention::from_id(id).unwrap_or(state.attention),
    },
    Picker {
        control: "optimizer",
        label: "control.optimizer",
        trains: Some(true),
        choices: |_| Optimizer::ALL.iter().map(|choice| worded("control.optimizer", choice.id())).collect(),
        chosen: |state| state.optimizer.id(),
        pick: |state, id| state.optimizer = Optimizer::from_id(id).unwrap_or(state.optimizer),
    },
    Picker {
        control: "checkpointing",
        label: "control.checkpointing",
        trains: Some(true),
        choices: |_| Checkpointing::ALL.iter().map(|choice| worded("control.checkpointing", choice.id())).collect(),
        chosen: |state| state.checkpointing.id(),
        pick: |state, id| state.checkpointing = Checkpointing::from_id(id).unwrap_or(state.checkpointing),
    },
];

pub(super) fn plain(id: &'static str, label: &str) -> Choice {
    Choice { id, label: label.into(), group: "" }
}

pub(super) fn worded(group: &str, id: &'static str) -> Choice {
    Choice { id, label: words::choice(group, id), group: "" }
}

/// The lists themselves, each hidden in the mode where it changes nothing.
pub(super) fn pickers(rig: Rig, pickers: &'static [Picker]) -> AnyView {
    let mode = Memo::new(move |_| rig.state().mode);
    let mode = move || mode.get();
    let list = |picker: &'static Picker| {
        view! {
            <div hidden=switch(move || picker.trains.is_some_and(|trains| trains != mode().trains()))>
                <Select
                    control=picker.control
                    label=t(picker.label)
                    choices=Signal::derive(move || (picker.choices)(mode()))
                    chosen=Signal::derive(move || (picker.chosen)(&rig.state()))
                    pick=Callback::new(move |id| rig.edit(|state| (picker.pick)(state, id)))
                />
            </div>
        }
    };
    pickers.iter().map(list).collect_view().into_any()
}

/// Model, precision and card as one line of three lists.
pub fn rig_row(rig: Rig) -> AnyView {
    view! { <div class="rig-row">{pickers(rig, &RIG)}</div> }.into_any()
}

/// The slider of the batch, which stands in more than one figure: `control` tells it from the others.
pub(super) fn batch(rig: Rig, control: &'static str, consequence: Signal<String>) -> AnyView {
    view! {
        <Slider
            control
            label=t("control.batch")
            unit=t("control.batch.unit")
            bounds=bounds::BATCH
            stops=Stops::batch
            marks=&[(1, "1"), (8, "8"), (64, "64"), (512, "512"), (4_096, "4k")]
            value=Signal::derive(move || rig.state().batch)
            set=Callback::new(move |batch| rig.edit(|state| state.set_batch(batch)))
            consequence
        />
    }
    .into_any()
}

/// The slider of the sequence length, likewise.
pub(super) fn seq_length(rig: Rig, control: &'static str, consequence: Signal<String>) -> AnyView {
    view! {
        <Slider
            control
            label=t("control.seq")
            unit=t("control.seq.unit")
            bounds=bounds::SEQ_LENGTH
            stops=Stops::seq_length
            marks=&[(2_048, "2k"), (8_192, "8k"), (32_768, "32k"), (128_000, "128k"), (1_000_000, "1M")]
            value=Signal::derive(move || rig.state().seq_length)
            set=Callback::new(move |tokens| rig.edit(|state| state.set_seq_length(tokens)))
            consequence
        />
    }
    .into_any()
}

/// Sequence length, batch and mode: the three levers that are always there.
pub fn levers(rig: Rig) -> AnyView {
    let consequence = Signal::derive(move || {
        let evaluation = rig.evaluation();
        let kv = evaluation.bytes(Bucket::KvCache);
        let verdict = evaluation.fit.map(|fit| verdict_words(fit.verdict));
        let [cache, total] = [kv, evaluation.total].map(|bytes| rig.size(bytes));
        let values = [("cache", cache.as_str()), ("total", &total), ("verdict", &verdict.unwrap_or_default())];
        let key = if kv == Bytes::ZERO { "control.consequence.training" } else { "control.consequence.inference" };
        fill(key, &values)
    });
    let modes = Mode::ALL.iter().map(|mode| worded("control.mode", mode.id())).collect();
    view! {
        {seq_length(rig, "seq", consequence)} {batch(rig, "batch", consequence)}
        <Radios
            control="mode"
            label=t("control.mode")
            choices=modes
            chosen=Signal::derive(move || rig.state().mode.id())
            pick=Callback::new(move |id| rig.edit(|state| {
                if let Some(mode) = Mode::from_id(id) { state.mode = mode; }
                }))
        />
    }
    .into_any()
}

/// What matters less often: KV precision, attention, optimizer, checkpointing, the model's own dimensions.
pub fn more(rig: Rig) -> AnyView {
    view! {
        <details class="more">
            <summary>{t("control.more")}</summary>
            <div class="more-inner">{pickers(rig, &MORE)} {dimensions(rig)}</div>
        </details>
    }
    .into_any()
}

/// The model's own dimensions as fields.
fn dimensions(rig: Rig) -> AnyView {
    let fields = Dimension::ALL
        .into_iter()
        .map(|dimension| {
            let id = format!("control-{}", dimension.name());
            view! {
                <div class="control control-dimension" data-control=dimension.name()>
                    <label for=id.clone()>{words::choice("dimension", dimension.name())}</label>
                    <NumberField
                        id
                        bounds=dimension.bounds()
                        value=Signal::derive(move || dimension.of(&rig.state().shape))
                        set=Callback::new(move |value| {
                            let mut tried = rig.state.get_untracked();
                            tried.set_dimension(dimension, value).map_err(|error| error.to_string())?;
                            rig.edit(|state| *state = tried);
                            Ok(())
                        })
                    />
                </div>
            }
        })
        .collect_view();
    let counted = text(move || {
        let parameters = rig.evaluation().parameters.total();
        fill("control.dimensions.counted", &[("parameters", &Grouped(parameters.into()).to_string())])
    });
    let published = text(move || fill("control.dimensions.reset", &[("model", rig.state().model.name)]));
    let unchanged = switch(move || !rig.state().is_changed());
    view! {
        <fieldset class="dimensions">
            <legend>{t("control.dimensions")}</legend>
            <div class="dimension-fields">{fields}</div>
            <p class="dimension-count">{counted}</p>
            <button
                type="button"
                class="plain-button"
                disabled=unchanged
                prop:disabled=unchanged
                on:click=move |_| rig.edit(|state| state.choose_model(state.model))
            >
                {published}
            </button>
        </fieldset>
    }
    .into_any()
}

/// Back to where the page started.
pub fn reset(rig: Rig) -> AnyView {
    view! {
        <button type="button" class="plain-button reset" on:click=move |_| rig.set(State::default())>
            {t("control.reset")}
        </button>
    }
    .into_any()
}

/// GB or GiB, for every size on the page.
pub fn units(rig: Rig) -> AnyView {
    let button = |unit: ByteUnit| {
        view! {
            <button
                type="button"
                data-unit=unit.id()
                aria-pressed=state(move || rig.state().unit == unit)
                title=words::choice("control.unit", &format!("{}.hint", unit.id()))
                on:click=move |_| rig.edit(|state| state.unit = unit)
            >
                {words::choice("control.unit", unit.id())}
            </button>
        }
    };
    view! {
        <span class="units" role="group" aria-label=t("control.unit")>
            {ByteUnit::ALL.map(button).into_iter().collect_view()}
        </span>
    }
    .into_any()
}
