//! Reading the value of one option: a number in its range, one word of a list, several of them, a row of a table.

use memory_wall_core::Share;
use memory_wall_core::bounds::{self, Bounds};
use memory_wall_core::display::Grouped;
use memory_wall_core::number::{self, Kilo};
use memory_wall_core::serving::Version;
use memory_wall_plan::{Kind, PlanOption, Value};

use crate::options::Given;
use crate::text::{QUOTED, quote, shortened};
use crate::{BadInput, absent, formats, rollout, suggest};

/// What others call the layers that carry an adapter.
const TARGETS_ELSEWHERE: [(&str, &str); 11] = [
    ("q_proj", "q"),
    ("query", "q"),
    ("k_proj", "k"),
    ("key", "k"),
    ("v_proj", "v"),
    ("value", "v"),
    ("o_proj", "o"),
    ("gate_proj", "mlp"),
    ("up_proj", "mlp"),
    ("down_proj", "mlp"),
    ("all-linear", "all"),
];

/// What others call the states that are offloaded.
const OFFLOADED_ELSEWHERE: [(&str, &str); 5] = [
    ("weights", "parameters"),
    ("params", "parameters"),
    ("kv_cache", "kv"),
    ("cache", "kv"),
    ("optimizer_states", "optimizer"),
];

/// The value of an option of plans, as it was typed; models, GPUs and files are read apart.
pub(crate) fn typed(given: &Given, option: &PlanOption) -> Result<Option<Value>, BadInput> {
    let flag = option.flag();
    Ok(match option.kind {
        Kind::Count(bounds) => count(given, &flag, bounds)?.map(Value::Count),
        Kind::Memory(_) => {
            let text = given.text(&flag);
            let read = text.map(|text| option.kind.memory(&text)).transpose();
            read.map_err(|why| BadInput(format!("{flag} {why}")))?
        }
        Kind::Percent(_) => percent(given, &flag)?.map(Value::Percent),
        Kind::Choice(_) if option.name == "rl" => rollout::named(given)?,
        Kind::Choice(ids) => choice(given, &flag, &ids(), |id| id)?.map(Value::Word),
        Kind::List(words, sets) => {
            let aliases: &[(&str, &str)] =
                if option.name == "offload" { &OFFLOADED_ELSEWHERE } else { &TARGETS_ELSEWHERE };
            let all: Vec<&str> = words.iter().copied().chain(sets.iter().map(|(set, _)| *set)).collect();
            let found = list(given, &flag, &all, aliases)?;
            found
                .map(|found| option.kind.words(found.into_iter()))
                .transpose()
                .map_err(|why| BadInput(format!("{flag} {why}")))?
        }
        Kind::Release => release(given, &flag)?.map(Value::Release),
        Kind::Layout => {
            let read = given.text(&flag).map(|text| option.kind.word(text.trim())).transpose();
            read.map_err(|why| BadInput(format!("{flag} {why}")))?
        }
        Kind::Switch => given.has(&flag).then_some(Value::On),
        // Rows of tables and files, and what runtimes are told beside the scenario, are read elsewhere.
        Kind::Row(..) | Kind::Config | Kind::Rows(..) | Kind::Counts(..) => None,
    })
}

/// A whole number in its range.
pub(crate) fn count(given: &Given, option: &str, bounds: Bounds) -> Result<Option<u32>, BadInput> {
    let Some(text) = given.text(option) else { return Ok(None) };
    let Bounds { min, max, unit, .. } = bounds;
    let range = format!("{} to {}", Grouped(min.into()), Grouped(max.into()));
    let Some(value) = number::read(&text, Kilo::Binary) else {
        let (of, grouped) = (if unit.is_empty() { "" } else { " of " }, Grouped(max.into()).to_string());
        let short = if max < 1_000 { String::new() } else { format!(", {grouped}, {}", grouped.replace(',', "_")) };
        let scaled = if max < 1_000 { "" } else { " or with k for 1,024 and M for 1,048,576" };
        return Err(BadInput(format!(
            "{option} takes a whole number{of}{unit} from {range}, written as {max}{short}{scaled}, not {}",
            quote(&text)
        )));
    };
    let outside = |_| {
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let said = if number::is_spelled(&text) && value < u64::MAX {
            format!(" = {}", Grouped(value.into()))
        } else {
            String::new()
        };
        BadInput(format!("{option} {}{said} is outside {range}{unit}", shortened(text.trim(), QUOTED)))
    };
    bounds.check(value).map(Some).map_err(outside)
}

