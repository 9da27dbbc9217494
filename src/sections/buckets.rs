//! Section 3: what is eating the memory? The calculator.

use leptos::prelude::*;
use memory_wall_core::display::{Grouped, Percent};
use memory_wall_core::tables::gpus::{self, GPUS};
use memory_wall_core::tables::models::{self, MODELS};
use memory_wall_core::{
    Attention, Bucket, Checkpointing, Fit, KvPrecision, Mode, Optimizer, Verdict, WeightFormat, bounds,
};

use crate::rig::Rig;
use crate::state::State;
use crate::state::dimensions::Dimension;
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
    rig.state.with(|state| {
        rig.evaluation.with(|evaluation| {
            let seq = Grouped(state.seq_length.into()).to_string();
            let sequences = if state.batch == 1 {
                t("summary.sequences.one").to_owned()
            } else {
                fill("summary.sequences.many", &[("n", &Grouped(state.batch.into()).to_string())])
            };
            let model = state.model_name();
            let values = [("model", model.as_str()), ("weights", state.weights_in_use().label()), ("sequences", &sequences), ("seq", &seq)];
            let what = match state.mode {
                Mode::Inference => fill("summary.inference", &values),
                Mode::Training => fill("summary.training", &values),
            };
            let largest = evaluation.largest();
            let share = Percent(evaluation.bytes(largest).share_of(evaluation.total)).to_string();
            let largest = fill("summary.largest", &[("bucket", &bucket_name(largest).to_lowercase()), ("share", &share)]);
            let Some(fit) = &evaluation.fit else { return format!("{what}. {largest}") };
            let [total, capacity] = [evaluation.total, fit.capacity].map(|bytes| rig.size(bytes));
            let needs = fill("summary.total", &[("total", &total), ("capacity", &capacity), ("gpu", state.gpu.name)]);
            format!("{what} {needs}. {} {}. {largest}", verdict_words(fit.verdict), verdict_sentence(rig, fit))
        })
    })
}

/// What a screen reader hears after an edit: the outcome first.
pub fn announcement(rig: Rig) -> String {
    let fit = rig.evaluation.with_untracked(|evaluation| evaluation.fit);
    let total = rig.size(rig.evaluation.with_untracked(|evaluation| evaluation.total));
    fit.map_or(total.clone(), |fit| format!("{total}. {} {}", verdict_words(fit.verdict), verdict_sentence(rig, &fit)))
}

fn plain(id: &'static str, label: String) -> Choice {
    Choice { id, label, group: "" }
}

/// Model, precision and card as one line of three lists, and the mode.
fn rig_row(rig: Rig) -> impl IntoView {
    let models = MODELS.iter().map(|model| Choice { id: model.id, label: model.name.into(), group: model.family }).collect::<Vec<_>>();
    let cards = GPUS.iter().map(|gpu| Choice { id: gpu.id, label: gpu.name.into(), group: gpu.vendor }).collect::<Vec<_>>();
    let training = Memo::new(move |_| rig.state.with(|state| state.mode == Mode::Training));
    let formats = move || {
        let formats = WeightFormat::ALL.iter().filter(|format| !training.get() || format.trainable());
        formats.map(|format| plain(format.id(), format.label().into())).collect::<Vec<_>>()
    };
    let pick = move |change: &dyn Fn(&mut State)| rig.edit(change);
    view! {
        <div class="rig-row">
            <Select
                control="model"
                label=t("control.model")
                choices=Signal::stored(models)
                chosen=Signal::derive(move || rig.state.with(|state| state.model.id))
                pick=move |id: &str| {
                    if let Some(model) = models::by_id(id) {
                        pick(&|state| state.choose_model(model));
                    }
                }
            />
            <Select
                control="weights"
                label=t("control.weights")
                choices=Signal::derive(formats)
                chosen=Signal::derive(move || rig.state.with(|state| state.weights_in_use().id()))
                pick=move |id: &str| {
                    if let Some(format) = WeightFormat::from_id(id) {
                        pick(&|state| state.weights = format);
                    }
                }
            />
            <Select
                control="gpu"
                label=t("control.gpu")
                choices=Signal::stored(cards)
                chosen=Signal::derive(move || rig.state.with(|state| state.gpu.id))
                pick=move |id: &str| {
                    if let Some(gpu) = gpus::by_id(id) {
                        pick(&|state| state.gpu = gpu);
                    }
                }
            />
        </div>
    }
}

