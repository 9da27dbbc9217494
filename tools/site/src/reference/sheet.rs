//! The formula sheet: each formula as it is read from its text, with its numbers put in, and the engine's own answer behind the sign of equality.
//!
//! What a formula gives is worked out from its text and compared with the engine's function: a sheet that contradicts the engine is not built.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use memory_wall_core::display::{ByteUnit, Duration, Figure, Grouped, Size, THIN_SPACE};
use memory_wall_core::units::Bytes;

use super::examples::{self, Example};
use crate::math::{self, Formula, Value};
use crate::wording::{Words, escaped, inline};

/// What the engine answers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    Bytes(Bytes),
    /// Of a signed difference, which may be missing.
    Count(u64),
    FlopsPerSecond(f64),
    FlopsPerByte(f64),
    Seconds(f64),
    PerSecond(f64),
}

impl Answer {
    fn number(self) -> f64 {
        match self {
            Self::Bytes(bytes) => bytes.0 as f64,
            Self::Count(count) => count as f64,
            Self::FlopsPerSecond(number)
            | Self::FlopsPerByte(number)
            | Self::Seconds(number)
            | Self::PerSecond(number) => number,
        }
    }

    fn shown(self, words: &Words) -> String {
        let unit = |number: f64, key: &str| format!("{}{THIN_SPACE}{}", Figure(number), words.say(key));
        match self {
            Self::Bytes(bytes) if bytes.0 < 1_000 => format!("{bytes}{THIN_SPACE}B", bytes = bytes.0),
            Self::Bytes(bytes) => {
                format!("{}{THIN_SPACE}B = {}", Grouped(bytes.0), Size::new(bytes, ByteUnit::Gb))
            }
            Self::Count(count) => Grouped(count.into()).to_string(),
            Self::FlopsPerSecond(number) => unit(number / 1e12, "unit.tflops"),
            Self::FlopsPerByte(number) => unit(number, "unit.intensity"),
            Self::Seconds(number) => Duration(number).to_string(),
            Self::PerSecond(number) => unit(number, "unit.per_second"),
        }
    }

    /// Whether the formula's own number is this one: bytes and counts to the last digit.
    fn is(self, number: f64) -> bool {
        let off = (number - self.number()).abs();
        match self {
            Self::Bytes(_) | Self::Count(_) => off < 0.5,
            _ => off <= 1e-9 * self.number().abs(),
        }
    }
}

/// One formula as its text has it.
#[derive(Debug, Default)]
struct Entry<'a> {
    id: &'a str,
    title: &'a str,
    formula: &'a str,
    says: String,
    /// `units`, `assumes`, `source`, `example`.
    fields: BTreeMap<&'a str, &'a str>,
}

/// The text of the sheet: groups with their titles, and what each symbol means.
#[derive(Debug, Default)]
struct Sheet<'a> {
    symbols: BTreeMap<&'a str, &'a str>,
    groups: Vec<(&'a str, &'a str, Vec<Entry<'a>>)>,
}

const FIELDS: [&str; 4] = ["units", "assumes", "source", "example"];

fn read(text: &str) -> Result<Sheet<'_>, String> {
    let mut sheet = Sheet::default();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let parts = |rest: &'static str| move || format!("formulas.md: not `{rest}`: {line}");
        if let Some(heading) = line.strip_prefix("# ") {
            let (id, title) = heading.split_once(": ").ok_or_else(parts("id: title"))?;
            sheet.groups.push((id, title, Vec::new()));
        } else if let Some(heading) = line.strip_prefix("## ") {
            let (id, title) = heading.split_once(": ").ok_or_else(parts("id: title"))?;
            let (_, _, entries) = sheet.groups.last_mut().ok_or_else(parts("a group first"))?;
            entries.push(Entry { id, title, ..Entry::default() });
        } else if sheet.groups.is_empty() {
            let (name, meaning) = line.split_once(" = ").ok_or_else(parts("symbol = meaning"))?;
            sheet.symbols.insert(name, meaning);
        } else {
            let entry = sheet.groups.last_mut().and_then(|(_, _, entries)| entries.last_mut());
            let entry = entry.ok_or_else(parts("a formula first"))?;
            let field =
                FIELDS.into_iter().find_map(|field| Some((field, line.strip_prefix(field)?.strip_prefix(": ")?)));
            if let Some(formula) = line.strip_prefix("= ") {
                entry.formula = formula;
            } else if let Some((field, text)) = field {
                entry.fields.insert(field, text);
            } else {
                entry.says += if entry.says.is_empty() { "" } else { " " };
                entry.says += line;
            }
        }
    }
    Ok(sheet)
}

/// The sheet as HTML.
pub(crate) fn html(text: &str, words: &Words) -> Result<String, String> {
    let sheet = read(text)?;
    let examples = examples::all()?;
    let mut out = String::new();
    let mut drawn = 0;
    for (id, title, entries) in &sheet.groups {
        // Writing into a string does not fail.
        let _ = write!(
            out,
            "<section class=\"sheet\" id=\"formulas-{id}\"><h3><a class=\"permalink\" href=\"#formulas-{id}\">{title}</a></h3>"
        );
        for entry in entries {
            let example = examples.iter().find(|example| example.id == entry.id);
            let example = example.ok_or(format!("formula {}: nothing computes an example", entry.id))?;
            entry_html(entry, example, &sheet, words, &mut out)
                .map_err(|error| format!("formula {}: {error}", entry.id))?;
            drawn += 1;
        }
        out.push_str("</section>");
    }
    if drawn == examples.len() {
        Ok(out)
    } else {
        Err("formulas.md lacks a formula that an example is computed for".into())
    }
}