/// A release of vLLM: `0.19` or `0.19.1`.
pub(crate) fn release(given: &Given, option: &str) -> Result<Option<Version>, BadInput> {
    let Some(text) = given.text(option) else { return Ok(None) };
    let oldest = Version::OLDEST;
    let other = given.text("--engine").filter(|engine| !engine.trim().eq_ignore_ascii_case("vllm"));
    let read = Version::read(&text);
    if let (Some(engine), None) = (other, read.filter(|release| *release >= oldest)) {
        return Err(BadInput(format!(
            "{option} names a release of vLLM, and --engine is {}: of other programs one release is modelled",
            shortened(engine.trim(), QUOTED)
        )));
    }
    match read {
        Some(release) if release >= oldest => Ok(Some(release)),
        Some(_) => {
            Err(BadInput(format!("{option} {}: vLLM before {oldest} is not modelled", shortened(text.trim(), QUOTED))))
        }
        None => Err(BadInput(format!(
            "{option} takes a release of vLLM from {oldest} on, written as {} or {}.0, not {}",
            Version::MEASURED,
            Version::MEASURED,
            quote(&text)
        ))),
    }
}

/// Percent of a GPU: `90`, `92.5%`, or as a share, `0.925`.
pub(crate) fn percent(given: &Given, option: &str) -> Result<Option<Share>, BadInput> {
    let Some(text) = given.text(option) else { return Ok(None) };
    let Bounds { min, max, .. } = bounds::UTILIZATION;
    let word = text.trim();
    if word == "1" {
        return Err(BadInput(format!("{option} 1 can be 1% or all of the GPU: write 1% or 1.0")));
    }
    // vLLM's own way: a share of one at most.
    let fraction = word.strip_suffix('%').is_none() && matches!(word.split_once('.'), Some(("" | "0" | "1", _)));
    let share =
        if fraction { Share::read_fraction(word) } else { Share::read_percent(word.strip_suffix('%').unwrap_or(word)) };
    let share = share.ok_or_else(|| {
        BadInput(format!(
            "{option} takes percent of the GPU from {min} to {max} with up to two places, written as 90, 92.5% or 0.925, not {}",
            quote(&text)
        ))
    })?;
    let outside = |_| BadInput(format!("{option} {} is outside {min}% to {max}% of the GPU", shortened(word, QUOTED)));
    share.check().map(Some).map_err(outside)
}

/// More FLOPs or bytes than any machine sees.
const MOST: f64 = 1e30;

/// FLOPs, bytes or tokens as they are written: digits, `2^30`, `1.5e12`, or with one of the letters k, M, G, T, P, powers of a thousand.
pub(crate) fn quantity(option: &str, text: &str) -> Result<u128, BadInput> {
    let bad = || {
        BadInput(format!(
            "{option} takes a number such as 137438953472, 1.37e11 or 137G, at most 1e30, not {}",
            quote(text)
        ))
    };
    let word = text.trim();
    if let Some(whole) = number::read(word, Kilo::Decimal) {
        return Ok(whole.into());
    }
    let letters = [('k', 1e3), ('K', 1e3), ('M', 1e6), ('G', 1e9), ('T', 1e12), ('P', 1e15), ('E', 1e18)];
    let scaled = letters.iter().find_map(|(letter, scale)| Some((word.strip_suffix(*letter)?, *scale)));
    let (digits, scale) = scaled.unwrap_or((word, 1.0));
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    let value = digits.parse::<f64>().ok().filter(|_| plain).map(|value| value * scale);
    match value {
        // In range, and whole enough: what is measured in such numbers has no fractions.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
        Some(value) if (0.0..=MOST).contains(&value) && value.is_finite() => Ok(value.round() as u128),
        _ => Err(bad()),
    }
}

/// The largest price, in thousandths, as the planner reads it.
const HIGHEST: u64 = 9_999_999_999;

