//! Section 4: where 16 bytes a parameter come from, what layers keep for the backward pass, what each remedy saves, and generating beside training.

use leptos::prelude::*;
use memory_wall_core::memory::StatePart;
use memory_wall_core::{Bucket, Mode, Optimizer, Recipe};

use super::levers::{adapters, lever, list, recipes, targets};
use super::masonry::{flag, live, pattern};
use crate::charts::training::{COLUMNS, FIXES, KEPT, LONGEST, SIDES, WING, each, height, short, terms, with};
use crate::charts::wall::percent;
use crate::live::bucket_name;
use crate::state::State;
use crate::widgets::choice::worded;
use crate::widgets::table::{self, Table};
use crate::words::{self, fill, fill_with, t};

/// Where the first column begins, how far it is to the next, and how wide a column is, in percent of the drawing.
const LEFT: f64 = 19.0;
const STEP: f64 = (100.0 - LEFT) / 5.0;
const WIDTH: f64 = STEP * 0.78;

/// The textbook's constant, in multiples of `hidden_size`.
const TEXTBOOK: f64 = 34.0;

/// Height of a row on activations and of one side by side, and of what stands above the first, in pixels.
const ROW: usize = 42;
const HEAD: usize = 24;

/// The bucket that a part belongs to.
const fn bucket(part: StatePart) -> Bucket {
    match part {
        StatePart::Weight => Bucket::Weights,
        StatePart::Gradient => Bucket::Gradients,
        StatePart::Master | StatePart::First | StatePart::Second => Bucket::Optimizer,
    }
}

/// A name of the section.
fn train(name: &str) -> String {
    live(&format!("train.{name}"))
}

