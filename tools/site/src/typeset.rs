//! Formulas of the prose as `MathML`, set at build time: `$…$` within a line, `$$…$$` on a line of its own.
//!
//! Names are written as they are (`kv_heads`), a fraction is `frac(above; below)`, what stands below a symbol is `_{…}`, and
//! words are in quotes. All else is an operator.

use std::fmt::Write as _;

use memory_wall_app::words::t;

/// A formula within a line.
pub(crate) fn inline(formula: &str) -> Result<String, String> {
    Ok(format!("<math><mrow>{}</mrow></math>", set(formula)?))
}

/// A formula on a line of its own, which scrolls by itself where the screen is narrow.
pub(crate) fn display(formula: &str) -> Result<String, String> {
    let name = t("math.label");
    let set = set(formula)?;
    Ok(format!(
        "<span class=\"formula\" tabindex=\"0\" role=\"group\" aria-label=\"{name}\"><math display=\"block\"><mrow>{set}</mrow></math></span>"
    ))
}

fn set(formula: &str) -> Result<String, String> {
    let (html, rest) = row(formula, &[]).ok_or(format!("{formula}: something is not closed"))?;
    if rest.is_empty() { Ok(html) } else { Err(format!("{formula}: {rest} is left over")) }
}

/// Pieces up to one of the marks, which is left standing; all of them where there is no mark to wait for.
fn row<'a>(mut rest: &'a str, until: &[char]) -> Option<(String, &'a str)> {
    let mut html = String::new();
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { return until.is_empty().then_some((html, rest)) };
        if until.contains(&first) {
            return Some((html, rest));
        }
        let piece;
        (piece, rest) = one(rest, first)?;
        if let Some(behind) = rest.strip_prefix("_{") {
            let (below, behind) = behind.split_once('}')?;
            // Writing into a string does not fail.
            let _ = write!(html, "<msub>{piece}<mtext>{below}</mtext></msub>");
            rest = behind;
        } else {
            html.push_str(&piece);
        }
    }
}

/// A piece that begins with a letter.
fn one(rest: &str, first: char) -> Option<(String, &str)> {
    if let Some(behind) = rest.strip_prefix("frac(") {
        let (above, behind) = row(behind, &[';'])?;
        let (below, behind) = row(behind.strip_prefix(';')?, &[')'])?;
        let fraction = format!("<mfrac><mrow>{above}</mrow><mrow>{below}</mrow></mfrac>");
        return Some((fraction, behind.strip_prefix(')')?));
    }
    if let Some(quoted) = rest.strip_prefix('"') {
        let (text, behind) = quoted.split_once('"')?;
        return Some((format!("<mtext>{text}</mtext>"), behind));
    }
    let of_name =
        |(at, c): (usize, char)| c.is_ascii_alphanumeric() || c == '_' && !rest.split_at(at).1.starts_with("_{");
    let of_number = |(_, c): (usize, char)| c.is_ascii_digit() || c == '.';
    let end = |belongs: &dyn Fn((usize, char)) -> bool| {
        rest.char_indices().find(|at| !belongs(*at)).map_or(rest.len(), |(place, _)| place)
    };
    let (tag, end) = match first {
        c if c.is_ascii_digit() => ("mn", end(&of_number)),
        c if c.is_ascii_alphabetic() => ("mi", end(&of_name)),
        c => ("mo", c.len_utf8()),
    };
    let (symbol, behind) = rest.split_at(end);
    Some((format!("<{tag}>{symbol}</{tag}>"), behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_set() {
        assert_eq!(
            set("cards = ⌈frac(2 × kv_heads; \"free bytes\")⌉").unwrap(),
            "<mi>cards</mi><mo>=</mo><mo>⌈</mo><mfrac><mrow><mn>2</mn><mo>×</mo><mi>kv_heads</mi></mrow><mrow><mtext>free bytes</mtext></mrow></mfrac><mo>⌉</mo>"
        );
        assert_eq!(set("2_{weight} + m").unwrap(), "<msub><mn>2</mn><mtext>weight</mtext></msub><mo>+</mo><mi>m</mi>");
        assert_eq!(set("min(P_{peak})").unwrap().matches("<msub><mi>P</mi><mtext>peak</mtext></msub>").count(), 1);
    }

    #[test]
    fn what_is_not_closed_stops_the_build() {
        for formula in ["frac(1; 2", "frac(1)", "\"words", "a_{b"] {
            assert!(inline(formula).is_err(), "{formula}");
        }
    }
}