/// A price with at most three places behind the point, in thousandths.
pub(crate) fn price(given: &Given, option: &str) -> Result<Option<u64>, BadInput> {
    let Some(text) = given.text(option) else { return Ok(None) };
    let word = text.trim();
    let word = word.strip_prefix('$').unwrap_or(word);
    let (whole, places) = word.split_once('.').unwrap_or((word, "0"));
    let behind = (1..=3).contains(&places.len()) && places.bytes().all(|byte| byte.is_ascii_digit());
    let thousandths = number::grouped(whole).filter(|_| behind).and_then(|whole| {
        let part: u64 = format!("{places:0<3}").parse().ok()?;
        whole.checked_mul(1_000)?.checked_add(part)
    });
    let known = thousandths.filter(|thousandths| (1..=HIGHEST).contains(thousandths));
    known.map(Some).ok_or_else(|| {
        BadInput(format!("{option} takes a price from 0.001 to 9,999,999.999, written as 2.5, not {}", quote(&text)))
    })
}

/// One of a few words, in capitals or not.
pub(crate) fn choice<T: Copy>(
    given: &Given,
    option: &str,
    all: &[T],
    id: impl Fn(T) -> &'static str,
) -> Result<Option<T>, BadInput> {
    let Some(text) = given.text(option) else { return Ok(None) };
    let named =
        |choice: &T| [&text, formats::same(option, &text)].iter().any(|name| id(*choice).eq_ignore_ascii_case(name));
    if let Some(found) = all.iter().copied().find(named) {
        return Ok(Some(found));
    }
    let ids: Vec<&str> = all.iter().map(|choice| id(*choice)).collect();
    Err(not_one_of(option, &ids, &text))
}

/// The message for a word that is none of a list: by what others call them, or else by its letters.
pub(crate) fn not_one_of(option: &str, ids: &[&'static str], text: &str) -> BadInput {
    let absent = match option {
        "--engine" => absent::runtime(option, text),
        "--weights" => absent::format(option, text),
        "--pipeline-schedule" => absent::schedule(option, text),
        _ => None,
    };
    if let Some(refused) = absent {
        return refused;
    }
    let meant = match formats::nearest(text, ids) {
        Some((named, what)) => format!(", did you mean {} ({what})?", suggest::either(&named)),
        None => suggest::did_you_mean(&suggest::nearest(text, ids.iter().copied())),
    };
    BadInput(format!("{option} takes {}, not {}{meant}", suggest::either(ids), quote(text)))
}

/// Several of a few words, with commas between them; `aliases` are what others call them, with the word that is meant here.
pub(crate) fn list(
    given: &Given,
    option: &str,
    words: &[&'static str],
    aliases: &[(&str, &'static str)],
) -> Result<Option<Vec<&'static str>>, BadInput> {
    let Some(text) = given.text(option) else { return Ok(None) };
    let mut found = Vec::new();
    for part in text.split(',').map(str::trim) {
        let Some(word) = words.iter().find(|word| word.eq_ignore_ascii_case(part)) else {
            let alias = aliases.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(part)).map(|(_, word)| *word);
            let nearest = alias.map_or_else(|| suggest::nearest(part, words.iter().copied()), |word| vec![word]);
            return Err(BadInput(format!(
                "{option} takes {}, several with commas between them, not {}{}",
                suggest::either(words),
                quote(part),
                suggest::did_you_mean(&nearest)
            )));
        };
        found.push(*word);
    }
    Ok(Some(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_people_write_them() {
        for (text, value) in [
            ("12", 12),
            ("1.37e11", 137_000_000_000),
            ("137G", 137_000_000_000),
            ("2^30", 1 << 30),
            ("1.5T", 1_500_000_000_000),
            ("0", 0),
            ("1e30", 10_u128.pow(30)),
        ] {
            assert!(quantity("--flops", text).is_ok_and(|found| found.abs_diff(value) <= value >> 50), "{text}");
        }
        for text in ["", "-1", "NaN", "inf", "1e31", "1e400", "x", "1.2.3", "12 apples", "0x10"] {
            assert!(quantity("--flops", text).is_err(), "{text}");
        }
    }
}
