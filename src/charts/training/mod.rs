//! What training adds: the bytes of each parameter, what layers keep for the backward pass, what each remedy saves, and generating beside it.
//!
//! All of it speaks of training the model in the bar, whatever the calculator is set to.

use memory_wall_core::display::{Figure, THIN_SPACE};
use memory_wall_core::memory::{StatePart, activations, logits, states};
use memory_wall_core::tables::models;
use memory_wall_core::{
    Attention, Bucket, Bytes, Checked, Checkpointing, Evaluation, Gradients, Implementation, Mode, Optimizer, Phase,
    Recipe, Scenario, WeightFormat, bounds, evaluate, worked,
};

use crate::charts::wall::percent;
use crate::dials::Dial;
use crate::live::Snapshot;
use crate::state::State;
use crate::words::{fill, t};

/// Bytes a parameter at the top of the scale, and how high that is, in percent of the drawing.
pub const MOST: f64 = 20.0;
const TOP: f64 = 94.0;

/// Multiples of `hidden_size` at the end of the scale of activations.
pub const LONGEST: f64 = 72.0;

/// How wide either side of generating and training is, in percent of the drawing.
pub const WING: f64 = 49.0;

/// The columns: four recipes with `AdamW`, and the reader's own choice.
pub static COLUMNS: [(&str, Option<Recipe>); 5] = [
    ("mixed", Some(Recipe::Mixed)),
    ("mixed-fp32-grads", Some(Recipe::MixedFp32Gradients)),
    ("without-master", Some(Recipe::WithoutMaster)),
    ("pure", Some(Recipe::Pure)),
    ("yours", None),
];

/// Whose code keeps how much: the implementation, what it recomputes, in which precisions, with which attention.
pub type Code = (Implementation, Checkpointing, Recipe, Attention);

/// The rows on activations, the least first, and what the loss takes.
pub static KEPT: [(&str, Option<Code>); 8] = [
    ("full", Some((Implementation::Transformers, Checkpointing::Full, Recipe::Mixed, Attention::Flash))),
    ("per-op", Some((Implementation::Torchtitan, Checkpointing::PerOp, Recipe::Mixed, Attention::Flash))),
    ("megatron", Some((Implementation::Megatron, Checkpointing::None, Recipe::Mixed, Attention::Flash))),
    ("transformers", Some((Implementation::Transformers, Checkpointing::None, Recipe::Mixed, Attention::Flash))),
    ("litgpt", Some((Implementation::Litgpt, Checkpointing::None, Recipe::Mixed, Attention::Flash))),
    ("autocast", Some((Implementation::Transformers, Checkpointing::None, Recipe::Autocast, Attention::Flash))),
    ("eager", Some((Implementation::Transformers, Checkpointing::None, Recipe::Mixed, Attention::Eager))),
    ("logits", None),
];

/// The remedies of the table, by the names of the engine's own rungs. What they change stands in `remedy`, which a test
/// holds against them: the whole ladder with its reasons would double what this section adds to the program.
pub static FIXES: [&str; 6] =
    ["lora", "full-checkpointing", "8bit-optimizer", "smaller-micro-batch", "mixed-precision", "offload-optimizer"];

/// What is set side by side.
pub static SIDES: [Bucket; 6] =
    [Bucket::Weights, Bucket::Gradients, Bucket::Optimizer, Bucket::KvCache, Bucket::Activations, Bucket::Logits];

/// What a model of 7 billion parameters keeps from step to step, in GB.
pub static STATES: Dial = Dial {
    id: "states",
    unit: "gb",
    range: (2.0, 2_000.0),
    answer: || {
        let scenario = Scenario { mode: Mode::Training, ..Scenario::new(models::by_id("generic-7b")?.architecture) };
        Some(sum(&scenario.check().ok()?).0 as f64 / 1e9)
    },
};

fn sum(scenario: &Checked) -> Bytes {
    states(scenario).into_iter().sum()
}

/// The reader's model in training.
fn training(state: &State) -> Checked {
    State { mode: Mode::Training, ..*state }.scenario()
}

/// Training with a recipe and `AdamW`, from 16-bit weights; with none, as the reader has chosen.
pub fn with(state: &State, recipe: Option<Recipe>) -> Option<Checked> {
    let own = training(state);
    let Some(recipe) = recipe else { return Some(own) };
    let plain = |it: &mut Scenario| {
        (it.weights, it.training.recipe, it.optimizer) = (WeightFormat::Bf16, recipe, Optimizer::AdamW);
    };
    own.with(plain).ok()
}

/// Bytes of each part for one parameter.
pub fn each(scenario: &Checked) -> [f64; 5] {
    let parameters = Bytes(scenario.local_parameters().total().into());
    states(scenario).map(|bytes| bytes.share_of(parameters))
}

