//! What is understood so far, and the ways to say an option of a plan.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use memory_wall_core::WeightFormat;
use memory_wall_core::tables::models::Model;

use super::words::Word;
use super::{Import, Meaning, Setting};
use crate::export::{Target, asked_for};
use crate::hub;
use crate::json;
use crate::node::{Json, Node};
use crate::plan::Plan;
use crate::table;
use crate::value::{Kind, Value, quoted};

/// A setting to be understood: an option of a command or a key of a file.
#[derive(Debug)]
pub(super) struct Item {
    /// The line.
    pub(super) line: u32,
    /// Its name, with those above it: `zero_optimization.stage`.
    pub(super) name: String,
    /// Its value; of an option without one, on.
    pub(super) value: Json,
}

impl Item {
    /// Whether it is on.
    pub(super) fn on(&self) -> bool {
        match &self.value {
            Json::Bool(on) => *on,
            Json::Text(text) => ["true", "1", "yes", "on"].iter().any(|word| word.eq_ignore_ascii_case(text)),
            _ => false,
        }
    }

    /// Whether it is off, or nothing.
    pub(super) fn off(&self) -> bool {
        matches!(self.text(), "" | "false" | "no" | "0") && !matches!(self.value, Json::List(_) | Json::Map(_))
    }

    /// Its value as a text, as far as it is one word.
    pub(super) fn text(&self) -> &str {
        match &self.value {
            Json::Text(text) | Json::Number(text) => text,
            Json::Bool(true) => "true",
            Json::Bool(false) => "false",
            _ => "",
        }
    }

    /// Its value as a whole number.
    pub(super) fn count(&self) -> Option<u32> {
        self.text().parse().ok()
    }

    /// How it is told of: a value that changes nothing is not repeated, and no secret is.
    fn said(&self, meaning: &Meaning) -> String {
        const SECRETS: [&str; 6] = ["key", "token", "secret", "password", "credential", "auth"];
        let name = shown(&self.name);
        // Counts of tokens are no tokens.
        let secret = SECRETS.iter().any(|word| self.name.split(['-', '_', '.']).any(|part| part == *word));
        if secret || *meaning == Meaning::WithoutEffect {
            return name;
        }
        match &self.value {
            // Without a value, or with one that a shell puts there.
            Json::Bool(true) | Json::Null => name,
            Json::List(_) => format!("{name} [...]"),
            Json::Map(_) => format!("{name} {{...}}"),
            _ if name.is_empty() => shown(self.text()),
            _ => format!("{name} {}", shown(self.text())),
        }
    }
}

/// Foreign text: as it stands where that is plain, and otherwise shortened in quotes.
fn shown(text: &str) -> String {
    let plain = |c: char| c.is_ascii_graphic() && c != '"' && c != '\\';
    if text.len() <= 60 && text.chars().all(plain) { text.to_owned() } else { quoted(text) }
}

/// What is understood so far.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) plan: Plan,
    settings: Vec<Setting>,
    /// The place of a server's `--dtype` among the settings, and the weights that it says.
    dtype: Option<(usize, &'static str)>,
}

impl Reading {
    /// Keeps a server's `--dtype`: what it means is known when all of the command is read.
    pub(super) fn keep_dtype(&mut self, item: &Item) {
        let weights = match item.text() {
            "half" | "float16" => "fp16",
            "bfloat16" => "bf16",
            "float" | "float32" => "fp32",
            text => return self.keep(item, if text == "auto" { Meaning::WithoutEffect } else { unknown() }),
        };
        self.dtype = Some((self.settings.len(), weights));
        self.keep(item, Meaning::Says(Vec::new(), None));
    }

    /// Weights that are stored or loaded in fewer bits stay so whatever `--dtype` says, which is then the type of all else.
    fn settle_dtype(&mut self) {
        let Some((place, weights)) = self.dtype else { return };
        let fewer = self.plan.get("weights").is_some() || self.plan.model().and_then(Model::published).is_some();
        let meaning = match (fewer, weights) {
            (false, _) => says("weights", weights),
            (true, "fp32") => unread("beside weights in fewer bits, activations of 16 bits are counted"),
            (true, _) => {
                Meaning::Says(Vec::new(), Some("the type of activations alone: the weights are in fewer bits"))
            }
        };
        if let Meaning::Says(options, _) = &meaning {
            for (option, value) in options {
                self.plan.set(option, value.clone());
            }
        }
        if let Some(setting) = self.settings.get_mut(place) {
            setting.meaning = meaning;
        }
    }

    /// Keeps what a setting means.
    pub(super) fn keep(&mut self, item: &Item, meaning: Meaning) {
        if let Meaning::Says(options, _) = &meaning {
            for (option, value) in options {
                self.plan.set(option, value.clone());
            }
        }
        self.settings.push(Setting { line: item.line, said: item.said(&meaning), meaning });
    }

