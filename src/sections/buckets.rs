//! Section 3: what is eating the memory? The calculator.

use leptos::prelude::*;
use memory_wall_core::display::{Grouped, Percent};
use memory_wall_core::tables::gpus::{self, GPUS};
use memory_wall_core::tables::models::{self, MODELS};
use memory_wall_core::{
    Attention, Bucket, Bytes, Checkpointing, Fit, KvPrecision, Mode, Optimizer, Verdict, WeightFormat, bounds,
};

use crate::rig::Rig;
use crate::state::State;
use crate::state::dimensions::Dimension;
use crate::widgets::bind::{switch, text, view};
use crate::widgets::bucket_table::BucketTable;
use crate::widgets::choice::{Choice, Radios, Select};
use crate::widgets::number_field::NumberField;
use crate::widgets::slider::Slider;
use crate::widgets::stops::Stops;
use crate::widgets::wall::{Wall, bucket_name, layout};
use crate::words::{self, fill, t};

/// A verdict in words.
pub fn verdict_words(verdict: Verdict) -> String {
    words::choice("verdict", verdict.id())
}

/// The verdict with its margin: "It fits with 69.9 GB to spare".
fn verdict_sentence(rig: Rig, fit: &Fit) -> String {
    let margin = rig.size(fit.margin.magnitude());
    let key = match fit.verdict {
        Verdict::Fits => "verdict.fits.margin",
        Verdict::Tight => "verdict.tight.margin",
        Verdict::DoesNotFit => "verdict.does_not_fit.margin",
    };
    fill(key, &[("margin", &margin)])
}

/// What is computed and what comes out, in two or three sentences: the picture for those who do not see it.
fn summary(rig: Rig) -> String {
    let (state, evaluation) = (rig.state(), rig.evaluation());
    let seq = Grouped(state.seq_length.into()).to_string();
    let sequences = if state.batch == 1 {
        t("summary.sequences.one").to_owned()
    } else {
        fill("summary.sequences.many", &[("n", &Grouped(state.batch.into()).to_string())])
    };
    let model = state.model_name();
    let weights = state.weights_in_use().label();
    let values = [("model", model.as_str()), ("weights", weights), ("sequences", &sequences), ("seq", &seq)];
    let what = match state.mode {
        Mode::Inference => fill("summary.inference", &values),
        Mode::Training => fill("summary.training", &values),
    };
    let largest = evaluation.largest();
    let share = Percent(evaluation.bytes(largest).share_of(evaluation.total)).to_string();
    let largest = fill("summary.largest", &[("bucket", &bucket_name(largest)), ("share", &share)]);
    let Some(fit) = &evaluation.fit else { return format!("{what}. {largest}") };
    let [total, capacity] = [evaluation.total, fit.capacity].map(|bytes| rig.size(bytes));
    let needs = fill("summary.total", &[("total", &total), ("capacity", &capacity), ("gpu", state.gpu.name)]);
    format!("{what} {needs}. {} {}. {largest}", verdict_words(fit.verdict), verdict_sentence(rig, fit))
}

/// What a screen reader hears after an edit: the outcome first.
pub fn announcement(rig: Rig) -> String {
    let evaluation = rig.evaluation();
    let total = rig.size(evaluation.total);
    match &evaluation.fit {
        Some(fit) => format!("{total}. {} {}", verdict_words(fit.verdict), verdict_sentence(rig, fit)),
        None => total,
    }
}

fn plain(id: &'static str, label: String) -> Choice {
    Choice { id, label, group: "" }
}

/// Model, precision and card as one line of three lists, and the mode.
fn rig_row(rig: Rig) -> AnyView {
    let models = MODELS
        .iter()
        .map(|model| Choice { id: model.id, label: model.name.into(), group: model.family })
        .collect::<Vec<_>>();
    let cards =
        GPUS.iter().map(|gpu| Choice { id: gpu.id, label: gpu.name.into(), group: gpu.vendor }).collect::<Vec<_>>();
    let training = Memo::new(move |_| rig.state().mode == Mode::Training);
    let formats = Signal::derive(move || {
        let formats = WeightFormat::ALL.iter().filter(|format| !training.get() || format.trainable());
        formats.map(|format| plain(format.id(), format.label().into())).collect::<Vec<_>>()
    });
    view! {
        <div class="rig-row">
            <Select
                control="model"
                label=t("control.model")
                choices=Signal::stored(models)
                chosen=Signal::derive(move || rig.state().model.id)
                pick=Callback::new(move |id| rig.edit(|state| {
                    if let Some(model) = models::by_id(id) { state.choose_model(model); }
                    }))
            />
            <Select
                control="weights"
                label=t("control.weights")
                choices=formats
                chosen=Signal::derive(move || rig.state().weights_in_use().id())
                pick=Callback::new(move |id| rig.edit(|state| {
                    if let Some(format) = WeightFormat::from_id(id) { state.weights = format; }
                    }))
            />
            <Select
                control="gpu"
                label=t("control.gpu")
                choices=Signal::stored(cards)
                chosen=Signal::derive(move || rig.state().gpu.id)
                pick=Callback::new(move |id| rig.edit(|state| {
                    if let Some(gpu) = gpus::by_id(id) { state.gpu = gpu; }
                    }))
            />
        </div>
    }
    .into_any()
}