/// How high so many bytes a parameter stand, in percent.
pub fn height(each: f64) -> f64 {
    (each / MOST * TOP).clamp(0.0, TOP + 2.0)
}

/// Three digits without zeros behind the point: `16`, `12.6`.
pub fn short(number: f64) -> String {
    let text = Figure(number).to_string();
    match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.').into(),
        None => text,
    }
}

/// `2 + 2 + 4 + 4 + 4`, without what is not there.
#[cfg(not(target_arch = "wasm32"))]
pub fn terms(scenario: &Checked) -> String {
    let terms = each(scenario).into_iter().filter(|each| *each > 0.0);
    terms.map(short).collect::<Vec<_>>().join(" + ")
}

/// What the engine says to the reader's model, generating and training, and to each remedy that does something.
pub struct Answers {
    modes: [Evaluation; 2],
    /// Bytes saved, negative where it takes more, and what it takes then.
    fixes: [Option<(i128, Bytes)>; 6],
}

impl Answers {
    /// Asks it.
    pub fn of(state: &State) -> Self {
        let modes = [Mode::Inference, Mode::Training].map(|mode| evaluate(&State { mode, ..*state }.scenario()));
        let fixes = FIXES.map(|id| {
            let [before, after] = remedy(state, id)?;
            let total = evaluate::total(&after);
            let saved = evaluate::total(&before).minus(total).0;
            (saved != 0).then_some((saved, total))
        });
        Self { modes, fixes }
    }
}

/// Training without a remedy and with it; the same twice where it changes nothing.
fn remedy(state: &State, id: &str) -> Option<[Checked; 2]> {
    let mut before = *training(state);
    if id == "mixed-precision" {
        (before.weights, before.training.recipe) = (WeightFormat::Fp32, Recipe::Fp32);
    }
    let mut after = before;
    match id {
        "lora" => after.mode = Mode::Lora,
        "full-checkpointing" => after.checkpointing = Checkpointing::Full,
        "8bit-optimizer" if before.optimizer == Optimizer::AdamW => after.optimizer = Optimizer::AdamW8bit,
        "smaller-micro-batch" => {
            (after.training.micro_batches, after.batch) = (before.batch.min(bounds::MICRO_BATCHES.max), 1);
        }
        "mixed-precision" => {
            (after.weights, after.training.recipe) = (WeightFormat::Bf16, Recipe::Mixed);
            // As before it: what becomes of gradients between two steps is no matter of precision.
            after.training.gradients = Gradients::Freed;
        }
        "offload-optimizer" => after.offload.optimizer = true,
        _ => {}
    }
    Some([before.check().ok()?, after.check().ok()?])
}

/// The bytes that a row on activations keeps, and those of them that are scores of eager attention.
fn kept(state: &State, code: Option<Code>) -> Option<(Bytes, Bytes)> {
    let (implementation, checkpointing, recipe, attention) =
        code.unwrap_or((Implementation::Transformers, Checkpointing::None, Recipe::Mixed, Attention::Flash));
    let run = with(state, Some(Recipe::Mixed))?.with(|it| {
        (it.training.implementation, it.training.recipe) = (implementation, recipe);
        (it.checkpointing, it.attention) = (checkpointing, attention);
    });
    let run = run.ok()?;
    Some(match code {
        Some(_) => activations::in_layers(&run),
        None => (worked::total(|sink| logits::terms(&run, Phase::Loss, sink)), Bytes::ZERO),
    })
}

fn kept_by(state: &State, id: &str) -> Option<(Bytes, Bytes)> {
    KEPT.iter().find(|(row, _)| *row == id).and_then(|(_, code)| kept(state, *code))
}

/// As a multiple of `hidden_size` bytes, for each token and layer.
fn multiple(state: &State, bytes: Bytes) -> f64 {
    let tokens = u128::from(state.scenario().tokens());
    bytes.share_of(Bytes(tokens * u128::from(state.shape.layers) * u128::from(state.shape.hidden_size)))
}

fn bar(multiple: f64) -> f64 {
    (multiple / LONGEST).clamp(0.0, 1.0) * 100.0
}

/// What the card has for each parameter.
fn room(state: &State) -> f64 {
    state.gpu.capacity.share_of(Bytes(state.shape.parameters().total().into()))
}

fn left(of: &Snapshot, bytes: Bytes) -> String {
    let margin = of.state.gpu.capacity.minus(bytes);
    let key = if margin.0 < 0 { "train.over" } else { "train.left" };
    fill(key, &[("n", &of.size(margin.magnitude()))])
}

/// What a slider of the section means.
pub fn consequence(of: &Snapshot) -> String {
    fill("train.consequence", &[("n", &kept_value(of, "transformers.total").unwrap_or_default())])
}

