//! The inputs of the plan that is shown: one field for each option of the table, hidden where it changes nothing.

use leptos::either::{Either, EitherOf5};
use leptos::html;
use leptos::prelude::*;
use memory_wall_app::components::select::choose_in;
use memory_wall_app::components::{Finder, FinderPanel};
use memory_wall_app::controls::{Choice, choices};
use memory_wall_core::bounds::Bounds;
use memory_wall_core::display::Grouped;
use memory_wall_core::number::Kilo;
use memory_wall_core::tables::gpus::{GPUS, Gpu, OWN};
use memory_wall_core::tables::models::{self, MODELS};
use memory_wall_core::{Engine, KvPrecision, WeightFormat};
use memory_wall_plan::{AsTyped, Kind, Mistyped, PlanOption, Scope, Value, hub};
use memory_wall_runtimes::pool::Server;

use crate::board::{Board, PRICE, Sheet, Slot};
use crate::desk::Desk;
use crate::groups::{self, Group};
use crate::own_model::OwnConfig;
use crate::{link, own_model, words};

/// What is said where a name is not known: so many of those that are near it.
const NEAR: usize = 3;

/// A group with what opens behind it. It is hidden where nothing of it has an effect.
#[component]
pub(crate) fn Fields(desk: Desk, group: &'static Group) -> impl IntoView {
    let fields = |slots: &'static [Slot]| slots.iter().map(|slot| view! { <Field desk name=*slot /> }).collect_view();
    let [first, more] =
        [group.first, group.more].map(|slots| Memo::new(move |_| slots.iter().all(|slot| !desk.displayed(slot).get())));
    view! {
        <fieldset class="inputs-group" data-group=group.id hidden=move || first.get() && more.get()>
            <legend>{words::INPUTS.of(group.id)}</legend>
            <div class="fields">{fields(group.first)}</div>
            <details class="more" hidden=move || more.get()>
                <summary>{words::inputs_more()}</summary>
                <div class="fields">{fields(group.more)}</div>
            </details>
        </fieldset>
    }
}

/// One field with its label and what is wrong in it.
#[component]
fn Field(desk: Desk, name: Slot) -> impl IntoView {
    let slot = name;
    let id = format!("plan-{slot}");
    let kind = groups::option(slot).map(|option| option.kind);
    let label = label(slot);
    if matches!(kind, Some(Kind::Config)) {
        return Either::Left(view! { <OwnConfig desk /> });
    }
    let control = match (kind, groups::option(slot)) {
        (Some(Kind::Choice(ids)), Some(option)) => EitherOf5::A(choice(desk, option, ids(), &id)),
        (Some(Kind::Switch), Some(option)) => EitherOf5::B(switch(desk, option, &id)),
        (Some(Kind::List(all, _)), Some(option)) => EitherOf5::C(list(desk, option, all, &id)),
        (Some(Kind::Row(table, _)), Some(_)) => {
            let finder = Finder::of_field(id.clone(), choices(table), meant);
            let field = entry(desk, slot, &id, Some(&finder));
            EitherOf5::D(view! {
                {field}
                <FinderPanel finder />
            })
        }
        _ => EitherOf5::E(entry(desk, slot, &id, None)),
    };
    let own = (slot == "gpu").then(|| own_gpu(desk));
    let (field, displayed) = (desk.field(slot), desk.displayed(slot));
    let mistake = move || {
        let typed = field.with(|field| field.mistake.as_ref().map(|typed| message(slot, typed)));
        typed.or_else(|| desk.contradiction(slot))
    };
    let group = matches!(kind, Some(Kind::List(..)));
    let switch = matches!(kind, Some(Kind::Switch));
    Either::Right(view! {
        <div
            class="field"
            class:field-switch=switch
            data-field=slot
            role=group.then_some("group")
            aria-labelledby=group.then(|| format!("{id}-label"))
            hidden=move || !displayed.get()
        >
            <label id=format!("{id}-label") for=(!group).then(|| id.clone())>
                {label}
            </label>
            {control}
            {own}
            <span class="field-error" id=format!("{id}-error") role="status">
                {mistake}
            </span>
        </div>
    })
}