/// A column of parts. What it holds for each parameter does not depend on the model, unless the reader chooses it.
fn column((place, (id, recipe)): (usize, &(&'static str, Option<Recipe>))) -> AnyView {
    let left = LEFT + STEP * place as f64 + (STEP - WIDTH) / 2.0;
    let parts = with(&State::default(), *recipe).map(|run| each(&run)).unwrap_or_default();
    let mut below = 0.0;
    let parts = StatePart::ALL.iter().zip(parts).map(|(part, own)| {
        let name = part.id();
        let middle = height(below + own / 2.0);
        below += own;
        let [y, tall] = if recipe.is_some() {
            [percent(100.0 - height(below)), percent(height(own))]
        } else {
            [train(&format!("{id}.{name}.top")), train(&format!("{id}.{name}.height"))]
        };
        let of = bucket(*part);
        let label = (place == 0).then(|| {
            view! {
                <text class="part-name" x=percent(LEFT) dx="-2" y=percent(100.0 - middle)>
                    {words::choice("train.part", name)} " " <tspan class="part-bytes">{short(own)}</tspan>
                </text>
            }
        });
        view! {
            <g class=format!("course course-{}", of.id())>
                <rect class="ground" x=percent(left) width=percent(WIDTH) y=y.clone() height=tall.clone()></rect>
                <rect x=percent(left) width=percent(WIDTH) y=y height=tall fill=format!("url(#masonry-{})", pattern(of))></rect>
            </g>
            {label}
        }
    });
    parts.collect_view().into_any()
}

/// Bytes a parameter, recipe by recipe, against what the card has for each.
pub fn states() -> AnyView {
    let line = train("line");
    let columns = COLUMNS.iter().enumerate().map(column).collect_view();
    let feet = COLUMNS
        .iter()
        .map(|(id, recipe)| {
            let of = |what: &str| train(&format!("{id}.{what}"));
            let fixed = with(&State::default(), *recipe);
            let [sum, sums] = if let Some(fixed) = fixed.filter(|_| recipe.is_some()) {
                [short(each(&fixed).into_iter().sum()), terms(&fixed)]
            } else {
                [
                    of("each"),
                    StatePart::ALL
                        .iter()
                        .map(|part| of(&format!("{}.each", part.id())))
                        .collect::<Vec<_>>()
                        .join(" + "),
                ]
            };
            view! {
                <li class="foot" data-over=flag(&format!("train.over.{id}"))>
                    <span class="foot-name">{words::choice("train.column", id)}</span>
                    <span class="foot-sum">
                        <b>{sum}</b>
                        " "
                        {t("train.bytes")}
                    </span>
                    <span class="foot-terms">{sums}</span>
                    <b class="foot-total">{of("total")}</b>
                    <span class="foot-left">{of("left")}</span>
                </li>
            }
        })
        .collect_view();
    let optimizers = Optimizer::ALL.iter().map(|one| worded("control.optimizer", one.id())).collect();
    view! {
        <div class="states">
            <p class="figure-title" id="states-title">{t("train.title")} " " {live("model")}</p>
            <svg class="wall state-wall" role="img" aria-labelledby="states-title states-sentence" data-beyond=flag("train.beyond")>
                {columns} <line class="capacity" x1=percent(LEFT) x2="100%" y1=line.clone() y2=line.clone()></line>
                <text class="capacity-label" x=percent(LEFT + STEP * 4.0) dx="-4" y=line dy="-8">
                    {train("line_label")}
                </text>
            </svg>
            <ul class="feet">{feet}</ul>
            <div class="state-choice">
                {list("training-recipe", t("train.recipe"), recipes())}
                {list("training-optimizer", t("train.optimizer"), optimizers)}
            </div>
            <p class="summary" id="states-sentence">{states_sentence()}</p>
            {states_table()}
        </div>
    }
    .into_any()
}

/// The reader's choice in words, with names for its numbers.
fn states_sentence() -> String {
    let values = [
        ("model", live("model")),
        ("each", train("yours.each")),
        ("total", train("yours.total")),
        ("gpu", live("gpu")),
        ("room", train("has")),
        ("left", train("yours.left")),
    ];
    fill_with("train.sentence", &values)
}

fn states_table() -> AnyView {
    let rows = COLUMNS
        .iter()
        .map(|(id, recipe)| {
            let fixed = with(&State::default(), *recipe).map(|run| each(&run)).unwrap_or_default();
            let cells = StatePart::ALL.iter().zip(fixed).map(|(part, own)| {
                let text = if recipe.is_some() { short(own) } else { train(&format!("{id}.{}.each", part.id())) };
                view! { <td>{text}</td> }
            });
            let sum = if recipe.is_some() { short(fixed.into_iter().sum()) } else { train(&format!("{id}.each")) };
            view! {
                <tr>
                    <th scope="row">{words::choice("train.column", id)}</th>
                    {cells.collect_view()}
                    <td>{sum}</td>
                    <td>{train(&format!("{id}.total"))}</td>
                    <td>{train(&format!("{id}.left"))}</td>
                </tr>
            }
        })
        .collect_view();
    let heads = StatePart::ALL.iter().map(|part| words::choice("train.part", part.id()));
    let heads = [t("train.table.recipe").to_owned()]
        .into_iter()
        .chain(heads)
        .chain(["train.table.sum", "train.table.total", "train.table.card"].map(|key| t(key).to_owned()));
    table(t("train.table"), heads.collect(), rows.into_any(), Some(t("train.table.note").into()))
}

/// A table that opens, with a note under it.
fn table(name: &'static str, heads: Vec<String>, rows: AnyView, note: Option<String>) -> AnyView {
    Table { name, class: "train-table", caption: None, heads, rows, note }.folded()
}

/// What a token leaves in each layer, by whose code runs and what is recomputed; and what the loss takes.
pub fn activation() -> AnyView {
    let rows = KEPT
        .iter()
        .enumerate()
        .map(|(place, (id, code))| {
            let of = |what: &str| train(&format!("kept.{id}.{what}"));
            let top = HEAD + ROW * place;
            let kind = if code.is_some() { Bucket::Activations } else { Bucket::Logits };
            let scores = (*id == "eager").then(|| {
                view! { <rect class="kept-scores" x=of("bar") width=of("scores") y=top + 21 height="12"></rect> }
            });
            view! {
                <g class=format!("kept course-{}", kind.id()) data-cut=flag(&format!("train.cut.{id}"))>
                    <text class="kept-name" x="0" y=top + 9>{words::choice("train.kept", id)}</text>
                    <text class="kept-size kept-each" x="100%" dx="-68" y=top + 9>{of("each")}</text>
                    <text class="kept-size" x="100%" y=top + 9>{of("total")}</text>
                    <rect class="ground" x="0" width=of("bar") y=top + 21 height="12"></rect>
                    {scores} <text class="kept-cut" x="100%" dx="-4" y=top + 27>"→"</text>
                </g>
            }
        })
        .collect_view();
    let mark = percent(TEXTBOOK / LONGEST * 100.0);
    let cells = KEPT
        .iter()
        .map(|(id, _)| {
            let of = |what: &str| train(&format!("kept.{id}.{what}"));
            view! {
                <tr>
                    <th scope="row">{words::choice("train.kept", id)}</th>
                    <td>{of("each")}</td>
                    <td>{of("total")}</td>
                    <td>{words::choice("train.kept.about", id)}</td>
                </tr>
            }
        })
        .collect_view();
    let of = |id: &str| train(&format!("kept.{id}.total"));
    let [least, stock, eager, loss] = ["full", "transformers", "eager", "logits"].map(of);
    let values = [("least", least.as_str()), ("stock", &stock), ("eager", &eager), ("loss", &loss)];
    let sentence = fill("train.kept_sentence", &values);
    let heads = ["train.kept_table.code", "train.kept_table.each", "train.kept_table.total", "train.kept_table.about"];
    view! {
        <div class="activation">
            <p class="figure-title" id="kept-title">{t("train.kept_title")}</p>
            <svg class="kept-bars" role="img" aria-labelledby="kept-title kept-sentence" height=HEAD + ROW * KEPT.len()>
                <line class="kept-mark" x1=mark.clone() x2=mark.clone() y1=HEAD - 8 y2="100%"></line>
                <text class="axis-title kept-textbook" x=mark y="7">{t("train.kept_mark")}</text>
                {rows}
            </svg>
            <div class="kept-levers">{lever("training-batch")}</div>
            <details class="more">
                <summary>{t("control.more")}</summary>
                <div class="kept-levers">{lever("training-seq")}</div>
            </details>
            <p class="summary" id="kept-sentence">{sentence}</p>
            {table(
                t("train.kept_table"),
                table::heads(&heads),
                cells.into_any(),
                Some(t("train.kept_table.note").into()),
            )}
        </div>
    }
    .into_any()
}

/// What each remedy saves in the reader's scenario, and what it costs.
pub fn fixes() -> AnyView {
    let head = |key: &str| words::choice("train.fixes", key);
    let rows = FIXES
        .iter()
        .map(|id| {
            let of = |what: &str| train(&format!("fix.{id}.{what}"));
            view! {
                <tr>
                    <th scope="row">
                        {words::choice("train.fix", id)} <span class="fix-acts">{words::choice("train.fix.acts", id)}</span>
                    </th>
                    <td class="fix-saved" data-head=head("saved")>{of("saved")}</td>
                    <td data-head=head("total")>{of("total")}</td>
                    <td data-head=head("left")>{of("left")}</td>
                    <td data-head=head("time")>
                        <span>{of("time at v=1")} " → " {of("time at batch=8")}</span>
                    </td>
                    <td class="fix-price">{words::choice("train.fix.price", id)}</td>
                </tr>
            }
        })
        .collect_view();
    let table = Table {
        name: t("train.fixes_caption"),
        class: "fix-table",
        caption: None,
        heads: ["what", "saved", "total", "left", "time", "price"].map(head).into(),
        rows: rows.into_any(),
        note: Some(t("train.fixes_note").into()),
    };
    view! {
        <div class="fixes">
            <p class="figure-title">{t("train.fixes_title")} " " {live("model")}</p>
            {table.open()}
            <details class="more">
                <summary>{t("train.lora")}</summary>
                <div class="more-inner">
                    {list("training-targets", t("train.targets"), targets())}
                    {list("training-adapters", t("train.adapters"), adapters())}
                </div>
            </details>
        </div>
    }
    .into_any()
}

/// The same model generating, to the left, and training, to the right.
pub fn sides() -> AnyView {
    let modes = [Mode::Inference.id(), Mode::Training.id()];
    let rows = SIDES
        .iter()
        .enumerate()
        .map(|(place, bucket)| {
            let id = bucket.id();
            let of = |what: String| train(&format!("side.{id}.{what}"));
            let [infer, learn] = modes;
            let top = HEAD + 14 + ROW * place;
            let bar = |x: String, width: String, of: Bucket| {
                view! {
                    <g class=format!("course course-{}", of.id())>
                        <rect class="ground" x=x.clone() width=width.clone() y=top + 20 height="14"></rect>
                        <rect x=x width=width y=top + 20 height="14" fill=format!("url(#masonry-{})", pattern(of))></rect>
                    </g>
                }
            };
            view! {
                <line class="tier-rule" x1="0" x2="100%" y1=top - 4 y2=top - 4></line>
                <text class="side-name" x="50%" y=top + 8>{bucket_name(*bucket)}</text>
                <text x="0" y=top + 8>{of(infer.into())}</text>
                <text class="side-right" x="100%" y=top + 8>{of(learn.into())}</text>
                {bar(of(format!("{infer}_from")), of(format!("{infer}_bar")), *bucket)}
                {bar(percent(100.0 - WING), of(format!("{learn}_bar")), *bucket)}
            }
        })
        .collect_view();
    let cells = SIDES
        .iter()
        .map(|bucket| {
            let id = bucket.id();
            let [infer, learn] = modes.map(|mode| train(&format!("side.{id}.{mode}")));
            view! {
                <tr>
                    <th scope="row">{bucket_name(*bucket)}</th>
                    <td>{infer}</td>
                    <td>{learn}</td>
                    <td>{words::choice("train.side", id)}</td>
                </tr>
            }
        })
        .collect_view();
    let [infer, learn] = modes.map(|mode| train(&format!("side.total.{mode}")));
    let sentence = fill("train.sides_sentence", &[("infer", &infer), ("train", &learn)]);
    let heads = ["train.sides.part", "train.sides.inference", "train.sides.training", "train.sides.why"];
    view! {
        <div class="sides">
            <p class="figure-title" id="sides-title">{t("train.sides_title")}</p>
            <svg class="side-bars" role="img" aria-labelledby="sides-title sides-sentence" height=HEAD + 14 + ROW * SIDES.len()>
                <text x="0" y="9"><tspan class="side-mode">{t("train.sides.inference")}</tspan> <tspan dx="5">{infer}</tspan></text>
                <text class="side-right" x="100%" y="9"><tspan class="side-mode">{t("train.sides.training")}</tspan> <tspan dx="5">{learn}</tspan></text>
                {rows}
            </svg>
            <p class="summary" id="sides-sentence">{sentence}</p>
            {table(t("train.sides_table"), table::heads(&heads), cells.into_any(), None)}
        </div>
    }
    .into_any()
}
