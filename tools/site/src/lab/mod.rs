//! A lab sheet: what to measure on a GPU or a CPU with `memory_report.py`, a table to fill in, and the values that the engine expects.

use std::fmt::Write as _;
use std::path::Path;

use memory_wall_accuracy::table::percent;
use memory_wall_accuracy::{Data, all};
use memory_wall_app::state::State;
use memory_wall_app::state::query::{self, Decoded};
use memory_wall_core::display::{ByteUnit, Count, Grouped, Size};
use memory_wall_core::memory::{self, logits};
use memory_wall_core::{Bucket, Bytes, Checked, Phase, evaluate, worked};

use crate::apart::Script;
use crate::wording::{Words, escaped};
use crate::{apart, policy, prose, template};

/// The minutes of the lab.
const MINUTES: usize = 45;
/// The training step that is measured, and the cache, as links of the calculator.
const STEP: &str = "model=smollm2-135m&mode=training&batch=2&seq=512&weights=fp32&gpu=t4&recipe=fp32";
const CACHE: &str = "model=smollm2-135m&seq=1024&weights=fp32&kv=fp32&gpu=t4";
/// The published measurements of training steps whose bounds say how far off a peak may be.
const SETS: [&str; 2] = ["step-peaks", "one-gpu-steps"];
/// Bytes that were saved for backward when this sheet was run on a CPU, see `content/en/lab.txt`.
const MEASURED: u128 = 1_578_422_276;

/// The page's parts, by their anchors, in their order; the last is the key.
const PARTS: [&str; 5] = ["prepare", "estimate", "measure", "compare", "key"];
/// What is asked at the end.
const ASKED: [u32; 4] = [1, 2, 3, 4];

/// Room to write one line.
const LINE: &str = "<i class=\"line\"></i>";

/// Writes the page with its style sheet.
pub(crate) fn build(root: &Path, staging: &Path) -> Result<(), String> {
    let words = Words::read("lab.txt")?;
    apart::write_page(root, staging, "lab", &words, &policy::still(), Script::None, &content(&words)?)
}

/// What the calculator's link says.
fn state(link: &str) -> Result<State, String> {
    let Decoded { state, notices } = query::decode(link);
    notices.first().map_or(Ok(state), |notice| Err(format!("{link}: {notice}")))
}

/// What is expected of a part of the memory.
struct Row {
    /// Its name among the words.
    name: &'static str,
    gpu: Bytes,
    /// Nothing where a CPU does not tell.
    cpu: Option<Bytes>,
    /// How far off a measurement may be on a GPU, as a share; nothing of what is counted.
    off: Option<f64>,
}

/// What is saved for the backward pass, with what the loss keeps.
fn saved(step: &Checked) -> Bytes {
    let layers = worked::total(|sink| Bucket::Activations.terms(step, Phase::Loss, sink));
    layers + worked::total(|sink| logits::kept(step, sink))
}

/// How far off the peak of a step may be, and over how many measured steps that holds.
fn bound() -> Result<(f64, usize), String> {
    let sets = all(&Data::carried());
    let held = SETS.map(|name| {
        let set = sets.iter().find(|set| set.name == name).ok_or(format!("there is no set {name}"))?;
        Ok((set.bound.each.ok_or(format!("{name} is not held to a bound"))?, set.held().count()))
    });
    held.into_iter().try_fold((0.0, 0), |(most, rows), set| {
        set.map(|(bound, count): (f64, usize)| (f64::max(most, bound), rows + count))
    })
}

/// Everything that the sheet measures.
fn expected() -> Result<Vec<Row>, String> {
    let step = state(STEP)?.scenario();
    let on_cpu = step.without_gpu().with(|it| it.training.stock.cpu = true).map_err(|error| error.to_string())?;
    let part = |bucket: Bucket| worked::total(|sink| bucket.terms(&step, Phase::OptimizerStep, sink));
    let counted = |name, bytes| Row { name, gpu: bytes, cpu: Some(bytes), off: None };
    let [weights, gradients, master, first, second] = memory::states(&step);
    let held = evaluate(&step);
    let peak =
        held.total.0.checked_sub(part(Bucket::Overhead).0).map(Bytes).ok_or("a step has less than its overhead")?;
    let token = evaluate(&state(CACHE)?.scenario()).kv_bytes_per_token;
    let cached = u128::from(state(CACHE)?.seq_length);
    Ok(vec![
        counted("weights", weights),
        counted("gradients", gradients),
        counted("optimizer", [master, first, second].into_iter().sum()),
        Row { name: "saved", gpu: saved(&step), cpu: Some(saved(&on_cpu)), off: None },
        Row { name: "peak", gpu: peak, cpu: None, off: Some(bound()?.0) },
        counted("cache", Bytes(token.0 * cached)),
        counted("cache_twice", Bytes(token.0 * cached * 2)),
    ])
}