/// What a field is called; an option that has no words yet by its own name.
pub(crate) fn label(slot: Slot) -> &'static str {
    Some(words::OPTION.of(slot)).filter(|label| !label.is_empty()).unwrap_or(slot)
}

/// A value as it is shown in a list.
fn shown(option: &PlanOption, id: &'static str) -> String {
    let known = match option.name {
        "weights" => WeightFormat::from_id(id).map(WeightFormat::label),
        "kv" => KvPrecision::from_id(id).map(KvPrecision::label),
        "engine" => Engine::from_id(id).map(Engine::label).or_else(|| Server::from_id(id).map(Server::label)),
        "mode" => Some(words::MODE.of(id)),
        "rl" => Some(words::option_grpo()),
        _ => None,
    };
    known.unwrap_or(id).to_owned()
}

/// A value in words: a choice as its list shows it, and a number as it is typed.
pub(crate) fn value(option: &PlanOption, value: &Value) -> String {
    match value {
        Value::On => words::option_on().into(),
        Value::Own(model) => own_model::own(model),
        Value::Word(id) if option.name == "model" => model_name(id).into(),
        Value::Word(id) if option.name == "gpu" => gpu_name(id).into(),
        Value::Word(id) => shown(option, id),
        value => AsTyped(value).to_string(),
    }
}

/// A list to choose from.
fn choice(desk: Desk, option: &'static PlanOption, ids: Vec<&'static str>, id: &str) -> impl IntoView + use<> {
    let list = NodeRef::<html::Select>::new();
    let field = desk.field(option.name);
    let now = move || field.with(|field| field.effective.as_ref().map(Value::to_string)).unwrap_or_default();
    let first = now();
    Effect::new(move || {
        let now = now();
        if let Some(list) = list.get() {
            choose_in(&list, &now);
        }
    });
    // What a runtime decides by itself is no choice of the list, nor that nothing is named.
    let open = match option.scope {
        // Completions come from somewhere, and the reference is somewhere, where there are any.
        Scope::Rollout => (option.name == "rl").then(words::figure_none),
        Scope::OwnGpu => Some(words::option_off()),
        scope => (scope.is_of_runtime() || option.name == "draft").then(words::option_off),
    };
    let open = open.map(|none| view! { <option value="">{none}</option> });
    let options = ids
        .into_iter()
        .map(|id| {
            view! {
                <option value=id selected=id == first>
                    {shown(option, id)}
                </option>
            }
        })
        .collect_view();
    view! {
        <select
            id=id.to_owned()
            autocomplete="off"
            node_ref=list
            on:change=move |event| {
                let chosen = option.kind.word(&event_target_value(&event)).ok();
                desk.edit(Some(option.name), |board| board.put(option.name, chosen));
            }
        >
            {open} {options}
        </select>
    }
}

/// A box to tick.
fn switch(desk: Desk, option: &'static PlanOption, id: &str) -> impl IntoView + use<> {
    let field = desk.field(option.name);
    let on = move || field.with(|field| field.said.is_some());
    view! {
        <input
            type="checkbox"
            id=id.to_owned()
            autocomplete="off"
            checked=on()
            prop:checked=on
            on:change=move |event| {
                let value = event_target_checked(&event).then_some(Value::On);
                desk.edit(Some(option.name), |board| board.put(option.name, value));
            }
        />
    }
}