    /// Keeps what each option of a command means by itself.
    pub(super) fn options(&mut self, words: &[Word], syntax: &Syntax, meaning: fn(&Item) -> Meaning) {
        for item in options(words, syntax) {
            self.option(&item, meaning);
        }
    }

    /// Keeps what one option means.
    pub(super) fn option(&mut self, item: &Item, meaning: fn(&Item) -> Meaning) {
        if item.name == "--dtype" {
            self.keep_dtype(item);
        } else {
            self.keep(item, meaning(item));
        }
    }

    /// Says an option that no single setting says.
    pub(super) fn say(&mut self, option: &'static str, text: &str) {
        if let Meaning::Says(options, _) = says(option, text) {
            for (option, value) in options {
                self.plan.set(option, value);
            }
        }
    }

    /// A number that the plan has by now.
    pub(super) fn said_count(&self, option: &str) -> Option<u32> {
        match self.plan.get(option) {
            Some(Value::Count(count)) => Some(*count),
            _ => None,
        }
    }

    /// Takes `--quantization fp8` as the checkpoint's own fp8, where that has a scale for each block.
    fn keep_blocks(&mut self) {
        let published = self.plan.model().and_then(Model::published);
        let (fp8, blocks) = (WeightFormat::Fp8.id(), WeightFormat::Fp8Block.id());
        if published != Some(WeightFormat::Fp8Block) || self.plan.get("weights") != Some(&Value::Word(fp8)) {
            return;
        }
        for setting in &mut self.settings {
            let alone = matches!(&setting.meaning, Meaning::Says(options, _) if matches!(options.as_slice(), [("weights", Value::Word(said))] if *said == fp8));
            if alone {
                setting.meaning = because(
                    says("weights", blocks),
                    "the checkpoint's own fp8 has a scale for each block of 128 × 128",
                );
                self.plan.set("weights", Value::Word(blocks));
            }
        }
    }

    /// The value of a setting that was kept, if it was understood or not.
    pub(super) fn finish(mut self, source: Target) -> Import {
        self.settle_dtype();
        self.keep_blocks();
        Import { source, plan: self.plan, settings: self.settings }
    }

    /// Every value of a file that is no map, with the names above it.
    pub(super) fn each(&mut self, node: &Node, read: fn(&Self, &Item) -> Meaning) {
        for item in flat(node) {
            let meaning = read(self, &item);
            self.keep(&item, meaning);
        }
    }
}

/// The values of a file that are no maps, with the names above them.
pub(super) fn flat(node: &Node) -> Vec<Item> {
    let mut items = Vec::new();
    below(node, "", &mut items);
    items
}

/// No deeper than a reader lets values stand in one another.
fn below(node: &Node, above: &str, items: &mut Vec<Item>) {
    for entry in node.value.entries() {
        let name = if above.is_empty() { entry.key.clone() } else { format!("{above}.{}", entry.key) };
        if entry.node.value.entries().is_empty() {
            items.push(Item { line: entry.line, name, value: entry.node.value.clone() });
        } else {
            below(&entry.node, &name, items);
        }
    }
}

/// An option with a value, checked against its range.
pub(super) fn says(option: &'static str, text: &str) -> Meaning {
    let Some(known) = table::by_name(option) else { return Meaning::Unread(String::new()) };
    let value = match known.kind {
        Kind::Count(_) | Kind::Percent(_) | Kind::Memory(_) => Json::Number(text.into()),
        Kind::Switch => Json::Bool(true),
        Kind::Counts(..) => {
            Json::List(text.split(',').map(|part| Node { line: 0, value: Json::Number(part.into()) }).collect())
        }
        Kind::List(..) | Kind::Rows(..) => {
            Json::List(text.split(',').map(|word| Node { line: 0, value: Json::Text(word.into()) }).collect())
        }
        _ => Json::Text(text.into()),
    };
    match known.kind.read(&Node { line: 0, value }) {
        Ok(value) => Meaning::Says(vec![(known.name, value)], None),
        Err(why) => Meaning::Unread(format!("{option} {why}")),
    }
}

