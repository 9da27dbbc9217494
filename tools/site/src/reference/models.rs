//! Every model of the engine's table.

use memory_wall_core::architecture::{Architecture, Projection};
use memory_wall_core::display::{ByteUnit, Count, Grouped, Size};
use memory_wall_core::memory::{kv_cache, weights};
use memory_wall_core::tables::models::{MODELS, Model};
use memory_wall_core::{Scenario, worked};

use super::listed::{Sources, name, whole};
use super::table::{Cell, Choice, Row, Table};
use crate::prose::slug;
use crate::wording::Words;

/// Kinds of attention and of layers, in the order in which they are offered.
const KINDS: [&str; 7] = ["mha", "gqa", "mqa", "latent", "window", "state", "experts"];

/// The table with its sources.
pub(crate) fn html(words: &Words) -> Result<String, String> {
    let mut sources = Sources::new("model-source");
    let rows = MODELS.iter().map(|model| row(model, words, &mut sources)).collect::<Result<_, _>>()?;
    let columns = [
        "name",
        "family",
        "parameters",
        "active",
        "layers",
        "hidden",
        "heads",
        "kv_heads",
        "head_dim",
        "vocabulary",
        "context",
        "weights",
        "kv",
        "attention",
        "experts",
        "sources",
    ];
    let mut families: Vec<(String, String)> = Vec::new();
    for model in MODELS {
        let family = (slug(model.family), model.family.to_owned());
        if !families.contains(&family) {
            families.push(family);
        }
    }
    let kinds = KINDS.map(|kind| (kind.to_owned(), words.say(&format!("models.kind.{kind}"))));
    let choices = vec![Choice { by: "family", options: families }, Choice { by: "kinds", options: kinds.into() }];
    let table = Table { id: "models", columns: columns.into(), choices, rows };
    Ok(format!("{}<p class=\"caption\">{}</p>{}", table.html(words), words.say("models.note"), sources.list(words)))
}

fn row(model: &'static Model, words: &Words, sources: &mut Sources) -> Result<Row, String> {
    let id = format!("model-{}", model.id);
    let shape = &model.architecture;
    let scenario = Scenario::new(*shape).check().map_err(|error| format!("{}: {error}", model.id))?;
    let stored = worked::total(|sink| weights::terms(&scenario, sink));
    let token = kv_cache::bytes_per_token(&scenario);
    let active = shape.active_parameters();
    let kinds = kinds(shape);
    let context = shape.trained_context.map(|tokens| (Grouped(tokens.into()).to_string(), tokens.into()));
    let experts = shape.moe.map(|moe| {
        let count = [("k", moe.experts_per_token.to_string()), ("n", moe.experts.to_string())];
        (words.say_with("models.experts", &count), moe.experts.into())
    });
    let cells = vec![
        name(&id, model.name),
        Cell::text(model.family),
        whole(model.parameters()),
        Cell::number(Count(active).to_string(), active as f64),
        whole(shape.layers.into()),
        whole(shape.hidden_size.into()),
        whole(shape.heads.into()),
        whole(shape.kv_heads.into()),
        whole(shape.head_dim.into()),
        whole(shape.vocab_size.into()),
        Cell::maybe(context),
        Cell::number(Size::new(stored, ByteUnit::Gb).to_string(), stored.as_gb()),
        Cell::number(Grouped(token.0).to_string(), token.as_gb()),
        Cell::text(attention(shape, words)),
        Cell::maybe(experts),
        sources.cell(&[model.source]),
    ];
    Ok(Row { id, chosen_by: vec![("family", slug(model.family)), ("kinds", kinds.join(" "))], cells })
}

/// Whose keys and values are kept.
fn heads(shape: &Architecture) -> &'static str {
    match (shape.projection, shape.kv_heads) {
        (Projection::Latent(_), _) => "latent",
        (_, 1) => "mqa",
        (_, kv_heads) if kv_heads == shape.heads => "mha",
        _ => "gqa",
    }
}

fn kinds(shape: &Architecture) -> Vec<&'static str> {
    let also = [
        (shape.sliding_window.is_some(), "window"),
        (shape.linear_attention.is_some(), "state"),
        (shape.moe.is_some(), "experts"),
    ];
    std::iter::once(heads(shape)).chain(also.into_iter().filter(|(has, _)| *has).map(|(_, kind)| kind)).collect()
}

/// The same in words.
fn attention(shape: &Architecture, words: &Words) -> String {
    let mut text = words.say(&format!("models.kind.{}", heads(shape)));
    let layers = |count: u32| [("n", count.to_string()), ("all", shape.layers.to_string())];
    if let Some(window) = shape.sliding_window {
        let [n, all] = layers(window.layers);
        text += &words.say_with("models.window", &[n, all, ("window", Grouped(window.window.into()).to_string())]);
    }
    if let Some(state) = shape.linear_attention {
        text += &words.say_with("models.state", &layers(state.layers));
    }
    text
}
