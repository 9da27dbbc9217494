//! Formulas of the prose as `MathML`, set at build time: LaTeX as `$…$` within a line, `$$…$$` on a line of its own.

use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Parser, RenderConfig, Storage, push_mathml};

use crate::words;

/// A formula within a line.
pub(crate) fn inline(formula: &str) -> Result<String, String> {
    set(formula, DisplayMode::Inline)
}

/// A formula on a line of its own, which scrolls by itself where the screen is narrow.
pub(crate) fn display(formula: &str) -> Result<String, String> {
    let (name, set) = (words::math_label(), set(formula, DisplayMode::Block)?);
    Ok(format!("<span class=\"formula\" tabindex=\"0\" role=\"group\" aria-label=\"{name}\">{set}</span>"))
}

fn set(formula: &str, display_mode: DisplayMode) -> Result<String, String> {
    let storage = Storage::new();
    // The library would draw a mistake into the formula; the build is to stop for it.
    let events = Parser::new(formula, &storage).collect::<Result<Vec<_>, _>>();
    let events = events.map_err(|mistake| format!("{formula}: {mistake}"))?;
    let mut out = String::new();
    let config = RenderConfig { display_mode, ..RenderConfig::default() };
    push_mathml(&mut out, events.into_iter().map(Ok::<_, std::fmt::Error>), config)
        .map_err(|error| error.to_string())?;
    // It spells `\ ` and `~` as an entity that readers would see as it is written.
    if out.contains("nbsp") {
        return Err(format!("{formula}: leave the space out, or write \\quad"));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_set() {
        let set = inline(r"\text{kv_heads} \times \frac{2}{\text{free bytes}}").unwrap();
        for piece in
            ["<math", "<mtext>kv_heads</mtext>", "<mfrac>", "<mn>2</mn>", "<mtext>free bytes</mtext>", "</math>"]
        {
            assert!(set.contains(piece), "{piece}: {set}");
        }
        let below = display(r"2_\text{weight} + m").unwrap();
        assert!(below.contains("<msub>") && below.contains("display=\"block\""), "{below}");
    }

    #[test]
    fn what_is_not_closed_or_not_known_stops_the_build() {
        for formula in [r"\frac{1}{2", r"\text{words", r"\wrods{a}", "a_", r"a,\ b", "a~b"] {
            assert!(inline(formula).is_err(), "{formula}");
        }
    }
}
