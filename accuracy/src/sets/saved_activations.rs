//! Tensors saved for the backward pass by stock PyTorch and transformers, a layer and the whole model.

use memory_wall_core::architecture::{Biases, Mlp, Moe, Norm, NormWeight, Positions, SlidingWindow};
use memory_wall_core::memory::{activations, logits};
use memory_wall_core::worked::{self, Item};
use memory_wall_core::{Architecture, Bytes, Checked, Checkpointing, Phase, Stock, Training};

use crate::csv;
use crate::sets::{reading, step_peaks};
use crate::{Bound, Data, Outcome, Row, Set};

/// The sets of `saved_activations.csv`, and the parameter counts that its rows and those of `step_peaks.csv` state.
pub(super) fn sets(data: &Data) -> Vec<Set> {
    let file = data.file("saved_activations.csv");
    let (mut layers, mut totals, mut parameters) = (Vec::new(), Vec::new(), Vec::new());
    for row in file.rows() {
        let id = format!("case {}", row.text("case"));
        let scenario = scenario(row);
        let compare = |engine: fn(&Checked) -> u128, column: &str| {
            Outcome::of(scenario.clone().and_then(|scenario| Ok(Outcome::whole(engine(&scenario), row.whole(column)?))))
        };
        layers.push(Row::checked(id.clone(), "bytes", compare(layer, "saved_per_layer")));
        totals.push(Row::checked(format!("{id}, saved"), "bytes", compare(saved, "saved_total")));
        totals.push(Row::checked(format!("{id}, alive"), "bytes", compare(alive, "live_after_forward")));
        let count = |scenario: &Checked| scenario.architecture.parameters().total().into();
        parameters.push(Row::checked(id, "parameters", compare(count, "params")));
    }
    parameters.extend(step_peaks::parameters(data));
    vec![
        Set {
            name: "saved-activations-layer",
            about: "Bytes that one layer saves for the backward pass in stock PyTorch and transformers code, against saved tensors by storage.",
            bound: Bound::EXACT,
            rows: layers,
        },
        Set {
            name: "saved-activations-total",
            about: "The same for the whole model with head and loss; and everything alive when the forward pass is done.",
            bound: Bound::EXACT,
            rows: totals,
        },
        Set {
            name: "parameter-counts",
            about: "Parameters of the models of these runs.",
            bound: Bound::EXACT,
            rows: parameters,
        },
    ]
}

/// What one layer keeps.
fn layer(scenario: &Checked) -> u128 {
    if scenario.checkpointing == Checkpointing::None {
        return activations::saved_per_layer(scenario).0;
    }
    let inputs = activations_of(scenario, |item| item == Item::Checkpoints);
    inputs.0 / u128::from(scenario.architecture.layers.max(1))
}

/// What autograd's hooks see: all that is alive but the outputs, the loss itself and the arguments with which checkpoints are called again.
fn saved(scenario: &Checked) -> u128 {
    let rotary = scenario.architecture.positions == Positions::Rotary;
    let arguments = |item| match item {
        Item::RotaryTables | Item::AttentionMask => true,
        Item::EmbeddingTensors => rotary,
        _ => false,
    };
    let activations =
        activations_of(scenario, |item| scenario.checkpointing == Checkpointing::None || !arguments(item));
    let loss = worked::total(|sink| logits::kept(scenario, sink));
    (activations + loss).0.saturating_sub(4)
}

/// Everything alive between the forward and the backward pass, the logits too.
fn alive(scenario: &Checked) -> u128 {
    let kept = scenario.with(|it| it.training.stock.outputs_kept = true);
    let outputs = kept.map_or(Bytes::ZERO, |kept| worked::total(|sink| logits::kept(&kept, sink)));
    (activations_of(scenario, |_| true) + outputs).0
}

fn activations_of(scenario: &Checked, counts: impl Fn(Item) -> bool) -> Bytes {
    let mut sum = Bytes::ZERO;
    activations::terms(scenario, Phase::Loss, &mut |term| {
        if counts(term.item) {
            sum += term.bytes();
        }
    });
    sum
}