/// Several options at once; the first that cannot be is the answer.
pub(super) fn all<const N: usize>(options: [(&'static str, &str); N]) -> Meaning {
    let mut found = Vec::new();
    for (option, text) in options {
        match says(option, text) {
            Meaning::Says(options, _) => found.extend(options),
            other => return other,
        }
    }
    Meaning::Says(found, None)
}

/// The same with a remark.
pub(super) fn because(meaning: Meaning, why: &'static str) -> Meaning {
    match meaning {
        Meaning::Says(options, _) => Meaning::Says(options, Some(why)),
        other => other,
    }
}

/// A recipe for weights that are loaded by other code: they are counted in fp32, which takes most.
pub(super) fn loaded(recipe: &'static str) -> Meaning {
    let meaning = all([("weights", "fp32"), ("recipe", recipe)]);
    because(
        meaning,
        "the code that loads the model decides: weights are counted in fp32, and a model that is loaded in 16 bits takes less, weights bf16 with recipe pure",
    )
}

/// Nothing that is understood, and why.
pub(super) fn unread(why: &str) -> Meaning {
    Meaning::Unread(why.into())
}

/// A setting that is not in the tables of its program here.
pub(super) fn unknown() -> Meaning {
    unread("it is not read here, and may change what the run needs")
}

/// A model by its id on the Hugging Face Hub, or by the name of its folder.
pub(super) fn model(text: &str) -> Meaning {
    if let Some((id, weights)) = asked_for(text) {
        return because(all([("model", id), ("weights", weights)]), "the model and the format that the file asks for");
    }
    let local = text.starts_with(['/', '.', '~']) || text.contains('\\');
    if !local {
        match hub::stored(text) {
            Some((model, Some(weights))) => {
                return because(
                    all([("model", model.id), ("weights", weights.id())]),
                    "the format is the one that the repository's name says",
                );
            }
            Some((model, None)) => return says("model", model.id),
            None => {}
        }
    }
    let name = text.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(text);
    match hub::by_name(name).filter(|_| local) {
        Some(model) => because(says("model", model.id), "by the name of its folder"),
        None => unread(
            "no model of the table has this id: memory-wall models lists them, and --config FILE takes the shape of another one",
        ),
    }
}

/// A share as percent: 0.9 is 90, 0.8417 is 84.17.
pub(super) fn share(option: &'static str, text: &str) -> Meaning {
    // Python reads .9 as well.
    let text = &if text.starts_with('.') { format!("0{text}") } else { text.into() };
    let Some(value) = json::is_number(text).then(|| text.parse::<f64>().ok()).flatten() else {
        return Meaning::Unread(format!("{option} is a share, as 0.9, not {}", quoted(text)));
    };
    let hundredths = libm::round(value * 10_000.0);
    let meaning = says(option, &format!("{}", hundredths / 100.0));
    let exact = libm::fabs(value * 10_000.0 - hundredths) < 1e-6;
    if exact { meaning } else { because(meaning, "rounded to hundredths of a percent") }
}

/// A whole number as vLLM and `SGLang` take it: 1k is 1,000, and 1K is 1,024.
pub(super) fn human(text: &str) -> Option<u64> {
    let unit = text.chars().last().filter(char::is_ascii_alphabetic);
    let factor: u64 = match unit {
        None => 1,
        Some('k') => 1_000,
        Some('m') => 1_000_000,
        Some('K') => 1 << 10,
        Some('M') => 1 << 20,
        Some(_) => return None,
    };
    let digits = unit.map_or(Some(text), |unit| text.strip_suffix(unit))?;
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(part) || part.len() > 6 {
        return None;
    }
    // A part of a binary unit is not taken there either.
    if !part.is_empty() && !matches!(unit, Some('k' | 'm')) {
        return None;
    }
    let scale = 10_u64.checked_pow(u32::try_from(part.len()).ok()?)?;
    let number: u64 = format!("{whole}{part}").parse().ok()?;
    number.checked_mul(factor)?.checked_div(scale)
}

/// A number of tokens that may have a unit.
pub(super) fn tokens(option: &'static str, text: &str) -> Meaning {
    match human(text) {
        Some(count) => says(option, &count.to_string()),
        None => Meaning::Unread(format!("{option} takes a number of tokens, not {}", quoted(text))),
    }
}

/// How a program writes its options.
pub(super) struct Syntax {
    /// Its options without a value.
    pub(super) switches: &'static [&'static str],
    /// Whether `_` in a name stands for `-`.
    pub(super) underscores: bool,
}

/// The options of a command, each with its value; a word that belongs to none has no name.
pub(super) fn options(words: &[Word], syntax: &Syntax) -> Vec<Item> {
    let mut items = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        if !is_option(&word.text) {
            items.push(Item { line: word.line, name: String::new(), value: value(word) });
            continue;
        }
        let (name, joined) = match word.text.split_once('=') {
            Some((name, value)) => (name, Some(Json::Text(value.into()))),
            None => (word.text.as_str(), None),
        };
        let name = if syntax.underscores && name.starts_with("--") { name.replace('_', "-") } else { name.into() };
        let alone = syntax.switches.contains(&name.as_str());
        let value = match joined {
            Some(value) => value,
            None if alone => Json::Bool(true),
            None => words.next_if(|next| !is_option(&next.text)).map_or(Json::Bool(true), value),
        };
        items.push(Item { line: word.line, name, value });
    }
    items
}

/// A word's value; what a shell would put in its place is not known.
fn value(word: &Word) -> Json {
    let known = !word.expands || asked_for(&word.text).is_some();
    if known { Json::Text(word.text.clone()) } else { Json::Null }
}

/// `--name` or `-n`, but not -1.
fn is_option(text: &str) -> bool {
    text.len() > 1 && text.starts_with('-') && !text.chars().nth(1).is_some_and(|c| c.is_ascii_digit() || c == '.')
}
