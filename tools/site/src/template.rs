//! Templates with `@{name}` in them, which scripts in the browser fill by the same rules.

/// The template with everything in its place, each `@{name}` by what `value` says to the name.
///
/// # Errors
///
/// A name that has no value, or an `@{` without its `}`.
pub(crate) fn fill(template: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut pieces = template.split("@{");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once('}').ok_or("a template has @{ without }")?;
        out += &value(name).ok_or(format!("nothing fills @{{{name}}}"))?;
        out += rest;
    }
    Ok(out)
}