/// The training step that a row states, or why it is not modelled.
fn scenario(row: csv::Row<'_>) -> Result<Checked, String> {
    let on = row.text("measured_on");
    let stock = Stock {
        cpu: if on.contains("CUDA") {
            false
        } else if on.contains("CPU") {
            true
        } else {
            return Err(format!("measured on {on:?}: neither CPU nor CUDA"));
        },
        padding: row.is_set("padding_mask"),
        outputs_kept: false,
        wide_attention: false,
        efficient_kernel: row.text("attn_implementation").contains("mem-efficient"),
        grouped_experts: match row.text("experts_impl") {
            "eager" => false,
            "" | "grouped_mm" => true,
            other => return Err(format!("experts {other:?} are not known")),
        },
        reentrant: false,
    };
    let training = Training { stock, ..Training::DEFAULT };
    reading::pytorch(row, shape(row)?, row.text("attn_implementation"), training)
}

/// The model that a row states.
fn shape(row: csv::Row<'_>) -> Result<Architecture, String> {
    let columns = ["layers", "hidden", "heads", "kv_heads", "head_dim", "intermediate", "vocab"];
    let mut sizes = [0; 7];
    for (size, column) in sizes.iter_mut().zip(columns) {
        *size = row.number(column)?;
    }
    let activation = row.text("activation");
    let dropout = row.float("dropout").is_ok_and(|share| share > 0.0);
    let shape = family(row.text("arch"), sizes, activation, row.number("seq")?)?;
    let gpt2 = shape.norm == Norm::LayerNorm;
    if dropout && !gpt2 {
        return Err("dropout was measured in GPT-2 only".into());
    }
    let sliding = match row.text("sliding_window") {
        "" => shape.sliding_window,
        _ => Some(SlidingWindow::over(shape.layers, row.number("sliding_window")?)),
    };
    let moe = match shape.moe {
        Some(moe) => Some(Moe::of(row.number("experts")?, row.number("top_k")?, moe.intermediate_size)),
        None => None,
    };
    Ok(Architecture { dropout, tied_embeddings: row.is_set("tie_embeddings"), sliding_window: sliding, moe, ..shape })
}

/// A model of a family: sizes as in [`Architecture::llama`]; learned positions for `positions` tokens.
pub(super) fn family(family: &str, sizes: [u32; 7], activation: &str, positions: u32) -> Result<Architecture, String> {
    let llama = Architecture::llama(sizes);
    let qkv = Biases { qkv: true, attention_output: false, mlp: false };
    let gated = ["silu", "gelu_pytorch_tanh", ""];
    let shape = match family {
        "llama" | "mistral" => llama,
        "qwen2" => Architecture { biases: qkv, ..llama },
        "qwen3" => Architecture { qk_norm: true, ..llama },
        "gemma2" => Architecture {
            norm_weight: NormWeight::WithFp32Copy,
            norms_per_layer: 4,
            soft_capped: true,
            // Every other layer, the first among them.
            sliding_window: Some(SlidingWindow::over(llama.layers.div_ceil(2), 4_096)),
            ..llama
        },
        "mixtral" => Architecture { moe: Some(Moe::of(8, 2, llama.intermediate_size)), ..llama },
        "gpt2" => Architecture {
            mlp: match activation {
                "gelu_new" | "" => Mlp::GeluNew,
                "gelu_pytorch_tanh" | "gelu" => Mlp::Gelu,
                other => return Err(format!("activation {other:?} is not known")),
            },
            norm: Norm::LayerNorm,
            positions: Positions::Learned(positions),
            biases: Biases { qkv: true, attention_output: true, mlp: true },
            ..llama
        },
        other => return Err(format!("architecture {other:?} is not known")),
    };
    if shape.mlp == Mlp::Gated && !gated.contains(&activation) {
        return Err(format!("activation {activation:?} is not known"));
    }
    Ok(shape)
}
