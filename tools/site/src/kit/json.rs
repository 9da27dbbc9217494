//! Plain data as JSON.

use crate::embed::oembed;

/// A text. A `<` is written by its number, so that it ends no element that the data stands in.
pub(crate) fn text(text: &str) -> String {
    oembed::text(text).replace('<', "\\u003c")
}

/// A list of values.
pub(crate) fn list(values: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", values.into_iter().collect::<Vec<_>>().join(","))
}

/// Values by their names.
pub(crate) fn object<'a>(fields: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let fields = fields.into_iter().map(|(name, value)| format!("{}:{value}", text(name)));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_text_or_an_element_is_escaped() {
        assert_eq!(text("a\"b\\c</script>\n ü"), "\"a\\\"b\\\\c\\u003c/script>\\u000a ü\"");
        assert_eq!(object([("a", list(["1".to_owned(), text("b")]))]), "{\"a\":[1,\"b\"]}");
    }
}