/// Sequence length, batch and mode: the three levers that are always there.
fn levers(rig: Rig) -> impl IntoView {
    let consequence = Signal::derive(move || {
        let (total, kv, verdict) = rig.evaluation.with(|evaluation| {
            (evaluation.total, evaluation.bytes(Bucket::KvCache), evaluation.fit.map(|fit| verdict_words(fit.verdict)))
        });
        let cache = if kv == memory_wall_core::Bytes::ZERO {
            String::new()
        } else {
            format!("{} {}, ", bucket_name(Bucket::KvCache), rig.size(kv))
        };
        format!("{cache}{} {}. {}", t("table.total").to_lowercase(), rig.size(total), verdict.unwrap_or_default())
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
            value=Signal::derive(move || rig.state.with(|state| state.seq_length))
            set=move |tokens| rig.edit(|state| state.set_seq_length(tokens))
            consequence
        />
        <Slider
            control="batch"
            label=t("control.batch")
            unit=t("control.batch.unit")
            bounds=bounds::BATCH
            stops=Stops::batch
            marks=&[(1, "1"), (8, "8"), (64, "64"), (512, "512"), (4_096, "4k")]
            value=Signal::derive(move || rig.state.with(|state| state.batch))
            set=move |batch| rig.edit(|state| state.set_batch(batch))
            consequence
        />
        <Radios
            control="mode"
            label=t("control.mode")
            choices=modes
            chosen=Signal::derive(move || rig.state.with(|state| state.mode.id()))
            pick=move |id: &str| {
                if let Some(mode) = Mode::from_id(id) {
                    rig.edit(|state| state.mode = mode);
                }
            }
        />
    }
}

/// What matters less often: KV precision, attention, optimizer, checkpointing.
fn more(rig: Rig) -> impl IntoView {
    let inference = Memo::new(move |_| rig.state.with(|state| state.mode == Mode::Inference));
    let kv = KvPrecision::ALL.iter().map(|kv| plain(kv.id(), kv.label().into())).collect::<Vec<_>>();
    let group = |key: &str, ids: Vec<&'static str>| ids.into_iter().map(|id| plain(id, words::choice(key, id))).collect::<Vec<_>>();
    let attention = group("control.attention", Attention::ALL.iter().map(|choice| choice.id()).collect());
    let optimizer = group("control.optimizer", Optimizer::ALL.iter().map(|choice| choice.id()).collect());
    let checkpointing = group("control.checkpointing", Checkpointing::ALL.iter().map(|choice| choice.id()).collect());
    view! {
        <details class="more">
            <summary>{t("control.more")}</summary>
            <div class="more-inner">
                <div class="only" hidden=move || !inference.get()>
                    <Select
                        control="kv"
                        label=t("control.kv")
                        choices=Signal::stored(kv)
                        chosen=Signal::derive(move || rig.state.with(|state| state.kv.id()))
                        pick=move |id: &str| {
                            if let Some(kv) = KvPrecision::from_id(id) {
                                rig.edit(|state| state.kv = kv);
                            }
                        }
                    />
                </div>
                <Select
                    control="attention"
                    label=t("control.attention")
                    choices=Signal::stored(attention)
                    chosen=Signal::derive(move || rig.state.with(|state| state.attention.id()))
                    pick=move |id: &str| {
                        if let Some(attention) = Attention::from_id(id) {
                            rig.edit(|state| state.attention = attention);
                        }
                    }
                />
                <div class="only" hidden=move || inference.get()>
                    <Select
                        control="optimizer"
                        label=t("control.optimizer")
                        choices=Signal::stored(optimizer)
                        chosen=Signal::derive(move || rig.state.with(|state| state.optimizer.id()))
                        pick=move |id: &str| {
                            if let Some(optimizer) = Optimizer::from_id(id) {
                                rig.edit(|state| state.optimizer = optimizer);
                            }
                        }
                    />
                    <Select
                        control="checkpointing"
                        label=t("control.checkpointing")
                        choices=Signal::stored(checkpointing)
                        chosen=Signal::derive(move || rig.state.with(|state| state.checkpointing.id()))
                        pick=move |id: &str| {
                            if let Some(checkpointing) = Checkpointing::from_id(id) {
                                rig.edit(|state| state.checkpointing = checkpointing);
                            }
                        }
                    />
                </div>
                {dimensions(rig)}
            </div>
        </details>
    }
}

/// The model's own dimensions as fields.
fn dimensions(rig: Rig) -> impl IntoView {
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
                        value=Signal::derive(move || rig.state.with(|state| dimension.of(&state.shape)))
                        set=move |value| {
                            let mut tried = rig.state.get_untracked();
                            tried.set_dimension(dimension, value).map_err(|error| error.to_string())?;
                            rig.edit(|state| *state = tried);
                            Ok(())
                        }
                    />
                </div>
            }
        })
        .collect_view();
    let counted = move || {
        let parameters = rig.evaluation.with(|evaluation| evaluation.parameters.total());
        fill("control.dimensions.counted", &[("parameters", &Grouped(parameters.into()).to_string())])
    };
    let published = move || fill("control.dimensions.reset", &[("model", rig.state.with(|state| state.model.name))]);
    let unchanged = move || rig.state.with(|state| !state.is_changed());
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
fn answers(rig: Rig) -> impl IntoView {
    let fit = Memo::new(move |_| rig.evaluation.with(|evaluation| evaluation.fit));
    let verdict = move || fit.get().map(|fit| verdict_words(fit.verdict));
    let margin = move || fit.get().map(|fit| verdict_sentence(rig, &fit));
    let context = move || fit.get().map(|fit| largest(fit.max_seq, bounds::SEQ_LENGTH, "answer.context.value", "answer.context.none"));
    let beyond = move || {
        let trained = rig.state.with(|state| state.shape.trained_context)?;
        let longest = fit.get()?.max_seq;
        (longest > trained).then(|| fill("answer.context.beyond", &[("n", &Grouped(trained.into()).to_string())]))
    };
    let batch = move || fit.get().map(|fit| largest(fit.max_batch, bounds::BATCH, "answer.batch.value", "answer.batch.none"));
    view! {
        <dl class="answers">
            <div class="answer answer-verdict" data-verdict=move || fit.get().map(|fit| fit.verdict.id())>
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
}

/// What the estimate stands on, and where its rows come from.
fn assumptions(rig: Rig) -> impl IntoView {
    let sentences = Memo::new(move |_| {
        rig.evaluation.with(|evaluation| evaluation.assumptions.iter().map(|assumption| assumption.to_string()).collect::<Vec<_>>())
    });
    let list = move || sentences.get().into_iter().map(|sentence| view! { <li>{sentence}</li> }).collect_view();
    let model = move || {
        rig.state.with(|state| fill("assumptions.source.model", &[("source", state.model.source), ("date", models::CHECKED)]))
    };
    let gpu = move || {
        rig.state.with(|state| {
            let sources = state.gpu.sources.join("; ");
            let capacity = rig.size(state.gpu.capacity);
            let values =
                [("capacity", capacity.as_str()), ("basis", state.gpu.capacity_basis.label()), ("source", &sources), ("date", gpus::CHECKED)];
            fill("assumptions.source.gpu", &values)
        })
    };
    view! {
        <details class="assumptions">
            <summary>{t("assumptions.title")}</summary>
            <ul>{list} <li class="source">{model}</li> <li class="source">{gpu}</li></ul>
        </details>
    }
}

/// The calculator: the wall, its levers, its answers and its table.
#[component]
pub fn Calculator(rig: Rig) -> impl IntoView {
    let unit = Memo::new(move |_| rig.state.with(|state| state.unit));
    let wall = Memo::new(move |_| {
        rig.evaluation.with(|evaluation| {
            let capacity = rig.state.with(|state| state.gpu.capacity);
            layout(evaluation, capacity, unit.get())
        })
    });
    let line_label = Signal::derive(move || {
        let capacity = rig.state.with(|state| state.gpu.capacity);
        fill("wall.line", &[("capacity", &rig.size(capacity))])
    });
    let summary = Memo::new(move |_| summary(rig));
    view! {
        <div class="calculator">
            {rig_row(rig)}
            <div class="calculator-main">
                <div class="calculator-wall">
                    <Wall layout=wall unit line_label summary />
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
            <BucketTable rig />
            {assumptions(rig)}
        </div>
    }
}
