//! Published config files, changed the way a careless or a hostile hand would.

#![allow(clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};

/// The published files.
static SEEDS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/configs");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|it| it == "json"));
    paths.sort();
    paths.iter().map(|path| serde_json::from_slice(&fs::read(path).unwrap()).unwrap()).collect()
});

pub(crate) fn seeds() -> &'static [Value] {
    &SEEDS
}

/// One change. Fields are chosen by number, modulo how many there are.
#[derive(Clone, Debug)]
pub(crate) enum Mutation {
    /// Another value for a field.
    Replace { field: usize, value: Value },
    /// A field is gone.
    Remove { field: usize },
    /// A field and its value from another file.
    Borrow { from: usize, field: usize },
    /// The value of a field, times ten or a tenth of it, or one more.
    Scale { field: usize, how: u8 },
    /// A field a second time.
    Twice { field: usize, value: Value },
    /// A value that stands inside this many others.
    Deep { field: usize, levels: usize, object: bool },
    /// A number that no type holds.
    Huge { field: usize },
    /// One byte of the text is another.
    Byte { at: usize, byte: u8 },
    /// The text ends early.
    Cut { at: usize },
}

fn value() -> impl Strategy<Value = Value> {
    let values = vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(2),
        json!(3),
        json!(7),
        json!(64),
        json!(100),
        json!(1024),
        json!(4096),
        json!(1_000_000),
        json!(4_294_967_295_u64),
        json!(4_294_967_296_u64),
        json!(u64::MAX),
        json!(-1),
        json!(i64::MIN),
        json!(0.5),
        json!(1e308),
        json!(""),
        json!("relu"),
        json!("silu"),
        json!("gelu"),
        json!("gelu_new"),
        json!("llama"),
        json!("gemma3"),
        json!("full_attention"),
        json!("x".repeat(500)),
        json!([]),
        json!([0]),
        json!([0, 1, 2]),
        json!([128, 128]),
        json!(vec!["sliding_attention"; 32]),
        json!(vec!["full_attention"; 48]),
        json!([[[null]]]),
        json!({}),
        json!({"model_type": "gemma3_text"}),
        json!({"quant_method": "gptq", "bits": 4, "group_size": 128}),
    ];
    prop_oneof![
        4 => prop::sample::select(values),
        1 => any::<u64>().prop_map(|number| json!(number)),
        1 => any::<u16>().prop_map(|number| json!(number)),
        1 => prop::sample::select(memory_wall_core::config::FAMILIES).prop_map(|family| json!(family)),
    ]
}

pub(crate) fn mutation() -> impl Strategy<Value = Mutation> {
    let field = || 0..1_000_usize;
    prop_oneof![
        6 => (field(), value()).prop_map(|(field, value)| Mutation::Replace { field, value }),
        3 => field().prop_map(|field| Mutation::Remove { field }),
        4 => (field(), field()).prop_map(|(from, field)| Mutation::Borrow { from, field }),
        4 => (field(), 0..4_u8).prop_map(|(field, how)| Mutation::Scale { field, how }),
        1 => (field(), value()).prop_map(|(field, value)| Mutation::Twice { field, value }),
        1 => (field(), 0..200_usize, any::<bool>()).prop_map(|(field, levels, object)| Mutation::Deep { field, levels, object }),
        1 => field().prop_map(|field| Mutation::Huge { field }),
        1 => (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Mutation::Byte { at, byte }),
        1 => any::<usize>().prop_map(|at| Mutation::Cut { at }),
    ]
}

/// The name of a field: mostly of the file itself, else one of its parts.
fn name(json: &Value, field: usize) -> Option<(bool, String)> {
    let part = json.get("text_config").and_then(Value::as_object).filter(|_| !field.is_multiple_of(4));
    let fields = part.or(json.as_object())?;
    fields.keys().nth(field % fields.len().max(1)).map(|name| (part.is_some(), name.clone()))
}

fn place(json: &mut Value, inner: bool) -> Option<&mut serde_json::Map<String, Value>> {
    if inner { json.get_mut("text_config")?.as_object_mut() } else { json.as_object_mut() }
}

/// The text of the file after all changes.
pub(crate) fn apply(seed: &Value, mutations: &[Mutation]) -> Vec<u8> {
    let mut json = seed.clone();
    let mut at_the_start = Vec::new();
    for mutation in mutations {
        let (Mutation::Replace { field, .. }
        | Mutation::Remove { field }
        | Mutation::Borrow { field, .. }
        | Mutation::Scale { field, .. }
        | Mutation::Twice { field, .. }
        | Mutation::Deep { field, .. }
        | Mutation::Huge { field }) = mutation
        else {
            continue;
        };
        let borrowed = match mutation {
            Mutation::Borrow { from, .. } => &SEEDS[from % SEEDS.len()],
            _ => &json,
        };
        let Some((inner, name)) = name(borrowed, *field) else { continue };
        let other = if inner { borrowed["text_config"][&name].clone() } else { borrowed[&name].clone() };
        let quoted = Value::from(name.as_str());
        match mutation {
            Mutation::Twice { value, .. } => at_the_start.push(format!("{quoted}:{value}")),
            Mutation::Huge { .. } => at_the_start.push(format!("{quoted}:9{}", "0".repeat(400))),
            Mutation::Deep { levels, object, .. } => {
                let [open, close] = if *object { ["{\"a\":", "}"] } else { ["[", "]"] };
                at_the_start.push(format!("{quoted}:{}0{}", open.repeat(*levels), close.repeat(*levels)));
            }
            _ => {}
        }
        let Some(fields) = place(&mut json, inner) else { continue };
        match mutation {
            Mutation::Replace { value, .. } => drop(fields.insert(name, value.clone())),
            Mutation::Borrow { .. } => drop(fields.insert(name, other)),
            Mutation::Remove { .. } | Mutation::Huge { .. } | Mutation::Deep { .. } => drop(fields.remove(&name)),
            Mutation::Scale { how, .. } => {
                if let Some(number) = fields.get(&name).and_then(Value::as_u64) {
                    let scaled = match how {
                        0 => number.saturating_mul(10),
                        1 => number / 10,
                        2 => number.saturating_add(1),
                        _ => number.saturating_mul(2),
                    };
                    fields.insert(name, json!(scaled));
                }
            }
            _ => {}
        }
    }
    let text = json.to_string();
    if text != "{}" {
        at_the_start.push(String::new());
    }
    let mut bytes = text.replacen('{', &format!("{{{}", at_the_start.join(",")), 1).into_bytes();
    for mutation in mutations {
        match mutation {
            Mutation::Byte { at, byte } if !bytes.is_empty() => {
                let at = at % bytes.len();
                bytes[at] = *byte;
            }
            Mutation::Cut { at } => bytes.truncate(at % (bytes.len() + 1)),
            _ => {}
        }
    }
    bytes
}