/// Several boxes to tick.
fn list(desk: Desk, option: &'static PlanOption, all: &'static [&'static str], id: &str) -> impl IntoView + use<> {
    let field = desk.field(option.name);
    let has = move |word: &str| {
        field.with(|field| matches!(&field.effective, Some(Value::Words(words)) if words.contains(&word)))
    };
    let boxes = all
        .iter()
        .map(|&word| {
            let id = format!("{id}-{word}");
            view! {
                <span class="tick">
                    <input
                        type="checkbox"
                        id=id.clone()
                        autocomplete="off"
                        checked=has(word)
                        prop:checked=move || has(word)
                        on:change=move |event| {
                            let ticked = event_target_checked(&event);
                            let now = all.iter().copied().filter(|one| if *one == word { ticked } else { has(one) });
                            let now: Vec<&str> = now.collect();
                            let value = (!now.is_empty()).then_some(Value::Words(now));
                            desk.edit(Some(option.name), |board| board.put(option.name, value));
                        }
                    />
                    <label for=id>{word}</label>
                </span>
            }
        })
        .collect_view();
    view! { <span class="ticks">{boxes}</span> }
}

/// What the field of a table offers.
fn choices(table: &str) -> Vec<Choice> {
    if table == "models" {
        return choices::models();
    }
    let own = Choice { group: words::own_gpu(), ..Choice::plain(OWN.id, words::own_gpu()) };
    choices::gpus().into_iter().chain([own]).collect()
}

/// What a text says in such a field: the id of a checkpoint is shown as the model that it is.
fn meant(typed: &str) -> String {
    hub::model(typed).map_or(typed, |model| model.name).to_owned()
}

/// A field to type in: a number, a release, a sum, or the name of a model or GPU, which finds the names like it.
fn entry(desk: Desk, slot: Slot, id: &str, finder: Option<&Finder>) -> impl IntoView + use<> {
    let place = NodeRef::<html::Input>::new();
    let field = desk.field(slot);
    let text = Memo::new(move |_| field.with(|field| field.text.clone()));
    // Whose field it is: what stands half typed belongs to its plan.
    let settled = ArcTrigger::new();
    let asked = settled.clone();
    Effect::new(move |before: Option<usize>| {
        let whose = desk.chosen();
        asked.track();
        let now = text.get();
        if let Some(input) = place.get() {
            // The same value in the reader's own writing stays while they write it.
            let same = before == Some(whose) && now == normal(slot, &input.value());
            if !same || input.value().trim().is_empty() {
                input.set_value(&now);
            }
        }
        whose
    });
    let usual =
        move || field.with(|field| field.usual.as_ref().map(|value| AsTyped(value).to_string())).unwrap_or_default();
    let error = format!("{id}-error");
    let mistyped = move || field.with(|field| field.mistake.is_some());
    let invalid = move || mistyped() || desk.contradiction(slot).is_some();
    let numeric = finder.is_none() && slot != "engine_version";
    let names = finder.is_some();
    let list = finder.map(|finder| finder.id("list"));
    view! {
        <input
            type="text"
            id=id.to_owned()
            role=names.then_some("combobox")
            aria-autocomplete=names.then_some("list")
            aria-controls=list
            aria-expanded=names.then_some("false")
            inputmode=numeric.then_some(if slot == PRICE { "decimal" } else { "numeric" })
            autocomplete="off"
            spellcheck="false"
            class:number-input=numeric
            value=text.get_untracked()
            placeholder=usual
            node_ref=place
            aria-describedby=error
            aria-invalid=move || invalid().then_some("true")
            on:input=move |event| {
                // What is not a value yet may become one.
                let typed = event_target_value(&event);
                if read(slot, &typed).is_ok() {
                    put(desk, slot, &typed);
                }
            }
            on:change=move |event| {
                put(desk, slot, &event_target_value(&event));
                if let Some(input) = place.get_untracked() {
                    let now = text.get_untracked();
                    input.set_value(&now);
                }
                settled.notify();
            }
        />
    }
}

/// What stands in a field: what was mistyped, or what the plan says.
pub(crate) fn text(sheet: &Sheet, slot: Slot) -> String {
    if let Some(typed) = sheet.mistake(slot) {
        return typed.to_owned();
    }
    if groups::option(slot).is_none() {
        let spending = sheet.asked.spending;
        let (kind, value) = if slot == PRICE { (link::PRICE, spending.price) } else { (link::TOKENS, spending.tokens) };
        return value.map(|value| kind.write(value)).unwrap_or_default();
    }
    match (slot, sheet.asked.plan.get(slot)) {
        ("model", Some(Value::Word(id))) => model_name(id).to_owned(),
        ("gpu", Some(Value::Word(id))) => gpu_name(id).to_owned(),
        (_, Some(value)) => AsTyped(value).to_string(),
        (_, None) => String::new(),
    }
}

/// What a field sets.
pub(crate) enum Read {
    Option(Option<Value>),
    Sum(Option<u64>),
}

/// Reads a field; an empty one takes back what was said.
pub(crate) fn read(slot: Slot, typed: &str) -> Result<Read, Mistyped> {
    let typed = typed.trim();
    let Some(option) = groups::option(slot) else {
        let kind = if slot == PRICE { link::PRICE } else { link::TOKENS };
        return match typed {
            "" => Ok(Read::Sum(None)),
            _ => kind.read(typed).map(|value| Read::Sum(Some(value))).ok_or(Mistyped::Word),
        };
    };
    if typed.is_empty() {
        return Ok(Read::Option(None));
    }
    let typed = match slot {
        "model" => {
            let named = MODELS.iter().find(|model| is_called(model.name, typed));
            named.or_else(|| hub::model(typed)).map_or(typed, |model| model.id)
        }
        "gpu" => gpus().find(|(_, name)| is_called(name, typed)).map_or(typed, |(id, _)| id),
        _ => typed,
    };
    option.kind.typed(typed, Kilo::Binary).map(|value| Read::Option(Some(value)))
}

/// Every GPU with its name, those of the table first.
fn gpus() -> impl Iterator<Item = (&'static str, &'static str)> {
    GPUS.iter().map(|gpu| (gpu.id, gpu.name)).chain([(OWN.id, words::own_gpu())])
}

/// The name of a model.
fn model_name(id: &'static str) -> &'static str {
    models::by_id(id).map_or(id, |model| model.name)
}

/// The name of a GPU.
fn gpu_name(id: &'static str) -> &'static str {
    gpus().find(|(own, _)| *own == id).map_or(id, |(_, name)| name)
}

/// What makes the GPU of the plan one of the reader's own, which begins with its numbers.
fn own_gpu(desk: Desk) -> impl IntoView {
    let is_own = move || desk.scenario(|scenario| scenario.gpu.is_some_and(Gpu::is_own)).unwrap_or_default();
    view! {
        <p class="own-gpu">
            <button
                type="button"
                class="plain-button"
                hidden=is_own
                on:click=move |_| desk.change(desk.now(Board::chosen), None, Board::describe_gpu)
            >
                {words::own_gpu()}
            </button>
            <span hidden=move || !is_own()>{words::own_gpu_about()}</span>
        </p>
    }
}

/// Whether a text is this name, in capital letters or not.
fn is_called(name: &str, typed: &str) -> bool {
    name.eq_ignore_ascii_case(typed)
}

/// What a field says once it is read, and what it says by itself where it cannot be.
pub(crate) fn normal(slot: Slot, typed: &str) -> String {
    match read(slot, typed) {
        Ok(Read::Option(Some(Value::Word(id)))) => match slot {
            "model" => model_name(id).to_owned(),
            "gpu" => gpu_name(id).to_owned(),
            _ => id.to_owned(),
        },
        Ok(Read::Option(Some(value))) => AsTyped(&value).to_string(),
        Ok(Read::Sum(Some(value))) => (if slot == PRICE { link::PRICE } else { link::TOKENS }).write(value),
        Ok(_) => String::new(),
        Err(_) => typed.to_owned(),
    }
}

/// Puts what was typed into the plan, or keeps it as a mistake.
pub(crate) fn put(desk: Desk, slot: Slot, typed: &str) {
    match read(slot, typed) {
        Ok(Read::Option(value)) => desk.change(desk.now(Board::chosen), Some(slot), |board| board.put(slot, value)),
        Ok(Read::Sum(value)) => {
            desk.edit(Some(slot), |board| board.spend(slot, value));
            if slot == PRICE {
                desk.keep_price(value);
            }
        }
        Err(_) => desk.edit(Some(slot), |board| board.mistake(slot, typed)),
    }
}

/// What is wrong with what was typed, and what is allowed.
pub(crate) fn message(slot: Slot, typed: &str) -> String {
    let Err(fault) = read(slot, typed) else { return String::new() };
    match (fault, slot) {
        (_, "model") => unknown(typed, &near(typed, MODELS.iter().map(|model| (model.id, model.name))), true),
        (_, "gpu") => unknown(typed, &near(typed, gpus()), false),
        (Mistyped::Number(Bounds { min, max, .. }), _) => {
            let [min, max] = [min, max].map(|end| Grouped(end.into()).to_string());
            words::FieldNumber { value: typed, min: &min, max: &max }.text()
        }
        (Mistyped::Memory(Bounds { min, max, .. }), _) => {
            let [min, max] = [min, max].map(|end| Grouped(end.into()).to_string());
            words::FieldMemory { value: typed, min: &min, max: &max }.text()
        }
        (Mistyped::Config(why), _) => words::FieldConfig { why: &why }.text(),
        (Mistyped::Layout(why), _) => words::FieldLayout { value: typed, why: &why.to_string() }.text(),
        (Mistyped::Release, _) => words::FieldRelease { value: typed }.text(),
        _ => words::FieldSum { value: typed }.text(),
    }
}

fn unknown(typed: &str, near: &[&str], model: bool) -> String {
    let near = near.join(", ");
    match (near.is_empty(), model) {
        (true, true) => words::FieldModel { value: typed }.text(),
        (true, false) => words::FieldGpu { value: typed }.text(),
        (false, true) => words::FieldModelNear { value: typed, near: &near }.text(),
        (false, false) => words::FieldGpuNear { value: typed, near: &near }.text(),
    }
}

/// The names that have most of the words that were typed.
fn near(typed: &str, all: impl Iterator<Item = (&'static str, &'static str)>) -> Vec<&'static str> {
    let typed = typed.rsplit('/').next().unwrap_or(typed).to_ascii_lowercase();
    let parts: Vec<&str> =
        typed.split(|c: char| !c.is_ascii_alphanumeric() && c != '.').filter(|it| !it.is_empty()).collect();
    let score = |(id, name): (&str, &str)| {
        let name = name.to_ascii_lowercase();
        parts.iter().filter(|part| name.contains(*part) || id.contains(*part)).map(|part| part.len()).sum::<usize>()
    };
    let mut found: Vec<(usize, &str)> = all.map(|row| (score(row), row.1)).filter(|(score, _)| *score > 0).collect();
    // The table is by family, and stays so among names that are as near.
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().take(NEAR).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_people_write_them() {
        for (slot, typed, value) in [
            ("seq", " 32k ", "32768"),
            ("seq", "131,072", "131072"),
            ("gpu_memory_utilization", "95 %", "95"),
            ("engine_version", "v0.19.1", "0.19"),
            ("model", "llama 3.1 8b", "Llama 3.1 8B"),
            ("model", "LLAMA-3.1-8B", "Llama 3.1 8B"),
            ("model", "meta-llama/Llama-3.1-8B", "Llama 3.1 8B"),
            ("gpu", "h100-sxm", "H100 SXM5 80GB"),
            (PRICE, "2.50", "2.5"),
            ("tokens", "15T", "15000000000000"),
            ("seq", "", ""),
        ] {
            assert!(read(slot, typed).is_ok(), "{slot} {typed}");
            assert_eq!(normal(slot, typed), value, "{slot}");
        }
    }

    #[test]
    fn a_format_is_called_as_in_its_list() {
        let said = |name: &str, word| value(memory_wall_plan::by_name(name).unwrap(), &Value::Word(word));
        assert_eq!([said("weights", "q4_k"), said("kv", "fp8")], ["GGUF Q4_K_M", "fp8"]);
        assert_eq!([said("gpu", "h100-sxm"), said("model", "llama-3.1-8b")], ["H100 SXM5 80GB", "Llama 3.1 8B"]);
        assert_eq!([said("engine", "llamacpp"), said("mode", "lora")], ["llama.cpp", "LoRA"]);
    }

    #[test]
    fn what_cannot_be_used_is_said_with_what_can() {
        assert_eq!(message("seq", "0"), "“0” is not a whole number from 1 to 10,000,000.");
        assert!(message("model", "someone/Llama-3.1-8B-tuned").contains("Llama 3.1 8B"));
        assert!(message("gpu", "H100").contains("H100 SXM5 80GB"));
        assert!(message("model", "??").contains("“??”"));
        assert!(message(PRICE, "-1").contains("“-1”"));
        assert!(message("engine_version", "0.1").contains("“0.1”"));
        assert_eq!(message("seq", "1"), "");
    }
}