/// A size as the cells print it.
fn size(bytes: Bytes) -> String {
    Size::new(bytes, ByteUnit::Gb).to_string()
}

/// Everything between header and footer.
fn content(words: &Words) -> Result<String, String> {
    let values = values(words)?;
    let rows = expected()?;
    let minutes = PARTS.iter().filter(|part| **part != "key").map(|part| minutes(words, part));
    let sum: usize = minutes.sum::<Result<usize, String>>()?;
    if sum != MINUTES {
        return Err(format!("the parts of the lab take {sum} minutes"));
    }
    let html = apart::content(words, &PARTS, |id| match id {
        "key" => Ok(key(words, &rows, &values)),
        part => Ok(format!(
            "<p class=\"quiet\">{}</p>{}",
            words.say_with("minutes", &[("minutes", minutes_of(words, part))]),
            body(words, part, &rows, &values)?
        )),
    })?;
    let who = ["name", "date"].map(|key| format!("<span>{}</span>{LINE}", words.say(key))).concat();
    Ok(format!("<div class=\"section\"><div class=\"who\">{who}</div></div>{html}"))
}

fn minutes(words: &Words, part: &str) -> Result<usize, String> {
    let minutes = minutes_of(words, part);
    minutes.parse().map_err(|_| format!("{part}: {minutes:?} are no minutes"))
}

fn minutes_of(words: &Words, part: &str) -> String {
    words.plain(&format!("{part}._minutes"))
}

/// What texts and cells name.
fn values(words: &Words) -> Result<Vec<(&'static str, String)>, String> {
    let (step, cache) = (state(STEP)?, state(CACHE)?);
    let shape = step.shape;
    let whole = |number: u32| Grouped(number.into()).to_string();
    let link = |key: &str, query: &str| {
        let place = prose::anchor("buckets");
        format!("<a href=\"./?{}#{place}\">{}</a>", escaped(query), words.say(&format!("link.{key}")))
    };
    let (bound, rows) = bound()?;
    Ok(vec![
        ("model", step.model.name.to_owned()),
        ("parameters", Count(shape.parameters().total()).to_string()),
        ("layers", whole(shape.layers)),
        ("kv_heads", whole(shape.kv_heads)),
        ("head_dim", whole(shape.head_dim)),
        ("vocab", whole(shape.vocab_size)),
        ("batch", whole(step.batch)),
        ("tokens", whole(step.seq_length)),
        ("cached", whole(cache.seq_length)),
        ("needed", size(evaluate(&step.scenario()).total)),
        ("step", link("step", STEP)),
        ("cache", link("cache", CACHE)),
        ("rows", rows.to_string()),
        ("bound", percent(bound)),
        ("measured", size(Bytes(MEASURED))),
    ])
}

/// A cell of the notebook, with the model's dimensions in it.
fn cell(words: &Words, name: &str) -> Result<String, String> {
    let (step, cache) = (state(STEP)?, state(CACHE)?);
    let shape = step.shape;
    let cells = include_str!("cells.py").split("# %% ").skip(1);
    let mut found = cells.filter_map(|cell| cell.split_once('\n')).filter(|(called, _)| *called == name);
    let (_, code) = found.next().ok_or(format!("cells.py has no cell {name}"))?;
    let code = template::fill(code, |key| {
        let number = match key {
            "hidden" => shape.hidden_size,
            "layers" => shape.layers,
            "heads" => shape.heads,
            "kv_heads" => shape.kv_heads,
            "inner" => shape.intermediate_size,
            "vocab" => shape.vocab_size,
            "batch" => step.batch,
            "tokens" => step.seq_length,
            "cached" => cache.seq_length,
            _ => return None,
        };
        Some(number.to_string())
    })?;
    Ok(format!(
        "<pre class=\"cell\" tabindex=\"0\" role=\"group\" aria-label=\"{}\"><code>{}</code></pre>",
        words.say(&format!("code.{name}")),
        escaped(code.trim_end())
    ))
}

/// A part of the sheet.
fn body(words: &Words, part: &str, rows: &[Row], values: &[(&str, String)]) -> Result<String, String> {
    Ok(match part {
        "prepare" => words.paragraphs("prepare", values) + &cell(words, "model")?,
        "estimate" => words.paragraphs("estimate", values) + &table(words, rows, values),
        "measure" => {
            let said = [1, 2].map(|n| format!("<p>{}</p>", words.prose(&format!("measure.{n}"), values)));
            let [step, cache] = said;
            step + &cell(words, "step")? + &cache + &cell(words, "cache")?
        }
        _ => {
            let asked = ASKED.map(|n| format!("<li>{}{}</li>", words.say(&format!("ask.{n}")), LINE.repeat(2)));
            format!("{}<ol>{}</ol>", words.paragraphs("compare", values), asked.concat())
        }
    })
}