/// Sequence length, batch and mode: the three levers that are always there.
fn levers(rig: Rig) -> AnyView {
    let consequence = Signal::derive(move || {
        let evaluation = rig.evaluation();
        let kv = evaluation.bytes(Bucket::KvCache);
        let verdict = evaluation.fit.map(|fit| verdict_words(fit.verdict));
        let [cache, total] = [kv, evaluation.total].map(|bytes| rig.size(bytes));
        let values = [("cache", cache.as_str()), ("total", &total), ("verdict", &verdict.unwrap_or_default())];
        let key = if kv == Bytes::ZERO { "control.consequence.training" } else { "control.consequence.inference" };
        fill(key, &values)
    });
    let modes = Mode::ALL.iter().map(|mode| plain(mode.id(), words::choice("control.mode", mode.id()))).collect();
    view! {
        <Slider
            control="seq"
            label=t("control.seq")
            unit=t("control.seq.unit")
            bounds=bounds::SEQ_LENGTH
            stops=Stops::seq_length
            marks=&[(2_048, "2k"), (8_192, "8k"), (32_768, "32k"), (128_000, "128k"), (1_000_000, "1M")]
            value=Signal::derive(move || rig.state().seq_length)
            set=Callback::new(move |tokens| rig.edit(|state| state.set_seq_length(tokens)))
            consequence
        />
        <Slider
            control="batch"
            label=t("control.batch")
            unit=t("control.batch.unit")
            bounds=bounds::BATCH
            stops=Stops::batch
            marks=&[(1, "1"), (8, "8"), (64, "64"), (512, "512"), (4_096, "4k")]
            value=Signal::derive(move || rig.state().batch)
            set=Callback::new(move |batch| rig.edit(|state| state.set_batch(batch)))
            consequence
        />
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

/// What matters less often: KV precision, attention, optimizer, checkpointing.
fn more(rig: Rig) -> AnyView {
    let inference = Memo::new(move |_| rig.state().mode == Mode::Inference);
    let kv = KvPrecision::ALL.iter().map(|kv| plain(kv.id(), kv.label().into())).collect::<Vec<_>>();
    let group = |key: &str, ids: Vec<&'static str>| {
        ids.into_iter().map(|id| plain(id, words::choice(key, id))).collect::<Vec<_>>()
    };
    let attention = group("control.attention", Attention::ALL.iter().map(|choice| choice.id()).collect());
    let optimizer = group("control.optimizer", Optimizer::ALL.iter().map(|choice| choice.id()).collect());
    let checkpointing = group("control.checkpointing", Checkpointing::ALL.iter().map(|choice| choice.id()).collect());
    view! {
        <details class="more">
            <summary>{t("control.more")}</summary>
            <div class="more-inner">
                <div class="only" hidden=switch(move || !inference.get())>
                    <Select
                        control="kv"
                        label=t("control.kv")
                        choices=Signal::stored(kv)
                        chosen=Signal::derive(move || rig.state().kv.id())
                        pick=Callback::new(move |id| rig.edit(|state| {
                            if let Some(kv) = KvPrecision::from_id(id) { state.kv = kv; }
                            }))
                    />
                </div>
                <Select
                    control="attention"
                    label=t("control.attention")
                    choices=Signal::stored(attention)
                    chosen=Signal::derive(move || rig.state().attention.id())
                    pick=Callback::new(move |id| rig.edit(|state| {
                        if let Some(attention) = Attention::from_id(id) { state.attention = attention; }
                        }))
                />
                <div class="only" hidden=switch(move || inference.get())>
                    <Select
                        control="optimizer"
                        label=t("control.optimizer")
                        choices=Signal::stored(optimizer)
                        chosen=Signal::derive(move || rig.state().optimizer.id())
                        pick=Callback::new(move |id| rig.edit(|state| {
                            if let Some(optimizer) = Optimizer::from_id(id) { state.optimizer = optimizer; }
                            }))
                    />
                    <Select
                        control="checkpointing"
                        label=t("control.checkpointing")
                        choices=Signal::stored(checkpointing)
                        chosen=Signal::derive(move || rig.state().checkpointing.id())
                        pick=Callback::new(move |id| rig.edit(|state| {
                            if let Some(checkpointing) = Checkpointing::from_id(id) { state.checkpointing = checkpointing; }
                            }))
                    />
                </div>
                {dimensions(rig)}
            </div>
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

/// "135,231 tokens", "none", or "10,000,000 or more" at the end of the range.
fn largest(value: u32, bounds: bounds::Bounds, unit: &'static str, none: &'static str) -> String {
    let number = Grouped(value.into()).to_string();
    if value == 0 {
        return t(none).into();
    }
    let text = fill(unit, &[("n", &number)]);
    if value == bounds.max { fill("answer.at_least", &[("n", &text)]) } else { text }
}

/// Does it fit, how long a context does, how large a batch does.
fn answers(rig: Rig) -> AnyView {
    let of = move |say: fn(Rig, &Fit) -> String| {
        text(move || rig.evaluation().fit.map_or_else(String::new, |fit| say(rig, &fit)))
    };
    let verdict = of(|_, fit| verdict_words(fit.verdict));
    let margin = of(verdict_sentence);
    let context = of(|_, fit| largest(fit.max_seq, bounds::SEQ_LENGTH, "answer.context.value", "answer.context.none"));
    let beyond = of(|rig, fit| match rig.state().shape.trained_context {
        Some(trained) if fit.max_seq > trained => {
            fill("answer.context.beyond", &[("n", &Grouped(trained.into()).to_string())])
        }
        _ => String::new(),
    });
    let batch = of(|_, fit| largest(fit.max_batch, bounds::BATCH, "answer.batch.value", "answer.batch.none"));
    view! {
        <dl class="answers">
            <div class="answer answer-verdict" data-verdict=of(|_, fit| fit.verdict.id().into())>
                <dt>{t("answer.verdict")}</dt>
                <dd><strong>{verdict}</strong> " " <span class="answer-note">{margin}</span></dd>
            </div>
            <div class="answer" data-answer="context">
                <dt>{t("answer.context")}</dt>
                <dd><strong>{context}</strong> " " <span class="answer-note">{beyond}</span></dd>
            </div>
            <div class="answer" data-answer="batch">
                <dt>{t("answer.batch")}</dt>
                <dd><strong>{batch}</strong></dd>
            </div>
        </dl>
    }
    .into_any()
}

/// What the estimate stands on, and where its rows come from.
fn assumptions(rig: Rig) -> AnyView {
    // One string, so that the list is made anew only when a sentence changes.
    let sentences = Memo::new(move |_| {
        let evaluation = rig.evaluation();
        evaluation.assumptions.iter().map(|assumption| format!("{assumption}\n")).collect::<String>()
    });
    let list = view(move || {
        let sentences = sentences.get();
        sentences.lines().map(|sentence| view! { <li>{sentence.to_owned()}</li> }).collect_view().into_any()
    });
    let model = text(move || {
        fill("assumptions.source.model", &[("source", rig.state().model.source), ("date", models::CHECKED)])
    });
    let gpu = text(move || {
        let gpu = rig.state().gpu;
        let sources = gpu.sources.join("; ");
        let capacity = rig.size(gpu.capacity);
        let values = [
            ("capacity", capacity.as_str()),
            ("basis", gpu.capacity_basis.label()),
            ("source", &sources),
            ("date", gpus::CHECKED),
        ];
        fill("assumptions.source.gpu", &values)
    });
    view! {
        <details class="assumptions">
            <summary>{t("assumptions.title")}</summary>
            <ul>{list} <li class="source">{model}</li> <li class="source">{gpu}</li></ul>
        </details>
    }
    .into_any()
}

/// The calculator: the wall, its levers, its answers and its table.
#[component]
pub fn Calculator(rig: Rig) -> impl IntoView {
    let unit = Signal::derive(move || rig.state().unit);
    let wall = Memo::new(move |_| {
        let state = rig.state();
        layout(&rig.evaluation(), state.gpu.capacity, state.unit)
    });
    let line_label = Signal::derive(move || {
        let capacity = rig.state().gpu.capacity;
        fill("wall.line", &[("capacity", &rig.size(capacity))])
    });
    let summary = text(move || summary(rig));
    view! {
        <div class="calculator">
            {rig_row(rig)}
            <div class="calculator-main">
                <div class="calculator-wall">
                    {view! { <Wall layout=wall unit line_label summary /> }.into_any()}
                </div>
                <div class="calculator-levers">
                    {levers(rig)}
                    {answers(rig)}
                    {more(rig)}
                    <button type="button" class="plain-button reset" on:click=move |_| rig.edit(|state| *state = State::default())>
                        {t("control.reset")}
                    </button>
                </div>
            </div>
            <p class="summary">{summary}</p>
            {view! { <BucketTable rig /> }.into_any()}
            {assumptions(rig)}
        </div>
    }
}