/// The text with this name; `None` for a name that is not known.
pub fn value(of: &Snapshot, part: &str) -> Option<String> {
    let Some((first, rest)) = part.split_once('.') else {
        let room = room(&of.state);
        return Some(match part {
            "line" => percent(100.0 - height(room)),
            "line_label" => fill("train.line", &[("n", &short(room))]),
            "has" => short(room),
            _ => return None,
        });
    };
    match first {
        "kept" => kept_value(of, rest),
        "fix" => fix_value(of, rest),
        "side" => side_value(of, rest),
        _ => column_value(of, first, rest),
    }
}

/// The scenario of a column.
fn column(state: &State, id: &str) -> Option<Checked> {
    COLUMNS.iter().find(|(column, _)| *column == id).and_then(|(_, recipe)| with(state, *recipe))
}

/// Of a column, `yours.each`; of one of its parts, `yours.first.height`.
fn column_value(of: &Snapshot, id: &str, what: &str) -> Option<String> {
    let scenario = column(&of.state, id)?;
    if let Some((part, what)) = what.split_once('.') {
        let place = StatePart::ALL.iter().position(|known| known.id() == part)?;
        let each = each(&scenario);
        let below: f64 = each.iter().take(place).sum();
        let own = each.get(place).copied()?;
        return Some(match what {
            "top" => percent(100.0 - height(below + own)),
            "height" => percent(height(own)),
            "each" => short(own),
            _ => return None,
        });
    }
    Some(match what {
        "total" => of.size(sum(&scenario)),
        "left" => left(of, sum(&scenario)),
        "each" => short(each(&scenario).into_iter().sum()),
        // Only the prose names it, at a fixed state.
        #[cfg(not(target_arch = "wasm32"))]
        "terms" => terms(&scenario),
        _ => return None,
    })
}

fn kept_value(of: &Snapshot, part: &str) -> Option<String> {
    let (id, what) = part.split_once('.')?;
    let (all, scores) = kept_by(&of.state, id)?;
    let [all_h, rest_h] = [all, all - scores].map(|bytes| multiple(&of.state, bytes));
    Some(match what {
        "bar" => percent(bar(rest_h)),
        "scores" => percent(bar(all_h) - bar(rest_h)),
        "each" => format!("{}{THIN_SPACE}h", Figure(all_h)),
        "total" => of.size(all),
        _ => return None,
    })
}

fn fix_value(of: &Snapshot, part: &str) -> Option<String> {
    let (id, what) = part.split_once('.')?;
    // A rough estimate that only the prose and the table name, at fixed states: the program has no answer and leaves it as it is.
    #[cfg(not(target_arch = "wasm32"))]
    if what == "time" {
        let [before, after] = remedy(&of.state, id)?;
        return Some(format!("{:.1}×", memory_wall_core::cost::time_ratio(&before, &after)));
    }
    let place = FIXES.iter().position(|fix| *fix == id)?;
    let Some((saved, total)) = of.training().fixes.get(place).copied()? else {
        return match what {
            "saved" => Some(t("train.nothing").into()),
            "total" | "left" => Some("–".into()),
            _ => None,
        };
    };
    Some(match what {
        "saved" => {
            let size = of.size(Bytes(saved.unsigned_abs()));
            if saved < 0 { fill("train.more", &[("n", &size)]) } else { size }
        }
        "total" => of.size(total),
        "left" => left(of, total),
        _ => return None,
    })
}

/// `weights.training`, the size, and `weights.training_bar`, its bar.
fn side_value(of: &Snapshot, part: &str) -> Option<String> {
    let (id, what) = part.split_once('.')?;
    let answers = of.training();
    let (mode, what) = what.split_once('_').unwrap_or((what, ""));
    let own = answers.modes.get(usize::from(mode == Mode::Training.id()))?;
    if id == "total" {
        return Some(of.size(own.total));
    }
    let bucket = SIDES.iter().copied().find(|bucket| bucket.id() == id)?;
    let [infer, train] = answers.modes.each_ref().map(|it| it.total);
    let bar = own.bytes(bucket).share_of(infer.max(train)) * WING;
    Some(match what {
        "" if own.bytes(bucket) == Bytes::ZERO => t("train.none").into(),
        "" => of.size(own.bytes(bucket)),
        "bar" => percent(bar),
        "from" => percent(WING - bar),
        _ => return None,
    })
}

/// Whether the condition with this name holds: `over.mixed`, `cut.eager`, `beyond` for a line above the scale.
pub fn flag(of: &Snapshot, part: &str) -> Option<bool> {
    if part == "beyond" {
        return Some(room(&of.state) > MOST);
    }
    let (what, id) = part.split_once('.')?;
    Some(match what {
        "over" => sum(&column(&of.state, id)?) > of.state.gpu.capacity,
        "cut" => multiple(&of.state, kept_by(&of.state, id)?.0) > LONGEST,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