fn entry_html(
    entry: &Entry<'_>,
    example: &Example,
    sheet: &Sheet<'_>,
    words: &Words,
    out: &mut String,
) -> Result<(), String> {
    let formula = Formula::read(entry.formula)?;
    let values = formula.names().into_iter().map(|name| example.value(name)).collect::<Result<Vec<Value>, _>>()?;
    let number = formula.work_out(&values)?;
    if !example.answer.is(number) {
        return Err(format!("works out to {number}, and the engine says {}", example.answer.number()));
    }
    let id = entry.id;
    let _ = write!(
        out,
        "<article class=\"entry\" id=\"formula-{id}\"><h4><a class=\"permalink\" href=\"#formula-{id}\">{}</a></h4><p>{}</p><div class=\"formula\" tabindex=\"0\" role=\"group\" aria-label=\"{}\"><p>{}</p><p>{}</p><p>{}</p></div><ul class=\"where\">",
        entry.title,
        inline(&entry.says),
        escaped(entry.title),
        formula.markup(),
        formula.with_numbers(&values),
        math::result(&example.answer.shown(words)),
    );
    for name in formula.names() {
        let meaning = sheet.symbols.get(name).ok_or(format!("{name} has no meaning"))?;
        // A word that says all there is to say.
        if name != *meaning {
            let _ = write!(out, "<li>{} {}</li>", formula_name(name), inline(meaning));
        }
    }
    out.push_str("</ul><dl class=\"facts\">");
    for field in ["example", "units", "assumes", "source"] {
        let text = entry.fields.get(field).ok_or(format!("{field} is missing"))?;
        let text = text.replace("{model}", example.model).replace("{gpu}", example.gpu);
        let _ =
            write!(out, "<div><dt>{}</dt><dd>{}</dd></div>", words.say(&format!("formulas.{field}")), inline(&text));
    }
    out.push_str("</dl></article>");
    Ok(())
}

/// A name as it stands in the formula.
fn formula_name(name: &str) -> String {
    match name.split_once('_') {
        Some((letter, below)) if letter.chars().count() == 1 => format!("<var>{letter}<sub>{below}</sub></var>"),
        _ if name.chars().count() == 1 => format!("<var>{name}</var>"),
        _ => format!("<var class=\"word\">{name}</var>"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_core::communication::Traffic;
    use memory_wall_core::{Bucket, Implementation};
    use std::path::Path;

    fn text() -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        std::fs::read_to_string(root.join("content/en/formulas.md")).unwrap()
    }

    #[test]
    fn every_formula_works_out_to_the_engines_number() {
        let (text, examples) = (text(), examples::all().unwrap());
        let sheet = read(&text).unwrap();
        let (mut seen, mut faults) = (Vec::new(), Vec::new());
        for entry in sheet.groups.iter().flat_map(|(_, _, entries)| entries) {
            let example = examples.iter().find(|example| example.id == entry.id).unwrap();
            let formula = Formula::read(entry.formula).unwrap();
            let values: Result<Vec<Value>, _> = formula.names().into_iter().map(|name| example.value(name)).collect();
            match values.and_then(|values| formula.work_out(&values)) {
                Ok(number) if example.answer.is(number) => {
                    // Another number would be noticed.
                    assert!(!example.answer.is(number * 1.000_1 + 1.0), "{}", entry.id);
                }
                other => faults.push(format!("{}: {other:?}, not {:?}", entry.id, example.answer)),
            }
            assert!(!seen.contains(&entry.id), "{} is there twice", entry.id);
            seen.push(entry.id);
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        assert_eq!(seen.len(), examples.len());
    }

    /// Whoever adds a bucket, an implementation or a kind of traffic is asked here for its formula.
    #[test]
    fn every_part_of_the_engine_has_its_formulas() {
        let text = text();
        let sheet = read(&text).unwrap();
        let ids: Vec<&str> = sheet.groups.iter().flat_map(|(_, _, entries)| entries).map(|entry| entry.id).collect();
        let bucket = |bucket: Bucket| match bucket {
            Bucket::Weights => "weights",
            Bucket::KvCache => "kv-cache",
            Bucket::Activations => "activations-transformers",
            Bucket::Gradients => "gradients",
            Bucket::Optimizer => "adamw",
            Bucket::Logits => "logits",
            Bucket::Overhead => "context",
        };
        let implementation = |implementation: Implementation| match implementation {
            Implementation::Transformers => "activations-transformers",
            Implementation::Megatron => "activations-megatron",
            Implementation::Torchtitan => "activations-torchtitan",
            Implementation::Litgpt => "activations-litgpt",
        };
        let traffic = |traffic: Traffic| match traffic {
            Traffic::Data => "all-reduce",
            Traffic::Tensor => "tensor",
            Traffic::Pipeline => "pipeline",
            Traffic::Context => "ring",
            Traffic::Expert => "experts",
            Traffic::Host => "offload",
        };
        let wanted = Bucket::EACH.into_iter().map(bucket);
        let wanted = wanted.chain(Implementation::ALL.iter().copied().map(implementation));
        for id in wanted.chain(Traffic::EACH.into_iter().map(traffic)) {
            assert!(ids.contains(&id), "there is no formula {id}");
        }
    }

    #[test]
    fn a_sheet_that_contradicts_the_engine_is_not_built() {
        let words = Words::read("reference.txt").unwrap();
        let wrong = text().replacen("2 × layers × kv_heads", "3 × layers × kv_heads", 1);
        assert!(html(&wrong, &words).unwrap_err().contains("the engine says"));
    }
}