/// What a row is called.
fn called(words: &Words, row: &Row, values: &[(&str, String)]) -> String {
    let cached = values.iter().find(|(name, _)| *name == "cached").map(|(_, text)| text.clone()).unwrap_or_default();
    let tokens = if row.name == "cache_twice" { format!("2 × {cached}") } else { cached };
    words.say_with(&format!("row.{}", row.name), &[("tokens", tokens)])
}

/// A table with its caption and heads.
fn tabled(id: &str, caption: &str, heads: &[String], rows: &str) -> String {
    let heads = heads.iter().fold(String::new(), |all, head| all + &format!("<th scope=\"col\">{head}</th>"));
    format!(
        "<div class=\"table-scroll\" tabindex=\"0\" role=\"group\" aria-labelledby=\"{id}\"><table class=\"lab\"><caption id=\"{id}\">{caption}</caption><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
}

/// The table that is filled in.
fn table(words: &Words, rows: &[Row], values: &[(&str, String)]) -> String {
    let heads = ["what", "estimate", "measured", "off"].map(|key| words.say(&format!("table.{key}")));
    let mut out = String::new();
    for row in rows {
        let alone = if row.cpu.is_none() { format!(" ({})", words.say("table.peak_gpu")) } else { String::new() };
        // Writing into a string does not fail.
        let _ = write!(
            out,
            "<tr><th scope=\"row\">{}{alone}</th><td></td><td></td><td></td></tr>",
            called(words, row, values)
        );
    }
    tabled("lab-table", &words.say("table"), &heads, &out)
}

/// The expected values, and answers to the questions.
fn key(words: &Words, rows: &[Row], values: &[(&str, String)]) -> String {
    let heads = [words.say("table.what"), words.say("key.gpu"), words.say("key.cpu"), words.say("key.range")];
    let mut out = String::new();
    for row in rows {
        let range = match row.off {
            None => words.say("key.exact"),
            Some(off) => {
                let [low, high] = [1.0 - off, 1.0 + off].map(|share| scaled(row.gpu, share));
                words.say_with("key.between", &[("low", size(low)), ("high", size(high))])
            }
        };
        let cpu = row.cpu.map_or_else(|| words.say("key.none"), size);
        let _ = write!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"numeric\">{}</td><td class=\"numeric\">{cpu}</td><td>{range}</td></tr>",
            called(words, row, values),
            size(row.gpu)
        );
    }
    let answers = ASKED.map(|n| format!("<li>{}</li>", words.prose(&format!("answer.{n}"), values)));
    format!(
        "{}{}<ol>{}</ol>",
        words.paragraphs("key", values),
        tabled("lab-key", &words.say("key.table"), &heads, &out),
        answers.concat()
    )
}

/// A share of some bytes.
fn scaled(bytes: Bytes, share: f64) -> Bytes {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a little more or less than a size in memory"
    )]
    let scaled = (bytes.0 as f64 * share) as u128;
    Bytes(scaled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wording::MISSING;

    #[test]
    fn the_sheet_says_all_its_words_and_keeps_its_values_for_the_key() {
        let words = Words::read("lab.txt").unwrap();
        let html = content(&words).unwrap();
        let _ = apart::headed(&apart::root(), "lab", &words).unwrap();
        assert_eq!(words.left(), Vec::<&String>::new(), "words that nobody says");
        assert!(!html.contains(MISSING) && !html.contains("@{") && !html.contains("NaN"), "words are missing");
        let (sheet, key) = html.split_once("<section id=\"key\"").unwrap();
        for row in expected().unwrap() {
            let size = size(row.gpu);
            assert!(key.contains(&size) && !sheet.contains(&format!(">{size}<")), "{}: {size}", row.name);
        }
        for link in [STEP, CACHE] {
            assert!(sheet.contains(&format!("href=\"./?{}#calculator\"", escaped(link))), "{link}");
        }
        for number in ["hidden_size=576,", "num_hidden_layers=30,", "torch.randint(49152, (2, 512)"] {
            assert!(sheet.contains(number), "{number}");
        }
    }

    /// The sheet was run on a CPU with PyTorch 2.15.0 and transformers 5.24.0: these are the bytes that it printed, before rounding.
    #[test]
    fn the_expected_values_are_those_of_a_run_on_a_cpu() {
        let rows = expected().unwrap();
        let cpu = |name: &str| rows.iter().find(|row| row.name == name).unwrap().cpu.unwrap().0;
        assert_eq!([cpu("weights"), cpu("gradients")], [538_060_032; 2]);
        // Each of the 272 tensors has a counter of its steps too, four bytes.
        assert_eq!(cpu("optimizer"), 1_076_121_152 - 272 * 4);
        // One number of four bytes less than the engine counts; which one it is was not looked for.
        assert_eq!(cpu("saved"), MEASURED + 4);
        assert_eq!([cpu("cache"), cpu("cache_twice")], [47_185_920, 94_371_840]);
    }
}
